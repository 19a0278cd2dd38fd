"""Shaw, Huang, Transformer-XL, XLNet, DeBERTa: layers rebuilt from the recorded weights."""

from __future__ import annotations

import numpy as np
from goldens.forms import Case, Form, assert_close

from pe_course.reference import relative

Arrays = dict[str, np.ndarray]
SCORES = 1e-6
SPACING = 2.0**-23
MASKED = -1e29


def _allowed_scores(q: np.ndarray, k: np.ndarray, term: np.ndarray | float, scale: float) -> float:
    """1e-6, or two float32 spacings of the largest sum of sizes, where q · k is large.

    One is for the sum itself, one for q and k, which were rounded before.
    """
    summed = np.abs(q) @ _transposed(np.abs(k)) + np.abs(term)
    return max(SCORES, 2 * SPACING * scale * float(summed.max()))


def _allowed_outputs(allowed_scores: float, v: np.ndarray, out: np.ndarray) -> float:
    """1e-6 up to size 2 and in proportion beyond; or what an error of the scores moves between the values."""
    moved = allowed_scores * float(np.abs(v).max()) / 3
    return max(SCORES * max(1.0, float(np.abs(out).max()) / 2), moved)


def _softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _linear(arrays: Arrays, layer: str, x: np.ndarray) -> np.ndarray:
    """A torch Linear [out, in]; a bias that was not recorded is none; an absent layer changes nothing."""
    if f"{layer}_weight" not in arrays:
        return x
    return x @ arrays[f"{layer}_weight"].T + arrays.get(f"{layer}_bias", 0.0)


def _split_heads(x: np.ndarray, heads: int) -> np.ndarray:
    """[..., L, H·D] to [..., H, L, D]"""
    return np.swapaxes(x.reshape(*x.shape[:-1], heads, -1), -2, -3)


def _merge_heads(x: np.ndarray) -> np.ndarray:
    """[..., H, L, D] to [..., L, H·D]"""
    x = np.swapaxes(x, -2, -3)
    return x.reshape(*x.shape[:-2], -1)


def _transposed(x: np.ndarray) -> np.ndarray:
    return np.swapaxes(x, -1, -2)


def _compare_recorded(
    arrays: Arrays, v: np.ndarray, allowed: float, scores: np.ndarray, probs: np.ndarray, out: np.ndarray
) -> None:
    """Whatever was recorded of an attention layer, under the names that the recordings have for it."""
    for name in ("scores", "logits"):
        if name in arrays:
            assert_close(name, scores, arrays[name], allowed)
    for name in ("probs", "weights"):
        if name in arrays:
            assert_close(name, probs, arrays[name], SCORES)
    if "out" in arrays:
        assert_close("out", out, arrays["out"], _allowed_outputs(allowed, v, arrays["out"]))


# Shaw, as in Tensor2Tensor: keys and values, query scaled before


def _t2t(case: Case, arrays: Arrays) -> None:
    q, k, v = arrays["q_scaled"], arrays["k"], arrays["v"]
    positions = (np.arange(k.shape[-2] - q.shape[-2], k.shape[-2]), np.arange(k.shape[-2]))
    clip = case.meta["max_relative_position"]
    if "index_matrix" in arrays:
        index = relative.relative_position_index(*positions, clip)
        np.testing.assert_array_equal(index, arrays["index_matrix"])
    term = relative.shaw_scores(q, arrays["rel_keys"], *positions)
    logits = q @ _transposed(k) + term
    weights = _softmax(logits)
    out = weights @ v
    if "rel_values" in arrays:
        out = out + relative.shaw_values(weights, arrays["rel_values"], *positions)
    _compare_recorded(arrays, v, _allowed_scores(q, k, term, 1.0), logits, weights, out)


# One table of distances in a whole layer: BERT (relative_key, relative_key_query) and SeamlessM4T-v2


def _layer_names(arrays: Arrays) -> dict[str, str]:
    long = "w_query_weight" in arrays
    return {
        "query": "w_query" if long else "w_linear_q",
        "key": "w_key" if long else "w_linear_k",
        "value": "w_value" if long else "w_linear_v",
        "out": "w_out" if long else "w_linear_out",
    }


def _distance_table_layer(case: Case, arrays: Arrays) -> None:
    heads, names, hidden = case.meta["num_heads"], _layer_names(arrays), arrays["hidden"]
    q, k, v = (_split_heads(_linear(arrays, names[part], hidden), heads) for part in ("query", "key", "value"))
    positions = (np.arange(hidden.shape[-2]),) * 2
    table = arrays["w_distance_embedding_weight"]
    if "left_max" in case.meta:
        assert len(table) == case.meta["left_max"] + case.meta["right_max"] + 1
        term = relative.shaw_scores(q, table, *positions, right_max_position=case.meta["right_max"])
    elif "relative_key_query" in case.function:
        term = relative.huang_scores(q, k, table, *positions, method=4, outside="raise")
    else:
        term = relative.shaw_scores(q, table, *positions, direction="query_minus_key", outside="raise")
    scale = 1 / np.sqrt(q.shape[-1])
    scores = (q @ _transposed(k) + term) * scale
    probs = _softmax(scores)
    out = _linear(arrays, names["out"], _merge_heads(probs @ v))
    _compare_recorded(arrays, v, _allowed_scores(q, k, term, scale), scores, probs, out)


# Transformer-XL


def _rel_shift(case: Case, arrays: Arrays) -> None:
    x, out = arrays["x"], arrays["out"]
    if not _lengths_are_last(case):
        x, out = (np.moveaxis(array, (0, 1), (-2, -1)) for array in (x, out))
    if x.shape != out.shape:  # XLNet: more distances than keys
        assert_close("xlnet_rel_shift", relative.xlnet_rel_shift(x, out.shape[-1]), out, 0.0)
        return
    q, k = x.shape[-2:]
    valid = np.tri(q, k, k - q, dtype=bool)
    shifted = relative.rel_shift(x)
    assert_close("rel_shift", np.where(valid, shifted, 0.0) if case.meta.get("zero_triu") else shifted, out, 0.0)
    assert_close("rel_shift_gather", relative.rel_shift_gather(x)[..., valid], out[..., valid], 0.0)


def _lengths_are_last(case: Case) -> bool:
    """[batch, heads, query, key] rather than [query, key, batch, heads]"""
    said = " ".join(str(case.meta.get(key, "")) for key in ("layout", "note", "convention")).replace(" ", "")
    return "bnij" in case.function or "[b,h,q,k]" in said or "[b,n,i,j]" in said


def _transformer_xl(case: Case, arrays: Arrays) -> None:
    w, heads = arrays["w"], case.meta["n_head"]
    cat = np.concatenate([arrays["mems"], w]) if "mems" in arrays else w
    length, memory = len(w), len(cat) - len(w)
    norm_first = bool(case.meta.get("pre_lnorm", False))
    qkv = np.moveaxis(_linear(arrays, "w_qkv_net", _layer_norm(arrays, cat) if norm_first else cat), 1, 0)
    q, k, v = (_split_heads(part, heads) for part in np.split(qkv, 3, axis=-1))
    q = q[..., memory:, :]
    weight = arrays["w_r_net_weight"]
    projection = weight.T.reshape(weight.shape[1], heads, -1)
    u, v_bias = arrays["r_w_bias"], arrays["r_r_bias"]
    positions = (np.arange(memory, memory + length), np.arange(memory + length))
    term = relative.transformer_xl_scores(
        q, k, projection, u, v_bias, *positions, clamp_len=_limit(case.meta.get("clamp_len"))
    )
    valid = np.tri(length, memory + length, memory, dtype=bool)
    if "pos_emb" in arrays:
        by_distance = np.einsum("bhid,rm,mhd->bhir", q + v_bias[:, None], arrays["pos_emb"], projection)
        shifted = np.einsum("hd,bhjd->bhj", u, k)[:, :, None] + relative.rel_shift(by_distance)
        assert_close("shift and gather", term[..., valid], shifted[..., valid], _allowed_scores(q, k, term, 1.0))
    scale = 1 / np.sqrt(q.shape[-1])
    scores = (q @ _transposed(k) + term) * scale
    allowed = _allowed_scores(q, k, term, scale)
    if "scores" in arrays:
        recorded = np.moveaxis(arrays["scores"], (0, 1), (-2, -1))
        kept = recorded > MASKED
        assert not (kept & ~valid).any(), "recorded scores see the future"
        if case.meta.get("same_length"):  # no query sees farther back than the first one does
            valid = kept
        assert (kept == valid).all(), "recorded scores are masked elsewhere"
        assert_close("scores", scores[kept], recorded[kept], allowed)
    if "out" in arrays:
        probs = _softmax(np.where(valid, scores, -np.inf))
        attended = w + _linear(arrays, "w_o_net", np.moveaxis(_merge_heads(probs @ v), 1, 0))
        out = attended if norm_first else _layer_norm(arrays, attended)
        assert_close("out", out, arrays["out"], _allowed_outputs(allowed, v, arrays["out"]))


def _layer_norm(arrays: Arrays, x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    normalised = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
    return normalised * arrays.get("w_layer_norm_weight", 1.0) + arrays.get("w_layer_norm_bias", 0.0)


def _limit(clamp_len: float | None) -> float | None:
    """Released configurations write −1 for no limit."""
    return None if clamp_len is None or clamp_len <= 0 else clamp_len


# XLNet


def _xlnet(case: Case, arrays: Arrays) -> None:
    q, k, v = (np.transpose(arrays[name], (1, 2, 0, 3)) for name in ("q", "k", "v"))
    length, keys = q.shape[-2], k.shape[-2]
    attn_type, projection = case.meta.get("attn_type", "bi"), arrays["r_proj"]
    u, v_bias, limit = arrays["r_w_bias"], arrays["r_r_bias"], _limit(case.meta.get("clamp_len"))
    positions = (np.arange(keys - length, keys), np.arange(keys))
    term = relative.xlnet_scores(q, k, projection, u, v_bias, *positions, attn_type=attn_type, clamp_len=limit)
    if "pos_emb" in arrays:
        shifted = _xlnet_by_shift(q, k, projection, u, v_bias, arrays["pos_emb"])
        valid = np.ones((length, keys), bool) if attn_type == "bi" else np.tri(length, keys, keys - length, dtype=bool)
        assert_close("shift and gather", term[..., valid], shifted[..., valid], _allowed_scores(q, k, term, 1.0))
        assert len(arrays["pos_emb"]) == len(relative.xlnet_relative_positions(length, keys, attn_type=attn_type))
        term = shifted  # with the released code's wrapped numbers, for a recording may lack a mask
    term, scale = term + _xlnet_segments(arrays, q), 1 / np.sqrt(q.shape[-1])
    scores, allowed = (q @ _transposed(k) + term) * scale, _allowed_scores(q, k, term, scale)
    hidden = np.moveaxis(arrays["attn_mask"], (0, 1), (-2, -1)) > 0 if "attn_mask" in arrays else np.zeros((), bool)
    if "scores" in arrays:
        hidden = hidden | (arrays["scores"] < MASKED)
        kept = np.broadcast_to(~hidden, scores.shape)
        assert_close("scores", scores[kept], arrays["scores"][kept], allowed)
    probs = _softmax(np.where(hidden, -np.inf, scores))
    if "probs_ijbn" in arrays:
        assert_close("probs", np.moveaxis(probs, (-2, -1), (0, 1)), arrays["probs_ijbn"], SCORES)
    if "out" in arrays:
        out = np.transpose(probs @ v, (2, 0, 1, 3))
        assert_close("out", out, arrays["out"], _allowed_outputs(allowed, v, arrays["out"]))


def _xlnet_by_shift(
    q: np.ndarray, k: np.ndarray, projection: np.ndarray, u: np.ndarray, v_bias: np.ndarray, pos_emb: np.ndarray
) -> np.ndarray:
    table = pos_emb if pos_emb.ndim == 2 else pos_emb[:, 0]
    by_distance = np.einsum("bhid,rm,mhd->bhir", q + v_bias[:, None], table, projection)
    return np.einsum("hd,bhjd->bhj", u, k)[:, :, None] + relative.xlnet_rel_shift(by_distance, k.shape[-2])


def _xlnet_segments(arrays: Arrays, q: np.ndarray) -> np.ndarray | float:
    """Rebuilds segment numbers from the recorded one-hot "differs" [q, k, b, 2], one query at a time."""
    if "seg_mat" not in arrays:
        return 0.0
    differs = np.transpose(arrays["seg_mat"][..., 1], (2, 0, 1)).astype(int)
    rows = [
        relative.xlnet_segment_scores(
            q[..., [i], :], arrays["r_s_bias"], arrays["seg_embed"], np.zeros((len(q), 1)), differs[:, i]
        )
        for i in range(q.shape[-2])
    ]
    return np.concatenate(rows, axis=-2)


# DeBERTa


def _log_buckets(case: Case, arrays: Arrays) -> None:
    in_float64 = "numpy" in case.meta.get("source", "")  # the original; the port to torch works in float32
    ours = relative.deberta_log_bucket(
        arrays["relative_position"],
        bucket_size=case.meta["bucket_size"],
        max_position=case.meta["max_position"],
        exact_boundaries=not in_float64,
    )
    np.testing.assert_array_equal(ours, arrays["bucket"])


def _deberta(case: Case, arrays: Arrays) -> None:
    meta, hidden, table = case.meta, arrays["hidden"], arrays["rel_embeddings"]
    heads, kinds = meta["num_heads"], meta["pos_att_type"]
    kinds = tuple(kinds.split("|")) if isinstance(kinds, str) else tuple(kinds)
    kinds = tuple(kind for kind in kinds if kind)
    q, k, v = (_split_heads(_linear(arrays, f"w_{part}_proj", hidden), heads) for part in ("query", "key", "value"))
    shared = meta.get("share_att_key", "w_pos_key_proj_weight" not in arrays)

    def project(part: str) -> np.ndarray:
        return _split_heads(_linear(arrays, f"w_{part}_proj" if shared else f"w_pos_{part}_proj", table), heads)

    tables = {}
    if "c2p" in kinds:
        tables["position_keys"] = project("key")
    if "p2c" in kinds:
        tables["position_queries"] = project("query")
    positions, buckets = (np.arange(hidden.shape[-2]),) * 2, meta.get("position_buckets", -1)
    term = np.zeros(())
    if tables:
        term = relative.deberta_scores(
            q,
            k,
            *positions,
            **tables,
            position_buckets=buckets if buckets > 0 else -1,
            max_relative_positions=meta["max_relative_positions"],
        )
    scale = relative.deberta_scale(q.shape[-1], kinds)
    scores = (q @ _transposed(k) + term) * scale
    probs = _softmax(scores)
    _compare_recorded(arrays, v, _allowed_scores(q, k, term, scale), scores, probs, _merge_heads(probs @ v))


def _has(*names: str):
    return lambda case: case.field_names >= set(names)


FORMS: list[Form] = [
    Form("shaw_keys_and_values", _has("q_scaled", "k", "v", "rel_keys"), _t2t),
    Form("distance_table_layer", _has("hidden", "w_distance_embedding_weight"), _distance_table_layer),
    Form("rel_shift", lambda case: "rel_shift" in case.function and case.field_names == {"x", "out"}, _rel_shift),
    Form("transformer_xl", _has("w", "w_qkv_net_weight", "w_r_net_weight", "r_w_bias", "r_r_bias"), _transformer_xl),
    Form("xlnet", _has("q", "k", "v", "r_proj", "r_w_bias", "r_r_bias"), _xlnet),
    Form(
        "deberta_log_bucket",
        lambda case: "log_bucket" in case.function and case.field_names == {"relative_position", "bucket"},
        _log_buckets,
    ),
    Form("deberta", _has("hidden", "rel_embeddings"), _deberta),
]
