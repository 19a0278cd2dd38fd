"""Every claim of the ledger is treated by a chapter, so that its entry has a page to lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pe_course.claims import ledger
from tools.settings import Settings
from tools.site.ledger.mentions import mentions_in

# The ledger holds all claims, the map of the lecture too, and the corrections retell what a chapter has taught.
NO_CHAPTERS = {"ledger", "lecture-map", "corrections"}


def untreated(claims: Iterable[str], texts: Mapping[str, str]) -> list[str]:
    """The claims that no chapter speaks of, given the text of each page."""
    spoken_of = {
        mention.claim_id for page, text in texts.items() if page not in NO_CHAPTERS for mention in mentions_in(text)
    }
    return sorted(set(claims) - spoken_of)


def test_every_claim_is_treated_by_a_chapter() -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in Settings().chapters()}
    missing = untreated(ledger.claims(), texts)
    assert missing == [], "speak of them where they belong, with {claim}`L-nnn`"


def test_a_claim_in_the_ledger_or_the_corrections_alone_is_missed() -> None:
    texts = {
        "absolute": "As {claim}`L-001` says.",
        "ledger": "{claim}`L-002`",
        "corrections": "{claim}`L-003`",
        "lecture-map": "(L-004)",
    }
    assert untreated(["L-001", "L-002", "L-003", "L-004"], texts) == ["L-002", "L-003", "L-004"]
