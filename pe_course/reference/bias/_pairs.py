"""Query and key positions to one distance per pair; numbers per head in front of those pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.validation import real_array, same_length, whole_array


def pairwise_distance(query_positions: ArrayLike, key_positions: ArrayLike) -> NDArray[np.float64]:
    """``query − key`` for each pair: [L], [S] to [L, S]; [B, L], [B, S] to [B, L, S]. Any real positions."""
    query = real_array("query_positions", query_positions)
    key = real_array("key_positions", key_positions)
    return _difference(query, key)


def pairwise_whole_distance(query_positions: ArrayLike, key_positions: ArrayLike) -> NDArray[np.int64]:
    """As `pairwise_distance`, for positions that are counted: whole and not negative."""
    query = whole_array("query_positions", query_positions, minimum=0)
    key = whole_array("key_positions", key_positions, minimum=0)
    return _difference(query, key)


def _difference(query: NDArray, key: NDArray) -> NDArray:
    for name, positions in (("query_positions", query), ("key_positions", key)):
        if positions.ndim not in (1, 2):
            raise ValueError(f"{name} must have shape [L] or [B, L], got shape {positions.shape}")
    if query.ndim != key.ndim:
        raise ValueError(
            f"query_positions and key_positions must both be [L] or both [B, L], "
            f"got shapes {query.shape} and {key.shape}"
        )
    if query.ndim == 2:
        same_length("query_positions", len(query), "key_positions", len(key))
    return query[..., :, None] - key[..., None, :]


def one_or_per_head(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """``value`` as a number or as one number per head, [H]. Raises: as `real_array`; ValueError on more axes."""
    numbers = real_array(name, value)
    if numbers.ndim > 1:
        raise ValueError(f"{name} must be one number or have shape [H], got shape {numbers.shape}")
    return numbers


def before_axes(numbers: NDArray[np.float64], axes: int) -> NDArray[np.float64]:
    """[H] as [H, 1, …, 1] with ``axes`` ones, so that heads come first; one number stays as it is."""
    return numbers.reshape(numbers.shape + (1,) * axes) if numbers.ndim else numbers


def same_head_count(**parameters: NDArray[np.float64]) -> None:
    """Raises: ValueError if two of the parameters are given per head with different numbers of heads."""
    per_head = [(name, len(numbers)) for name, numbers in parameters.items() if numbers.ndim]
    for name, heads in per_head[1:]:
        same_length(*per_head[0], name, heads)
