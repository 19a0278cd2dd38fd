"""The directive ``{kill-matrix}``: what the grader says of every known answer, worked out with each build.

An answer that is graded otherwise than it should be stops the build, as a failing check of a claim does.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import pe_course.exercises
from pe_course.exercises.exercise import ChoiceExercise, NumberExercise
from pe_course.exercises.notebook import grade
from pe_course.exercises.registry import all_exercises
from pe_course.exercises.result import with_code
from tools.site.self_tests.directive import anchor_of, self_tests_by_page
from tools.site.self_tests.known_answers import FILE, SURFACES, KnownAnswer, Tried, try_all

HEADS = {"page": "Page", "notebook": "Notebook", FILE: "File"}
KIND_WORDS = {
    "solution": "Solutions accepted",
    "variant": "Unusual right answers accepted",
    "mistake": "Known mistakes named",
    "starter": "Starter code not yet an attempt",
}
SIGNS = {"right": "✓", "other convention": "≈", "wrong": "✗", "not attempted": "…", "error": "!"}
_log = logging.getLogger(__name__)


class KillMatrixNode(nodes.General, nodes.Element):
    """Stands for the matrix until all pages are read, since it links to the self-tests."""


class KillMatrixDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        for file in sorted(Path(pe_course.exercises.__file__).parent.rglob("*.py")):
            self.env.note_dependency(str(file))
        return [KillMatrixNode()]


def write_matrix(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(KillMatrixNode)):
        tried = try_all()
        for one in tried:
            for answer in one.answers:
                for surface in answer.misfits:
                    got = answer.said[surface]
                    _log.warning(
                        "%s: %s %r should be %s on the %s, but is %s: %s",
                        *(one.exercise.id, answer.kind, answer.name, answer.wanted, surface, got.verdict, got.message),
                    )
        html = as_html(tried, {page_id: _link(app, docname, page_id) for page_id in _ids(tried)})
        node.replace_self(nodes.raw("", html, format="html"))


def _ids(tried: list[Tried]) -> list[str]:
    return [one.exercise.id for one in tried]


def _link(app: Sphinx, docname: str, exercise_id: str) -> str | None:
    """Where the exercise stands, if a page holds it."""
    for page, ids in self_tests_by_page(app.env).items():
        if exercise_id in ids:
            return f"{app.builder.get_relative_uri(docname, page)}#{anchor_of(exercise_id)}"
    return None


def as_html(tried: list[Tried], links: dict[str, str | None]) -> str:
    """Counts first, then every exercise with its answers, folded."""
    return f"""
<div class="kill-matrix">
{_totals(tried)}
{_other_kinds()}
{"".join(_exercise(one, links[one.exercise.id]) for one in tried)}
</div>
"""


def _totals(tried: list[Tried]) -> str:
    rows = "".join(_total(words, [a for one in tried for a in one.of_kind(kind)]) for kind, words in KIND_WORDS.items())
    counted = sum(one.mutants.counted for one in tried)
    rejected = sum(len(one.mutants.rejected) for one in tried)
    count = f'<td colspan="{len(SURFACES)}">{rejected} of {counted}</td>'
    heads = "".join(f'<th scope="col">{HEADS[surface]}</th>' for surface in SURFACES)
    return f"""<table class="kill-matrix-totals">
<caption>All {len(tried)} code exercises</caption>
<thead><tr><th scope="col">Answers</th>{heads}</tr></thead>
<tbody>
{rows}<tr><th scope="row">Mutants rejected</th>{count}</tr>
</tbody>
</table>"""


def _total(words: str, answers: list[KnownAnswer]) -> str:
    cells = ""
    for surface in SURFACES:
        here = [answer for answer in answers if surface in answer.said]
        cells += f"<td>{sum(answer.fits(surface) for answer in here)} of {len(here)}</td>"
    return f'<tr><th scope="row">{words}</th>{cells}</tr>\n'


def _other_kinds() -> str:
    """Choices and numbers get the same sentence everywhere: the page holds the grader's own."""
    choices = [one for one in all_exercises() if isinstance(one, ChoiceExercise)]
    numbers = [one for one in all_exercises() if isinstance(one, NumberExercise)]
    options = [(one, option) for one in choices for option in one.options]
    named = sum(grade(one, option.key).message == option.feedback for one, option in options)
    wrong = [(one, each) for one in numbers for each in one.wrong_numbers]
    known = sum(grade(one, each.value).mistake == each.id for one, each in wrong)
    return (
        f"<p>{len(choices)} choices: {named} of {len(options)} options get a sentence of their own. "
        f"{len(numbers)} numbers: {known} of {len(wrong)} common wrong values are explained.</p>"
    )


def _exercise(one: Tried, link: str | None) -> str:
    title = escape(one.exercise.title)
    go = f'<p><a href="{link}">Try it yourself</a></p>' if link else ""
    heads = "".join(f'<th scope="col">{HEADS[surface]}</th>' for surface in SURFACES)
    rows = "".join(_row(answer) for answer in one.answers)
    return f"""<details id="kills-{one.exercise.id}">
<summary>{title}: {len(one.of_kind("mistake"))} known mistakes, {_mutants(one)}</summary>
{go}
<table>
<thead><tr><th scope="col">Answer</th>{heads}</tr></thead>
<tbody>
{rows}</tbody>
</table>
{_survivors(one)}
</details>
"""


def _row(answer: KnownAnswer) -> str:
    cells = "".join(f"<td>{_verdict(answer, surface)}</td>" for surface in SURFACES)
    said = answer.said[SURFACES[0] if SURFACES[0] in answer.said else SURFACES[1]]
    message = f'<div class="kill-matrix-says">{with_code(said.message)}</div>' if answer.kind == "mistake" else ""
    seen = ""
    if answer.mistake is not None and answer.mistake.report:
        seen = f' (<a href="{escape(answer.mistake.report)}">made by others too</a>)'
    name = f"{escape(answer.kind)}: {escape(answer.name)}" if answer.kind in ("variant", "mistake") else answer.name
    return f'<tr><th scope="row">{name}{seen}{message}</th>{cells}</tr>\n'


def _verdict(answer: KnownAnswer, surface: str) -> str:
    if surface not in answer.said:
        return "needs NumPy"
    verdict = answer.said[surface].verdict
    return f'<span aria-hidden="true">{SIGNS[verdict]} </span>{verdict}'


def _mutants(one: Tried) -> str:
    return f"{len(one.mutants.rejected)} of {one.mutants.counted} mutants rejected"


def _survivors(one: Tried) -> str:
    if not one.mutants.survived:
        return ""
    changes = "".join(f"<li>line {each.line}: {with_code(each.change)}</li>" for each in one.mutants.survived)
    return f"<p>Mutants that pass:</p><ul>{changes}</ul>"


def setup(app: Sphinx) -> None:
    app.add_node(KillMatrixNode)
    app.add_directive("kill-matrix", KillMatrixDirective)
    app.connect("doctree-resolved", write_matrix)
