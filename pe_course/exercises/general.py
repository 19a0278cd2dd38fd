"""Diagnoses that fit every exercise: what was done to the right values.

Each is a question put to the learner's values on all cases at once, so that a chance match on one input does
not decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pe_course.exercises.values import close, flat, map_numbers, shape_of, show

Values = Sequence[Any]


@dataclass(frozen=True)
class Change:
    """Something that undoes a classic slip: applied to wrong values, it gives the right ones."""

    id: str
    undo: Callable[[Any], Any]  # raises or returns None where it does not apply
    sentence: str


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
    ),
    Change(
        "neighbours-first",
        _on_rows(_neighbours_to_halves),
        "The numbers are right, but a pair's two columns stand side by side instead of half a row apart.",
    ),
    Change("reversed", _reversed, "The order is turned round: your first entry belongs last."),
    Change("reversed-rows", _on_rows(lambda row: row[::-1]), "Each row runs backwards."),
    Change("conjugate", lambda value: map_numbers(_conjugate, value), "Every imaginary part has the other sign."),
    Change("complement", lambda value: map_numbers(lambda x: 1 - x, value), "It is upside down: yours is 1 minus it."),
    Change("inverse", lambda value: map_numbers(lambda x: 1 / x, value), "Yours is one divided by the right value."),
    Change("log", lambda value: map_numbers(math.exp, value), "Yours is the logarithm of the right value."),
    Change("exp", lambda value: map_numbers(math.log, value), "Yours is `exp` of the right value."),
    Change("squared", lambda value: map_numbers(math.sqrt, value), "Yours is the square of the right value."),
    Change("root", lambda value: map_numbers(lambda x: x * x, value), "Yours is the root of the right value."),
)


def scaled(expected: Values, got: Values) -> str | None:
    """Every value is one constant times, or one constant more than, the right one."""
    pairs = _pairs(expected, got)
    if pairs is None or len(pairs) < 2:
        return None
    largest, beside = max(pairs, key=lambda pair: abs(pair[0]))
    factor, step = beside / largest if largest else 1.0, beside - largest
    different = len({right for right, _ in pairs}) > 1
    if different and factor not in (0, 1) and all(close(right * factor, other, 2e-4) for right, other in pairs):
        return f"Every value is {_factor(factor)} the right one."
    if abs(step) > 1e-3 and all(close(right + step, other, 2e-4) for right, other in pairs):
        return f"Every value is {show(abs(step))} {'too large' if step > 0 else 'too small'}."
    return None


def scaled_by_input(expected: Values, got: Values) -> str | None:
    """Every value of one input is the same multiple of the right one, but another multiple for another input."""
    if len(expected) < 2 or not all(scaled([right], [other]) for right, other in zip(expected, got, strict=True)):
        return None
    first = scaled(expected[:1], got[:1])
    return f"{first} For another input it is another number: what else enters?" if "right one" in first else None


def _factor(ratio: float) -> str:
    names = {2.0: "twice", 0.5: "half", -1.0: "minus", math.pi / 180: "π/180 times", 180 / math.pi: "180/π times"}
    return next(
        (name for value, name in names.items() if math.isclose(ratio, value, rel_tol=1e-4)), f"{show(ratio)} times"
    )


def _constant(numbers: list[float]) -> bool:
    return all(math.isclose(number, numbers[0], rel_tol=1e-5, abs_tol=1e-7) for number in numbers)


def whole_numbers(expected: Values, got: Values) -> str | None:
    """The values of the right answer, cut or rounded to whole numbers."""
    pairs = _pairs(expected, got)
    if pairs is None or all(float(right).is_integer() for right, _ in pairs):
        return None
    for cut, word in ((math.trunc, "cut"), (math.floor, "rounded down"), (round, "rounded")):
        if all(other == cut(right) for right, other in pairs):
            return (
                f"The values are {word} to whole numbers. Is there an integer division `//`, an `int(...)`, "
                "or an array of integers that the result is written into?"
            )
    return None


def sizes_only(expected: Values, got: Values) -> str | None:
    pairs = _pairs(expected, got)
    if pairs and all(close(abs(right), abs(other), 2e-4) for right, other in pairs):
        return "The sizes are right; some signs are not."
    return None


def nearly(expected: Values, got: Values) -> str | None:
    """Right to a percent, so something is rounded on the way."""
    pairs = _pairs(expected, got)
    if not pairs or not all(close(right, other, 0.01) for right, other in pairs):
        return None
    worst = max(abs(right - other) for right, other in pairs)
    return f"You are close: at most {show(worst)} off. Is something rounded on the way, or a number shortened?"


def same_numbers(expected: Values, got: Values) -> str | None:
    """The right numbers at other places."""
    most = 0
    for right, other in zip(expected, got, strict=True):
        ours, theirs = list(flat(right)), list(flat(other))
        if len(ours) != len(theirs) or not _real(ours + theirs):
            return None
        if not all(close(a, b, 2e-4) for a, b in zip(sorted(ours), sorted(theirs), strict=True)):
            return None
        most = max(most, len(set(ours)))
    if most < 3:
        return None
    return "The numbers are right, but they stand at other places: check the order of rows and columns."


def shifted(expected: Values, got: Values) -> str | None:
    """Row r holds what belongs into row r ± 1."""
    usable = [
        (right, other)
        for right, other in zip(expected, got, strict=True)
        if isinstance(right, list) and len(right) > 2 and isinstance(other, list) and len(right) == len(other)
    ]
    if not any(len(set(flat(right))) > 2 for right, _ in usable):
        return None
    what = "Row" if isinstance(usable[0][0][0], list) else "Entry"
    for step, words in ((1, "comes one too early"), (-1, "comes one too late")):
        if all(_agree_shifted(right, other, step) for right, other in usable):
            return f"{what} by {what.lower()}, your result {words}: where does the count begin?"
    return None


def _agree_shifted(right: list, other: list, step: int) -> bool:
    ours, theirs = (right[step:], other[:-step]) if step > 0 else (right[:step], other[-step:])
    pairs = _pairs([ours], [theirs])
    return bool(pairs) and all(close(a, b, 2e-4) for a, b in pairs)


def constant_value(expected: Values, got: Values) -> str | None:
    numbers = [number for value in got for number in flat(value)]
    if len(numbers) > 2 and _real(numbers) and _constant(numbers):
        if numbers[0] == 0:
            return "Every value is 0. Is the result filled, and is it the filled one that you return?"
        return f"Every value is {show(numbers[0])}, whatever the input."
    return None


def not_finite(expected: Values, got: Values) -> str | None:
    numbers = [number for value in got for number in flat(value) if isinstance(number, float)]
    if any(math.isnan(number) for number in numbers):
        return "NaN comes from 0/0, from infinity minus infinity, or from the root or logarithm of a negative number."
    if any(math.isinf(number) for number in numbers):
        return "An infinity comes from dividing by 0, from the logarithm of 0, or from too large an exponent."
    return None


def partly(expected: Values, got: Values) -> str | None:
    """Which part of the first wrong value is right."""
    for right, other in zip(expected, got, strict=True):
        sentence = _part(right, other)
        if sentence is not None:
            return sentence
    return None


def _part(right: Any, other: Any) -> str | None:
    if not isinstance(right, list) or shape_of(right) != shape_of(other) or not _real([*flat(right), *flat(other)]):
        return None
    while isinstance(right[0], list) and right[0] and isinstance(right[0][0], list):
        right, other = right[0], other[0]
    if not isinstance(right[0], list):
        return _part_of_row(right, other)
    fits = [[close(a, b, 2e-4) for a, b in zip(*rows, strict=True)] for rows in zip(right, other, strict=True)]
    if all(map(all, fits)):
        return None
    rows = [place for place, row in enumerate(fits) if all(row)]
    columns = [place for place, column in enumerate(zip(*fits, strict=True)) if all(column)]
    for name, good, total in (("row", rows, len(fits)), ("column", columns, len(fits[0]))):
        if good and good != list(range(total)):
            return f"{_listed(name, good)} right, the others are not."
    return _by_diagonal(fits)


def _by_diagonal(fits: list[list[bool]]) -> str | None:
    places = [(i, j, good) for i, row in enumerate(fits) for j, good in enumerate(row)]
    for words, inside in (("below", lambda i, j: j < i), ("above", lambda i, j: j > i), ("on", lambda i, j: i == j)):
        good = [fit for i, j, fit in places if inside(i, j)]
        rest = [fit for i, j, fit in places if not inside(i, j)]
        if good and all(good) and rest and not any(rest):
            return f"What stands {words} the diagonal is right, the rest is not."
    share = sum(good for _, _, good in places)
    return _share(share, len(places)) if share else None


def _part_of_row(right: list, other: list) -> str | None:
    good = [place for place, (a, b) in enumerate(zip(right, other, strict=True)) if close(a, b, 2e-4)]
    if not good or len(good) == len(right):
        return None
    some = f"{len(good)} of {len(right)} entries are" if len(good) > 1 else f"of {len(right)} entries is"
    if good == list(range(len(good))):
        return f"The first {some} right, those after are not."
    if good == list(range(len(right) - len(good), len(right))):
        return f"The last {some} right, those before are not."
    return _share(len(good), len(right))


def _share(good: int, total: int) -> str:
    return f"{good} of {total} entries {'is' if good == 1 else 'are'} right."


def _listed(name: str, places: list[int]) -> str:
    if len(places) == 1:
        return f"{name.capitalize()} {places[0]} is"
    if all(after - before == 2 for before, after in pairwise(places)) and len(places) > 2:
        return f"Every second {name} (from {places[0]}) is"
    shown = ", ".join(map(str, places[:4])) + (", …" if len(places) > 4 else "")
    return f"{name.capitalize()}s {shown} are"


def imaginary(expected: Values, got: Values) -> str | None:
    """Complex numbers where real ones belong, or the other way round."""
    wanted = any(isinstance(number, complex) for value in expected for number in flat(value))
    numbers = [number for value in got for number in flat(value)]
    if wanted and not any(isinstance(number, complex) and number.imag for number in numbers):
        return "Your numbers are real: the imaginary part is lost."
    if not wanted and any(isinstance(number, complex) for number in numbers):
        return _COMPLEX
    return None


_COMPLEX = "Some of your numbers are complex; asked for are real ones: `.real` and `.imag` give the two parts."


def same_rows(expected: Values, got: Values) -> str | None:
    """All rows (or all parts) of every result are alike, and should not be."""
    usable = [
        (right, other)
        for right, other in zip(expected, got, strict=True)
        if isinstance(right, list) and len(right) > 1 and isinstance(right[0], list) and len(other) > 1
    ]
    if not usable or not all(all(row == other[0] for row in other) for _, other in usable):
        return None
    if not any(any(row != right[0] for row in right) for right, _ in usable):
        return None
    what = "parts" if isinstance(usable[0][0][0][0], list) else "rows"
    return (
        f"All {what} of your result are the same. Is what tells them apart not used? Or is one list repeated: "
        "`[row] * n` holds the same list n times, and writing into one writes into all."
    )


CERTAIN = (imaginary, not_finite, constant_value, same_rows, whole_numbers, scaled, scaled_by_input, shifted)
"""Questions whose yes explains every value."""

VAGUE = (sizes_only, same_numbers, nearly, partly)
"""Questions whose yes narrows it down."""


def _pairs(expected: Values, got: Values) -> list[tuple[float, float]] | None:
    """All pairs of right and given numbers, if they are real and finite and of one shape."""
    pairs = []
    for right, other in zip(expected, got, strict=True):
        if shape_of(right) != shape_of(other):
            return None
        pairs += zip(flat(right), flat(other), strict=True)
    return pairs if _real([number for pair in pairs for number in pair]) else None


def _real(numbers: list) -> bool:
    try:
        return all(isinstance(number, (int, float)) and math.isfinite(number) for number in numbers)
    except OverflowError:
        return False


def shape_sentence(expected: Any, got: Any) -> str | None:
    """What happened to a value of another shape."""
    wanted, shape = shape_of(expected), shape_of(got)
    if wanted == shape:
        return None
    if any(isinstance(number, complex) for number in flat(got)) and not any(
        isinstance(number, complex) for number in flat(expected)
    ):
        return _COMPLEX
    if shape and wanted and shape[0] == 1 and wanted[0] > 2 and shape[1:] == wanted[1:]:
        return "Only the first entry came: does the `return` stand inside the loop?"
    if sorted(shape) == sorted(wanted):
        return "Rows and columns are exchanged." if len(shape) == 2 else "The axes are in another order."
    if tuple(length for length in shape if length != 1) == tuple(length for length in wanted if length != 1):
        return "There is an axis of length 1 too many or too few."
    if math.prod(shape) == math.prod(wanted) and len(wanted) == 1:
        return "The count of numbers is right, but they come in several lists; asked for is one flat list."
    if math.prod(shape) == math.prod(wanted):
        return "The count of numbers is right, but they are not put into rows as asked."
    if len(shape) == len(wanted):
        return _lengths_sentence(wanted, shape)
    more = "more" if len(shape) > len(wanted) else "fewer"
    return f"The result has {more} axes ({len(shape)}) than asked ({len(wanted)})."


def _lengths_sentence(wanted: tuple[int, ...], shape: tuple[int, ...]) -> str | None:
    axis = next(place for place, (a, b) in enumerate(zip(wanted, shape, strict=True)) if a != b)
    names = (
        ("entries",) if len(wanted) == 1 else ("rows", "columns") if len(wanted) == 2 else ("parts", "rows", "columns")
    )
    what = names[axis] if axis < len(names) else f"entries along axis {axis}"
    a, b = wanted[axis], shape[axis]
    if b == 2 * a:
        return f"There are twice as many {what} as asked."
    if 2 * b == a:
        return f"There are half as many {what} as asked."
    off = abs(b - a)
    noun = {"entries": "entry"}.get(what, what.removesuffix("s")) if off == 1 else what
    step = f"{off} {noun} too {'many' if b > a else 'few'}"
    return f"{step}: check where the `range` starts and ends." if abs(b - a) == 1 else f"{step}."
