"""The site's own address leads to the first page, with and without JavaScript."""

from __future__ import annotations

import pytest
from visitor import Visitor

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("javascript", [True, False])
def test_address_leads_to_first_page(browser, site, address: str, javascript: bool):
    visitor = Visitor(browser, site, address, javascript=javascript)
    visitor.page.goto(address)
    visitor.page.wait_for_url("**/repo/book/index.html")
    assert visitor.page.locator("article h1").is_visible()
    assert not visitor.foreign
    assert not visitor.problems
    visitor.close()


def test_pages_of_github_hide_no_folder(site):
    assert (site / ".nojekyll").is_file()
