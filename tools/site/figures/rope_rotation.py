"""One pair of a query and of a key, each turned by its own position, and the score of the two over their distance.

Turning is counter-clockwise, as $e^{ip\\theta}$ turns. One position is 15 degrees, so that 24 make a full turn.
"""

from __future__ import annotations

import math

from pe_course.reference import rotary
from pe_course.reference.validation import count
from tools.site.figures.clock_hands import decimals
from tools.site.figures.moving_figure import MovingFigure

DEGREES = 15
LAST = 24  # of each slider: one full turn
QUERY, KEY = (1.0, 0.0), (0.6, 0.8)  # both of length 1, the key 53 degrees ahead
RADIUS, CENTRE, LETTER = 20.0, 24.0, 24.6  # the letters stand clear of the dots on the rim
LEFT, WIDTH, HEIGHT = 57.0, 41.0, 17.0  # of the curve

ALT = (
    "Left, a circle with the query turned to {query} degrees and the key to {key} degrees. Right, the score over the "
    "distance as a wave, with a point at distance {distance}, score {score}."
)
SENTENCE = "Query at {m}, key at {n}: distance {distance}, score {score}"


def draw(position: int = 5) -> MovingFigure:
    """The figure with the query at ``position`` and the key at 3. Raises: ValueError, TypeError unless 0 to 24."""
    m, n = count("position", position, minimum=0, maximum=LAST), 3
    distances = range(-LAST, LAST + 1)
    scores = rotary.rope_score(QUERY, KEY, list(distances), [math.radians(DEGREES)]).tolist()
    start = {name: math.degrees(math.atan2(y, x)) for name, (x, y) in (("query", QUERY), ("key", KEY))}
    turned = {"query": start["query"] + m * DEGREES, "key": start["key"] + n * DEGREES}
    now = {
        "m": m,
        "n": n,
        "distance": decimals(m - n, 0),
        "score": decimals(scores[m - n + LAST]),
        **{name: decimals(angle % 360, 0) for name, angle in turned.items()},
    }
    return MovingFigure(
        view_box="0 0 100 48",
        picture=f'<g class="rotary-dial">\n{_dial(turned)}\n{_curve(list(distances), scores, m - n)}\n</g>',
        alt=ALT.format(**now),
        numbers=_table(now),
        sentence=SENTENCE.format(**now),
        data={
            "degrees": DEGREES,
            "start": start,
            "letter": LETTER,
            "m": m,
            "n": n,
            "last": LAST,
            "scores": scores,
            "curve": [LEFT, WIDTH, CENTRE, HEIGHT],
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def _dial(turned: dict[str, float]) -> str:
    hands = "".join(
        f'<g class="hand {name}" transform="rotate({-turned[name]:.4f})"><path d="M0 0H{RADIUS}"/>'
        f'<circle cx="{RADIUS}" r="1.6"/><g class="letter" transform="translate({LETTER} 0) '
        f'rotate({turned[name]:.4f})"><text class="middle" y="1.4">{name[0]}</text></g></g>'
        for name in ("key", "query")
    )
    return (
        f'<g transform="translate({CENTRE} {CENTRE})"><circle class="dial" r="{RADIUS}"/>'
        f'<path class="axis" d="M0 {-RADIUS}V{RADIUS}M{-RADIUS} 0H{RADIUS}"/>{hands}</g>'
    )


def _curve(distances: list[int], scores: list[float], distance: int) -> str:
    places = [_place(d, score) for d, score in zip(distances, scores, strict=True)]
    x, y = _place(distance, scores[distance + LAST])
    line = "L".join(f"{a:.2f} {b:.2f}" for a, b in places)
    return (
        f'<path class="axis" d="M{LEFT} {CENTRE}h{WIDTH}M{LEFT + WIDTH / 2} {CENTRE - HEIGHT}v{2 * HEIGHT}"/>'
        f'<path class="curve" d="M{line}"/><circle class="point" cx="{x:.2f}" cy="{y:.2f}" r="1.6"/>'
        f'<text x="{LEFT}" y="4">score</text>'
        f'<text class="end" x="{LEFT + WIDTH}" y="{CENTRE + HEIGHT + 5.5}">distance m − n</text>'
    )


def _place(distance: float, score: float) -> tuple[float, float]:
    return LEFT + WIDTH * (distance + LAST) / (2 * LAST), CENTRE - HEIGHT * score


def _table(now: dict[str, object]) -> str:
    cells = {"query": f"{now['query']}°", "key": f"{now['key']}°", "distance": now["distance"], "score": now["score"]}
    head = "".join(f'<th scope="col">{name}</th>' for name in ("query at", "key at", "m − n", "score"))
    body = "".join(f'<td data-cell="{name}">{text}</td>' for name, text in cells.items())
    return (
        '<table class="moving-figure-numbers">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n<tr>{body}</tr>\n</tbody>\n</table>"
    )
