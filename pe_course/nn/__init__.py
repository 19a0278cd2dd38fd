"""torch modules of every method, any device and dtype, built on the tables of ``pe_course.reference``."""

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
from pe_course.nn.registry import build, methods

__all__ = [
    "FIRE",
    "ALiBi",
    "CoPE",
    "ContinuousDistanceBias",
    "ForgettingGate",
    "IntegerPositions",
    "KerpleBias",
    "LearnedPositionalEmbedding",
    "NormalisedPositions",
    "PositionMethod",
    "SandwichBias",
    "SinusoidalPositionalEncoding",
    "T5RelativePositionBias",
    "attention",
    "build",
    "methods",
]
