"""torch modules of every method, any device and dtype, built on the tables of ``pe_course.reference``."""

import pe_course._torch  # noqa: F401  (says what to install where torch is missing)
from pe_course.nn.absolute import (
    IntegerPositions,
    LearnedPositionalEmbedding,
    NormalisedPositions,
    SinusoidalPositionalEncoding,
)
from pe_course.nn.attention import attention
from pe_course.nn.base import PositionMethod
from pe_course.nn.bias import (
    FIRE,
    ALiBi,
    ContinuousDistanceBias,
    CoPE,
    ForgettingGate,
    KerpleBias,
    SandwichBias,
    T5RelativePositionBias,
)
from pe_course.nn.combine import Combined
from pe_course.nn.registry import build, methods
from pe_course.nn.relative import (
    DisentangledRelative,
    HuangRelativePosition,
    ShawRelativePosition,
    TransformerXLRelative,
    XLNetRelative,
)
from pe_course.nn.rotary import AxialRotaryEmbedding, MRope, ReRoPE, RotaryEmbedding, XPos, rope_from_config
from pe_course.nn.scaling import Llama4Temperature, LogNScaling, MinistralScaling

__all__ = [
    "FIRE",
    "ALiBi",
    "AxialRotaryEmbedding",
    "CoPE",
    "Combined",
    "ContinuousDistanceBias",
    "DisentangledRelative",
    "ForgettingGate",
    "HuangRelativePosition",
    "IntegerPositions",
    "KerpleBias",
    "LearnedPositionalEmbedding",
    "Llama4Temperature",
    "LogNScaling",
    "MRope",
    "MinistralScaling",
    "NormalisedPositions",
    "PositionMethod",
    "ReRoPE",
    "RotaryEmbedding",
    "SandwichBias",
    "ShawRelativePosition",
    "SinusoidalPositionalEncoding",
    "T5RelativePositionBias",
    "TransformerXLRelative",
    "XLNetRelative",
    "XPos",
    "attention",
    "build",
    "methods",
    "rope_from_config",
]
