"""The pictures of longer texts show what the formulas say (claims L-055, L-056, L-058, L-060, L-061)."""

import numpy as np
import pytest

from pe_course.plots import extrapolation
from pe_course.reference import scaling


def test_published_numbers_are_drawn_as_given():
    rows = {"alibi": {512: 19.73, 1012: 18.73}, "rotary": {512: 20.07, 1012: 21.37}}
    data = extrapolation.published_perplexity(512, rows).data
    np.testing.assert_array_equal(data["alibi"], [[512, 1012], [19.73, 18.73]])
    assert data["rotary"][1, 1] == 21.37


@pytest.mark.parametrize(("trained", "unfinished"), [(2048, 23), (4096, 18)])
def test_unseen_angles_belong_to_the_slow_pairs(trained, unfinished):
    data = extrapolation.unseen_angles(128, trained, 2 * trained).data
    assert data["unfinished"] == unfinished
    assert (data["seen"][: 64 - unfinished] == 1).all() and (data["new"][: 64 - unfinished] == 0).all()
    assert (data["new"][-unfinished:] > 0).all()
    assert data["seen"][-1] == pytest.approx(trained / (2 * np.pi * 10000 ** (126 / 128)))


def test_an_interpolated_score_is_the_trained_one_stretched():
    query, key, theta = [1.0, 0.5, 0.25, 0.0], [1.0, 0.0, 0.0, 1.0], np.array([0.3, 0.01])
    data = extrapolation.score_beyond(query, key, theta, 50, 2).data
    np.testing.assert_allclose(data["interpolated"][::2], data["plain"][:50], atol=1e-12)
    assert data["largest"][0] == np.abs(data["plain"][:50]).max()
    assert data["largest"][1] == np.abs(data["plain"][50:]).max()


def test_entropies_rise_and_log_n_takes_part_of_it():
    data = extrapolation.entropies([1.0, 2.0, 3.5], [512, 2048, 8192], 512).data
    np.testing.assert_allclose(data["plain"][1], [4.41, 5.68, 7.04], atol=0.1)
    np.testing.assert_allclose(data["plain"][:, 0], data["scaled"][:, 0])
    left = data["scaled"] - data["scaled"][:, :1]
    np.testing.assert_allclose(left[:, 1:], [[1.14, 2.23], [0.46, 0.81], [-0.06, -0.17]], atol=0.1)


def test_one_score_for_all_gives_the_logarithm_of_the_number_of_keys():
    data = extrapolation.entropies([1e-9], [64, 128], 64).data
    np.testing.assert_allclose(data["plain"][0], np.log([64, 128]))


def test_frequency_maps_say_which_pairs_leave_their_range():
    rules = {
        "linear": scaling.rope_scaling_linear(128, factor=4)[0],
        "ntk": scaling.rope_scaling_ntk(128, factor=4)[0],
    }
    figure = extrapolation.frequency_maps(rules, 2048, 4)
    assert figure.data["unfinished"] == extrapolation.first_unfinished(128, 2048) == 41
    np.testing.assert_allclose(figure.data["linear"], 0.25)
    np.testing.assert_allclose(figure.data["ntk"], 4 ** (-np.arange(64) / 63))
    assert "linear: 0 pairs keep it, 64 are slowed in full, 0 meet new angles" in figure.alt
    assert "22 meet new angles" in figure.alt


def test_ramps_agree_at_both_ends_and_differ_between():
    data = extrapolation.ramps(128, 4096).data
    fast, slow = data["turns"] >= 33, data["turns"] <= 0.9
    assert (data["ratio"][fast] == 1).all() and (data["ratio"][slow] == 0).all()
    assert (data["index"][slow] == 0).all() and data["index"][fast].min() > 0.95
    assert (data["index"] - data["ratio"]).max() > 0.3


def test_remapped_distances_keep_near_ones():
    data = extrapolation.remapped_distances(2048, 512, leaky_factor=16, group=8).data
    for name in ("ReRoPE", "leaky ReRoPE", "Self-Extend"):
        np.testing.assert_array_equal(data[name][:512], data["plain"][:512])
    assert data["ReRoPE"][-1] == 512
    assert data["leaky ReRoPE"][-1] == 512 + (2048 - 512) / 16
    assert data["Self-Extend"][-1] == 2048 // 8 + 512 - 512 // 8


def test_biases_fall_at_their_own_rates():
    data = extrapolation.falling_biases(4096).data
    distance = data["distance"]
    np.testing.assert_allclose(data["ALiBi, slope 1/16"], -distance / 16)
    np.testing.assert_allclose(data["KERPLE, logarithm"], -np.log1p(distance))
    np.testing.assert_allclose(data["KERPLE, root"], -np.sqrt(distance) / 4)
    waves = np.cos(distance[:, None] * 10000.0 ** (-np.arange(64) / 64)).sum(axis=1)
    np.testing.assert_allclose(data["Sandwich, last head"], (waves - 64) / 8)


def test_query_scales_and_first_steps_are_drawn_as_given():
    positions = np.array([100, 1000, 10000])
    scale = scaling.logn_scale(positions, 512)
    np.testing.assert_array_equal(extrapolation.query_scales({"log-n": scale}, positions).data["log-n"], scale)
    figure = extrapolation.first_step({"none": [0.1, 0.12], "t5": [0.1, 0.9]}, [0, 1], "weight")
    assert "from 0.10 before it. At the end: no positions 0.12, T5 bias 0.90" in figure.alt
