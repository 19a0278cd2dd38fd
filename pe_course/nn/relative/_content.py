"""What the methods with content share: one call, checked, and the gather from rows to pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pe_course.nn.base import ScoreMod, TableModule, working_dtype
from pe_course.nn.checks import head_vectors, positions_fit
from pe_course.nn.positions import distances

INITIAL_STD = 0.02
"""Standard deviation of learned vectors before training, as in BERT, XLNet and DeBERTa."""


@dataclass(frozen=True)
class Call:
    """Queries ``[B, H, L, D]`` and keys ``[B, H_kv, S, D]`` in the dtype to compute in, and where they stand."""

    q: Tensor
    k: Tensor | None
    pos_q: Tensor
    pos_k: Tensor
    distance: Tensor
    """Query - key, ``[1, L, S]`` or ``[B, L, S]``."""
    context: Mapping[str, Any]

    def keys_per_query_head(self) -> Tensor:
        """``[B, H, S, D]``: query head h sees key head h // (H / H_kv)."""
        return self.k.repeat_interleave(self.q.shape[1] // self.k.shape[1], 1)


class ContentMethod(TableModule):
    """A method whose bias needs queries (and keys). A subclass gives `_term`, what is added **before** the scale."""

    needs_content = True
    needs_keys = True
    whole_positions = True
    num_heads: int | None = None
    head_dim: int

    def _tables(self) -> dict[str, np.ndarray]:
        return {}

    def _term(self, call: Call) -> Tensor | None:
        raise NotImplementedError

    def _mod(self, call: Call) -> ScoreMod | None:
        return NotImplemented

    def score_bias(
        self,
        pos_q: Tensor,
        pos_k: Tensor,
        *,
        q: Tensor | None = None,
        k: Tensor | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Tensor | None:
        """The method's term times `sm_scale`: float32 or better, ``[B, H, L, S]``.

        Raises: TypeError, ValueError, IndexError naming the argument.
        """
        call = self._call(pos_q, pos_k, q, k, context)
        # Autocast would round what depends on positions to bfloat16.
        with torch.autocast(call.q.device.type, enabled=False):
            term = self._term(call)
            return None if term is None else term * self.sm_scale(self.head_dim)

    def score_mod(
        self,
        pos_q: Tensor,
        pos_k: Tensor,
        *,
        q: Tensor | None = None,
        k: Tensor | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> ScoreMod | None:
        """The same for FlexAttention, where content times rows is smaller than the table of pairs."""
        call = self._call(pos_q, pos_k, q, k, context)
        with torch.autocast(call.q.device.type, enabled=False):
            return self._mod(call)

    def _call(
        self, pos_q: Tensor, pos_k: Tensor, q: Tensor | None, k: Tensor | None, context: Mapping[str, Any] | None
    ) -> Call:
        q = head_vectors("q", q, self.head_dim)
        if self.num_heads is not None and q.shape[1] != self.num_heads:
            raise ValueError(f"q has {q.shape[1]} heads but the method has {self.num_heads}")
        positions_fit("pos_q", pos_q, "q", q.shape[0], q.shape[2], 1, q.device)
        if k is not None or self.needs_keys:
            k = _keys(k, q, self.head_dim)
            positions_fit("pos_k", pos_k, "k", q.shape[0], k.shape[2], 1, q.device)
        distance = distances(pos_q, pos_k, whole=self.whole_positions)
        if distance.shape[0] not in (1, q.shape[0]):
            raise ValueError(f"pos_k has batch size {distance.shape[0]} but q has {q.shape[0]}")
        dtype = working_dtype(q, *self.parameters())
        k = None if k is None else k.to(dtype)
        return Call(q.to(dtype), k, pos_q, pos_k, distance, context or {})


def _keys(k: Tensor | None, q: Tensor, head_dim: int) -> Tensor:
    head_vectors("k", k, head_dim)
    if k.shape[0] != q.shape[0]:
        raise ValueError(f"q has batch size {q.shape[0]} but k has {k.shape[0]}")
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"q has {q.shape[1]} heads, which is no multiple of the {k.shape[1]} heads of k")
    if k.device != q.device:
        raise ValueError(f"k is on {k.device} but q is on {q.device}")
    return k


def pick(by_row: Tensor, rows: Tensor) -> Tensor:
    """out[b, h, i, j] = by_row[b, h, i, rows[b, i, j]], from ``[B, H, L, R]`` and ``[1, L, S]`` or ``[B, L, S]``."""
    return by_row.gather(-1, rows[:, None].expand(*by_row.shape[:-1], rows.shape[-1]))


def needed_rows(table: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """``table`` ``[R, D]`` and ``rows``; only the rows that are used where a call has fewer pairs than rows.

    Known from shapes alone, so that nothing waits for the device: a decoding step reads the rows of its own pairs.
    """
    if rows.numel() >= table.shape[0]:
        return table, rows
    used = table.index_select(0, rows.flatten())
    return used, torch.arange(rows.numel(), device=rows.device).view(rows.shape)


def rows_at(row_of_distance: Tensor, lowest: int, distance: Tensor) -> Tensor:
    """``row_of_distance[distance - lowest]``; beyond an end of the table, the row at that end."""
    return row_of_distance[(distance - lowest).clamp(0, len(row_of_distance) - 1)]
