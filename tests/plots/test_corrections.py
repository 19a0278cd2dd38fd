"""The pictures of the corrections show what the code gives, and their words say it."""

import numpy as np
import pytest

from pe_course.plots import corrections
from pe_course.reference import absolute


def test_told_apart_writes_each_difference():
    figure = corrections.told_apart({"a bias": 0.0, "a mask": 0.4219}, {"a bias": "alibi", "a mask": "none"})
    np.testing.assert_array_equal(figure.data["differences"], [0, 0.4219])
    assert figure.alt.endswith("a bias 0.0000, a mask 0.4219.")


def test_turns_fall_from_the_channels_said_to_be_slow_to_those_said_to_be_fast():
    figure = corrections.turns_per_pair(512, 128, (0, 63), (448, 511))
    expected = 127 / (2 * np.pi) * 10000.0 ** (-np.arange(256) / 256)
    np.testing.assert_allclose(figure.data["turns"], expected)
    assert "make 6.6 turns or more, those said to be fast at most 0.0064 of a turn" in figure.alt


def test_row_differences_name_the_rows_that_stay():
    kept = np.arange(6.0).reshape(3, 2)
    changed = kept.copy()
    changed[0] += 1
    figure = corrections.row_differences({"moved": (kept, kept[[1, 0, 2]]), "changed": (kept, changed)}, "ABC", "BAC")
    assert figure.data["moved"][0].tolist() == [2, 0, 2]
    assert "moved: every token keeps its row" in figure.alt
    assert "changed: the same row for C in place 2 alone" in figure.alt


def test_first_row_is_not_zero():
    data = corrections.first_row(8).data
    np.testing.assert_array_equal(data["right"], [0, 1] * 4)
    np.testing.assert_allclose(data["swapped"][:4], [0, 1, np.sin(1), np.cos(1)])


def test_shifted_scores_say_which_move():
    figure = corrections.shifted_scores({"flat": [2.0] * 5, "steep": range(5)})
    np.testing.assert_array_equal(figure.data["steep"], range(5))
    assert figure.alt.endswith("flat stays; steep moves.")


def test_two_tables_share_their_first_pair_alone():
    data = corrections.two_tables(40, 32).data
    np.testing.assert_array_equal(data["right"], absolute.sinusoidal_positions(np.arange(40), 32))
    np.testing.assert_array_equal(data["divided"][:, :2], data["right"][:, :2])
    np.testing.assert_array_equal(data["divided"][:, 2:], data["divided"][:, :-2])
    assert len(np.unique(data["divided"].round(9), axis=0)) == 40


def test_loss_by_length_keeps_all_points():
    losses = {"sinusoids": {1: 1.75, 16: 2.81}, "RoPE": {1: 1.55, 16: 3.21}}
    figure = corrections.loss_by_length(losses, {"sinusoids": "sinusoidal", "RoPE": "rotary"})
    np.testing.assert_array_equal(figure.data["RoPE"], [[1, 1.55], [16, 3.21]])
    assert "up to 16 times as long" in figure.alt
    assert "sinusoids from 1.75 to 2.81" in figure.alt


def test_labels_do_not_overlap():
    placed = corrections._apart({"a": 2.0, "b": 2.01, "c": 3.0}, 0.1)
    assert placed == pytest.approx({"a": 2.0, "b": 2.1, "c": 3.0})


def test_buckets_stop_at_91():
    figure = corrections.buckets_and_claim(128)
    assert figure.data["bucket"][[0, 7, 8, 11, 12, 90, 91, 128]].tolist() == [0, 7, 8, 8, 9, 14, 15, 15]
    assert "one per position up to 8" in figure.alt


def test_the_aimed_key_has_its_best_score_where_it_is_aimed():
    query = np.random.default_rng(5).standard_normal(64)
    data = corrections.decay_and_aim(128, 60, 300, query).data
    assert data["aimed"].argmax() == 300
    assert data["aimed"][300] == pytest.approx(query @ query)
    assert data["equal"][0] == 1
    assert data["rises"] == 11
