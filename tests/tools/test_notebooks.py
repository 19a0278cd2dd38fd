"""From chapter to notebook: what is written, what the check notices, what is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from tools import notebooks
from tools.plain import Labels, PlainError
from tools.settings import Settings

TWO_CELLS = """\
# Title

Some {term}`token`.

```{code-cell} ipython3
x = 1.5
print(f"{x:.4f}")
```

More.

```{code-cell} ipython3
:tags: [hide-input]
x * 2
```
"""


def _problems(path: Path) -> list[str]:
    return notebooks.problems(path, Labels.of_book(Settings(path.parents[1])))


@pytest.fixture
def built(chapter: Callable[..., Path]) -> Path:
    """A chapter with its notebook, which is not run but given the outputs that a run would store."""
    path = chapter(TWO_CELLS)
    notebook = notebooks.convert(path, Labels.of_book(Settings(path.parents[1])))
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        cell.execution_count = number
    code[1].outputs = [nbformat.v4.new_output("stream", name="stdout", text="1.5000\n")]
    nbformat.write(notebook, path.with_suffix(".ipynb"))
    return path


def _edit(path: Path, change: Callable[[nbformat.NotebookNode], None]) -> None:
    target = path.with_suffix(".ipynb")
    notebook = nbformat.read(target, 4)
    change(notebook)
    nbformat.write(notebook, target)


def test_conversion(chapter: Callable[..., Path]) -> None:
    path = chapter(TWO_CELLS)
    settings = Settings(path.parents[1])
    notebook = notebooks.convert(path, Labels.of_book(settings))
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "code", "code", "markdown", "code"]
    assert [cell.id for cell in notebook.cells] == [f"chapter-{s}" for s in ("000", "setup", "001", "002", "003")]
    setup = notebook.cells[1]
    assert setup.source == notebooks.setup_source(settings)
    assert "git+https://github.com/someone/some-book@main" in setup.source
    assert setup.metadata["tags"] == ["generated", "hide-cell"]
    assert notebook.cells[4].metadata["cellView"] == "form"


def test_a_built_notebook_has_no_problems(built: Path) -> None:
    assert _problems(built) == []


def test_an_edited_chapter_is_noticed(built: Path) -> None:
    built.write_text(built.read_text().replace("More.", "More and more."))
    (line,) = _problems(built)
    assert "chapter-002" in line
    assert "make notebooks" in line


def test_an_added_cell_is_noticed(built: Path) -> None:
    built.write_text(built.read_text() + "\n```{code-cell} ipython3\n1\n```\n")
    assert any("cells, but chapter.md gives" in line for line in _problems(built))


def test_emptied_outputs_are_noticed(built: Path) -> None:
    def empty(notebook):
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None

    _edit(built, empty)
    (line,) = _problems(built)
    assert "not run from top to bottom" in line
    assert "make notebooks" in line


def test_a_missing_notebook_is_noticed(built: Path) -> None:
    built.with_suffix(".ipynb").unlink()
    assert _problems(built) == ["chapter.ipynb is missing: run `make notebooks`"]


def test_a_notebook_without_a_chapter_is_noticed(built: Path) -> None:
    built.with_suffix(".ipynb").rename(built.parent / "gone.ipynb")
    (line,) = notebooks.orphans(Settings(built.parents[1]))
    assert line.startswith("book/gone.ipynb")


@pytest.mark.parametrize(
    ("output", "message"),
    [
        pytest.param({"name": "stdout", "text": "<object at 0x7f00aabbcc>"}, "at 0x7f00aabbcc", id="address"),
        pytest.param({"name": "stdout", "text": "/tmp/ipykernel_12/1.py"}, "/tmp/", id="path"),
        pytest.param({"name": "stderr", "text": "a warning"}, "stderr", id="warning"),
    ],
)
def test_an_output_that_differs_everywhere_is_noticed(built: Path, output: dict, message: str) -> None:
    def put(notebook):
        notebook.cells[2].outputs = [nbformat.v4.new_output("stream", **output)]

    _edit(built, put)
    (line,) = _problems(built)
    assert message in line


def test_a_stored_error_is_noticed(built: Path) -> None:
    def put(notebook):
        notebook.cells[2].outputs = [nbformat.v4.new_output("error", ename="E", evalue="v", traceback=[])]

    _edit(built, put)
    assert any("ended in an error" in line for line in _problems(built))


def test_a_broken_label_stops_the_check(built: Path) -> None:
    built.write_text(built.read_text().replace("{term}`token`", "{term}`tokens`"))
    with pytest.raises(PlainError, match=r"book/chapter\.md:13: unknown glossary term 'tokens'"):
        _problems(built)


def test_a_page_without_code_has_no_notebook(chapter: Callable[..., Path]) -> None:
    path = chapter("# Only text")
    assert not notebooks.has_code(path)
    assert _problems(path) == []
    path.with_suffix(".ipynb").write_text("{}")
    assert "delete it" in _problems(path)[0]


def test_building_runs_once_and_twice_changes_nothing(chapter: Callable[..., Path]) -> None:
    path = chapter(TWO_CELLS)
    labels = Labels.of_book(Settings(path.parents[1]))
    assert notebooks.build(path, labels) == "ran"
    first = path.with_suffix(".ipynb").read_bytes()
    assert notebooks.build(path, labels) == "unchanged"
    assert notebooks.build(path, labels, force=True) == "ran"
    assert path.with_suffix(".ipynb").read_bytes() == first
    assert _problems(path) == []
    path.write_text(path.read_text().replace("More.", "Less."))
    assert notebooks.build(path, labels) == "rewrote"
    (path.parents[1] / "pe_course" / "module.py").write_text("changed = True\n")
    assert notebooks.build(path, labels) == "ran"


def test_building_mends_an_output_that_was_edited_by_hand(chapter: Callable[..., Path]) -> None:
    path = chapter(TWO_CELLS)
    labels, target = Labels.of_book(Settings(path.parents[1])), path.with_suffix(".ipynb")
    notebooks.build(path, labels)
    good = target.read_text(encoding="utf-8")
    notebook = nbformat.reads(good, 4)
    next(cell for cell in notebook.cells if cell.get("outputs")).outputs = []
    nbformat.write(notebook, target)
    assert notebooks.build(path, labels) == "ran"
    assert target.read_text(encoding="utf-8") == good
