"""The additive biases as modules: the reference's numbers, in every dtype, backend and batch a model may have."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from nn.inputs import BACKENDS, array, causal, draw_parameters, normal, qkv

from pe_course.nn import attention, bias
from pe_course.reference import attention as reference_attention
from pe_course.reference import bias as reference

H = 4


def layers(network):
    return [(array(layer.weight), array(layer.bias)) for layer in network.layers]


def curve_values(module):
    return {name: array(value) for name, value in module.curve.values().items()}


def heads_first(bias_of_distance, pos_q, pos_k):
    """[H, …] per distance to [H, L, S] or [B, H, L, S]."""
    distance = np.asarray(pos_q)[..., :, None] - np.asarray(pos_k)[..., None, :]
    return np.moveaxis(bias_of_distance(distance), 0, -3)


def per_head(function, **values):
    """``function`` of one head's parameters, for all heads."""
    return lambda d: np.stack([function(d, *numbers) for numbers in zip(*values.values(), strict=True)])


def kerple_expected(m, pos_q, pos_k):
    function = {"log": reference.kerple_log, "three_parameter": reference.kerple_three_parameter}.get(m.kind)
    function = function or reference.kerple_power
    return heads_first(lambda d: function(d, **curve_values(m), minimum=None), pos_q, pos_k)


def continuous_expected(m, pos_q, pos_k):
    if m.kind == "mlp":
        options = {"activation": m.curve.activation, "log_distance": m.log_distance}
        return heads_first(lambda d: reference.mlp_distance_bias(d, layers(m.curve), **options), pos_q, pos_k)
    function = {
        "linear": reference.linear_distance_bias,
        "log": reference.log_distance_bias,
        "exp": reference.exponential_distance_bias,
        "gaussian": reference.gaussian_distance_bias,
    }[m.kind]
    return heads_first(per_head(function, **curve_values(m)), pos_q, pos_k)


def t5_expected(m, pos_q, pos_k):
    table = array(m.relative_attention_bias.weight)
    return reference.t5_bias(table, pos_q, pos_k, bidirectional=m.bidirectional, max_distance=m.max_distance)


def alibi_expected(m, pos_q, pos_k):
    slopes = reference.alibi_slopes(m.num_heads, alibi_bias_max=m.alibi_bias_max, rule=m.rule) * m.bias_scale
    return reference.alibi_bias(pos_q, pos_k, slopes, form="symmetric" if m.bidirectional else "causal")


def sandwich_expected(**options):
    return lambda m, pos_q, pos_k: reference.sandwich_bias(pos_q, pos_k, m.num_heads, **options)


def fire_expected(m, pos_q, pos_k):
    threshold = abs(m.L_multiplier.item() * m.init_L)
    return reference.fire_bias(pos_q, pos_k, layers(m.network), c=m.c.item(), threshold=threshold, eps=m.eps)


NEMO = {"dim": 10, "index_start": 1, "bidirectional": False}
GYM = {"dim": 6, "base": 500.0, "subtract_constant": False}

CASES = {
    "t5": (lambda: bias.T5RelativePositionBias(H), t5_expected),
    "t5-causal": (lambda: bias.T5RelativePositionBias(H, bidirectional=False), t5_expected),
    "t5-small": (lambda: bias.T5RelativePositionBias(H, num_buckets=6, max_distance=9), t5_expected),
    "alibi": (lambda: bias.ALiBi(H), alibi_expected),
    "alibi-symmetric": (lambda: bias.ALiBi(H, bidirectional=True), alibi_expected),
    "alibi-12-heads": (lambda: bias.ALiBi(12, alibi_bias_max=6), alibi_expected),
    "alibi-geometric": (lambda: bias.ALiBi(12, rule="geometric", bias_scale=8**-0.5), alibi_expected),
    "kerple-log": (lambda: bias.KerpleBias(H), kerple_expected),
    "kerple-power": (lambda: bias.KerpleBias(H, kind="power"), kerple_expected),
    "kerple-three": (lambda: bias.KerpleBias(H, kind="three_parameter"), kerple_expected),
    "sandwich": (lambda: bias.SandwichBias(H), sandwich_expected()),
    "sandwich-nemo": (lambda: bias.SandwichBias(H, **NEMO), sandwich_expected(**NEMO)),
    "sandwich-gym": (lambda: bias.SandwichBias(H, **GYM), sandwich_expected(**GYM)),
    "fire": (lambda: bias.FIRE(H), fire_expected),
    "fire-short": (lambda: bias.FIRE(H, init_L=3.0, mlp_width=5, eps=0.1), fire_expected),
    "linear": (lambda: bias.ContinuousDistanceBias(H), continuous_expected),
    "log": (lambda: bias.ContinuousDistanceBias(H, kind="log"), continuous_expected),
    "exp": (lambda: bias.ContinuousDistanceBias(H, kind="exp"), continuous_expected),
    "gaussian": (lambda: bias.ContinuousDistanceBias(H, kind="gaussian"), continuous_expected),
    "mlp": (lambda: bias.ContinuousDistanceBias(H, kind="mlp"), continuous_expected),
    "mlp-log": (
        lambda: bias.ContinuousDistanceBias(H, kind="mlp", log_distance=True, mlp_depth=1, activation="relu"),
        continuous_expected,
    ),
}
OF_POSITIONS = list(CASES)
CONTENT = {
    "cope": lambda: bias.CoPE(5, 8),
    "cope-nodiv": lambda: bias.CoPE(20, 8, nodiv=True),
    "forgetting": lambda: bias.ForgettingGate(32, H, init_bias=1.0),
}
ALL = [*CASES, *CONTENT]

POSITIONS = {
    "plain": (np.arange(6), np.arange(6)),
    "decode": (np.array([9]), np.arange(10)),
    "far": (np.array([0, 500, 100_000]), np.array([7, 99_999, 3, 40, 91])),
    "rows": (np.array([[3, 4], [0, 1]]), np.array([[0, 1, 2, 3, 4], [5, 0, 2, 1, 130]])),
}
FRACTIONS = (np.array([-2.5, 0.25, 1e6 + 0.1]), np.array([0.0, 1.75, 1e6 + 7.3]))
NOT_WHOLE = [name for name in OF_POSITIONS if not name.startswith("t5")]


def make(name):
    """The case with weights off their start, in float64."""
    return draw_parameters((CASES[name][0] if name in CASES else CONTENT[name])())


def heads_of(module):
    return getattr(module, "num_heads", H)


def context_for(tokens, batch=2, seed=7):
    return {"hidden": normal(batch, tokens, 32, seed=seed)}


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("name", OF_POSITIONS)
def test_score_bias_is_the_reference(name, positions):
    module, (pos_q, pos_k) = make(name), POSITIONS[positions]
    found = array(
        module.score_bias(torch.tensor(pos_q), torch.tensor(pos_k), q=torch.zeros(1, heads_of(module), 1, 8).double())
    )
    expected = CASES[name][1](module, pos_q, pos_k)
    expected = expected if expected.ndim == 4 else expected[None]
    assert found.shape == expected.shape and found.dtype == np.float64
    np.testing.assert_allclose(found, expected, atol=1e-10, rtol=1e-12)


@pytest.mark.parametrize("name", NOT_WHOLE)
def test_fractions_and_negative_positions_are_distances_too(name):
    module, (pos_q, pos_k) = make(name), FRACTIONS
    found = array(
        module.score_bias(torch.tensor(pos_q), torch.tensor(pos_k), q=torch.zeros(1, heads_of(module), 1, 8).double())
    )
    np.testing.assert_allclose(found[0], CASES[name][1](module, pos_q, pos_k), atol=1e-10, rtol=1e-12)


@pytest.mark.parametrize("name", OF_POSITIONS)
def test_positions_may_differ_per_row_on_one_side_only(name):
    module = make(name)
    one, rows = torch.tensor([4, 9]), torch.tensor([[0, 1, 7], [3, 4, 5]])
    both = module.score_bias(one.expand(2, 2), rows)
    torch.testing.assert_close(module.score_bias(one, rows), both, atol=0, rtol=0)
    torch.testing.assert_close(module.score_bias(one[None], rows), both, atol=0, rtol=0)
    torch.testing.assert_close(module.score_bias(rows, one), module.score_bias(rows, one.expand(2, 2)), atol=0, rtol=0)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", OF_POSITIONS)
def test_dtype_of_the_positions_changes_nothing(name, dtype):
    module, positions = make(name), torch.tensor([0, 200, 3])
    expected = module.score_bias(positions, positions)
    torch.testing.assert_close(
        module.score_bias(positions.to(dtype), positions.to(dtype)), expected, atol=1e-10, rtol=1e-12
    )


# The methods one by one.


def test_alibi_of_eight_heads():
    module = bias.ALiBi(8)
    assert module.slopes.tolist() == [2.0**-h for h in range(1, 9)]
    found = module.score_bias(torch.arange(3), torch.arange(3))[0, 0]
    assert found.tolist() == [[0, 0.5, 1.0], [-0.5, 0, 0.5], [-1.0, -0.5, 0]], "positive for future keys"
    assert module.causal_only and not bias.ALiBi(8, bidirectional=True).causal_only


def test_alibi_of_falcon_is_scaled():
    plain, falcon = bias.ALiBi(4), bias.ALiBi(4, bias_scale=0.25)
    torch.testing.assert_close(falcon.slopes, plain.slopes / 4)


def test_alibi_is_exact_at_distance_257_in_bfloat16():
    module = bias.ALiBi(8).to(torch.bfloat16)
    found = module.score_bias(torch.tensor([257]), torch.tensor([0]), q=torch.zeros(1, 8, 1, 8, dtype=torch.bfloat16))
    assert found.dtype == torch.float32
    assert found.flatten().tolist() == [-257 * 2.0**-h for h in range(1, 9)]


def test_t5_has_no_factor_before_the_bias():
    module = make("t5-causal")
    q, k, v = qkv()
    expected = reference_attention.attention(
        *map(array, (q, k, v)), bias=np.broadcast_to(t5_expected(module, np.arange(6), np.arange(6)), (2, H, 6, 6)),
        mask=causal(6).numpy(), scale=1.0,
    )  # fmt: skip
    assert module.sm_scale(64) == 1.0
    for backend in BACKENDS:
        with torch.no_grad():
            out = attention(q, k, v, module, mask=causal(6), backend=backend)
        np.testing.assert_allclose(array(out), expected, atol=1e-12)


def test_t5_loads_the_table_of_a_checkpoint():
    module, table = bias.T5RelativePositionBias(H), normal(32, H)
    module.load_state_dict({"relative_attention_bias.weight": table})
    found = module.double().score_bias(torch.tensor([0]), torch.tensor([0, 1]))[0, :, 0]
    torch.testing.assert_close(found, torch.stack((table[0], table[17]), -1))


def test_t5_keeps_a_table_of_its_buckets_and_none_of_the_positions():
    module = bias.T5RelativePositionBias(H)
    assert module.buckets.shape == (2 * 91 + 1,)
    far = module.score_bias(torch.tensor([10**12]), torch.tensor([0, 10**12 - 91, 10**12 - 90, 10**12]))[0, :, 0]
    assert torch.equal(far[:, 0], far[:, 1]) and not torch.equal(far[:, 1], far[:, 2])


def test_t5_future_keys_share_bucket_zero_in_a_decoder():
    found = make("t5-causal").score_bias(torch.tensor([2]), torch.arange(9))[0, :, 0]
    assert (found[:, 3:] == found[:, 2:3]).all() and (found[:, 0] != found[:, 2]).all()


def test_whole_distances_are_evaluated_once_each(monkeypatch):
    seen, right = [], bias.SandwichBias.of_distance
    monkeypatch.setattr(
        bias.SandwichBias, "of_distance", lambda self, d, dtype: seen.append(d.numel()) or right(self, d, dtype)
    )
    bias.SandwichBias(H).score_bias(torch.arange(50), torch.arange(50))
    bias.SandwichBias(H).score_bias(torch.tensor([10**9]), torch.tensor([0, 10**9]))
    assert seen == [99, 2], "at most L + S - 1, and never more than there are pairs"


def test_kerple_starts_where_the_released_code_does():
    torch.manual_seed(0)
    log, power = bias.KerpleBias(400).curve.values(), bias.KerpleBias(400, kind="power").curve.values()
    for values, highest in ((log["r1"], 2), (log["r2"], 1), (power["r1"], 1), (power["r2"], 2)):
        assert 0.0099 < values.min() < 0.05 * highest and 0.95 * highest < values.max() < highest
    three = bias.KerpleBias(8, kind="three_parameter").double().curve.values()
    np.testing.assert_allclose(array(three["b"]), reference.alibi_slopes(8), rtol=1e-6)
    np.testing.assert_allclose(array(three["a"]), 1.0, rtol=1e-6)
    np.testing.assert_allclose(array(three["p"]), 1.0, rtol=1e-6)


@pytest.mark.parametrize("kind", ["log", "power", "three_parameter"])
def test_kerple_parameters_cannot_leave_their_limits(kind):
    module = bias.KerpleBias(2, kind=kind)
    for raw in (-40.0, 40.0):
        for parameter in module.parameters():
            torch.nn.init.constant_(parameter, raw)
        values = module.curve.values(torch.float64)
        assert all((value > 0).all() for value in values.values())
        assert kind != "power" or (values["r2"] <= 2).all()


def test_initial_values_are_taken_per_head():
    module = bias.KerpleBias(3, initial={"r1": [0.5, 1.0, 1.5], "r2": 0.25})
    np.testing.assert_allclose(array(module.curve.values()["r1"]), [0.5, 1.0, 1.5], rtol=1e-6)
    np.testing.assert_allclose(array(module.curve.values()["r2"]), 0.25, rtol=1e-6)


@pytest.mark.parametrize(("kind", "expected"), [
    ("linear", {"slope": 0.5}),
    ("log", {"scale": 1.0, "rate": 1.0}),
    ("exp", {"height": 1.0, "length": 1.0}),
    ("gaussian", {"height": 1.0, "width": 1.0}),
])  # fmt: skip
def test_continuous_curves_start_as_the_reference_does(kind, expected):
    values = bias.ContinuousDistanceBias(2, kind=kind).curve.values()
    assert list(values) == list(expected)
    for name, number in expected.items():
        np.testing.assert_allclose(array(values[name]), number, rtol=1e-6)


def test_the_lectures_example():
    found = bias.ContinuousDistanceBias(1).score_bias(torch.arange(3), torch.arange(3))
    expected = [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
    torch.testing.assert_close(found[0, 0], torch.tensor(expected))


def test_the_network_of_a_continuous_bias_has_its_depth():
    module = bias.ContinuousDistanceBias(H, kind="mlp", mlp_width=7, mlp_depth=3)
    assert [tuple(layer.weight.shape) for layer in module.curve.layers] == [(7, 1), (7, 7), (7, 7), (H, 7)]


def test_fire_starts_where_the_listing_does():
    module = bias.FIRE(H)
    assert module.c.item() == pytest.approx(0.1) and module.L_multiplier.item() == 1.0 and module.init_L == 512
    assert [tuple(layer.weight.shape) for layer in module.network.layers] == [(32, 1), (H, 32)]


def test_fire_needs_the_true_positions_beyond_its_threshold():
    module = draw_parameters(bias.FIRE(H, init_L=6.0))
    with torch.no_grad():
        module.L_multiplier.fill_(1.0)
    near, far = (module.score_bias(torch.tensor([p]), torch.tensor([p - 2])) for p in (4, 40))
    same = module.score_bias(torch.tensor([5]), torch.tensor([3]))
    torch.testing.assert_close(near, same, atol=1e-12, rtol=0)
    assert (near - far).abs().max() > 1e-3


def cope_expected(module, q, k, mask, gate_keys=None):
    """The bias after the factor: the released logits without the plain score."""
    options = {"nodiv": module.nodiv, "gate_keys": None if gate_keys is None else array(gate_keys)}
    mask = np.broadcast_to(mask, (*q.shape[:3], k.shape[2]))
    logits = reference.cope_logits(array(q), array(k), array(module.position_table), mask, **options)
    return logits - array(q @ k.mT) / q.shape[-1] ** 0.5


@pytest.mark.parametrize("name", ["cope", "cope-nodiv"])
def test_cope_is_the_reference(name):
    module, (q, k, _) = make(name), qkv()
    for context, mask in (({"mask": causal(6)}, causal(6)), (None, causal(6))):
        found = module.score_bias(torch.arange(6), torch.arange(6), q=q, k=k, context=context)
        np.testing.assert_allclose(array(found), cope_expected(module, q, k, mask.numpy()), atol=1e-10)


def test_cope_counts_only_what_the_mask_allows():
    module, (q, k, _) = make("cope-nodiv"), qkv()
    mask = causal(6) & (torch.arange(6) != 2)
    found = module.score_bias(torch.arange(6), torch.arange(6), q=q, k=k, context={"mask": mask})
    np.testing.assert_allclose(array(found), cope_expected(module, q, k, mask.numpy()), atol=1e-10)
    changed = k.clone()
    changed[:, :, 2] += 1
    again = module.score_bias(torch.arange(6), torch.arange(6), q=q, k=changed, context={"mask": mask})
    torch.testing.assert_close(again, found, atol=1e-12, rtol=0)


def test_cope_does_not_count_the_future_even_where_the_mask_would_allow_it():
    module, (q, k, _) = make("cope-nodiv"), qkv()
    everything = torch.ones(6, 6, dtype=torch.bool)
    found = module.score_bias(torch.arange(6), torch.arange(6), q=q, k=k, context={"mask": everything})
    np.testing.assert_allclose(array(found), cope_expected(module, q, k, causal(6).numpy()), atol=1e-10)


def test_cope_shares_keys_and_takes_other_gate_keys():
    module, (q, k, _) = make("cope"), qkv(kv_heads=2)
    gate_keys = normal(2, 2, 6, 8, seed=9)
    full_k, full_gate_keys = k.repeat_interleave(2, 1), gate_keys.repeat_interleave(2, 1)
    context = {"mask": causal(6), "gate_keys": gate_keys}
    found = module.score_bias(torch.arange(6), torch.arange(6), q=q, k=k, context=context)
    expected = cope_expected(module, q, full_k, causal(6).numpy(), full_gate_keys)
    np.testing.assert_allclose(array(found), expected, atol=1e-10)


def test_cope_starts_as_no_position_at_all():
    q, k, v = qkv()
    out = attention(q, k, v, bias.CoPE(5, 8), mask=causal(6))
    torch.testing.assert_close(out, attention(q, k, v, mask=causal(6)), atol=1e-12, rtol=0)


def gates(module, hidden):
    """[B, H, S]"""
    return np.moveaxis(array(hidden) @ array(module.gate.weight).T + array(module.gate.bias), -1, 1)


def test_forgetting_gate_is_the_reference():
    module, context = make("forgetting"), context_for(6)
    found = module.score_bias(torch.arange(6), torch.arange(6), context=context)
    np.testing.assert_allclose(
        array(found), reference.forgetting_gate_bias(gates(module, context["hidden"])), atol=1e-10
    )


def test_forgetting_queries_are_the_last_tokens_or_those_named():
    module, context = make("forgetting"), context_for(6)
    full = module.score_bias(torch.arange(6), torch.arange(6), context=context)
    last = module.score_bias(torch.arange(2), torch.arange(6), context=context)
    torch.testing.assert_close(last, full[:, :, 4:], atol=0, rtol=0)
    named = {**context, "query_indices": torch.tensor([1, 3])}
    found = module.score_bias(torch.arange(2), torch.arange(6), context=named)
    torch.testing.assert_close(found, full[:, :, [1, 3]])
    per_row = {**context, "query_indices": torch.tensor([[1, 3], [0, 5]])}
    found = module.score_bias(torch.arange(2), torch.arange(6), context=per_row)
    torch.testing.assert_close(found, torch.stack((full[0, :, [1, 3]], full[1, :, [0, 5]])))


def test_forgetting_gate_takes_cached_logits():
    module, context = make("forgetting"), context_for(6)
    cached = {"gate_logits": module.gate_logits(context["hidden"])}
    positions = torch.arange(6)
    expected = module.score_bias(positions, positions, context=context)
    torch.testing.assert_close(module.score_bias(positions, positions, context=cached), expected, atol=0, rtol=0)


def test_equal_gates_forget_as_alibi_does():
    module, slope = make("forgetting"), 0.25
    with torch.no_grad():
        module.gate.weight.zero_()
        module.gate.bias.fill_(-np.log(np.expm1(slope)))  # the logit of exp(-slope)
    found = module.score_bias(torch.arange(6), torch.arange(6), context=context_for(6))[0, 0]
    distance = np.arange(6)[:, None] - np.arange(6)
    np.testing.assert_allclose(array(found), -slope * distance, atol=1e-12)


def test_forgetting_gate_keeps_neighbours_apart_after_many_tokens():
    module = bias.ForgettingGate(2, 1, init_bias=-6.0)
    hidden = normal(1, 100_000, 2, dtype=torch.float32)
    last = torch.tensor([99_999])
    found = module.score_bias(last, torch.arange(100_000), context={"hidden": hidden})[0, 0, 0, -3:]
    logits = module.gate_logits(hidden)[0, -2:, 0].double()
    expected = torch.nn.functional.logsigmoid(logits)
    np.testing.assert_allclose(
        array(found), array(torch.stack((expected.sum(), expected[1], expected[1] * 0))), rtol=1e-6
    )


def test_forgetting_gate_starts_near_remembering():
    assert torch.equal(bias.ForgettingGate(32, H).gate.bias.detach(), torch.full((H,), 5.0))


# What every bias must hold, whatever it computes.


@pytest.mark.parametrize("backend", ["sdpa", "flex"])
@pytest.mark.parametrize("name", ALL)
def test_backends_agree_with_grouped_queries(name, backend):
    module = make(name)
    q, k, v = qkv(heads=heads_of(module), kv_heads=2, length=5, keys=7)
    mask, context = causal(5, 7), context_for(7)
    with torch.no_grad():
        expected = attention(q, k, v, module, mask=mask, context=context)
        out = attention(q, k, v, module, mask=mask, context=context, backend=backend)
        plain = attention(q, k, v, mask=mask)
    torch.testing.assert_close(out, expected, atol=1e-12, rtol=0)
    assert (expected - plain).abs().max() > 1e-3, "the method does something"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ALL)
def test_left_padding_changes_nothing(name, backend):
    module = make(name)
    q, k, v = qkv(batch=1, heads=heads_of(module), length=5)
    hidden = context_for(5, batch=1)["hidden"]
    padded = [torch.nn.functional.pad(t, (0, 0, 3, 0), value=0.7) for t in (q, k, v, hidden)]
    positions = torch.tensor([[0, 0, 0, 0, 1, 2, 3, 4]])
    mask = causal(8) & (torch.arange(8) >= 3)
    with torch.no_grad():
        expected = attention(q, k, v, module, mask=causal(5), context={"hidden": hidden})
        out = attention(
            *padded[:3], module, positions, positions, mask=mask, context={"hidden": padded[3]}, backend=backend
        )
    torch.testing.assert_close(out[:, :, 3:], expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ALL)
def test_a_packed_document_comes_out_as_if_alone(name, backend):
    module = make(name)
    q, k, v = qkv(batch=1, heads=heads_of(module), length=7)
    hidden = context_for(7, batch=1)["hidden"]
    positions, documents = torch.tensor([0, 1, 2, 0, 1, 2, 3]), torch.tensor([0, 0, 0, 1, 1, 1, 1])
    mask = causal(7) & (documents[:, None] == documents)
    with torch.no_grad():
        out = attention(q, k, v, module, positions, positions, mask, backend, {"hidden": hidden})
        second = [t[:, :, 3:] for t in (q, k, v)]
        alone = attention(*second, module, mask=causal(4), context={"hidden": hidden[:, 3:]})
    torch.testing.assert_close(out[:, :, 3:], alone, atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", ALL)
def test_token_by_token_is_the_full_pass(name):
    module = make(name)
    q, k, v = qkv(heads=heads_of(module), kv_heads=2, length=7)
    hidden = context_for(7)["hidden"]
    with torch.no_grad():
        full = attention(q, k, v, module, mask=causal(7), context={"hidden": hidden})
        for t in range(7):
            cache = k[:, :, : t + 1], v[:, :, : t + 1]
            positions = torch.tensor([t]), torch.arange(t + 1)
            step = attention(q[:, :, t : t + 1], *cache, module, *positions, context={"hidden": hidden[:, : t + 1]})
            torch.testing.assert_close(step, full[:, :, t : t + 1], atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", ALL)
def test_a_shift_of_all_positions_changes_only_what_says_so(name):
    module = make(name)
    q, k, v = qkv(heads=heads_of(module))
    positions, context = torch.arange(6), context_for(6)
    with torch.no_grad():
        out, shifted = (
            attention(q, k, v, module, positions + s, positions + s, causal(6), context=context) for s in (0, 5000)
        )
    if module.shift_invariant:
        torch.testing.assert_close(shifted, out, atol=1e-12, rtol=0)
    else:
        assert (shifted - out).abs().max() > 1e-6


@pytest.mark.parametrize("name", ALL)
def test_flags(name):
    module = make(name)
    assert module.needs_content == (name in CONTENT)
    assert module.causal_only == (
        name in CONTENT or name == "sandwich-nemo" or name == "t5-causal"
        or (name.startswith("alibi") and name != "alibi-symmetric")
    )  # fmt: skip
    assert module.shift_invariant == (not name.startswith("fire"))
    assert module.cache_rotated_ok and not module.uses_value_bias
    assert module.sm_scale(16) == (1.0 if name.startswith("t5") else 0.25)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("name", ALL)
def test_the_bias_is_float32_whatever_the_dtype_of_the_model(name, dtype):
    """Cast to ``dtype``, a module computes from its rounded weights, and with exact tables, to float32."""
    module = make(name).to(dtype)
    q, k, _ = qkv(heads=heads_of(module), dtype=dtype)
    context = {name: t.to(dtype) for name, t in context_for(6).items()}
    positions = torch.arange(6) * 400
    found = module.score_bias(positions, positions, q=q, k=k, context=context)
    assert found.dtype == torch.float32
    exact = module.double().score_bias(
        positions, positions, q=q.double(), k=k.double(), context={"hidden": context["hidden"].double()}
    )
    torch.testing.assert_close(found.double(), exact, atol=2e-5, rtol=2e-6)
    assert exact.dtype == torch.float64


@pytest.mark.parametrize("name", ALL)
def test_autocast_changes_nothing(name):
    module = make(name).float()
    q, k, _ = qkv(heads=heads_of(module), dtype=torch.float32)
    context, positions = {"hidden": context_for(6)["hidden"].float()}, torch.arange(6)
    expected = module.score_bias(positions, positions, q=q, k=k, context=context)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = module.score_bias(positions, positions, q=q, k=k, context=context)
    torch.testing.assert_close(found, expected, atol=0, rtol=0)


STATE = {
    "t5": ["relative_attention_bias.weight"],
    "alibi": [],
    "kerple-log": ["curve.raw_r1", "curve.raw_r2"],
    "kerple-power": ["curve.raw_r1", "curve.raw_r2"],
    "kerple-three": ["curve.raw_a", "curve.raw_b", "curve.raw_p"],
    "sandwich": [],
    "fire-short": [
        "c",
        "L_multiplier",
        *(f"network.layers.{n}.{part}" for n in range(2) for part in ("weight", "bias")),
    ],
    "linear": ["curve.raw_slope"],
    "log": ["curve.raw_scale", "curve.raw_rate"],
    "exp": ["curve.raw_height", "curve.raw_length"],
    "gaussian": ["curve.raw_height", "curve.raw_width"],
    "mlp-log": [f"curve.layers.{n}.{part}" for n in range(2) for part in ("weight", "bias")],
    "cope": ["position_table"],
    "forgetting": ["gate.weight", "gate.bias"],
}


@pytest.mark.parametrize("name", STATE)
def test_the_state_holds_what_is_learned(name):
    module = make(name)
    assert list(module.state_dict()) == STATE[name] == [key for key, _ in module.named_parameters()]


@pytest.mark.parametrize("name", [name for name, keys in STATE.items() if keys])
def test_gradients_of_every_learned_parameter(name):
    module = make(name)
    q, k, _ = qkv(batch=1, heads=H, kv_heads=2, length=4)
    bias_of = BiasOf(module, torch.arange(4) * 2, q=q, k=k, context={"mask": causal(4), **context_for(4, batch=1)})
    names, values = zip(*bias_of.named_parameters(), strict=True)

    def out(*parameters):
        return torch.func.functional_call(bias_of, dict(zip(names, parameters, strict=True)), ())

    leaves = [value.detach().clone().requires_grad_() for value in values]
    assert torch.autograd.gradcheck(out, leaves, fast_mode=True)
    gradients = torch.autograd.grad(out(*leaves).square().sum(), leaves)
    assert all(gradient.abs().max() > 1e-6 for gradient in gradients), "each parameter takes part"


class BiasOf(torch.nn.Module):
    """The bias as the forward pass of a module, so that parameters can be replaced for one call."""

    def __init__(self, module, positions, **arguments):
        super().__init__()
        self.module, self.positions, self.arguments = module, positions, arguments

    def forward(self):
        return self.module.score_bias(self.positions, self.positions, **self.arguments)


@pytest.mark.parametrize("name", ["cope-nodiv", "forgetting"])
def test_gradients_reach_the_content(name):
    module = make(name)
    q, k, _ = (t.requires_grad_() for t in qkv(batch=1, length=4))
    hidden = normal(1, 4, 32).requires_grad_()

    def out(q, k, hidden):
        return module.score_bias(torch.arange(4), torch.arange(4), q=q, k=k, context={"hidden": hidden})

    assert torch.autograd.gradcheck(out, (q, k, hidden), fast_mode=True)


@pytest.mark.parametrize("name", ALL)
def test_compiles_without_a_graph_break(name):
    module = make(name)
    q, k, v = qkv(heads=heads_of(module), kv_heads=2)
    positions, context = torch.arange(6), context_for(6)

    def call(q, k, v, positions):
        return attention(q, k, v, module, positions, positions, causal(6), context=context)

    torch._dynamo.reset()
    with torch.no_grad():
        out = torch.compile(call, fullgraph=True, backend="eager")(q, k, v, positions)
        torch.testing.assert_close(out, call(q, k, v, positions), atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", ALL)
def test_modules_can_be_built_on_the_meta_device(name):
    built = make(name)
    with torch.device("meta"):
        module = (CASES[name][0] if name in CASES else CONTENT[name])()
    module = module.to_empty(device="cpu").double()
    module.load_state_dict(built.state_dict())
    q, k, _ = qkv(heads=heads_of(module))
    arguments = {"q": q, "k": k, "context": context_for(6)}
    found, expected = (m.score_bias(torch.arange(6), torch.arange(6), **arguments) for m in (module, built))
    torch.testing.assert_close(found, expected, atol=0, rtol=0)
