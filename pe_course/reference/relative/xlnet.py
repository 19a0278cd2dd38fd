"""XLNet (Yang et al. 2019): Transformer-XL's terms in both directions, and a term for the segment."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.relative._pairs import over_heads, per_head_parameter, real_distances, token_vectors
from pe_course.reference.relative.transformer_xl import content_and_position_terms
from pe_course.reference.validation import count, one_of, real_array, real_number, whole_array

ATTN_TYPES = ("bi", "uni")


def xlnet_scores(
    queries: ArrayLike,
    keys: ArrayLike,
    position_projection: ArrayLike,
    content_bias: ArrayLike,
    position_bias: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    attn_type: str = "bi",
    clamp_len: float | None = None,
    base: float = 10000.0,
) -> NDArray[np.float64]:
    r"""What XLNet (Yang et al. 2019, arXiv:1906.08237, section 2.5) adds to q·k **before** the scale.

    .. math:: A_{ij} = (q_i + u)^\top k_j + (q_i + v)^\top W_R R_{i-j} + (q_i + s)^\top g_{ij}

    Returned are :math:`u^\top k_j + (q_i + v)^\top W_R R_{i-j}`; the segment term is
    `xlnet_segment_scores`. Differences from `transformer_xl_scores`: keys may follow the query, so distances are
    negative too; ``clamp_len`` cuts both signs; u, v, s and W_R are per layer.

    Parameters
    ----------
    queries, keys, position_projection, content_bias, position_bias, query_positions, key_positions, base
        As in `transformer_xl_scores`; position_projection is [D_model, H, D] as in the released code, which calls the
        biases ``r_w_bias`` and ``r_r_bias``.
    attn_type
        "bi", or "uni", whose released table ends at distance 0. There the position term of a key after the query is a
        wrapped number that the mask must remove; here it is 0.
    clamp_len
        Distances are cut to −clamp_len…clamp_len (None: no limit; released configurations write −1).

    Returns
    -------
    float64 [..., H, Lq, Lk]

    Raises
    ------
    ValueError
        If shapes do not fit, D_model is odd, attn_type is unknown, clamp_len <= 0, base <= 1.
    """
    one_of("attn_type", attn_type, ATTN_TYPES)
    distance = real_distances(query_positions, key_positions)
    keep = distance >= 0 if attn_type == "uni" else None
    if clamp_len is not None:
        limit = real_number("clamp_len", clamp_len, above=0)
        distance = np.clip(distance, -limit, limit)
    return content_and_position_terms(
        queries, keys, position_projection, content_bias, position_bias, distance, base=base, keep=keep
    )


def xlnet_segment_scores(
    queries: ArrayLike,
    segment_bias: ArrayLike,
    segment_embeddings: ArrayLike,
    query_segments: ArrayLike,
    key_segments: ArrayLike,
) -> NDArray[np.float64]:
    r"""XLNet's segment term :math:`(q_i + s)^\top g_{ij}`, un-scaled (Yang et al. 2019, arXiv:1906.08237, section 2.5).

    It asks whether two tokens are of the same segment, not which segments they are. Hugging Face gives every memory
    state segment 0.

    Parameters
    ----------
    queries
        [..., H, Lq, D].
    segment_bias
        s (``r_s_bias``), [H, D].
    segment_embeddings
        ``seg_embed``, [2, H, D]; row 0 the same segment, row 1 another one.
    query_segments, key_segments
        Whole numbers >= 0, [Lq] and [Lk], or [B, Lq] and [B, Lk].

    Returns
    -------
    float64 [..., H, Lq, Lk]

    Raises
    ------
    ValueError
        If shapes do not fit or a segment number is negative or not whole.
    """
    query = whole_array("query_segments", query_segments, minimum=0)
    key = whole_array("key_segments", key_segments, minimum=0)
    if query.ndim not in (1, 2) or query.ndim != key.ndim or query.shape[:-1] != key.shape[:-1]:
        raise ValueError(
            "query_segments and key_segments must both be [L] or both [B, L] with the same B, "
            f"got shapes {query.shape} and {key.shape}"
        )
    different = query[..., :, None] != key[..., None, :]
    q = token_vectors("queries", queries, "query_segments", query.shape[-1], axes=3)
    heads, head_dim = q.shape[-3], q.shape[-1]
    s = per_head_parameter("segment_bias", segment_bias, (heads, head_dim))
    embeddings = per_head_parameter("segment_embeddings", segment_embeddings, (2, heads, head_dim))
    same, other = np.einsum("...hid,ghd->g...hi", q + s[:, None, :], embeddings)
    return np.where(over_heads(different, "queries", q), other[..., None], same[..., None])


def xlnet_relative_positions(query_length: int, key_length: int, *, attn_type: str = "bi") -> NDArray[np.int64]:
    """Distances query − key of the rows of XLNet's table, in the released order, for use with `xlnet_rel_shift`.

    "bi": key_length … −query_length + 1; "uni": key_length … 0. Row 0 (distance key_length) is never used.

    Raises
    ------
    ValueError, TypeError
        If a length is not a whole number >= 1, query_length > key_length (queries are the last of the keys; the rest is
        memory), or attn_type is unknown.
    """
    q, k = _lengths(query_length, key_length)
    one_of("attn_type", attn_type, ATTN_TYPES)
    return np.arange(k, -q if attn_type == "bi" else -1, -1)


def xlnet_rel_shift(scores_by_distance: ArrayLike, key_length: int) -> NDArray[np.float64]:
    r"""XLNet's shift: [..., q, rows] read again as [rows, q], first row dropped, cut to ``key_length`` columns.

    Column m of the input scores distance key_length − m (`xlnet_relative_positions`), and

    .. math:: \mathrm{out}[i, j] = x[i,\; q - i + j]

    always for the k + q rows of "bi", and for j <= k − q + i for the k + 1 rows of "uni", above which stand numbers of
    the next row. Unlike Transformer-XL's `rel_shift` no zero column is added.

    Returns
    -------
    float64 [..., q, key_length]

    Raises
    ------
    ValueError
        If the rows are fewer than key_length + 1, or q > key_length.
    """
    x = real_array("scores_by_distance", scores_by_distance)
    if x.ndim < 2:
        raise ValueError(f"scores_by_distance must have at least 2 axes, got shape {x.shape}")
    *leading, q, rows = x.shape
    _, k = _lengths(q, key_length)
    if rows < k + 1:
        raise ValueError(f"scores_by_distance must have at least key_length + 1 = {k + 1} columns, got {rows}")
    return x.reshape(*leading, rows, q)[..., 1:, :].reshape(*leading, q, rows - 1)[..., :k]


def _lengths(query_length: int, key_length: int) -> tuple[int, int]:
    q, k = count("query_length", query_length), count("key_length", key_length)
    if q > k:
        raise ValueError(f"query_length must be at most key_length {k}, got {q}")
    return q, k
