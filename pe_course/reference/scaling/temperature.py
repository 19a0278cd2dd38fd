"""The temperature of YaRN, and where libraries put it: on cos and sin, or on the softmax scale."""

from __future__ import annotations

import math

from pe_course.reference import validation as check


def yarn_mscale(factor: float, mscale: float = 1.0) -> float:
    r"""The length temperature of YaRN (Peng et al. 2023, arXiv:2309.00071, section 3.4).

    .. math:: \sqrt{1/t} = 0.1\,k \ln s + 1 \quad (s > 1), \qquad 1 \quad (s \le 1)

    The paper has k = 1; DeepSeek calls k ``mscale``. It multiplies query and key, hence the score by its square.

    Parameters
    ----------
    factor : float
        s, above 0. Unlike the other functions this one accepts less than 1, as libraries do.
    mscale : float
        k, at least 0.

    Returns
    -------
    float, at least 1.

    Raises
    ------
    TypeError, ValueError
        If ``factor`` is not above 0 or ``mscale`` is below 0.
    """
    factor = check.real_number("factor", factor, above=0)
    mscale = check.real_number("mscale", mscale, at_least=0)
    return 0.1 * mscale * math.log(factor) + 1.0 if factor > 1 else 1.0


def yarn_attention_factor(
    factor: float,
    *,
    mscale: float | None = None,
    mscale_all_dim: float | None = None,
    attention_factor: float | None = None,
) -> float:
    """What multiplies cos and sin under YaRN, by the rule of transformers.

    1. An explicit ``attention_factor`` replaces the formula; the two are not multiplied.
    2. ``mscale`` and ``mscale_all_dim`` both given and not 0: the ratio `yarn_mscale` (s, mscale) over `yarn_mscale`
       (s, mscale_all_dim). Equal values give 1: DeepSeek then keeps the temperature in the softmax scale, see
       `yarn_softmax_scale_factor`.
    3. Otherwise `yarn_mscale` (s, 1).

    Parameters
    ----------
    factor : float
        s, at least 1: how many times the trained length is stretched.
    mscale, mscale_all_dim : float or None
        At least 0.
    attention_factor : float or None
        Above 0.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If ``factor`` is below 1, an mscale is below 0 or ``attention_factor`` is not above 0.

    Notes
    -----
    One mscale alone has no effect here. With ``mscale_all_dim`` counted as 0 instead, the value is
    ``yarn_mscale(factor, mscale)``; pass it as ``attention_factor``.
    """
    factor = check.real_number("factor", factor, at_least=1)
    if attention_factor is not None:
        return check.real_number("attention_factor", attention_factor, above=0)
    if mscale is not None:
        mscale = check.real_number("mscale", mscale, at_least=0)
    if mscale_all_dim is not None:
        mscale_all_dim = check.real_number("mscale_all_dim", mscale_all_dim, at_least=0)
    if mscale and mscale_all_dim:
        return yarn_mscale(factor, mscale) / yarn_mscale(factor, mscale_all_dim)
    return yarn_mscale(factor)


def yarn_softmax_scale_factor(factor: float, *, mscale_all_dim: float | None) -> float:
    r"""What DeepSeek-V2 and V3 multiply the softmax scale by, beside the factor on cos and sin.

    .. math:: \text{scale} = \frac{1}{\sqrt{d}} \, (0.1\,k \ln s + 1)^2, \qquad k = \text{mscale\_all\_dim}

    It reaches the whole score, that of the unrotated channels too. Source: modelling code of DeepSeek-V3 in
    transformers; it is not in the YaRN paper.

    Parameters
    ----------
    factor : float
        s, at least 1: how many times the trained length is stretched.
    mscale_all_dim : float or None
        k, at least 0; None counts as 0.

    Returns
    -------
    float, 1 where k is 0.

    Raises
    ------
    TypeError, ValueError
        If ``factor`` is below 1 or ``mscale_all_dim`` is below 0.
    """
    factor = check.real_number("factor", factor, at_least=1)
    if mscale_all_dim is None:
        return 1.0
    return yarn_mscale(factor, check.real_number("mscale_all_dim", mscale_all_dim, at_least=0)) ** 2
