"""Build and check the notebooks beside the chapters.

``book/NAME.md`` is the only source. ``book/NAME.ipynb`` is generated from it: plain Markdown, run from top to bottom
in one go, outputs stored. A page has a notebook if it has code cells, or if it has self-tests and names a kernel in its
front matter: self-tests become cells to answer in.

    python -m tools.notebooks build [NAME …]          # rewrite, and run what has to be run
    python -m tools.notebooks build --all             # run every one
    python -m tools.notebooks check                   # is each notebook what its chapter says?
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import nbformat
from jupytext.myst import myst_to_notebook
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from tools.plain import Labels, PageWriter, PlainError
from tools.plain.self_tests import DIRECTIVE, pieces, self_test_cells
from tools.settings import Settings

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
GENERATED = "generated"
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}

_SETUP = """\
# Colab, Kaggle: fetch the course package once; NumPy and torch stay as they are.
import importlib.util
import subprocess
import sys

if importlib.util.find_spec("pe_course") is None:
    package = "pe-course @ git+{url}@{reference}"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", package], check=True)
    importlib.invalidate_caches()"""

_KERNEL_NAMED = re.compile(r"---\n(?:(?!---\n).*\n)*?kernelspec:")
_SELF_TEST = re.compile(rf"(?m)^(```+|:::+)\{{{DIRECTIVE}\}}")

# An address or a path would differ on every machine, and a reader can do nothing with it.
_VOLATILE = re.compile(r" at 0x[0-9a-f]{6,}|/tmp/[\w./-]+|/home/\w+|/root/\w+|ipykernel_\d+|site-packages")


def setup_source(settings: Settings) -> str:
    """The text of the cell that fetches the package where it is missing."""
    return _SETUP.format(url=settings.repository_url, reference=settings.branch)


def has_code(path: Path) -> bool:
    """Whether a page has something to run, and so a notebook: code cells, or a kernel and self-tests for it."""
    cells = _read(path)[0]
    if any(cell.cell_type == "code" for cell in cells):
        return True
    text = path.read_text(encoding="utf-8")
    return _KERNEL_NAMED.match(text) is not None and any(_SELF_TEST.search(cell.source) for cell in cells)


def convert(path: Path, labels: Labels) -> NotebookNode:
    """The notebook that a chapter stands for, without outputs. Raises: PlainError with file and line."""
    cells, first_lines = _read(path)
    writer = PageWriter(labels, path)
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})
    for number, (cell, first_line) in enumerate(zip(cells, first_lines, strict=True)):
        name = f"{path.stem}-{number:03d}"
        made = (
            [_named(_code_cell(cell), name)] if cell.cell_type == "code" else _markdown(writer, cell, first_line, name)
        )
        notebook.cells += made
    _insert_setup(notebook, path.stem, labels.settings)
    return notebook


def execute(notebook: NotebookNode, folder: Path, *, kernel: str = "python3") -> None:
    """Runs the cells in order and stores their outputs in the notebook."""
    NotebookClient(
        notebook,
        kernel_name=kernel,
        extra_arguments=["--IPKernelApp.log_level=40"],  # the kernel's own warnings are not the chapter's
        timeout=600,
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)


def build(path: Path, labels: Labels, *, force: bool = False) -> str:
    """Writes the notebook of one chapter and says what was done: "ran", "rewrote" or "unchanged".

    Stored outputs are kept while neither they, nor the code cells, nor the package have changed since they were made.
    """
    notebook, target = convert(path, labels), path.with_suffix(".ipynb")
    stamp = labels.settings.root / "_build" / "notebooks" / f"{path.stem}.sha256"
    before = target.read_text(encoding="utf-8") if target.exists() else ""
    known = _take_outputs(notebook, before) and stamp.exists()
    ran = force or not known or stamp.read_text() != _digest(notebook, labels.settings)
    if ran:
        execute(notebook, path.parent)
    nbformat.validate(notebook)
    text = nbformat.writes(notebook, indent=1) + "\n"
    if text != before:
        target.write_text(text, encoding="utf-8")
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(_digest(nbformat.reads(text, 4), labels.settings))
    return "ran" if ran else "rewrote" if text != before else "unchanged"


def problems(path: Path, labels: Labels) -> list[str]:
    """Why the stored notebook is not the one its chapter stands for; each with what to do."""
    target = path.with_suffix(".ipynb")
    if not has_code(path):
        convert(path, labels)
        return [f"{target.name} belongs to a page without code: delete it"] if target.exists() else []
    wanted = convert(path, labels)
    if not target.exists():
        return [f"{target.name} is missing: run `make notebooks`"]
    stored = nbformat.read(target, 4)
    return [*_difference(wanted, stored, path.name), *_run_problems(stored), *_output_problems(stored)]


def orphans(settings: Settings) -> list[str]:
    """Notebooks whose chapter is gone."""
    lonely = [path for path in sorted(settings.book.glob("*.ipynb")) if not path.with_suffix(".md").exists()]
    return [f"{settings.relative(path)}: has no chapter {path.stem}.md: delete it" for path in lonely]


def _read(path: Path) -> tuple[list[NotebookNode], list[int]]:
    """The cells of a chapter and the line (0-based) on which each one's text starts."""
    text = path.read_text(encoding="utf-8")
    notebook = myst_to_notebook(text, add_source_map=True)
    lines = text.splitlines()
    first_lines = []
    for cell, line in zip(notebook.cells, notebook.metadata["source_map"], strict=True):
        while cell.cell_type == "markdown" and line < len(lines) and not lines[line].strip():
            line += 1
        first_lines.append(line)
    return notebook.cells, first_lines


def _markdown(writer: PageWriter, cell: NotebookNode, first_line: int, name: str) -> list[NotebookNode]:
    """What a Markdown cell becomes: its text, and a few cells for each self-test in it."""
    made = []
    for number, piece in enumerate(pieces(writer, cell.source)):
        line = first_line + piece.line
        if piece.exercise_id is not None:
            made += _self_test(writer, piece.exercise_id, line)
        elif text := writer.write(piece.text, line):
            made.append(_named(nbformat.v4.new_markdown_cell(text), f"{name}-{number}" if number else name))
    return made


def _self_test(writer: PageWriter, exercise_id: str, line: int) -> list[NotebookNode]:
    made = []
    for cell in self_test_cells(writer, exercise_id, line):
        new = nbformat.v4.new_code_cell if cell.is_code else nbformat.v4.new_markdown_cell
        made.append(_named(new(cell.source, metadata={"tags": [GENERATED]}), f"{exercise_id}-{cell.part}"))
    return made


def _named(cell: NotebookNode, name: str) -> NotebookNode:
    cell["id"] = name
    return cell


def _insert_setup(notebook: NotebookNode, stem: str, settings: Settings) -> None:
    """The package is fetched right before the first code."""
    first = next((place for place, cell in enumerate(notebook.cells) if cell.cell_type == "code"), None)
    if first is not None:
        notebook.cells.insert(first, _setup_cell(stem, settings))


def _setup_cell(stem: str, settings: Settings) -> NotebookNode:
    cell = nbformat.v4.new_code_cell(setup_source(settings))
    cell.metadata.update({"tags": [GENERATED, "hide-cell"], "cellView": "form", "jupyter": {"source_hidden": True}})
    cell["id"] = f"{stem}-setup"
    return cell


def _code_cell(cell: NotebookNode) -> NotebookNode:
    new = nbformat.v4.new_code_cell(cell.source)
    tags = list(cell.metadata.get("tags", []))
    if tags:
        new.metadata["tags"] = tags
    if HIDDEN & set(tags):
        new.metadata.update({"cellView": "form", "jupyter": {"source_hidden": True}})
    return new


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _digest(notebook: NotebookNode, settings: Settings) -> str:
    """What the outputs depend on: the code cells, their outputs as stored, the package, the pinned versions."""
    cells = [[cell.source, cell.outputs] for cell in _code(notebook)]
    sha = hashlib.sha256(json.dumps(cells, sort_keys=True).encode())
    for path in (*sorted((settings.root / "pe_course").rglob("*.py")), settings.root / "requirements.txt"):
        sha.update(path.read_bytes())
    return sha.hexdigest()


def _take_outputs(notebook: NotebookNode, stored_text: str) -> bool:
    """Copies the stored outputs if the stored notebook has the same code cells, all of them run."""
    if not stored_text:
        return False
    stored = _code(nbformat.reads(stored_text, 4))
    fresh = _code(notebook)
    if [cell.source for cell in stored] != [cell.source for cell in fresh] or _run_problems_of(stored):
        return False
    for new, old in zip(fresh, stored, strict=True):
        new.outputs, new.execution_count = old.outputs, old.execution_count
    return True


def _difference(wanted: NotebookNode, stored: NotebookNode, chapter: str) -> list[str]:
    advice = "run `make notebooks`"
    found = []
    for new, old in zip(wanted.cells, stored.cells, strict=False):
        parts = ("cell_type", "id", "source", "metadata")
        changed = [part for part in parts if new.get(part) != old.get(part)]
        if changed:
            found.append(f"cell {old.get('id')} is not what {chapter} says ({', '.join(changed)}): {advice}")
    if len(wanted.cells) != len(stored.cells):
        found.append(f"{len(stored.cells)} cells, but {chapter} gives {len(wanted.cells)}: {advice}")
    if wanted.metadata != stored.metadata:
        found.append(f"the notebook's metadata differ: {advice}")
    return found


def _run_problems(stored: NotebookNode) -> list[str]:
    return _run_problems_of(_code(stored))


def _run_problems_of(cells: list[NotebookNode]) -> list[str]:
    counts = [cell.execution_count for cell in cells]
    if counts == list(range(1, len(cells) + 1)):
        return []
    return [f"not run from top to bottom in one go (counts {counts}): run `make notebooks`"]


def _output_problems(stored: NotebookNode) -> Iterable[str]:
    for cell in _code(stored):
        for output in cell.outputs:
            if match := _VOLATILE.search(_shown(output)):
                yield f"cell {cell['id']} shows {match[0].strip()!r}, which differs on every machine: do not print it"
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", []):
                yield f"cell {cell['id']} ended in an error: mend the chapter and run `make notebooks`"
            if output.output_type == "stream" and output.name == "stderr":
                yield f"cell {cell['id']} writes to stderr (a warning?): mend the chapter and run `make notebooks`"


def _shown(output: NotebookNode) -> str:
    """The text of an output, without pictures."""
    data = output.get("data", {})
    texts = [output.get("text", ""), output.get("evalue", "")]
    texts += [content for kind, content in data.items() if kind in ("text/plain", "text/html", "text/markdown")]
    return re.sub(r"data:[^\"']+", "", "".join(map(str, texts)))


def _selected(settings: Settings, names: list[str]) -> list[Path]:
    unknown = set(names) - {path.stem for path in settings.chapters()}
    if unknown:
        raise SystemExit(f"no chapter book/{sorted(unknown)[0]}.md")
    return [path for path in settings.chapters() if not names or path.stem in names]


def build_all(settings: Settings, names: list[str], *, force: bool) -> int:
    """Builds the notebooks of the named chapters (all if none) and prints a line for each; returns the failures."""
    labels, failures = Labels.of_book(settings), 0
    paths = [path for path in _selected(settings, names) if has_code(path)]
    for number, path in enumerate(paths, 1):
        print(f"notebook {number}/{len(paths)}: {path.stem} … ", end="", flush=True)
        try:
            print(build(path, labels, force=force), flush=True)
        except CellExecutionError as error:
            failures += 1
            print(f"failed\n{settings.relative(path)}: a cell failed\n{error}", flush=True)
    return failures


def check_all(settings: Settings) -> int:
    """Prints every problem of every notebook; returns how many there are."""
    lines, labels = orphans(settings), Labels.of_book(settings)
    for path in settings.chapters():
        try:
            lines += [f"{settings.relative(path)}: {line}" for line in problems(path, labels)]
        except PlainError as error:
            lines.append(str(error))
    print("\n".join([*lines, f"{len(settings.chapters())} pages checked, {len(lines)} problems"]))
    return len(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["build", "check"])
    parser.add_argument("names", nargs="*", help="chapters to build (default: all)")
    parser.add_argument("--all", action="store_true", help="run every notebook, changed or not")
    options = parser.parse_args(arguments)
    settings = Settings()
    # Without a debugger a kernel starts faster and prints nothing of its own.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    try:
        if options.what == "build":
            return 1 if build_all(settings, options.names, force=options.all) else 0
        return 1 if check_all(settings) else 0
    except PlainError as error:
        print(error)
        return 1


if __name__ == "__main__":
    sys.exit(main())
