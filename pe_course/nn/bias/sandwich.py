r"""Sandwich: the inner product of two sinusoidal encodings, which depends on their distance, as a bias."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from pe_course.nn.bias.distance import DistanceBias, per_head
from pe_course.nn.registry import register
from pe_course.reference.absolute import sinusoidal_frequencies
from pe_course.reference.bias import sandwich_head_scales
from pe_course.reference.validation import count, even_count, flag


@register("sandwich")
class SandwichBias(DistanceBias):
    r"""Sandwich's score bias (Chi et al. 2023, arXiv:2212.10356. Equation from secondary reading).

    .. math:: b_{hij} = \frac{H}{8 h} \left( \sum_{m} \cos\!\big((i - j)\, \text{base}^{-2m/\bar d}\big)
        - \frac{\bar d}{2} \right), \qquad h = 1, \dots, H

    Parameters
    ----------
    num_heads
        Number of query heads; a large h is a weak bias.
    dim
        :math:`\bar d`, even; it has nothing to do with the width of a head (NeMo passes its hidden size).
    base
        Base of the frequencies, greater than 1.
    index_start
        m runs over dim/2 values from 0 (attention-gym 0.0.17) or from 1 (NeMo 1.22); not the same after softmax.
    subtract_constant
        Subtract dim/2, so that the maximum is 0 (NeMo); attention-gym does not; softmax cannot tell.
    bidirectional
        True is symmetric. False gives every future key the bias of distance 0, the maximum, as NeMo does: a mask must
        hide it.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    Added after the factor :math:`1/\sqrt d`. Nothing is learned. Cosines are taken in float64, once per distance.
    Positions are any finite real numbers.
    """

    def __init__(
        self,
        num_heads: int,
        *,
        dim: int = 128,
        base: float = 10000.0,
        index_start: int = 0,
        subtract_constant: bool = True,
        bidirectional: bool = True,
    ):
        super().__init__(num_heads)
        self.dim, self.base = even_count("dim", dim), base
        self.index_start = count("index_start", index_start, minimum=0, maximum=1)
        self.constant = dim // 2 if flag("subtract_constant", subtract_constant) else 0
        self.bidirectional = flag("bidirectional", bidirectional)
        self.causal_only = not self.bidirectional
        self._register_tables()

    def _tables(self) -> dict[str, np.ndarray]:
        frequencies = sinusoidal_frequencies(self.dim, base=self.base)
        # From m = 1 on, every frequency is one step lower.
        lowered = frequencies * self.base ** (-2 * self.index_start / self.dim)
        return {"frequencies": lowered, "scales": sandwich_head_scales(self.num_heads)}

    def of_distance(self, distance: Tensor, dtype: torch.dtype) -> Tensor:
        distance = distance if self.bidirectional else distance.clamp(min=0)
        kernel = sum(torch.cos(distance * frequency) for frequency in self.frequencies) - self.constant
        return (per_head(self.scales, distance.ndim) * kernel).to(dtype)
