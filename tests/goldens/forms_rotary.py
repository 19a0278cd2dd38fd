"""Comparisons of the rotary family.

Libraries form the angle in float32, so their error grows with the position. A row at position p is compared
to 5e-7 or 1e-7 · |p|, whichever is larger; the latter times the length of the pair that was rotated, where that
is above 1, because it multiplies the error of the angle. Frequencies agree to 7e-7 of their size: an exponent
rounded to float32 costs that much at a base of 1e8.
"""

from __future__ import annotations

import numpy as np
from goldens.forms import Case, Form, assert_close

from pe_course.reference import attention, rotary, scaling

ROTATION = 5e-7
PER_POSITION = 1e-7
FREQUENCY = 7e-7


# --- what the manifest says -------------------------------------------------------------------------------------------


def options(case: Case) -> dict:
    """Hyper-parameters, those of nested dictionaries included."""
    return {**case.meta, **case.meta.get("kwargs", {}), **case.meta.get("rope_parameters", {})}


def base_of(case: Case, default: float = 10000.0) -> float:
    found = options(case)
    return float(next((found[key] for key in ("rope_theta", "theta", "base") if found.get(key) is not None), default))


def interleaved_by_layout(case: Case) -> bool:
    return "interleaved" in str(case.meta.get("layout", ""))


def tokens_before_heads(case: Case) -> bool:
    """x [b, L, h, d] rather than [b, h, L, d]"""
    layout = str(case.meta.get("layout", "")).replace(" ", "")
    said = any(shape in layout for shape in ("[b,seq,heads,d]", "[b,s,h,d]", "[b,L,h,d]"))
    return said or bool(options(case).get("seq_before_head_dim"))


def rotary_dim_of(case: Case, head_dim: int) -> int:
    found = options(case)
    if found.get("partial_rotary_factor") is not None:
        return rotary.partial_rotary_dim(head_dim, partial_rotary_factor=found["partial_rotary_factor"])
    return int(found.get("rotary_dim") or found.get("dim") or head_dim)


def frequencies_of(case: Case, head_dim: int, positions: np.ndarray) -> tuple[np.ndarray, float]:
    """inv_freq and the factor of cos and sin, stretched for long contexts where the case says so."""
    found = options(case)
    if str(found.get("rope_type", "default")) not in ("default", "axial", "mrope"):
        field = next(name for name in ("rope_parameters", "rope_scaling") if name in case.meta)
        config = {"head_dim": head_dim, "rope_theta": base_of(case), **case.meta}
        config[field] = {"rope_theta": base_of(case), **config[field]}
        return scaling.rope_parameters_from_config(config, seq_len=int(np.max(positions)) + 1)[:2]
    dim = rotary_dim_of(case, head_dim)
    if found.get("freqs_for") == "pixel":
        return rotary.axial_frequencies(dim, 1, variant="pixel", max_freq=float(found.get("max_freq", 10)))[0], 1.0
    stretch = float(next((found[key] for key in ("theta_rescale_factor", "base_rescale_factor") if key in found), 1))
    if stretch != 1:
        return scaling.rope_scaling_ntk(dim, factor=stretch, base=base_of(case))
    return rotary.rope_frequencies(dim, base=base_of(case)), 1.0


# --- comparing rows, each with the tolerance of its position ----------------------------------------------------------


def assert_rows(
    what: str, ours: np.ndarray, theirs: np.ndarray, positions: np.ndarray, size: np.ndarray | float = 1.0
) -> None:
    """Rows [..., L, columns] agree, each within the tolerance of its position [L] or [B, L].

    ``size``, a number or one per entry: what the library's cosines and sines were multiplied with.
    """
    reach = np.abs(np.asarray(positions, float))[..., None]
    if reach.ndim == 3 and theirs.ndim == 4:
        reach = reach[:, None]
    allowed = np.maximum(ROTATION, PER_POSITION * reach * np.maximum(1.0, size))
    assert ours.shape == theirs.shape, f"{what}: our shape {ours.shape}, recorded {theirs.shape}"
    assert_close(f"{what}, in units of its tolerance", ours / allowed, theirs / allowed, 1.0)


def pair_lengths(x: np.ndarray, rotary_dim: int, layout: str) -> np.ndarray:
    """The length of the pair that each channel turns in; a channel that passes unchanged has its own size."""
    sizes = np.abs(x)
    first, second = rotary.pair_channels(rotary_dim, layout)
    sizes[..., first] = sizes[..., second] = np.hypot(x[..., first], x[..., second])
    return sizes


def assert_frequencies(what: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    scale = np.where(ours == 0, 1.0, ours)
    assert_close(f"{what}, relative", ours / scale, theirs / scale, FREQUENCY)


def assert_tables(arrays: dict[str, np.ndarray], cos: np.ndarray, sin: np.ndarray, positions: np.ndarray) -> None:
    """The recorded tables, where there are any: one column per pair, or each twice, in blocks or side by side."""
    for name, ours in (("cos", cos), ("sin", sin)):
        if name not in arrays:
            continue
        theirs = arrays[name]
        if theirs.shape[-1] == 2 * ours.shape[-1]:
            side_by_side = np.array_equal(theirs[..., ::2], theirs[..., 1::2])
            ours = np.repeat(ours, 2, axis=-1) if side_by_side else np.concatenate([ours, ours], axis=-1)
        assert_rows(name, ours, theirs, positions)


def rotate_recorded(
    arrays: dict[str, np.ndarray], cos: np.ndarray, sin: np.ndarray, positions: np.ndarray, layout: str, axis: int = -2
) -> None:
    """Every recorded pair ``x``, ``x_rot``; the tokens run along ``axis``."""
    compared = 0
    for name in ("q", "k"):
        if f"{name}_rot" not in arrays:
            continue
        x, theirs = (np.moveaxis(arrays[field], axis, -2) for field in (name, f"{name}_rot"))
        size = pair_lengths(x, 2 * cos.shape[-1], layout)
        assert_rows(f"{name}_rot", rotary.apply_rotary(x, cos, sin, layout=layout), theirs, positions, size)
        if layout == "interleaved":
            assert_rows(f"{name}_rot, complex", rotary.apply_rotary_complex(x, cos, sin), theirs, positions, size)
        compared += 1
    assert compared, "the case records no rotated vectors"


# --- one-dimensional RoPE ---------------------------------------------------------------------------------------------


def compare_hugging_face(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """x [b, h, L, d], position_ids [b, L]; whole heads or their first channels, either layout."""
    positions = arrays["position_ids"]
    inv_freq, factor = frequencies_of(case, arrays["q"].shape[-1], positions)
    if "inv_freq" in arrays:
        assert_frequencies("inv_freq", inv_freq, arrays["inv_freq"])
    cos, sin = rotary.rope_cos_sin(positions, inv_freq, attention_factor=factor)
    layout = "interleaved" if interleaved_by_layout(case) else "half"
    assert_tables(arrays, cos, sin, positions)
    if "rotary_pos_emb_interleave" in case.function:  # DeepSeek turns pairs and writes halves
        theirs = {name: x for name, x in arrays.items() if name.endswith("_rot")}
        arrays = arrays | {name: rotary.half_to_interleaved(x) for name, x in theirs.items()}
        layout = "interleaved"
    rotate_recorded(arrays, cos, sin, positions, layout, axis=1 if tokens_before_heads(case) else -2)


def compare_tokens_first(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """x [b, L, h, d], interleaved: GPT-J, Llama 4, torchtune."""
    first = int(case.meta.get("first_position", case.meta.get("offset", 0)))
    positions = arrays.get("position_ids", first + np.arange(arrays["q"].shape[1]))
    inv_freq, factor = frequencies_of(case, arrays["q"].shape[-1], positions)
    cos, sin = rotary.rope_cos_sin(positions, inv_freq, attention_factor=factor)
    recorded = {new: arrays[old] for new, old in TABLE_NAMES.items() if old in arrays} | arrays
    assert_tables(recorded, *at_least_batch(cos, sin), np.atleast_2d(positions))
    rotate_recorded(arrays, cos, sin, positions, "interleaved", axis=1)


TABLE_NAMES = {"cos": "freqs_cis_real", "sin": "freqs_cis_imag"}


def at_least_batch(*tables: np.ndarray) -> tuple[np.ndarray, ...]:
    return tuple(table if table.ndim == 3 else table[None] for table in tables)


def compare_rotary_embedding_torch(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """x [b, h, L, d] or [b, L, h, d], interleaved; positions divided by a factor, or a base raised by one."""
    found, axis = options(case), 1 if tokens_before_heads(case) else -2
    positions = int(found.get("offset", 0)) + np.arange(arrays["q"].shape[axis])
    inv_freq, _ = frequencies_of(case, arrays["q"].shape[-1], positions)
    for name in ("freqs", "inv_freq"):
        if name in arrays:
            assert_frequencies(name, inv_freq, arrays[name])
    divisor = next((found[key] for key in ("interpolate_factor", "interpolation_factor") if key in found), 1)
    cos, sin = rotary.rope_cos_sin(positions / float(divisor), inv_freq)
    # Frequencies of pixels are far above 1: the angle, not the position, is what float32 rounds.
    rotate_recorded(arrays, cos, sin, positions * max(1.0, inv_freq.max()), "interleaved", axis)


def compare_permutation(case: Case, arrays: dict[str, np.ndarray]) -> None:
    to = "half" if "to_hf" in case.function else "interleaved"
    ours = rotary.permute_projection(arrays["weight"], int(case.meta["n_heads"]), to=to)
    assert_close("permuted", ours, arrays["permuted"], 0.0)


# --- several coordinates per token ------------------------------------------------------------------------------------


def compare_axial_half(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """cos, sin [tokens, d] of a vision tower, columns repeated for the half layout."""
    dim = arrays["cos"].shape[-1]
    variant = next(name for word, name in VISION_TOWERS.items() if word in case.function.lower())
    base = base_of(case, default=100.0 if variant == "dinov3" else 10000.0)
    points = grid_points(case, arrays, variant)
    if "inv_freq" in arrays and arrays["inv_freq"].ndim == 1 and variant != "dinov3":
        frequencies = rotary.axial_frequencies(dim, 2, variant=variant, base=base)
        shared = arrays["inv_freq"].size < frequencies.size  # Qwen2-VL has the same for rows and columns
        assert_frequencies("inv_freq", frequencies[0] if shared else frequencies.reshape(-1), arrays["inv_freq"])
    angles = rotary.axial_angles(points, dim, variant=variant, base=base)
    reach = np.abs(points).max(axis=-1) * (2 * np.pi if variant == "dinov3" else 1)
    angles = angles.reshape(*arrays["cos"].shape[:-1], -1)
    reach = reach.reshape(arrays["cos"].shape[:-1])
    assert_tables(arrays, np.cos(angles), np.sin(angles), reach)


VISION_TOWERS = {"pixtral": "pixtral", "dinov3": "dinov3", "qwen": "qwen2_vl"}


def grid_points(case: Case, arrays: dict[str, np.ndarray], variant: str) -> np.ndarray:
    """(row, column) of each token: recorded, counted through a square grid, or made from the grid's size."""
    if "position_ids" not in arrays:
        return rotary.grid_coordinates(case.meta["grid"], kind="centres" if variant == "dinov3" else "index")
    recorded = arrays["position_ids"]
    if variant == "pixtral" and recorded.shape[-1:] != (2,):
        side = int(case.meta["image_size"]) // int(case.meta["patch_size"])
        return np.stack([recorded // side, recorded % side], axis=-1)
    return recorded


def compare_axial_interleaved(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """rotary-embedding-torch on a grid: freqs [*grid, channels], each angle twice; q [b, h, *grid, d]."""
    found, grid = options(case), case.meta["grid"]
    variant = str(found.get("freqs_for", "lang"))
    dim = int(found.get("dim_per_axis") or found.get("dim")) * len(grid)
    base = None if variant == "pixel" else base_of(case)
    points = rotary.grid_coordinates(grid, kind="ends" if variant == "pixel" else "index")
    points = points + np.asarray(found.get("offsets") or np.zeros(len(grid)))
    angles = rotary.axial_angles(points, dim, variant=variant, base=base, max_freq=float(found.get("max_freq", 10)))
    if "freqs" in arrays:
        recorded = arrays["freqs"].reshape(-1, arrays["freqs"].shape[-1])
        assert_rows("freqs", np.repeat(angles, 2, axis=-1), recorded, np.abs(angles).max(axis=-1))
    if "q_rot" in arrays:
        flat = {name: flat_grid(arrays[name], len(grid)) for name in arrays if name[0] in "qk"}
        rotate_recorded(flat, np.cos(angles), np.sin(angles), np.abs(angles).max(axis=-1), "interleaved")


def flat_grid(x: np.ndarray, num_axes: int) -> np.ndarray:
    """[b, h, *grid, d] -> [b, h, tokens, d]."""
    return x.reshape(*x.shape[: -num_axes - 1], -1, x.shape[-1])


def compare_mrope(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """position_ids [3, b, L]; contiguous sections in Qwen2-VL, interleaved ones in Qwen3-VL, other pairs in GLM-4V."""
    found, positions = options(case), arrays["position_ids"]
    dealt = bool(found.get("mrope_interleaved", found.get("interleaved", "qwen3" in case.function.lower())))
    inv_freq, factor = frequencies_of(case, arrays["q"].shape[-1], positions)
    cos, sin = rotary.mrope_cos_sin(positions, inv_freq, found["mrope_section"], interleaved=dealt)
    cos, sin = factor * cos, factor * sin
    neighbours = interleaved_by_layout(case) and "half" not in case.meta["layout"]
    assert_tables(arrays, cos, sin, positions.max(axis=0))
    rotate_recorded(arrays, cos, sin, positions.max(axis=0), "interleaved" if neighbours else "half")


# --- decay and clamped distances --------------------------------------------------------------------------------------


def compare_xpos(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """Queries are the last of the keys' positions; the centre is half the length, rounded as the library does."""
    found = options(case)
    length, queries = arrays["k"].shape[-2], arrays["q"].shape[-2]
    centre = -(-length // 2) if "xpos_relative_position" in case.function else length // 2
    scale_base = float(found.get("scale_base", 512))
    dim = int(found.get("dim") or arrays["k"].shape[-1])
    keys = np.arange(length)
    shared = {"base": base_of(case), "rotary_dim": dim, "scale_base": scale_base, "centre": centre}
    q = rotary.apply_xpos(arrays["q"], keys[-queries:], role="query", layout="interleaved", **shared)
    k = rotary.apply_xpos(arrays["k"], keys, role="key", layout="interleaved", **shared)
    zeta = rotary.xpos_zeta(dim)
    if "zeta" in arrays:
        assert_close("zeta", zeta, arrays["zeta"], FREQUENCY)
    if "scale" in arrays:
        scales = rotary.xpos_scales(keys, zeta, scale_base=scale_base, centre=centre)
        assert_close("scale", scales, arrays["scale"].reshape(scales.shape), FREQUENCY)
    for name, ours, positions in (("q", q, keys[-queries:]), ("k", k, keys)):
        if f"{name}_out" in arrays:
            # A decaying scale of up to ζ^(−centre / scale_base) multiplies what was rotated.
            size = pair_lengths(ours, dim, "interleaved")
            assert_rows(f"{name}_out", ours, arrays[f"{name}_out"], positions, size)
    assert_close("scores", q @ np.swapaxes(k, -1, -2), arrays["scores"], 5e-6)


def compare_rerope(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """A whole attention layer with log-n scaled queries: probabilities and output before the output projection."""
    heads, length = int(case.meta["num_heads"]), arrays["hidden"].shape[-2]
    groups = heads // int(case.meta.get("num_kv_heads", heads))
    positions = arrays["position_ids"].reshape(-1)[-length:] if "position_ids" in arrays else np.arange(length)
    q = project(arrays["hidden"], arrays["w_q"], heads)
    k, v = (np.repeat(project(arrays["hidden"], arrays[w], heads // groups), groups, axis=1) for w in ("w_k", "w_v"))
    q = q * scaling.logn_scale(positions, int(case.meta["training_length"]))[:, None]
    shared = {"window": int(case.meta["window"]), "base": base_of(case), "layout": "half"}
    if "leaky" in case.function:
        factor = float(case.meta.get("scaling_factor", case.meta.get("leaky_k", 16)))
        scores = rotary.leaky_rerope_scores(q, k, positions, positions, leaky_factor=factor, **shared)
    else:
        scores = rotary.rerope_scores(q, k, positions, positions, **shared)
    probabilities = attention.softmax(scores / np.sqrt(q.shape[-1]), mask=attention.causal_mask(length))
    assert_close("attn", probabilities, arrays["attn"], 1e-6)
    out = np.moveaxis(probabilities @ v, 1, 2).reshape(*arrays["hidden"].shape[:-1], -1)
    out = out @ arrays["w_o"].T if "w_o" in arrays else out
    assert_close("out", out, arrays["out"], 1e-6 * max(1.0, np.abs(arrays["out"]).max()))


def project(hidden: np.ndarray, weight: np.ndarray, heads: int) -> np.ndarray:
    """[b, L, D] -> [b, heads, L, head_dim]."""
    projected = hidden @ weight.T
    return np.moveaxis(projected.reshape(*hidden.shape[:-1], heads, -1), -2, 1)


# --- which case is which ----------------------------------------------------------------------------------------------


def names(*words: str):
    """Recognises a function whose name holds one of ``words``, in any case."""
    return lambda case: any(word in case.function.lower() for word in words)


def has(case: Case, *fields: str) -> bool:
    return case.field_names >= set(fields)


is_xpos = names("xpos")
is_rerope = names("rerope")
is_permutation = names("_permute", "permute")
is_tokens_first = names("gptj", "llama4", "torchtune", "rotarypositionalembeddings", "scaledrope")
is_rotary_embedding_torch = names("rotate_queries_or_keys", "forward_from_seq_len")
is_axial_grid = names("get_axial_freqs")
is_vision_tower = names("visionrotary", "pixtral", "dinov3")

FORMS: list[Form] = [
    Form("xpos", lambda c: is_xpos(c) and has(c, "q", "k", "scores"), compare_xpos),
    Form("rerope", lambda c: is_rerope(c) and has(c, "hidden", "w_q", "w_k", "w_v", "attn", "out"), compare_rerope),
    Form("permutation", lambda c: is_permutation(c) and has(c, "weight", "permuted"), compare_permutation),
    Form("axial_interleaved", lambda c: is_axial_grid(c) and "grid" in c.meta, compare_axial_interleaved),
    Form("axial_half", lambda c: is_vision_tower(c) and has(c, "cos", "sin"), compare_axial_half),
    Form("mrope", lambda c: "mrope_section" in options(c) and has(c, "position_ids", "q"), compare_mrope),
    Form("tokens_first", lambda c: is_tokens_first(c) and has(c, "q", "q_rot"), compare_tokens_first),
    Form(
        "rotary_embedding_torch",
        lambda c: is_rotary_embedding_torch(c) and has(c, "q_rot"),
        compare_rotary_embedding_torch,
    ),
    Form(
        "hugging_face",
        lambda c: "apply_rotary_pos_emb" in c.function and has(c, "q", "q_rot", "position_ids"),
        compare_hugging_face,
    ),
]
