"""Through the stand-in, every answer gets the verdict that it gets in a notebook."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pe_course.exercises.exercise import ChoiceExercise, CodeExercise, NumberExercise
from pe_course.exercises.grade import grade_function
from pe_course.exercises.guard import LimitedText
from pe_course.exercises.registry import all_exercises
from pe_course.exercises.sources import load
from pe_course.exercises.submissions.grader import Limits, StandIn, grade_submission
from pe_course.exercises.submissions.runner import Runner, _facts

CODE = [one for one in all_exercises() if isinstance(one, CodeExercise)]


class InThisProcess:
    """A session whose runner is no other process, so that hundreds of answers take seconds."""

    def __init__(self) -> None:
        self.runner, self.limits = Runner(), Limits(60, 2000)

    def call(self, exercise: CodeExercise, args: list, kwargs: dict, seconds: float) -> dict[str, Any]:
        sent = json.loads(json.dumps([args, kwargs]))
        return json.loads(json.dumps(self.runner.do_call(exercise.id, *sent, seconds)))


@pytest.mark.parametrize("exercise", CODE, ids=[one.id for one in CODE])
def test_a_stand_in_gets_the_verdict_of_the_function(exercise: CodeExercise) -> None:
    sources = [exercise.solution, *(one.source for one in exercise.variants[:1])]
    sources += [one.source for one in exercise.mistakes[:2]]
    for source in sources:
        function, session = load(source, exercise.function), InThisProcess()
        session.runner.recorded[exercise.id] = function
        facts = json.loads(json.dumps(_facts(function, exercise.starter, exercise.function)))
        if facts["starter"] or facts["empty"]:
            continue
        told = grade_function(exercise, StandIn(session, exercise, facts, LimitedText()))
        assert told == grade_function(exercise, function)


def test_all_solutions_in_one_file_are_right(tmp_path) -> None:
    parts = ["from pe_course import check\n"]
    for one in all_exercises():
        if isinstance(one, CodeExercise):
            parts.append(one.solution)
        elif isinstance(one, ChoiceExercise):
            right = next(option.key for option in one.options if option.right)
            parts.append(f"check({one.id!r}, {right!r})\n")
        elif isinstance(one, NumberExercise):
            parts.append(f"check({one.id!r}, {one.answer!r})\n")
    path = tmp_path / "all.py"
    path.write_text("\n".join(parts), encoding="utf-8")
    results = dict(grade_submission(path, [], 60, 2000))
    assert {id: result.message for id, result in results.items() if not result.accepted} == {}
    assert list(results) == [one.id for one in all_exercises() if one.kind != "open"]


def test_starters_count_as_not_attempted(tmp_path) -> None:
    path = tmp_path / "starters.py"
    path.write_text("\n".join(one.starter for one in CODE), encoding="utf-8")
    results = dict(grade_submission(path, [], 60, 2000))
    assert {result.verdict for result in results.values()} == {"not attempted"}
    assert len(results) == len(CODE)
