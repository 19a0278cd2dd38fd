"""The rotary family: each law that its docstrings state, and the numbers of the course's claims."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pe_course.reference import rotary

LAYOUTS = ("interleaved", "half")
finite_position = st.floats(min_value=-2000, max_value=2000, allow_nan=False)
law = settings(deadline=None, derandomize=True, max_examples=25)


def vectors(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def claim_vectors() -> tuple[np.ndarray, np.ndarray]:
    """q and k of the claims: 64 channels each, drawn in this order; interleaved pairs."""
    generator = np.random.default_rng(7)
    return generator.standard_normal(64), generator.standard_normal(64)


def rope_at(x: np.ndarray, position: float, **options) -> np.ndarray:
    """RoPE of one vector at one position."""
    return rotary.apply_rope(x[None], [position], **options)[0]


def scores(q: np.ndarray, k: np.ndarray, query_positions, key_positions, **options) -> np.ndarray:
    queries = rotary.apply_rope(q, query_positions, **options)
    return queries @ np.swapaxes(rotary.apply_rope(k, key_positions, **options), -1, -2)


# --- frequencies and angles -------------------------------------------------------------------------------------------


def test_frequencies_follow_the_formula():
    for dim, base in ((2, 10000.0), (8, 10000.0), (10, 7.5), (128, 5e5)):
        wanted = [base ** (-2 * m / dim) for m in range(dim // 2)]
        np.testing.assert_allclose(rotary.rope_frequencies(dim, base=base), wanted, rtol=1e-14)


def test_the_exponent_divides_by_the_rotated_width():
    by_rotated, by_head = 10000.0 ** (-62 / 64), 10000.0 ** (-62 / 256)
    assert rotary.rope_frequencies(64)[-1] == pytest.approx(by_rotated, rel=1e-14)
    assert round(by_head / by_rotated) == 806


def test_proportional_frequencies_stop_the_slow_pairs():
    frequencies = rotary.proportional_frequencies(64, partial_rotary_factor=0.25, base=1e6)
    np.testing.assert_allclose(frequencies[:8], 1e6 ** (-np.arange(8) / 32), rtol=1e-14)
    assert (frequencies[8:] == 0).all()
    assert len(frequencies) == 32


def test_proportional_frequencies_with_everything_turning_are_plain():
    whole = rotary.proportional_frequencies(16, partial_rotary_factor=1, base=500.0)
    np.testing.assert_array_equal(whole, rotary.rope_frequencies(16, base=500.0))


def test_proportional_and_partial_rotary_are_different_methods():
    partial = rotary.rope_frequencies(rotary.partial_rotary_dim(64, partial_rotary_factor=0.25))
    proportional = rotary.proportional_frequencies(64, partial_rotary_factor=0.25)
    assert np.abs(partial - proportional[: len(partial)]).max() > 0.1


@pytest.mark.parametrize(("head_dim", "fraction", "width"), [(96, 0.25, 24), (80, 0.4, 32), (128, 0.5, 64), (6, 1, 6)])
def test_partial_rotary_dim(head_dim, fraction, width):
    assert rotary.partial_rotary_dim(head_dim, partial_rotary_factor=fraction) == width


def test_angles_are_position_times_frequency():
    positions = np.array([[0, 1, 5], [-2, 0.5, 131071]])
    angles = rotary.rope_angles(positions, [1.0, 0.25])
    assert angles.shape == (2, 3, 2)
    np.testing.assert_array_equal(angles[..., 1], positions * 0.25)


def test_tables_carry_the_attention_factor_once():
    cos, sin = rotary.rope_cos_sin([0, 3], [1.0, 0.1], attention_factor=1.5)
    np.testing.assert_allclose(cos**2 + sin**2, 2.25, rtol=1e-14)
    np.testing.assert_allclose(cos[1], 1.5 * np.cos([3, 0.3]), rtol=1e-14)


# --- layouts ----------------------------------------------------------------------------------------------------------


def test_pairs_of_each_layout():
    first, second = rotary.pair_channels(6, "interleaved")
    assert (first.tolist(), second.tolist()) == ([0, 2, 4], [1, 3, 5])
    first, second = rotary.pair_channels(6, "half")
    assert (first.tolist(), second.tolist()) == ([0, 1, 2], [3, 4, 5])


def test_interleaved_to_half_takes_even_channels_first():
    assert rotary.interleaved_to_half(np.arange(6)).tolist() == [0, 2, 4, 1, 3, 5]
    assert rotary.half_to_interleaved(np.arange(6)).tolist() == [0, 3, 1, 4, 2, 5]


@pytest.mark.parametrize("rotary_dim", [None, 2, 6])
def test_layout_changes_undo_each_other(rotary_dim):
    x = vectors(2, 3, 8)
    np.testing.assert_array_equal(
        rotary.half_to_interleaved(rotary.interleaved_to_half(x, rotary_dim=rotary_dim), rotary_dim=rotary_dim), x
    )


def test_partial_layout_change_leaves_the_rest():
    assert rotary.interleaved_to_half(np.arange(7), rotary_dim=4).tolist() == [0, 2, 1, 3, 4, 5, 6]


@pytest.mark.parametrize("rotary_dim", [None, 4])
def test_rotation_commutes_with_the_layout_change(rotary_dim):
    x, positions = vectors(2, 2, 5, 8), np.array([0, 1, 7, 30, 400])
    turned_first = rotary.interleaved_to_half(
        rotary.apply_rope(x, positions, layout="interleaved", rotary_dim=rotary_dim), rotary_dim=rotary_dim
    )
    moved_first = rotary.apply_rope(
        rotary.interleaved_to_half(x, rotary_dim=rotary_dim), positions, layout="half", rotary_dim=rotary_dim
    )
    np.testing.assert_allclose(turned_first, moved_first, atol=1e-14)


@pytest.mark.parametrize("rotary_dim", [None, 4])
def test_permuted_weights_give_equal_scores(rotary_dim):
    heads, width, length = 2, 6, 5
    weights = vectors(2, heads * width, 12)
    hidden, positions = vectors(length, 12, seed=1), np.arange(length) + 3

    def projected(weight):
        return (hidden @ weight.T).reshape(length, heads, width).swapaxes(0, 1)

    q, k = (projected(weight) for weight in weights)
    q_half, k_half = (
        projected(rotary.permute_projection(weight, heads, to="half", rotary_dim=rotary_dim)) for weight in weights
    )
    interleaved = scores(q, k, positions, positions, layout="interleaved", rotary_dim=rotary_dim)
    half = scores(q_half, k_half, positions, positions, layout="half", rotary_dim=rotary_dim)
    np.testing.assert_allclose(half, interleaved, atol=1e-12)


def test_permutation_stays_within_heads():
    rows = np.arange(12.0)[:, None]
    assert rotary.permute_projection(rows, 2, to="half")[:, 0].tolist() == [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11]


def test_permutation_of_weights_is_undone_by_the_other_direction():
    weight = vectors(12, 5)
    there = rotary.permute_projection(weight, 2, to="half")
    np.testing.assert_array_equal(rotary.permute_projection(there, 2, to="interleaved"), weight)
    assert not np.array_equal(there, weight)


def test_a_bias_is_permuted_like_the_rows_of_its_weight():
    weight = vectors(12, 1)
    np.testing.assert_array_equal(
        rotary.permute_projection(weight[:, 0], 3, to="half"), rotary.permute_projection(weight, 3, to="half")[:, 0]
    )


def test_mixed_layouts_are_noticed():
    """L-047: queries in one layout, keys in the other: the score depends on more than the distance."""
    q, k = claim_vectors()

    def mixed(m, n):
        return rope_at(q, m, layout="interleaved") @ rope_at(k, n, layout="half")

    np.testing.assert_allclose([mixed(5, 3), mixed(105, 103)], [3.5623, -4.0470], atol=5e-5)


def test_the_wrong_layout_on_both_sides_keeps_the_law_but_not_the_scores():
    q, k = claim_vectors()
    wrong = [rope_at(q, m, layout="half") @ rope_at(k, m - 8, layout="half") for m in (8, 108)]
    right = rope_at(q, 8, layout="interleaved") @ rope_at(k, 0, layout="interleaved")
    assert wrong[0] == pytest.approx(wrong[1], abs=1e-11)
    assert abs(wrong[0] - right) > 0.1


# --- rotation ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_position_one_turns_counterclockwise(layout):
    turned = rotary.apply_rope([[1.0, 0.0], [0.0, 1.0]], [1, 1], layout=layout)
    np.testing.assert_allclose(turned, [[math.cos(1), math.sin(1)], [-math.sin(1), math.cos(1)]], atol=1e-15)


def test_each_pair_turns_by_its_own_angle():
    cos, sin = rotary.rope_cos_sin([10], [1.0, 1e-3])
    turned = rotary.apply_rotary([[1.0, 0.0, 1.0, 0.0]], cos, sin, layout="interleaved")
    np.testing.assert_allclose(turned, [[math.cos(10), math.sin(10), math.cos(0.01), math.sin(0.01)]], atol=1e-15)
    turned = rotary.apply_rotary([[1.0, 1.0, 0.0, 0.0]], cos, sin, layout="half")
    np.testing.assert_allclose(turned, [[math.cos(10), math.cos(0.01), math.sin(10), math.sin(0.01)]], atol=1e-15)


def test_the_default_layout_is_half():
    cos, sin = rotary.rope_cos_sin([3], [1.0, 0.1])
    x = [[1.0, 2.0, 3.0, 4.0]]
    np.testing.assert_array_equal(rotary.apply_rotary(x, cos, sin), rotary.apply_rotary(x, cos, sin, layout="half"))


@law
@given(position=finite_position, seed=st.integers(0, 10))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_rotation_keeps_the_length(layout, position, seed):
    x = vectors(3, 8, seed=seed)
    turned = rotary.apply_rope(x, [position] * 3, layout=layout)
    np.testing.assert_allclose((turned**2).sum(-1), (x**2).sum(-1), rtol=1e-12)


@law
@given(m=finite_position, n=finite_position, shift=finite_position)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_score_depends_on_the_distance_only(layout, m, n, shift):
    q, k = vectors(2, 8)
    plain = rope_at(q, m, layout=layout) @ rope_at(k, n, layout=layout)
    shifted = rope_at(q, m + shift, layout=layout) @ rope_at(k, n + shift, layout=layout)
    assert shifted == pytest.approx(plain, abs=1e-10)


@law
@given(position=finite_position)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_matrix_form_is_the_real_form(layout, position):
    x, inv_freq = vectors(8), rotary.rope_frequencies(8)
    matrix = rotary.rotation_matrix(position, inv_freq, layout=layout)
    np.testing.assert_allclose(matrix @ x, rope_at(x, position, layout=layout), atol=1e-13)


def test_the_complex_form_is_the_real_form():
    x = vectors(2, 3, 5, 10)
    cos, sin = rotary.rope_cos_sin([[0, 1, 2, 700, 31], [5, 5, 0, 1, 2]], rotary.rope_frequencies(6))
    np.testing.assert_allclose(
        rotary.apply_rotary_complex(x, cos, sin), rotary.apply_rotary(x, cos, sin, layout="interleaved"), atol=1e-14
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_matrices_compose_by_the_difference(layout):
    """RoFormer, equation 16: the transpose of one rotation times another is the rotation by the difference."""
    inv_freq = rotary.rope_frequencies(8)
    r5, r3, r_minus_2 = rotary.rotation_matrix([5, 3, -2], inv_freq, layout=layout)
    np.testing.assert_allclose(r5.T @ r3, r_minus_2, atol=1e-14)
    np.testing.assert_allclose(r5 @ r5.T, np.eye(8), atol=1e-14)


def test_the_interleaved_matrix_is_block_diagonal():
    matrix = rotary.rotation_matrix(1.0, [1.0, 0.5], layout="interleaved")
    c, s, c2, s2 = math.cos(1), math.sin(1), math.cos(0.5), math.sin(0.5)
    np.testing.assert_allclose(matrix, [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, c2, -s2], [0, 0, s2, c2]], atol=1e-15)


def test_the_sequence_axis_is_the_last_but_one():
    x = np.tile(vectors(4), (2, 3, 3, 1))  # heads and tokens are equally many
    turned = rotary.apply_rope(x, np.arange(3))
    np.testing.assert_allclose(turned, np.broadcast_to(turned[:1, :1], turned.shape), atol=0)
    assert np.abs(turned[0, 0, 1] - turned[0, 0, 2]).max() > 0.05


def test_positions_of_a_batch_belong_to_its_rows():
    x = vectors(2, 2, 3, 4)  # batch and heads are equally many
    turned = rotary.apply_rope(x, [[0, 1, 2], [7, 8, 9]])
    for row, start in ((0, 0), (1, 7)):
        np.testing.assert_array_equal(turned[row], rotary.apply_rope(x[row], start + np.arange(3)))


def test_a_single_token_is_rotated_in_every_row():
    x = np.tile(vectors(1, 1, 4), (2, 3, 1, 1))
    turned = rotary.apply_rope(x, [6])
    np.testing.assert_array_equal(turned, np.broadcast_to(turned[:1, :1], turned.shape))
    assert np.abs(turned - x).max() > 0.1


def test_a_cached_step_is_the_last_row_of_the_full_pass():
    q, k = vectors(2, 6, 8)
    full = scores(q, k, np.arange(6), np.arange(6))
    np.testing.assert_allclose(scores(q[5:], k, [5], np.arange(6)), full[5:], atol=1e-13)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_partial_rotary_is_a_narrower_head_beside_untouched_channels(layout):
    x, positions = vectors(3, 9), [0, 1, 7]
    turned = rotary.apply_rope(x, positions, base=100.0, layout=layout, rotary_dim=4)
    np.testing.assert_array_equal(turned[:, 4:], x[:, 4:])
    np.testing.assert_array_equal(turned[:, :4], rotary.apply_rope(x[:, :4], positions, base=100.0, layout=layout))


def test_frequencies_of_your_own_replace_the_base():
    x = vectors(4, 8)
    own = rotary.proportional_frequencies(8, partial_rotary_factor=0.5)
    turned = rotary.apply_rope(x, np.arange(4) + 1, inv_freq=own)
    np.testing.assert_array_equal(turned[:, [2, 3, 6, 7]], x[:, [2, 3, 6, 7]])
    assert np.abs(turned[:, [0, 4]] - x[:, [0, 4]]).max() > 0.1


def test_the_base_is_used():
    turned = rotary.apply_rope([[1.0, 0.0, 1.0, 0.0]], [10], base=1e6, layout="interleaved")
    np.testing.assert_allclose(turned[0, 2:], [math.cos(0.01), math.sin(0.01)], atol=1e-15)


# --- the score --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("pairs", [4, 2])
def test_the_score_function_is_the_product_of_the_rotated(layout, pairs):
    q, k = vectors(2, 8)
    inv_freq = rotary.rope_frequencies(2 * pairs)
    distances = np.array([-7, 0, 1, 250.5])
    wanted = [
        rope_at(q, 300 + r, layout=layout, inv_freq=inv_freq) @ rope_at(k, 300, layout=layout, inv_freq=inv_freq)
        for r in distances
    ]
    np.testing.assert_allclose(rotary.rope_score(q, k, distances, inv_freq, layout=layout), wanted, atol=1e-12)


def test_rotating_one_side_by_the_relative_amount_gives_the_same_score():
    """L-125, L-149: leaving q alone and rotating k by n − m is RoPE, not a mistake."""
    q, k = claim_vectors()
    inv_freq = rotary.rope_frequencies(64)
    both = rope_at(q, 5, layout="interleaved") @ rope_at(k, 3, layout="interleaved")
    one = q @ rotary.rotation_matrix(-2, inv_freq, layout="interleaved") @ k
    np.testing.assert_allclose([both, one], 0.921950107, atol=1e-9)
    assert q @ rope_at(k, 2, layout="interleaved") == pytest.approx(2.901431, abs=1e-6)
    assert rotary.rope_score(q, k, 2, inv_freq, layout="interleaved") == pytest.approx(0.921950107, abs=1e-9)


def test_one_rotated_side_depends_on_that_sides_position():
    """L-126: q · R_n k holds no query position at all, it depends on the absolute key position."""
    q, k = claim_vectors()
    got = [q @ rope_at(k, n, layout="interleaved") for n in (3, 103)]
    np.testing.assert_allclose(got, [4.279583, 7.111505], atol=1e-6)


def test_equal_positions_cancel():
    """L-148: (R_m q) · (R_m k) = q · k."""
    q, k = claim_vectors()
    same = [rope_at(q, m, layout="interleaved") @ rope_at(k, m, layout="interleaved") for m in (5, 999)]
    np.testing.assert_allclose([*same, q @ k], 0.779496409, atol=1e-9)


def test_a_wrong_sign_on_the_key_brings_absolute_positions_back():
    """L-149: k rotated by −n."""
    q, k = claim_vectors()
    got = [
        rope_at(q, m, layout="interleaved") @ rope_at(k, -n, layout="interleaved")
        for m, n in ((5, 3), (6, 2), (105, 103))
    ]
    np.testing.assert_allclose(got, [3.363424, 3.363424, -8.487770], atol=1e-6)


def test_the_score_tells_direction_unless_query_and_key_are_aligned():
    """L-137, L-146: q = (1, 0), k = (0, 1) has q · k = 0, and sin r at distance r."""
    got = rotary.rope_score([1.0, 0.0], [0.0, 1.0], [0, 1, -1, math.pi / 2], [1.0])
    np.testing.assert_allclose(got, [0, 0.8414709848, -0.8414709848, 1], atol=1e-10)
    tied = rotary.rope_score([1.0, 0.0], [1.0, 0.0], [1, -1], [1.0])
    np.testing.assert_allclose(tied, 0.5403023059, atol=1e-10)


def test_shifted_slices_are_scored_alike():
    """L-045, L-111: (52, 50) and (152, 150), and fifty more shifts up to 4900."""
    q, k = claim_vectors()
    reference = rope_at(q, 52) @ rope_at(k, 50)
    shifted = [rope_at(q, 52 + s) @ rope_at(k, 50 + s) for s in range(0, 5000, 100)]
    np.testing.assert_allclose(shifted, reference, atol=1e-11)


def test_one_frequency_for_all_pairs_is_nearly_periodic():
    """L-047: with theta = 1 everywhere the score returns at 44 and 710."""
    got = rotary.rope_score([1.0, 0, 1, 0], [1.0, 0, 1, 0], [44, 710], [1.0, 1.0], layout="interleaved") / 2
    np.testing.assert_allclose(got, [0.999843, 0.999999998], atol=5e-7)


# --- xPos -------------------------------------------------------------------------------------------------------------


def xpos_scores(q, k, query_positions, key_positions, **options):
    queries = rotary.apply_xpos(q, query_positions, role="query", **options)
    return queries @ np.swapaxes(rotary.apply_xpos(k, key_positions, role="key", **options), -1, -2)


def test_zeta_runs_from_two_sevenths_towards_one():
    zeta = rotary.xpos_zeta(8)
    np.testing.assert_allclose(zeta, [(2 * m + 0.4 * 8) / (1.4 * 8) for m in range(4)], rtol=1e-14)
    assert zeta[0] == pytest.approx(2 / 7, rel=1e-14)
    assert rotary.xpos_zeta(8, gamma=1.0)[0] == 0.5


def test_scales_are_powers_of_the_distance_from_the_centre():
    zeta = np.array([0.25, 0.5])
    got = rotary.xpos_scales([10, 20, 30], zeta, scale_base=10, centre=20)
    np.testing.assert_allclose(got, [[4, 2], [1, 1], [0.25, 0.5]], rtol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_xpos_scores_do_not_depend_on_the_centre(layout):
    q, k = vectors(2, 2, 5, 8)
    positions = np.array([0, 1, 2, 40, 900])
    options = {"layout": layout, "rotary_dim": 4}
    plain = xpos_scores(q, k, positions, positions, **options)
    np.testing.assert_allclose(xpos_scores(q, k, positions, positions, centre=450, **options), plain, atol=1e-11)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_xpos_multiplies_each_pair_of_the_score(layout):
    q, k = vectors(2, 6)
    zeta, inv_freq = rotary.xpos_zeta(6), rotary.rope_frequencies(6)
    first, second = rotary.pair_channels(6, layout)
    for i, j in ((9, 4), (700, 3), (2, 5)):
        wanted = sum(
            zeta[m] ** ((i - j) / 512) * rotary.rope_score(q[[a, b]], k[[a, b]], i - j, [inv_freq[m]])
            for m, (a, b) in enumerate(zip(first, second, strict=True))
        )
        assert xpos_scores(q[None], k[None], [i], [j], layout=layout)[0, 0] == pytest.approx(wanted, abs=1e-12)


def test_xpos_decays_for_past_keys_and_grows_for_future_ones():
    k = np.array([[1.0, 0.0]])
    past, present, future = (
        np.linalg.norm(rotary.apply_xpos(k, [n], role="key")) * np.linalg.norm(rotary.apply_xpos(k, [0], role="query"))
        for n in (-512, 0, 512)
    )
    np.testing.assert_allclose([past, present, future], [2 / 7, 1, 7 / 2], rtol=1e-12)


def test_xpos_is_interleaved_by_default():
    x = vectors(3, 8)
    got = rotary.apply_xpos(x, np.arange(3), role="query")
    np.testing.assert_array_equal(got, rotary.apply_xpos(x, np.arange(3), role="query", layout="interleaved"))


def test_xpos_with_a_long_scale_base_is_rope():
    x = vectors(3, 8)
    got = rotary.apply_xpos(x, np.arange(3), role="key", scale_base=1e15, layout="half")
    np.testing.assert_allclose(got, rotary.apply_rope(x, np.arange(3), layout="half"), atol=1e-13)


# --- axial ------------------------------------------------------------------------------------------------------------


def test_grid_runs_along_the_last_axis_first():
    assert rotary.grid_coordinates((2, 3)).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert rotary.grid_coordinates((1, 2, 2)).shape == (4, 3)


def test_grids_of_reals():
    np.testing.assert_allclose(rotary.grid_coordinates([3], kind="ends")[:, 0], [-1, 0, 1], atol=1e-15)
    np.testing.assert_allclose(
        rotary.grid_coordinates([4], kind="centres")[:, 0], [-0.75, -0.25, 0.25, 0.75], atol=1e-15
    )
    assert rotary.grid_coordinates([1], kind="centres").tolist() == [[0]]


def test_axial_frequencies_of_each_variant():
    half_head = 10000.0 ** (-np.arange(2) / 2)
    wanted = {
        "lang": [half_head, half_head],
        "qwen2_vl": [half_head, half_head],
        "pixtral": [10000.0 ** (-np.array([0, 2]) / 4), 10000.0 ** (-np.array([1, 3]) / 4)],
        "dinov3": 2 * math.pi * np.array([[1, 0.1], [1, 0.1]]),
        "pixel": math.pi * np.array([[1, 5], [1, 5]]),
    }
    assert set(wanted) == set(rotary.AXIAL_VARIANTS)
    for variant, frequencies in wanted.items():
        np.testing.assert_allclose(rotary.axial_frequencies(8, 2, variant=variant), frequencies, rtol=1e-14)


def test_axial_angles_put_one_axis_after_the_other():
    angles = rotary.axial_angles([[2, 7]], 8, variant="lang", base=100.0)
    np.testing.assert_allclose(angles, [[2, 0.2, 7, 0.7]], rtol=1e-14)


def test_one_axis_is_plain_rope():
    np.testing.assert_allclose(
        rotary.axial_angles(np.arange(5)[:, None], 8), rotary.rope_angles(np.arange(5), rotary.rope_frequencies(8))
    )


@pytest.mark.parametrize("variant", ["lang", "pixel", "qwen2_vl", "pixtral", "dinov3"])
def test_axial_scores_depend_on_the_differences_of_the_coordinates(variant):
    q, k = vectors(2, 1, 8)

    def score(query, key):
        tables = [rotary.axial_angles([point], 8, variant=variant) for point in (query, key)]
        a, b = (rotary.apply_rotary(x, np.cos(t), np.sin(t)) for x, t in zip((q, k), tables, strict=True))
        return (a @ b.T).item()

    assert score((5, 2), (1, 9)) == pytest.approx(score((105, -48), (101, -41)), abs=1e-10)
    assert abs(score((5, 2), (1, 9)) - score((2, 5), (9, 1))) > 1e-3


# --- M-RoPE -----------------------------------------------------------------------------------------------------------


def test_contiguous_sections():
    assert rotary.mrope_axes([2, 1, 3]).tolist() == [0, 0, 1, 2, 2, 2]


def test_interleaved_sections():
    assert rotary.mrope_axes([4, 2, 2], interleaved=True).tolist() == [0, 1, 2, 0, 1, 2, 0, 0]
    counts = np.bincount(rotary.mrope_axes([24, 20, 20], interleaved=True))
    assert counts.tolist() == [24, 20, 20]
    assert np.bincount(rotary.mrope_axes([2, 7, 7], interleaved=True)).tolist() == [6, 5, 5]


@pytest.mark.parametrize("interleaved", [False, True])
def test_mrope_of_text_is_rope(interleaved):
    positions, inv_freq = np.array([[0, 1, 2, 9], [4, 5, 6, 7]]), rotary.rope_frequencies(16)
    tables = rotary.mrope_cos_sin(np.stack([positions] * 3), inv_freq, [4, 2, 2], interleaved=interleaved)
    for ours, wanted in zip(tables, rotary.rope_cos_sin(positions, inv_freq), strict=True):
        np.testing.assert_array_equal(ours, wanted)


def test_each_pair_follows_its_axis():
    positions = np.array([[[1.0]], [[10.0]], [[100.0]]])
    cos, sin = rotary.mrope_cos_sin(positions, [0.1, 0.2, 0.3, 0.4], [2, 1, 1])
    np.testing.assert_allclose(cos[0, 0], np.cos([0.1, 0.2, 3, 40]), atol=1e-14)
    cos, sin = rotary.mrope_cos_sin(positions, [0.1, 0.2, 0.3, 0.4], [2, 1, 1], interleaved=True)
    np.testing.assert_allclose(sin[0, 0], np.sin([0.1, 2, 30, 0.4]), atol=1e-14)


def test_text_goes_on_after_the_largest_coordinate():
    time, height, width = [0, 1, 2] + [3] * 24, [0, 1, 2], [0, 1, 2]
    rows, columns = (rotary.grid_coordinates((4, 6)) + 3).T
    positions = np.array([time, [*height, *rows], [*width, *columns]])
    assert rotary.next_text_position(positions) == 9
    assert rotary.next_text_position(np.stack([positions, positions + 5], axis=1)).tolist() == [9, 14]


# --- ReRoPE, leaky ReRoPE, Self-Extend --------------------------------------------------------------------------------


def test_rerope_distance_is_clamped_at_the_window():
    assert rotary.rerope_distance([0, 1, 3, 4, 5, 900], window=4).tolist() == [0, 1, 3, 4, 4, 4]
    assert rotary.rerope_distance([-3, -4], window=4).tolist() == [-3, 4]


def test_leaky_distance_grows_slowly_beyond_the_window():
    got = rotary.leaky_rerope_distance([0, 3, 4, 8, 20], window=4, leaky_factor=8)
    np.testing.assert_allclose(got, [0, 3, 4, 4.5, 6], atol=1e-14)


def test_leaky_limits_are_rope_and_rerope():
    distance = np.arange(30.0)
    np.testing.assert_allclose(rotary.leaky_rerope_distance(distance, window=4, leaky_factor=1), distance, atol=1e-12)
    np.testing.assert_allclose(
        rotary.leaky_rerope_distance(distance, window=4, leaky_factor=1e15), rotary.rerope_distance(distance, window=4)
    )


def test_self_extend_distance_counts_groups():
    got = rotary.self_extend_distance([8, 9], np.arange(10), window=4, group=2)
    assert got.tolist() == [[6, 6, 5, 5, 4, 3, 2, 1, 0, -1], [6, 6, 5, 5, 4, 4, 3, 2, 1, 0]]
    plain = rotary.self_extend_distance(np.arange(6), np.arange(6), window=2, group=1)
    np.testing.assert_array_equal(plain, np.arange(6)[:, None] - np.arange(6))


METHODS = {
    "rerope": (lambda: rotary.rerope_scores, {"window": 4}),
    "leaky": (lambda: rotary.leaky_rerope_scores, {"window": 4, "leaky_factor": 3.0}),
    "self_extend": (lambda: rotary.self_extend_scores, {"window": 4, "group": 3}),
}


def effective_distance(method, query_positions, key_positions):
    pairwise = np.subtract.outer(query_positions, key_positions)
    options = METHODS[method][1]
    if method == "rerope":
        return rotary.rerope_distance(pairwise, **options)
    if method == "leaky":
        return rotary.leaky_rerope_distance(pairwise, **options)
    return rotary.self_extend_distance(query_positions, key_positions, **options)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", METHODS)
def test_two_matrices_give_the_score_at_the_effective_distance(method, layout):
    q, k = vectors(2, 9, 8)
    function, options = METHODS[method]
    queries, keys = np.arange(4, 9), np.arange(9)
    got = function()(q[4:], k, queries, keys, layout=layout, **options)
    inv_freq = rotary.rope_frequencies(8)
    for row, distances in enumerate(effective_distance(method, queries, keys)):
        wanted = [rotary.rope_score(q[4 + row], k[j], r, inv_freq, layout=layout) for j, r in enumerate(distances)]
        np.testing.assert_allclose(got[row], wanted, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_inside_the_window_it_is_rope(method):
    q, k = vectors(2, 2, 6, 8)
    function, options = METHODS[method]
    positions = np.arange(6) + 40
    got = function()(q, k, positions, positions, **{**options, "window": 6})
    np.testing.assert_allclose(got, scores(q, k, positions, positions), atol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_positions_of_a_batch_are_its_own(method):
    q, k = vectors(2, 2, 2, 7, 8)  # batch and heads are equally many
    function, options = METHODS[method]
    positions = np.array([np.arange(7), np.arange(7) + 2])
    positions[1, 0] = 0
    got = function()(q, k, positions, positions, **options)
    for row in range(2):
        alone = function()(q[row], k[row], positions[row], positions[row], **options)
        np.testing.assert_allclose(got[row], alone, atol=1e-13)
