"""The small network that turns a distance into one bias per head."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.validation import real_array, same_length

Layer = tuple[ArrayLike, ArrayLike | None]
"""Weight [out, in] as torch.nn.Linear stores it, and bias [out] or None."""

Norm = tuple[ArrayLike, ArrayLike | None]
"""Scale [width] and shift [width] or None of a LayerNorm."""


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


def mlp(
    x: NDArray[np.float64], layers: Sequence[Layer], activation: str, norms: Sequence[Norm] | None = None
) -> NDArray[np.float64]:
    """[..., in] to [..., heads]: a LayerNorm, where there is one, and the activation follow each layer but the last."""
    checked = _checked_layers(layers, x.shape[-1])
    checked_norms = _checked_norms(norms, [len(weight) for weight, _ in checked[:-1]])
    for number, (weight, bias) in enumerate(checked):
        x = x @ weight.T + bias
        if number < len(checked) - 1:
            x = x if norms is None else layer_norm(x, *checked_norms[number])
            x = ACTIVATIONS[activation](x)
    return x


def layer_norm(x: NDArray[np.float64], scale: NDArray[np.float64], shift: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ba et al. 2016 (arXiv:1607.06450) over the last axis, with torch's 1e-5 under the root."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift


def _checked_layers(layers: Sequence[Layer], width: int) -> list[tuple[NDArray, NDArray]]:
    _sequence("layers", layers, "(weight, bias or None)")
    if len(layers) == 0:
        raise ValueError("layers must hold at least 1 layer, got 0")
    checked = []
    for index, layer in enumerate(layers):
        first, second = _pair(f"layers[{index}]", layer, "(weight, bias or None)")
        weight = real_array(f"layers[{index}] weight", first, rank=2)
        if weight.shape[1] != width:
            raise ValueError(f"layers[{index}] weight must take {width} inputs, got shape {weight.shape}")
        width = len(weight)
        checked.append((weight, _entries(f"layers[{index}] bias", second, width)))
    return checked


def _checked_norms(norms: Sequence[Norm] | None, widths: list[int]) -> list[tuple[NDArray, NDArray]]:
    if norms is None:
        return []
    _sequence("norms", norms, "(scale, shift or None)")
    same_length("norms", len(norms), "the hidden layers", len(widths))
    checked = []
    for index, (norm, width) in enumerate(zip(norms, widths, strict=True)):
        scale, shift = _pair(f"norms[{index}]", norm, "(scale, shift or None)")
        scale = real_array(f"norms[{index}] scale", scale, rank=1)
        checked.append(
            (_entries(f"norms[{index}] scale", scale, width), _entries(f"norms[{index}] shift", shift, width))
        )
    return checked


def _sequence(name: str, value: Sequence, pairs: str) -> None:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise TypeError(f"{name} must be a sequence of pairs {pairs}, got {type(value).__name__}")


def _pair(name: str, value: tuple, pair: str) -> tuple:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ValueError(f"{name} must be a pair {pair}, got {type(value).__name__}")
    return tuple(value)


def _entries(name: str, value: ArrayLike | None, width: int) -> NDArray[np.float64]:
    """One number per channel; None adds nothing."""
    entries = np.zeros(width) if value is None else real_array(name, value, rank=1)
    if len(entries) != width:
        raise ValueError(f"{name} must have {width} entries, got {len(entries)}")
    return entries
