"""Grade many submissions at once: each in a process of its own, several side by side."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TextIO

COLUMNS = ("file", "id", "verdict", "accepted", "mistake", "message", "inputs", "expected", "got")


def grade_files(files: list[Path], *, jobs: int, seconds: int, megabytes: int) -> Iterator[list[dict[str, Any]]]:
    """The rows of each submission, as soon as it is graded. A crash of one never costs the others."""
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        running = [pool.submit(grade_file, file, seconds=seconds, megabytes=megabytes) for file in files]
        for done in as_completed(running):
            yield done.result()


def grade_file(file: Path, *, seconds: int, megabytes: int) -> list[dict[str, Any]]:
    """One row per exercise of a submission, whatever becomes of the process that grades it."""
    with tempfile.TemporaryDirectory(prefix="pe-grade-") as folder:
        report = Path(folder, "report.jsonl")
        command = [sys.executable, "-m", "pe_course.exercises.child", str(file.resolve()), str(report)]
        ended = _run([*command, str(megabytes), str(seconds)], folder, seconds)
        lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    rows = [{"file": str(file), **row} for row in map(_read, lines) if row]
    graded = {row["id"] for row in rows if row["verdict"] != "started"}
    lost = [row for row in rows if row["verdict"] == "started" and row["id"] not in graded]
    rows = [row for row in rows if row["verdict"] != "started"]
    rows += [_row(file, row["id"], f"grading stopped here: {ended or 'the process wrote no result'}.") for row in lost]
    return rows or [_row(file, "", f"grading stopped: {ended or 'the process wrote no result'}.")]


def _run(command: list[str], folder: str, seconds: int) -> str:
    """Run the child; what ended it in words, empty if it ended by itself."""
    paths = [str(Path(__file__).resolve().parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"}
    nothing = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
    ) as process:
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end_group(process)
    if code is None:
        return f"it took longer than {seconds} seconds"
    if code < 0:
        name = signal.Signals(-code).name if -code in {one.value for one in signal.Signals} else str(-code)
        return f"the process was ended by the system ({name}); out of memory or time?"
    return f"the process ended with code {code}" if code else ""


def _end_group(process: subprocess.Popen) -> None:
    """The child and whatever it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, ProcessLookupError, PermissionError):
        if process.poll() is None:
            process.kill()


def _read(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None  # the last line of a process that was ended while it wrote
    return row if isinstance(row, dict) and set(COLUMNS[1:]) <= set(row) else None


def _row(file: Path, id: str, message: str) -> dict[str, Any]:
    empty = dict.fromkeys(COLUMNS, "")
    return {**empty, "file": str(file), "id": id, "verdict": "error", "accepted": False, "message": message}


def write_csv(rows: list[dict[str, Any]], stream: TextIO) -> None:
    """A table for a spreadsheet; text that it would take for a formula gets an apostrophe in front."""
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _harmless(row[name]) for name in COLUMNS} for row in rows)


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@")) else value


def write_json(rows: list[dict[str, Any]], stream: TextIO) -> None:
    json.dump(rows, stream, indent=1, ensure_ascii=False)
    stream.write("\n")


class Progress:
    """A bar on standard error: tqdm's where it is installed, else a line per submission."""

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        self._total, self._done, self._quiet, self._bar = total, 0, quiet, None
        if not quiet:
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, unit="file")

    def step(self, name: str) -> None:
        self._done += 1
        if self._bar is not None:
            self._bar.update()
        elif not self._quiet:
            print(f"{self._done}/{self._total} {name}", file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
