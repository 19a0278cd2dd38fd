"""How fast each pair of channels turns, and the angles that follow for given positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.absolute import sinusoidal_frequencies
from pe_course.reference.validation import even_count, real_array, real_number


def rope_frequencies(dim: int, *, base: float = 10000.0) -> NDArray[np.float64]:
    r"""Angle in radians that each pair of channels turns by per position, fastest first.

    .. math:: \theta_m = \mathrm{base}^{-2m/d}, \qquad m = 0, \dots, d/2 - 1

    Su et al. 2021 (RoFormer, arXiv:2104.09864), equation 15; the choice is that of the sinusoids, and
    the numbers are `absolute.sinusoidal_frequencies`.

    Parameters
    ----------
    dim
        Number of rotated channels, even (``head_dim``, or ``rotary_dim`` where only part of the head is rotated).
    base
        Greater than 1 (``rope_theta`` in Hugging Face configurations).

    Returns
    -------
    float64 array [dim/2] in radians per position, often called ``inv_freq``

    Raises
    ------
    TypeError, ValueError
        If ``dim`` is odd or below 2, or ``base`` is not above 1.

    Notes
    -----
    Bases in use run from 1e4 (RoFormer, Llama 2) over 5e5 (Llama 3) to 1e8. The exponent divides by the *rotated*
    width: for 64 of 256 channels, dividing by 256 makes the last pair 806 times too fast.
    """
    return sinusoidal_frequencies(dim, base=base)


def proportional_frequencies(
    head_dim: int, *, partial_rotary_factor: float, base: float = 10000.0
) -> NDArray[np.float64]:
    r"""Frequencies of p-RoPE: the slowest pairs do not turn at all (Barbero et al. 2024, arXiv:2410.06205).

    .. math:: \theta_m = \mathrm{base}^{-2m/d} \ \text{for}\ m < \lfloor p\,d/2 \rfloor, \qquad
              \theta_m = 0 \ \text{otherwise}

    Parameters
    ----------
    head_dim
        d, even.
    partial_rotary_factor
        p, the fraction of pairs that turn, in (0, 1].
    base
        Greater than 1.

    Returns
    -------
    float64 array [head_dim/2]
        The last pairs are exactly 0.

    Raises
    ------
    TypeError, ValueError
        If ``head_dim`` is odd or below 2, ``partial_rotary_factor`` is outside (0, 1], or ``base`` is not above 1.

    Notes
    -----
    This is ``rope_type="proportional"`` of Hugging Face (Gemma 4: p = 0.25, base 1e6). Partial rotary with the same p
    is another method: its exponent divides by the rotated width, and in the half layout its pairs lie within the first
    ``rotary_dim`` channels, not ``head_dim``/2 apart.
    """
    fraction = real_number("partial_rotary_factor", partial_rotary_factor, above=0, at_most=1)
    frequencies = rope_frequencies(even_count("head_dim", head_dim), base=base)
    turning = int(fraction * head_dim // 2)
    return np.where(np.arange(len(frequencies)) < turning, frequencies, 0.0)


def partial_rotary_dim(head_dim: int, *, partial_rotary_factor: float) -> int:
    """Number of channels that partial rotary turns: ``int(head_dim * partial_rotary_factor)``.

    GPT-NeoX (Black et al. 2022, arXiv:2204.06745) turns a quarter of the head, GLM-4 a half, phi-2 two
    fifths. The frequencies are then ``rope_frequencies(rotary_dim)``; the other channels pass unchanged.

    Parameters
    ----------
    head_dim
        Channels per head.
    partial_rotary_factor
        Fraction in (0, 1] (``rotary_pct`` in GPT-NeoX).

    Returns
    -------
    an even int

    Raises
    ------
    TypeError, ValueError
        If ``head_dim`` is odd, the fraction is outside (0, 1], or the result is odd or 0.
    """
    fraction = real_number("partial_rotary_factor", partial_rotary_factor, above=0, at_most=1)
    width = int(even_count("head_dim", head_dim) * fraction)
    return even_count(f"rotary_dim (head_dim {head_dim} times partial_rotary_factor {fraction:g})", width)


def rope_angles(positions: ArrayLike, inv_freq: ArrayLike) -> NDArray[np.float64]:
    r"""Angle of each pair at each position: :math:`p\,\theta_m`, in radians.

    Su et al. 2021 (arXiv:2104.09864), equation 15.

    Parameters
    ----------
    positions
        Any shape, finite real numbers (negative ones and fractions included).
    inv_freq
        [P], radians per position.

    Returns
    -------
    float64 array [\*positions.shape, P]

    Raises
    ------
    TypeError, ValueError
        If either is not finite, is empty, or ``inv_freq`` has not one axis.

    Notes
    -----
    An elementwise product in float64. The same product in float32 is off by 3e-3 in the cosine at position 131071
    (measured), and a matrix product becomes bfloat16 under autocast.
    """
    return real_array("positions", positions)[..., None] * real_array("inv_freq", inv_freq, rank=1)


def rope_cos_sin(
    positions: ArrayLike, inv_freq: ArrayLike, *, attention_factor: float = 1.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Cosine and sine of `rope_angles`, both times ``attention_factor``.

    Parameters
    ----------
    positions
        Any shape, usually [L] or [B, L].
    inv_freq
        [P].
    attention_factor
        Above 0; YaRN and LongRoPE multiply both tables by it, so that a score grows with its square.

    Returns
    -------
    two float64 arrays [\*positions.shape, P], one column per pair
        Hugging Face repeats the columns to the width of the head; here each number stands once, whatever the layout.

    Raises
    ------
    TypeError, ValueError
        As `rope_angles`, and if ``attention_factor`` is not above 0.
    """
    angles = rope_angles(positions, inv_freq)
    factor = real_number("attention_factor", attention_factor, above=0)
    return factor * np.cos(angles), factor * np.sin(angles)
