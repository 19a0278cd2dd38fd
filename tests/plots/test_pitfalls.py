"""The pictures of the pitfalls page: where a line begins, and which scores differ."""

import numpy as np
import pytest

from pe_course.plots import pitfalls as draw
from pe_course.reference import rotary


def test_a_line_begins_at_the_first_length_that_shows_the_bug():
    figure = draw.when_it_shows({"cache": None, "rounding": 512, "layout": 8, "sign": 8}, (8, 64, 512))
    np.testing.assert_array_equal(figure.data["first"], [-1, 2, 0, 0])
    np.testing.assert_array_equal(figure.data["lengths"], [8, 64, 512])
    assert "4 bugs" in figure.alt
    assert "2 from 8 tokens on, 0 from 64 tokens on, 1 from 512 tokens on. At no length: 1" in figure.alt


def test_a_length_that_was_not_tried_is_refused():
    with pytest.raises(ValueError, match=r"first length of 'cache' must be None or one of \[8, 64\], got 16"):
        draw.when_it_shows({"cache": 16}, (8, 64))


def rotary_scores(places):
    turned = rotary.apply_rope(np.ones((len(places), 8)), places)
    return turned @ turned.T


def test_a_fingerprint_is_wrong_minus_right_in_the_past():
    right, wrong = rotary_scores(np.arange(6)), rotary_scores([0, 1, 2, 3, 0, 0])
    figure = draw.fingerprints(right, {"restart": wrong, "moved": rotary_scores(np.arange(6) + 100)})
    past = np.tril(np.ones((6, 6), dtype=bool))
    np.testing.assert_allclose(figure.data["restart"][past], (wrong - right)[past])
    assert np.isnan(figure.data["restart"][~past]).all()
    assert "restart: 8 of 21 scores" in figure.alt  # equal vectors: query 4 and key 2 are two apart either way
    assert "moved: 0 of 21 scores" in figure.alt


def test_scores_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"scores of 'restart' must have the shape of right, \(3, 3\), got \(3, 4\)"):
        draw.fingerprints(np.zeros((3, 3)), {"restart": np.zeros((3, 4))})
