"""Self-tests in a notebook: the question as text, and cells to answer in.

No cell gives anything away. As committed, nothing is attempted: starter code stays empty, answers are ``None``, and
the calls of hints and solution are comments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pe_course.exercises.exercise import (
    ChoiceExercise,
    CodeExercise,
    Exercise,
    NumberExercise,
)
from pe_course.exercises.registry import UnknownExercise, find
from tools.plain.errors import PlainError
from tools.plain.source import read_directive

if TYPE_CHECKING:
    from tools.plain.render import PageWriter

DIRECTIVE = "self-test"


@dataclass(frozen=True)
class Piece:
    """A stretch of a Markdown cell: text, or one self-test. ``line`` (0-based) counts within the cell."""

    text: str
    line: int
    exercise_id: str | None = None


@dataclass(frozen=True)
class SelfTestCell:
    """A cell that a self-test becomes; ``part`` tells the cells of one self-test apart."""

    part: str
    source: str
    is_code: bool


def pieces(page: PageWriter, text: str) -> list[Piece]:
    """The text of a Markdown cell, cut at the self-tests that stand at its top level."""
    lines = text.splitlines()
    found, done = [], 0
    for token in page.parser.parse(text):
        if token.type not in ("fence", "colon_fence") or token.level or not (directive := read_directive(token)):
            continue
        if directive.name == DIRECTIVE:
            start, end = token.map
            found += _text(lines, done, start)
            found.append(Piece("", start, directive.argument))
            done = end
    return [*found, *_text(lines, done, len(lines))]


def _text(lines: list[str], start: int, end: int) -> list[Piece]:
    while start < end and not lines[start].strip():
        start += 1
    return [Piece("\n".join(lines[start:end]), start)] if start < end else []


def self_test_cells(page: PageWriter, exercise_id: str, line: int) -> list[SelfTestCell]:
    """What a self-test becomes. Raises: PlainError with file and line."""
    try:
        exercise = find(exercise_id)
    except UnknownExercise as problem:
        raise PlainError(str(problem), file=page.settings.relative(page.source), line=line + 1) from None
    cells = [SelfTestCell("question", _question(page, exercise, line), False)]
    cells += [SelfTestCell(part, source, True) for part, source in _answer(exercise)]
    return cells


def _question(page: PageWriter, exercise: Exercise, line: int) -> str:
    parts = [f'<a id="self-test-{exercise.id}"></a>', f"**Self-test: {exercise.title}**"]
    parts.append(page.write(exercise.prompt.strip(), line))
    if isinstance(exercise, ChoiceExercise):
        parts.append("\n".join(f"- **{option.key}** {page.write(option.text, line)}" for option in exercise.options))
    if isinstance(exercise, NumberExercise) and exercise.unit:
        parts.append(f"Unit: {exercise.unit}.")
    return "\n\n".join(parts)


def _answer(exercise: Exercise) -> Iterator[tuple[str, str]]:
    if isinstance(exercise, CodeExercise):
        yield "answer", exercise.starter.strip("\n")
        yield "check", _check(exercise, exercise.function)
    elif isinstance(exercise, ChoiceExercise):
        keys = " or ".join(f'"{option.key}"' for option in exercise.options)
        yield "check", _check(exercise, "None", f"replace None by {keys}")
    elif isinstance(exercise, NumberExercise):
        yield "check", _check(exercise, "None", "replace None by your number")
    else:
        yield "check", _check(exercise, "None", "replace None by your answer in quotes, or answer aloud")


def _check(exercise: Exercise, answer: str, comment: str = "") -> str:
    """Names of the package with its own before them, since a cell may be run alone."""
    after = f"  # {comment}" if comment else ""
    hint = [f'# pe_course.hint("{exercise.id}")'] if exercise.hints else []
    solution = f'# pe_course.solution("{exercise.id}")'
    return "\n".join(["import pe_course", "", *hint, solution, f'pe_course.check("{exercise.id}", {answer}){after}'])
