"""The three places where order enters attention, as hooks of one base class.

- the input: `PositionMethod.embed` (integer, normalised, learned, sinusoidal)
- the query and key: `PositionMethod.rotate` (RoPE and its family) and `PositionMethod.scale_q` (query scaling)
- the score: `PositionMethod.score_bias` (T5, ALiBi, KERPLE, …; Shaw, Transformer-XL, DeBERTa, …)

Every hook of the base class does nothing, so the base class is NoPE: no positional method at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


class PositionMethod(nn.Module):
    """A positional method; with no hook overridden, none (NoPE).

    Hooks take positions, never lengths: caches, packed documents, padding and shards are integers that
    the caller chooses. ``pos_q`` is ``[L]`` or ``[B, L]``, ``pos_k`` is ``[S]`` or ``[B, S]``; where a token has
    several coordinates (``position_axes`` > 1) they come first: ``[axes, L]`` or ``[axes, B, L]``.
    """

    needs_content: bool = False
    """`score_bias` reads queries or keys, not positions alone."""
    replaces_score: bool = False
    """`score_bias` holds a difference to the plain score, so that no other method may rotate beside this one."""
    shift_invariant: bool = True
    """Adding one number to all positions changes no output."""
    causal_only: bool = False
    """Defined for keys at or before the query only, so that a mask must hide the others."""
    uses_value_bias: bool = False
    """`value_bias` adds to the output, which needs the probabilities, so that only the eager backend can compute it."""
    position_axes: int = 1
    """How many coordinates a position has."""

    @property
    def cache_rotated_ok(self) -> bool:
        """Whether a rotated key stays right when the sequence grows, so that a cache may hold it."""
        return True

    def embed(self, x: Tensor, pos_q: Tensor) -> Tensor:
        """The model's input ``[B, L, D_model]`` with positions; called by the model, not by `attention`."""
        return x

    def rotate(self, q: Tensor, k: Tensor, pos_q: Tensor, pos_k: Tensor) -> tuple[Tensor, Tensor]:
        """Queries ``[B, H, L, D]`` and keys ``[B, H_kv, S, D]`` with positions."""
        return q, k

    def scale_q(self, q: Tensor, pos_q: Tensor, kv_len: int) -> Tensor:
        """Queries multiplied by a temperature that depends on the position."""
        return q

    def score_bias(
        self,
        pos_q: Tensor,
        pos_k: Tensor,
        *,
        q: Tensor | None = None,
        k: Tensor | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Tensor | None:
        """What is added to the scaled scores: ``[B|1, H|1, L, S]``, or None.

        ``q`` and ``k`` are neither rotated nor scaled. ``context`` carries what few methods need: ``mask``,
        ``hidden``, ``segments``.
        """
        return None

    def value_bias(self, probs: Tensor, pos_q: Tensor, pos_k: Tensor) -> Tensor | None:
        """What is added to the output, given the probabilities ``[B, H, L, S]``: ``[B, H, L, D_v]``, or None."""
        return None

    def sm_scale(self, head_dim: int) -> float:
        """The factor on the scores, 1/sqrt(head_dim) unless the method says otherwise."""
        return head_dim**-0.5

    def score_mod(
        self,
        pos_q: Tensor,
        pos_k: Tensor,
        *,
        q: Tensor | None = None,
        k: Tensor | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> ScoreMod | None:
        """`score_bias` as a FlexAttention ``score_mod`` that never builds the ``[L, S]`` table.

        NotImplemented here means: there is no shorter form, take the table that `score_bias` returns.
        """
        return NotImplemented


class TableModule(PositionMethod):
    """A method with tables from ``pe_course.reference``, which stay exact wherever the module goes.

    A subclass says in `_tables` which float64 arrays it needs. They become non-persistent buffers. Casting the
    module (``.to(torch.bfloat16)``, ``.half()``) or moving it, also from the meta device, computes them anew
    instead of rounding them.
    """

    def _tables(self) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def _register_tables(self) -> None:
        """To be called at the end of a subclass's ``__init__``."""
        for name, table in self._tables().items():
            self.register_buffer(name, _on_device(table, torch.get_default_device()), persistent=False)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True):
        super()._apply(fn, recurse)
        for name, table in self._tables().items():
            device = getattr(self, name).device
            if device.type != "meta":
                setattr(self, name, _on_device(table, device))
        return self


def _on_device(table: np.ndarray, device: torch.device) -> Tensor:
    dtype = torch.int64 if np.issubdtype(table.dtype, np.integer) else exact_dtype(device)
    return torch.as_tensor(table).to(dtype=dtype, device=device)


def exact_dtype(device: torch.device) -> torch.dtype:
    """The dtype of tables and angles: float64, but float32 on MPS, which knows no float64."""
    return torch.float32 if device.type == "mps" else torch.float64


def working_dtype(*tensors: Tensor) -> torch.dtype:
    """The dtype in which positions are applied: float64 if any input is, else float32 (never bfloat16 or float16)."""
    return torch.float64 if any(t.dtype == torch.float64 for t in tensors) else torch.float32
