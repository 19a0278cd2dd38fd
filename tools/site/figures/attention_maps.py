"""Attention of any method over a sentence as written, reversed or scrambled, and what the new order changed.

On the left the weights, words in the order chosen. On the right the change of each pair of words against the sentence
as written, so that a method that does not see order leaves it empty. Weights travel to the page as one character per
pair, in steps of 1/63.
"""

from __future__ import annotations

import string
from functools import cache
from typing import Any

import numpy as np

from pe_course.comparison import CASES, SENTENCES, Sentence, attention_map
from pe_course.comparison.maps import ORDERS, change
from tools.site.figures.moving_figure import MovingFigure

START = ("rope", 0, "scrambled")
DIGITS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+-"
STEPS = len(DIGITS) - 1
SIDE, TOP, LEFTS = 98, 52, (50, 198)  # of the two maps, in units of the picture

ALT = (
    "Two maps over the words {words}. Left: attention weights of {method}, query by key. Right: what changed for each "
    "pair of words against the order as written; the largest change is {change}."
)
SENTENCE = "{method}, {order}: “{words}”. {verdict}"
VERDICTS = {
    "written": "Nothing has moved yet.",
    "still": "Every pair of words attends as before: this order is not seen.",
    "moved": "The weight of a pair of words changes by up to {change}.",
}


def draw() -> MovingFigure:
    """The figure as it opens: RoPE, with two nouns exchanged."""
    method, number, order = START
    sentence = SENTENCES[number]
    words = [sentence.words[place] for place in sentence.order(order)]
    changed = changes_of(method)[number]
    values = {
        "method": CASES[method].label,
        "order": order,
        "words": " ".join(words),
        "change": changed[order],
    }
    verdict = VERDICTS["moved"].format(**values)
    return MovingFigure(
        view_box="0 0 320 154",
        picture=_frames() + f'<g class="maps">{_maps(method, sentence, order)}</g>',
        alt=ALT.format(**values),
        numbers=_table(changed),
        sentence=SENTENCE.format(**values, verdict=verdict),
        data=_data(),
    )


@cache
def _data() -> dict[str, Any]:
    return {
        "methods": {name: case.label for name, case in CASES.items()},
        "sentences": [{"words": each.words, "orders": [each.order(name) for name in ORDERS]} for each in SENTENCES],
        "orders": ORDERS,
        "weights": {name: [[packed(name, each, o) for o in ORDERS] for each in SENTENCES] for name in CASES},
        "changes": {name: [list(each.values()) for each in changes_of(name)] for name in CASES},
        "start": START,
        "digits": DIGITS,
        "place": [SIDE, TOP, LEFTS],
        "alt": ALT,
        "sentence": SENTENCE,
        "verdicts": VERDICTS,
    }


def packed(name: str, sentence: Sentence, order: str) -> str:
    """The weights as one character each, row by row, words in the order asked for."""
    words = [sentence.words[place] for place in sentence.order(order)]
    # Equal weights must become equal characters, whatever the last bits say.
    steps = np.round(np.round(attention_map(name, words), 9) * STEPS).astype(int)
    return "".join(DIGITS[step] for step in steps.ravel())


def unpacked(text: str) -> np.ndarray:
    side = round(len(text) ** 0.5)
    return np.array([DIGITS.index(letter) / STEPS for letter in text]).reshape(side, side)


@cache
def changes_of(name: str) -> list[dict[str, str]]:
    """For each sentence the largest change by order, as text."""
    return [{order: f"{change(name, each.words, each.order(order)) + 0:.3f}" for order in ORDERS} for each in SENTENCES]


def _maps(name: str, sentence: Sentence, order: str) -> str:
    places = sentence.order(order)
    now, before = (unpacked(packed(name, sentence, each)) for each in (order, "written"))
    back = np.argsort(places)
    moved = now[np.ix_(back, back)] - before
    words = [sentence.words[place] for place in places]
    return _map(now, words, LEFTS[0]) + _map(moved, sentence.words, LEFTS[1])


def _map(values: np.ndarray, words, left: float) -> str:
    cell, largest = SIDE / len(words), np.abs(values).max() or 1
    squares = "".join(
        f'<rect class="{"negative" if value < 0 else "positive"}" x="{left + j * cell:.2f}" y="{TOP + i * cell:.2f}" '
        f'width="{cell:.2f}" height="{cell:.2f}" fill-opacity="{abs(value) / largest:.3f}"/>'
        for (i, j), value in np.ndenumerate(values)
    )
    labels = "".join(
        f'<text x="{left - 4}" y="{TOP + (i + 0.5) * cell + 3.5:.2f}" text-anchor="end">{word}</text>'
        f'<text transform="translate({left + (i + 0.5) * cell + 3:.2f} {TOP - 4}) rotate(-60)">{word}</text>'
        for i, word in enumerate(words)
    )
    return squares + labels


def _frames() -> str:
    return "".join(f'<rect class="frame" x="{left}" y="{TOP}" width="{SIDE}" height="{SIDE}"/>' for left in LEFTS)


def _table(changed: dict[str, str]) -> str:
    head = "".join(f'<th scope="col">{order}</th>' for order in ORDERS)
    cells = "".join(f"<td>{text}</td>" for text in changed.values())
    return (
        '<table class="moving-figure-numbers">\n'
        f"<thead><tr><td></td>{head}</tr></thead>\n"
        f'<tbody>\n<tr data-row="change"><th scope="row">change</th>{cells}</tr>\n</tbody>\n</table>'
    )
