"""A position as a row of clock hands, one per frequency of the sinusoidal encoding.

Hand m has turned by position × theta_m radians, clockwise from twelve. Its tip lies sin to the right
and cos up: the two numbers that this pair of channels holds.
"""

from __future__ import annotations

import math

from pe_course.reference import absolute
from pe_course.reference.validation import count
from tools.site.figures.moving_figure import MovingFigure

LAST_POSITION = 63  # the second hand of d = 8 then completes its first turn
COLUMN = 20.0  # width of a clock and of the table's column below it; the first column holds the row names
RADIUS = 8.6

ALT = (
    "A row of {clocks} clocks, each hand slower than the one before. At position {position} the hands "
    "have turned clockwise from twelve by {turns} degrees."
)
SENTENCE = "Position {position}: ({vector})"


def draw(position: int = 7, *, dim: int = 8) -> MovingFigure:
    """The figure at ``position``. Raises: ValueError, TypeError unless 0 <= position <= 63 and ``dim`` is even."""
    position = count("position", position, minimum=0, maximum=LAST_POSITION)
    frequencies = absolute.sinusoidal_frequencies(dim).tolist()
    vector = absolute.sinusoidal_positions([position], dim)[0].tolist()
    turns = [math.degrees(position * frequency) for frequency in frequencies]
    return MovingFigure(
        view_box=f"0 0 {COLUMN * (len(frequencies) + 1):g} {COLUMN:g}",
        picture="\n".join(_clock(column, turn) for column, turn in enumerate(turns, start=1)),
        alt=ALT.format(clocks=len(turns), position=position, turns=", ".join(decimals(turn, 1) for turn in turns)),
        numbers=_table(frequencies, vector),
        sentence=SENTENCE.format(position=position, vector=", ".join(decimals(number) for number in vector)),
        data={
            "frequencies": frequencies,
            "position": position,
            "last": LAST_POSITION,
            "alt": ALT.replace("{clocks}", str(len(turns))),
            "sentence": SENTENCE,
        },
    )


def decimals(value: float, places: int = 3) -> str:
    """A number for the page: fixed places, a true minus sign, and none before zero (as in web/src/moving-figure.js)."""
    text = f"{value:.{places}f}"
    return text.replace("-", "") if float(text) == 0 else text.replace("-", "−")


def _clock(column: int, turn: float) -> str:
    centre = f"{COLUMN * (column + 0.5):g} {COLUMN / 2:g}"
    return (
        f'<g transform="translate({centre})"><circle class="dial" r="{RADIUS}"/>'
        f'<path class="axis" d="M0 {-RADIUS}V{RADIUS}M{-RADIUS} 0H{RADIUS}"/>'
        f'<g class="hand" transform="rotate({turn:.4f})">'
        f'<path d="M0 0V{-RADIUS}"/><circle cy="{-RADIUS}" r="1.3"/></g></g>'
    )


def _table(frequencies: list[float], vector: list[float]) -> str:
    pairs = [f"pair {m}" for m in range(len(frequencies))]
    rows = {
        "frequency": [f"{frequency:.3g}" for frequency in frequencies],
        "positions per turn": [_positions_per_turn(frequency) for frequency in frequencies],
        "sin": [decimals(number) for number in vector[0::2]],
        "cos": [decimals(number) for number in vector[1::2]],
    }
    head = "".join(f'<th scope="col">{pair}</th>' for pair in pairs)
    body = "\n".join(
        f'<tr data-row="{name}"><th scope="row">{name}</th>' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        for name, cells in rows.items()
    )
    return (
        '<table class="moving-figure-numbers">\n'
        f"<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )


def _positions_per_turn(frequency: float) -> str:
    turn = 2 * math.pi / frequency
    return f"{turn:,.0f}" if turn >= 100 else f"{turn:.3g}"
