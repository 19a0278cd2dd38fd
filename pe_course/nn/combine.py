"""Several positional methods as one: RoPE with log-n scaling, sinusoids with ALiBi."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from pe_course.kernels import flex
from pe_course.nn.base import PositionMethod, ScoreMod


class Combined(PositionMethod):
    """Methods whose hooks act one after another, in the order given.

    Inputs, rotations and query scales are chained, biases added. The queries that a bias reads carry the scale of the
    query, as those of the score do.

    Parameters
    ----------
    methods
        At least one `PositionMethod`; a `Combined` among them is taken apart.

    Raises
    ------
    TypeError
        If an argument is no method. ValueError if methods contradict each other: two of them want a scale of the scores
        that is not 1/sqrt(head_dim), or one wants it and another's bias counts on its own; their positions have
        different numbers of coordinates; one replaces the plain score (``replaces_score``) and another rotates or
        replaces it, too.
    """

    def __init__(self, *methods: PositionMethod) -> None:
        super().__init__()
        if not methods:
            raise ValueError("methods must not be empty, got none")
        for method in methods:
            if not isinstance(method, PositionMethod):
                raise TypeError(f"methods must be PositionMethods, got {type(method).__name__}")
        self.methods = nn.ModuleList(_taken_apart(methods))
        self.needs_content = any(m.needs_content for m in self.methods)
        self.replaces_score = any(m.replaces_score for m in self.methods)
        self.shift_invariant = all(m.shift_invariant for m in self.methods)
        self.causal_only = any(m.causal_only for m in self.methods)
        self.uses_value_bias = any(m.uses_value_bias for m in self.methods)
        self.position_axes = self._common_axes()
        self._refuse_a_second_rotation()
        self.sm_scale(64)  # whether scales contradict each other does not depend on the width

    @property
    def cache_rotated_ok(self) -> bool:
        return all(m.cache_rotated_ok for m in self.methods)

    def embed(self, x: Tensor, pos_q: Tensor) -> Tensor:
        for method in self.methods:
            x = method.embed(x, pos_q)
        return x

    def rotate(self, q: Tensor, k: Tensor, pos_q: Tensor, pos_k: Tensor) -> tuple[Tensor, Tensor]:
        for method in self.methods:
            q, k = method.rotate(q, k, pos_q, pos_k)
        return q, k

    def scale_q(self, q: Tensor, pos_q: Tensor, kv_len: int) -> Tensor:
        for method in self.methods:
            q = method.scale_q(q, pos_q, kv_len)
        return q

    def score_bias(
        self,
        pos_q: Tensor,
        pos_k: Tensor,
        *,
        q: Tensor | None = None,
        k: Tensor | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Tensor | None:
        if q is not None:
            q = self.scale_q(q, pos_q, pos_k.shape[-1])
        biases = [m.score_bias(pos_q, pos_k, q=q, k=k, context=context) for m in self.methods]
        return _sum(biases)

    def value_bias(self, probs: Tensor, pos_q: Tensor, pos_k: Tensor) -> Tensor | None:
        return _sum([m.value_bias(probs, pos_q, pos_k) for m in self.methods])

    def sm_scale(self, head_dim: int) -> float:
        plain = super().sm_scale(head_dim)
        scales = [(m, m.sm_scale(head_dim)) for m in self.methods]
        chosen, scale = next(((m, s) for m, s in scales if not math.isclose(s, plain)), (None, plain))
        for method, own in scales:
            # A bias made of content is computed with its method's own scale; others do not care.
            indifferent = math.isclose(own, plain) and not method.needs_content
            if not indifferent and not math.isclose(own, scale):
                raise ValueError(
                    f"methods must agree on the scale of the scores, got {scale:g} from {type(chosen).__name__} "
                    f"and {own:g} from {type(method).__name__} at head_dim {head_dim}"
                )
        return scale

    def score_mod(
        self,
        pos_q: Tensor,
        pos_k: Tensor,
        *,
        q: Tensor | None = None,
        k: Tensor | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> ScoreMod | None:
        scaled = None if q is None else self.scale_q(q, pos_q, pos_k.shape[-1])
        mods = []
        for method in self.methods:
            mod = method.score_mod(pos_q, pos_k, q=scaled, k=k, context=context)
            if mod is NotImplemented:
                bias = method.score_bias(pos_q, pos_k, q=scaled, k=k, context=context)
                if bias is not None and q is None:
                    return NotImplemented
                mod = None if bias is None else flex.from_bias(bias, batch=q.shape[0], heads=q.shape[1])
            if mod is not None:
                mods.append(mod)
        return _one_after_another(mods) if mods else None

    def _common_axes(self) -> int:
        axes = {m.position_axes for m in self.methods}
        if len(axes) > 1:
            shown = ", ".join(f"{type(m).__name__} {m.position_axes}" for m in self.methods)
            raise ValueError(f"methods must have positions with equally many coordinates, got {shown}")
        return axes.pop()

    def _refuse_a_second_rotation(self) -> None:
        for method in self.methods:
            if not method.replaces_score:
                continue
            others = [m for m in self.methods if m is not method and (m.replaces_score or _rotates(m))]
            if others:
                raise ValueError(
                    f"methods must not rotate or replace a score beside {type(method).__name__}, which replaces the "
                    f"plain score; got {type(others[0]).__name__}"
                )


def _taken_apart(methods: tuple[PositionMethod, ...]) -> list[PositionMethod]:
    return [inner for m in methods for inner in (m.methods if isinstance(m, Combined) else [m])]


def _rotates(method: PositionMethod) -> bool:
    return type(method).rotate is not PositionMethod.rotate


def _sum(terms: list[Tensor | None]) -> Tensor | None:
    present = [term for term in terms if term is not None]
    return sum(present[1:], present[0]) if present else None


def _one_after_another(mods: list[ScoreMod]) -> ScoreMod:
    def score_mod(score, b, h, i, j):
        for mod in mods:
            score = mod(score, b, h, i, j)
        return score

    return score_mod
