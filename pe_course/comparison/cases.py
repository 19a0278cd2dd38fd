"""One entry per method: its name for readers, its options in a model of a given shape, and where it was tried out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from pe_course.nn import PositionMethod, build
from pe_course.reference.validation import one_of


@dataclass(frozen=True)
class Shape:
    """A model: heads of ``head_dim`` channels, trained on ``trained`` tokens, with tables for ``longest``."""

    heads: int
    head_dim: int
    trained: int
    longest: int

    @property
    def width(self) -> int:
        return self.heads * self.head_dim


@dataclass(frozen=True)
class Case:
    """How a method takes part in the comparison.

    Attributes:
        label: its name in tables and pictures.
        options: what `pe_course.nn.build` is given for a shape.
        lab: method of the lab, and its variant at test time, whose stored runs say how it does on longer texts.
        elsewhere: who measured it on longer texts, where the lab did not: authors and year.
        spread: of the random numbers in a picture, for tables that mean nothing before training; 0: as they start.
    """

    label: str
    options: Callable[[Shape], dict[str, Any]] = lambda shape: {}
    lab: tuple[str, str | None] | None = None
    elsewhere: str = ""
    spread: float = 0.0


def _head(shape: Shape) -> dict[str, Any]:
    return {"head_dim": shape.head_dim}


def _heads(shape: Shape) -> dict[str, Any]:
    return {"num_heads": shape.heads}


def _both(shape: Shape) -> dict[str, Any]:
    return _heads(shape) | _head(shape)


FACTOR = 4.0
"""By how much the rescaled rotations stretch the trained length."""


def _stretched(shape: Shape) -> dict[str, Any]:
    return _head(shape) | {"factor": FACTOR}


def _stretched_from(shape: Shape) -> dict[str, Any]:
    return _stretched(shape) | {"original_max_position_embeddings": shape.trained}


def _per_pair(shape: Shape) -> dict[str, Any]:
    pairs = shape.head_dim // 2
    growing = tuple(1 + (FACTOR - 1) * pair / (pairs - 1) for pair in range(pairs))
    return _stretched_from(shape) | {"short_factor": (1.0,) * pairs, "long_factor": growing}


def _thirds(shape: Shape) -> dict[str, Any]:
    pairs = shape.head_dim // 2
    height = pairs * 3 // 8
    return _head(shape) | {"mrope_section": (pairs - 2 * height, height, height)}


CASES: dict[str, Case] = {
    "nope": Case("NoPE", lab=("nope", None)),
    "integer": Case("integers"),
    "normalised": Case("0 to 1"),
    "sinusoidal": Case("sinusoids", lambda s: {"dim": s.width}, lab=("sinusoidal", None)),
    "learned": Case(
        "learned table",
        lambda s: {"max_position_embeddings": s.longest, "dim": s.width},
        lab=("learned", None),
        spread=1.0,
    ),
    "rope": Case("RoPE", _head, lab=("rope", None)),
    "rope_linear": Case("interpolation", _stretched, lab=("rope", "pi")),
    "rope_ntk": Case("NTK-aware", _stretched, lab=("rope", "ntk")),
    "rope_dynamic": Case(
        "dynamic NTK",
        lambda s: _stretched(s) | {"max_position_embeddings": s.trained},
        lab=("rope", "dynamic_ntk"),
    ),
    "rope_ntk_by_parts": Case("NTK-by-parts", _stretched_from, elsewhere="Peng et al., 2024"),
    "rope_yarn": Case("YaRN", _stretched_from, lab=("rope", "yarn")),
    "rope_llama3": Case(
        "Llama 3 scaling", lambda s: _stretched_from(s) | {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    ),
    "rope_longrope": Case("LongRoPE", _per_pair, elsewhere="Ding et al., 2024"),
    "p_rope": Case("p-RoPE", lambda s: _head(s) | {"partial_rotary_factor": 0.5}),
    "xpos": Case("xPos", _head, lab=("xpos", None)),
    "axial_rope": Case("axial RoPE", _head, elsewhere="Heo et al., 2024"),
    "mrope": Case("M-RoPE", _thirds),
    "rerope": Case("ReRoPE", lambda s: _head(s) | {"window": s.trained}, lab=("rope", "rerope")),
    "logn": Case("log-n scale", lambda s: {"train_length": s.trained}, lab=("rope", "logn")),
    "llama4_temperature": Case("Llama 4 scale", lambda s: {"floor_scale": s.trained}),
    "ministral_scale": Case("Ministral scale", lambda s: {"original_max_position_embeddings": s.trained}),
    "t5": Case("T5 bias", _heads, lab=("t5", None), spread=1.0),
    "alibi": Case("ALiBi", _heads, lab=("alibi", None)),
    "kerple": Case("KERPLE", _heads, lab=("kerple", None)),
    "sandwich": Case("Sandwich", _heads, lab=("sandwich", None)),
    "fire": Case("FIRE", lambda s: _heads(s) | {"init_L": float(s.trained)}, lab=("fire", None)),
    "continuous": Case("continuous", lambda s: _heads(s) | {"kind": "mlp"}, lab=("continuous", None), spread=0.5),
    "shaw": Case("Shaw", lambda s: _head(s) | {"max_relative_position": 16}, spread=1.0),
    "huang": Case("Huang M4", lambda s: _head(s) | {"max_relative_position": s.trained}, spread=1.0),
    "transformer_xl": Case("Transformer-XL", _both, spread=0.1),
    "xlnet": Case("XLNet", _both, spread=0.1),
    "deberta": Case("DeBERTa", _both, spread=0.1),
    "cope": Case("CoPE", lambda s: _head(s) | {"npos": 64}, spread=1.0),
    "forgetting": Case("forgetting gate", lambda s: _heads(s) | {"dim": s.width}, spread=0.1),
}
"""By the names of `pe_course.nn.methods`: without order, then input, query and key, score."""


def built(name: str, shape: Shape) -> PositionMethod:
    """The method in a model of this shape, the same in every call. Raises: ValueError that lists the names."""
    one_of("name", name, tuple(CASES))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return build(name, **CASES[name].options(shape))
