"""Wrong answers made by machine: at least 99 of 100 that behave otherwise are rejected, within a minute."""

from __future__ import annotations

import ast
import time

import pytest

from pe_course.exercises.exercise import Case, CodeExercise
from pe_course.exercises.matrix import code_exercises
from pe_course.exercises.mutants import Mutant, _Runner, mutants_of, random_cases, try_mutants
from pe_course.exercises.registry import find

SHARE = 0.99
SECONDS = 60


@pytest.mark.slow
def test_mutants_that_behave_otherwise_are_rejected():
    start = time.process_time()
    counted, survived = 0, []
    for exercise in code_exercises():
        verdicts = try_mutants(exercise)
        counted += verdicts.counted
        survived += [f"{exercise.id}, line {one.line}: {one.change}" for one in verdicts.survived]
    assert counted > 1500
    assert len(survived) <= (1 - SHARE) * counted, "\n".join(survived)
    assert time.process_time() - start < SECONDS


def test_mutants_differ_from_the_solution_and_from_each_other():
    exercise = find("rotate-pair")
    sources = [one.source for one in mutants_of(exercise)]
    assert len(set(sources)) == len(sources) > 30
    assert ast.unparse(ast.parse(exercise.solution)) not in sources
    changes = " ".join(one.change for one in mutants_of(exercise))
    assert "math.cos" in changes
    assert "`a * cosine - b * sine` becomes `a * cosine + b * sine`" in changes


def test_few_cases_let_mutants_through():
    exercise = find("logn-scale")
    weak = type("Weak", (type(exercise),), {"cases": lambda self: [Case((3, 16))]})()
    verdicts = try_mutants(weak)
    assert len(verdicts.rejected) < SHARE * verdicts.counted


def test_a_mutant_that_never_ends_is_stopped():
    loop = Mutant("", 1, "def f(n):\n    while n:\n        pass\n")
    assert _Runner(loop, "f").outcome(Case((1,))).problem.kind == "time"
    long = Mutant("", 1, "def f(n):\n    return [0 for _ in range(n)]\n")
    assert _Runner(long, "f").outcome(Case((10**9,))).problem.kind == "time"
    assert _Runner(long, "f").outcome(Case((3,))).value == [0, 0, 0]


@pytest.mark.parametrize("exercise", code_exercises(), ids=lambda one: one.id)
def test_random_inputs_are_seeded_legal_and_many(exercise: CodeExercise):
    first, again = random_cases(exercise), random_cases(exercise)
    assert [case for case, _ in first] == [case for case, _ in again]
    assert len(first) == 200
    assert len({repr((case.args, case.kwargs)) for case, _ in first}) >= 10
