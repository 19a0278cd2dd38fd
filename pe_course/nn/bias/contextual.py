r"""Biases that depend on content: CoPE counts tokens that matter, the forgetting gate decays at its own pace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pe_course.kernels import flex
from pe_course.nn.base import PositionMethod, ScoreMod, exact_dtype, working_dtype
from pe_course.nn.bias.distance import bias_dtype, check_heads
from pe_course.nn.checks import head_vectors
from pe_course.nn.positions import distances, rows_of_table
from pe_course.nn.registry import register
from pe_course.reference.validation import count, flag, real_number


@register("cope")
class CoPE(PositionMethod):
    r"""Contextual position encoding (Golovneva et al. 2024, arXiv:2405.18719; released code).

    .. math:: g_{ij} = \sigma\!\left(\frac{q_i \cdot k_j}{\sqrt d}\right), \quad
        p_{ij} = \min\!\Big(\sum_{t=j}^{i} g_{it},\; n_{pos} - 1\Big), \quad
        z_{ij} = q_i \cdot e[p_{ij}], \quad s_{ij} = \frac{q_i \cdot k_j + z_{ij}}{\sqrt d}

    with e interpolated between its rows.

    Parameters
    ----------
    npos
        Rows of the position table (the released code defaults to block size + 1, copies use 64).
    head_dim
        Width of a head.
    nodiv
        Add z after the factor :math:`1/\sqrt d` (x-transformers does), not before it.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    ``position_table`` is ``[npos, head_dim]``, shared by all heads, zero at the start (the released code stores it as
    ``[1, head_dim, npos]``). Gates of keys after the query, and of keys that the mask hides, are 0 **before** the sum.
    Keys must be in the order of time. ``context["gate_keys"]`` ``[B, H_kv, S, D]`` may replace the keys in the gates,
    as options of the released code do. FlexAttention takes the table of `score_bias`.
    """

    needs_content = True
    causal_only = True

    def __init__(self, npos: int, head_dim: int, *, nodiv: bool = False):
        super().__init__()
        self.npos = count("npos", npos)
        self.head_dim = count("head_dim", head_dim)
        self.nodiv = flag("nodiv", nodiv)
        self.position_table = nn.Parameter(torch.zeros(npos, head_dim))

    def score_bias(
        self,
        pos_q: Tensor,
        pos_k: Tensor,
        *,
        q: Tensor | None = None,
        k: Tensor | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Tensor:
        context = context or {}
        if q is None or k is None:
            raise ValueError("q and k must be given: CoPE counts by their products")
        head_vectors("q", q, self.head_dim)
        head_vectors("k", k, self.head_dim)
        gate_keys = context.get("gate_keys", k)
        if not isinstance(gate_keys, Tensor):
            raise TypeError(f"gate_keys must be a torch tensor, got {type(gate_keys).__name__}")
        if gate_keys.shape != k.shape:
            raise ValueError(f"gate_keys must have the shape of k, {list(k.shape)}, got {list(gate_keys.shape)}")
        allowed = (distances(pos_q, pos_k) >= 0)[:, None]
        mask = context.get("mask")
        allowed = allowed if mask is None else allowed & mask
        dtype = working_dtype(q, self.position_table)
        # Under autocast the products would be bfloat16, and so would the count of tokens.
        with torch.autocast(q.device.type, enabled=False):
            q = q.to(dtype)
            logits = q @ _per_query_head(gate_keys.to(dtype), q.shape[1]).mT * self.head_dim**-0.5
            z = self._interpolated(q @ self.position_table.to(dtype).T, self.positions(logits, allowed))
        return z if self.nodiv else z * self.head_dim**-0.5

    def positions(self, gate_logits: Tensor, allowed: Tensor) -> Tensor:
        """How many relevant tokens each key lies back, ``[B, H, L, S]``, its own and the query's counted."""
        gates = torch.where(allowed, torch.sigmoid(gate_logits), 0.0)
        return gates.flip(-1).cumsum(-1).flip(-1).clamp(max=self.npos - 1)

    @staticmethod
    def _interpolated(at_rows: Tensor, positions: Tensor) -> Tensor:
        below = positions.detach().floor()
        weight_above = positions - below
        at_below = at_rows.gather(-1, below.long())
        at_above = at_rows.gather(-1, positions.detach().ceil().long())
        return (1 - weight_above) * at_below + weight_above * at_above


@register("forgetting")
class ForgettingGate(PositionMethod):
    r"""Data-dependent ALiBi (Lin et al. 2025, arXiv:2503.02130. Equation from secondary reading).

    .. math:: b_{ij} = \sum_{t=j+1}^{i} \ln \sigma(f_t), \qquad f_t = w \cdot x_t + b

    Parameters
    ----------
    dim
        Width of the hidden states.
    num_heads
        Number of query heads, one gate each.
    init_bias
        Start of b; at 5, a gate forgets 0.7 % per token.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    IndexError
        If a query's place is not one of the tokens.

    Notes
    -----
    ``context["hidden"]`` holds the hidden states x ``[B, S, dim]`` of **all** S keys, in the order of time. A cache may
    hold f instead: ``context["gate_logits"]`` ``[B, S, H]`` (`gate_logits` computes it). Queries are the last L of the
    S tokens; others need ``context["query_indices"]`` ``[L]`` or ``[B, L]``, their places among the S tokens. Positions
    do not enter.

    Added after the factor :math:`1/\sqrt d`. Above the diagonal the value is positive: a causal mask must follow. The
    running sum is kept in float64.
    """

    needs_content = True
    causal_only = True

    def __init__(self, dim: int, num_heads: int, *, init_bias: float = 5.0):
        super().__init__()
        self.num_heads = count("num_heads", num_heads)
        self.gate = nn.Linear(count("dim", dim), num_heads)
        nn.init.constant_(self.gate.bias, real_number("init_bias", init_bias))

    def gate_logits(self, hidden: Tensor) -> Tensor:
        """f of every token and head: ``[B, S, dim]`` to ``[B, S, H]``, in float32 or better."""
        dtype = working_dtype(hidden, self.gate.weight)
        with torch.autocast(hidden.device.type, enabled=False):
            return F.linear(hidden.to(dtype), self.gate.weight.to(dtype), self.gate.bias.to(dtype))

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
        at_query, at_key = self._kept(pos_q, pos_k, q, context or {})
        return (at_query[:, :, :, None] - at_key[:, :, None, :]).to(bias_dtype(self, q))

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
        return flex.from_difference(*self._kept(pos_q, pos_k, q, context or {}), bias_dtype(self, q))

    def _kept(
        self, pos_q: Tensor, pos_k: Tensor, q: Tensor | None, context: Mapping[str, Any]
    ) -> tuple[Tensor, Tensor]:
        """The sum of log gates up to each query ``[B, H, L]`` and up to each key ``[B, H, S]``."""
        logits = self._logits(context, pos_k.shape[-1], q)
        # Far along, two nearly equal sums are subtracted: float32 would lose the distance between neighbours.
        kept = F.logsigmoid(logits.to(exact_dtype(logits.device))).cumsum(1).mT
        length, tokens = pos_q.shape[-1], kept.shape[-1]
        indices = context.get("query_indices")
        if indices is None:
            if length > tokens:
                raise ValueError(f"query_indices must be given for {length} queries among {tokens} tokens")
            return kept[..., tokens - length :], kept
        indices = rows_of_table("query_indices", indices, tokens)
        if indices.shape not in ((length,), (1, length), (kept.shape[0], length)):
            raise ValueError(f"query_indices must have shape [{length}] or [B, {length}], got {list(indices.shape)}")
        rows = torch.atleast_2d(indices)[:, None].expand(*kept.shape[:2], length)
        return kept.gather(-1, rows), kept

    def _logits(self, context: Mapping[str, Any], tokens: int, q: Tensor | None) -> Tensor:
        if "gate_logits" in context:
            name, width, logits = "gate_logits", self.num_heads, context["gate_logits"]
        elif "hidden" in context:
            name, width, logits = "hidden", self.gate.in_features, context["hidden"]
        else:
            raise ValueError("context must hold 'hidden' or 'gate_logits': the gates depend on the tokens")
        if not isinstance(logits, Tensor):
            raise TypeError(f"{name} must be a torch tensor, got {type(logits).__name__}")
        if logits.ndim != 3 or logits.shape[1:] != (tokens, width):
            raise ValueError(f"{name} must have shape [B, {tokens}, {width}], got {list(logits.shape)}")
        if not logits.is_floating_point():
            raise TypeError(f"{name} must be a floating-point tensor, got dtype {logits.dtype}")
        if q is not None and logits.shape[0] not in (1, q.shape[0]):
            raise ValueError(f"{name} has batch size {logits.shape[0]} but q has {q.shape[0]}")
        return self.gate_logits(logits) if name == "hidden" else logits


def _per_query_head(keys: Tensor, heads: int) -> Tensor:
    """``[B, H_kv, S, D]`` repeated to ``[B, H, S, D]``, for grouped queries."""
    return keys.repeat_interleave(heads // keys.shape[1], 1)
