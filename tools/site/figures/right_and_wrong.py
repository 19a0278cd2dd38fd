"""A head that looks three tokens back, by right code and by code with a bug, after any number of tokens.

All eight keys have one content, and the query is that content turned back by three. Rotary scores know distances
alone, so the right weights never move. Those of a bug do.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pe_course.plots.rotary import bfloat16
from pe_course.reference import attention, rotary
from pe_course.reference.validation import count, multiple_of
from tools.site.figures.clock_hands import decimals
from tools.site.figures.moving_figure import MovingFigure

KEYS, WIDTH, AIM = 8, 64, 3
SIZE = 1.8  # of the content, so that the head has a clear favourite
STEP, LAST = 64, 1024
LEFT = {"right": 6.0, "wrong": 170.0}
TOP, HEIGHT, BAR, ROOM = 18.0, 96.0, 13.0, 18.0  # of the bars

BUGS = {
    "offset": "the new token starts again at 0",
    "bfloat16": "positions in bfloat16",
    "keys": "only the keys are turned",
    "layouts": "query and keys in two layouts",
}

ALT = (
    "Two rows of eight bars, after {before} tokens. Right: the largest weight, {most_right}, on the key {place_right} "
    "back. With the bug: the largest weight, {most_wrong}, on the key {place_wrong} back."
)
SENTENCE = "After {before} tokens, {bug}: the weights differ by up to {gap}"


def draw(position: int = 0) -> MovingFigure:
    """The figure with ``position`` tokens before the eight keys, and the first of the bugs.

    Raises: ValueError, TypeError unless it is a multiple of 64 from 0 to 1024.
    """
    before = multiple_of(
        "position", count("position", position, minimum=0, maximum=LAST), STEP, why="the slider's step"
    )
    stops = range(0, LAST + 1, STEP)
    right = weights_of("right", before)
    wrong = {bug: [_rounded(weights_of(bug, stop)) for stop in stops] for bug in BUGS}
    bug = next(iter(BUGS))
    now = wrong[bug][before // STEP]
    values = {**_largest("right", right), **_largest("wrong", now)}
    values |= {
        "before": before,
        "bug": BUGS[bug],
        "gap": decimals(max(abs(a - b) for a, b in zip(right, now, strict=True))),
    }
    full = max(max(right), *(max(row) for rows in wrong.values() for row in rows))
    return MovingFigure(
        view_box="0 0 320 146",
        picture=_bars("right", right, full) + _bars("wrong", now, full),
        alt=ALT.format(**values),
        numbers=_table({"right": right, "wrong": now}),
        sentence=SENTENCE.format(**values),
        data={
            "right": _rounded(right),
            "wrong": wrong,
            "bugs": BUGS,
            "bug": bug,
            "before": before,
            "step": STEP,
            "last": LAST,
            "foot": TOP + HEIGHT,
            "scale": HEIGHT / full,
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def weights_of(code: str, before: int) -> NDArray[np.float64]:
    """Weights of the last of eight tokens on all eight, as ``code`` turns them: "right" or the name of a bug."""
    content = SIZE * np.random.default_rng(11).standard_normal((1, WIDTH))
    query, keys = rotary.apply_rope(content, [-AIM]), np.tile(content, (KEYS, 1))
    turned_query, turned_keys = _CODE[code](query, keys, before + np.arange(KEYS))
    return attention.attention_weights(turned_query, turned_keys)[0]


def _right(query, keys, places):
    return rotary.apply_rope(query, places[-1:]), rotary.apply_rope(keys, places)


def _offset(query, keys, places):
    return _right(query, keys, np.append(places[:-1], 0))


def _bfloat16(query, keys, places):
    return _right(query, keys, bfloat16(places))


def _keys(query, keys, places):
    return query, rotary.apply_rope(keys, places)


def _layouts(query, keys, places):
    return rotary.apply_rope(query, places[-1:], layout="interleaved"), rotary.apply_rope(keys, places)


_CODE: dict[str, Callable] = {
    "right": _right,
    "offset": _offset,
    "bfloat16": _bfloat16,
    "keys": _keys,
    "layouts": _layouts,
}


def _rounded(weights: NDArray[np.float64]) -> list[float]:
    return [round(float(weight), 4) for weight in weights]


def _largest(name: str, weights) -> dict[str, object]:
    place = int(np.argmax(weights))
    return {f"most_{name}": decimals(float(weights[place])), f"place_{name}": KEYS - 1 - place}


def _bars(name: str, weights, full: float) -> str:
    left, foot = LEFT[name], TOP + HEIGHT
    bars = "".join(
        f'<rect class="{"positive" if name == "right" else "negative"}" x="{left + ROOM * i:g}" '
        f'y="{foot - HEIGHT * weight / full:.2f}" width="{BAR:g}" height="{HEIGHT * weight / full:.2f}"/>'
        f'<text x="{left + ROOM * i + BAR / 2:g}" y="{foot + 13:g}" text-anchor="middle">{KEYS - 1 - i}</text>'
        for i, weight in enumerate(weights)
    )
    middle = left + ROOM * KEYS / 2
    return (
        f'<text x="{left:g}" y="10">{name}</text><path class="axis" d="M{left:g} {foot:g}h{ROOM * KEYS:g}"/>'
        f'<g data-bars="{name}">{bars}</g><text x="{middle:g}" y="{foot + 27:g}" text-anchor="middle">keys back</text>'
    )


def _table(rows: dict[str, NDArray[np.float64] | list[float]]) -> str:
    head = "".join(f'<th scope="col">{KEYS - 1 - i}</th>' for i in range(KEYS))
    body = "\n".join(
        f'<tr data-row="{name}"><th scope="row">{name}</th>'
        + "".join(f"<td>{decimals(float(weight), 2)}</td>" for weight in weights)
        + "</tr>"
        for name, weights in rows.items()
    )
    return (
        '<table class="moving-figure-numbers narrow">\n'
        f'<thead><tr><td style="width:17%"></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>'
    )
