"""Processes that talk in lines of JSON, answer in time or are ended, and take their own children with them."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST_LINE = 16_000_000
_POSIX = os.name == "posix"


class Lost(Exception):
    """The process is gone, or was ended because it did not answer; the message is the end of a sentence."""


def python(module: str) -> list[str]:
    """The command that runs ``module.main()`` in a fresh interpreter that finds what this one finds.

    The working folder is not searched, so that a file of a submission cannot stand in for a module.
    """
    path = [os.path.abspath(entry) for entry in sys.path if entry]
    code = f"import sys; sys.path[:] = {path!r}; from {module} import main; main()"
    return [sys.executable, "-I", "-B", "-X", "utf8", "-c", code]


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """A request to end (SIGTERM) waits until the block is done: no process starts that nobody knows of."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
    if came:
        signal.raise_signal(signal.SIGTERM)


class Child:
    """A process with JSON lines on its standard input and output."""

    def __init__(self, command: list[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None) -> None:
        apart: dict[str, Any] = {"start_new_session": True} if _POSIX else {"creationflags": 0x00000200}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd, env=env, **apart
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Every line, then an empty one at the end. A line that is too long counts as the end."""
        with contextlib.suppress(OSError, ValueError), self._process.stdout as pipe:
            while (line := pipe.readline(LONGEST_LINE)).endswith(b"\n"):
                self._lines.put(line)
        self._lines.put(b"")

    def send(self, message: Any) -> None:
        """Raises: Lost."""
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise Lost(self._how_it_ended()) from None

    def receive(self, seconds: float) -> Any:
        """The next message. Raises: Lost after ``seconds``, or at once if the process is gone or talks nonsense."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self.end()
            raise Lost(f"did not end within {seconds:g} seconds and had to be stopped") from None
        if not line:
            raise Lost(self._how_it_ended())
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            self.end()
            raise Lost("sent something that cannot be read") from None

    def _how_it_ended(self) -> str:
        """Ends whatever is left of it, and says what happened."""
        try:
            status = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            status = None
        self.end()
        if status is None:
            return "closed its connection and had to be stopped"
        if status >= 0:
            return f"ended Python itself (exit status {status})"
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return f"was ended by the system ({name}); did it ask for too much memory?"

    def end(self, *, gently: bool = False) -> None:
        """Ends the process and everything in its group. ``gently``: lets it end its own children first."""
        if gently and _POSIX:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._process.terminate()
                self._process.wait(2)
        with contextlib.suppress(OSError):
            if _POSIX:
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                tree = ["taskkill", "/F", "/T", "/PID", str(self._process.pid)]
                subprocess.run(tree, capture_output=True, check=False)
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.close()
