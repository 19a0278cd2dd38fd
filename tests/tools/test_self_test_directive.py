"""The directives of self-tests in a small book of their own: what stands in the HTML, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from pe_course.exercises.registry import find

CONF = "extensions = ['myst_parser', 'tools.site.self_tests']\nmyst_enable_extensions = ['dollarmath']\n"
INDEX = "# Book\n\n```{toctree}\n:glob:\n\nbook/*\n```\n"


class Book:
    """Pages as written, built as often as a test likes."""

    def __init__(self, root: Path):
        self.root = root
        (root / "book").mkdir()
        (root / "conf.py").write_text(CONF)
        (root / "index.md").write_text(INDEX)

    def write(self, name: str, text: str) -> None:
        (self.root / "book" / f"{name}.md").write_text(text)

    def build(self) -> str:
        """Builds what has changed; returns what Sphinx complained of."""
        warnings = StringIO()
        folders = (self.root, self.root, self.root / "html", self.root / "trees")
        with patch_docutils(), docutils_namespace():
            Sphinx(*map(str, folders), "html", status=None, warning=warnings).build()
        return warnings.getvalue()

    def page(self, name: str) -> BeautifulSoup:
        text = (self.root / "html" / "book" / f"{name}.html").read_text(encoding="utf-8")
        return BeautifulSoup(text, "html.parser")


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path)


@pytest.fixture
def section(book: Book) -> Callable[[str], Tag]:
    """A self-test as it stands in a page."""

    def build(exercise_id: str) -> Tag:
        book.write("page", f"# Page\n\n## Part\n\n```{{self-test}} {exercise_id}\n```\n")
        assert book.build() == ""
        return book.page("page").select_one("section.self-test")

    return build


def test_code(section):
    made, exercise = section("rope-apply"), find("rope-apply")
    assert made.select_one(".self-test-starter pre").text.strip() == exercise.starter.strip()
    assert made.select_one(".self-test-solution pre").text.strip() == exercise.solution.strip()
    assert len(made.select("details.self-test-hint")) == len(exercise.hints)
    assert made.select(".self-test-prompt .math"), "formulas of the question are parsed"
    assert made.select(".self-test-prompt code")


def test_the_title_is_a_heading_one_level_below_its_section(section):
    title = section("rope-apply").select_one(".self-test-title")
    assert title.name == "h3"
    assert title.find_parent("section", class_="self-test")["aria-labelledby"] == title["id"]


def test_choice(section):
    made, exercise = section("swap-two-tokens"), find("swap-two-tokens")
    options = made.select("li[data-key]")
    assert [option["data-key"] for option in options] == [option.key for option in exercise.options]
    data = json.loads(made.select_one("script").string)
    assert {key for key, said in data["results"].items() if said["verdict"] == "right"} == {
        option.key for option in exercise.options if option.right
    }


def test_open(section):
    made, exercise = section("sinusoidal-or-learned"), find("sinusoidal-or-learned")
    assert len(made.select(".self-test-solution .self-test-points li")) == len(exercise.points)


def test_nothing_is_open_unasked(section):
    assert not section("shortest-wave").select("details[open]")


def test_progress_lists_what_the_pages_hold_and_follows_a_move(book: Book):
    book.write("a", "# A\n\n```{self-test} shortest-wave\n```\n\n```{self-test} rope-apply\n```\n")
    book.write("b", "# B\n\nNothing.\n")
    book.write("progress", "# Progress\n\n```{progress}\n```\n")
    assert book.build() == ""
    rows = book.page("progress").select("[data-self-test]")
    assert [(row["data-self-test"], row.a["href"]) for row in rows] == [
        ("shortest-wave", "a.html#self-test-shortest-wave"),
        ("rope-apply", "a.html#self-test-rope-apply"),
    ]
    assert book.page("a").select_one(".self-test")["data-progress"] == "progress.html"

    book.write("b", "# B\n\n```{self-test} shortest-wave\n```\n")
    book.write("a", "# A\n\n```{self-test} rope-apply\n```\n")
    assert book.build() == ""
    links = [row.a["href"] for row in book.page("progress").select("[data-self-test]")]
    assert links == ["a.html#self-test-rope-apply", "b.html#self-test-shortest-wave"]


def test_a_second_place_is_noticed(book: Book):
    for name in "ab":
        book.write(name, f"# {name}\n\n```{{self-test}} shortest-wave\n```\n")
    assert "self-test 'shortest-wave' also stands in book/a: it has one place" in book.build()


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        ("{self-test} shortest-wafe", "no exercise has the id 'shortest-wafe'; the nearest are 'shortest-wave'"),
        ("{self-test} Shortest_Wave", "write the id as it is: shortest-wave"),
        ("{self-test}", "1 argument(s) required"),
        ("{progress}", "the progress belongs to book/progress"),
    ],
)
def test_what_is_refused(book: Book, directive: str, message: str):
    book.write("page", f"# Page\n\n```{directive}\n```\n")
    assert message in book.build()


def test_the_zip_lies_beside_the_script(section, book: Book):
    section("rope-apply")
    assert (book.root / "html" / "_static" / "self-test" / "pe_course.zip").stat().st_size > 1000
