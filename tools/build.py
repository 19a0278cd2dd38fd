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


def run_jupyter_book(settings: Settings) -> tuple[int, bool]:
    """Runs Jupyter Book; returns its exit status and whether it executed a notebook."""
    program = str(Path(sys.executable).with_name("jupyter-book"))
    command = [program, "build", str(settings.root), "-W", "-n", "--keep-going"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    executed = False
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=settings.root, env=environment
    ) as process:
        for line in process.stdout or ():
            executed = executed or _EXECUTED in line
            print(f"  {_COLOURS.sub('', line)}", end="", flush=True)
    return process.returncode, executed


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
    status, executed = run_jupyter_book(settings)
    if executed:
        print("The build executed a notebook: its stored outputs did not reach the cache. Run `make notebooks`.")
    return status or int(executed)


if __name__ == "__main__":
    sys.exit(main())
