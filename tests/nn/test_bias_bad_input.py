"""Bad input to the bias modules raises, and says which argument, which value and which limit."""

from __future__ import annotations

import pytest
import torch
from nn.inputs import normal, qkv

from pe_course.nn import bias

NAN, INF = float("nan"), float("inf")
P = torch.arange(3)
Q, K, _ = qkv(length=3, heads=2)
HIDDEN = normal(2, 3, 8)


def built(name, options, error, match):
    return pytest.param(name, options, error, match, id=f"{name}-{match[:45]}")


def number_rows(name, option, options, *, minimum=1):
    """Faults of an argument that counts."""
    return [
        built(name, {**options, option: minimum - 1}, ValueError, f"must be at least {minimum}, got {minimum - 1}"),
        built(name, {**options, option: 2.5}, TypeError, "must be a whole number, got 2.5"),
        built(name, {**options, option: True}, TypeError, "must be a whole number, got True"),
    ]


HEADS = {"num_heads": 2}
WITH_HEADS = (
    "T5RelativePositionBias",
    "ALiBi",
    "KerpleBias",
    "SandwichBias",
    "FIRE",
    "ContinuousDistanceBias",
)
CONSTRUCTORS = [
    *[row for name in WITH_HEADS for row in number_rows(name, "num_heads", {})],
    built("T5RelativePositionBias", HEADS | {"num_buckets": 7}, ValueError, "num_buckets must be even .*, got 7"),
    built("T5RelativePositionBias", HEADS | {"num_buckets": 2}, ValueError, "num_buckets must be at least 4, got 2"),
    built(
        "T5RelativePositionBias",
        HEADS | {"num_buckets": 1, "bidirectional": False},
        ValueError,
        "num_buckets must be at least 2, got 1",
    ),
    built(
        "T5RelativePositionBias", HEADS | {"max_distance": 8}, ValueError, "max_distance must be greater than 8, .* 8"
    ),
    built("T5RelativePositionBias", HEADS | {"max_distance": 9.5}, TypeError, "max_distance must be a whole number"),
    built(
        "T5RelativePositionBias", HEADS | {"bidirectional": 1}, TypeError, "bidirectional must be True or False, got 1"
    ),
    built("T5RelativePositionBias", HEADS | {"init_std": -1.0}, ValueError, "init_std must be at least 0, got -1"),
    built("ALiBi", HEADS | {"alibi_bias_max": 0}, ValueError, "alibi_bias_max must be greater than 0, got 0"),
    built("ALiBi", HEADS | {"alibi_bias_max": NAN}, ValueError, "alibi_bias_max must be finite, got nan"),
    built("ALiBi", HEADS | {"rule": "paper"}, ValueError, "rule must be one of 'official', 'geometric'; got 'paper'"),
    built("ALiBi", HEADS | {"bidirectional": None}, TypeError, "bidirectional must be True or False, got None"),
    built("ALiBi", HEADS | {"bias_scale": 0.0}, ValueError, "bias_scale must be greater than 0, got 0"),
    built("KerpleBias", HEADS | {"kind": "cubic"}, ValueError, "kind must be one of 'log', 'power', .*; got 'cubic'"),
    built(
        "KerpleBias",
        HEADS | {"initial": {"r3": 1.0}},
        ValueError,
        "name in initial must be one of 'r1', 'r2'; got 'r3'",
    ),
    built("KerpleBias", HEADS | {"initial": [1.0]}, TypeError, "initial must map names to numbers, got list"),
    built("KerpleBias", HEADS | {"initial": {"r1": 0.0}}, ValueError, "r1 must be greater than 0, got 0"),
    built("KerpleBias", HEADS | {"initial": {"r1": INF}}, ValueError, "r1 must be finite, got inf"),
    built(
        "KerpleBias", HEADS | {"initial": {"r1": [1.0] * 3}}, ValueError, r"r1 must be one number or one for each of 2"
    ),
    built(
        "KerpleBias",
        HEADS | {"kind": "power", "initial": {"r2": 2.0}},
        ValueError,
        "r2 must be greater than 0 and less than 2, got 2",
    ),
    built("SandwichBias", HEADS | {"dim": 7}, ValueError, "dim must be even because .*, got 7"),
    built("SandwichBias", HEADS | {"base": 1.0}, ValueError, "base must be greater than 1, got 1"),
    built("SandwichBias", HEADS | {"index_start": 2}, ValueError, "index_start must be at most 1, got 2"),
    built(
        "SandwichBias", HEADS | {"subtract_constant": 0}, TypeError, "subtract_constant must be True or False, got 0"
    ),
    built("SandwichBias", HEADS | {"bidirectional": 0}, TypeError, "bidirectional must be True or False, got 0"),
    *number_rows("FIRE", "mlp_width", HEADS),
    built("FIRE", HEADS | {"init_c": 0.0}, ValueError, "init_c must not be 0 because every distance would become 0"),
    built("FIRE", HEADS | {"init_L": 0.0}, ValueError, "init_L must be greater than 0, got 0"),
    built("FIRE", HEADS | {"eps": -1e-6}, ValueError, "eps must be at least 0, got -1e-06"),
    built(
        "ContinuousDistanceBias", HEADS | {"kind": "cubic"}, ValueError, "kind must be one of 'linear', .*; got 'cubic'"
    ),
    built(
        "ContinuousDistanceBias", HEADS | {"initial": {"slope": 0}}, ValueError, "slope must be greater than 0, got 0"
    ),
    built(
        "ContinuousDistanceBias", HEADS | {"initial": {"rate": 1}}, ValueError, "name in initial must be one of 'slope'"
    ),
    built(
        "ContinuousDistanceBias",
        HEADS | {"kind": "mlp", "initial": {}},
        ValueError,
        "initial must be None for kind 'mlp'",
    ),
    *number_rows("ContinuousDistanceBias", "mlp_width", HEADS | {"kind": "mlp"}),
    *number_rows("ContinuousDistanceBias", "mlp_depth", HEADS | {"kind": "mlp"}),
    built(
        "ContinuousDistanceBias",
        HEADS | {"kind": "mlp", "activation": "tanh"},
        ValueError,
        "activation must be one of 'silu', 'relu'; got 'tanh'",
    ),
    built(
        "ContinuousDistanceBias", HEADS | {"log_distance": 1}, TypeError, "log_distance must be True or False, got 1"
    ),
    *number_rows("CoPE", "npos", {"head_dim": 8}),
    *number_rows("CoPE", "head_dim", {"npos": 8}),
    built("CoPE", {"npos": 8, "head_dim": 8, "nodiv": "no"}, TypeError, "nodiv must be True or False, got 'no'"),
    *number_rows("ContinuousDistanceBias", "mlp_width", HEADS | {"kind": "linear"}),
    *number_rows("ContinuousDistanceBias", "mlp_depth", HEADS | {"kind": "log"}),
    built("ContinuousDistanceBias", HEADS | {"activation": "gelu"}, ValueError, "activation must be .* got 'gelu'"),
    *number_rows("ForgettingGate", "dim", HEADS),
    *number_rows("ForgettingGate", "num_heads", {"dim": 8}),
    built("ForgettingGate", HEADS | {"dim": 8, "init_bias": NAN}, ValueError, "init_bias must be finite, got nan"),
]


@pytest.mark.parametrize(("name", "options", "error", "match"), CONSTRUCTORS)
def test_a_constructor_says_what_is_wrong(name, options, error, match):
    with pytest.raises(error, match=match):
        getattr(bias, name)(**options)


METHODS = {
    "t5": bias.T5RelativePositionBias(2),
    "alibi": bias.ALiBi(2),
    "kerple": bias.KerpleBias(2),
    "sandwich": bias.SandwichBias(2),
    "fire": bias.FIRE(2),
    "continuous": bias.ContinuousDistanceBias(2, kind="mlp"),
    "cope": bias.CoPE(4, 8),
    "forgetting": bias.ForgettingGate(8, 2),
}
OF_POSITIONS = [name for name in METHODS if name not in ("cope", "forgetting")]
BAD_POSITIONS = [
    ((P.numpy(), P), TypeError, "pos_q must be a torch tensor, got ndarray"),
    ((P, [0, 1, 2]), TypeError, "pos_k must be a torch tensor, got list"),
    ((P > 0, P), TypeError, "pos_q must hold real numbers, got dtype torch.bool"),
    ((P, P.to(torch.complex64)), TypeError, "pos_k must hold real numbers, got dtype torch.complex64"),
    ((P[:0], P), ValueError, r"pos_q must not be empty, got shape \[0\]"),
    ((P, P[:0]), ValueError, r"pos_k must not be empty, got shape \[0\]"),
    ((torch.tensor([0, NAN]), P), ValueError, "pos_q must be finite, got nan"),
    ((P, torch.tensor([0, INF])), ValueError, "pos_k must be finite, got inf"),
    ((torch.tensor(3), P), ValueError, r"pos_q must have shape \[L\] or \[B, L\], got \[\]"),
    ((P, P.expand(1, 2, 3)), ValueError, r"pos_k must have shape \[S\] or \[B, S\], got \[1, 2, 3\]"),
    ((P.expand(2, 3), P.expand(3, 3)), ValueError, "pos_q has batch size 2 but pos_k has 3"),
    ((P, P.to("meta")), ValueError, "pos_q is on cpu but pos_k is on meta"),
]


@pytest.mark.parametrize(("positions", "error", "match"), BAD_POSITIONS, ids=[row[2][:40] for row in BAD_POSITIONS])
@pytest.mark.parametrize("name", OF_POSITIONS)
def test_bad_positions(name, positions, error, match):
    with pytest.raises(error, match=match):
        METHODS[name].score_bias(*positions)


@pytest.mark.parametrize("hook", ["score_bias", "score_mod"])
@pytest.mark.parametrize(("positions", "match"), [
    ((P + 0.5, P), "pos_q must be whole numbers, got 0.5"),
    ((P, P + 0.5), "pos_k must be whole numbers, got 0.5"),
    ((P - 1, P), "pos_q must be at least 0, got -1"),
    ((P, P - 2.0), "pos_k must be at least 0, got -2"),
])  # fmt: skip
def test_t5_counts_in_whole_positions(hook, positions, match):
    with pytest.raises(ValueError, match=match):
        getattr(METHODS["t5"], hook)(*positions)


@pytest.mark.parametrize("hook", ["score_bias", "score_mod"])
@pytest.mark.parametrize("name", [name for name in METHODS if name != "cope"])
def test_another_number_of_heads_is_not_broadcast(name, hook):
    if hook == "score_mod" and name == "fire":
        assert METHODS[name].score_mod(P, P) is NotImplemented
        return
    for heads in (1, 4):
        with pytest.raises(ValueError, match=f"q has {heads} heads but .* has num_heads 2"):
            getattr(METHODS[name], hook)(P, P, q=torch.zeros(2, heads, 3, 8), context={"hidden": HIDDEN})


@pytest.mark.parametrize("hook", ["score_bias", "score_mod"])
@pytest.mark.parametrize("name", ["hidden", "gate_logits"])
def test_forgetting_gate_has_the_batch_of_the_queries(hook, name):
    context = {name: normal(3, 3, 8 if name == "hidden" else 2)}
    with pytest.raises(ValueError, match=f"{name} has batch size 3 but q has 2"):
        getattr(METHODS["forgetting"], hook)(P, P, q=Q, context=context)


@pytest.mark.parametrize("name", [name for name in METHODS if name != "cope"])
@pytest.mark.parametrize(("q", "error", "match"), [
    (Q.numpy(), TypeError, "q must be a torch tensor, got ndarray"),
    (Q.long(), TypeError, "q must be a floating-point tensor, got dtype torch.int64"),
    (Q[0], ValueError, r"q must have 4 axes .* got shape \(2, 3, 8\)"),
])  # fmt: skip
def test_queries_beside_a_bias(name, q, error, match):
    with pytest.raises(error, match=match):
        METHODS[name].score_bias(P, P, q=q, context={"hidden": HIDDEN})


def test_cope_refuses_what_is_no_tensor():
    with pytest.raises(TypeError, match="gate_keys must be a torch tensor, got ndarray"):
        METHODS["cope"].score_bias(P, P, q=Q, k=K, context={"gate_keys": K.numpy()})


@pytest.mark.parametrize(("arguments", "match"), [
    ({"q": None, "k": K}, "q and k must be given: CoPE counts by their products"),
    ({"q": Q, "k": None}, "q and k must be given: CoPE counts by their products"),
    ({"q": Q[..., :6], "k": K[..., :6]}, "q must have 8 channels, the head_dim of the method, got 6"),
    ({"q": Q, "k": K, "context": {"gate_keys": K[:, :, :2]}}, r"gate_keys must have the shape of k, \[2, 2, 3, 8\]"),
])  # fmt: skip
def test_cope_needs_content(arguments, match):
    with pytest.raises(ValueError, match=match):
        METHODS["cope"].score_bias(P, P, **arguments)


@pytest.mark.parametrize("hook", ["score_bias", "score_mod"])
@pytest.mark.parametrize(("context", "error", "match"), [
    (None, ValueError, "context must hold 'hidden' or 'gate_logits'"),
    ({"mask": None}, ValueError, "context must hold 'hidden' or 'gate_logits'"),
    ({"hidden": HIDDEN.numpy()}, TypeError, "hidden must be a torch tensor, got ndarray"),
    ({"hidden": HIDDEN.long()}, TypeError, "hidden must be a floating-point tensor, got dtype torch.int64"),
    ({"gate_logits": HIDDEN[..., :2] > 0}, TypeError, "gate_logits must be a floating-point tensor, got dtype torch.b"),
    ({"hidden": HIDDEN[0]}, ValueError, r"hidden must have shape \[B, 3, 8\], got \[3, 8\]"),
    ({"hidden": HIDDEN[:, :2]}, ValueError, r"hidden must have shape \[B, 3, 8\], got \[2, 2, 8\]"),
    ({"hidden": HIDDEN[..., :7]}, ValueError, r"hidden must have shape \[B, 3, 8\], got \[2, 3, 7\]"),
    ({"gate_logits": HIDDEN}, ValueError, r"gate_logits must have shape \[B, 3, 2\], got \[2, 3, 8\]"),
    ({"hidden": HIDDEN, "query_indices": P + 1}, IndexError, r"query_indices 3 is outside the table of 3 positions"),
    ({"hidden": HIDDEN, "query_indices": P - 1}, IndexError, r"query_indices -1 is outside the table of 3 positions"),
    ({"hidden": HIDDEN, "query_indices": P + 0.5}, ValueError, "query_indices must be whole numbers, got 0.5"),
    ({"hidden": HIDDEN, "query_indices": P[:2]}, ValueError, r"query_indices must have shape \[3\] or \[B, 3\], got"),
])  # fmt: skip
def test_forgetting_gate_needs_the_tokens(hook, context, error, match):
    with pytest.raises(error, match=match):
        getattr(METHODS["forgetting"], hook)(P, P, context=context)


def test_forgetting_gate_cannot_guess_more_queries_than_tokens():
    with pytest.raises(ValueError, match="query_indices must be given for 4 queries among 3 tokens"):
        METHODS["forgetting"].score_bias(torch.arange(4), P, context={"hidden": HIDDEN})
