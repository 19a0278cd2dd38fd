"""What a learner's function returns, as plain nested lists of numbers; and how two such values compare.

Lists, tuples, generators, NumPy arrays, torch tensors and single numbers all become the same thing, without
importing the packages they come from. Nothing here trusts the value: its own methods may raise or never end,
so it is unpacked inside the guarded call.
"""

from __future__ import annotations

import math
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Number
from typing import Any

MOST_NUMBERS = 100_000
MOST_AXES = 8


class Unusable(Exception):
    """The value is not made of numbers; the message says what it is instead, as the end of a sentence."""


def plain(value: Any) -> Any:
    """``value`` as a Python number or as nested lists of them. Raises: Unusable."""
    return _Unpacker().unpack(value, 0)


class _Unpacker:
    def __init__(self) -> None:
        self.left = MOST_NUMBERS

    def unpack(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in (int, float, bool, complex):
            return self._counted(value)
        if value is None:
            raise Unusable("`None`" if depth else "nothing (`None`); does it end with `return`?")
        if issubclass(kind, (str, bytes, bytearray)):
            raise Unusable(f"a text, {shorten(repr(value[:100]))}" if kind in (str, bytes) else "a text")
        if issubclass(kind, (types.CoroutineType, types.AsyncGeneratorType)):
            getattr(value, "close", bool)()  # or Python complains that nobody waits for it
            raise Unusable("something to `await`; write `def`, not `async def`")
        if depth >= MOST_AXES:
            raise Unusable(f"lists nested more than {MOST_AXES} deep")
        array = self._from_array(value)
        if array is not value:
            return self.unpack(array, depth) if type(array) is not list else self._items(array, depth)
        if isinstance(value, Number):
            return self._counted(_number(value))
        if issubclass(kind, (dict, set, frozenset)):
            raise Unusable(f"a {kind.__name__}, where the order of the numbers matters")
        if callable(value):
            raise Unusable("a function; is a pair of brackets missing?")
        if isinstance(value, Iterable):
            return self._items(value, depth)
        raise Unusable(f"an object of type `{kind.__name__}`")

    def _items(self, values: Iterable, depth: int) -> list:
        items = []
        for item in values:
            self.left -= 1
            if self.left < 0:
                raise Unusable(f"more than {MOST_NUMBERS:,} entries")
            items.append(self.unpack(item, depth + 1))
        return items

    def _counted(self, number: Any) -> Any:
        self.left -= 1
        return int(number) if type(number) is bool else number

    def _from_array(self, value: Any) -> Any:
        """Nested lists of an array or tensor of any package; anything else as it is."""
        if isinstance(value, (int, float, complex)):
            return {int: int, float: float, complex: complex}[_base(value)](value)
        if not hasattr(type(value), "tolist"):
            return value
        size = 1
        for length in getattr(value, "shape", ()):
            size *= int(length)
        if size > MOST_NUMBERS:
            raise Unusable(f"{size:,} numbers")
        inside = value.tolist()
        if type(inside) is type(value) and not getattr(value, "shape", ()):
            return _number(value)  # a long double is its own list
        return inside


def _base(value: Any) -> type:
    return next(kind for kind in (int, float, complex) if isinstance(value, kind))


def _number(value: Any) -> float | complex:
    """Fractions and decimals are numbers too."""
    try:
        return float(value)
    except TypeError:
        return complex(value)


def shape_of(value: Any) -> tuple[int, ...]:
    """Lengths of the axes. Raises: Unusable if rows have different lengths."""
    if not isinstance(value, list):
        return ()
    shapes = {shape_of(item) for item in value}
    if len(shapes) > 1:
        lengths = sorted({shape[0] if shape else 0 for shape in shapes})
        if len({len(shape) for shape in shapes}) > 1:
            raise Unusable("numbers and lists mixed in one row")
        raise Unusable(f"rows of unequal lengths ({', '.join(map(str, lengths))})")
    return (len(value), *(shapes.pop() if shapes else ()))


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from flat(item)
    else:
        yield value


def map_numbers(function: Any, value: Any) -> Any:
    """``function`` of each number, in the same nesting."""
    return [map_numbers(function, item) for item in value] if isinstance(value, list) else function(value)


@dataclass(frozen=True)
class Difference:
    """The first place at which two values of one shape differ, and how many places do."""

    index: tuple[int, ...]
    expected: Any
    got: Any
    wrong: int
    total: int


def first_difference(expected: Any, got: Any, tolerance: float) -> Difference | None:
    """None if two values of one shape agree everywhere."""
    pairs = list(zip(_with_index(expected, ()), flat(got), strict=True))
    wrong = [(index, right, other) for (index, right), other in pairs if not close(right, other, tolerance)]
    return Difference(*wrong[0], len(wrong), len(pairs)) if wrong else None


def close(expected: Any, got: Any, tolerance: float) -> bool:
    """Within ``tolerance``, or within that share of a number larger than 1."""
    if expected == got:
        return True
    try:
        if math.isnan(abs(expected)) and math.isnan(abs(got)):
            return True
        if math.isinf(abs(expected)) or math.isinf(abs(got)):
            return False
        return abs(expected - got) <= tolerance * max(1.0, abs(expected))
    except OverflowError:
        return False


def agree(expected: Any, got: Any, tolerance: float) -> bool:
    """Same shape, and close everywhere."""
    if isinstance(expected, list):
        if not isinstance(got, list) or len(expected) != len(got):
            return False
        return all(agree(one, other, tolerance) for one, other in zip(expected, got, strict=True))
    return not isinstance(got, list) and close(expected, got, tolerance)


def _with_index(value: Any, index: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Any]]:
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _with_index(item, (*index, place))
    else:
        yield index, value


def show(value: Any, most: int = 4) -> str:
    """A value as short text: ``0.8415``, ``[0, 1, 2]``, ``[[0.1, 0.2, …], …] (4 × 6)``."""
    if isinstance(value, list):
        body = _show_items(value, most)
        if "…" not in body:
            return body
        try:
            return f"{body} ({' × '.join(map(str, shape_of(value)))})"
        except Unusable:
            return body
    if isinstance(value, complex):
        return f"{show(value.real)}{'+' if value.imag >= 0 else '−'}{show(abs(value.imag))}j"
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 1e15
        return str(int(value) if whole else f"{value:.5g}").replace("-", "−")  # int: there is no −0
    if isinstance(value, int) and abs(value) < 10**30:
        return str(value).replace("-", "−")
    return shorten(_safe_repr(value))


def _show_items(value: list, most: int) -> str:
    few = most if not any(isinstance(item, list) for item in value) else 1
    shown = [_show_items(item, most) if isinstance(item, list) else show(item) for item in value[: few + 1]]
    if len(value) > few + 1:
        shown[few:] = ["…"]
    return f"[{', '.join(shown)}]"


def _safe_repr(value: Any) -> str:
    if isinstance(value, int):
        return f"an integer of {value.bit_length()} bits"
    try:
        return repr(value)
    except Exception:
        return f"an object of type {type(value).__name__}"


def shorten(text: str, most: int = 80) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
