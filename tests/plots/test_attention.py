"""The pictures of attention show what a permutation and a causal mask do (claims L-025, L-026, L-067)."""

import numpy as np

from pe_course.plots import attention

ROWS = np.arange(12.0).reshape(3, 4)


def test_token_outputs_says_whether_rows_moved():
    moved = attention.token_outputs({"a b c": ROWS, "c b a": ROWS[::-1]})
    np.testing.assert_array_equal(moved.data["c b a"], ROWS[::-1])
    assert moved.alt.endswith("the panels hold the same rows in another order.")
    assert attention.token_outputs({"a b c": ROWS, "c b a": ROWS}).alt.endswith("the panels hold different rows.")


def test_attention_maps_names_the_strongest_key():
    weights = np.array([[0.2, 0.8], [0.6, 0.4]])
    figure = attention.attention_maps({"I am": weights})
    np.testing.assert_array_equal(figure.data["I am"], weights)
    assert "I looks most at am (0.80), am looks most at I (0.60)" in figure.alt


def test_order_leaks_shows_each_set_up():
    figure = attention.order_leaks({"no mask": [0, 0], "causal": [0.98, 0.5]}, ["A", "B"])
    np.testing.assert_array_equal(figure.data["causal"], [0.98, 0.5])
    assert "causal: 0.98, 0.50" in figure.alt


def test_counting_head_reports_one_over_the_number_of_visible_tokens():
    data = attention.counting_head(6).data
    np.testing.assert_allclose(data["output"], 1 / np.arange(1, 7))
    np.testing.assert_array_equal(data["positions"], np.arange(6))
