"""M-RoPE: time, height and width of a token share the pairs of one head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pe_course.nn.registry import register
from pe_course.nn.rotary.rope import RotaryEmbedding, Scaling
from pe_course.reference import rotary
from pe_course.reference import validation as check

INTERLEAVED_KEYS = ("mrope_interleaved", "interleaved")
"""What configurations call the way to share pairs out: Qwen3-VL, Qwen3-Omni."""


@register("mrope")
class MRope(RotaryEmbedding):
    r"""RoPE in which each pair follows one coordinate of the token (Wang et al. 2024, arXiv:2409.12191).

    .. math:: \alpha_m = p_{a(m)}\, \theta_m

    Positions are ``[3, L]`` or ``[3, B, L]``: time, height, width. A text token has one number three times, so that
    text alone is 1-D RoPE; `pe_course.reference.rotary.next_text_position` says where it goes on after an image.

    Parameters
    ----------
    head_dim : int
    mrope_section : ints, one per coordinate
        Pairs of each coordinate, in sum the number of pairs that turn: (16, 24, 24) in Qwen2-VL.
    interleaved : bool
        How pairs are shared out, see `pe_course.reference.rotary.mrope_axes`: False in blocks (Qwen2-VL), True
        in turn (Qwen3-VL).
    **options
        As `RotaryEmbedding`; ``scaling`` may repeat ``mrope_section`` and ``mrope_interleaved``.

    Raises
    ------
    TypeError, ValueError
        If ``mrope_section`` does not fit the pairs, or as `RotaryEmbedding`.
    """

    def __init__(
        self,
        head_dim: int,
        mrope_section: Sequence[int],
        *,
        interleaved: bool = False,
        scaling: Scaling | None = None,
        **options,
    ) -> None:
        # nn.Module takes no tensors before its own __init__, which is where the tables are asked for.
        self._pair_axis = rotary.mrope_axes(mrope_section, interleaved=interleaved)
        self.mrope_section = tuple(int(pairs) for pairs in mrope_section)
        self.interleaved = bool(interleaved)
        super().__init__(head_dim, scaling=self._without_sections(scaling), **options)
        self.position_axes = len(self.mrope_section)

    def _without_sections(self, scaling: Scaling | None) -> Scaling | None:
        if not isinstance(scaling, Mapping):
            return scaling
        repeated = {"mrope_section": list(self.mrope_section), **dict.fromkeys(INTERLEAVED_KEYS, self.interleaved)}
        for name, value in repeated.items():
            given = scaling.get(name, value)
            given = list(given) if isinstance(value, list) else given
            if given != value:
                raise ValueError(f"{name} must be given once, got {value} beside scaling and {given} within it")
        return {name: value for name, value in scaling.items() if name not in repeated}

    def _tables(self) -> dict[str, np.ndarray]:
        tables = super()._tables()
        check.same_length(
            "inv_freq", len(tables["inv_freq"]), "the list of pairs in mrope_section", len(self._pair_axis)
        )
        return {**tables, "pair_axis": self._pair_axis}

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, mrope_section={self.mrope_section}, interleaved={self.interleaved}"
