"""What a submitted file holds: its cells of code, and the exercises that it answers."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

from pe_course.exercises.exercise import CodeExercise, Exercise
from pe_course.exercises.registry import all_exercises
from pe_course.exercises.sources import syntax_problem

SUFFIXES = (".py", ".ipynb")


class Unreadable(Exception):
    """The file is neither Python nor a notebook; the message says why."""


def files_below(paths: list[Path]) -> list[Path]:
    """Every submission among the paths and in the folders among them, each once, sorted."""
    found: dict[Path, None] = {}
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts) if path.is_dir() else False
            if file.is_file() and file.suffix in SUFFIXES and not hidden:
                found[file] = None
    return list(found)


def cells_of(file: Path) -> list[str]:
    """The code of a submission, cell by cell; a .py file is one cell. Raises: Unreadable."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"the file cannot be read: {error}") from error
    if file.suffix == ".py":
        return [text]
    try:
        cells = json.loads(text)["cells"]
        code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        return [_without_magics("".join(source)) for source in code]
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable("the file is no Jupyter notebook") from error


def _without_magics(source: str) -> str:
    """Lines for the notebook itself (`%`, `!`, `?`) blanked, so that line numbers stay."""
    lines = source.splitlines()
    if lines and lines[0].startswith("%%") and not lines[0].startswith(("%%time", "%%capture")):
        return ""
    return "\n".join("" if line.lstrip().startswith(("%", "!", "?")) else line for line in lines)


def exercises_in(cells: list[str], file: Path) -> list[Exercise]:
    """The exercises that a submission answers: by its name, by `check("id", …)`, or by the functions it defines."""
    known = {one.id: one for one in all_exercises()}
    named = {one.function: one for one in known.values() if isinstance(one, CodeExercise)}
    found: dict[str, Exercise] = {}
    stem = file.stem.replace("_", "-")
    if stem in known:
        found[stem] = known[stem]
    for node in (node for cell in cells for node in ast.walk(_parsed(cell))):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name == "check" and node.args[0].value in known:
                found[node.args[0].value] = known[node.args[0].value]
        elif isinstance(node, ast.FunctionDef) and node.name in named:
            found[named[node.name].id] = named[node.name]
    for name in re.findall(r"^def\s+(\w+)", "\n".join(filter(syntax_problem, cells)), re.MULTILINE):
        if name in named:
            found[named[name].id] = named[name]
    return list(found.values())


def _parsed(cell: str) -> ast.AST:
    try:
        return ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])
