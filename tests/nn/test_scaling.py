"""Scales of the query on the device: equal to the reference, once, in every dtype, with caches and compilers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from nn.inputs import array, causal, normal, qkv

from pe_course import nn
from pe_course.reference import scaling

ROWS = torch.tensor([[0, 1, 5, 6, 7, 100], [3, 3, 0, 8191, 8192, 1_000_000]])

METHODS = {
    "logn": (
        lambda: nn.LogNScaling(8),
        lambda positions: scaling.logn_scale(positions, 8),
    ),
    "logn, not clipped": (
        lambda: nn.LogNScaling(8, clip=False),
        lambda positions: scaling.logn_scale(positions, 8, clip=False),
    ),
    "llama4": (
        lambda: nn.Llama4Temperature(attn_scale=0.2, floor_scale=4),
        lambda positions: scaling.llama4_temperature(positions, attn_scale=0.2, floor_scale=4),
    ),
    "ministral": (
        lambda: nn.MinistralScaling(4, beta=0.3),
        lambda positions: scaling.ministral_scale(positions, 0.3, 4),
    ),
}
PAIRS = pytest.mark.parametrize(("method", "reference"), METHODS.values(), ids=METHODS)
EACH = pytest.mark.parametrize("method", [pair[0] for pair in METHODS.values()], ids=METHODS)


def scaled(method, q, positions, kv_len=6):
    return method.scale_q(q, positions, kv_len)


@PAIRS
def test_the_scale_is_the_reference(method, reference):
    q = normal(2, 4, 6, 8)
    ours = array(scaled(method(), q, ROWS))
    np.testing.assert_allclose(ours, array(q) * reference(ROWS.numpy())[:, None, :, None], rtol=1e-14)
    ours = array(scaled(method(), q, ROWS[0]))
    np.testing.assert_allclose(ours, array(q) * reference(ROWS[0].numpy())[:, None], rtol=1e-14)


def test_the_defaults_are_those_of_the_models():
    q = torch.ones(1, 1, 6, 1, dtype=torch.float64)
    at = torch.tensor([0, 8190, 8191, 16383, 16384, 10**6])
    ours = array(scaled(nn.Llama4Temperature(), q, at)).ravel()
    np.testing.assert_allclose(ours, scaling.llama4_temperature(at.numpy()), rtol=1e-14)
    assert ours[1] == 1 < ours[2]
    ours = array(scaled(nn.MinistralScaling(16384), q, at)).ravel()
    np.testing.assert_allclose(ours, scaling.ministral_scale(at.numpy(), 0.1, 16384), rtol=1e-14)
    assert ours[3] == 1 < ours[4]


@pytest.mark.parametrize("clip", [True, False])
def test_logn_by_length_takes_the_number_of_keys(clip):
    q, at = normal(2, 4, 3, 8), torch.tensor([2, 3, 4])
    method = nn.LogNScaling(4, mode="length", clip=clip)
    for keys in (3, 5, 100):
        ours = array(method.scale_q(q, at, keys))
        factor = scaling.logn_scale([0], 4, mode="length", clip=clip, length=keys)
        np.testing.assert_allclose(ours, array(q) * factor, rtol=1e-14)
    assert method.shift_invariant
    assert not nn.LogNScaling(4).shift_invariant


def test_logn_leaves_the_trained_length_alone():
    q = normal(1, 1, 8, 4)
    torch.testing.assert_close(scaled(nn.LogNScaling(8), q, torch.arange(8)), q, atol=0, rtol=0)
    assert (scaled(nn.LogNScaling(8), q, torch.arange(8, 16)).abs() > q.abs()).all()


@EACH
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_the_scale_is_exact_in_every_dtype(method, dtype):
    q = normal(2, 4, 6, 8).to(dtype)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        ours = scaled(method().to(dtype), q, ROWS)
    assert ours.dtype == dtype
    exact = scaled(method(), q.double(), ROWS)
    error = (ours.double() - exact).abs()
    # Half a unit in the last place: rounded once. In float32 the scale is rounded, too.
    units = 1.01 if dtype == torch.float32 else 0.51
    assert (error <= units * torch.finfo(dtype).eps * exact.abs().clamp(min=1e-3)).all()
    assert not method().state_dict()


@EACH
@pytest.mark.parametrize("backend", ["sdpa", "flex"])
def test_backends_agree(method, backend):
    q, k, v = qkv(length=5, keys=8, kv_heads=2)
    arguments = (q, k, v, method(), torch.arange(3, 8), torch.arange(8), causal(5, 8))
    torch.testing.assert_close(nn.attention(*arguments, backend=backend), nn.attention(*arguments))


@EACH
def test_scores_are_scaled_once(method):
    q, k, v = qkv()
    factor = scaled(method(), torch.ones(1, 1, 6, 1, dtype=torch.float64), torch.arange(6))
    torch.testing.assert_close(nn.attention(q, k, v, method()), nn.attention(q * factor, k, v))


@EACH
def test_decoding_equals_the_full_pass(method):
    q, k, v = qkv(length=10)
    full = nn.attention(q, k, v, method(), mask=causal(10))
    for t in range(10):
        seen = torch.arange(t + 1)
        step = nn.attention(q[:, :, t : t + 1], k[:, :, : t + 1], v[:, :, : t + 1], method(), seen[-1:], seen)
        torch.testing.assert_close(step[:, :, 0], full[:, :, t], atol=1e-6, rtol=0)


@EACH
def test_padded_and_packed_rows_count_from_their_own_start(method):
    q, k, v = qkv(batch=1, length=9)
    alone = nn.attention(q[:, :, 3:], k[:, :, 3:], v[:, :, 3:], method(), mask=causal(6))
    for front in ([0, 0, 0], [0, 1, 2]):
        at = torch.tensor([[*front, 0, 1, 2, 3, 4, 5]])
        mask = causal(9) & (torch.arange(9) >= 3)
        torch.testing.assert_close(nn.attention(q, k, v, method(), at, at, mask)[:, :, 3:], alone)


@EACH
def test_methods_compile_without_a_break(method):
    q, k, v = qkv(dtype=torch.float32)
    at = torch.arange(6)
    torch.compiler.reset()
    compiled = torch.compile(nn.attention, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(q, k, v, method(), at, at), nn.attention(q, k, v, method(), at, at))


@EACH
def test_gradients_reach_the_queries(method):
    q = normal(1, 1, 6, 2).requires_grad_()
    assert torch.autograd.gradcheck(lambda q: scaled(method(), q, ROWS[1]), (q,), fast_mode=True)


def test_rotated_keys_may_be_cached():
    assert all(method().cache_rotated_ok for method, _ in METHODS.values())


BAD_OPTIONS = [
    ("logn", {"train_length": 1}, ValueError, "train_length must be at least 2, got 1"),
    ("logn", {"train_length": 8.5}, TypeError, "train_length must be a whole number, got 8.5"),
    (
        "logn",
        {"train_length": 8, "mode": "query"},
        ValueError,
        "mode must be one of 'per_query', 'length'; got 'query'",
    ),
    ("logn", {"train_length": 8, "clip": 1}, TypeError, "clip must be True or False, got 1"),
    ("llama4_temperature", {"attn_scale": -0.1}, ValueError, "attn_scale must be at least 0, got -0.1"),
    ("llama4_temperature", {"attn_scale": float("nan")}, ValueError, "attn_scale must be finite, got nan"),
    ("llama4_temperature", {"floor_scale": 0}, ValueError, "floor_scale must be at least 1, got 0"),
    (
        "ministral_scale",
        {"original_max_position_embeddings": 0},
        ValueError,
        "original_max_position_embeddings must be at least 1, got 0",
    ),
    (
        "ministral_scale",
        {"original_max_position_embeddings": 4, "beta": -1},
        ValueError,
        "beta must be at least 0, got -1",
    ),
]


@pytest.mark.parametrize(("name", "options", "error", "pattern"), BAD_OPTIONS)
def test_bad_options(name, options, error, pattern):
    with pytest.raises(error, match=pattern):
        nn.build(name, **options)


Q = torch.ones(2, 4, 3, 8)
BAD_CALLS = [
    ({"pos_q": torch.tensor([0, 1, -1])}, ValueError, "pos_q must be at least 0, got -1"),
    ({"pos_q": torch.tensor([0.0, 1.5, 2.0])}, ValueError, "pos_q must be whole numbers, got 1.5"),
    ({"pos_q": torch.tensor([0.0, float("nan"), 2.0])}, ValueError, "pos_q must be finite, got nan"),
    ({"pos_q": torch.arange(2)}, ValueError, r"pos_q must have shape \[3\] or \[2, 3\] to fit q, got \[2\]"),
    ({"pos_q": [0, 1, 2]}, TypeError, "pos_q must be a torch tensor, got list"),
    ({"q": Q[0]}, ValueError, r"q must have 4 axes .* got shape \(4, 3, 8\)"),
    ({"q": Q.long()}, TypeError, "q must be a floating-point tensor, got dtype torch.int64"),
    ({"kv_len": 0}, ValueError, "kv_len must be at least 1, got 0"),
]


@EACH
@pytest.mark.parametrize(("changed", "error", "pattern"), BAD_CALLS)
def test_bad_calls(method, changed, error, pattern):
    with pytest.raises(error, match=pattern):
        method().scale_q(**{"q": Q, "pos_q": torch.arange(3), "kv_len": 3, **changed})
