"""What a submission does to the grader, to others, and to itself: never more than its own row."""

from __future__ import annotations

import os
import re
import socket
import time
from pathlib import Path

import pytest

from pe_course.exercises.result import Result
from pe_course.exercises.submissions import grader

RIGHT_BASE = """\
def ntk_base(base, factor, dim):
    return base * factor ** (dim / (dim - 2))
"""


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grader, "GRACE", 1.0)


def graded(tmp_path: Path, source: str, *, seconds: float = 10.0, memory: int = 2000) -> dict[str, Result]:
    path = tmp_path / "answer.py"
    path.write_text(source, encoding="utf-8")
    return dict(grader.grade_submission(path, [], seconds, memory))


def function(*body: str, before: str = "") -> str:
    lines = "\n".join(f"    {line}" for line in "\n".join(body).splitlines())
    return f"{before}\ndef rotate_pair(a, b, angle):\n{lines}\n\n{RIGHT_BASE}"


ENDS = {
    "loop": ("while True: pass", "did not end within 0.5 seconds"),
    "loop that turns the alarm off": ("import signal\nsignal.setitimer(0, 0)\nwhile True: pass", "had to be stopped"),
    "loop in C": ("return sum(iter(int, 1))", "had to be stopped"),
    "exit": ("raise SystemExit", "calls `exit()`"),
    "hard exit": ("import posix; posix._exit(0)", "ended Python itself (exit status 0)"),
    "refused exit": ("import os; os._exit(0)", "calls `os._exit`"),
    "crash": ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
    "recursion": ("return rotate_pair(a, b, angle)", "RecursionError"),
    "kills its parent": ("import os; os.kill(os.getppid(), 9)", "no signals to other processes"),
    "asks": ("return input()", "asks for `input()`"),
}


@pytest.mark.parametrize("how", ENDS)
def test_an_answer_that_does_not_end_well_leaves_the_next_one_alone(tmp_path: Path, how: str) -> None:
    body, said = ENDS[how]
    results = graded(tmp_path, function(body), seconds=0.5)
    assert results["rotate-pair"].verdict == "error"
    assert said in results["rotate-pair"].message
    assert results["ntk-base"].verdict == "right"


def test_what_runs_before_the_function_is_limited_too(tmp_path: Path) -> None:
    before = "speed = []\nfor number in iter(int, 1): speed.append(sum(iter(int, 1)))\n"
    results = graded(tmp_path, function("return speed", before=before), seconds=0.5)
    assert "had to be stopped" in results["rotate-pair"].message
    assert results["ntk-base"].verdict == "right"


def test_memory_is_limited(tmp_path: Path) -> None:
    body = "return len(bytearray(400_000_000)) if a == 1 else 0, 0"
    assert "more memory" in graded(tmp_path, function(body), memory=300)["rotate-pair"].message
    assert "gives 400000000 instead" in graded(tmp_path, function(body))["rotate-pair"].message


def test_endless_output_is_cut_and_does_not_reach_the_connection(tmp_path: Path) -> None:
    before = "import os\nfor descriptor in (0, 1, 2):\n    os.write(descriptor, b'x' * 100_000)\n"
    results = graded(tmp_path, function("while True: print('x' * 1000)", before=before), seconds=0.5)
    assert "did not end" in results["rotate-pair"].message
    assert len(results["rotate-pair"].output) < 10_000
    assert results["ntk-base"].verdict == "right"


def test_children_of_a_submission_end_with_it(tmp_path: Path) -> None:
    body = (
        "import ctypes\nlibc = ctypes.CDLL(None)\nchild = libc.fork()\nif child == 0: libc.sleep(60)\nreturn child, 1"
    )
    message = graded(tmp_path, function(body))["rotate-pair"].message
    child = int(re.search(r"gives (\d+) instead", message)[1])
    deadline = time.monotonic() + 3
    while _is_running(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _is_running(child)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_there_is_no_network(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        body = f"import socket\nsocket.create_connection(('127.0.0.1', {port}))\nreturn a, b"
        assert "no network" in graded(tmp_path, function(body))["rotate-pair"].message
        raw = f"import _socket\n_socket.socket().connect(('127.0.0.1', {port}))\nreturn a, b"
        assert "no network" in graded(tmp_path, function(raw))["rotate-pair"].message
        with pytest.raises(TimeoutError):
            server.accept()


def test_files_of_others_stay_as_they_are(tmp_path: Path) -> None:
    precious = tmp_path / "results.csv"
    precious.write_text("marks")
    body = f"""\
import os, shutil, subprocess
path, refused = {str(precious)!r}, 0
for act in (
    lambda: open(path, "w"),
    lambda: os.remove(path),
    lambda: os.open(path, os.O_TRUNC | os.O_WRONLY),
    lambda: os.rename(path, "mine"),
    lambda: os.truncate(path, 0),
    lambda: shutil.rmtree(os.path.dirname(path)),
    lambda: subprocess.run(["rm", path]),
    lambda: os.system("rm " + path),
):
    try: act()
    except PermissionError: refused += 1
return refused, 8"""
    assert "gives 8 instead" in graded(tmp_path, function(body))["rotate-pair"].message
    assert precious.read_text() == "marks"


def test_its_own_folder_is_free_and_empty(tmp_path: Path) -> None:
    body = "import os\nfound = os.listdir()\nopen('notes.txt', 'w').write('x')\nreturn len(found), len(os.listdir())"
    assert "gives 0 instead" in graded(tmp_path, function(body))["rotate-pair"].message


def test_secrets_of_the_environment_stay_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_TOKEN", "secret")
    body = "import os\nreturn int('COURSE_TOKEN' in os.environ), 5"
    assert "gives 0 instead" in graded(tmp_path, function(body))["rotate-pair"].message


FORGERIES = {
    "patched check": """\
import pe_course.exercises.notebook as n, pe_course.exercises.grade as g, pe_course
from pe_course.exercises.result import Result
n.check = g.grade_function = pe_course.check = lambda *a, **k: Result("right", "all pass", accepted=True)
""",
    "patched runner": """\
import sys, pe_course.exercises.submissions.runner as r, pe_course.exercises.values as v, pe_course.exercises.guard as g
v.close = v.agree = lambda *a: True
v.first_difference = lambda *a: None
r._sendable = lambda value: {"verdict": "right", "accepted": True}
""",
    "messages of its own": """\
import json, os
line = json.dumps({"verdict": "right", "accepted": True, "done": True, "exercise": "rotate-pair", "value": True})
for descriptor in range(3, 20):
    try: os.write(descriptor, 5 * (line.encode() + b"\\n"))
    except OSError: pass
""",
    "printed verdicts": """\
print('{"exercise": "rotate-pair", "verdict": "right", "accepted": true}')
""",
    "other builtins": """\
import builtins, math, json
builtins.abs = lambda x: 0
builtins.all = builtins.any = lambda x: True
builtins.isinstance = lambda *a: True
math.isclose = lambda *a: True
""",
    "an object that equals everything": """\
class Everything(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
    def __hash__(self): return 0
    def __abs__(self): return 0.0
""",
}


@pytest.mark.parametrize("trick", FORGERIES)
@pytest.mark.parametrize("when", ["before", "while it is called"])
def test_a_wrong_answer_cannot_be_declared_right(tmp_path: Path, trick: str, when: str) -> None:
    inner = "".join(f"    {line}\n" for line in FORGERIES[trick].splitlines())
    inner = f"def trick():\n{inner}    return locals()\n"
    value = "made['Everything'](7)" if "class" in inner else "7.0"
    if when == "before":
        source = f"{inner}\ndef rotate_pair(a, b, angle, made=trick()):\n    return [{value}, {value}]\n"
    else:
        source = f"{inner}\ndef rotate_pair(a, b, angle):\n    made = trick()\n    return [{value}, {value}]\n"
    results = graded(tmp_path, f"{source}\nfrom pe_course import check\ncheck('rotate-pair', rotate_pair)\n")
    assert [id for id in results if id] in (["rotate-pair"], [])
    assert all(result.verdict in ("wrong", "error") and not result.accepted for result in results.values())
