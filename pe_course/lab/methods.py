"""The methods as the lab builds them, and what can be done to a trained RoPE model when it is tested.

Papers train on hundreds of tokens, the lab on L = 64. Lengths inside a method are scaled along, so that each stands in
the same relation to L as in its paper.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pe_course.lab.config import MULTIPLES, Config
from pe_course.lab.synthetic import COPY_SYMBOLS, MARKOV_STATES, RECALL_VALUES
from pe_course.nn import PositionMethod, build
from pe_course.reference import scaling
from pe_course.reference.validation import one_of

ANSWERS = {"markov": MARKOV_STATES, "copy": COPY_SYMBOLS, "recall": RECALL_VALUES}
"""Out of how many one guesses who knows the task but not the sequence."""

YARN_BETA_FAST = 4.0
"""The paper's 32 is about half, in logarithms, of the 652 turns of the fastest pair within 4,096 positions. Within 64
positions that pair makes 10 turns; at 32, YaRN would interpolate every pair."""

VARIANTS = ("window", "rerope", "pi", "ntk", "dynamic_ntk", "yarn", "logn", "ntk_logn")
"""RoPE changed at test time, see `rope_variant`."""


def _head_dim(config: Config) -> int:
    return config.d_model // config.heads


_OPTIONS: dict[str, Callable[[Config], dict[str, Any]]] = {
    "nope": lambda c: {},
    # Rows beyond L exist but are never trained.
    "learned": lambda c: {"max_position_embeddings": MULTIPLES[-1] * c.length, "dim": c.d_model},
    "sinusoidal": lambda c: {"dim": c.d_model},
    # Released: 32 buckets up to 128, trained on 512. Within L every bucket is trained, as there.
    "t5": lambda c: {"num_heads": c.heads, "max_distance": max(c.length // 2, 17), "bidirectional": False},
    "alibi": lambda c: {"num_heads": c.heads},
    "kerple": lambda c: {"num_heads": c.heads},
    "sandwich": lambda c: {"num_heads": c.heads},
    # Released: 512, trained on 2,048.
    "fire": lambda c: {"num_heads": c.heads, "init_L": c.length / 4},
    "continuous": lambda c: {"num_heads": c.heads, "kind": "mlp", "log_distance": True},
    "rope": lambda c: {"head_dim": _head_dim(c)},
    # Released: 512, trained on 1,024.
    "xpos": lambda c: {"head_dim": _head_dim(c), "scale_base": c.length / 2},
}


def options(config: Config) -> dict[str, Any]:
    """What `pe_course.nn.build` is given beside the name."""
    return _OPTIONS[config.method](config)


def build_for(config: Config) -> PositionMethod:
    return build(config.method, **options(config))


def rope_variant(name: str, config: Config, length: int) -> PositionMethod:
    """RoPE as ``name`` has it when a model that was trained at ``config.length`` reads ``length`` tokens.

    - plain; window: plain as well, the window is the model's;
    - pi: positions divided by s = length / L (Chen et al. 2023, arXiv:2306.15595);
    - ntk: another base (bloc97 2023); dynamic_ntk: the same, for the length so far;
    - yarn: by parts, with its temperature (Peng et al. 2023, arXiv:2309.00071), see `YARN_BETA_FAST`;
    - rerope: distances stop at the window (Su 2023); logn, ntk_logn: queries times max(1, ln n / ln L).

    Raises: ValueError that lists the names; ValueError if ``length`` is below the training length.
    """
    one_of("variant", name, ("plain", *VARIANTS))
    if length < config.length:
        raise ValueError(f"length must be at least the training length {config.length}, got {length}")
    width, factor = _head_dim(config), length / config.length
    if name == "rerope":
        return build("rerope", head_dim=width, window=config.rerope_window)
    rope = build("rope", head_dim=width, scaling=_frequencies(name, width, factor, config.length))
    if name.endswith("logn"):
        from pe_course.nn.combine import Combined

        return Combined(rope, build("logn", train_length=config.length))
    return rope


def _frequencies(name: str, width: int, factor: float, trained: int):
    if factor == 1 or name in ("plain", "window", "logn"):
        return scaling.rope_scaling_default(width)
    if name == "pi":
        return scaling.rope_scaling_linear(width, factor=factor)
    if name == "yarn":
        return scaling.rope_scaling_yarn(
            width, factor=factor, original_max_position_embeddings=trained, beta_fast=YARN_BETA_FAST, beta_slow=1.0
        )
    return scaling.rope_scaling_ntk(width, factor=factor)
