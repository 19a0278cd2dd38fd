"""Every pitfall has all of its parts and a row in the table; the table says what the page's last cells measure."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

PAGE = Path(__file__).parents[2] / "book" / "pitfalls.md"
TEXT = PAGE.read_text(encoding="utf-8")
LEAST = 18
PARTS = ("Symptom", "Bug", "What reveals it", "Fix", "Test", "Reported", "More")
LECTURE = {"keys-only", "swapped", "shaw", "finetune", "extrapolate", "integer"}
SECTION = re.compile(r"^\(pitfall-([\w-]+)\)=\n## (.+?)\n(.*?)(?=^\([\w-]+\)=$|^## |\Z)", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| \{ref\}`pitfall-([\w-]+)` \| (.+?) \|$", re.MULTILINE)
CELL = re.compile(r"^```\{code-cell\} ipython3\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MEASURED = re.compile(r"^ *(boundary|\d+) +[\d.]+  ([\w-]+)$", re.MULTILINE)

SECTIONS = {slug: (title, body) for slug, title, body in SECTION.findall(TEXT)}
ROWS = ROW.findall(TEXT)
each_pitfall = pytest.mark.parametrize("slug", SECTIONS)


def printed() -> str:
    cells = nbformat.read(PAGE.with_suffix(".ipynb"), 4).cells
    return "\n".join(output.get("text", "") for cell in cells if cell.cell_type == "code" for output in cell.outputs)


def test_there_are_enough_and_those_of_the_lecture():
    assert len(SECTIONS) >= LEAST
    assert set(SECTIONS) >= LECTURE


@each_pitfall
def test_a_pitfall_has_all_of_its_parts_in_order(slug):
    title, body = SECTIONS[slug]
    places = [body.find(f"**{part}.**") for part in PARTS]
    assert -1 not in places, f"{title} lacks {PARTS[places.index(-1)]}"
    assert places == sorted(places)
    assert all(body.count(f"**{part}.**") == 1 for part in PARTS)


@each_pitfall
def test_a_pitfall_can_be_found_by_several_wordings(slug):
    _, body = SECTIONS[slug]
    words = re.search(r"^\*Also searched as:\* (.+)\.$", body, re.MULTILINE)
    assert words and len(words[1].split(", ")) >= 4


@each_pitfall
def test_the_bug_is_shown_beside_the_fix_and_the_test_runs_both_ways(slug):
    _, body = SECTIONS[slug]
    bug, test = CELL.findall(body)
    assert body.index("**Bug.**") < body.index(bug) < body.index("**What reveals it.**")
    assert body.index("**Test.**") < body.index(test) < body.index("**Reported.**")
    assert "compare(" in bug
    name = re.search(r"^def (test_\w+)\(code\):\n(?:    .*\n|\n(?=    ))*? +assert ", test, re.MULTILINE)
    assert name and f"both_ways({name[1]}, " in test


def test_every_test_failed_on_the_bug_and_passed_on_the_fix():
    outcomes = re.findall(r"^bug: test (\w+)\nfix: test (\w+)$", printed(), re.MULTILINE)
    assert outcomes == [("fails", "passes")] * len(SECTIONS)


@each_pitfall
def test_a_report_is_a_link_or_said_to_be_unknown(slug):
    _, body = SECTIONS[slug]
    report = re.search(r"^\*\*Reported\.\*\* (.+)$", body, re.MULTILINE)[1]
    links = re.findall(r"\]\((https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull|blob)/[\w./-]+)\)", report)
    assert links or "{cite:p}" in report or "No public report of it is known to us." in report
    for text, repository, kind, number in re.findall(
        r"\[`([^`]+)`\]\(https://github\.com/([\w.-]+/[\w.-]+)/(issues|pull)/(\d+)\)", report
    ):
        assert f"/{repository}#{number}".endswith(f"/{text}"), kind  # a long name goes without its owner


@each_pitfall
def test_a_pitfall_leads_on(slug):
    _, body = SECTIONS[slug]
    more = re.search(r"^\*\*More\.\*\* (.+)$", body, re.MULTILINE)[1]
    assert re.search(r"\{(?:ref|doc|term)\}`", more)


@pytest.mark.parametrize("slug", sorted(LECTURE))
def test_an_explanation_of_the_lecture_is_corrected(slug):
    _, body = SECTIONS[slug]
    assert ":class: correction" in body and "**What holds (" in body


def test_the_table_has_one_row_per_pitfall_in_their_order():
    assert [slug for slug, _ in ROWS] == list(SECTIONS)


def test_the_table_says_what_was_measured():
    measured = [(slug, first) for first, slug in MEASURED.findall(printed())]
    assert [slug for slug, _ in measured] == list(SECTIONS)
    for (slug, shows), (_, first) in zip(ROWS, measured, strict=True):
        if first == "boundary":
            assert shows.startswith("only with "), slug
        else:
            assert shows == ("at once" if first == "8" else f"from {first} tokens on"), slug


def test_the_most_silent_come_first():
    found = re.findall(r"^ *(boundary|\d+) +([\d.]+)  [\w-]+$", printed(), re.MULTILINE)
    ranks = [(-float("inf") if first == "boundary" else -int(first), float(size)) for first, size in found]
    assert len(ranks) == len(SECTIONS)
    assert ranks == sorted(ranks)
