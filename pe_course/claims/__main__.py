"""``python -m pe_course.claims``: the ledger, with the outcome of every check as it comes."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from textwrap import fill
from time import perf_counter

from pe_course.claims import ledger
from pe_course.claims.claim import VERDICTS, Claim

WIDTH = 110
READER_GONE = 141
"""Exit status of a program whose output is no longer read: 128 + SIGPIPE, as shells count."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 if all checks pass, 1 if one fails, 2 for an id that the ledger does not have."""
    parser = argparse.ArgumentParser(prog="python -m pe_course.claims", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="write a list of id, verdict, holds, measured, passed")
    parser.add_argument("--id", metavar="L-094", help="show this claim alone")
    given = parser.parse_args(arguments)
    try:
        entries = list(ledger.claims().values()) if given.id is None else [ledger.claim(given.id.upper())]
    except KeyError as error:
        parser.error(error.args[0])
    found = [_told(entry, number, len(entries), given.json) for number, entry in enumerate(entries, start=1)]
    if given.json:
        print(json.dumps([result.as_row() for result in found], ensure_ascii=False, indent=1, allow_nan=False))
    elif len(found) > 1:
        print(_summary(entries, found))
    return 0 if all(result.passed for result in found) else 1


def _told(entry: Claim, number: int, total: int, as_json: bool) -> ledger.Outcome:
    """The outcome of one claim; in the text form it is printed at once, so that the run shows its progress."""
    start = perf_counter()
    result = ledger.outcome(entry)
    seconds = perf_counter() - start
    if not as_json:
        print(_entry(entry, result, f"[{number:>{len(str(total))}}/{total}]", seconds), flush=True)
    elif result.problem:
        print(f"{entry.id}: {result.problem}", file=sys.stderr)
    elif sys.stderr.isatty():
        print(f"\r{number}/{total}", end="" if number < total else "\n", file=sys.stderr, flush=True)
    return result


def _entry(entry: Claim, result: ledger.Outcome, progress: str, seconds: float) -> str:
    lines = [f"{progress} {entry.id}  {entry.verdict}  —  {_state(entry, result)} ({seconds:.2f} s)"]
    lines.append(_paragraph("claim", entry.claim))
    lines.append(_paragraph("holds", result.holds))
    for number, (name, value) in enumerate(result.measured.items()):
        lines.append(_paragraph("" if number else "measured", f"{name} = {value}"))
    if result.problem:
        lines.append(_paragraph("problem", result.problem))
    for label, text in (("no check", entry.why_no_check), ("note", entry.note)):
        lines += [_paragraph(label, text)] * bool(text)
    if entry.references:
        lines.append(_paragraph("sources", ", ".join(entry.references)))
    return "\n".join(lines) + "\n"


def _paragraph(label: str, text: str) -> str:
    return fill(text, WIDTH, initial_indent=f"    {label:<9} ", subsequent_indent=" " * 14, break_on_hyphens=False)


def _state(entry: Claim, result: ledger.Outcome) -> str:
    if entry.measure is None:
        return "decided by its sources"
    return "check passed" if result.passed else "CHECK FAILED"


def _summary(entries: Sequence[Claim], found: Sequence[ledger.Outcome]) -> str:
    verdicts = Counter(entry.verdict for entry in entries)
    checked = sum(entry.measure is not None for entry in entries)
    failed = [result.id for result in found if not result.passed]
    lines = [f"{len(entries)} claims: " + ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS)]
    lines.append(f"{checked} checks, {len(failed)} failed; decided by their sources: {len(entries) - checked}")
    return "\n".join(lines + [f"failed: {', '.join(failed)}"] * bool(failed))


def _as_a_program() -> int:
    """`main` for a pipe: UTF-8 whatever the locale, and silence when the reader, such as head, has read enough."""
    sys.stdout.reconfigure(encoding="utf-8")
    try:
        status = main()
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return READER_GONE


if __name__ == "__main__":
    sys.exit(_as_a_program())
