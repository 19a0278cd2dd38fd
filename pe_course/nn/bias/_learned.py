"""Learned functions of a number: curves whose parameters keep within their limits, and a small network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import ArrayLike
from torch import Tensor, nn

from pe_course.nn.bias.distance import per_head
from pe_course.reference.validation import count, one_of, real_array


@dataclass(frozen=True)
class Limits:
    """Numbers between two limits as images of any real number, so that a gradient step cannot leave them."""

    name: str
    inside: Callable[[Tensor], Tensor]
    raw: Callable[[Tensor], Tensor]
    allowed: Callable[[np.ndarray], np.ndarray]


# Named functions, because a module with lambdas cannot be pickled.
def _inverse_softplus(x: Tensor) -> Tensor:
    return x + torch.log(-torch.expm1(-x))


def _is_positive(x: np.ndarray) -> np.ndarray:
    return x > 0


def _twice_sigmoid(raw: Tensor) -> Tensor:
    return 2 * torch.sigmoid(raw)


def _inverse_twice_sigmoid(x: Tensor) -> Tensor:
    return torch.logit(x / 2)


def _is_below_two(x: np.ndarray) -> np.ndarray:
    return (x > 0) & (x < 2)


def _same(x: Tensor) -> Tensor:
    return x


POSITIVE = Limits("greater than 0", F.softplus, _inverse_softplus, _is_positive)
BELOW_TWO = Limits("greater than 0 and less than 2", _twice_sigmoid, _inverse_twice_sigmoid, _is_below_two)
ANY = Limits("any real number", _same, _same, np.isfinite)


@dataclass(frozen=True)
class Curve:
    """A function of the absolute distance with parameters per head, each within its limits."""

    function: Callable[..., Tensor]
    limits: Mapping[str, Limits]


class LearnedCurve(nn.Module):
    """A `Curve` with a value of each parameter per head. ``raw_NAME`` is what is trained, ``values()`` what it means.

    Parameters: initial: for each parameter one number, or one per head.
    """

    def __init__(self, curve: Curve, num_heads: int, initial: Mapping[str, ArrayLike]):
        super().__init__()
        self.curve = curve
        for name, limits in curve.limits.items():
            start = _checked_start(name, initial[name], num_heads, limits)
            raw = limits.raw(torch.tensor(start)).to(torch.get_default_dtype())
            self.register_parameter(f"raw_{name}", nn.Parameter(raw.to(torch.get_default_device())))

    def values(self, dtype: torch.dtype | None = None) -> dict[str, Tensor]:
        """Each parameter of the curve, ``[H]``, within its limits."""
        raw = {name: getattr(self, f"raw_{name}") for name in self.curve.limits}
        return {name: self.curve.limits[name].inside(raw[name].to(dtype or raw[name].dtype)) for name in raw}

    def forward(self, distance: Tensor, dtype: torch.dtype) -> Tensor:
        """``[...]`` to ``[H, ...]``."""
        values = self.values(dtype).values()
        return self.curve.function(distance.abs().to(dtype), *(per_head(value, distance.ndim) for value in values))


def _checked_start(name: str, value: ArrayLike, num_heads: int, limits: Limits) -> np.ndarray:
    start = real_array(name, value)
    if start.ndim > 1 or start.size not in (1, num_heads):
        raise ValueError(f"{name} must be one number or one for each of {num_heads} heads, got shape {start.shape}")
    if not limits.allowed(start).all():
        raise ValueError(f"{name} must be {limits.name}, got {start[~limits.allowed(start)].flat[0]:g}")
    return np.broadcast_to(start, (num_heads,)).copy()


def initial_values(given: Mapping[str, ArrayLike] | None, default: Mapping[str, ArrayLike]) -> dict[str, ArrayLike]:
    """``default`` with what is ``given``. Raises: TypeError, ValueError if a name is none of the parameters."""
    if given is None:
        return dict(default)
    if not isinstance(given, Mapping):
        raise TypeError(f"initial must map names to numbers, got {type(given).__name__}")
    for name in given:
        one_of("name in initial", name, list(default))
    return {**default, **given}


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"silu": F.silu, "relu": F.relu}


class NumberNetwork(nn.Module):
    """A multilayer perceptron from one number to one per head: ``[...]`` to ``[H, ...]``.

    Parameters: depth: number of hidden layers. Weights are in ``layers``, as torch.nn.Linear stores them.
    """

    def __init__(self, num_heads: int, *, width: int, depth: int, activation: str):
        super().__init__()
        width, depth = count("mlp_width", width), count("mlp_depth", depth)
        self.activation = one_of("activation", activation, ACTIVATIONS)
        sizes = [1, *[width] * depth, num_heads]
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(sizes))

    def forward(self, x: Tensor, dtype: torch.dtype) -> Tensor:
        # Autocast would round the number itself to bfloat16, and neighbouring distances would become one.
        with torch.autocast(x.device.type, enabled=False):
            x = x.to(dtype)[..., None]
            for layer in self.layers[:-1]:
                x = ACTIVATIONS[self.activation](_linear(x, layer, dtype))
            return _linear(x, self.layers[-1], dtype).movedim(-1, 0)


def _linear(x: Tensor, layer: nn.Linear, dtype: torch.dtype) -> Tensor:
    return F.linear(x, layer.weight.to(dtype), layer.bias.to(dtype))
