"""The directive ``{kill-matrix}``: what the grader says of every known answer, worked out with each build."""

from __future__ import annotations

from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Nothing yet."""
