"""The command: what it writes, prints and returns, and that no submission is lost."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from exercises.submissions.samples import RIGHT_PAIR, notebook

from pe_course.exercises.__main__ import main
from pe_course.exercises.submissions import pool, report
from pe_course.exercises.submissions.files import File, find_files
from pe_course.exercises.submissions.pool import Graded, Row, Settings, grade_files

ROOT = Path(__file__).parents[3]
WRONG_PAIR = RIGHT_PAIR.replace("a * cosine - b * sine, a * sine", "a * cosine + b * sine, -a * sine")
COMMAND = [sys.executable, "-m", "pe_course.exercises"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten submissions, eight of them troubled."""
    place = tmp_path / "submitted"
    (place / "group").mkdir(parents=True)
    (place / "anna.py").write_text(RIGHT_PAIR)
    (place / "ben.ipynb").write_text(notebook(WRONG_PAIR, 'pe_course.check("rotate-pair", rotate_pair)'))
    (place / "corrupt.ipynb").write_text(notebook(RIGHT_PAIR)[:-30])
    (place / "dies.py").write_text("import ctypes\ndef rotate_pair(a, b, angle): ctypes.CDLL(None)._exit(0)\n")
    (place / "empty.py").write_text("")
    (place / "folder.py").mkdir()
    (place / "group" / "gets at its grader.py").write_text(
        "import ctypes, os\ndef rotate_pair(a, b, angle): ctypes.CDLL(None).kill(os.getppid(), 9)\n"
    )
    (place / "link.py").symlink_to(place / "anna.py")
    os.mkfifo(place / "pipe.py")
    (place / "zoe.py").write_text(RIGHT_PAIR)
    (place / ".hidden.py").write_text(RIGHT_PAIR)
    return place


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_every_submission_has_its_row_whatever_the_others_do(folder: Path, tmp_path: Path, capsys) -> None:
    output = tmp_path / "results.csv"
    assert main(["grade", str(folder), "--output", str(output), "--jobs", "3"]) == 1
    verdicts = {row["submission"]: (row["exercise"], row["verdict"]) for row in rows_of(output)}
    assert verdicts == {
        "anna.py": ("rotate-pair", "right"),
        "ben.ipynb": ("rotate-pair", "wrong"),
        "corrupt.ipynb": ("", "error"),
        "dies.py": ("rotate-pair", "error"),
        "empty.py": ("", "not attempted"),
        "folder.py": ("", "error"),
        "group/gets at its grader.py": ("", "error"),
        "link.py": ("", "error"),
        "pipe.py": ("", "error"),
        "zoe.py": ("rotate-pair", "right"),
    }
    assert [row["submission"] for row in rows_of(output)] == sorted(verdicts)
    assert {row["mistake"] for row in rows_of(output)} == {"", "clockwise"}
    assert not list(tmp_path.glob("results.csv.*"))
    shown = capsys.readouterr()
    assert "clockwise (1)" in shown.out
    assert "[10/10]" in shown.err


def test_json_holds_the_same_and_how_many_at_once_changes_nothing(folder: Path, tmp_path: Path) -> None:
    for slow in ("dies.py", "group/gets at its grader.py", "empty.py"):
        (folder / slow).unlink()
    one, three = tmp_path / "one.json", tmp_path / "three.csv"
    main(["grade", str(folder), "--output", str(one), "--jobs", "1", "--quiet"])
    main(["grade", str(folder), "--output", str(three), "--jobs", "3", "--quiet"])
    rows = json.loads(one.read_text(encoding="utf-8"))
    assert [row | {"accepted": "yes" if row["accepted"] else "no"} for row in rows] == rows_of(three)


def test_submissions_are_graded_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2, timeout=10)

    def meets_the_other(self, file, grader):
        both.wait()
        return Graded(file, ())

    monkeypatch.setattr(pool._Team, "_rows_of", meets_the_other)
    files = [File(name, Path(__file__)) for name in "ab"]
    assert all(one.whole for one in grade_files(files, Settings(), 2))


def test_a_full_disk_loses_no_row_and_no_earlier_file(tmp_path: Path) -> None:
    place = tmp_path / "submitted"
    place.mkdir()
    for number in range(4):
        (place / f"{number}.py").write_text(WRONG_PAIR)
    output = tmp_path / "results.csv"
    output.write_text("earlier results")
    small = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))"
    code = f"{small}; import sys; from pe_course.exercises.__main__ import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-B", "-c", code, "grade", str(place), "--output", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 3
    assert "cannot write" in done.stderr
    assert all(f"{number}.py,rotate-pair,Rotate one pair,wrong,no,clockwise," in done.stdout for number in range(4))
    assert output.read_text() == "earlier results"


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_what_is_graded_stays_when_the_command_is_stopped(tmp_path: Path, sent: signal.Signals) -> None:
    place, output = tmp_path / "submitted", tmp_path / "results.csv"
    place.mkdir()
    (place / "a.py").write_text(RIGHT_PAIR)
    (place / "b.py").write_text("x = [sum(iter(int, 1))]\ndef rotate_pair(a, b, angle): return x")
    command = [*COMMAND, "grade", str(place), "--output", str(output), "--jobs", "1", "--seconds", "30"]
    env = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=ROOT, env=env) as process:
        assert b"a.py" in process.stderr.readline()
        while not _running_in(tmp_path):
            time.sleep(0.02)
        process.send_signal(sent)
        status = process.wait(10)
        process.stderr.close()
    runner = _running_in(tmp_path)
    for number in runner:  # whoever kills the command alone leaves its processes to their own limits
        os.kill(number, signal.SIGKILL)
    assert not runner or sent == signal.SIGKILL
    left = output if sent == signal.SIGINT else tmp_path / "results.csv.part"
    assert status == (130 if sent == signal.SIGINT else -signal.SIGKILL)
    assert [row["verdict"] for row in rows_of(left)] == ["right"]


def _running_in(folder: Path) -> list[int]:
    """Processes whose working folder lies in this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(folder):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def test_only_asks_for_what_is_missing_too(tmp_path: Path, capsys) -> None:
    path = tmp_path / "anna.py"
    path.write_text(RIGHT_PAIR)
    output = tmp_path / "r.json"
    assert main(["grade", str(path), "--output", str(output), "--only", "rotate-pair", "--only", "ntk_base"]) == 0
    rows = json.loads(output.read_text(encoding="utf-8"))
    assert [(row["exercise"], row["verdict"]) for row in rows] == [
        ("rotate-pair", "right"),
        ("ntk-base", "not attempted"),
    ]


def test_check_shows_the_verdict_and_what_was_printed(tmp_path: Path, capsys) -> None:
    path = tmp_path / "anna.py"
    path.write_text(RIGHT_PAIR.replace("    cosine", "    print('turning')\n    cosine", 1))
    assert main(["check", "rotate-pair", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "Right" in shown
    assert "turning" in shown
    path.write_text(WRONG_PAIR)
    assert main(["check", "rotate-pair", str(path)]) == 1
    assert "other way round" in capsys.readouterr().out


def test_list_names_every_exercise(capsys) -> None:
    from pe_course.exercises import exercises

    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [one.id for one in exercises()]
    assert main(["list", "--chapter", "rotary"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(exercises("rotary"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["grade", "{here}/nowhere"], "there is no file or folder"),
        (["grade", "{here}"], "holds no notebook"),
        (["grade", "{here}/notes.txt"], "neither a notebook"),
        (["grade", "{here}/a.txt", "--seconds", "0"], "--seconds must lie between 0.1 and 3600, got 0"),
        (["grade", "{here}/a.txt", "--memory", "5"], "--memory must be at least 100 MB, got 5"),
        (["grade", "{here}/a.txt", "--jobs", "0"], "--jobs must be at least 1, got 0"),
        (["grade", "{here}/a.txt", "--only", "rotate-pear"], "rotate-pair"),
        (["check", "rotate-pear", "{here}/notes.txt"], "rotate-pair"),
        (["check", "rotate-pair", "{here}/nowhere.py"], "there is no file"),
    ],
)
def test_wrong_arguments_are_told(tmp_path: Path, capsys, arguments: list[str], said: str) -> None:
    (tmp_path / "notes.txt").write_text("x")
    assert main([part.format(here=tmp_path) for part in arguments]) == 2
    assert said in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_told_before_anything_is_graded(tmp_path: Path, capsys) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    for output, said in (("nowhere/r.csv", "cannot write"), ("r.xlsx", "must end with .csv or .json")):
        assert main(["grade", str(tmp_path / "a.py"), "--output", str(tmp_path / output)]) == 2
        assert said in capsys.readouterr().err


def test_a_spreadsheet_gets_no_formula(tmp_path: Path) -> None:
    row = Row("=cmd|' /C calc'!A0.py", "", "", "error", False, "", "@SUM(1)")
    text = report.as_text([row], ".csv")
    assert ",@SUM" not in text
    assert "\n'=cmd" in text


def test_it_runs_without_numpy_torch_and_tqdm(tmp_path: Path) -> None:
    (tmp_path / "anna.py").write_text(RIGHT_PAIR)
    command = [sys.executable, "-S", *COMMAND[1:], "grade", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "rotate-pair" in done.stdout


def test_modules_beside_a_submission_do_not_stand_in_for_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "submitted"
    place.mkdir()
    (place / "json.py").write_text("raise SystemExit('mine')")
    (place / "anna.py").write_text(RIGHT_PAIR)
    monkeypatch.chdir(place)
    results = [one for one in grade_files(find_files(place), Settings(), 1) if one.file.name == "anna.py"]
    assert results[0].rows[0].verdict == "right"
