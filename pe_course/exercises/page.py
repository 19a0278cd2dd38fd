"""What the page's worker calls: text in, JSON out. Needs no signal: the page ends a worker that does not answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pe_course.exercises.attempts import LISTS, cases_of
from pe_course.exercises.exercise import (
    ChoiceExercise,
    CodeExercise,
    Exercise,
    NumberExercise,
    OpenExercise,
)
from pe_course.exercises.grade import grade_function
from pe_course.exercises.guard import LimitedText, Problem, guarded
from pe_course.exercises.registry import find
from pe_course.exercises.result import ERROR, NOT_ATTEMPTED, Result
from pe_course.exercises.sources import FILENAME, NoFunction, pick, syntax_problem, tidy


def describe(exercise: Exercise | str) -> dict[str, Any]:
    """All that the page shows of an exercise, ready for JSON."""
    if isinstance(exercise, str):
        exercise = find(exercise)
    shared = {name: getattr(exercise, name) for name in ("id", "kind", "title", "prompt", "chapter", "solution")}
    shared |= {name: list(getattr(exercise, name)) for name in ("hints", "lecture", "claims")}
    if isinstance(exercise, CodeExercise):
        shared |= {"starter": exercise.starter, "function": exercise.function}
        shared["arrays_only_checks"] = any(case.arrays for case in cases_of(exercise))
    elif isinstance(exercise, ChoiceExercise):
        shared["options"] = [asdict(option) for option in exercise.options]
    elif isinstance(exercise, NumberExercise):
        shared |= {"answer": exercise.answer, "tolerance": exercise.tolerance, "unit": exercise.unit}
        shared["wrong_numbers"] = [asdict(wrong) for wrong in exercise.wrong_numbers]
    elif isinstance(exercise, OpenExercise):
        shared["points"] = list(exercise.points)
    return shared


def grade_source(id: str, source: str) -> str:
    """Grade what a learner typed. JSON: verdict, message, mistake, failed {inputs, expected, got} or null, output."""
    result = grade_text(find(id), source, forms=(LISTS,))
    failed = asdict(result.failed) if result.failed else None
    if failed is not None:
        failed["input"] = failed["inputs"]
    answer = {"verdict": result.verdict, "message": result.message, "mistake": result.mistake, "failed": failed}
    return json.dumps(answer | {"output": result.output, "accepted": result.accepted})


def run_source(source: str) -> str:
    """Run what a learner typed. JSON: output, error (null if none)."""
    printed = LimitedText()
    source = tidy(source)
    problem = syntax_problem(source)
    if problem is None:
        outcome = guarded(lambda: _run(source), printed=printed)
        problem = outcome.said_of("Your code") if isinstance(outcome, Problem) else None
    return json.dumps({"output": printed.text(), "error": problem})


def _run(source: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, FILENAME, "exec", dont_inherit=True), namespace)
    return namespace


def grade_text(exercise: CodeExercise, source: str, *, forms: Sequence[str] | None = None) -> Result:
    """Grade the function that a source text defines."""
    if not isinstance(source, str) or not source.strip():
        return Result(NOT_ATTEMPTED, "nothing to check yet.", id=exercise.id)
    source = tidy(source)
    problem = syntax_problem(source)
    if problem is None:
        printed = LimitedText()
        function = guarded(lambda: _function(exercise, source), printed=printed)
        if not isinstance(function, (Problem, NoFunction)):
            return grade_function(exercise, function, forms=forms, printed=printed)
        problem = _no_function(exercise, function)
        return Result(ERROR, problem, output=printed.text(), id=exercise.id)
    return Result(ERROR, problem, id=exercise.id)


def _function(exercise: CodeExercise, source: str) -> Any:
    namespace = _run(source)
    try:
        return pick(namespace, source, exercise.function)
    except NoFunction as error:
        return error


def _no_function(exercise: CodeExercise, outcome: Problem | NoFunction) -> str:
    if isinstance(outcome, NoFunction):
        return f"{outcome}. Define `{exercise.function}`."
    return outcome.said_of("Your code")
