"""How a recorded case finds the comparison that fits it.

A case is what the manifest says of it and its arrays. Each family has a module ``forms_<family>.py`` with a
list ``FORMS``; a form recognises the cases it can compare by their function, fields and
hyper-parameters, never by the name of a case or of a file, and raises AssertionError where ours differs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

COARSENESS = {"float16": 2.0**13, "bfloat16": 2.0**16}
_coarseness = ContextVar("coarseness", default=1.0)

FAMILIES = ("absolute", "attention", "bias", "relative", "rotary", "scaling")


@dataclass(frozen=True)
class Case:
    """One recorded call of a published library."""

    file: str
    name: str
    meta: dict[str, Any] = field(repr=False)
    folder: Path = field(repr=False)

    @property
    def id(self) -> str:
        return f"{Path(self.file).stem}-{self.name}"

    @property
    def function(self) -> str:
        return str(self.meta.get("function", ""))

    @property
    def field_names(self) -> frozenset[str]:
        return frozenset(self.meta["fields"])

    @property
    def coarseness(self) -> float:
        """How many times coarser than float32 the library ran; tolerances are stated for float32."""
        said = {str(kind).split("[")[0] for kind in self.meta["fields"].values()}
        said |= {str(self.meta.get(key, "")).removeprefix("torch.") for key in ("dtype", "torch_dtype")}
        return max(COARSENESS.get(name, 1.0) for name in said)

    def arrays(self) -> dict[str, np.ndarray]:
        """Every array of the case; floating ones widened to float64."""
        with np.load(self.folder / self.file) as archive:
            found = {name: archive[f"{self.name}/{name}"] for name in self.meta["fields"]}
        return {name: a.astype(np.float64) if a.dtype.kind == "f" else a for name, a in found.items()}


@dataclass(frozen=True)
class Form:
    """A kind of case: how to recognise it, how to compare it with ours."""

    name: str
    recognises: Callable[[Case], bool]
    compare: Callable[[Case, dict[str, np.ndarray]], None]

    def check(self, case: Case) -> None:
        """Compares, with tolerances as wide as the precision that the case was recorded in."""
        with precision_of(case):
            self.compare(case, case.arrays())


@contextmanager
def precision_of(case: Case) -> Iterator[None]:
    """Inside, `assert_close` allows as many times more as the case was recorded coarser than in float32."""
    token = _coarseness.set(case.coarseness)
    try:
        yield
    finally:
        _coarseness.reset(token)


def load_cases(folder: Path) -> list[Case]:
    """All cases that the folder's manifest lists."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return [Case(file, name, meta, folder) for file, cases in manifest.items() for name, meta in cases.items()]


def all_forms() -> list[Form]:
    """The forms of every family, in the order of ``FAMILIES``."""
    found = []
    for family in FAMILIES:
        found += import_module(f"goldens.forms_{family}").FORMS
    return found


def assert_close(what: str, ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> None:
    """Largest absolute difference at most ``tolerance``; shapes equal; says where it is worst."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    tolerance *= _coarseness.get()
    assert ours.shape == theirs.shape, f"{what}: our shape {ours.shape}, recorded {theirs.shape}"
    gap = np.abs(ours - theirs)
    assert np.isfinite(gap).all(), f"{what}: not finite"
    worst = np.unravel_index(int(gap.argmax()), gap.shape) if gap.size else ()
    assert gap.size == 0 or gap[worst] <= tolerance, (
        f"{what}: at {tuple(map(int, worst))} ours {ours[worst]:.9g}, recorded {theirs[worst]:.9g}, "
        f"difference {gap[worst]:.3g} above {tolerance:.3g}"
    )
