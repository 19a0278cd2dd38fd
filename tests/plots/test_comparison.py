"""The pictures of all methods: what is drawn, and what is said to those who do not see it."""

from __future__ import annotations

import numpy as np

from pe_course.comparison import CASES, attention_map
from pe_course.plots import comparison

WORDS = ("a", "b", "c", "d")


def test_maps_are_drawn_as_given_and_told_apart_in_words():
    maps = {name: attention_map(name, WORDS, same=True) for name in ("nope", "sinusoidal", "rope", "alibi")}
    figure = comparison.attention_maps(maps, WORDS)
    for name, weights in maps.items():
        np.testing.assert_array_equal(figure.data[name], weights)
    assert figure.alt.startswith("4 small attention maps of the words “a b c d”")
    assert "Even everywhere: nope." in figure.alt
    assert "one score per distance: rope, alibi." in figure.alt
    assert "Nothing above the diagonal: alibi." in figure.alt


def test_every_relative_method_has_stripes_and_no_absolute_one_that_marks_places():
    maps = {name: attention_map(name, [*WORDS, "e", "f"], same=True) for name in CASES}
    striped = comparison._striped(maps)
    assert {"rope", "t5", "kerple", "shaw", "deberta"} <= set(striped)
    assert not {"nope", "integer", "sinusoidal", "learned", "fire"} & set(striped)


def test_changes_name_what_is_not_seen():
    figure = comparison.changes({"one": (0.0, 0.0), "two": (0.0, 0.4), "three": (0.2, 0.1)}, ("reversed", "scrambled"))
    np.testing.assert_array_equal(figure.data["three"], [0.2, 0.1])
    assert "Exactly 0 when reversed: one, two." in figure.alt
    assert "Exactly 0 when scrambled: one." in figure.alt
