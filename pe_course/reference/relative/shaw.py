"""Shaw, Uszkoreit and Vaswani 2018: one vector per clipped distance, added to keys and to values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.relative._pairs import over_heads, same_width, token_vectors, whole_distances
from pe_course.reference.validation import count, one_of, real_array

DIRECTIONS = ("key_minus_query", "query_minus_key")
OUTSIDE_A_TABLE = ("clip", "raise")
OUTSIDE_A_WINDOW = ("clip", "zero", "raise")


def relative_position_index(
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    max_relative_position: int,
    *,
    right_max_position: int | None = None,
    direction: str = "key_minus_query",
    outside: str = "clip",
) -> NDArray[np.int64]:
    r"""Row of the table for every pair (Shaw, Uszkoreit, Vaswani 2018, arXiv:1803.02155, section 3.2).

    .. math:: \mathrm{row}(i, j) = \mathrm{clip}(j - i,\, -k,\, k) + k

    with query i and key j: the paper and Tensor2Tensor count **key − query**, so row 0 is the farthest key on the
    left and row 2k the farthest on the right.

    Parameters
    ----------
    query_positions, key_positions
        Whole numbers >= 0, [Lq] and [Lk], or [B, Lq] and [B, Lk].
    max_relative_position
        k, the largest distance with its own row, for keys before the query.
    right_max_position
        The same for keys after the query (SeamlessM4T-v2: 64 left, 8 right); None means k.
    direction
        "key_minus_query" as above; "query_minus_key" turns the rows round. BERT's ``relative_key`` in Hugging Face
        Transformers has row (query − key) + max_position_embeddings − 1: that is
        ``max_relative_position=max_position_embeddings - 1, direction="query_minus_key", outside="raise"``.
    outside
        "clip" gives farther pairs the outermost row; "raise" refuses them, as a table without clipping does.

    Returns
    -------
    int64 [Lq, Lk] or [B, Lq, Lk]
        The table has k + right + 1 rows.

    Raises
    ------
    IndexError
        For a pair outside the window with ``outside="raise"``.
    ValueError, TypeError
        On positions that are negative or not whole, a negative bound, an unknown direction or outside.
    """
    left = count("max_relative_position", max_relative_position, minimum=0)
    right = left if right_max_position is None else count("right_max_position", right_max_position, minimum=0)
    one_of("outside", outside, OUTSIDE_A_TABLE)
    one_of("direction", direction, DIRECTIONS)
    key_minus_query = -whole_distances(query_positions, key_positions)
    if outside == "raise":
        _refuse_outside(key_minus_query, left, right)
    clipped = np.clip(key_minus_query, -left, right)
    return clipped + left if direction == "key_minus_query" else right - clipped


def shaw_scores(
    queries: ArrayLike,
    relative_keys: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    right_max_position: int | None = None,
    direction: str = "key_minus_query",
    outside: str = "clip",
) -> NDArray[np.float64]:
    r"""The key side of Shaw et al. 2018 (arXiv:1803.02155, equation 4): what is added to q·k **before** the scale.

    .. math:: e_{ij} = \frac{q_i^\top k_j + q_i^\top a^K_{ij}}{\sqrt{d}}, \qquad
        a^K_{ij} = w^K_{\mathrm{clip}(j-i, -k, k)}

    Returned is :math:`q_i^\top a^K_{ij}`, un-scaled. A query that is already scaled (Tensor2Tensor) gives the
    scaled term.

    In the released code one table serves all heads of a layer and every layer has its own. Keys alone, without
    `shaw_values`, are what Hugging Face calls ``relative_key``.

    Parameters
    ----------
    queries
        [..., Lq, D]; [B, H, Lq, D] if positions have a batch axis.
    relative_keys
        [rows, D]; rows = 2k + 1, or left + right + 1 with ``right_max_position``.
    query_positions, key_positions, right_max_position, direction
        As in `relative_position_index`.
    outside
        "clip" (paper), "raise" (BERT ``relative_key``), or "zero": no term outside the window (VITS).

    Returns
    -------
    float64 [..., Lq, Lk]

    Raises
    ------
    ValueError
        If shapes do not fit or the table has an even number of rows and no ``right_max_position``; otherwise as
        `relative_position_index`.
    """
    vectors = _vectors(
        "relative_keys", relative_keys, query_positions, key_positions, right_max_position, direction, outside
    )
    q = token_vectors("queries", queries, "query_positions", vectors.shape[-3])
    same_width("relative_keys", vectors.shape[-1], q.shape[-1])
    return np.einsum("...id,...ijd->...ij", q, over_heads(vectors, "queries", q, channels=True))


def shaw_values(
    weights: ArrayLike,
    relative_values: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    right_max_position: int | None = None,
    direction: str = "key_minus_query",
    outside: str = "clip",
) -> NDArray[np.float64]:
    r"""The value side of Shaw et al. 2018 (arXiv:1803.02155, equation 3): what is added to the attention output.

    .. math:: z_i = \sum_j \alpha_{ij}\,(v_j + a^V_{ij}), \qquad \text{returned:}\ \sum_j \alpha_{ij}\, a^V_{ij}

    Parameters
    ----------
    weights
        Attention probabilities [..., Lq, Lk], after softmax; [B, H, Lq, Lk] if positions have a batch axis.
    relative_values
        [rows, D], a table of its own, shared by the heads of a layer.
    Others
        As in `shaw_scores`.

    Returns
    -------
    float64 [..., Lq, D]

    Raises
    ------
    TypeError, ValueError
        As `shaw_scores`.
    """
    vectors = _vectors(
        "relative_values", relative_values, query_positions, key_positions, right_max_position, direction, outside
    )
    alpha = real_array("weights", weights)
    if alpha.ndim < 2 or alpha.shape[-2:] != vectors.shape[-3:-1]:
        raise ValueError(
            f"weights must have shape [..., Lq, Lk] = [..., {vectors.shape[-3]}, {vectors.shape[-2]}], "
            f"got {alpha.shape}"
        )
    return np.einsum("...ij,...ijd->...id", alpha, over_heads(vectors, "weights", alpha, channels=True))


def relative_vectors(
    table: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    right_max_position: int | None = None,
    direction: str = "key_minus_query",
    outside: str = "clip",
) -> NDArray[np.float64]:
    r"""The vector :math:`a_{ij}` of every pair, gathered from ``table`` [rows, D].

    Parameters, errors: as in `shaw_scores`.

    Returns
    -------
    float64 [Lq, Lk, D] or [B, Lq, Lk, D]
    """
    return _vectors("table", table, query_positions, key_positions, right_max_position, direction, outside)


def _vectors(
    name: str,
    table: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    right_max_position: int | None,
    direction: str,
    outside: str,
) -> NDArray[np.float64]:
    rows = real_array(name, table, rank=2)
    left, right = _window(name, len(rows), right_max_position)
    one_of("outside", outside, OUTSIDE_A_WINDOW)
    index = relative_position_index(
        query_positions,
        key_positions,
        left,
        right_max_position=right,
        direction=direction,
        outside="raise" if outside == "raise" else "clip",
    )
    vectors = rows[index]
    if outside == "zero":
        key_minus_query = -whole_distances(query_positions, key_positions)
        inside = (key_minus_query >= -left) & (key_minus_query <= right)
        vectors = vectors * inside[..., None]
    return vectors


def _window(name: str, rows: int, right_max_position: int | None) -> tuple[int, int]:
    """The bounds to the left and to the right that a table of so many rows has."""
    if right_max_position is None:
        if rows % 2 == 0:
            raise ValueError(f"{name} must have an odd number of rows, 2k + 1, or a right_max_position, got {rows}")
        return rows // 2, rows // 2
    right = count("right_max_position", right_max_position, minimum=0)
    if right >= rows:
        raise ValueError(f"right_max_position must be below the number of rows of {name} ({rows}), got {right}")
    return rows - 1 - right, right


def _refuse_outside(key_minus_query: NDArray[np.int64], left: int, right: int) -> None:
    outside = (key_minus_query < -left) | (key_minus_query > right)
    if outside.any():
        bad = key_minus_query[outside].flat[0]
        raise IndexError(f"key position − query position = {bad} is outside the table's window −{left}…{right}")
