"""The map of the lecture: every item is there, and every place that it names exists."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from pe_course.claims import ledger
from pe_course.exercises import exercises
from tools.settings import Settings
from tools.site.lecture_map import FILE, SIZES, Item, Notes, Places, as_html, faults, read
from tools.site.ledger.mentions import mentions_in

SETTINGS = Settings()


@pytest.fixture(scope="module")
def places() -> Places:
    return Places.of(SETTINGS)


@pytest.fixture(scope="module")
def notes() -> list[Notes]:
    return read(SETTINGS.book / FILE)


def test_every_item_is_covered_by_a_place_that_exists(notes, places) -> None:
    assert faults(notes, places) == []


def test_items_stand_in_order_each_in_its_set(notes) -> None:
    assert [each.id for each in notes] == list(SIZES)
    for each in notes:
        assert [item.id for item in each.items] == sorted(item.id for item in each.items)
        assert {item.id.partition("-")[0] for item in each.items} == {each.id}


def test_claims_of_the_map_are_those_of_the_ledger(notes) -> None:
    """None is unknown, and no claim of the lecture is left out."""
    named = {claim for each in notes for item in each.items for claim in item.claims}
    assert named <= set(ledger.claims())
    assert sorted(set(ledger.claims()) - named) == ["L-022", "L-023", "L-024"]  # on what the notes leave out


def test_each_claim_of_an_item_is_treated_on_one_of_its_pages(notes) -> None:
    spoken_of = {
        path.stem: {mention.claim_id for mention in mentions_in(path.read_text(encoding="utf-8"))}
        for path in SETTINGS.chapters()
    }
    for item in (item for each in notes for item in each.items):
        known = set().union(*(spoken_of[place.partition("#")[0]] for place in item.at))
        assert set(item.claims) <= known, f"{item.id}: {sorted(set(item.claims) - known)} are treated elsewhere"


def test_words_are_ours() -> None:
    """No sentence of the notes: they are Chinese, and so is what was copied from them."""
    text = (SETTINGS.book / FILE).read_text(encoding="utf-8")
    assert not [letter for letter in text if "\u4e00" <= letter <= "\u9fff"]


@pytest.mark.parametrize(
    ("item", "fault"),
    [
        (Item("S1-01", "a", ()), "S1-01 has no place"),
        (Item("S1-01", "a", ("nowhere#x",)), "S1-01: there is no page 'nowhere'"),
        (Item("S1-01", "a", ("rotary#no-such-section",)), "S1-01: page 'rotary' has no anchor 'no-such-section'"),
        (Item("S4-01", "a", ("rotary#rotary",)), "S4-01 is no item of the notes"),
        (Item("S1-02", "a", ("rotary#rotary",)), "S1-01 is missing"),
    ],
)
def test_what_is_wrong_is_said(places, item: Item, fault: str) -> None:
    assert fault in faults([Notes("S1", "t", "a", (item,))], places)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("rotary#rotary", "Rotary positions"),
        ("rotary#decay-myth", "Rotary positions: Does the score decay with distance?"),
        ("rotary#the-requirement", "Rotary positions: The requirement"),
        ("rotary#claim-L-073", "Rotary positions: Does the score decay with distance?"),
        ("glossary#term-RoPE", "Glossary: RoPE"),
    ],
)
def test_places_have_words(places, place: str, words: str) -> None:
    assert places.words(place) == words


def test_a_row_leads_to_sections_and_claims(places) -> None:
    item = Item("S1-01", "a < b", ("rotary#decay-myth", "alibi#nope"), ("L-073",))
    html = as_html([Notes("S1", "t", "a", (item,))], places, lambda place: place.replace("#", ".html#"))
    row = BeautifulSoup(html, "html.parser").find(id="S1-01")
    assert row.find_all("td")[0].text == "a < b L-073"
    addresses = [link["href"] for link in row.find_all("a")]
    assert addresses == ["#S1-01", "ledger.html#L-073", "rotary.html#decay-myth", "alibi.html#nope"]


def test_the_questions_of_the_lecture_and_of_the_interview_lead_to_their_self_tests(places, notes) -> None:
    item = Item("S3-62", "says", ("rotary#decay-myth",), ())
    html = as_html([Notes("S3", "t", "a", (item,))], places, lambda place: place.replace("#", ".html#"))
    addresses = [link["href"] for link in BeautifulSoup(html, "html.parser").find(id="S3-62").find_all("a")]
    assert "self-test.html#self-test-rotation-in-one-line" in addresses
    asked = {name for each in exercises() for name in each.lecture}
    assert {f"S3-{n}" for n in range(61, 71)} | {f"S2-{n}" for n in range(23, 30)} <= asked
    assert asked <= {each.id for one in notes for each in one.items}
