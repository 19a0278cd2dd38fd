"""The pictures of released models hold the counts, the order and the wavelengths that the records give."""

from __future__ import annotations

import numpy as np

from pe_course.models import PLACES, Step, models, timeline
from pe_course.plots import models as draw


def test_choices_count_every_model_once():
    figure = draw.choices_by_year(models())
    assert sum(figure.data[place].sum() for place in PLACES) == len(models())
    at_2023 = list(figure.data["year"]).index(2023)
    assert figure.data["score"][at_2023] == sum(each.year == 2023 and each.places[0] == "score" for each in models())
    assert f"2023: {figure.data['input'][at_2023]} input, " in figure.alt


def test_timeline_has_a_line_per_idea_in_the_column_of_its_place():
    steps = [
        Step("2017-06", "one", "input", ""),
        Step("2021-04", "two", "score", ""),
        Step("2022", "three", "input", ""),
    ]
    figure = draw.timeline(steps)
    np.testing.assert_array_equal(figure.data["year"], [2017, 2021, 2022])
    np.testing.assert_array_equal(figure.data["column"], [0, 1, 0])
    assert "2021-04 two (score)" in figure.alt
    assert len(draw.timeline(timeline()).data["year"]) == len(timeline())


def test_frequency_rows_count_what_lies_beyond_the_context():
    figure = draw.frequency_rows({"one": ([10.0, 100.0, 1000.0], 100), "two": ([10.0, np.inf], 50)})
    assert "one 1 of 3, two 1 of 2" in figure.alt
    np.testing.assert_array_equal(figure.data["contexts"], [100, 50])
    np.testing.assert_array_equal(figure.data["two"], [10, np.inf])
