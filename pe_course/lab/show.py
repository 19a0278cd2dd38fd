"""Means and spreads over seeds of stored results, as a table or as numbers for a figure. Needs no torch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from pe_course.lab.config import METHODS, Config
from pe_course.lab.results import ResultsFile, Row, select, stored

Spread = tuple[float, float]


def read(name: str, folder: str | None = None) -> list[Row]:
    """Rows by name, from the package or from ``folder``. Raises: as `stored`; FileNotFoundError."""
    if folder is None:
        return stored(name)
    path = Path(folder) / f"{name}.jsonl"
    if not path.is_file():
        raise FileNotFoundError(f"there is no results file {path}")
    return ResultsFile(path).rows()


def spread(values: Iterable[float]) -> Spread:
    """Mean, and standard deviation between seeds (0 for one seed)."""
    found = list(values)
    return mean(found), stdev(found) if len(found) > 1 else 0.0


def by_length(rows: Iterable[Row], measure: str = "loss", variant: str | None = None) -> dict[int, Spread]:
    """``measure`` ("loss", "accuracy", "excess" over the optimum) at each length, mean and spread of the rows.

    ``variant``: RoPE changed at test time, see ``lab.methods.VARIANTS``.
    """
    rows = list(rows)
    tested = [_tested(row, variant) for row in rows]
    lengths = sorted({int(length) for found in tested for length in found})
    return {n: spread(_value(found[str(n)], measure) for found in tested) for n in lengths}


def learned(rows: Iterable[Row]) -> bool:
    """Whether all seeds reached nine tenths of the optimum at the training length (always, if nobody knows it)."""
    return all(row["results"].get("learned", True) for row in rows)


def table(rows: list[Row], *, steps: int) -> str:
    """Loss by length, mean ± spread, one line per method and variant; methods that did not learn the task say so."""
    chosen = select(rows, steps=steps, position_lr_factor=Config().position_lr_factor, finetune="none")
    lines = []
    for method in METHODS:
        of_method = select(chosen, method=method)
        if of_method:
            note = "" if learned(of_method) else "  not learned"
            lines.append(_line(method, of_method, None) + note)
            variants = of_method[0]["results"].get("variants", {})
            lines += [_line(f"  {name}", of_method, name) for name in variants]
    return "\n".join(lines) if lines else f"no rows with {steps} steps"


def _line(name: str, rows: list[Row], variant: str | None) -> str:
    cells = [f"{centre:7.3f} ±{around:.3f}" for centre, around in by_length(rows, variant=variant).values()]
    return f"{name:<14}" + " ".join(cells) + f"  ({len(rows)} seeds)"


def _tested(row: Row, variant: str | None) -> dict[str, Any]:
    return row["results"]["by_length"] if variant is None else row["results"]["variants"][variant]


def _value(measures: dict[str, float], measure: str) -> float:
    return measures["loss"] - measures["optimum"] if measure == "excess" else measures[measure]
