"""The pictures of distance functions show where a bias goes and what softmax makes of it (claims L-008 … L-011)."""

import numpy as np
import pytest

from pe_course.plots import continuous
from pe_course.reference import bias


def test_curves_are_those_of_the_package_and_two_of_them_end_at_zero():
    data = continuous.curves(12).data
    np.testing.assert_array_equal(data["linear"], bias.linear_distance_bias(data["distance"]))
    np.testing.assert_array_equal(data["log"], bias.log_distance_bias(data["distance"]))
    assert abs(data["gaussian"][-1]) < 1e-6 and abs(data["exponential"][-1]) < 0.01
    assert data["linear"][-1] == -6 and data["log"][-1] < -2


@pytest.mark.parametrize(("length", "expected"), [(100, 0.2334), (1000, 0.0240), (10000, 0.0024)])
def test_share_within_falls_where_the_bias_goes_to_zero(length, expected):
    share = continuous.share_within(bias.exponential_distance_bias, length, 10)
    assert share == pytest.approx(expected, abs=5e-5)
    assert continuous.share_within(bias.linear_distance_bias, length, 10) == pytest.approx(0.9949, abs=5e-5)


def test_near_share_draws_one_line_per_bias():
    figure = continuous.near_share({"none": np.zeros_like, "linear": bias.linear_distance_bias}, [30, 300], 10)
    np.testing.assert_allclose(figure.data["none"], [21 / 30, 21 / 300])
    assert "none: 0.7000 to 0.0700" in figure.alt


def test_beyond_training_shows_networks_that_part():
    hidden = (np.array([[1.0], [1.0]]), np.array([0.0, -10.0]))
    networks = {name: [hidden, (np.array([[-0.5, far]]), None)] for name, far in (("on", 0.0), ("back", 1.0))}
    data = continuous.beyond_training(networks, trained=10, last=30).data
    np.testing.assert_array_equal(data["on"][:11], data["back"][:11])
    assert (data["on"][30], data["back"][30]) == (-15, 5)


def test_fire_fractions_never_exceed_one():
    figure = continuous.fire_fractions([64, 1024], threshold=512.0)
    np.testing.assert_allclose(
        figure.data["1024"], bias.fire_input([1024], np.arange(1024, -1, -1), threshold=512.0)[0]
    )
    assert max(values.max() for values in figure.data.values()) <= 1
    assert figure.data["64"][-1] < figure.data["1024"][-1]
