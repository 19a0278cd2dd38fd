"""The figure "integer-bfloat16": positions and angles are those that bfloat16 keeps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from figures_on_pages import open_figure
from visitor import THEMES, Visitor

from pe_course.reference import rotary
from tools.site.figures import integer_bfloat16

pytestmark = pytest.mark.browser

FREQUENCY = rotary.rope_frequencies(16)[1]


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "integer-bfloat16")


def kept(first: int) -> np.ndarray:
    """As PyTorch rounds, which the figure does not use."""
    return torch.arange(first, first + 8).to(torch.bfloat16).long().numpy()


def assert_shows(figure, first: int) -> None:
    for name, expected in (("integer", np.arange(first, first + 8)), ("bfloat16", kept(first))):
        cells = figure.locator(f"[data-row={name}] td").all_inner_texts()
        assert [int(cell) for cell in cells] == expected.tolist()
        transforms = figure.locator(f"[data-dial={name}] .hand").evaluate_all(
            "nodes => nodes.map((node) => node.getAttribute('transform'))"
        )
        angles = np.radians([-float(text.removeprefix("rotate(").rstrip(")")) for text in transforms])
        np.testing.assert_allclose(np.exp(1j * angles), np.exp(1j * expected * FREQUENCY), atol=1e-5)


def test_figure_opens_as_python_drew_it(figure):
    assert_shows(figure, 192)
    assert figure.get_by_role("slider", name="first position").input_value() == "192"


def test_every_step_shows_what_bfloat16_keeps(figure):
    slider = figure.get_by_role("slider")
    for first in range(0, integer_bfloat16.LAST + 1, integer_bfloat16.STEP):
        slider.fill(str(first))
        assert_shows(figure, first)


def test_keyboard_and_status(figure, visitor: Visitor):
    slider = figure.get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    assert_shows(figure, 256)
    assert slider.get_attribute("aria-valuetext") == "first position 256"
    assert "In bfloat16, 5 different hands" in figure.locator("svg").get_attribute("aria-label")
    status = figure.get_by_role("status")
    visitor.page.wait_for_function("node => node.textContent.startsWith('Positions 256')", arg=status.element_handle())
    assert status.inner_text().endswith("8 different angles in integers, 5 in bfloat16")


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_after_use(figure, visitor: Visitor, theme: str):
    visitor.page.emulate_media(color_scheme=theme)
    figure.get_by_role("slider").fill("1024")
    assert visitor.axe() == []
    assert visitor.problems == []


def test_numbers_do_not_touch_on_a_phone(figure):
    figure.get_by_role("slider").fill("4096")
    boxes = figure.locator("[data-row=integer] td").evaluate_all(
        """nodes => nodes.map((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          const { left, right } = range.getBoundingClientRect();
          return [left, right];
        })"""
    )
    assert all(right < left for (_, right), (left, _) in pairwise(boxes))
