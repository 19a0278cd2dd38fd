"""What every method promises, asked of every name that `build` knows, on every device there is."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch
from nn.inputs import causal, draw_parameters, qkv
from nn.options import DIM, HEAD_DIM, HEADS, OPTIONS

from pe_course import nn as pe

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
BATCH, LENGTH = 2, 10


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def build(name: str, device: str = "cpu", dtype: torch.dtype = torch.float64) -> pe.PositionMethod:
    method = draw_parameters(pe.build(name, **OPTIONS[name])).to(device=device, dtype=dtype)
    return method.eval()


class Layer:
    """One attention layer around a method: input, projections, attention; the weights are drawn once."""

    def __init__(self, method: pe.PositionMethod, device: str = "cpu", *, kv_heads: int = HEADS):
        draw = torch.Generator().manual_seed(7)
        self.method, self.kv_heads = method, kv_heads
        widths = {"q": HEADS * HEAD_DIM, "k": kv_heads * HEAD_DIM, "v": kv_heads * HEAD_DIM}
        self.weights = {
            name: torch.randn(DIM, width, generator=draw, dtype=torch.float64).to(device) / DIM**0.5
            for name, width in widths.items()
        }

    def project(self, x: torch.Tensor, name: str) -> torch.Tensor:
        out = x @ self.weights[name].to(x.dtype)
        return out.unflatten(-1, (-1, HEAD_DIM)).transpose(1, 2)

    def __call__(self, x_q, x_k, pos_q, pos_k, mask, backend="eager", hidden=None):
        one_axis = self._first_axis
        x_q, x_k = self.method.embed(x_q, one_axis(pos_q)), self.method.embed(x_k, one_axis(pos_k))
        context = {"hidden": x_k if hidden is None else hidden}
        context |= {"segments": (one_axis(pos_q) % 2, one_axis(pos_k) % 2)}
        return pe.attention(
            self.project(x_q, "q"),
            self.project(x_k, "k"),
            self.project(x_k, "v"),
            self.method,
            pos_q,
            pos_k,
            mask,
            backend,
            context,
        )

    def _first_axis(self, positions: torch.Tensor) -> torch.Tensor:
        return positions[0] if self.method.position_axes > 1 else positions


def positions(method: pe.PositionMethod, values: torch.Tensor) -> torch.Tensor:
    """The same number on every axis that the method has."""
    if method.position_axes == 1:
        return values
    return torch.stack([values] * method.position_axes)


def tokens(*, batch: int = BATCH, length: int = LENGTH, device: str = "cpu", seed: int = 3) -> torch.Tensor:
    draw = torch.Generator().manual_seed(seed)
    return torch.randn(batch, length, DIM, generator=draw, dtype=torch.float64).to(device)


def full_pass(layer: Layer, x: torch.Tensor, values: torch.Tensor, mask: torch.Tensor, backend="eager") -> torch.Tensor:
    at = positions(layer.method, values)
    return layer(x, x, at, at, mask, backend)


# Left out where one row's length changes its numbers: its documents, its cache and its last rows are not the whole's.
CACHE_CHANGES_WITH_LENGTH = {
    "normalised": "its numbers are shares of the present length, so every token moves with each new one",
}
BREAKS_ONLY_FAR_OUT = {
    "fire": "its normaliser is constant up to 512",
    "rope_dynamic": "it follows the length beyond the trained one",
    "rope_longrope": "it changes its factors beyond the trained length",
}
NO_OFFSET = {
    "forgetting": "its gates are summed over the keys as they lie in the row, whatever their positions",
    "cope": "it counts keys by their gates, whatever their positions",
}


def test_every_method_has_options_here() -> None:
    assert set(pe.methods()) == set(OPTIONS)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", sorted(set(OPTIONS) - set(CACHE_CHANGES_WITH_LENGTH)))
def test_decoding_token_by_token_equals_the_full_pass(name: str, device: str) -> None:
    """Un-rotated keys are cached, which is right for every method."""
    layer = Layer(build(name, device), device)
    x, at = tokens(device=device), torch.arange(LENGTH, device=device)
    whole = full_pass(layer, x, at, causal(LENGTH).to(device))
    for t in range(LENGTH):
        step = layer(
            x[:, t : t + 1],
            x[:, : t + 1],
            positions(layer.method, at[t : t + 1]),
            positions(layer.method, at[: t + 1]),
            causal(1, t + 1).to(device),
        )
        torch.testing.assert_close(step[:, :, 0], whole[:, :, t], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", sorted(n for n in OPTIONS if pe.build(n, **OPTIONS[n]).cache_rotated_ok))
def test_a_rotated_key_may_be_cached_where_the_method_says_so(name: str) -> None:
    method = build(name)
    q, k, _ = qkv(length=LENGTH)
    at = positions(method, torch.arange(LENGTH))
    whole = method.rotate(q, k, at, at)[1]
    for t in range(LENGTH):
        one = positions(method, torch.arange(t, t + 1))
        step = method.rotate(q[:, :, t : t + 1], k[:, :, t : t + 1], one, one)[1]
        torch.testing.assert_close(step, whole[:, :, t : t + 1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("backend", ["sdpa", "flex"])
@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_backends_agree(name: str, backend: str, device: str) -> None:
    layer = Layer(build(name, device), device, kv_heads=2)
    x, at, mask = tokens(device=device), torch.arange(LENGTH, device=device), causal(LENGTH).to(device)
    with torch.no_grad():
        eager = full_pass(layer, x, at, mask)
        if layer.method.uses_value_bias:
            with pytest.raises(ValueError, match="probabilities"):
                full_pass(layer, x, at, mask, backend)
            return
        torch.testing.assert_close(full_pass(layer, x, at, mask, backend), eager, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_grouped_query_heads_equal_repeated_key_heads(name: str) -> None:
    method = build(name)
    q, k, v = qkv(kv_heads=2, length=LENGTH)
    at = positions(method, torch.arange(LENGTH))
    context = {"hidden": tokens(), "segments": (torch.arange(LENGTH) % 2,) * 2}
    grouped = pe.attention(q, k, v, method, at, at, causal(LENGTH), context=context)
    repeated = (t.repeat_interleave(2, 1) for t in (k, v))
    plain = pe.attention(q, *repeated, method, at, at, causal(LENGTH), context=context)
    torch.testing.assert_close(grouped, plain, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", sorted(set(OPTIONS) - set(CACHE_CHANGES_WITH_LENGTH)))
def test_packed_documents_equal_each_document_alone(name: str) -> None:
    layer, lengths = Layer(build(name)), (4, 6)
    x = tokens()
    at = torch.cat([torch.arange(n) for n in lengths])
    document = torch.repeat_interleave(torch.arange(2), torch.tensor(lengths))
    mask = (document[:, None] == document[None, :]) & causal(LENGTH)
    packed = full_pass(layer, x, at, mask)
    start = 0
    for n in lengths:
        part = slice(start, start + n)
        alone = full_pass(layer, x[:, part], torch.arange(n), causal(n))
        torch.testing.assert_close(packed[:, :, part], alone, rtol=0, atol=1e-9)
        start += n


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_left_padding_changes_nothing(name: str) -> None:
    """Row 0 has three padding tokens before its seven; positions differ between the rows of the batch."""
    layer, padding = Layer(build(name)), 3
    x = tokens()
    at = torch.stack([(torch.arange(LENGTH) - padding).clamp(min=0), torch.arange(LENGTH)])
    real = torch.stack([torch.arange(LENGTH) >= padding, torch.ones(LENGTH, dtype=torch.bool)])
    mask = causal(LENGTH) & real[:, None, None, :]
    padded = full_pass(layer, x, at, mask)
    alone = full_pass(layer, x[:1, padding:], torch.arange(LENGTH - padding), causal(LENGTH - padding))
    torch.testing.assert_close(padded[:1, :, padding:], alone, rtol=0, atol=1e-9)
    assert torch.isfinite(padded).all()
    assert (padded[0, :, :padding] == 0).all(), "a query without a key must give zeros"


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_a_shift_of_all_positions_changes_nothing_where_that_is_promised(name: str) -> None:
    layer = Layer(build(name))
    x, at = tokens(), torch.arange(LENGTH)
    offset = 700 if name in BREAKS_ONLY_FAR_OUT else 17
    here, there = (full_pass(layer, x, at + shift, causal(LENGTH)) for shift in (0, offset))
    unchanged = torch.allclose(here, there, rtol=0, atol=1e-9)
    if name in NO_OFFSET:
        assert unchanged, NO_OFFSET[name]
    else:
        assert unchanged == layer.method.shift_invariant, f"shift_invariant is {layer.method.shift_invariant}"


@pytest.mark.parametrize("name", sorted(set(OPTIONS) - set(CACHE_CHANGES_WITH_LENGTH)))
def test_fewer_queries_than_keys_are_the_last_rows(name: str) -> None:
    layer = Layer(build(name))
    x, at = tokens(), torch.arange(LENGTH)
    whole = full_pass(layer, x, at, causal(LENGTH))
    last = layer(x[:, -3:], x, positions(layer.method, at[-3:]), positions(layer.method, at), causal(3, LENGTH))
    torch.testing.assert_close(last, whole[:, :, -3:], rtol=0, atol=1e-9)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_low_precision_stays_close_to_float64(name: str, dtype: torch.dtype, device: str) -> None:
    """The module is cast as a whole, at positions where a table in bfloat16 would be useless."""
    exact, cast = build(name, device), build(name, device).to(dtype)
    # The learned parameters are rounded too: compare with float64 arithmetic on the rounded ones.
    with torch.no_grad():
        for own, rounded in zip(exact.parameters(), cast.parameters(), strict=True):
            own.copy_(rounded)
    q, k, v = (t.to(device) for t in qkv(length=LENGTH, dtype=dtype))
    offset = 0 if name == "learned" else 301
    at = positions(exact, torch.arange(LENGTH, device=device) + offset)
    hidden = tokens(device=device).to(dtype)
    segments = (torch.arange(LENGTH, device=device) % 2,) * 2
    outputs = []
    for method, widen in ((exact, torch.float64), (cast, dtype)):
        context = {"hidden": hidden.to(widen), "segments": segments}
        inputs = (t.to(widen) for t in (q, k, v))
        outputs.append(pe.attention(*inputs, method, at, at, causal(LENGTH).to(device), context=context))
    tolerance = {torch.float32: 2e-5, torch.float16: 1e-2, torch.bfloat16: 8e-2}[dtype]
    assert outputs[1].dtype == dtype
    torch.testing.assert_close(outputs[1].double(), outputs[0], rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_the_state_holds_learned_parameters_and_nothing_else(name: str) -> None:
    method = pe.build(name, **OPTIONS[name])
    assert set(method.state_dict()) == {key for key, _ in method.named_parameters()}


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_tables_survive_the_meta_device_and_every_cast(name: str) -> None:
    expected = {key: buffer.clone() for key, buffer in pe.build(name, **OPTIONS[name]).named_buffers()}
    with torch.device("meta"):
        on_meta = pe.build(name, **OPTIONS[name])
    moved = on_meta.to_empty(device="cpu")
    cast = copy.deepcopy(pe.build(name, **OPTIONS[name])).to(torch.bfloat16).half().float()
    for method in (moved, cast):
        found = dict(method.named_buffers())
        assert set(found) == set(expected)
        for key, buffer in expected.items():
            assert found[key].dtype in (torch.float64, torch.int64)
            assert torch.equal(found[key], buffer)


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_a_module_can_be_saved_and_loaded_whole(name: str) -> None:
    method = pe.build(name, **OPTIONS[name])
    loaded = pickle.loads(pickle.dumps(method))
    assert repr(loaded) == repr(method)
    for tensors in (torch.nn.Module.named_parameters, torch.nn.Module.named_buffers):
        assert all(torch.equal(a, b) for (_, a), (_, b) in zip(tensors(method), tensors(loaded), strict=True))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16])
@pytest.mark.parametrize("name", ["alibi", "kerple", "t5", "deberta", "rope"])
def test_distances_of_small_integers_do_not_wrap(name: str, dtype: torch.dtype) -> None:
    method = build(name)
    q, k, v = qkv(length=2, keys=3)
    at_q, at_k = torch.tensor([5, 127]), torch.tensor([0, 64, 126])
    if dtype == torch.uint8:
        at_q, at_k = 2 * at_q, 2 * at_k
    expected = pe.attention(q, k, v, method, at_q, at_k).detach()
    with torch.no_grad():
        for backend in ("eager", "sdpa", "flex"):
            found = pe.attention(q, k, v, method, at_q.to(dtype), at_k.to(dtype), backend=backend)
            torch.testing.assert_close(found, expected)
    mod = method.score_mod(at_q.to(dtype), at_k.to(dtype), q=q, k=k)
    if name == "kerple":
        table = method.score_bias(at_q, at_k, q=q, k=k)
        zero = torch.zeros((), dtype=torch.long)
        assert mod(0.0, zero, zero, zero, zero + 2).item() == pytest.approx(table[0, 0, 0, 2].item())


@pytest.mark.parametrize("name", sorted(n for n in OPTIONS if list(pe.build(n, **OPTIONS[n]).parameters())))
def test_gradients_of_every_learned_parameter(name: str) -> None:
    layer = Layer(build(name))
    x, at, mask = tokens(batch=1, length=4), torch.arange(4), causal(4)
    names = [key for key, _ in layer.method.named_parameters()]
    values = tuple(p.detach().clone().requires_grad_() for p in layer.method.parameters())
    moving = {"t5", "shaw", "huang", "transformer_xl", "xlnet", "deberta", "learned"}

    def output(*parameters: torch.Tensor) -> torch.Tensor:
        state = dict(zip(names, parameters, strict=True))
        with torch.nn.utils.stateless._reparametrize_module(layer.method, state):
            return full_pass(layer, x, at, mask)

    torch.autograd.gradcheck(output, values, eps=1e-6, atol=1e-6, fast_mode=name in moving)
    gradients = torch.autograd.grad(output(*values).square().sum(), values, allow_unused=True)
    assert all(g is not None and g.isfinite().all() for g in gradients), names


# What "sdpa" cannot compute, the part on the values, `test_backends_agree` sees refused.
@pytest.mark.parametrize(
    ("name", "backend"),
    [
        (name, backend)
        for name in sorted(OPTIONS)
        for backend in ("eager", "sdpa")
        if backend == "eager" or not pe.build(name, **OPTIONS[name]).uses_value_bias
    ],
)
def test_it_compiles_without_a_graph_break(name: str, backend: str) -> None:
    """With the "eager" compiler backend, so that no C++ compiler is needed."""
    method = build(name)
    if not method.cache_rotated_ok:
        method = pe.build(name, **OPTIONS[name], seq_len=LENGTH)
    q, k, v = qkv(length=LENGTH)
    at = positions(method, torch.arange(LENGTH))
    context = {"hidden": tokens(), "segments": (torch.arange(LENGTH) % 2,) * 2}

    def call(q, k, v, at):
        return pe.attention(q, k, v, method, at, at, causal(LENGTH), backend, context)

    torch.compiler.reset()
    with torch.no_grad():
        compiled = torch.compile(call, fullgraph=True, backend="eager")(q, k, v, at)
        torch.testing.assert_close(compiled, call(q, k, v, at), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_autocast_leaves_positions_exact(name: str) -> None:
    method = build(name, dtype=torch.float32)
    q, k, _ = qkv(length=LENGTH, dtype=torch.float32)
    offset = 0 if name == "learned" else 1000
    at = positions(method, torch.arange(LENGTH) + offset)
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        inside = method.rotate(q, k, at, at)
    outside = method.rotate(q, k, at, at)
    for a, b in zip(inside, outside, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)
