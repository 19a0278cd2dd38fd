"""The site after a reader has used it: still nothing for axe, no error, no foreign request."""

from __future__ import annotations

import pytest
from visitor import LAPTOP, PHONE, Visitor

pytestmark = pytest.mark.browser


def test_search_finds_a_page_and_asks_nobody_else(visitor: Visitor):
    visitor.go("search.html?q=position")
    visitor.page.wait_for_selector("#search-results ul.search li a")
    assert visitor.axe() == []
    assert visitor.problems == []
    assert visitor.foreign == []


@pytest.mark.parametrize("width", [PHONE, LAPTOP])
def test_search_dialog_leads_to_the_results(visitor: Visitor, width: int):
    visitor.go("book/index.html", width=width)
    visitor.page.keyboard.press("Control+k")
    visitor.page.wait_for_selector("#pst-search-dialog[open]")
    assert visitor.axe() == []
    visitor.page.keyboard.type("position")
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_url("**/search.html?q=position")
    assert visitor.problems == []


def test_theme_button_changes_the_theme(visitor: Visitor):
    visitor.go("book/index.html")
    seen = set()
    for _ in range(3):
        visitor.page.locator(".theme-switch-button:visible").click()
        seen.add(visitor.page.locator("html").get_attribute("data-theme"))
        visitor.page.mouse.move(0, 0)
    assert seen == {"light", "dark"}
    assert visitor.problems == []


def test_contents_open_on_a_phone(visitor: Visitor):
    visitor.go("book/index.html", width=PHONE)
    visitor.page.locator("button.primary-toggle:visible").click()
    visitor.page.wait_for_selector("#pst-primary-sidebar-modal[open]")
    assert visitor.axe() == []
