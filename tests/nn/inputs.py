"""Random inputs and common masks for the tests of the torch room."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

BACKENDS = ("eager", "sdpa", "flex")


def qkv(
    *,
    batch: int = 2,
    heads: int = 4,
    kv_heads: int | None = None,
    length: int = 6,
    keys: int | None = None,
    head_dim: int = 8,
    dtype: torch.dtype = torch.float64,
    seed: int = 0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of a standard normal draw."""
    draw = torch.Generator().manual_seed(seed)
    kv_heads, keys = kv_heads or heads, keys or length
    shapes = ((batch, heads, length, head_dim), (batch, kv_heads, keys, head_dim), (batch, kv_heads, keys, head_dim))
    q, k, v = (torch.randn(shape, generator=draw, dtype=torch.float64).to(dtype) for shape in shapes)
    return q, k, v


def normal(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def causal(length: int, keys: int | None = None) -> Tensor:
    """The last ``length`` of ``keys`` tokens, each of which sees what is not later."""
    keys = keys or length
    return torch.ones(length, keys, dtype=torch.bool).tril(keys - length)


def array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().numpy()


def draw_parameters(module: torch.nn.Module, seed: int = 1) -> torch.nn.Module:
    """``module`` in float64 with normal weights, so that no term is zero by chance of its start."""
    module.double()
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(0.5 * torch.randn(parameter.shape, generator=draw, dtype=torch.float64))
    return module
