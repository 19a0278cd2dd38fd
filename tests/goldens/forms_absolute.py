"""Comparisons of what is added at the input: sinusoids, grids, learned tables and the rows they are read at."""

from __future__ import annotations

import numpy as np
from goldens.forms import Case, Form, assert_close

from pe_course.reference import absolute, positions

FLOAT32_ANGLE = 1e-7  # peers form the angle in float32: error per position

SEEN = ("past_key_values_length", "cache_length", "past_length", "offset")
PADDING = ("padding_idx", "pad_token_id", "pad")

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
    return "torch_encodings" in case.function and "PositionalEncoding" in case.function


def _is_sinusoidal(case: Case) -> bool:
    return "pe" in case.field_names and case.field_names <= {"pe", "positions", "position_ids"} and not _is_grid(case)


def _compare_sinusoidal(case: Case, arrays: dict[str, np.ndarray]) -> None:
    recorded = arrays["pe"]
    rows, dim = recorded.shape[-2:]
    start = _first(case, "start_index", "offset", "first_position", default=0)
    slowest = _first(case, "max_timescale", "base", "theta", "max_wavelength", default=10000.0)
    fastest = _first(case, "min_timescale", default=1.0)
    where = arrays.get("positions", arrays.get("position_ids", np.arange(start, start + rows)))
    ours = _sinusoids(case, fastest * where, dim, slowest / fastest)
    if "get_embedding" in case.function and _first(case, "padding_idx") is not None:
        ours[_first(case, "padding_idx")] = 0
    if "Scaled" in case.function:
        ours *= _first(case, "scale", default=dim**-0.5)
    smallest = 2e-6 if "timing_signal" in case.function else 1e-6
    farthest = 1 + np.abs(where).max()
    assert_close("pe", np.broadcast_to(ours, recorded.shape), recorded, max(smallest, FLOAT32_ANGLE * farthest))


def _sinusoids(case: Case, where: np.ndarray, dim: int, base: float) -> np.ndarray:
    """Odd widths: with 1/base as last frequency the last column is 0, otherwise the last cosine is missing."""
    layout, endpoint = _kind(case)
    odd = dim % 2
    if odd and endpoint:
        table = absolute.sinusoidal_positions(where, dim - 1, base=base, layout=layout, endpoint=True)
        return np.concatenate([table, np.zeros_like(table[..., :1])], axis=-1)
    # A base that gives the wider table the frequencies base^(−2m/d) of the odd width d.
    wider = base ** ((dim + odd) / dim)
    table = absolute.sinusoidal_positions(where, dim + odd, base=wider, layout=layout, endpoint=endpoint)
    if "[cos" in str(case.meta.get("layout", "")).replace(" ", ""):
        table = np.roll(table, dim // 2, axis=-1)
    return table[..., :dim]


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
    seen = _first(case, *SEEN, default=0)
    return positions.decode_positions(seen, arrays["input_ids"].shape[-1])


def _padding_idx(case: Case) -> int:
    return _first(case, *PADDING, default=1)


def _layer_norm(x: np.ndarray, eps: float) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)


def _compare_gpt(case: Case, arrays: dict[str, np.ndarray]) -> None:
    tokens = arrays["wte"][arrays["input_ids"]]
    if "token_type_ids" in arrays:  # GPT-2 looks them up in the table of words
        tokens = tokens + arrays["wte"][arrays["token_type_ids"]]
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


def _compare_table(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """A table of its own: OPT and BART skip two rows, fairseq counts from its padding, x-transformers shrinks."""
    table = arrays["weight"]
    scale = table.shape[-1] ** -0.5 if case.function.startswith("AbsolutePositionalEmbedding") else 1.0
    ours = scale * absolute.learned_positions(_table_rows(case, arrays), table)
    assert_close("out", np.broadcast_to(ours, arrays["out"].shape), arrays["out"], 1e-6)


def _table_rows(case: Case, arrays: dict[str, np.ndarray]) -> np.ndarray:
    name = case.function.lower()
    skipped = 2 if "opt" in name or "bart" in name else 0
    seen = int(_first(case, *SEEN, default=0))
    if "position_ids" in arrays:
        return arrays["position_ids"] + skipped
    if "attention_mask" in arrays:
        return positions.opt_positions(arrays["attention_mask"])[:, seen:]
    if "input_ids" in arrays and not skipped and _first(case, *PADDING) is not None:
        return positions.roberta_positions(arrays["input_ids"], _padding_idx(case))
    return positions.decode_positions(seen, arrays["out"].shape[-2]) + skipped


def _is_table(case: Case) -> bool:
    inputs = {"position_ids", "attention_mask", "input_ids"}
    return {"weight", "out"} <= case.field_names <= {"weight", "out"} | inputs and "osition" in case.function


def _compare_roberta_rows(case: Case, arrays: dict[str, np.ndarray]) -> None:
    padding = _padding_idx(case)
    ours = positions.roberta_positions(arrays["input_ids"], padding)
    seen = int(_first(case, *SEEN, default=0))
    ours = ours + seen * (arrays["input_ids"] != padding)
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
    Form("learned_table", _is_table, _compare_table),
    Form("roberta_rows", _is_roberta_rows, _compare_roberta_rows),
]
