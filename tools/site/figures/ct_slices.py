"""Two slices of a scan as query and key of one rotary head: moved along together, they keep their score.

The head has four pairs, each a dial with the query's hand and the key's. The table adds what happens if the
embeddings were turned in place of queries and keys: that score moves.
"""

from __future__ import annotations

import math

import numpy as np

from pe_course.reference import rotary
from pe_course.reference.validation import count
from tools.site.figures.clock_hands import decimals
from tools.site.figures.moving_figure import MovingFigure

SLICES = 300
LAST, FARTHEST = 199, 100  # of the sliders for the slices, and for the shift
PAIRS = 4
RADIUS, TOP = 9.5, 35.0
LEFT, WIDTH = 2.0, 96.0  # of the scan

ALT = (
    "A scan of 300 slices with the query at slice {m_there} and the key at {n_there}. Below, four dials, one per pair, "
    "with both hands turned. The score is {score} at slices {m}, {n} and {score_there} at {m_there}, {n_there}; with "
    "embeddings turned it is {wrong} and {wrong_there}."
)
SENTENCE = (
    "Slices {m}, {n}: score {score}. Slices {m_there}, {n_there}: {score_there}. "
    "With embeddings turned: {wrong}, then {wrong_there}."
)


def draw(position: int = 52) -> MovingFigure:
    """The figure with the query at slice ``position``, the key at 50, both moved by 100. Raises: unless 0 to 199."""
    m, n, shift = count("position", position, minimum=0, maximum=LAST), 50, FARTHEST
    parts = head()
    rows = {
        "right": pair_products(parts, m, n),
        "right_there": pair_products(parts, m + shift, n + shift),
        "wrong": pair_products(parts, m, n, embeddings=True),
        "wrong_there": pair_products(parts, m + shift, n + shift, embeddings=True),
    }
    sums = {name: decimals(values.sum()) for name, values in rows.items()}
    now = {"m": m, "n": n, "m_there": m + shift, "n_there": n + shift, "score": sums["right"]}
    now |= {"score_there": sums["right_there"], "wrong": sums["wrong"], "wrong_there": sums["wrong_there"]}
    return MovingFigure(
        view_box="0 0 100 53",
        picture=f'<g class="rotary-dial">\n{_scan(m, n, shift)}\n{_dials(parts, m + shift, n + shift)}\n</g>',
        alt=ALT.format(**now),
        numbers=_table(rows, now),
        sentence=SENTENCE.format(**now),
        data={
            **{name: np.asarray(values).tolist() for name, values in parts.items()},
            "m": m,
            "n": n,
            "shift": shift,
            "last": LAST,
            "farthest": FARTHEST,
            "scan": [LEFT, WIDTH / SLICES],
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def head() -> dict[str, np.ndarray]:
    """Two embeddings, the two matrices of a head of width 8, and the head's frequencies."""
    rng = np.random.default_rng(11)
    width = 2 * PAIRS
    return {
        "embeddings": rng.standard_normal((2, width)).round(3),
        "to_query": (rng.standard_normal((width, width)) / math.sqrt(width)).round(3),
        "to_key": (rng.standard_normal((width, width)) / math.sqrt(width)).round(3),
        "frequencies": rotary.rope_frequencies(width),
    }


def turned(parts: dict[str, np.ndarray], vector: np.ndarray, position: float) -> np.ndarray:
    return rotary.apply_rope(vector[None], [position], layout="interleaved", inv_freq=parts["frequencies"])[0]


def pair_products(parts: dict[str, np.ndarray], m: float, n: float, *, embeddings: bool = False) -> np.ndarray:
    """What each pair adds to the score of slices m and n; ``embeddings`` turns these in place of query and key."""
    x_q, x_k = parts["embeddings"]
    if embeddings:
        q, k = parts["to_query"] @ turned(parts, x_q, m), parts["to_key"] @ turned(parts, x_k, n)
    else:
        q, k = turned(parts, parts["to_query"] @ x_q, m), turned(parts, parts["to_key"] @ x_k, n)
    return (q * k).reshape(PAIRS, 2).sum(axis=1)


def _scan(m: int, n: int, shift: int) -> str:
    step = WIDTH / SLICES
    rules = "".join(f'<path class="axis" d="M{LEFT + step * s:g} 8v5"/>' for s in range(0, SLICES + 1, 10))
    marks = "".join(
        f'<g data-slice="{name}" transform="translate({LEFT + step * slice_:.2f} 0)"><path class="slice {name}" '
        f'd="M0 {top}v3.5"/><text class="middle" y="{letter}">{name[0]}</text></g>'
        for name, slice_, top, letter in (("query", m + shift, 6.5, 5.5), ("key", n + shift, 11, 18.6))
    )
    return (
        f'<rect class="dial" x="{LEFT}" y="8" width="{WIDTH}" height="5"/>{rules}{marks}'
        f'<text x="{LEFT}" y="5.5">slice 0</text><text class="end" x="{LEFT + WIDTH}" y="5.5">{SLICES}</text>'
    )


def _dials(parts: dict[str, np.ndarray], m: int, n: int) -> str:
    vectors = {
        name: turned(parts, parts[matrix] @ x, position).reshape(PAIRS, 2)
        for name, matrix, x, position in (
            ("key", "to_key", parts["embeddings"][1], n),
            ("query", "to_query", parts["embeddings"][0], m),
        )
    }
    return "\n".join(
        f'<g transform="translate({100 / PAIRS * (pair + 0.5):g} {TOP})"><circle class="dial" r="{RADIUS}"/>'
        f'<path class="axis" d="M0 {-RADIUS}V{RADIUS}M{-RADIUS} 0H{RADIUS}"/>'
        + "".join(_hand(name, *vector[pair]) for name, vector in vectors.items())
        + f'<text class="middle" y="{RADIUS + 5.5}">pair {pair}</text></g>'
        for pair in range(PAIRS)
    )


def _hand(name: str, x: float, y: float) -> str:
    """A hand shows where the pair points; how long the pair is shows in its product."""
    return (
        f'<g class="hand {name}" transform="rotate({-math.degrees(math.atan2(y, x)):.4f})"><path d="M0 0H{RADIUS}"/>'
        f'<circle cx="{RADIUS}" r="1.1"/></g>'
    )


def _table(rows: dict[str, np.ndarray], now: dict[str, object]) -> str:
    # A no-break space: on a phone the column is as wide as its longest pair of numbers.
    here, there = f"{now['m']},\N{NO-BREAK SPACE}{now['n']}", f"{now['m_there']},\N{NO-BREAK SPACE}{now['n_there']}"
    names = {"right": here, "right_there": there, "wrong": here, "wrong_there": there}
    head_ = "".join(f'<th scope="col">{name}</th>' for name in (*(f"pair {i}" for i in range(PAIRS)), "score"))

    def body(name: str) -> str:
        cells = "".join(f"<td>{decimals(value)}</td>" for value in (*rows[name], rows[name].sum()))
        return f'<tr data-row="{name}"><th scope="row">{names[name]}</th>{cells}</tr>'

    def part(title: str, *which: str) -> str:
        line = f'<tr><th scope="rowgroup" colspan="{PAIRS + 2}">{title}</th></tr>'
        return f"<tbody>\n{line}\n" + "\n".join(body(name) for name in which) + "\n</tbody>\n"

    return (
        f'<table class="moving-figure-numbers narrow">\n<thead><tr><td></td>{head_}</tr></thead>\n'
        + part("queries and keys turned", "right", "right_there")
        + part("embeddings turned instead", "wrong", "wrong_there")
        + "</table>"
    )
