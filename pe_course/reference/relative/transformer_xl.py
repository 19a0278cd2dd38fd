"""Transformer-XL (Dai et al. 2019): a projected sinusoid of the distance, and two learned query vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference import absolute
from pe_course.reference.relative._pairs import (
    over_heads,
    per_head_parameter,
    pick_per_pair,
    real_distances,
    same_heads,
    token_vectors,
)
from pe_course.reference.validation import even_count, real_array, real_number


def transformer_xl_scores(
    queries: ArrayLike,
    keys: ArrayLike,
    position_projection: ArrayLike,
    content_bias: ArrayLike,
    position_bias: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    base: float = 10000.0,
    clamp_len: float | None = None,
) -> NDArray[np.float64]:
    r"""What Transformer-XL (Dai et al. 2019, arXiv:1901.02860, section 3.3) adds to q·k **before** the scale.

    .. math:: A_{ij} = q_i^\top k_j + q_i^\top W_R R_{i-j} + u^\top k_j + v^\top W_R R_{i-j}

    with R the sinusoid of the distance, sines first and cosines after them. Returned are the last three terms. Values
    stay as they are.

    With M memory states the keys are the memory and then the segment: ``key_positions`` 0…M+L−1,
    ``query_positions`` M…M+L−1. The released code computes distances M+L−1…0 once and aligns them with `rel_shift`;
    here every pair takes its own distance, so that a key after the query gets the sinusoid of a negative distance where
    the released code holds a wrapped number. Both need the causal mask there.

    In the released code u (``r_w_bias``) and v (``r_r_bias``) are per head and tied across layers unless ``untie_r``;
    W_R (``r_net``) is per layer.

    Parameters
    ----------
    queries
        [..., H, Lq, D].
    keys
        [..., H, Lk, D].
    position_projection
        W_R as [D_model, H, D], D_model even. From a torch Linear weight [H·D, D_model]: ``weight.T.reshape(D_model, H,
        D)``.
    content_bias
        u, [H, D].
    position_bias
        v, [H, D].
    query_positions, key_positions
        Finite numbers, [L] or [B, L].
    base
        Of the sinusoid.
    clamp_len
        Distances above it count as ``clamp_len`` (None: no limit).

    Returns
    -------
    float64 [..., H, Lq, Lk]

    Raises
    ------
    ValueError
        If shapes do not fit, D_model is odd, clamp_len <= 0, base <= 1.
    """
    distance = real_distances(query_positions, key_positions)
    if clamp_len is not None:
        distance = np.minimum(distance, real_number("clamp_len", clamp_len, above=0))
    return content_and_position_terms(
        queries, keys, position_projection, content_bias, position_bias, distance, base=base
    )


def content_and_position_terms(
    queries: ArrayLike,
    keys: ArrayLike,
    position_projection: ArrayLike,
    content_bias: ArrayLike,
    position_bias: ArrayLike,
    distance: NDArray[np.float64],
    *,
    base: float,
    keep: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """u·k + (q + v)·(W_R R) of given distances; the second only where ``keep`` is True. XLNet needs it too."""
    q = token_vectors("queries", queries, "query_positions", distance.shape[-2], axes=3)
    k = token_vectors("keys", keys, "key_positions", distance.shape[-1], axes=3)
    same_heads(q, k)
    heads, head_dim = q.shape[-3], q.shape[-1]
    model_dim = len(real_array("position_projection", position_projection, rank=3))
    even_count("position_projection's first axis D_model", model_dim)
    projection = per_head_parameter("position_projection", position_projection, (model_dim, heads, head_dim))
    u = per_head_parameter("content_bias", content_bias, (heads, head_dim))
    v = per_head_parameter("position_bias", position_bias, (heads, head_dim))

    distinct, row = np.unique(distance, return_inverse=True)
    sinusoid = absolute.sinusoidal_positions(distinct, model_dim, base=base, layout="concat")
    relative_keys = np.einsum("rm,mhd->hrd", sinusoid, projection)
    by_row = np.einsum("...hid,hrd->...hir", q + v[:, None, :], relative_keys)
    position_term = pick_per_pair(by_row, over_heads(row.reshape(distance.shape), "queries", q))
    if keep is not None:
        position_term = np.where(over_heads(keep, "queries", q), position_term, 0.0)
    return np.einsum("hd,...hjd->...hj", u, k)[..., None, :] + position_term


def rel_shift(scores_by_distance: ArrayLike) -> NDArray[np.float64]:
    r"""Transformer-XL's shift by reshaping (Dai et al. 2019, arXiv:1901.02860, appendix B), as the code does it.

    Column m of the input [..., q, k] scores distance k − 1 − m. A zero column is put before it, the rows are read again
    as [k + 1, q], the first is dropped:

    .. math:: \mathrm{out}[i, j] = x[i,\; j + (q - 1) - i] \qquad \text{for } j \le k - q + i

    Above that diagonal stand numbers of the next row and a zero, which a causal mask must remove. For q = k this is the
    skew of Music Transformer (equation from secondary reading).

    Returns
    -------
    float64 [..., q, k]

    Raises
    ------
    ValueError
        If q > k (queries are the last q of the k positions).
    """
    x = _queries_last(scores_by_distance)
    *leading, q, k = x.shape
    padded = np.concatenate([np.zeros((*leading, q, 1)), x], axis=-1)
    return padded.reshape(*leading, k + 1, q)[..., 1:, :].reshape(x.shape)


def rel_shift_gather(scores_by_distance: ArrayLike, *, fill: float = 0.0) -> NDArray[np.float64]:
    r"""`rel_shift` without wrapped numbers: a gather, with ``fill`` (any float, also −inf) above the diagonal.

    .. math:: \mathrm{out}[i, j] = x[i,\; j + (q - 1) - i] \ \text{ if } j \le k - q + i \text{ else fill}

    Returns
    -------
    float64 [..., q, k]

    Raises
    ------
    ValueError
        If q > k.
    TypeError
        If fill is no number.
    """
    x = _queries_last(scores_by_distance)
    if not isinstance(fill, (float, np.floating)):  # floats include −inf, which `real_number` refuses
        fill = real_number("fill", fill)
    q, k = x.shape[-2:]
    column = np.arange(k)[None, :] + (q - 1) - np.arange(q)[:, None]
    return np.where(column < k, pick_per_pair(x, np.minimum(column, k - 1)), float(fill))


def _queries_last(scores_by_distance: ArrayLike) -> NDArray[np.float64]:
    x = real_array("scores_by_distance", scores_by_distance)
    if x.ndim < 2:
        raise ValueError(f"scores_by_distance must have at least 2 axes, got shape {x.shape}")
    if x.shape[-2] > x.shape[-1]:
        raise ValueError(
            f"scores_by_distance must have at least as many columns (keys) as rows (queries), got shape {x.shape}"
        )
    return x
