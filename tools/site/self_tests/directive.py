"""The directive ``{self-test} ID``: one exercise of `pe_course.exercises` in a page.

The HTML holds all that a reader needs without JavaScript: the question, the starter code or the options, and, folded
away, hints and solution. The script web/src/self-test/self-test.js adds what answers. Which self-tests stand on
which page is noted in the environment, for the page of progress.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import pe_course.exercises
from pe_course.exercises.exercise import Exercise
from pe_course.exercises.registry import UnknownExercise, find
from tools.site.self_tests.answers import data_for_script
from tools.site.self_tests.elements import HEADING, HtmlElement, depart, element, json_script, raw, visit

PROGRESS_PAGE = "book/progress"
NO_SCRIPT = "Where JavaScript runs, you can answer on this page. The solution is below in any case."

_log = logging.getLogger(__name__)


class SelfTestDirective(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        try:
            exercise = find(self.arguments[0])
        except UnknownExercise as problem:
            raise self.error(str(problem)) from None
        if exercise.id != self.arguments[0]:
            raise self.error(f"write the id as it is: {exercise.id}")
        self._depend_on(exercise)
        self_tests_by_page(self.env).setdefault(self.env.docname, []).append(exercise.id)
        return [self._section(exercise)]

    def _depend_on(self, exercise: Exercise) -> None:
        grader = Path(pe_course.exercises.__file__).parent.glob("*.py")
        for file in (inspect.getfile(type(exercise)), *map(str, sorted(grader))):
            self.env.note_dependency(file)

    def _section(self, exercise: Exercise) -> nodes.Element:
        anchor = anchor_of(exercise.id)
        attributes = {
            "class": "self-test",
            "id": anchor,
            "data-self-test": exercise.id,
            "data-kind": exercise.kind,
            "aria-labelledby": f"{anchor}-title",
        }
        section = SelfTestSection(tag="section", attributes=attributes)
        section += _title(exercise, anchor)
        section += element("div", {"class": "self-test-prompt"}, *self._parsed(exercise.prompt))
        section += self._given(exercise)
        section += element("div", {"class": "self-test-work"})
        section += raw(f"<noscript><p>{NO_SCRIPT}</p></noscript>")
        section += self._hints(exercise)
        section += self._solution(exercise)
        section += json_script(data_for_script(exercise))
        self.set_source_info(section)
        return section

    def _given(self, exercise: Exercise) -> list[nodes.Node]:
        """The starter code of a code exercise, the options of a choice."""
        if exercise.kind == "code":
            return [element("div", {"class": "self-test-starter"}, _python(exercise.starter))]
        if exercise.kind == "choice":
            options = [
                element("li", {"data-key": option.key}, raw(f"<b>{option.key}</b> "), *self._inline(option.text))
                for option in exercise.options
            ]
            return [element("ul", {"class": "self-test-options"}, *options)]
        return []

    def _hints(self, exercise: Exercise) -> list[nodes.Node]:
        return [
            _folded("self-test-hint", f"Hint {number}", self._parsed(hint))
            for number, hint in enumerate(exercise.hints, 1)
        ]

    def _solution(self, exercise: Exercise) -> nodes.Node:
        if exercise.kind == "code":
            return _folded("self-test-solution", "Solution", [_python(exercise.solution)])
        content = self._parsed(exercise.solution)
        if exercise.kind == "open":
            points = [element("li", {}, *self._inline(point)) for point in exercise.points]
            content += [
                nodes.paragraph("", "Did your answer say this?"),
                element("ul", {"class": "self-test-points"}, *points),
            ]
        return _folded("self-test-solution", "Solution", content)

    def _parsed(self, text: str) -> list[nodes.Node]:
        container = nodes.Element()
        self.state.nested_parse(StringList(text.strip().splitlines(), self.get_location()), 0, container)
        return list(container.children)

    def _inline(self, text: str) -> list[nodes.Node]:
        """One paragraph without its paragraph, for places that hold words only."""
        parsed = self._parsed(text)
        if len(parsed) != 1 or not isinstance(parsed[0], nodes.paragraph):
            raise self.error(f"an option or a point must be one paragraph: {text!r}")
        return list(parsed[0].children)


class SelfTestSection(HtmlElement):
    """The whole self-test; when its page is written it learns where the page of progress is."""


def anchor_of(exercise_id: str) -> str:
    """Where in its page a self-test stands."""
    return f"self-test-{exercise_id}"


def self_tests_by_page(env: BuildEnvironment) -> dict[str, list[str]]:
    """The ids of the self-tests of each page, in their order."""
    if not hasattr(env, "self_tests"):
        env.self_tests = {}
    return env.self_tests


def forget_page(_app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    self_tests_by_page(env).pop(docname, None)


def merge(_app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    theirs = self_tests_by_page(other)
    self_tests_by_page(env).update({name: theirs[name] for name in docnames if name in theirs})


def refuse_second_places(_app: Sphinx, env: BuildEnvironment) -> None:
    """Asked once all pages are read: while they are, a self-test that has moved still stands in its old page too."""
    seen: dict[str, str] = {}
    for page, ids in sorted(self_tests_by_page(env).items()):
        for exercise_id in ids:
            if exercise_id in seen:
                _log.warning(
                    "self-test %r also stands in %s: it has one place", exercise_id, seen[exercise_id], location=page
                )
            seen[exercise_id] = page


def link_progress(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if PROGRESS_PAGE in app.env.found_docs:
        for section in doctree.findall(SelfTestSection):
            section["attributes"]["data-progress"] = app.builder.get_relative_uri(docname, PROGRESS_PAGE)


def _title(exercise: Exercise, anchor: str) -> nodes.Element:
    return element(
        HEADING,
        {"class": "self-test-title", "id": f"{anchor}-title"},
        raw('<span class="self-test-kind">Self-test</span> '),
        element("span", {"class": "self-test-title-words"}, nodes.Text(exercise.title)),
        raw(' <span class="self-test-state"></span>'),
    )


def _folded(look: str, summary: str, content: list[nodes.Node]) -> nodes.Element:
    return element("details", {"class": look}, element("summary", {}, nodes.Text(summary)), *content)


def _python(source: str) -> nodes.literal_block:
    source = source.strip("\n")
    return nodes.literal_block(source, source, language="python")


def setup(app: Sphinx) -> None:
    app.add_node(SelfTestSection, html=(visit, depart))
    app.add_directive("self-test", SelfTestDirective)
    app.connect("env-purge-doc", forget_page)
    app.connect("env-merge-info", merge)
    app.connect("env-check-consistency", refuse_second_places)
    app.connect("doctree-resolved", link_progress)
