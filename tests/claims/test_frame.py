"""The frame of the ledger with claims made for the test, and the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pe_course
from pe_course.claims import __main__ as command
from pe_course.claims import ledger
from pe_course.claims.claim import Claim, Counterfeit
from pe_course.reference import attention

ROOT = Path(__file__).parents[2]
VALUES = {"below": -1.5, "both": [-2, 3], "tiny": 4e-5}
MASK = "pe_course.reference.attention:causal_mask"


def made_up(claim_id: str = "L-901", **changes) -> Claim:
    values = {
        "id": claim_id,
        "claim": "A causal mask of 3 allows 6 pairs.",
        "verdict": "true",
        "holds": "It allows {pairs} of {shape[0]}².",
        "evidence": "numeric",
        "digest": ("S1-01",),
        "measure": lambda: {"pairs": attention.causal_mask(3).sum(), "shape": (np.int64(3), 3)},
        "decides": lambda m: m["pairs"] == 6,
    }
    return Claim(**values | changes)


def failing() -> Claim:
    return made_up("L-902", decides=lambda m: m["pairs"] == 7)


def crashing() -> Claim:
    def measure():
        raise LookupError("no rows for 'rope'")

    return made_up("L-903", measure=measure, holds="Up to {pairs:.4f} of {shape[0]}.")


def cited() -> Claim:
    return made_up("L-904", measure=None, decides=None, holds="Correct.", references=("press2022train",))


@pytest.fixture
def small_ledger(monkeypatch):
    entries = {entry.id: entry for entry in (made_up(), failing(), crashing(), cited())}
    monkeypatch.setattr(ledger, "claims", lambda: entries)
    return entries


def test_an_outcome_holds_plain_values_and_the_filled_in_statement():
    result = ledger.outcome(made_up())
    assert result.as_row() == {
        "id": "L-901",
        "verdict": "true",
        "holds": "It allows 6 of 3².",
        "measured": {"pairs": 6, "shape": [3, 3]},
        "passed": True,
    }
    assert type(result.measured["pairs"]) is int


def test_a_failing_check_is_reported():
    assert ledger.outcome(failing()).passed is False


def test_a_check_that_raises_has_failed_and_says_why():
    result = ledger.outcome(crashing())
    assert (result.passed, result.measured) == (False, {})
    assert result.problem == "LookupError: no rows for 'rope'"
    assert result.holds == "Up to (not measured) of (not measured)."


def test_a_statement_that_cannot_be_filled_in_is_a_failed_check():
    result = ledger.outcome(made_up(measure=lambda: {"pairs": 6, "shape": []}))
    assert (result.passed, result.measured) == (False, {"pairs": 6, "shape": []})
    assert result.problem == "IndexError: list index out of range"
    assert result.holds == "It allows (not measured) of (not measured)²."


def test_negative_numbers_get_a_minus_sign_and_nothing_else_does():
    written = made_up(holds="{below}, {both}, {tiny:.0e}, GLM-130B", measure=lambda: VALUES, decides=bool)
    assert ledger.outcome(written).holds == "−1.5, [−2, 3], 4e-05, GLM-130B"


def test_a_cited_claim_passes_without_measuring():
    assert ledger.outcome(cited()).as_row()["measured"] == {}
    assert ledger.outcome(cited()).passed


def test_a_counterfeit_replaces_a_value():
    assert not ledger.passes_under(made_up(), Counterfeit("five pairs", {"pairs": 5}))
    assert ledger.passes_under(made_up(), Counterfeit("another shape", {"shape": [4, 4]}))


def test_a_counterfeit_of_a_value_that_is_not_measured_is_a_mistake():
    with pytest.raises(KeyError, match="L-901 measures no 'rows'; it measures pairs, shape"):
        ledger.passes_under(made_up(), Counterfeit("a slip of the pen", {"rows": 5}))


def test_a_counterfeit_replaces_code_and_is_removed_even_if_the_check_raises():
    right = attention.causal_mask
    assert not ledger.passes_under(
        made_up(), Counterfeit("no mask", target=MASK, broken=lambda f: lambda n: f(n) | True)
    )

    def raising(_):
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        ledger.passes_under(made_up(), Counterfeit("raises", target=MASK, broken=lambda f: raising))
    assert attention.causal_mask is right


def test_two_claims_of_one_id_are_refused(monkeypatch):
    monkeypatch.setattr(ledger, "family_claims", lambda family: [made_up()])
    with pytest.raises(ValueError, match="L-901 stands twice in the ledger, the second time in absolute"):
        ledger.claims.__wrapped__()


def test_an_unknown_id_names_the_ids_there_are(small_ledger):
    with pytest.raises(KeyError, match="'L-999' is no claim of the ledger; its ids run from L-901 to L-904"):
        ledger.claim("L-999")


def test_the_command_prints_each_claim_and_a_summary(small_ledger, capsys):
    assert command.main([]) == 1
    out = capsys.readouterr().out
    assert "[1/4] L-901  true  —  check passed" in out
    assert "[2/4] L-902  true  —  CHECK FAILED" in out
    assert "problem   LookupError: no rows for 'rope'" in out
    assert "[4/4] L-904  true  —  decided by its sources" in out
    assert "measured  pairs = 6" in out
    assert "4 claims: 4 true, 0 true with conditions, 0 imprecise, 0 wrong" in out
    assert "3 checks, 2 failed; decided by their sources: 1" in out
    assert "failed: L-902, L-903" in out


def test_the_command_writes_json(small_ledger, capsys):
    assert command.main(["--json"]) == 1
    printed = capsys.readouterr()
    rows = json.loads(printed.out)
    assert [row["id"] for row in rows] == list(small_ledger)
    assert all(set(row) == {"id", "verdict", "holds", "measured", "passed"} for row in rows)
    assert "L-903: LookupError: no rows for 'rope'" in printed.err


@pytest.mark.parametrize(("claim_id", "status"), [("L-901", 0), ("L-902", 1), ("L-904", 0)])
def test_the_command_shows_one_claim(small_ledger, capsys, claim_id, status):
    assert command.main(["--id", claim_id]) == status
    out = capsys.readouterr().out
    assert out.startswith(f"[1/1] {claim_id}")
    assert out.count("holds") == 1


def test_the_command_takes_an_id_in_lower_case(small_ledger, capsys):
    assert command.main(["--id", "l-901"]) == 0
    assert capsys.readouterr().out.startswith("[1/1] L-901")


@pytest.mark.parametrize("claim_id", ["", "94", "L-94"])
def test_the_command_refuses_what_is_no_id(small_ledger, capsys, claim_id):
    with pytest.raises(SystemExit) as exit_status:
        command.main(["--id", claim_id])
    assert exit_status.value.code == 2
    assert f"{claim_id!r} is no claim of the ledger" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--id", "L-121"], ["--json", "--id", "L-121"]])
def test_the_command_is_silent_when_its_reader_has_gone(options):
    reader, writer = os.pipe()
    os.close(reader)
    program = [sys.executable, "-m", "pe_course.claims", *options]
    ended = subprocess.run(program, stdout=writer, stderr=subprocess.PIPE, cwd=ROOT, check=False)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (command.READER_GONE, b"")


def test_the_command_writes_utf_8_whatever_the_locale():
    program = [sys.executable, "-m", "pe_course.claims", "--id", "L-121"]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(program, capture_output=True, cwd=ROOT, env=ascii_only, check=True)
    assert "—" in ended.stdout.decode("utf-8")


def test_the_command_refuses_an_unknown_id(small_ledger, capsys):
    with pytest.raises(SystemExit) as exit_status:
        command.main(["--id", "L-999"])
    assert exit_status.value.code == 2
    assert "'L-999' is no claim of the ledger; its ids run from L-901 to L-904" in capsys.readouterr().err


def test_the_room_is_reached_through_the_package():
    assert "claims" in dir(pe_course)
    assert pe_course.claims.__name__ == "pe_course.claims"
