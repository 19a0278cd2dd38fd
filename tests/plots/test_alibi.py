"""The pictures of ALiBi and NoPE show penalties, slopes, reach, and a decoder that counts (claims L-050 … L-067)."""

import numpy as np

from pe_course.plots import alibi
from pe_course.reference import bias


def test_penalties_are_those_of_a_causal_head():
    data = alibi.penalties(3, {"half": 0.5}).data
    np.testing.assert_array_equal(np.tril(data["half"]), [[0, 0, 0], [-0.5, 0, 0], [-1, -0.5, 0]])
    np.testing.assert_array_equal(data["visible"], np.tril(np.ones((3, 3), bool)))


def test_slope_rows_says_which_list_is_even():
    figure = alibi.slope_rows({"eight": bias.alibi_slopes(8), "twelve": bias.alibi_slopes(12)})
    np.testing.assert_array_equal(figure.data["twelve"], bias.alibi_slopes(12))
    assert "eight: 8 dots from 0.5000 down to 0.0039, evenly spaced" in figure.alt
    assert "twelve: 12 dots from 0.7071 down to 0.0039, closer together among the steep ones" in figure.alt


def test_windows_end_where_a_thousandth_is_left():
    data = alibi.windows(bias.alibi_slopes(8), 2000).data
    np.testing.assert_array_equal(data["reach"], [14, 28, 56, 111, 222, 443, 885, 1769])
    far = np.searchsorted(data["distance"], 14)
    assert np.exp(-0.5 * data["distance"][far - 1]) >= 1e-3 > np.exp(-0.5 * 14)
    np.testing.assert_allclose(data["factor"][0], np.exp(-0.5 * data["distance"]))


def test_counted_weights_says_whether_the_rows_are_equal():
    row = np.array([0.25, 0.75])
    assert "The rows are equal: 0.25, 0.75." in alibi.counted_weights({"ALiBi": row, "NoPE": row}).alt
    assert "The rows are different" in alibi.counted_weights({"ALiBi": row, "NoPE": row[::-1]}).alt
