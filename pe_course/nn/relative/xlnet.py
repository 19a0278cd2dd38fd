"""XLNet (Yang et al. 2019): Transformer-XL's terms in both directions, and a term for the segment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from pe_course.nn.checks import positions_fit
from pe_course.nn.registry import register
from pe_course.nn.relative._content import Call
from pe_course.nn.relative._sinusoid import SinusoidMethod
from pe_course.reference.relative.xlnet import ATTN_TYPES
from pe_course.reference.validation import one_of


@register("xlnet")
class XLNetRelative(SinusoidMethod):
    r"""The relative score of XLNet (Yang et al. 2019, arXiv:1906.08237, section 2.5).

    .. math:: A_{ij} = (q_i + u)^\top k_j + (q_i + v)^\top W_R R_{i-j} + (q_i + s)^\top g_{ij}, \qquad
        \text{all times } 1/\sqrt d

    with :math:`g_{ij}` one of two vectors: same segment, or another one. `score_bias` returns all but
    :math:`q_i^\top k_j`.

    Parameters
    ----------
    num_heads, head_dim
        H query heads of width D.
    model_dim
        Width of the sinusoid, even; None is H · D.
    attn_type
        "bi", or "uni", whose released table ends at distance 0; there the position term of a key after the query is a
        wrapped number that a mask must remove, here it is 0.
    clamp_len
        Distances are cut to -clamp_len … clamp_len; None has no limit (released configurations write -1).
    base
        Of the sinusoid.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    The segments come with the call: ``context["segments"] = (query_segments, key_segments)``, whole numbers, [L] and
    [S] or [B, L] and [B, S]. Without them there is no segment term, as in the released code. Hugging Face gives every
    state of memory segment 0.

    Learned, named after their part, shaped as in the released code: ``content_bias`` u, ``position_bias`` v and
    ``segment_bias`` s, [H, D] (``r_w_bias``, ``r_r_bias``, ``r_s_bias``), ``position_projection`` W_R, [D_model, H, D]
    (``r``), ``segment_embeddings``, [2, H, D] (``seg_embed``, row 0: the same segment). Positions are any finite real
    numbers.
    """

    def __init__(
        self,
        num_heads: int,
        head_dim: int,
        *,
        model_dim: int | None = None,
        attn_type: str = "bi",
        clamp_len: float | None = None,
        base: float = 10000.0,
    ):
        super().__init__(num_heads, head_dim, model_dim, base, clamp_len)
        self.attn_type = one_of("attn_type", attn_type, ATTN_TYPES)
        self.causal_only = self.attn_type == "uni"
        self.lowest = -self.highest
        shape = (self.num_heads, self.head_dim)
        self.position_projection = nn.Parameter(torch.empty(self.model_dim, *shape))
        self.segment_bias = nn.Parameter(torch.empty(shape))
        self.segment_embeddings = nn.Parameter(torch.empty(2, *shape))
        self.reset_parameters()

    def _projection(self) -> Tensor:
        return self.position_projection.permute(1, 2, 0)

    def _term(self, call: Call) -> Tensor:
        position_term = self._position_term(call)
        if self.attn_type == "uni":
            position_term = position_term.masked_fill(call.distance[:, None] < 0, 0.0)
        term = self._content_term(call) + position_term
        segments = _segments(call)
        return term if segments is None else term + self._segment_term(call.q, *segments)

    def _segment_term(self, q: Tensor, query_segments: Tensor, key_segments: Tensor) -> Tensor:
        embeddings = self.segment_embeddings.to(q.dtype)
        same, other = torch.einsum("bhid,ghd->gbhi", q + self.segment_bias.to(q.dtype)[:, None], embeddings)
        query_segments, key_segments = torch.atleast_2d(query_segments), torch.atleast_2d(key_segments)
        different = query_segments[:, None, :, None] != key_segments[:, None, None, :]
        return torch.where(different, other[..., None], same[..., None])


def _segments(call: Call) -> tuple[Tensor, Tensor] | None:
    segments: Any = call.context.get("segments") if isinstance(call.context, Mapping) else None
    if segments is None:
        return None
    if not isinstance(segments, tuple | list) or len(segments) != 2:
        raise TypeError(f"context['segments'] must be (query_segments, key_segments), got {type(segments).__name__}")
    batch, length, key_length = call.q.shape[0], call.q.shape[2], call.k.shape[2]
    for name, numbers, of, size in (("query", segments[0], "q", length), ("key", segments[1], "k", key_length)):
        positions_fit(f"{name}_segments", numbers, of, batch, size, 1, call.q.device)
        if numbers.is_floating_point():
            raise TypeError(f"{name}_segments must hold whole numbers, got dtype {numbers.dtype}")
    return segments[0], segments[1]
