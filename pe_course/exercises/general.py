"""Diagnoses that fit every exercise: what the values have in common with the right ones.

Each is a question put to the learner's values on all cases at once, so that a chance match on one input does
not decide.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pe_course.exercises.values import close, flat, map_numbers, shape_of, show

Values = Sequence[Any]


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
    names = {
        2.0: "twice",
        0.5: "half",
        -1.0: "minus",
        math.pi / 180: "π/180 times",
        180 / math.pi: "180/π times",
        2 * math.pi: "2π times",
        1 / (2 * math.pi): "1/(2π) times",
    }
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
        return f"The sizes are right; some signs are not.{_negated(expected, got)}"
    return None


def _negated(expected: Values, got: Values) -> str:
    """Which rows, columns or entries have the other sign, if there are such."""
    right, other = next((a, b) for a, b in zip(expected, got, strict=True) if not _all_close([a], [b]))
    if not isinstance(right, list) or len(shape_of(right)) > 2:
        return ""
    lines = [("row", right, other), ("column", _columns(right), _columns(other))]
    for name, ours, theirs in lines if isinstance(right[0], list) else [("entry", right, other)]:
        bad = [place for place, (a, b) in enumerate(zip(ours, theirs, strict=True)) if not _all_close([a], [b])]
        if len(bad) < len(ours) and all(_all_close([ours[i]], [map_numbers(lambda x: -x, theirs[i])]) for i in bad):
            return f" {_listed(name, bad)} negated."
    return ""


def _columns(value: Any) -> list:
    return [list(column) for column in zip(*value, strict=True)] if isinstance(value[0], list) else []


def _all_close(expected: Values, got: Values) -> bool:
    pairs = _pairs(expected, got)
    return pairs is not None and all(close(right, other, 2e-4) for right, other in pairs)


def own_factor(expected: Values, got: Values) -> str | None:
    """Each row (or each column) is a multiple of the right one, by a number of its own."""
    if _pairs(expected, got) is None or not all(len(shape_of(value)) == 2 for value in expected):
        return None
    for name, lines in (("row", list), ("column", _columns)):
        pairs = [pair for a, b in zip(expected, got, strict=True) for pair in zip(lines(a), lines(b), strict=True)]
        pairs = [(right, other) for right, other in pairs if len({round(abs(x), 6) for x in right} - {0}) > 1]
        factors = [_factor_of(right, other) for right, other in pairs]
        if len(factors) > 3 and None not in factors and len({round(abs(factor), 4) for factor in factors}) > 1:
            return (
                f"Each {name} is a multiple of the right one, by a factor of its own (here {show(factors[0])}): "
                "what is it multiplied or divided by?"
            )
    return None


def _factor_of(right: list[float], other: list[float]) -> float | None:
    largest, beside = max(zip(right, other, strict=True), key=lambda pair: abs(pair[0]))
    factor = beside / largest
    return factor if factor and all(close(a * factor, b, 2e-4) for a, b in zip(right, other, strict=True)) else None


def lengths_or_angles(expected: Values, got: Values) -> str | None:
    """Of complex numbers, one of the two is right."""
    pairs = [pair for a, b in zip(expected, got, strict=True) for pair in zip(flat(a), flat(b), strict=True)]
    if not any(isinstance(right, complex) for right, _ in pairs):
        return None
    if all(close(abs(right), abs(other), 2e-4) for right, other in pairs):
        return "The lengths of your numbers are right, their angles are not."
    if all(abs(other) > 0 and close(right * abs(other), other * abs(right), 2e-4) for right, other in pairs):
        return "The angles of your numbers are right, their lengths are not."
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
    order = "the order of rows and columns" if any(len(shape_of(right)) > 1 for right in expected) else "their order"
    return f"The numbers are right, but they stand at other places: check {order}."


def shifted(expected: Values, got: Values) -> str | None:
    """Row r holds what belongs into row r ± 1; or column c what belongs into column c ± 1."""
    pairs = [(a, b) for a, b in zip(expected, got, strict=True) if isinstance(a, list) and shape_of(a) == shape_of(b)]
    tables = bool(pairs) and all(len(shape_of(right)) == 2 for right, _ in pairs)
    if not tables:
        return _shifted(pairs, "Row" if pairs and isinstance(pairs[0][0][0], list) else "Entry")
    return _shifted(pairs, "Row") or _shifted([(_columns(a), _columns(b)) for a, b in pairs], "Column")


def _shifted(pairs: Sequence[tuple[list, list]], what: str) -> str | None:
    usable = [(right, other) for right, other in pairs if len(right) > 2]
    if not any(len(set(flat(right))) > 2 for right, _ in usable):
        return None
    for step, words in ((1, "comes one too early"), (-1, "comes one too late")):
        if all(_agree_shifted(right, other, step) for right, other in usable):
            return f"{what} by {what.lower()}, your result {words}: where does the count begin?"
    return None


def _agree_shifted(right: list, other: list, step: int) -> bool:
    ours, theirs = (right[step:], other[:-step]) if step > 0 else (right[:step], other[-step:])
    pairs = _pairs([ours], [theirs])
    return bool(pairs) and all(close(a, b, 2e-4) for a, b in pairs)


def constant_value(expected: Values, got: Values) -> str | None:
    """One number wherever one looks."""
    numbers = [number for value in got for number in flat(value)]
    if len(numbers) > 2 and _real(numbers) and _constant(numbers):
        if numbers[0] == 0:
            return "Every value is 0. Is the result filled, and is it the filled one that you return?"
        return f"Every value is {show(numbers[0])}, whatever the input."
    return None


def not_finite(expected: Values, got: Values) -> str | None:
    """NaN or infinity among the values."""
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
    if not isinstance(right, list) or shape_of(right) != shape_of(other) or not _finite([*flat(right), *flat(other)]):
        return None
    while isinstance(right[0], list) and right[0] and isinstance(right[0][0], list):
        right, other = right[0], other[0]
    if not isinstance(right[0], list):
        found = _part_of_row(right, other)
    else:
        fits = [[close(a, b, 2e-4) for a, b in zip(*rows, strict=True)] for rows in zip(right, other, strict=True)]
        found = None if all(map(all, fits)) else _part_of_table(fits)
    return f"{found}{_one_wrong_value(right, other)}" if found else None


def kept_columns(name: str, given: list, right: list, other: list) -> str:
    """Which wrong columns of a table are still those of the argument ``name``, if there are such."""
    columns = zip(*map(_columns, (given, right, other)), strict=True)
    kept = [i for i, (a, b, c) in enumerate(columns) if _all_close(a, c) and not _all_close(b, c)]
    return f" {_listed('column', kept)} still {'those' if len(kept) > 1 else 'that'} of `{name}`." if kept else ""


def _part_of_table(fits: list[list[bool]]) -> str | None:
    rows = [place for place, row in enumerate(fits) if all(row)]
    columns = [place for place, column in enumerate(zip(*fits, strict=True)) if all(column)]
    if rows and columns:
        first, second = _named("row", rows), _named("column", columns)
        return f"{first[0].upper()}{first[1:]} and {second} are right, the others are not."
    for name, good in (("row", rows), ("column", columns)):
        if good:
            return f"{_listed(name, good)} right, the others are not."
    return _by_diagonal(fits)


def _one_wrong_value(right: list, other: list) -> str:
    """A value that stands wherever the answer is wrong, if different ones belong there."""
    wrong = [(a, b) for a, b in zip(flat(right), flat(other), strict=True) if not close(a, b, 2e-4)]
    if len({a for a, _ in wrong}) < 2 or len({b for _, b in wrong}) > 1:
        return ""
    return f" Wherever it is wrong, yours is {show(wrong[0][1])}."


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
    """`_named`, with its verb, at the beginning of a sentence."""
    text = _named(name, places)
    return f"{text[0].upper()}{text[1:]} {'are' if text.startswith(_plural(name)) else 'is'}"


def _named(name: str, places: list[int]) -> str:
    if len(places) == 1:
        return f"{name} {places[0]}"
    if all(after - before == 2 for before, after in pairwise(places)) and len(places) > 2:
        return f"every second {name} (from {places[0]})"
    return f"{_plural(name)} {', '.join(map(str, places[:4]))}{', …' if len(places) > 4 else ''}"


def _plural(name: str) -> str:
    return "entries" if name == "entry" else f"{name}s"


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


PLAIN = (imaginary, constant_value)
"""Questions whose yes needs no other explanation."""

CERTAIN = (*PLAIN, not_finite, same_rows, whole_numbers, scaled, scaled_by_input, shifted, own_factor)
"""Questions whose yes explains every value."""

VAGUE = (sizes_only, lengths_or_angles, same_numbers, nearly, partly)
"""Questions whose yes narrows it down."""


def _pairs(expected: Values, got: Values) -> list[tuple[float, float]] | None:
    """All pairs of right and given numbers, if they are real and finite and of one shape."""
    pairs = []
    for right, other in zip(expected, got, strict=True):
        if shape_of(right) != shape_of(other):
            return None
        pairs += zip(flat(right), flat(other), strict=True)
    return pairs if _real([number for pair in pairs for number in pair]) else None


def _finite(numbers: list) -> bool:
    try:
        return all(cmath.isfinite(number) for number in numbers)
    except (OverflowError, TypeError):
        return False


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
    if 0 in shape and 0 not in wanted:
        return "The result is empty: does its loop run at all?"
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
