"""Pictures of all methods at once: their attention maps, and how much each notices when words move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pe_course.plots.figure import ThemedFigure, themed

_COLUMNS = 4


def attention_maps(maps: Mapping[str, np.ndarray], words: Sequence[str]) -> ThemedFigure:
    """Small attention maps side by side, each on a scale of its own from 0 to its largest weight.

    Parameters: maps: title → weights [n, n]; words: what the rows and columns stand for. Data: the maps.
    """
    names = list(maps)
    lines = -(-len(names) // _COLUMNS)

    def paint(figure, theme):
        axes = figure.subplots(lines, _COLUMNS, squeeze=False).ravel()
        for ax, name in zip(axes, names, strict=False):
            ax.imshow(maps[name], cmap=theme.sequential(), vmin=0, vmax=maps[name].max(), interpolation="none")
            ax.set_title(name, fontsize=8.5, pad=3, loc="center")
            ax.set(xticks=[], yticks=[])
            for spine in ax.spines.values():
                spine.set(visible=True, color=theme.grid)
        for ax in axes[len(names) :]:
            ax.set_visible(False)

    alt = (
        f"{len(names)} small attention maps of the words “{' '.join(words)}”, "
        f"row by row from {names[0]} to {names[-1]}. "
        f"{_listed('Even everywhere', [name for name in names if _even(maps[name])])} "
        f"{_listed('Stripes along the diagonals, which hold one score per distance', _striped(maps))} "
        f"{_listed('Nothing above the diagonal', [name for name in names if not np.triu(maps[name], 1).any()])}"
    )
    return themed(paint, alt=alt, data=maps, height=1.22 * lines)


def changes(rows: Mapping[str, tuple[float, float]], titles: tuple[str, str]) -> ThemedFigure:
    """How much attention changes when words move, one line of two dots per method.

    Parameters: rows: name → change for the first and the second way to move; titles: what the ways are called.
    Data: one array per name.
    """
    names = list(rows)
    values = np.array(list(rows.values()))

    def paint(figure, theme):
        ax = figure.subplots()
        heights = np.arange(len(names))
        ax.hlines(heights, 0, values.max(axis=1), color=theme.grid, linewidth=1)
        ax.plot(values[:, 0], heights, "o", color=theme.text, markersize=5, label=titles[0])
        ax.plot(values[:, 1], heights, "D", color=theme.text, markerfacecolor="none", markersize=7, label=titles[1])
        ax.set_yticks(heights, names, fontsize=9)
        ax.set(xlabel="largest change of a weight", xlim=(-0.02, 1.02), ylim=(len(names) - 0.4, -0.6))
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)

    still = [[name for name, row in rows.items() if row[way] < 1e-9] for way in (0, 1)]
    alt = (
        f"For each of {len(names)} methods two dots: the largest change of an attention weight when the words are "
        f"{titles[0]}, and when they are {titles[1]}. "
        f"{_listed(f'Exactly 0 when {titles[0]}', still[0])} {_listed(f'Exactly 0 when {titles[1]}', still[1])}"
    )
    return themed(
        paint, alt=alt, data={name: np.array(row) for name, row in rows.items()}, height=0.215 * len(names) + 0.9
    )


def _listed(title: str, names: Sequence[str]) -> str:
    return f"{title}: {', '.join(names)}." if names else ""


def _even(weights: np.ndarray) -> bool:
    return bool(np.ptp(weights) < 1e-9)


def _striped(maps: Mapping[str, np.ndarray]) -> list[str]:
    """Maps whose scores depend on the distance alone: neighbours in a row keep their ratio along the diagonal."""
    return [name for name, weights in maps.items() if not _even(weights) and _one_ratio_per_diagonal(weights)]


def _one_ratio_per_diagonal(weights: np.ndarray) -> bool:
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.diff(np.log(weights), axis=1)
    for offset in range(-len(weights) + 2, len(weights) - 2):
        along = np.diagonal(steps, offset)
        along = along[np.isfinite(along)]
        if along.size > 1 and np.ptp(along) > 1e-6:
            return False
    return True
