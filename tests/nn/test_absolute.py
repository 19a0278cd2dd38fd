"""Positions at the input as modules: the reference's vectors, added in float32 or better."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from nn.inputs import array, draw_parameters, normal

from pe_course.nn import absolute, attention
from pe_course.reference import absolute as reference

D = 32
X = normal(2, 5, D)
DIRECTION = np.linspace(-1, 1, D)


def sinusoidal(**options):
    """The module and the vectors of the reference."""
    module = absolute.SinusoidalPositionalEncoding(D, **options)
    return module, lambda m, p: reference.sinusoidal_positions(p, D, **options)


def learned(offset):
    module = absolute.LearnedPositionalEmbedding(600, D, offset)
    return module, lambda m, p: reference.learned_positions(p + offset, array(m.weight))


# name: how the module is made with the encoding that it must add.
CASES = {
    "integer": lambda: (absolute.IntegerPositions(), lambda m, p: np.asarray(p, float)[..., None] * np.ones(D)),
    "integer-direction": lambda: (
        absolute.IntegerPositions(direction=DIRECTION),
        lambda m, p: np.asarray(p)[..., None] * DIRECTION,
    ),
    "normalised": lambda: (
        absolute.NormalisedPositions(),
        lambda m, p: p[..., None] / np.maximum(p.max(-1, keepdims=True), 1)[..., None] * np.ones(D),
    ),
    "normalised-length": lambda: (
        absolute.NormalisedPositions(direction=DIRECTION, length=501),
        lambda m, p: reference.normalised_positions(501)[p][..., None] * DIRECTION,
    ),
    "sinusoidal": sinusoidal,
    "sinusoidal-t2t": lambda: sinusoidal(layout="concat", endpoint=True),
    "sinusoidal-base": lambda: sinusoidal(base=500.0),
    "learned": lambda: learned(0),
    "learned-opt": lambda: learned(2),
}
POSITIONS = {
    "plain": np.arange(5),
    "decode": np.array([0, 0, 499, 500, 7]),
    "rows": np.array([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]]),
    "one row": np.array([[0, 1, 2, 3, 4]]),
}


def make(name):
    module, expected = CASES[name]()
    return draw_parameters(module), expected


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("name", CASES)
def test_embed_adds_the_vectors_of_the_reference(name, positions):
    (module, expected), pos = make(name), POSITIONS[positions]
    out = module.embed(X, torch.tensor(pos))
    np.testing.assert_allclose(array(out), array(X) + expected(module, pos), atol=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_inside_attention_they_do_nothing(name):
    module, _ = make(name)
    q, k, v = normal(3, 1, 2, 5, 8)
    assert torch.equal(attention(q, k, v, module), attention(q, k, v))
    assert not module.shift_invariant and not module.needs_content and not module.causal_only


@pytest.mark.parametrize("name", ["integer", "normalised", "normalised-length", "learned"])
def test_whole_positions_may_come_as_floats(name):
    module, _ = make(name)
    positions = torch.arange(5)
    torch.testing.assert_close(module.embed(X, positions.float()), module.embed(X, positions), atol=0, rtol=0)


def test_normalised_positions_of_five_tokens():
    module = absolute.NormalisedPositions()
    out = module.embed(torch.zeros(1, 5, 1), torch.arange(5))
    assert out.flatten().tolist() == reference.normalised_positions(5).tolist()


def test_normalised_positions_span_each_row():
    positions = torch.tensor([[0, 1, 2], [0, 0, 1]])
    out = absolute.NormalisedPositions().embed(torch.zeros(2, 3, 1), positions)[..., 0]
    assert out.tolist() == [[0, 0.5, 1], [0, 0, 1]]
    lone = absolute.NormalisedPositions().embed(torch.zeros(1, 1, 1), torch.tensor([0]))
    assert lone.item() == 0


@pytest.mark.parametrize("cls", ["IntegerPositions", "NormalisedPositions"])
def test_append_adds_a_channel(cls):
    module = getattr(absolute, cls)(combine="append")
    out = module.embed(X, torch.arange(5))
    assert out.shape == (2, 5, D + 1)
    assert torch.equal(out[..., :D], X)
    expected = [0, 1, 2, 3, 4] if cls == "IntegerPositions" else [0, 0.25, 0.5, 0.75, 1]
    assert out[0, :, D].tolist() == out[1, :, D].tolist() == expected


def test_sinusoids_take_any_real_position():
    positions = np.array([-3.5, 0.25, 1e6, -1e6, 2.0])
    module = absolute.SinusoidalPositionalEncoding(D)
    out = module.embed(torch.zeros_like(X), torch.tensor(positions))
    np.testing.assert_allclose(array(out[0]), reference.sinusoidal_positions(positions, D), atol=1e-9)


@pytest.mark.parametrize("position", [4095, 1_000_000, 2**24 + 1])
def test_sinusoids_are_right_to_float32_far_out(position):
    module = absolute.SinusoidalPositionalEncoding(128).to(torch.bfloat16)
    out = module.embed(torch.zeros(1, 1, 128), torch.tensor([position]))
    np.testing.assert_allclose(array(out[0, 0]), reference.sinusoidal_positions(position, 128), atol=1e-7)


def test_token_vectors_are_scaled_before_the_sinusoids_are_added():
    positions = torch.arange(5)
    out = absolute.SinusoidalPositionalEncoding(D, scale_embedding=True).embed(X, positions)
    expected = array(X) * D**0.5 + reference.sinusoidal_positions(np.arange(5), D)
    np.testing.assert_allclose(array(out), expected, atol=1e-12)


def test_sinusoids_can_be_scaled():
    out = absolute.SinusoidalPositionalEncoding(D, encoding_scale=D**-0.5).embed(X, torch.arange(5))
    expected = array(X) + reference.sinusoidal_positions(np.arange(5), D) * D**-0.5
    np.testing.assert_allclose(array(out), expected, atol=1e-12)


def test_the_padding_position_of_fairseq_has_no_vector():
    module = absolute.SinusoidalPositionalEncoding(D, padding_position=1)
    out = module.embed(X, torch.tensor([1, 1, 2, 3, 4]))
    assert torch.equal(out[:, :2], X[:, :2]) and (out[:, 2:] != X[:, 2:]).any()


def test_a_learned_table_loads_as_an_embedding_does():
    embedding = torch.nn.Embedding(600, D)
    module = absolute.LearnedPositionalEmbedding(600, D)
    module.load_state_dict(embedding.state_dict())
    assert torch.equal(module.embed(X.float(), torch.arange(5)), X.float() + embedding(torch.arange(5)))


def test_a_learned_table_has_a_row_per_position_and_the_offset():
    torch.manual_seed(0)
    module = absolute.LearnedPositionalEmbedding(510, D, offset=2)
    assert module.weight.shape == (512, D)
    assert module.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert torch.equal(module.embed(torch.zeros(1, 1, D), torch.tensor([509]))[0, 0], module.weight[511])


def test_small_numpy_integers_do_not_overflow_in_the_size_of_a_table():
    assert absolute.LearnedPositionalEmbedding(510, D, offset=np.int8(2)).weight.shape == (512, D)


@pytest.mark.parametrize("offset", [0, 2])
@pytest.mark.parametrize("position", [-1, 512])
def test_a_learned_table_ends(position, offset):
    module = absolute.LearnedPositionalEmbedding(512, D, offset)
    with pytest.raises(IndexError, match=rf"position {position} is outside the table of 512 positions \(0…511\)"):
        module.embed(X[:, :1], torch.tensor([position]))


def test_gradients_reach_the_table_and_the_tokens():
    module = absolute.LearnedPositionalEmbedding(6, 4).double()
    x, weight = normal(1, 3, 4).requires_grad_(), normal(6, 4).requires_grad_()
    positions = torch.tensor([5, 0, 5])

    def out(x, weight):
        return torch.func.functional_call(Embedding(module), {"module.weight": weight}, (x, positions))

    assert torch.autograd.gradcheck(out, (x, weight))
    gradient = torch.autograd.grad(out(x, weight).sum(), weight)[0]
    assert gradient[:, 0].tolist() == [1, 0, 0, 0, 0, 2]


class Embedding(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x, positions):
        return self.module.embed(x, positions)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_the_sum_is_rounded_once(name, dtype):
    module, _ = make(name)
    module = module.to(dtype)
    x, positions = X.to(dtype), torch.tensor([0, 3, 77, 259, 500])
    out = module.embed(x, positions)
    assert out.dtype == dtype
    exact = module.double().embed(x.double(), positions)
    eps = torch.finfo(dtype).eps
    # A float32 sum that is rounded to bfloat16 may fall on the other side of a tie.
    torch.testing.assert_close(
        out.double(), exact, rtol=0.51 * eps + 2e-7, atol=3e-6 if dtype != torch.float64 else 1e-12
    )


@pytest.mark.parametrize("name", CASES)
def test_a_text_in_two_steps_is_the_full_pass(name):
    module, _ = make(name)
    full = module.embed(X, torch.arange(5))
    steps = torch.cat([module.embed(X[:, :3], torch.arange(3)), module.embed(X[:, 3:], torch.tensor([3, 4]))], 1)
    if name == "normalised":
        assert (steps[:, :3] - full[:, :3]).abs().max() > 0.1, "the share of a text changes with its length"
    else:
        torch.testing.assert_close(steps, full, atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", CASES)
def test_the_state_holds_what_is_learned(name):
    module, _ = make(name)
    expected = ["weight"] if name.startswith("learned") else []
    assert list(module.state_dict()) == [key for key, _ in module.named_parameters()] == expected


@pytest.mark.parametrize("name", CASES)
def test_modules_can_be_built_on_the_meta_device(name):
    built, _ = make(name)
    with torch.device("meta"):
        module = CASES[name]()[0]
    module = module.to_empty(device="cpu").double()
    module.load_state_dict(built.state_dict())
    torch.testing.assert_close(module.embed(X, torch.arange(5)), built.embed(X, torch.arange(5)), atol=0, rtol=0)


@pytest.mark.parametrize("name", CASES)
def test_compiles_without_a_graph_break(name):
    module, _ = make(name)
    torch._dynamo.reset()
    compiled = torch.compile(Embedding(module), fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(X, torch.arange(5)), module.embed(X, torch.arange(5)), atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", CASES)
def test_autocast_changes_nothing(name):
    module, _ = make(name)
    module, x, positions = module.float(), X.float(), torch.tensor([0, 3, 77, 259, 500])
    expected = module.embed(x, positions)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        torch.testing.assert_close(module.embed(x, positions), expected, atol=0, rtol=0)


NAN = float("nan")
P = torch.arange(5)


def row(name, options, error, match):
    return pytest.param(name, options, error, match, id=f"{name}-{match[:45]}")


COUNTED = [
    entry
    for name in ("IntegerPositions", "NormalisedPositions")
    for entry in (
        row(name, {"combine": "multiply"}, ValueError, "combine must be one of 'add', 'append'; got 'multiply'"),
        row(name, {"direction": [[1.0]]}, ValueError, r"direction must have 1 axis, got shape \(1, 1\)"),
        row(name, {"direction": [NAN]}, ValueError, "direction must be finite, got nan"),
        row(name, {"direction": []}, ValueError, "direction must not be empty"),
        row(name, {"direction": ["a"]}, TypeError, "direction must hold real numbers"),
        row(
            name,
            {"combine": "append", "direction": [1.0]},
            ValueError,
            "direction must be None where combine is 'append'",
        ),
    )
]
SINE = "SinusoidalPositionalEncoding"
CONSTRUCTORS = [
    *COUNTED,
    row("NormalisedPositions", {"length": 0}, ValueError, "length must be at least 1, got 0"),
    row("NormalisedPositions", {"length": 2.5}, TypeError, "length must be a whole number, got 2.5"),
    row(SINE, {"dim": 7}, ValueError, "dim must be even because its channels are used in pairs, got 7"),
    row(SINE, {"dim": 0}, ValueError, "dim must be at least 2, got 0"),
    row(SINE, {"dim": 8.0}, TypeError, "dim must be a whole number, got 8.0"),
    row(SINE, {"dim": 8, "base": 1.0}, ValueError, "base must be greater than 1, got 1"),
    row(SINE, {"dim": 8, "base": "e"}, TypeError, "base must be a real number, got 'e'"),
    row(SINE, {"dim": 8, "layout": "half"}, ValueError, "layout must be one of 'interleaved', 'concat'; got 'half'"),
    row(SINE, {"dim": 8, "endpoint": 1}, TypeError, "endpoint must be True or False, got 1"),
    row(SINE, {"dim": 8, "scale_embedding": 5.6}, TypeError, "scale_embedding must be True or False, got 5.6"),
    row(SINE, {"dim": 8, "encoding_scale": NAN}, ValueError, "encoding_scale must be finite, got nan"),
    row(SINE, {"dim": 8, "padding_position": 0.5}, TypeError, "padding_position must be a whole number, got 0.5"),
    row(SINE, {"dim": 8, "padding_position": -1}, ValueError, "padding_position must be at least 0, got -1"),
    *[
        row("LearnedPositionalEmbedding", {"max_position_embeddings": 9, "dim": 8} | options, error, match)
        for options, error, match in (
            ({"max_position_embeddings": 0}, ValueError, "max_position_embeddings must be at least 1, got 0"),
            ({"max_position_embeddings": 2.5}, TypeError, "max_position_embeddings must be a whole number, got 2.5"),
            ({"dim": 0}, ValueError, "dim must be at least 1, got 0"),
            ({"offset": -1}, ValueError, "offset must be at least 0, got -1"),
            ({"offset": True}, TypeError, "offset must be a whole number, got True"),
            ({"init_std": -0.1}, ValueError, "init_std must be at least 0, got -0.1"),
        )
    ],
]


@pytest.mark.parametrize(("name", "options", "error", "match"), CONSTRUCTORS)
def test_a_constructor_says_what_is_wrong(name, options, error, match):
    with pytest.raises(error, match=match):
        getattr(absolute, name)(**options)


INPUTS = [
    ((array(X), P), TypeError, "x must be a torch tensor, got ndarray"),
    ((X.long(), P), TypeError, "x must be a floating-point tensor, got dtype torch.int64"),
    ((X[0], P), ValueError, r"x must have 3 axes \[B, L, D_model\], got shape \[5, 32\]"),
    ((X[:, :0], P), ValueError, r"x must not be empty, got shape \[2, 0, 32\]"),
    ((X, array(P)), TypeError, "pos_q must be a torch tensor, got ndarray"),
    ((X, P > 0), TypeError, "pos_q must hold real numbers, got dtype torch.bool"),
    ((X, P[:4]), ValueError, r"pos_q must have shape \[5\] or \[2, 5\] to fit x, got \[4\]"),
    ((X, P.expand(3, 5)), ValueError, r"pos_q must have shape \[5\] or \[2, 5\] to fit x, got \[3, 5\]"),
    ((X, P.to("meta")), ValueError, "pos_q is on meta but x is on cpu"),
    ((X, P + NAN), ValueError, "must be finite, got nan"),
]


@pytest.mark.parametrize(("arguments", "error", "match"), INPUTS, ids=[entry[2][:45] for entry in INPUTS])
@pytest.mark.parametrize("name", CASES)
def test_bad_input_says_what_is_wrong(name, arguments, error, match):
    module, _ = make(name)
    with pytest.raises(error, match=match):
        module.embed(*arguments)


@pytest.mark.parametrize("name", ["integer-direction", "normalised-length", "sinusoidal", "learned"])
def test_another_width_is_not_broadcast(name):
    module, _ = make(name)
    for width in (1, 16):
        with pytest.raises(ValueError, match=f"x has width {width} but the encoding has 32"):
            module.embed(X[..., :width], P)


@pytest.mark.parametrize("name", ["integer", "normalised", "normalised-length", "learned"])
def test_positions_are_counted_in_whole_numbers(name):
    module, _ = make(name)
    with pytest.raises(ValueError, match=r"must be whole numbers, got 0\.5"):
        module.embed(X, P + 0.5)
    with pytest.raises((ValueError, IndexError), match=r"must be at least 0, got -1|position -1 is outside the table"):
        module.embed(X, P - 1)


def test_a_normalised_position_beyond_its_length():
    with pytest.raises(IndexError, match=r"position 4 is outside the table of 4 positions \(0…3\)"):
        absolute.NormalisedPositions(length=4).embed(X, P)
