"""Grade a choice, a number or a text."""

from __future__ import annotations

import math
import re
from typing import Any

from pe_course.exercises.exercise import ChoiceExercise, Exercise, NumberExercise, OpenExercise, WrongNumber
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
    wanted = re.sub(r"^(option|answer)\b[\s:]*", "", str.strip(answer).lower()).strip("()[].:`'\" ")
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
    values = numbers_from(answer, exercise.unit)
    if not values:
        empty = issubclass(type(answer), str) and not answer.strip()
        if empty:
            return Result(NOT_ATTEMPTED, "nothing to check yet.", id=exercise.id)
        return Result(ERROR, "answer with a number, such as `0.5` or `1/2`.", id=exercise.id)
    if any(abs(value - exercise.answer) <= exercise.tolerance for value in values):
        unit = f" {exercise.unit}" if exercise.unit else ""
        return Result(RIGHT, f"{show(float(exercise.answer))}{unit}.", id=exercise.id, accepted=True)
    for wrong in exercise.wrong_numbers:
        if any(abs(value - wrong.value) <= reach(exercise, wrong) for value in values):
            return Result(WRONG, wrong.message, wrong.id, id=exercise.id)
    if any(abs(value - exercise.answer) <= closeness(exercise) for value in values):
        return Result(WRONG, f"{show(values[0])} is close. Give a digit more.", id=exercise.id)
    return Result(WRONG, f"{show(values[0])} is not the answer.", id=exercise.id)


def reach(exercise: NumberExercise, wrong: WrongNumber) -> float:
    """How far from a common wrong value its sentence still holds: no further than one percent, unless it says so."""
    if wrong.tolerance is not None:
        return wrong.tolerance
    return min(exercise.tolerance, 0.01 * abs(wrong.value)) if wrong.value else exercise.tolerance


def closeness(exercise: NumberExercise) -> float:
    """How far from the answer a number may be to count as rounded too soon; never for whole numbers."""
    return 0.015 * abs(exercise.answer) if exercise.tolerance else 0.0


def numbers_from(answer: Any, unit: str = "") -> list[float]:
    """What an answer may mean, likeliest first: ``"54,410"`` is a whole number or one with a decimal comma.

    Reads numbers and texts such as ``"1/2"``, ``"0,5"``, ``"50 %"``, ``"1e-3"``, ``"−2"``, ``"2π"``, ``"≈ 6.28 m"``
    (if ``unit`` is ``"m"``); empty for anything else.
    """
    if issubclass(type(answer), str):
        readings = _readings(answer, unit)
        return [value for value in map(_number_from_text, readings) if value is not None]
    value = guarded(lambda: plain(answer))
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, (int, float)) and not isinstance(value, Problem):
        value = _finite(value)
        return [] if value is None else [value]
    return []


def _readings(text: str, unit: str) -> list[str]:
    """The text without what stands around its number; twice if a comma or point may part thousands."""
    text = " ".join(text.replace("−", "-").split()).lstrip("≈~= ").lower()
    text = text.removesuffix(unit.lower()).rstrip()
    if re.fullmatch(r"[-+]?[1-9]\d{0,2}( \d{3})+", text, re.ASCII):
        return [text.replace(" ", "")]
    if re.search(r"\d \d", text, re.ASCII):
        return []  # two numbers
    text = text.replace(" ", "")
    thousands = re.fullmatch(r"[-+]?[1-9]\d{0,2}(?:([,.])\d{3})(?:\1\d{3})*", text, re.ASCII)
    if not thousands:
        return [text]
    whole = text.replace(thousands[1], "")
    return [whole, text] if thousands[1] == "," else [text, whole]


_DECIMAL = r"(?:\d+(?:[.,]\d*)?|[.,]\d+)"
_NUMBER = re.compile(rf"([-+]?)({_DECIMAL}(?:e[-+]?\d{{1,3}})?)?\*?(π|pi)?(?:/({_DECIMAL}))?(%?)", re.ASCII)


def _number_from_text(text: str) -> float | None:
    found = _NUMBER.fullmatch(text)
    if not found or not (found[2] or found[3]):
        return None
    sign, number, pi, below, percent = found.groups()
    top = float((number or "1").replace(",", ".")) * (math.pi if pi else 1)
    bottom = float((below or "1").replace(",", "."))
    if not bottom:
        return None
    return _finite(top / bottom / (100 if percent else 1) * (-1 if sign == "-" else 1))


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
