"""xPos: beside the rotation, each pair decays with the distance."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from pe_course.nn.registry import register
from pe_course.nn.rotary.turning import RotationMethod, rotary_width
from pe_course.reference import rotary
from pe_course.reference import validation as check


@register("xpos")
class XPos(RotationMethod):
    r"""xPos (Sun et al. 2022, arXiv:2212.10554; equation read in the authors' code, torchscale ``XPOS``).

    .. math:: q \mapsto R_p\, q \;\zeta^{(p - c)/s}, \qquad k \mapsto R_p\, k \;\zeta^{-(p - c)/s}

    The score of pair m carries :math:`\zeta_m^{(i - j)/s}`: it decays for past keys and **grows without bound for
    future ones**, so a causal mask must hide them (``causal_only``). It decays towards 0, not towards −∞.

    Parameters
    ----------
    head_dim : int
    base, rotary_dim
        As `RotaryEmbedding`.
    layout : "interleaved" or "half"
        torchscale, x-transformers and rotary-embedding-torch are interleaved.
    scale_base : float
        s, above 0: 512 in torchscale, 2048 by default in NeMo.
    gamma : float
        See `pe_course.reference.rotary.xpos_zeta`.
    centre : float
        c. It cancels in every score and keeps magnitudes small: choose half the length you expect. It is fixed, where
        torchscale and others take the middle of the present length, so that rotated keys may be cached.

    Raises
    ------
    TypeError, ValueError
        If a width is odd or too large or a number is out of its range; at a call outside `torch.compile`, if a position
        is so far from the centre that its scale leaves the dtype of q (4,532 positions in float16, 36,260 in bfloat16
        and float32, with the defaults).
    """

    log_scale: Tensor
    causal_only = True

    def __init__(
        self,
        head_dim: int,
        *,
        base: float = 10000.0,
        rotary_dim: int | None = None,
        layout: str = "interleaved",
        scale_base: float = 512.0,
        gamma: float = 0.4,
        centre: float = 0.0,
    ) -> None:
        super().__init__(head_dim, rotary_width(head_dim, rotary_dim), layout)
        self.base = check.real_number("base", base, above=1)
        self.scale_base = check.real_number("scale_base", scale_base, above=0)
        self.gamma = check.real_number("gamma", gamma, above=0)
        self.centre = check.real_number("centre", centre)
        self._register_tables()
        self._steepest = float(np.abs(self._tables()["log_scale"]).max())

    def _tables(self) -> dict[str, np.ndarray]:
        zeta = rotary.xpos_zeta(self.rotary_dim, gamma=self.gamma)
        at_scale_base = rotary.xpos_scales(self.scale_base, zeta, scale_base=self.scale_base)
        return {
            "inv_freq": rotary.rope_frequencies(self.rotary_dim, base=self.base),
            "log_scale": np.log(at_scale_base) / self.scale_base,
        }

    def rotate(self, q: Tensor, k: Tensor, pos_q: Tensor, pos_k: Tensor) -> tuple[Tensor, Tensor]:
        self._check(q, k, pos_q, pos_k)
        self._check_reach("pos_q", pos_q, q.dtype)
        self._check_reach("pos_k", pos_k, k.dtype)
        return self._scaled(q, pos_q, sign=1.0), self._scaled(k, pos_k, sign=-1.0)

    def _scaled(self, x: Tensor, positions: Tensor, *, sign: float) -> Tensor:
        cos, sin = self._cos_sin(positions, self.inv_freq)
        from_centre = positions.to(self.log_scale.dtype) - self.centre
        scale = torch.exp(sign * from_centre[..., None] * self.log_scale)
        return self._turned(x, cos * scale, sin * scale)

    def _check_reach(self, name: str, positions: Tensor, dtype: torch.dtype) -> None:
        # Needs the values of the positions, which a compiled graph must not wait for.
        if torch.compiler.is_compiling():
            return
        reach = math.log(torch.finfo(dtype).max) / self._steepest
        farthest = float((positions.to(self.log_scale.dtype) - self.centre).abs().max())
        if farthest > reach:
            raise ValueError(
                f"{name} must be within {math.floor(reach)} positions of centre {self.centre:g}, because the scale "
                f"leaves {dtype} beyond; got {farthest:g} from it"
            )

    def extra_repr(self) -> str:
        numbers = f"scale_base={self.scale_base:g}, gamma={self.gamma:g}, centre={self.centre:g}"
        return f"{super().extra_repr()}, {numbers}"
