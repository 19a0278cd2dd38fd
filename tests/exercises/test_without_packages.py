"""The whole set works where neither NumPy nor torch can be imported, as in the browser."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pe_course

ROOT = Path(pe_course.__file__).parents[1]


def run(code: str):
    blocked = "import json, sys\nsys.modules.update(dict.fromkeys(('numpy', 'torch', 'matplotlib')))\n"
    command = [sys.executable, "-W", "error", "-c", blocked + code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_exercise_grades_without_them():
    code = """
from pe_course.exercises.matrix import PAGE, code_exercises, row, surfaces
rows = {one.id: row(one, PAGE) for one in code_exercises()}
print(json.dumps([surfaces(), rows]))
"""
    surfaces, rows = run(code)
    assert surfaces == ["page"]
    assert len(rows) >= 23
    for id, row in rows.items():
        assert row["solution"] and row["starter"], id
        assert row["wrongly_graded"] == [], id


def test_check_hint_and_solution_work_without_them():
    code = """
from pe_course import check, hint, solution
from pe_course.exercises import exercises
def rotate_pair(a, b, angle):
    return [a, b]
print(json.dumps([check('rotate-pair', rotate_pair).verdict, hint('rotate-pair'), len(exercises()),
                  solution('rotate-pair'), check('only-the-keys', 'd').verdict]))
"""
    verdict, hint, count, solution, choice = run(code)
    assert verdict == "wrong"
    assert hint.startswith("Hint 1 of ")
    assert count > 60
    assert solution.startswith("import math")
    assert choice == "right"


def test_importing_the_exercises_loads_neither():
    code = """
for name in ('numpy', 'torch', 'matplotlib'):
    del sys.modules[name]
from pe_course.exercises.registry import all_exercises
import pe_course.exercises.page, pe_course.exercises.notebook, pe_course.exercises.__main__
print(json.dumps([len(all_exercises()), [name for name in ('numpy', 'torch', 'matplotlib') if name in sys.modules]]))
"""
    count, loaded = run(code)
    assert count > 60
    assert loaded == []
