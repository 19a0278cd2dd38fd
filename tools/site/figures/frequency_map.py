"""What a rule leaves of the speed of each pair of a rotary head, for several rules and factors.

One dot per pair, fast to slow; its height is the share of the trained speed, on a logarithmic scale. A dot on the
dashed line turns exactly so many times slower as the text grows longer. A hollow dot is a slow pair above it: such
a text turns it to angles that training never showed.
"""

from __future__ import annotations

import math

from pe_course.plots.extrapolation import TOLERANCE, first_unfinished
from pe_course.reference import rotary, scaling
from tools.site.figures.moving_figure import MovingFigure, offered

DIM, TRAINED = 128, 2048
FACTORS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
METHODS = {
    "linear": "interpolation",
    "ntk": "NTK-aware",
    "yarn": "YaRN",
    "llama3": "Llama 3",
}
LEFT, RIGHT, TOP, BOTTOM = 30.0, 317.0, 8.0, 138.0
DOUBLING = (BOTTOM - TOP) / math.log2(FACTORS[-1])  # height of a factor of two
COUNTS = ("kept", "between", "slowed", "new")

COUNTED = (
    "Pairs that keep their speed: {kept}; in between: {between}; slowed in full: {slowed}; with new angles: {new}."
)
ALT = (
    "One dot for each of 64 pairs, fast to slow, as high as the share of its trained speed that it keeps under "
    "{method} at factor {factor}. " + COUNTED
)
SENTENCE = "Rule: {method}, factor {factor}. " + COUNTED


def draw(method: str = "linear", factor: int = 4) -> MovingFigure:
    """The figure at one setting. Raises: ValueError unless both are among those that the reader can choose."""
    offered("method", method, METHODS)
    offered("factor", factor, FACTORS)
    shares = {name: {f"{s}": _shares(name, s) for s in FACTORS} for name in METHODS}
    unfinished = first_unfinished(DIM, TRAINED)
    here = shares[method][f"{factor}"]
    values = {"method": METHODS[method], "factor": factor, **counts(here, factor, unfinished)}
    return MovingFigure(
        view_box="0 0 320 168",
        picture=_frame(unfinished, factor) + f'<g class="pairs">{_dots(here, factor, unfinished)}</g>',
        alt=ALT.format(**values),
        numbers=_table(values),
        sentence=SENTENCE.format(**values),
        data={
            "shares": shares,
            "methods": METHODS,
            "factors": FACTORS,
            "unfinished": unfinished,
            "tolerance": TOLERANCE,
            "place": [LEFT, (RIGHT - LEFT) / (DIM // 2), TOP, DOUBLING],
            "now": [method, factor],
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def counts(shares: list[float], factor: float, unfinished: int) -> dict[str, int]:
    """How many pairs keep their speed, lie between, turn ``factor`` times slower, and meet new angles."""
    kept = sum(share * TOLERANCE > 1 for share in shares)
    slowed = sum(share * factor < TOLERANCE for share in shares if share * TOLERANCE <= 1)
    new = sum(_is_new(pair, share, factor, unfinished) for pair, share in enumerate(shares))
    return {"kept": kept, "between": len(shares) - kept - slowed, "slowed": slowed, "new": new}


def _shares(method: str, factor: int) -> list[float]:
    """Share of the trained speed of each pair; six digits are more than a screen shows."""
    trained = {"original_max_position_embeddings": TRAINED}
    rules = {
        "linear": lambda: scaling.rope_scaling_linear(DIM, factor=factor),
        "ntk": lambda: scaling.rope_scaling_ntk(DIM, factor=factor),
        "yarn": lambda: scaling.rope_scaling_yarn(DIM, factor=factor, **trained),
        "llama3": lambda: scaling.rope_scaling_llama3(
            DIM, factor=factor, low_freq_factor=1, high_freq_factor=4, **trained
        ),
    }
    return [round(share, 6) for share in (rules[method]()[0] / rotary.rope_frequencies(DIM)).tolist()]


def _is_new(pair: int, share: float, factor: float, unfinished: int) -> bool:
    return pair >= unfinished and share * factor > TOLERANCE


def _dots(shares: list[float], factor: float, unfinished: int) -> str:
    return "".join(
        f'<circle class="pair{" new" if _is_new(pair, share, factor, unfinished) else ""}" '
        f'cx="{_x(pair):.2f}" cy="{_y(share):.2f}" r="1.9"/>'
        for pair, share in enumerate(shares)
    )


def _x(pair: float) -> float:
    return LEFT + (RIGHT - LEFT) * (pair + 0.5) / (DIM // 2)


def _y(share: float) -> float:
    return TOP - DOUBLING * math.log2(share)


def _frame(unfinished: int, factor: float) -> str:
    left, right = _x(unfinished - 0.5), RIGHT
    marks = [
        f'<rect class="unfinished" x="{left:.2f}" y="{TOP}" width="{right - left:.2f}" height="{BOTTOM - TOP}"/>',
        f'<path class="frame" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>',
        f'<path class="fits" d="M{LEFT} {_y(1 / factor):.2f}H{RIGHT}"/>',
        f'<text x="{(left + right) / 2:.1f}" y="{TOP + 10}" text-anchor="middle">no full turn</text>',
        f'<text x="{(left + right) / 2:.1f}" y="{TOP + 21}" text-anchor="middle">in training</text>',
        f'<text x="{(LEFT + RIGHT) / 2}" y="165" text-anchor="middle">pair, fast to slow</text>',
    ]
    for share in (1, 2, 4, 8, 16, 32):
        label = "1" if share == 1 else f"1/{share}"
        marks.append(f'<text x="{LEFT - 4}" y="{_y(1 / share) + 3.5:.1f}" text-anchor="end">{label}</text>')
    for pair in (0, 20, 40, 60):
        marks.append(f'<text x="{_x(pair):.1f}" y="{BOTTOM + 12}" text-anchor="middle">{pair}</text>')
    return "".join(marks)


def _table(values: dict) -> str:
    titles = ("speed kept", "between", "slowed in full", "new angles")
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    cells = "".join(f'<td data-count="{name}">{values[name]}</td>' for name in COUNTS)
    return (
        '<table class="moving-figure-numbers">\n'
        f"<thead><tr><td></td>{head}</tr></thead>\n"
        f'<tbody>\n<tr><th scope="row">pairs</th>{cells}</tr>\n</tbody>\n</table>'
    )
