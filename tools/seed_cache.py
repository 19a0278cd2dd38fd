"""Put the outputs stored in ``book/*.ipynb`` into Jupyter Book's cache, so that a build runs nothing.

The site then shows the very numbers that nbval has verified.

    python -m tools.seed_cache
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from nbformat import NotebookNode

from tools.notebooks import GENERATED, has_code
from tools.settings import Settings


class StaleNotebook(RuntimeError):
    """A notebook whose code is not that of its chapter."""


def with_stored_outputs(path: Path) -> NotebookNode:
    """The chapter as Jupyter Book reads it, with the outputs of its notebook. Raises: StaleNotebook."""
    notebook = read_myst_markdown_notebook(path.read_text(encoding="utf-8"), MdParserConfig())
    target = path.with_suffix(".ipynb")
    if not target.exists():
        raise StaleNotebook(f"{path.name} has no notebook: run `make notebooks`")
    stored = [cell for cell in _code(nbformat.read(target, 4)) if GENERATED not in cell.metadata.get("tags", [])]
    cells = _code(notebook)
    if [cell.source for cell in cells] != [cell.source for cell in stored]:
        raise StaleNotebook(f"the code of {target.name} is not that of {path.name}: run `make notebooks`")
    for cell, done in zip(cells, stored, strict=True):
        cell.outputs, cell.execution_count = done.outputs, done.execution_count
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    return notebook


def seed(settings: Settings) -> int:
    """Fills the cache; returns the number of chapters put in."""
    cache = get_cache(str(settings.root / "_build" / ".jupyter_cache"))
    chapters = [path for path in settings.chapters() if has_code(path)]
    for path in chapters:
        bundle = CacheBundleIn(with_stored_outputs(path), str(path))
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    return len(chapters)


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def main() -> int:
    try:
        number = seed(Settings())
    except StaleNotebook as error:
        print(error)
        return 1
    print(f"outputs of {number} notebooks put into the book's cache")
    return 0


if __name__ == "__main__":
    sys.exit(main())
