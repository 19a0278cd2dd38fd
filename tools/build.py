"""Build the whole book into ``_build/html``; a warning is an error, and nothing is executed.

python -m tools.build
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tools import assets, notebooks, seed_cache
from tools.settings import Settings

_EXECUTED = "Executing notebook"
_COLOURS = re.compile(r"\x1b\[[\d;]*m")
_PROGRESS = re.compile(r"(reading sources|writing output)\.\.\. \[ *(\d+)%\] (\S+)")


def run_jupyter_book(settings: Settings, log: Path) -> tuple[int, bool]:
    """Runs Jupyter Book, all it says going to ``log``; returns its exit status and whether it executed a notebook.

    Shown are how far it is and what it complains of.
    """
    program = str(Path(sys.executable).with_name("jupyter-book"))
    command = [program, "build", str(settings.root), "-W", "-n", "--keep-going"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    executed = False
    log.parent.mkdir(parents=True, exist_ok=True)
    with (
        log.open("w", encoding="utf-8") as file,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=settings.root, env=environment
        ) as process,
    ):
        for line in process.stdout or ():
            text = _COLOURS.sub("", line)
            file.write(text)
            executed = executed or _EXECUTED in text
            _show(text)
    return process.returncode, executed


def _show(text: str) -> None:
    """A complaint as it is; progress as a line that overwrites itself, or a line a page where there is no terminal."""
    progress = _PROGRESS.search(text)
    if progress and sys.stdout.isatty():
        print(f"\r    {progress[1]} {progress[2]:>3} % {progress[3]:<50.50}", end="", flush=True)
    elif progress:
        print(f"    {progress[1]} {progress[2]:>3} % {progress[3]}", flush=True)
    elif re.search(r"WARNING|ERROR|Error|Exception|Traceback", text):
        print(text, end="", flush=True)


def main() -> int:
    settings = Settings()
    print("1/4 JavaScript of the site", flush=True)
    if assets.main([]):
        return 1
    print("2/4 notebooks against their chapters", flush=True)
    if notebooks.main(["check"]):
        return 1
    print("3/4 stored outputs", flush=True)
    if seed_cache.main():
        return 1
    print("4/4 pages", flush=True)
    log = settings.root / "_build" / "build.log"
    status, executed = run_jupyter_book(settings, log)
    print()
    if executed:
        print("The build executed a notebook: its stored outputs did not reach the cache. Run `make notebooks`.")
    if status or executed:
        print(f"The book was not built; all that was said: {settings.relative(log)}")
        return status or 1
    print(f"The book is in {settings.relative(settings.html)}: `make serve` shows it.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
