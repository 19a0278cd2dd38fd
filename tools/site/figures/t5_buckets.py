"""Distances cut into T5's buckets: one strip for the encoder, one for the decoder, both along keys before the query.

A strip is one unit of distance after the other; its colour changes where the next bucket starts.
"""

from __future__ import annotations

from pe_course.reference import bias
from tools.site.figures.moving_figure import MovingFigure, offered

NUM_BUCKETS = (8, 16, 32, 64)
MAX_DISTANCES = (48, 64, 96, 128, 192, 256)
SHOWN = 256  # distances, from 0
UNIT = 320 / SHOWN  # width of one distance
STRIPS = (("encoder", 16), ("decoder", 62))  # name, top
HEIGHT = 22

ALT = (
    "Two strips of distances from 0 to 256, cut into buckets that widen from left to right, with {buckets} buckets "
    "and max_distance {far}. In the encoder the last bucket starts at {encoder}, in the decoder at {decoder}."
)
SENTENCE = (
    "{buckets} buckets, max_distance {far}. Encoder: distances up to {encoder_own} have a bucket of their own, "
    "all from {encoder} share one. Decoder: up to {decoder_own}, and from {decoder}."
)


def draw(num_buckets: int = 32, max_distance: int = 128) -> MovingFigure:
    """The figure at one setting. Raises: ValueError unless both are among those that the sliders offer."""
    offered("num_buckets", num_buckets, NUM_BUCKETS)
    offered("max_distance", max_distance, MAX_DISTANCES)
    starts = {
        name: {f"{n},{far}": _starts(name, n, far) for n in NUM_BUCKETS for far in MAX_DISTANCES} for name, _ in STRIPS
    }
    here = {name: starts[name][f"{num_buckets},{max_distance}"] for name, _ in STRIPS}
    values = {"buckets": num_buckets, "far": max_distance}
    values |= {name: list_[-1] for name, list_ in here.items()}
    values |= {f"{name}_own": _own(list_) for name, list_ in here.items()}
    return MovingFigure(
        view_box="0 0 320 102",
        picture="\n".join(_strip(name, top, here[name]) for name, top in STRIPS) + _axis(),
        alt=ALT.format(**values),
        numbers=_table(here, num_buckets),
        sentence=SENTENCE.format(**values),
        data={
            "starts": starts,
            "numBuckets": NUM_BUCKETS,
            "maxDistances": MAX_DISTANCES,
            "shown": SHOWN,
            "unit": UNIT,
            "height": HEIGHT,
            "now": [num_buckets, max_distance],
            "alt": ALT,
            "sentence": SENTENCE,
        },
    )


def _starts(stack: str, num_buckets: int, max_distance: int) -> list[int]:
    return bias.t5_bucket_starts(
        bidirectional=stack == "encoder", num_buckets=num_buckets, max_distance=max_distance
    ).tolist()


def _own(starts: list[int]) -> int:
    """The largest distance below which every bucket holds one distance."""
    distance = 0
    while distance + 1 in starts and distance + 2 in starts:
        distance += 1
    return distance


def _strip(name: str, top: int, starts: list[int]) -> str:
    starts = sorted(set(starts))  # a bucket that no distance reaches starts where the next one does
    ends = [*starts[1:], SHOWN]
    pieces = "".join(
        f'<rect class="t5 {"pale" if index % 2 else "full"}" x="{start * UNIT:g}" width="{(end - start) * UNIT:g}" '
        f'height="{HEIGHT}"/>'
        for index, (start, end) in enumerate(zip(starts, ends, strict=True))
    )
    return (
        f'<text x="0" y="{top - 5}">{name}</text><g class="strip" data-strip="{name}" '
        f'transform="translate(0 {top})">{pieces}</g>'
    )


def _axis() -> str:
    anchors = {0: "start", SHOWN: "end"}
    return "".join(
        f'<text x="{distance * UNIT:g}" y="100" text-anchor="{anchors.get(distance, "middle")}">{distance}</text>'
        for distance in range(0, SHOWN + 1, 64)
    )


def _table(here: dict[str, list[int]], num_buckets: int) -> str:
    rows = {
        "own": ("own bucket up to", {name: _own(starts) for name, starts in here.items()}),
        "last": ("last bucket from", {name: starts[-1] for name, starts in here.items()}),
        "used": (
            "buckets in use",
            {"encoder": 2 * len(set(here["encoder"])) - 1, "decoder": len(set(here["decoder"]))},
        ),
    }
    body = "\n".join(
        f'<tr data-row="{key}"><th scope="row">{name}</th>'
        + "".join(f"<td>{cells[stack]}</td>" for stack, _ in STRIPS)
        + "</tr>"
        for key, (name, cells) in rows.items()
    )
    head = "".join(f'<th scope="col">{stack}</th>' for stack, _ in STRIPS)
    return (
        '<table class="moving-figure-numbers">\n'
        f"<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )
