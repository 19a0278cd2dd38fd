"""xPos: beside the rotation, each pair decays with the distance (Sun et al. 2022, arXiv:2212.10554)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.rotary.frequencies import rope_cos_sin
from pe_course.reference.rotary.rotation import apply_rotary, positions_beside, resolve_frequencies
from pe_course.reference.validation import even_count, one_of, real_array, real_number

_SIGN = {"query": 1.0, "key": -1.0}


def apply_xpos(
    x: ArrayLike,
    positions: ArrayLike,
    *,
    role: str,
    base: float = 10000.0,
    layout: str = "interleaved",
    rotary_dim: int | None = None,
    scale_base: float = 512.0,
    gamma: float = 0.4,
    centre: float = 0.0,
) -> NDArray[np.float64]:
    r"""Rotate queries or keys and scale each pair: queries by the scale, keys by its inverse.

    .. math:: q \mapsto R_p\, q \;\zeta^{(p - c)/s}, \qquad k \mapsto R_p\, k \;\zeta^{-(p - c)/s}

    Sun et al. 2022 (arXiv:2212.10554); the equation is read in the authors' code (torchscale ``XPOS``). The
    product of pair m at distance r = query − key carries the factor :math:`\zeta_m^{r/s}`: it decays for past
    keys and **grows without bound for future ones**. Use it with a causal mask only. The score decays
    towards 0, not towards −∞: this is no local attention.

    Parameters
    ----------
    x : array [..., L, D]
        Queries or keys, usually [B, H, L, D].
    positions : [L], or [B, L] beside x [B, H, L, D]
        Finite real numbers.
    role : "query" or "key"
        Keys take the inverse scale (torchscale: ``downscale=True``).
    base, rotary_dim
        As in `apply_rope`.
    layout : "interleaved" or "half"
        torchscale, x-transformers and rotary-embedding-torch are interleaved.
    scale_base : float
        s above: distance over which a pair decays by its :math:`\zeta_m`. 512 in torchscale; NeMo's default is 2048.
    gamma : float
        See `xpos_zeta`.
    centre : float
        c above. It cancels in every score as long as queries and keys share it, and keeps the magnitudes
        small. torchscale takes ⌈n/2⌉, the others ⌊n/2⌋ of the current length n; with cached keys the centre
        must stay fixed, so it is an argument.

    Returns
    -------
    float64 array of the shape of x.

    Raises
    ------
    TypeError, ValueError
        As `apply_rope` and `xpos_scales`, and if ``role`` is unknown.
    """
    vectors = real_array("x", x)
    sign = _SIGN[one_of("role", role, tuple(_SIGN))]
    frequencies = resolve_frequencies(vectors, base, rotary_dim, None)
    positions = positions_beside(vectors, positions)
    zeta = xpos_zeta(2 * len(frequencies), gamma=gamma)
    scales = xpos_scales(positions, zeta, scale_base=scale_base, centre=centre) ** sign
    cos, sin = rope_cos_sin(positions, frequencies)
    return apply_rotary(vectors, cos * scales, sin * scales, layout=layout)


def xpos_zeta(dim: int, *, gamma: float = 0.4) -> NDArray[np.float64]:
    r"""Base of the decay of each pair, smallest (fastest decay) first, all below 1.

    .. math:: \zeta_m = \frac{2m/d + \gamma}{1 + \gamma}

    Sun et al. 2022 (arXiv:2212.10554), as in torchscale, which writes :math:`(2m + 0.4 d)/(1.4 d)`.

    Parameters
    ----------
    dim
        d, number of rotated channels, even.
    gamma
        Above 0.

    Returns
    -------
    float64 array [dim/2]
        At γ = 0.4 the first entry is 0.2857 = 2/7.

    Raises
    ------
    TypeError, ValueError
        If ``dim`` is odd or below 2, or ``gamma`` is not above 0.
    """
    dim = even_count("dim", dim)
    gamma = real_number("gamma", gamma, above=0)
    return (np.arange(0, dim, 2) / dim + gamma) / (1 + gamma)


def xpos_scales(
    positions: ArrayLike, zeta: ArrayLike, *, scale_base: float = 512.0, centre: float = 0.0
) -> NDArray[np.float64]:
    r"""Scale of each pair at each position: :math:`\zeta_m^{(p - c)/s}` (Sun et al. 2022, arXiv:2212.10554).

    With a distance in place of the positions and centre 0, this is the factor in the score.

    Parameters
    ----------
    positions
        Any shape, finite real numbers.
    zeta
        [P], above 0.
    scale_base
        s, above 0.
    centre
        c, a finite real number.

    Returns
    -------
    float64 array [\*positions.shape, P]

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its limits, or a position is so far from the centre that its scale or the inverse nears
        the end of float64 (286,000 positions at the defaults).

    Notes
    -----
    With the defaults float16 overflows 4,532 positions from the centre, bfloat16 and float32 at 36,260.
    """
    scale_base = real_number("scale_base", scale_base, above=0)
    with np.errstate(over="ignore"):  # an infinite power is refused below
        powers = (real_array("positions", positions) - real_number("centre", centre)) / scale_base
    bases = real_array("zeta", zeta, rank=1)
    real_number("the smallest zeta", bases.min(), above=0)
    exponents = powers[..., None] * np.log(bases)
    real_number(
        "log of the largest scale (from positions, centre and scale_base)", np.abs(exponents).max(), at_most=700
    )
    return np.exp(exponents)
