"""How much attention stays near, as the text grows: a bias that falls for ever, one that goes to zero, and none.

Each bar is the whole attention of one query in the middle of n keys of equal content; the filled part is
what the keys within WINDOW positions get.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pe_course.reference import attention, bias
from tools.site.figures.clock_hands import decimals
from tools.site.figures.moving_figure import MovingFigure, offered

LENGTHS = (30, 100, 300, 1000, 3000, 10000)
WINDOW = 10
WIDTH, HEIGHT, STEP, TOP = 320, 18, 40, 16
BIASES: dict[str, tuple[str, str, Callable]] = {
    "linear": ("−0.5·|d|, falls for ever", "−0.5·|d|", bias.linear_distance_bias),
    "exponential": ("exp(−|d|), goes to 0", "exp(−|d|)", bias.exponential_distance_bias),
    "none": ("no bias", "none", np.zeros_like),
}

ALT = (
    "Three bars, one per bias, filled as far as the share of attention within 10 positions among {length} keys: "
    "{linear} for the bias that falls for ever, {exponential} for the one that goes to zero, {none} without a bias."
)
SENTENCE = (
    "{length} keys. Within 10 positions: {linear} with −0.5·|d|, {exponential} with exp(−|d|), {none} with no bias."
)


def draw(length: int = 30) -> MovingFigure:
    """The figure at one number of keys. Raises: ValueError unless it is among those that the slider offers."""
    offered("length", length, LENGTHS)
    shares = {name: [near_share(name, n) for n in LENGTHS] for name in BIASES}
    here = {name: values[LENGTHS.index(length)] for name, values in shares.items()}
    values = {"length": length} | {name: decimals(share, 4) for name, share in here.items()}
    return MovingFigure(
        view_box=f"0 0 {WIDTH} {TOP + STEP * len(BIASES) - 18}",
        picture="".join(_bar(index, name, here[name]) for index, name in enumerate(BIASES)),
        alt=ALT.format(**values),
        numbers=_table(here),
        sentence=SENTENCE.format(**values),
        data={
            "lengths": LENGTHS,
            "length": length,
            "shares": shares,
            "width": WIDTH,
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def near_share(name: str, length: int) -> float:
    """Weight within WINDOW of a query in the middle of ``length`` keys of equal content."""
    distance = np.arange(length) - length // 2
    weights = attention.softmax(BIASES[name][2](distance.astype(np.float64)))
    return float(weights[np.abs(distance) <= WINDOW].sum())


def _bar(index: int, name: str, share: float) -> str:
    top = TOP + STEP * index
    return (
        f'<text x="0" y="{top - 5}">{BIASES[name][0]}</text>'
        f'<rect class="near" data-bias="{name}" y="{top}" width="{WIDTH * share:.3f}" height="{HEIGHT}"/>'
        f'<rect class="frame" y="{top}" width="{WIDTH}" height="{HEIGHT}"/>'
    )


def _table(here: dict[str, float]) -> str:
    head = "".join(f'<th scope="col">{short}</th>' for _, short, _ in BIASES.values())
    rows = {
        "near": (f"within {WINDOW}", [decimals(share, 4) for share in here.values()]),
        "far": ("beyond", [decimals(1 - share, 4) for share in here.values()]),
    }
    body = "\n".join(
        f'<tr data-row="{key}"><th scope="row">{name}</th>' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        for key, (name, cells) in rows.items()
    )
    return (
        '<table class="moving-figure-numbers">\n'
        f"<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )
