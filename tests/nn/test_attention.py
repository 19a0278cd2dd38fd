"""The one function that composes the hooks: what it computes, in every backend, dtype and shape."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from nn.inputs import BACKENDS, array, causal, normal, qkv

from pe_course import nn, reference
from pe_course.nn import base

HALF_PRECISION = (torch.bfloat16, torch.float16)


class FixedBias(base.PositionMethod):
    """A bias given as a table."""

    def __init__(self, table):
        super().__init__()
        self.table = table

    def score_bias(self, pos_q, pos_k, *, q=None, k=None, context=None):
        return self.table


class EveryHook(base.PositionMethod):
    """Rotates nothing, but marks what each hook received."""

    uses_value_bias = True

    def __init__(self):
        super().__init__()
        self.seen = {}

    def rotate(self, q, k, pos_q, pos_k):
        return 2 * q, 3 * k

    def scale_q(self, q, pos_q, kv_len):
        self.seen["kv_len"] = kv_len
        return 5 * q

    def score_bias(self, pos_q, pos_k, *, q=None, k=None, context=None):
        self.seen |= {"q": q, "k": k, "pos_q": pos_q, "pos_k": pos_k, "context": context}
        return (q @ k.mT).square()

    def value_bias(self, probs, pos_q, pos_k):
        return probs.sum(-1, keepdim=True)

    def sm_scale(self, head_dim):
        return 7.0 / head_dim


def run(q, k, v, *arguments, **options):
    with torch.no_grad():
        return nn.attention(q, k, v, *arguments, **options)


@pytest.mark.parametrize("backend", BACKENDS)
def test_without_a_method_it_is_the_reference(backend):
    q, k, v = qkv()
    expected = reference.attention.attention(*map(array, (q, k, v)))
    np.testing.assert_allclose(array(run(q, k, v, backend=backend)), expected, atol=1e-12)


@pytest.mark.parametrize("backend", BACKENDS)
def test_bias_and_mask_enter_as_in_the_reference(backend):
    q, k, v = qkv(length=5, keys=7)
    table, mask = normal(1, 4, 5, 7, seed=3), causal(5, 7)
    expected = reference.attention.attention(*map(array, (q, k, v)), bias=array(table), mask=mask.numpy())
    out = run(q, k, v, FixedBias(table), mask=mask, backend=backend)
    np.testing.assert_allclose(array(out), expected, atol=1e-12)


def test_hooks_are_composed_in_their_order():
    q, k, v = qkv(length=3, keys=5)
    method = EveryHook()
    out = run(q, k, v, method)
    probs = torch.softmax(10 * 3 * (q @ k.mT) * 7 / 8 + (q @ k.mT).square(), -1)
    torch.testing.assert_close(out, probs @ v + 1.0, atol=1e-12, rtol=0)
    assert method.seen["q"] is q and method.seen["k"] is k, "the bias sees q and k neither rotated nor scaled"
    assert method.seen["kv_len"] == 5


def test_positions_left_out_end_with_the_last_key():
    q, k, v = qkv(length=2, keys=5)
    method = EveryHook()
    run(q, k, v, method)
    assert method.seen["pos_q"].tolist() == [3, 4]
    assert method.seen["pos_k"].tolist() == [0, 1, 2, 3, 4]


def test_context_reaches_the_method_with_the_mask():
    q, k, v = qkv()
    method, mask = EveryHook(), causal(6)
    run(q, k, v, method, mask=mask, context={"hidden": "h"})
    assert method.seen["context"]["mask"] is mask
    assert method.seen["context"]["hidden"] == "h"


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_causal_mask_is_added(backend):
    q, k, v = qkv()
    changed = v.clone()
    changed[:, :, -1] += 1
    assert (run(q, k, v, backend=backend) != run(q, k, changed, backend=backend)).all(-1)[:, :, 0].all()


@pytest.mark.parametrize("backend", ["sdpa", "flex"])
@pytest.mark.parametrize(
    "shape", [(5, 7), (1, 7), (5, 1), (1, 5, 7), (4, 5, 7), (2, 1, 5, 7), (2, 4, 5, 7), (2, 1, 1, 7)]
)
@pytest.mark.parametrize("with_bias", [False, True], ids=["plain", "bias"])
def test_masks_of_every_shape_that_broadcasts(shape, with_bias, backend):
    q, k, v = qkv(length=5, keys=7)
    method = FixedBias(normal(1, 4, 5, 7, seed=3)) if with_bias else None
    mask = normal(*shape, seed=5) > -0.3
    expected = run(q, k, v, method, mask=mask.expand(2, 4, 5, 7))
    torch.testing.assert_close(run(q, k, v, method, mask=mask, backend=backend), expected, atol=1e-12, rtol=0)
    torch.testing.assert_close(run(q, k, v, method, mask=mask), expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_grouped_queries_share_their_keys(kv_heads, backend):
    q, k, v = qkv(kv_heads=kv_heads)
    method = FixedBias(normal(1, 4, 6, 6, seed=3))
    repeated = [t.repeat_interleave(4 // kv_heads, 1) for t in (k, v)]
    expected = run(q, *repeated, method)
    torch.testing.assert_close(run(q, k, v, method, backend=backend), expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("with_bias", [False, True], ids=["plain", "bias"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALF_PRECISION], ids=str)
def test_dtype_is_kept_and_the_numbers_are_right(dtype, with_bias, backend):
    q, k, v = qkv(dtype=dtype)
    table = normal(1, 4, 6, 6, seed=3)
    method = FixedBias(table.to(torch.float64 if dtype == torch.float64 else torch.float32)) if with_bias else None
    out = run(q, k, v, method, mask=causal(6), backend=backend)
    assert out.dtype == dtype
    exact = run(q.double(), k.double(), v.double(), FixedBias(table) if with_bias else None, mask=causal(6))
    tolerance = 1e-12 if dtype == torch.float64 else 4 * torch.finfo(dtype).eps
    torch.testing.assert_close(out.double(), exact, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", HALF_PRECISION, ids=str)
def test_a_large_bias_is_not_rounded_to_the_dtype_of_the_queries(dtype, backend):
    """Two keys whose biases differ by 0.5 at -4095: bfloat16 and float16 cannot tell them apart, softmax must."""
    q = torch.zeros(1, 1, 1, 8, dtype=dtype)
    v = torch.tensor([0.0, 1.0], dtype=dtype).view(1, 1, 2, 1)
    method = FixedBias(torch.tensor([-4095.25, -4094.75]).view(1, 1, 1, 2))
    out = run(
        q, torch.zeros(1, 1, 2, 8, dtype=dtype), v, method, mask=torch.ones(1, 2, dtype=torch.bool), backend=backend
    )
    assert abs(out.item() - 1 / (1 + np.exp(-0.5))) < 4e-3


@pytest.mark.parametrize("backend", ["eager", "sdpa"])
def test_autocast_does_not_round_the_bias(backend):
    q = torch.zeros(1, 1, 1, 8)
    v = torch.tensor([0.0, 1.0]).view(1, 1, 2, 1)
    method = FixedBias(torch.tensor([-4095.25, -4094.75]).view(1, 1, 1, 2))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = run(q, torch.zeros(1, 1, 2, 8), v, method, backend=backend)
    assert abs(out.item() - 1 / (1 + np.exp(-0.5))) < 4e-3


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALF_PRECISION], ids=str)
@pytest.mark.parametrize("with_bias", [False, True], ids=["plain", "bias"])
def test_a_query_without_a_key_gives_zeros(with_bias, dtype, backend):
    q, k, v = qkv(dtype=dtype)
    mask = causal(6).expand(2, 1, 6, 6).clone()
    mask[0, :, 2] = False
    method = FixedBias(normal(1, 4, 6, 6, dtype=torch.float64 if dtype == torch.float64 else torch.float32))
    out = run(q, k, v, method if with_bias else None, mask=mask, backend=backend)
    assert (out[0, :, 2] == 0).all()
    assert torch.isfinite(out).all() and (out[1] != 0).all()


@pytest.mark.parametrize("backend", ["eager", "sdpa"])
@pytest.mark.parametrize("with_bias", [False, True], ids=["plain", "bias"])
def test_a_query_without_a_key_leaves_gradients_finite(with_bias, backend):
    leaves = [t.requires_grad_() for t in (*qkv(), normal(1, 4, 6, 6, seed=3))]
    mask = causal(6).expand(2, 1, 6, 6).clone()
    mask[0, :, 2] = False
    method = FixedBias(leaves[3]) if with_bias else None
    out = nn.attention(*leaves[:3], method, mask=mask, backend=backend)
    gradients = torch.autograd.grad(out.square().sum(), leaves if with_bias else leaves[:3])
    assert all(torch.isfinite(gradient).all() for gradient in gradients)
    assert (gradients[0][0, :, 2] == 0).all(), "such a query learns nothing"


def test_gradients_of_sdpa_are_those_of_eager():
    found = {}
    for backend in ("eager", "sdpa"):
        leaves = [t.requires_grad_() for t in (*qkv(kv_heads=2), normal(1, 4, 6, 6, seed=3))]
        out = nn.attention(*leaves[:3], FixedBias(leaves[3]), mask=causal(6), backend=backend)
        found[backend] = torch.autograd.grad(out.square().sum(), leaves)
    for eager, sdpa in zip(found["eager"], found["sdpa"], strict=True):
        torch.testing.assert_close(sdpa, eager, atol=1e-10, rtol=0)


def test_gradients_pass_through_attention():
    q, k, v = (t.requires_grad_() for t in qkv(batch=1, heads=2, kv_heads=1, length=3, head_dim=4))
    table, mask = normal(1, 2, 3, 3).requires_grad_(), causal(3)
    assert torch.autograd.gradcheck(lambda q, k, v, t: nn.attention(q, k, v, FixedBias(t), mask=mask), (q, k, v, table))


def test_a_bias_in_float64_raises_the_precision_of_the_scores():
    q, k, v = qkv(dtype=torch.float32)
    outs = [run(q, k, v, FixedBias(normal(1, 4, 6, 6)), backend=backend) for backend in ("eager", "sdpa")]
    assert all(out.dtype == torch.float32 for out in outs)
    torch.testing.assert_close(outs[0], outs[1], atol=1e-6, rtol=0)


def test_flex_refuses_gradients_on_the_cpu():
    q, k, v = qkv()
    with pytest.raises(ValueError, match="backend 'flex' gives no gradients on the CPU; use 'eager' or 'sdpa'"):
        nn.attention(q.requires_grad_(), k, v, backend="flex")
    method = nn.KerpleBias(4)
    with pytest.raises(ValueError, match="backend 'flex' gives no gradients on the CPU"):
        nn.attention(q.detach(), k, v, method, backend="flex")


def test_flex_runs_without_gradients_on_tensors_that_could_have_them():
    q, k, v = (t.requires_grad_() for t in qkv())
    torch.testing.assert_close(run(q, k, v, backend="flex"), run(q, k, v), atol=1e-12, rtol=0)


@pytest.mark.parametrize("backend", ["sdpa", "flex"])
def test_a_value_bias_is_for_eager_only(backend):
    with pytest.raises(ValueError, match=f"backend '{backend}' cannot compute the values' part of EveryHook"):
        run(*qkv(), EveryHook(), backend=backend)


def test_attention_compiles_without_a_graph_break():
    q, k, v = qkv(kv_heads=2)
    torch._dynamo.reset()
    compiled = torch.compile(nn.attention, fullgraph=True, backend="eager")
    for backend in ("eager", "sdpa"):
        out = compiled(q, k, v, mask=causal(6), backend=backend)
        torch.testing.assert_close(out, nn.attention(q, k, v, mask=causal(6), backend=backend))


Q, K, V = qkv(length=3, keys=4)
ON_META = torch.zeros(2, 4, 4, 8, dtype=torch.float64, device="meta")
P3, P4 = torch.arange(3), torch.arange(4)


def bad(error, match, **changes):
    return pytest.param(changes, error, match, id=f"{'-'.join(changes)}: {match[:50]}")


BAD_INPUT = [
    *[
        row
        for name, tensor in (("q", Q), ("k", K), ("v", V))
        for row in (
            bad(TypeError, f"{name} must be a torch tensor, got ndarray", **{name: tensor.numpy()}),
            bad(TypeError, f"{name} must be a floating-point tensor, got dtype torch.int64", **{name: tensor.long()}),
            bad(ValueError, rf"{name} must have 4 axes \[B, H, L, D\], got shape \(4, ", **{name: tensor[0]}),
            bad(ValueError, f"{name} must not be empty, got shape", **{name: tensor[:, :, :0]}),
        )
    ],
    bad(TypeError, "k has dtype torch.float32 but q has torch.float64", k=K.float()),
    bad(TypeError, "v has dtype torch.bfloat16 but q has torch.float64", v=V.bfloat16()),
    bad(ValueError, "k is on meta but q is on cpu", k=ON_META),
    bad(ValueError, "v is on meta but q is on cpu", v=ON_META),
    bad(ValueError, r"k and v must agree in B, H and S, got shapes \(2, 4, 4, 8\) and \(2, 4, 3, 8\)", v=V[:, :, :3]),
    bad(ValueError, "q has batch size 1 but k has 2", q=Q[:1]),
    bad(ValueError, "q has head_dim 6 but k has 8", q=Q[..., :6]),
    bad(ValueError, "q has 3 heads, which is no multiple of the 4 heads of k", q=Q[:, :3]),
    bad(ValueError, "q has 3 positions but k only 2; pass pos_q and pos_k", k=K[:, :, :2], v=V[:, :, :2]),
    bad(TypeError, "method must be a PositionMethod, got str", method="alibi"),
    bad(
        ValueError,
        "method LearnedPositionalEmbedding is on meta",
        method=nn.LearnedPositionalEmbedding(4, 8).to("meta"),
    ),
    bad(ValueError, "method ALiBi is on meta but q is on cpu", method=nn.ALiBi(4).to("meta")),
    bad(ValueError, r"bias of FixedBias has shape \[2, 3, 4\]", method=FixedBias(normal(2, 3, 4))),
    bad(
        ValueError, r"bias of FixedBias has shape \[1, 2, 3, 4\].*\[2, 4, 3, 4\]", method=FixedBias(normal(1, 2, 3, 4))
    ),
    bad(ValueError, r"backend must be one of .*; got \['eager'\]", backend=["eager"]),
    bad(TypeError, "context must map names to values, got list", context=[1]),
    bad(TypeError, "context must map names to values, got str", context="hidden"),
    bad(ValueError, "q must hold numbers, .* got a tensor on meta", q=ON_META, k=ON_META, v=ON_META),
    bad(ValueError, "pos_q must be finite, got nan", pos_q=P3 * torch.nan, pos_k=P4),
    bad(ValueError, "pos_k must be finite, got inf", method=nn.LogNScaling(8), pos_q=P3, pos_k=P4 + torch.inf),
    bad(ValueError, "backend must be one of 'eager', 'sdpa', 'flex'.*; got 'cuda'", backend="cuda"),
    bad(ValueError, "pos_q and pos_k must be given together", pos_q=P3),
    bad(ValueError, "pos_q and pos_k must be given together", pos_k=P4),
    bad(TypeError, "pos_q must be a torch tensor, got list", pos_q=[0, 1, 2], pos_k=P4),
    bad(TypeError, "pos_k must hold real numbers, got dtype torch.bool", pos_q=P3, pos_k=P4 > 0),
    bad(TypeError, "pos_q must hold real numbers, got dtype torch.complex64", pos_q=P3.to(torch.complex64), pos_k=P4),
    bad(ValueError, r"pos_q must have shape \[3\] or \[2, 3\] to fit q, got \[4\]", pos_q=P4, pos_k=P4),
    bad(ValueError, r"pos_k must have shape \[4\] or \[2, 4\] to fit k, got \[3\]", pos_q=P3, pos_k=P3),
    bad(ValueError, r"pos_q must have shape .*, got \[3, 3\]", pos_q=P3.expand(3, 3), pos_k=P4),
    bad(ValueError, r"pos_k must have shape .*, got \[\]", pos_q=P3, pos_k=torch.tensor(3)),
    bad(ValueError, "pos_k is on meta", pos_q=P3, pos_k=P4.to("meta")),
    bad(TypeError, "mask must be a boolean tensor, True = may attend, got torch.float32", mask=torch.ones(3, 4)),
    bad(TypeError, "mask must be a boolean tensor, True = may attend, got ndarray", mask=np.ones((3, 4), bool)),
    bad(ValueError, "mask must have 2 to 4 axes", mask=torch.ones(4, dtype=torch.bool)),
    bad(ValueError, "mask must have 2 to 4 axes", mask=torch.ones(1, 2, 4, 3, 4, dtype=torch.bool)),
    bad(ValueError, r"mask of shape \(4, 3\) cannot be broadcast to .*\[2, 4, 3, 4\]", mask=causal(3, 4).T),
    bad(ValueError, r"mask of shape \(2, 3, 4\) cannot be broadcast", mask=causal(3, 4).expand(2, 3, 4)),
    bad(ValueError, "mask is on meta but q is on cpu", mask=causal(3, 4).to("meta")),
]


@pytest.mark.parametrize(("changes", "error", "match"), BAD_INPUT)
@pytest.mark.parametrize("backend", BACKENDS)
def test_bad_input_says_what_is_wrong(changes, error, match, backend):
    arguments = {"q": Q, "k": K, "v": V, "backend": backend, **changes}
    with pytest.raises(error, match=match), torch.no_grad():
        nn.attention(**arguments)
