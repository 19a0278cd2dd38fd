"""What is read of a notebook or file, and which of its statements run."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from exercises.submissions.samples import RIGHT_PAIR, notebook

from pe_course.exercises import solution
from pe_course.exercises.registry import find
from pe_course.exercises.submissions.cells import Unreadable, read_submission
from pe_course.exercises.submissions.grader import grade_submission

ROOT = Path(__file__).parents[3]


def needed(tmp_path: Path, names: str, *cells: str) -> list[str]:
    path = tmp_path / "chapter.ipynb"
    path.write_text(notebook(*cells), encoding="utf-8")
    return [ast.unparse(unit.node) for unit in read_submission(path).needed(set(names.split()), set())]


def test_only_what_an_answer_needs_runs(tmp_path: Path) -> None:
    cells = (
        "import math, torch",
        "import numpy as np\nfigure = draw(np)",
        "k = 2\nunused = 1",
        "def f(x): return x ** k",
    )
    assert needed(tmp_path, "f", *cells) == ["k = 2", "def f(x):\n    return x ** k"]


def test_statements_that_change_what_is_needed_run_too(tmp_path: Path) -> None:
    cells = (
        "rows = []\nother = []",
        "for n in range(3):\n    rows.append(n)",
        "other.append(1)\nrows[0] = 5\nrows += [1]",
    )
    found = needed(tmp_path, "rows", *cells)
    assert found == ["rows = []", "for n in range(3):\n    rows.append(n)", "rows[0] = 5", "rows += [1]"]


def test_local_names_are_no_reason_to_run_anything(tmp_path: Path) -> None:
    cells = ("total = slow()\nclass Box: total = 1", "def f(x):\n    total = x\n    return total", "from math import *")
    assert needed(tmp_path, "f", *cells)[:1] == ["def f(x):\n    total = x\n    return total"]


def test_magics_are_left_out_and_lines_stay(tmp_path: Path) -> None:
    cell = "%matplotlib inline\n!pip install x\nimport math\nmath.sin?\nif True:\n    %time\nf = lambda x: 1 / 0"
    path = tmp_path / "magic.ipynb"
    path.write_text(notebook("%%bash\nrm -r *", cell), encoding="utf-8")
    submission = read_submission(path)
    assert submission.broken == []
    assert submission.units[-1].node.lineno == 7


def test_a_cell_that_python_cannot_read_costs_its_own_answer_only(tmp_path: Path) -> None:
    path = tmp_path / "half.ipynb"
    path.write_text(
        notebook(RIGHT_PAIR, "def ntk_base(base, factor, dim):\n    return (", 'check("shortest-wave", 6.2832)')
    )
    results = dict(grade_submission(path, [], 10, 2000))
    assert {id: result.verdict for id, result in results.items()} == {
        "rotate-pair": "right",
        "ntk-base": "error",
        "shortest-wave": "right",
    }
    assert "cell 2 in line 2" in results["ntk-base"].message


def test_an_error_on_the_way_is_told_where_the_answer_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "late.ipynb"
    path.write_text(
        notebook("import nothing_of_that_name", "nothing_of_that_name.x\n" + 'check("shortest-wave", 1 / 0)')
    )
    results = dict(grade_submission(path, [], 10, 2000))
    assert results["shortest-wave"].verdict == "error"
    assert "division by zero" in results["shortest-wave"].message


def test_the_last_check_counts_also_under_a_name_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "two.ipynb"
    mine = RIGHT_PAIR.replace("rotate_pair", "mine")
    path.write_text(
        notebook(
            "def rotate_pair(a, b, angle): return a, b", mine, 'import pe_course\npe_course.check("rotate-pair", mine)'
        )
    )
    assert dict(grade_submission(path, [], 10, 2000))["rotate-pair"].verdict == "right"


def test_checks_that_did_not_run_count(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(f'{RIGHT_PAIR}\nif __name__ == "__main__":\n    check("shortest-wave", 2 * math.pi)\n')
    results = dict(grade_submission(path, [], 10, 2000))
    assert {result.verdict for result in results.values()} == {"right"}
    assert set(results) == {"rotate-pair", "shortest-wave"}


def test_a_chapter_as_it_is_published_answers_nothing_and_then_the_one_that_is_filled_in(tmp_path: Path) -> None:
    text = (ROOT / "book" / "rotary.ipynb").read_text(encoding="utf-8")
    path = tmp_path / "rotary.ipynb"
    path.write_text(text, encoding="utf-8")
    before = dict(grade_submission(path, [], 20, 2000))
    assert before["rope-apply"].verdict == "not attempted"
    assert {result.verdict for result in before.values()} == {"not attempted"}
    chapter = json.loads(text)
    cell = next(one for one in chapter["cells"] if "def rope_apply(" in "".join(one["source"]))
    cell["source"] = str(solution("rope-apply"))
    path.write_text(json.dumps(chapter), encoding="utf-8")
    assert dict(grade_submission(path, [], 20, 2000))["rope-apply"].verdict == "right"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.ipynb", b'{"cells": [', "it is not JSON"),
        ("a.ipynb", b"[" * 100_000, "it is not JSON"),
        ("a.ipynb", b'{"worksheets": []}', "format 4"),
        ("a.ipynb", b'{"cells": [{"cell_type": "code", "source": 3}]}', "format 4"),
        ("a.py", b"x = '\xff'", "UTF-8"),
        ("a.ipynb", b"\x00\x01", "damaged"),
    ],
)
def test_a_damaged_file_says_so(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(Unreadable, match=said):
        read_submission(path)
    (result,) = [result for _, result in grade_submission(path, [], 10, 2000)]
    assert result.verdict == "error"
    assert said in result.message


@pytest.mark.parametrize(
    "source", ["x = " + "(" * 500, "x = " + "-" * 100_000 + "1", "\x00", "def f(:", "x = '" + "9" * 10]
)
def test_a_file_that_python_cannot_read_is_no_crash(tmp_path: Path, source: str) -> None:
    path = tmp_path / "deep.py"
    path.write_text(f"{source}\n# def rotate_pair", encoding="utf-8")
    results = dict(grade_submission(path, ["rotate-pair"], 10, 2000))
    assert results["rotate-pair"].verdict == "error"


def test_a_starter_is_recognised_where_its_imports_stand_in_another_cell(tmp_path: Path) -> None:
    exercise = find("debug-bias-scaled")
    assert exercise.starter.startswith("import math\n")
    path = tmp_path / "apart.ipynb"
    path.write_text(notebook("import math", exercise.starter.removeprefix("import math\n")))
    assert dict(grade_submission(path, [], 10, 2000))[exercise.id].verdict == "not attempted"
