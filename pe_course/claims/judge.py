"""The comparison that conditions of claims are written with."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def near(value: ArrayLike, expected: ArrayLike, within: float = 1e-9) -> bool:
    """Whether all entries are within so much of those expected: a number for all, or an array of the same shape."""
    found, wanted = np.asarray(value, dtype=float), np.asarray(expected, dtype=float)
    same_shape = wanted.ndim == 0 or found.shape == wanted.shape
    return bool(same_shape and np.all(np.abs(found - wanted) <= within))
