r"""ALiBi: each head subtracts its own slope times the distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pe_course.kernels import flex
from pe_course.nn.base import ScoreMod
from pe_course.nn.bias.distance import DistanceBias, bias_dtype, check_heads, per_head
from pe_course.nn.positions import real_positions
from pe_course.nn.registry import register
from pe_course.reference.bias import alibi_slopes
from pe_course.reference.validation import flag, real_number


@register("alibi")
class ALiBi(DistanceBias):
    r"""Attention with linear biases (Press, Smith, Lewis 2022, arXiv:2108.12409, section 3).

    .. math:: b_{hij} = -m_h (i - j) \;\text{(causal)}, \qquad -m_h |i - j| \;\text{(bidirectional)}

    Parameters
    ----------
    num_heads
        Number of query heads.
    alibi_bias_max
        The largest exponent of the slopes, 8 in the paper; named as in MPT.
    rule
        "official" (released code, BLOOM, MPT, x-transformers, NeMo) or "geometric" (attention-gym 0.0.17, MLX before
        its PR #3071); they differ where num_heads is no power of two.
    bidirectional
        False is for use under a causal mask; it is **positive for future keys**, so that a missing mask shows. True is
        symmetric.
    bias_scale
        Factor on the slopes; Falcon divides its bias by :math:`\sqrt d`, so there ``head_dim**-0.5``.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    Added after the factor :math:`1/\sqrt d`. Positions are any finite real numbers. The bias is kept in float32 or
    better: in bfloat16 a slope of 1/2 is off by 0.5 at distance 257. BLOOM's key-only form :math:`m_h j` differs by a
    constant per row, which softmax removes, and is not offered.
    """

    evaluate_once = False

    def __init__(
        self,
        num_heads: int,
        *,
        alibi_bias_max: float = 8.0,
        rule: str = "official",
        bidirectional: bool = False,
        bias_scale: float = 1.0,
    ):
        super().__init__(num_heads)
        self.alibi_bias_max, self.rule = alibi_bias_max, rule
        self.bidirectional = flag("bidirectional", bidirectional)
        self.bias_scale = real_number("bias_scale", bias_scale, above=0)
        self.causal_only = not self.bidirectional
        self._register_tables()

    def _tables(self) -> dict[str, np.ndarray]:
        slopes = alibi_slopes(self.num_heads, alibi_bias_max=self.alibi_bias_max, rule=self.rule)
        return {"slopes": self.bias_scale * slopes}

    def of_distance(self, distance: Tensor, dtype: torch.dtype) -> Tensor:
        distance = distance.abs() if self.bidirectional else distance
        return -per_head(self.slopes.to(dtype), distance.ndim) * distance.to(dtype)

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
        pos_q, pos_k = real_positions("pos_q", pos_q), real_positions("pos_k", pos_k)
        slopes = self.slopes.to(bias_dtype(self, q))
        return flex.alibi(slopes, pos_q, pos_k, bidirectional=self.bidirectional)
