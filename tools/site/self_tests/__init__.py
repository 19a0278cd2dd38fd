"""Self-tests on the pages: the exercises of `pe_course.exercises`, answered in the browser.

- ``{self-test} ID`` (`directive`): question, starter code, options, hints and solution as HTML that needs no script;
  `answers` adds what the script web/src/self-test needs to judge a choice or a number as the grader does
- ``{progress}`` (`progress`): all self-tests of the book, with the reader's state
- ``{kill-matrix}`` (`kill_matrix`, `known_answers`): what the grader says of every known answer, on every surface
- `course_zip`: the package as the browser's Python reads it
- `elements`: HTML elements that docutils has no node for
"""

from __future__ import annotations

from sphinx.application import Sphinx

from tools.site.self_tests import course_zip, directive, elements, kill_matrix, progress


def setup(app: Sphinx) -> None:
    for part in (elements, directive, progress, kill_matrix, course_zip):
        part.setup(app)
