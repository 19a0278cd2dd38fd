"""``python -m pe_course.exercises``: list the self-tests, check one file, grade a folder of submissions."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pe_course.exercises.registry import UnknownExercise, all_exercises, find
from pe_course.exercises.result import Result
from pe_course.exercises.submissions import progress, report
from pe_course.exercises.submissions.files import File, find_files
from pe_course.exercises.submissions.pool import Settings, grade_files, in_order

GRADED, NOT_GRADED, USAGE, NOT_WRITTEN, INTERRUPTED = 0, 1, 2, 3, 130
READER_GONE = 141
STATUS = """\
exit status:
  grade: 0 every submission was graded, whatever the verdicts; 1 at least one could not be graded;
         3 the results could not be written, and are printed instead; 130 stopped from the keyboard
  check: 0 right, or in a convention that counts as right; 1 anything else
  all:   2 wrong arguments
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: see ``--help``."""
    given = _parser().parse_args(arguments)
    try:
        return given.run(given)
    except (FileNotFoundError, ValueError, UnknownExercise) as problem:
        print(f"{problem}", file=sys.stderr)
        return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pe_course.exercises",
        description=__doc__.partition(": ")[2].capitalize(),
        epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="id, kind, chapter and title of every self-test")
    listing.add_argument("--chapter", metavar="NAME", help="of this chapter alone, such as rotary")
    listing.set_defaults(run=_list)
    check = commands.add_parser("check", help="grade one self-test in one file")
    check.add_argument("id", metavar="ID")
    check.add_argument("file", metavar="FILE", type=Path)
    check.set_defaults(run=_check)
    grade = commands.add_parser("grade", help="grade a notebook, a Python file, or a folder of them")
    grade.add_argument("path", metavar="FILE_OR_FOLDER", type=Path)
    grade.add_argument("--output", metavar="NAME.csv", type=Path, help="where the rows go: .csv or .json")
    grade.add_argument("--only", metavar="ID", action="append", default=[], help="these self-tests, attempted or not")
    grade.add_argument("--jobs", metavar="N", type=int, default=_processors(), help="at once (default: %(default)s)")
    grade.add_argument("--quiet", action="store_true", help="no progress")
    grade.set_defaults(run=_grade)
    for command in (check, grade):
        command.add_argument("--seconds", type=float, default=10.0, metavar="S", help="per self-test (default: 10)")
        command.add_argument("--memory", type=int, default=2000, metavar="MB", help="per process (default: 2000)")
    return parser


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _settings(given: argparse.Namespace, only: Sequence[str]) -> Settings:
    if not 0.1 <= given.seconds <= 3600:
        raise ValueError(f"--seconds must lie between 0.1 and 3600, got {given.seconds:g}")
    if given.memory < 100:
        raise ValueError(f"--memory must be at least 100 MB, got {given.memory}")
    return Settings(given.seconds, given.memory, tuple(find(id).id for id in only))


def _list(given: argparse.Namespace) -> int:
    for one in all_exercises():
        if given.chapter in (None, one.chapter):
            print(f"{one.id:32} {one.kind:7} {one.chapter:18} {one.title}")
    return GRADED


def _check(given: argparse.Namespace) -> int:
    settings = _settings(given, [given.id])
    if not given.file.is_file():
        raise FileNotFoundError(f"there is no file {str(given.file)!r}")
    graded = next(iter(grade_files(find_files(given.file), settings, 1)))
    row = graded.rows[-1]
    output = graded.outputs[-1]
    print(Result(row.verdict, row.message, row.mistake or None, output=output, id=row.exercise))
    return GRADED if row.accepted else NOT_GRADED


def _grade(given: argparse.Namespace) -> int:
    settings = _settings(given, given.only)
    if given.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, got {given.jobs}")
    files = find_files(given.path)
    if given.output is None:
        return _graded(given, settings, files, None)
    if given.output.suffix not in report.SUFFIXES:
        raise ValueError(f"--output must end with .csv or .json, got {given.output.name!r}")
    with _writer(given.output) as writer:
        return _graded(given, settings, files, writer)


def _writer(path: Path) -> report.Writer:
    try:
        return report.Writer(path)
    except OSError as problem:
        raise ValueError(f"cannot write {str(path)!r}: {problem.strerror}") from None


def _graded(given: argparse.Namespace, settings: Settings, files: Sequence[File], writer: report.Writer | None) -> int:
    done, status = [], GRADED
    try:
        for one in progress.shown(grade_files(files, settings, given.jobs), len(files), quiet=given.quiet):
            done.append(one)
            if writer is not None:
                writer.add(one.rows)
    except KeyboardInterrupt:
        print(f"stopped: {len(done)} of {len(files)} submissions are graded", file=sys.stderr)
        status = INTERRUPTED
    rows = in_order(done, files)
    print(report.summary(rows))
    if status == GRADED and not all(one.whole for one in done):
        status = NOT_GRADED
    if writer is None:
        return status
    try:
        writer.finish(rows)
    except OSError as problem:
        print(f"cannot write {str(given.output)!r}: {problem.strerror}; the rows follow", file=sys.stderr)
        print(report.as_text(rows, given.output.suffix))
        return NOT_WRITTEN
    return status


def _quietly() -> int:
    """As `main`, for a reader such as ``head`` that stops reading."""
    try:
        status = main()
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE


if __name__ == "__main__":
    sys.exit(_quietly())
