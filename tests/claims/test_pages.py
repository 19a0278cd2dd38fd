"""The chapters and the ledger say the same: verdicts, the numbers in what holds, which claims a page treats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pe_course.claims import ledger
from tools.site.ledger.mentions import as_plain_ids, mentions_in

CHAPTERS = sorted((Path(__file__).parents[2] / "book").glob("*.md"))
IDS = re.compile(r"L-\d{3}")
CORRECTION = re.compile(r"Correction \((L-[^)]*)\)")
HOLDS = re.compile(r"^\*\*What holds \((L-[^)]*)\)\.\*\*(.*?)(?=\n\n)", re.MULTILINE | re.DOTALL)
DECIMALS = re.compile(r"(?<![\w.])[−-]?\d+\.\d{3,}(?![\w.])")


STORIES = ("L-023", "L-094", "L-025", "L-128", "L-148", "L-146", "L-134", "L-008", "L-020", "L-036", "L-106", "L-073")


def text_of(chapter: Path) -> str:
    """The page, its links to claims written as their ids."""
    return as_plain_ids(chapter.read_text(encoding="utf-8"))


def found_in_chapters(pattern: re.Pattern) -> list:
    return [
        pytest.param(match, id=f"{chapter.stem}: {match[1]}")
        for chapter in CHAPTERS
        for match in pattern.finditer(text_of(chapter))
    ]


def numbers(value: Any) -> Iterator[float]:
    """All numbers in a measured value, those in lists included; names are none."""
    if isinstance(value, list):
        for entry in value:
            yield from numbers(entry)
    elif not isinstance(value, str):
        yield float(value)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_a_chapter_names_claims_that_exist(chapter):
    assert set(IDS.findall(text_of(chapter))) <= set(ledger.claims())


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


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_what_is_corrected_is_followed_by_what_holds(chapter):
    """Each claim of a correction's title has a paragraph that says what holds, and nothing else has one alone."""
    corrected = {each for title in CORRECTION.findall(text_of(chapter)) for each in IDS.findall(title)}
    holds = {each for ids, _ in HOLDS.findall(text_of(chapter)) for each in IDS.findall(ids)}
    assert corrected <= holds


def test_corrections_tell_the_twelve_stories_in_order():
    titles = CORRECTION.findall(text_of(CHAPTERS[0].with_name("corrections.md")))
    assert tuple(IDS.search(title)[0] for title in titles) == STORIES


def test_the_worked_example_treats_all_of_its_claims():
    page = CHAPTERS[0].with_name("worked-example.md").read_text(encoding="utf-8")
    family = {entry.id: entry.verdict for entry in ledger.family_claims("worked_example")}
    mentions = {mention.claim_id: mention.corrected for mention in mentions_in(page)}
    assert set(mentions) == set(family)
    assert mentions == {claim_id: verdict in ("imprecise", "wrong") for claim_id, verdict in family.items()}
