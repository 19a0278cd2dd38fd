"""What every function of the package says when its input is wrong: argument, value and limit.

A check returns the checked value in the form the formulas need (float64, int64 or a plain
number), so that a caller writes ``positions = real_array("positions", positions)`` and goes on.
"""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

LARGEST_WHOLE = 2**53 - 1
"""Up to here float64 holds every whole number, so that none is mistaken for its neighbour."""


def real_array(
    name: str, value: ArrayLike, *, rank: int | None = None, allow_empty: bool = False
) -> NDArray[np.float64]:
    """``value`` as a float64 array of finite numbers.

    Raises: TypeError if the entries are no real numbers (bool and complex are none); ValueError on
    NaN or infinity, on a rank other than ``rank`` and, unless ``allow_empty``, on an empty array.
    """
    array = _numeric_array(name, value)
    if rank is not None and array.ndim != rank:
        raise ValueError(f"{name} must have {_axes(rank)}, got shape {array.shape}")
    if array.size == 0 and not allow_empty:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)].flat[0]
        raise ValueError(f"{name} must be finite, got {bad}")
    return array


def whole_array(
    name: str,
    value: ArrayLike,
    *,
    rank: int | None = None,
    minimum: int | None = None,
    maximum: int | None = None,
) -> NDArray[np.int64]:
    """``value`` as an int64 array: whole numbers between ``minimum`` and ``maximum`` (both allowed).

    Raises: TypeError, ValueError as `real_array`; ValueError if a number has a fractional part, is below
    ``minimum``, above ``maximum``, or farther from 0 than `LARGEST_WHOLE`.
    """
    array = real_array(name, value, rank=rank)
    if np.abs(array).max() > LARGEST_WHOLE:
        bad = array[np.abs(array) > LARGEST_WHOLE].flat[0]
        raise ValueError(f"{name} must be at most {LARGEST_WHOLE} in size to be exact, got {bad:.17g}")
    if (array != np.floor(array)).any():
        bad = array[array != np.floor(array)].flat[0]
        raise ValueError(f"{name} must be whole numbers, got {bad}")
    if minimum is not None and array.min() < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {int(array.min())}")
    if maximum is not None and array.max() > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {int(array.max())}")
    return array.astype(np.int64)


def table_index(name: str, value: ArrayLike, rows: int, *, table: str = "the table") -> NDArray[np.int64]:
    """``value`` as row numbers of a table.

    Raises: IndexError if a row number is negative or not below ``rows``; otherwise as `whole_array`.
    """
    index = whole_array(name, value)
    if index.min() < 0 or index.max() >= rows:
        bad = index[(index < 0) | (index >= rows)].flat[0]
        raise IndexError(f"{name} {bad} is outside {table} of {rows} positions (0…{rows - 1})")
    return index


def count(name: str, value: int, *, minimum: int = 1, maximum: int | None = None) -> int:
    """``value`` as an int between ``minimum`` and ``maximum`` (both allowed).

    Raises: TypeError if it is not whole, ValueError if it is too small or too large (without a ``maximum``:
    above `LARGEST_WHOLE`).
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    maximum = LARGEST_WHOLE if maximum is None else maximum
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}")
    if value > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {_shown(value)}")
    return int(value)


def even_count(name: str, value: int, *, minimum: int = 2, why: str = "its channels are used in pairs") -> int:
    """``value`` as an even int. Raises: as `count`; ValueError if it is odd."""
    number = count(name, value, minimum=minimum)
    if number % 2:
        raise ValueError(f"{name} must be even because {why}, got {number}")
    return number


def real_number(
    name: str,
    value: float,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> float:
    """``value`` as a finite float within the named limits. Raises: TypeError, ValueError."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a real number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name} must be finite in float64, got {_shown(value)}") from None
    if not np.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}")
    if above is not None and number <= above:
        raise ValueError(f"{name} must be greater than {above:g}, got {number:g}")
    if at_least is not None and number < at_least:
        raise ValueError(f"{name} must be at least {at_least:g}, got {number:g}")
    if at_most is not None and number > at_most:
        raise ValueError(f"{name} must be at most {at_most:g}, got {number:g}")
    return number


def one_of(name: str, value: str, options: Collection[str]) -> str:
    """``value`` if it is one of ``options``. Raises: ValueError that lists them."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}")
    return value


def flag(name: str, value: bool) -> bool:
    """``value`` as a bool. Raises: TypeError if it is anything but True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def rectangular(name: str, value: ArrayLike) -> NDArray:
    """``value`` as an array of whatever type it has.

    Raises: ValueError if its rows differ in length; TypeError if it is a masked array, whose mask would be lost.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array because its mask would be ignored, got {value!r}")
    try:
        return np.asarray(value)
    except (ValueError, TypeError, RuntimeError) as error:  # RuntimeError: a torch tensor that requires a gradient
        raise ValueError(f"{name} must be a rectangular array: {error}") from None


def bool_array(name: str, value: ArrayLike, *, rank: int | None = None) -> NDArray[np.bool_]:
    """``value`` as a bool array. Raises: TypeError if it holds others; ValueError on a wrong rank or if empty."""
    array = rectangular(name, value)
    if array.dtype != np.bool_:
        raise TypeError(f"{name} must be boolean, got dtype {array.dtype}")
    if rank is not None and array.ndim != rank:
        raise ValueError(f"{name} must have {_axes(rank)}, got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}")
    return array


def fits_shape(name: str, array: NDArray, shape: tuple[int, ...]) -> NDArray:
    """``array`` if it broadcasts to ``shape`` without enlarging it.

    At least two axes are asked for where ``shape`` has two: one entry per query and one entry per key
    look alike when there are as many queries as keys.

    Raises: ValueError naming both shapes.
    """
    lengths = array.shape[::-1]
    fits = all(length in (1, wanted) for length, wanted in zip(lengths, shape[::-1], strict=False))
    fewest = min(2, len(shape))
    if not fewest <= array.ndim <= len(shape) or not fits:
        raise ValueError(f"{name} must have at least {_axes(fewest)} and broadcast to {shape}, got shape {array.shape}")
    return array


def need_axes(name: str, array: NDArray, fewest: int, shape: str) -> None:
    """Raises: ValueError if ``array`` has fewer axes than ``shape`` (such as "[..., tokens]") asks for."""
    if array.ndim < fewest:
        raise ValueError(f"{name} must have at least {_axes(fewest)} {shape}, got shape {array.shape}")


def axis_number(name: str, value: int, rank: int) -> int:
    """``value`` as an axis of an array with ``rank`` axes, counted from 0. Raises: TypeError, ValueError."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if rank == 0:
        raise ValueError(f"{name} {value} does not exist in an array without axes")
    if not -rank <= value < rank:
        raise ValueError(f"{name} must be one of the {rank} axes ({-rank}…{rank - 1}), got {value}")
    return int(value) % rank


def same_length(first: str, first_length: int, second: str, second_length: int) -> None:
    """Raises: ValueError naming both arguments if the two lengths differ."""
    if first_length != second_length:
        raise ValueError(f"{first} has length {first_length} but {second} has length {second_length}")


def no_more_than(first: str, first_number: int, second: str, second_number: int) -> None:
    """Raises: ValueError naming both if the first number is the larger one."""
    if first_number > second_number:
        raise ValueError(f"{first} must be at most {second}, {second_number}, got {first_number}")


def multiple_of(name: str, value: int, divisor: int, *, why: str) -> int:
    """``value`` if ``divisor`` divides it. Raises: ValueError that says why it must."""
    if value % divisor:
        raise ValueError(f"{name} must be a multiple of {divisor} because {why}, got {value}")
    return value


def _numeric_array(name: str, value: ArrayLike) -> NDArray:
    array = rectangular(name, value)
    if array.size == 0:
        return array.astype(np.float64)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    return array


def _shown(value: Real) -> str:
    """``value``, shortened where it has so many digits that a message would be unreadable."""
    try:
        text = str(value)
    except ValueError:  # Python prints no whole number of more than 4300 digits
        return f"a whole number of {value.bit_length()} bits"
    return text if len(text) <= 30 else f"{text[:8]}… ({len(text)} digits)"


def _axes(number: int) -> str:
    return "1 axis" if number == 1 else f"{number} axes"
