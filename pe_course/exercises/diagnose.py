"""From wrong values to the sentence that helps: the exercise's own mistakes first, then the general ones."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, partial
from inspect import Parameter
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from pe_course.exercises import general
from pe_course.exercises.attempts import (
    argument_names,
    arguments_of,
    arrays_installed,
    call_text,
    cases_of,
    comparable,
    compares_everything,
    expected_of,
    in_form,
    solution_of,
    value_of,
)
from pe_course.exercises.changes import CHANGES, Change
from pe_course.exercises.errors import error_sentence
from pe_course.exercises.exercise import Case, CodeExercise, Mistake
from pe_course.exercises.guard import Problem, guarded
from pe_course.exercises.sources import load, parameters
from pe_course.exercises.tweaks import tweaks
from pe_course.exercises.values import Unusable, agree, close, flat, plain, shape_of

if TYPE_CHECKING:
    from pe_course.exercises.grade import Judged


@dataclass(frozen=True)
class Diagnosis:
    """What the answer did, in words."""

    sentence: str
    mistake: str | None = None
    convention: bool = False
    accepted: bool = False


@dataclass(frozen=True)
class Raised:
    """Stands for a value where a source raises."""

    error: str


def diagnose(exercise: CodeExercise, judged: Sequence[Judged], first: Judged) -> Diagnosis | None:
    """The mistake that explains every value that came; else what helps most, or None."""
    for mistake in exercise.mistakes:
        if _explains(exercise, outputs_of(exercise, mistake), judged):
            return Diagnosis(mistake.message, mistake.id, mistake.convention, mistake.accepted)
    found = _but_for_errors(exercise, judged, first)
    if found is not None:
        return found
    usable = [one for one in _with_values(judged) if not one.case.leading or _has_shape(exercise, one)]
    if first in usable and 2 * len(usable) > len(judged):
        found = _unchanged_input(exercise, usable) or _answer(exercise, usable, general.PLAIN)
        found = found or _as_if(exercise, usable) or _changed_output(exercise, usable)
        found = found or _answer(exercise, usable, general.CERTAIN)
        found = found or _both(exercise, usable) or _mostly(exercise, judged, first)
    if found is not None:
        return found
    if first.outcome.value is None:
        sentence = _about_problem(first)
        return Diagnosis(sentence) if sentence else None
    found = _about_shape(exercise, first) or _answer(exercise, usable, general.VAGUE)
    kept = _kept_columns(exercise, first)
    return replace(found, sentence=found.sentence + kept) if found is not None else None


# --- the exercise's own mistakes ----------------------------------------------------------------------------------


@cache
def outputs_of(exercise: CodeExercise, mistake: Mistake) -> tuple[Any, ...]:
    """The mistake's values on all cases; None where it cannot be run, Raised where it raises."""
    if mistake.arrays and not arrays_installed():
        return (None,) * len(cases_of(exercise))  # its source could not even be loaded
    function = _function_of(exercise, mistake)
    return tuple(_output(function, case, mistake.arrays) for case in cases_of(exercise))


@cache
def _function_of(exercise: CodeExercise, mistake: Mistake) -> Callable[..., Any]:
    return load(mistake.source, exercise.function, f"<mistake {mistake.id}>")


def _output(function: Callable[..., Any], case: Case, arrays: bool = False) -> Any:
    if arrays and not arrays_installed():
        return None
    if arrays:
        args = [in_form(value, "arrays") for value in case.args]
        value = guarded(lambda: plain(function(*args, **case.kwargs)), ours=True)
    else:
        value = guarded(lambda: value_of(function, case), ours=True)
    return Raised(value.error or value.kind) if isinstance(value, Problem) else value


def _explains(exercise: CodeExercise, outputs: Sequence[Any], judged: Sequence[Judged]) -> bool:
    """True if every value that came is among `outputs`, and one of them is not the solution's."""
    seen_wrong = False
    for one, output in zip(judged, _of_cases(exercise, outputs, judged), strict=True):
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
    if compares_everything(exercise):
        return False
    try:
        if shape_of(one) != shape_of(other):
            return False
        return agree(comparable(exercise, one, case), comparable(exercise, other, case), case.tolerance)
    except Unusable:
        return False


def _mostly(exercise: CodeExercise, judged: Sequence[Judged], first: Judged) -> Diagnosis | None:
    """A mistake that explains the first wrong value and a good part of the others; more is wrong besides."""
    wrong = [one for one in judged if not one.passed]
    for mistake in exercise.mistakes:
        outputs = outputs_of(exercise, mistake)
        if _yes_or_no(outputs):
            continue  # two answers agree by chance on half of the inputs
        theirs = _of_cases(exercise, outputs, wrong)
        fits = [one for one, output in zip(wrong, theirs, strict=True) if _fits(exercise, one, output)]
        if len(fits) >= 2 and first in fits and 3 * len(fits) >= len(wrong):
            rest = "something else is wrong besides" if len(fits) < len(wrong) else "your answer is right"
            return Diagnosis(f"{mistake.message} On other inputs {rest}.", mistake.id)
    return None


def _yes_or_no(outputs: Sequence[Any]) -> bool:
    return all(not isinstance(output, list) and output in (0, 1) for output in outputs)


def _but_for_errors(exercise: CodeExercise, judged: Sequence[Judged], first: Judged) -> Diagnosis | None:
    """A mistake that explains every value, while on other inputs the answer stopped or gave no number."""
    finite = [one for one in judged if _finite(one.outcome.value)]
    failed = [one for one in judged if one not in finite]
    if not failed or sum(not one.passed for one in finite) < 2:
        return None
    for mistake in exercise.mistakes:
        if _explains(exercise, outputs_of(exercise, mistake), finite):
            one = failed[0]
            end = "" if one is first else f" And besides: `{call_text(exercise, one.case)}` {one.sentence}."
            return Diagnosis(f"{mistake.message}{end}", mistake.id)
    return None


def _finite(value: Any) -> bool:
    return value is not None and all(isinstance(x, complex) or abs(x) < math.inf for x in flat(value))


def _fits(exercise: CodeExercise, one: Judged, output: Any) -> bool:
    if output is None or isinstance(output, Raised):
        return False
    numbers = list(flat(output))
    if len(numbers) > 3 and len(set(numbers)) == 1:
        return False  # a result that is the same number throughout fits too many mistakes
    return _same(exercise, one, output)


# --- general diagnoses that look at all cases ---------------------------------------------------------------------


def _with_values(judged: Sequence[Judged]) -> list[Judged]:
    return [one for one in judged if one.outcome.value is not None]


def _unchanged_input(exercise: CodeExercise, judged: Sequence[Judged]) -> Diagnosis | None:
    name = _returns_an_argument(exercise, judged, [one.outcome.value for one in judged])
    return Diagnosis(f"Your function returns `{name}` as it is.", "unchanged-input") if name else None


def _returns_an_argument(exercise: CodeExercise, judged: Sequence[Judged], values: Sequence[Any]) -> str | None:
    """The argument that these values are, on every input."""
    for name in argument_names(exercise):
        given = [arguments_of(exercise, one.case).get(name) for one in judged]
        if not all(isinstance(value, list) for value in given):
            continue
        if all(agree(one, other, 1e-12) for one, other in zip(given, values, strict=True)):
            return name
    return None


def _as_if(exercise: CodeExercise, judged: Sequence[Judged]) -> Diagnosis | None:
    """The right answer to another input: an argument that is ignored, off by one, halved, negated, exchanged."""
    for id, sentence, cases in chain(_tweaked(exercise, judged), _exchanged(exercise, judged)):
        outputs = _lazily(exercise, judged, solution_of(exercise), cases)
        if outputs is not None and _fit_all(exercise, judged, outputs):
            return Diagnosis(sentence, id)
    return None


def _fit_all(exercise: CodeExercise, judged: Sequence[Judged], outputs: Sequence[Any]) -> bool:
    """True if the outputs are what came, and explain a wrong value."""
    pairs = list(zip(judged, outputs, strict=True))
    if not any(output is not None and not one.passed for one, output in pairs):
        return False
    for one, output in pairs:
        if output is None:
            if not one.passed:
                return False
        elif isinstance(output, Raised) or not same_values(exercise, one.case, output, one.outcome.value):
            return False
    return True


def _tweaked(exercise: CodeExercise, judged: Sequence[Judged]) -> Iterator[tuple[str, str, list[Case | None]]]:
    """Each tweak of one argument: id, sentence, and the cases with it; None where it changes nothing."""
    angles = re.search(r"\bsin\(|\.sin\(|cmath", exercise.solution) is not None
    powers = "base **" in exercise.solution
    for parameter in parameters(solution_of(exercise)):
        default = None if parameter.default is Parameter.empty else parameter.default
        by_id: dict[str, dict[int, Case]] = {}
        sentences = {}
        for place, one in enumerate(judged):
            given = {parameter.name: default, **arguments_of(exercise, one.case)}
            if given[parameter.name] is None:
                continue
            for tweak in tweaks(parameter.name, given[parameter.name], default, angles=angles, powers=powers):
                sentences[tweak.id] = tweak.sentence
                by_id.setdefault(tweak.id, {})[place] = _with(exercise, one.case, {parameter.name: tweak.value})
        for id, cases in sorted(by_id.items(), key=lambda one: not one[0].endswith("-ignored")):
            yield id, sentences[id], [cases.get(place) for place in range(len(judged))]


def _exchanged(exercise: CodeExercise, judged: Sequence[Judged]) -> Iterator[tuple[str, str, list[Case | None]]]:
    """Each two arguments of one kind and shape, in each other's place."""
    all_given = [arguments_of(exercise, one.case) for one in judged]
    for a, b in combinations(argument_names(exercise), 2):
        if all(_alike(given.get(a), given.get(b)) for given in all_given):
            cases = [_with(exercise, one.case, {a: g[b], b: g[a]}) for one, g in zip(judged, all_given, strict=True)]
            yield f"{a}-{b}-exchanged", f"`{a}` and `{b}` have changed places.", cases


def _alike(one: Any, other: Any) -> bool:
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other))
    return numbers or (isinstance(one, list) and isinstance(other, list) and shape_of(one) == shape_of(other))


def _with(exercise: CodeExercise, case: Case, changed: dict[str, Any]) -> Case:
    given = {**arguments_of(exercise, case), **changed}
    first = argument_names(exercise)[0]
    args = (given.pop(first),)
    return Case(args, deepcopy(given), case.tolerance, case.arrays, case.leading)


def _changed_output(exercise: CodeExercise, judged: Sequence[Judged]) -> Diagnosis | None:
    """The right values, turned: negated, transposed, in another order."""
    expected = _expected(exercise, judged)
    for change in CHANGES:
        undone = [_undo(change.undo, one.outcome.value) for one in judged]
        if _undone_fit(exercise, judged, undone, expected):
            return Diagnosis(change.sentence, change.id)
    return None


def _both(exercise: CodeExercise, judged: Sequence[Judged]) -> Diagnosis | None:
    """A known mistake together with a general one."""
    undone = [(change, [_undo(change.undo, one.outcome.value) for one in judged]) for change in CHANGES]
    for mistake in exercise.mistakes:
        theirs = _of_cases(exercise, outputs_of(exercise, mistake), judged)
        if any(output is None or isinstance(output, Raised) for output in theirs) or _yes_or_no(theirs):
            continue
        if _returns_an_argument(exercise, judged, theirs):
            continue  # "unchanged, and besides changed" would say two things that cannot both be
        for change, values in undone:
            if _undone_fit(exercise, judged, values, theirs) and not _cancel(
                exercise, judged, theirs, _made(exercise, judged, change)
            ):
                return Diagnosis(f"{mistake.message} And besides: {change.sentence}", mistake.id)
    return _mistake_as_if(exercise, judged)


def _mistake_as_if(exercise: CodeExercise, judged: Sequence[Judged]) -> Diagnosis | None:
    for _, sentence, cases in _tweaked(exercise, judged):
        for mistake in exercise.mistakes:
            if mistake.arrays:
                continue
            function = _function_of(exercise, mistake)
            outputs = _lazily(exercise, judged, function, cases)
            if outputs is None or not _fit_all(exercise, judged, outputs):
                continue
            alone = _of_cases(exercise, outputs_of(exercise, mistake), judged)
            tweaked = [
                _output(solution_of(exercise), case or one.case) for one, case in zip(judged, cases, strict=True)
            ]
            if not _cancel(exercise, judged, alone, tweaked):
                return Diagnosis(f"{mistake.message} And besides: {sentence}", mistake.id)
    return None


def _made(exercise: CodeExercise, judged: Sequence[Judged], change: Change) -> list[Any]:
    """The right values with this slip alone."""
    return [_undo(change.make or change.undo, right) for right in _expected(exercise, judged)]


def _cancel(exercise: CodeExercise, judged: Sequence[Judged], first: Sequence[Any], second: Sequence[Any]) -> bool:
    """True if two slips together make entries right that each alone makes wrong: then it was something else."""
    both_wrong = cancelled = 0
    for one, right, *alone in zip(judged, _expected(exercise, judged), first, second, strict=True):
        if any(value is None or isinstance(value, Raised) for value in alone):
            continue
        try:
            values = [comparable(exercise, value, one.case) for value in (right, one.outcome.value, *alone)]
        except Unusable:
            continue
        near = partial(close, tolerance=max(one.case.tolerance, 1e-9))
        for wanted, got, *others in zip(*map(flat, values), strict=False):
            if not any(near(wanted, other) for other in others):
                both_wrong += 1
                cancelled += near(wanted, got)
    return 10 * cancelled > both_wrong  # one or two may agree by chance


def _lazily(
    exercise: CodeExercise, judged: Sequence[Judged], function: Callable[..., Any], cases: Sequence[Case | None]
) -> list[Any] | None:
    """The outputs, or None as soon as one of them is not what came."""
    outputs = []
    for one, case in zip(judged, cases, strict=True):
        output = _output(function, case or one.case)
        if isinstance(output, Raised) or not same_values(exercise, one.case, output, one.outcome.value):
            return None
        outputs.append(output)
    return outputs


def _expected(exercise: CodeExercise, judged: Sequence[Judged]) -> list[Any]:
    return _of_cases(exercise, expected_of(exercise), judged)


def _of_cases(exercise: CodeExercise, values: Sequence[Any], judged: Sequence[Judged]) -> list[Any]:
    """Of values that belong to all cases of an exercise, those of the judged ones."""
    by_case = {id(case): value for case, value in zip(cases_of(exercise), values, strict=True)}
    return [by_case[id(one.case)] for one in judged]


def _undo(undo: Callable[[Any], Any], value: Any) -> Any:
    try:
        return undo(value)
    except Exception:
        return None


def _undone_fit(exercise: CodeExercise, judged: Sequence[Judged], undone: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """True if undoing the change gives what is wanted, on all inputs where a value could be undone."""
    fitting = 0
    for one, value, right in zip(judged, undone, wanted, strict=True):
        if value is None and not one.passed:
            return False
        if value is not None:
            if not same_values(exercise, one.case, right, value):
                return False
            fitting += 1
    return 2 * fitting > len(judged)


# --- general diagnoses of the values, and of errors ---------------------------------------------------------------


def _about_shape(exercise: CodeExercise, first: Judged) -> Diagnosis | None:
    try:
        sentence = general.shape_sentence(_expected(exercise, [first])[0], first.outcome.value)
    except Unusable:
        return None
    return Diagnosis(sentence) if sentence else None


def _answer(exercise: CodeExercise, usable: Sequence[Judged], questions: Sequence[Callable]) -> Diagnosis | None:
    """The first question that the values answer with yes."""
    usable = [one for one in usable if _has_shape(exercise, one)]
    wrong = [one for one in usable if not one.passed]
    if not wrong or not all(_has_shape(exercise, one) for one in wrong):
        return None
    for question in questions:
        asked = wrong if question in (general.partly, general.not_finite) else usable
        found = _ask(question, _expected(exercise, asked), [one.outcome.value for one in asked])
        if found:
            return Diagnosis(found)
    return None


def _has_shape(exercise: CodeExercise, one: Judged) -> bool:
    try:
        return shape_of(one.outcome.value) == shape_of(_expected(exercise, [one])[0])
    except Unusable:
        return False


def _kept_columns(exercise: CodeExercise, first: Judged) -> str:
    right, other = _expected(exercise, [first])[0], first.outcome.value
    for name, given in arguments_of(exercise, first.case).items():
        try:
            if len(shape_of(given)) == 2 and shape_of(given) == shape_of(right) == shape_of(other):
                return general.kept_columns(name, given, right, other)
        except Unusable:
            return ""
    return ""


def _ask(question: Callable[..., str | None], expected: list[Any], got: list[Any]) -> str | None:
    try:
        return question(expected, got)
    except (TypeError, ValueError, ArithmeticError, IndexError):
        return None


def _about_problem(first: Judged) -> str | None:
    problem = first.outcome.problem
    return error_sentence(f"{problem.error} {problem.sentence}") if problem is not None else None
