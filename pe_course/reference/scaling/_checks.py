"""Checks that several modules of the family share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference import validation as check

FloatArray = NDArray[np.float64]


def width_and_base(dim: int, base: float, *, minimum: int = 2) -> tuple[int, float]:
    """The rotated width and the base of a RoPE."""
    return check.even_count("dim", dim, minimum=minimum), check.real_number("base", base, above=1)


def fast_and_slow(fast_name: str, fast: float, slow_name: str, slow: float) -> tuple[float, float]:
    """Two positive numbers of turns, the first at least the second."""
    slow = check.real_number(slow_name, slow, above=0)
    fast = check.real_number(fast_name, fast, above=0)
    if fast < slow:
        raise ValueError(f"{fast_name} must be at least {slow_name} {slow:g}, got {fast:g}")
    return fast, slow


def numbers(name: str, values: ArrayLike, length: int, meaning: str) -> FloatArray:
    """``values`` as so many numbers in a row; ``meaning`` says of what."""
    array = check.real_array(name, values, rank=1)
    if array.size != length:
        raise ValueError(f"{name} must have {length} entries, {meaning}, got {array.size}")
    return array
