"""Distances that stop growing or grow slower beyond a window, so that no unseen angle occurs.

Each method has two score matrices: near keys see the plain distance, far keys another one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.rotary.rotation import apply_rope
from pe_course.reference.validation import count, real_array, real_number, same_length, whole_array


def rerope_scores(
    q: ArrayLike,
    k: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    window: int = 512,
    base: float = 10000.0,
    layout: str = "half",
    inv_freq: ArrayLike | None = None,
) -> NDArray[np.float64]:
    r"""Scores of ReRoPE: the true distance inside the window, the window itself beyond it.

    .. math:: s_{ij} = q_i^\top R_{-r_{ij}}\, k_j, \qquad
              r_{ij} = i - j \ \text{if}\ |i - j| < w, \quad w \ \text{otherwise}

    Su 2023, https://kexue.fm/archives/9708, and the author's code (bojone/rerope), of which these are the
    defaults. Rotation cannot clamp a distance, so two matrices are computed: one with plain RoPE, one with the
    query at position w and the key not rotated.

    Parameters
    ----------
    q : array [..., L, D]
    k : array [..., S, D]
        Not rotated, not scaled; equal leading axes, usually [B, H]. Repeat key heads first where they are fewer.
    query_positions, key_positions : [L] and [S], or [B, L] and [B, S] beside [B, H, L, D]
        Finite real numbers.
    window : int
        w, at least 1.
    base, layout, inv_freq
        As in `apply_rope`.

    Returns
    -------
    float64 array [..., L, S], without the scale :math:`1/\sqrt{D}`.

    Raises
    ------
    TypeError, ValueError
        As `apply_rope`, and if q and k do not fit each other or ``window`` is below 1.

    Notes
    -----
    A future key beyond the window gets the distance +w, too: a causal mask must follow. The released code
    also multiplies the query of position i by :math:`\max(1, \ln(i + 1)/\ln L)`: `scaling.logn_scale`.
    """
    far = _far_positions(_positions(query_positions, key_positions), window, math.inf)
    return _two_matrices(q, k, query_positions, key_positions, far, window, base=base, layout=layout, inv_freq=inv_freq)


def leaky_rerope_scores(
    q: ArrayLike,
    k: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    window: int = 512,
    leaky_factor: float = 16.0,
    base: float = 10000.0,
    layout: str = "half",
    inv_freq: ArrayLike | None = None,
) -> NDArray[np.float64]:
    r"""Scores of leaky ReRoPE: beyond the window the distance grows ``leaky_factor`` times slower.

    .. math:: r_{ij} = i - j \ \text{if}\ |i - j| < w, \quad w + (i - j - w)/k \ \text{otherwise}

    Su 2023, https://kexue.fm/archives/9708, and the author's code (bojone/rerope, ``scaling_factor = 16``).

    Parameters, result and errors as `rerope_scores`; leaky_factor: k, at least 1. At 1 this is plain RoPE; as it
    grows, ReRoPE. A future key needs a mask, as there.
    """
    leaky_factor = real_number("leaky_factor", leaky_factor, at_least=1)
    far = _far_positions(_positions(query_positions, key_positions), window, leaky_factor)
    return _two_matrices(q, k, query_positions, key_positions, far, window, base=base, layout=layout, inv_freq=inv_freq)


def self_extend_scores(
    q: ArrayLike,
    k: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    window: int,
    group: int,
    base: float = 10000.0,
    layout: str = "half",
    inv_freq: ArrayLike | None = None,
) -> NDArray[np.float64]:
    r"""Scores of Self-Extend: beyond the window, positions count groups of tokens.

    .. math:: i \mapsto \lfloor i/G \rfloor + w - \lfloor w/G \rfloor, \qquad j \mapsto \lfloor j/G \rfloor
              \qquad \text{where}\ |i - j| \ge w

    Jin et al. 2024 (arXiv:2401.01325); equation from secondary reading.

    Parameters, result and errors as `rerope_scores`; positions whole and non-negative, because they are
    counted in groups; window: w, at least 1; group: G, at least 1 (1 is plain RoPE).
    """
    far = _grouped_positions(query_positions, key_positions, window, group)
    return _two_matrices(q, k, query_positions, key_positions, far, window, base=base, layout=layout, inv_freq=inv_freq)


def rerope_distance(distance: ArrayLike, *, window: int = 512) -> NDArray[np.float64]:
    """Distance that ReRoPE rotates by in place of the true one, see `rerope_scores`.

    Parameters
    ----------
    distance
        **query − key**, any shape, finite.
    window
        At least 1.

    Returns
    -------
    float64 array of the same shape
        The distance itself where its size is below ``window``, ``window`` elsewhere (for future keys as well, which a
        mask must hide).

    Raises
    ------
    TypeError, ValueError
    """
    return _stretched_distance(distance, window, math.inf)


def leaky_rerope_distance(distance: ArrayLike, *, window: int = 512, leaky_factor: float = 16.0) -> NDArray[np.float64]:
    """Distance that leaky ReRoPE rotates by, see `leaky_rerope_scores`.

    Parameters
    ----------
    distance
        **query − key**, any shape, finite.
    window
        At least 1.
    leaky_factor
        At least 1.

    Returns
    -------
    float64 array of the same shape

    Raises
    ------
    TypeError, ValueError
    """
    return _stretched_distance(distance, window, real_number("leaky_factor", leaky_factor, at_least=1))


def self_extend_distance(
    query_positions: ArrayLike, key_positions: ArrayLike, *, window: int, group: int
) -> NDArray[np.float64]:
    """Distance that Self-Extend rotates by, see `self_extend_scores`. It depends on both positions.

    Parameters
    ----------
    query_positions
        [..., L].
    key_positions
        [..., S], whole and non-negative.
    window, group
        At least 1.

    Returns
    -------
    float64 array [..., L, S]

    Raises
    ------
    TypeError, ValueError
    """
    far_query, far_key = _grouped_positions(query_positions, key_positions, window, group)
    distance = _pairwise(*_positions(query_positions, key_positions))
    return np.where(np.abs(distance) < window, distance, _pairwise(far_query, far_key))


def _far_positions(
    positions: tuple[NDArray[np.float64], NDArray[np.float64]], window: int, leaky_factor: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Positions whose difference is ``window + (distance - window) / leaky_factor``."""
    query, key = positions
    window = count("window", window)
    return window + (query - window) / leaky_factor, key / leaky_factor


def _grouped_positions(
    query_positions: ArrayLike, key_positions: ArrayLike, window: int, group: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    _positions(query_positions, key_positions)
    query = whole_array("query_positions", query_positions, minimum=0)
    key = whole_array("key_positions", key_positions, minimum=0)
    window, group = count("window", window), count("group", group)
    return (query // group + window - window // group).astype(float), (key // group).astype(float)


def _stretched_distance(distance: ArrayLike, window: int, leaky_factor: float) -> NDArray[np.float64]:
    near = real_array("distance", distance)
    far_query, far_key = _far_positions((near, np.zeros_like(near)), window, leaky_factor)
    return np.where(np.abs(near) < window, near, far_query - far_key)


def _two_matrices(
    q: ArrayLike,
    k: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    far_positions: tuple[NDArray[np.float64], NDArray[np.float64]],
    window: int,
    **rope,
) -> NDArray[np.float64]:
    """Plain scores where the true distance is below ``window``, scores at ``far_positions`` elsewhere."""
    queries, keys = real_array("q", q), real_array("k", k)
    if queries.ndim < 2 or queries.shape[:-2] != keys.shape[:-2] or queries.shape[-1:] != keys.shape[-1:]:
        raise ValueError(f"q and k must be [..., L, D] and [..., S, D], got {queries.shape} and {keys.shape}")
    near_positions = _positions(query_positions, key_positions)
    for side, positions, name, vectors in zip(("query", "key"), near_positions, "qk", (queries, keys), strict=True):
        same_length(f"{side}_positions", positions.shape[-1], name, vectors.shape[-2])
    near, far = (
        apply_rope(queries, at_query, **rope) @ np.swapaxes(apply_rope(keys, at_key, **rope), -1, -2)
        for at_query, at_key in (near_positions, far_positions)
    )
    is_near = np.abs(_pairwise(*near_positions)) < window
    if is_near.ndim == 3 and near.ndim == 4:
        is_near = is_near[:, None]
    return np.where(is_near, near, far)


def _positions(query_positions: ArrayLike, key_positions: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    query = real_array("query_positions", query_positions)
    key = real_array("key_positions", key_positions)
    if query.ndim == 0 or query.ndim != key.ndim or query.shape[:-1] != key.shape[:-1]:
        raise ValueError(
            "query_positions and key_positions must be [L] and [S] or [B, L] and [B, S], "
            f"got {query.shape} and {key.shape}"
        )
    return query, key


def _pairwise(query: NDArray[np.float64], key: NDArray[np.float64]) -> NDArray[np.float64]:
    return query[..., :, None] - key[..., None, :]
