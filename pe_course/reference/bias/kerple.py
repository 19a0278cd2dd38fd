r"""KERPLE: ALiBi's straight line becomes a learned curve, logarithmic or a power of the distance.

All functions take distances of any shape and of either sign (the curve sees :math:`|d|`) and parameters
that are one number, or [H] with a number per head; then heads come first: ``[H, *distance.shape]``. The bias
is added after the factor :math:`1/\sqrt d`. The released code sets the distance of future keys to 0 and
relies on the causal mask: pass ``np.maximum(distance, 0)`` to reproduce its whole matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.bias._pairs import before_axes, one_or_per_head, same_head_count
from pe_course.reference.validation import real_array, real_number


def kerple_log(
    distance: ArrayLike, r1: ArrayLike, r2: ArrayLike, *, minimum: float | None = 0.01
) -> NDArray[np.float64]:
    r"""The logarithmic bias (Chi et al. 2022, arXiv:2205.09921; released code. Equation from secondary reading).

    .. math:: b(d) = -r_1 \ln(1 + r_2 |d|), \qquad r_1, r_2 > 0

    The released code names them ``bias_p`` (:math:`r_1`, drawn from U(0, 2)) and ``bias_a`` (:math:`r_2`,
    drawn from U(0, 1)).

    Parameters
    ----------
    distance
        Query − key, any shape.
    r1, r2
        A number or [H].
    minimum
        Parameters below it are raised to it, 0.01 in the released code; None takes them as they are.

    Returns
    -------
    distance.shape or ``[H, *distance.shape]``, at most 0

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    ValueError
        If minimum is None and a parameter is not positive.
    """
    distance = np.abs(real_array("distance", distance))
    r1, r2 = _parameters(distance.ndim, minimum, r1=r1, r2=r2)
    return -r1 * np.log1p(r2 * distance)


def kerple_power(
    distance: ArrayLike,
    r1: ArrayLike,
    r2: ArrayLike,
    *,
    minimum: float | None = 0.01,
    maximum_exponent: float | None = 2.0,
) -> NDArray[np.float64]:
    r"""The power bias (Chi et al. 2022, arXiv:2205.09921; released code. Equation from secondary reading).

    .. math:: b(d) = -r_1 |d|^{r_2}, \qquad r_1 > 0,\; 0 < r_2 \le 2

    Exponent 1 is symmetric ALiBi (with ``minimum=None``: the clamp would raise a slope such as 1/256). The
    released code names the parameters ``bias_a`` (:math:`r_1`) and ``bias_p`` (:math:`r_2`): the letters swap
    their roles between the two kinds.

    Parameters
    ----------
    distance, r1, r2, minimum
        As `kerple_log`.
    maximum_exponent
        A larger r2 is lowered to it, 2 in the released code (beyond it the kernel is no longer conditionally positive
        definite); None sets no limit.
    """
    distance = np.abs(real_array("distance", distance))
    r1, r2 = _parameters(distance.ndim, minimum, r1=r1, r2=r2)
    return -r1 * distance ** _at_most(r2, maximum_exponent)


def kerple_weight(
    distance: ArrayLike,
    a: ArrayLike,
    p: ArrayLike,
    *,
    minimum: float | None = 0.01,
    maximum_exponent: float | None = 2.0,
) -> NDArray[np.float64]:
    r"""The optional kernel that **multiplies** the score, :math:`\exp(-a |d|^p)` (released code of KERPLE).

    Score and bias then combine as :math:`s_{ij} \exp(-a |d|^p) + b(d)`. Parameters, Returns, Raises: as
    `kerple_power`; the values lie in (0, 1].
    """
    distance = np.abs(real_array("distance", distance))
    a, p = _parameters(distance.ndim, minimum, a=a, p=p)
    return np.exp(-a * distance ** _at_most(p, maximum_exponent))


def kerple_three_parameter(
    distance: ArrayLike, a: ArrayLike, b: ArrayLike, p: ArrayLike, *, minimum: float | None = None
) -> NDArray[np.float64]:
    r"""NeMo's variant with three parameters (nemo-toolkit 1.22, not in the paper).

    .. math:: b(d) = -b \ln(1 + a |d|^p)

    NeMo starts from b = the ALiBi slopes and a = p = 1, and clamps nothing. An older NeMo file starts from
    a = 0, where the bias is 0 everywhere.

    Parameters, Returns, Raises: as `kerple_log`, without a clamp by default.
    """
    distance = np.abs(real_array("distance", distance))
    a, b, p = _parameters(distance.ndim, minimum, a=a, b=b, p=p)
    with np.errstate(over="ignore"):
        curve = np.log1p(a * distance**p)
    if not np.isfinite(curve).all():
        raise ValueError(
            f"p must keep a * distance**p finite in float64, got {p.max():g} at distance {distance.max():g}"
        )
    return -b * curve


def _parameters(axes: int, minimum: float | None, **values: ArrayLike) -> list[NDArray[np.float64]]:
    """Each parameter checked, clamped from below and shaped to stand before ``axes`` axes."""
    numbers = {name: one_or_per_head(name, value) for name, value in values.items()}
    same_head_count(**numbers)
    if minimum is None:
        for name, value in numbers.items():
            if value.min() <= 0:
                raise ValueError(f"{name} must be greater than 0, got {value.min():g}")
    else:
        minimum = real_number("minimum", minimum, above=0.0)
        numbers = {name: np.maximum(value, minimum) for name, value in numbers.items()}
    return [before_axes(value, axes) for value in numbers.values()]


def _at_most(exponent: NDArray[np.float64], maximum_exponent: float | None) -> NDArray[np.float64]:
    if maximum_exponent is None:
        return exponent
    return np.minimum(exponent, real_number("maximum_exponent", maximum_exponent, above=0.0))
