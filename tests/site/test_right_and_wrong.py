"""The figure "right-and-wrong": the right weights stand still, those of a bug are what buggy code gives."""

from __future__ import annotations

import numpy as np
import pytest
from figures_on_pages import assert_fit_for_readers, numbers, open_figure
from visitor import Visitor

from pe_course.reference import rotary
from tools.site.figures import right_and_wrong

pytestmark = pytest.mark.browser

LAST = right_and_wrong.LAST


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "right-and-wrong")


def bfloat16(places) -> np.ndarray:
    """As PyTorch rounds, which the figure does not use."""
    import torch

    return torch.as_tensor(places).to(torch.bfloat16).double().numpy()


def expected(bug: str, before: int) -> np.ndarray:
    """Weights by products of single vectors, written again for this test."""
    content = 1.8 * np.random.default_rng(11).standard_normal(64)
    places = before + np.arange(8)
    query_place, key_places, layout = places[-1], places, "half"
    if bug == "offset":
        query_place, key_places = 0, np.array([*places[:-1], 0])
    elif bug == "bfloat16":
        query_place, key_places = bfloat16(places)[-1], bfloat16(places)
    elif bug == "keys":
        query_place = 0
    elif bug == "layouts":
        layout = "interleaved"
    aimed = rotary.apply_rope(content[None], [-3])
    query = rotary.apply_rope(aimed, [query_place], layout=layout)[0]
    scores = [query @ rotary.apply_rope(content[None], [place])[0] / 8 for place in key_places]
    return np.exp(scores) / np.exp(scores).sum()


def assert_shows(figure, bug: str, before: int) -> None:
    """Table and bars of both sides."""
    for row, weights in (("right", expected("right", 0)), ("wrong", expected(bug, before))):
        np.testing.assert_allclose(numbers(figure, row), weights, atol=0.0051)
        heights = figure.locator(f"[data-bars={row}] rect").evaluate_all(
            "nodes => nodes.map((node) => Number(node.getAttribute('height')))"
        )
        ends = figure.locator(f"[data-bars={row}] rect").evaluate_all(
            "nodes => nodes.map((node) => Number(node.getAttribute('y')) + Number(node.getAttribute('height')))"
        )
        np.testing.assert_allclose(np.array(heights) / sum(heights), weights, atol=0.001)
        np.testing.assert_allclose(ends, right_and_wrong.TOP + right_and_wrong.HEIGHT, atol=0.02)


def test_figure_opens_as_python_drew_it(figure):
    assert_shows(figure, "offset", 0)
    assert figure.get_by_role("slider", name="tokens before").input_value() == "0"


@pytest.mark.parametrize("bug", right_and_wrong.BUGS)
def test_each_bug_at_each_stop(figure, bug: str):
    figure.get_by_role("combobox", name="bug").select_option(bug)
    for before in (0, 64, 256, 512, LAST):
        figure.get_by_role("slider").fill(str(before))
        assert_shows(figure, bug, before)


def test_rounding_starts_at_256_and_the_right_side_never_moves(figure):
    figure.get_by_role("combobox").select_option("bfloat16")
    slider = figure.get_by_role("slider")
    still = numbers(figure, "right")
    for before in range(0, LAST + 1, right_and_wrong.STEP):
        slider.fill(str(before))
        assert numbers(figure, "right") == still
        assert (numbers(figure, "wrong") == still) == (before < 256)


def test_keyboard_and_status(figure, visitor: Visitor):
    slider = figure.get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    assert_shows(figure, "offset", 64)
    assert slider.get_attribute("aria-valuetext") == "64 tokens before"
    assert "after 64 tokens" in figure.locator("svg").get_attribute("aria-label")
    status = figure.get_by_role("status")
    visitor.page.wait_for_function("node => node.textContent.startsWith('After 64')", arg=status.element_handle())
    assert "the new token starts again at 0" in status.inner_text()


def test_it_suits_readers_after_use(figure, visitor: Visitor):
    figure.get_by_role("combobox").select_option("layouts")
    figure.get_by_role("slider").fill("512")
    assert_fit_for_readers(figure, visitor)
