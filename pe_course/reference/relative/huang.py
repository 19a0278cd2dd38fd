"""Huang, Liang, Xu and Xiang 2020: four ways to let a relative embedding meet query and key."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.relative._pairs import over_heads, same_heads, same_width, token_vectors, whole_distances
from pe_course.reference.relative.shaw import DIRECTIONS, OUTSIDE_A_TABLE, relative_position_index, relative_vectors
from pe_course.reference.validation import count, one_of, real_array

METHODS = (1, 2, 3, 4)


def huang_scores(
    queries: ArrayLike,
    keys: ArrayLike,
    table: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    method: int,
    direction: str = "query_minus_key",
    outside: str = "clip",
) -> NDArray[np.float64]:
    r"""What a method of Huang et al. 2020 (arXiv:2009.13658) adds to q·k **before** the scale.

    With :math:`a_{ij}` the entry of ``table`` for the pair, the whole un-scaled score :math:`e_{ij}` is

    - method 1: :math:`(q_i^\top k_j)\, a_{\lvert i-j\rvert}`; the table is [k + 1], scalars, distance only
    - method 2: :math:`(q_i^\top k_j)\, a_{ij}`; the table is [2k + 1], scalars, signed
    - method 3: :math:`\sum_c q_{ic}\, k_{jc}\, a_{ij,c}`; the table is [2k + 1, D], vectors
    - method 4: :math:`q_i^\top k_j + q_i^\top a_{ij} + k_j^\top a_{ij}`; the table is [2k + 1, D], vectors

    and :math:`e_{ij} - q_i^\top k_j` is returned. Methods 1 to 3: equation from secondary reading. Method 4 is
    ``relative_key_query`` of BERT in Hugging Face Transformers and equals
    :math:`(q_i + a_{ij})^\top (k_j + a_{ij}) - a_{ij}^\top a_{ij}`.

    One table per layer, shared by the heads. Methods 1 to 3 multiply: entries near 1 leave the score as it is, and
    entries of 0 remove it.

    Parameters
    ----------
    queries
        [..., Lq, D].
    keys
        [..., Lk, D] with the same leading axes.
    query_positions, key_positions
        Whole numbers >= 0, [L] or [B, L].
    method
        1, 2, 3 or 4.
    direction
        Of the rows of a signed table, "query_minus_key" (released code: row (query − key) + k) or "key_minus_query";
        method 1 has no direction.
    outside
        "clip", or "raise" as in the released code, whose table covers every distance.

    Returns
    -------
    float64 [..., Lq, Lk]

    Raises
    ------
    ValueError
        On an unknown method, direction or outside and on shapes that do not fit.
    IndexError
        Outside the table with ``outside="raise"``.
    """
    if count("method", method) not in METHODS:
        raise ValueError(f"method must be one of 1, 2, 3, 4; got {method}")
    one_of("direction", direction, DIRECTIONS)
    one_of("outside", outside, OUTSIDE_A_TABLE)
    distance = whole_distances(query_positions, key_positions)
    q = token_vectors("queries", queries, "query_positions", distance.shape[-2])
    k = token_vectors("keys", keys, "key_positions", distance.shape[-1])
    same_heads(q, k)
    if method in (1, 2):
        factor = over_heads(_scalars(table, query_positions, key_positions, method, direction, outside), "queries", q)
        return (q @ np.swapaxes(k, -1, -2)) * (factor - 1.0)
    a = relative_vectors(table, query_positions, key_positions, direction=direction, outside=outside)
    same_width("table", a.shape[-1], q.shape[-1])
    a = over_heads(a, "queries", q, channels=True)
    if method == 3:
        return np.einsum("...id,...jd,...ijd->...ij", q, k, a - 1.0)
    return np.einsum("...id,...ijd->...ij", q, a) + np.einsum("...jd,...ijd->...ij", k, a)


def _scalars(
    table: ArrayLike, query_positions: ArrayLike, key_positions: ArrayLike, method: int, direction: str, outside: str
) -> NDArray[np.float64]:
    """The factor of every pair: method 1 by |distance|, method 2 by signed distance."""
    rows = real_array("table", table, rank=1)
    if method == 2:
        signed = relative_vectors(rows[:, None], query_positions, key_positions, direction=direction, outside=outside)
        return signed[..., 0]
    k = len(rows) - 1
    index = relative_position_index(query_positions, key_positions, k, outside=outside)
    return rows[np.abs(index - k)]
