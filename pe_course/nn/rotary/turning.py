"""What every rotation shares: angles in float64, the turn in float32, the result in the dtype of the input."""

from __future__ import annotations

import torch
from torch import Tensor

from pe_course.nn.base import TableModule, working_dtype
from pe_course.nn.checks import finite_positions, head_vectors, positions_fit
from pe_course.reference import rotary
from pe_course.reference import validation as check


def turn(x: Tensor, cos: Tensor, sin: Tensor, *, layout: str, start: int = 0) -> Tensor:
    r"""Pairs of channels turned by the angles whose cosines and sines are given.

    .. math:: (a, b) \mapsto (a\cos\alpha - b\sin\alpha,\; a\sin\alpha + b\cos\alpha)

    Su et al. 2021 (arXiv:2104.09864), equation 34; in NumPy `pe_course.reference.rotary.apply_rotary`.

    Parameters
    ----------
    x
        ``[B, H, L, D]``.
    cos, sin
        ``[L, P]`` or ``[B, L, P]``.
    layout
        "half" or "interleaved".
    start
        The first channel that turns. Channels before it and after ``start + 2P`` pass unchanged.

    Returns
    -------
    tensor of the shape and dtype of ``x``, computed in float32 (float64 for float64) and cast once
    """
    width = 2 * cos.shape[-1]
    before, pairs, after = x.split((start, width, x.shape[-1] - start - width), dim=-1)
    dtype = working_dtype(x)
    cos, sin, pairs = cos.unsqueeze(-3).to(dtype), sin.unsqueeze(-3).to(dtype), pairs.to(dtype)
    if layout == "interleaved":
        a, b = pairs.unflatten(-1, (-1, 2)).unbind(-1)
        turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)
    else:
        a, b = pairs.chunk(2, dim=-1)
        turned = torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)
    if width == x.shape[-1]:
        return turned.to(x.dtype)
    return torch.cat((before, turned.to(x.dtype), after), dim=-1)


class RotationMethod(TableModule):
    """Queries and keys whose pairs of channels turn by position times frequency.

    A subclass provides the tables ``inv_freq`` [P] and, where a position has several coordinates, ``pair_axis`` [P].
    Positions are any finite real numbers. Angles are elementwise products in float64, so that neither autocast nor
    the dtype of the activations reaches them, and as many as the call has positions.
    """

    inv_freq: Tensor
    pair_axis: Tensor
    attention_factor: float = 1.0
    """What multiplies cos and sin."""

    def __init__(self, head_dim: int, rotary_dim: int, layout: str, rotary_start: int = 0) -> None:
        super().__init__()
        self.head_dim = check.count("head_dim", head_dim)
        self.rotary_dim = check.even_count("rotary_dim", rotary_dim)
        self.layout = check.one_of("layout", layout, rotary.ROTARY_LAYOUTS)
        self.rotary_start = check.count("rotary_start", rotary_start, minimum=0)
        check.no_more_than("rotary_start + rotary_dim", rotary_start + rotary_dim, "head_dim", head_dim)

    def rotate(self, q: Tensor, k: Tensor, pos_q: Tensor, pos_k: Tensor) -> tuple[Tensor, Tensor]:
        self._check(q, k, pos_q, pos_k)
        return self._rotate_with(self._frequencies(pos_q, pos_k), q, k, pos_q, pos_k)

    def _rotate_with(
        self, inv_freq: Tensor, q: Tensor, k: Tensor, pos_q: Tensor, pos_k: Tensor
    ) -> tuple[Tensor, Tensor]:
        at_q = self._cos_sin(pos_q, inv_freq)
        at_k = at_q if pos_k is pos_q else self._cos_sin(pos_k, inv_freq)
        return self._turned(q, *at_q), self._turned(k, *at_k)

    def _frequencies(self, pos_q: Tensor, pos_k: Tensor) -> Tensor:
        """The frequencies [P] of this call."""
        return self.inv_freq

    def _cos_sin(self, positions: Tensor, inv_freq: Tensor) -> tuple[Tensor, Tensor]:
        """Cosine and sine in float64, ``[L, P]`` or ``[B, L, P]``, times the attention factor."""
        coordinates = positions.to(inv_freq.dtype)
        if self.position_axes == 1:
            angles = coordinates[..., None] * inv_freq
        else:
            angles = coordinates[self.pair_axis].movedim(0, -1) * inv_freq
        return self.attention_factor * angles.cos(), self.attention_factor * angles.sin()

    def _turned(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        return turn(x, cos, sin, layout=self.layout, start=self.rotary_start)

    def _check(self, q: Tensor, k: Tensor, pos_q: Tensor, pos_k: Tensor) -> None:
        for name, x, positions in (("q", q, pos_q), ("k", k, pos_k)):
            head_vectors(name, x, self.head_dim)
            positions_fit(f"pos_{name}", positions, name, x.shape[0], x.shape[2], self.position_axes, x.device)
            finite_positions(f"pos_{name}", positions)

    def extra_repr(self) -> str:
        return f"head_dim={self.head_dim}, rotary_dim={self.rotary_dim}, layout={self.layout!r}"


def rotary_width(head_dim: int, rotary_dim: int | None) -> int:
    """The number of channels that turn: ``rotary_dim``, or the whole head, which must then be even."""
    return check.even_count("head_dim", head_dim) if rotary_dim is None else check.even_count("rotary_dim", rotary_dim)
