"""The pictures of the worked example show its numbers (claims L-015, L-020, L-021)."""

import numpy as np
import pytest

from pe_course.claims.worked_example import S, example_weights
from pe_course.plots import worked_example
from pe_course.reference import attention, bias


def test_weight_maps_write_the_rows():
    figure = worked_example.weight_maps({"softmax(S)": attention.softmax(S), "softmax(S + B)": example_weights()})
    np.testing.assert_array_equal(figure.data["softmax(S + B)"], example_weights())
    assert "softmax(S + B): row 0 [0.027, 0.899, 0.074]" in figure.alt


def test_row_bars_put_both_side_by_side():
    figure = worked_example.row_bars({"row 1": ([1 / 3] * 3, [0.274, 0.452, 0.274])})
    assert figure.data["row 1"].shape == (2, 3)
    assert "row 1: [0.333, 0.333, 0.333] without, [0.274, 0.452, 0.274] with the bias" in figure.alt


def test_the_slope_at_which_words_0_and_1_tie():
    figure = worked_example.row_by_slope(S, 0, [0, 0.5, 4, 6])
    without, as_printed, tie, steep = figure.data["weights"]
    np.testing.assert_allclose(without, attention.softmax(S)[0])
    np.testing.assert_allclose(as_printed, example_weights()[0])
    assert tie[0] == pytest.approx(tie[1])
    assert steep.argmax() == 0
    assert figure.alt.endswith("word 1 leads at first, word 0 at the end.")


def test_curves_that_agree_on_three_words():
    curves = {"falls": bias.linear_distance_bias, "stops": lambda d: np.maximum(bias.linear_distance_bias(d), -1)}
    figure = worked_example.same_three_numbers(curves, 4)
    assert figure.data["falls"].tolist() == [0, -0.5, -1, -1.5, -2]
    assert "agree at 0, 1 and 2. At distance 4 they are falls: -2.0; stops: -1.0" in figure.alt
    assert "differ at" in worked_example.same_three_numbers({**curves, "flat": np.zeros_like}, 4).alt
