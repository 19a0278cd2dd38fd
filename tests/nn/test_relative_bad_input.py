"""What the relative modules say of wrong input: argument, value and limit."""

from __future__ import annotations

import re

import pytest
import torch
from nn.inputs import qkv

from pe_course import nn

SHAW = {"max_relative_position": 2, "head_dim": 8}
SIZES = {"num_heads": 4, "head_dim": 8}
NO_NUMBER = (True, 2.5, "2", None)


def row(name, options, error, message, why=""):
    changed = ",".join(f"{key}={value!r}" for key, value in options.items())
    return pytest.param(name, options, error, message, id=f"{name}-{changed}{why}")


def _sizes():
    for name, base in (("shaw", SHAW), ("huang", SHAW)):
        for argument, least in (("max_relative_position", 0), ("head_dim", 1)):
            yield row(name, base | {argument: least - 1}, ValueError, f"{argument} must be at least {least}, got")
            for value in NO_NUMBER:
                yield row(
                    name, base | {argument: value}, TypeError, f"{argument} must be a whole number, got {value!r}"
                )
    for name in ("transformer_xl", "xlnet", "deberta"):
        for argument in ("num_heads", "head_dim", "model_dim"):
            least = 2 if argument == "model_dim" and name != "deberta" else 1
            yield row(name, SIZES | {argument: 0}, ValueError, f"{argument} must be at least {least}, got 0")
            value = 2.5 if argument == "model_dim" else None
            yield row(name, SIZES | {argument: value}, TypeError, f"{argument} must be a whole number, got {value!r}")


CONSTRUCTORS = [
    *_sizes(),
    row("shaw", SHAW | {"value_dim": 0}, ValueError, "value_dim must be at least 1, got 0"),
    row("shaw", SHAW | {"value_dim": 1.5}, TypeError, "value_dim must be a whole number, got 1.5"),
    row("shaw", SHAW | {"right_max_position": -1}, ValueError, "right_max_position must be at least 0, got -1"),
    row("shaw", SHAW | {"right_max_position": "1"}, TypeError, "right_max_position must be a whole number, got '1'"),
    row("shaw", SHAW | {"use_values": 1}, TypeError, "use_values must be True or False, got 1"),
    row("shaw", SHAW | {"direction": "left"}, ValueError, "direction must be one of 'key_minus_query'.*got 'left'"),
    row("shaw", SHAW | {"outside": "wrap"}, ValueError, "outside must be one of 'clip', 'zero', 'raise'; got 'wrap'"),
    row("huang", SHAW | {"method": 0}, ValueError, "method must be"),
    row("huang", SHAW | {"method": 5}, ValueError, "method must be one of 1, 2, 3, 4; got 5"),
    row("huang", SHAW | {"method": "4"}, TypeError, "method must be a whole number, got '4'"),
    row("huang", SHAW | {"method": 1, "direction": "x"}, ValueError, "direction must be one of.*got 'x'"),
    row("huang", SHAW | {"outside": "zero"}, ValueError, "outside must be one of 'clip', 'raise'; got 'zero'"),
    *(
        fault
        for name in ("transformer_xl", "xlnet")
        for fault in (
            row(name, SIZES | {"model_dim": 7}, ValueError, "model_dim must be even .*got 7"),
            row(name, {"num_heads": 1, "head_dim": 3}, ValueError, "model_dim must be even .*got 3"),
            row(name, SIZES | {"base": 1}, ValueError, "base must be greater than 1, got 1"),
            row(name, SIZES | {"base": "10000"}, TypeError, "base must be a real number, got '10000'"),
            row(name, SIZES | {"base": float("nan")}, ValueError, "base must be finite, got nan"),
            row(name, SIZES | {"clamp_len": -1}, ValueError, "clamp_len must be greater than 0, got -1"),
            row(name, SIZES | {"clamp_len": 0}, ValueError, "clamp_len must be greater than 0, got 0"),
            row(name, SIZES | {"clamp_len": "4"}, TypeError, "clamp_len must be a real number, got '4'"),
        )
    ),
    row("xlnet", SIZES | {"attn_type": "causal"}, ValueError, "attn_type must be one of 'bi', 'uni'; got 'causal'"),
    row(
        "deberta", SIZES | {"max_relative_positions": 0}, ValueError, "max_relative_positions must be at least 1, got 0"
    ),
    row("deberta", SIZES | {"max_relative_positions": 8.0}, TypeError, "max_relative_positions must be a whole number"),
    row("deberta", SIZES | {"position_buckets": 0}, ValueError, "position_buckets must be at least 2, got 0"),
    row("deberta", SIZES | {"position_buckets": -2}, ValueError, "position_buckets must be at least 2, got -2"),
    row(
        "deberta",
        SIZES | {"position_buckets": 64, "max_relative_positions": 32},
        ValueError,
        r"max_relative_positions must be at least position_buckets // 2 \+ 2 = 34, got 32",
    ),
    row(
        "deberta", SIZES | {"pos_att_type": ("p2p",)}, ValueError, "pos_att_type must be one of 'c2p', 'p2c'; got 'p2p'"
    ),
    row(
        "deberta", SIZES | {"pos_att_type": "c2p"}, TypeError, "pos_att_type must be a sequence .*got the string 'c2p'"
    ),
    row("deberta", SIZES | {"pos_att_type": ("c2p", "c2p")}, ValueError, "pos_att_type must name each kind once"),
    row("deberta", SIZES | {"share_att_key": "yes"}, TypeError, "share_att_key must be True or False, got 'yes'"),
    row("deberta", SIZES | {"key_projection_bias": 1}, TypeError, "key_projection_bias must be True or False, got 1"),
    row(
        "deberta", SIZES | {"norm_rel_ebd": "rms"}, ValueError, "norm_rel_ebd must be one of 'none', 'layer_norm'; got"
    ),
    row("deberta", SIZES | {"layer_norm_eps": 0.0}, ValueError, "layer_norm_eps must be greater than 0, got 0"),
    row("deberta", SIZES | {"p2c_index": "both"}, ValueError, "p2c_index must be one of 'code', 'paper'; got 'both'"),
]


@pytest.mark.parametrize(("name", "options", "error", "message"), CONSTRUCTORS)
def test_constructor(name, options, error, message):
    with pytest.raises(error, match=message):
        nn.build(name, **options)


METHODS = {"shaw": SHAW, "huang": SHAW, "transformer_xl": SIZES, "xlnet": SIZES, "deberta": SIZES}
NEED_HEADS = ("transformer_xl", "xlnet", "deberta")
WHOLE = ("shaw", "huang", "deberta")
POSITIONS = torch.arange(6)


def calls():
    """Method, arguments that differ from a right call, error, message."""
    q, k, _ = qkv()
    for name in METHODS:
        yield name, {"q": None}, TypeError, "q must be a torch tensor, got NoneType"
        yield name, {"q": q[0]}, ValueError, "q must have 4 axes"
        yield name, {"q": q.long()}, TypeError, "q must be a floating-point tensor, got dtype torch.int64"
        yield name, {"q": q[..., :7]}, ValueError, "q must have 8 channels, the head_dim of the method, got 7"
        yield name, {"q": q[:, :, :0]}, ValueError, "q must have 4 axes .*none of them empty"
        yield name, {"k": k[..., :7]}, ValueError, "k must have 8 channels, the head_dim of the method, got 7"
        yield name, {"k": k[:1]}, ValueError, "q has batch size 2 but k has 1"
        yield name, {"k": k[:, :3]}, ValueError, "q has 4 heads, which is no multiple of the 3 heads of k"
        yield name, {"k": k.to("meta")}, ValueError, "k is on meta but q is on cpu"
        yield name, {"pos_q": POSITIONS[:5]}, ValueError, r"pos_q must have shape \[6\] or \[2, 6\] to fit q, got \[5\]"
        yield name, {"pos_k": POSITIONS[:5]}, ValueError, r"pos_k must have shape \[6\] or \[2, 6\] to fit k, got \[5\]"
        yield name, {"pos_k": POSITIONS.expand(3, 6)}, ValueError, r"pos_k must have shape .*got \[3, 6\]"
        yield name, {"pos_q": [0, 1]}, TypeError, "pos_q must be a torch tensor, got list"
        yield name, {"pos_q": POSITIONS > 2}, TypeError, "pos_q must hold real numbers, got dtype torch.bool"
        yield name, {"pos_k": POSITIONS.to("meta")}, ValueError, "pos_k is on meta but [qk] is on cpu"
        for bad in (float("nan"), float("inf")):
            yield name, {"pos_q": torch.full((6,), bad)}, ValueError, f"pos_q must be finite, got {bad}"
    for name in WHOLE:
        yield name, {"pos_k": POSITIONS - 1}, ValueError, "pos_k must be at least 0, got -1"
        yield name, {"pos_q": POSITIONS + 0.5}, ValueError, "pos_q must be whole numbers, got 0.5"
    for name in NEED_HEADS:
        yield name, {"q": q[:, :2], "k": k[:, :2]}, ValueError, "q has 2 heads but the method has 4"
    for name in ("huang", *NEED_HEADS):
        yield name, {"k": None}, TypeError, "k must be a torch tensor, got NoneType"
    six, wrong = torch.zeros(6, dtype=torch.long), torch.zeros(5, dtype=torch.long)
    for segments, error, message in (
        (six, TypeError, r"context\['segments'\] must be \(query_segments, key_segments\), got Tensor"),
        ((six,), TypeError, r"context\['segments'\] must be"),
        ((wrong, six), ValueError, r"query_segments must have shape \[6\] or \[2, 6\] to fit q, got \[5\]"),
        ((six, wrong), ValueError, r"key_segments must have shape \[6\] or \[2, 6\] to fit k, got \[5\]"),
        ((six, six.float()), TypeError, "key_segments must hold whole numbers, got dtype torch.float32"),
        ((six, [0] * 6), TypeError, "key_segments must be a torch tensor, got list"),
    ):
        yield "xlnet", {"context": {"segments": segments}}, error, message


@pytest.mark.parametrize("hook", ["score_bias", "score_mod"])
@pytest.mark.parametrize(
    ("name", "changed", "error", "message"),
    [pytest.param(*call, id=f"{call[0]}-{','.join(call[1])}-{number}") for number, call in enumerate(calls())],
)
def test_hooks(name, changed, error, message, hook):
    if hook == "score_mod" and "context" in changed:
        hook = "score_bias"  # XLNet has no score_mod, so that nothing reads the segments there
    q, k, _ = qkv()
    method = nn.build(name, **METHODS[name])
    call = {"pos_q": POSITIONS, "pos_k": POSITIONS, "q": q, "k": k} | changed
    with pytest.raises(error, match=message):
        getattr(method, hook)(**call)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"pos_q": POSITIONS - 1}, ValueError, "pos_q must be at least 0, got -1"),
        ({"pos_k": POSITIONS * 0.5}, ValueError, "pos_k must be whole numbers, got 0.5"),
        ({"pos_q": POSITIONS[:4]}, ValueError, r"probs must have shape \[B, H, 4, 6\] to fit the positions"),
        ({"pos_k": POSITIONS.expand(3, 6)}, ValueError, r"probs must have shape \[3, H, 6, 6\] to fit the positions"),
        ({"probs": torch.ones(6, 6)}, ValueError, r"probs must have shape \[B, H, 6, 6\] .*got \[6, 6\]"),
        ({"probs": [[1.0]]}, TypeError, "probs must be a torch tensor, got list"),
    ],
)
def test_value_bias(changed, error, message):
    method = nn.build("shaw", **SHAW)
    call = {"probs": torch.ones(2, 4, 6, 6), "pos_q": POSITIONS, "pos_k": POSITIONS} | changed
    with pytest.raises(error, match=message):
        method.value_bias(**call)


@pytest.mark.parametrize("name", ["shaw", "huang"])
def test_a_pair_without_a_row(name):
    q, k, _ = qkv()
    method = nn.build(name, **SHAW, outside="raise")
    message = re.escape("key position - query position = 3 is outside the table's window -2…2")
    for hook in (method.score_bias, *((method.value_bias,) if name == "shaw" else ())):
        call = {"q": q, "k": k} if hook == method.score_bias else {"probs": torch.ones(2, 4, 6, 6)}
        with pytest.raises(IndexError, match=message):
            hook(pos_q=POSITIONS, pos_k=POSITIONS, **call)


@pytest.mark.parametrize("part", ["query", "key"])
@pytest.mark.parametrize(
    ("projection", "error", "message"),
    [
        (None, ValueError, r"share_att_key needs context\['{part}_projection'\]"),
        (3, TypeError, r"context\['{part}_projection'\] must be callable, got int"),
        (torch.nn.Linear(32, 16), ValueError, "{part}_projection must give 4 heads of width 8, got 16 channels"),
    ],
)
def test_shared_projections(part, projection, error, message):
    q, k, _ = qkv()
    method = nn.build("deberta", **SIZES, share_att_key=True)
    context = {f"{name}_projection": torch.nn.Linear(32, 32) for name in ("query", "key")}
    with pytest.raises(error, match=message.format(part=part)):
        method.score_bias(POSITIONS, POSITIONS, q=q, k=k, context=context | {f"{part}_projection": projection})
