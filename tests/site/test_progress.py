"""The page of progress: every self-test with its state; export, import and reset; nothing leaves the browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from self_tests_on_pages import page_with
from visitor import PHONE, THEMES, Visitor, pages_of

from pe_course.exercises.registry import all_exercises
from tools.site.self_tests.directive import PROGRESS_PAGE

pytestmark = pytest.mark.browser

ADDRESS = f"{PROGRESS_PAGE}.html"
KEY = "pe_course:/repo/:"
DONE = {"state": "right", "answer": "x = 1"}


@pytest.fixture(scope="module")
def ids(site) -> list[str]:
    if not (site / ADDRESS).is_file():
        pytest.fail(f"{PROGRESS_PAGE} is not in the table of contents", pytrace=False)
    return [one.id for one in all_exercises() if page_with(site, one.id)]


@pytest.fixture
def page(visitor: Visitor, ids):
    visitor.go(ADDRESS, width=PHONE)
    return visitor.page


def store(page, entries: dict) -> None:
    page.evaluate(
        "([key, entries]) => Object.entries(entries).forEach(([id, entry]) => "
        "localStorage.setItem(key + id, JSON.stringify(entry)))",
        [KEY, entries],
    )
    page.reload()


def stored(page) -> dict:
    return page.evaluate(
        "key => Object.fromEntries(Object.entries(localStorage).filter(([name]) => name.startsWith(key))"
        ".map(([name, value]) => [name.slice(key.length), JSON.parse(value)]))",
        KEY,
    )


def state(page, exercise_id: str) -> str:
    return page.locator(f"[data-self-test={exercise_id}] .progress-state").inner_text()


def status(page) -> str:
    return page.locator(".reader-progress [role=status]").inner_text()


def export(page) -> dict:
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert download.value.suggested_filename == "pe_course-progress.json"
    return json.loads(Path(download.value.path()).read_text(encoding="utf-8"))


def give(page, text: str | dict, name: str = "mine.json") -> str:
    """Import a file; what the status line says then."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import").click()
    body = text if isinstance(text, str) else json.dumps(text)
    chooser.value.set_files({"name": name, "mimeType": "application/json", "buffer": body.encode()})
    page.wait_for_function(
        "name => document.querySelector('.reader-progress [role=status]').textContent.includes(name)", arg=name
    )
    return status(page)


def progress_file(entries: dict) -> dict:
    return {"format": "pe_course progress", "version": 1, "selfTests": entries}


def test_every_self_test_of_the_book_is_listed_and_linked(site, ids):
    written = BeautifulSoup((site / ADDRESS).read_text(encoding="utf-8"), "html.parser")
    rows = written.select(".reader-progress [data-self-test]")
    assert sorted(row["data-self-test"] for row in rows) == sorted(ids)
    for row in rows:
        name, _, anchor = row.a["href"].partition("#")
        assert f'id="{anchor}"' in (site / "book" / name).read_text(encoding="utf-8")
    assert len(pages_of(site)) > len(written.select(".progress-chapter"))


def test_states_and_counts(page, ids):
    first = ids[0]
    assert state(page, first) == "not yet"
    assert page.locator(".progress-count").first.inner_text() == f"0 of {len(ids)} solved"
    store(page, {first: DONE})
    assert state(page, first) == "✓ solved"
    assert page.locator(".progress-count").first.inner_text() == f"1 of {len(ids)} solved"
    chapter = page.locator(".progress-chapter", has=page.locator(f"[data-self-test={first}]"))
    assert chapter.locator(".progress-count").inner_text().startswith("1 of ")
    store(page, {first: {"state": "seen solution"}})
    assert state(page, first) == "solution seen"


def test_export_and_import_in_another_browser(page, ids, browser, site, address):
    store(page, {ids[0]: DONE})
    file = export(page)
    assert file == progress_file({ids[0]: DONE})
    other = Visitor(browser, site, address)
    other.go(ADDRESS)
    assert give(other.page, file) == "1 self-test taken from mine.json."
    assert state(other.page, ids[0]) == "✓ solved"
    assert stored(other.page) == {ids[0]: DONE}
    assert other.foreign == []
    other.close()


def test_of_two_entries_the_better_one_stays(page, ids):
    store(page, {ids[0]: DONE})
    assert give(page, progress_file({ids[0]: {"state": "tried", "answer": "worse"}})).startswith("0 self-tests taken")
    assert stored(page) == {ids[0]: DONE}
    store(page, {ids[0]: {"state": "tried", "answer": "mine"}})
    give(page, progress_file({ids[0]: DONE}), "better.json")
    assert stored(page) == {ids[0]: DONE}


def test_self_tests_of_another_edition_are_left_out(page, ids):
    says = give(page, progress_file({"long-gone": DONE, ids[0]: DONE}))
    assert says == "1 self-test taken from mine.json. 1 self-test of the file is not in this edition and was left out."
    assert list(stored(page)) == [ids[0]]


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("no JSON", "it is not a JSON file."),
        ("[]", "it is not a progress file of this course."),
        ("null", "it is not a progress file of this course."),
        ('{"format": "something else"}', "it is not a progress file of this course."),
        ({"format": "pe_course progress", "version": 9}, "it has version 9, and this page reads version 1."),
        ({"format": "pe_course progress", "version": 1, "selfTests": []}, "it holds no list of self-tests."),
        (progress_file({"x": 3}), "the entry of x has no content."),
        (progress_file({"x": {"state": "perfect"}}), "the entry of x has an unknown state."),
        (progress_file({"x": {"answer": 3}}), "the entry of x has an answer that is not text."),
        (progress_file({"x": {"points": ["<b>"]}}), "the entry of x has points that are not numbers."),
    ],
)
def test_a_foreign_file_is_refused_and_changes_nothing(page, ids, visitor: Visitor, file, why: str):
    store(page, {ids[0]: DONE})
    assert give(page, file) == f"mine.json was not imported: {why} Nothing was changed."
    assert stored(page) == {ids[0]: DONE}
    assert visitor.problems == []


def test_reset_asks_first(page, ids):
    store(page, {ids[0]: DONE})
    page.get_by_role("button", name="Reset").click()
    dialog = page.get_by_role("dialog")
    assert "There is no way back" in dialog.inner_text()
    assert page.evaluate("document.activeElement.textContent") == "Keep everything"
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    page.get_by_role("button", name="Reset").press("Enter")
    page.keyboard.press("Enter")
    assert stored(page) == {ids[0]: DONE}
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("button", name="Remove everything").click()
    assert stored(page) == {}
    assert state(page, ids[0]) == "not yet"
    assert status(page) == "All progress is removed."


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing(visitor: Visitor, ids, theme: str):
    visitor.go(ADDRESS, theme=theme, width=PHONE)
    store(visitor.page, {ids[0]: DONE})
    assert visitor.axe() == []
    visitor.page.get_by_role("button", name="Reset").click()
    assert visitor.axe() == []
    assert visitor.problems == []


def test_where_nothing_can_be_stored_the_page_still_works(visitor: Visitor, ids):
    visitor.page.add_init_script("Storage.prototype.setItem = () => { throw new DOMException('full'); };")
    visitor.go(ADDRESS)
    says = give(visitor.page, progress_file({ids[0]: DONE}))
    assert (
        says
        == "1 self-test taken from mine.json. This browser does not store them: they stay until you leave this page."
    )
    assert state(visitor.page, ids[0]) == "✓ solved"
