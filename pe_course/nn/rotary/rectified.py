"""ReRoPE: distances that stop growing, or grow slower, beyond a window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from pe_course.nn.base import exact_dtype, working_dtype
from pe_course.nn.registry import register
from pe_course.nn.rotary.rope import RotaryEmbedding
from pe_course.reference import rotary
from pe_course.reference import validation as check


@register("rerope")
class ReRoPE(RotaryEmbedding):
    r"""ReRoPE and leaky ReRoPE (Su 2023, https://kexue.fm/archives/9708, and the author's code, bojone/rerope).

    .. math:: s_{ij} = q_i^\top R_{-r_{ij}}\, k_j, \qquad
              r_{ij} = i - j \ \text{if}\ |i - j| < w, \quad w + (i - j - w)/k \ \text{otherwise}

    `rotate` is plain RoPE. `score_bias` is the score at the clamped distance minus the plain one where the two differ,
    and 0 elsewhere, so that their sum is the score above. It reads un-rotated keys: cache those
    (``cache_rotated_ok`` is False). A future key beyond the window gets the distance of a past one, so a causal mask
    must hide it (``causal_only``).

    Parameters
    ----------
    head_dim : int
    window : int
        w, at least 1; 512 in the released code.
    leaky_factor : float, optional
        k, at least 1: leaky ReRoPE, 16 in the released code; at 1 this is plain RoPE. None is ReRoPE, the limit of
        large k: the distance stays w.
    **options
        As `RotaryEmbedding`.

    Raises
    ------
    TypeError, ValueError
        If ``window`` or ``leaky_factor`` is below 1, or as `RotaryEmbedding`.

    Notes
    -----
    The released code also scales queries by `pe_course.reference.scaling.logn_scale`: use
    ``Combined(ReRoPE(...), LogNScaling(...))``.
    """

    needs_content = True
    replaces_score = True
    causal_only = True

    def __init__(self, head_dim: int, *, window: int = 512, leaky_factor: float | None = None, **options) -> None:
        super().__init__(head_dim, **options)
        self.window = check.count("window", window)
        self.leaky_factor = leaky_factor
        # Beyond the window the distance is a line, read off the reference at two points.
        at_window, at_twice = self._reference_distance([self.window, 2 * self.window])
        self._slope = float(at_twice - at_window) / self.window
        self._offset = float(at_window) - self._slope * self.window

    def _reference_distance(self, distance):
        if self.leaky_factor is None:
            return rotary.rerope_distance(distance, window=self.window)
        return rotary.leaky_rerope_distance(distance, window=self.window, leaky_factor=self.leaky_factor)

    @property
    def cache_rotated_ok(self) -> bool:
        return False

    def score_bias(
        self,
        pos_q: Tensor,
        pos_k: Tensor,
        *,
        q: Tensor | None = None,
        k: Tensor | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Tensor:
        if q is None or k is None:
            raise ValueError("q and k must be given: ReRoPE computes a second score from them, got None")
        self._check(q, k, pos_q, pos_k)
        exact = exact_dtype(q.device)
        at_q, at_k = pos_q.to(exact), pos_k.to(exact)
        inv_freq = self._frequencies(pos_q, pos_k)
        near = _scores(*self._rotate_with(inv_freq, q, k, at_q, at_k))
        far = _scores(*self._rotate_with(inv_freq, q, k, self._slope * at_q + self._offset, self._slope * at_k))
        beyond = (at_q[..., :, None] - at_k[..., None, :]).abs() >= self.window
        return torch.where(beyond.unsqueeze(-3), (far - near) * self.sm_scale(q.shape[-1]), 0.0)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, window={self.window}, leaky_factor={self.leaky_factor}"


def _scores(q: Tensor, k: Tensor) -> Tensor:
    """Products of all queries and keys, key heads shared by groups of query heads."""
    dtype = working_dtype(q, k)
    keys = k.to(dtype).repeat_interleave(q.shape[1] // k.shape[1], dim=1)
    # Autocast would make a bfloat16 product of it.
    with torch.autocast(q.device.type, enabled=False):
        return q.to(dtype) @ keys.mT
