"""Sweeps: each run once, none lost, whoever is killed."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from pe_course.lab import engines, plans, sweep
from pe_course.lab.config import METHODS, Config
from pe_course.lab.plans import Planned
from pe_course.lab.results import ResultsError, ResultsFile

TINY = {"task": "markov", "length": 8, "d_model": 16, "heads": 2, "layers": 1, "eval_tokens": 128, "batch_size": 4}


def planned(number=3, **changes):
    return [Planned("markov", Config(method="nope", steps=1, seed=seed, **(TINY | changes))) for seed in range(number)]


def rows(folder):
    return ResultsFile(folder / "markov.jsonl").rows()


def go(runs, output, **options):
    return sweep.sweep(runs, output, **({"engine": "serial", "progress": False} | options))


def test_every_run_gets_its_row_and_is_not_run_again(tmp_path, monkeypatch):
    first = go(planned(2), tmp_path)
    before = (tmp_path / "markov.jsonl").read_bytes()
    assert (first.done_now, first.done_before, first.failed) == (2, 0, [])
    ran = []
    own = sweep.spooled
    monkeypatch.setattr(sweep, "spooled", lambda run, **k: ran.append(run.config.seed) or own(run, **k))
    again = go(planned(3), tmp_path)
    assert (again.done_now, again.done_before, ran) == (1, 2, [2])
    assert (tmp_path / "markov.jsonl").read_bytes().startswith(before)
    assert [row["config"]["seed"] for row in rows(tmp_path)] == [0, 1, 2]


def test_a_run_that_is_planned_twice_is_run_once(tmp_path):
    assert go(planned(1) * 3, tmp_path).done_now == 1


def test_a_run_that_raises_does_not_stop_the_others(tmp_path, monkeypatch):
    from pe_course.lab import experiment

    own = experiment.row

    def fails_for_seed_1(config, **options):
        if config.seed == 1:
            raise RuntimeError("out of memory")
        return own(config, **options)

    monkeypatch.setattr(experiment, "row", fails_for_seed_1)
    report = go(planned(3), tmp_path)
    [(command, trace)] = report.failed
    assert "--seed 1" in command and "out of memory" in trace
    assert [row["config"]["seed"] for row in rows(tmp_path)] == [0, 2]


def test_what_a_killed_sweep_had_finished_is_kept(tmp_path):
    sweep.spooled(planned(1)[0], spool=str(tmp_path / sweep.SPOOL), device="cpu")
    assert not (tmp_path / "markov.jsonl").exists()
    report = go(planned(1), tmp_path)
    assert report.done_before == 1 and len(rows(tmp_path)) == 1
    assert not (tmp_path / sweep.SPOOL).exists()


def test_a_row_that_was_stored_and_spooled_is_kept_once(tmp_path):
    go(planned(1), tmp_path)
    sweep.spooled(planned(1)[0], spool=str(tmp_path / sweep.SPOOL), device="cpu")
    go(planned(1), tmp_path)
    assert len(rows(tmp_path)) == 1


def test_another_setting_is_refused_before_anything_runs(tmp_path, monkeypatch):
    go(planned(1), tmp_path)
    before = (tmp_path / "markov.jsonl").read_bytes()
    monkeypatch.setattr(sweep, "spooled", lambda *a, **k: pytest.fail("a run was started"))
    with pytest.raises(ResultsError, match="another configuration: length is 8 in row 1, 16 here"):
        go(planned(1, length=16, eval_tokens=256), tmp_path)
    with pytest.raises(ResultsError, match=r"runs for markov.jsonl do not share a setting"):
        go(planned(1) + planned(1, layers=2), tmp_path)
    assert (tmp_path / "markov.jsonl").read_bytes() == before


def test_a_full_disk_stops_the_sweep(tmp_path, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sweep, "write_whole", full)
    with pytest.raises(ResultsError, match=r"could not be written \(No space left on device\)"):
        go(planned(2), tmp_path)


def test_unknown_engines_and_devices_are_named(tmp_path):
    with pytest.raises(ValueError, match="engine must be one of 'serial', 'joblib', 'submitit', 'dask'; got 'ray'"):
        go(planned(1), tmp_path, engine="ray")
    with pytest.raises(ValueError, match="device must be 'cpu', 'cuda' or 'cuda:N', got 'tpu0'"):
        go(planned(1), tmp_path, device="tpu0")
    assert not list(tmp_path.iterdir())


# The engines --------------------------------------------------------------------------------------------------------


def found(folder):
    return {row["command"]: row["results"] for row in rows(folder)}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serial")
    go(planned(3), folder)
    return found(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "options"), [("joblib", {}), ("submitit", {"cluster": "local"}), ("dask", {})], ids=lambda v: str(v)
)
def test_engines_give_the_rows_of_the_serial_one(engine, options, tmp_path, expected):
    if engine == "submitit":
        options = options | {"folder": str(tmp_path / "jobs")}
    report = go(planned(3), tmp_path, engine=engine, jobs=2, **options)
    assert report.failed == []
    assert found(tmp_path) == expected


@pytest.mark.slow
def test_a_killed_sweep_goes_on_where_it_stopped(tmp_path):
    command = [sys.executable, "-m", "pe_course.lab", "sweep", "--task", "markov", "--method", "nope", "--steps", "1"]
    command += ["--seed", *map(str, range(6)), "--engine", "joblib", "--quiet", "--output", str(tmp_path)]
    for name, value in TINY.items():
        if name != "task":
            command += [f"--{name.replace('_', '-')}", str(value)]
    killed = subprocess.Popen(command, start_new_session=True)
    while not (tmp_path / "markov.jsonl").exists() or not rows(tmp_path):
        assert killed.poll() is None
        time.sleep(0.02)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    kept = rows(tmp_path)
    subprocess.run(command, check=True)
    after = rows(tmp_path)
    assert after[: len(kept)] == kept
    assert Counter(row["config"]["seed"] for row in after) == Counter(range(6))


@pytest.mark.parametrize(
    ("engine", "module"), [("joblib", "joblib"), ("submitit", "submitit"), ("dask", "distributed")]
)
def test_a_missing_extra_is_named(engine, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError, match=rf"needs {module}: pip install 'pe-course\[(lab|cluster)\]'"):
        engines.check(engine)


# The plans ----------------------------------------------------------------------------------------------------------


def test_the_full_plan_has_every_method_task_length_and_seed():
    runs = plans.full(Config())
    grid = [run for run in runs if run.file != "finetune" and run.config.position_lr_factor != plans.COMMON_RATE]
    combinations = Counter((r.config.method, r.config.task, r.config.steps, r.config.seed) for r in grid)
    assert len(combinations) == len(METHODS) * 4 * 2 * 3 and set(combinations.values()) == {1}
    assert all(run.file == run.config.task for run in grid)
    assert Counter(run.config.finetune for run in runs if run.file == "finetune") == dict.fromkeys(
        ("direct", "pi", "ntk", "yarn"), 3
    )


def test_what_the_chapter_needs_first_comes_first():
    runs = plans.full(Config())
    assert [(r.file, r.config.steps) for r in runs[:33]] == [("text", 500)] * 33
    assert runs[-1].config.steps == 2000


def test_a_plan_can_be_narrowed():
    narrow = {"tasks": ["text"], "methods": ["rope"], "steps": [500], "seeds": [1]}
    runs = plans.chosen(Config(), plan="full", **narrow)
    assert [(r.file, r.config.finetune) for r in runs] == [
        ("text", "none"),
        *(("finetune", rule) for rule in ("direct", "pi", "ntk", "yarn")),
    ]
    assert len(plans.chosen(Config(), plan=None, **narrow)) == 1
