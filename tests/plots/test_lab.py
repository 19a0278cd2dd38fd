"""The lab's pictures draw what they are given, name it in words, and use the palette."""

import numpy as np
import pytest

from pe_course.lab import show
from pe_course.lab.config import METHODS
from pe_course.lab.methods import VARIANTS
from pe_course.lab.results import stored
from pe_course.plots import lab
from pe_course.plots.theme import LIGHT, METHOD_COLOURS

L = 64


@pytest.fixture(scope="module")
def text():
    return show.complete(stored("text"))


def curve(start, end):
    return {64: (start, 0.01), 1024: (end, 0.02)}


def test_every_method_and_variant_has_a_name():
    assert set(lab.NAMES) == set(METHODS)
    assert set(lab.VARIANTS) == {"plain", *VARIANTS}


def test_methods_of_the_palette_have_their_colours():
    own = {lab._style(method, LIGHT)["color"] for method in ("nope", "learned", "sinusoidal", "t5", "alibi", "rope")}
    assert own == set(METHOD_COLOURS.values()) - {METHOD_COLOURS["integer"]}
    assert {lab._style(m, LIGHT)["color"] for m in ("kerple", "sandwich", "fire", "xpos")} == {LIGHT.text}


def test_losses_are_drawn_as_given_and_the_text_says_who_breaks():
    figure = lab.loss_by_length(
        {"alibi": curve(1.7, 1.69), "rope": curve(1.5, 3.15), "fire": curve(1.5, 1.7), "t5": curve(1.4, 1.45)}, L
    )
    np.testing.assert_allclose(figure.data["rope"], [[64, 1024], [1.5, 3.15], [0.01, 0.02]])
    assert "within 0.1 of where it began for ALiBi, T5." in figure.alt
    assert "risen for RoPE by 1.65." in figure.alt and "FIRE" not in figure.alt


def test_nothing_broken_is_said_as_well():
    assert "risen for none." in lab.loss_by_length({"alibi": curve(1.7, 1.69)}, L).alt


def test_bins_stand_at_their_centres_and_the_jump_is_told():
    bins = {8 * i: (1.5 if i < 8 else 2.5, 0.1) for i in range(32)}
    figure = lab.by_position({"learned": bins, "alibi": dict.fromkeys(bins, (1.7, 0.0))}, L)
    assert figure.data["learned"][0, :2].tolist() == [4, 12]
    assert "learned +1.00, ALiBi +0.00." in figure.alt


def test_stored_rows_break_where_the_tests_of_the_lab_say(text):
    figure = lab.by_position({m: show.per_position(text[m]) for m in ("sinusoidal", "alibi")}, L)
    places, loss, _ = figure.data["sinusoidal"]
    assert loss[places > L][:4].mean() - loss[places < L][-4:].mean() > 0.5


def test_test_time_changes_share_their_start(text):
    figure = lab.rope_at_test_time(show.variants(text["rope"]), L)
    assert len(figure.data) == 1 + len(VARIANTS)
    assert np.ptp([values[1, 0] for values in figure.data.values()]) < 0.01
    assert "as trained 3.1" in figure.alt


def test_windows_are_compared_with_that_of_the_training_length():
    figure = lab.windows(
        {"text": {"rope": {512: (9, 0), 64: (1.5, 0), 8: (1.75, 0)}, "t5": {64: (2, 0), 8: (1.5, 0)}}}, L
    )
    np.testing.assert_allclose(figure.data["text: rope"], [[8, 64], [0.25, 0]])
    assert "At 8: text between −0.50 and +0.25." in figure.alt


def test_retrieval_tells_the_first_distance_that_was_not_asked_for():
    figure = lab.retrieval({"kerple": {16: (1, 0), 32: (0.9, 0), 64: (0.7, 0), 128: (0.1, 0)}}, 32, 256)
    assert "distances up to 32. At 64: KERPLE 0.70." in figure.alt


def test_rates_are_drawn_for_methods_that_have_both():
    figure = lab.rates({"t5": 1.4, "rope": 3.0, "fire": 1.9}, {"t5": 2.2, "fire": 1.8}, {"alibi": 1.7})
    assert figure.data["own"].tolist() == [1.4, 1.9] and figure.data["common"].tolist() == [2.2, 1.8]
    assert "T5 2.20 and 1.40; FIRE 1.80 and 1.90." in figure.alt and "ALiBi 1.70" in figure.alt


def test_longer_training_is_told_by_the_rise_of_the_loss():
    figure = lab.trained_longer(
        {"alibi": curve(1.7, 1.69), "rope": curve(1.5, 3.0), "t5": curve(1.4, 1.5)},
        {"alibi": curve(1.3, 1.27), "rope": curve(1.2, 3.7)},
        L,
    )
    np.testing.assert_allclose(figure.data["short"], [-0.01, 1.5])
    np.testing.assert_allclose(figure.data["long"], [-0.03, 2.5])
    assert "at 1024 tokens than at 64" in figure.alt
    assert "ALiBi −0.01 and −0.03; RoPE +1.50 and +2.50." in figure.alt


def test_tuning_tells_start_and_end():
    figure = lab.tuning({"pi": {0: (2.9, 0.1), 60: (1.7, 0.02)}, "yarn": {0: (1.8, 0.1), 60: (1.6, 0.02)}}, 256)
    np.testing.assert_allclose(figure.data["pi"], [[0, 60], [2.9, 1.7], [0.1, 0.02]])
    assert "PI from 2.90 to 1.70; YaRN from 1.80 to 1.60." in figure.alt


def test_labels_that_would_touch_are_moved_apart():
    class Axes:
        def get_ylim(self):
            return 0.0, 15.0

    assert lab._apart({"a": 5.0, "b": 5.5, "c": 1.0}, Axes()) == {"c": 1.0, "a": 5.0, "b": 6.0}
