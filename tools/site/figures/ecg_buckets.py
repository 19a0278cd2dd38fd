"""A day of heartbeats in T5's buckets, seen from one beat in the middle: which beats share the bucket of another.

The encoder's buckets, since a recording is read when it is complete: 16 before the beat, 16 from it on.
"""

from __future__ import annotations

import numpy as np

from pe_course.reference import bias
from tools.site.figures.moving_figure import MovingFigure, offered

RATE = 70  # beats per minute
DAY = RATE * 60 * 24
_DISTANCES = (*range(1, 9), 11, 12, 15, 16, 22, 23, 31, 32, 45, 46, 63, 64, 90, 91, 100, 350, 700, 4200, 42000)
OFFSETS = (*(-d for d in reversed(_DISTANCES)), 0, *_DISTANCES)  # key − query, in beats
ORDER = (*range(15, -1, -1), *range(17, 32))  # bucket 16 is never read
COLUMN = 320 / len(ORDER)
BASE, DECADE, LEAST = 172.0, 13.0, 4.0  # of the bars: foot, height of a factor of ten, height of one beat
BEAT = 320 / 17
TRACE = ((0, 0), (4, 0), (5, -2.5), (6, 0), (7.6, 0), (8.2, 2), (9.2, -21), (10.2, 5), (10.9, 0), (13, 0), (14.6, -4.5))

ALT = (
    "Above, the beat in focus with eight beats to each side. Below, 31 bars, one per bucket, as high as the bucket "
    "has beats on a logarithmic scale: 1 near the focus, more than {most} at both ends. {here}"
)


def draw(offset: int = -700) -> MovingFigure:
    """The figure with one beat chosen. Raises: ValueError unless it is among those that the slider offers."""
    offered("offset", offset, OFFSETS)
    members = beats_by_bucket()
    states = [_state(each, members) for each in OFFSETS]
    state = states[OFFSETS.index(offset)]
    alt = ALT.replace("{most}", f"{min(members[15].size, members[31].size) // 10000 * 10000}")
    return MovingFigure(
        view_box="0 0 320 200",
        picture=_trace() + _bars(members) + _mark(offset, state["bucket"]),
        alt=alt.replace("{here}", state["sentence"]),
        numbers=_table(state),
        sentence=state["sentence"],
        data={
            "states": states,
            "now": OFFSETS.index(offset),
            "order": ORDER,
            "column": COLUMN,
            "beat": BEAT,
            "alt": alt,
        },
    )


def beats_by_bucket() -> dict[int, np.ndarray]:
    """Bucket → the offsets (key − query) of a day's beats in it, seen from the middle of the day."""
    offsets = np.arange(DAY) - DAY // 2
    buckets = bias.t5_relative_position_bucket(offsets)
    return {bucket: offsets[buckets == bucket] for bucket in ORDER}


def _state(offset: int, members: dict[int, np.ndarray]) -> dict[str, str | int]:
    """All that the page says of one beat."""
    bucket = int(bias.t5_relative_position_bucket(offset))
    sharing = np.sort(np.abs(members[bucket]))
    side = "back" if offset < 0 else "ahead"
    where = f"{_beats(abs(offset))} {side}, {_time(abs(offset))}" if offset else "The beat in focus"
    if sharing.size == 1:
        shared = "its own"
        tail = "which it has for itself"
    else:
        shared = f"{sharing[0]} to {sharing[-1]} {side}"
        tail = f"shared by {sharing.size} beats, {shared}"
    return {
        "offset": offset,
        "shown": f"{offset:+d}".replace("-", "−") if offset else "0",
        "bucket": bucket,
        "beats": int(sharing.size),
        "shared": shared,
        "time": _time(abs(offset)) + (f" {side}" if offset else ""),
        "sentence": f"{where}: bucket {bucket}, {tail}.",
    }


def _beats(number: int) -> str:
    return "1 beat" if number == 1 else f"{number} beats"


def _time(beats: int) -> str:
    """How long so many beats take, at RATE."""
    seconds = beats * 60 / RATE
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60, 1)
    return f"{minutes:g} min" if minutes < 60 else f"{minutes / 60:g} h"


def _trace() -> str:
    """Seventeen beats, and under each one the colour of its bucket."""
    points = "L".join(f"{BEAT * i + x:.1f} {38 + y:g}" for i in range(17) for x, y in TRACE)
    strip = "".join(
        f'<rect class="t5 {"pale" if i % 2 else "full"}" x="{BEAT * i:.2f}" y="50" width="{BEAT:.2f}" height="10"/>'
        for i in range(17)
    )
    return (
        '<text x="0" y="9">eight beats to each side: a bucket each, up to 7</text>'
        f'<path class="ecg-trace" d="M{points}L320 38"/>{strip}'
    )


def _bars(members: dict[int, np.ndarray]) -> str:
    heights = [LEAST + DECADE * float(np.log10(members[bucket].size)) for bucket in ORDER]
    bars = "".join(
        f'<rect class="t5 full" data-bucket="{bucket}" x="{COLUMN * i + 0.8:.2f}" y="{BASE - height:.2f}" '
        f'width="{COLUMN - 1.6:.2f}" height="{height:.2f}"/>'
        for i, (bucket, height) in enumerate(zip(ORDER, heights, strict=True))
    )
    names = "".join(
        f'<text x="{COLUMN * (ORDER.index(bucket) + 0.5):.1f}" y="{BASE + 12}" text-anchor="middle">{bucket}</text>'
        for bucket in (15, 8, 0, 24, 31)
    )
    middle = COLUMN * 15.5
    return (
        f'<text x="{middle:g}" y="82" text-anchor="middle">beats of a day in each bucket</text>'
        f'{bars}{names}<text x="0" y="{BASE + 26}">before the beat</text>'
        f'<text x="{middle:g}" y="{BASE + 26}" text-anchor="middle">bucket</text>'
        f'<text x="320" y="{BASE + 26}" text-anchor="end">after it</text>'
    )


def _mark(offset: int, bucket: int) -> str:
    near = abs(offset) <= 8
    return (
        f'<rect class="cursor" data-mark="beat" x="{BEAT * (offset + 8) if near else 0:.2f}" y="13" width="{BEAT:.2f}" '
        f'height="47" visibility="{"visible" if near else "hidden"}"/>'
        f'<rect class="cursor" data-mark="bucket" x="{COLUMN * ORDER.index(bucket):.2f}" y="96" width="{COLUMN:.2f}" '
        f'height="{BASE - 95:g}"/>'
    )


def _table(state: dict[str, str | int]) -> str:
    names = {"time": "time", "bucket": "bucket", "beats": "beats in it", "shared": "which ones"}
    head = "".join(f'<th scope="col">{name}</th>' for name in names.values())
    body = "".join(f'<td data-cell="{key}">{state[key]}</td>' for key in names)
    return (
        '<table class="moving-figure-numbers">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n<tr>{body}</tr>\n</tbody>\n</table>"
    )
