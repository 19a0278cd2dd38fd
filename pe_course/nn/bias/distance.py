"""What biases share that see a pair's distance and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from pe_course.kernels import flex
from pe_course.nn.base import PositionMethod, ScoreMod, TableModule, working_dtype
from pe_course.nn.checks import head_vectors
from pe_course.nn.positions import distance_span, distances, once_per_distance, real_positions
from pe_course.reference.validation import count


class DistanceBias(TableModule):
    """A bias that is a function of the distance, one per head. A subclass gives `of_distance`."""

    whole_only: ClassVar[bool] = False
    """Distances index or count, so positions must be whole and not negative."""
    evaluate_once: ClassVar[bool] = True
    """`of_distance` costs more than a look-up, so whole distances are evaluated once each."""

    def __init__(self, num_heads: int):
        super().__init__()
        self.num_heads = count("num_heads", num_heads)

    def _tables(self) -> dict[str, np.ndarray]:
        return {}

    def of_distance(self, distance: Tensor, dtype: torch.dtype) -> Tensor:
        """The bias of each head at each distance (query - key, any shape): ``[H, *distance.shape]`` in ``dtype``."""
        raise NotImplementedError

    def score_bias(
        self,
        pos_q: Tensor,
        pos_k: Tensor,
        *,
        q: Tensor | None = None,
        k: Tensor | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Tensor:
        check_heads(self, q)
        dtype = bias_dtype(self, q)
        distance = self._distances(pos_q, pos_k)
        if not self.evaluate_once:
            return self.of_distance(distance, dtype).movedim(0, 1)
        return once_per_distance(lambda values: self.of_distance(values, dtype), distance).movedim(0, 1)

    def score_mod(
        self,
        pos_q: Tensor,
        pos_k: Tensor,
        *,
        q: Tensor | None = None,
        k: Tensor | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> ScoreMod:
        check_heads(self, q)
        span = distance_span(self._distances(pos_q, pos_k))
        if span is None:
            return NotImplemented
        values = torch.arange(span[0], span[1] + 1, device=pos_q.device)
        # In their own dtype the difference of two uint8 would wrap.
        pos_q, pos_k = real_positions("pos_q", pos_q), real_positions("pos_k", pos_k)
        return flex.from_distance_table(self.of_distance(values, bias_dtype(self, q)), span[0], pos_q, pos_k)

    def _distances(self, pos_q: Tensor, pos_k: Tensor) -> Tensor:
        return distances(pos_q, pos_k, whole=self.whole_only)


def bias_dtype(method: TableModule, q: Tensor | None) -> torch.dtype:
    """float64 if the queries or a learned parameter are float64, else float32."""
    return working_dtype(*(() if q is None else (q,)), *method.parameters())


def check_heads(method: PositionMethod, q: Tensor | None) -> None:
    """Nothing is broadcast: q must be ``[B, H, L, D]`` with the heads of the method.

    Raises: TypeError, ValueError naming q.
    """
    if q is not None and head_vectors("q", q).shape[1] != method.num_heads:
        raise ValueError(f"q has {q.shape[1]} heads but {type(method).__name__} has num_heads {method.num_heads}")


def per_head(values: Tensor, axes: int) -> Tensor:
    """``[H]`` as ``[H, 1, …, 1]`` with ``axes`` ones."""
    return values.view(-1, *[1] * axes)
