"""The ledger is complete, every check passes, and every check can fail."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from string import Formatter

import pytest

from pe_course.claims import ledger
from pe_course.claims.claim import EVIDENCE, VERDICTS, Claim, Counterfeit

ROOT = Path(__file__).parents[2]
EVERY_ID = [f"L-{number:03d}" for number in range(1, 155)]
CLAIMS = [entry for family in ledger.FAMILIES for entry in ledger.family_claims(family)]
CHECKED = [entry for entry in CLAIMS if entry.measure is not None]
CITED = [entry for entry in CLAIMS if entry.measure is None]
each_claim = pytest.mark.parametrize("entry", CLAIMS, ids=lambda entry: entry.id)
each_check = pytest.mark.parametrize("entry", CHECKED, ids=lambda entry: entry.id)


def test_every_id_stands_once_and_in_order():
    assert sorted(entry.id for entry in CLAIMS) == EVERY_ID
    assert list(ledger.claims()) == EVERY_ID


@pytest.mark.parametrize("family", ledger.FAMILIES)
def test_a_family_lists_its_claims_in_order(family):
    ids = [entry.id for entry in ledger.family_claims(family)]
    assert ids == sorted(ids)
    assert ids


def test_every_claim_has_one_of_the_verdicts():
    counts = Counter(entry.verdict for entry in CLAIMS)
    assert set(counts) == set(VERDICTS)
    assert counts.total() == len(EVERY_ID)


@each_claim
def test_a_claim_is_whole(entry: Claim):
    assert entry.claim.strip() and entry.holds.strip() and entry.digest
    assert entry.evidence in EVIDENCE
    assert all(re.fullmatch(r"S[123]-\d\d", item) for item in entry.digest)
    assert len(set(entry.references)) == len(entry.references)


@each_claim
def test_a_claim_has_a_check_or_a_citation(entry: Claim):
    if entry.measure is None:
        assert entry.references and entry.why_no_check
        assert entry.evidence == "source"
        assert entry.decides is None and not entry.counterfeits
        assert not list(filter(None, (name for _, name, _, _ in Formatter().parse(entry.holds))))
    else:
        assert entry.decides is not None and entry.counterfeits


@each_claim
def test_its_references_are_in_the_bibliography(entry: Claim):
    known = set(re.findall(r"^@\w+\{([^,]+),", (ROOT / "book" / "references.bib").read_text(), flags=re.MULTILINE))
    assert set(entry.references) <= known


@each_check
def test_a_check_passes_and_says_what_it_measured(entry: Claim):
    result = ledger.outcome(entry)
    assert not result.problem
    assert result.passed
    assert not re.search(r"[{}]", result.holds)
    row = json.loads(json.dumps(result.as_row(), allow_nan=False))
    assert row["measured"] == result.measured
    assert result.measured


@pytest.mark.parametrize(
    ("entry", "counterfeit"),
    [pytest.param(entry, fake, id=f"{entry.id}: {fake.what}") for entry in CHECKED for fake in entry.counterfeits],
)
def test_a_check_fails_under_a_counterfeit(entry: Claim, counterfeit: Counterfeit):
    assert bool(counterfeit.target) != bool(counterfeit.measured), "a counterfeit replaces code or values, one of both"
    assert not ledger.passes_under(entry, counterfeit)


def test_a_counterfeit_is_gone_afterwards():
    faked = next(entry for entry in CHECKED if entry.counterfeits[0].target)
    ledger.passes_under(faked, faked.counterfeits[0])
    assert ledger.outcome(faked).passed
