"""Grade a choice, a number or a text."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

from pe_course.exercises.exercise import ChoiceExercise, Exercise, NumberExercise, OpenExercise
from pe_course.exercises.guard import Problem, guarded
from pe_course.exercises.result import ERROR, NOT_ATTEMPTED, OTHER_CONVENTION, RIGHT, WRONG, Failed, Result
from pe_course.exercises.values import plain, shorten, show


def grade_answer(exercise: Exercise, answer: Any) -> Result:
    """The verdict on an answer that is not code."""
    if isinstance(exercise, ChoiceExercise):
        return _grade_choice(exercise, answer)
    if isinstance(exercise, NumberExercise):
        return _grade_number(exercise, answer)
    if isinstance(exercise, OpenExercise):
        return _grade_open(exercise, answer)
    raise TypeError(f"no grader for exercises of kind {exercise.kind!r}")


def _grade_choice(exercise: ChoiceExercise, answer: Any) -> Result:
    keys = ", ".join(option.key for option in exercise.options)
    if not issubclass(type(answer), str):
        return Result(ERROR, f"answer with one of the keys {keys}, as a text: 'a'.", id=exercise.id)
    wanted = str.strip(answer).strip("()[].:`'\" ").lower()
    if not wanted:
        return Result(NOT_ATTEMPTED, f"answer with one of the keys {keys}.", id=exercise.id)
    chosen = [one for one in exercise.options if wanted in (one.key.lower(), one.text.strip().lower())]
    if not chosen:
        return Result(ERROR, f"there is no option {shorten(wanted, 20)!r}; the keys are {keys}.", id=exercise.id)
    option = chosen[0]
    if option.right:
        return Result(RIGHT, option.feedback, id=exercise.id, accepted=True)
    right = next(one.key for one in exercise.options if one.right)
    return Result(WRONG, option.feedback, option.key, Failed(exercise.title, right, option.key), id=exercise.id)


def _grade_number(exercise: NumberExercise, answer: Any) -> Result:
    value = number_from(answer)
    if value is None:
        empty = issubclass(type(answer), str) and not answer.strip()
        if empty:
            return Result(NOT_ATTEMPTED, "nothing to check yet.", id=exercise.id)
        return Result(ERROR, "answer with a number, such as `0.5` or `1/2`.", id=exercise.id)
    if abs(value - exercise.answer) <= exercise.tolerance:
        unit = f" {exercise.unit}" if exercise.unit else ""
        return Result(RIGHT, f"{show(float(exercise.answer))}{unit}.", id=exercise.id, accepted=True)
    for wrong in exercise.wrong_numbers:
        reach = exercise.tolerance if wrong.tolerance is None else wrong.tolerance
        if abs(value - wrong.value) <= reach:
            return Result(WRONG, wrong.message, wrong.id, id=exercise.id)
    return Result(WRONG, f"{show(value)} is not the answer.", id=exercise.id)


def number_from(answer: Any) -> float | None:
    """A float from a number, ``"1/2"``, ``"0,5"``, ``"50 %"``, ``"1e-3"``, ``"−2"``; None from anything else."""
    if issubclass(type(answer), str):
        return _number_from_text(answer)
    value = guarded(lambda: plain(answer))
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, (int, float)) and not isinstance(value, Problem):
        return _finite(value)
    return None


def _number_from_text(text: str) -> float | None:
    text = text.strip().replace("−", "-").replace("\N{MULTIPLICATION SIGN}", "*").replace(" ", "")
    percent = text.endswith("%")
    text = text.removesuffix("%")
    if re.fullmatch(r"[-+]?\d+,\d+", text, re.ASCII):
        text = text.replace(",", ".")
    if not re.fullmatch(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?(/\d+)?", text, re.ASCII):
        return None
    top, _, bottom = text.partition("/")
    if bottom and not bottom.strip("0"):
        return None
    try:
        value = float(Fraction(top) / int(bottom)) if bottom and "e" not in top.lower() else float(top)
    except (ValueError, OverflowError):  # more digits than Python reads
        return None
    return _finite(value / 100 if percent else value)


def _finite(value: float) -> float | None:
    try:
        value = float(value)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def _grade_open(exercise: OpenExercise, answer: Any) -> Result:
    if not issubclass(type(answer), str):
        return Result(ERROR, "answer in your own words, as a text.", id=exercise.id)
    if len(str.split(answer)) < 3:
        return Result(NOT_ATTEMPTED, "answer in a sentence or two, then compare.", id=exercise.id)
    points = "\n".join(f"- {point}" for point in exercise.points)
    text = (
        f"no program can grade this; `solution({exercise.id!r})` shows a model answer. Does yours say this?\n{points}"
    )
    return Result(OTHER_CONVENTION, text, id=exercise.id, heading="In your own words")
