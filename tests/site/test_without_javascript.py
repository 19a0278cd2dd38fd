"""Readers without JavaScript see the text, in the theme's colours, and every figure as a still picture."""

from __future__ import annotations

import pytest
from visitor import PHONE, Visitor

pytestmark = pytest.mark.browser


@pytest.fixture
def plain_visitor(browser, site, address):
    visitor = Visitor(browser, site, address, javascript=False)
    yield visitor
    visitor.close()


def test_page_can_be_read(plain_visitor: Visitor, page_path: str):
    page = plain_visitor.page
    plain_visitor.resize(PHONE)
    page.goto(plain_visitor.address + page_path)
    assert page.locator("main h1:visible").count() == 1
    assert len(page.locator("main").inner_text()) > 40
    assert page.locator("html").get_attribute("data-theme") == "light"
    assert not plain_visitor.foreign
    for figure in page.locator(".moving-figure").all():
        picture = figure.locator("[role=img]")
        assert picture.is_visible()
        assert len(picture.get_attribute("aria-label")) > 40
        assert figure.locator("[role=status]").inner_text()
        assert figure.locator("input").count() == 0, "a slider that nothing listens to"
