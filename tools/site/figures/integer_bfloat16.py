"""Eight neighbouring positions as eight hands of one pair: counted in integers, and as bfloat16 keeps them.

bfloat16 has eight significant bits. From 256 on it skips odd numbers, from 512 on it keeps every fourth, and so on,
so that hands fall on one another.
"""

from __future__ import annotations

import math

from pe_course.plots.rotary import bfloat16
from pe_course.reference import rotary
from pe_course.reference.validation import count, multiple_of
from tools.site.figures.moving_figure import MovingFigure

HANDS, STEP, LAST = 8, 64, 4096
FREQUENCY = float(rotary.rope_frequencies(16)[1])  # eight neighbours then fill about a third of the circle
RADIUS, MIDDLE = 18.0, 27.0
CENTRE = {"integer": 25.0, "bfloat16": 75.0}

ALT = (
    "Two circles with the hands of positions {first} to {last}. Counted in integers, {exact} different hands. In "
    "bfloat16, {kept} different hands."
)
SENTENCE = "Positions {first} to {last}: {exact} different angles in integers, {kept} in bfloat16"


def draw(position: int = 192) -> MovingFigure:
    """The figure from ``position`` on. Raises: ValueError, TypeError unless it is a multiple of 64 from 0 to 4096."""
    first = multiple_of("position", count("position", position, minimum=0, maximum=LAST), STEP, why="the slider's step")
    kept = {start: kept_positions(start) for start in range(0, LAST + 1, STEP)}
    numbers = {
        "first": first,
        "last": first + HANDS - 1,
        "exact": HANDS,
        "kept": len(set(kept[first])),
    }
    exact = list(range(first, first + HANDS))
    return MovingFigure(
        view_box="0 0 100 47",
        picture=f'<g class="rotary-dial">\n{_dial("integer", exact)}\n{_dial("bfloat16", kept[first])}\n</g>',
        alt=ALT.format(**numbers),
        numbers=_table(exact, kept[first]),
        sentence=SENTENCE.format(**numbers),
        data={
            "frequency": FREQUENCY,
            "first": first,
            "step": STEP,
            "end": LAST,
            "kept": [[value - start for value in values] for start, values in kept.items()],
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def kept_positions(first: int) -> list[int]:
    """The eight positions from ``first`` on, as bfloat16 keeps them."""
    return [int(value) for value in bfloat16(range(first, first + HANDS))]


def _dial(name: str, positions: list[int]) -> str:
    hands = "".join(
        f'<g class="hand" transform="rotate({-math.degrees(position * FREQUENCY):.4f})"><path d="M0 0H{RADIUS}"/>'
        f'<circle cx="{RADIUS}" r="1.3"/></g>'
        for position in positions
    )
    return (
        f'<text class="middle" x="{CENTRE[name]}" y="5">{name}</text>'
        f'<g data-dial="{name}" transform="translate({CENTRE[name]} {MIDDLE})">'
        f'<circle class="dial" r="{RADIUS}"/>{hands}</g>'
    )


def _table(exact: list[int], kept: list[int]) -> str:
    rows = {"integer": exact, "bfloat16": kept}
    body = "\n".join(
        f'<tr data-row="{name}"><th scope="row">{name}</th>'
        + "".join(f"<td>{value}</td>" for value in values)
        + "</tr>"
        for name, values in rows.items()
    )
    return f'<table class="moving-figure-numbers narrow">\n<tbody>\n{body}\n</tbody>\n</table>'
