"""Scales for the query that depend on its position; the rotation is left alone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference import validation as check
from pe_course.reference.scaling._checks import FloatArray

LOGN_MODES = ("per_query", "length")
"""Which length counts, values of ``mode`` in `logn_scale`."""


def logn_scale(
    positions: ArrayLike,
    train_length: int,
    *,
    mode: str = "per_query",
    clip: bool = True,
    length: int | None = None,
) -> FloatArray:
    r"""log-n scaling of the query (Su 2021, kexue.fm; Chiang and Cholak 2022); equation from secondary reading.

    .. math:: q^\prime = q \cdot \frac{\ln n}{\ln L}, \qquad
              \text{clipped: } q \cdot \max\Big(1, \frac{\ln n}{\ln L}\Big)

    It counters the flattening of attention as the number of keys n grows.

    Parameters
    ----------
    positions : int array of any shape
        0-based positions of the queries, whole and not negative.
    train_length : int
        L, at least 2 (512 in the blog text).
    mode : "per_query" or "length"
        n = position + 1, the keys that a causal query sees, or n = the present length for every query.
    clip : bool
        Never below 1, so that nothing changes within L. ReRoPE and Qwen-1 do so: Qwen-1 takes log_L(i) for 1-based
        i > L and 1 before, which are the same numbers. Without it the first query becomes 0 and attends uniformly.
    length : int or None
        The present length, for mode="length" alone; None takes the greatest position along the last axis plus one.

    Returns
    -------
    float64 array of the shape of ``positions``.

    Raises
    ------
    TypeError, ValueError
        If positions are negative, fractional or not below ``length``; if ``train_length`` is below 2, ``mode`` is
        unknown, ``length`` is given in the other mode or ``clip`` is no bool.
    """
    positions = check.whole_array("positions", positions, minimum=0)
    trained = check.count("train_length", train_length, minimum=2)
    check.one_of("mode", mode, LOGN_MODES)
    clip = check.flag("clip", clip)
    keys = positions + 1 if mode == "per_query" else _present_length(positions, length)
    if mode == "per_query" and length is not None:
        raise ValueError(f"length must be None unless mode is 'length', got {length}")
    scale = np.log(keys) / math.log(trained)
    return np.maximum(scale, 1.0) if clip else scale


def _present_length(positions: NDArray[np.int64], length: int | None) -> NDArray[np.int64]:
    """The number of keys now, in the shape of ``positions``."""
    if length is None:
        last = positions.max(axis=-1, keepdims=True) if positions.ndim else positions
        return np.broadcast_to(last + 1, positions.shape)
    length = check.count("length", length)
    if positions.max() >= length:
        raise ValueError(f"positions must be below length {length}, got {positions.max()}")
    return np.full(positions.shape, length)


def llama4_temperature(positions: ArrayLike, *, attn_scale: float = 0.1, floor_scale: int = 8192) -> FloatArray:
    r"""Query scale of Llama 4 in its layers without RoPE (modelling code of llama-models and transformers).

    .. math:: 1 + a \ln\Big(1 + \Big\lfloor \frac{p + 1}{F} \Big\rfloor\Big)

    Parameters
    ----------
    positions : int array of any shape
        p, 0-based, whole and not negative.
    attn_scale : float
        a, at least 0.
    floor_scale : int
        F in tokens, at least 1.

    Returns
    -------
    float64 array of the shape of ``positions``; 1 up to position F − 2.

    Raises
    ------
    TypeError, ValueError
        If positions are negative or fractional, ``attn_scale`` is below 0 or ``floor_scale`` is below 1.

    Notes
    -----
    Ministral 3 has p where this has p + 1: see `ministral_scale`.
    """
    positions = check.whole_array("positions", positions, minimum=0)
    attn_scale = check.real_number("attn_scale", attn_scale, at_least=0)
    return _stepped_log(positions + 1, attn_scale, check.count("floor_scale", floor_scale))


def ministral_scale(positions: ArrayLike, beta: float, original_max_position_embeddings: int) -> FloatArray:
    r"""Query scale of Ministral 3 (``llama_4_scaling_beta``; modelling code of transformers).

    .. math:: 1 + \beta \ln\Big(1 + \Big\lfloor \frac{p}{L} \Big\rfloor\Big)

    Parameters
    ----------
    positions : int array of any shape
        p, 0-based, whole and not negative.
    beta : float
        At least 0; 0.1 is the default of the class.
    original_max_position_embeddings : int
        Trained length L in tokens, at least 1.

    Returns
    -------
    float64 array of the shape of ``positions``; 1 up to position L − 1.

    Raises
    ------
    TypeError, ValueError
        If positions are negative or fractional, ``beta`` is below 0 or the length is below 1.
    """
    positions = check.whole_array("positions", positions, minimum=0)
    beta = check.real_number("beta", beta, at_least=0)
    trained = check.count("original_max_position_embeddings", original_max_position_embeddings)
    return _stepped_log(positions, beta, trained)


def _stepped_log(positions: NDArray[np.int64], slope: float, step: int) -> FloatArray:
    """1 + slope·ln(1 + ⌊positions / step⌋), the floor taken in whole numbers."""
    return 1.0 + slope * np.log1p(positions // step)
