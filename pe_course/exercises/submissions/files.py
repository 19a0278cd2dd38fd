"""Which files are submissions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SUFFIXES = (".ipynb", ".py")


@dataclass(frozen=True)
class File:
    """A submission: the name it has in the results, and where it lies."""

    name: str
    path: Path


def find_files(given: Path) -> list[File]:
    """The file itself, or every notebook and Python file below a folder, by name. Hidden ones are left out.

    Raises: FileNotFoundError; ValueError for a file of another kind, or a folder without submissions.
    """
    if not given.exists():
        raise FileNotFoundError(f"there is no file or folder {str(given)!r}")
    if not given.is_dir():
        if given.suffix not in SUFFIXES:
            raise ValueError(f"{given.name!r} is neither a notebook (.ipynb) nor a Python file (.py)")
        return [File(given.name, given.absolute())]
    found = []
    for path in sorted(given.rglob("*")):
        parts = path.relative_to(given).parts
        hidden = any(part.startswith((".", "__")) for part in parts)
        if path.suffix in SUFFIXES and not hidden:
            found.append(File("/".join(parts), path.absolute()))
    if not found:
        raise ValueError(f"the folder {str(given)!r} holds no notebook (.ipynb) and no Python file (.py)")
    return found


def not_a_submission(path: Path) -> str | None:
    """Why a file is not opened at all: a link may lead to a file of somebody else, a pipe would never end."""
    if path.is_symlink():
        return "the file is a link; hand in the file itself."
    if not path.is_file():
        return "this is no file that can be read."
    return None
