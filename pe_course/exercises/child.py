"""The process in which one submission is run and graded: limited, without network, and alone.

It writes one line of JSON per exercise as soon as that is graded, so that a crash loses nothing that came before.

The limits stop accidents: endless loops, too much memory, a call to a server. They do not stop someone who means
harm: code can still start programs, read what its user can read, and write its own verdict. Grade strangers' files
in a container.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pe_course.exercises import notebook
from pe_course.exercises.exercise import CodeExercise, Exercise
from pe_course.exercises.guard import LimitedText, Problem, guarded
from pe_course.exercises.result import ERROR, NOT_ATTEMPTED, Result
from pe_course.exercises.sources import FILENAME, NoFunction, pick, syntax_problem
from pe_course.exercises.submissions import Unreadable, cells_of, exercises_in

SECONDS_PER_CELL = 20.0


def limit(megabytes: int, seconds: int) -> None:
    """Memory and processor time, where the system can limit them."""
    try:
        import resource
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_AS, megabytes << 20), (resource.RLIMIT_CPU, seconds)):
        _, hard = resource.getrlimit(what)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        try:
            resource.setrlimit(what, (most, hard))
        except (ValueError, OSError):  # some systems refuse a limit on memory
            continue


def without_network() -> None:
    """Every new socket of this process raises. Programs that it starts are not held back."""
    import socket

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise OSError("no network while grading")

    class NoSocket(socket.socket):
        __init__ = refuse

    socket.socket = NoSocket
    socket.create_connection = refuse
    socket.getaddrinfo = refuse


def graded(file: Path) -> Iterator[Result]:
    """A result for every exercise that the file answers; first, one "started" each."""
    cells = cells_of(file)
    wanted = exercises_in(cells, file)
    if not wanted:
        unreadable = next(filter(None, map(syntax_problem, cells)), None)
        yield Result(ERROR if unreadable else NOT_ATTEMPTED, unreadable or "no exercise found in this file.")
        return
    for exercise in wanted:
        yield Result("started", "", id=exercise.id)
    checked: dict[str, Result] = {}
    namespace, problem = _run(cells, checked)
    for exercise in wanted:
        yield _result(exercise, file, cells, namespace, problem, checked)


def _run(cells: list[str], checked: dict[str, Result]) -> tuple[dict[str, Any], str]:
    """Run the cells one after the other; one that raises does not stop the next. Notes what `check` said."""
    check = notebook.check

    def noting(id: str, answer: Any = None) -> Result:
        result = check(id, answer)
        checked[result.id] = result
        return result

    notebook.check = noting
    namespace: dict[str, Any] = {"__name__": "__main__", "check": noting}
    problem = ""
    for cell in cells:
        unreadable = syntax_problem(cell)
        if unreadable:
            problem = problem or unreadable
            continue
        outcome = guarded(lambda cell=cell: _execute(cell, namespace), seconds=SECONDS_PER_CELL, printed=LimitedText())
        if isinstance(outcome, Problem):
            problem = problem or outcome.said_of("the submitted code")
    notebook.check = check
    return namespace, problem


def _execute(cell: str, namespace: dict[str, Any]) -> None:
    exec(compile(cell, FILENAME, "exec", dont_inherit=True), namespace)


def _result(
    exercise: Exercise,
    file: Path,
    cells: list[str],
    namespace: dict[str, Any],
    problem: str,
    checked: dict[str, Result],
) -> Result:
    said = checked.get(exercise.id)
    if said is not None and (said.accepted or getattr(exercise, "function", None) not in namespace):
        return said
    if not isinstance(exercise, CodeExercise):
        return said or Result(ERROR, problem or "its `check` was not reached.", id=exercise.id)
    try:
        function = pick(namespace, "\n".join(cell for cell in cells if not syntax_problem(cell)), exercise.function)
    except NoFunction as error:
        return Result(ERROR, problem or f"{error}.", id=exercise.id)
    return notebook.grade(exercise, function)


def as_row(result: Result) -> dict[str, Any]:
    failed = result.failed
    return {
        "id": result.id,
        "verdict": result.verdict,
        "accepted": result.accepted,
        "mistake": result.mistake or "",
        "message": result.message,
        "inputs": failed.inputs if failed else "",
        "expected": failed.expected if failed else "",
        "got": failed.got if failed else "",
    }


def main(file: str, report: str, megabytes: str, seconds: str) -> None:
    """Grade ``file``, and write a line of JSON per exercise to ``report``."""
    with open(report, "a", encoding="utf-8") as lines:

        def write(result: Result) -> None:
            lines.write(json.dumps(as_row(result)) + "\n")
            lines.flush()

        try:
            limit(int(megabytes), int(seconds))
            without_network()
            for result in graded(Path(file)):
                write(result)
        except Unreadable as error:
            write(Result(ERROR, f"{error}."))


if __name__ == "__main__":
    main(*sys.argv[1:])
