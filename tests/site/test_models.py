"""The page of models: the whole table without a script, and a filter that hides what nobody asked for."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from visitor import LAPTOP, PHONE, THEMES, Visitor

from pe_course.models import KNOWN, models
from tools.site.models.page import SHORT, anchor

pytestmark = pytest.mark.browser

ADDRESS = "book/models.html"


@pytest.fixture
def page(visitor: Visitor, site):
    if not (site / ADDRESS).is_file():
        pytest.fail("book/models is not in the table of contents", pytrace=False)
    visitor.go(ADDRESS, width=PHONE)
    return visitor.page


def shown(page) -> list[str]:
    return page.locator(".models tbody tr:visible").evaluate_all("nodes => nodes.map((node) => node.id)")


def of(**wanted: str) -> list[str]:
    return [anchor(each) for each in models(**wanted)]


def expect_status(page, count: int) -> None:
    status = page.locator(".models [role=status]").element_handle()
    text = f"{count} of {len(models())} models"
    page.wait_for_function("([node, text]) => node.textContent === text", arg=[status, text], timeout=5000)


def test_it_opens_with_everything(page):
    assert shown(page) == of()
    expect_status(page, len(models()))


@pytest.mark.parametrize("known", KNOWN)
def test_filter_by_how_it_is_known_with_the_keyboard(page, known: str):
    for other in KNOWN:
        if other != known:
            page.get_by_role("checkbox", name=SHORT[other], exact=True).press("Space")
    assert shown(page) == of(known=known)
    expect_status(page, len(of(known=known)))


def test_filter_by_place_and_method(page):
    page.get_by_label("Order enters at").select_option("score")
    assert shown(page) == of(place="score")
    page.get_by_label("Method of the package").select_option("alibi")
    assert shown(page) == of(place="score", method="alibi")
    assert urlsplit(page.url).query == "place=score&method=alibi"


def test_filter_by_words_and_numbers(page):
    words = page.get_by_label("Words")
    words.press_sequentially("storywriter")
    assert shown(page) == ["model-mpt-7b-storywriter"]
    words.fill("500000 meta")
    found = shown(page)
    assert "model-llama-3-8b-70b" in found and "model-gpt-2" not in found
    words.fill("qwertz")
    expect_status(page, 0)


def test_show_all_brings_all_back(page):
    page.get_by_label("Words").fill("llama")
    page.get_by_role("checkbox", name=SHORT["maker"], exact=True).uncheck()
    page.get_by_role("button", name="Show all").press("Enter")
    assert shown(page) == of()
    assert urlsplit(page.url).query == ""


def test_choice_in_the_address_and_a_link_to_a_hidden_row(visitor: Visitor, page):
    visitor.go(f"{ADDRESS}?known=maker&place=input")
    assert shown(visitor.page) == of(known="maker", place="input")
    visitor.go(f"{ADDRESS}?known=maker#model-t5", width=LAPTOP)
    assert visitor.page.locator("#model-t5").is_visible()


def test_enter_sends_nothing_away(page):
    page.get_by_label("Words").fill("llama")
    page.get_by_label("Words").press("Enter")
    assert 0 < len(shown(page)) < len(models())


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_after_use(visitor: Visitor, page, theme: str):
    visitor.go(f"{ADDRESS}?known=copy&place=query-key", theme=theme, width=PHONE)
    assert visitor.axe() == []
    assert visitor.problems == []


def test_fingers_can_hit_the_controls(page):
    for control in page.locator(".models form :is(label, select, button)").all():
        assert control.bounding_box()["height"] >= 44


@pytest.mark.parametrize("width", [PHONE, LAPTOP])
def test_rows_fit_their_place(visitor: Visitor, page, width: int):
    visitor.go(ADDRESS, width=width)
    wide = visitor.page.locator(".models :is(td, th)").evaluate_all(
        "nodes => nodes.filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.textContent)"
    )
    assert wide == []


def test_without_javascript_all_rows_stand_and_no_filter(browser, site, address, page):
    visitor = Visitor(browser, site, address, javascript=False)
    visitor.page.goto(visitor.address + ADDRESS)
    assert visitor.page.locator(".models tbody tr:visible").count() == len(models())
    assert visitor.page.locator(".models form:visible").count() == 0
    visitor.close()
