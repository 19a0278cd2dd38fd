"""The pictures of absolute positions show what the formulas say (claims L-035, L-094, L-102)."""

import numpy as np
import pytest

from pe_course.plots import absolute


def test_heat_map_shows_the_table():
    values = absolute.heat_map(16, 8).data["values"]
    angles = np.arange(16)[:, None] / 10.0 ** np.arange(4)
    np.testing.assert_allclose(values[:, 0::2], np.sin(angles), atol=1e-12)
    np.testing.assert_allclose(values[:, 1::2], np.cos(angles), atol=1e-12)


def test_heat_map_in_the_other_layout_has_the_same_columns():
    interleaved, concat = (absolute.heat_map(16, 8, layout=name).data["values"] for name in ("interleaved", "concat"))
    np.testing.assert_array_equal(concat, interleaved[:, [0, 2, 4, 6, 1, 3, 5, 7]])


def test_waves_of_the_first_channels_are_the_fast_ones():
    turns = absolute.waves(128, 512, [0, 31, 224, 255]).data["turns"]
    expected = 127 / (2 * np.pi) * 10000.0 ** (-np.array([0, 31, 224, 255]) / 256)
    np.testing.assert_allclose(turns, expected)
    assert (np.diff(turns) < 0).all()
    assert "channel 0 makes 20.2 turns" in absolute.waves(128, 512, [0, 255]).alt


def test_wavelengths_count_the_pairs_that_never_finish():
    data = absolute.wavelengths(512, 512).data
    assert data["wavelength"][[0, -1]] == pytest.approx([2 * np.pi, 60611.48], rel=1e-6)
    assert data["unfinished"] == sum(2 * np.pi * 10000 ** (m / 256) > 512 for m in range(256))


def test_kernel_starts_at_one_and_is_not_monotone():
    data = absolute.kernel([4, 64, 128, 512], 60).data
    np.testing.assert_allclose(data["share"][:, 0], 1)
    np.testing.assert_array_equal(data["first_rise"], [3, 5, 11, 43])


def test_the_same_offset_is_the_same_turn():
    data = absolute.same_turn(8, 1, 5, [0, 4, 9]).data
    np.testing.assert_allclose(data["turned"], 0.5)
    np.testing.assert_allclose(data["after"], [[np.sin(p / 10), np.cos(p / 10)] for p in (5, 9, 14)])


def test_similarity_sees_distance_in_sinusoids_only():
    data = absolute.similarity(12, np.random.default_rng(0).standard_normal((20, 64))).data
    for offset in range(12):
        assert np.ptp(np.diagonal(data["sinusoidal"], offset)) < 1e-12
    assert np.diagonal(data["sinusoidal"], 1).min() > 0.9 > 0.5 > np.abs(np.diagonal(data["learned"], 1)).max()


def test_products_of_integers_grow_and_those_of_sinusoids_do_not():
    data = absolute.products(8, 16).data
    assert (data["integer"][5, 6], data["integer"][6, 7]) == (30, 42)
    assert data["sinusoidal"][5, 6] == pytest.approx(data["sinusoidal"][6, 7])


def test_beyond_training_only_slow_pairs_meet_new_values():
    data = absolute.beyond_training(512, 512, 1024, [60, 200]).data
    assert data["new_share"][0] == 0 and data["new_share"][1] > 0.9
    assert data["lowest_seen"][1] == pytest.approx(np.cos(511 * 10000 ** (-200 / 256)))
