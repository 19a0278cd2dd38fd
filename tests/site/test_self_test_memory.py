"""What a reader typed is still there: after a reload, and in browsers that refuse to store it."""

from __future__ import annotations

import json

import pytest
from self_tests_on_pages import Reader
from visitor import Visitor

pytestmark = pytest.mark.browser

ID = "rope-apply"
CODE = "def rope_apply(x, positions, base=10000.0):\n    return x  # mine"
KEY = f"pe_course:/repo/:{ID}"

BLOCKED = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("blocked", "SecurityError"); },
});"""
FULL = """Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };"""


@pytest.fixture
def reader(visitor: Visitor, site) -> Reader:
    return Reader(visitor, site, ID)


def test_text_outlasts_a_reload_and_a_visit_elsewhere(reader: Reader, visitor: Visitor):
    reader.open().type(CODE)
    reader.page.reload()
    reader.editor.wait_for()
    assert reader.code == CODE
    visitor.go("book/index.html")
    reader.open()
    assert reader.code == CODE
    assert reader.box.locator(".self-test-notice").inner_text() == ""


def test_it_is_kept_under_the_path_of_the_site(reader: Reader):
    reader.open().type(CODE)
    stored = reader.page.evaluate("key => localStorage.getItem(key)", KEY)
    assert json.loads(stored) == {"answer": CODE}
    assert reader.page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('pe_course'))") == [KEY]


@pytest.mark.parametrize("script", [BLOCKED, FULL], ids=["blocked", "full"])
def test_without_storage_the_text_outlasts_a_reload_and_the_reader_is_told(reader: Reader, visitor: Visitor, script):
    visitor.page.add_init_script(script)
    reader.open().type(CODE)
    notice = reader.box.locator(".self-test-notice")
    assert notice.inner_text().startswith("This browser does not let the page keep your answer")
    assert notice.get_attribute("role") == "status"
    assert reader.press("Check").startswith("✗ Wrong")
    assert reader.code == CODE
    assert reader.state == "tried"
    reader.page.reload()
    reader.editor.wait_for()
    assert reader.code == CODE
    # The theme, which remembers light and dark, complains of such a browser in the console.


@pytest.mark.parametrize("stored", ["no JSON {", "17", "null", '"text"', '{"state": "unheard of"}', '{"answer": 3}'])
def test_what_somebody_else_stored_does_no_harm(reader: Reader, visitor: Visitor, stored: str):
    visitor.go("book/index.html")
    visitor.page.evaluate("([key, value]) => localStorage.setItem(key, value)", [KEY, stored])
    reader.open()
    assert visitor.problems == []
    assert reader.state == ""
    reader.type(CODE)
    assert reader.code == CODE


def test_another_tab_sees_it(reader: Reader, visitor: Visitor):
    reader.open()
    other = visitor._context.new_page()
    other.goto(visitor.page.url)
    other.evaluate("([key, value]) => localStorage.setItem(key, value)", [KEY, '{"state": "right"}'])
    state = reader.box.locator(".self-test-state").element_handle()
    reader.page.wait_for_function("node => node.textContent === '✓ solved'", arg=state)
