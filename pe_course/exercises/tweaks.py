"""Other inputs that a wrong answer may be the right one for: an argument ignored, off by one, halved, negated."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pe_course.exercises.values import flat, map_numbers, shape_of, show


@dataclass(frozen=True)
class Tweak:
    """Another value of one argument, and what it means if the answer fits it."""

    id: str
    value: Any
    sentence: str


def tweaks(name: str, value: Any, default: Any) -> Iterator[Tweak]:
    """Other values of an argument that a wrong answer may have used."""
    if default is not None and value != default:
        yield Tweak(
            f"{name}-ignored", default, f"`{name}` is ignored: this is the answer for `{name}={show(default)}`."
        )
    if isinstance(value, bool):
        yield Tweak(f"{name}-exchanged", not value, f"`{name}` is read the wrong way round.")
    elif isinstance(value, (int, float)):
        for step in (1, -1):
            words = f"one {'more' if step > 0 else 'less'} than `{name}`"
            yield Tweak(f"{name}{step:+d}", value + step, f"It is the answer for {words}.")
        yield Tweak(f"{name}-doubled", value * 2, f"It is the answer for twice `{name}`.")
        if value % 2 == 0:
            half = value // 2 if isinstance(value, int) else value / 2
            yield Tweak(f"{name}-halved", half, f"It is the answer for half of `{name}`.")
        yield Tweak(f"{name}-negated", -value, f"It is the answer for minus `{name}`.")
    elif isinstance(value, list) and value:
        yield from _list_tweaks(name, value)


def _list_tweaks(name: str, value: list) -> Iterator[Tweak]:
    entry = f"each entry of `{name}`"
    yield Tweak(f"{name}-negated", map_numbers(lambda x: -x, value), f"It is the answer for minus {entry}.")
    for step in (1, -1):
        other = map_numbers(lambda x, step=step: x + step, value)
        yield Tweak(f"{name}{step:+d}", other, f"It is the answer for {entry} {'plus' if step > 0 else 'minus'} 1.")
    yield Tweak(f"{name}-reversed", value[::-1], f"It is the answer for `{name}` read backwards.")
    yield Tweak(f"{name}-halved", map_numbers(lambda x: x / 2, value), f"It is the answer for half {entry}.")
    yield Tweak(f"{name}-doubled", map_numbers(lambda x: x * 2, value), f"It is the answer for twice {entry}.")
    if not any(isinstance(number, complex) for number in flat(value)):
        sentence = f"It is the answer if {entry} were in degrees: `math.sin` and `math.cos` take radians."
        yield Tweak(f"{name}-degrees", map_numbers(math.radians, value), sentence)
    if not isinstance(value[0], list):
        counted = list(range(len(value)))
        yield Tweak(f"{name}-counted", counted, f"`{name}` is not used: your code counts 0, 1, 2, … instead.")
    else:
        yield Tweak(f"{name}-rows-reversed", [row[::-1] for row in value], f"Each row of `{name}` is read backwards.")
        if len(shape_of(value)) == 2 and len(value) == len(value[0]):
            other = [list(row) for row in zip(*value, strict=True)]
            yield Tweak(f"{name}-transposed", other, f"Rows and columns of `{name}` are exchanged.")
