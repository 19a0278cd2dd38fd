"""Scales for the query that depend on its position; the rotation is left alone.

Numbers are those of ``pe_course.reference.scaling``. Here stands their one counterpart on the device: positions are
tensors whose largest value a compiled graph must not wait for, so that no table can be cut to length.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from pe_course.nn.base import PositionMethod, exact_dtype, working_dtype
from pe_course.nn.checks import head_vectors, positions_fit, whole_positions
from pe_course.nn.registry import register
from pe_course.reference import validation as check
from pe_course.reference.scaling import LOGN_MODES


class QueryScaling(PositionMethod):
    """Queries multiplied by a number that grows with their position.

    Positions are 0-based, whole and not negative. The product is computed in float32 (float64 for float64), with the
    scale in float64, and returns in the dtype of the query.

    Raises: at a call, TypeError or ValueError if q and its positions do not fit each other or a position is negative
    or fractional.
    """

    shift_invariant = False

    def scale_q(self, q: Tensor, pos_q: Tensor, kv_len: int) -> Tensor:
        head_vectors("q", q)
        positions_fit("pos_q", pos_q, "q", q.shape[0], q.shape[2], self.position_axes, q.device)
        whole_positions("pos_q", pos_q)
        if kv_len < 1:
            raise ValueError(f"kv_len must be at least 1, got {kv_len}")
        scale = self._scale(pos_q.to(exact_dtype(pos_q.device)), kv_len)
        dtype = working_dtype(q)
        return (q.to(dtype) * scale[..., None].unsqueeze(-3).to(dtype)).to(q.dtype)

    def _scale(self, positions: Tensor, kv_len: int) -> Tensor:
        """The scale of each query, in the shape of ``positions``."""
        raise NotImplementedError


@register("logn")
class LogNScaling(QueryScaling):
    r"""log-n scaling (Su 2021, kexue.fm; Chiang and Cholak 2022); equation from secondary reading.

    .. math:: q^\prime = q \cdot \frac{\ln n}{\ln L}, \qquad
              \text{clipped: } q \cdot \max\Big(1, \frac{\ln n}{\ln L}\Big)

    Parameters
    ----------
    train_length : int
        L, at least 2.
    mode : "per_query" or "length"
        n = position + 1, the keys that a causal query sees, or n = the number of keys in the call for every query.
        With a cache the latter changes the scale of the same query from step to step.
    clip : bool
        Never below 1, as in ReRoPE and Qwen-1. Without it the query at position 0 becomes 0.

    Raises
    ------
    TypeError, ValueError
        If ``train_length`` is below 2, ``mode`` is unknown or ``clip`` is no bool.
    """

    def __init__(self, train_length: int, *, mode: str = "per_query", clip: bool = True) -> None:
        super().__init__()
        self.train_length = check.count("train_length", train_length, minimum=2)
        self.mode = check.one_of("mode", mode, LOGN_MODES)
        self.clip = check.flag("clip", clip)
        self.shift_invariant = self.mode == "length"

    def _scale(self, positions: Tensor, kv_len: int) -> Tensor:
        keys = positions + 1 if self.mode == "per_query" else torch.full_like(positions, kv_len)
        scale = keys.log() / math.log(self.train_length)
        return scale.clamp(min=1.0) if self.clip else scale

    def extra_repr(self) -> str:
        return f"train_length={self.train_length}, mode={self.mode!r}, clip={self.clip}"


class _SteppedLog(QueryScaling):
    r""":math:`1 + a \ln(1 + \lfloor (p + o) / F \rfloor)`."""

    slope: float
    step: int
    offset: int

    def _scale(self, positions: Tensor, kv_len: int) -> Tensor:
        return 1.0 + self.slope * torch.log1p(torch.floor((positions + self.offset) / self.step))


@register("llama4_temperature")
class Llama4Temperature(_SteppedLog):
    r"""Query scale of Llama 4 in its layers without RoPE (modelling code of llama-models and transformers).

    .. math:: 1 + a \ln\Big(1 + \Big\lfloor \frac{p + 1}{F} \Big\rfloor\Big)

    Parameters
    ----------
    attn_scale
        A, at least 0.
    floor_scale
        F in tokens, at least 1.

    Raises
    ------
    TypeError, ValueError
        If they are not.

    Notes
    -----
    Ministral 3 has p where this has p + 1: `MinistralScaling`.
    """

    offset = 1

    def __init__(self, *, attn_scale: float = 0.1, floor_scale: int = 8192) -> None:
        super().__init__()
        self.slope = check.real_number("attn_scale", attn_scale, at_least=0)
        self.step = check.count("floor_scale", floor_scale)

    def extra_repr(self) -> str:
        return f"attn_scale={self.slope:g}, floor_scale={self.step}"


@register("ministral_scale")
class MinistralScaling(_SteppedLog):
    r"""Query scale of Ministral 3 (``llama_4_scaling_beta``; modelling code of transformers).

    .. math:: 1 + \beta \ln\Big(1 + \Big\lfloor \frac{p}{L} \Big\rfloor\Big)

    Parameters
    ----------
    original_max_position_embeddings
        L in tokens, at least 1.
    beta
        At least 0, 0.1 in the model class.

    Raises
    ------
    TypeError, ValueError
        If they are not.
    """

    offset = 0

    def __init__(self, original_max_position_embeddings: int, *, beta: float = 0.1) -> None:
        super().__init__()
        self.step = check.count("original_max_position_embeddings", original_max_position_embeddings)
        self.slope = check.real_number("beta", beta, at_least=0)

    def extra_repr(self) -> str:
        return f"original_max_position_embeddings={self.step}, beta={self.slope:g}"
