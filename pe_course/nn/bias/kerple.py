r"""KERPLE: ALiBi's straight line becomes a learned curve, logarithmic or a power of the distance."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from pe_course.nn.bias._learned import BELOW_TWO, POSITIVE, Curve, LearnedCurve, initial_values
from pe_course.nn.bias.distance import DistanceBias
from pe_course.nn.registry import register
from pe_course.reference.bias import alibi_slopes
from pe_course.reference.validation import one_of


def log_curve(distance: Tensor, height: Tensor, rate: Tensor) -> Tensor:
    r""":math:`-\text{height} \ln(1 + \text{rate}\, d)`."""
    return -height * torch.log1p(rate * distance)


def power_curve(distance: Tensor, height: Tensor, exponent: Tensor) -> Tensor:
    r""":math:`-\text{height}\, d^{\,\text{exponent}}`."""
    return -height * distance**exponent


def three_parameter_curve(distance: Tensor, a: Tensor, b: Tensor, p: Tensor) -> Tensor:
    r""":math:`-b \ln(1 + a\, d^p)`."""
    return log_curve(distance**p, b, a)


CURVES: dict[str, Curve] = {
    "log": Curve(log_curve, {"r1": POSITIVE, "r2": POSITIVE}),
    "power": Curve(power_curve, {"r1": POSITIVE, "r2": BELOW_TWO}),
    "three_parameter": Curve(three_parameter_curve, {"a": POSITIVE, "b": POSITIVE, "p": POSITIVE}),
}


def _uniform(num_heads: int, highest: float) -> ArrayLike:
    """A draw from U(0, highest), no lower than the released code's limit of 0.01 and off the upper end."""
    return torch.empty(num_heads, dtype=torch.float64, device="cpu").uniform_(0, highest).clamp(0.01, 0.999 * highest)


STARTS: dict[str, Callable[[int], dict[str, ArrayLike]]] = {
    "log": lambda heads: {"r1": _uniform(heads, 2.0), "r2": _uniform(heads, 1.0)},
    "power": lambda heads: {"r1": _uniform(heads, 1.0), "r2": _uniform(heads, 2.0)},
    "three_parameter": lambda heads: {"a": 1.0, "b": alibi_slopes(heads), "p": 1.0},
}


@register("kerple")
class KerpleBias(DistanceBias):
    r"""Kernelised relative bias (Chi et al. 2022, arXiv:2205.09921; released code. Equation from secondary reading).

    .. math:: -r_1 \ln(1 + r_2 |i - j|) \;\text{(log)}, \qquad -r_1 |i - j|^{r_2} \;\text{(power)},
        \qquad -b \ln(1 + a |i - j|^p) \;\text{(three\_parameter)}

    Parameters
    ----------
    num_heads
        Number of query heads; every parameter is learned per head.
    kind
        "log" or "power" as released, or "three_parameter" (NeMo 1.22, not in the paper).
    initial
        Starting values by name, one number or one per head. Left out: log draws r1 from U(0, 2) and r2 from U(0, 1),
        power r1 from U(0, 1) and r2 from U(0, 2), as the released code does; three_parameter has a = p = 1 and b = the
        ALiBi slopes, as in NeMo.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    Parameters stay positive, and power's r2 below 2, because they are images of unbounded ones (softplus, sigmoid);
    the released code clamps them to at least 0.01 instead, where the gradient stops. The released code shares one
    instance among all layers, and gives future keys the bias of distance 0; here the bias is symmetric. Added after the
    factor :math:`1/\sqrt d`. Its optional weight kernel, which multiplies the score, is not offered
    (``reference.bias.kerple_weight``).
    """

    def __init__(self, num_heads: int, *, kind: str = "log", initial: Mapping[str, ArrayLike] | None = None):
        super().__init__(num_heads)
        self.kind = one_of("kind", kind, CURVES)
        self.curve = LearnedCurve(CURVES[kind], num_heads, initial_values(initial, STARTS[kind](num_heads)))

    def of_distance(self, distance: Tensor, dtype: torch.dtype) -> Tensor:
        return self.curve(distance, dtype)
