"""Pictures of the lecture's three-word example: weights with and without the bias, and what three words can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pe_course.plots.cells import write_cells
from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style
from pe_course.reference import attention, bias


def weight_maps(maps: Mapping[str, ArrayLike]) -> ThemedFigure:
    """Attention weights side by side, the share written in each cell.

    Parameters: maps: title → weights [words, words], query by key. Data: one array per title.
    """
    data = {title: np.asarray(values) for title, values in maps.items()}

    def paint(figure, theme):
        axes = figure.subplots(1, len(data), squeeze=False, sharey=True)[0]
        for ax, (title, values) in zip(axes, data.items(), strict=True):
            image = ax.imshow(values, cmap=theme.sequential(), vmin=0, vmax=1, interpolation="none")
            write_cells(ax, image, values, theme, "{:.3f}")
            ax.set(title=title, xlabel="key", xticks=range(len(values)), yticks=range(len(values)))
            ax.tick_params(length=0)
        axes[0].set_ylabel("query (row)")

    text = "; ".join(f"{title}: {_rows(values)}" for title, values in data.items())
    alt = f"Attention weights of the words 0, 1 and 2. {text}."
    return themed(paint, alt=alt, data=data, height=2.7)


def row_bars(rows: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> ThemedFigure:
    """The weights of a few rows without and with the bias: one panel per row.

    Parameters: rows: title → (weights without, weights with). Data: [2, words] per title.
    """
    data = {title: np.array(pair, dtype=float) for title, pair in rows.items()}

    def paint(figure, theme):
        axes = figure.subplots(1, len(data), squeeze=False, sharey=True)[0]
        for ax, (title, pair) in zip(axes, data.items(), strict=True):
            places = np.arange(pair.shape[1])
            for shift, values, method in ((-0.22, pair[0], "none"), (0.22, pair[1], "alibi")):
                bars = ax.bar(places + shift, values, 0.42, color=METHOD_COLOURS[method])
                ax.bar_label(bars, fmt="%.2f", fontsize=8.5, padding=1)
            ax.set(title=title, xlabel="key", xticks=places, ylim=(0, 1.08))
        axes[0].set_ylabel("weight")
        axes[-1].text(0.98, 0.95, "left: without\nright: with bias", transform=axes[-1].transAxes, ha="right", va="top")

    text = "; ".join(
        f"{title}: {_list(pair[0])} without, {_list(pair[1])} with the bias" for title, pair in data.items()
    )
    return themed(paint, alt=f"Bars of attention weights. {text}.", data=data, height=2.7)


def row_by_slope(scores: ArrayLike, row: int, slopes: Sequence[float]) -> ThemedFigure:
    """The weights of one row as the bias gets steeper.

    Parameters: scores [words, words]; slopes, growing. Data: slopes [S]; weights [S, words].
    """
    scores = np.asarray(scores, dtype=float)
    distance = row - np.arange(scores.shape[1])
    steep = np.asarray(slopes, dtype=float)
    weights = np.stack([attention.softmax(scores[row] + bias.linear_distance_bias(distance, m)) for m in steep])

    def paint(figure, theme):
        ax = figure.subplots()
        for word, values in enumerate(weights.T):
            ax.plot(steep, values, **line_style(("sinusoidal", "rotary", "t5")[word]))
            ax.annotate(f"word {word}", (steep[-1], values[-1]), xytext=(5, 0), textcoords="offset points", va="center")
        ax.axvline(0.5, color=theme.text, linewidth=1, linestyle=(0, (4, 3)))
        ax.annotate("the lecture's slope", (0.5, 0.5), xytext=(4, 0), textcoords="offset points")
        ax.set(xlabel="slope", ylabel=f"weight in row {row}", ylim=(-0.07, 1.02), xlim=(0, 1.16 * steep[-1]))

    alt = (
        f"Weights of row {row} while the slope of the bias grows from {steep[0]:g} to {steep[-1]:g}: word "
        f"{weights[0].argmax()} leads at first, word {weights[-1].argmax()} at the end."
    )
    return themed(paint, alt=alt, data={"slopes": steep, "weights": weights}, height=2.7)


def same_three_numbers(curves: Mapping[str, Callable[[np.ndarray], ArrayLike]], last: int) -> ThemedFigure:
    """Curves over the distance that agree on the distances of three words, and go apart after.

    Parameters: curves: name → function of an array of distances. Data: one array [last + 1] per name.
    """
    distance = np.arange(last + 1)
    data = {name: np.asarray(curve(distance), dtype=float) for name, curve in curves.items()}
    agree = max(np.ptp([values[:3] for values in data.values()], axis=0))

    def paint(figure, theme):
        ax = figure.subplots()
        ax.axvspan(-0.3, 2.3, color=theme.grid, alpha=0.5, linewidth=0)
        ax.text(1, 0.55, "three words", ha="center")
        for (name, values), method in zip(data.items(), ("alibi", "t5", "learned"), strict=False):
            ax.plot(distance, values, marker="o", markersize=4, **line_style(method))
            ax.annotate(name, (last, values[-1]), xytext=(6, 0), textcoords="offset points", va="center")
        ax.set(xlabel="distance", ylabel="bias", xlim=(-0.3, 1.55 * last), xticks=range(0, last + 1, 2))
        ax.set_ylim(top=1.1)

    ends = "; ".join(f"{name}: {values[-1]:.1f}" for name, values in data.items())
    start = "agree" if agree < 1e-12 else "differ"
    alt = f"Biases over the distance that {start} at 0, 1 and 2. At distance {last} they are {ends}."
    return themed(paint, alt=alt, data=data, height=2.8)


def _rows(values: np.ndarray) -> str:
    return ", ".join(f"row {i} {_list(row)}" for i, row in enumerate(values))


def _list(values: np.ndarray) -> str:
    return "[" + ", ".join(f"{value:.3f}" for value in values) + "]"
