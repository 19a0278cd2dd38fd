"""Mistakes in the HTML of the theme and of Sphinx that keep readers out, repaired as each page is written.

They are repaired here and not by a script, so that they also hold without JavaScript. The browser
tests (tests/site) say when one is no longer needed or no longer enough.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from sphinx.application import Sphinx


class Repair(NamedTuple):
    why: str
    pattern: re.Pattern[str]
    replacement: str


def _repair(why: str, pattern: str, replacement: str) -> Repair:
    return Repair(why, re.compile(pattern), replacement)


SYSTEM_THEME = '(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")'

REPAIRS = [
    _repair(
        "without JavaScript the theme has colours only for a named theme",
        r'(<html[^>]* data-theme=)"auto"',
        r'\1"light"',
    ),
    _repair(
        "a dark page must not be painted light before the theme's script has run",
        r'localStorage\.getItem\("theme"\) \|\| "auto"',
        f'localStorage.getItem("theme") || {SYSTEM_THEME}',
    ),
    _repair(
        "1.5 MB of icons as a script; the style sheet and its font already show them",
        r"<script[^>]*scripts/fontawesome\.js[^>]*></script>|<link[^>]*scripts/fontawesome\.js[^>]*>",
        "",
    ),
    _repair(
        "the GitHub mark is the only one of its font (118 kB)",
        r"\bfab fa-github\b",
        "fas fa-code-branch",
    ),
    _repair(
        "the search index grows with the book, and only the search page needs it",
        r'(<meta name="docsearch:version"[^>]*>\s*)'
        r'<script src="[^"]*searchtools\.js"></script>\s*'
        r'<script src="[^"]*language_data\.js"></script>\s*'
        r'<script src="[^"]*searchindex\.js"></script>',
        r"\1",
    ),
    _repair(
        "a button that shows its name must be called by that name",
        r'(<button class="btn search-button-field[^>]*) title="[^"]*" aria-label="[^"]*"',
        r"\1",
    ),
    _repair(
        "the same for hidden code and outputs",
        r'<summary aria-label="Toggle hidden content">',
        r"<summary>",
    ),
    _repair(
        "the button is named by its label; titles of its three icons would be read as its name",
        r'(<i class="theme-switch [^>]*?) +title="[^"]*"',
        r'\1 aria-hidden="true"',
    ),
    _repair(
        "the arrow that unfolds the pages below a page has no words",
        r'<summary>(<span class="toctree-toggle")',
        r'<summary aria-label="Pages below this one">\1',
    ),
    _repair(
        "the sidebar with title and search belongs to a landmark",
        r'<div id="pst-primary-sidebar" class="bd-sidebar-primary bd-sidebar([^"]*)"',
        r'<div id="pst-primary-sidebar" role="complementary" aria-label="Book" class="bd-sidebar-primary bd-sidebar\1"',
    ),
    _repair(
        "Sphinx lists the arguments of a long signature as definitions without terms",
        r'(<span class="sig-paren">\(</span>)\s*<dl>\s*((?:<dd>.*?</dd>\s*)+)</dl>',
        r'\1<span class="sig-lines">\2</span>',
    ),
    _repair(
        "and each of them as the definition",
        r'<dd>(<em class="sig-param">[^\n]*)</dd>(?=\s*(?:<dd><em class="sig-param">|</span>))',
        r'<span class="sig-line">\1</span>',
    ),
    _repair(
        "a list of citations is no list to a screen reader unless its entries are list items",
        r'<div role="list" class="citation-list">',
        r'<div class="citation-list">',
    ),
    _repair(
        "the role doc-biblioentry is deprecated",
        r'(<div class="citation"[^>]*) role="doc-biblioentry"',
        r"\1",
    ),
]


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", repair_rendered_pages)


def repair_rendered_pages(app: Sphinx) -> None:
    """Send what the template engine renders through `repair` before Sphinx writes it."""
    templates = getattr(app.builder, "templates", None)
    if app.builder.format != "html" or templates is None:
        return
    render = templates.render

    def render_repaired(template: str, context: dict[str, Any]) -> str:
        return repair(render(template, context))

    templates.render = render_repaired


def repair(html: str) -> str:
    for each in REPAIRS:
        html = each.pattern.sub(each.replacement, html)
    return html
