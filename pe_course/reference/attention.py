"""Attention itself: what position methods act on, and the two ways order can be lost or kept in it.

Without a mask and without positions, attention treats its tokens as a set. Permutations show it, and a
causal mask breaks it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.validation import (
    axis_number,
    bool_array,
    count,
    fits_shape,
    need_axes,
    real_array,
    real_number,
    rectangular,
    same_length,
    whole_array,
)


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[np.float64]:
    r"""Weighted average of the values (Vaswani et al. 2017, arXiv:1706.03762, equation 1, with a bias and a mask).

    .. math:: \mathrm{softmax}\bigl(\mathrm{scale} \cdot Q K^\top + B\bigr)\, V

    Parameters
    ----------
    q : array [..., L, D]
    k : array [..., S, D]
    v : array [..., S, Dv]
        The leading axes (batch, heads) of all three are equal; nothing is broadcast.
    bias, mask, scale
        As in `attention_weights`.

    Returns
    -------
    float64 array [..., L, Dv]; zeros for a query that may attend to no key.

    Raises
    ------
    TypeError, ValueError
        As `attention_weights`, and if ``v`` does not have the keys' leading axes and length.
    """
    weights = attention_weights(q, k, bias=bias, mask=mask, scale=scale)
    values = _matrices("v", v)
    same_length("v", values.shape[-2], "k", weights.shape[-1])
    _same_leading_axes("v", values, "q", weights)
    return weights @ values


def attention_weights(
    q: ArrayLike,
    k: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[np.float64]:
    r"""Share of each key in each query's average; every row sums to one.

    .. math:: \alpha_{ij} = \mathrm{softmax}_j\bigl(\mathrm{scale} \cdot q_i \cdot k_j + b_{ij}\bigr)

    Vaswani et al. 2017 (arXiv:1706.03762), equation 1; the bias stands after the scale, as in T5 and ALiBi.

    Parameters
    ----------
    q : array [..., L, D]
    k : array [..., S, D]
        The leading axes of both are equal.
    bias : array that broadcasts to [..., L, S], optional
        Added after the scale. At least two axes; finite (what must be excluded belongs into ``mask``).
    mask : bool array that broadcasts to [..., L, S], optional
        True = may attend. At least two axes: write ``mask[None, :]`` for one entry per key.
    scale : float, optional
        Factor of the products, not negative. None means :math:`1/\sqrt{D}`; T5 uses 1.

    Returns
    -------
    float64 array [..., L, S]; zeros in a row that may attend to no key.

    Raises
    ------
    TypeError, ValueError
        If shapes do not fit, ``mask`` is not boolean, a number is not finite, or ``scale`` is negative.

    Notes
    -----
    Falcon divides its ALiBi bias by :math:`\sqrt{D}` too: pass ``bias / np.sqrt(D)``. Masks of the shape
    [batch, L, S] need a head axis, ``mask[:, None]``, as in any broadcasting from the right.
    """
    queries, keys = _matrices("q", q), _matrices("k", k)
    same_length("q", queries.shape[-1], "k", keys.shape[-1])
    _same_leading_axes("q", queries, "k", keys)
    factor = queries.shape[-1] ** -0.5 if scale is None else real_number("scale", scale, at_least=0)
    scores = factor * (queries @ np.swapaxes(keys, -1, -2))
    if bias is not None:
        scores = scores + fits_shape("bias", real_array("bias", bias), scores.shape)
    return softmax(scores, mask=mask)


def softmax(scores: ArrayLike, *, axis: int = -1, mask: ArrayLike | None = None) -> NDArray[np.float64]:
    r"""Positive numbers that sum to one along ``axis``.

    .. math:: \mathrm{softmax}(s)_j = \frac{e^{s_j - \max s}}{\sum_t e^{s_t - \max s}}

    The maximum is subtracted so that no exponential overflows; the quotient does not change.

    Parameters
    ----------
    scores
        Finite array of at least one axis.
    axis
        The axis that sums to one.
    mask
        Bool, broadcasts to the shape of ``scores`` (two axes at least when ``scores`` has two), False = excluded.

    Returns
    -------
    float64 array of the shape of ``scores``
        0 where excluded, and everywhere in a row without an allowed entry (where libraries may give NaN or a uniform
        row).

    Raises
    ------
    TypeError, ValueError
        If the scores are not finite, ``axis`` does not exist, or ``mask`` is not boolean or does not fit.
    """
    scores = real_array("scores", scores)
    axis = axis_number("axis", axis, scores.ndim)
    allowed = True if mask is None else fits_shape("mask", bool_array("mask", mask), scores.shape)
    scores = np.where(allowed, scores, -np.inf)
    largest = scores.max(axis=axis, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isfinite(largest), largest, 0.0))
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / np.where(total > 0, total, 1.0)


def causal_mask(query_length: int, key_length: int | None = None) -> NDArray[np.bool_]:
    r"""True where a query may see a key: the key is not later than the query.

    .. math:: M_{ij} = \bigl[\, j \le i + S - L \,\bigr]

    The queries are the last L of the S positions, as in decoding with a cache: query row i sits at
    position S − L + i.

    Parameters
    ----------
    query_length
        L, at least 1.
    key_length
        S, at least L; None means L.

    Returns
    -------
    bool array [L, S]
        The last row allows every key.

    Raises
    ------
    TypeError
        If a length is not whole.
    ValueError
        If it is below 1, or there are more queries than keys.

    Notes
    -----
    ``scaled_dot_product_attention(is_causal=True)`` of PyTorch aligns to the start instead, so that a single new query
    would see the first key only; its ``causal_lower_right`` is this mask.
    """
    queries = count("query_length", query_length)
    keys = queries if key_length is None else count("key_length", key_length)
    if queries > keys:
        raise ValueError(f"query_length must be at most key_length {keys}, got {queries}")
    return np.arange(keys) <= np.arange(queries)[:, None] + keys - queries


def permutation_matrix(permutation: ArrayLike) -> NDArray[np.float64]:
    r"""The matrix P with :math:`(P x)_i = x_{\pi(i)}`: row i of the product is row ``permutation[i]`` of x.

    Parameters
    ----------
    permutation
        [n], each of 0 … n−1 once.

    Returns
    -------
    float64 array [n, n]

    Raises
    ------
    TypeError, ValueError
        If ``permutation`` is not one.

    Notes
    -----
    Attention f without mask and positions is equivariant, :math:`f(P X) = P f(X)`; its mean over positions is
    invariant.
    """
    order = _permutation(permutation)
    return np.eye(order.size)[order]


def permute(x: ArrayLike, permutation: ArrayLike, *, axis: int = 0) -> NDArray:
    r"""Entries of ``x`` along ``axis`` in another order: entry i of the result is entry ``permutation[i]`` of x.

    The same as ``permutation_matrix(permutation) @ x`` for axis 0, without the matrix.

    Parameters
    ----------
    x
        Array of any dtype with at least one axis (tokens [L, D], a mask, labels).
    permutation
        [n], each of 0 … n−1 once, where n is the length of that axis.
    axis
        Which one.

    Returns
    -------
    array of the shape and dtype of ``x``

    Raises
    ------
    TypeError, ValueError
        If ``permutation`` is not one, has another length, or ``axis`` does not exist.
    """
    array = rectangular("x", x)
    axis = axis_number("axis", axis, array.ndim)
    order = _permutation(permutation)
    same_length("permutation", order.size, f"axis {axis} of x", array.shape[axis])
    return np.take(array, order, axis=axis)


def _permutation(value: ArrayLike) -> NDArray[np.int64]:
    order = whole_array("permutation", value, rank=1)
    if not np.array_equal(np.sort(order), np.arange(order.size)):
        raise ValueError(f"permutation must hold each of 0…{order.size - 1} once, got {order.tolist()}")
    return order


def _matrices(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = real_array(name, value)
    need_axes(name, array, 2, "[..., length, width]")
    return array


def _same_leading_axes(first: str, first_array: NDArray, second: str, second_array: NDArray) -> None:
    if first_array.shape[:-2] != second_array.shape[:-2]:
        raise ValueError(
            f"{first} has leading axes {first_array.shape[:-2]} but {second} has {second_array.shape[:-2]}; "
            "they must be equal"
        )
