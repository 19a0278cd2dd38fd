"""Making RoPE reach further than it was trained: new frequencies, and scales for the query.

Every ``rope_scaling_<type>`` takes the rotated width and returns ``(inv_freq, attention_factor)``: the angle per
position of each pair, fastest first, and what multiplies both cos and sin, so that scores grow by its square.
Parameters carry the names of the Hugging Face ``rope_parameters``. In the equations theta_m is the trained
frequency of pair m, s the factor, L the trained length, d the rotated width and b the base.

``base`` has one factor for all pairs (linear, NTK-aware, dynamic), ``by_parts`` one for each by its turns within
the trained length (NTK-by-parts, YaRN, Llama 3), ``per_pair`` one that was searched for (LongRoPE) or zeros
(p-RoPE). ``temperature`` holds YaRN's factor on the scores, ``query`` the scales that leave the rotation alone
(log-n and its relatives), ``config`` reads all this from a model's ``config.json``.
"""

from pe_course.reference.scaling.base import (
    DYNAMIC_VARIANTS,
    dynamic_ntk_factor,
    ntk_base,
    rope_scaling_default,
    rope_scaling_dynamic,
    rope_scaling_linear,
    rope_scaling_ntk,
)
from pe_course.reference.scaling.by_parts import (
    RAMPS,
    ntk_by_parts_ramp,
    rope_scaling_llama3,
    rope_scaling_ntk_by_parts,
    rope_scaling_part_ntk,
    rope_scaling_yarn,
)
from pe_course.reference.scaling.config import ROPE_TYPES, RopeParameters, rope_parameters_from_config
from pe_course.reference.scaling.per_pair import rope_scaling_longrope, rope_scaling_proportional
from pe_course.reference.scaling.query import LOGN_MODES, llama4_temperature, logn_scale, ministral_scale
from pe_course.reference.scaling.temperature import yarn_attention_factor, yarn_mscale, yarn_softmax_scale_factor

__all__ = [
    "DYNAMIC_VARIANTS",
    "LOGN_MODES",
    "RAMPS",
    "ROPE_TYPES",
    "RopeParameters",
    "dynamic_ntk_factor",
    "llama4_temperature",
    "logn_scale",
    "ministral_scale",
    "ntk_base",
    "ntk_by_parts_ramp",
    "rope_parameters_from_config",
    "rope_scaling_default",
    "rope_scaling_dynamic",
    "rope_scaling_linear",
    "rope_scaling_llama3",
    "rope_scaling_longrope",
    "rope_scaling_ntk",
    "rope_scaling_ntk_by_parts",
    "rope_scaling_part_ntk",
    "rope_scaling_proportional",
    "rope_scaling_yarn",
    "yarn_attention_factor",
    "yarn_mscale",
    "yarn_softmax_scale_factor",
]
