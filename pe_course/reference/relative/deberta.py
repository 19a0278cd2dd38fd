"""DeBERTa (He et al. 2021): disentangled attention between content and relative position."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.relative._pairs import (
    over_heads,
    pick_per_pair,
    same_heads,
    same_width,
    token_vectors,
    whole_distances,
)
from pe_course.reference.validation import count, flag, one_of, real_array, whole_array

POS_ATT_TYPES = ("c2p", "p2c")
P2C_INDEXES = ("code", "paper")
NO_BUCKETS = -1

# A quotient of logarithms that ought to be a whole number misses it by a few units in the last place; quotients
# that ought not to be are much farther from one.
_ROUNDING = 1e-9


def deberta_scores(
    queries: ArrayLike,
    keys: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    position_keys: ArrayLike | None = None,
    position_queries: ArrayLike | None = None,
    max_relative_positions: int = 512,
    position_buckets: int = NO_BUCKETS,
    p2c_index: str = "code",
) -> NDArray[np.float64]:
    r"""What disentangled attention (He et al. 2021, arXiv:2006.03654, equation 4) adds to q·k **before** the scale.

    .. math:: A_{ij} = Q^c_i \cdot K^c_j + \underbrace{Q^c_i \cdot K^r_{\delta(i,j)}}_{\text{content to position}}
        + \underbrace{K^c_j \cdot Q^r_{\delta(i,j)}}_{\text{position to content}}

    Returned are the second and third term, each if its table is given. The scale is `deberta_scale`, not 1/√D.

    The paper writes δ(j, i) in the third term. Both released codes (microsoft/DeBERTa and Hugging Face Transformers)
    use δ(i, j), and checkpoints follow the code.

    One embedding table of 2k rows is shared by all layers and projected per layer; with ``share_att_key`` (v2, v3) by
    the content projections, otherwise (v1) by its own, of which the one for queries has a bias and the one for keys has
    none. v2 and v3 normalise the table first (``norm_rel_ebd``).

    Parameters
    ----------
    queries
        [..., Lq, D].
    keys
        [..., Lk, D] with the same leading axes.
    query_positions, key_positions
        Whole numbers >= 0, [L] or [B, L].
    position_keys
        K^r, the table projected to keys, [H, 2k, D] (or [2k, D] for all heads): adds "c2p".
    position_queries
        Q^r, the table projected to queries, same shape: adds "p2c".
    max_relative_positions, position_buckets
        As in `deberta_relative_index`.
    p2c_index
        "code" for δ(i, j), "paper" for δ(j, i).

    Returns
    -------
    float64 [..., Lq, Lk]

    Raises
    ------
    ValueError
        If neither table is given, a table has not 2k rows, shapes do not fit, p2c_index is unknown; otherwise as
        `deberta_relative_index`.
    """
    one_of("p2c_index", p2c_index, P2C_INDEXES)
    if position_keys is None and position_queries is None:
        raise ValueError("position_keys or position_queries must be given, got None for both")
    options = {"max_relative_positions": max_relative_positions, "position_buckets": position_buckets}
    query_to_key = deberta_relative_index(query_positions, key_positions, **options)
    q = token_vectors("queries", queries, "query_positions", query_to_key.shape[-2])
    k = token_vectors("keys", keys, "key_positions", query_to_key.shape[-1])
    same_heads(q, k)
    span = _span(max_relative_positions, position_buckets)
    term = np.zeros(())
    if position_keys is not None:
        table = _position_table("position_keys", position_keys, q, span)
        term = term + pick_per_pair(q @ np.swapaxes(table, -1, -2), over_heads(query_to_key, "queries", q))
    if position_queries is not None:
        table = _position_table("position_queries", position_queries, q, span)
        if p2c_index == "code":
            of_key = np.swapaxes(query_to_key, -1, -2)
        else:
            of_key = deberta_relative_index(key_positions, query_positions, **options)
        by_key = pick_per_pair(k @ np.swapaxes(table, -1, -2), over_heads(of_key, "keys", k))
        term = term + np.swapaxes(by_key, -1, -2)
    return term


def deberta_relative_index(
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    max_relative_positions: int = 512,
    position_buckets: int = NO_BUCKETS,
) -> NDArray[np.int64]:
    r"""Row δ(i, j) of the table for query i and key j (He et al. 2021, arXiv:2006.03654, equation 3).

    .. math:: \delta(i, j) = \mathrm{clip}(b(i - j) + k,\; 0,\; 2k - 1)

    Distance is **query − key**. v1: b is the identity and k = ``max_relative_positions``. v2 and v3: b is
    `deberta_log_bucket` and k = ``position_buckets`` (256, with max_relative_positions 512). The 2k rows are not
    symmetric: they hold distances −k … k − 1.

    Parameters
    ----------
    query_positions, key_positions
        Whole numbers >= 0, [L] or [B, L].
    position_buckets
        −1 for none, as released configurations write it.

    Returns
    -------
    int64 [Lq, Lk] or [B, Lq, Lk]

    Raises
    ------
    ValueError, TypeError
        On positions that are negative or not whole and on bounds that are too small.
    """
    distance = whole_distances(query_positions, key_positions)
    span = _span(max_relative_positions, position_buckets)
    if position_buckets != NO_BUCKETS:
        distance = deberta_log_bucket(distance, bucket_size=position_buckets, max_position=max_relative_positions)
    return np.clip(distance + span, 0, 2 * span - 1)


def deberta_log_bucket(
    relative_position: ArrayLike, *, bucket_size: int = 256, max_position: int = 512, exact_boundaries: bool = True
) -> NDArray[np.int64]:
    r"""Signed logarithmic bucket of a distance query − key (DeBERTa v2, ``make_log_bucket_position``).

    With :math:`m = \lfloor \mathrm{bucket\_size}/2 \rfloor`: r itself for :math:`|r| \le m`, beyond that

    .. math:: \mathrm{sign}(r)\left(m + \left\lceil
        \frac{\ln(|r|/m)}{\ln((\mathrm{max\_position}-1)/m)}\,(m-1)\right\rceil\right)

    Rounded **up**, where T5 rounds down. Distance max_position − 1 gets bucket 2m − 1; farther ones get larger numbers,
    which `deberta_relative_index` clips.

    Where the quotient is a whole number, as for (bucket_size 32, max_position 129) at distances 32 and 64, float64
    lands above it: the NumPy code of microsoft/DeBERTa then answers one bucket more than the float32 code of Hugging
    Face. For the published 256 and 512 they agree.

    Parameters
    ----------
    relative_position
        Whole numbers, any sign and shape. bucket_size >= 2; max_position >= m + 2.
    exact_boundaries
        True gives such distances their exact bucket, as Hugging Face does; False rounds the float64 quotient up as it
        is, as microsoft/DeBERTa does.

    Returns
    -------
    int64, same shape

    Raises
    ------
    ValueError, TypeError
    """
    distance = whole_array("relative_position", relative_position)
    middle = count("bucket_size", bucket_size, minimum=2) // 2
    farthest = count("max_position", max_position)
    if farthest < middle + 2:
        raise ValueError(f"max_position must be at least bucket_size // 2 + 2 = {middle + 2}, got {farthest}")
    magnitude = np.maximum(np.abs(distance), middle)
    steps = np.log(magnitude / middle) / np.log((farthest - 1) / middle) * (middle - 1)
    slack = _ROUNDING if flag("exact_boundaries", exact_boundaries) else 0.0
    bucket = middle + np.ceil(steps - slack).astype(np.int64)
    return np.where(np.abs(distance) <= middle, distance, np.sign(distance) * bucket)


def deberta_scale(head_dim: int, pos_att_type: Sequence[str] = POS_ATT_TYPES) -> float:
    r"""The factor of the summed score (He et al. 2021, arXiv:2006.03654, section 3.1).

    .. math:: \frac{1}{\sqrt{d\,(1 + n)}}, \qquad n = \text{number of position terms}

    1/√(3d) with both terms, 1/√(2d) with one.

    Raises
    ------
    ValueError, TypeError
        If head_dim < 1 or pos_att_type holds anything but "c2p" and "p2c", each once.
    """
    width = count("head_dim", head_dim)
    if isinstance(pos_att_type, str):
        raise TypeError(f"pos_att_type must be a sequence such as ('c2p', 'p2c'), got the string {pos_att_type!r}")
    if not isinstance(pos_att_type, Collection):
        raise TypeError(f"pos_att_type must be a sequence such as ('c2p', 'p2c'), got {pos_att_type!r}")
    for kind in pos_att_type:
        one_of("pos_att_type", kind, POS_ATT_TYPES)
    if len(set(pos_att_type)) != len(pos_att_type):
        raise ValueError(f"pos_att_type must name each kind once, got {tuple(pos_att_type)!r}")
    return 1.0 / np.sqrt(width * (1 + len(pos_att_type)))


def _span(max_relative_positions: int, position_buckets: int) -> int:
    """k: half the number of rows of the table."""
    longest = count("max_relative_positions", max_relative_positions)
    if isinstance(position_buckets, Integral) and position_buckets == NO_BUCKETS:
        return longest
    buckets = count("position_buckets", position_buckets, minimum=2)
    if longest < buckets // 2 + 2:
        raise ValueError(
            f"max_relative_positions must be at least position_buckets // 2 + 2 = {buckets // 2 + 2}, got {longest}"
        )
    return buckets


def _position_table(name: str, value: ArrayLike, queries: NDArray, span: int) -> NDArray[np.float64]:
    table = real_array(name, value)
    heads = queries.shape[-3:-2]
    if table.ndim not in (2, 3) or (table.ndim == 3 and table.shape[:1] != heads):
        raise ValueError(
            f"{name} must have shape [H, 2k, D] with H of queries {queries.shape}, or [2k, D], got {table.shape}"
        )
    if table.shape[-2] != 2 * span:
        raise ValueError(f"{name} must have 2k = {2 * span} rows, got {table.shape[-2]}")
    same_width(name, table.shape[-1], queries.shape[-1])
    return table
