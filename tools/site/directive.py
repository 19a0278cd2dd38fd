"""The directive ``{moving-figure} NAME``: a picture that the reader moves.

.. code-block:: markdown

    ```{moving-figure} clock-hands
    :name: fig-clock-hands
    :position: 7

    The title, which links to the figure show.

    What to look at, in as many paragraphs as it takes.
    ```

The page holds the still picture with its alt text, the numbers and the data; the script
``web/src/figures/NAME.js`` brings the slider. Which figures there are: `tools.site.figures`.
"""

from __future__ import annotations

import json
from html import escape
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tools.site.figures import FIGURES, MovingFigure


class MovingFigureDirective(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"name": directives.unchanged, "position": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in FIGURES:
            raise self.error(f"unknown moving figure {name!r}; there are: {', '.join(sorted(FIGURES))}")
        if not self.content:
            raise self.error(f"moving figure {name!r} needs a title: the first paragraph inside the directive")
        self.env.note_dependency(FIGURES[name].__code__.co_filename)
        try:
            drawn = FIGURES[name](**{key: value for key, value in self.options.items() if key != "name"})
        except (TypeError, ValueError) as problem:
            raise self.error(f"moving figure {name!r}: {problem}") from problem
        figure = nodes.figure("", nodes.raw("", as_html(name, drawn), format="html"), *self._caption())
        self.set_source_info(figure)
        self.add_name(figure)
        return [figure]

    def _caption(self) -> list[nodes.Node]:
        """The first paragraph as caption, the others as legend: the same as in ``{figure}``."""
        container = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, container)
        title, *rest = container.children
        if not isinstance(title, nodes.paragraph):
            raise self.error(f"the title of moving figure {self.arguments[0]!r} must be a paragraph")
        caption = nodes.caption(title.rawsource, "", *title.children)
        caption.source, caption.line = title.source, title.line
        return [caption, nodes.legend("", *rest)] if rest else [caption]


def as_html(name: str, drawn: MovingFigure) -> str:
    """What the page holds of a figure: all a reader needs without JavaScript, and the data for the script."""
    data = json.dumps(drawn.data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f"""
<div class="moving-figure" data-figure="{name}">
<svg class="moving-figure-picture" role="img" aria-label="{escape(drawn.alt)}" viewBox="{drawn.view_box}">
{drawn.picture}
</svg>
{drawn.numbers}
<div class="moving-figure-controls"></div>
<p class="moving-figure-status" role="status">{escape(drawn.sentence)}</p>
<noscript><p>The picture stands still: where JavaScript runs, a slider moves it.</p></noscript>
<script type="application/json">{data}</script>
</div>
"""


def setup(app: Sphinx) -> None:
    app.add_directive("moving-figure", MovingFigureDirective)
