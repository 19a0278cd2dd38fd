"""Which chapters teach a public name: those that link to its entry, then those whose cells put it to use.

A link is a role: ``{func}``, ``{class}`` or ``{data}``. A use is read from the code: what a cell imports from the
package, and the names that it reaches from there (``rotary.apply_rope`` where a cell has imported ``rotary``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from tools import api
from tools.settings import Settings
from tools.site.anchors import Page, in_order_of_reading

ROLE = re.compile(r"\{(?:func|class|data)\}`(?:[^`<]*<)?~?(pe_course\.[\w.]+)>?`")
_CELL = re.compile(r"^(`{3,}|:{3,})\{code-cell\}[^\n]*\n((?::[\w-]+:[^\n]*\n)*)(.*?)^\1", re.MULTILINE | re.DOTALL)
# What lists names or claims for its own sake teaches none of them.
_NO_CHAPTERS = re.compile(r"api(-.*)?|ledger|lecture-map")


class Lesson(NamedTuple):
    """A section of a chapter that links to a name (``linked``) or uses it."""

    page: str
    anchor: str
    linked: bool


def lessons(settings: Settings) -> dict[str, list[Lesson]]:
    """For each public name the chapters that teach it: links first, then uses, both in the order of the book.

    Pages that the table of contents does not hold yet come last.
    """
    order = in_order_of_reading(settings)
    public = {entry.path: entry for room in api.ROOMS for entry in api.entries(f"{api.PACKAGE}.{room}", settings.root)}
    owners = {f"{path}.{method}": path for path, entry in public.items() for method in entry.methods}
    found: dict[str, list[Lesson]] = {}
    for path in settings.chapters():
        if _NO_CHAPTERS.fullmatch(path.stem):
            continue
        page = Page(path, settings)
        seen: set[str] = set()
        for linked, name, line in [*_links(page), *_uses(page)]:
            name = owners.get(name, name)
            if name in public and name not in seen:
                seen.add(name)
                found.setdefault(name, []).append(Lesson(path.stem, page.section_at(line).anchor, linked))
    places = {name: number for number, name in enumerate(order)}
    for each in found.values():
        each.sort(key=lambda lesson: (not lesson.linked, places.get(lesson.page, len(order))))
    return found


def _links(page: Page) -> Iterator[tuple[bool, str, int]]:
    for match in ROLE.finditer(page.text):
        yield True, match[1], _line(page, match.start())


def _uses(page: Page) -> Iterator[tuple[bool, str, int]]:
    """The names of the package that cells import or reach, with the line of each cell."""
    known: dict[str, str] = {}
    for match in _CELL.finditer(page.text):
        line = _line(page, match.start())
        tree = ast.parse(match[3])
        for statement in ast.walk(tree):
            if isinstance(statement, ast.ImportFrom) and (statement.module or "").split(".")[0] == api.PACKAGE:
                known |= {each.asname or each.name: f"{statement.module}.{each.name}" for each in statement.names}
        for node in ast.walk(tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and (name := _resolved(node, known)):
                yield False, name, line


def _resolved(node: ast.AST, known: dict[str, str]) -> str | None:
    """The full path of ``a.b.c`` if ``a`` was imported from the package."""
    if isinstance(node, ast.Attribute):
        home = _resolved(node.value, known)
        return f"{home}.{node.attr}" if home else None
    return known.get(node.id) if isinstance(node, ast.Name) else None


def _line(page: Page, position: int) -> int:
    return page.text.count("\n", 0, position) + 1
