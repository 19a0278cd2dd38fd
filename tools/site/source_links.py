"""The role ``{source}`pe_course/nn/attention.py```: a link to a file or folder in the repository, which must exist.

``{source}`words <path>``` has words of its own. The address comes from ``_config.yml``.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import ReferenceRole

from tools.settings import Settings


class SourceRole(ReferenceRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            url = Settings(Path(self.env.srcdir)).source_url(self.target)
        except LookupError as problem:
            message = self.inliner.reporter.error(str(problem), line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        said = nodes.Text(self.title) if self.has_explicit_title else nodes.literal("", self.target)
        return [nodes.reference("", "", said, refuri=url, internal=False)], []


def setup(app: Sphinx) -> None:
    app.add_role("source", SourceRole())
