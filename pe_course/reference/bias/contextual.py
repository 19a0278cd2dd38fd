r"""Biases that depend on content: CoPE counts tokens that matter, the forgetting gate decays at its own pace."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.bias._mlp import log_sigmoid, sigmoid
from pe_course.reference.validation import (
    bool_array,
    count,
    fits_shape,
    flag,
    need_axes,
    real_array,
    same_length,
    table_index,
)


def cope_positions(gate_logits: ArrayLike, mask: ArrayLike, *, npos: int) -> NDArray[np.float64]:
    r"""The fractional position of each key as each query counts it (Golovneva et al. 2024, arXiv:2405.18719).

    .. math:: p_{ij} = \min\!\Big(\sum_{t=j}^{i} g_{it},\; n_{pos} - 1\Big),
        \qquad g_{it} = \sigma(\text{gate\_logits}_{it})

    The sum includes key j and the query's own token. Keys that the mask forbids have gate 0 *before* the
    sum: a future key must not be counted. Keys are in the order of time along the last axis.

    Parameters
    ----------
    gate_logits
        [..., L, S]; :math:`q_i \cdot k_t / \sqrt d` in the released code (summaries quote the paper without
        :math:`1/\sqrt d`).
    mask
        Bool, True = may attend, broadcastable to gate_logits.
    npos
        Rows of the position table; the released code defaults to block size + 1, copies use 64.

    Returns
    -------
    [..., L, S], from 0 to npos − 1

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    """
    logits = _matrices("gate_logits", gate_logits)
    npos = count("npos", npos)
    mask = fits_shape("mask", bool_array("mask", mask), logits.shape)
    gates = np.where(mask, sigmoid(logits), 0.0)
    from_the_key_on = np.flip(np.cumsum(np.flip(gates, -1), axis=-1), -1)
    return np.minimum(from_the_key_on, npos - 1.0)


def cope_bias(q: ArrayLike, positions: ArrayLike, position_table: ArrayLike) -> NDArray[np.float64]:
    r"""The query's product with the position vector, interpolated (Golovneva et al. 2024, arXiv:2405.18719).

    .. math:: z_{ij} = (1 - w)\, q_i \cdot e_{\lfloor p_{ij} \rfloor} + w\, q_i \cdot e_{\lceil p_{ij} \rceil},
        \qquad w = p_{ij} - \lfloor p_{ij} \rfloor

    Unscaled; `cope_logits` shows where it meets :math:`1/\sqrt d`. The table is shared by all heads and starts
    at zero in the released code, which stores it as [d, npos].

    Parameters
    ----------
    q
        [..., L, d], as projected.
    positions
        [..., L, S] (`cope_positions`).
    position_table
        [npos, d].

    Returns
    -------
    [..., L, S]

    Raises
    ------
    TypeError, ValueError
    IndexError
        If a position is outside the table.
    """
    q = _matrices("q", q)
    positions = _matrices("positions", positions)
    table = real_array("position_table", position_table, rank=2)
    same_length("last axis of q", q.shape[-1], "last axis of position_table", table.shape[1])
    if positions.shape[:-1] != q.shape[:-1]:
        raise ValueError(f"positions must agree with q {q.shape} up to the last axis, got shape {positions.shape}")
    below, above = np.floor(positions), np.ceil(positions)
    at_table_rows = q @ table.T

    def at(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.take_along_axis(at_table_rows, table_index("positions", rows, len(table)), axis=-1)

    weight_above = positions - below
    return (1.0 - weight_above) * at(below) + weight_above * at(above)


def cope_logits(
    q: ArrayLike,
    k: ArrayLike,
    position_table: ArrayLike,
    mask: ArrayLike,
    *,
    nodiv: bool = False,
    gate_keys: ArrayLike | None = None,
) -> NDArray[np.float64]:
    r"""Scores with CoPE, before the mask is applied (Golovneva et al. 2024, arXiv:2405.18719; released code).

    .. math:: s_{ij} = \frac{q_i \cdot k_j + z_{ij}}{\sqrt d} \quad\text{or, with nodiv,}\quad
        \frac{q_i \cdot k_j}{\sqrt d} + z_{ij}

    Parameters
    ----------
    q
        [..., L, d].
    k
        [..., S, d], un-rotated and unscaled.
    position_table
        [npos, d].
    mask
        As `cope_positions`.
    nodiv
        Add the term after the factor (x-transformers does) rather than before it (the released default).
    gate_keys
        [..., S, d], what the gates see in place of k (options of the released code: separate keys, or the values).

    Returns
    -------
    [..., L, S]

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    """
    q = _matrices("q", q)
    table = real_array("position_table", position_table, rank=2)
    scale = q.shape[-1] ** -0.5
    scores = _products(q, "k", k)
    gate_products = scores if gate_keys is None else _products(q, "gate_keys", gate_keys)
    if gate_products.shape != scores.shape:
        raise ValueError(f"gate_keys must give one gate per score {scores.shape}, got {gate_products.shape}")
    bias = cope_bias(q, cope_positions(scale * gate_products, mask, npos=len(table)), table)
    return scale * scores + bias if flag("nodiv", nodiv) else scale * (scores + bias)


def forgetting_gate_bias(
    gate_logits: ArrayLike, *, query_indices: ArrayLike | None = None, future_gate_logits: ArrayLike | None = None
) -> NDArray[np.float64]:
    r"""Data-dependent ALiBi (Lin et al. 2025, arXiv:2503.02130; x-transformers 2.31, ``DataDependentAlibi``).

    .. math:: b_{ij} = \sum_{t=j+1}^{i} \ln \sigma(f_t) = F_i - F_j, \qquad F_i = \sum_{t \le i} \ln \sigma(f_t)

    The forget gate of key j itself is not in the sum, so :math:`b_{ii} = 0`. Equation from secondary reading.
    Equal gates :math:`\sigma(f) = e^{-m}` give ALiBi with slope m. Added after the factor :math:`1/\sqrt d`.
    Above the diagonal the value is **positive**, as in x-transformers: a causal mask must follow.

    Without that mask (x-transformers' ``causal=False``) keys after the query need gates r of their own,
    :math:`b_{ij} = \sum_{t=i+1}^{j} \ln \sigma(r_t)` for j > i, which the paper does not have.

    Parameters
    ----------
    gate_logits
        [..., S], one f per token (and head), in the order of time.
    query_indices
        Whole numbers [L], the index of each query among the S tokens; None takes all of them.
    future_gate_logits
        r, of the shape of gate_logits; None leaves the causal form.

    Returns
    -------
    [..., L, S]

    Raises
    ------
    TypeError, ValueError
    IndexError
        If an index is outside the tokens.
    """
    logits = real_array("gate_logits", gate_logits)
    need_axes("gate_logits", logits, 1, "[..., S]")
    tokens = np.arange(logits.shape[-1])
    rows = tokens
    if query_indices is not None:
        rows = table_index("query_indices", query_indices, len(tokens), table="the sequence")
        if rows.ndim != 1:
            raise ValueError(f"query_indices must have 1 axis, got shape {rows.shape}")
    past = _kept_between(logits, rows)
    if future_gate_logits is None:
        return past
    future = real_array("future_gate_logits", future_gate_logits)
    if future.shape != logits.shape:
        raise ValueError(f"future_gate_logits must have the shape of gate_logits, {logits.shape}, got {future.shape}")
    return np.where(tokens <= rows[:, None], past, -_kept_between(future, rows))


def _kept_between(logits: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """F at each query minus F at each key: [..., S] to [..., L, S]."""
    kept = np.cumsum(log_sigmoid(logits), axis=-1)
    return kept[..., rows, None] - kept[..., None, :]


def _matrices(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = real_array(name, value)
    need_axes(name, array, 2, "[..., rows, columns]")
    return array


def _products(q: NDArray[np.float64], name: str, keys: ArrayLike) -> NDArray[np.float64]:
    keys = _matrices(name, keys)
    if keys.shape[:-2] != q.shape[:-2] or keys.shape[-1] != q.shape[-1]:
        raise ValueError(f"{name} must agree with q {q.shape} on every axis but the second last, got {keys.shape}")
    return q @ np.swapaxes(keys, -1, -2)
