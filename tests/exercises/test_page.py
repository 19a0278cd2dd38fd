"""What the page's worker calls: source text in, JSON out, and a sentence for everything that a learner types."""

from __future__ import annotations

import json

import pytest

from pe_course.exercises.exercise import ChoiceExercise, CodeExercise, NumberExercise, OpenExercise
from pe_course.exercises.page import describe, grade_source, run_source
from pe_course.exercises.registry import all_exercises, find

SOLUTION = find("rotate-pair").solution


def graded(source: str, id: str = "rotate-pair") -> dict:
    return json.loads(grade_source(id, source))


@pytest.mark.parametrize("exercise", all_exercises(), ids=lambda one: one.id)
def test_a_description_is_json_and_complete(exercise):
    described = describe(exercise)
    assert json.loads(json.dumps(described)) == described
    for name in ("id", "kind", "title", "prompt", "chapter", "solution"):
        assert described[name].strip()
    special = {
        CodeExercise: {"starter", "function", "arrays_only_checks"},
        ChoiceExercise: {"options"},
        NumberExercise: {"answer", "tolerance", "unit", "wrong_numbers"},
        OpenExercise: {"points"},
    }
    kind = next(kind for kind in special if isinstance(exercise, kind))
    assert special[kind] <= set(described)


def test_checks_that_need_arrays_are_announced():
    assert describe("rope-apply")["arrays_only_checks"] is True
    assert describe("rotate-pair")["arrays_only_checks"] is False


def test_a_graded_answer_has_all_fields():
    right = graded(SOLUTION)
    assert right["verdict"] == "right"
    assert right["failed"] is None
    wrong = graded(SOLUTION.replace("a * cosine - b * sine", "a * cosine + b * sine"))
    assert wrong["verdict"] == "wrong"
    assert wrong["mistake"] == "lost-minus"
    assert wrong["failed"]["inputs"].startswith("rotate_pair(")
    assert set(wrong) == {"verdict", "message", "mistake", "failed", "output", "accepted"}


FOUND = {
    "as asked": SOLUTION,
    "other argument names": SOLUTION.replace("(a, b, angle)", "(x, y, t)\n")
    .replace("\n:", ":")
    .replace("a *", "x *")
    .replace("b *", "y *")
    .replace("(angle)", "(t)"),
    "another name": SOLUTION.replace("rotate_pair", "turn"),
    "a helper before it": "def unused(x):\n    return x\n" + SOLUTION,
    "another name, with a helper": """\
import cmath
def turn(a, b, angle):
    return split(complex(a, b) * cmath.exp(1j * angle))
def split(z):
    return z.real, z.imag
""",
    "a lambda": "from math import *\nrotate_pair = lambda a, b, t: (a*cos(t) - b*sin(t), a*sin(t) + b*cos(t))\n",
    "tests of one's own": SOLUTION + "\nprint(rotate_pair(1, 0, 0))\nassert rotate_pair(1, 0, 0) == [1, 0]\n",
    "windows line ends": SOLUTION.replace("\n", "\r\n"),
    "run as a program": SOLUTION + "\nif __name__ == '__main__':\n    print('main')\n",
    "type hints": SOLUTION.replace("(a, b, angle)", "(a: float, b: float, angle: float) -> list[float]"),
    "a dataclass beside it": "from dataclasses import dataclass\n" + SOLUTION,
    "the future": "from __future__ import annotations\n" + SOLUTION,
}


@pytest.mark.parametrize("name", FOUND)
def test_the_function_is_found(name):
    assert graded(FOUND[name])["verdict"] == "right", graded(FOUND[name])


UNREADABLE = {
    "syntax": ("def rotate_pair(a, b, angle)\n    return a\n", "Python cannot read your code in line 1: expected ':'."),
    "indentation": ("def rotate_pair(a, b, c):\nreturn a\n", "in line 2: expected an indented block"),
    "return outside": ("return 1\n", "in line 1: 'return' outside function"),
    "null byte": ("x = '\0'\n", "Python cannot read your code"),
    "tabs": ("def f(a, b, c):\n    x = 1\n\treturn x\n", "in line 3"),
    "a name unknown": ("x = y\n", "Your code stopped in line 1 with `NameError: name 'y' is not defined`."),
    "no function": ("x = 1\n", "your code defines no function `rotate_pair`"),
    "two functions": ("def f(a): pass\ndef g(a): pass\n", "it defines `f`, `g`"),
    "asks": ("name = input('?')\n", "Your code asks for `input()`, but nobody can answer here"),
    "asks in the function": ("def rotate_pair(a, b, c):\n    return input()\n", "asks for `input()`"),
    "exit": ("exit()\n", "Your code calls `exit()`"),
    "missing module": ("import torchvision_of_nobody\n", "ModuleNotFoundError"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_run_gets_one_line(name):
    source, sentence = UNREADABLE[name]
    answer = graded(source)
    assert answer["verdict"] == "error"
    assert sentence in answer["message"]
    assert "\n" not in answer["message"]


@pytest.mark.parametrize("source", ["", "  \n", "# nothing yet\ndef rotate_pair(a, b, angle):\n    ...\n"])
def test_nothing_typed_is_not_attempted(source):
    assert graded(source)["verdict"] == "not attempted"


def test_a_package_that_the_page_lacks_is_named_in_one_line(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "numpy", None)
    for source in ("import numpy as np\n" + SOLUTION, SOLUTION.replace("    cosine", "    import numpy\n    cosine")):
        answer = graded(source)
        assert answer["verdict"] == "error"
        assert "numpy" in answer["message"]
        assert "notebook" in answer["message"]
        assert "\n" not in answer["message"]


def test_printing_is_capped():
    answer = graded("print('x' * 100_000)\n" + SOLUTION)
    assert answer["verdict"] == "right"
    assert len(answer["output"]) < 20_200


def test_source_runs_without_being_graded():
    assert json.loads(run_source("print(1 + 1)")) == {"output": "2\n", "error": None}
    broken = json.loads(run_source("print('before')\n1 / 0\n"))
    assert broken["output"] == "before\n"
    assert broken["error"] == "Your code stopped in line 2 with `ZeroDivisionError: division by zero`."
    assert json.loads(run_source("def f(:\n"))["error"].startswith("Python cannot read your code in line 1")
    assert "asks for `input()`" in json.loads(run_source("input()"))["error"]
    assert json.loads(run_source("import sys\nsys.exit(3)"))["error"] == (
        "Your code calls `exit()`; let it return its value instead."
    )


def test_the_program_of_one_run_leaves_nothing_to_the_next():
    run_source("left_behind = 1")
    assert "NameError" in json.loads(run_source("print(left_behind)"))["error"]
