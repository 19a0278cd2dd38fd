"""Which chapters teach a public name: those that link to its entry, and those whose cells put it to use.

A link is a role: ``{func}``, ``{class}`` or ``{data}``. A use is read from the code: what a cell imports from the
package, and the names that it reaches from there (``rotary.apply_rope`` where a cell has imported ``rotary``).
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from tools import api
from tools.settings import Settings
from tools.site.anchors import Page, in_order_of_reading

ROLE = re.compile(r"\{(?:func|class|data)\}`(?:[^`<]*<)?~?(pe_course\.[\w.]+)>?`")
_CELL = re.compile(r"^(`{3,}|:{3,})\{code-cell\}[^\n]*\n((?::[\w-]+:[^\n]*\n)*)(.*?)^\1", re.MULTILINE | re.DOTALL)
SHOWN = 5
"""How many chapters an entry of the reference names."""
# Pages that come back to what a chapter has taught.
_RETELL = frozenset({"analogies", "comparison", "corrections", "pitfalls", "questions", "self-test"})
# What lists names or claims for its own sake teaches none of them.
_NO_CHAPTERS = re.compile(r"api(-.*)?|ledger|lecture-map")


class Lesson(NamedTuple):
    """A section of a chapter that links to a name (``linked``) or uses it; ``title`` is that of the chapter."""

    page: str
    title: str
    anchor: str
    linked: bool


def lessons(settings: Settings) -> dict[str, list[Lesson]]:
    """For each public name the sections that teach it, one of each chapter, and the most telling first.

    A chapter tells more than a page that comes back to it, a link more than a use, and many uses more than one. What is
    equal stands in the order of the book; pages that the table of contents does not hold yet come last.
    """
    order = {name: number for number, name in enumerate(in_order_of_reading(settings))}
    public = {entry.path: entry for room in api.ROOMS for entry in api.entries(f"{api.PACKAGE}.{room}", settings.root)}
    owners = {f"{path}.{method}": path for path, entry in public.items() for method in entry.methods}
    found: dict[str, dict[str, Lesson]] = {}
    times: Counter[tuple[str, str]] = Counter()
    for path in settings.chapters():
        if _NO_CHAPTERS.fullmatch(path.stem):
            continue
        page = Page(path, settings)
        for linked, used, line in [*_links(page), *_uses(page)]:
            name = owners.get(used, used)
            if name in public:
                times[name, path.stem] += 1
                lesson = Lesson(path.stem, page.title, page.section_at(line).anchor, linked)
                found.setdefault(name, {}).setdefault(path.stem, lesson)

    def telling(name: str, lesson: Lesson) -> tuple[bool, bool, int, int]:
        place = order.get(lesson.page, len(order))
        return lesson.page in _RETELL, not lesson.linked, -times[name, lesson.page], place

    return {name: sorted(each.values(), key=partial(telling, name)) for name, each in found.items()}


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
