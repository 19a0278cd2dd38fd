"""What the relative methods share: distances of all pairs, and checks that shapes fit each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.validation import real_array, same_length, whole_array


def whole_distances(query_positions: ArrayLike, key_positions: ArrayLike) -> NDArray[np.int64]:
    """Query − key of every pair, [Lq, Lk] or [B, Lq, Lk], for methods that look a distance up in a table."""
    query = whole_array("query_positions", query_positions, minimum=0)
    key = whole_array("key_positions", key_positions, minimum=0)
    return _all_pairs(query, key)


def real_distances(query_positions: ArrayLike, key_positions: ArrayLike) -> NDArray[np.float64]:
    """Query − key of every pair, [Lq, Lk] or [B, Lq, Lk], for methods that are functions of a distance."""
    return _all_pairs(real_array("query_positions", query_positions), real_array("key_positions", key_positions))


def token_vectors(name: str, value: ArrayLike, positions: str, length: int, *, axes: int = 2) -> NDArray[np.float64]:
    """``value`` as [..., L, D] with L the number of positions and at least ``axes`` axes."""
    vectors = real_array(name, value)
    if vectors.ndim < axes:
        raise ValueError(f"{name} must have at least {axes} axes, got shape {vectors.shape}")
    same_length(name, vectors.shape[-2], positions, length)
    return vectors


def same_heads(queries: NDArray, keys: NDArray, *, names: tuple[str, str] = ("queries", "keys")) -> None:
    """Raises: ValueError if the axes before the length, or the widths, of queries and keys differ."""
    if queries.shape[:-2] != keys.shape[:-2]:
        raise ValueError(
            f"{names[1]} must have the leading axes of {names[0]} (repeat grouped key heads before the call), "
            f"got {keys.shape[:-2]} and {queries.shape[:-2]}"
        )
    same_width(names[1], keys.shape[-1], queries.shape[-1], of=names[0])


def same_width(name: str, width: int, head_dim: int, *, of: str = "queries") -> None:
    """Raises: ValueError if a vector has another width than the queries."""
    if width != head_dim:
        raise ValueError(f"{name} has width {width} but {of} has width {head_dim}")


def per_head_parameter(name: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """``value`` as an array of exactly ``shape``, so that nothing broadcasts over a wrong axis."""
    parameter = real_array(name, value)
    if parameter.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {parameter.shape}")
    return parameter


def over_heads(pairs: NDArray, name: str, tokens: NDArray, *, channels: bool = False) -> NDArray:
    """``pairs`` with a head axis after its batch axis, so that it broadcasts against ``tokens`` [B, H, ...].

    ``pairs`` is [Lq, Lk] (returned as it is) or [B, Lq, Lk]; with ``channels`` each has one more axis at its end.
    """
    if pairs.ndim == (3 if channels else 2):
        return pairs
    if tokens.ndim != 4 or tokens.shape[0] != pairs.shape[0]:
        raise ValueError(
            f"{name} must have 4 axes, the first of length {pairs.shape[0]}, when positions have shape [B, L], "
            f"got shape {tokens.shape}"
        )
    return pairs[:, None]


def pick_per_pair(by_row: NDArray, rows: NDArray) -> NDArray:
    """out[..., i, j] = by_row[..., i, rows[..., i, j]]"""
    return np.take_along_axis(by_row, np.broadcast_to(rows, (*by_row.shape[:-1], rows.shape[-1])), axis=-1)


def _all_pairs(query: NDArray, key: NDArray) -> NDArray:
    for name, positions in (("query_positions", query), ("key_positions", key)):
        if positions.ndim not in (1, 2):
            raise ValueError(f"{name} must have shape [L] or [B, L], got shape {positions.shape}")
    if query.shape[:-1] != key.shape[:-1]:
        raise ValueError(
            f"query_positions and key_positions must both be [L] or both [B, L] with the same B, "
            f"got shapes {query.shape} and {key.shape}"
        )
    return query[..., :, None] - key[..., None, :]
