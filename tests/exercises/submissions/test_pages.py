"""What the pages tell a teacher to type works as it stands, and so does the self-test that CONTRIBUTING.md shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from exercises.submissions.samples import RIGHT_PAIR, notebook

from pe_course.exercises.exercise import REGISTRY
from pe_course.exercises.grade import grade_function
from pe_course.exercises.sources import load

ROOT = Path(__file__).parents[3]
COMMAND = re.compile(r"`(python -m pe_course\.exercises [^`\n]+)`")
PAGES = {page: (ROOT / page).read_text(encoding="utf-8") for page in ("book/teachers.md", "README.md")}
COMMANDS = sorted({command for text in PAGES.values() for command in COMMAND.findall(text)})


def test_the_pages_show_commands():
    assert all(COMMAND.search(text) for text in PAGES.values())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_a_page_runs(command: str, tmp_path: Path) -> None:
    for name in ("submitted", "FOLDER"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ben.ipynb").write_text(notebook(RIGHT_PAIR))
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv = sys.argv[1:]; "
    code += "from pe_course.exercises.__main__ import main; sys.exit(main(sys.argv[1:]))"
    words = command.split()[3:]
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, "pe", *words], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "rotate-pair" in done.stdout or "Right" in done.stdout
    for output in re.findall(r"--output (\S+)", command):
        assert (tmp_path / output).exists()


def test_the_page_of_teachers_shows_every_column_and_verdict():
    cells = json.loads((ROOT / "book" / "teachers.ipynb").read_text(encoding="utf-8"))["cells"]
    printed = "".join("".join(output.get("text", "")) for cell in cells for output in cell.get("outputs", []))
    assert "columns: submission, exercise, title, verdict, accepted, mistake, message" in printed
    for said in ("clockwise (1)", "did not end within", "the notebook is damaged", "exit status: 1"):
        assert said in printed


def test_the_self_test_that_contributing_shows_is_one():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    source = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
    try:
        exec(source, {"__name__": "contributing"})
        exercise = REGISTRY["distance-row"]
        assert len(exercise.hints) >= 2
        for good in (exercise.solution, *(one.source for one in exercise.variants)):
            assert grade_function(exercise, load(good, exercise.function)).verdict == "right"
        assert grade_function(exercise, load(exercise.starter, exercise.function)).verdict == "not attempted"
        for mistake in exercise.mistakes:
            result = grade_function(exercise, load(mistake.source, exercise.function))
            assert (result.verdict, result.mistake) == ("wrong", mistake.id)
    finally:
        REGISTRY.pop("distance-row", None)
