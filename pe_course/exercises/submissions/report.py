"""Results as a file that is complete or absent, and as a summary to read."""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from types import TracebackType

from pe_course.exercises.result import ERROR, NOT_ATTEMPTED, OTHER_CONVENTION, RIGHT, WRONG
from pe_course.exercises.submissions.pool import Row

COLUMNS = tuple(field.name for field in fields(Row))
SUFFIXES = (".csv", ".json")
_WIDEST = 34


class Writer:
    """Rows go to ``NAME.part`` as they come, one line each; `finish` puts the ordered file in its place at once.

    A disk that is full stops the writing, not the grading: `problem` then says so.
    """

    def __init__(self, path: Path) -> None:
        """Raises: OSError if nothing can be written there at all."""
        self.path = path
        self.part = path.with_name(path.name + ".part")
        self.problem: OSError | None = None
        self._file = self.part.open("w", encoding="utf-8", newline="")
        self._write(_header(path.suffix))

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self._file.close()
        except OSError as problem:
            self.problem = self.problem or problem

    def add(self, rows: Sequence[Row]) -> None:
        self._write("".join(_line(row, self.path.suffix) for row in rows))

    def _write(self, text: str) -> None:
        if self.problem is not None:
            return
        try:
            self._file.write(text)
            self._file.flush()
        except OSError as problem:
            self.problem = problem

    def finish(self, rows: Sequence[Row]) -> None:
        """The file with all rows, in order. Raises: OSError; then the file that was there before is still there."""
        whole = self.path.with_name(self.path.name + ".new")
        try:
            with whole.open("w", encoding="utf-8", newline="") as file:
                file.write(as_text(rows, self.path.suffix))
                file.flush()
                os.fsync(file.fileno())
            os.replace(whole, self.path)
        except OSError:
            whole.unlink(missing_ok=True)
            raise
        self.part.unlink(missing_ok=True)


def as_text(rows: Sequence[Row], suffix: str) -> str:
    """All rows as CSV, or as a JSON list."""
    if suffix == ".json":
        return json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1) + "\n"
    return _header(suffix) + "".join(_line(row, suffix) for row in rows)


def _header(suffix: str) -> str:
    """The mark in front lets spreadsheets read the file as UTF-8."""
    return "" if suffix == ".json" else "\ufeff" + _csv(COLUMNS)


def _line(row: Row, suffix: str) -> str:
    if suffix == ".json":
        return json.dumps(asdict(row), ensure_ascii=False) + "\n"
    values = asdict(row) | {"accepted": "yes" if row.accepted else "no"}
    return _csv([_harmless(str(value)) for value in values.values()])


def _csv(values: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()


def _harmless(text: str) -> str:
    """A spreadsheet runs a cell that starts like a formula; file names and messages come from submissions."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def summary(rows: Sequence[Row]) -> str:
    """Two tables: what each submission solved, and what each exercise met."""
    return f"{_by_submission(rows)}\n\n{_by_exercise(rows)}"


def _by_submission(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(row.submission for row in rows))
    lines = [("submission", "solved", "of", "not attempted", "errors")]
    for name in names:
        own = [row for row in rows if row.submission == name]
        count = Counter(row.verdict for row in own)
        solved = sum(row.accepted for row in own)
        graded = sum(bool(row.exercise) for row in own)
        lines.append((name, str(solved), str(graded), str(count[NOT_ATTEMPTED]), str(count[ERROR])))
    return _table(lines)


def _by_exercise(rows: Sequence[Row]) -> str:
    lines = [("exercise", RIGHT, OTHER_CONVENTION, WRONG, ERROR, "most common mistake")]
    for id in dict.fromkeys(row.exercise for row in rows if row.exercise):
        own = [row for row in rows if row.exercise == id]
        count = Counter(row.verdict for row in own)
        mistakes = Counter(row.mistake for row in own if row.mistake).most_common(1)
        often = f"{mistakes[0][0]} ({mistakes[0][1]})" if mistakes else "–"
        lines.append((id, *(str(count[verdict]) for verdict in (RIGHT, OTHER_CONVENTION, WRONG, ERROR)), often))
    return _table(lines)


def _table(lines: Sequence[tuple[str, ...]]) -> str:
    """Columns by the longest entry; numbers to the right."""
    cells = [[_shown(cell) for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    numbers = [all(cell.isdigit() for cell in column[1:]) for column in zip(*cells, strict=True)]
    shown = []
    for line in cells:
        places = zip(line, widths, numbers, strict=True)
        shown.append("  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in places))
    return "\n".join(line.rstrip() for line in shown)


def _shown(cell: str) -> str:
    text = "".join(letter if letter.isprintable() else "?" for letter in cell)
    return text if len(text) <= _WIDEST else f"…{text[1 - _WIDEST :]}"
