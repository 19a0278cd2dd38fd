r"""FIRE: a small network sees the distance as a fraction of how far the query can look back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.bias._mlp import Layer, mlp
from pe_course.reference.bias._pairs import pairwise_distance
from pe_course.reference.validation import real_number


def fire_input(
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    c: float = 0.1,
    threshold: float = 512.0,
    eps: float = 1e-6,
) -> NDArray[np.float64]:
    r"""The number per pair that FIRE's network sees (Li et al. 2024, arXiv:2310.04418).

    .. math:: x_{ij} = \frac{\psi(i - j)}{\psi(\max(L, i)) + \varepsilon}, \qquad \psi(d) = \ln(|c\,d| + 1)

    Equation from a copy of the paper's listing. For keys up to the query it lies in [0, 1), at any length.
    It depends on the query's **absolute** position once i > L, so a cache needs the true positions; with
    i <= L it is a function of the distance alone.

    Parameters
    ----------
    query_positions, key_positions
        Any real numbers, [L] and [S] or [B, L] and [B, S].
    c
        Not 0, learned, starts at 0.1.
    threshold
        L > 0; the listing learns a multiplier of an initial 512 and takes the absolute value.
    eps
        Added to the denominator, 1e-6 in the listing.

    Returns
    -------
    [L, S] or [B, L, S]
        Future keys get a value too.

    Raises
    ------
    TypeError, ValueError
    """
    distance = pairwise_distance(query_positions, key_positions)
    c = real_number("c", c)
    if c == 0:
        raise ValueError("c must not be 0 because every distance would become 0, got 0")
    threshold = real_number("threshold", threshold, above=0.0)
    eps = real_number("eps", eps, at_least=0.0)
    reach = np.maximum(np.asarray(query_positions, dtype=np.float64), threshold)
    farthest = max(np.abs(distance).max(), reach.max())
    if farthest > np.finfo(np.float64).max / max(abs(c), 1.0):
        raise ValueError(f"c times the largest distance {farthest:g} must be finite, got c {c:g}")
    return _psi(distance, c) / (_psi(reach, c) + eps)[..., :, None]


def _psi(distance: NDArray[np.float64], c: float) -> NDArray[np.float64]:
    return np.log1p(np.abs(c * distance))


def fire_bias(
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    layers: Sequence[Layer],
    *,
    c: float = 0.1,
    threshold: float = 512.0,
    eps: float = 1e-6,
) -> NDArray[np.float64]:
    r"""FIRE's score bias :math:`f_\theta(x_{ij})` (Li et al. 2024, arXiv:2310.04418; equation from a listing).

    :math:`f_\theta` is an MLP with ReLU, 1 → 32 → H in the listing. Added after the factor :math:`1/\sqrt d`.
    One network per layer and one for all layers are both in use.

    Parameters
    ----------
    layers
        (weight [out, in], bias [out] or None) per layer, as torch.nn.Linear stores them; the rest as `fire_input`.

    Returns
    -------
    [H, L, S] or [B, H, L, S]

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    """
    x = fire_input(query_positions, key_positions, c=c, threshold=threshold, eps=eps)
    return np.moveaxis(mlp(x[..., None], layers, "relu"), -1, -3)
