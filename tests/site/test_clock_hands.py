"""The figure "clock-hands": the slider turns the hands, and all numbers are those of the reference."""

from __future__ import annotations

import math

import numpy as np
import pytest
from visitor import PHONE, THEMES, Visitor, pages_of

from pe_course.reference import absolute

pytestmark = pytest.mark.browser

DIM, START, LAST = 8, 7, 63


@pytest.fixture
def figure(visitor: Visitor, site):
    for page in pages_of(site):
        if 'data-figure="clock-hands"' in (site / page).read_text(encoding="utf-8"):
            visitor.go(page, width=PHONE)
            return visitor.page.locator("[data-figure=clock-hands]").first
    pytest.fail("no page holds the figure clock-hands", pytrace=False)


def shown_vector(figure) -> np.ndarray:
    """sin, cos, sin, cos, … as the table shows them."""
    rows = [
        [float(cell.replace("−", "-")) for cell in figure.locator(f"[data-row={name}] td").all_inner_texts()]
        for name in ("sin", "cos")
    ]
    return np.array(rows).T.ravel()


def shown_turns(figure) -> np.ndarray:
    """Degrees by which the hands are turned."""
    hands = figure.locator(".hand").all()
    return np.array([float(hand.get_attribute("transform").removeprefix("rotate(").rstrip(")")) for hand in hands])


def assert_shows(figure, position: int) -> None:
    vector = absolute.sinusoidal_positions([position], DIM)[0]
    np.testing.assert_allclose(shown_vector(figure), vector, atol=0.0005 + 1e-12, rtol=0)
    turns = np.degrees(position * absolute.sinusoidal_frequencies(DIM))
    np.testing.assert_allclose(shown_turns(figure), turns, atol=1e-3, rtol=0)
    # The tip of a hand lies sin to the right and cos up.
    radians = np.radians(shown_turns(figure))
    np.testing.assert_allclose(np.sin(radians), vector[0::2], atol=1e-4)
    np.testing.assert_allclose(np.cos(radians), vector[1::2], atol=1e-4)


def test_figure_opens_as_python_drew_it(figure):
    assert_shows(figure, START)
    slider = figure.get_by_role("slider", name="position")
    assert slider.input_value() == str(START)
    assert slider.get_attribute("aria-valuetext") == f"position {START}"


@pytest.mark.parametrize(("keys", "position"), [(["ArrowRight"] * 3, 10), (["Home"], 0), (["End"], LAST)])
def test_keyboard_turns_the_hands(figure, keys: list[str], position: int):
    slider = figure.get_by_role("slider", name="position")
    slider.focus()
    for key in keys:
        slider.press(key)
    assert_shows(figure, position)
    assert slider.get_attribute("aria-valuetext") == f"position {position}"
    assert f"At position {position} " in figure.locator("svg").get_attribute("aria-label")


def test_status_speaks_once_the_reader_pauses(figure, visitor: Visitor):
    status, slider = figure.get_by_role("status"), figure.get_by_role("slider")
    slider.press("ArrowRight")
    assert status.inner_text().startswith(f"Position {START}:"), "it must not speak at each step"
    visitor.page.wait_for_function("node => node.textContent.startsWith('Position 8:')", arg=status.element_handle())
    numbers = status.inner_text().partition("(")[2].rstrip(")").replace("−", "-").split(", ")
    expected = absolute.sinusoidal_positions([START + 1], DIM)[0]
    np.testing.assert_allclose([float(number) for number in numbers], expected, atol=0.0005 + 1e-12, rtol=0)


def test_every_position_shows_the_vector_of_the_reference(figure):
    slider = figure.get_by_role("slider")
    for position in range(LAST + 1):
        slider.fill(str(position))
        assert_shows(figure, position)


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_after_use(figure, visitor: Visitor, theme: str):
    visitor.page.emulate_media(color_scheme=theme)
    figure.get_by_role("slider").press("ArrowRight")
    figure.get_by_role("slider").focus()
    assert visitor.axe() == []
    assert visitor.problems == []


def test_fingers_can_hold_the_slider(figure):
    assert figure.get_by_role("slider").bounding_box()["height"] >= 44


def test_text_can_be_read_on_a_phone(figure):
    sizes = figure.locator("th, td, label, p").evaluate_all(
        "nodes => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert min(sizes) >= 13


def test_no_negative_zero_is_shown(figure):
    """cos(π/2)-like values round to zero: never "−0.000"."""
    figure.get_by_role("slider").fill("44")  # sin 44 = 0.0177, and 44/7 is close to a full turn
    assert "−0.000" not in figure.inner_text()
    assert math.isclose(shown_vector(figure)[0], math.sin(44), abs_tol=0.0005)
