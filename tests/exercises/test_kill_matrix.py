"""Every right answer is accepted, every known mistake is rejected with its own message, on every surface."""

from __future__ import annotations

import pytest

from pe_course.exercises.attempts import cases_of, expected_of
from pe_course.exercises.exercise import CodeExercise, Mistake, edited
from pe_course.exercises.matrix import NOTEBOOK, PAGE, code_exercises, fits, grade_on, matrix, row, surfaces
from pe_course.exercises.registry import find
from pe_course.exercises.result import NOT_ATTEMPTED, OTHER_CONVENTION, RIGHT, WRONG

CODE = code_exercises()
SURFACES = (PAGE, NOTEBOOK)


def _ids(one) -> str:
    return getattr(one, "id", str(one))


def test_this_machine_has_both_surfaces():
    assert surfaces() == SURFACES


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("exercise", CODE, ids=_ids)
def test_solution_is_right_and_starter_not_attempted(exercise, surface):
    solution = grade_on(surface, exercise, exercise.solution)
    assert (solution.verdict, solution.accepted) == (RIGHT, True), solution
    starter = grade_on(surface, exercise, exercise.starter)
    assert (starter.verdict, starter.accepted) == (NOT_ATTEMPTED, False), starter


VARIANTS = [
    (surface, exercise, variant)
    for surface in SURFACES
    for exercise in CODE
    for variant in exercise.variants
    if surface == NOTEBOOK or not variant.arrays  # the page has no NumPy
]


@pytest.mark.parametrize(("surface", "exercise", "variant"), VARIANTS, ids=lambda one: _ids(one)[:40])
def test_variant_is_right(surface, exercise, variant):
    assert grade_on(surface, exercise, variant.source).verdict == RIGHT, variant.idea


@pytest.mark.parametrize(
    ("exercise", "mistake", "surface"),
    [
        (one, mistake, surface)
        for one in CODE
        for mistake in one.mistakes
        for surface in SURFACES
        if not (surface == PAGE and mistake.arrays)  # the page has no NumPy
    ],
    ids=_ids,
)
def test_mistake_is_rejected_with_its_own_message(exercise, mistake, surface):
    result = grade_on(surface, exercise, mistake.source)
    assert result.verdict == (OTHER_CONVENTION if mistake.convention else WRONG), result
    assert result.mistake == mistake.id, result
    assert mistake.message in result.message
    assert result.failed is not None
    assert exercise.function in result.failed.inputs


@pytest.mark.parametrize("exercise", CODE, ids=_ids)
def test_an_exercise_is_complete(exercise):
    assert len(exercise.hints) >= 2
    assert exercise.variants
    assert len(exercise.mistakes) >= 3
    ids = [mistake.id for mistake in exercise.mistakes]
    messages = [mistake.message for mistake in exercise.mistakes]
    assert len(set(ids)) == len(ids)
    assert len(set(messages)) == len(messages)
    assert "In words:" in exercise.prompt or exercise.id.startswith("debug-")
    assert f"def {exercise.function}(" in exercise.starter
    assert exercise.function in exercise.prompt
    assert len(expected_of(exercise)) == len(cases_of(exercise)) >= 3


def test_the_exercises_that_the_course_promises_are_there():
    promised = {
        *("sinusoidal-pe", "rope-apply", "t5-bucket", "alibi-slopes", "alibi-bias", "positions-from-mask"),
        *("rel-shift", "ntk-base", "yarn-ramp", "logn-scale", "shaw-index"),
    }
    assert promised <= {one.id for one in CODE}
    assert len(CODE) >= 23
    assert sum(one.id.startswith("debug-") for one in CODE) >= 3


@pytest.mark.slow
def test_the_matrix_counts_what_it_graded():
    exercise = find("rotate-pair")
    (entry,) = matrix([exercise])
    for surface in SURFACES:
        assert entry[surface]["solution"] is entry[surface]["starter"] is True
        assert entry[surface]["variants_accepted"] == entry[surface]["variants"] == len(exercise.variants)
        assert entry[surface]["mistakes_rejected"] == entry[surface]["mistakes"] == len(exercise.mistakes)
        assert entry[surface]["wrongly_graded"] == []
    assert entry["mutants"]["counted"] == entry["mutants"]["rejected"] > 30


def _with(exercise: CodeExercise, **attributes) -> CodeExercise:
    """The exercise, broken on purpose; registers nothing."""
    return type(f"Broken{type(exercise).__name__}", (type(exercise),), attributes)()


def test_the_matrix_sees_a_grader_that_accepts_a_mistake():
    exercise = find("rope-apply")
    passed = row(_with(exercise, cases=lambda self: exercise.cases()[:1]), PAGE)["wrongly_graded"]
    assert "half-split" not in passed  # one good case catches it
    assert "row-number" in passed  # but positions 0, 1, 2 cannot tell who ignores them


@pytest.mark.slow
def test_the_matrix_sees_a_grader_that_refuses_a_right_answer():
    strict = _with(find("alibi-bias"), comparable=lambda self, value, case: value)
    missed = row(strict, PAGE)["wrongly_graded"]
    assert "the key's index alone: every row differs by a constant, which softmax removes" in missed


def test_the_matrix_sees_a_message_that_belongs_to_another_mistake():
    exercise = find("rotate-pair")
    first, second, *rest = exercise.mistakes
    mixed = Mistake(first.id, first.message, second.source), Mistake(second.id, second.message, first.source)
    result = grade_on(PAGE, _with(exercise, mistakes=(*mixed, *rest)), first.source)
    assert not fits(first, result)


def test_editing_a_source_insists_on_finding_the_place():
    with pytest.raises(ValueError, match="has no 'cosh'"):
        edited("sin(x)", ("cosh", "cos"))
