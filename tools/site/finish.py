"""The last touches on the finished folder: what the web server needs, and what no reader needs."""

from __future__ import annotations

import shutil
from html import escape
from pathlib import Path

from sphinx.application import Sphinx

from tools.site.icons import write_icon_font

AFTER_OTHERS = 900
REDIRECT = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta http-equiv="refresh" content="0; url={page}">
</head>
<body><main><h1>{title}</h1><p>The book begins at <a href="{page}">{page}</a>.</p></main></body>
</html>
"""


def setup(app: Sphinx) -> None:
    app.connect("build-finished", finish, priority=AFTER_OTHERS)


def finish(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    site, sources = Path(app.outdir), Path(app.srcdir)
    redirect_to_first_page(site, app)
    remove_what_nobody_loads(site)
    write_icon_font(site)
    offer_committed_notebooks(site, sources, app.env.found_docs)
    # GitHub Pages would otherwise hide every folder whose name begins with an underscore.
    (site / ".nojekyll").touch()


def redirect_to_first_page(site: Path, app: Sphinx) -> None:
    """Write the site's index.html: a page of its own right, with a title and a link for those it does not move on."""
    first = app.config.root_doc
    if first != "index":
        text = REDIRECT.format(language=app.config.language, title=escape(app.config.html_title), page=f"{first}.html")
        (site / "index.html").write_text(text, encoding="utf-8")


def remove_what_nobody_loads(site: Path) -> None:
    """Delete the theme's source maps and icon script: several megabytes."""
    static = site / "_static"
    for file in {*static.rglob("*.map"), *static.glob("scripts/fontawesome.js*")}:
        file.unlink()


def offer_committed_notebooks(site: Path, sources: Path, pages: set[str]) -> None:
    """Let the download button give the committed notebook, which any Jupyter shows, and not MyST's own."""
    for page in pages:
        notebook, offered = sources / f"{page}.ipynb", site / "_sources" / f"{page}.ipynb"
        if notebook.is_file() and offered.is_file():
            shutil.copyfile(notebook, offered)
