"""Self-tests in notebooks, and what the page gets from the package: cells, sentences, the zip, the standard library."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import nbformat
import pytest

from pe_course.exercises.notebook import grade
from pe_course.exercises.registry import all_exercises, find
from tools import assets, notebooks
from tools.plain import Labels, PlainError
from tools.seed_cache import with_stored_outputs
from tools.settings import Settings
from tools.site.self_tests import course_zip
from tools.site.self_tests.answers import data_for_script
from tools.site.self_tests.known_answers import SURFACES, try_all

ROOT = Path(__file__).resolve().parents[2]
TEXT = "# Title\n\nBefore.\n\n```{self-test} rope-apply\n```\n\nBetween.\n\n```{self-test} shortest-wave\n```\n"


def converted(path: Path) -> nbformat.NotebookNode:
    return notebooks.convert(path, Labels.of_book(Settings(path.parents[1])))


def of_kind(kind: str):
    return [one for one in all_exercises() if one.kind == kind]


# Notebooks


def test_a_self_test_becomes_a_question_and_cells_to_answer_in(chapter) -> None:
    notebook = converted(chapter(TEXT))
    nbformat.validate(notebook)
    assert [cell["id"] for cell in notebook.cells] == [
        "chapter-000",
        "rope-apply-question",
        "chapter-setup",
        "rope-apply-answer",
        "rope-apply-check",
        "chapter-000-2",
        "shortest-wave-question",
        "shortest-wave-check",
    ]
    by_id = {cell["id"]: cell for cell in notebook.cells}
    exercise = find("rope-apply")
    assert by_id["chapter-000"].source.endswith("Before.")
    assert by_id["chapter-000-2"].source == "Between."
    assert exercise.title in by_id["rope-apply-question"].source
    assert by_id["rope-apply-answer"].source == exercise.starter.strip()
    assert by_id["rope-apply-check"].source.splitlines()[-1] == 'pe_course.check("rope-apply", rope_apply)'
    for name in ("rope-apply-question", "rope-apply-answer", "rope-apply-check"):
        assert by_id[name].metadata["tags"] == ["generated"]


@pytest.mark.parametrize("kind", ["code", "choice", "number", "open"])
def test_as_committed_nothing_is_attempted_and_nothing_given_away(chapter, kind: str) -> None:
    """Every exercise of the kind: its cells run, and say that there is nothing to check yet."""
    for exercise in of_kind(kind):
        cells = converted(chapter(f"# T\n\n```{{self-test}} {exercise.id}\n```\n")).cells
        code = [cell.source for cell in cells if cell.cell_type == "code" and not cell["id"].endswith("-setup")]
        namespace: dict = {}
        exec("\n".join(code[:-1]), namespace)
        *statements, last = ast.parse(code[-1]).body
        exec(compile(ast.Module(statements, []), "cell", "exec"), namespace)
        result = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
        assert result.verdict == "not attempted", exercise.id
        assert exercise.solution.strip() not in "\n".join(cell.source for cell in cells)
        assert f'# pe_course.solution("{exercise.id}")' in code[-1]


def test_options_stand_in_the_question(chapter) -> None:
    exercise = of_kind("choice")[0]
    cells = converted(chapter(f"# T\n\n```{{self-test}} {exercise.id}\n```\n")).cells
    question = next(cell.source for cell in cells if cell["id"].endswith("-question"))
    for option in exercise.options:
        assert f"- **{option.key}** {option.text}" in question


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("# T\n\nok\n\n```{self-test} rope-aply\n```", 5, "no exercise has the id 'rope-aply'; the nearest"),
        ("# T\n\n````{note}\n```{self-test} rope-apply\n```\n````", 4, "must stand at the top level"),
    ],
)
def test_error_names_file_and_line(chapter, text: str, line: int, message: str) -> None:
    path = chapter(text)
    front = path.read_text().index("# T")
    first = path.read_text()[:front].count("\n")
    with pytest.raises(PlainError) as caught:
        converted(path)
    assert str(caught.value).startswith(f"book/chapter.md:{first + line}: ")
    assert message in str(caught.value)


def test_a_page_with_a_kernel_and_self_tests_has_a_notebook(chapter) -> None:
    path = chapter(TEXT)
    assert notebooks.has_code(path)
    path.write_text(TEXT)
    assert not notebooks.has_code(path), "no kernel named: a page to read"
    assert not notebooks.has_code(chapter("# T\n\nonly words on `{self-test}`", "words"))


def test_the_site_needs_no_output_of_generated_cells(chapter) -> None:
    path = chapter(TEXT + "\n```{code-cell} ipython3\nprint(1)\n```\n")
    notebook = converted(path)
    nbformat.write(notebook, path.with_suffix(".ipynb"))
    assert [cell.source for cell in with_stored_outputs(path).cells if cell.cell_type == "code"] == ["print(1)"]


# What the page's script says


def in_node(script: str, given: object) -> object:
    """What a JavaScript module makes of data, run by the Node that builds the site."""
    node = assets.find_node()
    if node is None:
        how = "no Node on this machine: `python tools/assets.py` installs it"
        pytest.fail(how, pytrace=False) if os.environ.get("CI") == "true" else pytest.skip(how)
    command = [str(node.node), "--input-type=module", "-e", script, json.dumps(given)]
    done = subprocess.run(command, cwd=ROOT / "web", capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


TYPED = ["", "  ", "x", "0,5", "0.5", ".5", "5.", "1/2", "1/0", "50 %", "1e-3", "1e400", "−2", "+3", "1,234", "1,234.5"]
TYPED += [
    "-0",
    "--1",
    "0x10",
    "1 000",
    "3.14159265358979",
    "-0.00001234567",
    "123456.789",
    "1e15",
    "1e20",
    "NaN",
    "Infinity",
    *["2π", "2 * pi", "≈ 6.28 positions", "0.01 radians per position", "805 MB", "1e3/8000", "1/2.5", "-π/2", "pi"],
    *["54,410", "54.410", "62,832", "1 1/9", "805,306,368", "1,23,456", "6.3", "6,3", "0.46", "54000", "1.5", "%"],
]


def test_the_page_judges_numbers_as_the_grader_does() -> None:
    script = """
        import {judgement} from "./src/self-test/number-grade.js";
        const asked = JSON.parse(process.argv[1]);
        console.log(JSON.stringify(asked.map(([data, texts]) => texts.map((text) => judgement(text, data).message))));
    """
    asked = []
    for exercise in of_kind("number"):
        near = [exercise.answer + sign * exercise.tolerance * share for sign in (-1, 1) for share in (0.9, 1.1)]
        values = [exercise.answer, *near, *(each.value for each in exercise.wrong_numbers)]
        asked.append((exercise, [*TYPED, *map(repr, values), *(f"{value:.3f}" for value in values)]))
    said = in_node(script, [(data_for_script(exercise), texts) for exercise, texts in asked])
    for (exercise, texts), answers in zip(asked, said, strict=True):
        wanted = [grade(exercise, text).message for text in texts]
        assert dict(zip(texts, answers, strict=True)) == dict(zip(texts, wanted, strict=True)), exercise.id


def test_the_page_judges_choices_as_the_grader_does() -> None:
    for exercise in of_kind("choice"):
        data = data_for_script(exercise)
        assert {key: said["message"] for key, said in data["results"].items()} == {
            option.key: grade(exercise, option.key).message for option in exercise.options
        }
        assert [said["verdict"] for said in data["results"].values()].count("right") == 1
        right = next(option for option in exercise.options if option.right)
        shown = json.dumps([said for key, said in data["results"].items() if key != right.key])
        assert "expected" not in shown, "a wrong choice must not give the answer away"


# What the browser's Python gets


def test_the_zip_is_the_same_each_time_and_needs_neither_numpy_nor_torch(tmp_path: Path) -> None:
    first = course_zip.course_zip()
    assert first == course_zip.course_zip()
    names = zipfile.ZipFile(BytesIO(first)).namelist()
    assert {"pe_course/__init__.py", "pe_course/exercises/page.py"} <= set(names)
    assert all(name == "pe_course/__init__.py" or name.startswith("pe_course/exercises/") for name in names)
    archive = tmp_path / "pe_course.zip"
    archive.write_bytes(first)
    program = (
        "import sys; sys.modules.update(numpy=None, torch=None); sys.path[:] = [sys.argv[1], *sys.path[1:]]\n"
        "import pe_course; assert 'pe_course.zip' in pe_course.__file__\n"
        "from pe_course.exercises.page import grade_source\n"
        "from pe_course.exercises.registry import find\n"
        "print(grade_source('rope-apply', find('rope-apply').solution))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(archive)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["verdict"] == "right"


def test_every_module_that_grading_imports_is_in_the_small_standard_library() -> None:
    text = (ROOT / "web" / "trim-stdlib.mjs").read_text(encoding="utf-8")
    offered = set(re.search(r"OFFERED = `(.*?)`", text, re.DOTALL)[1].split())
    for path in course_zip.files_in_browser():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            for name in names:
                if name.split(".")[0] in sys.stdlib_module_names and name != "__future__":
                    there = any(each == name or each.startswith(f"{name}.") for each in offered)
                    assert there, f"{path.name} imports {name}: name it in web/trim-stdlib.mjs"


@pytest.mark.slow
def test_every_known_answer_gets_its_verdict_on_every_surface() -> None:
    tried = try_all()
    assert len(tried) == len(of_kind("code"))
    for one in tried:
        assert [answer.kind for answer in one.answers].count("solution") == 1
        for answer in one.answers:
            assert answer.misfits == [], (one.exercise.id, answer.name)
            assert set(answer.said) <= set(SURFACES)
            assert len(answer.said) >= 2


def test_packages_of_the_self_tests_are_pinned() -> None:
    manifest = json.loads((ROOT / "web" / "package.json").read_text())["dependencies"]
    assert {"pyodide", "@codemirror/view", "@codemirror/state", "@codemirror/lang-python"} <= set(manifest)
