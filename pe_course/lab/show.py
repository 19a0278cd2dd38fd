"""Means and spreads over seeds of stored results, as tables or as numbers for a figure. Needs no torch.

Readers take rows and give ``{method: {length: (mean, spread)}}`` or the like, of complete groups only: a method of
which a seed is missing is left out, so that no mean is over fewer seeds than its neighbour's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from pe_course.lab.config import FINETUNING, METHODS, Config
from pe_course.lab.plans import SEEDS, SHORT, full
from pe_course.lab.results import STORED, ResultsFile, Row, select, stored

Spread = tuple[float, float]
OWN_RATE = Config().position_lr_factor


def read(name: str, folder: str | None = None) -> list[Row]:
    """Rows by name, from the package or from ``folder``. Raises: as `stored`; FileNotFoundError."""
    if folder is None:
        return stored(name)
    path = Path(folder) / f"{name}.jsonl"
    if not path.is_file():
        raise FileNotFoundError(f"there is no results file {path}")
    return ResultsFile(path).rows()


def available(name: str, rows_of: Callable[[str], list[Row]] = stored) -> list[Row]:
    """The stored rows, none if that experiment has no results yet. Raises: ValueError for another name."""
    try:
        return rows_of(name)
    except FileNotFoundError:
        return []


def spread(values: Iterable[float]) -> Spread:
    """Mean, and standard deviation between seeds (0 for one seed)."""
    found = list(values)
    return mean(found), stdev(found) if len(found) > 1 else 0.0


# Which rows ---------------------------------------------------------------------------------------------------------


def complete(
    rows: Iterable[Row], *, steps: int = SHORT, rate: float = OWN_RATE, seeds: Sequence[int] = SEEDS
) -> dict[str, list[Row]]:
    """Rows by method, in the order of ``METHODS``; only methods of which all ``seeds`` have finished.

    ``rate``: the factor on the learning rate of positional parameters; 1 is the common rate.
    """
    chosen = select(rows, steps=steps, position_lr_factor=rate, finetune="none")
    by_method = {method: select(chosen, method=method) for method in METHODS}
    return {method: found for method, found in by_method.items() if _seeds(found) >= set(seeds)}


def learned(rows: Iterable[Row]) -> bool:
    """Whether all seeds reached nine tenths of the optimum at the training length (always, if nobody knows it)."""
    return all(row["results"].get("learned", True) for row in rows)


def ranked(groups: Mapping[str, list[Row]], multiple: int, measure: str = "loss") -> list[tuple[str, Spread]]:
    """Methods at ``multiple`` times the training length, the lowest ``measure`` first.

    What was not `learned` is not ranked: how it does on longer texts says nothing about its positions.
    """
    found = {}
    for method, rows in groups.items():
        if learned(rows):
            found[method] = by_length(rows, measure)[multiple * rows[0]["config"]["length"]]
    return sorted(found.items(), key=lambda item: item[1][0])


def tiers(ranking: Sequence[tuple[str, Spread]]) -> list[list[str]]:
    """The ranking in places: who is no further from the first of a place than both spreads together shares it."""
    places: list[list[str]] = []
    best = its_spread = -inf
    for method, (centre, around) in ranking:
        if centre - best > around + its_spread:
            places.append([])
            best, its_spread = centre, around
        places[-1].append(method)
    return places


def progress(rows_of: Callable[[str], list[Row]] = stored) -> dict[tuple[str, int], tuple[int, int]]:
    """For each results file and number of steps: how many runs of the full plan have their row, out of how many."""
    planned = {(run.file, run.config.key): (run.file, run.config.steps) for run in full(Config())}
    done = Counter()
    for name in STORED:
        keys = {Config.from_mapping(row["config"]).key for row in available(name, rows_of)}
        done.update(group for (file, key), group in planned.items() if file == name and key in keys)
    return {group: (done[group], number) for group, number in Counter(planned.values()).items()}


# What they say ------------------------------------------------------------------------------------------------------


def by_length(rows: Iterable[Row], measure: str = "loss", variant: str | None = None) -> dict[int, Spread]:
    """``measure`` ("loss", "accuracy", "excess" over the optimum) at each length, mean and spread of the rows.

    ``variant``: RoPE changed at test time, see ``lab.methods.VARIANTS``.
    """
    rows = list(rows)
    tested = [_tested(row, variant) for row in rows]
    lengths = sorted({int(length) for found in tested for length in found})
    return {n: spread(_value(found[str(n)], measure) for found in tested) for n in lengths}


def variants(rows: Sequence[Row], measure: str = "loss") -> dict[str, dict[int, Spread]]:
    """The rows of RoPE as trained ("plain") and with each change at test time: `by_length`."""
    names = rows[0]["results"]["variants"]
    return {"plain": by_length(rows, measure), **{name: by_length(rows, measure, name) for name in names}}


def per_position(rows: Sequence[Row], multiple: int = 4) -> dict[int, Spread]:
    """Loss in bins of positions, at 4 or 16 times the training length; by the first position of each bin."""
    return _over_seeds(_bins(row, multiple) for row in rows)


def windows(rows: Sequence[Row]) -> dict[int, Spread]:
    """Loss at 8 times the training length, past it, when only so many tokens are seen; the whole length is no limit."""
    whole = rows[0]["results"]["windows"]["length"]
    found = (row["results"]["windows"]["loss"] for row in rows)
    return _over_seeds({whole if w == "none" else int(w): loss for w, loss in losses.items()} for losses in found)


def sliding(rows: Sequence[Row]) -> dict[tuple[int, int], Spread]:
    """Loss on the same text by (context, stride); equal ones are non-overlapping pieces."""
    found = (row["results"]["sliding"] for row in rows)
    return _over_seeds({(one["context"], one["stride"]): one["loss"] for one in ways} for ways in found)


def retrieval(rows: Sequence[Row], multiple: int = 16) -> dict[int, Spread]:
    """Accuracy of what must be found again, by its distance, in texts of 1, 4 or 16 times the training length."""
    length = multiple * rows[0]["config"]["length"]
    found = (row["results"]["retrieval"] for row in rows)
    return _over_seeds(
        {one["distance"]: one["accuracy"] for one in asked if one["length"] == length} for asked in found
    )


def finetuned(rows: Iterable[Row], multiple: int, seeds: Sequence[int] = SEEDS) -> dict[str, dict[int, Spread]]:
    """Loss of tuned RoPE models at ``multiple`` times the training length: {rule: {steps of tuning: spread}}."""
    by_rule = {rule: select(rows, finetune=rule) for rule in FINETUNING if rule != "none"}
    return {
        rule: _over_seeds(_tuned(row, multiple) for row in found)
        for rule, found in by_rule.items()
        if _seeds(found) >= set(seeds)
    }


def apart(rows: Sequence[Row], others: Sequence[Row], *, steps: int = SHORT) -> tuple[list[str], int]:
    """Which means of ``rows`` lie away from those of ``others``, and how many were compared.

    Away is: by more than three spreads of the others between seeds, or 0.03 where that is more. Another processor
    rounds differently, training makes that grow, and the runs end as far from each other as other seeds would.
    """
    found, compared = [], 0
    for method in METHODS:
        wanted = {"method": method, "steps": steps, "position_lr_factor": OWN_RATE, "finetune": "none"}
        new, old = select(rows, **wanted), select(others, **wanted)
        if not new or not old:
            continue
        for length, (centre, around) in by_length(old).items():
            mean_now, compared = by_length(new)[length][0], compared + 1
            if abs(mean_now - centre) > max(3 * around, 0.03):
                found.append(f"{method} at {length}: {mean_now:.3f}, stored {centre:.3f} ±{around:.3f}")
    return found, compared


# As text ------------------------------------------------------------------------------------------------------------


def table(rows: list[Row], *, steps: int) -> str:
    """Loss by length, mean ± spread, one line per method and variant; methods that did not learn the task say so."""
    chosen = select(rows, steps=steps, position_lr_factor=OWN_RATE, finetune="none")
    lines = []
    for method in METHODS:
        of_method = select(chosen, method=method)
        if of_method:
            note = "" if learned(of_method) else "  not learned"
            lines.append(_line(method, of_method, None) + note)
            lines += [_line(f"  {name}", of_method, name) for name in of_method[0]["results"].get("variants", {})]
    return "\n".join(lines) if lines else f"no rows with {steps} steps"


def cells(numbers: Mapping[Hashable, Spread], places: int = 2) -> str:
    """``mean±spread`` of each, the spread in units of the last place of the mean: 1.54(2) is 1.54 ± 0.02."""
    return " ".join(f"{centre:.{places}f}({round(around * 10**places)})" for centre, around in numbers.values())


def _line(name: str, rows: list[Row], variant: str | None) -> str:
    found = [f"{centre:7.3f} ±{around:.3f}" for centre, around in by_length(rows, variant=variant).values()]
    return f"{name:<14}" + " ".join(found) + f"  ({len(rows)} seeds)"


def _seeds(rows: Iterable[Row]) -> set[int]:
    return {row["config"]["seed"] for row in rows}


def _over_seeds(found: Iterable[Mapping[Hashable, float]]) -> dict[Any, Spread]:
    """Mean and spread of each entry; an entry that a seed lacks is left out."""
    seeds = list(found)
    return {key: spread(one[key] for one in seeds) for key in seeds[0] if all(key in one for one in seeds)}


def _bins(row: Row, multiple: int) -> dict[int, float]:
    length = multiple * row["config"]["length"]
    [curve] = [curve for curve in row["results"]["per_position"] if curve["length"] == length]
    return {i * curve["width"]: loss for i, loss in enumerate(curve["loss"]) if loss is not None}


def _tuned(row: Row, multiple: int) -> dict[int, float]:
    length = str(multiple * row["config"]["length"])
    return {int(step): losses[length] for step, losses in row["results"]["after"].items()}


def _tested(row: Row, variant: str | None) -> dict[str, Any]:
    return row["results"]["by_length"] if variant is None else row["results"]["variants"][variant]


def _value(measures: dict[str, float], measure: str) -> float:
    return measures["loss"] - measures["optimum"] if measure == "excess" else measures[measure]
