"""The figure "ward-beds": codes, changes and resemblances are those of the reference, at every bed and group."""

from __future__ import annotations

import numpy as np
import pytest
from figures_on_pages import assert_fit_for_readers, open_figure
from visitor import Visitor

from pe_course.reference import absolute
from tools.site.figures import ward_beds

pytestmark = pytest.mark.browser

CODES = absolute.sinusoidal_positions(np.arange(128), 512)

# The whole state in one visit: a round trip for each cell would take minutes.
STATE = """(figure, [bed, group]) => {
  const [beds, groups] = figure.querySelectorAll("input");
  for (const [slider, value] of [[beds, bed], [groups, group]]) {
    if (value !== null) { slider.value = value; slider.dispatchEvent(new Event("input")); }
  }
  const row = (name) => [...figure.querySelectorAll(`[data-code=${name}] rect`)].map(
    (cell) => (cell.matches(".negative") ? -1 : 1) * cell.getAttribute("fill-opacity"));
  const line = figure.querySelector(".ward-profile").getAttribute("d").slice(1);
  const profile = line.split("L").map((point) => point.split(" "));
  return { bed: row("bed"), next: row("next"), change: row("change"), profile };
}"""


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "ward-beds")


def assert_shows(figure, state: dict, bed: int, group: int) -> None:
    block = CODES[:, 64 * group : 64 * group + 64]
    np.testing.assert_allclose(state["bed"], block[bed], atol=6e-4)
    np.testing.assert_allclose(state["next"], block[bed + 1], atol=6e-4)
    np.testing.assert_allclose(state["change"], block[bed + 1] - block[bed], atol=6e-4)
    x, y = np.array(state["profile"], dtype=float).T
    np.testing.assert_allclose((ward_beds.ZERO - y) / ward_beds.UNIT, block @ block[bed] / 32, atol=5e-4)
    np.testing.assert_allclose((x - ward_beds.LEFT) / ward_beds.STEP - 0.5, np.arange(128), atol=0.01)
    cells = [float(cell) for cell in figure.locator("[data-cell]").all_inner_texts()]
    for cell, away in zip(cells, (1, 10, 64), strict=True):
        assert cell == pytest.approx(np.sqrt(np.mean((block[away:] - block[:-away]) ** 2)), abs=5.1e-5)


def test_figure_opens_as_python_drew_it(figure):
    assert_shows(figure, figure.evaluate(STATE, [None, None]), 30, 0)
    assert figure.get_by_role("slider", name="bed").input_value() == "30"


@pytest.mark.parametrize("bed", [0, 64, 126])
def test_every_group_shows_the_codes_of_the_reference(figure, bed: int):
    for group in range(8):
        assert_shows(figure, figure.evaluate(STATE, [bed, group]), bed, group)


def test_the_last_group_hardly_tells_beds_apart(figure):
    state = figure.evaluate(STATE, [64, 7])
    heights = np.array(state["profile"], dtype=float)[:, 1]
    assert np.ptp(heights) < 0.01
    assert max(map(abs, state["change"])) < 0.001


def test_keyboard_moves_and_the_status_speaks(figure, visitor: Visitor):
    slider = figure.get_by_role("slider", name="channels from")
    slider.focus()
    slider.press("End")
    assert slider.get_attribute("aria-valuetext") == "channels 448 to 511"
    assert figure.locator("svg").get_attribute("aria-label").startswith("Channels 448 to 511 of the codes of beds 30")
    assert figure.locator(".title").first.inner_html() == "channels 448 to 511"
    status = figure.get_by_role("status").element_handle()
    visitor.page.wait_for_function("node => node.textContent.startsWith('Bed 30, channels 448 to 511:')", arg=status)


def test_it_is_fit_for_readers(figure, visitor: Visitor):
    figure.get_by_role("slider", name="bed").press("ArrowRight")
    assert_fit_for_readers(figure, visitor)
