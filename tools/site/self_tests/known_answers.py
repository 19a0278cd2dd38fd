"""Every answer whose verdict is known beforehand, graded on every surface.

- the page grades source text on nested lists, in a Python without NumPy (`without_numpy` runs it as a browser does);
- a notebook grades a function on arrays, lists and tensors;
- a file that is handed in is source text, graded on the same forms as a notebook.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pe_course.exercises.exercise import CodeExercise, Mistake
from pe_course.exercises.matrix import NOTEBOOK, PAGE, code_exercises, grade_on
from pe_course.exercises.mutants import Verdicts, try_mutants
from pe_course.exercises.page import grade_text
from pe_course.exercises.result import NOT_ATTEMPTED, OTHER_CONVENTION, RIGHT, WRONG, Result

FILE = "file"
SURFACES = (PAGE, NOTEBOOK, FILE)
KINDS = ("solution", "variant", "mistake", "starter")
_WITHOUT_NUMPY = Path(__file__).with_name("without_numpy.py")


@dataclass(frozen=True)
class Said:
    """What the grader said on one surface."""

    verdict: str
    message: str
    mistake: str | None

    @classmethod
    def of(cls, result: Result) -> Said:
        return cls(result.verdict, result.message, result.mistake)


@dataclass(frozen=True)
class KnownAnswer:
    """One answer: what it is, what it should get, and what it got."""

    kind: str
    name: str
    source: str
    wanted: str  # verdict
    said: dict[str, Said]  # by surface; an answer written with NumPy has none on the page
    mistake: Mistake | None = None

    def fits(self, surface: str) -> bool:
        """True if the verdict is the wanted one, and a mistake was called by its name in its own words."""
        said = self.said[surface]
        if self.mistake is None:
            return said.verdict == self.wanted
        return (said.verdict, said.mistake) == (self.wanted, self.mistake.id) and self.mistake.message in said.message

    @property
    def misfits(self) -> list[str]:
        return [surface for surface in self.said if not self.fits(surface)]


@dataclass(frozen=True)
class Tried:
    """One exercise with all its known answers."""

    exercise: CodeExercise
    answers: tuple[KnownAnswer, ...]

    def of_kind(self, kind: str) -> list[KnownAnswer]:
        return [answer for answer in self.answers if answer.kind == kind]

    @cached_property
    def mutants(self) -> Verdicts:
        return try_mutants(self.exercise)


def try_all() -> list[Tried]:
    """All code exercises, their answers graded on every surface."""
    exercises = code_exercises()
    asked = [(exercise, *one) for exercise in exercises for one in _answers(exercise)]
    on_page = _without_numpy([(exercise.id, source) for exercise, _, _, source, _, _, arrays in asked if not arrays])
    pages = iter(on_page)
    tried: dict[str, list[KnownAnswer]] = {exercise.id: [] for exercise in exercises}
    for exercise, kind, name, source, wanted, mistake, arrays in asked:
        said = {} if arrays else {PAGE: next(pages)}
        said |= {NOTEBOOK: Said.of(grade_on(NOTEBOOK, exercise, source)), FILE: Said.of(grade_text(exercise, source))}
        tried[exercise.id].append(KnownAnswer(kind, name, source, wanted, said, mistake))
    return [Tried(exercise, tuple(tried[exercise.id])) for exercise in exercises]


def _answers(exercise: CodeExercise) -> list[tuple[str, str, str, str, Mistake | None, bool]]:
    """(kind, name, source, wanted verdict, mistake, written with NumPy) of each known answer."""
    found = [("solution", "the solution", exercise.solution, RIGHT, None, False)]
    found += [("variant", one.idea, one.source, RIGHT, None, one.arrays) for one in exercise.variants]
    for one in exercise.mistakes:
        wanted = OTHER_CONVENTION if one.convention else WRONG
        found.append(("mistake", one.id, one.source, wanted, one, one.arrays))
    return [*found, ("starter", "the starter code", exercise.starter, NOT_ATTEMPTED, None, False)]


def _without_numpy(asked: list[tuple[str, str]]) -> list[Said]:
    command = [sys.executable, str(_WITHOUT_NUMPY)]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"grading without NumPy failed:\n{done.stderr}")
    return [Said(each["verdict"], each["message"], each["mistake"]) for each in json.loads(done.stdout)]
