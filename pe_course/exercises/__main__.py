"""``python -m pe_course.exercises``: list the self-tests, check one file, grade a folder of submissions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pe_course.exercises.registry import all_exercises


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m pe_course.exercises", description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="id, kind, chapter and title of every self-test")
    parser.parse_args(arguments)
    return _list()


def _list() -> int:
    for one in all_exercises():
        print(f"{one.id:32} {one.kind:7} {one.chapter:18} {one.title}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
