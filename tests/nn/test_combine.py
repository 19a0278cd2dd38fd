"""Several methods as one: what is chained, what is added, and what contradicts itself."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from nn.inputs import array, causal, normal, qkv

from pe_course import nn
from pe_course.reference import attention, bias, rotary, scaling

BACKENDS = pytest.mark.parametrize("backend", ["eager", "sdpa", "flex"])
AT = torch.arange(6)


class Embeds(nn.PositionMethod):
    """x becomes factor * x + shift."""

    def __init__(self, factor, shift):
        super().__init__()
        self.factor, self.shift = factor, shift

    def embed(self, x, pos_q):
        return self.factor * x + self.shift


class AddsValues(nn.PositionMethod):
    """Adds a number to the output, as Shaw's value side adds vectors."""

    uses_value_bias = True

    def value_bias(self, probs, pos_q, pos_k):
        return probs.sum(-1, keepdim=True)


class Scaled(nn.PositionMethod):
    """Wants a scale of the scores of its own."""

    def __init__(self, scale, needs_content=False):
        super().__init__()
        self.scale, self.needs_content = scale, needs_content

    def sm_scale(self, head_dim):
        return head_dim**-0.5 if self.scale is None else self.scale


def by_reference(q, k, v, mask):
    full = array(mask.expand(*q.shape[:3], k.shape[2]))
    return attention.attention(array(q), array(k), array(v), mask=full)


@BACKENDS
def test_rope_with_logn(backend):
    q, k, v = qkv()
    method = nn.Combined(nn.RotaryEmbedding(8), nn.LogNScaling(3))
    turned_q, turned_k = (torch.tensor(rotary.apply_rope(array(x), AT.numpy())) for x in (q, k))
    turned_q *= torch.tensor(scaling.logn_scale(AT.numpy(), 3))[:, None]
    expected = by_reference(turned_q, turned_k, v, causal(6))
    ours = nn.attention(q, k, v, method, mask=causal(6), backend=backend)
    np.testing.assert_allclose(array(ours), expected, atol=1e-10)


@BACKENDS
def test_rope_with_two_biases(backend):
    q, k, v = qkv(length=4, keys=6, kv_heads=2)
    method = nn.Combined(nn.RotaryEmbedding(8), nn.ALiBi(4), nn.PositionMethod(), nn.SandwichBias(4))
    added = nn.ALiBi(4).score_bias(AT[2:], AT) + nn.SandwichBias(4).score_bias(AT[2:], AT)
    turned_q, turned_k = nn.RotaryEmbedding(8).rotate(q, k, AT[2:], AT)
    full_k, full_v = turned_k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
    scores = turned_q @ full_k.mT * 8**-0.5 + added
    expected = torch.softmax(scores.masked_fill(~causal(4, 6), -torch.inf), -1) @ full_v
    ours = nn.attention(q, k, v, method, AT[2:], AT, causal(4, 6), backend=backend)
    torch.testing.assert_close(ours, expected, atol=1e-7, rtol=0)


@BACKENDS
def test_biases_of_a_batch(backend):
    q, k, v = qkv()
    at = torch.stack([AT, AT // 2])
    method = nn.Combined(nn.ALiBi(4), nn.T5RelativePositionBias(4))
    arguments = (q, k, v, method, at, at, causal(6))
    torch.testing.assert_close(nn.attention(*arguments[:6], arguments[6]), nn.attention(*arguments))
    with torch.no_grad():
        ours = nn.attention(*arguments, backend=backend)
        scores = q @ k.mT + sum(m.score_bias(at, at) for m in method.methods)
        expected = torch.softmax(scores.masked_fill(~causal(6), -torch.inf), -1) @ v
    torch.testing.assert_close(ours, expected, atol=1e-6, rtol=0)


def test_inputs_are_chained_in_order():
    x = normal(2, 6, 32)
    ours = nn.Combined(Embeds(2.0, 1.0), Embeds(3.0, 5.0)).embed(x, AT)
    torch.testing.assert_close(ours, 3 * (2 * x + 1) + 5)
    encoded = nn.Combined(nn.SinusoidalPositionalEncoding(32), nn.ALiBi(4)).embed(x, AT)
    torch.testing.assert_close(encoded, nn.SinusoidalPositionalEncoding(32).embed(x, AT))


def test_query_scales_multiply():
    q = normal(1, 2, 6, 4)
    both = nn.Combined(nn.LogNScaling(2), nn.Llama4Temperature(floor_scale=2)).scale_q(q, AT, 6)
    factor = scaling.logn_scale(AT.numpy(), 2) * scaling.llama4_temperature(AT.numpy(), floor_scale=2)
    np.testing.assert_allclose(array(both), array(q) * factor[:, None], rtol=1e-14)


@BACKENDS
def test_rerope_with_logn_scales_the_whole_score(backend):
    q, k, v = qkv()
    method = nn.Combined(nn.ReRoPE(8, window=2), nn.LogNScaling(2))
    scaled_q = array(q) * scaling.logn_scale(AT.numpy(), 2)[:, None]
    scores = rotary.rerope_scores(scaled_q, array(k), AT.numpy(), AT.numpy(), window=2) * 8**-0.5
    mask = np.tri(6, dtype=bool)
    expected = attention.softmax(scores, mask=np.broadcast_to(mask, scores.shape)) @ array(v)
    ours = nn.attention(q, k, v, method, mask=causal(6), backend=backend)
    np.testing.assert_allclose(array(ours), expected, atol=1e-10)


def test_values_are_added():
    q, k, v = qkv()
    plain = nn.attention(q, k, v, nn.ALiBi(4))
    method = nn.Combined(nn.ALiBi(4), AddsValues(), AddsValues())
    torch.testing.assert_close(nn.attention(q, k, v, method), plain + 2)
    assert method.uses_value_bias
    with pytest.raises(ValueError, match="cannot compute the values' part of Combined"):
        nn.attention(q, k, v, method, backend="sdpa")


def test_one_method_alone_is_itself():
    q, k, v = qkv()
    for method in (nn.RotaryEmbedding(8), nn.ALiBi(4), nn.PositionMethod()):
        torch.testing.assert_close(
            nn.attention(q, k, v, nn.Combined(method)), nn.attention(q, k, v, method), atol=0, rtol=0
        )


def test_flags_combine():
    plain = nn.Combined(nn.RotaryEmbedding(8), nn.ALiBi(4))
    assert (plain.needs_content, plain.shift_invariant, plain.cache_rotated_ok) == (False, True, True)
    assert not nn.Combined(nn.RotaryEmbedding(8), nn.ALiBi(4, bidirectional=True)).causal_only
    assert nn.Combined(nn.XPos(8), nn.ALiBi(4)).causal_only
    assert not nn.Combined(nn.RotaryEmbedding(8), nn.LogNScaling(4)).shift_invariant
    following = nn.RotaryEmbedding(8, scaling={"rope_type": "dynamic", "factor": 2.0}, max_position_embeddings=4)
    assert not nn.Combined(nn.ALiBi(4), following).cache_rotated_ok
    rerope = nn.Combined(nn.ReRoPE(8), nn.LogNScaling(4))
    assert rerope.needs_content
    assert rerope.replaces_score
    assert nn.Combined(nn.MRope(8, (2, 1, 1))).position_axes == 3


def test_the_scale_is_the_one_that_is_asked_for():
    assert nn.Combined(nn.RotaryEmbedding(8), nn.ALiBi(4)).sm_scale(64) == 0.125
    assert nn.Combined(nn.RotaryEmbedding(8), nn.T5RelativePositionBias(4)).sm_scale(64) == 1.0
    assert nn.Combined(Scaled(0.3), nn.ALiBi(4), Scaled(0.3)).sm_scale(64) == 0.3
    assert nn.Combined(Scaled(None, needs_content=True), nn.ALiBi(4)).sm_scale(64) == 0.125


def test_combined_methods_are_taken_apart():
    inner = nn.Combined(nn.RotaryEmbedding(8), nn.LogNScaling(3))
    outer = nn.Combined(inner, nn.ALiBi(4))
    assert [type(m).__name__ for m in outer.methods] == ["RotaryEmbedding", "LogNScaling", "ALiBi"]


def test_learned_parameters_are_saved_and_trained():
    method = nn.Combined(nn.RotaryEmbedding(8), nn.T5RelativePositionBias(4)).double()
    assert len(method.state_dict()) == 1
    q, k, v = qkv(batch=1, length=3)
    nn.attention(q, k, v, method).sum().backward()
    (table,) = method.parameters()
    assert table.grad.abs().max() > 0


def test_tables_survive_casts():
    method = nn.Combined(nn.RotaryEmbedding(8), nn.LogNScaling(3)).to(torch.bfloat16)
    assert torch.equal(method.methods[0].inv_freq, nn.RotaryEmbedding(8).inv_freq)


def test_decoding_equals_the_full_pass():
    q, k, v = qkv(length=7)
    method = nn.Combined(nn.ReRoPE(8, window=3), nn.LogNScaling(2), nn.ALiBi(4))
    full = nn.attention(q, k, v, method, mask=causal(7))
    for t in range(7):
        seen = torch.arange(t + 1)
        step = nn.attention(q[:, :, t : t + 1], k[:, :, : t + 1], v[:, :, : t + 1], method, seen[-1:], seen)
        torch.testing.assert_close(step[:, :, 0], full[:, :, t], atol=1e-6, rtol=0)


def test_combined_methods_compile_without_a_break():
    q, k, v = qkv(dtype=torch.float32)
    method = nn.Combined(nn.RotaryEmbedding(8), nn.LogNScaling(3), nn.ALiBi(4))
    torch.compiler.reset()
    compiled = torch.compile(nn.attention, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(q, k, v, method, AT, AT), nn.attention(q, k, v, method, AT, AT))


def test_score_mod_adds_what_the_biases_add():
    q, k, _ = qkv()
    method = nn.Combined(nn.ALiBi(4), nn.SandwichBias(4))
    mod = method.score_mod(AT, AT, q=q, k=k)
    b, h, i, j = (torch.tensor(n) for n in (1, 2, 5, 3))
    slope = bias.alibi_slopes(4)[2]
    expected = 0.5 - 2 * slope + nn.SandwichBias(4).score_bias(AT, AT)[0, 2, 5, 3].item()
    assert mod(torch.tensor(0.5, dtype=torch.float64), b, h, i, j).item() == pytest.approx(expected, abs=1e-6)
    assert nn.Combined(nn.RotaryEmbedding(8)).score_mod(AT, AT, q=q, k=k) is None


BAD = [
    ((), ValueError, "methods must not be empty"),
    (("rope",), TypeError, "methods must be PositionMethods, got str"),
    ((nn.RotaryEmbedding,), TypeError, "methods must be PositionMethods, got type"),
    (
        (Scaled(1.0), Scaled(0.3)),
        ValueError,
        "methods must agree on the scale .* got 1 from Scaled and 0.3 from Scaled",
    ),
    (
        (nn.T5RelativePositionBias(4), nn.ReRoPE(8)),
        ValueError,
        "methods must agree .* got 1 from T5RelativePositionBias and 0.125 from ReRoPE at head_dim 64",
    ),
    (
        (nn.MRope(8, (2, 1, 1)), nn.ALiBi(4)),
        ValueError,
        "methods must have positions with equally many coordinates, got MRope 3, ALiBi 1",
    ),
    (
        (nn.RotaryEmbedding(8), nn.ReRoPE(8)),
        ValueError,
        "methods must not rotate or replace a score beside ReRoPE, .* got RotaryEmbedding",
    ),
    (
        (nn.HuangRelativePosition(2, 8, method=1), nn.RotaryEmbedding(8)),
        ValueError,
        "beside HuangRelativePosition, .* got RotaryEmbedding",
    ),
    ((nn.ReRoPE(8), nn.ReRoPE(8)), ValueError, "beside ReRoPE, .* got ReRoPE"),
]


@pytest.mark.parametrize(("methods", "error", "pattern"), BAD)
def test_contradictions_raise(methods, error, pattern):
    with pytest.raises(error, match=pattern):
        nn.Combined(*methods)
