"""The first page: the three places are links that can be reached, and each reader finds a path."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from visitor import PHONE, THEMES, Visitor

pytestmark = pytest.mark.browser

FRONT, INSIDE = "book/index.html", "book/architecture.html"
PLACES = {
    "1. The input": "absolute.html#absolute",
    "2. Query and key": "rotary.html#rotary",
    "3. The score": "relative.html#relative",
    "A causal mask": "alibi.html#nope",
}
SMALLEST_LETTER, FINGER = 12, 44  # px
LETTERS = "all => all.map((each) => parseFloat(getComputedStyle(each).fontSize))"
BOXES = """all => all.map((each) => {
  const { x, right, y, bottom } = each.getBoundingClientRect();
  return [x, right, y, bottom];
})"""


def picture_links(visitor: Visitor):
    return visitor.page.locator(".three-places a")


@pytest.fixture
def phone(visitor: Visitor) -> Visitor:
    visitor.go(FRONT, width=PHONE)
    return visitor


def test_each_place_leads_to_its_chapter(phone: Visitor):
    found = {link.locator("text").first.inner_html(): link.get_attribute("href") for link in picture_links(phone).all()}
    assert found == PLACES


def test_places_are_reached_in_order_with_the_keyboard(phone: Visitor):
    picture_links(phone).first.focus()
    for address in PLACES.values():
        focused = phone.page.evaluate("() => document.activeElement.getAttribute('href')")
        assert focused == address
        phone.page.keyboard.press("Tab")
    picture_links(phone).nth(1).focus()
    phone.page.keyboard.press("Enter")
    phone.page.wait_for_url("**/book/rotary.html#rotary")


def test_the_focused_place_looks_different(phone: Visitor):
    link = picture_links(phone).first
    outline = "link => getComputedStyle(link.querySelector('rect')).strokeWidth"
    before = link.evaluate(outline)
    link.focus()
    phone.page.keyboard.press("Shift+Tab")
    phone.page.keyboard.press("Tab")
    assert link.evaluate(outline) != before


def test_picture_is_readable_on_a_phone(phone: Visitor):
    picture = phone.page.locator(".three-places")
    box = picture.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE
    scale = box["width"] / float(picture.get_attribute("viewBox").split()[2])
    letters = picture.locator("text").evaluate_all(LETTERS)
    assert min(letters) * scale >= SMALLEST_LETTER
    for link in picture_links(phone).all():
        assert link.locator("rect").bounding_box()["height"] >= FINGER
    rects = picture.locator("rect").evaluate_all(BOXES)
    texts = picture.locator("text").evaluate_all(BOXES)
    for x, right, y, bottom in texts:
        assert any(a <= x and right <= b and c <= y and bottom <= d for a, b, c, d in rects), "words leave their box"


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("page", [FRONT, INSIDE])
def test_axe_finds_nothing_with_a_place_in_focus(visitor: Visitor, page: str, theme: str):
    visitor.go(page, theme=theme, width=PHONE)
    picture_links(visitor).nth(2).focus()
    assert visitor.axe() == []


def test_picture_needs_no_javascript(browser, site, address: str):
    visitor = Visitor(browser, site, address, javascript=False)
    visitor.page.goto(address + FRONT)
    link = picture_links(visitor).first
    assert link.is_visible()
    link.click()
    visitor.page.wait_for_url("**/book/absolute.html#absolute")
    visitor.close()


def test_each_reader_has_a_path(site):
    page = BeautifulSoup((site / FRONT).read_text(encoding="utf-8"), "html.parser")
    paths = page.find(id="start-here").find_all("ol")
    assert len(paths) == 3
    for path in paths:
        steps = path.find_all("li", recursive=False)
        assert len(steps) == 3
        assert all(step.find("a") for step in steps)


def test_places_of_the_architecture_lead_down_its_page(site):
    page = BeautifulSoup((site / INSIDE).read_text(encoding="utf-8"), "html.parser")
    targets = [link["href"] for link in page.select(".three-places a")]
    assert len(targets) == len(PLACES)
    assert all(page.find(id=target.removeprefix("#")) for target in targets)
