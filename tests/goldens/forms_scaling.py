"""Comparisons of the family: RoPE frequencies for longer contexts, query scales, YaRN's temperature."""

from __future__ import annotations

import numpy as np
from goldens.forms import Case, Form, assert_close

from pe_course.reference import rotary, scaling

INV_FREQ = 7e-7  # relative; an exponent rounded to float32 costs up to 6.2e-7 at base 1e8
BLENDED = 2.0**-23  # of the trained frequency: what float32 loses of a share of it that nears 0
QUERY_SCALE = 1e-6  # recorded in float32
FACTOR = 1e-12  # recorded in float64

FROM_CONFIG = ("rope_parameters", "rope_scaling")


def assert_same_frequencies(ours: np.ndarray, recorded: np.ndarray, trained: np.ndarray | float = 0.0) -> None:
    """Relative difference; where a pair stands still, ours must be exactly 0.

    ``trained``: the frequencies that a share was taken of, where the rule blends two.
    """
    allowed = INV_FREQ * np.where(recorded == 0, 1.0, np.abs(recorded)) + BLENDED * trained
    assert_close("inv_freq, in units of its tolerance", ours / allowed, recorded / allowed, 1.0)


def compare_found(found: tuple, arrays: dict[str, np.ndarray], trained: np.ndarray | float = 0.0) -> None:
    assert_same_frequencies(found[0], arrays["inv_freq"], trained)
    if "attention_factor" in arrays:
        recorded = np.asarray(arrays["attention_factor"])
        assert_close("attention_factor", np.full(recorded.shape, found[1]), recorded, FACTOR)


# transformers: the recorded configuration goes through ours whole ---------------------------------------------


def has_config(case: Case) -> bool:
    recorded = set(case.field_names) - {"short_factor", "long_factor"}
    return recorded <= {"inv_freq", "attention_factor"} and any(name in case.meta for name in FROM_CONFIG)


def compare_config(case: Case, arrays: dict[str, np.ndarray]) -> None:
    config = {name: value for name, value in case.meta.items() if name != "fields"}
    field = next(name for name in FROM_CONFIG if name in config)
    lists = {name: list(arrays[name]) for name in ("short_factor", "long_factor") if name in arrays}
    config[field] = {**config[field], **lists}
    found = scaling.rope_parameters_from_config(
        config, layer_type=config.get("layer_type"), seq_len=config.get("seq_len")
    )
    blends = found.rope_type in ("yarn", "llama3")
    compare_found(found, arrays, rotary.rope_frequencies(found.rotary_dim, base=found.base) if blends else 0.0)


# The YaRN repository: one class per method --------------------------------------------------------------------


def _linear(meta: dict, factor: float) -> tuple:
    return scaling.rope_scaling_linear(meta["head_dim"], factor=factor, base=meta["base"])


def _ntk(meta: dict, factor: float) -> tuple:
    return scaling.rope_scaling_ntk(meta["head_dim"], factor=factor, base=meta["base"])


def _dynamic(meta: dict, factor: float) -> tuple:
    return scaling.rope_scaling_dynamic(
        meta["head_dim"],
        factor=factor,
        base=meta["base"],
        max_position_embeddings=meta["max_position_embeddings"],
        seq_len=meta.get("seq_len"),
    )


def _part_ntk(meta: dict, factor: float) -> tuple:
    return scaling.rope_scaling_part_ntk(
        meta["head_dim"],
        factor=factor,
        base=meta["base"],
        original_max_position_embeddings=meta["original_max_position_embeddings"],
    )


def _yarn(meta: dict, factor: float) -> tuple:
    """``extrapolation_factor`` takes that share of YaRN and the rest of plain interpolation."""
    optional = {name: meta[name] for name in ("beta_fast", "beta_slow") if name in meta}
    inv_freq, attention_factor = scaling.rope_scaling_yarn(
        meta["head_dim"],
        factor=factor,
        base=meta["base"],
        original_max_position_embeddings=meta["original_max_position_embeddings"],
        **optional,
    )
    share = meta.get("extrapolation_factor", 1)
    inv_freq = share * inv_freq + (1 - share) * _linear(meta, factor)[0]
    return inv_freq, attention_factor * meta.get("attn_factor", 1)


def _stretch(meta: dict) -> float:
    """How far the sequence goes beyond the trained length: what the dynamic classes scale by."""
    return max(1.0, meta["seq_len"] / meta["original_max_position_embeddings"])


CLASSES = {
    "LlamaLinearScaledRotaryEmbedding": lambda meta: _linear(meta, meta["scale"]),
    "LlamaNTKScaledRotaryEmbedding": lambda meta: _ntk(meta, meta["alpha"]),
    "LlamaDynamicScaledRotaryEmbedding": lambda meta: _dynamic(meta, meta["ntk"]),
    "LlamaPartNTKScaledRotaryEmbedding": lambda meta: _part_ntk(meta, meta["scale"]),
    "LlamaDynamicPartNTKScaledRotaryEmbedding": lambda meta: _part_ntk(meta, _stretch(meta)),
    "LlamaYaRNScaledRotaryEmbedding": lambda meta: _yarn(meta, meta["scale"]),
    "LlamaDynamicYaRNScaledRotaryEmbedding": lambda meta: _yarn(meta, _stretch(meta)),
}


def class_of(case: Case) -> str | None:
    return next((name for name in CLASSES if name in case.function), None)


def compare_class(case: Case, arrays: dict[str, np.ndarray]) -> None:
    meta = {"base": 10000.0, "original_max_position_embeddings": case.meta.get("max_position_embeddings"), **case.meta}
    inv_freq, attention_factor = CLASSES[class_of(case)](meta)
    if "Linear" in class_of(case) and arrays["inv_freq"][0] == 1:
        inv_freq = inv_freq * meta["scale"]  # this class divides its positions and leaves its frequencies
    compare_found((inv_freq, attention_factor), arrays)


# Scales of the query ------------------------------------------------------------------------------------------


TRAINED_LENGTH = (
    "train_length",
    "training_length",
    "original_max_position_embeddings",
    "max_position_embeddings",
    "seq_length",
)


def is_query_scale(case: Case) -> bool:
    return case.field_names == {"positions", "scale"}


def compare_query_scale(case: Case, arrays: dict[str, np.ndarray]) -> None:
    meta = case.meta
    length = next((meta[name] for name in TRAINED_LENGTH if name in meta), None)
    if "beta" in meta:
        ours = scaling.ministral_scale(arrays["positions"], meta["beta"], length)
    elif "floor_scale" in meta or "attn_scale" in meta:
        options = {name: meta[name] for name in ("attn_scale", "floor_scale") if name in meta}
        ours = scaling.llama4_temperature(arrays["positions"], **options)
    else:
        ours = scaling.logn_scale(arrays["positions"], length, clip=bool(meta.get("clip", True)))
    assert_close("query scale", ours, arrays["scale"], QUERY_SCALE)


# The temperature of YaRN: field "m0707" holds the values for mscale 0.707 -------------------------------------


def is_temperature(case: Case) -> bool:
    others = case.field_names - {"scale"}
    return "scale" in case.field_names and bool(others) and all(_mscale(name, case) is not None for name in others)


def _mscale(name: str, case: Case) -> float | None:
    if name == "mscale":
        return float(case.meta.get("mscale", 1.0))
    digits = name[1:]
    return float(f"{digits[0]}.{digits[1:]}") if name[:1] == "m" and digits.isdecimal() else None


def compare_temperature(case: Case, arrays: dict[str, np.ndarray]) -> None:
    for name in case.field_names - {"scale"}:
        ours = [scaling.yarn_mscale(float(factor), _mscale(name, case)) for factor in arrays["scale"].flat]
        assert_close(f"mscale {_mscale(name, case)}", np.reshape(ours, arrays["scale"].shape), arrays[name], FACTOR)


FORMS: list[Form] = [
    Form("rope_config", has_config, compare_config),
    Form("yarn_repository", lambda case: class_of(case) is not None, compare_class),
    Form("query_scale", is_query_scale, compare_query_scale),
    Form("yarn_temperature", is_temperature, compare_temperature),
]
