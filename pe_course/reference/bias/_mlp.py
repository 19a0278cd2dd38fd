"""The small network that turns a distance into one bias per head."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.validation import real_array

Layer = tuple[ArrayLike, ArrayLike | None]
"""Weight [out, in] as torch.nn.Linear stores it, and bias [out] or None."""


def relu(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(x, 0.0)


def silu(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """x · sigmoid(x)."""
    return x * sigmoid(x)


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(−x)); the logarithmic form neither overflows nor loses small values."""
    return np.exp(log_sigmoid(x))


def log_sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return -np.logaddexp(0.0, -x)


ACTIVATIONS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {"relu": relu, "silu": silu}


def mlp(x: NDArray[np.float64], layers: Sequence[Layer], activation: str) -> NDArray[np.float64]:
    """[..., in] to [..., heads]: the activation follows each layer but the last."""
    checked = _checked_layers(layers, x.shape[-1])
    for number, (weight, bias) in enumerate(checked, start=1):
        x = x @ weight.T + bias
        if number < len(checked):
            x = ACTIVATIONS[activation](x)
    return x


def _checked_layers(layers: Sequence[Layer], width: int) -> list[tuple[NDArray, NDArray]]:
    if isinstance(layers, str) or not isinstance(layers, Sequence):
        raise TypeError(f"layers must be a sequence of pairs (weight, bias or None), got {type(layers).__name__}")
    if len(layers) == 0:
        raise ValueError("layers must hold at least 1 layer, got 0")
    checked = []
    for index, layer in enumerate(layers):
        if not isinstance(layer, (tuple, list)) or len(layer) != 2:
            raise ValueError(f"layers[{index}] must be a pair (weight, bias or None), got {type(layer).__name__}")
        weight = real_array(f"layers[{index}] weight", layer[0], rank=2)
        if weight.shape[1] != width:
            raise ValueError(f"layers[{index}] weight must take {width} inputs, got shape {weight.shape}")
        width = len(weight)
        bias = np.zeros(width) if layer[1] is None else real_array(f"layers[{index}] bias", layer[1], rank=1)
        if len(bias) != width:
            raise ValueError(f"layers[{index}] bias must have {width} entries, got {len(bias)}")
        checked.append((weight, bias))
    return checked
