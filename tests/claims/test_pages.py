"""The chapters and the ledger say the same: verdicts, and the numbers in what holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pe_course.claims import ledger

CHAPTERS = sorted((Path(__file__).parents[2] / "book").glob("*.md"))
IDS = re.compile(r"L-\d{3}")
CORRECTION = re.compile(r"Correction \((L-[^)]*)\)")
HOLDS = re.compile(r"^\*\*What holds \((L-[^)]*)\)\.\*\*(.*?)(?=\n\n)", re.MULTILINE | re.DOTALL)
DECIMALS = re.compile(r"(?<![\w.])[−-]?\d+\.\d{3,}(?![\w.])")


def found_in_chapters(pattern: re.Pattern) -> list:
    return [
        pytest.param(match, id=f"{chapter.stem}: {match[1]}")
        for chapter in CHAPTERS
        for match in pattern.finditer(chapter.read_text())
    ]


def numbers(value: Any) -> Iterator[float]:
    """All numbers in a measured value, those in lists included."""
    if isinstance(value, list):
        for entry in value:
            yield from numbers(entry)
    else:
        yield float(value)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_a_chapter_names_claims_that_exist(chapter):
    assert set(IDS.findall(chapter.read_text())) <= set(ledger.claims())


@pytest.mark.parametrize("correction", found_in_chapters(CORRECTION))
def test_nothing_true_is_corrected(correction):
    assert "true" not in {ledger.claim(claim_id).verdict for claim_id in IDS.findall(correction[1])}


@pytest.mark.parametrize("holds", found_in_chapters(HOLDS))
def test_numbers_in_what_holds_are_measured(holds):
    ids, text = IDS.findall(holds[1]), holds[2]
    measured = [ledger.outcome(ledger.claim(claim_id)).measured for claim_id in ids]
    known = [number for values in measured for value in values.values() for number in numbers(value)]
    for written in DECIMALS.findall(text):
        places = len(written.partition(".")[2])
        wanted = float(written.replace("−", "-"))
        assert any(round(number, places) == wanted for number in known), f"{written} is measured by none of {ids}"
