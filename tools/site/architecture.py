"""The package as its page shows it, read from the source tree: its rooms, who imports whom, its files.

- ``{rooms}``: each room with the first sentence of its docstring and the rooms that its files import;
- ``{files} FAMILY …``: where families are written, in NumPy and in torch, with links into the repository.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tools.settings import Settings

PACKAGE = "pe_course"
ROOMS_OF_A_FAMILY = {"reference": "in NumPy", "nn": "in torch"}


def rooms(root: Path) -> list[str]:
    """The rooms of the package: those that import the fewest others first, of these the most imported ones."""
    found = {each.parent.name for each in (root / PACKAGE).glob("*/__init__.py")}
    found |= {each.stem for each in (root / PACKAGE).glob("*.py") if not each.stem.startswith("_")}
    users = Counter(other for name in found for other in reached(name, root))
    return sorted(found, key=lambda name: (len(reached(name, root)), -users[name], name))


def sources(room: str, root: Path) -> list[Path]:
    """The files of a room, which may be a single one."""
    home = root / PACKAGE / room
    return sorted(home.rglob("*.py")) if home.is_dir() else [home.with_suffix(".py")]


@cache
def imported(room: str, root: Path) -> frozenset[str]:
    """The other rooms that the files of a room import, at their top or inside a function."""
    names = {
        name.split(".")[1]
        for file in sources(room, root)
        for name in _imports(ast.parse(file.read_text(encoding="utf-8")))
        if name.startswith(f"{PACKAGE}.")
    }
    return frozenset(name for name in names if name != room and not name.startswith("_"))


def reached(room: str, root: Path) -> set[str]:
    """The rooms that a room imports, and those that they import, and so on."""
    found: set[str] = set()
    waiting = [room]
    while waiting:
        new = imported(waiting.pop(), root) - found
        found |= new
        waiting += new
    return found


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield from [f"{module}.{each.name}" for each in node.names] if module == PACKAGE else [module]
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def first_sentence(file: Path) -> str:
    """What a module's docstring says first."""
    doc = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(doc.split("\n\n")[0].split()).replace("``", "").replace("`", "")


def files(family: str, room: str, root: Path) -> list[Path]:
    """Where a family is written in a room: one file, or those of a folder, without helpers and lists of names."""
    home = root / PACKAGE / room / family
    if home.is_dir():
        return sorted(file for file in home.glob("*.py") if not file.stem.startswith("_"))
    return [home.with_suffix(".py")] if home.with_suffix(".py").is_file() else []


class RoomsDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        settings = Settings(Path(self.env.srcdir))
        for file in (settings.root / PACKAGE).rglob("*.py"):
            self.env.note_dependency(str(file))
        return [nodes.raw("", rooms_as_html(settings), format="html")]


class FilesDirective(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        settings = Settings(Path(self.env.srcdir))
        families = self.arguments[0].split()
        unknown = [each for each in families if not files(each, "reference", settings.root)]
        if unknown:
            raise self.error(f"there is no family {unknown[0]!r} in {PACKAGE}/reference")
        for file in (settings.root / PACKAGE).rglob("*.py"):
            self.env.note_dependency(str(file))
        return [nodes.raw("", files_as_html(families, settings), format="html")]


def rooms_as_html(settings: Settings) -> str:
    rows = "\n".join(_room(name, settings) for name in rooms(settings.root))
    head = "".join(f'<th scope="col">{each}</th>' for each in ("Room", "What it holds", "It imports"))
    return f'<table class="architecture"><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>\n'


def _room(name: str, settings: Settings) -> str:
    home = settings.root / PACKAGE / name
    main = home / "__init__.py" if home.is_dir() else home.with_suffix(".py")
    others = ", ".join(f"<code>{each}</code>" for each in sorted(imported(name, settings.root))) or "no other"
    link = _link(home if home.is_dir() else main, settings, name)
    return f'<tr><th scope="row">{link}</th><td>{escape(first_sentence(main))}</td><td>{others}</td></tr>'


def files_as_html(families: list[str], settings: Settings) -> str:
    rows = "\n".join(_family(each, settings) for each in families)
    head = "".join(f'<th scope="col">{each}</th>' for each in ("Family", *ROOMS_OF_A_FAMILY.values()))
    return f'<table class="architecture"><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>\n'


def _family(family: str, settings: Settings) -> str:
    cells = (
        ", ".join(_link(file, settings, file.stem) for file in files(family, room, settings.root)) or "none"
        for room in ROOMS_OF_A_FAMILY
    )
    return f'<tr><th scope="row"><code>{family}</code></th>' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _link(path: Path, settings: Settings, words: str) -> str:
    url = settings.source_url(settings.relative(path))
    return f'<a class="reference external" href="{escape(url)}"><code>{escape(words)}</code></a>'


def setup(app: Sphinx) -> None:
    app.add_directive("rooms", RoomsDirective)
    app.add_directive("files", FilesDirective)
