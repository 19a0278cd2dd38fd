"""The scaling of RoPE and of the query: laws, published numbers, and what a configuration means."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pe_course.reference import rotary, scaling

LAW = settings(deadline=None, derandomize=True, max_examples=60)

widths = st.integers(2, 96).map(lambda pairs: 2 * pairs)
bases = st.floats(50.0, 1e7)
factors = st.floats(1.0, 256.0)
lengths = st.integers(64, 262144)


def plain(dim: int, base: float = 10000.0) -> np.ndarray:
    return base ** (-2.0 * np.arange(dim // 2) / dim)


def same(ours, expected, rtol=1e-12) -> None:
    np.testing.assert_allclose(ours, expected, rtol=rtol, atol=0)


# One factor, or one base --------------------------------------------------------------------------------------


def test_default_is_the_trained_table() -> None:
    inv_freq, attention_factor = scaling.rope_scaling_default(80, base=1e6)
    same(inv_freq, plain(80, 1e6))
    assert attention_factor == 1.0


def test_linear_divides_every_pair() -> None:
    same(scaling.rope_scaling_linear(8, factor=4.0)[0], [0.25, 0.025, 0.0025, 0.00025])


def test_linear_is_the_same_as_dividing_positions() -> None:
    inv_freq, _ = scaling.rope_scaling_linear(16, factor=3.0, base=500.0)
    same(900 * inv_freq, 300 * plain(16, 500.0))


def test_ntk_base_published_numbers() -> None:
    assert scaling.ntk_base(10000.0, 8.0, 128) == pytest.approx(82684.6226, abs=1e-4)
    assert scaling.ntk_base(10000.0, 4.0, 128) == pytest.approx(40890, abs=1)


@LAW
@given(widths, bases, factors)
def test_ntk_slows_the_slowest_pair_by_the_factor_and_the_fastest_not_at_all(dim, base, factor) -> None:
    ratio = plain(dim, base) / scaling.rope_scaling_ntk(dim, factor=factor, base=base)[0]
    same(ratio[[0, -1]], [1.0, factor], rtol=1e-9)
    assert (np.diff(ratio) >= -1e-9).all()


def test_ntk_ends_are_exact() -> None:
    ratio = plain(64) / scaling.rope_scaling_ntk(64, factor=4.0)[0]
    same(ratio[[0, -1]], [1.0, 4.0])
    assert 1.9 < ratio[15] < 2.0


@pytest.mark.parametrize("variant", ["hf", "paper", "qwen"])
@pytest.mark.parametrize("seq_len", [None, 1, 100, 2047, 2048])
def test_dynamic_is_the_trained_table_within_the_trained_length(variant, seq_len) -> None:
    inv_freq, attention_factor = scaling.rope_scaling_dynamic(
        64, max_position_embeddings=2048, seq_len=seq_len, variant=variant, factor=1.7
    )
    np.testing.assert_array_equal(inv_freq, rotary.rope_frequencies(64))
    assert attention_factor == 1.0


@pytest.mark.parametrize(
    ("variant", "seq_len", "expected"),
    [
        ("hf", 4096, 4 * 4096 / 2048 - 3),
        ("hf", 2049, 4 * 2049 / 2048 - 3),
        ("paper", 4096, 2.0),
        ("paper", 3000, 3000 / 2048),
        ("qwen", 2049, 3.0),
        ("qwen", 4096, 3.0),
        ("qwen", 4097, 7.0),
        ("qwen", 16384, 15.0),
        ("alpha", 7, 50.0),
        ("alpha", 100000, 50.0),
    ],
)
def test_dynamic_factor(variant, seq_len, expected) -> None:
    found = scaling.dynamic_ntk_factor(seq_len, 2048, variant=variant, factor=4.0, alpha=50.0)
    assert found == pytest.approx(expected, rel=1e-12)


def test_dynamic_base_published_number() -> None:
    inv_freq, _ = scaling.rope_scaling_dynamic(128, max_position_embeddings=2048, seq_len=4096, factor=4.0)
    same(inv_freq, plain(128, 51293.79), rtol=1e-6)
    constant = scaling.ntk_base(10000.0, 4.0**2 - 4.0 + 1, 128)
    assert constant == pytest.approx(135401.97, abs=0.01), "what a table made once for factor times the length has"


def test_dynamic_goes_back_after_a_long_input() -> None:
    def at(seq_len: int) -> np.ndarray:
        return scaling.rope_scaling_dynamic(16, max_position_embeddings=32, seq_len=seq_len, factor=2.0)[0]

    before = at(16)
    assert at(256)[-1] < before[-1] / 10
    np.testing.assert_array_equal(at(16), before)


@LAW
@given(st.integers(1, 100000), st.integers(1, 100000), factors)
def test_dynamic_factor_never_falls_with_the_length(first, second, factor) -> None:
    short, long = sorted((first, second))
    for variant in ("hf", "paper", "qwen"):
        at_short, at_long = (scaling.dynamic_ntk_factor(n, 2048, variant=variant, factor=factor) for n in (short, long))
        assert 1 <= at_short <= at_long


# By parts -----------------------------------------------------------------------------------------------------


def test_index_ramp_of_llama_2() -> None:
    """c(32) = 20.9… and c(1) = 45.03…: pairs to 20 are kept, those from 46 on are not."""
    kept = scaling.ntk_by_parts_ramp(128, original_max_position_embeddings=4096)
    assert (kept[:21] == 1).all() and (kept[46:] == 0).all()
    same(kept[21:46], 1 - (np.arange(21, 46) - 20) / 26)


def test_index_ramp_without_rounding() -> None:
    """gpt-oss: base 150000, 64 channels; the ramp spans the pairs 8.09 to 17.40, rounded 8 to 18."""
    options = {"original_max_position_embeddings": 4096, "base": 150000.0}
    exact = scaling.ntk_by_parts_ramp(64, truncate=False, **options)
    rounded = scaling.ntk_by_parts_ramp(64, **options)
    same(exact[9], 1 - (9 - 8.0928) / (17.3976 - 8.0928), rtol=1e-4)
    same(rounded[9], 0.9)
    assert (exact[:9] == 1).all() and exact[17] > 0 and exact[18] == 0


def test_ratio_ramp_counts_turns() -> None:
    kept = scaling.ntk_by_parts_ramp(64, original_max_position_embeddings=1000, beta_fast=20, beta_slow=2, ramp="ratio")
    turns = 1000 * plain(64) / (2 * math.pi)
    assert (kept[turns > 20] == 1).all() and (kept[turns < 2] == 0).all()
    between = (turns > 2) & (turns < 20)
    assert between.sum() > 3
    same(kept[between], (turns[between] - 2) / 18)


def test_paper_and_code_ramps_differ_by_three() -> None:
    options = {"factor": 16.0, "original_max_position_embeddings": 4096}
    by_index, by_ratio = (scaling.rope_scaling_yarn(128, ramp=ramp, **options)[0] for ramp in ("index", "ratio"))
    gap = np.maximum(by_index / by_ratio, by_ratio / by_index)
    assert gap.argmax() == 38
    assert gap.max() == pytest.approx(3.04, abs=0.005)


def test_equal_betas_make_a_step() -> None:
    """Kimi K2: both betas 1; the step of the code is one pair wide (19 to 20)."""
    options = {"original_max_position_embeddings": 4096, "base": 50000.0, "beta_fast": 1, "beta_slow": 1}
    for ramp in ("index", "ratio"):
        kept = scaling.ntk_by_parts_ramp(64, ramp=ramp, **options)
        assert (kept[:20] == 1).all() and (kept[20:] == 0).all()


def test_index_ramp_with_ends_that_meet() -> None:
    """A whole c(n) rounds to one pair at both ends: the code parts them by 0.001."""
    trained = 1000
    turns = trained / (2 * math.pi)  # c = 0 for the first pair
    kept = scaling.ntk_by_parts_ramp(8, original_max_position_embeddings=trained, beta_fast=turns, beta_slow=turns)
    np.testing.assert_array_equal(kept, [1, 0, 0, 0])


@LAW
@given(widths, bases, factors, lengths, st.sampled_from(["index", "ratio"]), st.booleans())
def test_yarn_stays_between_trained_and_interpolated_and_never_rises(dim, base, factor, length, ramp, truncate) -> None:
    inv_freq, _ = scaling.rope_scaling_yarn(
        dim, factor=factor, base=base, original_max_position_embeddings=length, ramp=ramp, truncate=truncate
    )
    theta = plain(dim, base)
    assert (inv_freq <= theta * (1 + 1e-12)).all() and (inv_freq >= theta / factor * (1 - 1e-12)).all()
    assert (np.diff(inv_freq) < 0).all()


def test_yarn_keeps_fast_pairs_and_interpolates_slow_ones() -> None:
    inv_freq, attention_factor = scaling.rope_scaling_yarn(128, factor=16.0, original_max_position_embeddings=4096)
    ratio = plain(128) / inv_freq
    same(ratio[:21], 1.0)
    same(ratio[46:], 16.0)
    assert attention_factor == pytest.approx(1.2772588722, abs=1e-9)


def test_by_parts_is_yarn_without_temperature() -> None:
    options = {"factor": 8.0, "original_max_position_embeddings": 2048, "beta_fast": 24.0, "ramp": "ratio"}
    inv_freq, attention_factor = scaling.rope_scaling_ntk_by_parts(96, **options)
    np.testing.assert_array_equal(inv_freq, scaling.rope_scaling_yarn(96, **options)[0])
    assert attention_factor == 1.0


def test_part_ntk_mixes_three_frequencies() -> None:
    """Above 16 turns the trained frequency, between the bands the NTK-aware one, below 0.75 the interpolated one."""
    dim, trained, factor = 128, 2048, 4.0
    inv_freq, attention_factor = scaling.rope_scaling_part_ntk(
        dim, factor=factor, original_max_position_embeddings=trained
    )
    theta, turns = plain(dim), trained * plain(dim) / (2 * math.pi)
    ntk = scaling.rope_scaling_ntk(dim, factor=factor)[0]
    middle = (turns > 1.5) & (turns < 1.8)
    assert middle.any()
    same(inv_freq[turns > 20], theta[turns > 20])
    same(inv_freq[middle], ntk[middle])
    same(inv_freq[turns < 0.6], theta[turns < 0.6] / factor)
    assert attention_factor == 1.0


def test_llama3_splits_the_pairs_as_published() -> None:
    """Llama 3.1 at 128 channels: 29 pairs kept, 6 blended, 29 divided by 8."""
    inv_freq, attention_factor = scaling.rope_scaling_llama3(
        128, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192, base=5e5
    )
    ratio = plain(128, 5e5) / inv_freq
    kept, divided = np.isclose(ratio, 1, rtol=1e-12), np.isclose(ratio, 8, rtol=1e-12)
    assert (kept.sum(), divided.sum(), 64 - kept.sum() - divided.sum()) == (29, 29, 6)
    assert attention_factor == 1.0


def test_llama3_blend() -> None:
    inv_freq, _ = scaling.rope_scaling_llama3(
        128, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192, base=5e5
    )
    for pair in range(29, 35):
        theta = 5e5 ** (-pair / 64)
        wavelength = 2 * math.pi / theta
        smooth = (8192 / wavelength - 1) / 3
        same(inv_freq[pair], (1 - smooth) * theta / 8 + smooth * theta)


def test_llama3_equal_factors_make_a_step() -> None:
    """Llama 4 Scout: factor 16, low = high = 1: 35 pairs kept, 29 divided."""
    inv_freq, _ = scaling.rope_scaling_llama3(
        128, factor=16.0, low_freq_factor=1.0, high_freq_factor=1.0, original_max_position_embeddings=8192, base=5e5
    )
    same(plain(128, 5e5) / inv_freq, np.repeat([1.0, 16.0], [35, 29]))


@LAW
@given(factors, st.floats(0.5, 4.0), st.floats(0.1, 8.0), st.sampled_from(["low", "high"]))
def test_llama3_is_continuous_at_the_edges_of_its_band(factor, low, width, edge) -> None:
    """Two bases that put one pair a hair to either side of an edge give nearly the same frequency."""
    high, trained, dim = low + width, 4096, 64
    theta = 2 * math.pi * (low if edge == "low" else high) / trained  # exactly at the edge
    base = theta ** (-dim / 32)  # then pair 16 sits on it
    either_side = [
        scaling.rope_scaling_llama3(
            dim,
            factor=factor,
            low_freq_factor=low,
            high_freq_factor=high,
            original_max_position_embeddings=trained,
            base=base * (1 + shift),
        )[0][16]
        for shift in (-1e-7, 1e-7)
    ]
    expected = theta / factor if edge == "low" else theta
    same(either_side, [expected, expected], rtol=1e-4 * (1 + factor / width))


# Temperature --------------------------------------------------------------------------------------------------


def test_yarn_mscale_numbers() -> None:
    assert scaling.yarn_mscale(16.0) == pytest.approx(1.2772588722, abs=1e-9)
    assert scaling.yarn_mscale(40.0, 0.707) == pytest.approx(1 + 0.0707 * math.log(40), rel=1e-12)
    assert scaling.yarn_mscale(1.0) == scaling.yarn_mscale(0.5) == 1.0


@pytest.mark.parametrize(
    ("factor", "options", "expected"),
    [
        (16.0, {}, 1.2772588722239782),
        (64.0, {"attention_factor": 1.0}, 1.0),
        (128.0, {"attention_factor": 1.4852030264, "mscale": 1.0, "mscale_all_dim": 0.5}, 1.4852030264),
        (40.0, {"mscale": 0.707, "mscale_all_dim": 0.707}, 1.0),
        (40.0, {"mscale": 1.0, "mscale_all_dim": 0.5}, 1.1557219901962608),
        (40.0, {"mscale": 0.707}, 1.3688879454113936),
        (40.0, {"mscale_all_dim": 0.707}, 1.3688879454113936),
        (40.0, {"mscale": 0.707, "mscale_all_dim": 0.0}, 1.3688879454113936),
    ],
)
def test_yarn_attention_factor(factor, options, expected) -> None:
    assert scaling.yarn_attention_factor(factor, **options) == pytest.approx(expected, rel=1e-12)


def test_yarn_attention_factor_reaches_the_result() -> None:
    _, attention_factor = scaling.rope_scaling_yarn(
        64, factor=40.0, original_max_position_embeddings=4096, mscale=1.0, mscale_all_dim=0.5
    )
    assert attention_factor == pytest.approx(1.1557219901962608, rel=1e-12)


def test_deepseek_v3_softmax_scale() -> None:
    assert scaling.yarn_softmax_scale_factor(40.0, mscale_all_dim=1.0) == pytest.approx(1.8739, abs=5e-5)
    assert scaling.yarn_softmax_scale_factor(40.0, mscale_all_dim=0.707) == pytest.approx(1.26080378**2, abs=1e-7)
    assert scaling.yarn_softmax_scale_factor(40.0, mscale_all_dim=None) == 1.0
    assert scaling.yarn_softmax_scale_factor(40.0, mscale_all_dim=0.0) == 1.0


def test_scores_grow_by_the_square_of_the_attention_factor() -> None:
    q, k = np.random.default_rng(0).standard_normal((2, 1, 16))
    inv_freq, m = scaling.rope_scaling_yarn(16, factor=16.0, original_max_position_embeddings=64)
    scores = []
    for factor in (1.0, m):
        rotated = [
            rotary.apply_rotary(x, *rotary.rope_cos_sin([p], inv_freq, attention_factor=factor), layout="half")
            for x, p in ((q, 90), (k, 7))
        ]
        scores.append(float((rotated[0] * rotated[1]).sum()))
    assert scores[1] / scores[0] == pytest.approx(1.2772588722**2, rel=1e-9)


# A factor for each pair ---------------------------------------------------------------------------------------

SHORT, LONG = [1.0, 1.5, 2.0, 3.0], [1.0, 4.0, 20.0, 60.0]


@pytest.mark.parametrize(
    ("seq_len", "divisors"), [(None, SHORT), (1, SHORT), (4096, SHORT), (4097, LONG), (131072, LONG)]
)
def test_longrope_takes_the_list_of_the_length(seq_len, divisors) -> None:
    inv_freq, _ = scaling.rope_scaling_longrope(
        8,
        short_factor=SHORT,
        long_factor=LONG,
        original_max_position_embeddings=4096,
        max_position_embeddings=131072,
        seq_len=seq_len,
    )
    same(inv_freq, plain(8) / divisors)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"max_position_embeddings": 131072}, math.sqrt(1 + 5 / 12)),
        ({"max_position_embeddings": 131072, "factor": 8.0}, math.sqrt(1 + 3 / 12)),
        ({"factor": 32.0}, math.sqrt(1 + 5 / 12)),
        ({"max_position_embeddings": 4096}, 1.0),
        ({"max_position_embeddings": 2048}, 1.0),
        ({"factor": 1.0}, 1.0),
        ({"factor": 32.0, "attention_factor": 1.5}, 1.5),
        ({"attention_factor": 0.9}, 0.9),
    ],
)
def test_longrope_attention_factor(options, expected) -> None:
    _, attention_factor = scaling.rope_scaling_longrope(
        8, short_factor=SHORT, long_factor=LONG, original_max_position_embeddings=4096, **options
    )
    assert attention_factor == pytest.approx(expected, rel=1e-12)


def test_proportional_keeps_the_denominator_of_the_whole_head() -> None:
    inv_freq, attention_factor = scaling.rope_scaling_proportional(64, partial_rotary_factor=0.25, base=1e6)
    same(inv_freq[:8], plain(64, 1e6)[:8])
    assert inv_freq.shape == (32,) and (inv_freq[8:] == 0).all()
    assert attention_factor == 1.0
    partial = plain(16, 1e6)
    assert inv_freq[7] / partial[7] > 1000, "partial rotary with the same fraction has other frequencies"


def test_proportional_factor_divides() -> None:
    same(scaling.rope_scaling_proportional(16, factor=8.0)[0], plain(16) / 8)


# What all methods share ---------------------------------------------------------------------------------------

UNSTRETCHED = {
    "linear": lambda d, b, n: scaling.rope_scaling_linear(d, factor=1.0, base=b),
    "ntk": lambda d, b, n: scaling.rope_scaling_ntk(d, factor=1.0, base=b),
    "dynamic": lambda d, b, n: scaling.rope_scaling_dynamic(
        d, factor=1.0, base=b, max_position_embeddings=n, seq_len=n
    ),
    "dynamic alpha": lambda d, b, n: scaling.rope_scaling_dynamic(
        d, alpha=1.0, variant="alpha", base=b, max_position_embeddings=n, seq_len=9 * n
    ),
    "ntk_by_parts": lambda d, b, n: scaling.rope_scaling_ntk_by_parts(
        d, factor=1.0, base=b, original_max_position_embeddings=n
    ),
    "part_ntk": lambda d, b, n: scaling.rope_scaling_part_ntk(
        d, factor=1.0, base=b, original_max_position_embeddings=n
    ),
    "yarn": lambda d, b, n: scaling.rope_scaling_yarn(d, factor=1.0, base=b, original_max_position_embeddings=n),
    "yarn ratio": lambda d, b, n: scaling.rope_scaling_yarn(
        d, factor=1.0, base=b, original_max_position_embeddings=n, ramp="ratio"
    ),
    "llama3": lambda d, b, n: scaling.rope_scaling_llama3(
        d, factor=1.0, base=b, original_max_position_embeddings=n, low_freq_factor=1, high_freq_factor=4
    ),
    "longrope": lambda d, b, n: scaling.rope_scaling_longrope(
        d,
        short_factor=np.ones(d // 2),
        long_factor=np.ones(d // 2),
        base=b,
        original_max_position_embeddings=n,
        factor=1.0,
        seq_len=9 * n,
    ),
    "proportional": lambda d, b, n: scaling.rope_scaling_proportional(d, base=b),
}


@pytest.mark.parametrize("method", UNSTRETCHED)
@settings(LAW, max_examples=15)
@given(dim=widths, base=bases, length=lengths)
def test_factor_one_changes_nothing(method, dim, base, length) -> None:
    inv_freq, attention_factor = UNSTRETCHED[method](dim, base, length)
    assert inv_freq.dtype == np.float64 and inv_freq.shape == (dim // 2,)
    same(inv_freq, plain(dim, base))
    assert attention_factor == 1.0


# Scaling the query --------------------------------------------------------------------------------------------


def test_logn_per_query() -> None:
    found = scaling.logn_scale([0, 7, 8, 63, 511], 8, clip=False)
    same(found[1:], [1.0, math.log(9) / math.log(8), 2.0, 3.0])
    assert found[0] == 0.0, "the first query sees one key, and ln 1 = 0"


def test_logn_clipped_is_one_within_the_trained_length() -> None:
    found = scaling.logn_scale(np.arange(64), 16)
    assert (found[:16] == 1.0).all()
    assert found[16] == pytest.approx(math.log(17) / math.log(16), rel=1e-12)
    assert (np.diff(found[15:]) > 0).all()


def test_logn_clipped_is_the_table_of_qwen() -> None:
    """Qwen-1 counts from 1: log_L(i) for i > L, 1 before."""
    table = [math.log(i, 100) if i > 100 else 1 for i in range(1, 401)]
    same(scaling.logn_scale(np.arange(400), 100), table)


def test_logn_length_mode_is_constant() -> None:
    positions = np.array([[0, 1, 2, 3], [60, 61, 62, 63]])
    found = scaling.logn_scale(positions, 8, mode="length", clip=False)
    same(found, [[math.log(4) / math.log(8)] * 4, [2.0] * 4])
    same(scaling.logn_scale(positions, 8, mode="length", length=512), np.full((2, 4), 3.0))
    same(scaling.logn_scale(63, 8, mode="length"), 2.0)


def test_logn_is_one_at_the_trained_length() -> None:
    for clip in (True, False):
        assert scaling.logn_scale(511, 512, clip=clip) == pytest.approx(1.0, rel=1e-15)


def test_llama4_steps_one_position_early() -> None:
    found = scaling.llama4_temperature([0, 8190, 8191, 16382, 16383, 131071])
    same(found, 1 + 0.1 * np.log([1, 1, 2, 2, 3, 17]))


def test_llama4_options() -> None:
    same(scaling.llama4_temperature([[3, 4]], attn_scale=0.5, floor_scale=5), [[1.0, 1 + 0.5 * math.log(2)]])


def test_ministral_steps_at_the_trained_length() -> None:
    found = scaling.ministral_scale([0, 16383, 16384, 262143], 0.1, 16384)
    same(found, 1 + 0.1 * np.log([1, 1, 2, 16]))


def test_ministral_beta_zero_is_no_scale() -> None:
    same(scaling.ministral_scale(np.arange(0, 9000, 1000), 0.0, 512), np.ones(9))
