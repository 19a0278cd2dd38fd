"""The process that grades one submission. It knows the solutions, and runs no line of the submission itself.

The submission's functions live in a runner; here, a stand-in asks the runner for each value. Comparing values, and
naming mistakes, happens here, where the submission's code cannot reach.
"""

from __future__ import annotations

import inspect
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from pe_course.exercises.answers import grade_answer
from pe_course.exercises.attempts import TENSORS, forms_here
from pe_course.exercises.exercise import CodeExercise, Exercise
from pe_course.exercises.grade import grade_function, load_starter
from pe_course.exercises.guard import SECONDS, Elsewhere, LimitedText, Problem
from pe_course.exercises.registry import UnknownExercise, all_exercises, find
from pe_course.exercises.result import ERROR, NOT_ATTEMPTED, Result
from pe_course.exercises.submissions.processes import Child, Lost, held_back, python
from pe_course.exercises.submissions.wire import decode_numbers, encode

GRACE = 2.0
"""How much longer than its own limit a runner may take before it is ended."""
_RUNNER = "pe_course.exercises.submissions.runner"
_STARTING = 20.0
_KEPT_VARIABLES = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "LD_LIBRARY_PATH", "OMP_NUM_THREADS")


def main() -> None:
    """Reads one job from standard input; writes a line per exercise, then ``{"done": true}``."""
    job = json.loads(sys.stdin.readline())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for id, result in grade_submission(Path(job["path"]), job["only"], job["seconds"], job["memory"]):
        told = {name: getattr(result, name) for name in ("verdict", "message", "mistake", "accepted", "output")}
        print(json.dumps({"exercise": id} | told), file=replies, flush=True)
    print(json.dumps({"done": True}), file=replies, flush=True)


def grade_submission(path: Path, only: list[str], seconds: float, memory: int) -> Iterator[tuple[str, Result]]:
    """The result of each exercise that the file answers, in the order of the catalogue.

    With ``only``, of these exercises, attempted or not. An empty id stands for the file as a whole.
    """
    limits = Limits(seconds, memory)
    try:
        with Session(path, limits) as session:
            found = set(session.found)
            wanted = only or [one.id for one in all_exercises() if one.id in found]
            if not only:
                for id in sorted(found - set(wanted)):
                    yield id, Result(ERROR, _unknown(id))
                if not found:
                    yield "", Result(NOT_ATTEMPTED, "the file answers no exercise: no known function, no `check`.")
            left = yield from _graded_together(session, wanted)
    except Unreadable as problem:
        yield "", Result(ERROR, f"{problem}.")
        return
    except Lost as problem:
        yield "", Result(ERROR, f"Reading the file {problem}.")
        return
    for id in left:
        yield id, _graded_apart(path, limits, id)


def _graded_together(session: Session, wanted: list[str]) -> Iterator[tuple[str, Result]]:
    """Results, until the runner is lost; returns the exercises that are left to be graded apart."""
    try:
        session.run([id for id in wanted if id in session.found])
    except Lost:
        return wanted
    for place, id in enumerate(wanted):
        try:
            yield id, session.grade(find(id))
        except Lost as problem:
            yield id, _lost(problem)
            return wanted[place + 1 :]
    return []


def _graded_apart(path: Path, limits: Limits, id: str) -> Result:
    """In a runner of its own, which runs only what this answer needs."""
    try:
        with Session(path, limits) as session:
            session.run([id])
            return session.grade(find(id))
    except (Lost, Unreadable) as problem:
        return _lost(problem)


def _lost(problem: Exception) -> Result:
    sentence = f"Your code {problem}"
    return Result(ERROR, sentence if sentence.endswith("?") else f"{sentence}.")


def _unknown(id: str) -> str:
    try:
        find(id)
    except UnknownExercise as problem:
        return f"{problem}."
    return "is not among the exercises asked for."


class Unreadable(Exception):
    """The file is no submission; the message says why."""


class Limits:
    """Seconds for each exercise and for what comes before the first; MB of memory for the process."""

    def __init__(self, seconds: float, memory: int) -> None:
        self.seconds, self.memory = seconds, memory
        self.call = min(SECONDS, seconds)
        self.processor = int(20 * seconds) + 120


class Session:
    """A runner, and what it answers."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.limits = limits
        self._folder = tempfile.TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True)
        with held_back():
            self._runner = Child(python(_RUNNER), cwd=self._folder.name, env=_environment(self._folder.name))
            self.found = self._read(path)

    def _read(self, path: Path) -> list[str]:
        """Ids of the exercises that the file answers. Raises: Unreadable, Lost."""
        functions = {one.id: getattr(one, "function", "") for one in all_exercises()}
        request = {"path": str(path), "functions": functions, "memory": self.limits.memory}
        try:
            reply = self._ask("read", _STARTING, **request, processor=self.limits.processor)
            if "unreadable" in reply:
                raise Unreadable(reply["unreadable"])
        except BaseException:
            self.close()
            raise
        return _texts(reply.get("found"))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._runner.end()
        self._folder.cleanup()

    def _ask(self, what: str, within: float, **details: Any) -> dict[str, Any]:
        self._runner.send({"do": what, **details})
        reply = self._runner.receive(within)
        if not isinstance(reply, dict):
            self._runner.end()
            raise Lost("sent something that cannot be read")
        return reply

    def run(self, only: list[str]) -> None:
        seconds = self.limits.seconds
        self._ask("run", seconds + GRACE, only=only, seconds=seconds)

    def grade(self, exercise: Exercise) -> Result:
        """Raises: Lost if the runner is gone."""
        code = isinstance(exercise, CodeExercise)
        starter = exercise.starter if code else ""
        reply = self._ask("answer", self.limits.seconds + GRACE, id=exercise.id, starter=starter)
        if isinstance(problem := reply.get("problem"), dict):
            return Result(ERROR, f"Your answer {_problem(problem).sentence}.")
        if "missing" in reply:
            sentence = str(reply["missing"])
            return Result(ERROR if sentence else NOT_ATTEMPTED, sentence or "nothing to check yet.")
        if isinstance(facts := reply.get("function"), dict):
            if not code:
                return Result(ERROR, f"answer with a {exercise.kind}, not with a function.")
            return self._grade_function(exercise, facts)
        if code:
            text = f"give the function itself: `check({exercise.id!r}, {exercise.function})`, without calling it."
            return Result(ERROR, text)
        return grade_answer(exercise, _numbers(reply.get("value")))

    def _grade_function(self, exercise: CodeExercise, facts: dict[str, Any]) -> Result:
        if facts.get("starter") is True:
            return grade_function(exercise, load_starter(exercise))
        if facts.get("empty") is True:
            return grade_function(exercise, _empty)
        printed = LimitedText()
        stand_in = StandIn(self, exercise, facts, printed)
        result = grade_function(exercise, stand_in, printed=printed)
        if not result.accepted and stand_in.knows_torch:
            in_tensors = grade_function(exercise, stand_in, forms=(TENSORS,), printed=printed)
            result = in_tensors if in_tensors.accepted else result
        if stand_in.lost is not None:
            raise stand_in.lost
        return result

    def call(self, exercise: CodeExercise, args: list, kwargs: dict[str, Any], seconds: float) -> dict[str, Any]:
        return self._ask("call", seconds + GRACE, id=exercise.id, args=args, kwargs=kwargs, seconds=seconds)


class StandIn:
    """Looks like the submission's function and asks the runner for its values."""

    def __init__(self, session: Session, exercise: CodeExercise, facts: dict[str, Any], printed: LimitedText) -> None:
        self._session, self._exercise, self._printed = session, exercise, printed
        self._deadline = monotonic() + session.limits.seconds
        self.lost: Lost | None = None
        self.knows_torch = False
        self.__name__ = exercise.function
        self.__code__ = (_for_arrays if facts.get("arrays") is True else _for_lists).__code__
        signature = _signature(facts.get("parameters"))
        if signature is not None:
            self.__signature__ = signature

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.lost is not None or monotonic() > self._deadline:
            words = f"did not end within {self._session.limits.seconds:g} seconds for all checks together"
            raise Elsewhere(Problem("time", words))
        try:
            sent = [encode(value) for value in args], {name: encode(value) for name, value in kwargs.items()}
            reply = self._session.call(self._exercise, *sent, self._session.limits.call)
        except Lost as problem:
            self.lost = problem
            raise Elsewhere(Problem("time", f"{problem}")) from None
        self._printed.write(str(reply.get("printed", "")))
        self.knows_torch = reply.get("torch") is True and forms_here() != ()
        if reply.get("changed") is True:
            for value in (*args, *kwargs.values()):
                _change(value)
        if isinstance(problem := reply.get("problem"), dict):
            raise Elsewhere(_problem(problem))
        return _numbers(reply.get("value"))


def _empty() -> None:
    """Stands in for a function without a body."""


def _for_arrays(x: Any) -> Any:
    """Its code stands in for the code of a function that knows arrays; it is never called."""
    return x.shape


def _for_lists(x: Any) -> Any:
    """Its code stands in for that of all other functions."""
    return x


def _change(value: Any) -> None:
    """The grader compares arguments before and after: repeats here that the runner's copies were changed."""
    if isinstance(value, list):
        value.clear()
    elif hasattr(value, "shape"):
        value += 1


def _signature(told: Any) -> inspect.Signature | None:
    """From the runner's list of name, kind and whether there is a default. None where that makes no signature."""
    try:
        return inspect.Signature(
            [
                inspect.Parameter(
                    name,
                    getattr(inspect.Parameter, kind),
                    default=None if has_default is True else inspect.Parameter.empty,
                )
                for name, kind, has_default in told
            ]
        )
    except (TypeError, ValueError, AttributeError):
        return None


def _problem(told: dict[str, Any]) -> Problem:
    line = told.get("line")
    texts = [str(told.get(name, ""))[:1000] for name in ("kind", "sentence", "error")]
    return Problem(*texts, line if isinstance(line, int) else None)


def _texts(told: Any) -> list[str]:
    return [str(one)[:200] for one in told] if isinstance(told, list) else []


def _numbers(told: Any) -> Any:
    """Raises: Elsewhere if the runner sent anything but numbers, texts and lists."""
    try:
        return decode_numbers(told)
    except (ValueError, RecursionError):
        raise Elsewhere(Problem("unusable", "returned something that is no number")) from None


def _environment(folder: str) -> dict[str, str]:
    """No keys and passwords that the teacher's shell may hold; one thread per process, no windows."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    own = dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR"), folder)
    return {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg", **kept, **own}
