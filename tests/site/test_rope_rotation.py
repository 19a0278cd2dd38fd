"""The figure "rope-rotation": three sliders turn two hands, and score and angles are those of the reference."""

from __future__ import annotations

import numpy as np
import pytest
from figures_on_pages import open_figure
from visitor import THEMES, Visitor

from pe_course.reference import rotary
from tools.site.figures import rope_rotation

pytestmark = pytest.mark.browser

STEP = np.radians(rope_rotation.DEGREES)
LABELS = {"m": "query position m", "n": "key position n", "both": "move both by"}


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "rope-rotation")


def set_sliders(figure, **values: int) -> None:
    for name, value in values.items():
        figure.get_by_role("slider", name=LABELS[name]).fill(str(value))


def number(text: str) -> float:
    return float(text.replace("−", "-").removesuffix("°"))


def assert_shows(figure, m: int, n: int) -> None:
    """Query at m, key at n: hands, table, point and description."""
    query, key = (
        rotary.apply_rope([vector], [position], inv_freq=[STEP])[0]
        for vector, position in ((rope_rotation.QUERY, m), (rope_rotation.KEY, n))
    )
    for name, expected in (("query", query), ("key", key)):
        turn = figure.locator(f".hand.{name}").get_attribute("transform").removeprefix("rotate(").rstrip(")")
        angle = -np.radians(float(turn))  # the screen's y axis points down
        np.testing.assert_allclose([np.cos(angle), np.sin(angle)], expected, atol=1e-5)
        shown = np.radians(number(figure.locator(f"[data-cell={name}]").inner_text()))
        assert abs(np.angle(np.exp(1j * (shown - angle)))) <= np.radians(0.5) + 1e-5
    assert number(figure.locator("[data-cell=score]").inner_text()) == pytest.approx(query @ key, abs=0.0005 + 1e-12)
    assert number(figure.locator("[data-cell=distance]").inner_text()) == m - n
    left, width, middle, height = rope_rotation.LEFT, rope_rotation.WIDTH, rope_rotation.CENTRE, rope_rotation.HEIGHT
    point = figure.locator(".point")
    assert float(point.get_attribute("cx")) == pytest.approx(left + width * ((m - n) / 48 + 0.5), abs=0.01)
    assert float(point.get_attribute("cy")) == pytest.approx(middle - height * (query @ key), abs=0.01)


def test_figure_opens_as_python_drew_it(figure):
    assert_shows(figure, 5, 3)
    for name, value in (("m", 5), ("n", 3), ("both", 0)):
        assert figure.get_by_role("slider", name=LABELS[name]).input_value() == str(value)


@pytest.mark.parametrize(("m", "n", "both"), [(0, 24, 0), (24, 0, 24), (7, 7, 5), (13, 2, 11), (3, 20, 24)])
def test_sliders_show_what_the_reference_says(figure, m: int, n: int, both: int):
    set_sliders(figure, m=m, n=n, both=both)
    assert_shows(figure, m + both, n + both)


def test_moving_both_keeps_the_score_and_turns_the_hands(figure):
    score = figure.locator("[data-cell=score]").inner_text()
    turns = set()
    for both in range(25):
        set_sliders(figure, both=both)
        assert figure.locator("[data-cell=score]").inner_text() == score
        turns.add(figure.locator("[data-cell=query]").inner_text())
    assert len(turns) == 24


def test_keyboard_and_status(figure, visitor: Visitor):
    slider = figure.get_by_role("slider", name=LABELS["m"])
    slider.focus()
    slider.press("ArrowRight")
    assert_shows(figure, 6, 3)
    assert slider.get_attribute("aria-valuetext") == "query position m 6"
    assert "point at distance 3" in figure.locator("svg").get_attribute("aria-label")
    status = figure.get_by_role("status")
    visitor.page.wait_for_function("node => node.textContent.startsWith('Query at 6,')", arg=status.element_handle())


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_after_use(figure, visitor: Visitor, theme: str):
    visitor.page.emulate_media(color_scheme=theme)
    set_sliders(figure, both=4)
    assert visitor.axe() == []
    assert visitor.problems == []


def test_letters_and_sliders_suit_a_phone(figure):
    heights = figure.locator("svg text").evaluate_all(
        "nodes => nodes.map((node) => node.getBoundingClientRect().height)"
    )
    assert min(heights) >= 13
    assert all(slider.bounding_box()["height"] >= 44 for slider in figure.get_by_role("slider").all())
