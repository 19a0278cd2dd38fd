"""The frequencies that a model's ``config.json`` asks for, in the words of Hugging Face transformers 4 and 5."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pe_course.reference import rotary
from pe_course.reference import validation as check
from pe_course.reference.scaling._checks import FloatArray
from pe_course.reference.scaling.base import (
    rope_scaling_default,
    rope_scaling_dynamic,
    rope_scaling_linear,
    rope_scaling_ntk,
)
from pe_course.reference.scaling.by_parts import rope_scaling_llama3, rope_scaling_ntk_by_parts, rope_scaling_yarn
from pe_course.reference.scaling.per_pair import rope_scaling_longrope, rope_scaling_proportional

Config = Mapping[str, Any]


class RopeParameters(NamedTuple):
    """What a rotation needs, as `rope_parameters_from_config` finds it.

    ``inv_freq`` [rotary_dim/2] radians per position; ``attention_factor`` multiplies cos and sin; ``rope_type``
    the rule; ``head_dim`` channels per head, of which the first ``rotary_dim`` turn; ``base`` the ``rope_theta``
    before any scaling; ``follows_length``: the frequencies change with ``seq_len``, so that keys must not be
    cached after rotation.
    """

    inv_freq: FloatArray
    attention_factor: float
    rope_type: str
    head_dim: int
    rotary_dim: int
    base: float
    follows_length: bool


def rope_parameters_from_config(
    config: Config,
    *,
    layer_type: str | None = None,
    seq_len: int | None = None,
    default_theta: float | None = 10000.0,
) -> RopeParameters:
    """Frequencies and attention factor of a model from its configuration.

    Parameters
    ----------
    config : mapping
        The text part of a ``config.json``. Read are ``rope_parameters`` (transformers 5) or ``rope_scaling``
        (transformers 4), ``rope_theta``, ``partial_rotary_factor``, ``head_dim`` or ``hidden_size`` and
        ``num_attention_heads``, ``max_position_embeddings``, ``original_max_position_embeddings``; also
        ``qk_rope_head_dim``, which in DeepSeek's attention is the width that turns, ``rotary_dim``, which is it in
        MiniMax-M2, the wider global heads of Gemma 4 (``global_head_dim``, ``per_layer_config``), the bases of Gemma 3,
        ModernBERT and MiMo-V2 for their local layers (``rope_local_base_freq``, ``local_rope_theta``,
        ``swa_rope_theta``), other names of the width of a head (``kv_channels`` of JetMoe, ``attention_head_dim`` of
        Zamba2) and the older names of base and fraction (``rotary_emb_base``, ``rotary_pct``, ``rope_pct``).
        Everything else is passed over.
    layer_type : str or None
        Which layers, where they differ: "full_attention" or "sliding_attention" in Gemma 3, for example.
    seq_len : int or None
        Present length, for the types that follow it; None gives the frequencies of the trained length.
    default_theta : float or None
        The base of a config that names none, such as the first ones of Llama 2 and of YaRN: 10000, as most model
        classes of transformers fill in. A few fill in another (gpt-oss: 150000); None makes a missing base an error.

    Returns
    -------
    RopeParameters, a named tuple that begins with inv_freq and attention_factor.

    Raises
    ------
    TypeError, ValueError
        If the type is unknown; a key that it needs is missing or a key in ``rope_parameters`` is unknown to it;
        ``rope_parameters`` and ``rope_scaling`` disagree; the layers differ and ``layer_type`` names none of
        them, or their bases stand under names that are not read; or a value is refused by the
        ``rope_scaling_<type>`` function.

    Notes
    -----
    ``type`` is the older name of ``rope_type``; "su" means "longrope" and "mrope" means "default". Beyond the types
    of transformers there are "ntk", "ntk_by_parts" and "dynamic_qwen"; "dynamic" with ``alpha`` is the fixed factor
    of Hunyuan and vLLM.

    Transformers 5 takes ``factor`` as given and derives it from the two lengths only where it is missing; so does
    this function. Releases of transformers 4 put ``max_position_embeddings`` over
    ``original_max_position_embeddings`` in its place for YaRN. What a model class decides in code, such as which
    layers are scaled in OLMo 3, no configuration says.
    """
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a mapping of names to values, got {type(config).__name__}")
    if seq_len is not None:
        check.count("seq_len", seq_len)  # also where the type does not follow it
    field, given = _given_parameters(config, layer_type)
    rope_type, rule = _rope_type(field, given)
    _check_keys(field, rope_type, rule, given)
    base = _first(given, ("rope_theta",), _first(config, _BASE_KEYS, default_theta))
    if base is None:
        raise ValueError(f"config must contain 'rope_theta', in {field} or beside it{_nested_text_hint(config)}")
    if field in _FIELDS:
        _refuse_other_bases(config, base)
    share = _first(given, ("partial_rotary_factor",), _first(config, _SHARE_KEYS))
    head_dim = _head_dim(config, layer_type, share is not None)
    arguments = {name: given[name] for name in (*rule.required, *rule.optional) if given.get(name) is not None}
    arguments |= _lengths(config, given, rule, rope_type, seq_len)
    if rule.whole_head:
        rotary_dim = head_dim
        arguments["partial_rotary_factor"] = 1.0 if share is None else share
    elif share is None:
        rotary_dim = _turning_channels(config, head_dim)
    else:
        rotary_dim = rotary.partial_rotary_dim(head_dim, partial_rotary_factor=share)
    inv_freq, attention_factor = rule.function(rotary_dim, base=base, **arguments)
    follows_length = "seq_len" in rule.lengths and given.get("alpha") is None
    return RopeParameters(inv_freq, attention_factor, rope_type, head_dim, rotary_dim, float(base), follows_length)


# The types ----------------------------------------------------------------------------------------------------


def _dynamic(dim: int, *, factor: float | None = None, alpha: float | None = None, **rest) -> tuple[FloatArray, float]:
    if alpha is not None:
        return rope_scaling_dynamic(dim, variant="alpha", alpha=alpha, **rest)
    if factor is None:
        raise ValueError("rope type 'dynamic' needs the key 'factor' or 'alpha', got neither")
    return rope_scaling_dynamic(dim, variant="hf", factor=factor, **rest)


def _dynamic_qwen(dim: int, **rest) -> tuple[FloatArray, float]:
    return rope_scaling_dynamic(dim, variant="qwen", **rest)


def _yarn(
    dim: int, *, factor: float | None = None, max_position_embeddings: int | None = None, **rest
) -> tuple[FloatArray, float]:
    if factor is None:
        if max_position_embeddings is None or max_position_embeddings == rest["original_max_position_embeddings"]:
            raise ValueError(
                "rope type 'yarn' needs the key 'factor', or 'max_position_embeddings' and a smaller "
                "'original_max_position_embeddings' to derive it from"
            )
        factor = max_position_embeddings / rest["original_max_position_embeddings"]
    return rope_scaling_yarn(dim, factor=factor, **rest)


def _longrope(
    dim: int, *, short_mscale: float | None = None, long_mscale: float | None = None, **rest
) -> tuple[FloatArray, float]:
    if short_mscale is None and long_mscale is None:
        return rope_scaling_longrope(dim, **rest)
    if short_mscale is None or long_mscale is None:
        raise ValueError(f"short_mscale and long_mscale must be given together, got {short_mscale} and {long_mscale}")
    factors = [
        check.real_number(f"{name}_mscale", value, above=0)
        for name, value in (("short", short_mscale), ("long", long_mscale))
    ]
    inv_freq, _ = rope_scaling_longrope(dim, **{**rest, "attention_factor": 1.0})
    return inv_freq, factors[rest.get("seq_len", 0) > rest[_TRAINED]]


@dataclass(frozen=True)
class _Rule:
    """A rope type: its function, the keys it reads and those it tolerates, the lengths it takes from outside."""

    function: Callable[..., tuple[FloatArray, float]]
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    without_effect: tuple[str, ...] = ()
    whole_head: bool = False


_TRAINED = "original_max_position_embeddings"
_RAMP_KEYS = ("beta_fast", "beta_slow", "ramp", "truncate")

_RULES = {
    "default": _Rule(rope_scaling_default),
    "linear": _Rule(rope_scaling_linear, required=("factor",)),
    "ntk": _Rule(rope_scaling_ntk, required=("factor",)),
    "dynamic": _Rule(
        _dynamic,
        optional=("factor", "alpha"),
        lengths=("max_position_embeddings", "seq_len"),
        # Hunyuan lists them beside alpha; its code reads alpha alone.
        # Transformers allows a trained length here too, and reads max_position_embeddings alone.
        without_effect=("beta_fast", "beta_slow", "mscale", "mscale_all_dim", _TRAINED),
    ),
    "dynamic_qwen": _Rule(_dynamic_qwen, lengths=("max_position_embeddings", "seq_len")),
    "ntk_by_parts": _Rule(rope_scaling_ntk_by_parts, required=("factor",), optional=_RAMP_KEYS, lengths=(_TRAINED,)),
    "yarn": _Rule(
        _yarn,
        optional=("factor", *_RAMP_KEYS, "mscale", "mscale_all_dim", "attention_factor"),
        lengths=(_TRAINED, "max_position_embeddings"),
        without_effect=("finetuned", "max_position_embeddings"),
    ),
    "longrope": _Rule(
        _longrope,
        required=("short_factor", "long_factor"),
        # The last two are those of Phi-3.5-MoE, in the place of the formula: one factor on cos and sin per list.
        optional=("factor", "attention_factor", "short_mscale", "long_mscale"),
        lengths=(_TRAINED, "max_position_embeddings", "seq_len"),
    ),
    "llama3": _Rule(
        rope_scaling_llama3, required=("factor", "low_freq_factor", "high_freq_factor"), lengths=(_TRAINED,)
    ),
    "proportional": _Rule(rope_scaling_proportional, optional=("factor",), whole_head=True),
}

ROPE_TYPES = tuple(_RULES)
"""The values of ``rope_type`` that `rope_parameters_from_config` knows."""

_ALIASES = {"su": "longrope", "mrope": "default"}
_KEYS_OF_EVERY_TYPE = (
    "rope_type",
    "type",
    "rope_theta",
    "partial_rotary_factor",
    "mrope_section",  # which axis a pair follows: no matter of frequency
    "mrope_interleaved",
    "llama_4_scaling_beta",  # a scale of the query: `ministral_scale`
)
_FIELDS = ("rope_parameters", "rope_scaling")
_BASE_KEYS = ("rope_theta", "rotary_emb_base", "global_rope_theta")
_LOCAL_BASE_KEYS = ("rope_local_base_freq", "local_rope_theta", "swa_rope_theta")
_SHARE_KEYS = ("partial_rotary_factor", "rotary_pct", "rope_pct")
_LAYER_TYPES = ("full_attention", "sliding_attention")
_HEAD_KEYS = ("head_dim", "attention_head_dim", "kv_channels")  # Zamba2 has both, of which the first is meant


# Reading the configuration ------------------------------------------------------------------------------------


def _first(source: Config, keys: tuple[str, ...], otherwise: Any = None) -> Any:
    """The first of ``keys`` that ``source`` has a value for; null counts as absent."""
    return next((source[key] for key in keys if source.get(key) is not None), otherwise)


def _given_parameters(config: Config, layer_type: str | None) -> tuple[str, Config]:
    """The name of the field that holds the parameters, and the parameters of these layers."""
    filled = [name for name in _FIELDS if config.get(name)]
    if len(filled) == 2 and config["rope_parameters"] != config["rope_scaling"]:
        raise ValueError("config must not contain rope_parameters and rope_scaling that differ, got both")
    field = filled[0] if filled else "rope_parameters"
    given = config[field] if filled else {}
    if not isinstance(config.get("layer_types") or (), (list, tuple)):
        raise TypeError(f"layer_types must be a list of names, got {config['layer_types']!r}")
    if not isinstance(given, Mapping):
        raise TypeError(f"{field} must be a mapping of names to values, got {given!r}")
    by_layer = _parameters_by_layer(given, config.get("layer_types") or ())
    if by_layer:
        parameters = by_layer[_known_layer_type(layer_type, field, tuple(by_layer))]
        if parameters is None:
            raise ValueError(f"{field}[{layer_type!r}] is null: these layers have no RoPE")
        return f"{field}[{layer_type!r}]", parameters
    local_base = _first(config, _LOCAL_BASE_KEYS)
    if local_base is not None:
        # Transformers 4 scales the global layers and gives the local ones a base of their own.
        known = _known_layer_type(layer_type, "the base", ("full_attention", "sliding_attention"))
        return field, given if known == "full_attention" else {"rope_type": "default", "rope_theta": local_base}
    if layer_type is not None and layer_type not in (config.get("layer_types") or ()):
        raise ValueError(f"layer_type must be None because {field} is the same in all layers, got {layer_type!r}")
    return field, given


def _refuse_other_bases(config: Config, base: float) -> None:
    """Granite's layers and DeepSeek-V4's compressed ones may have bases that no `layer_type` names."""
    for name in ("layer_rope_theta", "compress_rope_theta"):
        told = config.get(name)
        bases = told if isinstance(told, (list, tuple)) else [told]
        if told is not None and any(other != base for other in bases):
            raise ValueError(
                f"{name} gives layers other bases than {base:g}, which is not read: pass a config with the rope_theta "
                f"and scaling of one layer; got {told}"
            )


def _parameters_by_layer(given: Config, layer_types: Collection[str]) -> dict[str, Config | None]:
    """What each kind of layers has, nothing where all have the same; what stands beside them is passed over.

    Layers without RoPE have null there.
    """
    mappings = [name for name, value in given.items() if isinstance(value, Mapping)]
    # A mapping among other keys may be a slip: it must be a kind of layers.
    if len(mappings) < len(given) and not set(mappings) & {*_LAYER_TYPES, *layer_types}:
        return {}
    return {
        name: value
        for name, value in given.items()
        if isinstance(value, Mapping) or (value is None and name in layer_types)
    }


def _known_layer_type(layer_type: str | None, what: str, known: tuple[str, ...]) -> str:
    if layer_type not in known:
        raise ValueError(
            f"layer_type must be one of {', '.join(map(repr, sorted(known)))} because {what} differs between "
            f"layers, got {layer_type!r}"
        )
    return layer_type


def _rope_type(field: str, given: Config) -> tuple[str, _Rule]:
    name = _first(given, ("rope_type", "type"), "default")
    name = _ALIASES.get(name, name) if isinstance(name, str) else name
    check.one_of(f"rope_type in {field}", name, ROPE_TYPES)
    return name, _RULES[name]


def _check_keys(field: str, rope_type: str, rule: _Rule, given: Config) -> None:
    missing = [key for key in rule.required if given.get(key) is None]
    if missing:
        raise ValueError(
            f"{field} of type {rope_type!r} must contain {', '.join(map(repr, missing))}, got the keys {sorted(given)}"
        )
    trained = (_TRAINED,) if _TRAINED in rule.lengths else ()
    known = {*_KEYS_OF_EVERY_TYPE, *rule.required, *rule.optional, *trained, *rule.without_effect}
    if given.get("mrope_section") is not None:
        known.add("interleaved")  # Qwen3-Omni's name for mrope_interleaved; elsewhere it could mean the layout
    unknown = sorted(set(given) - known)
    if unknown:
        raise ValueError(
            f"{field} of type {rope_type!r} must contain no other keys than {', '.join(sorted(known))}; "
            f"got {', '.join(map(repr, unknown))}"
        )


def _lengths(config: Config, given: Config, rule: _Rule, rope_type: str, seq_len: int | None) -> dict[str, int]:
    """The lengths that the type asks for.

    As in transformers a trained length beside ``rope_parameters`` wins over one inside (Phi-3 keeps it there), and
    without either it is ``max_position_embeddings``.
    """
    longest = config.get("max_position_embeddings")
    found = {
        "seq_len": seq_len,
        "max_position_embeddings": longest,
        _TRAINED: _first(config, (_TRAINED,), _first(given, (_TRAINED,), longest)),
    }
    needed = _TRAINED if _TRAINED in rule.lengths else "max_position_embeddings"
    if longest is not None and "max_position_embeddings" in rule.lengths:
        check.count("max_position_embeddings", longest)  # also where the formula ends up without it
    if needed in rule.lengths and found[needed] is None:
        raise ValueError(f"config must contain {needed!r} for rope type {rope_type!r}{_nested_text_hint(config)}")
    return {name: found[name] for name in rule.lengths if found[name] is not None}


def _head_dim(config: Config, layer_type: str | None, share_given: bool) -> int:
    """The width that the fraction applies to.

    DeepSeek's attention names the width that turns, which leaves no fraction to take; where one is given all the same
    (DeepSeek-V4, Mistral 4), it is a fraction of the whole head.
    """
    rotated = None if share_given and config.get("head_dim") is not None else config.get("qk_rope_head_dim")
    width = rotated if rotated is not None else _wider_head(config, layer_type) or _first(config, _HEAD_KEYS)
    if width is not None:
        return check.even_count("head_dim", width)
    hidden_size, heads = config.get("hidden_size"), config.get("num_attention_heads")
    if hidden_size is None or heads is None:
        raise ValueError(
            "config must contain 'head_dim', or 'hidden_size' and 'num_attention_heads'" + _nested_text_hint(config)
        )
    heads = check.count("num_attention_heads", heads)
    check.multiple_of(
        "hidden_size", check.count("hidden_size", hidden_size), heads, why="every head has the same width"
    )
    return check.even_count("head_dim (hidden_size / num_attention_heads)", hidden_size // heads)


def _turning_channels(config: Config, head_dim: int) -> int:
    """The number of channels that turn where no fraction says it."""
    channels = config.get("rotary_dim")
    if channels is None or config.get("qk_rope_head_dim") is not None:
        return head_dim
    check.no_more_than("rotary_dim", check.even_count("rotary_dim", channels), "the width of a head", head_dim)
    return int(channels)


def _wider_head(config: Config, layer_type: str | None) -> int | None:
    """Gemma 4 has wider heads in its global layers, under one name or the other."""
    if layer_type == "full_attention" and config.get("global_head_dim") is not None:
        return config["global_head_dim"]
    changes = _changes_by_layer(config.get("per_layer_config") or {})
    widths = (
        changes[index].get("head_dim")
        for index, kind in enumerate(config.get("layer_types") or ())
        if kind == layer_type and index in changes
    )
    return next(widths, None)


def _changes_by_layer(changes: Any) -> dict[int, Config]:
    if not isinstance(changes, Mapping) or not all(isinstance(layer, Mapping) for layer in changes.values()):
        raise TypeError(f"per_layer_config must map numbers of layers to mappings, got {changes!r}")
    try:
        return {int(index): layer for index, layer in changes.items()}
    except (TypeError, ValueError):
        raise ValueError(f"per_layer_config must have numbers of layers as its keys, got {list(changes)}") from None


def _nested_text_hint(config: Config) -> str:
    return "; it has a 'text_config': pass that" if isinstance(config.get("text_config"), Mapping) else ""
