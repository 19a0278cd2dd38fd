"""Tables with one row for each distance up to a bound: what Shaw et al. and Huang et al. share."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pe_course.nn.relative._content import ContentMethod, rows_at
from pe_course.reference.relative import relative_position_index
from pe_course.reference.validation import count, one_of


class ClippedTableMethod(ContentMethod):
    """Knows the row of each distance. The rows come from ``reference.relative.relative_position_index``."""

    def __init__(
        self,
        max_relative_position: int,
        head_dim: int,
        *,
        right_max_position: int | None,
        direction: str,
        outside: str,
        ways_outside: tuple[str, ...],
    ):
        super().__init__()
        self.head_dim = count("head_dim", head_dim)
        self.max_relative_position = count("max_relative_position", max_relative_position, minimum=0)
        self.right_max_position = self.max_relative_position
        if right_max_position is not None:
            self.right_max_position = count("right_max_position", right_max_position, minimum=0)
        self.direction = direction
        self.outside = one_of("outside", outside, ways_outside)

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.max_relative_position + self.right_max_position + 1

    def _tables(self) -> dict[str, np.ndarray]:
        return {"row_of_distance": self._rows_of(np.arange(self.rows))}

    def _rows_of(self, query_positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of queries at these positions, for one key behind which the table reaches exactly to position 0."""
        return relative_position_index(
            query_positions,
            np.array([self.right_max_position]),
            self.max_relative_position,
            right_max_position=self.right_max_position,
            direction=self.direction,
        )[:, 0]

    def _lookup(self, distance: Tensor) -> tuple[Tensor, Tensor | None]:
        """The row of each pair, and which pairs are outside the table (None: none is, or they are clipped)."""
        rows = rows_at(self.row_of_distance, -self.right_max_position, distance)
        if self.outside == "clip":
            return rows, None
        outside = (distance > self.max_relative_position) | (distance < -self.right_max_position)
        if self.outside == "raise" and not torch.compiler.is_compiling():
            self._refuse(distance, outside)
            return rows, None
        return rows, outside

    def _outside_term(self) -> float:
        """Inside a compiled graph no value can be looked at: what would raise becomes NaN, never a wrong number."""
        return 0.0 if self.outside == "zero" else torch.nan

    def _refuse(self, distance: Tensor, outside: Tensor) -> None:
        if outside.device.type != "meta" and outside.any():
            raise IndexError(
                f"key position - query position = {-distance[outside][0].item()} is outside the table's window "
                f"-{self.max_relative_position}…{self.right_max_position}"
            )
