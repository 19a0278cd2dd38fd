"""Laws of the biases that depend on positions alone: T5, ALiBi, KERPLE, Sandwich, FIRE, continuous curves."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_course.reference import bias

LAW = settings(deadline=None, derandomize=True, max_examples=40)
POSITIONS = np.arange(9)
CAUSAL = np.tri(9, dtype=bool)
FIRE_LAYERS = [
    (np.array([[1.0], [-2.0], [0.5]]), np.array([0.1, 1.2, -0.2])),
    (np.array([[1.0, -1.0, 2.0], [0.3, 0.7, -0.4]]), np.array([0.0, 0.5])),
]


def softmax(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def causal_weights(added: np.ndarray) -> np.ndarray:
    """Attention weights of random scores plus the bias, under the causal mask."""
    scores = np.random.default_rng(0).normal(size=added.shape[-2:])
    return softmax(scores + added, CAUSAL)


def assert_toeplitz(matrix: np.ndarray) -> None:
    """Equal along diagonals: a function of the distance."""
    assert_allclose(matrix[..., 1:, 1:], matrix[..., :-1, :-1], atol=1e-12)


def distance_methods() -> dict:
    """Every method that promises to depend on the distance alone, as a function of two lists of positions."""
    layers = [(np.array([[0.5], [-0.3]]), np.array([0.1, 0.2])), (np.ones((3, 2)), None)]

    def pairs(query, key):
        return np.subtract.outer(query, key)

    return {
        "t5": lambda q, k: bias.t5_bias(np.random.default_rng(3).normal(size=(32, 3)), q, k),
        "alibi causal": lambda q, k: bias.alibi_bias(q, k, bias.alibi_slopes(3)),
        "alibi symmetric": lambda q, k: bias.alibi_bias(q, k, bias.alibi_slopes(3), form="symmetric"),
        "kerple log": lambda q, k: bias.kerple_log(pairs(q, k), [1.0, 0.5, 2.0], [0.2, 1.0, 3.0]),
        "kerple power": lambda q, k: bias.kerple_power(pairs(q, k), [1.0, 0.5, 2.0], [0.2, 1.0, 1.5]),
        "sandwich": lambda q, k: bias.sandwich_bias(q, k, 3, dim=16),
        "mlp": lambda q, k: bias.mlp_distance_bias(pairs(q, k), layers),
    }


# T5 --------------------------------------------------------------------------------------------------------


def exact_bucket(distance: int, buckets: int, max_distance: int) -> int:
    """The equation of T5 in rational arithmetic: ln(a) / ln(b) * s >= k is a**s >= b**k."""
    exact = buckets // 2
    if distance < exact:
        return distance
    ratio, limit = Fraction(distance, exact), Fraction(max_distance, exact)
    step = 0
    while exact + step < buckets - 1 and ratio ** (buckets - exact) >= limit ** (step + 1):
        step += 1
    return exact + step


def released_bucket(relative_position, *, bidirectional, num_buckets, max_distance):
    """The released float32 order of operations, written out again."""
    n = -relative_position
    bucket = np.zeros_like(n)
    if bidirectional:
        num_buckets //= 2
        bucket += (n < 0) * num_buckets
        n = np.abs(n)
    else:
        n = np.maximum(n, 0)
    exact = num_buckets // 2
    ratio = (np.maximum(n, 1) / exact).astype(np.float32)
    far = exact + (np.log(ratio) / np.float32(np.log(max_distance / exact)) * (num_buckets - exact)).astype(int)
    return bucket + np.where(n < exact, n, np.minimum(far, num_buckets - 1))


def test_t5_buckets_of_the_default() -> None:
    near = bias.t5_relative_position_bucket([-3, -1, 0, 1, 3])
    assert_array_equal(near, [3, 1, 0, 17, 19])
    assert_array_equal(
        bias.t5_relative_position_bucket(-np.array([7, 8, 11, 12, 16, 23, 32, 64])), [7, 8, 8, 9, 10, 11, 12, 14]
    )
    assert_array_equal(bias.t5_relative_position_bucket([-127, -128, -500, 127, 128, 500]), [15, 15, 15, 31, 31, 31])


def test_t5_causal_buckets_of_the_default() -> None:
    assert_array_equal(bias.t5_relative_position_bucket([-3, -1, 0, 1, 3], bidirectional=False), [3, 1, 0, 0, 0])
    assert_array_equal(bias.t5_relative_position_bucket([-15, -16, -32, -64], bidirectional=False), [15, 16, 21, 26])


def test_t5_last_bucket_starts_before_128() -> None:
    assert_array_equal(bias.t5_bucket_starts(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91])
    assert bias.t5_bucket_starts(bidirectional=False)[-1] == 113


CONFIGURATIONS = [
    (2, 5),
    (3, 4),
    (6, 37),
    (7, 3 * 27),
    (8, 4 * 81),
    (9, 128),
    (10, 160),
    (16, 64),
    (16, 128),
    (19, 288),
    (32, 128),
    (33, 129),
    (64, 256),
]


@pytest.mark.parametrize(("buckets", "max_distance"), CONFIGURATIONS)
def test_t5_buckets_equal_rational_arithmetic(buckets: int, max_distance: int) -> None:
    distances = np.arange(max_distance + 3)
    wanted = [exact_bucket(n, buckets, max_distance) for n in range(max_distance + 3)]
    causal = bias.t5_relative_position_bucket(
        -distances, bidirectional=False, num_buckets=buckets, max_distance=max_distance
    )
    assert_array_equal(causal, wanted)
    both = bias.t5_relative_position_bucket(-distances, num_buckets=2 * buckets, max_distance=max_distance)
    assert_array_equal(both, wanted)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("num_buckets", "max_distance"), [(8, 20), (16, 64), (32, 128), (64, 256), (40, 100)])
def test_t5_buckets_equal_the_released_order_of_operations(
    num_buckets: int, max_distance: int, bidirectional: bool
) -> None:
    relative_position = np.arange(-max_distance - 5, max_distance + 6)
    options = {"bidirectional": bidirectional, "num_buckets": num_buckets, "max_distance": max_distance}
    ours = bias.t5_relative_position_bucket(relative_position, **options)
    assert_array_equal(ours, released_bucket(relative_position, **options))


@LAW
@given(st.integers(1, 32), st.integers(1, 400))
def test_t5_float32_misses_at_most_one_distance_by_one_bucket(half: int, beyond: int) -> None:
    """With 48 buckets and 81, for one, float32 rounds an exact border down."""
    options = {"bidirectional": False, "num_buckets": 2 * half, "max_distance": half + beyond}
    relative_position = -np.arange(half + beyond + 6)
    gap = np.abs(
        bias.t5_relative_position_bucket(relative_position, **options) - released_bucket(relative_position, **options)
    )
    assert gap.sum() <= 1


def test_float64_logarithms_miss_three_borders_of_nine_buckets() -> None:
    n = np.arange(4, 129)
    by_logarithms = np.minimum(8, 4 + np.floor(np.log(n / 4) / np.log(128 / 4) * 5))
    ours = bias.t5_relative_position_bucket(-n, bidirectional=False, num_buckets=9)
    assert_array_equal(n[by_logarithms != ours], [8, 16, 64])


@LAW
@given(st.integers(2, 40), st.integers(1, 300))
def test_t5_buckets_grow_with_distance_and_fill_the_range(buckets: int, beyond: int) -> None:
    max_distance = buckets // 2 + beyond
    distances = np.arange(max_distance + 10)
    ours = bias.t5_relative_position_bucket(
        -distances, bidirectional=False, num_buckets=buckets, max_distance=max_distance
    )
    assert (np.diff(ours) >= 0).all()
    assert ours[0] == 0 and ours[max_distance] == ours[-1] == buckets - 1


def test_t5_directions_share_no_bucket() -> None:
    distances = np.arange(1, 300)
    after = bias.t5_relative_position_bucket(distances)
    before = bias.t5_relative_position_bucket(-distances)
    assert_array_equal(after, before + 16)


def test_t5_bias_reads_the_column_of_its_head() -> None:
    table = np.arange(32)[:, None] + np.array([0.0, 100.0])
    ours = bias.t5_bias(table, [0, 2], [0, 1, 2])
    assert_array_equal(ours[0], [[0, 17, 18], [2, 1, 0]])
    assert_array_equal(ours[1], ours[0] + 100)
    assert_array_equal(bias.t5_bias(table, [1], [0, 1, 2], bidirectional=False)[0], [[1, 0, 0]])


def test_t5_bias_honours_its_max_distance() -> None:
    table = np.arange(8.0)[:, None]
    assert_array_equal(bias.t5_bias(table, [20], [0, 10, 15], max_distance=20)[0], [[3, 3, 2]])


# ALiBi -----------------------------------------------------------------------------------------------------


def test_alibi_slopes_of_eight_heads() -> None:
    assert_array_equal(bias.alibi_slopes(8), 2.0 ** -np.arange(1, 9))


def test_alibi_slopes_of_twelve_heads_are_not_sorted() -> None:
    wanted = 2.0 ** -np.array([1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5])
    assert_allclose(bias.alibi_slopes(12), wanted, rtol=1e-15)
    assert_allclose(bias.alibi_slopes(12, rule="geometric"), 2.0 ** (-8 * np.arange(1, 13) / 12), rtol=1e-15)


@pytest.mark.parametrize("num_heads", [1, 2, 3, 5, 6, 12, 17, 40, 64, 71])
def test_alibi_slopes_equal_the_form_of_mpt(num_heads: int) -> None:
    """MPT starts from the power of two above: every second slope first, then the others."""
    above = 1 << (num_heads - 1).bit_length()
    slopes = 2.0 ** (-8 * np.arange(1, above + 1) / above)
    if above != num_heads:
        slopes = np.concatenate([slopes[1::2], slopes[0::2]])[:num_heads]
    assert_allclose(bias.alibi_slopes(num_heads), slopes, rtol=1e-14)


def test_alibi_bias_max_is_the_largest_exponent() -> None:
    assert_allclose(bias.alibi_slopes(4, alibi_bias_max=16), 2.0 ** -np.array([4, 8, 12, 16]))


def test_alibi_causal_values() -> None:
    ours = bias.alibi_bias([3], [0, 1, 2, 3, 4], [0.5, 0.25])
    assert_array_equal(ours, [[[-1.5, -1.0, -0.5, 0.0, 0.5]], [[-0.75, -0.5, -0.25, 0.0, 0.25]]])


def test_alibi_symmetric_equals_its_transpose() -> None:
    ours = bias.alibi_bias(POSITIONS, POSITIONS, bias.alibi_slopes(8), form="symmetric")
    assert_array_equal(ours, np.swapaxes(ours, -1, -2))
    assert_array_equal(ours[1, 0], -0.25 * POSITIONS)
    causal = bias.alibi_bias(POSITIONS, POSITIONS, bias.alibi_slopes(8))
    assert_array_equal(ours[:, CAUSAL], causal[:, CAUSAL])


def test_alibi_forms_agree_after_softmax() -> None:
    slopes = bias.alibi_slopes(6)
    by_key = bias.alibi_bias(POSITIONS, POSITIONS, slopes, form="key_only")
    relative = bias.alibi_bias(POSITIONS, POSITIONS, slopes)
    assert_array_equal(by_key[1], np.tile(slopes[1] * POSITIONS, (9, 1)))
    assert np.abs(by_key - relative).max() > 1
    assert_allclose(causal_weights(by_key), causal_weights(relative), atol=1e-14)


def test_alibi_takes_positions_per_sequence() -> None:
    positions = np.array([[0, 1, 2], [5, 7, 9]])
    ours = bias.alibi_bias(positions, positions, [0.5, 1.0])
    assert ours.shape == (2, 2, 3, 3)
    assert_array_equal(ours[1], bias.alibi_bias(positions[1], positions[1], [0.5, 1.0]))


# KERPLE ----------------------------------------------------------------------------------------------------


def test_kerple_values() -> None:
    distance = np.array([0.0, 1.0, 4.0])
    assert_allclose(bias.kerple_log(distance, 2.0, 0.5), [0, -2 * np.log(1.5), -2 * np.log(3.0)])
    assert_allclose(bias.kerple_power(distance, 2.0, 0.5), [0, -2, -4])
    assert_allclose(bias.kerple_weight(distance, 2.0, 0.5), np.exp([0, -2, -4]))


def test_kerple_three_parameter_values() -> None:
    ours = bias.kerple_three_parameter([0.0, 1.0, 4.0], 0.5, 2.0, 0.5)
    assert_allclose(ours, [0, -2 * np.log(1.5), -2 * np.log(2.0)])


def test_kerple_clamps_as_the_released_code() -> None:
    assert_allclose(bias.kerple_log([3.0], -1.0, 0.0), -0.01 * np.log(1.03))
    assert_allclose(bias.kerple_log([3.0], 0.001, 0.002, minimum=None), -0.001 * np.log(1.006))
    assert_allclose(bias.kerple_power([3.0], 1.0, 2.5), -9.0)
    assert_allclose(bias.kerple_power([3.0], 1.0, 3.0, maximum_exponent=None), -27.0)
    assert_allclose(bias.kerple_weight([3.0], 0.0, 5.0), np.exp(-0.09))


def test_kerple_power_one_is_symmetric_alibi() -> None:
    slopes = bias.alibi_slopes(4)
    ours = bias.kerple_power(np.subtract.outer(POSITIONS, POSITIONS), slopes, 1.0, minimum=None)
    assert_allclose(ours, bias.alibi_bias(POSITIONS, POSITIONS, slopes, form="symmetric"), atol=1e-15)


def test_kerple_three_parameter_contains_the_logarithm() -> None:
    distance = np.arange(-4, 5)
    ours = bias.kerple_three_parameter(distance, 0.3, 1.7, 1.0)
    assert_allclose(ours, bias.kerple_log(distance, 1.7, 0.3))


def test_kerple_has_heads_first_and_no_sign() -> None:
    ours = bias.kerple_log([[-2.0, 2.0]], [1.0, 3.0], 1.0)
    assert ours.shape == (2, 1, 2)
    assert_allclose(ours[:, 0, 0], ours[:, 0, 1])
    assert_allclose(ours[1], 3 * ours[0])


# Sandwich --------------------------------------------------------------------------------------------------


def sinusoid(positions: np.ndarray, dim: int) -> np.ndarray:
    """Rows PE(p) of Vaswani et al. 2017, sines then cosines."""
    angles = positions[:, None] * 10000.0 ** (-np.arange(0, dim, 2) / dim)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


def test_sandwich_is_an_inner_product_of_sinusoids() -> None:
    pe = sinusoid(POSITIONS, 32)
    wanted = pe @ pe.T
    for head in (1, 2, 3):
        ours = bias.sandwich_bias(POSITIONS, POSITIONS, 3, dim=32, subtract_constant=False)[head - 1]
        assert_allclose(ours, wanted * 3 / (8 * head), atol=1e-12)


def test_sandwich_is_largest_at_distance_zero() -> None:
    ours = bias.sandwich_bias(POSITIONS, POSITIONS, 4)
    assert_allclose(np.diagonal(ours, axis1=-2, axis2=-1), 0.0, atol=1e-12)
    assert ours.max() <= 1e-12
    assert_allclose(ours[0], 4 * ours[3], atol=1e-12)


def test_sandwich_constant_changes_no_softmax_but_the_index_does() -> None:
    with_constant = bias.sandwich_bias(POSITIONS, POSITIONS, 4)
    without = bias.sandwich_bias(POSITIONS, POSITIONS, 4, subtract_constant=False)
    assert_allclose(without - with_constant, (64 * bias.sandwich_head_scales(4))[:, None, None] * np.ones((9, 9)))
    assert_allclose(causal_weights(with_constant), causal_weights(without), atol=1e-13)
    from_one = bias.sandwich_bias(POSITIONS, POSITIONS, 4, index_start=1)
    assert np.abs(causal_weights(with_constant) - causal_weights(from_one)).max() > 0.05


def test_sandwich_index_start_drops_the_fastest_cosine() -> None:
    distance = np.arange(5.0)
    difference = bias.sandwich_kernel(distance, dim=8) - bias.sandwich_kernel(distance, dim=8, index_start=1)
    assert_allclose(difference, np.cos(distance) - np.cos(distance / 10000), atol=1e-12)


def test_sandwich_future_keys_without_bidirectional() -> None:
    ours = bias.sandwich_bias(POSITIONS, POSITIONS, 2, bidirectional=False)
    assert_allclose(ours[:, ~CAUSAL], 0.0, atol=1e-12)
    assert_array_equal(ours[:, CAUSAL], bias.sandwich_bias(POSITIONS, POSITIONS, 2)[:, CAUSAL])


# FIRE ------------------------------------------------------------------------------------------------------


def test_fire_input_values() -> None:
    ours = bias.fire_input([2, 9], [0, 2], c=0.5, threshold=4.0, eps=0.0)
    wanted = [[np.log(2) / np.log(3), 0.0], [np.log(5.5) / np.log(5.5), np.log(4.5) / np.log(5.5)]]
    assert_allclose(ours, wanted)


def test_fire_input_has_the_eps_of_the_listing() -> None:
    assert bias.fire_input([1], [0], c=1.0, threshold=1.0)[0, 0] == np.log(2) / (np.log(2) + 1e-6)


@LAW
@given(st.integers(1, 3000), st.floats(0.01, 5.0), st.floats(1.0, 600.0))
def test_fire_input_stays_below_one(length: int, c: float, threshold: float) -> None:
    ours = bias.fire_input([length - 1], np.arange(length), c=c, threshold=threshold)
    assert ours.min() >= 0 and ours.max() < 1
    assert (np.diff(ours) <= 0).all()


def test_fire_is_shift_invariant_up_to_the_threshold_only() -> None:
    def at(shift: int) -> np.ndarray:
        return bias.fire_bias(POSITIONS + shift, POSITIONS + shift, FIRE_LAYERS, threshold=40.0)

    assert_allclose(at(30), at(0), atol=1e-14)
    assert np.abs(at(100) - at(0)).max() > 0.02


def test_fire_bias_is_its_network_by_hand() -> None:
    x = bias.fire_input(POSITIONS, POSITIONS)[5, 1]
    hidden = [max(0.0, x + 0.1), max(0.0, -2 * x + 1.2), max(0.0, 0.5 * x - 0.2)]
    ours = bias.fire_bias(POSITIONS, POSITIONS, FIRE_LAYERS)
    assert ours.shape == (2, 9, 9)
    assert_allclose(ours[0, 5, 1], hidden[0] - hidden[1] + 2 * hidden[2])
    assert_allclose(ours[1, 5, 1], 0.3 * hidden[0] + 0.7 * hidden[1] - 0.4 * hidden[2] + 0.5)


# Continuous curves -----------------------------------------------------------------------------------------


def test_linear_is_the_first_head_of_alibi() -> None:
    distance = np.subtract.outer(POSITIONS, POSITIONS)
    assert_array_equal(
        bias.linear_distance_bias(distance), bias.alibi_bias(POSITIONS, POSITIONS, [0.5], form="symmetric")[0]
    )
    assert_array_equal(bias.linear_distance_bias([-3.0, 2.0], slope=2.0), [-6.0, -4.0])


def test_curve_values() -> None:
    assert_allclose(bias.log_distance_bias([-3.0, 0.0], 2.0, 1.0), [-2 * np.log(4), 0.0])
    assert_allclose(bias.log_distance_bias([2.0], 0.001, 0.001), -0.001 * np.log(1.002))
    assert_allclose(bias.exponential_distance_bias([-6.0, 0.0], 3.0, 2.0), [3 * np.exp(-3.0), 3.0])
    assert_allclose(bias.gaussian_distance_bias([-6.0, 0.0], 3.0, 2.0), [3 * np.exp(-4.5), 3.0])


@pytest.mark.parametrize("curve", ["exponential_distance_bias", "gaussian_distance_bias"])
def test_a_bias_that_tends_to_zero_does_not_fade_far_keys(curve: str) -> None:
    far = getattr(bias, curve)(np.array([100.0, 1000.0]))
    weights = softmax(far, np.ones(2, dtype=bool))
    assert_allclose(weights, 0.5, atol=1e-12)


def test_mlp_sees_the_sign_and_the_logarithm() -> None:
    through = [(np.array([[1.0]]), None)]
    assert_array_equal(bias.mlp_distance_bias([-3.0, 2.0], through), [[-3.0, 2.0]])
    logarithms = bias.mlp_distance_bias([-3.0, 2.0], through, log_distance=True)
    assert_allclose(logarithms, [[-np.log(4), np.log(3)]])


def test_mlp_activation_follows_every_layer_but_the_last() -> None:
    layers = [(np.array([[2.0], [-1.0]]), np.array([0.5, 0.0])), (np.array([[1.0, 1.0], [0.0, -3.0]]), None)]
    first, second = 2 * 1.5 + 0.5, -1.5
    silu = [x / (1 + np.exp(-x)) for x in (first, second)]
    assert_allclose(bias.mlp_distance_bias([1.5], layers), [[sum(silu)], [-3 * silu[1]]])
    assert_allclose(bias.mlp_distance_bias([1.5], layers, activation="relu"), [[first], [0.0]])


def test_mlp_norm_comes_before_the_activation() -> None:
    layers = [(np.array([[2.0], [-1.0]]), np.array([0.5, 0.0])), (np.array([[1.0, 10.0]]), None)]
    hidden = np.array([2 * 1.5 + 0.5, -1.5])
    normed = (hidden - hidden.mean()) / np.sqrt(hidden.var() + 1e-5)
    scale, shift = np.array([2.0, 3.0]), np.array([0.1, 0.2])
    first, second = np.maximum(normed * scale + shift, 0)
    ours = bias.mlp_distance_bias([1.5], layers, activation="relu", norms=[(scale, shift)])
    assert_allclose(ours, [[first + 10 * second]])
    first, second = np.maximum(normed * scale, 0)
    ours = bias.mlp_distance_bias([1.5], layers, activation="relu", norms=[(scale, None)])
    assert_allclose(ours, [[first + 10 * second]])


def test_swin_coordinates() -> None:
    assert_allclose(
        bias.swin_log_coordinates([-7.0, 0.0, 7.0], 8), [-np.log(9) / np.log(8), 0.0, np.log(9) / np.log(8)]
    )
    assert_allclose(bias.swin_log_coordinates([[7.0, 3.0]], [8, 4]), np.log(9) / np.log(8) * np.ones((1, 2)))
    assert_array_equal(bias.swin_log_coordinates([0.0], 1), [0.0])


def test_swin_bias_values() -> None:
    first = (np.array([[1.0, 0.0], [0.0, -1.0]]), np.array([0.0, 0.0]))
    last = (np.array([[1.0, 2.0]]), None)
    ours = bias.swin_log_bias([[1, 0]], [[0, 0], [0, 1], [1, 1]], 2, [first, last])
    full = np.log(9) / np.log(8)
    assert_allclose(ours[0, 0], 16 / (1 + np.exp(-full * np.array([1, 3, 2]))))
    assert_allclose(bias.swin_log_bias([[0, 0]], [[0, 0]], 2, [first, last], ceiling=4.0), [[[2.0]]])


# What all share --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", distance_methods())
def test_bias_is_constant_along_diagonals(method: str) -> None:
    ours = distance_methods()[method](POSITIONS, POSITIONS)
    assert ours.shape == (3, 9, 9)
    assert_toeplitz(ours)


@LAW
@given(st.integers(0, 100_000), st.sampled_from(sorted(distance_methods())))
def test_a_shift_of_all_positions_changes_nothing(shift: int, method: str) -> None:
    compute = distance_methods()[method]
    assert_allclose(compute(POSITIONS + shift, POSITIONS + shift), compute(POSITIONS, POSITIONS), atol=1e-12)


@pytest.mark.parametrize("method", distance_methods())
def test_a_cached_query_gets_the_last_row(method: str) -> None:
    compute = distance_methods()[method]
    assert_allclose(compute(POSITIONS[-1:], POSITIONS), compute(POSITIONS, POSITIONS)[:, -1:], atol=1e-12)


def test_fire_cached_query_gets_the_last_row() -> None:
    full = bias.fire_bias(POSITIONS, POSITIONS, FIRE_LAYERS, threshold=3.0)
    assert_array_equal(bias.fire_bias(POSITIONS[-1:], POSITIONS, FIRE_LAYERS, threshold=3.0), full[:, -1:])


def test_positions_per_sequence_reach_every_method() -> None:
    positions = np.stack([POSITIONS, POSITIONS + 700])
    table = np.random.default_rng(1).normal(size=(32, 2))
    for compute in (
        lambda p: bias.t5_bias(table, p, p),
        lambda p: bias.sandwich_bias(p, p, 2, dim=8),
        lambda p: bias.fire_bias(p, p, FIRE_LAYERS),
    ):
        ours = compute(positions)
        assert ours.shape == (2, 2, 9, 9)
        assert_allclose(ours[1], compute(positions[1]), atol=1e-15)


@LAW
@given(st.lists(st.floats(-20, 20), min_size=9, max_size=9))
def test_a_constant_per_row_changes_no_softmax(constants: list[float]) -> None:
    added = bias.alibi_bias(POSITIONS, POSITIONS, [0.5])[0]
    assert_allclose(causal_weights(added + np.array(constants)[:, None]), causal_weights(added), atol=1e-12)


def test_exponential_curves_reach_their_limit_where_a_quotient_overflows():
    assert_array_equal(bias.exponential_distance_bias([0, 1], length=1e-320), [1.0, 0.0])
    assert_array_equal(bias.gaussian_distance_bias([0, 1e300]), [1.0, 0.0])
    assert_array_equal(bias.gaussian_distance_bias([0, 1], width=1e-320), [1.0, 0.0])
