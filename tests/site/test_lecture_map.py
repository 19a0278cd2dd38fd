"""The page of the lecture's map: every item as a row, and a filter that says what it shows."""

from __future__ import annotations

import pytest
from visitor import PHONE, THEMES, Visitor

from tools.settings import Settings
from tools.site.lecture_map import FILE, SIZES, read

pytestmark = pytest.mark.browser

PAGE = "book/lecture-map.html"
ITEMS = [item.id for notes in read(Settings().book / FILE) for item in notes.items]


@pytest.fixture
def page(visitor: Visitor, site):
    if not (site / PAGE).is_file():
        pytest.fail("book/lecture-map is not in the table of contents", pytrace=False)
    visitor.go(PAGE, width=PHONE)
    return visitor.page


def shown(page) -> list[str]:
    return page.locator(".lecture-notes tbody tr:visible").evaluate_all("rows => rows.map((row) => row.id)")


def expect_status(page, count: int) -> None:
    status = page.locator(".lecture-map [role=status]").element_handle()
    text = f"{count} of {len(ITEMS)} items"
    page.wait_for_function("([node, text]) => node.textContent === text", arg=[status, text], timeout=5000)


def test_every_item_is_a_row(page):
    assert shown(page) == ITEMS
    assert len(ITEMS) == sum(SIZES.values())


def test_filter_by_words_and_back(page):
    page.get_by_label("Words").press_sequentially("s3-55")
    assert shown(page) == ["S3-55"]
    expect_status(page, 1)
    assert page.locator(".lecture-notes:visible").count() == 1
    page.get_by_label("Words").press("Enter")
    page.get_by_role("button", name="Show all").press("Enter")
    assert shown(page) == ITEMS
    expect_status(page, len(ITEMS))


def test_a_link_to_a_hidden_item_shows_it(page):
    page.get_by_label("Words").fill("library")
    page.evaluate("() => { location.hash = '#S3-71'; }")
    page.wait_for_function("() => !document.getElementById('S3-71').hidden")


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_after_use(visitor: Visitor, page, theme: str):
    visitor.go(PAGE, theme=theme, width=PHONE)
    visitor.page.get_by_label("Words").fill("analog")
    assert visitor.axe() == []
    assert visitor.problems == []


def test_rows_fit_a_phone(page):
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE


def test_without_javascript_all_items_stand_and_no_filter(browser, site, address: str):
    visitor = Visitor(browser, site, address, javascript=False)
    visitor.page.goto(address + PAGE)
    assert visitor.page.locator(".lecture-notes tbody tr:visible").count() == len(ITEMS)
    assert visitor.page.locator(".lecture-map form:visible").count() == 0
    visitor.close()
