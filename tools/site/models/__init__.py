"""The directive ``{model-table}``: every record of `pe_course.models` as one table with a filter.

The page holds the whole table and a filter that is hidden until web/src/site/models.js runs.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import pe_course
from pe_course.models import models
from tools.site.models import page


class ModelTableDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        package = Path(pe_course.__file__).parent
        for name in ("models.py", "models.json"):
            self.env.note_dependency(str(package / name))
        return [nodes.raw("", page.as_html(models()), format="html")]


def setup(app: Sphinx) -> None:
    app.add_directive("model-table", ModelTableDirective)
