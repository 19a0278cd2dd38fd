"""Comparisons of the additive biases. Tolerances: tables of buckets exact, slopes 1e-7, biases 1e-6, Sandwich 1e-5."""

import re

import numpy as np
from goldens.forms import Case, Form, assert_close

from pe_course.reference import bias

SLOPES = 1e-7
BIASES = 1e-6
SANDWICH = 1e-5
MASKED = -1e4  # the largest number of float16 is 65504


def _function(case: Case) -> str:
    return case.function.lower()


def _steps(length: int) -> np.ndarray:
    return np.arange(length)


def _last(queries: int, keys: int) -> np.ndarray:
    """Positions of the queries when they are the last of the keys."""
    return np.arange(keys - queries, keys)


def _close_bias(what: str, ours: np.ndarray, theirs: np.ndarray, tolerance: float = BIASES) -> None:
    """Recorded with or without a batch axis of 1; a large value is known to two float32 spacings only.

    A function, a product and a sum round to half a spacing each, and power functions to a whole one.
    """
    theirs = theirs.reshape(theirs.shape[-ours.ndim :]) if theirs.ndim > ours.ndim else theirs
    spacing = float(np.spacing(np.float32(np.abs(theirs).max())))
    assert_close(what, ours, theirs, max(tolerance, 2 * spacing))


def _network(arrays: dict[str, np.ndarray]) -> tuple[list[tuple], list[tuple] | None]:
    """The recorded Linear layers of a network in order, and its LayerNorms: (scale, shift) or None where it has none.

    A LayerNorm is a weight with one axis, or what x-transformers' own class calls gamma.
    """
    stems = {name.rpartition("_")[0] for name in arrays if name.startswith("mlp_")}
    layers, norms = [], []
    for stem in sorted(stems, key=lambda stem: [int(number) for number in re.findall(r"\d+", stem)]):
        weight = arrays.get(f"{stem}_weight", arrays.get(f"{stem}_gamma"))
        (layers if weight.ndim == 2 else norms).append((weight, arrays.get(f"{stem}_bias", arrays.get(f"{stem}_beta"))))
    return layers, norms or None


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


ALIBI_HEADS = ("num_attention_heads_alibi", "heads", "num_attention_heads")


def _is_alibi_symmetric(case: Case) -> bool:
    """x-transformers and NeMo, whose causal form keeps the row of the last query."""
    return "alibi" in _function(case) and "bias" in case.field_names and "x" not in case.field_names


def _compare_alibi_symmetric(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["bias"]
    total = theirs.shape[-3]
    stated = next((case.meta[name] for name in ALIBI_HEADS if case.meta.get(name)), total)
    heads = arrays["slopes"].size if "slopes" in arrays else int(stated)
    rule = "geometric" if "plain" in str(case.meta.get("variant", "")) else "official"
    slopes = np.asarray(case.meta.get("slopes") or bias.alibi_slopes(heads, rule=rule), dtype=float)
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
    named = ("compute_bias", "relativepositionbias", "relativepositionembedding")
    return any(name in _function(case) for name in named) and {"weight", "bias"} <= case.field_names


def _compare_t5_bias(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["bias"]
    queries, keys = theirs.shape[-2:]
    # x-transformers takes (i, j) and means the last i of j positions; the others count from 0 or from an offset.
    first = keys - queries if _function(case).endswith("forward(i,j)") else 0
    offsets = ("query_offset", "step", "past_seen_tokens", "offset")
    query = _steps(queries) + int(next((case.meta[name] for name in offsets if name in case.meta), first))
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
    distance = _nemo_distance(queries, keys, bidirectional=bool(case.meta.get("bidirectional", False)))
    a, b, p = (arrays[f"kerple_{letter}"].reshape(-1) for letter in "abp")
    _close_bias("NeMo KERPLE", bias.kerple_three_parameter(distance, a, b, p), theirs)


def _nemo_distance(queries: int, keys: int, *, bidirectional: bool) -> np.ndarray:
    """The last queries among the keys; the causal form cuts the corner as if the queries were the first."""
    distance = np.abs(_last(queries, keys)[:, None] - _steps(keys)[None, :])
    return distance if bidirectional else np.tril(distance)


def _is_sandwich(case: Case) -> bool:
    return "sandwich" in _function(case) and "bias" in case.field_names


def _compare_sandwich(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["bias"]
    heads, queries, keys = theirs.shape[-3:]
    from_zero = "generate_sandwich_bias" in _function(case) or "index_start_0" in case.meta.get("variant", "")
    bidirectional = bool(case.meta.get("bidirectional", True))
    options = {
        "dim": int(case.meta.get("hidden_size", case.meta.get("d_bar", 128))),
        "index_start": 0 if from_zero else 1,
        "subtract_constant": not from_zero,
    }
    heads = int(case.meta.get("num_attention_heads", heads))
    if queries == keys:
        ours = bias.sandwich_bias(_steps(queries), _steps(keys), heads, bidirectional=bidirectional, **options)
    else:
        distance = _nemo_distance(queries, keys, bidirectional=bidirectional)
        ours = bias.sandwich_head_scales(heads)[:, None, None] * bias.sandwich_kernel(distance, **options)
    _close_bias("Sandwich", ours, theirs, SANDWICH)


def _is_fire(case: Case) -> bool:
    return "fire" in _function(case) and "bias" in case.field_names and "init_L" in case.meta


def _compare_fire(case: Case, arrays: dict[str, np.ndarray]) -> None:
    theirs = arrays["bias"]
    queries, keys = theirs.shape[-2:]
    ours = bias.fire_bias(
        _last(queries, keys),
        _steps(keys),
        _network(arrays)[0],
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
    layers, norms = _network(arrays)
    logarithmic = bool(case.meta.get("log_distance", False))
    ours = bias.mlp_distance_bias(distance, layers, log_distance=logarithmic, norms=norms)
    allowed = np.maximum(BIASES, _network_rounding(distance, layers, logarithmic) if norms is None else 0.0)
    assert_close("MLP bias, in units of its tolerance", ours / allowed, theirs.reshape(ours.shape) / allowed, 1.0)


def _network_rounding(distance: np.ndarray, layers: list[tuple], logarithmic: bool) -> np.ndarray:
    """What float32 can lose on its way through the network, [H, *distance.shape].

    A layer rounds by a spacing of the sizes that it sums, and carries on the errors of the layers before it.
    A network of plain distances sums numbers far larger than its result, which 1e-6 would not allow for.
    """
    size = np.abs(np.log1p(np.abs(distance)) if logarithmic else distance)[None]
    error = np.zeros_like(size)
    for depth, (weight, shift) in enumerate(layers, start=1):
        summed = np.tensordot(np.abs(weight), size, 1) + (0 if shift is None else np.abs(shift)[:, None, None])
        error = np.tensordot(np.abs(weight), error, 1) + 2.0**-23 * summed
        size = np.abs(bias.mlp_distance_bias(distance, layers[:depth], log_distance=logarithmic))
    return error


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
    _close_bias("Swin bias", bias.swin_log_bias(tokens, tokens, window, _network(arrays)[0]), theirs)


# With content ----------------------------------------------------------------------------------------------


def _is_cope_layer(case: Case) -> bool:
    return {"q", "k", "v", "pos_emb", "attn", "out"} <= case.field_names


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
    mask = logits > MASKED
    logits = np.where(mask, logits, 0.0)
    if "w_talking_heads_weight" in arrays:  # heads are mixed before they become gates, and the mask is causal
        mixing = arrays["w_talking_heads_weight"][..., 0, 0]
        logits = np.einsum("gh,...hij->...gij", mixing, logits)
    positions = bias.cope_positions(logits, mask, npos=len(table))
    # Counts round to half a spacing, and the bias goes from row to row as steeply as q · e does.
    steepest = np.abs(np.diff(arrays["q"] @ table.T, axis=-1)).max(initial=0.0)
    allowed = max(BIASES, 2.0**-24 * positions.max() * steepest)
    _close_bias("CoPE", bias.cope_bias(arrays["q"], positions, table), arrays["cope_bias"], allowed)


def _is_forgetting(case: Case) -> bool:
    return {"x", "w_to_forget_gates_0_weight", "bias"} <= case.field_names


def _compare_forgetting(case: Case, arrays: dict[str, np.ndarray]) -> None:
    logits = arrays["x"] @ arrays["w_to_forget_gates_0_weight"].T + arrays.get("w_to_forget_gates_0_bias", 0.0)
    scale = float(case.meta.get("post_log_scale", 1.0))
    if "perrow" in _function(case):
        ours = _forgetting_of_each_query(case, logits, arrays["bias"].shape[-3])
        _close_bias("forgetting gates", scale * ours, np.tril(arrays["bias"]))
        return
    logits = np.swapaxes(logits, -1, -2)
    future = None
    if not case.meta.get("causal", True):
        logits, future = np.split(logits, 2, axis=-2)
    _close_bias(
        "forgetting gates", scale * bias.forgetting_gate_bias(logits, future_gate_logits=future), arrays["bias"]
    )


def _forgetting_of_each_query(case: Case, projected: np.ndarray, heads: int) -> np.ndarray:
    """Gates that each query sets for every token: the token's own gate counts, the query's does not."""
    q, k = np.moveaxis(projected.reshape(*projected.shape[:-1], 2, heads, -1), (-3, -2), (0, -3))
    gates = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    rows = [
        bias.forgetting_gate_bias(np.roll(gates[..., i, :], 1, axis=-1), query_indices=[i])[..., 0, :]
        for i in range(gates.shape[-1])
    ]
    return np.tril(np.stack(rows, axis=-2))


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
