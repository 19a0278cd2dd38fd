"""The figure "heat-map": its pixels and its profile are those of the reference, wherever the cursor stands."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread
from visitor import PHONE, THEMES, Visitor, pages_of

from pe_course.plots.theme import NEGATIVE, POSITIVE
from pe_course.reference import absolute
from tools.site.figures import heat_map

pytestmark = pytest.mark.browser

START, LAST = 20, 63
TABLE = absolute.sinusoidal_positions(np.arange(64), 64)
NAMED = [0, 16, 32, 48, 63]


@pytest.fixture
def figure(visitor: Visitor, site):
    for page in pages_of(site):
        if 'data-figure="heat-map"' in (site / page).read_text(encoding="utf-8"):
            visitor.go(page, width=PHONE)
            return visitor.page.locator("[data-figure=heat-map]").first
    pytest.fail("no page holds the figure heat-map", pytrace=False)


# Every position in one visit: a round trip for each bar would take minutes.
STATES = """(figure, positions) => positions.map((position) => {
  const slider = figure.querySelector("input");
  if (position !== null) { slider.value = position; slider.dispatchEvent(new Event("input")); }
  return {
    widths: [...figure.querySelectorAll(".share")].map((bar) => Number(bar.getAttribute("width"))),
    cells: [...figure.querySelectorAll("[data-row=alike] td")].map((cell) => cell.textContent),
    top: Number(figure.querySelector(".cursor").getAttribute("y")),
  };
})"""


def assert_is(state: dict, position: int) -> None:
    shares = TABLE @ TABLE[position] / 32
    np.testing.assert_allclose(np.array(state["widths"]) / heat_map.WIDTH, shares, atol=1e-4)
    cells = [float(cell.replace("−", "-")) for cell in state["cells"]]
    np.testing.assert_allclose(cells, shares[NAMED], atol=0.0005 + 1e-9)
    assert state["top"] == pytest.approx(heat_map.TOP + heat_map.CELL * position - 0.5)


def test_figure_opens_as_python_drew_it(figure):
    assert_is(*figure.evaluate(STATES, [None]), START)
    assert figure.get_by_role("slider", name="position").input_value() == str(START)


def test_every_position_shows_the_inner_products_of_the_reference(figure):
    for position, state in enumerate(figure.evaluate(STATES, list(range(LAST + 1)))):
        assert_is(state, position)


@pytest.mark.parametrize(("key", "position"), [("ArrowRight", START + 1), ("Home", 0), ("End", LAST)])
def test_keyboard_moves_the_cursor(figure, key: str, position: int):
    slider = figure.get_by_role("slider")
    slider.press(key)
    assert_is(*figure.evaluate(STATES, [None]), position)
    assert slider.get_attribute("aria-valuetext") == f"position {position}"
    assert f"a frame around row {position}," in figure.locator("svg").get_attribute("aria-label")


def test_status_speaks_once_the_reader_pauses(figure, visitor: Visitor):
    figure.get_by_role("slider").press("End")
    status = figure.get_by_role("status")
    visitor.page.wait_for_function("node => node.textContent.startsWith('Row 63.')", arg=status.element_handle())
    assert status.inner_text().endswith("row 63 1.000.")


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_after_use(figure, visitor: Visitor, theme: str):
    visitor.page.emulate_media(color_scheme=theme)
    figure.get_by_role("slider").press("ArrowRight")
    assert visitor.axe() == []
    assert visitor.problems == []


def test_fingers_can_hold_the_slider(figure):
    assert figure.get_by_role("slider").bounding_box()["height"] >= 44


def test_text_can_be_read_on_a_phone(figure):
    sizes = figure.locator("th, td, label, p").evaluate_all(
        "nodes => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert min(sizes) >= 13
    heights = figure.locator("svg text").evaluate_all(
        "nodes => nodes.map((node) => node.getBoundingClientRect().height)"
    )
    assert min(heights) >= 9


def test_pixels_are_the_table_in_the_colours_of_the_plots():
    shades = np.round(TABLE * heat_map.SHADES).astype(int) + heat_map.SHADES
    pixels = imread(BytesIO(heat_map.indexed_png(shades, heat_map._palette())), format="png")
    assert pixels.shape == (64, 64, 4)
    signed = np.where(np.abs(pixels[..., :3] - rgb(POSITIVE)).max(axis=-1) < 1e-6, pixels[..., 3], -pixels[..., 3])
    np.testing.assert_allclose(signed, TABLE, atol=0.5 / heat_map.SHADES + 0.003)
    negative = pixels[TABLE < -0.1][:, :3]
    np.testing.assert_allclose(negative, np.broadcast_to(rgb(NEGATIVE), negative.shape), atol=1e-6)


def rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
