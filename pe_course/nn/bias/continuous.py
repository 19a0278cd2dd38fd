r"""Biases that are a smooth function of the distance: curves with a few learned numbers, or a small network."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from pe_course.nn.bias._learned import ACTIVATIONS, ANY, POSITIVE, Curve, LearnedCurve, NumberNetwork, initial_values
from pe_course.nn.bias.distance import DistanceBias
from pe_course.nn.bias.kerple import log_curve
from pe_course.nn.registry import register
from pe_course.reference.validation import count, flag, one_of


def linear_curve(distance: Tensor, slope: Tensor) -> Tensor:
    r""":math:`-\text{slope}\, d`."""
    return -slope * distance


def exponential_curve(distance: Tensor, height: Tensor, length: Tensor) -> Tensor:
    r""":math:`\text{height} \cdot e^{-d / \text{length}}`."""
    return height * torch.exp(-distance / length)


def gaussian_curve(distance: Tensor, height: Tensor, width: Tensor) -> Tensor:
    r""":math:`\text{height} \cdot e^{-d^2 / (2\,\text{width}^2)}`."""
    return height * torch.exp(-0.5 * (distance / width) ** 2)


CURVES: dict[str, Curve] = {
    "linear": Curve(linear_curve, {"slope": POSITIVE}),
    "log": Curve(log_curve, {"scale": POSITIVE, "rate": POSITIVE}),
    "exp": Curve(exponential_curve, {"height": ANY, "length": POSITIVE}),
    "gaussian": Curve(gaussian_curve, {"height": ANY, "width": POSITIVE}),
}
STARTS: dict[str, dict[str, float]] = {
    "linear": {"slope": 0.5},
    "log": {"scale": 1.0, "rate": 1.0},
    "exp": {"height": 1.0, "length": 1.0},
    "gaussian": {"height": 1.0, "width": 1.0},
}
KINDS = (*CURVES, "mlp")


@register("continuous")
class ContinuousDistanceBias(DistanceBias):
    r"""A bias :math:`f_h(|i - j|)` with a smooth f ("Better-Relative" in the lecture, which is no established name).

    .. math:: -s\,d \;\text{(linear)}, \quad -a \ln(1 + r\,d) \;\text{(log)}, \quad a\,e^{-d/\ell} \;\text{(exp)}, \quad
        a\,e^{-d^2 / 2 w^2} \;\text{(gaussian)}, \quad \text{MLP}_h(i - j) \;\text{(mlp)}

    Parameters
    ----------
    num_heads
        Number of query heads; every parameter is learned, per head.
    kind
        "linear", "log", "exp", "gaussian" or "mlp".
    initial
        For a curve, starting values by name, one number or one per head. linear: slope (0.5, the lecture's example);
        log: scale, rate (1); exp: height, length (1); gaussian: height, width (1).
    mlp_width, mlp_depth, activation
        For "mlp", width and number of the hidden layers, and "silu" (x-transformers 2.31, ``DynamicPositionBias``) or
        "relu".
    log_distance
        For "mlp", feed :math:`\operatorname{sign}(d) \ln(1 + |d|)`, so that far distances stay in range.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    The network sees the **signed** distance, query - key; the curves its absolute value. Added after the factor
    :math:`1/\sqrt d`. A bias that tends to 0 (exp, gaussian) does not make far keys fade: they share one weight.
    """

    def __init__(
        self,
        num_heads: int,
        *,
        kind: str = "linear",
        initial: Mapping[str, ArrayLike] | None = None,
        mlp_width: int = 32,
        mlp_depth: int = 2,
        activation: str = "silu",
        log_distance: bool = False,
    ):
        super().__init__(num_heads)
        self.kind = one_of("kind", kind, KINDS)
        self.log_distance = flag("log_distance", log_distance)
        # Also where the kind makes no use of them.
        count("mlp_width", mlp_width)
        count("mlp_depth", mlp_depth)
        one_of("activation", activation, ACTIVATIONS)
        if kind != "mlp":
            self.curve = LearnedCurve(CURVES[kind], num_heads, initial_values(initial, STARTS[kind]))
        elif initial is not None:
            raise ValueError("initial must be None for kind 'mlp', whose weights are drawn")
        else:
            self.curve = NumberNetwork(num_heads, width=mlp_width, depth=mlp_depth, activation=activation)

    def of_distance(self, distance: Tensor, dtype: torch.dtype) -> Tensor:
        if self.log_distance and self.kind == "mlp":
            distance = distance.sign() * torch.log1p(distance.abs().to(dtype))
        return self.curve(distance, dtype)
