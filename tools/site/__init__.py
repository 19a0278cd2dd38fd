"""Sphinx extension of the site: all it shows comes from the site itself, and can be read by everyone.

One module per subject:

- `static_files`: our JavaScript and the packages it needs, from web/dist; no thebe
- `page_scripts`: each page loads the scripts that it uses, and no others
- `repairs`: mistakes in the theme's HTML that keep readers out
- `api`: the reference of the package, from its docstrings
- `taught`, `anchors`: which sections of the book teach a name of the package
- `source_links`: the role that links to a file of the repository
- `directive`, `figures`: pictures that move, and stand still without JavaScript
- `ledger`: the ledger of claims as a page, and the role that links to a claim
- `three_places`, `architecture`: how attention is laid out, drawn, and how the package is, read from its source
- `lecture_map`: every item of the lecture, and the sections that cover it
- `models`: what released models do about position, as one table with a filter
- `self_tests`: the exercises, answered in the browser; the reader's progress; what the grader catches
- `finish`, `icons`: the last touches on the finished folder
"""

from __future__ import annotations

from sphinx.application import Sphinx

from tools.site import (
    api,
    architecture,
    directive,
    finish,
    lecture_map,
    ledger,
    models,
    page_scripts,
    repairs,
    self_tests,
    source_links,
    static_files,
    three_places,
)

CONTENT = (directive, api, source_links, three_places, architecture, ledger, lecture_map, models, self_tests)


def setup(app: Sphinx) -> dict[str, object]:
    for part in (static_files, page_scripts, repairs, *CONTENT, finish):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
