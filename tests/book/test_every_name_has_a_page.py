"""Every public name of the package is taught by a chapter, and the chapters' links and uses are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import api
from tools.settings import Settings
from tools.site.taught import Lesson, lessons

SETTINGS = Settings()
# How arguments are checked: no part of what is offered.
CHECKS = "pe_course.reference.validation."


@pytest.fixture(scope="module")
def taught() -> dict[str, list[Lesson]]:
    return lessons(SETTINGS)


@pytest.mark.parametrize("room", api.ROOMS)
def test_every_public_name_is_taught(taught, room: str) -> None:
    names = [entry.path for entry in api.entries(f"{api.PACKAGE}.{room}") if not entry.path.startswith(CHECKS)]
    assert len(names) > 5
    missing = [name for name in names if name not in taught]
    assert missing == [], "link to them with {func}, {class} or {data} where a chapter treats them"


@pytest.fixture
def book(tmp_path: Path) -> Settings:
    """A book of two pages about a package with three functions."""
    (tmp_path / "book").mkdir()
    (tmp_path / "_config.yml").write_text("parse: {myst_enable_extensions: [colon_fence]}\n")
    (tmp_path / "_toc.yml").write_text("root: book/one\nparts: [{chapters: [{file: book/two}]}]\n")
    for folder in ("", *api.ROOMS):
        (tmp_path / "pe_course" / folder).mkdir()
        (tmp_path / "pe_course" / folder / "__init__.py").touch()
    functions = (f'def {name}():\n    """A function."""\n' for name in ("turn", "wave", "lost"))
    (tmp_path / "pe_course" / "reference" / "waves.py").write_text("\n\n".join(functions))
    return Settings(tmp_path)


def write(book: Settings, name: str, *parts: str) -> None:
    (book.book / f"{name}.md").write_text("\n\n".join(parts) + "\n")


def cell(code: str) -> str:
    return f"```{{code-cell}} ipython3\n:tags: [x]\n{code}\n```"


def test_links_come_before_uses_and_lead_to_their_section(book: Settings) -> None:
    write(book, "one", "# One", cell("from pe_course.reference import waves as w"), "## The turn", cell("w.turn()"))
    write(book, "two", "# Two", "## What turns", "See {func}`~pe_course.reference.waves.turn`.")
    write(book, "api-all", "# All", "{func}`~pe_course.reference.waves.lost`")
    turn = "pe_course.reference.waves.turn"
    assert lessons(book) == {turn: [Lesson("two", "Two", "what-turns", True), Lesson("one", "One", "the-turn", False)]}


def test_many_uses_come_before_few(book: Settings) -> None:
    write(book, "one", "# One", cell("from pe_course.reference.waves import turn\nturn()"))
    write(book, "two", "# Two", cell("from pe_course.reference import waves"), cell("waves.turn(waves.turn())"))
    assert [each.page for each in lessons(book)["pe_course.reference.waves.turn"]] == ["two", "one"]


def test_a_chapter_comes_before_a_page_that_comes_back_to_it(book: Settings) -> None:
    write(book, "pitfalls", "# Pitfalls", "See {func}`~pe_course.reference.waves.turn`.")
    write(book, "one", "# One", cell("from pe_course.reference import waves\nwaves.turn()"))
    assert [each.page for each in lessons(book)["pe_course.reference.waves.turn"]] == ["one", "pitfalls"]


@pytest.mark.parametrize(
    "code",
    [
        "from pe_course.reference.waves import wave\nwave()",
        "from pe_course import reference\nreference.waves.wave",
        "from pe_course.reference import waves\ny = waves.wave()",
    ],
)
def test_a_use_is_found_however_it_was_imported(book: Settings, code: str) -> None:
    words = "`wave` alone, pe_course.reference.waves.lost and a comment do not count."
    write(book, "one", "# One", words, cell(f"{code}  # waves.lost"))
    assert set(lessons(book)) == {"pe_course.reference.waves.wave"}
