"""Relative vectors inside the score: equal to the reference, in every backend, dtype, cache and packing."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from nn import relative_cases as cases
from nn.inputs import array, causal, normal, qkv
from nn.options import OPTIONS
from nn.relative_cases import EVERY, build, context_of, expected_bias
from torch.func import functional_call
from torch.utils._python_dispatch import TorchDispatchMode

from pe_course import nn, reference
from pe_course.nn.relative import _content, _sinusoid

BY_SCORE = tuple(name for name in EVERY if name not in ("shaw_values", "shaw_zero", "shaw_wide"))
SINUSOIDS = ("transformer_xl", "transformer_xl_clamped", "xlnet_bi", "xlnet_uni", "xlnet_clamped")

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]

POSITIONS = {
    "full": (torch.arange(7), torch.arange(7)),
    "last_queries": (torch.arange(4, 7), torch.arange(7)),
    "one_query": (torch.tensor([6]), torch.arange(7)),
    "cross": (torch.arange(3), torch.arange(7)),
    "shifted": (torch.arange(100, 103), torch.arange(96, 103)),
    "gaps": (torch.tensor([2, 90]), torch.tensor([0, 5, 30, 31, 90, 120, 121])),
    "per_row": (torch.tensor([[3, 4, 5], [0, 1, 9]]), torch.tensor([[0, 1, 2, 3, 4, 5, 6], [9, 8, 7, 6, 2, 1, 0]])),
    "keys_per_row": (torch.arange(4, 7), torch.tensor([[0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 2, 3, 4]])),
    "whole_floats": (torch.tensor([1.0, 2.0, 5.0]), torch.arange(7.0)),
}


def bias_of(method, pos_q, pos_k, q, k):
    return method.score_bias(pos_q, pos_k, q=q, k=k, context=context_of(method, q, k))


def attend(method, q, k, v, *positions, **options):
    with torch.no_grad():
        return nn.attention(q, k, v, method, *positions, context=context_of(method, q, k), **options)


@pytest.mark.parametrize("where", POSITIONS)
@pytest.mark.parametrize("variant", EVERY)
def test_bias_is_the_reference(variant, where):
    method, (pos_q, pos_k) = build(variant), POSITIONS[where]
    q, k, _ = qkv(length=pos_q.shape[-1], keys=pos_k.shape[-1], kv_heads=2)
    ours = bias_of(method, pos_q, pos_k, q, k)
    np.testing.assert_allclose(array(ours), expected_bias(method, pos_q, pos_k, q, k), atol=1e-10, rtol=0)
    assert ours.dtype == torch.float64


@pytest.mark.parametrize("order", ["by_distance", "by_angles"])
@pytest.mark.parametrize("variant", SINUSOIDS)
def test_both_orders_of_the_sinusoid_give_the_reference(variant, order, monkeypatch):
    method = build(variant)
    monkeypatch.setattr(method, "_by_distance_is_cheaper", lambda *_: order == "by_distance")
    for pos_q, pos_k in POSITIONS.values():
        q, k, _ = qkv(length=pos_q.shape[-1], keys=pos_k.shape[-1])
        expected = expected_bias(method, pos_q, pos_k, q, k)
        np.testing.assert_allclose(array(bias_of(method, pos_q, pos_k, q, k)), expected, atol=1e-10, rtol=0)


def test_many_queries_are_multiplied_by_distance_and_a_decoding_step_by_angles(monkeypatch):
    taken = []
    for name in ("_by_distance", "_by_angles"):
        right = getattr(_sinusoid.SinusoidMethod, name)
        spy = lambda *args, right=right, name=name: taken.append(name) or right(*args)  # noqa: E731  (one spy per name)
        monkeypatch.setattr(_sinusoid.SinusoidMethod, name, spy)
    method = build("transformer_xl", model_dim=64)
    for length in (64, 1):
        q, k, _ = qkv(length=length, keys=64)
        bias_of(method, torch.arange(64 - length, 64), torch.arange(64), q, k)
    assert taken == ["_by_distance", "_by_angles"]


@pytest.mark.parametrize("variant", SINUSOIDS)
def test_sinusoids_take_fractional_and_far_positions(variant):
    method = build(variant)
    q, k, _ = qkv(length=3, keys=4)
    for start in (0.0, 1e6):
        pos_q, pos_k = (
            start + torch.tensor([0.25, 2.5, 3.0]).double(),
            start + torch.tensor([0, 0.5, 2.5, 4.0]).double(),
        )
        expected = expected_bias(method, pos_q, pos_k, q, k)
        np.testing.assert_allclose(array(bias_of(method, pos_q, pos_k, q, k)), expected, atol=1e-10, rtol=0)


@pytest.mark.parametrize("variant", EVERY)
def test_only_distances_matter(variant):
    method = build(variant)
    assert method.shift_invariant and method.needs_content and method.cache_rotated_ok
    q, k, _ = qkv(length=4, keys=5)
    pos_q, pos_k = torch.arange(1, 5), torch.arange(5)
    here, there = bias_of(method, pos_q, pos_k, q, k), bias_of(method, pos_q + 10**6, pos_k + 10**6, q, k)
    torch.testing.assert_close(here, there, atol=1e-12, rtol=0)


@pytest.mark.parametrize("where", ["full", "last_queries", "per_row", "gaps"])
@pytest.mark.parametrize("variant", ["shaw_values", "shaw_zero"])
def test_value_bias_is_the_reference(variant, where):
    method, (pos_q, pos_k) = build(variant), POSITIONS[where]
    probs = torch.softmax(normal(2, 4, pos_q.shape[-1], pos_k.shape[-1]), -1)
    expected = reference.relative.shaw_values(
        *map(array, (probs, method.relative_values, pos_q, pos_k)), **cases.window(method)
    )
    np.testing.assert_allclose(array(method.value_bias(probs, pos_q, pos_k)), expected, atol=1e-10, rtol=0)


def test_attention_with_values_is_the_whole_of_shaw():
    method, (q, k, v) = build("shaw_values"), qkv()
    scores = array(q @ k.mT) * 8**-0.5 + expected_bias(method, torch.arange(6), torch.arange(6), q, k)
    probs = torch.softmax(torch.tensor(scores), -1)
    values = reference.relative.shaw_values(array(probs), array(method.relative_values), np.arange(6), np.arange(6))
    np.testing.assert_allclose(array(attend(method, q, k, v)), array(probs @ v) + values, atol=1e-10, rtol=0)


def test_values_may_have_another_width():
    method = build("shaw_values", value_dim=3)
    q, k, v = qkv()
    assert attend(method, q, k, v[..., :3]).shape == (2, 4, 6, 3)


def test_without_values_shaw_leaves_the_output_alone():
    method = build("shaw")
    assert not method.uses_value_bias and list(method.state_dict()) == ["relative_keys"]
    assert method.value_bias(torch.ones(1, 1, 2, 2), torch.arange(2), torch.arange(2)) is None


@pytest.mark.parametrize("variant", BY_SCORE)
def test_backends_agree(variant):
    method = build(variant)
    q, k, v = qkv(length=24, keys=30, kv_heads=2)
    pos_k = torch.stack((torch.arange(30), torch.arange(30) % 9))
    pos_q, mask = pos_k[:, -24:], causal(24, 30)
    eager = attend(method, q, k, v, pos_q, pos_k, mask=mask)
    for backend in ("sdpa", "flex"):
        other = attend(method, q, k, v, pos_q, pos_k, mask=mask, backend=backend)
        torch.testing.assert_close(other, eager, atol=1e-12, rtol=0)


@pytest.mark.parametrize("variant", ["shaw_values", "shaw_zero", "shaw_wide"])
@pytest.mark.parametrize("backend", ["sdpa", "flex"])
def test_only_the_eager_backend_can_add_to_values(variant, backend):
    with pytest.raises(ValueError, match=f"{backend!r} cannot compute the values' part of ShawRelativePosition"):
        attend(build(variant), *qkv(), backend=backend)


@pytest.mark.parametrize("variant", EVERY)
def test_token_by_token_is_the_full_pass(variant):
    method = build(variant)
    q, k, v = qkv(length=9, kv_heads=2)
    full = nn.attention(q, k, v, method, mask=causal(9))
    for n in range(1, 10):
        step = nn.attention(q[:, :, n - 1 : n], k[:, :, :n], v[:, :, :n], method)
        torch.testing.assert_close(step, full[:, :, n - 1 : n], atol=1e-12, rtol=0)


@pytest.mark.parametrize("variant", SINUSOIDS)
def test_memory_of_an_earlier_segment_is_more_keys(variant):
    method = build(variant)
    q, k, v = qkv(length=8)
    full = nn.attention(q, k, v, method, mask=causal(8))
    second = nn.attention(q[:, :, 5:], k, v, method, mask=causal(3, 8))
    torch.testing.assert_close(second, full[:, :, 5:], atol=1e-12, rtol=0)
    lost = nn.attention(q[:, :, 5:], k, v, method, torch.arange(3), torch.arange(8), mask=causal(3, 8))
    assert (lost - second).abs().max() > 1e-3, "queries counted from 0 would not see the memory as past"


@pytest.mark.parametrize("variant", EVERY)
def test_left_padding_changes_nothing(variant):
    method = build(variant)
    q, k, v = qkv(batch=1, length=5, kv_heads=2)
    alone = nn.attention(q, k, v, method, mask=causal(5))
    padded = [torch.cat((normal(1, t.shape[1], 3, 8, seed=9), t), 2).expand(2, -1, -1, -1) for t in (q, k, v)]
    real = torch.tensor([[False] * 3 + [True] * 5, [True] * 8])
    positions = (real.cumsum(-1) - 1).clamp(min=0)
    mask = causal(8) & real[:, None, None, :]
    together = nn.attention(*padded, method, positions, positions, mask=mask)
    torch.testing.assert_close(together[:1, :, 3:], alone, atol=1e-12, rtol=0)


@pytest.mark.parametrize("variant", EVERY)
def test_packed_documents_are_separate_documents(variant):
    method = build(variant)
    q, k, v = qkv(batch=1, length=9)
    document = torch.tensor([0, 0, 0, 0, 1, 1, 1, 1, 1])
    positions = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3, 4])
    packed = nn.attention(q, k, v, method, positions, positions, mask=document[:, None] == document[None, :])
    for part in (slice(0, 4), slice(4, 9)):
        alone = nn.attention(*(t[:, :, part] for t in (q, k, v)), method)
        torch.testing.assert_close(packed[:, :, part], alone, atol=1e-12, rtol=0)


@pytest.mark.parametrize("variant", EVERY)
def test_every_learned_parameter_has_its_gradient(variant):
    small = {"max_relative_position": 2, "head_dim": 2} if variant.startswith(("shaw", "huang")) else {}
    small = small or {"num_heads": 2, "head_dim": 2, "model_dim": 4}
    small |= {"max_relative_position": 5} if "wide" in variant else {}
    small |= {"max_relative_positions": 6} if variant in ("deberta_c2p", "deberta_p2c") else {}
    method = build(variant, **small)
    q, k, v = (t.requires_grad_() for t in qkv(batch=1, heads=2, kv_heads=1, length=3, keys=4, head_dim=2))
    layer, context = Layer(method), context_of(method, q, k)
    names = [name for name, _ in layer.named_parameters()]

    def run(q, k, v, *parameters):
        return functional_call(layer, dict(zip(names, parameters, strict=True)), (q, k, v, context))

    assert torch.autograd.gradcheck(run, (q, k, v, *layer.parameters()), fast_mode=True)
    run(q, k, v, *layer.parameters()).square().sum().backward()
    unused = [
        name for name, parameter in layer.named_parameters() if parameter.grad is None or not parameter.grad.any()
    ]
    assert not unused, f"parameters without gradient: {unused}"


class Layer(torch.nn.Module):
    """`attention` as a module, so that parameters can be exchanged."""

    def __init__(self, method):
        super().__init__()
        self.method = method

    def forward(self, q, k, v, context):
        return nn.attention(q, k, v, self.method, context=context)


@pytest.mark.parametrize("variant", EVERY)
def test_compiles_without_a_graph_break(variant):
    method = build(variant)
    q, k, v = qkv(length=5, keys=7, kv_heads=2)
    pos_q, pos_k, context = torch.arange(2, 7), torch.arange(7), context_of(method, q, k)
    torch._dynamo.reset()
    compiled = torch.compile(nn.attention, fullgraph=True, backend="eager")
    with torch.no_grad():
        traced = compiled(q, k, v, method, pos_q, pos_k, mask=causal(5, 7), context=context)
        eager = nn.attention(q, k, v, method, pos_q, pos_k, mask=causal(5, 7), context=context)
    torch.testing.assert_close(traced, eager, atol=1e-12, rtol=0)


@pytest.mark.parametrize(("variant", "wrong"), [("shaw_wide", (0, 2)), ("huang_4_wide", (0, 2))])
def test_a_compiled_graph_shows_a_pair_outside_the_table_as_nan(variant, wrong):
    method = build(variant, max_relative_position=1)
    q, k, _ = qkv(length=3)
    torch._dynamo.reset()
    compiled = torch.compile(bias_of, fullgraph=True, backend="eager")
    with torch.no_grad():
        bias = compiled(method, torch.arange(3), torch.arange(3), q, k)
    assert bias[..., wrong[0], wrong[1]].isnan().all() and bias[..., 1, :].isfinite().all()


@pytest.mark.parametrize("variant", EVERY)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_low_precision_rounds_what_is_learned_and_nothing_else(variant, dtype):
    method = build(variant).to(dtype)
    assert all(p.dtype == dtype for p in method.parameters())
    pos_q, pos_k = torch.arange(300, 304), torch.arange(296, 304)
    q, k, v = qkv(length=4, keys=8, dtype=dtype)
    bias = bias_of(method, pos_q, pos_k, q, k)
    assert bias.dtype == torch.float32
    method.double()
    expected = expected_bias(method, pos_q, pos_k, q.double(), k.double())
    np.testing.assert_allclose(array(bias), expected, atol=2e-6 * max(1, np.abs(expected).max()), rtol=0)
    assert attend(method.to(dtype), q, k, v, pos_q, pos_k).dtype == dtype


@pytest.mark.parametrize("variant", EVERY)
def test_float32_is_as_exact_at_a_million_as_at_the_start(variant):
    method = build(variant).float()
    pos_q, pos_k = torch.tensor([10**6 - 2, 10**6]), 10**6 - torch.arange(6).flip(0)
    q, k, _ = qkv(length=2, keys=6, dtype=torch.float32)
    bias = bias_of(method, pos_q, pos_k, q, k)
    method.double()
    expected = expected_bias(method, pos_q, pos_k, q.double(), k.double())
    np.testing.assert_allclose(array(bias), expected, atol=1e-6 * max(1, np.abs(expected).max()), rtol=0)


@pytest.mark.parametrize("variant", EVERY)
def test_autocast_changes_no_bias(variant):
    method = build(variant).float()
    q, k, _ = qkv(dtype=torch.float32)
    positions = torch.arange(6)
    plain = bias_of(method, positions, positions, q, k)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = bias_of(method, positions, positions, q, k)
    torch.testing.assert_close(cast, plain, atol=0, rtol=0)


@pytest.mark.parametrize("variant", EVERY)
def test_only_learned_parameters_are_saved_and_they_load_into_a_module_from_meta(variant):
    method = build(variant)
    assert set(method.state_dict()) == {name for name, _ in method.named_parameters()}
    name, options = cases.VARIANTS[variant]
    with torch.device("meta"):
        empty = nn.build(name, **options)
    loaded = empty.to_empty(device="cpu").double()
    loaded.load_state_dict(method.state_dict())
    q, k, _ = qkv()
    positions = torch.arange(6)
    torch.testing.assert_close(
        bias_of(loaded, positions, positions, q, k), bias_of(method, positions, positions, q, k), atol=0, rtol=0
    )


@pytest.mark.parametrize("name", ["shaw", "huang", "transformer_xl", "xlnet", "deberta"])
def test_build_knows_the_method_and_starts_it_near_no_position(name):
    torch.manual_seed(0)
    method = nn.build(name, **OPTIONS[name]).double()
    q, k, _ = qkv()
    assert bias_of(method, torch.arange(6), torch.arange(6), q, k).abs().max() < 1.0


def test_multiplying_methods_start_as_no_position():
    for number in (1, 2, 3):
        method = nn.build("huang", max_relative_position=3, head_dim=8, method=number)
        q, k, _ = qkv()
        assert not bias_of(method, torch.arange(6), torch.arange(6), q, k).any()


@pytest.mark.parametrize("variant", ["shaw_wide", "huang_4_wide"])
def test_a_distance_without_a_row_is_refused(variant):
    method = build(variant, max_relative_position=4)
    q, k, _ = qkv()
    with pytest.raises(IndexError, match=r"position = -5 is outside the table's window -4…4"):
        bias_of(method, torch.arange(6), torch.zeros(6, dtype=torch.long), q, k)


class LargestTensor(TorchDispatchMode):
    """Remembers how many numbers the largest result of an operation holds."""

    numel = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if isinstance(out, torch.Tensor):
            self.numel = max(self.numel, out.untyped_storage().nbytes() // out.element_size())
        return out


@pytest.mark.parametrize("variant", [name for name in EVERY if name != "huang_3"])
def test_no_vector_is_built_for_a_pair(variant):
    options = {"head_dim": 64} if variant.startswith(("shaw", "huang")) else {"head_dim": 64, "model_dim": 12}
    if variant in ("deberta_c2p", "deberta_p2c", "shaw_wide", "huang_4_wide"):
        options |= {"max_relative_positions": 40} if "deberta" in variant else {"max_relative_position": 40}
    method = build(variant, **options)
    q, k, _ = qkv(batch=1, length=40, head_dim=64)
    context, positions = context_of(method, q, k), torch.arange(40)
    with LargestTensor() as largest:
        method.score_bias(positions, positions, q=q, k=k, context=context)
    assert 4 * 40 * 40 <= largest.numel < 40 * 40 * 64 / 2


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("variant", EVERY)
def test_every_device_gives_the_reference(variant, device):
    method = build(variant)
    q, k, v = qkv(length=5, keys=9, kv_heads=2)
    pos_q, pos_k = torch.arange(4, 9), torch.arange(9)
    expected = expected_bias(method, pos_q, pos_k, q, k)
    method, q, k, v, pos_q, pos_k = (x.to(device) for x in (method, q, k, v, pos_q, pos_k))
    bias = bias_of(method, pos_q, pos_k, q, k)
    assert bias.device == q.device and attend(method, q, k, v, pos_q, pos_k).device == q.device
    np.testing.assert_allclose(array(bias.cpu()), expected, atol=1e-10, rtol=0)


def test_a_decoding_step_reads_no_more_rows_than_pairs():
    table, rows = normal(100, 3), torch.tensor([[[7, 7, 99, 0]]])
    few, renumbered = _content.needed_rows(table, rows)
    assert few.shape == (4, 3)
    torch.testing.assert_close(few[renumbered], table[rows], atol=0, rtol=0)
    assert _content.needed_rows(table[:3], rows)[0].shape == (3, 3)


@pytest.mark.parametrize("heads", [2, 4])
def test_deberta_shares_the_projections_of_the_model(heads):
    options = {"max_relative_positions": 4}
    own, shared = build("deberta", **options, key_projection_bias=True), build("deberta", **options, share_att_key=True)
    assert list(shared.state_dict()) == ["rel_embeddings"]
    query, key = (torch.nn.Linear(32, 32, dtype=torch.float64) for _ in range(2))
    grouped = torch.nn.Linear(32, heads * 8, dtype=torch.float64)
    with torch.no_grad():
        for part in ("weight", "bias"):  # each group of query heads repeats one key head
            rows = getattr(grouped, part).unflatten(0, (heads, 8)).repeat_interleave(4 // heads, 0)
            getattr(key, part).copy_(rows.flatten(0, 1))
        shared.rel_embeddings.copy_(own.rel_embeddings)
        own.pos_query_proj.load_state_dict(query.state_dict())
        own.pos_key_proj.load_state_dict(key.state_dict())
    q, k, _ = qkv(kv_heads=heads)
    positions = torch.arange(6)
    for project in (grouped, lambda x: grouped(x)):
        context = {"query_projection": query, "key_projection": project}
        ours = shared.score_bias(positions, positions, q=q, k=k, context=context)
        torch.testing.assert_close(ours, own.score_bias(positions, positions, q=q, k=k), atol=1e-12, rtol=0)


def test_deberta_without_position_terms_is_no_position():
    method, (q, k, v) = build("deberta", pos_att_type=()), qkv()
    assert not method.state_dict() and method.sm_scale(8) == pytest.approx(8**-0.5)
    for backend in ("eager", "sdpa", "flex"):
        torch.testing.assert_close(attend(method, q, k, v, backend=backend), nn.attention(q, k, v), atol=1e-12, rtol=0)


@pytest.mark.parametrize(
    ("largest", "buckets"), [(1, -1), (512, -1), (512, 256), (512, 255), (129, 32), (40, 2), (40, 3), (40, 7), (300, 5)]
)
def test_deberta_rows_are_those_of_the_reference_at_every_distance(largest, buckets):
    method = build("deberta", max_relative_positions=largest, position_buckets=buckets)
    bounds = {"max_relative_positions": largest, "position_buckets": buckets}
    distance = np.unique(np.concatenate((np.arange(-1500, 1501), np.array([-(10**9), -(10**5), 10**5, 10**9]))))
    query, key = np.maximum(distance, 0)[:, None], np.maximum(-distance, 0)[:, None]
    expected = reference.relative.deberta_relative_index(query, key, **bounds)[:, 0, 0]
    assert method._rows_at(torch.tensor(distance)).tolist() == expected.tolist()


def test_deberta_scale_counts_the_terms():
    for kinds, terms in ((("c2p", "p2c"), 3), (("p2c",), 2), ((), 1)):
        method = build("deberta", pos_att_type=kinds)
        assert method.sm_scale(8) == pytest.approx((8 * terms) ** -0.5)
        assert method.sm_scale(2) == pytest.approx((2 * terms) ** -0.5)


def test_xlnet_without_segments_has_no_segment_term():
    method, (q, k, _) = build("xlnet_bi"), qkv()
    positions = torch.arange(6)
    with_term = bias_of(method, positions, positions, q, k)
    without = method.score_bias(positions, positions, q=q, k=k)
    segment = reference.relative.xlnet_segment_scores(
        *map(array, (q, method.segment_bias, method.segment_embeddings, *cases.segments_of(q, k)))
    )
    np.testing.assert_allclose(array(with_term - without), segment * 8**-0.5, atol=1e-12, rtol=0)


def test_xlnet_segments_may_differ_from_row_to_row():
    method, (q, k, _) = build("xlnet_bi"), qkv()
    positions, segments = torch.arange(6), torch.tensor([[0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1]])
    together = method.score_bias(positions, positions, q=q, k=k, context={"segments": (segments, segments)})
    for row in range(2):
        here = slice(row, row + 1)
        context = {"segments": (segments[row], segments[row])}
        alone = method.score_bias(positions, positions, q=q[here], k=k[here], context=context)
        torch.testing.assert_close(together[here], alone, atol=1e-12, rtol=0)


def test_only_the_one_way_xlnet_needs_a_causal_mask():
    assert build("xlnet_uni").causal_only and not build("xlnet_bi").causal_only
