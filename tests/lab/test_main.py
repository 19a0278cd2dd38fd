"""The command line: what it prints, what it keeps, and how it says that something is wrong."""

import json
import subprocess
import sys

import pytest

from pe_course.lab import __main__ as main
from pe_course.lab.results import ResultsFile, stored

SIZE = {"length": 8, "d-model": 16, "heads": 2, "layers": 1, "eval-tokens": 128, "batch-size": 4, "steps": 1}
TINY = ["--task", "markov", *(word for name, value in SIZE.items() for word in (f"--{name}", str(value)))]


def call(*words):
    return main.main([*words])


def test_run_prints_its_row(capsys):
    assert call("run", *TINY, "--method", "nope", "--quiet") == 0
    row = json.loads(capsys.readouterr().out)
    assert row["config"]["method"] == "nope" and row["command"].startswith("python -m pe_course.lab run --method nope")


def test_run_appends_its_row(tmp_path, capsys):
    for _ in range(2):
        assert call("run", *TINY, "--method", "nope", "--output", str(tmp_path / "markov.jsonl")) == 0
    assert len(ResultsFile(tmp_path / "markov.jsonl").rows()) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "1/1" in captured.err  # the progress bar


def test_sweep_and_show(tmp_path, capsys):
    words = [*TINY, "--method", "nope", "alibi", "--seed", "0", "1", "--output", str(tmp_path), "--engine", "serial"]
    assert call("sweep", *words) == 0
    captured = capsys.readouterr()
    assert captured.out == "4 runs done, 0 were done before, 0 failed\n" and "4/4" in captured.err
    assert call("sweep", *words, "--quiet") == 0
    assert capsys.readouterr().out == "0 runs done, 4 were done before, 0 failed\n"
    assert call("show", "markov", "--steps", "1", "--output", str(tmp_path)) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown] == ["nope", "alibi"] and all("not learned" in line for line in shown)


def test_results_made_again_are_compared_with_the_stored_ones(tmp_path, capsys):
    rows = [row for row in stored("text") if row["config"]["method"] == "alibi"]
    path = tmp_path / "text.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert call("compare", "text", "--output", str(tmp_path)) == 0
    assert capsys.readouterr().out == "5 of 5 means agree with the stored ones\n"
    for row in rows:
        row["results"]["by_length"]["256"]["loss"] += 0.2
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert call("compare", "text", "--output", str(tmp_path)) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("alibi at 256: 1.8") and last == "4 of 5 means agree with the stored ones"
    assert call("compare", "text", "--steps", "7", "--output", str(tmp_path)) == 2
    assert "no method has rows with 7 steps in both" in capsys.readouterr().err


def test_a_dry_sweep_lists_its_runs(tmp_path, capsys):
    assert call("sweep", "--plan", "quick", "--dry", "--output", str(tmp_path / "none")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11 and lines[0].startswith("text.jsonl: python -m pe_course.lab run --method nope")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "--method", "roppe"], "method must be one of"),
        (["run", "--task", "addition"], "task must be one of 'text', 'markov', 'copy', 'recall'; got 'addition'"),
        (["run", "--length", "64", "--window", "128"], "length must be at least the window, 128, got 64"),
        (["sweep", "--method", "roppe"], "method must be one of"),
        (["sweep", "--jobs", "0", *TINY], "jobs must be at least 1, got 0"),
        (["sweep", "--plan", "quick", "--task", "copy"], "nothing is planned"),
        (["run", "--device", "gpu"], "device must be 'cpu', 'cuda' or 'cuda:N', got 'gpu'"),
        (["show", "markov", "--output", "nowhere"], "there is no results file nowhere"),
    ],
)
def test_bad_input_is_one_line(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call(*words) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and message in error and error.count("\n") == 1


def test_a_foreign_file_is_refused_before_training(tmp_path, capsys, monkeypatch):
    (tmp_path / "notes.txt").write_text("half a note")
    monkeypatch.setattr("pe_course.lab.experiment.row", lambda *a, **k: pytest.fail("it was trained"))
    assert call("run", *TINY, "--output", str(tmp_path / "notes.txt")) == 2
    assert "no row of results; is this a results file of the lab?" in capsys.readouterr().err
    assert (tmp_path / "notes.txt").read_text() == "half a note"


@pytest.mark.parametrize("module", ["torch", "tqdm"])
def test_a_missing_extra_is_one_line(module):
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from pe_course.lab.__main__ import main\n"
        "sys.exit(main(['run', '--method', 'nope', '--steps', '0']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"error: this part of pe_course needs {module}: pip install 'pe-course[lab]'\n"
