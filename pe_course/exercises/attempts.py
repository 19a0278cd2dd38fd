"""Run a function on the cases of an exercise, in one of the forms that arrays can take."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from inspect import Parameter
from typing import Any

from pe_course.exercises.exercise import Case, CodeExercise
from pe_course.exercises.guard import SECONDS, LimitedText, Problem, guarded
from pe_course.exercises.restore import contained
from pe_course.exercises.sources import load, parameters
from pe_course.exercises.values import Unusable, agree, flat, plain

_STARRED = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
LISTS, ARRAYS, TENSORS = "lists", "arrays", "tensors"


@dataclass(frozen=True)
class Outcome:
    """What one call gave: a plain value or a problem; and whether it changed its arguments."""

    value: Any = None
    problem: Problem | None = None
    changed: bool = False


@lru_cache(maxsize=1)
def arrays_installed() -> bool:
    try:
        return find_spec("numpy") is not None
    except (ImportError, ValueError):
        return False


def forms_here() -> tuple[str, ...]:
    """The forms to try, best first; tensors come last, and only if something has imported torch by then."""
    return (ARRAYS, LISTS, TENSORS) if arrays_installed() else (LISTS, TENSORS)


def in_form(value: Any, form: str) -> Any:
    """A fresh copy of an argument: lists become arrays or tensors, all else stays."""
    if not isinstance(value, list):
        return deepcopy(value)
    if form == ARRAYS:
        import numpy

        return numpy.array(value)
    if form == TENSORS:
        import torch

        kinds = {type(number) for number in flat(value)}
        exact = torch.complex128 if complex in kinds else torch.float64 if float in kinds else None
        return torch.tensor(value, dtype=exact)
    return deepcopy(value)


def call(
    function: Callable[..., Any],
    exercise: CodeExercise,
    case: Case,
    form: str,
    *,
    seconds: float = SECONDS,
    printed: LimitedText | None = None,
) -> Outcome:
    """One guarded call on fresh copies of the case's arguments."""
    names = argument_names(exercise)
    given = {**dict(zip(names, case.args, strict=False)), **case.kwargs}
    given = {name: given[name] for name in names if name in given or _needs(function, exercise, given, name)}
    fresh = {name: in_form(value, form) for name, value in given.items()}
    args, kwargs = _fitted(function, names, fresh)
    value = guarded(lambda: plain(contained(function, *args, **kwargs)), seconds=seconds, printed=printed)
    changed = not all(_unchanged(given[name], fresh[name]) for name in given)
    if isinstance(value, Problem):
        return Outcome(problem=value, changed=changed)
    return Outcome(value=value, changed=changed)


def _needs(function: Callable[..., Any], exercise: CodeExercise, given: dict[str, Any], name: str) -> bool:
    """Fills in the default of an argument that the learner's function has no default for."""
    place = argument_names(exercise).index(name)
    own = parameters(function)
    if place >= len(own) or own[place].default is not Parameter.empty or own[place].kind in _STARRED:
        return False
    given[name] = parameters(solution_of(exercise))[place].default
    return True


def _unchanged(before: Any, after: Any) -> bool:
    if not isinstance(before, list):
        return True
    after = guarded(lambda: plain(after))
    return not isinstance(after, Problem) and agree(before, after, 1e-12)


def _fitted(function: Callable[..., Any], names: list[str], given: dict[str, Any]) -> tuple[list, dict[str, Any]]:
    """Arguments by position, so that a learner may rename them; by name where the function insists."""
    own = parameters(function)
    by_name = {p.name for p in own if p.kind is Parameter.KEYWORD_ONLY and p.name in given}
    order = [name for name in names if name in given]
    gap = next((place for place, name in enumerate(names) if name not in given), len(names))
    late = {name for name in order if names.index(name) > gap} | by_name
    return [given[name] for name in order if name not in late], {name: given[name] for name in order if name in late}


def argument_names(exercise: CodeExercise) -> list[str]:
    return [parameter.name for parameter in parameters(solution_of(exercise))]


def arguments_of(exercise: CodeExercise, case: Case) -> dict[str, Any]:
    """The case's arguments by name, without the defaults."""
    return {**dict(zip(argument_names(exercise), case.args, strict=False)), **case.kwargs}


def call_text(exercise: CodeExercise, case: Case) -> str:
    """The call as the learner would write it, shortened: ``sinusoidal_pe(4, 6, base=100)``."""
    from pe_course.exercises.values import show

    shown = [show(value) for value in case.args]
    shown += [f"{name}={show(value)}" for name, value in case.kwargs.items()]
    return f"{exercise.function}({', '.join(shown)})".replace("−", "-")


@cache
def solution_of(exercise: CodeExercise) -> Callable[..., Any]:
    return load(exercise.solution, exercise.function, f"<solution of {exercise.id}>")


@cache
def cases_of(exercise: CodeExercise) -> tuple[Case, ...]:
    return tuple(exercise.cases())


@cache
def expected_of(exercise: CodeExercise) -> tuple[Any, ...]:
    """The solution's values on all cases, plain."""
    return tuple(value_of(solution_of(exercise), case) for case in cases_of(exercise))


def value_of(source: Callable[..., Any], case: Case) -> Any:
    """What one of our own sources returns on a case; it is applied along the leading axes."""
    return plain(_along(source, case.leading, deepcopy(case.args), deepcopy(case.kwargs)))


def _along(source: Callable[..., Any], leading: int, args: tuple, kwargs: dict[str, Any]) -> Any:
    if leading == 0:
        return source(*args, **kwargs)
    return [_along(source, leading - 1, (part, *args[1:]), kwargs) for part in args[0]]


def comparable(exercise: CodeExercise, value: Any, case: Case) -> Any:
    """What of a value of the right shape is compared. Raises: Unusable if it cannot be."""
    if compares_everything(exercise):
        return value
    return _comparable_along(exercise, value, case, case.leading)


def compares_everything(exercise: CodeExercise) -> bool:
    """True if the contract leaves nothing of the value free."""
    return type(exercise).comparable is CodeExercise.comparable


def _comparable_along(exercise: CodeExercise, value: Any, case: Case, leading: int) -> Any:
    if leading == 0:
        try:
            return plain(exercise.comparable(value, case))
        except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError) as error:
            raise Unusable(f"numbers that cannot be compared ({error})") from error
    parts = [Case((part, *case.args[1:]), case.kwargs, case.tolerance) for part in case.args[0]]
    return [_comparable_along(exercise, v, part, leading - 1) for v, part in zip(value, parts, strict=True)]
