"""The statements of a submission, and which of them an answer needs.

A submitted notebook is a whole chapter: running all of it would take seconds, packages and pictures. Each top-level
statement is a unit here; an answer needs the units that name it, and those that define what these use.
"""

from __future__ import annotations

import ast
import json
import re
import symtable
from dataclasses import dataclass, field
from pathlib import Path

LARGEST_FILE = 20_000_000


class Unreadable(Exception):
    """The file is no submission; the message says why, as a sentence."""


@dataclass(frozen=True)
class Unit:
    """One top-level statement."""

    node: ast.stmt
    where: str  # "<cell 3>"
    defines: frozenset[str]
    uses: frozenset[str]
    star: bool = False  # from module import *


@dataclass
class Submission:
    """The statements in order; and the cells that Python cannot read, as (source, sentence)."""

    units: list[Unit] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)
    checks: dict[str, list[tuple[int, ast.expr | None]]] = field(default_factory=dict)  # id -> (unit, answer)

    def needed(self, names: set[str], roots: set[int]) -> list[Unit]:
        """The units ``roots``, those that define ``names``, and all that they need, in order."""
        chosen = set(roots) | {place for place, unit in enumerate(self.units) if unit.star}
        wanted, todo = set(), set(names).union(*(self.units[place].uses for place in chosen))
        while todo:
            wanted |= todo
            new = {place for place, unit in enumerate(self.units) if unit.defines & todo} - chosen
            chosen |= new
            todo = set().union(*(self.units[place].uses for place in new)) - wanted
        return [self.units[place] for place in sorted(chosen)]

    def problem_with(self, function: str, id: str) -> str | None:
        """Why the answer to an exercise could not be read."""
        for source, sentence in self.broken:
            if re.search(rf"\b{re.escape(function)}\b", source) or (id and id in source):
                return sentence
        return None


def read_submission(path: Path) -> Submission:
    """Raises: Unreadable."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise Unreadable(f"the file is larger than {LARGEST_FILE // 1_000_000} MB")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Unreadable(f"the file cannot be read: {error.strerror or type(error).__name__}") from None
    except UnicodeDecodeError:
        raise Unreadable("the file is not a text in UTF-8") from None
    cells = _notebook_cells(text) if path.suffix == ".ipynb" else [(text, path.name)]
    submission = Submission()
    for source, where in cells:
        _add(submission, source, where)
    return submission


def _notebook_cells(text: str) -> list[tuple[str, str]]:
    try:
        notebook = json.loads(text)
        cells = notebook["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, RecursionError):
        raise Unreadable("the notebook is damaged: it is not JSON") from None
    except (KeyError, TypeError, IndexError):
        raise Unreadable("the file is not a notebook of format 4") from None
    return [(_without_magics(source), f"<cell {number}>") for number, source in enumerate(sources, start=1)]


def _without_magics(source: str) -> str:
    """Leaves out what only IPython understands; line numbers stay."""
    first = source.lstrip().partition("\n")[0]
    if first.startswith("%%") and not first.startswith(("%%time", "%%capture", "%%prun")):
        return ""
    return re.sub(r"^([ \t]*)(?:[%!?]|\w[\w.]*\?+[ \t]*$).*$", r"\1pass", source, flags=re.MULTILINE)


def _add(submission: Submission, source: str, where: str) -> None:
    try:
        statements = ast.parse(source, where).body
        units = [_unit(node, where) for node in statements]
    except SyntaxError as error:
        line = f" in line {error.lineno}" if error.lineno else ""
        submission.broken.append((source, f"Python cannot read {_named(where)}{line}: {error.msg}."))
        return
    except (ValueError, RecursionError, MemoryError) as error:
        submission.broken.append((source, f"Python cannot read {_named(where)}: {error}."))
        return
    for unit in units:
        for id, answer in _checks_in(unit.node):
            submission.checks.setdefault(id, []).append((len(submission.units), answer))
        submission.units.append(unit)


def _named(where: str) -> str:
    return where.strip("<>")


def _unit(node: ast.stmt, where: str) -> Unit:
    table = symtable.symtable(ast.unparse(node), where, "exec")
    symbols = table.get_symbols()
    defines = {one.get_name() for one in symbols if one.is_assigned() or one.is_imported()}
    uses = {one.get_name() for one in symbols if one.is_referenced()} | _globals_used(table)
    if isinstance(node, ast.AugAssign):
        uses |= defines
    star = isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    return Unit(node, where, frozenset(defines | _changed_in_place(node)), frozenset(uses), star)


def _globals_used(table: symtable.SymbolTable) -> set[str]:
    found = set()
    for inner in table.get_children():
        found |= {one.get_name() for one in inner.get_symbols() if one.is_global() and one.is_referenced()}
        found |= _globals_used(inner)
    return found


def _changed_in_place(node: ast.stmt) -> set[str]:
    """Names of objects that a statement changes: ``rows[0] = 1``, ``rows.append(1)``, also inside a loop."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return set()
    targets: list[ast.expr] = []
    for part in ast.walk(node):
        if isinstance(part, ast.Assign):
            targets += part.targets
        elif isinstance(part, (ast.AugAssign, ast.AnnAssign)):
            targets.append(part.target)
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            targets.append(part.value.func)
    return {name for target in targets if (name := _owner(target))}


def _owner(target: ast.expr) -> str | None:
    """``rows`` of ``rows[0].first``; None for a plain name."""
    inner = target
    while isinstance(inner, (ast.Attribute, ast.Subscript)):
        inner = inner.value
    return inner.id if inner is not target and isinstance(inner, ast.Name) else None


def _checks_in(node: ast.stmt) -> list[tuple[str, ast.expr | None]]:
    """Calls ``check("id", answer)`` and ``pe_course.check("id", answer)`` in a statement."""
    found = []
    for call in ast.walk(node):
        if not isinstance(call, ast.Call) or not call.args:
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        first = call.args[0]
        if name == "check" and isinstance(first, ast.Constant) and isinstance(first.value, str):
            keyword = next((one.value for one in call.keywords if one.arg == "answer"), None)
            found.append((first.value, call.args[1] if len(call.args) > 1 else keyword))
    return found
