"""A factor for each pair that was searched for, or slow pairs that stand still."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from pe_course.reference import rotary
from pe_course.reference import validation as check
from pe_course.reference.scaling._checks import FloatArray, numbers, width_and_base
from pe_course.reference.scaling.base import rope_scaling_default


def rope_scaling_longrope(
    dim: int,
    *,
    short_factor: ArrayLike,
    long_factor: ArrayLike,
    original_max_position_embeddings: int,
    seq_len: int | None = None,
    max_position_embeddings: int | None = None,
    factor: float | None = None,
    attention_factor: float | None = None,
    base: float = 10000.0,
) -> tuple[FloatArray, float]:
    r"""LongRoPE: one searched divisor per pair (Ding et al. 2024, arXiv:2402.13753), in the form of Phi-3.

    .. math:: \theta^\prime_m = \theta_m / \lambda_m, \qquad
              \text{attention factor} = \sqrt{1 + \ln s / \ln L}

    The divisors are those of ``short_factor`` up to L tokens and those of ``long_factor`` beyond.

    Parameters
    ----------
    dim : int
        Rotated width d; even.
    short_factor, long_factor : array [dim/2]
        Divisors, all above 0.
    original_max_position_embeddings : int
        Trained length L in tokens, at least 2.
    seq_len : int or None
        Present length; None means short.
    max_position_embeddings : int or None
        Length after the extension; s is its ratio to L where ``factor`` is None.
    factor : float or None
        s, at least 1. An explicit one wins over the ratio, as in transformers 5.
    attention_factor : float or None
        Above 0; replaces the formula.
    base : float
        RoPE base, greater than 1 (``rope_theta``).

    Returns
    -------
    (inv_freq [dim/2], attention_factor): the second multiplies cos and sin; 1 where s is at most 1.

    Raises
    ------
    TypeError, ValueError
        If a list has not d/2 entries or one that is not above 0, L is below 2, ``factor`` is below 1, or all of
        ``factor``, ``max_position_embeddings`` and ``attention_factor`` are None.

    Notes
    -----
    Switching lists while a sequence grows invalidates keys that were cached after rotation. The paper also
    leaves the first tokens of a sequence uninterpolated; transformers does not.
    """
    dim, base = width_and_base(dim, base)
    trained = check.count("original_max_position_embeddings", original_max_position_embeddings, minimum=2)
    divisors = {
        name: _divisors(name, values, dim)
        for name, values in (("short_factor", short_factor), ("long_factor", long_factor))
    }
    is_long = seq_len is not None and check.count("seq_len", seq_len) > trained
    theta, _ = rope_scaling_default(dim, base=base)
    temperature = _longrope_attention_factor(trained, max_position_embeddings, factor, attention_factor)
    return theta / divisors["long_factor" if is_long else "short_factor"], temperature


def _divisors(name: str, values: ArrayLike, dim: int) -> FloatArray:
    divisors = numbers(name, values, dim // 2, f"one per pair of dim {dim}")
    if divisors.min() <= 0:
        raise ValueError(f"{name} must be greater than 0, got {divisors.min():g}")
    return divisors


def _longrope_attention_factor(
    trained: int, max_position_embeddings: int | None, factor: float | None, attention_factor: float | None
) -> float:
    if max_position_embeddings is not None:
        max_position_embeddings = check.count("max_position_embeddings", max_position_embeddings)
    if factor is not None:
        factor = check.real_number("factor", factor, at_least=1)
    if attention_factor is not None:
        return check.real_number("attention_factor", attention_factor, above=0)
    if factor is None and max_position_embeddings is None:
        raise ValueError("one of factor, max_position_embeddings and attention_factor must be given, got None for all")
    stretch = factor if factor is not None else max_position_embeddings / trained
    return math.sqrt(1 + math.log(stretch) / math.log(trained)) if stretch > 1 else 1.0


def rope_scaling_proportional(
    dim: int, *, partial_rotary_factor: float = 1.0, factor: float = 1.0, base: float = 10000.0
) -> tuple[FloatArray, float]:
    r"""p-RoPE: the slow pairs stand still (Barbero et al. 2024, arXiv:2410.06205; "proportional" in Gemma 4).

    .. math:: \theta^\prime_m = \theta_m / s \quad (m < \lfloor p\,d/2 \rfloor), \qquad 0 \quad \text{otherwise}

    Partial rotary with the same p rotates as many pairs, with other frequencies: there the exponent has the
    rotated width as its denominator, here the whole head width.

    Parameters
    ----------
    dim : int
        Whole head width d; even.
    partial_rotary_factor : float
        p, above 0 and at most 1.
    factor : float
        s, at least 1: how many times the trained length is stretched.
    base : float
        RoPE base, greater than 1 (``rope_theta``).

    Returns
    -------
    (inv_freq [dim/2] with zeros at the end, 1.0)

    Raises
    ------
    TypeError, ValueError
        If p is outside (0, 1], ``factor`` is below 1, ``dim`` is odd or ``base`` is not above 1.
    """
    factor = check.real_number("factor", factor, at_least=1)
    dim, base = width_and_base(dim, base)
    theta = rotary.proportional_frequencies(dim, partial_rotary_factor=partial_rotary_factor, base=base)
    return theta / factor, 1.0
