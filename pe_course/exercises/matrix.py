"""The kill matrix: which answers each surface accepts and rejects, computed anew.

``matrix()`` grades every solution, variant, known mistake and starter as the page does (source text and lists)
and as a notebook does (functions and arrays), and every mutant of every solution.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pe_course.exercises.attempts import LISTS, arrays_installed, forms_here
from pe_course.exercises.exercise import CodeExercise, Mistake
from pe_course.exercises.grade import grade_function
from pe_course.exercises.mutants import try_mutants
from pe_course.exercises.page import grade_text
from pe_course.exercises.registry import all_exercises
from pe_course.exercises.result import NOT_ATTEMPTED, OTHER_CONVENTION, RIGHT, WRONG, Result
from pe_course.exercises.sources import load

PAGE, NOTEBOOK = "page", "notebook"


def code_exercises() -> list[CodeExercise]:
    return [one for one in all_exercises() if isinstance(one, CodeExercise)]


def surfaces() -> tuple[str, ...]:
    """The surfaces that can be tried here: the notebook's needs NumPy."""
    return (PAGE, NOTEBOOK) if arrays_installed() else (PAGE,)


def grade_on(surface: str, exercise: CodeExercise, source: str) -> Result:
    """Grade a source text as this surface does."""
    if surface == PAGE:
        return grade_text(exercise, source, forms=(LISTS,))
    return grade_function(exercise, load(source, exercise.function), forms=forms_here())


def fits(mistake: Mistake, result: Result) -> bool:
    """True if the mistake was rejected with its own message (or named as the convention that it is)."""
    verdict = OTHER_CONVENTION if mistake.convention else WRONG
    return result.verdict == verdict and result.mistake == mistake.id and mistake.message in result.message


def row(exercise: CodeExercise, surface: str) -> dict[str, Any]:
    """One exercise on one surface: how many of each kind got what they should; the names of those that did not."""
    variants = [one for one in exercise.variants if surface != PAGE or not one.arrays]
    mistakes = [one for one in exercise.mistakes if surface != PAGE or not one.arrays]
    missed = [one.idea for one in variants if grade_on(surface, exercise, one.source).verdict != RIGHT]
    passed = [one.id for one in mistakes if not fits(one, grade_on(surface, exercise, one.source))]
    return {
        "solution": grade_on(surface, exercise, exercise.solution).verdict == RIGHT,
        "starter": grade_on(surface, exercise, exercise.starter).verdict == NOT_ATTEMPTED,
        "variants": len(variants),
        "variants_accepted": len(variants) - len(missed),
        "mistakes": len(mistakes),
        "mistakes_rejected": len(mistakes) - len(passed),
        "wrongly_graded": [*missed, *passed],
    }


def matrix(exercises: Iterable[CodeExercise] | None = None, *, mutants: bool = True) -> list[dict[str, Any]]:
    """One entry per code exercise: ``id``, ``title``, ``chapter``, a row per surface, and its mutants.

    ``entry["page"]`` and, where NumPy is installed, ``entry["notebook"]`` hold what `row` returns.
    ``entry["mutants"]`` counts those that behave otherwise (``counted``), those ``rejected``, and lists the
    changes that ``survived`` and those that are ``equivalent``.
    """
    entries = []
    for exercise in code_exercises() if exercises is None else exercises:
        entry: dict[str, Any] = {"id": exercise.id, "title": exercise.title, "chapter": exercise.chapter}
        entry |= {surface: row(exercise, surface) for surface in surfaces()}
        if mutants:
            found = try_mutants(exercise)
            entry["mutants"] = {
                "counted": found.counted,
                "rejected": len(found.rejected),
                "survived": [f"line {one.line}: {one.change}" for one in found.survived],
                "equivalent": [f"line {one.line}: {one.change}" for one in found.equivalent],
            }
        entries.append(entry)
    return entries
