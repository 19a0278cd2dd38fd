"""The process that runs a submission's code. It knows no solution, and says only which values came out.

Started by the grader with a fresh interpreter, an empty folder and few environment variables. Standard input and output
become the private connection to the grader before any line of the submission runs; what the submission prints is kept
apart, up to a limit.
"""

from __future__ import annotations

import ast
import json
import os
import queue
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from pe_course.exercises import grade
from pe_course.exercises.guard import LimitedText, Problem, guarded
from pe_course.exercises.result import NOT_ATTEMPTED, Result
from pe_course.exercises.sources import NoFunction, is_empty, load, parameters, pick, same_code
from pe_course.exercises.submissions import limits
from pe_course.exercises.submissions.cells import Submission, Unit, Unreadable, read_submission
from pe_course.exercises.submissions.wire import decode, encode
from pe_course.exercises.values import Unusable, agree, plain

MOST_SHOWN = 2000


def main() -> None:
    """Answers requests until the grader closes the connection."""
    requests, replies = _private_connection()
    runner = Runner()
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, lines), daemon=True).start()
    while True:
        request = json.loads(lines.get())
        try:
            reply = getattr(runner, f"do_{request.pop('do')}")(**request)
        except Unreadable as problem:
            reply = {"unreadable": str(problem)}
        replies.write(json.dumps(reply).encode() + b"\n")
        replies.flush()


def _listen(requests: BinaryIO, lines: queue.SimpleQueue[bytes]) -> None:
    """Ends this process when its grader is gone, also in the middle of a call."""
    for line in requests:
        lines.put(line)
    os._exit(0)


def _private_connection() -> tuple[BinaryIO, BinaryIO]:
    """Moves the connection away from 0 and 1, where the submission's own reading and printing would meet it."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    return requests, replies


class Runner:
    """The state between requests; each method that starts with ``do_`` answers one kind."""

    def __init__(self) -> None:
        self.submission = Submission()
        self.functions: dict[str, str] = {}  # id -> name of the function, "" where the answer is no function
        self.namespace: dict[str, Any] = {}
        self.recorded: dict[str, Any] = {}
        self.errors: list[tuple[Unit, str]] = []
        self.printed = LimitedText(MOST_SHOWN)

    def do_read(self, path: str, functions: dict[str, str], memory: int, processor: int) -> dict[str, Any]:
        """Ids of the exercises that the file answers; runs nothing."""
        limits.apply(os.getcwd(), memory, processor)
        self.functions = functions
        self.submission = read_submission(Path(path))
        defined = set().union(*(unit.defines for unit in self.submission.units)) if self.submission.units else set()
        found = {_tidy(id) for id in self.submission.checks}
        found |= {id for id, name in functions.items() if name and name in defined}
        found |= {id for id, name in functions.items() if name and self.submission.problem_with(f"def {name}", "")}
        return {"found": sorted(found)}

    def do_run(self, only: list[str], seconds: float) -> dict[str, Any]:
        """Runs what the answers to these exercises need."""
        self._prepare()
        names = {self.functions[id] for id in only if self.functions.get(id)}
        roots = {place for id, uses in self.submission.checks.items() if _tidy(id) in only for place, _ in uses}
        for unit in self.submission.needed(names, roots):
            outcome = guarded(lambda unit=unit: self._execute(unit), seconds=seconds, printed=self.printed)
            if isinstance(outcome, Problem):
                self.errors.append((unit, f"Your code {outcome.sentence}{'' if outcome.sentence[-1] == '?' else '.'}"))
        return {"printed": self.printed.text()}

    def _execute(self, unit: Unit) -> None:
        module = ast.Module([unit.node], type_ignores=[])
        exec(compile(module, unit.where, "exec", dont_inherit=True), self.namespace)

    def _prepare(self) -> None:
        import pe_course
        from pe_course.exercises import notebook

        notebook.check = self._record
        main = types.ModuleType("__main__")
        self.namespace = main.__dict__
        self.namespace.update(__name__="__submission__", check=self._record, hint=notebook.hint)
        self.namespace.update(solution=notebook.solution, pe_course=pe_course, display=print)
        self.namespace["get_ipython"] = lambda: None
        sys.modules["__submission__"] = main

    def _record(self, id: str, answer: Any = None) -> Result:
        """Stands in for `check`: keeps the answer for the grader."""
        self.recorded[_tidy(id)] = answer
        return Result(NOT_ATTEMPTED, "this is graded afterwards.", id=id)

    def do_answer(self, id: str, starter: str) -> dict[str, Any]:
        """What the submission answers to one exercise: facts about a function, or a plain value."""
        function = self.functions.get(id, "")
        answer = self._answer(id, function)
        if isinstance(answer, str) and function:
            answer = self._function_in(answer, function)
        self.recorded[id] = answer
        if answer is None or answer is Ellipsis:
            return {"missing": self._why_missing(id, function)}
        if callable(answer):
            return {"function": guarded(lambda: _facts(answer, starter, function), printed=self.printed)}
        value = guarded(lambda: answer if isinstance(answer, str) else encode(plain(answer)), printed=self.printed)
        return {"problem": value.__dict__} if isinstance(value, Problem) else {"value": value}

    def _answer(self, id: str, function: str) -> Any:
        recorded = self.recorded.get(id)
        if recorded is not None:
            return recorded
        for raw, uses in self.submission.checks.items():
            for _, expression in uses if _tidy(raw) == id else ():
                value = guarded(lambda tree=expression: self._value_of(tree), printed=self.printed)
                if value is not None and not isinstance(value, Problem):
                    return value
        found = self.namespace.get(function) if function else None
        return found if callable(found) else None

    def _value_of(self, expression: ast.expr | None) -> Any:
        """The answer in a call of ``check`` that did not run, such as one under ``if __name__ == "__main__"``."""
        if expression is None:
            return None
        return eval(compile(ast.Expression(expression), "<check>", "eval", dont_inherit=True), self.namespace)

    def _function_in(self, source: str, function: str) -> Any:
        def found() -> Any:
            namespace: dict[str, Any] = {"__name__": "__submission__"}
            exec(compile(source, "<your code>", "exec", dont_inherit=True), namespace)
            try:
                return pick(namespace, source, function)
            except NoFunction:
                return None

        value = guarded(found, printed=self.printed)
        return None if isinstance(value, Problem) else value

    def _why_missing(self, id: str, function: str) -> str:
        """The first error among the statements that this answer needs; empty if nothing was tried."""
        broken = self.submission.problem_with(function, id) if function else self.submission.problem_with(id, id)
        if broken:
            return broken
        roots = {place for raw, uses in self.submission.checks.items() if _tidy(raw) == id for place, _ in uses}
        needed = self.submission.needed({function} if function else set(), roots)
        return next((sentence for unit, sentence in self.errors if unit in needed), "")

    def do_call(self, id: str, args: list, kwargs: dict[str, Any], seconds: float) -> dict[str, Any]:
        """One call of a function: its plain value or the problem, and which arguments it changed."""
        printed = LimitedText(MOST_SHOWN)
        given, named = [decode(value) for value in args], {name: decode(value) for name, value in kwargs.items()}
        before = [plain(decode(value)) for value in (*args, *kwargs.values()) if isinstance(value, (list, dict))]
        function = self.recorded[id]
        value = guarded(lambda: _sendable(function(*given, **named)), seconds=seconds, printed=printed)
        inputs = [value for value, sent in zip(given, args, strict=True) if isinstance(sent, (list, dict))]
        inputs += [value for name, value in named.items() if isinstance(kwargs[name], (list, dict))]
        changed = not all(_unchanged(old, new) for old, new in zip(before, inputs, strict=True))
        outcome = {"problem": value.__dict__} if isinstance(value, Problem) else {"value": value}
        return outcome | {"changed": changed, "printed": printed.text(), "torch": "torch" in sys.modules}


def _tidy(id: Any) -> str:
    return str(id).strip().lower().replace("_", "-")


def _sendable(value: Any) -> Any:
    numbers = encode(plain(value))
    try:
        json.dumps(numbers)
    except ValueError:  # an integer with thousands of digits
        raise Unusable("an integer that is too long to be shown") from None
    return numbers


def _unchanged(before: Any, after: Any) -> bool:
    after = guarded(lambda: plain(after))
    return not isinstance(after, Problem) and agree(before, after, 1e-12)


def _facts(function: Callable[..., Any], starter: str, name: str) -> dict[str, Any]:
    """What the grader asks of a function besides its values."""
    try:
        given = load(starter, name) if starter else None
    except Exception:
        given = None
    return {
        "parameters": [[one.name, one.kind.name, one.default is not one.empty] for one in parameters(function)],
        "starter": given is not None and same_code(function, given),
        "empty": is_empty(function),
        "arrays": grade._knows_arrays(function),
    }
