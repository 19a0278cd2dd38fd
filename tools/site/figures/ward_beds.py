"""A ward of 128 beds with sinusoidal codes: what a group of channels says of a bed, of the next, and of the whole ward.

Above, 64 values of the bed's code and of the next bed's, and their difference. Below, how much every bed of the
ward resembles the chosen one in these channels alone: a narrow peak tells neighbours apart, a flat line nothing.
"""

from __future__ import annotations

import math

import numpy as np

from pe_course.reference import absolute
from pe_course.reference.validation import count
from tools.site.figures.clock_hands import decimals
from tools.site.figures.moving_figure import MovingFigure

BEDS, DIM, GROUP = 128, 512, 64
GROUPS = DIM // GROUP
AWAY = (1, 10, 64)  # beds: the next one, and half a ward
LEFT, CELL = 42.0, 4.3
ROWS = (("bed", 16), ("next", 32), ("change", 48))  # name, top
HEIGHT = 13
ZERO, UNIT = 132.0, 42.0  # of the profile: where 0 lies, and how high 1 is above it
STEP = CELL * GROUP / BEDS

ALT = (
    "Channels {first} to {last} of the codes of beds {bed} and {next_bed}, and their change, {change} in the root mean "
    "square. Below, how alike the beds of the ward are to bed {bed} in these channels: from {lowest} to 1."
)
SENTENCE = (
    "Bed {bed}, channels {first} to {last}: the next bed differs by {change}, the bed 64 on by {half}. "
    "Over the ward these channels make {most} to {least} turns."
)


def draw(position: int = 30, *, group: int = 0) -> MovingFigure:
    """The figure at a bed and a group of channels. Raises: ValueError, TypeError unless 0 to 126 and 0 to 7."""
    bed = count("position", position, minimum=0, maximum=BEDS - 2)
    group = count("group", group, minimum=0, maximum=GROUPS - 1)
    frequencies = absolute.sinusoidal_frequencies(DIM)
    says = [_words(frequencies[GROUP // 2 * g : GROUP // 2 * (g + 1)], g) for g in range(GROUPS)]
    alike = [[round(share, 4) for share in _alike(g)] for g in range(GROUPS)]
    codes = absolute.sinusoidal_positions([bed, bed + 1], DIM)[:, GROUP * group : GROUP * (group + 1)]
    profile = [alike[group][abs(other - bed)] for other in range(BEDS)]
    values = {"bed": bed, "next_bed": bed + 1, "lowest": decimals(min(profile), 2), **says[group]}
    return MovingFigure(
        view_box="0 0 320 176",
        picture=_codes([codes[0], codes[1], codes[1] - codes[0]], bed, group) + _profile(profile, bed),
        alt=ALT.format(**values),
        numbers=_table(says[group]),
        sentence=SENTENCE.format(**values),
        data={
            "frequencies": frequencies.tolist(),
            "alike": alike,
            "says": says,
            "bed": bed,
            "group": group,
            "beds": BEDS,
            "place": [LEFT, STEP, ZERO, UNIT],
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def _alike(group: int) -> np.ndarray:
    """Inner product of two codes over their distance, in one group of channels, as a share of the largest."""
    codes = absolute.sinusoidal_positions(np.arange(BEDS), DIM)[:, GROUP * group : GROUP * (group + 1)]
    return codes @ codes[0] / (GROUP // 2)


def _words(frequencies: np.ndarray, group: int) -> dict[str, str | int]:
    """What is said of a group, whatever the bed."""
    codes = absolute.sinusoidal_positions(np.arange(BEDS), DIM)[:, GROUP * group : GROUP * (group + 1)]
    changes = [math.sqrt(np.mean((codes[away:] - codes[:-away]) ** 2)) for away in AWAY]
    turns = frequencies[[0, -1]] * (BEDS - 1) / (2 * math.pi)
    return {
        "first": GROUP * group,
        "last": GROUP * (group + 1) - 1,
        **dict(
            zip(
                ("change", "ten", "half"),
                (decimals(change, 4 if change >= 0.01 else 6) for change in changes),
                strict=True,
            )
        ),
        **dict(zip(("most", "least"), (decimals(turn, 4 if turn < 0.1 else 1) for turn in turns), strict=True)),
    }


def _codes(rows: list[np.ndarray], bed: int, group: int) -> str:
    names = (f"bed {bed}", f"bed {bed + 1}", "change")
    title = f'<text class="title" x="{LEFT}" y="10">channels {GROUP * group} to {GROUP * (group + 1) - 1}</text>'
    return title + "".join(
        f'<text data-name="{row}" x="0" y="{top + 10}">{name}</text><g data-code="{row}">'
        + "".join(_cell(column, top, value) for column, value in enumerate(values))
        + f'</g><rect class="frame" x="{LEFT}" y="{top}" width="{CELL * GROUP:g}" height="{HEIGHT}"/>'
        for (row, top), name, values in zip(ROWS, names, rows, strict=True)
    )


def _cell(column: int, top: int, value: float) -> str:
    return (
        f'<rect class="{"negative" if value < 0 else "positive"}" fill-opacity="{abs(value):.3f}" '
        f'x="{LEFT + CELL * column:g}" y="{top}" width="{CELL}" height="{HEIGHT}"/>'
    )


def _profile(shares: list[float], bed: int) -> str:
    right = LEFT + CELL * GROUP
    points = "L".join(f"{LEFT + STEP * (i + 0.5):.2f} {ZERO - UNIT * share:.2f}" for i, share in enumerate(shares))
    anchors = {0: "middle", 32: "middle", 64: "middle", 96: "middle", BEDS - 1: "end"}
    marks = "".join(
        f'<text x="{LEFT + STEP * (i + 0.5):.1f}" y="174" text-anchor="{anchor}">{i}</text>'
        for i, anchor in anchors.items()
    )
    return (
        f'<text class="title" x="{LEFT}" y="80">how alike to <tspan data-name="here">bed {bed}</tspan></text>'
        f'<text x="{LEFT - 5}" y="{ZERO - UNIT + 3.5}" text-anchor="end">1</text>'
        f'<text x="{LEFT - 5}" y="{ZERO + 3.5}" text-anchor="end">0</text>'
        f'<path class="rule" d="M{LEFT} {ZERO}H{right:g}"/><path class="ward-profile" d="M{points}"/>'
        f'<path class="fits" data-mark="bed" transform="translate({LEFT + STEP * (bed + 0.5):.2f} 0)" d="M0 86V162"/>'
        f'<text x="0" y="174">bed</text>{marks}'
    )


def _table(says: dict[str, str | int]) -> str:
    names = {"change": "next bed", "ten": "10 beds on", "half": "64 beds on"}
    head = "".join(f'<th scope="col">{name}</th>' for name in names.values())
    body = "".join(f'<td data-cell="{key}">{says[key]}</td>' for key in names)
    return (
        '<table class="moving-figure-numbers">\n'
        f"<thead><tr><td></td>{head}</tr></thead>\n"
        f'<tbody>\n<tr><th scope="row">change</th>{body}</tr>\n</tbody>\n</table>'
    )
