"""A factor for each pair by its turns within the trained length: NTK-by-parts, YaRN, Llama 3."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from pe_course.reference import rotary
from pe_course.reference import validation as check
from pe_course.reference.scaling._checks import FloatArray, fast_and_slow, numbers, width_and_base
from pe_course.reference.scaling.base import rope_scaling_default, rope_scaling_linear, rope_scaling_ntk
from pe_course.reference.scaling.temperature import yarn_attention_factor

RAMPS = ("index", "ratio")
"""The ways to blend, values of ``ramp`` in `ntk_by_parts_ramp`."""


def ntk_by_parts_ramp(
    dim: int,
    *,
    original_max_position_embeddings: int,
    base: float = 10000.0,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    ramp: str = "index",
    truncate: bool = True,
) -> FloatArray:
    r"""How much of its trained frequency each pair keeps: 1 all of it, 0 none (it is interpolated instead).

    Pairs that turn at least ``beta_fast`` (β) times within the trained length L keep theirs, those with at most
    ``beta_slow`` (α) turns do not. Between the two the paper and the released code differ, by up to a factor of
    3.04 in a frequency (d = 128, s = 16, base 10000, L = 4096).

    "ratio", the paper (Peng et al. 2023, arXiv:2309.00071, section 3.2), is linear in the turns r:

    .. math:: \gamma_m = \operatorname{clip}\Big(\frac{r_m - \alpha}{\beta - \alpha}, 0, 1\Big), \qquad
              r_m = \frac{L\,\theta_m}{2\pi}

    "index", the code of its authors, transformers and vLLM, is linear in the index m of the pair:

    .. math:: \gamma_m = 1 - \operatorname{clip}\Big(\frac{m - low}{high - low}, 0, 1\Big), \quad
              low = \max(0, \lfloor c(\beta) \rfloor), \quad high = \min(d - 1, \lceil c(\alpha) \rceil), \quad
              c(n) = \frac{d \ln(L / 2\pi n)}{2 \ln b}

    Parameters
    ----------
    dim : int
        Rotated width d; even.
    original_max_position_embeddings : int
        Trained length L in tokens, at least 1.
    base : float
        RoPE base, greater than 1 (``rope_theta``).
    beta_fast, beta_slow : float
        Turns within L, both above 0, ``beta_fast`` not below ``beta_slow``; equal values make a step.
    ramp : "index" or "ratio"
        The ramp of the released code or of the paper.
    truncate : bool
        Round the two ends of the "index" ramp as shown; gpt-oss does not. "ratio" has nothing to round.

    Returns
    -------
    float64 array [dim/2], from 0 to 1, never rising.

    Raises
    ------
    TypeError, ValueError
        If ``dim`` is odd, ``base`` is not above 1, the length is below 1, a beta is not above 0, ``beta_fast`` is
        below ``beta_slow``, ``ramp`` is unknown or ``truncate`` is no bool.

    Notes
    -----
    The clamp at d − 1, where there are d/2 pairs, and the 0.001 between equal ends are those of the code. Its
    ends can swap: below about L = 2π·beta_slow every pair is then kept, and with a tiny base at a great length
    every pair is interpolated. "ratio" has no such corner.
    """
    dim, base = width_and_base(dim, base)
    length = check.count("original_max_position_embeddings", original_max_position_embeddings)
    beta_fast, beta_slow = fast_and_slow("beta_fast", beta_fast, "beta_slow", beta_slow)
    check.one_of("ramp", ramp, RAMPS)
    truncate = check.flag("truncate", truncate)
    if ramp == "ratio":
        turns = length * rotary.rope_frequencies(dim, base=base) / (2 * np.pi)
        if beta_fast == beta_slow:
            return (turns >= beta_slow).astype(np.float64)
        return np.clip((turns - beta_slow) / (beta_fast - beta_slow), 0.0, 1.0)
    low = _pair_that_turns(beta_fast, dim, base, length)
    high = _pair_that_turns(beta_slow, dim, base, length)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    width = high - low if high != low else 0.001
    return 1.0 - np.clip((np.arange(dim // 2) - low) / width, 0.0, 1.0)


def _pair_that_turns(turns: float, dim: int, base: float, length: int) -> float:
    """The (fractional) index of the pair that turns so many times within ``length``."""
    return dim * math.log(length / (2 * math.pi * turns)) / (2 * math.log(base))


def rope_scaling_ntk_by_parts(
    dim: int,
    *,
    factor: float,
    original_max_position_embeddings: int,
    base: float = 10000.0,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    ramp: str = "index",
    truncate: bool = True,
) -> tuple[FloatArray, float]:
    r"""NTK-by-parts (bloc97 2023; Peng et al. 2023, arXiv:2309.00071, section 3.2): YaRN without its temperature.

    .. math:: \theta^\prime_m = (1 - \gamma_m)\,\theta_m / s + \gamma_m\,\theta_m

    with the ramp :math:`\gamma` of `ntk_by_parts_ramp`.

    Parameters
    ----------
    dim : int
        Rotated width d; even.
    factor : float
        s, at least 1: how many times the trained length is stretched.
    original_max_position_embeddings : int
        Trained length L in tokens, at least 1.
    base : float
        RoPE base, greater than 1 (``rope_theta``).
    beta_fast, beta_slow, ramp, truncate
        See `ntk_by_parts_ramp`.

    Returns
    -------
    (inv_freq [dim/2], 1.0)

    Raises
    ------
    TypeError, ValueError
        If ``factor`` is below 1; otherwise as `ntk_by_parts_ramp`.
    """
    factor = check.real_number("factor", factor, at_least=1)
    kept = ntk_by_parts_ramp(
        dim,
        original_max_position_embeddings=original_max_position_embeddings,
        base=base,
        beta_fast=beta_fast,
        beta_slow=beta_slow,
        ramp=ramp,
        truncate=truncate,
    )
    theta, attention_factor = rope_scaling_default(dim, base=base)
    return (1 - kept) * theta / factor + kept * theta, attention_factor


def rope_scaling_yarn(
    dim: int,
    *,
    factor: float,
    original_max_position_embeddings: int,
    base: float = 10000.0,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    ramp: str = "index",
    truncate: bool = True,
    mscale: float | None = None,
    mscale_all_dim: float | None = None,
    attention_factor: float | None = None,
) -> tuple[FloatArray, float]:
    """YaRN (Peng et al. 2023, arXiv:2309.00071): `rope_scaling_ntk_by_parts` with `yarn_attention_factor`.

    Parameters
    ----------
    dim : int
        Rotated width d; even.
    factor : float
        s, at least 1: how many times the trained length is stretched.
    original_max_position_embeddings : int
        Trained length L in tokens, at least 1.
    base : float
        RoPE base, greater than 1 (``rope_theta``).
    beta_fast, beta_slow, ramp, truncate
        See `ntk_by_parts_ramp`.
    mscale, mscale_all_dim, attention_factor
        See `yarn_attention_factor`.

    Returns
    -------
    (inv_freq [dim/2], attention_factor): the second multiplies cos and sin.

    Raises
    ------
    TypeError, ValueError
        As the two functions named.

    Notes
    -----
    litgpt 0.5.13 has the ramp the other way round: it divides the fast pairs and keeps the slow ones.
    """
    inv_freq, _ = rope_scaling_ntk_by_parts(
        dim,
        factor=factor,
        original_max_position_embeddings=original_max_position_embeddings,
        base=base,
        beta_fast=beta_fast,
        beta_slow=beta_slow,
        ramp=ramp,
        truncate=truncate,
    )
    return inv_freq, yarn_attention_factor(
        factor, mscale=mscale, mscale_all_dim=mscale_all_dim, attention_factor=attention_factor
    )


def rope_scaling_llama3(
    dim: int,
    *,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_max_position_embeddings: int,
    base: float = 10000.0,
) -> tuple[FloatArray, float]:
    r"""The scaling of Llama 3.1 (code of meta-llama/llama-models; no paper gives it).

    Wavelengths :math:`\lambda_m = 2\pi/\theta_m` below L / ``high_freq_factor`` are kept, those above
    L / ``low_freq_factor`` are divided by s, and between them

    .. math:: \theta^\prime_m = (1 - g_m)\,\theta_m / s + g_m\,\theta_m, \qquad
              g_m = \frac{L/\lambda_m - low}{high - low}

    That is NTK-by-parts with the ramp of the paper, ``beta_slow`` = low and ``beta_fast`` = high.

    Parameters
    ----------
    dim : int
        Rotated width d; even.
    factor : float
        s, at least 1: how many times the trained length is stretched.
    low_freq_factor, high_freq_factor : float
        Turns within L, both above 0, high not below low. Equal values make a step (1 and 1 in Llama 4 Scout); a
        wavelength exactly at it is kept.
    original_max_position_embeddings : int
        Trained length L in tokens, at least 1.
    base : float
        RoPE base, greater than 1 (``rope_theta``).

    Returns
    -------
    (inv_freq [dim/2], 1.0)

    Raises
    ------
    TypeError, ValueError
        If a frequency factor is not above 0, ``high_freq_factor`` is below ``low_freq_factor``; otherwise as
        `rope_scaling_ntk_by_parts`.
    """
    high, low = fast_and_slow("high_freq_factor", high_freq_factor, "low_freq_factor", low_freq_factor)
    return rope_scaling_ntk_by_parts(
        dim,
        factor=factor,
        original_max_position_embeddings=original_max_position_embeddings,
        base=base,
        beta_fast=high,
        beta_slow=low,
        ramp="ratio",
    )


def rope_scaling_part_ntk(
    dim: int,
    *,
    factor: float,
    original_max_position_embeddings: int,
    base: float = 10000.0,
    ntk_band: tuple[float, float] = (1.25, 0.75),
    plain_band: tuple[float, float] = (16.0, 2.0),
) -> tuple[FloatArray, float]:
    r"""NTK-by-parts as it stood before the paper: interpolated, NTK-aware and plain frequencies mixed.

    .. math:: \theta^\prime_m = (1 - \gamma_m)\big[(1 - \beta_m)\,\theta_m / s + \beta_m\,\theta_m(b^\prime)\big]
              + \gamma_m\,\theta_m

    Both :math:`\beta` (``ntk_band``) and :math:`\gamma` (``plain_band``) are "index" ramps of `ntk_by_parts_ramp`, and
    b′ is `ntk_base`. Source: class LlamaPartNTKScaledRotaryEmbedding of the YaRN repository (jquesnelle/yarn).

    Parameters
    ----------
    dim : int
        Rotated width d; even, at least 4.
    factor : float
        s, at least 1: how many times the trained length is stretched.
    original_max_position_embeddings : int
        Trained length L in tokens, at least 1.
    base : float
        RoPE base, greater than 1 (``rope_theta``).
    ntk_band, plain_band : pair of float
        Turns (fast, slow) between which a ramp falls from 1 to 0.

    Returns
    -------
    (inv_freq [dim/2], 1.0)

    Raises
    ------
    TypeError, ValueError
        As `ntk_base` and `ntk_by_parts_ramp`; if a band is no pair of numbers.
    """
    length = original_max_position_embeddings
    interpolated, _ = rope_scaling_linear(dim, factor=factor, base=base)
    ntk_aware, _ = rope_scaling_ntk(dim, factor=factor, base=base)
    theta, attention_factor = rope_scaling_default(dim, base=base)
    ntk_share, plain_share = (
        ntk_by_parts_ramp(dim, original_max_position_embeddings=length, base=base, beta_fast=fast, beta_slow=slow)
        for fast, slow in (_pair_of_numbers("ntk_band", ntk_band), _pair_of_numbers("plain_band", plain_band))
    )
    mixed = (1 - ntk_share) * interpolated + ntk_share * ntk_aware
    return (1 - plain_share) * mixed + plain_share * theta, attention_factor


def _pair_of_numbers(name: str, value: ArrayLike) -> tuple[float, float]:
    fast, slow = numbers(name, value, 2, "(fast, slow)")
    return fast_and_slow(f"{name}[0]", float(fast), f"{name}[1]", float(slow))
