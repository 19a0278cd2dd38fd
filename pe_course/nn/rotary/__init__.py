"""Order in the query and the key: pairs of channels turned by an angle that grows with the position.

``turning`` holds what every rotation shares, ``rope`` RoPE with its scalings, ``config`` the way from a model's
``config.json``; ``xpos``, ``axial``, ``multimodal`` and ``rectified`` one relative each. Formulas and frequencies are
those of ``pe_course.reference.rotary`` and ``pe_course.reference.scaling``.
"""

from pe_course.nn.rotary.axial import AxialRotaryEmbedding
from pe_course.nn.rotary.config import rope_from_config
from pe_course.nn.rotary.multimodal import MRope
from pe_course.nn.rotary.rectified import ReRoPE
from pe_course.nn.rotary.rope import RotaryEmbedding
from pe_course.nn.rotary.turning import RotationMethod, turn
from pe_course.nn.rotary.xpos import XPos

__all__ = [
    "AxialRotaryEmbedding",
    "MRope",
    "ReRoPE",
    "RotaryEmbedding",
    "RotationMethod",
    "XPos",
    "rope_from_config",
    "turn",
]
