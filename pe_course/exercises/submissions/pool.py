"""Grade many submissions, several at once; what happens to one never costs another."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pe_course.exercises.registry import UnknownExercise, find
from pe_course.exercises.result import ERROR, VERDICTS
from pe_course.exercises.submissions.files import File, not_a_submission
from pe_course.exercises.submissions.processes import Child, Lost, python

_GRADER = "pe_course.exercises.submissions.grader"


@dataclass(frozen=True)
class Row:
    """One exercise of one submission. The exercise is empty where the file as a whole could not be graded."""

    submission: str
    exercise: str
    title: str
    verdict: str
    accepted: bool
    mistake: str
    message: str


@dataclass(frozen=True)
class Graded:
    """All rows of one submission; ``whole`` is false if grading itself broke off."""

    file: File
    rows: tuple[Row, ...]
    whole: bool = True
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """What `grade_files` may spend on each submission."""

    seconds: float = 10.0
    memory: int = 2000
    only: tuple[str, ...] = ()


def grade_files(files: Sequence[File], settings: Settings, jobs: int) -> Iterator[Graded]:
    """Each submission as soon as it is graded, in no particular order."""
    todo: queue.SimpleQueue[File] = queue.SimpleQueue()
    done: queue.SimpleQueue[Graded] = queue.SimpleQueue()
    for file in files:
        todo.put(file)
    team = _Team(settings, todo, done)
    for _ in range(min(jobs, len(files))):
        threading.Thread(target=team.work, daemon=True).start()
    try:
        for _ in files:
            yield done.get()
    finally:
        team.stop()


class _Team:
    """Threads that each drive one grader at a time."""

    def __init__(self, settings: Settings, todo: queue.SimpleQueue, done: queue.SimpleQueue) -> None:
        self.settings, self.todo, self.done = settings, todo, done
        self.running: set[Child] = set()
        self.stopped = False
        self.lock = threading.Lock()

    def work(self) -> None:
        while not self.stopped:
            try:
                file = self.todo.get_nowait()
            except queue.Empty:
                return
            try:
                graded = self._grade(file)
            except Exception as error:  # one submission must not end the others
                graded = _failed(file, (), f"grading failed with {type(error).__name__}: {error}")
            self.done.put(graded)

    def stop(self) -> None:
        """Ends what is running, when nobody waits for it any more."""
        with self.lock:
            self.stopped = True
            running = list(self.running)
        for grader in running:
            grader.end(gently=True)

    def _grade(self, file: File) -> Graded:
        if reason := not_a_submission(file.path):
            return _failed(file, (), reason)
        with self.lock:
            if self.stopped:
                return _failed(file, (), "not graded: stopped before.")
            grader = Child(python(_GRADER))
            self.running.add(grader)
        try:
            return self._rows_of(file, grader)
        finally:
            with self.lock:
                self.running.discard(grader)
            grader.end(gently=True)

    def _rows_of(self, file: File, grader: Child) -> Graded:
        settings = self.settings
        rows: list[Row] = []
        outputs: list[str] = []
        patience = 60 + 6 * settings.seconds  # a grader keeps its own, shorter limits; this is for one that is broken
        try:
            job = {"path": str(file.path), "only": settings.only}
            grader.send(job | {"seconds": settings.seconds, "memory": settings.memory})
            while not (told := grader.receive(patience)).get("done"):
                rows.append(_row(file, told))
                outputs.append(str(told["output"]))
        except (Lost, KeyError, AttributeError, TypeError) as problem:
            return _failed(file, tuple(rows), f"the process that grades {problem}.")
        whole = all(row.exercise for row in rows) or all(row.verdict != ERROR for row in rows)
        return Graded(file, tuple(rows), whole, tuple(outputs))


def _row(file: File, told: dict[str, Any]) -> Row:
    id, verdict = str(told["exercise"]), str(told["verdict"])
    if verdict not in VERDICTS:
        raise TypeError(f"sent the verdict {verdict!r}")
    mistake = str(told["mistake"] or "")
    message = str(told["message"])[:2000]
    return Row(file.name, id, _title(id), verdict, told["accepted"] is True, mistake, message)


def _title(id: str) -> str:
    try:
        return find(id).title if id else ""
    except UnknownExercise:
        return ""


def _failed(file: File, rows: tuple[Row, ...], why: str) -> Graded:
    lost = Row(file.name, "", "", ERROR, False, "", why)
    return Graded(file, (*rows, lost), whole=False, outputs=("",) * (len(rows) + 1))


def in_order(graded: Sequence[Graded], files: Sequence[File]) -> list[Row]:
    """All rows, by submission as the folder lists them."""
    by_name = {one.file.name: one.rows for one in graded}
    return [row for file in files for row in by_name.get(file.name, ())]
