"""DeBERTa (He et al. 2021): disentangled attention between content and relative position."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from pe_course.kernels import flex
from pe_course.nn.base import ScoreMod
from pe_course.nn.registry import register
from pe_course.nn.relative._content import INITIAL_STD, Call, ContentMethod, needed_rows, pick
from pe_course.reference.relative import deberta_relative_index, deberta_scale
from pe_course.reference.relative.deberta import NO_BUCKETS, P2C_INDEXES
from pe_course.reference.validation import count, flag, one_of, real_number

NORMS = ("none", "layer_norm")

# Farther than any position: a row that no distance up to here reaches is never used.
_FARTHEST = 2**40
# The longest table of rows by distance that `score_mod` builds.
_LONGEST = 2**16


@register("deberta")
class DisentangledRelative(ContentMethod):
    r"""Disentangled attention (He et al. 2021, arXiv:2006.03654, equation 4).

    .. math:: A_{ij} = Q^c_i \cdot K^c_j + Q^c_i \cdot K^r_{\delta(i,j)} + K^c_j \cdot Q^r_{\delta(i,j)}, \qquad
        \text{all times } \frac{1}{\sqrt{d\,(1 + n)}}

    with n the number of position terms. `score_bias` returns the second ("c2p") and third ("p2c"), `sm_scale` the
    factor. :math:`\delta` is ``reference.relative.deberta_relative_index``.

    Parameters
    ----------
    num_heads, head_dim
        H query heads of width D.
    model_dim
        Width of the position embeddings; None is H · D.
    max_relative_positions, position_buckets
        512 and -1 (none) in v1, 512 and 256 in v2 and v3.
    pos_att_type
        "c2p" and "p2c", both, one or none.
    share_att_key
        Project the position embeddings with the model's own projections of queries and keys (v2, v3). These stay in the
        model and come with each call: ``context["query_projection"]`` and ``context["key_projection"]``, each a
        `torch.nn.Linear` or a function from D_model to heads · D. Otherwise (v1) the method has projections of its own.
    key_projection_bias
        Whether its own projection to keys has a bias: v1 has none, Hugging Face's v2 has.
    norm_rel_ebd
        "none", or "layer_norm" of the position embeddings first (v2, v3).
    layer_norm_eps
        Of that.
    p2c_index
        "code" for :math:`\delta(i, j)` in the third term, as both released codes have it and checkpoints need it;
        "paper" for the paper's :math:`\delta(j, i)`.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    Learned: ``rel_embeddings``, [2k, D_model], and, named as in the released code, ``pos_key_proj``, ``pos_query_proj``
    and ``layer_norm`` where they exist. The released models share one table between layers: give the layers the same
    `torch.nn.Parameter`. Positions are whole and not negative. With grouped key heads the bias is per query head, and
    key head h // (H / H_kv) belongs to it.
    """

    def __init__(
        self,
        num_heads: int,
        head_dim: int,
        *,
        model_dim: int | None = None,
        max_relative_positions: int = 512,
        position_buckets: int = NO_BUCKETS,
        pos_att_type: Sequence[str] = ("c2p", "p2c"),
        share_att_key: bool = False,
        key_projection_bias: bool = False,
        norm_rel_ebd: str = "none",
        layer_norm_eps: float = 1e-7,
        p2c_index: str = "code",
    ):
        super().__init__()
        self.num_heads, self.head_dim = count("num_heads", num_heads), count("head_dim", head_dim)
        self.model_dim = self.num_heads * self.head_dim if model_dim is None else count("model_dim", model_dim)
        self._scale = float(deberta_scale(self.head_dim, pos_att_type))
        self.pos_att_type = tuple(pos_att_type)
        self.share_att_key = flag("share_att_key", share_att_key)
        self.norm_rel_ebd = one_of("norm_rel_ebd", norm_rel_ebd, NORMS)
        self.p2c_index = one_of("p2c_index", p2c_index, P2C_INDEXES)
        self.max_relative_positions, self.position_buckets = max_relative_positions, position_buckets
        self._first = self._first_distances()
        self._register_tables()
        self._add_parameters(
            flag("key_projection_bias", key_projection_bias), real_number("layer_norm_eps", layer_norm_eps, above=0)
        )
        self.reset_parameters()

    def _add_parameters(self, key_projection_bias: bool, layer_norm_eps: float) -> None:
        self.pos_key_proj = self.pos_query_proj = self.layer_norm = None
        if not self.pos_att_type:
            self.register_parameter("rel_embeddings", None)
            return
        self.rel_embeddings = nn.Parameter(torch.empty(self.rows, self.model_dim))
        width = self.num_heads * self.head_dim
        if not self.share_att_key and "c2p" in self.pos_att_type:
            self.pos_key_proj = nn.Linear(self.model_dim, width, bias=key_projection_bias)
        if not self.share_att_key and "p2c" in self.pos_att_type:
            self.pos_query_proj = nn.Linear(self.model_dim, width)
        if self.norm_rel_ebd == "layer_norm":
            self.layer_norm = nn.LayerNorm(self.model_dim, eps=layer_norm_eps)

    def reset_parameters(self) -> None:
        """Draws embeddings and projections anew; biases start at 0, the norm at the identity."""
        if self.rel_embeddings is not None:
            nn.init.normal_(self.rel_embeddings, std=INITIAL_STD)
        for projection in (self.pos_key_proj, self.pos_query_proj):
            if projection is not None:
                nn.init.normal_(projection.weight, std=INITIAL_STD)
                if projection.bias is not None:
                    nn.init.zeros_(projection.bias)
        if self.layer_norm is not None:
            self.layer_norm.reset_parameters()

    @property
    def rows(self) -> int:
        """2k, how many rows the table has."""
        return 2 * (self.max_relative_positions if self.position_buckets == NO_BUCKETS else self.position_buckets)

    def sm_scale(self, head_dim: int) -> float:
        """1/sqrt(head_dim · (1 + number of position terms))"""
        return self._scale if head_dim == self.head_dim else float(deberta_scale(head_dim, self.pos_att_type))

    def _tables(self) -> dict[str, np.ndarray]:
        return {"first_distance": self._first}

    def _first_distances(self) -> NDArray[np.int64]:
        """The smallest distance of each row but the first, by bisection: rows never fall as the distance grows."""
        self._index(np.zeros(1, np.int64))  # refuses bad bounds before they size anything
        wanted = np.arange(1, self.rows)
        below, first = np.full(len(wanted), -_FARTHEST), np.full(len(wanted), _FARTHEST)
        while (first - below > 1).any():
            middle = (below + first) // 2
            reached = self._index(middle) >= wanted
            below, first = np.where(reached, below, middle), np.where(reached, middle, first)
        return first

    def _index(self, distance: NDArray[np.int64]) -> NDArray[np.int64]:
        return deberta_relative_index(
            np.maximum(distance, 0)[:, None],
            np.maximum(-distance, 0)[:, None],
            max_relative_positions=self.max_relative_positions,
            position_buckets=self.position_buckets,
        )[:, 0, 0]

    def _term(self, call: Call) -> Tensor | None:
        term, rows = None, self._rows_at(call.distance)
        if "c2p" in self.pos_att_type:
            embeddings, row = needed_rows(self.rel_embeddings, rows)
            term = pick(self._content_to_position(call, embeddings), row)
        if "p2c" in self.pos_att_type:
            embeddings, row = needed_rows(self.rel_embeddings, self._p2c_rows(call.distance, rows))
            of_key = pick(self._position_to_content(call, embeddings), row.mT).mT
            term = of_key if term is None else term + of_key
        return term

    def _rows_at(self, distance: Tensor) -> Tensor:
        return torch.bucketize(distance, self.first_distance, right=True)

    def _p2c_rows(self, distance: Tensor, rows: Tensor) -> Tensor:
        return rows if self.p2c_index == "code" else self._rows_at(-distance)

    def _content_to_position(self, call: Call, embeddings: Tensor) -> Tensor:
        """Q^c·K^r of every row, ``[B, H, L, R]``."""
        keys = self._projected(call, embeddings, "key", self.pos_key_proj)
        return call.q @ keys.repeat_interleave(self.num_heads // keys.shape[0], 0).mT

    def _position_to_content(self, call: Call, embeddings: Tensor) -> Tensor:
        """K^c·Q^r of every row, ``[B, H, S, R]``."""
        return call.keys_per_query_head() @ self._projected(call, embeddings, "query", self.pos_query_proj).mT

    def _projected(self, call: Call, embeddings: Tensor, kind: str, own: nn.Linear | None) -> Tensor:
        """The embeddings as vectors of each head, ``[H, R, D]``, or ``[H_kv, R, D]`` by the model's own projection."""
        dtype = call.q.dtype
        embeddings = embeddings.to(dtype)
        if self.layer_norm is not None:
            weight, bias = self.layer_norm.weight.to(dtype), self.layer_norm.bias.to(dtype)
            embeddings = F.layer_norm(embeddings, (self.model_dim,), weight, bias, self.layer_norm.eps)
        projection = own if own is not None else self._of_model(call, kind)
        if isinstance(projection, nn.Linear):
            bias = None if projection.bias is None else projection.bias.to(dtype)
            vectors = F.linear(embeddings, projection.weight.to(dtype), bias)
        else:
            vectors = projection(embeddings.to(self.rel_embeddings.dtype)).to(dtype)
        heads = self.num_heads if kind == "query" else call.k.shape[1]
        heads = self.num_heads if own is not None else heads
        if vectors.shape != (len(embeddings), heads * self.head_dim):
            raise ValueError(
                f"{kind}_projection must give {heads} heads of width {self.head_dim}, got {vectors.shape[-1]} channels"
            )
        return vectors.view(-1, heads, self.head_dim).transpose(0, 1)

    def _of_model(self, call: Call, kind: str) -> Callable[[Tensor], Tensor]:
        projection = call.context.get(f"{kind}_projection")
        if projection is None:
            raise ValueError(f"share_att_key needs context['{kind}_projection'], the model's own projection")
        if not callable(projection):
            raise TypeError(f"context['{kind}_projection'] must be callable, got {type(projection).__name__}")
        return projection

    def _mod(self, call: Call) -> ScoreMod:
        queries, keys = call.distance.shape[-2:]
        size = self.rows * (("c2p" in self.pos_att_type) * queries + ("p2c" in self.pos_att_type) * keys)
        table = self._dense_rows() if 0 < size < queries * keys else None
        if table is None:
            return NotImplemented
        rows, lowest = table
        mods = []
        if "c2p" in self.pos_att_type:
            by_row = self._content_to_position(call, self.rel_embeddings) * self._scale
            mods.append(flex.from_query_rows(by_row, rows, lowest, call.pos_q, call.pos_k))
        if "p2c" in self.pos_att_type:
            by_row = self._position_to_content(call, self.rel_embeddings) * self._scale
            if self.p2c_index == "paper":
                rows, lowest = rows.flip(0), -(lowest + len(rows) - 1)
            mods.append(flex.from_key_rows(by_row, rows, lowest, call.pos_q, call.pos_k))
        return flex.in_turn(*mods)

    def _dense_rows(self) -> tuple[Tensor, int] | None:
        """The row of each distance from ``lowest`` on, up to where rows no longer change; None where that is far."""
        reached = self._first[np.abs(self._first) < _FARTHEST - 1]
        lowest, highest = int(reached[0]) - 1, int(reached[-1])
        if highest - lowest >= _LONGEST:
            return None
        return self._rows_at(torch.arange(lowest, highest + 1, device=self.first_distance.device)), lowest
