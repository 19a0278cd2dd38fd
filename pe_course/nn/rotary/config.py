"""RoPE by the words of a model's ``config.json``, and by the name of its rule."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pe_course.nn.registry import register
from pe_course.nn.rotary.multimodal import INTERLEAVED_KEYS, MRope
from pe_course.nn.rotary.rope import FrequencyPair, RotaryEmbedding
from pe_course.reference import scaling
from pe_course.reference import validation as check

RULE_NAMES = {
    "rope_linear": "linear",
    "rope_ntk": "ntk",
    "rope_dynamic": "dynamic",
    "rope_ntk_by_parts": "ntk_by_parts",
    "rope_yarn": "yarn",
    "rope_llama3": "llama3",
    "rope_longrope": "longrope",
    "p_rope": "proportional",
}
"""Names for `pe_course.nn.build` and the ``rope_type`` each stands for."""


def rope_from_config(
    config: Mapping[str, Any],
    *,
    layer_type: str | None = None,
    layout: str | None = None,
    default_theta: float | None = 10000.0,
) -> RotaryEmbedding:
    """The rotation that a Hugging Face configuration asks for.

    Parameters
    ----------
    config : mapping
        The text part of a ``config.json``, with ``rope_parameters`` (transformers 5) or ``rope_scaling`` and
        ``rope_theta`` (transformers 4); which keys are read says
        `pe_course.reference.scaling.rope_parameters_from_config`.
    layer_type : str or None
        Which layers, where they differ: "full_attention" or "sliding_attention" in Gemma 3, for example.
    layout : "half", "interleaved" or None
        None asks ``rope_interleave``, which DeepSeek-V3 and its relatives have in transformers 5, and is "half" where
        that is missing. No other configuration tells it: GPT-J, GLM, Cohere, Llama 4 and the first files of DeepSeek
        are interleaved, most others half.
    default_theta : float or None
        The base of a configuration that names none; None makes that an error.

    Returns
    -------
    RotaryEmbedding, or its subclass MRope where ``mrope_section`` is given (positions then have three coordinates).

    Raises
    ------
    TypeError, ValueError
        As `pe_course.reference.scaling.rope_parameters_from_config`.

    Notes
    -----
    With ``qk_rope_head_dim`` this is DeepSeek's attention: the last channels of a head of ``qk_nope_head_dim`` +
    ``qk_rope_head_dim`` turn, and under YaRN the scale of the scores takes the square of the temperature that
    ``mscale_all_dim`` names (`pe_course.reference.scaling.yarn_softmax_scale_factor`). Other model classes with the
    same parameters (Ministral 3) leave the scale alone.

    A scale of the query is no part of the rotation: combine ``llama_4_scaling_beta`` of Ministral 3 with
    `pe_course.nn.MinistralScaling` by `pe_course.nn.Combined`.
    """
    found = scaling.rope_parameters_from_config(config, layer_type=layer_type, default_theta=default_theta)
    parameters = _parameters_of_layer(config, layer_type)
    head_dim, start = _head(config, found)
    rule = partial(_at_length, dict(config), layer_type, default_theta)
    options = {
        "base": found.base,
        "layout": _layout(config) if layout is None else layout,
        "scaling": rule if found.follows_length else rule(None),
        "softmax_factor": _softmax_factor(config, parameters, found.rope_type),
        "rotary_start": start,
    }
    section = parameters.get("mrope_section")
    if section is not None:
        return MRope(head_dim, section, interleaved=_deals_in_turn(parameters), **options)
    return RotaryEmbedding(head_dim, **options)


def _at_length(
    config: Mapping[str, Any], layer_type: str | None, default_theta: float | None, seq_len: int | None
) -> FrequencyPair:
    found = scaling.rope_parameters_from_config(
        config, layer_type=layer_type, seq_len=seq_len, default_theta=default_theta
    )
    return found.inv_freq, found.attention_factor


def _deals_in_turn(parameters: Mapping[str, Any]) -> bool:
    """Under the name of Qwen3-VL, or that of Qwen3-Omni, whose files may have both."""
    told = [check.flag(name, parameters[name]) for name in INTERLEAVED_KEYS if parameters.get(name) is not None]
    return bool(told) and told[0]


def _layout(config: Mapping[str, Any]) -> str:
    told = config.get("rope_interleave")
    return "interleaved" if told is not None and check.flag("rope_interleave", told) else "half"


def _head(config: Mapping[str, Any], found: scaling.RopeParameters) -> tuple[int, int]:
    """The width of a head and its first channel that turns."""
    if not config.get("qk_rope_head_dim"):
        return found.head_dim, 0
    unrotated = config.get("qk_nope_head_dim")
    head_dim = found.head_dim
    if unrotated is not None:
        head_dim = check.count("qk_nope_head_dim", unrotated, minimum=0) + config["qk_rope_head_dim"]
    return head_dim, head_dim - found.rotary_dim


def _parameters_of_layer(config: Mapping[str, Any], layer_type: str | None) -> Mapping[str, Any]:
    field = config.get("rope_parameters") or config.get("rope_scaling") or {}
    of_layer = field.get(layer_type)
    return of_layer if isinstance(of_layer, Mapping) else field


def _softmax_factor(config: Mapping[str, Any], parameters: Mapping[str, Any], rope_type: str) -> float:
    temperature = parameters.get("mscale_all_dim")
    if not config.get("qk_rope_head_dim") or not temperature or rope_type != "yarn":
        return 1.0
    if parameters.get("factor") is None:
        raise ValueError("rope type 'yarn' with 'mscale_all_dim' needs the key 'factor' for the scale of the scores")
    return scaling.yarn_softmax_scale_factor(parameters["factor"], mscale_all_dim=temperature)


def _named_rule(rope_type: str) -> Callable[..., RotaryEmbedding]:
    own = set(inspect.signature(RotaryEmbedding.__init__).parameters) - {"self", "head_dim", "scaling"}

    def build_rope(head_dim: int, **options) -> RotaryEmbedding:
        parameters = {name: value for name, value in options.items() if name not in own}
        for name in {"rope_type", "type"} & set(parameters):
            raise TypeError(
                f"{name} is {rope_type!r} by the name of the method and must not be given, got {parameters[name]!r}"
            )
        rest = {name: value for name, value in options.items() if name in own}
        return RotaryEmbedding(head_dim, scaling={"rope_type": rope_type, **parameters}, **rest)

    return build_rope


for _name, _rope_type in RULE_NAMES.items():
    register(_name)(_named_rule(_rope_type))
