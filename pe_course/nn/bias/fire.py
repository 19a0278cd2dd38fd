r"""FIRE: a small network sees the distance as a fraction of how far the query can look back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from pe_course.nn.base import PositionMethod
from pe_course.nn.bias._learned import NumberNetwork
from pe_course.nn.bias.distance import bias_dtype, check_heads
from pe_course.nn.positions import distances
from pe_course.nn.registry import register
from pe_course.reference.validation import count, real_number


@register("fire")
class FIRE(PositionMethod):
    r"""Functional interpolation of relative positions (Li et al. 2024, arXiv:2310.04418; equation from a listing).

    .. math:: b_{hij} = f_{\theta,h}\!\left(\frac{\psi(i - j)}{\psi(\max(L, i)) + \varepsilon}\right), \qquad
        \psi(d) = \ln(|c\,d| + 1)

    Parameters
    ----------
    num_heads
        Number of query heads.
    mlp_width
        Hidden units of the network 1 → width → H with ReLU.
    init_c
        Start of c, not 0, learned.
    init_L
        L at the start; its multiplier is learned and the absolute value of the product taken.
    eps
        Added to the denominator.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    For keys up to the query the network's input lies in [0, 1), at any length; for later keys it may exceed 1. Once
    i > L the bias depends on the query's **absolute** position, so a cache needs the true positions. Added after
    the factor :math:`1/\sqrt d`. One network per layer and one for all layers are both in use. Positions are any finite
    real numbers.
    """

    shift_invariant = False

    def __init__(
        self, num_heads: int, *, mlp_width: int = 32, init_c: float = 0.1, init_L: float = 512.0, eps: float = 1e-6
    ):
        super().__init__()
        self.num_heads = count("num_heads", num_heads)
        if real_number("init_c", init_c) == 0:
            raise ValueError("init_c must not be 0 because every distance would become 0, got 0")
        self.init_L = real_number("init_L", init_L, above=0)
        self.eps = real_number("eps", eps, at_least=0)
        self.network = NumberNetwork(num_heads, width=mlp_width, depth=1, activation="relu")
        self.c = nn.Parameter(torch.tensor(float(init_c)))
        self.L_multiplier = nn.Parameter(torch.tensor(1.0))

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
        dtype = bias_dtype(self, q)
        distance = distances(pos_q, pos_k).to(dtype)
        threshold = (self.L_multiplier.to(dtype) * self.init_L).abs()
        reach = torch.maximum(torch.atleast_2d(pos_q).to(dtype), threshold)
        x = self._psi(distance) / (self._psi(reach) + self.eps)[:, :, None]
        return self.network(x, dtype).movedim(0, 1)

    def _psi(self, distance: Tensor) -> Tensor:
        return torch.log1p((self.c.to(distance.dtype) * distance).abs())
