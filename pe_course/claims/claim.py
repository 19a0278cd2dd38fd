"""A statement of the lecture, its verdict, and the code or the source that decides it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

VERDICTS = ("true", "true with conditions", "imprecise", "wrong")
EVIDENCE = ("numeric", "algebraic", "experiment", "source")

Measured = Mapping[str, Any]
"""Values by name: numbers, truth values, or lists of them, unrounded."""


@dataclass(frozen=True)
class Counterfeit:
    """A deliberately wrong value or implementation under a check; with it the check must fail.

    Either ``measured`` replaces some measured values, or ``target`` ("package.module:attribute") is replaced by
    ``broken(original)`` while the check runs.
    """

    what: str
    measured: Measured = field(default_factory=dict)
    target: str = ""
    broken: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None


@dataclass(frozen=True)
class Claim:
    """One entry of the ledger.

    ``claim`` and ``holds`` are in our words; ``holds`` may quote a measured value as ``{name:.4f}``, so that no
    number is typed. ``measure`` computes the values; ``decides`` is the condition on them that makes the verdict
    stand. A claim without ``measure`` is decided by its ``references`` alone, and ``why_no_check`` says why nothing
    can be computed.
    """

    id: str
    claim: str
    verdict: str
    holds: str
    evidence: str
    digest: tuple[str, ...]
    references: tuple[str, ...] = ()
    measure: Callable[[], Measured] | None = None
    decides: Callable[[Measured], bool] | None = None
    counterfeits: tuple[Counterfeit, ...] = ()
    why_no_check: str = ""
    note: str = ""
