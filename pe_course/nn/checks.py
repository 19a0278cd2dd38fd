"""What the hooks say when a tensor does not fit: argument, value and limit.

Looking at the values of a tensor makes a GPU wait and breaks a compiled graph. The checks that do so are
left out while `torch.compile` traces; what they guard is then the caller's promise.
"""

from __future__ import annotations

import torch
from torch import Tensor


def head_vectors(name: str, tensor: Tensor, head_dim: int | None = None) -> Tensor:
    """``tensor`` if it is ``[B, H, L, head_dim]``, floating-point and not empty; None is any width.

    Raises: TypeError, ValueError.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} must be a torch tensor, got {type(tensor).__name__}")
    if not tensor.is_floating_point():
        raise TypeError(f"{name} must be a floating-point tensor, got dtype {tensor.dtype}")
    if tensor.ndim != 4 or 0 in tensor.shape:
        raise ValueError(f"{name} must have 4 axes [B, H, L, D], none of them empty, got shape {tuple(tensor.shape)}")
    if head_dim is not None and tensor.shape[-1] != head_dim:
        raise ValueError(f"{name} must have {head_dim} channels, the head_dim of the method, got {tensor.shape[-1]}")
    return tensor


def positions_fit(
    name: str, positions: Tensor, of: str, batch: int, length: int, axes: int, device: torch.device
) -> Tensor:
    """``positions`` if it is a tensor ``[length]`` or ``[batch, length]`` on ``device``, coordinates first.

    Raises: TypeError, ValueError naming ``name`` and, for its length, the tensor it belongs ``of``.
    """
    if not isinstance(positions, Tensor):
        raise TypeError(f"{name} must be a torch tensor, got {type(positions).__name__}")
    if positions.dtype == torch.bool or positions.is_complex():
        raise TypeError(f"{name} must hold real numbers, got dtype {positions.dtype}")
    if positions.device != device:
        raise ValueError(f"{name} is on {positions.device} but {of} is on {device}")
    front = (axes,) if axes > 1 else ()
    allowed = [(*front, length), (*front, 1, length), (*front, batch, length)]
    if tuple(positions.shape) not in allowed:
        shown = " or ".join(str(list(shape)) for shape in dict.fromkeys((allowed[0], allowed[2])))
        raise ValueError(f"{name} must have shape {shown} to fit {of}, got {list(positions.shape)}")
    return positions


def finite_positions(name: str, positions: Tensor) -> Tensor:
    """``positions`` if none is NaN or infinite. Raises: ValueError, but not while a graph is traced."""
    if positions.is_floating_point() and not torch.compiler.is_compiling():
        finite = torch.isfinite(positions)
        if not finite.all():
            raise ValueError(f"{name} must be finite, got {positions[~finite][0].item()}")
    return positions


def whole_positions(name: str, positions: Tensor) -> Tensor:
    """``positions`` if all are whole and none is negative. Raises: ValueError, but not while a graph is traced."""
    if torch.compiler.is_compiling():
        return positions
    finite_positions(name, positions)
    if positions.is_floating_point() and (positions != positions.floor()).any():
        raise ValueError(f"{name} must be whole numbers, got {positions[positions != positions.floor()][0].item()}")
    if positions.numel() and positions.min() < 0:
        raise ValueError(f"{name} must be at least 0, got {int(positions.min())}")
    return positions
