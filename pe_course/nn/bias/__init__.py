r"""Additive biases: what is added to the scaled score of query i and key j because of where they stand.

The modules bear the names of ``pe_course.reference.bias``, from which their tables come: ``t5``, ``alibi``,
``kerple``, ``sandwich``, ``fire``, ``continuous``, ``contextual``. Each returns ``[B|1, H, L, S]``. No causal mask is
part of a bias.
"""

from pe_course.nn.bias.alibi import ALiBi
from pe_course.nn.bias.contextual import CoPE, ForgettingGate
from pe_course.nn.bias.continuous import ContinuousDistanceBias
from pe_course.nn.bias.fire import FIRE
from pe_course.nn.bias.kerple import KerpleBias
from pe_course.nn.bias.sandwich import SandwichBias
from pe_course.nn.bias.t5 import T5RelativePositionBias

__all__ = [
    "FIRE",
    "ALiBi",
    "CoPE",
    "ContinuousDistanceBias",
    "ForgettingGate",
    "KerpleBias",
    "SandwichBias",
    "T5RelativePositionBias",
]
