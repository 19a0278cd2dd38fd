"""Every notebook alone in an empty folder, in a clean environment that has no pe_course: as Colab runs it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import nbformat
import pytest

from tools.nbval_tolerance import same_but_for_last_digits
from tools.notebooks import execute, has_code
from tools.settings import ROOT, Settings

SETTINGS = Settings()
NOTEBOOKS = [path.with_suffix(".ipynb") for path in SETTINGS.chapters() if has_code(path)]


def _texts(cell: nbformat.NotebookNode) -> str:
    """What a cell printed or returned as text."""
    texts = [output.get("text", "") for output in cell.outputs]
    texts += [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return "\n".join(map(str, texts))


@pytest.mark.colab
@pytest.mark.parametrize("stored_path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_alone_and_says_the_same(stored_path: Path, colab, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(colab.jupyter_path))
    alone = tmp_path / "empty"
    alone.mkdir()
    imported = subprocess.run([colab.python, "-c", "import pe_course"], cwd=alone, capture_output=True, check=False)
    assert imported.returncode, "pe_course is there before the set-up cell has run"
    before = {package: colab.version(package) for package in ("numpy", "torch")}
    stored = nbformat.read(stored_path, 4)
    fresh = nbformat.read(stored_path, 4)
    execute(fresh, alone, kernel=colab.name)
    for old, new in zip(stored.cells, fresh.cells, strict=True):
        if old.cell_type == "code":
            assert same_but_for_last_digits(_texts(old), _texts(new)), f"{old.id}:\n{_texts(old)}\n---\n{_texts(new)}"
    assert {package: colab.version(package) for package in before} == before
    assert colab.version("pe-course")


@pytest.mark.browser  # needs the built site, as the browser's tests do
def test_the_button_of_every_page_points_to_a_notebook_in_git() -> None:
    pages = sorted((SETTINGS.html / "book").glob("*.html"))
    assert pages, "the book is not built: run `make build`"
    tracked = subprocess.run(
        ["git", "ls-files", "book"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    with_notebook = {path.stem for path in NOTEBOOKS}
    for page in pages:
        found = re.findall(
            r"https://colab\.research\.google\.com/github/[^\"]+?/blob/[^/\"]+/([^\"]+)", page.read_text()
        )
        if page.stem in with_notebook:
            assert set(found) == {f"book/{page.stem}.ipynb"}, f"{page.name}: {found}"
            assert f"book/{page.stem}.ipynb" in tracked, f"book/{page.stem}.ipynb is not in git"
        else:
            assert not found, f"{page.name} has no notebook but a Colab button"
