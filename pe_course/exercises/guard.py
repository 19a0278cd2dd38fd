"""Call what a learner wrote, and come back whatever it does.

A guarded call ends with a value or with a `Problem`; it never raises, except for an interrupt from the
keyboard. Endless loops end by a timer signal where the system has one and the call is in the main thread;
`can_stop` says whether that is so.
"""

from __future__ import annotations

import builtins
import dis
import io
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

from pe_course.exercises.restore import contained
from pe_course.exercises.values import Unusable, shorten

SECONDS = 5.0  # of one call; the first may have to import a package
MOST_OUTPUT = 20_000
_OURS = os.path.dirname(os.path.abspath(__file__))
_LIBRARIES = (os.path.dirname(os.__file__),)
_ELSEWHERE = ("numpy", "torch", "scipy", "jax", "matplotlib", "tensorflow", "pandas")
_RAISE_AGAIN_AFTER = 0.05  # a bare `except:` in a loop can swallow the first ones


@dataclass(frozen=True)
class Problem:
    """Why a call gave no usable value: `sentence` says it to the learner."""

    kind: str  # "raised", "time", "unusable", "not implemented", "input", "exit"
    sentence: str
    error: str = ""  # name of the exception's class
    line: int | None = None  # in the learner's code

    def said_of(self, subject: str) -> str:
        """The whole sentence."""
        return f"{subject} {self.sentence}{'' if self.sentence.endswith('?') else '.'}"


class Elsewhere(BaseException):
    """Raised inside a guarded call whose work was done in another process: `problem` is what happened there."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.sentence)
        self.problem = problem


class _TimeIsUp(BaseException):
    pass


class _WantsInput(BaseException):
    pass


class _WantsOut(BaseException):
    pass


class _NoInput(io.TextIOBase):
    """Stands in for the keyboard."""

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> str:
        raise _WantsInput

    readline = read
    readlines = read


def can_stop() -> bool:
    """Whether an endless loop can be stopped here."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


class LimitedText(io.TextIOBase):
    """Keeps the first `limit` characters of what is printed, and says that it cut the rest."""

    def __init__(self, limit: int = MOST_OUTPUT) -> None:
        self._parts: list[str] = []
        self._left = limit
        self._cut = False

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        text = str(text)
        if self._left > 0:
            self._parts.append(text[: self._left])
        self._cut = self._cut or len(text) > self._left
        self._left = max(0, self._left - len(text))
        return len(text)

    def text(self) -> str:
        return "".join(self._parts) + ("\n… (cut here: more was printed than is kept)" if self._cut else "")


def guarded(
    function: Callable[[], Any], *, seconds: float = SECONDS, printed: LimitedText | None = None, ours: bool = False
) -> Any:
    """What ``function()`` returns, or a `Problem`; nothing has to be put back after code of our own."""
    printed = LimitedText() if printed is None else printed
    try:
        with _no_way_out(), redirect_stdout(printed), redirect_stderr(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with _time_limit(seconds):
                return function() if ours else contained(function)
    except _TimeIsUp:
        return Problem("time", f"did not end within {seconds:g} seconds; is there a loop that never ends?")
    except Elsewhere as told:
        return told.problem
    except _WantsOut as out:
        return Problem("exit", f"calls `os.{out.args[0]}`, which would end or copy the whole program", "SystemExit")
    except _WantsInput:
        return Problem("input", "asks for `input()`, but nobody can answer here; take the values from the arguments")
    except Unusable as unusable:
        return Problem("unusable", f"returned {unusable}")
    except KeyboardInterrupt as interrupt:
        if not _raised_by_code(interrupt):
            raise
        return describe_error(interrupt)
    except BaseException as error:  # whatever it is, it is the learner's
        return describe_error(error)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    if not can_stop():
        yield
        return

    def stop(signum: int, frame: Any) -> None:
        raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    running = signal.setitimer(signal.ITIMER_REAL, seconds, _RAISE_AGAIN_AFTER)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # the alarm may have rung while it was being turned off, but not twice within its interval
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if running[0] > 0:
            signal.setitimer(signal.ITIMER_REAL, *running)


@contextmanager
def _no_way_out() -> Iterator[None]:
    """Nobody can be asked here, and nothing may end or copy the process."""

    def refuse(*args: Any) -> str:
        raise _WantsInput

    def stay(name: str) -> Callable[..., None]:
        def leave(*args: Any) -> None:
            raise _WantsOut(name)

        return leave

    exits = {name: getattr(os, name) for name in ("_exit", "abort", "fork", "forkpty") if hasattr(os, name)}
    before, keyboard = builtins.input, sys.stdin
    builtins.input, sys.stdin = refuse, _NoInput()
    for name in exits:
        setattr(os, name, stay(name))
    try:
        yield
    finally:
        builtins.input, sys.stdin = before, keyboard
        for name, leave in exits.items():
            setattr(os, name, leave)


def _raised_by_code(error: BaseException) -> bool:
    """True if a `raise` statement raised it, rather than a key that was pressed."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or trace.tb_lasti < 0:
        return False
    code = trace.tb_frame.f_code.co_code
    return dis.opname[code[trace.tb_lasti]] == "RAISE_VARARGS"


def describe_error(error: BaseException) -> Problem:
    """The exception in one line, with the line of the learner's code that raised it."""
    name = type(error).__name__
    if isinstance(error, NotImplementedError) and _raised_by_learner(error):
        return Problem("not implemented", "raises NotImplementedError", name)
    if isinstance(error, SystemExit):
        return Problem("exit", "calls `exit()`; let it return its value instead", name)
    line = _line_of(error)
    if isinstance(error, RecursionError):
        text = "calls itself without end (RecursionError); which call does not call itself again?"
        return Problem("raised", text, name, line)
    if isinstance(error, MemoryError):
        return Problem("raised", "asked for more memory than there is (MemoryError)", name, line)
    where = f" in line {line}" if line else ""
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] in _ELSEWHERE:
        text = f"imports `{error.name}`{where}, which is missing here: in the page, use `math`, `cmath` and lists"
        return Problem("raised", f"{text}; in the chapter's notebook, `{error.name}` works", name, line)
    said = _message_of(error)
    return Problem("raised", f"stopped{where} with `{name}{': ' + said if said else ''}`", name, line)


def _raised_by_learner(error: BaseException) -> bool:
    """True if the last frame is the learner's own, not a library's or ours."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and _is_learners(trace.tb_frame.f_code.co_filename)


def _message_of(error: BaseException) -> str:
    try:
        said = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    except BaseException:
        return ""
    return shorten(said.replace("`", "'"), 160)


def _line_of(error: BaseException) -> int | None:
    """The last line that is neither ours nor a library's."""
    try:
        frames = traceback.extract_tb(error.__traceback__, limit=-50)
    except BaseException:
        return None
    own = [frame for frame in frames if _is_learners(frame.filename)]
    return own[-1].lineno if own else None


def _is_learners(filename: str) -> bool:
    return not filename.startswith(("<frozen", _OURS, *_LIBRARIES)) and "site-packages" not in filename
