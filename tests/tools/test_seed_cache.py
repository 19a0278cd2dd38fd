"""Stored outputs reach the book; stale ones never do."""

import nbformat
import pytest

from tools import notebooks, seed_cache
from tools.plain import Labels


@pytest.fixture
def built(chapter, book):
    path = chapter("# T\n\n```{code-cell} ipython3\nprint(2)\n```\n")
    notebook = notebooks.convert(path, Labels.of_book(book))
    notebook.cells[1].execution_count, notebook.cells[2].execution_count = 1, 2
    notebook.cells[2].outputs = [nbformat.v4.new_output("stream", name="stdout", text="2\n")]
    nbformat.write(notebook, path.with_suffix(".ipynb"))
    return path


def test_the_outputs_are_those_of_the_notebook_without_the_generated_cell(built) -> None:
    (cell,) = [cell for cell in seed_cache.with_stored_outputs(built).cells if cell.cell_type == "code"]
    assert cell.source == "print(2)"
    assert cell.outputs[0].text == "2\n"


def test_code_that_changed_is_refused(built) -> None:
    built.write_text(built.read_text().replace("print(2)", "print(3)"))
    with pytest.raises(seed_cache.StaleNotebook, match="make notebooks"):
        seed_cache.with_stored_outputs(built)


def test_a_missing_notebook_is_refused(built) -> None:
    built.with_suffix(".ipynb").unlink()
    with pytest.raises(seed_cache.StaleNotebook, match="make notebooks"):
        seed_cache.with_stored_outputs(built)


def test_pages_without_code_are_left_out(built, book, chapter) -> None:
    chapter("# Only words", "words")
    assert seed_cache.seed(book) == 1
