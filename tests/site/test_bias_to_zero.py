"""The figure "bias-to-zero": the shares are those of the reference's softmax at every length (claim L-008)."""

from __future__ import annotations

import numpy as np
import pytest
from figures_on_pages import assert_fit_for_readers, numbers, open_figure
from visitor import Visitor

from tools.site.figures import bias_to_zero

pytestmark = pytest.mark.browser


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "bias-to-zero")


def shares(length: int) -> np.ndarray:
    """Shares within ten positions, from the formulas themselves."""
    distance = np.abs(np.arange(length) - length // 2)
    factors = np.exp([-0.5 * distance, np.exp(-distance), 0.0 * distance])
    return factors[:, distance <= 10].sum(axis=1) / factors.sum(axis=1)


def assert_shows(figure, length: int) -> None:
    expected = shares(length)
    widths = [float(bar.get_attribute("width")) for bar in figure.locator("rect.near").all()]
    np.testing.assert_allclose(np.array(widths) / bias_to_zero.WIDTH, expected, atol=1e-5)
    np.testing.assert_allclose(numbers(figure, "near"), expected, atol=5e-5 + 1e-12)
    np.testing.assert_allclose(numbers(figure, "far"), 1 - expected, atol=5e-5 + 1e-12)


def test_every_length_shows_the_shares_of_softmax(figure):
    slider = figure.get_by_role("slider", name="number of keys")
    assert_shows(figure, 30)
    for index, length in enumerate(bias_to_zero.LENGTHS):
        slider.fill(str(index))
        assert_shows(figure, length)
        assert slider.get_attribute("aria-valuetext") == f"{length} keys"


def test_keyboard_moves_and_the_status_speaks(figure, visitor: Visitor):
    slider = figure.get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    assert_shows(figure, 100)
    assert "among 100 keys" in figure.locator("svg").get_attribute("aria-label")
    status = figure.get_by_role("status").element_handle()
    visitor.page.wait_for_function(
        "node => node.textContent.startsWith('100 keys.') && node.textContent.includes('0.2334 with exp')", arg=status
    )


def test_it_is_fit_for_readers(figure, visitor: Visitor):
    figure.get_by_role("slider").press("End")
    assert_fit_for_readers(figure, visitor)
