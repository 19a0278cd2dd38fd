"""What the package offers: its public names, where each is documented, and what its source says of it.

Read from the source text, so that neither NumPy nor torch is needed to link to a function. A name that a package
lists in ``__all__`` is public there, and in the outermost such package if several list it. Where the packages around a
module list no names, the module is public itself, with every class and function without a leading underscore.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.settings import ROOT

PACKAGE = "pe_course"
ROOMS = ("reference", "nn", "kernels")


@dataclass(frozen=True)
class Entry:
    """A public name: ``path`` as users import it, ``kind`` "func", "class", "tuple" (a named one) or "data"."""

    path: str
    kind: str
    doc: str
    file: Path
    methods: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring, in one line."""
        return self.doc.strip().split("\n\n")[0].replace("\n", " ")


def entries(module: str, root: Path = ROOT) -> list[Entry]:
    """The public names that ``module`` defines, in the order of its text; of a package, those of its modules.

    Raises: LookupError if there is no such module.
    """
    file = module_file(module, root)
    if is_package(module, root):
        inside = [f"{module}.{each.stem}" for each in sorted(file.parent.glob("*.py")) if each != file]
        inside += [f"{module}.{each.parent.name}" for each in sorted(file.parent.glob("*/__init__.py"))]
        return [entry for each in inside for entry in entries(each, root)]
    return list(_module_entries(module, file, root))


def module_file(module: str, root: Path = ROOT) -> Path:
    """The file of a module or package of ours. Raises: LookupError if there is none."""
    path = root.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if module.split(".")[0] == PACKAGE and file.is_file():
            return file
    raise LookupError(f"there is no module {module!r}")


def is_package(module: str, root: Path = ROOT) -> bool:
    """Whether a module holds others. Raises: LookupError if there is no such module."""
    return module_file(module, root).name == "__init__.py"


def module_doc(module: str, root: Path = ROOT) -> str:
    """The docstring of a module."""
    return ast.get_docstring(_tree(module_file(module, root))) or ""


def type_aliases(module: str, root: Path = ROOT) -> dict[str, str]:
    """What a module's names for longer types stand for: its own, and those of the modules of ours it imports from."""
    body = _tree(module_file(module, root)).body
    sources = [each.module for each in body if isinstance(each, ast.ImportFrom)]
    ours = [_tree(module_file(each, root)).body for each in sources if each.split(".")[0] == PACKAGE]
    return {
        name: ast.unparse(statement.value)
        for statement in [*(each for other in ours for each in other), *body]
        if isinstance(statement, ast.Assign) and isinstance(statement.value, (ast.Subscript, ast.BinOp))
        for name in _defined(statement)
    }


def _module_entries(module: str, file: Path, root: Path) -> Iterator[Entry]:
    body = _tree(file).body
    homes = {name: home for home in _ancestors(module, root) for name in _listed(module_file(home, root))}
    if not homes and file.stem.startswith("_"):
        return
    for number, statement in enumerate(body):
        for name in _defined(statement):
            doc = _doc(statement, body[number + 1 : number + 2])
            public = name in homes if homes else not name.startswith("_") and (doc or _kind(statement) != "data")
            if public:
                home = homes.get(name, module)
                yield Entry(f"{home}.{name}", _kind(statement), doc, file, _documented_methods(statement))


def _ancestors(module: str, root: Path) -> list[str]:
    """The packages around a module, innermost first, so that the outermost has the last word."""
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _listed(file: Path) -> list[str]:
    """The names written out in ``__all__``."""
    for statement in _tree(file).body:
        if isinstance(statement, ast.Assign) and _defined(statement) == ["__all__"]:
            names = [each.value for each in statement.value.elts if isinstance(each, ast.Constant)]
            return [name for name in names if not name.startswith("_")]
    return []


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _kind(statement: ast.stmt) -> str:
    if isinstance(statement, ast.FunctionDef):
        return "func"
    if not isinstance(statement, ast.ClassDef):
        return "data"
    return (
        "tuple" if any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in statement.bases) else "class"
    )


def _doc(statement: ast.stmt, following: list[ast.stmt]) -> str:
    """A docstring; for a variable, the string after it."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return ast.get_docstring(statement) or ""
    value = getattr(following[0], "value", None) if following else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _documented_methods(statement: ast.stmt) -> tuple[str, ...]:
    methods = [each for each in getattr(statement, "body", []) if isinstance(each, ast.FunctionDef)]
    if not isinstance(statement, ast.ClassDef):
        return ()
    return tuple(each.name for each in methods if not each.name.startswith("_") and ast.get_docstring(each))
