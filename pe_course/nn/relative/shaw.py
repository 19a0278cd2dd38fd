"""Shaw, Uszkoreit and Vaswani 2018: one vector per clipped distance, added to keys and to values."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pe_course.kernels import flex
from pe_course.nn.base import ScoreMod, working_dtype
from pe_course.nn.positions import distances
from pe_course.nn.registry import register
from pe_course.nn.relative._clipped import ClippedTableMethod
from pe_course.nn.relative._content import INITIAL_STD, Call, needed_rows, pick
from pe_course.reference.relative.shaw import OUTSIDE_A_WINDOW
from pe_course.reference.validation import count, flag


@register("shaw")
class ShawRelativePosition(ClippedTableMethod):
    r"""Relative vectors for keys and values (Shaw, Uszkoreit, Vaswani 2018, arXiv:1803.02155, equations 3 and 4).

    .. math:: e_{ij} = \frac{q_i^\top (k_j + a^K_{ij})}{\sqrt d}, \qquad z_i = \sum_j \alpha_{ij} (v_j + a^V_{ij}),
        \qquad a_{ij} = w_{\mathrm{clip}(j - i, -k, k)}

    Parameters
    ----------
    max_relative_position
        k, the largest distance with a row of its own, for keys before the query.
    head_dim
        Width D of queries and keys.
    use_values
        Whether values get vectors too, as in the paper. Without them this is ``relative_key`` of Hugging Face
        Transformers. With them only the eager backend can compute the output.
    value_dim
        Width of the values; None is ``head_dim``.
    right_max_position
        The bound for keys after the query (SeamlessM4T-v2: 64 left, 8 right); None is k.
    direction
        Order of the rows, "key_minus_query" (paper, Tensor2Tensor) or "query_minus_key". BERT's ``relative_key`` is
        ``max_relative_position=max_position_embeddings - 1, direction="query_minus_key", outside="raise"``.
    outside
        "clip" (paper), "raise" (BERT) or "zero", no term outside the window (VITS). Inside a graph of `torch.compile`
        no value can be looked at, and "raise" gives NaN.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    IndexError
        For a pair outside the table with ``outside="raise"``.

    Notes
    -----
    Learned: ``relative_keys`` and ``relative_values``, [k + right + 1, D], shared by the heads of a layer; every layer
    has its own. Positions are whole and not negative.
    """

    needs_keys = False

    def __init__(
        self,
        max_relative_position: int,
        head_dim: int,
        *,
        use_values: bool = True,
        value_dim: int | None = None,
        right_max_position: int | None = None,
        direction: str = "key_minus_query",
        outside: str = "clip",
    ):
        super().__init__(
            max_relative_position,
            head_dim,
            right_max_position=right_max_position,
            direction=direction,
            outside=outside,
            ways_outside=OUTSIDE_A_WINDOW,
        )
        self._register_tables()
        self.uses_value_bias = flag("use_values", use_values)
        self.value_dim = self.head_dim if value_dim is None else count("value_dim", value_dim)
        self.relative_keys = nn.Parameter(torch.empty(self.rows, self.head_dim))
        values = nn.Parameter(torch.empty(self.rows, self.value_dim)) if self.uses_value_bias else None
        self.register_parameter("relative_values", values)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the tables anew."""
        for table in self.parameters():
            nn.init.normal_(table, std=INITIAL_STD)

    def _term(self, call: Call) -> Tensor:
        rows, outside = self._lookup(call.distance)
        table, rows = needed_rows(self.relative_keys.to(call.q.dtype), rows)
        term = pick(call.q @ table.mT, rows)
        return term if outside is None else term.masked_fill(outside[:, None], self._outside_term())

    def value_bias(self, probs: Tensor, pos_q: Tensor, pos_k: Tensor) -> Tensor | None:
        """``[B, H, L, D_v]``: the probabilities of each row, summed over its keys, times that row's vector."""
        if not self.uses_value_bias:
            return None
        distance = distances(pos_q, pos_k, whole=True)
        _check_probs(probs, distance)
        rows, outside = self._lookup(distance)
        with torch.autocast(probs.device.type, enabled=False):
            dtype = working_dtype(probs, self.relative_values)
            probs = probs.to(dtype) if outside is None else probs.to(dtype).masked_fill(outside[:, None], 0.0)
            table, rows = needed_rows(self.relative_values.to(dtype), rows)
            by_row = probs.new_zeros(*probs.shape[:-1], table.shape[0])
            return by_row.scatter_add(-1, rows[:, None].expand(probs.shape), probs) @ table

    def _mod(self, call: Call) -> ScoreMod:
        if self.rows >= call.distance.shape[-1]:
            return NotImplemented
        self._lookup(call.distance)  # raises where it must
        by_row = call.q @ self.relative_keys.to(call.q.dtype).mT * self.sm_scale(self.head_dim)
        rows, lowest = self.row_of_distance, -self.right_max_position
        if self.outside != "clip":  # one more row, for the pairs outside, before and behind the window
            by_row = F.pad(by_row, (0, 1), value=self._outside_term())
            rows, lowest = F.pad(rows, (1, 1), value=self.rows), lowest - 1
        return flex.from_query_rows(by_row, rows, lowest, call.pos_q, call.pos_k)


def _check_probs(probs: Tensor, distance: Tensor) -> None:
    if not isinstance(probs, Tensor):
        raise TypeError(f"probs must be a torch tensor, got {type(probs).__name__}")
    batch, *lengths = distance.shape
    if probs.ndim != 4 or list(probs.shape[2:]) != lengths or batch not in (1, probs.shape[0]):
        shown = ", ".join(map(str, ("B" if batch == 1 else batch, "H", *lengths)))
        raise ValueError(f"probs must have shape [{shown}] to fit the positions, got {list(probs.shape)}")
