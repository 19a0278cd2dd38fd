"""Position tensors: what is checked about them, and the distance of every query from every key.

Values are checked outside ``torch.compile`` only: reading them back would wait for the device and break the graph.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from pe_course.nn import checks
from pe_course.nn.base import exact_dtype


def real_positions(name: str, positions: Tensor) -> Tensor:
    """``positions`` as int64, or as float64 where they are no integers (float32 on a device without float64).

    Raises: TypeError if they are no real numbers; ValueError if they are empty or one is not finite.
    """
    if not isinstance(positions, Tensor):
        raise TypeError(f"{name} must be a torch tensor, got {type(positions).__name__}")
    if positions.dtype == torch.bool or positions.is_complex():
        raise TypeError(f"{name} must hold real numbers, got dtype {positions.dtype}")
    if positions.numel() == 0:
        raise ValueError(f"{name} must not be empty, got shape {list(positions.shape)}")
    positions = checks.finite_positions(name, positions)
    return positions.to(exact_dtype(positions.device) if positions.is_floating_point() else torch.int64)


def whole_positions(name: str, positions: Tensor) -> Tensor:
    """``positions`` as int64, for methods that count or look up.

    Raises: as `real_positions`; ValueError if one is negative or has a fractional part.
    """
    return checks.whole_positions(name, real_positions(name, positions)).long()


def rows_of_table(name: str, positions: Tensor, rows: int) -> Tensor:
    """``positions`` as int64 row numbers.

    Raises: as `real_positions`; ValueError if one has a fractional part; IndexError if one is not a row of the table.
    """
    exact = real_positions(name, positions)
    index = exact.long()
    if torch.compiler.is_compiling():
        return index
    if exact.is_floating_point():
        checks.whole_positions(name, exact.abs())
    outside = index[(index < 0) | (index >= rows)]
    if outside.numel():
        raise IndexError(f"{name} {outside[0].item()} is outside the table of {rows} positions (0…{rows - 1})")
    return index


def distances(pos_q: Tensor, pos_k: Tensor, *, whole: bool = False) -> Tensor:
    """Query - key for every pair, ``[1, L, S]`` or ``[B, L, S]``; int64, or floating where positions are.

    ``pos_q`` is ``[L]`` or ``[B, L]`` and ``pos_k`` is ``[S]`` or ``[B, S]``, in any combination. The difference is
    taken before anything is rounded. ``whole``: for methods that count, as `whole_positions`.

    Raises: TypeError, ValueError naming the argument.
    """
    for name, positions in (("pos_q", pos_q), ("pos_k", pos_k)):
        if not isinstance(positions, Tensor):
            raise TypeError(f"{name} must be a torch tensor, got {type(positions).__name__}")
    if pos_q.device != pos_k.device:
        raise ValueError(f"pos_q is on {pos_q.device} but pos_k is on {pos_k.device}")
    check = whole_positions if whole else real_positions
    pos_q, pos_k = check("pos_q", pos_q), check("pos_k", pos_k)
    for name, positions in (("pos_q", pos_q), ("pos_k", pos_k)):
        if positions.ndim not in (1, 2):
            length = "L" if name == "pos_q" else "S"
            raise ValueError(f"{name} must have shape [{length}] or [B, {length}], got {list(positions.shape)}")
    pos_q, pos_k = torch.atleast_2d(pos_q), torch.atleast_2d(pos_k)
    if pos_q.shape[0] != pos_k.shape[0] and 1 not in (pos_q.shape[0], pos_k.shape[0]):
        raise ValueError(f"pos_q has batch size {pos_q.shape[0]} but pos_k has {pos_k.shape[0]}")
    return pos_q[:, :, None] - pos_k[:, None, :]


def once_per_distance(function: Callable[[Tensor], Tensor], distance: Tensor) -> Tensor:
    """``function(distance)``, ``[...]`` to ``[H, ...]``, evaluated once for each whole distance where that is less.

    A full table has L · S pairs but at most L + S - 1 distances.
    """
    span = distance_span(distance)
    if span is None or span[1] - span[0] + 1 >= distance.numel():
        return function(distance)
    lowest, highest = span
    table = function(torch.arange(lowest, highest + 1, device=distance.device))
    # index_select rather than indexing: its gradient is one index_add, many times faster.
    return table.index_select(1, (distance - lowest).flatten()).view(-1, *distance.shape)


def distance_span(distance: Tensor) -> tuple[int, int] | None:
    """The smallest and the largest whole distance; None where distances are not whole or cannot be read."""
    if distance.is_floating_point() or torch.compiler.is_compiling():
        return None
    lowest, highest = torch.stack(torch.aminmax(distance)).tolist()
    return lowest, highest
