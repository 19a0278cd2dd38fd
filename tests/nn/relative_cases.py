"""The relative methods in the forms that tests go through, and what ``reference.relative`` says of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from nn.inputs import array, draw_parameters
from nn.options import HEAD_DIM, HEADS
from torch import Tensor

from pe_course import nn, reference

SIZES = {"num_heads": HEADS, "head_dim": HEAD_DIM}
TABLE = {"max_relative_position": 3, "head_dim": HEAD_DIM}

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "shaw": ("shaw", TABLE | {"use_values": False}),
    "shaw_values": ("shaw", TABLE),
    "shaw_window": ("shaw", TABLE | {"use_values": False, "right_max_position": 1}),
    "shaw_turned": ("shaw", TABLE | {"use_values": False, "direction": "query_minus_key"}),
    "shaw_zero": ("shaw", TABLE | {"right_max_position": 1, "outside": "zero"}),
    "shaw_wide": ("shaw", TABLE | {"max_relative_position": 200, "outside": "raise"}),
    "huang_1": ("huang", TABLE | {"method": 1}),
    "huang_2": ("huang", TABLE | {"method": 2}),
    "huang_2_turned": ("huang", TABLE | {"method": 2, "direction": "key_minus_query"}),
    "huang_3": ("huang", TABLE | {"method": 3}),
    "huang_4": ("huang", TABLE | {"method": 4}),
    "huang_4_wide": ("huang", TABLE | {"max_relative_position": 200, "outside": "raise"}),
    "transformer_xl": ("transformer_xl", SIZES | {"model_dim": 12}),
    "transformer_xl_clamped": ("transformer_xl", SIZES | {"clamp_len": 2.5, "base": 50.0}),
    "xlnet_bi": ("xlnet", SIZES | {"model_dim": 12}),
    "xlnet_uni": ("xlnet", SIZES | {"attn_type": "uni"}),
    "xlnet_clamped": ("xlnet", SIZES | {"clamp_len": 2}),
    "deberta": ("deberta", SIZES | {"max_relative_positions": 4}),
    "deberta_buckets": ("deberta", SIZES | {"max_relative_positions": 16, "position_buckets": 4, "model_dim": 5}),
    "deberta_paper": ("deberta", SIZES | {"max_relative_positions": 4, "p2c_index": "paper"}),
    "deberta_c2p": ("deberta", SIZES | {"pos_att_type": ["c2p"], "key_projection_bias": True}),
    "deberta_p2c": ("deberta", SIZES | {"pos_att_type": ["p2c"], "norm_rel_ebd": "layer_norm"}),
}
EVERY = tuple(VARIANTS)


def build(variant: str, **changes: Any) -> nn.PositionMethod:
    """The variant in float64 with random parameters; those that multiply are random around 1."""
    name, options = VARIANTS[variant]
    method = draw_parameters(nn.build(name, **options | changes))
    if name == "huang" and method.method < 4:
        with torch.no_grad():
            method.table.add_(1.0)
    return method


def segments_of(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """Two segments; the border is where the last query begins."""
    keys = torch.arange(k.shape[2], device=k.device) // max(k.shape[2] - 2, 1)
    return keys[-q.shape[2] :], keys


def context_of(method: nn.PositionMethod, q: Tensor, k: Tensor) -> dict[str, Any]:
    return {"segments": segments_of(q, k)} if isinstance(method, nn.XLNetRelative) else {}


def expected_bias(method: nn.PositionMethod, pos_q: Tensor, pos_k: Tensor, q: Tensor, k: Tensor) -> np.ndarray:
    """What the reference says ``score_bias`` must be, after the scale."""
    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    if pos_q.ndim == 2 or pos_k.ndim == 2:
        batch = q.shape[0]
        pos_q, pos_k = pos_q.expand(batch, -1), pos_k.expand(batch, -1)
    term = EXPECTED[type(method)](method, *map(array, (q, k, pos_q, pos_k)))
    return term * scale_of(method, q.shape[-1])


def scale_of(method: nn.PositionMethod, head_dim: int) -> float:
    if isinstance(method, nn.DisentangledRelative):
        return reference.relative.deberta_scale(head_dim, method.pos_att_type)
    return head_dim**-0.5


def _shaw(method, q, k, pos_q, pos_k):
    return reference.relative.shaw_scores(q, array(method.relative_keys), pos_q, pos_k, **window(method))


def window(method: nn.ShawRelativePosition) -> dict[str, Any]:
    return {
        "right_max_position": method.right_max_position,
        "direction": method.direction,
        "outside": method.outside,
    }


def _huang(method, q, k, pos_q, pos_k):
    options = {"method": method.method, "direction": method.direction, "outside": method.outside}
    return reference.relative.huang_scores(q, k, array(method.table), pos_q, pos_k, **options)


def _transformer_xl(method, q, k, pos_q, pos_k):
    weight = array(method.position_projection.weight)
    projection = weight.T.reshape(method.model_dim, method.num_heads, method.head_dim)
    u, v = array(method.content_bias), array(method.position_bias)
    options = {"base": method.base, "clamp_len": method.clamp_len}
    return reference.relative.transformer_xl_scores(q, k, projection, u, v, pos_q, pos_k, **options)


def _xlnet(method, q, k, pos_q, pos_k):
    projection, u, v = map(array, (method.position_projection, method.content_bias, method.position_bias))
    options = {"base": method.base, "clamp_len": method.clamp_len, "attn_type": method.attn_type}
    term = reference.relative.xlnet_scores(q, k, projection, u, v, pos_q, pos_k, **options)
    s, embeddings = array(method.segment_bias), array(method.segment_embeddings)
    return term + reference.relative.xlnet_segment_scores(q, s, embeddings, *map(array, segments_of(q, k)))


def _deberta(method, q, k, pos_q, pos_k):
    table = array(method.rel_embeddings)
    if method.layer_norm is not None:
        centred = table - table.mean(-1, keepdims=True)
        table = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + method.layer_norm.eps)
        table = table * array(method.layer_norm.weight) + array(method.layer_norm.bias)
    tables = {}
    for name, projection in (("position_keys", method.pos_key_proj), ("position_queries", method.pos_query_proj)):
        if projection is not None:
            bias = 0.0 if projection.bias is None else array(projection.bias)
            vectors = table @ array(projection.weight).T + bias
            tables[name] = vectors.reshape(len(table), method.num_heads, -1).transpose(1, 0, 2)
    return reference.relative.deberta_scores(
        q,
        k,
        pos_q,
        pos_k,
        **tables,
        max_relative_positions=method.max_relative_positions,
        position_buckets=method.position_buckets,
        p2c_index=method.p2c_index,
    )


EXPECTED: Mapping[type, Callable[..., np.ndarray]] = {
    nn.ShawRelativePosition: _shaw,
    nn.HuangRelativePosition: _huang,
    nn.TransformerXLRelative: _transformer_xl,
    nn.XLNetRelative: _xlnet,
    nn.DisentangledRelative: _deberta,
}
