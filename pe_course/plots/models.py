"""Pictures of released models: when each idea came, what models chose by year, and how far their rotations reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pe_course.models import PLACES, Model, Step
from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS

PLACE_COLOURS = {
    "input": METHOD_COLOURS["sinusoidal"],
    "query-key": METHOD_COLOURS["rotary"],
    "score": METHOD_COLOURS["t5"],
    "none": METHOD_COLOURS["none"],
}
_HOLLOW = {"markersize": 4, "markerfacecolor": "none", "markeredgewidth": 0.8}
_SHORT = {"input": "input", "query-key": "query and key", "score": "score", "none": "nowhere"}


def timeline(steps: Sequence[Step]) -> ThemedFigure:
    """One line per idea, in order of time, in the column of the place where it lets order enter.

    Data: year, one per idea; column, 0 … 3 as in `PLACES`.
    """
    places = [place for place in PLACES if any(step.place == place for step in steps)]
    columns = np.array([places.index(step.place) for step in steps])

    def paint(figure, theme):
        ax = figure.subplots()
        for height, step in enumerate(steps):
            x = 1.15 + 1.2 * places.index(step.place)
            ax.plot([0.72, x - 0.1], [height, height], color=theme.grid, linewidth=0.8)
            ax.plot(x, height, "o", color=PLACE_COLOURS[step.place], markersize=6)
            ax.text(x + 0.12, height, step.what, va="center", fontsize=9, bbox=_page(theme))
            ax.text(0, height, step.month, va="center", fontsize=9)
        for column, place in enumerate(places):
            title = _SHORT[place].replace(" and ", ", ")
            ax.text(1.08 + 1.2 * column, -1.1, title, fontsize=9, weight="bold")
        ax.set(xlim=(0, 1.35 + 1.2 * len(places)), ylim=(len(steps) - 0.3, -1.6))
        ax.axis("off")

    first, last = steps[0], steps[-1]
    listed = "; ".join(f"{step.month} {step.what} ({_SHORT[step.place]})" for step in steps)
    alt = (
        f"{len(steps)} ideas in order of time, from {first.what} ({first.month}) to {last.what} ({last.month}), "
        f"in columns by the place where order enters: {listed}."
    )
    years = np.array([int(step.month[:4]) for step in steps])
    return themed(paint, alt=alt, data={"year": years, "column": columns}, height=0.235 * len(steps) + 0.6)


def choices_by_year(models: Sequence[Model]) -> ThemedFigure:
    """How many models of each year let order enter where. Data: year; one array of counts per place."""
    years = np.arange(min(each.year for each in models), max(each.year for each in models) + 1)
    counts = {
        place: np.array([sum(each.year == year and each.places[0] == place for each in models) for year in years])
        for place in PLACES
    }

    def paint(figure, theme):
        ax = figure.subplots()
        floor = np.zeros(len(years))
        for place, values in counts.items():
            ax.bar(years, values, bottom=floor, color=PLACE_COLOURS[place], width=0.75, label=_SHORT[place])
            floor += values
        ax.set(ylabel="models in the table", xticks=years, ylim=(0, 1.05 * floor.max()))
        ax.set_xticklabels(years, fontsize=9)
        ax.grid(axis="y")
        figure.legend(loc="outside upper center", ncols=len(counts), frameon=False, fontsize=8.5, columnspacing=1)

    def said(year: int) -> str:
        index = int(year - years[0])
        return f"{year}: " + ", ".join(f"{counts[place][index]} {_SHORT[place]}" for place in PLACES)

    alt = "Stacked bars, models of the table by year and by the place where order enters. " + "; ".join(
        map(said, years)
    )
    return themed(paint, alt=alt + ".", data={"year": years, **counts}, height=2.8)


def frequency_rows(rows: Mapping[str, tuple[ArrayLike, float]]) -> ThemedFigure:
    """The wavelength of every pair of each model as a dot, on a logarithmic scale, hollow beyond the model's context.

    Parameters: rows: name → (wavelengths in tokens, context). Infinite wavelengths, pairs that never turn, stand at
    the right edge. Data: per name the wavelengths; contexts, one per name.
    """
    waves = {name: np.asarray(values, dtype=np.float64) for name, (values, _) in rows.items()}
    contexts = np.array([context for _, context in rows.values()], dtype=np.float64)
    longest = max(values[np.isfinite(values)].max() for values in waves.values())
    edge = 10 ** np.ceil(np.log10(max(longest, contexts.max())))

    def paint(figure, theme):
        ax = figure.subplots()
        for height, (values, context) in enumerate(zip(waves.values(), contexts, strict=True)):
            shown = np.where(np.isfinite(values), values, edge)
            inside = shown <= context
            for dots, style in ((inside, {"markersize": 3}), (~inside, _HOLLOW)):
                ax.semilogx(shown[dots], np.full(dots.sum(), height), "o", color=METHOD_COLOURS["rotary"], **style)
            ax.plot([context, context], [height - 0.38, height + 0.38], color=theme.text, linewidth=2)
        ax.set_yticks(range(len(waves)), list(waves), fontsize=9)
        ax.set(xlabel="wavelength in tokens; bar: context", ylim=(len(waves) - 0.4, -0.6), xlim=(4, 2 * edge))
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.grid(axis="x")

    def said(name: str, values: np.ndarray, context: float) -> str:
        return f"{name} {np.count_nonzero(values > context)} of {values.size}"

    parts = ", ".join(said(*each) for each in zip(waves, waves.values(), contexts, strict=True))
    alt = (
        "One row of dots per model: the wavelengths of its pairs, with a bar at its context. Beyond the bar, where a "
        f"pair never completes a turn, lie: {parts}."
    )
    return themed(paint, alt=alt, data={**waves, "contexts": contexts}, height=0.27 * len(waves) + 0.8)


def _page(theme) -> dict:
    """A box in the page's colour behind a label, so that no line crosses it."""
    return {"facecolor": theme.background, "edgecolor": "none", "pad": 0.6}
