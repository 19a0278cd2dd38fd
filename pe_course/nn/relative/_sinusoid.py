"""Projected sinusoids of the distance: what Transformer-XL and XLNet share."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn

from pe_course.nn.positions import distance_span, real_positions
from pe_course.nn.relative._content import INITIAL_STD, Call, ContentMethod, pick
from pe_course.reference.absolute import sinusoidal_frequencies
from pe_course.reference.validation import count, even_count, real_number


class SinusoidMethod(ContentMethod):
    r"""Computes :math:`x_i^\top W_R R_{i-j}`, R the sinusoid of the distance, cut to ``lowest`` … ``highest``.

    The sum is the same in two orders, and the cheaper one is taken. Either :math:`W_R R_d` is formed for every whole
    distance d between the smallest and the largest of the call, multiplied with x once, and gathered. Or
    :math:`W_R^\top x_i` is turned by the query's angles and multiplied with the sinusoid of the key's position, for

    .. math:: w_s \sin(i - j)\theta + w_c \cos(i - j)\theta
        = (w_c \sin i\theta - w_s \cos i\theta) \sin j\theta + (w_s \sin i\theta + w_c \cos i\theta) \cos j\theta.

    The second order needs no table of distances. It is cheaper for few queries (decoding), takes fractional positions,
    and compiles, because no size depends on a value.
    """

    whole_positions = False
    lowest, highest = -math.inf, math.inf

    def __init__(self, num_heads: int, head_dim: int, model_dim: int | None, base: float, clamp_len: float | None):
        super().__init__()
        self.num_heads, self.head_dim = count("num_heads", num_heads), count("head_dim", head_dim)
        self.model_dim = even_count("model_dim", self.num_heads * self.head_dim if model_dim is None else model_dim)
        self.base = real_number("base", base, above=1)
        self.clamp_len = None if clamp_len is None else real_number("clamp_len", clamp_len, above=0)
        if self.clamp_len is not None:
            self.highest = self.clamp_len
        self._register_tables()
        self.content_bias = nn.Parameter(torch.empty(self.num_heads, self.head_dim))
        self.position_bias = nn.Parameter(torch.empty(self.num_heads, self.head_dim))

    def reset_parameters(self) -> None:
        """Draws the learned vectors and the projection anew."""
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=INITIAL_STD)

    def _tables(self) -> dict[str, np.ndarray]:
        return {"frequencies": sinusoidal_frequencies(self.model_dim, base=self.base)}

    def _projection(self) -> Tensor:
        """W_R as ``[H, D, D_model]``."""
        raise NotImplementedError

    def _content_term(self, call: Call) -> Tensor:
        """u·k of each query head, ``[B, H, 1, S]``."""
        bias = self.content_bias.to(call.q.dtype).view(call.k.shape[1], -1, self.head_dim)
        return torch.einsum("kgd,bksd->bkgs", bias, call.k).flatten(1, 2)[:, :, None]

    def _position_term(self, call: Call) -> Tensor:
        """(q + v)·(W_R R) of each pair, ``[B, H, L, S]``."""
        distances = self._whole_distances(call)
        if distances is None or not self._by_distance_is_cheaper(call, len(distances)):
            return self._by_angles(call)
        rows = (call.distance - distances[0]).clamp(0, len(distances) - 1)
        return pick(self._by_distance(call, distances), rows)

    def _queries(self, call: Call) -> Tensor:
        return call.q + self.position_bias.to(call.q.dtype)[:, None]

    def _whole_distances(self, call: Call) -> range | None:
        """The whole distances of the call after the cut; None where they are not whole or no value can be read."""
        span = distance_span(call.distance)
        if span is None:
            return None
        first, last = (min(max(distance, self.lowest), self.highest) for distance in span)
        return range(math.floor(first), math.ceil(last) + 1)

    def _by_distance_is_cheaper(self, call: Call, rows: int) -> bool:
        """Multiplications per head."""
        queries = call.q.shape[0] * call.q.shape[2]
        by_distance = rows * self.head_dim * (self.model_dim + queries)
        return by_distance < queries * self.model_dim * (self.head_dim + call.distance.shape[-1])

    def _by_distance(self, call: Call, distances: range) -> Tensor:
        """``[B, H, L, R]``, one column for each of the distances."""
        steps = torch.arange(distances.start, distances.stop, device=call.q.device, dtype=self.frequencies.dtype)
        sinusoid = self._sinusoid(steps.clamp(self.lowest, self.highest), call.q.dtype)
        return self._queries(call) @ (self._projection().to(call.q.dtype) @ sinusoid.mT)

    def _by_angles(self, call: Call) -> Tensor:
        pos_q, pos_k = (torch.atleast_2d(real_positions("positions", p)) for p in (call.pos_q, call.pos_k))
        origin = pos_k.amin(-1, keepdim=True)  # only distances matter, and small angles are exact
        of_query, of_key = (self._sinusoid(p - origin, call.q.dtype)[:, None] for p in (pos_q, pos_k))
        projected = self._queries(call) @ self._projection().to(call.q.dtype)
        for_sine, for_cosine = projected.chunk(2, -1)
        sine, cosine = of_query.chunk(2, -1)
        turned = (for_cosine * sine - for_sine * cosine, for_sine * sine + for_cosine * cosine)
        term = torch.cat(turned, -1) @ of_key.mT
        return self._cut(term, projected, call.distance[:, None])

    def _cut(self, term: Tensor, projected: Tensor, distance: Tensor) -> Tensor:
        """Pairs beyond a limit get the term of that limit."""
        limits = ((self.lowest, distance < self.lowest), (self.highest, distance > self.highest))
        for limit, beyond in limits:
            if math.isfinite(limit):
                at_limit = torch.full((1,), limit, device=term.device, dtype=self.frequencies.dtype)
                term = torch.where(beyond, projected @ self._sinusoid(at_limit, term.dtype).mT, term)
        return term

    def _sinusoid(self, positions: Tensor, dtype: torch.dtype) -> Tensor:
        """Sines, then cosines, ``[...]`` to ``[..., D_model]``; the angles are float64."""
        angles = positions[..., None].to(self.frequencies.dtype) * self.frequencies
        return torch.cat((angles.sin(), angles.cos()), -1).to(dtype)
