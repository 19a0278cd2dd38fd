"""``python -m pe_course.exercises``: list the exercises, check one answer, grade a folder of submissions."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pe_course.exercises import batch
from pe_course.exercises.notebook import exercises
from pe_course.exercises.registry import UnknownExercise, find
from pe_course.exercises.submissions import SUFFIXES, files_below

_NOTE = """\
Each submission runs in a process of its own, with limits on time and memory and without sockets. That stops
accidents, not someone who means harm: code can still start programs and read or write what you can. Grade
strangers' files in a container.
"""


def main(arguments: list[str] | None = None) -> int:
    """0 if all is right (for `grade`: if all could be graded), 1 if not, 2 for a wrong command."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except UnknownExercise as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pe_course.exercises", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="list | check | grade")
    one = commands.add_parser("list", help="all exercises, one a line")
    one.add_argument("--chapter", help="only those of this chapter, such as rotary")
    one.set_defaults(run=_list)
    one = commands.add_parser("check", help="grade one file as the answer to one exercise", epilog=_NOTE)
    one.add_argument("id")
    one.add_argument("file", type=Path)
    one.set_defaults(run=_check)
    one = commands.add_parser("grade", help="grade files and folders of .py files and notebooks", epilog=_NOTE)
    one.add_argument("paths", nargs="+", type=Path, metavar="FILE_OR_FOLDER")
    one.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once (%(default)s)")
    one.add_argument("--out", type=Path, help="write a .csv or .json file; without it, CSV goes to standard output")
    one.add_argument("--seconds", type=int, default=120, help="limit for one submission (%(default)s)")
    one.add_argument("--megabytes", type=int, default=4096, help="memory of one submission (%(default)s)")
    one.add_argument("--quiet", action="store_true", help="no progress bar")
    one.set_defaults(run=_grade)
    return parser


def _list(options: argparse.Namespace) -> int:
    print(exercises(options.chapter))
    return 0


def _check(options: argparse.Namespace) -> int:
    from pe_course.exercises.exercise import CodeExercise
    from pe_course.exercises.notebook import grade

    exercise = find(options.id)
    text = options.file.read_text(encoding="utf-8-sig")
    answer = text if isinstance(exercise, CodeExercise) else text.strip()
    result = grade(exercise, answer)
    print(result)
    return 0 if result.accepted else 1


def _grade(options: argparse.Namespace) -> int:
    missing = [path for path in options.paths if not path.exists()]
    if missing:
        print(f"no such file or folder: {', '.join(map(str, missing))}", file=sys.stderr)
        return 2
    files = files_below(options.paths)
    if not files:
        print(f"nothing to grade there: no {' or '.join(SUFFIXES)} file", file=sys.stderr)
        return 2
    limits = {"jobs": options.jobs, "seconds": options.seconds, "megabytes": options.megabytes}
    progress, rows = batch.Progress(len(files), quiet=options.quiet), []
    try:
        for graded in batch.grade_files(files, **limits):
            rows += graded
            progress.step(graded[0]["file"])
    finally:
        progress.close()
        order = {str(file): place for place, file in enumerate(files)}
        rows.sort(key=lambda row: order[row["file"]])
        _write(rows, options.out)
    return 1 if any(row["verdict"] == "error" for row in rows) else 0


def _write(rows: list[dict], out: Path | None) -> None:
    write = batch.write_json if out is not None and out.suffix == ".json" else batch.write_csv
    if out is None:
        write(rows, sys.stdout)
        return
    with out.open("w", encoding="utf-8", newline="") as stream:
        write(rows, stream)


if __name__ == "__main__":
    sys.exit(main())
