"""Many runs, each of them once: what has a row is not run again, what was finished when a process died is kept.

A run writes its row to a spool file of its own, whole or not at all. The sweep moves spooled rows to the results
files, now and when it is started again. So it makes no difference which process is killed, or when.
"""

from __future__ import annotations

import hashlib
import json
import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pe_course._extras import needs
from pe_course.lab.config import Config
from pe_course.lab.engines import ENGINES, check, one_thread
from pe_course.lab.plans import Planned
from pe_course.lab.results import ResultsError, ResultsFile, not_written, write_whole

SPOOL = "spool"


@dataclass
class Report:
    """What a sweep did. ``failed``: the command of each run that raised, and its traceback."""

    done_before: int = 0
    done_now: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)


def sweep(
    planned: Sequence[Planned],
    output: str | Path,
    *,
    engine: str = "joblib",
    device: str = "cpu",
    progress: bool = True,
    **engine_options: Any,
) -> Report:
    """Run what is planned and has no row yet. A run that raises is reported and does not stop the others.

    Parameters: planned: the runs. output: a folder, one JSON-lines file per stem. engine: a name out of `ENGINES`, with
    its options. device: of every run.

    Raises: ResultsError if a results file belongs to another configuration, is written to by another process or is no
    results file, before anything is run; also if the disk is full.
    """
    check(engine, engine_options.get("jobs", 1))
    from pe_course.lab.experiment import check_device

    check_device(device)
    folder, report = Path(output), Report()
    with ExitStack() as held:
        files = _open(planned, folder, held)
        _collect(files, folder)
        done = {stem: file.done() for stem, file in files.items()}
        missing = [run for run in _distinct(planned) if run.config.key not in done[run.file]]
        report.done_before = len(_distinct(planned)) - len(missing)
        unit = partial(spooled, spool=str(folder / SPOOL), device=device)
        bar = needs("tqdm", "lab").tqdm(
            ENGINES[engine](unit, missing, **engine_options), total=len(missing), disable=not progress, unit="run"
        )
        for failure in bar:
            if failure:
                report.failed.append(failure)
            report.done_now += _collect(files, folder)
        with suppress(OSError):  # rows of other files may still lie there
            (folder / SPOOL).rmdir()
    return report


def spooled(run: Planned, *, spool: str, device: str) -> tuple[str, str] | None:
    """Run one and leave its row in the spool folder. Returns None, or the command and the traceback of what it raised.

    Raises: ResultsError if the disk refuses: the runs after this one would be lost as well.
    """
    one_thread()
    from pe_course.lab.experiment import row

    try:
        content = {"file": run.file, "row": row(run.config, device=device)}
    except Exception:
        return run.config.command, traceback.format_exc()
    try:
        write_whole(_spool_path(Path(spool), run), json.dumps(content, allow_nan=False).encode())
    except OSError as error:
        raise ResultsError(not_written(spool, run.config.command, error)) from error
    return None


def _open(planned: Iterable[Planned], folder: Path, held: ExitStack) -> dict[str, ResultsFile]:
    """The files of the plan, checked before the first of them is written to."""
    first: dict[str, Config] = {}
    for run in planned:
        known = first.setdefault(run.file, run.config)
        if known.setting != run.config.setting:
            raise ResultsError(f"the runs for {run.file}.jsonl do not share a setting; give them files of their own")
    files = {stem: ResultsFile(folder / f"{stem}.jsonl") for stem in first}
    for stem, file in files.items():
        file.check_setting(first[stem])
    return {stem: held.enter_context(file.writing()) for stem, file in files.items()}


def _collect(files: dict[str, ResultsFile], folder: Path) -> int:
    """Move spooled rows to their files. A spool file goes only when its row is on the disk."""
    added = 0
    for path in sorted((folder / SPOOL).glob("*.json")):
        content = json.loads(path.read_bytes())
        if content["file"] in files:
            added += files[content["file"]].append(content["row"])
            path.unlink()
    return added


def _distinct(planned: Iterable[Planned]) -> list[Planned]:
    return list({(run.file, run.config.key): run for run in planned}.values())


def _spool_path(spool: Path, run: Planned) -> Path:
    digest = hashlib.sha256(run.config.key.encode()).hexdigest()[:16]
    return spool / f"{run.file}-{digest}.json"


def print_report(report: Report) -> None:
    for command, trace in report.failed:
        print(f"failed: {command}\n{trace}", file=sys.stderr)
    print(f"{report.done_now} runs done, {report.done_before} were done before, {len(report.failed)} failed")
