"""Order in the query and the key: pairs of channels turned by an angle that grows with the position.

``frequencies`` says how fast each pair turns, ``layouts`` which channels form a pair, ``rotation`` turns
them. On these stand ``xpos`` (a decay beside the rotation), ``axial`` and ``multimodal`` (several
coordinates per token) and ``rectified`` (distances that stop growing).
"""

from pe_course.reference.rotary.axial import (
    AXIAL_VARIANTS,
    GRID_KINDS,
    axial_angles,
    axial_frequencies,
    grid_coordinates,
)
from pe_course.reference.rotary.frequencies import (
    partial_rotary_dim,
    proportional_frequencies,
    rope_angles,
    rope_cos_sin,
    rope_frequencies,
)
from pe_course.reference.rotary.layouts import (
    ROTARY_LAYOUTS,
    half_to_interleaved,
    interleaved_to_half,
    pair_channels,
    permute_projection,
)
from pe_course.reference.rotary.multimodal import mrope_axes, mrope_cos_sin, next_text_position
from pe_course.reference.rotary.rectified import (
    leaky_rerope_distance,
    leaky_rerope_scores,
    rerope_distance,
    rerope_scores,
    self_extend_distance,
    self_extend_scores,
)
from pe_course.reference.rotary.rotation import (
    apply_rope,
    apply_rotary,
    apply_rotary_complex,
    rope_score,
    rotation_matrix,
)
from pe_course.reference.rotary.xpos import apply_xpos, xpos_scales, xpos_zeta

__all__ = [
    "AXIAL_VARIANTS",
    "GRID_KINDS",
    "ROTARY_LAYOUTS",
    "apply_rope",
    "apply_rotary",
    "apply_rotary_complex",
    "apply_xpos",
    "axial_angles",
    "axial_frequencies",
    "grid_coordinates",
    "half_to_interleaved",
    "interleaved_to_half",
    "leaky_rerope_distance",
    "leaky_rerope_scores",
    "mrope_axes",
    "mrope_cos_sin",
    "next_text_position",
    "pair_channels",
    "partial_rotary_dim",
    "permute_projection",
    "proportional_frequencies",
    "rerope_distance",
    "rerope_scores",
    "rope_angles",
    "rope_cos_sin",
    "rope_frequencies",
    "rope_score",
    "rotation_matrix",
    "self_extend_distance",
    "self_extend_scores",
    "xpos_scales",
    "xpos_zeta",
]
