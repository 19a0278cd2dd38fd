"""The score of Transformer-XL and of DeBERTa, built up term by term over five words, one of which stands twice.

The upper maps show one term, the lower ones the sum of the terms so far. What a term can see shows in its
pattern: rows of one colour never see the key, columns of one colour never see the query, diagonals of one
colour see nothing but the distance.
"""

from __future__ import annotations

import numpy as np

from pe_course.reference import relative
from pe_course.reference.validation import count
from tools.site.figures.moving_figure import MovingFigure

WORDS = ("the", "dog", "and", "the", "cat")
METHODS = ("Transformer-XL", "DeBERTa")
TERMS = ("content, content", "content, position", "position, content", "position, position")
FORMULAS = {"Transformer-XL": ("q·k", "q·W R", "u·k", "v·W R"), "DeBERTa": ("q·k", "q·K", "k·Q", "none")}
# Which of the query's word, the key's word and the distance a term sees.
SEES = {
    "Transformer-XL": ("q k", "q d", "k", "d"),
    "DeBERTa": ("q k", "q d", "k d", ""),
}
INPUTS = {"q": "the query's word", "k": "the key's word", "d": "the distance"}
DIM, SEED = 8, 4
CELL, LEFT, GAP, TOP, SECOND = 25, 34, 36, 28, 172  # of the picture, in units

ALT = (
    "Heat maps over the words the, dog, and, the, cat, query by key. Above: term {number} of the score, {term}. "
    "Transformer-XL's sees {xl}; DeBERTa's sees {deberta}. Below: the sum of the terms so far."
)
SENTENCE = "Term {number} ({term}): Transformer-XL's sees {xl}, DeBERTa's sees {deberta}."


def draw(term: int = 1) -> MovingFigure:
    """The figure at one term. Raises: ValueError, TypeError unless 1 <= term <= 4."""
    term = count("term", term, minimum=1, maximum=len(TERMS))
    terms = {name: values.round(3) for name, values in score_terms().items()}
    limits = {
        "term": max(float(np.abs(values).max()) for values in terms.values()),
        "sum": max(float(np.abs(values.cumsum(axis=0)).max()) for values in terms.values()),
    }
    says = [_says(number) for number in range(len(TERMS))]
    return MovingFigure(
        view_box="0 0 320 312",
        picture=_picture(terms, term, limits),
        alt=ALT.format(**says[term - 1]),
        numbers=_table(term),
        sentence=SENTENCE.format(**says[term - 1]),
        data={
            "term": term,
            "terms": {name: values.reshape(len(TERMS), -1).tolist() for name, values in terms.items()},
            "limits": limits,
            "cells": _table_cells(),
            "says": says,
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def score_terms() -> dict[str, np.ndarray]:
    """[4, words, words] per method, un-scaled, from random weights and the same queries and keys."""
    rng = np.random.default_rng(SEED)
    vectors = {word: rng.standard_normal(DIM) for word in dict.fromkeys(WORDS)}
    x = np.stack([vectors[word] for word in WORDS])
    to_query, to_key = rng.standard_normal((2, DIM, DIM)) / np.sqrt(DIM)
    q, k = (x @ to_query)[None], (x @ to_key)[None]
    places, none, no_query = np.arange(len(WORDS)), np.zeros((1, DIM)), np.zeros((1, len(WORDS), DIM))
    projection = rng.standard_normal((DIM, 1, DIM)) / np.sqrt(DIM)
    u, v = rng.standard_normal((2, 1, DIM))

    def xl(queries, content_bias, position_bias):
        return relative.transformer_xl_scores(queries, k, projection, content_bias, position_bias, places, places)[0]

    longest = len(WORDS)
    tables = rng.standard_normal((2, 2 * longest, DIM)) / np.sqrt(DIM)
    options = {"max_relative_positions": longest}
    content = (q @ np.swapaxes(k, -1, -2))[0]
    return {
        "Transformer-XL": np.stack([content, xl(q, none, none), xl(no_query, u, none), xl(no_query, none, v)]),
        "DeBERTa": np.stack(
            [
                content,
                relative.deberta_scores(q, k, places, places, position_keys=tables[0], **options)[0],
                relative.deberta_scores(q, k, places, places, position_queries=tables[1], **options)[0],
                np.zeros_like(content),
            ]
        ),
    }


def _says(index: int) -> dict[str, str]:
    seen = {name: " and ".join(INPUTS[key] for key in SEES[name][index].split()) or "nothing" for name in METHODS}
    return {"number": str(index + 1), "term": TERMS[index], "xl": seen["Transformer-XL"], "deberta": seen["DeBERTa"]}


def _picture(terms: dict[str, np.ndarray], term: int, limits: dict[str, float]) -> str:
    parts = []
    for column, name in enumerate(METHODS):
        x = LEFT + column * (CELL * len(WORDS) + GAP)
        parts.append(f'<text x="{x}" y="10">{name}</text>')
        for kind, y, values in (("term", TOP, terms[name][term - 1]), ("sum", SECOND, terms[name][:term].sum(axis=0))):
            cells = "".join(_cell(index, value, limits[kind]) for index, value in enumerate(values.ravel()))
            parts.append(f'<g data-map="{kind}" data-method="{name}" transform="translate({x} {y})">{cells}</g>')
            parts.append(f'<rect class="frame" x="{x}" y="{y}" width="{CELL * 5}" height="{CELL * 5}"/>')
        parts += [
            f'<text x="{x + CELL * (index + 0.5)}" y="{SECOND + CELL * 5 + 12}" text-anchor="middle">{word}</text>'
            for index, word in enumerate(WORDS)
        ]
    for title, y in (("this term", TOP), ("sum so far", SECOND)):
        parts.append(f'<text class="muted" x="{LEFT}" y="{y - 5}">{title}</text>')
        parts += [
            f'<text x="{LEFT - 5}" y="{y + CELL * (index + 0.5) + 3.5}" text-anchor="end">{word}</text>'
            for index, word in enumerate(WORDS)
        ]
    return "\n".join(parts)


def _cell(index: int, value: float, limit: float) -> str:
    row, column = divmod(index, len(WORDS))
    sign = "negative" if value < 0 else "positive"
    return (
        f'<rect class="{sign}" x="{column * CELL}" y="{row * CELL}" width="{CELL}" height="{CELL}" '
        f'fill-opacity="{abs(value) / limit:.4f}"/>'
    )


def _table_cells() -> list[dict[str, list[str]]]:
    """For each term: the cells of each row of the table, one per method."""
    return [
        {"term": [FORMULAS[name][index] for name in METHODS]}
        | {key: ["yes" if key in SEES[name][index].split() else "no" for name in METHODS] for key in INPUTS}
        for index in range(len(TERMS))
    ]


def _table(term: int) -> str:
    names = {"term": "term"} | {key: f"sees {text}" for key, text in INPUTS.items()}
    cells = _table_cells()[term - 1]
    body = "\n".join(
        f'<tr data-row="{key}"><th scope="row">{name}</th>'
        + "".join(f"<td>{cell}</td>" for cell in cells[key])
        + "</tr>"
        for key, name in names.items()
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in METHODS)
    return (
        '<table class="moving-figure-numbers">\n'
        f"<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )
