"""Results as JSON lines: one row per finished run, valid at any moment, whatever kills the process or fills the disk.

A row is ``{"config", "results", "versions", "commit", "command"}``. Reading needs neither torch nor the extra ``lab``.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from pe_course.lab.config import Config
from pe_course.reference.validation import one_of

Row = dict[str, Any]
FIELDS = ("config", "results", "versions", "commit", "command")
STORED = ("text", "markov", "copy", "recall", "finetune")


class ResultsError(RuntimeError):
    """A results file that must not be written to, or cannot be."""


def stored(name: str) -> list[Row]:
    """The rows that come with the package, for "text", "markov", "copy", "recall" or "finetune".

    Raises: ValueError for another name; FileNotFoundError if that experiment has no results yet.
    """
    file = resources.files("pe_course.lab") / "results" / f"{one_of('name', name, STORED)}.jsonl"
    rows = _parse(file.read_bytes(), f"{name}.jsonl")[0] if file.is_file() else []
    if not rows:
        raise FileNotFoundError(f"no results of {name!r} are stored; 'python -m pe_course.lab sweep' makes them")
    return rows


def select(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """The rows whose configuration has these values, such as ``method="rope", steps=500``."""
    return [row for row in rows if all(row["config"].get(name) == value for name, value in wanted.items())]


class ResultsFile:
    """One file of rows that share a setting. Only one process at a time may write; any may read.

    Rows are appended whole and synced to the disk. A half-written last line, which a kill or a full disk can leave,
    is an unfinished run: it is cut off, with a warning, before the next row is written.
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)

    def rows(self) -> list[Row]:
        """Raises: ResultsError if the file holds anything else than rows."""
        return _parse(self._bytes(), str(self.path))[0]

    def done(self) -> set[str]:
        """The keys of the configurations that have their row."""
        return {_key(row) for row in self.rows()}

    def check_setting(self, config: Config) -> None:
        """Raises: ResultsError if the rows belong to another setting than ``config``; names the first difference."""
        for number, row in enumerate(self.rows(), start=1):
            for name, value in config.setting.items():
                found = row["config"].get(name)
                if found != value:
                    raise ResultsError(
                        f"{self.path} holds results of another configuration: {name} is {found!r} in row {number}, "
                        f"{value!r} here; give another --output or another {name}"
                    )

    @contextmanager
    def writing(self) -> Iterator[ResultsFile]:
        """Holds the file for this process. Raises: ResultsError if another process holds it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "ab") as file:
            _lock(file, self.path)
            self._cut_unfinished_line()
            yield self

    def append(self, row: Row) -> bool:
        """Adds ``row`` unless its run has one already; True if it was added.

        Raises: ResultsError if the disk refuses; the rows written so far stay as they were.
        """
        if set(row) != set(FIELDS):
            raise ResultsError(f"a row has the fields {', '.join(FIELDS)}, got {', '.join(sorted(row))}")
        if _key(row) in self.done():
            return False
        line = (json.dumps(row, allow_nan=False, separators=(",", ":")) + "\n").encode()
        try:
            append_whole(self.path, line)
        except OSError as error:
            raise ResultsError(not_written(self.path, row["command"], error)) from error
        return True

    def _bytes(self) -> bytes:
        return self.path.read_bytes() if self.path.exists() else b""

    def _cut_unfinished_line(self) -> None:
        content = self._bytes()
        _, whole = _parse(content, str(self.path))
        if whole < len(content):
            warnings.warn(f"{self.path}: the last {len(content) - whole} bytes are no whole row; cut off", stacklevel=4)
            os.truncate(self.path, whole)


def not_written(where: str | os.PathLike, command: str, error: OSError) -> str:
    return (
        f"{where}: the row of '{command}' could not be written ({error.strerror}); all earlier rows are intact. "
        "Make room and give the same command again: it goes on where it stopped"
    )


def append_whole(path: Path, data: bytes) -> None:
    """``data`` at the end of the file and on the disk, or the file as it was. Raises: OSError."""
    with open(path, "ab", buffering=0) as file:
        before = file.tell()
        try:
            written = 0
            while written < len(data):
                written += file.write(data[written:])
            os.fsync(file.fileno())
        except BaseException:
            os.ftruncate(file.fileno(), before)
            raise


def write_whole(path: Path, data: bytes) -> None:
    """A file with ``data`` under its name, or no such file: written beside it, synced, renamed. Raises: OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.part")
    try:
        with open(draft, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _key(row: Row) -> str:
    return json.dumps(row["config"], sort_keys=True)


def _parse(content: bytes, name: str) -> tuple[list[Row], int]:
    """The rows, and how many bytes they take: an unfinished last line is left out."""
    whole = content.rfind(b"\n") + 1
    rows = []
    for number, line in enumerate(content[:whole].splitlines(), start=1):
        try:
            row = json.loads(line)
            rows.append({field: row[field] for field in FIELDS})
        except (ValueError, KeyError, TypeError):
            raise ResultsError(
                f"{name}, line {number}: no row of results; is this a results file of the lab?"
            ) from None
    if not rows and whole < len(content) and not content.startswith(b'{"config"'[: len(content)]):
        raise ResultsError(f"{name}, line 1: no row of results; is this a results file of the lab?")
    return rows, whole


def _lock(file, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: no advisory locks; the user sees to it that one process writes
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ResultsError(f"another process is writing to {path}; wait for it or give another --output") from None
