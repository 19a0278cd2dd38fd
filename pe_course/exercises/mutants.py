"""Wrong answers made by machine: every solution with one operator, constant, index or name changed.

The known mistakes are those that somebody thought of. Mutants show whether the cases also catch the others.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from pe_course.exercises.attempts import Outcome, cases_of, comparable, expected_of, solution_of, value_of
from pe_course.exercises.exercise import Case, CodeExercise
from pe_course.exercises.grade import judge
from pe_course.exercises.guard import Problem
from pe_course.exercises.values import Unusable, agree, plain, shape_of

RANDOM_INPUTS = 200
MOST_STEPS = 20_000  # of all loops in one call: far more than a solution takes, and well under a second

_OPERATORS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add, ast.Mult),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mod),
    ast.Mod: (ast.FloorDiv, ast.Mult),
    ast.Pow: (ast.Mult, ast.Div),
}
_COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
_CALLS = {
    "max": "min",
    "min": "max",
    "sin": "cos",
    "cos": "sin",
    "floor": "ceil",
    "ceil": "floor",
    "log": "exp",
    "exp": "log",
}


@dataclass(frozen=True)
class Mutant:
    """A solution with one change, and that change in words."""

    change: str
    line: int
    source: str


@dataclass(frozen=True)
class Verdicts:
    """What became of an exercise's mutants."""

    rejected: list[Mutant]
    survived: list[Mutant]  # behave otherwise, and pass: a hole in the cases
    equivalent: list[Mutant]  # no random input tells them from the solution

    @property
    def counted(self) -> int:
        return len(self.rejected) + len(self.survived)


def mutants_of(exercise: CodeExercise) -> Iterator[Mutant]:
    """Every mutant of the solution; each differs from it in one place."""
    tree = ast.parse(exercise.solution)
    names = _names(tree)
    seen = {ast.unparse(tree)}
    for place, node in enumerate(ast.walk(tree)):
        for number, _ in enumerate(_changes(node, names)):
            other = copy.deepcopy(tree)
            target = next(found for index, found in enumerate(ast.walk(other)) if index == place)
            before = _text(target)
            list(_changes(target, names))[number]()
            source = ast.unparse(other)
            if source not in seen:
                seen.add(source)
                yield Mutant(f"`{before}` becomes `{_text(target)}`", getattr(node, "lineno", 1), source)


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def _names(tree: ast.Module) -> list[str]:
    """Arguments and local names; only these are exchanged."""
    found = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    found |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return sorted(found)


def _changes(node: ast.AST, names: list[str]) -> Iterator[Callable[[], None]]:
    """Changes of this node, each applied in place when it is called."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        yield from (_setter(node, "op", kind()) for kind in _OPERATORS.get(type(node.op), ()))
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from (_setter(node, "ops", [kind()]) for kind in _COMPARISONS.get(type(node.ops[0]), ()))
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield from (_setter(node, "value", value) for value in _other_numbers(node.value))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield _setter(node, "op", ast.UAdd())
    elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        yield from (_setter(node, "slice", ast.BinOp(node.slice, op, ast.Constant(1))) for op in (ast.Add(), ast.Sub()))
    elif isinstance(node, ast.IfExp):
        yield _setter(node, "test", ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Call):
        yield from _call_changes(node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        yield from (_setter(node, "id", name) for name in names if name != node.id)


def _call_changes(node: ast.Call) -> Iterator[Callable[[], None]]:
    function = node.func
    field = "attr" if isinstance(function, ast.Attribute) else "id"
    other = _CALLS.get(getattr(function, field, ""))
    if other is not None:
        yield _setter(function, field, other)
    if getattr(function, "id", "") == "abs":
        yield _setter(function, "id", "float")
    if getattr(function, "id", "") == "range":
        last = node.args[-1]
        for op in (ast.Add(), ast.Sub()):
            yield _setter(node, "args", [*node.args[:-1], ast.BinOp(last, op, ast.Constant(1))])


def _setter(node: ast.AST, field: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(node, field, value)


def _other_numbers(value: float) -> tuple[float, ...]:
    return tuple({value + 1, value - 1, value * 2, type(value)(0)} - {value})


# --- running them ------------------------------------------------------------------------------------------------


class _TooManySteps(BaseException):
    pass


class _Counted(ast.NodeTransformer):
    """Counts the steps of every loop, so that a mutant that never ends is stopped at once, on any machine."""

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._counted(node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._counted(node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(ast.Call(ast.Name("_step", ast.Load()), [], [])))
        return node

    @staticmethod
    def _counted(values: ast.expr) -> ast.expr:
        return ast.Call(ast.Name("_steps", ast.Load()), [values], [])


class _Runner:
    """A mutant's function, with its steps counted."""

    def __init__(self, mutant: Mutant, function: str) -> None:
        tree = ast.fix_missing_locations(_Counted().visit(ast.parse(mutant.source)))
        self._left = 0
        namespace: dict[str, Any] = {"__name__": "__mutant__", "_step": self._step, "_steps": self._steps}
        exec(compile(tree, "<mutant>", "exec", dont_inherit=True), namespace)
        self._function = namespace[function]

    def _step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _TooManySteps

    def _steps(self, values: Any) -> Iterator[Any]:
        for value in values:
            self._step()
            yield value

    def outcome(self, case: Case) -> Outcome:
        self._left = MOST_STEPS
        try:
            return Outcome(value=plain(self._function(*copy.deepcopy(case.args), **case.kwargs)))
        except Unusable as unusable:
            return Outcome(problem=Problem("unusable", f"returned {unusable}"))
        except _TooManySteps:
            return Outcome(problem=Problem("time", "does not end"))
        except Exception as error:
            return Outcome(problem=Problem("raised", "raises", type(error).__name__))


def random_cases(exercise: CodeExercise, count: int = RANDOM_INPUTS) -> list[tuple[Case, Any]]:
    """Seeded inputs wider than the grader's, with the solution's values."""
    rng = Random(exercise.id)
    cases = [exercise.random_case(rng) for _ in range(count)]
    return [(case, value_of(solution_of(exercise), case)) for case in cases]


def try_mutants(exercise: CodeExercise) -> Verdicts:
    """Grade every mutant of an exercise's solution on the cases that work with lists."""
    verdicts = Verdicts([], [], [])
    wide = random_cases(exercise)
    graded = [
        (case, expected)
        for case, expected in zip(cases_of(exercise), expected_of(exercise), strict=True)
        if not case.arrays
    ]
    for mutant in mutants_of(exercise):
        try:
            run = _Runner(mutant, exercise.function)
        except Exception:
            verdicts.rejected.append(mutant)
            continue
        if any(not judge(exercise, case, expected, run.outcome(case)).passed for case, expected in graded):
            verdicts.rejected.append(mutant)
        elif any(_differs(exercise, case, expected, run.outcome(case)) for case, expected in wide):
            verdicts.survived.append(mutant)
        else:
            verdicts.equivalent.append(mutant)
    return verdicts


def _differs(exercise: CodeExercise, case: Case, expected: Any, outcome: Outcome) -> bool:
    """Differs by more than rounding."""
    if outcome.problem is not None:
        return True
    try:
        if shape_of(outcome.value) != shape_of(expected):
            return True
        return not agree(comparable(exercise, expected, case), comparable(exercise, outcome.value, case), 1e-9)
    except Unusable:
        return True
