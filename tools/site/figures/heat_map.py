"""The table of sinusoids with a cursor on one row, and beside it how much every other row resembles that one.

The heat map is a small picture with an alpha channel: full colour at −1 and 1, nothing at 0, so that the page shows
through, be it light or dark. The profile to its right is the inner product of two rows as a share of the largest.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode

import numpy as np

from pe_course.plots.theme import NEGATIVE, POSITIVE
from pe_course.reference import absolute
from pe_course.reference.validation import count
from tools.site.figures.clock_hands import decimals
from tools.site.figures.moving_figure import MovingFigure

ROWS = DIM = 64
CELL = 3.0
LEFT, TOP, GAP, WIDTH = 26.0, 14.0, 14.0, 86.0  # of the heat map, of the profile
SHADES = 64  # on each side of zero; a palette has 256 places
NAMED = (0, 16, 32, 48, 63)

ALT = (
    "Heat map of 64 sinusoidal vectors, a frame around row {position}, and beside it a profile of how much each row "
    "resembles that one: {lowest} at the least, 1 at row {position} itself, the same to both sides."
)
SENTENCE = "Row {position}. As a share of the largest inner product: {shares}."


def draw(position: int = 20) -> MovingFigure:
    """The figure with its cursor at ``position``. Raises: ValueError, TypeError unless 0 <= position <= 63."""
    position = count("position", position, minimum=0, maximum=ROWS - 1)
    kernel = (absolute.sinusoidal_kernel(np.arange(ROWS), DIM) / (DIM // 2)).tolist()
    shares = [kernel[abs(row - position)] for row in range(ROWS)]
    named = ", ".join(f"row {row} {decimals(shares[row])}" for row in NAMED)
    return MovingFigure(
        view_box="0 0 320 224",
        picture=_heat_map() + _cursor(position) + _profile(shares),
        alt=ALT.format(position=position, lowest=decimals(min(shares))),
        numbers=_table(shares),
        sentence=SENTENCE.format(position=position, shares=named),
        data={
            "kernel": [round(share, 6) for share in kernel],
            "position": position,
            "named": NAMED,
            "place": [LEFT + DIM * CELL + GAP, TOP, CELL, WIDTH],
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def _heat_map() -> str:
    values = absolute.sinusoidal_positions(np.arange(ROWS), DIM)
    shades = np.round(values * SHADES).astype(int) + SHADES
    picture = b64encode(indexed_png(shades, _palette())).decode()
    x, y = LEFT + DIM * CELL / 2, TOP + ROWS * CELL
    return (
        f'<image class="heat-map" x="{LEFT}" y="{TOP}" width="{DIM * CELL}" height="{ROWS * CELL}" '
        f'href="data:image/png;base64,{picture}"/>'
        f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{DIM * CELL}" height="{ROWS * CELL}"/>'
        f'<text x="{LEFT}" y="9">position</text><text x="{x}" y="{y + 14}" text-anchor="middle">channel</text>'
        + "".join(
            f'<text x="{LEFT - 4}" y="{TOP + CELL * (row + 0.5) + 3.5}" text-anchor="end">{row}</text>'
            for row in (0, 20, 40, 60)
        )
    )


def _palette() -> list[tuple[int, int, int, int]]:
    """Red, green, blue, alpha for −1 … 1."""
    negative, positive = (tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5)) for colour in (NEGATIVE, POSITIVE))
    return [
        (*(positive if shade > 0 else negative), round(255 * abs(shade) / SHADES))
        for shade in range(-SHADES, SHADES + 1)
    ]


def indexed_png(indices: np.ndarray, palette: list[tuple[int, int, int, int]]) -> bytes:
    """A PNG of one palette entry per pixel (ISO/IEC 15948): the smallest form of a heat map."""
    height, width = indices.shape
    rows = b"".join(b"\0" + row.astype(np.uint8).tobytes() for row in indices)  # 0: no filter
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0),
        b"PLTE": bytes(channel for entry in palette for channel in entry[:3]),
        b"tRNS": bytes(entry[3] for entry in palette),
        b"IDAT": zlib.compress(rows, 9),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks.items()
    )


def _cursor(position: int) -> str:
    return (
        f'<rect class="cursor" x="{LEFT - 1}" y="{TOP + CELL * position - 0.5:g}" width="{DIM * CELL + 2}" '
        f'height="{CELL + 1}"/>'
    )


def _profile(shares: list[float]) -> str:
    left = LEFT + DIM * CELL + GAP
    bars = "".join(
        f'<rect class="share" x="{left}" y="{TOP + CELL * row + 0.4:.1f}" width="{WIDTH * max(share, 0):.2f}" '
        f'height="{CELL - 0.8:.1f}"/>'
        for row, share in enumerate(shares)
    )
    foot = TOP + ROWS * CELL + 14
    return (
        f'{bars}<path class="axis" d="M{left} {TOP}V{TOP + ROWS * CELL}M{left + WIDTH} {TOP}V{TOP + ROWS * CELL}"/>'
        f'<text x="{left}" y="9">alike</text><text x="{left}" y="{foot}">0</text>'
        f'<text x="{left + WIDTH}" y="{foot}" text-anchor="end">1</text>'
    )


def _table(shares: list[float]) -> str:
    head = "".join(f'<th scope="col">row {row}</th>' for row in NAMED)
    cells = "".join(f"<td>{decimals(shares[row])}</td>" for row in NAMED)
    return (
        '<table class="moving-figure-numbers narrow">\n'
        f"<thead><tr><td></td>{head}</tr></thead>\n"
        f'<tbody>\n<tr data-row="alike"><th scope="row">alike</th>{cells}</tr>\n</tbody>\n</table>'
    )
