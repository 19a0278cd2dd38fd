"""The probe adapter offers every name, agrees with the package, and the tests of public reports notice mistakes."""

import inspect

import numpy as np
import probe_adapter
import pytest
import torch
from faults.fault import Fault
from reports.variants import VARIANTS

from pe_course.reference import absolute, attention, bias, positions, relative, rotary, scaling

NAMES = [
    "sinusoidal",
    "add_positional",
    "lookup_positions",
    "positions_from_mask",
    "packed_positions",
    "roberta_positions",
    "decode_positions",
    "shard_positions",
    "causal_mask",
    "rope_inv_freq",
    "rope",
    "permute_qk",
    "rope_attention",
    "pi_inv_freq",
    "ntk_base",
    "make_dynamic_ntk",
    "yarn_inv_freq",
    "yarn_mscale",
    "llama3_inv_freq",
    "longrope_inv_freq",
    "logn_scale",
    "xpos_scores",
    "alibi_slopes",
    "alibi_bias",
    "alibi_from_mask",
    "t5_bucket",
    "t5_bias",
    "shaw_index",
    "rel_shift",
    "deberta_c2p_p2c",
    "kerple_log",
    "fire_input",
    "make_rope_module",
    "make_sinusoidal_module",
    "make_learned_module",
]

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 5, 8))
Q, K, V = RNG.normal(size=(3, 5, 8))
TABLE, BUCKETS, POSITION_ROWS = RNG.normal(size=(9, 8)), RNG.normal(size=(32, 4)), RNG.normal(size=(2, 6, 8))
AT = np.arange(5)
MASK = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 1, 0]])

CALLS = [
    ("sinusoidal", (5, 8), {"layout": "halves"}, lambda: absolute.sinusoidal_positions(AT, 8, layout="concat")),
    ("add_positional", (X[0], TABLE), {}, lambda: X[0] + TABLE[:5]),
    ("add_positional", (X[0], TABLE), {"batch_first": False}, lambda: X[0] + TABLE[:3, None]),
    ("lookup_positions", (TABLE, [[8, 0]]), {}, lambda: absolute.learned_positions([[8, 0]], TABLE)),
    ("positions_from_mask", (MASK,), {}, lambda: positions.positions_from_mask(MASK)),
    ("packed_positions", ([2, 1],), {}, lambda: positions.packed_positions([2, 1])),
    ("roberta_positions", ([[7, 1]], 1), {}, lambda: positions.roberta_positions([[7, 1]], 1)),
    ("decode_positions", (3, 2), {}, lambda: positions.decode_positions(3, 2)),
    ("shard_positions", (8, 2, 1, "zigzag"), {}, lambda: positions.shard_positions(8, 2, 1, scheme="zigzag")),
    ("causal_mask", (2, 5), {}, lambda: attention.causal_mask(2, 5)),
    ("rope_inv_freq", (8, 100.0), {}, lambda: rotary.rope_frequencies(8, base=100.0)),
    ("rope", (X, AT), {"layout": "halves"}, lambda: rotary.apply_rope(X, AT)),
    ("rope", (X, AT), {"rotary_dim": 4}, lambda: rotary.apply_rope(X, AT, layout="interleaved", rotary_dim=4)),
    (
        "rope",
        (X, [AT, AT + 9]),
        {"inv_freq": [0.5, 0.1]},
        lambda: rotary.apply_rope(X, [AT, AT + 9], layout="interleaved", inv_freq=[0.5, 0.1]),
    ),
    ("permute_qk", (TABLE[:8], 2), {}, lambda: rotary.permute_projection(TABLE[:8], 2, to="half")),
    (
        "rope_attention",
        (Q, K, V, AT, AT),
        {},
        lambda: attention.attention(
            rotary.apply_rope(Q, AT, layout="interleaved"),
            rotary.apply_rope(K, AT, layout="interleaved"),
            V,
            mask=attention.causal_mask(5),
        ),
    ),
    ("pi_inv_freq", (8, 100.0, 2.0), {}, lambda: scaling.rope_scaling_linear(8, factor=2.0, base=100.0)[0]),
    ("ntk_base", (100.0, 2.0, 8), {}, lambda: scaling.ntk_base(100.0, 2.0, 8)),
    (
        "yarn_inv_freq",
        (16, 1e4, 4.0, 64),
        {"truncate": False},
        lambda: scaling.rope_scaling_ntk_by_parts(16, factor=4.0, original_max_position_embeddings=64, truncate=False)[
            0
        ],
    ),
    ("yarn_mscale", (4.0, 0.7, 1.0), {}, lambda: scaling.yarn_mscale(4.0, 0.7) / scaling.yarn_mscale(4.0)),
    ("yarn_mscale", (0.5,), {}, lambda: scaling.yarn_mscale(0.5)),
    (
        "llama3_inv_freq",
        (8, 1e4, 8.0, 1.0, 4.0, 64),
        {},
        lambda: scaling.rope_scaling_llama3(
            8, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64
        )[0],
    ),
    ("longrope_inv_freq", (4, 1e4, [1, 2], [3, 4], 64, 64), {}, lambda: rotary.rope_frequencies(4) / [1, 2]),
    ("longrope_inv_freq", (4, 1e4, [1, 2], [3, 4], 65, 64), {}, lambda: rotary.rope_frequencies(4) / [3, 4]),
    ("logn_scale", ([1, 64, 99], 64), {}, lambda: scaling.logn_scale([0, 63, 98], 64)),
    (
        "xpos_scores",
        (Q, K, AT, AT),
        {},
        lambda: rotary.apply_xpos(Q, AT, role="query", centre=2) @ rotary.apply_xpos(K, AT, role="key", centre=2).T,
    ),
    ("alibi_slopes", (6,), {}, lambda: bias.alibi_slopes(6)),
    ("alibi_bias", (6, 2, 5), {}, lambda: bias.alibi_bias([3, 4], AT, bias.alibi_slopes(6))),
    ("alibi_bias", (6, 2, 5, False), {}, lambda: bias.alibi_bias([3, 4], AT, bias.alibi_slopes(6), form="symmetric")),
    (
        "t5_bucket",
        ([-9, 9], False, 8, 20),
        {},
        lambda: bias.t5_relative_position_bucket([-9, 9], bidirectional=False, num_buckets=8, max_distance=20),
    ),
    ("t5_bias", (BUCKETS, 2, 5), {}, lambda: bias.t5_bias(BUCKETS, [3, 4], AT)),
    ("shaw_index", (2, 5, 1), {}, lambda: relative.relative_position_index([3, 4], AT, 1)),
    ("rel_shift", (X,), {}, lambda: relative.rel_shift(X)),
    (
        "deberta_c2p_p2c",
        (Q, K, *POSITION_ROWS, 3),
        {},
        lambda: relative.deberta_scores(
            Q, K, AT, AT, position_keys=POSITION_ROWS[1], position_queries=POSITION_ROWS[0], max_relative_positions=3
        ),
    ),
    ("kerple_log", (1.5, 0.001, 2, 5), {}, lambda: -1.5 * np.log1p(0.001 * np.abs(np.array([[3], [4]]) - AT))),
    ("kerple_log", (-1.0, 0.5, 2, 5), {}, lambda: -0.01 * np.log1p(0.5 * np.abs(np.array([[3], [4]]) - AT))),
    ("fire_input", (5, 0.1, 2), {}, lambda: np.tril(bias.fire_input(AT, AT, c=0.1, threshold=2, eps=0.0))),
]


@pytest.mark.parametrize("name", NAMES)
def test_the_adapter_offers(name):
    assert callable(getattr(probe_adapter, name))


def test_every_callable_that_returns_an_array_is_compared():
    compared = {name for name, *_ in CALLS} | {"alibi_from_mask", "make_dynamic_ntk"}
    assert compared | {name for name in NAMES if name.endswith("_module")} == set(NAMES)


@pytest.mark.parametrize("name, arguments, options, expected", CALLS, ids=lambda value: str(value)[:24])
def test_the_adapter_agrees_with_the_package(name, arguments, options, expected):
    found = np.asarray(getattr(probe_adapter, name)(*arguments, **options))
    wanted = np.asarray(expected())
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_deberta_gives_keys_and_queries_their_own_table():
    only_first = probe_adapter.deberta_c2p_p2c(Q, K, np.zeros((6, 8)), POSITION_ROWS[1], 3)
    expected = relative.deberta_scores(Q, K, AT, AT, position_keys=POSITION_ROWS[1], max_relative_positions=3)
    np.testing.assert_allclose(only_first, expected, atol=1e-12)


def test_alibi_of_a_padded_batch_is_that_of_the_prompt_alone():
    padded = probe_adapter.alibi_from_mask(MASK, 4)
    assert padded.shape == (2, 4, 5, 5)
    slopes = bias.alibi_slopes(4)
    np.testing.assert_array_equal(padded[0, :, 2:, 2:], bias.alibi_bias(AT[:3], AT[:3], slopes))
    np.testing.assert_array_equal(padded[1, :, :4, :4], bias.alibi_bias(AT[:4], AT[:4], slopes))


def test_dynamic_ntk_is_a_function_of_the_length():
    inv_freq_at = probe_adapter.make_dynamic_ntk(8, 1e4, 2.0, 32)
    for length in (64, 16, 33, 16):
        expected, _ = scaling.rope_scaling_dynamic(8, max_position_embeddings=32, seq_len=length, factor=2.0)
        np.testing.assert_array_equal(inv_freq_at(length), expected)


def test_the_rotary_module_turns_interleaved_pairs():
    module = probe_adapter.make_rope_module(8, max_len=4, base=100.0)
    for x, at in ((X, AT), (X[0], AT + 1000), (X[0, 0], AT)):
        expected = rotary.apply_rope(x, at, base=100.0, layout="interleaved")
        found = module(torch.tensor(x), torch.tensor(at))
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-12)


def test_the_sinusoidal_module_adds_a_row_per_token():
    found = probe_adapter.make_sinusoidal_module(8, max_len=4)(torch.tensor(X[0]))
    np.testing.assert_allclose(found.numpy(), X[0] + absolute.sinusoidal_positions(AT, 8), atol=1e-12)


def test_the_learned_module_adds_its_rows_and_ends_with_its_table():
    module = probe_adapter.make_learned_module(8, max_len=5)
    (table,) = module.parameters()
    assert table.shape == (5, 8)
    x = torch.tensor(X[0])
    torch.testing.assert_close(module(x), x + table)
    with pytest.raises(IndexError, match="position 5 is outside the table of 5 positions"):
        module(torch.zeros(1, 6, 8))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_adapter_returns_the_float_type_it_is_given(dtype):
    x = X.astype(dtype)
    assert probe_adapter.rope(x, AT).dtype == dtype
    assert probe_adapter.add_positional(x[0], TABLE).dtype == dtype
    assert probe_adapter.permute_qk(x[0, 0, :4], 2).dtype == dtype
    np.testing.assert_allclose(probe_adapter.rope(x, AT), probe_adapter.rope(X, AT), atol=5e-3)


@pytest.mark.parametrize(
    "call, match",
    [
        (lambda: probe_adapter.sinusoidal(4, 5), "dim must be even"),
        (lambda: probe_adapter.sinusoidal(4, 8, layout="thirds"), "layout must be one of"),
        (lambda: probe_adapter.rope(Q, AT, layout="thirds"), "layout must be one of"),
        (lambda: probe_adapter.add_positional(X[0], TABLE[:, :1]), "pe must have the width of x, 8, got 1"),
        (lambda: probe_adapter.add_positional(X[0], TABLE[:4]), "position 4 is outside the table of 4 positions"),
        (lambda: probe_adapter.add_positional(X, TABLE), "x must have 3 axes"),
        (lambda: probe_adapter.yarn_mscale(float("nan")), "factor must be finite"),
        (lambda: probe_adapter.logn_scale([0], 64), "positions must be at least 0"),
        (lambda: probe_adapter.alibi_bias(4, 6, 5), "n_seen must be at least 0"),
    ],
)
def test_the_adapter_refuses_what_the_package_refuses(call, match):
    with pytest.raises((ValueError, IndexError), match=match):
        call()


def test_the_adapter_imports_the_package_and_its_two_libraries_alone():
    modules = {value.__name__.split(".")[0] for value in vars(probe_adapter).values() if inspect.ismodule(value)}
    assert modules == {"numpy", "torch", "pe_course"}


@pytest.mark.parametrize("name, variant", VARIANTS, ids=lambda value: getattr(value, "id", ""))
def test_a_report_test_notices_the_faulty_variant(name: str, variant: Fault, monkeypatch: pytest.MonkeyPatch):
    assert name in NAMES
    variant.caught_by(**variant.arguments)
    owner, attribute = variant.owner_and_attribute()
    monkeypatch.setattr(owner, attribute, variant.broken(getattr(owner, attribute)))
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        variant.caught_by(**variant.arguments)


def test_variants_cover_many_callables():
    assert len({name for name, _ in VARIANTS}) >= 20
