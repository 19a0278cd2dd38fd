"""Comparisons of what is added at the input: sinusoids, grids, learned tables and the rows they are read at."""

from __future__ import annotations

import numpy as np
from goldens.forms import Case, Form, assert_close

from pe_course.reference import absolute, positions

FLOAT32_ANGLE = 1e-7  # peers form the angle in float32: error per position

# What each function writes: column order, and whether its last frequency is 1/base.
KINDS = {
    "_create_sinusoidal_embeddings": ("interleaved", False),
    "MarianSinusoidalPositionalEmbedding": ("concat", False),
    "ScaledSinusoidalEmbedding": ("concat", False),
    "get_timing_signal_1d": ("concat", True),
    "get_embedding": ("concat", True),
    "sinusoids": ("concat", True),
}


def _first(case: Case, *names: str, default=None):
    """The first of these hyper-parameters that the case states, on its own or among ``kwargs``."""
    stated = {**case.meta.get("kwargs", {}), **case.meta}
    return next((stated[name] for name in names if stated.get(name) is not None), default)


def _kind(case: Case) -> tuple[str, bool]:
    known = KINDS.get(case.function.rsplit(".", 1)[-1])
    described = f"{case.meta.get('layout', '')} {case.meta.get('note', '')}".lower()
    return known or ("concat" if "concat" in described else "interleaved", "d/2-1" in described)


def _is_grid(case: Case) -> bool:
    return "torch_encodings.PositionalEncoding" in case.function


def _is_sinusoidal(case: Case) -> bool:
    name = case.function.lower()
    return case.field_names == {"pe"} and ("sinus" in name or "timing_signal" in name) and not _is_grid(case)


def _compare_sinusoidal(case: Case, arrays: dict[str, np.ndarray]) -> None:
    recorded = arrays["pe"].reshape(-1, arrays["pe"].shape[-1])
    rows, dim = recorded.shape
    start = _first(case, "start_index", "offset", "first_position", default=0)
    slowest = _first(case, "max_timescale", "base", "theta", "max_wavelength", default=10000.0)
    fastest = _first(case, "min_timescale", default=1.0)
    layout, endpoint = _kind(case)
    where = fastest * np.arange(start, start + rows)
    ours = np.zeros_like(recorded)  # peers fill the last column of an odd width with zeros
    even = dim - dim % 2
    ours[:, :even] = absolute.sinusoidal_positions(
        where, even, base=slowest / fastest, layout=layout, endpoint=endpoint
    )
    if "get_embedding" in case.function and _first(case, "padding_idx") is not None:
        ours[_first(case, "padding_idx")] = 0
    if "Scaled" in case.function:
        ours *= _first(case, "scale", default=dim**-0.5)
    smallest = 2e-6 if "timing_signal" in case.function else 1e-6
    assert_close("pe", ours, recorded, max(smallest, FLOAT32_ANGLE * (start + rows)))


def _compare_grid(case: Case, arrays: dict[str, np.ndarray]) -> None:
    recorded = np.moveaxis(arrays["pe"], 1, -1) if "Permute" in case.function else arrays["pe"]
    sizes, dim = recorded.shape[1:-1], recorded.shape[-1]
    coordinates = np.moveaxis(np.indices(sizes), 0, -1)
    ours = absolute.sinusoidal_grid(coordinates, dim)
    assert_close("pe", np.broadcast_to(ours, recorded.shape), recorded, max(1e-6, FLOAT32_ANGLE * max(sizes)))


def _rows(case: Case, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Rows of the position table that the model reads for its ``input_ids``."""
    if "position_ids" in arrays:
        return arrays["position_ids"]
    if "roberta" in case.function.lower():
        return positions.roberta_positions(arrays["input_ids"], _padding_idx(case))
    seen = _first(case, "past_length", "past_key_values_length", "offset", default=0)
    return positions.decode_positions(seen, arrays["input_ids"].shape[-1])


def _padding_idx(case: Case) -> int:
    return _first(case, "padding_idx", "pad_token_id", "pad", default=1)


def _layer_norm(x: np.ndarray, eps: float) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)


def _compare_gpt(case: Case, arrays: dict[str, np.ndarray]) -> None:
    tokens = arrays["wte"][arrays["input_ids"]]
    assert_close(
        "hidden", tokens + absolute.learned_positions(_rows(case, arrays), arrays["wpe"]), arrays["hidden"], 1e-6
    )


def _compare_bert(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """Word + token type + position, then LayerNorm: eps 1e-12 in BERT, 1e-5 in RoBERTa."""
    ours = arrays["word"][arrays["input_ids"]] + absolute.learned_positions(_rows(case, arrays), arrays["position"])
    if "token_type" in arrays:
        ours = ours + arrays["token_type"][arrays.get("token_type_ids", np.zeros_like(arrays["input_ids"]))]
    if "pre_layernorm" in arrays:
        assert_close("pre_layernorm", ours, arrays["pre_layernorm"], 1e-6)
    if "out" in arrays:
        usual = 1e-5 if "roberta" in case.function.lower() else 1e-12
        ours = _layer_norm(ours, _first(case, "layer_norm_eps", "eps", default=usual))
        assert_close("out", ours, arrays["out"], 1e-6)


def _compare_opt(case: Case, arrays: dict[str, np.ndarray]) -> None:
    rows = positions.opt_positions(arrays["attention_mask"])[:, _first(case, "past_key_values_length", default=0) :]
    assert_close("out", absolute.learned_positions(rows, arrays["weight"]), arrays["out"], 1e-6)


def _compare_roberta_rows(case: Case, arrays: dict[str, np.ndarray]) -> None:
    ours = positions.roberta_positions(arrays["input_ids"], _padding_idx(case))
    assert_close("position_ids", ours, arrays["position_ids"], 0)


def _is_roberta_rows(case: Case) -> bool:
    name = case.function.lower()
    known = "roberta" in name or "position_ids_from_input_ids" in name or "make_positions" in name
    return known and case.field_names == {"input_ids", "position_ids"}


FORMS: list[Form] = [
    Form("sinusoidal_grid", lambda case: case.field_names == {"pe"} and _is_grid(case), _compare_grid),
    Form("sinusoidal", _is_sinusoidal, _compare_sinusoidal),
    Form("learned_gpt", lambda case: {"wte", "wpe", "input_ids", "hidden"} <= case.field_names, _compare_gpt),
    Form("learned_bert", lambda case: {"word", "position", "input_ids"} <= case.field_names, _compare_bert),
    Form(
        "learned_opt",
        lambda case: "OPT" in case.function and case.field_names == {"attention_mask", "weight", "out"},
        _compare_opt,
    ),
    Form("roberta_rows", _is_roberta_rows, _compare_roberta_rows),
]
