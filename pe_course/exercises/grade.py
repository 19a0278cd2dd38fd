"""Grade a function: run it, find the first input that separates it from the solution, name the mistake."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pe_course.exercises import diagnose
from pe_course.exercises.attempts import (
    LISTS,
    TENSORS,
    Outcome,
    argument_names,
    call,
    call_text,
    cases_of,
    comparable,
    expected_of,
    forms_here,
)
from pe_course.exercises.exercise import Case, CodeExercise
from pe_course.exercises.guard import SECONDS, LimitedText, describe_error
from pe_course.exercises.result import ERROR, NOT_ATTEMPTED, OTHER_CONVENTION, RIGHT, WRONG, Failed, Result
from pe_course.exercises.sources import is_empty, load, names_in, parameters, same_code
from pe_course.exercises.values import Unusable, first_difference, shape_of, show


@dataclass(frozen=True)
class Judged:
    """One case: whether it passed, and in words what was wrong with it."""

    case: Case
    outcome: Outcome
    passed: bool
    verdict: str = RIGHT
    sentence: str = ""
    expected: str = ""
    got: str = ""
    same_shape: bool = False


def grade_function(
    exercise: CodeExercise,
    function: Callable[..., Any],
    *,
    forms: Sequence[str] | None = None,
    seconds: float = SECONDS,
    printed: LimitedText | None = None,
) -> Result:
    """The verdict on a learner's function. Never raises, whatever the function does."""
    printed = LimitedText() if printed is None else printed
    try:
        result = _not_attempted(exercise, function) or _wrong_arguments(exercise, function)
        if result is None:
            result = _best_of_forms(exercise, function, forms or forms_here(), seconds, printed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an object that raises wherever one looks, or a fault of the grader
        result = Result(ERROR, f"this answer could not be graded: the check {describe_error(error).sentence}.")
    return replace(result, output=printed.text(), id=exercise.id, accepted=result.accepted or result.right)


def _best_of_forms(
    exercise: CodeExercise, function: Callable[..., Any], forms: Sequence[str], seconds: float, printed: LimitedText
) -> Result:
    """A function that needs lists, or only arrays, is not wrong for that: try the other form before blaming."""
    failed: list[Judged] = []
    for form in forms:
        if form == TENSORS and sys.modules.get("torch") is None:
            continue
        judged, note = _run_cases(exercise, function, form, seconds, printed)
        wrong = [one for one in judged if not one.passed]
        if not wrong:
            return _passed(exercise, function, form, judged, note, seconds, printed)
        if not failed or (_first_wrong(failed).verdict == ERROR and wrong[0].verdict == WRONG):
            failed = judged
        if any(one.outcome.problem is not None and one.outcome.problem.kind == "time" for one in wrong):
            break
    return _explain(exercise, failed, _first_wrong(failed))


def _first_wrong(judged: Sequence[Judged]) -> Judged:
    return next(one for one in judged if not one.passed)


def _run_cases(
    exercise: CodeExercise, function: Callable[..., Any], form: str, seconds: float, printed: LimitedText
) -> tuple[list[Judged], str]:
    """Every case in one form, judged, and a note on what was left out."""
    judged, note = [], ""
    knows_arrays = _knows_arrays(function)
    for case, expected in zip(cases_of(exercise), expected_of(exercise), strict=True):
        if case.arrays and form == LISTS and not knows_arrays:
            continue
        outcome = call(function, exercise, case, form, seconds=seconds, printed=printed)
        one = judge(exercise, case, expected, outcome)
        if case.leading and not one.passed and not knows_arrays and _cannot_take_more_axes(one, judged):
            note = " It is written for plain lists; arrays with more axes before, it does not take yet."
            continue
        judged.append(one)
        if outcome.problem is not None and outcome.problem.kind in ("time", "input", "exit"):
            break
    return judged, note


def _passed(
    exercise: CodeExercise,
    function: Callable[..., Any],
    form: str,
    judged: Sequence[Judged],
    note: str,
    seconds: float,
    printed: LimitedText,
) -> Result:
    """All values are right; what remains is what the function did besides."""
    if any(one.outcome.changed for one in judged):
        return _changed_its_input(exercise, judged)
    again = call(function, exercise, judged[0].case, form, seconds=seconds, printed=printed)
    if not judge(exercise, judged[0].case, expected_of(exercise)[0], again).passed:
        text = "gives the right value at the first call and another one at the second, with the same input"
        return Result(WRONG, f"`{exercise.function}` {text}. Does it change something outside itself?")
    return Result(RIGHT, f"all {len(judged)} checks pass.{note}{_remark(exercise, judged)}")


def _remark(exercise: CodeExercise, judged: Sequence[Judged]) -> str:
    """The first thing that the exercise has to say of a value, such as that its rows are shifted."""
    remarks = (exercise.remark(one.outcome.value, one.case) for one in judged if not one.case.leading)
    return next((f" {remark}" for remark in remarks if remark), "")


def judge(exercise: CodeExercise, case: Case, expected: Any, outcome: Outcome) -> Judged:
    """Compare one outcome with what was expected."""
    if outcome.problem is not None:
        verdict = WRONG if outcome.problem.kind == "unusable" else ERROR
        kind = outcome.problem.error or outcome.problem.kind
        return Judged(case, outcome, False, verdict, outcome.problem.sentence, show(expected), kind)
    try:
        got = _same_shape(expected, outcome.value)
        difference = first_difference(
            comparable(exercise, expected, case), comparable(exercise, got, case), case.tolerance
        )
    except Unusable as unusable:
        return Judged(case, outcome, False, WRONG, f"returned {unusable}", show(expected), show(outcome.value))
    if difference is None:
        return Judged(case, outcome, True)
    place = _place(difference.index)
    right, other = show(difference.expected), show(difference.got)
    if exercise.truth:
        right, other = (str(bool(x)) if type(x) is int else show(x) for x in (difference.expected, difference.got))
    if right == other:
        right, other = repr(difference.expected), repr(difference.got)
    sentence = f"gives {other} instead of {right}{place}"
    if isinstance(difference.got, float) and difference.got != difference.got:
        sentence = f"gives NaN (not a number) instead of {right}{place}"
    sentence += f", {exercise.compared_as}" * bool(exercise.compared_as)
    return Judged(case, outcome, False, WRONG, sentence, right + place, other, same_shape=True)


def _same_shape(expected: Any, got: Any) -> Any:
    """The value, if its shape is the expected one; one number in a list of its own counts as a number."""
    shape = shape_of(got)
    wanted = shape_of(expected)
    if wanted == () and shape and all(length == 1 for length in shape):
        while isinstance(got, list):
            got = got[0]
        return got
    if shape != wanted:
        raise Unusable(f"{_shape_words(shape)} instead of {_shape_words(wanted)}")
    return got


def _shape_words(shape: tuple[int, ...]) -> str:
    if not shape:
        return "one number"
    if len(shape) == 1:
        return f"a list of {shape[0]} number{'s' * (shape[0] != 1)}"
    return f"the shape {' × '.join(map(str, shape))}"


def _place(index: tuple[int, ...]) -> str:
    if not index:
        return ""
    if len(index) == 1:
        return f" at index {index[0]}"
    before = f"part {', '.join(map(str, index[:-2]))}, " if len(index) > 2 else ""
    return f" in {before}row {index[-2]}, column {index[-1]}"


def _not_attempted(exercise: CodeExercise, function: Any) -> Result | None:
    starter = load_starter(exercise)
    if starter is not None and same_code(function, starter) and not is_empty(starter):
        return Result(NOT_ATTEMPTED, _still_broken(exercise, starter))
    if is_empty(function):
        return Result(NOT_ATTEMPTED, f"write the body of `{exercise.function}`, then check again.")
    return None


def _still_broken(exercise: CodeExercise, starter: Callable[..., Any]) -> str:
    """What the function to repair does wrong, so far."""
    for case, expected in zip(cases_of(exercise), expected_of(exercise), strict=True):
        one = judge(exercise, case, expected, call(starter, exercise, case, LISTS))
        if not one.passed:
            return f"this is the function as it was given. `{call_text(exercise, case)}` {one.sentence}."
    return "this is the function as it was given."


def load_starter(exercise: CodeExercise) -> Callable[..., Any] | None:
    try:
        return load(exercise.starter, exercise.function)
    except Exception:
        return None


def _wrong_arguments(exercise: CodeExercise, function: Callable[..., Any]) -> Result | None:
    """A sentence of our own where the function cannot take what it will be called with."""
    own = parameters(function)
    names = argument_names(exercise)
    if not own and _hides_signature(function):
        return None
    if any(one.kind is one.VAR_POSITIONAL for one in own):
        return None
    takes = [one for one in own if one.kind is not one.VAR_KEYWORD]
    needed = [one for one in takes if one.default is one.empty]
    if len(takes) >= len(names) and len(needed) <= len(names):
        return None
    count = f"{len(takes)} argument{'s' * (len(takes) != 1)}"
    return Result(ERROR, f"`{exercise.function}` is called with ({', '.join(names)}), but yours takes {count}.")


def _hides_signature(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function)
    except (TypeError, ValueError):
        return True
    return False


def _cannot_take_more_axes(one: Judged, before: list[Judged]) -> bool:
    """For code written for lists [T][D]: more axes make it raise or give another shape, and that is no mistake."""
    return not one.same_shape or not all(other.passed for other in before)


def _knows_arrays(function: Callable[..., Any]) -> bool:
    """Whether the function speaks of arrays; one that does not was written for lists."""
    return not _ARRAY_WORDS.isdisjoint(names_in(function))


_ARRAY_WORDS = {"np", "numpy", "torch", "shape", "reshape", "asarray", "size", "ndim", "swapaxes", "astype"}


def _changed_its_input(exercise: CodeExercise, judged: list[Judged]) -> Result:
    first = next(one for one in judged if one.outcome.changed)
    text = call_text(exercise, first.case)
    message = (
        f"the values are right, but `{exercise.function}` writes into its input: after `{text}` the caller's data "
        "has changed. Work on a copy, or build a new list."
    )
    return Result(WRONG, message, "changes-input", Failed(text, "the input as it was", "a changed input"))


def _explain(exercise: CodeExercise, judged: list[Judged], first: Judged) -> Result:
    text = call_text(exercise, first.case)
    failed = Failed(text, first.expected, first.got)
    if first.outcome.problem is not None and first.outcome.problem.kind == "not implemented":
        return Result(NOT_ATTEMPTED, f"`{exercise.function}` is still to be written: {first.sentence}.")
    what = f"`{text}` {first.sentence}{'' if first.sentence.endswith('?') else '.'}"
    found = diagnose.diagnose(exercise, judged, first)
    if any(one.outcome.changed for one in judged) and (found is None or found.mistake is None):
        what += " It also writes into its input; the caller's data must stay as it is."
    if found is None:
        return Result(first.verdict, what, None, failed)
    if found.convention:
        return Result(OTHER_CONVENTION, f"{found.sentence} {what}", found.mistake, failed, accepted=found.accepted)
    return Result(WRONG if found.mistake else first.verdict, f"{what} {found.sentence}", found.mistake, failed)
