"""ALiBi's heads as bars: how far each one can see, in the order in which the released code lists them.

A bar ends where a key weighs less than a thousandth of what it would weigh at distance 0, on a logarithmic
scale. Heads that were inserted because the number is no power of two are drawn hollow.
"""

from __future__ import annotations

import math

from pe_course.reference import bias
from pe_course.reference.validation import count
from tools.site.figures.moving_figure import MovingFigure

MOST_HEADS = 32
TOP, ROOM = 6, 132  # the bars' share of the picture
DECADE = 92.0  # width of a factor of ten
TICKS = (1, 10, 100, 1000)
SHARE = 1000  # a key counts as seen while its weight is more than one over this

ALT = (
    "One bar per head, {heads} in all, as long as the head can see on a logarithmic scale: from {shortest} to "
    "{longest} tokens. {order}"
)
SORTED = "Each bar is longer than the one before."
INSERTED = "The last {added} bars, inserted between the others, begin short again."
SENTENCE = "Heads: {heads}. Slopes from {steepest} to {gentlest}, windows from {shortest} to {longest} tokens. {order}"


def draw(heads: int = 8) -> MovingFigure:
    """The figure for a number of heads. Raises: ValueError, TypeError unless 1 <= heads <= 32."""
    heads = count("heads", heads, minimum=1, maximum=MOST_HEADS)
    exponents = [_exponents(number) for number in range(1, MOST_HEADS + 1)]
    slopes = [2.0**-exponent for exponent in exponents[heads - 1]]
    regular = 1 << (heads.bit_length() - 1)
    order = INSERTED.format(added=heads - regular) if heads > regular else SORTED
    values = {
        "heads": heads,
        "shortest": window(max(slopes)),
        "longest": window(min(slopes)),
        "steepest": f"{max(slopes):.4f}",
        "gentlest": f"{min(slopes):.4f}",
        "order": order,
    }
    return MovingFigure(
        view_box="0 0 320 156",
        picture=_axis() + f'<g class="heads">{_bars(slopes, regular)}</g>',
        alt=ALT.format(**values),
        numbers=_table(slopes),
        sentence=SENTENCE.format(**values),
        data={
            "exponents": exponents,
            "heads": heads,
            "top": TOP,
            "room": ROOM,
            "decade": DECADE,
            "share": SHARE,
            "sorted": SORTED,
            "inserted": INSERTED,
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def window(slope: float) -> int:
    """The first distance at which a key weighs less than 1/SHARE of what it would at distance 0."""
    return math.floor(math.log(SHARE) / slope) + 1


def _exponents(heads: int) -> list[float]:
    """The slopes as powers of one half, which are short decimals."""
    return [round(-math.log2(slope), 6) for slope in bias.alibi_slopes(heads).tolist()]


def _bars(slopes: list[float], regular: int) -> str:
    step = ROOM / len(slopes)
    return "".join(
        f'<rect class="alibi {"full" if index < regular else "hollow"}" x="0.5" y="{TOP + step * (index + 0.1):.2f}" '
        f'width="{DECADE * math.log10(window(slope)):.2f}" height="{min(0.8 * step, 14):.2f}"/>'
        for index, slope in enumerate(slopes)
    )


def _axis() -> str:
    marks = []
    for tick in TICKS:
        x = DECADE * math.log10(tick)
        anchor = "start" if tick == 1 else "middle"
        marks.append(f'<path class="axis" d="M{x:g} {TOP}V{TOP + ROOM}"/>')
        marks.append(f'<text x="{x:g}" y="152" text-anchor="{anchor}">{tick}</text>')
    return "".join(marks)


def _table(slopes: list[float]) -> str:
    columns = {"first": slopes[0], "last": slopes[-1], "steepest": max(slopes)}
    rows = {
        "slope": [f"{slope:.4f}" for slope in columns.values()],
        "window": [str(window(slope)) for slope in columns.values()],
    }
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    body = "\n".join(
        f'<tr data-row="{name}"><th scope="row">{name}</th>' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        for name, cells in rows.items()
    )
    return (
        '<table class="moving-figure-numbers">\n'
        f"<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )
