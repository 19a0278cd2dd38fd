"""Grades every known answer as the page does, in a Python without NumPy and torch: a program that prints JSON.

Run by `known_answers`. It is a file of its own because these packages cannot be taken from a Python that has them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    sys.path[0] = str(Path(__file__).resolve().parents[3])  # the repository, in place of this folder
    sys.modules.update(dict.fromkeys(("numpy", "torch")))
    from pe_course.exercises.page import grade_source

    json.dump([json.loads(grade_source(id, source)) for id, source in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
