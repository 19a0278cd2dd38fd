"""The whole ledger: collects the claims of all families, runs their checks, and runs checks under counterfeits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from pe_course.claims.claim import Claim, Counterfeit, Measured

FAMILIES = ("attention", "absolute", "relative", "bias", "rotary", "scaling", "worked_example", "practice")


@dataclass(frozen=True)
class Outcome:
    """What came of one check.

    ``holds`` is the claim's corrected statement with the measured values filled in. ``passed`` is True for a claim
    that its sources alone decide. ``problem`` says why a check could not be run to its end.
    """

    id: str
    verdict: str
    holds: str
    measured: dict[str, Any]
    passed: bool
    problem: str = ""

    def as_row(self) -> dict[str, Any]:
        """The outcome as ``python -m pe_course.claims --json`` writes it."""
        names = ("id", "verdict", "holds", "measured", "passed")
        return {name: getattr(self, name) for name in names}


def claim(claim_id: str) -> Claim:
    """The claim with this id. Raises: KeyError that names the ids there are."""
    found = claims()
    if claim_id not in found:
        raise KeyError(f"{claim_id!r} is no claim of the ledger; its ids run from {min(found)} to {max(found)}")
    return found[claim_id]


@cache
def claims() -> dict[str, Claim]:
    """All claims by id, in the order of their ids. Raises: ValueError if two have the same id."""
    found: dict[str, Claim] = {}
    for family in FAMILIES:
        for entry in family_claims(family):
            if entry.id in found:
                raise ValueError(f"{entry.id} stands twice in the ledger, the second time in {family}")
            found[entry.id] = entry
    return dict(sorted(found.items()))


def family_claims(family: str) -> list[Claim]:
    """The claims of the module ``pe_course.claims.<family>``."""
    return import_module(f"pe_course.claims.{family}").CLAIMS


def outcomes() -> Iterator[Outcome]:
    """The outcome of every claim, one after the other; a check that raises has failed, and the rest go on."""
    return (outcome(entry) for entry in claims().values())


def outcome(entry: Claim) -> Outcome:
    """Runs the check of one claim; what it raises becomes the ``problem`` of a failed check.

    Code that measures a value of another kind, such as one number where ``holds`` quotes the third of three, fails too.
    """
    measured: dict[str, Any] = {}
    try:
        measured, passed = run(entry)
        holds = _with_minus_signs(entry.holds.format_map(measured))
    except Exception as error:
        unknown = entry.holds.format_map(_Unmeasured())
        return Outcome(entry.id, entry.verdict, unknown, measured, False, f"{type(error).__name__}: {error}")
    return Outcome(entry.id, entry.verdict, holds, measured, passed)


def run(entry: Claim, fakes: Measured | None = None) -> tuple[dict[str, Any], bool]:
    """The measured values, those in ``fakes`` replaced, and whether the verdict stands on them."""
    if entry.measure is None:
        return {}, True
    measured = {name: _plain(value) for name, value in entry.measure().items()}
    unknown = set(fakes or {}) - set(measured)
    if unknown:
        raise KeyError(f"{entry.id} measures no {sorted(unknown)[0]!r}; it measures {', '.join(measured)}")
    measured |= fakes or {}
    return measured, bool(entry.decides(measured))


def passes_under(entry: Claim, counterfeit: Counterfeit) -> bool:
    """Whether the check is fooled by a wrong value or implementation. Of a sound check, it is not."""
    with in_place(counterfeit):
        return run(entry, counterfeit.measured)[1]


@contextmanager
def in_place(counterfeit: Counterfeit) -> Iterator[None]:
    """Replaces the counterfeit's target, if it has one, for the duration of the block."""
    if not counterfeit.target:
        yield
        return
    module, _, path = counterfeit.target.partition(":")
    owner: Any = import_module(module)
    *parents, attribute = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    original = getattr(owner, attribute)
    setattr(owner, attribute, counterfeit.broken(original))
    try:
        yield
    finally:
        setattr(owner, attribute, original)


def _with_minus_signs(text: str) -> str:
    """Negative numbers are formatted with a hyphen; prose has a minus sign."""
    return re.sub(r"(?<![\w.])-(?=\d)", "−", text)


def _plain(value: Any) -> Any:
    """NumPy numbers and arrays as the Python numbers and lists that JSON can hold."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value


class _Unmeasured(dict):
    """Stands in for the values of a check that could not be run."""

    def __missing__(self, name: str) -> _Unmeasured:
        return self

    def __getitem__(self, name: Any) -> _Unmeasured:
        return self

    def __format__(self, spec: str) -> str:
        return "(not measured)"
