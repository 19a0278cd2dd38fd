"""How a test finds a moving figure in the built site."""

from __future__ import annotations

from pathlib import Path

import pytest
from visitor import PHONE, Visitor, pages_of


def open_figure(visitor: Visitor, site: Path, name: str):
    """Open the first page that holds the figure, on a phone, and return the figure. Fails if no page does."""
    for page in pages_of(site):
        if f'data-figure="{name}"' in (site / page).read_text(encoding="utf-8"):
            visitor.go(page, width=PHONE)
            return visitor.page.locator(f"[data-figure={name}]").first
    pytest.fail(f"no page holds the figure {name}", pytrace=False)


def numbers(figure, row: str) -> list[float]:
    """The cells of one row of the figure's table."""
    return [float(cell.replace("−", "-")) for cell in figure.locator(f"[data-row={row}] td").all_inner_texts()]


def assert_fit_for_readers(figure, visitor: Visitor) -> None:
    """After use: no complaint of axe in either theme, sliders that fingers can hold, letters that can be read."""
    for theme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=theme)
        assert visitor.axe() == []
    assert visitor.problems == []
    for slider in figure.get_by_role("slider").all():
        assert slider.bounding_box()["height"] >= 44
    sizes = figure.locator("th, td, label, p").evaluate_all(
        "nodes => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert min(sizes) >= 13
    letters = figure.locator("svg text").evaluate_all(
        """nodes => nodes.map((node) => {
          const { c, d } = node.getScreenCTM(); // both, since a label may be turned
          return parseFloat(getComputedStyle(node).fontSize) * Math.hypot(c, d);
        })"""
    )
    assert min(letters) >= 9
