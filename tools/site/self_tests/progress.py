"""The directive ``{progress}``: all self-tests of the book by chapter, each with the reader's state.

States are kept in the reader's browser; the page holds the list, and web/src/self-test/progress.js fills it in.
"""

from __future__ import annotations

from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from pe_course.exercises.registry import find
from tools.site.self_tests.directive import PROGRESS_PAGE, anchor_of, self_tests_by_page


class ProgressNode(nodes.General, nodes.Element):
    """Stands for the list until all pages are read."""


class ProgressDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        if self.env.docname != PROGRESS_PAGE:
            raise self.error(f"the progress belongs to {PROGRESS_PAGE}: the pages lead there")
        return [ProgressNode()]


def write_progress(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(ProgressNode)):
        placed = self_tests_by_page(app.env)
        chapters = [_chapter(app, docname, page, placed[page]) for page in _in_order(app.env, placed)]
        node.replace_self(nodes.raw("", as_html(chapters, sum(map(len, placed.values()))), format="html"))


def as_html(chapters: list[str], count: int) -> str:
    """The page without JavaScript: every self-test with a link; states and buttons come with the script."""
    if not chapters:
        return '<div class="reader-progress"><p>No chapter has a self-test yet.</p></div>'
    return f"""
<div class="reader-progress">
<p><strong>In all: <span class="progress-count">{_counted(count)}</span></strong></p>
<div class="progress-controls"></div>
<noscript><p>Where JavaScript runs, this page shows which of them you have solved.</p></noscript>
{"".join(chapters)}
</div>
"""


def _chapter(app: Sphinx, docname: str, page: str, ids: list[str]) -> str:
    url = app.builder.get_relative_uri(docname, page)
    title = escape(app.env.titles[page].astext())
    rows = "".join(
        f'<li data-self-test="{each}"><a href="{url}#{anchor_of(each)}">{escape(find(each).title)}</a> '
        '<span class="progress-state"></span></li>\n'
        for each in ids
    )
    return f"""
<section class="progress-chapter">
<h3><a href="{url}">{title}</a> <span class="progress-count">{_counted(len(ids))}</span></h3>
<ul>
{rows}</ul>
</section>
"""


def _counted(number: int) -> str:
    return "1 self-test" if number == 1 else f"{number} self-tests"


def _in_order(env: BuildEnvironment, placed: dict[str, list[str]]) -> list[str]:
    """The pages with self-tests in the order of the table of contents."""
    order = list(dict.fromkeys(_below(env, env.config.root_doc)))
    listed = [page for page in order if placed.get(page)]
    return listed + sorted(page for page, ids in placed.items() if ids and page not in order)


def _below(env: BuildEnvironment, page: str) -> list[str]:
    return [page] + [each for child in env.toctree_includes.get(page, []) for each in _below(env, child)]


def write_anew(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The list is written with every build: it depends on all pages."""
    return [PROGRESS_PAGE] if PROGRESS_PAGE in env.found_docs else []


def setup(app: Sphinx) -> None:
    app.add_node(ProgressNode)
    app.add_directive("progress", ProgressDirective)
    app.connect("env-updated", write_anew)
    app.connect("doctree-resolved", write_progress)
