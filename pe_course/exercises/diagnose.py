"""From wrong values to the sentence that helps: the exercise's own mistakes first, then the general ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pe_course.exercises.attempts import (
    arrays_installed,
    cases_of,
    comparable,
    in_form,
    value_of,
)
from pe_course.exercises.exercise import Case, CodeExercise, Mistake
from pe_course.exercises.guard import Problem, guarded
from pe_course.exercises.sources import load
from pe_course.exercises.values import Unusable, agree, plain, shape_of

if TYPE_CHECKING:
    from pe_course.exercises.grade import Judged


@dataclass(frozen=True)
class Diagnosis:
    """What the answer did, in words."""

    sentence: str
    mistake: str | None = None
    convention: bool = False
    accepted: bool = False


class Raised:
    """Stands for a value where a source raises: equal to itself alone, and to the same error of the learner."""

    def __init__(self, error: str) -> None:
        self.error = error


def diagnose(exercise: CodeExercise, judged: Sequence[Judged], first: Judged) -> Diagnosis | None:
    """The mistake that explains every value that came, or None."""
    for mistake in exercise.mistakes:
        if _explains(exercise, outputs_of(exercise, mistake), judged):
            return Diagnosis(mistake.message, mistake.id, mistake.convention, mistake.accepted)
    return None


@cache
def outputs_of(exercise: CodeExercise, mistake: Mistake) -> tuple[Any, ...]:
    """The mistake's values on all cases; None where it cannot be run, Raised where it raises."""
    function = load(mistake.source, exercise.function, f"<mistake {mistake.id}>")
    return tuple(_output(function, case, mistake.arrays) for case in cases_of(exercise))


def _output(function: Callable[..., Any], case: Case, arrays: bool) -> Any:
    if arrays and not arrays_installed():
        return None
    if arrays:
        args = [in_form(value, "arrays") for value in case.args]
        value = guarded(lambda: plain(function(*args, **case.kwargs)))
    else:
        value = guarded(lambda: value_of(function, case))
    if isinstance(value, Problem):
        return Raised(value.error or value.kind)
    return value


def _explains(exercise: CodeExercise, outputs: Sequence[Any], judged: Sequence[Judged]) -> bool:
    """True if every value that came is the mistake's, and one of them is not the solution's."""
    by_case = {id(case): output for case, output in zip(cases_of(exercise), outputs, strict=True)}
    seen_wrong = False
    for one in judged:
        output = by_case[id(one.case)]
        if output is None:
            continue
        if not _same(exercise, one, output):
            return False
        seen_wrong = seen_wrong or not one.passed
    return seen_wrong


def _same(exercise: CodeExercise, one: Judged, output: Any) -> bool:
    problem = one.outcome.problem
    if isinstance(output, Raised):
        return problem is not None and output.error in (problem.error, problem.kind)
    if problem is not None:
        return False
    return same_values(exercise, one.case, output, one.outcome.value)


def same_values(exercise: CodeExercise, case: Case, one: Any, other: Any) -> bool:
    """True if the grader cannot tell two values apart on this case."""
    if agree(one, other, case.tolerance):
        return True
    try:
        if shape_of(one) != shape_of(other):
            return False
        return agree(comparable(exercise, one, case), comparable(exercise, other, case), case.tolerance)
    except Unusable:
        return False
