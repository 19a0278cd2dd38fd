"""The figure "attention-maps": weights and changes are those of the package for every choice."""

from __future__ import annotations

import numpy as np
import pytest
from figures_on_pages import assert_fit_for_readers, numbers, open_figure
from visitor import Visitor

from pe_course.comparison import CASES, SENTENCES, attention_map
from pe_course.comparison.maps import ORDERS, change
from tools.site.figures import attention_maps

pytestmark = pytest.mark.browser


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "attention-maps")


def choose(figure, **choices: str) -> None:
    for label, value in choices.items():
        figure.get_by_role("combobox", name=label).select_option(value)


OPACITIES = """(figure) => [...figure.querySelectorAll(".maps rect")].map((node) =>
  Number(node.getAttribute("fill-opacity")) * (node.classList.contains("negative") ? -1 : 1))"""


def assert_shows(figure, name: str, number: int, order: str) -> None:
    sentence = SENTENCES[number]
    places, size = sentence.order(order), len(sentence.words)
    expected = attention_map(name, [sentence.words[place] for place in places])
    drawn = np.array(figure.evaluate(OPACITIES))
    now, moved = drawn[: size * size].reshape(size, size), drawn[size * size :].reshape(size, size)
    np.testing.assert_allclose(now * expected.max(), expected, atol=1.1 / attention_maps.STEPS)
    back = np.argsort(places)
    difference = expected[np.ix_(back, back)] - attention_map(name, sentence.words)
    largest = np.abs(difference).max()
    if largest < 1e-9:
        assert not moved.any()
    else:
        np.testing.assert_allclose(moved * largest, difference, atol=2.2 / attention_maps.STEPS)
    changed = [change(name, sentence.words, sentence.order(each)) for each in ORDERS]
    np.testing.assert_allclose(numbers(figure, "change"), changed, atol=5e-4 + 1e-9)


def test_it_opens_as_python_drew_it(figure):
    assert_shows(figure, *attention_maps.START)


@pytest.mark.parametrize("name", ["nope", "kerple", "rope", "alibi", "sinusoidal", "deberta"])
def test_methods_in_every_order(figure, name: str):
    choose(figure, method=name)
    for order in ORDERS:
        choose(figure, order=order)
        assert_shows(figure, name, 0, order)


def test_every_sentence(figure):
    for number in range(len(SENTENCES)):
        choose(figure, sentence=str(number))
        assert_shows(figure, "rope", number, "scrambled")


def test_words_stand_in_the_order_chosen(figure):
    choose(figure, sentence="1", order="reversed")
    labels = figure.locator(".maps text[text-anchor=end]").all_text_contents()
    assert labels == ["man", "the", "bites", "dog", "the", "the", "dog", "bites", "the", "man"]


def test_status_and_alt_say_what_changed(figure, visitor: Visitor):
    choose(figure, method="kerple", order="reversed")
    status = figure.get_by_role("status").element_handle()
    visitor.page.wait_for_function("node => node.textContent.includes('this order is not seen')", arg=status)
    choose(figure, order="scrambled")
    visitor.page.wait_for_function("node => node.textContent.includes('changes by up to 0.')", arg=status)
    assert "attention weights of KERPLE" in figure.locator("svg").get_attribute("aria-label")


def test_the_keyboard_reaches_every_choice(figure):
    method = figure.get_by_role("combobox", name="method")
    method.focus()
    method.press("ArrowDown")
    assert method.input_value() == list(CASES)[list(CASES).index("rope") + 1]
    assert_shows(figure, method.input_value(), 0, "scrambled")


def test_it_is_fit_for_readers(figure, visitor: Visitor):
    choose(figure, method="t5", order="reversed")
    assert_fit_for_readers(figure, visitor)
    for box in (each.bounding_box() for each in figure.get_by_role("combobox").all()):
        assert box["height"] >= 44


def test_labels_stay_inside_the_screen(figure, visitor: Visitor):
    choose(figure, order="written")
    right = figure.locator(".maps text").evaluate_all(
        "nodes => Math.max(...nodes.map((node) => node.getBoundingClientRect().right))"
    )
    assert right <= visitor.page.viewport_size["width"]


def test_no_small_change_is_written_as_none():
    """Three places must tell "not seen" from "hardly seen": the sentence says which."""
    for name in CASES:
        for sentence, texts in zip(SENTENCES, attention_maps.changes_of(name), strict=True):
            for order, text in texts.items():
                assert (text == "0.000") == (change(name, sentence.words, sentence.order(order)) < 1e-9), (name, order)


def test_packing_keeps_weights_within_half_a_step():
    for name in ("rope", "forgetting"):
        weights = attention_map(name, SENTENCES[0].words)
        kept = attention_maps.unpacked(attention_maps.packed(name, SENTENCES[0], "written"))
        np.testing.assert_allclose(kept, weights, atol=0.5 / attention_maps.STEPS + 1e-9)
