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


COUNTS = {"n", "d", "dim", "n_heads", "n_new", "new", "width", "num_buckets", "max_distance", "max_rel", "train_len"}
"""Arguments that count something and are never 0: nobody negates them, or takes them for angles."""

_NEVER_NEGATIVE = COUNTS | {"cached", "orig_max"}


def tweaks(name: str, value: Any, default: Any, *, angles: bool = True, powers: bool = True) -> Iterator[Tweak]:
    """Other values of an argument that a wrong answer may have used.

    ``angles`` says that the exercise's formula has a sine or cosine in it, ``powers`` that it raises its base.
    """
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
        if isinstance(value, float) or value % 2 == 0:
            half = value // 2 if isinstance(value, int) else value / 2
            yield Tweak(f"{name}-halved", half, f"It is the answer for half of `{name}`.")
        if name not in _NEVER_NEGATIVE or value < 0:
            yield Tweak(f"{name}-negated", -value, f"It is the answer for minus `{name}`.")
        yield from _of_one_number(name, value, default, powers)
        if angles and name not in _NEVER_NEGATIVE:
            yield from _of_an_angle(name, value)
    elif isinstance(value, list) and value:
        yield from _list_tweaks(name, value, angles)


def _of_an_angle(name: str, value: float) -> Iterator[Tweak]:
    yield Tweak(f"{name}-two-pi", 2 * math.pi * value, f"`{name}` is multiplied by 2π. {_NO_TWO_PI}")
    yield Tweak(f"{name}-over-two-pi", value / (2 * math.pi), f"`{name}` is divided by 2π. {_NO_TWO_PI}")
    yield Tweak(f"{name}-degrees", math.radians(value), f"It is the answer if `{name}` were in degrees. {_RADIANS}")
    yield Tweak(f"{name}-in-degrees", math.degrees(value), f"`{name}` is turned into degrees. {_RADIANS}")


def _of_one_number(name: str, value: float, default: Any, powers: bool) -> Iterator[Tweak]:
    """Powers of a base, and arguments in whose place a constant stands."""
    if name == "base" and powers:
        yield Tweak("base-squared", value**2, "The exponent is twice what it should be.")
        yield Tweak("base-root", math.sqrt(value), "The exponent is half of what it should be.")
        yield Tweak("base-inverse", 1 / value, "The exponent has the other sign: the speeds grow instead of falling.")
    else:
        if isinstance(value, float) and value > 0:
            yield Tweak(f"{name}-squared", value**2, f"It is the answer for the square of `{name}`.")
            yield Tweak(f"{name}-root", math.sqrt(value), f"It is the answer for the root of `{name}`.")
            yield Tweak(f"{name}-inverse", 1 / value, f"It is the answer for 1 divided by `{name}`.")
        yield Tweak(f"{name}-absolute", abs(value), f"The sign of `{name}` is lost.")
    for constant in (10000.0, 1000.0, 100.0) if name == "base" else (1, 2, 0):
        if constant == default or (constant == 0 and name in COUNTS):
            continue  # said already: the argument is ignored; or it would say so of an empty result
        sentence = f"Is `{name}` used? This is the answer for `{name}={show(constant)}`."
        if isinstance(value, int) and constant == 1:
            sentence += " (Or does the `return` stand inside the loop?)"
        yield Tweak(f"{name}-is-{constant:g}", constant, sentence)


_NO_TWO_PI = "A full turn is 2π radians, but the formula's angle is in radians already."
_RADIANS = "`math.sin` and `math.cos` take radians, and the angle is in radians already."


def _list_tweaks(name: str, value: list, angles: bool) -> Iterator[Tweak]:
    entry = f"each entry of `{name}`"
    yield Tweak(f"{name}-negated", map_numbers(lambda x: -x, value), f"It is the answer for minus {entry}.")
    for step in (1, -1):
        other = map_numbers(lambda x, step=step: x + step, value)
        yield Tweak(f"{name}{step:+d}", other, f"It is the answer for {entry} {'plus' if step > 0 else 'minus'} 1.")
    yield Tweak(f"{name}-reversed", value[::-1], f"It is the answer for `{name}` read backwards.")
    yield Tweak(f"{name}-halved", map_numbers(lambda x: x / 2, value), f"It is the answer for half {entry}.")
    yield Tweak(f"{name}-doubled", map_numbers(lambda x: x * 2, value), f"It is the answer for twice {entry}.")
    if any(isinstance(number, complex) for number in flat(value)):
        words = f"{entry.capitalize()} is taken conjugate: its imaginary part has the other sign."
        yield Tweak(f"{name}-conjugate", map_numbers(lambda x: complex(x).conjugate(), value), words)
        ones = map_numbers(lambda x: 1, value)
        yield Tweak(f"{name}-is-1", ones, f"Is `{name}` used? This is the answer if {entry} were 1.")
        yield Tweak(f"{name}-absolute", map_numbers(abs, value), f"Only the length of {entry} is used.")
    else:
        words = f"{entry.capitalize()} loses its sign."
        yield Tweak(f"{name}-absolute", map_numbers(abs, value), words)
        if angles:
            yield from _of_angles(name, value, entry)
    if not isinstance(value[0], list):
        words = f"`{name}` is counted from its first entry: each entry has that one subtracted."
        yield Tweak(f"{name}-from-first", [number - value[0] for number in value], words)
        counted = list(range(len(value)))
        yield Tweak(f"{name}-counted", counted, f"`{name}` is not used: your code counts 0, 1, 2, … instead.")
    else:
        yield Tweak(f"{name}-rows-reversed", [row[::-1] for row in value], f"Each row of `{name}` is read backwards.")
        if len(shape_of(value)) == 2 and len(value) == len(value[0]):
            other = [list(row) for row in zip(*value, strict=True)]
            yield Tweak(f"{name}-transposed", other, f"Rows and columns of `{name}` are exchanged.")


def _of_angles(name: str, value: list, entry: str) -> Iterator[Tweak]:
    two_pi = map_numbers(lambda x: 2 * math.pi * x, value)
    yield Tweak(f"{name}-two-pi", two_pi, f"{entry.capitalize()} is multiplied by 2π. {_NO_TWO_PI}")
    over_two_pi = map_numbers(lambda x: x / (2 * math.pi), value)
    yield Tweak(f"{name}-over-two-pi", over_two_pi, f"{entry.capitalize()} is divided by 2π. {_NO_TWO_PI}")
    sentence = f"It is the answer if {entry} were in degrees: `math.sin` and `math.cos` take radians."
    yield Tweak(f"{name}-degrees", map_numbers(math.radians, value), sentence)
    words = f"{entry.capitalize()} is turned into degrees. {_RADIANS}"
    yield Tweak(f"{name}-in-degrees", map_numbers(math.degrees, value), words)
