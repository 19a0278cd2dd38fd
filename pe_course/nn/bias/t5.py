r"""T5: one learned number per head and per bucket of distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from pe_course.kernels import flex
from pe_course.nn.base import ScoreMod
from pe_course.nn.bias.distance import DistanceBias, bias_dtype, check_heads
from pe_course.nn.positions import whole_positions
from pe_course.nn.registry import register
from pe_course.reference.bias import t5_bucket_starts, t5_relative_position_bucket
from pe_course.reference.validation import real_number


@register("t5")
class T5RelativePositionBias(DistanceBias):
    r"""T5's score bias :math:`b_h[\text{bucket}(j - i)]` (Raffel et al. 2020, arXiv:1910.10683, section 2.1).

    The score carries **no** :math:`1/\sqrt d` (`sm_scale` is 1): T5 folds it into its initial weights.

    Parameters
    ----------
    num_heads
        Number of query heads.
    num_buckets
        Rows of the table; even and at least 4 if bidirectional, else at least 2.
    max_distance
        Greater than half the buckets of a direction. The last bucket starts before it: at 91 of 128 (bidirectional) and
        at 113 (causal) by default.
    bidirectional
        True for an encoder. False for a decoder: every future key then reads bucket 0 and a mask must hide it.
    init_std
        The table starts as a normal draw of this spread.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    ``relative_attention_bias.weight`` is ``[num_buckets, num_heads]``, as in Hugging Face's checkpoints. T5 has one
    table for all layers of a stack: call one module from every layer; umT5 has one per layer. Cross-attention has none.
    Buckets come from exact borders. Positions are whole and not negative.
    """

    whole_only = True
    evaluate_once = False

    def __init__(
        self,
        num_heads: int,
        *,
        num_buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = True,
        init_std: float = 0.02,
    ):
        super().__init__(num_heads)
        # Checks the three arguments too; beyond the last start every distance shares a bucket.
        starts = t5_bucket_starts(bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
        self.reach = int(starts[-1])
        self.num_buckets, self.max_distance = int(num_buckets), int(max_distance)
        self.bidirectional = bool(bidirectional)
        self.init_std = real_number("init_std", init_std, at_least=0)
        self.causal_only = not self.bidirectional
        self.relative_attention_bias = nn.Embedding(self.num_buckets, self.num_heads)
        self.reset_parameters()
        self._register_tables()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.relative_attention_bias.weight, std=self.init_std)

    def _tables(self) -> dict[str, np.ndarray]:
        distance = np.arange(-self.reach, self.reach + 1)
        buckets = t5_relative_position_bucket(
            -distance,
            bidirectional=self.bidirectional,
            num_buckets=self.num_buckets,
            max_distance=self.max_distance,
        )
        return {"buckets": buckets}

    def of_distance(self, distance: Tensor, dtype: torch.dtype) -> Tensor:
        by_distance = self.relative_attention_bias.weight.to(dtype)[self.buckets].T
        index = distance.clamp(-self.reach, self.reach) + self.reach
        return by_distance.index_select(1, index.flatten()).view(-1, *distance.shape)

    def sm_scale(self, head_dim: int) -> float:
        return 1.0

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
        pos_q, pos_k = whole_positions("pos_q", pos_q), whole_positions("pos_k", pos_k)
        table = self.relative_attention_bias.weight.to(bias_dtype(self, q))
        return flex.from_bucket_table(table, self.buckets, -self.reach, pos_q, pos_k)
