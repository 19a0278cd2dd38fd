"""Huang, Liang, Xu and Xiang 2020: four ways to let a relative embedding meet query and key."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from pe_course.nn.registry import register
from pe_course.nn.relative._clipped import ClippedTableMethod
from pe_course.nn.relative._content import INITIAL_STD, Call, needed_rows, pick
from pe_course.reference.relative.huang import METHODS
from pe_course.reference.relative.shaw import OUTSIDE_A_TABLE
from pe_course.reference.validation import count


@register("huang")
class HuangRelativePosition(ClippedTableMethod):
    r"""The four methods of Huang et al. 2020 (arXiv:2009.13658, section 4).

    ======  ==========================================================  ======================
    method  score, times :math:`1/\sqrt d`                              learned ``table``
    ======  ==========================================================  ======================
    1       :math:`(q_i^\top k_j)\, a_{|i-j|}`                          [k + 1], scalars
    2       :math:`(q_i^\top k_j)\, a_{ij}`                             [2k + 1], scalars
    3       :math:`\sum_c q_{ic}\, k_{jc}\, a_{ij,c}`                   [2k + 1, D], vectors
    4       :math:`q_i^\top k_j + q_i^\top a_{ij} + k_j^\top a_{ij}`    [2k + 1, D], vectors
    ======  ==========================================================  ======================

    Methods 1 to 3: equation from secondary reading. Method 4 is ``relative_key_query`` of BERT in Hugging Face
    Transformers. `score_bias` returns what differs from :math:`q_i^\top k_j / \sqrt d`.

    Parameters
    ----------
    max_relative_position
        k, the largest distance with a row of its own.
    head_dim
        Width D of queries and keys.
    method
        1, 2, 3 or 4.
    direction
        Order of a signed table's rows, "query_minus_key" (released code) or "key_minus_query"; method 1 has none.
    outside
        "clip", or "raise" as in the released code, whose table covers every distance. Inside a graph of `torch.compile`
        no value can be looked at, and "raise" gives NaN.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    IndexError
        For a pair outside the table with ``outside="raise"``.

    Notes
    -----
    Learned: ``table``, shared by the heads of a layer. Methods 1 to 3 multiply, so their entries start at 1, where the
    score is as without positions; entries of 0 would remove it. Positions are whole and not negative.

    Method 3 weighs every channel of every pair: it holds a vector per pair, [L, S, D], and B times that for one head
    after another. The other methods hold no more than [B, H, L, S].
    """

    def __init__(
        self,
        max_relative_position: int,
        head_dim: int,
        *,
        method: int = 4,
        direction: str = "query_minus_key",
        outside: str = "clip",
    ):
        if count("method", method) not in METHODS:
            raise ValueError(f"method must be one of 1, 2, 3, 4; got {method}")
        super().__init__(
            max_relative_position,
            head_dim,
            right_max_position=None,
            direction=direction,
            outside=outside,
            ways_outside=OUTSIDE_A_TABLE,
        )
        self.method = method
        self.replaces_score = method < 4  # a product with the plain score: no rotation may stand beside it
        self._register_tables()
        shape = {1: (self.max_relative_position + 1,), 2: (self.rows,)}.get(method, (self.rows, self.head_dim))
        self.table = nn.Parameter(torch.empty(shape))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the factors of methods 1 to 3 to 1, draws the vectors of method 4 anew."""
        if self.method == 4:
            nn.init.normal_(self.table, std=INITIAL_STD)
        else:
            nn.init.ones_(self.table)

    def _tables(self) -> dict[str, np.ndarray]:
        tables = super()._tables()
        if self.method == 1:  # a row for each size of the distance, whatever its sign
            tables["row_of_distance"] = np.abs(tables["row_of_distance"] - self.max_relative_position)
        return tables

    def _term(self, call: Call) -> Tensor:
        rows, outside = self._lookup(call.distance)
        term = (self._multiplied if self.method < 4 else self._added)(call, rows)
        return term if outside is None else term.masked_fill(outside[:, None], self._outside_term())

    def _multiplied(self, call: Call, rows: Tensor) -> Tensor:
        """What multiplying by a factor (methods 1 and 2) or a vector of factors (3) changes."""
        table = self.table.to(call.q.dtype)
        # index_select rather than indexing: its gradient is one index_add, many times faster.
        change = table.index_select(0, rows.flatten()).view(*rows.shape, *table.shape[1:]) - 1.0
        keys = call.keys_per_query_head()
        if self.method < 3:
            return (call.q @ keys.mT) * change[:, None]
        # One head after another: the products of all heads at once would be H times as large.
        heads = zip(call.q.unbind(1), keys.unbind(1), strict=True)
        return torch.stack([torch.einsum("bijd,bjd->bij", q[:, :, None] * change, k) for q, k in heads], 1)

    def _added(self, call: Call, rows: Tensor) -> Tensor:
        table, rows = needed_rows(self.table.to(call.q.dtype), rows)
        of_key = pick(call.k @ table.mT, rows.mT).mT
        return pick(call.q @ table.mT, rows) + of_key.repeat_interleave(call.q.shape[1] // call.k.shape[1], 1)
