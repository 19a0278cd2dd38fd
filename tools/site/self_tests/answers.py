"""What the page's script needs to answer without Python: the grader's own results, worked out while the page is built.

So a choice or a number gets the same sentence on the page and in a notebook. Code is graded by the grader itself.
"""

from __future__ import annotations

from typing import Any

from pe_course.exercises.answers import closeness, reach
from pe_course.exercises.exercise import (
    ChoiceExercise,
    CodeExercise,
    Exercise,
    NumberExercise,
)
from pe_course.exercises.notebook import grade
from pe_course.exercises.result import Result
from pe_course.exercises.values import show

VALUE = "{value}"
NO_NUMBER = "no number"


def data_for_script(exercise: Exercise) -> dict[str, Any]:
    if isinstance(exercise, CodeExercise):
        return {"starter": exercise.starter.strip("\n") + "\n"}
    if isinstance(exercise, ChoiceExercise):
        results = {option.key: as_json(grade(exercise, option.key)) for option in exercise.options}
        return {"results": results, "notAttempted": as_json(grade(exercise, ""))}
    if isinstance(exercise, NumberExercise):
        return _number(exercise)
    return {}


def as_json(result: Result) -> dict[str, Any]:
    """Without the input that failed: for these kinds it would give the answer away."""
    return {"verdict": result.verdict, "message": result.message, "accepted": result.accepted}


def _number(exercise: NumberExercise) -> dict[str, Any]:
    wrong = [
        {
            "value": each.value,
            "tolerance": reach(exercise, each),
            "result": as_json(grade(exercise, each.value)),
        }
        for each in exercise.wrong_numbers
    ]
    return {
        "answer": exercise.answer,
        "tolerance": exercise.tolerance,
        "unit": exercise.unit,
        "right": as_json(grade(exercise, exercise.answer)),
        "wrong": wrong,
        "closeness": closeness(exercise),
        "close": _close(exercise),
        "other": _other(exercise),
        "noNumber": as_json(grade(exercise, NO_NUMBER)),
        "notAttempted": as_json(grade(exercise, "")),
    }


def _close(exercise: NumberExercise) -> dict[str, Any]:
    """The result for a value that is rounded too soon, with a place for the value; none if that cannot be."""
    if not exercise.tolerance:
        return {}
    value = round(exercise.answer + (exercise.tolerance + closeness(exercise)) / 2, 6)
    result = as_json(grade(exercise, value))
    return result | {"message": result["message"].replace(show(value), VALUE)}


def _other(exercise: NumberExercise) -> dict[str, Any]:
    """The result for a value that nobody foresaw, with a place for the value."""
    foreseen = [exercise.answer, *(each.value for each in exercise.wrong_numbers)]
    value = next(value for value in (86.421, 97.531, 1.2345) if all(abs(value - each) > 10 for each in foreseen))
    result = as_json(grade(exercise, value))
    return result | {"message": result["message"].replace(str(value), VALUE)}
