"""Recorded layers of published libraries, rebuilt with a module and `attention`.

Cases are recognised as in ``goldens.forms_relative``: by fields and hyper-parameters, never by name. ``PE_GOLDENS``
names another folder.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch
from goldens import forms, forms_relative
from torch import Tensor

from pe_course import nn

FOLDER = Path(os.environ.get("PE_GOLDENS", Path(__file__).parents[1] / "goldens" / "data"))


def module(name: str, parameters: dict[str, np.ndarray], **options) -> nn.PositionMethod:
    """The method in float64 with exactly the recorded parameters."""
    method = nn.build(name, **options).double()
    method.load_state_dict({key: torch.tensor(value) for key, value in parameters.items()})
    return method


def attend(method: nn.PositionMethod, q: Tensor, k: Tensor, v: Tensor, **options) -> np.ndarray:
    with torch.no_grad():
        return nn.attention(*(torch.tensor(x, dtype=torch.float64) for x in (q, k, v)), method, **options).numpy()


def weights_of(method: nn.PositionMethod, q: np.ndarray, k: np.ndarray, **options) -> np.ndarray:
    """The probabilities, for with the identity as values they are the output."""
    return attend(method, q, k, np.broadcast_to(np.eye(k.shape[-2]), (*k.shape[:-1], k.shape[-2])), **options)


def compare(arrays: dict[str, np.ndarray], q: np.ndarray, k: np.ndarray, v: np.ndarray, **ours: np.ndarray) -> None:
    compared = [name for name in ours if name in arrays]
    assert compared, f"nothing recorded to compare with among {sorted(arrays)}"
    products = np.abs(q) @ np.swapaxes(np.abs(k), -1, -2)  # the term of the positions is about as large
    allowed = forms_relative._allowed_scores(q, k, products, q.shape[-1] ** -0.5)
    for name in compared:
        if name == "out":
            forms.assert_close(
                name, ours[name], arrays[name], forms_relative._allowed_outputs(allowed, v, arrays[name])
            )
        else:
            forms.assert_close(name, ours[name], arrays[name], forms_relative.SCORES)


def shaw_keys_and_values(case, arrays):
    q, k, v = arrays["q_scaled"] * np.sqrt(arrays["k"].shape[-1]), arrays["k"], arrays["v"]
    tables = {"relative_keys": arrays["rel_keys"]}
    options = {"max_relative_position": case.meta["max_relative_position"], "head_dim": q.shape[-1]}
    keys_only = module("shaw", tables, **options, use_values=False)
    if "rel_values" in arrays:
        tables |= {"relative_values": arrays["rel_values"]}
    method = module("shaw", tables, **options, use_values="rel_values" in arrays, value_dim=v.shape[-1])
    compare(arrays, q, k, v, weights=weights_of(keys_only, q, k), out=attend(method, q, k, v))


def distance_table_layer(case, arrays):
    heads, names = case.meta["num_heads"], forms_relative._layer_names(arrays)
    parts = (forms_relative._linear(arrays, names[part], arrays["hidden"]) for part in ("query", "key", "value"))
    q, k, v = (forms_relative._split_heads(part, heads) for part in parts)
    method = distance_table(case, arrays["w_distance_embedding_weight"])
    out = forms_relative._merge_heads(attend(method, q, k, v))
    out = forms_relative._linear(arrays, names["out"], out)
    compare(arrays, q, k, v, probs=weights_of(method, q, k), out=out)


def distance_table(case, table):
    half = {"head_dim": table.shape[1], "max_relative_position": len(table) // 2, "outside": "raise"}
    if "left_max" in case.meta:
        bounds = {"max_relative_position": case.meta["left_max"], "right_max_position": case.meta["right_max"]}
        options = {"head_dim": table.shape[1], **bounds, "use_values": False}
        return module("shaw", {"relative_keys": table}, **options)
    if "relative_key_query" in case.function:
        return module("huang", {"table": table}, **half, method=4)
    return module("shaw", {"relative_keys": table}, **half, use_values=False, direction="query_minus_key")


def transformer_xl(case, arrays):
    w, heads = arrays["w"], case.meta["n_head"]
    cat = np.concatenate([arrays["mems"], w]) if "mems" in arrays else w
    norm_first = bool(case.meta.get("pre_lnorm", False))
    normed = forms_relative._layer_norm(arrays, cat) if norm_first else cat
    qkv = np.split(np.moveaxis(forms_relative._linear(arrays, "w_qkv_net", normed), 1, 0), 3, axis=-1)
    q, k, v = (forms_relative._split_heads(part, heads) for part in qkv)
    q = q[..., len(cat) - len(w) :, :]
    parameters = {
        "content_bias": arrays["r_w_bias"],
        "position_bias": arrays["r_r_bias"],
        "position_projection.weight": arrays["w_r_net_weight"],
    }
    limit = forms_relative._limit(case.meta.get("clamp_len"))
    sizes = {"num_heads": heads, "head_dim": q.shape[-1], "model_dim": arrays["w_r_net_weight"].shape[1]}
    method = module("transformer_xl", parameters, **sizes, clamp_len=limit)
    mask = torch.ones(len(w), len(cat), dtype=torch.bool).tril(len(cat) - len(w))
    if case.meta.get("same_length") and "scores" in arrays:
        mask = torch.tensor(arrays["scores"][:, :, 0, 0] > forms_relative.MASKED)
    merged = np.moveaxis(forms_relative._merge_heads(attend(method, q, k, v, mask=mask)), 1, 0)
    attended = w + forms_relative._linear(arrays, "w_o_net", merged)
    compare(arrays, q, k, v, out=attended if norm_first else forms_relative._layer_norm(arrays, attended))


def xlnet(case, arrays):
    q, k, v = (np.transpose(arrays[name], (1, 2, 0, 3)) for name in ("q", "k", "v"))
    model_dim, heads, head_dim = arrays["r_proj"].shape
    none = np.zeros((heads, head_dim))
    parameters = {
        "content_bias": arrays["r_w_bias"],
        "position_bias": arrays["r_r_bias"],
        "position_projection": arrays["r_proj"],
        "segment_bias": arrays.get("r_s_bias", none),
        "segment_embeddings": arrays.get("seg_embed", np.stack((none, none))),
    }
    limit = forms_relative._limit(case.meta.get("clamp_len"))
    sizes = {"num_heads": heads, "head_dim": head_dim, "model_dim": model_dim}
    method = module("xlnet", parameters, **sizes, clamp_len=limit)
    given = {"context": segments(arrays, q.shape[-2])}
    if "attn_mask" in arrays:
        given["mask"] = torch.tensor(np.moveaxis(arrays["attn_mask"], (0, 1), (-2, -1)) == 0)
    probs = weights_of(method, q, k, **given)
    out = np.transpose(attend(method, q, k, v, **given), (2, 0, 1, 3))
    compare(arrays, q, k, v, probs_ijbn=np.moveaxis(probs, (-2, -1), (0, 1)), out=out)


def segments(arrays, queries):
    """Segment numbers with the recorded one-hot "differs" [q, k, b, 2]: the segment of query 0 is 0, the other is 1."""
    if "seg_mat" not in arrays:
        return None
    differs = torch.tensor(arrays["seg_mat"][..., 1]).permute(2, 0, 1).long()
    key_segments = differs[:, 0]
    query_segments = (differs[:, :, 0] != key_segments[:, :1]).long()
    assert ((query_segments[:, :, None] != key_segments[:, None, :]) == differs.bool()).all(), "more than two segments"
    return {"segments": (query_segments, key_segments)}


def deberta(case, arrays):
    meta, hidden, table = case.meta, arrays["hidden"], arrays["rel_embeddings"]
    kinds = meta["pos_att_type"]
    kinds = tuple(kind for kind in (kinds.split("|") if isinstance(kinds, str) else kinds) if kind)
    parts = (forms_relative._linear(arrays, f"w_{part}_proj", hidden) for part in ("query", "key", "value"))
    q, k, v = (forms_relative._split_heads(part, meta["num_heads"]) for part in parts)
    shared = meta.get("share_att_key", "w_pos_key_proj_weight" not in arrays)
    parameters = {"rel_embeddings": table} if kinds else {}
    parameters |= {
        name.removeprefix("w_").replace("_proj_", "_proj."): value
        for name, value in arrays.items()
        if name.startswith("w_pos_") and not shared
    }
    buckets = meta.get("position_buckets", -1)
    method = module(
        "deberta",
        parameters,
        num_heads=meta["num_heads"],
        head_dim=q.shape[-1],
        model_dim=table.shape[1],
        max_relative_positions=meta["max_relative_positions"],
        position_buckets=buckets if buckets > 0 else -1,
        pos_att_type=kinds,
        share_att_key=shared,
        key_projection_bias="w_pos_key_proj_bias" in arrays,
    )
    context = {f"{part}_projection": linear(arrays, f"w_{part}_proj") for part in ("query", "key")}
    out = forms_relative._merge_heads(attend(method, q, k, v, context=context))
    compare(arrays, q, k, v, probs=weights_of(method, q, k, context=context), out=out)


def linear(arrays, layer):
    return lambda x: torch.tensor(forms_relative._linear(arrays, layer, x.detach().numpy()))


def _with_out(*fields):
    return lambda case: case.field_names >= {*fields, "out"}


LAYERS = (
    (_with_out("q_scaled", "k", "v", "rel_keys"), shaw_keys_and_values),
    (_with_out("hidden", "w_distance_embedding_weight"), distance_table_layer),
    (_with_out("w", "w_qkv_net_weight", "w_r_net_weight", "r_w_bias", "r_r_bias"), transformer_xl),
    # Released "uni" scores without a mask hold wrapped numbers after the query, which the module leaves out.
    (
        lambda case: _with_out("q", "k", "v", "r_proj")(case) and case.meta.get("attn_type", "bi") == "bi",
        xlnet,
    ),
    (_with_out("hidden", "rel_embeddings"), deberta),
)


def _recorded():
    for case in forms.load_cases(FOLDER):
        for recognises, rebuild in LAYERS:
            if recognises(case):
                yield pytest.param(case, rebuild, id=f"{case.id}-{rebuild.__name__}")


@pytest.mark.parametrize(("case", "rebuild"), list(_recorded()))
def test_recorded_layer(case, rebuild):
    with forms.precision_of(case):
        rebuild(case, case.arrays())
