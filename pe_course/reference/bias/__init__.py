r"""Additive biases: what is added to the score of query i and key j because of where they stand.

.. math:: s_{ij} = \text{scale} \cdot q_i \cdot k_j + b_{ij}

Every function takes positions or distances, never lengths, and returns the bias alone: the causal mask
is applied by the caller. Distances are query − key; T5 counts key − query, and its argument says so.
Positions are ``[L]`` and ``[S]`` (bias ``[H, L, S]``) or ``[B, L]`` and ``[B, S]`` (bias ``[B, H, L, S]``).

One module per subject: ``t5``, ``alibi``, ``kerple``, ``sandwich``, ``fire``, ``continuous``,
``contextual`` (CoPE and the forgetting gate, whose bias depends on content).
"""

from pe_course.reference.bias.alibi import alibi_bias, alibi_slopes
from pe_course.reference.bias.contextual import cope_bias, cope_logits, cope_positions, forgetting_gate_bias
from pe_course.reference.bias.continuous import (
    exponential_distance_bias,
    gaussian_distance_bias,
    linear_distance_bias,
    log_distance_bias,
    mlp_distance_bias,
    swin_log_bias,
    swin_log_coordinates,
)
from pe_course.reference.bias.fire import fire_bias, fire_input
from pe_course.reference.bias.kerple import kerple_log, kerple_power, kerple_three_parameter, kerple_weight
from pe_course.reference.bias.sandwich import sandwich_bias, sandwich_head_scales, sandwich_kernel
from pe_course.reference.bias.t5 import t5_bias, t5_bucket_starts, t5_relative_position_bucket

__all__ = [
    "alibi_bias",
    "alibi_slopes",
    "cope_bias",
    "cope_logits",
    "cope_positions",
    "exponential_distance_bias",
    "fire_bias",
    "fire_input",
    "forgetting_gate_bias",
    "gaussian_distance_bias",
    "kerple_log",
    "kerple_power",
    "kerple_three_parameter",
    "kerple_weight",
    "linear_distance_bias",
    "log_distance_bias",
    "mlp_distance_bias",
    "sandwich_bias",
    "sandwich_head_scales",
    "sandwich_kernel",
    "swin_log_bias",
    "swin_log_coordinates",
    "t5_bias",
    "t5_bucket_starts",
    "t5_relative_position_bucket",
]
