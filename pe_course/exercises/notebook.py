"""What a notebook uses: ``check``, ``hint``, ``solution``, ``exercises``."""

from __future__ import annotations

from typing import Any

from pe_course.exercises import answers
from pe_course.exercises.exercise import CodeExercise, Exercise, OpenExercise
from pe_course.exercises.grade import grade_function
from pe_course.exercises.guard import can_stop
from pe_course.exercises.registry import all_exercises, find
from pe_course.exercises.result import ERROR, NOT_ATTEMPTED, Result, with_code

_hints_given: dict[str, int] = {}
_said: list[bool] = []


class Note(str):
    """Text that shows itself as such, in a notebook and elsewhere."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        inside = "".join(f"<p>{with_code(part)}</p>" for part in str(self).split("\n\n"))
        return f'<div class="pe-note">{inside}</div>'


class Code(str):
    """Source text that prints as it is."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


def check(id: str, answer: Any = None) -> Result:
    """Grade an answer: a function, the key of an option, a number, or a text.

    Parameters
    ----------
    id
        The exercise, as `exercises` lists it.
    answer
        A function for code exercises; ``"b"`` for a choice; a number; a text for an open question.

    Returns
    -------
    Result with ``verdict``, ``message``, ``mistake`` and ``failed``; shows itself in a notebook.

    Raises
    ------
    UnknownExercise
        If no exercise has this id; names the nearest ones. Nothing that the answer does raises.
    """
    exercise = find(id)
    _say_what_cannot_be_stopped()
    return grade(exercise, answer)


def _say_what_cannot_be_stopped() -> None:
    """Once, and before the answer runs: afterwards may be never."""
    if not can_stop() and not _said:
        _said.append(True)
        print("Here a check cannot stop an endless loop: if it does not come back, interrupt the kernel.")


def grade(exercise: Exercise, answer: Any) -> Result:
    """As `check`, for an exercise at hand."""
    if answer is None or answer is Ellipsis:
        return Result(NOT_ATTEMPTED, "nothing to check yet.", id=exercise.id)
    if issubclass(type(answer), str):  # `isinstance` would ask the answer itself, which may raise
        answer = str.__str__(answer)
    if not isinstance(exercise, CodeExercise):
        return answers.grade_answer(exercise, answer)
    if type(answer) is str:
        from pe_course.exercises.page import grade_text

        return grade_text(exercise, answer)
    if not callable(answer):
        text = f"give the function itself: `check({exercise.id!r}, {exercise.function})`, without calling it."
        return Result(ERROR, text, id=exercise.id)
    return grade_function(exercise, answer)


def hint(id: str) -> Note:
    """The next hint of an exercise; after the last one, says so."""
    exercise = find(id)
    given = _hints_given.get(exercise.id, 0)
    if given >= len(exercise.hints):
        return Note(f"No more hints; solution({exercise.id!r}) shows the model answer.")
    _hints_given[exercise.id] = given + 1
    return Note(f"Hint {given + 1} of {len(exercise.hints)}: {exercise.hints[given]}")


def solution(id: str) -> Note | Code:
    """The model answer."""
    exercise = find(id)
    if isinstance(exercise, CodeExercise):
        return Code(exercise.solution.strip("\n"))
    points = exercise.points if isinstance(exercise, OpenExercise) else ()
    return Note("\n\n".join([exercise.solution.strip(), *(f"- {point}" for point in points)]))


class Listing(list):
    """The exercises, one a line."""

    def __repr__(self) -> str:
        return "\n".join(f"{one.id:28} {one.kind:7} {one.title}" for one in self)


def exercises(chapter: str | None = None, lecture: str | None = None) -> Listing:
    """All exercises, or those of one chapter, or of one item of the lecture map such as "S3-62"."""
    return Listing(
        one for one in all_exercises() if chapter in (None, one.chapter) and (lecture is None or lecture in one.lecture)
    )
