"""The figure "alibi-slopes": one bar per head, with the slopes of the reference for every number of heads."""

from __future__ import annotations

import numpy as np
import pytest
from figures_on_pages import assert_fit_for_readers, numbers, open_figure
from visitor import Visitor

from pe_course.reference import bias
from tools.site.figures import alibi_slopes

pytestmark = pytest.mark.browser


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "alibi-slopes")


def reach(slopes: np.ndarray) -> np.ndarray:
    """First whole distance at which exp(−slope · distance) is below a thousandth."""
    return np.array([int(np.argmax(np.exp(-slope * np.arange(2000)) < 1e-3)) for slope in slopes])


def assert_shows(figure, heads: int) -> None:
    slopes = bias.alibi_slopes(heads)
    widths = [float(bar.get_attribute("width")) for bar in figure.locator(".heads rect").all()]
    np.testing.assert_allclose(10 ** (np.array(widths) / alibi_slopes.DECADE), reach(slopes), rtol=1e-3)
    shown = np.array([slopes[0], slopes[-1], slopes.max()])
    np.testing.assert_allclose(numbers(figure, "slope"), shown, atol=5e-5 + 1e-12)
    np.testing.assert_array_equal(numbers(figure, "window"), reach(shown))
    hollow = figure.locator(".heads rect.hollow").count()
    assert hollow == heads - 2 ** int(np.log2(heads))


def test_every_number_of_heads_shows_the_slopes_of_the_reference(figure):
    assert_shows(figure, 8)
    slider = figure.get_by_role("slider", name="heads")
    for heads in range(1, alibi_slopes.MOST_HEADS + 1):
        slider.fill(str(heads))
        assert_shows(figure, heads)


def test_keyboard_moves_and_the_status_speaks(figure, visitor: Visitor):
    slider = figure.get_by_role("slider", name="heads")
    slider.focus()
    for _ in range(4):
        slider.press("ArrowRight")
    assert_shows(figure, 12)
    assert slider.get_attribute("aria-valuetext") == "heads 12"
    status = figure.get_by_role("status").element_handle()
    visitor.page.wait_for_function(
        "node => node.textContent.startsWith('Heads: 12. Slopes from 0.7071 to 0.0039')", arg=status
    )
    assert "The last 4 bars" in figure.locator("svg").get_attribute("aria-label")


def test_it_is_fit_for_readers(figure, visitor: Visitor):
    figure.get_by_role("slider").press("End")
    assert_fit_for_readers(figure, visitor)
