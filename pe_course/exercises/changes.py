"""Slips that happen to right values as a whole: negated, transposed, in another order, inverted, squared."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pe_course.exercises.values import map_numbers, shape_of


@dataclass(frozen=True)
class Change:
    """Something that undoes a classic slip: applied to wrong values, it gives the right ones."""

    id: str
    undo: Callable[[Any], Any]  # raises or returns None where it does not apply
    sentence: str
    make: Callable[[Any], Any] | None = None  # the slip itself, unless it is its own inverse


def _matrix(value: Any) -> list:
    if len(shape_of(value)) < 2:
        raise ValueError("no matrix")
    return value


def _transposed(value: Any) -> Any:
    if len(shape_of(_matrix(value))) > 2:
        return [_transposed(part) for part in value]
    return [list(row) for row in zip(*value, strict=True)]


def _on_rows(function: Callable[[list], list]) -> Callable[[Any], Any]:
    """``function`` of each innermost row."""

    def of(value: Any) -> Any:
        if not isinstance(value, list):
            raise ValueError("no row")
        return [of(part) for part in value] if value and isinstance(value[0], list) else function(value)

    return of


def _neighbours_swapped(row: list) -> list:
    if len(row) % 2:
        raise ValueError("odd")
    return [item for place in range(0, len(row), 2) for item in (row[place + 1], row[place])]


def _pairs_backwards(row: list) -> list:
    if len(row) % 2:
        raise ValueError("odd")
    return [item for place in range(len(row) - 2, -1, -2) for item in row[place : place + 2]]


def _halves_to_neighbours(row: list) -> list:
    half = len(row) // 2
    return [item for pair in zip(row[:half], row[half:], strict=True) for item in pair]


def _neighbours_to_halves(row: list) -> list:
    return row[0::2] + row[1::2]


def _reversed(value: Any) -> Any:
    if not isinstance(value, list):
        raise ValueError("one number")
    return value[::-1]


def _conjugate(number: Any) -> complex:
    if not isinstance(number, complex):
        raise ValueError("real")
    return number.conjugate()


def _power(id: str, undo: Callable[[Any], Any], make: Callable[[Any], Any], sentence: str) -> Change:
    """A slip that happened to each number."""
    return Change(id, lambda value: map_numbers(undo, value), sentence, lambda value: map_numbers(make, value))


CHANGES = (
    Change("sign", lambda value: map_numbers(lambda x: -x, value), "Every sign is the other way round."),
    Change("transposed", _transposed, "Rows and columns are exchanged (transposed)."),
    Change(
        "swapped-pairs",
        _on_rows(_neighbours_swapped),
        "The two columns of each pair have changed places: sine and cosine, or first and second channel.",
    ),
    Change(
        "halves-first",
        _on_rows(_halves_to_neighbours),
        "The numbers are right, but a pair's two columns stand half a row apart instead of side by side.",
        _on_rows(_neighbours_to_halves),
    ),
    Change(
        "neighbours-first",
        _on_rows(_neighbours_to_halves),
        "The numbers are right, but a pair's two columns stand side by side instead of half a row apart.",
        _on_rows(_halves_to_neighbours),
    ),
    Change("pairs-backwards", _on_rows(_pairs_backwards), "The pairs run backwards: your first pair belongs last."),
    Change("reversed", _reversed, "The order is turned round: your first entry belongs last."),
    Change("reversed-rows", _on_rows(lambda row: row[::-1]), "Each row runs backwards."),
    Change("conjugate", lambda value: map_numbers(_conjugate, value), "Every imaginary part has the other sign."),
    Change("complement", lambda value: map_numbers(lambda x: 1 - x, value), "It is upside down: yours is 1 minus it."),
    Change("inverse", lambda value: map_numbers(lambda x: 1 / x, value), "Yours is one divided by the right value."),
    _power("log", math.exp, math.log, "Yours is the logarithm of the right value."),
    _power("log2", lambda x: 2.0**x, math.log2, "Yours is the logarithm to base 2 of the right value."),
    _power("log10", lambda x: 10.0**x, math.log10, "Yours is the logarithm to base 10 of the right value."),
    _power("exp", math.log, math.exp, "Yours is `exp` of the right value."),
    _power("squared", math.sqrt, lambda x: x * x, "Yours is the square of the right value."),
    _power("root", lambda x: x * x, math.sqrt, "Yours is the root of the right value."),
)
