"""Exercises register themselves, are found by their id, and belong to a chapter of the book."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pe_course
from pe_course import exercises as room
from pe_course.claims import ledger
from pe_course.exercises import catalogue, exercises
from pe_course.exercises.exercise import REGISTRY, CodeExercise, Exercise
from pe_course.exercises.registry import UnknownExercise, all_exercises, find

BOOK = Path(pe_course.__file__).parents[1] / "book"
EVERY = all_exercises()


def test_the_catalogue_imports_every_module_that_it_has():
    folder = Path(catalogue.__file__).parent
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == set(catalogue.MODULES)


def test_the_order_is_that_of_the_modules():
    modules = [type(one).__module__.rpartition(".")[2] for one in EVERY]
    assert modules == sorted(modules, key=catalogue.MODULES.index)


@pytest.mark.parametrize("exercise", EVERY, ids=lambda one: one.id)
def test_an_exercise_says_where_it_belongs(exercise):
    assert exercise.id == exercise.id.lower().replace("_", "-")
    assert exercise.title and not exercise.title.endswith(".")
    assert exercise.prompt.strip() and exercise.solution.strip()
    assert find(exercise.id) is exercise
    assert isinstance(exercise.hints, tuple)


@pytest.mark.parametrize("exercise", [one for one in EVERY if isinstance(one, CodeExercise)], ids=lambda one: one.id)
def test_the_chapter_and_the_claims_of_a_code_exercise_exist(exercise):
    assert (BOOK / f"{exercise.chapter}.md").exists()
    assert set(exercise.claims) <= set(ledger.claims())


def test_an_unknown_id_names_the_nearest():
    with pytest.raises(UnknownExercise, match="no exercise has the id 'rope-aply'; the nearest are 'rope-apply'"):
        find("rope-aply")
    with pytest.raises(UnknownExercise, match=r"exercises\(\) lists them all"):
        find("qqqqqqqq")
    with pytest.raises(UnknownExercise, match="got int"):
        find(5)
    assert str(UnknownExercise("as it is")) == "as it is"


@pytest.mark.parametrize("id", ["Rope-Apply", " rope-apply ", "rope_apply"])
def test_small_slips_in_an_id_are_forgiven(id):
    assert find(id).id == "rope-apply"


def test_two_exercises_cannot_share_an_id():
    with pytest.raises(ValueError, match="two exercises have the id 'rope-apply'"):
        type("Other", (Exercise,), {"id": "rope-apply", "__module__": "elsewhere"})
    assert type(REGISTRY["rope-apply"]).__name__ == "RotateVectors"


def test_the_listing_can_be_read_and_narrowed():
    assert len(exercises()) == len(EVERY)
    lines = repr(exercises("rotary")).splitlines()
    assert any(line.startswith("rope-apply") and "Rotate queries and keys" in line for line in lines)
    assert all(one.chapter == "rotary" for one in exercises("rotary"))


def test_the_room_lists_its_names():
    assert {"check", "hint", "solution", "exercises"} <= set(dir(room))
    assert pe_course.check is room.check
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        room.chek  # noqa: B018  (asking is the test)


def test_every_exercise_can_be_written_as_json():
    assert json.dumps([vars(type(one)).get("title") for one in EVERY])
