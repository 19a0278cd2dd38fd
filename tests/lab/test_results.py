"""Results files: whole rows or none, whatever happens; and no row among those of another experiment."""

import errno
import json
import os
import subprocess
import sys

import pytest

from pe_course.lab import results
from pe_course.lab.config import Config
from pe_course.lab.results import FIELDS, STORED, ResultsError, ResultsFile


def row(seed=0, **changes):
    config = Config(task="markov", seed=seed, **changes)
    found = {"by_length": {"64": {"loss": 1.0 + seed}}}
    return {
        "config": config.as_dict(),
        "results": found,
        "versions": {"torch": "2"},
        "commit": None,
        "command": config.command,
    }


@pytest.fixture
def file(tmp_path):
    return ResultsFile(tmp_path / "markov.jsonl")


def filled(file, seeds):
    with file.writing():
        for seed in seeds:
            file.append(row(seed))
    return file


def test_rows_come_back_as_they_were(file):
    assert filled(file, [0, 1]).rows() == [row(0), row(1)]
    assert file.done() == {Config(task="markov", seed=seed).key for seed in (0, 1)}


def test_a_run_has_one_row(file):
    with file.writing():
        assert file.append(row(0)) and not file.append(row(0))
    assert file.rows() == [row(0)]


@pytest.mark.parametrize("left", [1, 40, -1])
def test_a_truncated_last_line_is_an_unfinished_run(file, left):
    filled(file, [0, 1])
    whole = file.path.read_bytes()
    start = whole.index(b"\n") + 1
    file.path.write_bytes(whole[: start + left] if left > 0 else whole[:left])
    assert file.rows() == [row(0)]
    with pytest.warns(UserWarning, match="are no whole row; cut off"), file.writing():
        file.append(row(1))
    assert file.rows() == [row(0), row(1)] and file.path.read_bytes() == whole


@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n", b"{}\n", b'{"config": 1}\n', b"[1]\n", b"\x00\xff\n", b"half a note"]
)
def test_another_file_is_refused_and_stays_as_it_is(file, content):
    file.path.write_bytes(content)
    with (
        pytest.raises(ResultsError, match="line 1: no row of results; is this a results file of the lab"),
        file.writing(),
    ):
        pass
    assert file.path.read_bytes() == content


def test_a_broken_line_in_the_middle_is_named(file):
    filled(file, [0, 1])
    lines = file.path.read_bytes().splitlines(keepends=True)
    file.path.write_bytes(lines[0] + lines[1][:50] + b"\n" + lines[1])
    with pytest.raises(ResultsError, match="line 2: no row of results"):
        file.rows()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"length": 128}, "length is 64 in row 1, 128 here"),
        ({"layers": 3}, "layers is 2 in row 1, 3 here"),
        ({"learning_rate": 1e-3}, "learning_rate is 0.003 in row 1, 0.001 here"),
    ],
)
def test_rows_of_another_configuration_are_refused(file, other, message):
    filled(file, [0])
    with pytest.raises(ResultsError, match=f"holds results of another configuration: {message}"):
        file.check_setting(Config(task="markov", **other))


def test_methods_steps_and_seeds_may_differ(file):
    filled(file, [0])
    file.check_setting(Config(task="markov", method="alibi", steps=3, seed=9, position_lr_factor=1.0))


def test_a_row_without_its_fields_is_refused(file):
    with (
        file.writing(),
        pytest.raises(ResultsError, match="a row has the fields config, results, versions, commit, co"),
    ):
        file.append({"config": {}, "results": {}})


def test_not_a_number_is_no_result(file):
    broken = row(0) | {"results": {"loss": float("nan")}}
    with file.writing(), pytest.raises(ValueError, match="not JSON compliant"):
        file.append(broken)
    assert file.rows() == []


class FullDisk:
    """A file of which the disk takes ``room`` more bytes."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.file.close()

    def write(self, data):
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = self.file.write(data[: self.room])
        self.room -= taken
        return taken


def test_a_full_disk_leaves_the_earlier_rows(file, monkeypatch):
    filled(file, [0])
    before = file.path.read_bytes()
    with file.writing():
        real = open
        monkeypatch.setattr(
            results,
            "open",
            lambda *a, **k: FullDisk(real(*a, **k), 100) if a[1] == "ab" else real(*a, **k),
            raising=False,
        )
        with pytest.raises(
            ResultsError, match=r"--seed 1' could not be written \(No space left.*earlier rows are intact"
        ):
            file.append(row(1))
        assert file.path.read_bytes() == before
        monkeypatch.undo()
        file.append(row(1))
    assert file.rows() == [row(0), row(1)]


def test_two_writers_are_one_too_many(file):
    code = (
        "import sys; from pe_course.lab.results import ResultsFile\n"
        "with ResultsFile(sys.argv[1]).writing(): print('mine', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(file.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout.readline() == "mine\n"
        with pytest.raises(ResultsError, match=r"another process is writing to .*markov.jsonl"), file.writing():
            pass
        other.stdin.close()
    with file.writing():
        pass


def test_a_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "spool" / "row.json"
    results.write_whole(path, b"one")

    def refuse(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(results.os, "fsync", refuse)
    with pytest.raises(OSError, match="No space left"):
        results.write_whole(path, b"two")
    assert path.read_bytes() == b"one" and list(path.parent.iterdir()) == [path]


def test_an_unknown_experiment_is_named():
    with pytest.raises(ValueError, match=r"name must be one of 'text', .*; got 'addition'"):
        results.stored("addition")


def test_results_are_read_where_torch_and_the_extra_are_missing():
    code = (
        "import sys\n"
        "for name in ('torch', 'tqdm', 'joblib', 'submitit', 'distributed', 'matplotlib'): sys.modules[name] = None\n"
        "from pe_course.lab import stored, select, show\n"
        "from pe_course.lab.results import STORED\n"
        "for name in STORED:\n"
        "    try: stored(name)\n"
        "    except FileNotFoundError as error: assert 'are stored' in str(error)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", STORED)
def test_stored_rows_are_whole_small_and_of_one_setting(name):
    try:
        rows = results.stored(name)
    except FileNotFoundError:
        assert name != "text", "the text experiment must be stored"
        return
    keys = [json.dumps(r["config"], sort_keys=True) for r in rows]
    assert len(set(keys)) == len(keys)
    assert len({str(Config.from_mapping(r["config"]).setting) for r in rows}) == 1
    for r in rows:
        assert set(r) == set(FIELDS)
        assert len(json.dumps(r)) < 8000 and "/" not in r["command"]
        assert r["command"] == Config.from_mapping(r["config"]).command
