"""The comparison: every method once, cells as measured, and a table that any reader can use."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from pe_course.comparison import comparison, rows, table
from pe_course.comparison.cases import CASES, Case
from pe_course.comparison.probes import Work
from pe_course.lab import select, stored
from pe_course.lab.show import by_length, complete


def test_every_method_has_one_row_under_the_place_where_it_enters():
    assert [row.name for row in rows()] == list(CASES)
    assert all(row.group in table.GROUPS and all(row.cells) for row in rows())
    assert {row.group for row in rows()} == set(table.GROUPS)


def test_losses_are_those_of_the_labs_complete_rows():
    group = complete(stored("text"))["rope"]
    losses = [by_length(group)[multiple * 64][0] for multiple in (1, 4, 16)]
    assert table.longer_texts("rope") == " → ".join(f"{loss:.2f}" for loss in losses)
    changed = [by_length(group, variant="yarn")[multiple * 64][0] for multiple in (1, 4, 16)]
    assert table.longer_texts("rope_yarn") == " → ".join(f"{loss:.2f}" for loss in changed) + "*"


def test_what_the_lab_did_not_run_is_said_to_be_unmeasured():
    assert table.longer_texts("shaw") == table.NOT_MEASURED
    assert table.longer_texts("rope_longrope") == "Ding et al., 2024"
    lab = [case.lab[0] for case in CASES.values() if case.lab]
    assert all(select(stored("text"), method=method) for method in lab)


def test_a_method_with_unfinished_seeds_or_not_learned_prints_no_number(monkeypatch):
    found = dict(table._text_runs())
    some = [{**row, "results": row["results"] | {"learned": False}} for row in found["alibi"]]
    monkeypatch.setattr(table, "_text_runs", lambda: {"alibi": some})
    assert table.longer_texts("alibi") == "not learned"
    assert table.longer_texts("rope") == table.NOT_MEASURED


@pytest.mark.parametrize(
    ("work", "text"),
    [
        (Work(0, 0, False, 0.0, False), "0"),
        (Work(1536, 0, False, 0.0, False), "1,536 n"),
        (Work(768, 0, True, 0.0, False), "768 n, once"),
        (Work(0, 12, False, 4.97, True), "12 n² by sentence; products × 5.0"),
        (Work(0, 12, False, 0.01, False), "12 n²"),
    ],
)
def test_work_in_words(work, text):
    assert table.work_in_words(work) == text


def test_used_by_names_those_from_the_maker_first_and_marks_the_others():
    assert table.used_by("alibi").startswith("BLOOM-176B, MPT-7B-StoryWriter and ")
    assert table.used_by("t5").startswith("T5*, mT5*")
    assert table.used_by("kerple") == "none in the table"


def test_html_is_a_table_that_scrolls_in_a_box_the_keyboard_can_reach():
    soup = BeautifulSoup(comparison().as_html(), "html.parser")
    box = soup.div
    assert box["tabindex"] == "0" and box["aria-label"] and "overflow-x:auto" in box["style"]
    heads = [cell.text for cell in soup.thead.find_all("th")]
    assert heads == list(table.COLUMNS.values())
    lines = [line for line in soup.select("tbody tr") if line.td]
    assert [line.th.code.text for line in lines] == list(CASES)
    for line, row in zip(lines, rows(), strict=True):
        assert tuple(cell.text for cell in line.find_all("td")) == row.cells[1:]


def test_text_says_the_same_within_a_hundred_columns():
    text = repr(comparison())
    assert max(map(len, text.splitlines())) <= 100
    flat = " ".join(text.split())
    for row in rows():
        assert f"{row.method} ({row.name})" in flat
        assert " ".join(f"learned numbers: {row.numbers}".split()) in flat


def test_groups_can_be_chosen():
    assert {row.group for row in comparison("score", "input").rows} == {"score", "input"}
    with pytest.raises(ValueError, match=r"groups must be out of .*got 'output'"):
        comparison("output")


def test_a_case_needs_no_options():
    assert Case("one").options(None) == {}
