"""Comparisons of the additive biases. Tolerances: tables of buckets exact, slopes 1e-7, biases 1e-6, Sandwich 1e-5."""

import re

import numpy as np
from goldens.forms import Case, Form, assert_close

from pe_course.reference import bias

SLOPES = 1e-7
BIASES = 1e-6
SANDWICH = 1e-5


def _function(case: Case) -> str:
    return case.function.lower()


def _steps(length: int) -> np.ndarray:
    return np.arange(length)


def _last(queries: int, keys: int) -> np.ndarray:
    """Positions of the queries when they are the last of the keys."""
    return np.arange(keys - queries, keys)


def _close_bias(what: str, ours: np.ndarray, theirs: np.ndarray, tolerance: float = BIASES) -> None:
    """Recorded with or without a batch axis of 1; a large float32 value is known to its own spacing only."""
    theirs = theirs.reshape(theirs.shape[-ours.ndim :]) if theirs.ndim > ours.ndim else theirs
    spacing = float(np.spacing(np.float32(np.abs(theirs).max())))
    assert_close(what, ours, theirs, max(tolerance, spacing))


def _layers(arrays: dict[str, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """The recorded Linear layers of a network, in order."""
    stems = [name.removesuffix("weight") for name in arrays if name.startswith("mlp_") and name.endswith("_weight")]
    stems.sort(key=lambda stem: [int(number) for number in re.findall(r"\d+", stem)])
    return [(arrays[f"{stem}weight"], arrays.get(f"{stem}bias")) for stem in stems]


# ALiBi -----------------------------------------------------------------------------------------------------


def _is_alibi_slopes(case: Case) -> bool:
    return "alibi" in _function(case) and all(name.endswith("_slopes") for name in case.field_names)


def _compare_alibi_slopes(case: Case, arrays: dict[str, np.ndarray]) -> None:
    largest = float(case.meta.get("alibi_bias_max", 8))
    for name, theirs in arrays.items():
        rule = "geometric" if "plain" in name else "official"
        exponent = 8.0 if name.startswith("bloom") else largest
        ours = bias.alibi_slopes(int(theirs.size), alibi_bias_max=exponent, rule=rule)
        assert_close(name, ours, theirs.reshape(-1), SLOPES)


def _is_alibi_by_key(case: Case) -> bool:
    return "alibi" in _function(case) and "alibi" in case.field_names


def _compare_alibi_by_key(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["alibi"]
    if "attention_mask" in arrays:
        _compare_bloom(theirs, arrays["attention_mask"])
        return
    theirs = theirs.reshape(theirs.shape[-3:])
    heads, _, keys = theirs.shape
    slopes = bias.alibi_slopes(heads, alibi_bias_max=float(case.meta.get("alibi_bias_max", 8)))
    _close_bias("MPT", bias.alibi_bias([keys - 1], _steps(keys), slopes), theirs)


def _compare_bloom(theirs: np.ndarray, mask: np.ndarray) -> None:
    """Positions count real tokens, so that left padding shifts nothing; padded keys get 0."""
    batch, keys = mask.shape
    heads = theirs.size // (batch * keys)
    positions = (np.cumsum(mask, axis=-1) - 1) * mask
    ours = bias.alibi_bias(np.zeros((batch, 1)), positions, bias.alibi_slopes(heads), form="key_only")
    _close_bias("BLOOM", ours.reshape(batch * heads, 1, keys), theirs.reshape(batch * heads, 1, keys))


def _is_alibi_symmetric(case: Case) -> bool:
    return "alibipositionalbias" in _function(case) and "bias" in case.field_names


def _compare_alibi_symmetric(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["bias"]
    total = theirs.shape[-3]
    heads = arrays["slopes"].size if "slopes" in arrays else int(case.meta.get("heads", total))
    slopes = bias.alibi_slopes(heads)
    if "slopes" in arrays:
        assert_close("slopes", slopes, arrays["slopes"].reshape(-1), SLOPES)
    slopes = np.pad(slopes, (0, total - heads))
    query = arrays.get("pos", arrays.get("pos_i"))
    if query is None:
        query, key = _last(*theirs.shape[-2:]), _steps(theirs.shape[-1])
    else:
        key = arrays.get("pos_j", arrays.get("pos_k", query))
    _close_bias("symmetric ALiBi", bias.alibi_bias(query, key, slopes, form="symmetric"), theirs)


# T5 --------------------------------------------------------------------------------------------------------


def _t5_options(case: Case) -> dict:
    bidirectional = bool(case.meta.get("bidirectional", not case.meta.get("causal", False)))
    return {"bidirectional": bidirectional, "max_distance": int(case.meta.get("max_distance", 128))}


def _is_t5_bucket(case: Case) -> bool:
    return "relative_position_bucket" in _function(case) and {"relative_position", "bucket"} <= case.field_names


def _compare_t5_bucket(case: Case, arrays: dict[str, np.ndarray]) -> None:
    buckets = int(case.meta.get("num_buckets", 32))
    ours = bias.t5_relative_position_bucket(arrays["relative_position"], num_buckets=buckets, **_t5_options(case))
    assert_close("bucket", ours, arrays["bucket"], 0)


def _is_t5_bias(case: Case) -> bool:
    named = "compute_bias" in _function(case) or "relativepositionbias" in _function(case)
    return named and {"weight", "bias"} <= case.field_names


def _compare_t5_bias(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["bias"]
    queries, keys = theirs.shape[-2:]
    query = _steps(queries) + int(case.meta.get("query_offset", 0))
    ours = bias.t5_bias(arrays["weight"], query, _steps(keys), **_t5_options(case))
    _close_bias("T5 bias", ours * float(case.meta.get("scale", 1.0)), theirs)


# KERPLE, Sandwich, FIRE ------------------------------------------------------------------------------------


def _is_kerple(case: Case) -> bool:
    return "kerple" in _function(case) and {"scores_in", "scores_out"} <= case.field_names


def _compare_kerple(case: Case, arrays: dict[str, np.ndarray]) -> None:
    scores = arrays["scores_in"]
    queries, keys = scores.shape[-2:]
    distance = np.maximum(_last(queries, keys)[:, None] - _steps(keys)[None, :], 0)
    clamp = float(case.meta.get("eps", 0.01))
    ones = np.ones(scores.shape[-3])

    def raw(name: str) -> np.ndarray:
        """One parameter per head; an option that the recorded call lacked acts as 1."""
        return arrays[f"raw_{name}"].reshape(-1) if f"raw_{name}" in arrays else ones

    kind = str(case.meta.get("kind", "log" if "log" in _function(case) else "power"))
    if "raw_bias_a" not in arrays and "raw_bias_p" not in arrays:
        added = 0.0
    elif kind == "log":
        added = bias.kerple_log(distance, raw("bias_p"), raw("bias_a"), minimum=clamp)
    else:
        added = bias.kerple_power(distance, raw("bias_a"), raw("bias_p"), minimum=clamp)
    weighted = "raw_wei_a" in arrays or "raw_wei_p" in arrays
    weight = bias.kerple_weight(distance, raw("wei_a"), raw("wei_p"), minimum=clamp) if weighted else 1.0
    _close_bias("scores", scores * weight + added, arrays["scores_out"])


def _is_nemo_kerple(case: Case) -> bool:
    return "kerple" in _function(case) and {"kerple_a", "kerple_b", "kerple_p", "bias"} <= case.field_names


def _compare_nemo_kerple(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["bias"]
    queries, keys = theirs.shape[-2:]
    distance = _steps(queries)[:, None] - _steps(keys)[None, :]
    if not case.meta.get("bidirectional", False):
        distance = np.maximum(distance, 0)
    a, b, p = (arrays[f"kerple_{letter}"].reshape(-1) for letter in "abp")
    _close_bias("NeMo KERPLE", bias.kerple_three_parameter(distance, a, b, p), theirs)


def _is_sandwich(case: Case) -> bool:
    return "sandwich" in _function(case) and "bias" in case.field_names


def _compare_sandwich(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["bias"]
    heads, queries, keys = theirs.shape[-3:]
    from_zero = "generate_sandwich_bias" in _function(case) or "index_start_0" in case.meta.get("variant", "")
    ours = bias.sandwich_bias(
        _steps(queries),
        _steps(keys),
        int(case.meta.get("num_attention_heads", heads)),
        dim=int(case.meta["hidden_size"]),
        index_start=0 if from_zero else 1,
        subtract_constant=not from_zero,
        bidirectional=bool(case.meta.get("bidirectional", True)),
    )
    _close_bias("Sandwich", ours, theirs, SANDWICH)


def _is_fire(case: Case) -> bool:
    return "fire" in _function(case) and "bias" in case.field_names and "init_L" in case.meta


def _compare_fire(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["bias"]
    queries, keys = theirs.shape[-2:]
    ours = bias.fire_bias(
        _last(queries, keys),
        _steps(keys),
        _layers(arrays),
        c=float(case.meta["c"]),
        threshold=abs(float(case.meta.get("L_multiplier", 1.0)) * float(case.meta["init_L"])),
        eps=float(case.meta.get("eps", 1e-6)),
    )
    _close_bias("FIRE", ours, theirs)


# Continuous ------------------------------------------------------------------------------------------------


def _is_dynamic_position_bias(case: Case) -> bool:
    return "dynamicpositionbias" in _function(case) and "bias" in case.field_names


def _compare_dynamic_position_bias(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["bias"]
    queries, keys = theirs.shape[-2:]
    distance = _last(queries, keys)[:, None] - _steps(keys)[None, :]
    logarithmic = bool(case.meta.get("log_distance", False))
    _close_bias("MLP bias", bias.mlp_distance_bias(distance, _layers(arrays), log_distance=logarithmic), theirs)


def _is_swin(case: Case) -> bool:
    return {"coords_table", "bias"} <= case.field_names


def _compare_swin(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs, table = arrays["bias"], arrays["coords_table"]
    table = table.reshape(table.shape[-3:])
    rows, columns = ((steps + 1) // 2 for steps in table.shape[:2])
    pretrained = np.asarray(case.meta.get("pretrained_window", 0))
    window = np.where(pretrained > 0, pretrained, case.meta["window"])
    offsets = np.stack(np.meshgrid(np.arange(1 - rows, rows), np.arange(1 - columns, columns), indexing="ij"), -1)
    assert_close("coordinates", bias.swin_log_coordinates(offsets, window), table, BIASES)
    tokens = np.stack(np.meshgrid(_steps(rows), _steps(columns), indexing="ij"), -1).reshape(-1, 2)
    _close_bias("Swin bias", bias.swin_log_bias(tokens, tokens, window, _layers(arrays)), theirs)


# With content ----------------------------------------------------------------------------------------------


def _is_cope_layer(case: Case) -> bool:
    return {"q", "k", "v", "pos_emb", "attn", "out"} <= case.field_names and "npos" in case.meta


def _compare_cope_layer(case: Case, arrays: dict[str, np.ndarray]) -> None:
    q, v = arrays["q"], arrays["v"]
    gate_keys = v if case.meta.get("val_gates", False) else arrays.get("key_gate", arrays["k"])
    separate = case.meta.get("sep_key", False) or case.meta.get("val_gates", False)
    keys = arrays["k"] if separate else gate_keys
    mask = np.tri(q.shape[-2], keys.shape[-2], keys.shape[-2] - q.shape[-2], dtype=bool)
    table = np.swapaxes(arrays["pos_emb"].reshape(arrays["pos_emb"].shape[-2:]), 0, 1)
    logits = bias.cope_logits(q, keys, table, mask, nodiv=bool(case.meta.get("nodiv", False)), gate_keys=gate_keys)
    weights = np.where(mask, np.exp(logits - logits.max(-1, keepdims=True)), 0.0)
    weights /= weights.sum(-1, keepdims=True)
    assert_close("probabilities", weights, arrays["attn"], BIASES)
    _close_bias("output", weights @ v, arrays["out"])


def _is_cope_bias(case: Case) -> bool:
    return {"q", "attn_logits", "pos_emb", "cope_bias"} <= case.field_names


def _compare_cope_bias(case: Case, arrays: dict[str, np.ndarray]) -> None:
    logits, table = arrays["attn_logits"], arrays["pos_emb"]
    mask = logits > -1e30
    positions = bias.cope_positions(np.where(mask, logits, 0.0), mask, npos=len(table))
    _close_bias("CoPE", bias.cope_bias(arrays["q"], positions, table), arrays["cope_bias"])


def _is_forgetting(case: Case) -> bool:
    return {"x", "w_to_forget_gates_0_weight", "bias"} <= case.field_names and bool(case.meta.get("causal", True))


def _compare_forgetting(case: Case, arrays: dict[str, np.ndarray]) -> None:
    logits = arrays["x"] @ arrays["w_to_forget_gates_0_weight"].T
    logits = logits + arrays.get("w_to_forget_gates_0_bias", 0.0)
    _close_bias("forgetting gates", bias.forgetting_gate_bias(np.swapaxes(logits, -1, -2)), arrays["bias"])


FORMS: list[Form] = [
    Form("alibi_slopes", _is_alibi_slopes, _compare_alibi_slopes),
    Form("alibi_by_key", _is_alibi_by_key, _compare_alibi_by_key),
    Form("alibi_symmetric", _is_alibi_symmetric, _compare_alibi_symmetric),
    Form("t5_bucket", _is_t5_bucket, _compare_t5_bucket),
    Form("kerple", _is_kerple, _compare_kerple),
    Form("kerple_three_parameter", _is_nemo_kerple, _compare_nemo_kerple),
    Form("sandwich", _is_sandwich, _compare_sandwich),
    Form("fire", _is_fire, _compare_fire),
    Form("dynamic_position_bias", _is_dynamic_position_bias, _compare_dynamic_position_bias),
    Form("swin_log_bias", _is_swin, _compare_swin),
    Form("t5_bias", _is_t5_bias, _compare_t5_bias),
    Form("cope_layer", _is_cope_layer, _compare_cope_layer),
    Form("cope_bias", _is_cope_bias, _compare_cope_bias),
    Form("forgetting", _is_forgetting, _compare_forgetting),
]
