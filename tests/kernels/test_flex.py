"""Every builder of a ``score_mod`` adds what the eager table would add."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest
import torch
from nn.inputs import causal, draw_parameters, normal, qkv

from pe_course.kernels import flex
from pe_course.nn import attention, bias

H, L, S = 4, 5, 7
POSITIONS = {
    "last of the keys": (torch.arange(2, 7), torch.arange(7)),
    "per row": (
        torch.tensor([[2, 3, 4, 5, 6], [9, 9, 0, 1, 2]]),
        torch.tensor([[0, 1, 2, 3, 4, 5, 6], [9, 8, 7, 0, 1, 2, 0]]),
    ),
    "one row": (torch.arange(2, 7)[None], torch.arange(7)[None]),
    "mixed": (torch.arange(2, 7), torch.tensor([[0, 1, 2, 3, 4, 5, 6], [9, 8, 7, 0, 1, 2, 0]])),
    "real": (torch.arange(2, 7) + 0.25, torch.arange(7) * 1.5),
}
WHOLE = [name for name in POSITIONS if name != "real"]
Q, K, V = qkv(heads=H, kv_heads=2, length=L, keys=S)
SLOPES = torch.tensor([0.5, 0.25, 0.125, 0.0625], dtype=torch.float64)


def distance_of(positions):
    pos_q, pos_k = (torch.atleast_2d(p) for p in POSITIONS[positions])
    return (pos_q[:, :, None] - pos_k[:, None, :])[:, None]


def attend(score_mod, *, mask: torch.Tensor | None = None):
    return flex.attend(Q, K, V, score_mod=score_mod, mask=mask, scale=8**-0.5)


def eager(table, mask=None):
    k, v = K.repeat_interleave(2, 1), V.repeat_interleave(2, 1)
    scores = Q @ k.mT * 8**-0.5 + table
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return torch.softmax(scores, -1).nan_to_num() @ v


def assert_adds(score_mod: Callable, table: torch.Tensor):
    torch.testing.assert_close(attend(score_mod), eager(table), atol=1e-12, rtol=0)


def per_head(values):
    return values.view(1, H, 1, 1)


@pytest.mark.parametrize("shape", [(1, 1, L, S), (1, H, L, S), (2, 1, L, S), (2, H, L, S)])
def test_from_bias(shape):
    table = normal(*shape, seed=1)
    assert_adds(flex.from_bias(table, batch=2, heads=H), table)


@pytest.mark.parametrize("positions", POSITIONS)
def test_from_distance(positions):
    score_mod = flex.from_distance(lambda distance, head: SLOPES[head] * (0.3 * distance).sin(), *POSITIONS[positions])
    assert_adds(score_mod, per_head(SLOPES) * (0.3 * distance_of(positions)).sin())


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("bidirectional", [True, False])
def test_alibi(positions, bidirectional):
    distance = distance_of(positions)
    table = -per_head(SLOPES) * (distance.abs() if bidirectional else distance)
    assert_adds(flex.alibi(SLOPES, *POSITIONS[positions], bidirectional=bidirectional), table)


@pytest.mark.parametrize("positions", WHOLE)
def test_from_distance_table(positions):
    table, distance = normal(H, 30, seed=2), distance_of(positions)
    score_mod = flex.from_distance_table(table, -12, *POSITIONS[positions])
    assert_adds(score_mod, table[:, distance[:, 0] + 12].movedim(0, 1))


@pytest.mark.parametrize("positions", WHOLE)
def test_from_bucket_table_reads_the_ends_beyond_its_buckets(positions):
    table, buckets = normal(5, H, seed=2), torch.tensor([3, 1, 0, 2, 4])
    expected = table[buckets[distance_of(positions)[:, 0].clamp(-2, 2) + 2]].movedim(-1, 1)
    assert_adds(flex.from_bucket_table(table, buckets, -2, *POSITIONS[positions]), expected)


@pytest.mark.parametrize("batch", [1, 2])
def test_from_difference(batch):
    at_query, at_key = normal(batch, H, L, seed=3), normal(batch, H, S, seed=4)
    assert_adds(flex.from_difference(at_query, at_key, torch.float64), at_query[..., :, None] - at_key[..., None, :])


@pytest.mark.parametrize("shape", [(L, S), (1, L, S), (2, 1, L, S), (2, H, L, S)])
def test_attend_masks_and_gives_zeros_without_a_key(shape):
    mask = normal(*shape, seed=5) > -0.5
    mask[..., 2, :] = False
    out = attend(None, mask=mask)
    torch.testing.assert_close(out, eager(0.0, mask), atol=1e-12, rtol=0)
    assert (out[:, :, 2] == 0).all()


MODULES = {
    "t5": (lambda: bias.T5RelativePositionBias(H), "table"),
    "t5-small": (lambda: bias.T5RelativePositionBias(H, num_buckets=4, max_distance=3), "table"),
    "alibi": (lambda: bias.ALiBi(H), "arithmetic"),
    "alibi-symmetric": (lambda: bias.ALiBi(H, bidirectional=True), "arithmetic"),
    "kerple": (lambda: bias.KerpleBias(H), "table"),
    "sandwich": (lambda: bias.SandwichBias(H), "table"),
    "continuous": (lambda: bias.ContinuousDistanceBias(H, kind="mlp"), "table"),
}


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("name", [name for name, (_, kind) in MODULES.items() if kind == "arithmetic"])
def test_arithmetic_on_any_positions_adds_the_bias(name, positions):
    assert_score_mod_adds_the_bias(name, positions)


@pytest.mark.parametrize("positions", WHOLE)
@pytest.mark.parametrize("name", [name for name, (_, kind) in MODULES.items() if kind == "table"])
def test_a_table_over_whole_distances_adds_the_bias(name, positions):
    assert_score_mod_adds_the_bias(name, positions)


def assert_score_mod_adds_the_bias(name, positions):
    module, (pos_q, pos_k) = draw_parameters(MODULES[name][0]()), POSITIONS[positions]
    with torch.no_grad():
        assert_adds(module.score_mod(pos_q, pos_k, q=Q), module.score_bias(pos_q, pos_k, q=Q))


@pytest.mark.parametrize("name", ["kerple", "sandwich", "continuous"])
def test_no_table_holds_every_real_distance(name):
    assert MODULES[name][0]().score_mod(*POSITIONS["real"]) is NotImplemented


def test_real_positions_keep_the_dtype_of_the_scores():
    q, k, v = qkv(dtype=torch.float32)
    positions = torch.arange(6) + 0.5
    module = bias.ALiBi(H)
    with torch.no_grad():
        out = attention(q, k, v, module, positions, positions, causal(6), "flex")
        expected = attention(q, k, v, module, positions, positions, causal(6))
    assert out.dtype == torch.float32
    torch.testing.assert_close(out, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", ["alibi", "continuous"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_a_bias_in_low_precision_is_not_rounded(dtype, name):
    """Far out the bias of neighbours differs by less than half precision can tell: float32 scores can."""
    q, k, v = qkv(length=1, keys=6, dtype=dtype)
    positions = torch.tensor([4000]), torch.arange(6) + (3.5 if name == "alibi" else 3)
    module = {"alibi": bias.ALiBi, "continuous": bias.ContinuousDistanceBias}[name](H)
    with torch.no_grad():
        out, exact = (
            attention(*tensors, module, *positions, backend=backend)
            for tensors, backend in (((q, k, v), "flex"), ((q.double(), k.double(), v.double()), "eager"))
        )
    torch.testing.assert_close(out.double(), exact, atol=4 * torch.finfo(dtype).eps + 1e-4, rtol=0)


def test_gradients_on_the_cpu_are_refused_with_a_way_out():
    match = "backend 'flex' gives no gradients on the CPU; use 'eager' or 'sdpa', or torch.no_grad"
    for tensors in ((Q.clone().requires_grad_(), K, V), (Q, K, V.clone().requires_grad_())):
        with pytest.raises(ValueError, match=match):
            attention(*tensors, backend="flex")


# The fused kernel needs a compiler for C++; where there is none, there is nothing to compare.
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)][:1]


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS or ["none"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_compiled_kernel_gives_what_the_unfused_path_gives(compiler):
    if compiler == "none":
        return
    q, k, v = qkv(batch=1, heads=2, length=16, head_dim=16, dtype=torch.float32)
    positions = torch.arange(16)
    score_mod = flex.alibi(torch.tensor([0.5, 0.25]), positions, positions, bidirectional=False)
    options = {"score_mod": score_mod, "mask": causal(16), "scale": 0.25}
    with torch.no_grad():
        expected = flex.attend(q, k, v, **options)
        out = flex.attend(q, k, v, compiled=True, **options)
    torch.testing.assert_close(out, expected, atol=1e-5, rtol=0)
