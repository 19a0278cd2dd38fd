"""The pictures of rotary positions show what the formulas say (claims L-047, L-073, L-079, L-126, L-146)."""

import numpy as np
import pytest
import torch

from pe_course.plots import rotary as draw
from pe_course.reference import rotary


def hands(length, sign=1):
    return np.exp(1j * sign * 0.5 * np.arange(length))


def products(queries, keys):
    return (queries[:, None] * keys.conj()).real


@pytest.mark.parametrize(
    ("queries", "keys", "pattern"),
    [
        (hands(6), hands(6), "along each diagonal"),
        (np.ones(6), hands(6), "down each column"),
        (hands(6), hands(6, -1), "along each anti-diagonal"),
        (hands(6), hands(6) * np.arange(1, 7), "no line keeps one value"),
        (np.ones(6), np.ones(6), "one value everywhere"),
    ],
)
def test_score_maps_name_the_pattern(queries, keys, pattern):
    figure = draw.score_maps({"panel": products(queries, keys)})
    assert pattern in figure.alt
    np.testing.assert_array_equal(figure.data["panel"], products(queries, keys))


def test_rotation_matrices_hold_the_same_numbers_in_other_places():
    data = draw.rotation_matrices(3, 8).data
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    np.testing.assert_allclose(data["half"], data["interleaved"][np.ix_(order, order)])
    np.testing.assert_allclose(data["interleaved"][:2, :2], [[np.cos(3), -np.sin(3)], [np.sin(3), np.cos(3)]])


def test_pairings_are_neighbours_or_half_a_width_apart():
    data = draw.pairings(8).data
    np.testing.assert_array_equal(np.diff(data["interleaved"], axis=1), 1)
    np.testing.assert_array_equal(np.diff(data["half"], axis=1), 4)


def test_turning_pairs_of_partial_and_p_rope_are_different_pairs():
    data = draw.turning_pairs(64, 0.25).data
    assert [np.count_nonzero(values) for values in data.values()] == [32, 8, 8]
    np.testing.assert_allclose(data["partial"][:8], 10000.0 ** (-np.arange(8) / 8))
    np.testing.assert_allclose(data["proportional"][:8], 10000.0 ** (-np.arange(8) / 32))


def test_one_speed_comes_back_and_many_do_not():
    data = draw.one_speed_or_many(64, 100).data
    assert data["back_at"] == 44
    assert data["one"][44] == pytest.approx(np.cos(44))
    assert data["many"][0] == 1 and data["many"][11:].max() < 0.7


def test_profiles_mark_the_largest_score():
    figure = draw.profiles({"up": ([0, 1, 2], [1.0, 3.0, 2.0]), "down": ([5, 6], [4.0, 1.0])})
    np.testing.assert_array_equal(figure.data["largest_at"], [1, 5])
    assert "up: 1.0 at distance 0, largest at 1 with 3.0" in figure.alt


def test_directions_see_the_sign_unless_query_and_key_agree():
    figure = draw.directions({"apart": ([1, 0], [0, 1]), "equal": ([1, 0], [1, 0])}, 4, inv_freq=[1.0])
    np.testing.assert_allclose(figure.data["apart at ±1"], [-np.sin(1), np.sin(1)])
    np.testing.assert_allclose(figure.data["equal at ±1"], np.cos(1))
    assert "apart: different on both sides of 0; equal: the same on both sides of 0" in figure.alt


def test_xpos_factors_are_one_at_distance_zero_and_grow_for_future_keys():
    data = draw.xpos_factors(64, 512, [0, 31]).data
    np.testing.assert_allclose(data["factor"][:, 40], 1)
    np.testing.assert_allclose(data["factor"][0, [0, -1]], [3.5, 2 / 7])
    assert (np.diff(data["factor"], axis=1) < 0).all()


def test_bfloat16_rounds_as_torch_does():
    rng = np.random.default_rng(0)
    numbers = np.concatenate([np.arange(5000.0), rng.normal(size=5000) * 10.0 ** rng.integers(-20, 20, 5000)])
    expected = torch.tensor(numbers, dtype=torch.float32).to(torch.bfloat16).double().numpy()
    np.testing.assert_array_equal(draw.bfloat16(numbers.astype(np.float32)), expected)


def test_rounded_scores_leave_the_true_one_at_257():
    rng = np.random.default_rng(7)
    q, k = rng.standard_normal(64), rng.standard_normal(64)
    frequencies = rotary.rope_frequencies(64)
    figure = draw.rounded_scores(q, k, 2, range(250, 270), inv_freq=frequencies, layout="interleaved")
    np.testing.assert_allclose(figure.data["exact"], 0.921950107)
    kept = torch.stack([torch.arange(250, 270), torch.arange(248, 268)]).to(torch.bfloat16).double().numpy()
    expected = rotary.rope_score(q, k, kept[0] - kept[1], frequencies, layout="interleaved")
    np.testing.assert_allclose(figure.data["rounded"], expected)
    wrong = figure.data["position"][np.abs(figure.data["rounded"] - figure.data["exact"]) > 1e-9]
    assert wrong[0] == 257
    assert "first differs at position 257" in figure.alt


def test_grid_scores_with_two_coordinates_do_not_prefer_the_row():
    data = draw.grid_scores(7, 7, dim=64, centre=(3, 3)).data
    assert data["axial"][3, 4] == pytest.approx(data["axial"][4, 3])
    assert data["line"][3, 4] > data["line"][4, 3] + 0.1
    assert data["line"][3, 3] == pytest.approx(1) and data["axial"][3, 3] == pytest.approx(1)


def test_mrope_pairs_in_blocks_or_in_turn():
    figure = draw.mrope_pairs({"blocks": ((1, 2, 1), False), "dealt": ((2, 2, 2), True)})
    assert figure.data["blocks"].tolist() == [0, 1, 1, 2]
    assert figure.data["dealt"].tolist() == [0, 1, 2, 0, 1, 2]
    assert "1 time, 2 height, 1 width in three blocks" in figure.alt
