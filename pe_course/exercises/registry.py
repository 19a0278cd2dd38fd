"""Find an exercise by its id; list them all."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from pe_course.exercises.exercise import REGISTRY, Exercise


class UnknownExercise(KeyError):
    """No exercise has this id. Shows its sentence without the quotes that KeyError adds."""

    def __str__(self) -> str:
        return self.args[0]


def all_exercises() -> list[Exercise]:
    """Every exercise, in the order of the catalogue."""
    import_module("pe_course.exercises.catalogue")
    return list(REGISTRY.values())


def find(id: str) -> Exercise:
    """The exercise with this id. Raises: UnknownExercise, which names the nearest ids."""
    known = {exercise.id: exercise for exercise in all_exercises()}
    if not isinstance(id, str):
        raise UnknownExercise(f"the id of an exercise is a text such as 'sinusoidal-pe', got {type(id).__name__}")
    wanted = id.strip().lower().replace("_", "-")
    if wanted in known:
        return known[wanted]
    near = get_close_matches(wanted, known, n=3, cutoff=0.4)
    hint = f"the nearest are {', '.join(map(repr, near))}" if near else "exercises() lists them all"
    raise UnknownExercise(f"no exercise has the id {id!r}; {hint}")
