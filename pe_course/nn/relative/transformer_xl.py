"""Transformer-XL (Dai et al. 2019): a projected sinusoid of the distance, and two learned query vectors."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pe_course.kernels import flex
from pe_course.nn.base import ScoreMod
from pe_course.nn.registry import register
from pe_course.nn.relative._content import Call
from pe_course.nn.relative._sinusoid import SinusoidMethod


@register("transformer_xl")
class TransformerXLRelative(SinusoidMethod):
    r"""The relative score of Transformer-XL (Dai et al. 2019, arXiv:1901.02860, section 3.3).

    .. math:: A_{ij} = q_i^\top k_j + q_i^\top W_R R_{i-j} + u^\top k_j + v^\top W_R R_{i-j}, \qquad
        \text{all times } 1/\sqrt d

    R is the sinusoid of the distance, sines first. `score_bias` returns the last three terms; values stay as they are.

    Parameters
    ----------
    num_heads, head_dim
        H query heads of width D.
    model_dim
        Width of the sinusoid, even; None is H · D.
    base
        Of the sinusoid.
    clamp_len
        Larger distances count as this one; None has no limit.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    Learned: ``content_bias`` u and ``position_bias`` v, [H, D] (``r_w_bias``, ``r_r_bias``), and
    ``position_projection.weight`` W_R, [H · D, D_model] (``r_net``). The released code shares u and v between layers
    unless ``untie_r``: give the layers the same `torch.nn.Parameter`.

    With M states of memory the keys are memory, then segment: ``pos_k`` 0…M+L-1 and ``pos_q`` M…M+L-1, which is what
    `attention` takes when no positions are given. Keys after the query get the sinusoid of a negative distance, where
    the released code holds wrapped numbers; both are meant for a causal mask. Positions are any finite real numbers.
    """

    def __init__(
        self,
        num_heads: int,
        head_dim: int,
        *,
        model_dim: int | None = None,
        base: float = 10000.0,
        clamp_len: float | None = None,
    ):
        super().__init__(num_heads, head_dim, model_dim, base, clamp_len)
        self.position_projection = nn.Linear(self.model_dim, self.num_heads * self.head_dim, bias=False)
        self.reset_parameters()

    def _projection(self) -> Tensor:
        return self.position_projection.weight.view(self.num_heads, self.head_dim, self.model_dim)

    def _term(self, call: Call) -> Tensor:
        return self._content_term(call) + self._position_term(call)

    def _mod(self, call: Call) -> ScoreMod:
        distances = self._whole_distances(call)
        # Fewer distances than keys: packed documents, or distances that are cut.
        if distances is None or len(distances) >= call.distance.shape[-1]:
            return NotImplemented
        scale = self.sm_scale(self.head_dim)
        rows = torch.arange(len(distances), device=call.q.device)
        return flex.in_turn(
            flex.from_keys(self._content_term(call)[:, :, 0] * scale),
            flex.from_query_rows(
                self._by_distance(call, distances) * scale, rows, distances.start, call.pos_q, call.pos_k
            ),
        )
