"""RoPE over the coordinates of a grid: each axis turns its own share of the pairs."""

from __future__ import annotations

import numpy as np

from pe_course.nn.registry import register
from pe_course.nn.rotary.turning import RotationMethod, rotary_width
from pe_course.reference import rotary
from pe_course.reference import validation as check

RELEASED_LAYOUT = {
    "lang": "interleaved",
    "pixel": "interleaved",
    "qwen2_vl": "half",
    "pixtral": "half",
    "dinov3": "half",
}
"""The layout of the released code of each variant; Pixtral's is that of Hugging Face Transformers."""


@register("axial_rope")
class AxialRotaryEmbedding(RotationMethod):
    r"""Axial RoPE for images and video; sources at `pe_course.reference.rotary.axial_frequencies`.

    .. math:: \alpha_{a, m} = x_a\, \theta_{a, m}

    Positions are coordinates ``[axes, L]`` or ``[axes, B, L]``, for images (row, column):
    ``grid_coordinates(sizes).T`` of `pe_course.reference.rotary.grid_coordinates`. The score of two tokens depends on
    the difference of each coordinate.

    Parameters
    ----------
    head_dim : int
    num_axes : int
        2 for images, 3 for video.
    variant, base, max_freq
        See `pe_course.reference.rotary.axial_frequencies`.
    layout : "half", "interleaved" or None
        None is the layout of the released code of the variant.
    rotary_dim : int, optional
        Number of leading channels that turn, a multiple of twice ``num_axes``; None means all.

    Raises
    ------
    TypeError, ValueError
        If a width is no such multiple or too large, ``variant`` or ``layout`` is unknown, or ``base`` is not above 1.
    """

    def __init__(
        self,
        head_dim: int,
        *,
        num_axes: int = 2,
        variant: str = "lang",
        base: float | None = None,
        max_freq: float = 10.0,
        layout: str | None = None,
        rotary_dim: int | None = None,
    ) -> None:
        check.one_of("variant", variant, rotary.AXIAL_VARIANTS)
        super().__init__(
            head_dim, rotary_width(head_dim, rotary_dim), RELEASED_LAYOUT[variant] if layout is None else layout
        )
        self.position_axes = check.count("num_axes", num_axes)
        self.variant = variant
        self._frequency_options = {"variant": variant, "base": base, "max_freq": max_freq}
        self._register_tables()

    def _tables(self) -> dict[str, np.ndarray]:
        frequencies = rotary.axial_frequencies(self.rotary_dim, self.position_axes, **self._frequency_options)
        axes = np.broadcast_to(np.arange(self.position_axes)[:, None], frequencies.shape)
        return {"inv_freq": frequencies.ravel(), "pair_axis": axes.ravel()}

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, num_axes={self.position_axes}, variant={self.variant!r}"
