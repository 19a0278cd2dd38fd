"""A notebook under nbval as `make test-notebooks` runs it: a changed digit is noticed, a fresh run is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tools.notebooks import build
from tools.plain import Labels
from tools.settings import ROOT


@pytest.fixture(scope="module")
def run_nbval():
    def run(notebook: Path) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.nbval_tolerance", "-p", "no:cacheprovider"]
        command += ["--rootdir", str(notebook.parent), "--nbval", "--nbval-current-env", str(notebook)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    return run


@pytest.mark.slow
def test_a_changed_digit_fails_and_an_untouched_notebook_passes(chapter, book, run_nbval) -> None:
    path = chapter("# T\n\n```{code-cell} ipython3\nprint(f'{2 / 3:.4f}', 12)\n```\n")
    build(path, Labels.of_book(book))
    target = path.with_suffix(".ipynb")
    assert run_nbval(target).returncode == 0
    for old, new in (("0.6667", "0.6665"), (" 12", " 13")):
        notebook = nbformat.read(target, 4)
        (output,) = notebook.cells[2].outputs
        output.text = output.text.replace(old, new)
        changed = path.with_name("changed.ipynb")
        nbformat.write(notebook, changed)
        done = run_nbval(changed)
        assert done.returncode == 1, done.stdout
        assert new.strip() in done.stdout
        assert "run `make notebooks ALL=1`" in done.stdout
