"""How far grading has come, on standard error: a bar with tqdm in a terminal, else a line per submission."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from pe_course.exercises.submissions.pool import Graded


def shown(graded: Iterable[Graded], total: int, *, quiet: bool = False) -> Iterator[Graded]:
    """Passes each on, and shows it."""
    if quiet:
        yield from graded
        return
    if bar := _bar(total):
        with bar:
            for one in graded:
                bar.set_postfix_str(one.file.name[-30:], refresh=False)
                bar.update()
                yield one
        return
    for number, one in enumerate(graded, start=1):
        solved = sum(row.accepted for row in one.rows)
        print(f"[{number}/{total}] {one.file.name}: {solved} of {len(one.rows)} solved", file=sys.stderr, flush=True)
        yield one


def _bar(total: int):
    if not sys.stderr.isatty():
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, unit="submission", file=sys.stderr)
