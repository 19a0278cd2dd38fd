r"""Relative vectors inside the score: methods whose term for query i and key j depends on what the two hold.

The modules bear the names of ``pe_course.reference.relative``, to which each is held. ``score_bias`` returns the term
**after** the method's own factor, so that ``scores = q·k * sm_scale + score_bias``.

Every method multiplies content with one vector per distance, once, ``[B, H, L, rows]``, and gathers from that by the
distance of each pair; a vector per pair is never built, with the one exception that `HuangRelativePosition` names.
"""

from pe_course.nn.relative.deberta import DisentangledRelative
from pe_course.nn.relative.huang import HuangRelativePosition
from pe_course.nn.relative.shaw import ShawRelativePosition
from pe_course.nn.relative.transformer_xl import TransformerXLRelative
from pe_course.nn.relative.xlnet import XLNetRelative

__all__ = [
    "DisentangledRelative",
    "HuangRelativePosition",
    "ShawRelativePosition",
    "TransformerXLRelative",
    "XLNetRelative",
]
