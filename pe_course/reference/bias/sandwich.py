r"""Sandwich: the inner product of two sinusoidal encodings, which depends on their distance, as a bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.bias._pairs import pairwise_distance
from pe_course.reference.validation import count, even_count, flag, real_array, real_number


def sandwich_bias(
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    num_heads: int,
    *,
    dim: int = 128,
    base: float = 10000.0,
    index_start: int = 0,
    subtract_constant: bool = True,
    bidirectional: bool = True,
) -> NDArray[np.float64]:
    r"""Sandwich's score bias (Chi et al. 2023, arXiv:2212.10356. Equation from secondary reading).

    .. math:: b_{hij} = \frac{H}{8 h} \left( \sum_{m} \cos\!\big((i - j)\, \text{base}^{-2m/\bar d}\big)
        - \frac{\bar d}{2} \right), \qquad h = 1, \dots, H

    Added after the factor :math:`1/\sqrt d`; symmetric in i and j, so it needs a causal mask to know
    direction. A large h is a weak bias. :math:`\bar d` (``dim``) has nothing to do with the width of a head.

    Parameters
    ----------
    query_positions, key_positions
        Any real numbers, [L] and [S] or [B, L] and [B, S].
    dim
        Even.
    index_start
        m runs over dim/2 values from 0 (attention-gym 0.0.17) or from 1 (NeMo 1.22); the term m = 0 has period 2π, so
        the two differ after softmax.
    subtract_constant
        Subtract dim/2 so that the maximum is 0 (NeMo); attention-gym does not; softmax cannot tell.
    bidirectional
        False gives every future key the bias of distance 0, the maximum, as NeMo does: a mask must follow.

    Returns
    -------
    [H, L, S] or [B, H, L, S]

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    """
    distance = pairwise_distance(query_positions, key_positions)
    if not flag("bidirectional", bidirectional):
        distance = np.maximum(distance, 0.0)
    scales = sandwich_head_scales(num_heads)
    kernel = sandwich_kernel(distance, dim=dim, base=base, index_start=index_start, subtract_constant=subtract_constant)
    return scales[:, None, None] * kernel[..., None, :, :]


def sandwich_kernel(
    distance: ArrayLike,
    *,
    dim: int = 128,
    base: float = 10000.0,
    index_start: int = 0,
    subtract_constant: bool = True,
) -> NDArray[np.float64]:
    r"""The bias before it is scaled per head: :math:`\sum_m \cos(d\,\text{base}^{-2m/\bar d}) - \bar d/2`.

    Parameters
    ----------
    distance
        Any shape and sign; the rest as `sandwich_bias`.

    Returns
    -------
    distance.shape

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    """
    distance = real_array("distance", distance)
    half = even_count("dim", dim) // 2
    base = real_number("base", base, above=1.0)
    index_start = count("index_start", index_start, minimum=0, maximum=1)
    frequencies = base ** (-np.arange(index_start, index_start + half) / half)
    constant = half if flag("subtract_constant", subtract_constant) else 0
    return sum(np.cos(distance * frequency) for frequency in frequencies) - constant


def sandwich_head_scales(num_heads: int) -> NDArray[np.float64]:
    r""":math:`H / (8h)` for h = 1, …, H, float64 [H].

    Raises
    ------
    TypeError, ValueError
    """
    num_heads = count("num_heads", num_heads)
    return num_heads / (8.0 * np.arange(1, num_heads + 1))
