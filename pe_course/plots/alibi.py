"""Pictures of ALiBi and of no encoding at all: penalties, slopes, windows, and a decoder that counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from pe_course.plots.cells import write_cells
from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style
from pe_course.reference import attention, bias


def penalties(length: int, slopes: Mapping[str, float]) -> ThemedFigure:
    """What ALiBi adds to the scores of a few heads; keys after the query are masked and left empty.

    Parameters: slopes: title → slope. Data: one array [length, length] per head; visible, what is drawn of them.
    """
    positions = np.arange(length)
    visible = attention.causal_mask(length)
    heads = {name: bias.alibi_bias(positions, positions, [slope])[0] for name, slope in slopes.items()}
    lowest = min(values.min() for values in heads.values())

    def paint(figure, theme):
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("penalty", [METHOD_COLOURS["alibi"], theme.background])
        axes = figure.subplots(1, len(heads), squeeze=False, sharey=True)[0]
        for ax, (name, penalty) in zip(axes, heads.items(), strict=True):
            values = np.where(visible, penalty, np.nan)
            image = ax.imshow(np.ma.masked_invalid(values), cmap=colours, vmin=lowest, vmax=0, interpolation="none")
            write_cells(ax, image, values, theme, "{:g}", size=8)
            ax.set(title=name, xlabel="key", xticks=positions, yticks=positions)
            ax.tick_params(length=0)
            for spine in ax.spines.values():
                spine.set_visible(False)
        axes[0].set_ylabel("query")

    text = "; ".join(f"{name}: from 0 on the diagonal to {v.min():g} in the corner" for name, v in heads.items())
    alt = f"Penalties of ALiBi, query by key, with nothing above the diagonal. {text}. Each diagonal holds one number."
    return themed(paint, alt=alt.replace("-", "−"), data={**heads, "visible": visible}, height=2.7)


def slope_rows(rows: Mapping[str, ArrayLike]) -> ThemedFigure:
    """Slopes on a logarithmic scale, one row of dots per choice. Data: one array per row."""
    slopes = {name: np.asarray(values) for name, values in rows.items()}

    def paint(figure, theme):
        axes = figure.subplots(len(slopes), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (name, values) in zip(axes, slopes.items(), strict=True):
            ax.semilogx(values, np.zeros_like(values), "o", color=METHOD_COLOURS["alibi"], markersize=8)
            ax.set_title(name)
            ax.set_yticks([])
            ax.spines["left"].set_visible(False)
            ax.grid(axis="x")
        axes[-1].set_xticks([1 / 256, 1 / 64, 1 / 16, 1 / 4, 1], ["1/256", "1/64", "1/16", "1/4", "1"])
        axes[-1].minorticks_off()
        axes[-1].set_xlabel("slope")

    text = "; ".join(
        f"{name}: {len(v)} dots from {v.max():.4f} down to {v.min():.4f}, "
        f"{'evenly spaced' if _even(v) else 'closer together among the steep ones'}"
        for name, v in slopes.items()
    )
    alt = f"Slopes as dots on a logarithmic scale. {text}."
    return themed(paint, alt=alt, data=slopes, height=1.0 * len(slopes) + 0.4)


def windows(slopes: ArrayLike, last: int, share: float = 1e-3) -> ThemedFigure:
    """Weight of a key against its distance, relative to distance 0, one line per head.

    Data: distance; factor [heads, distance]; reach [heads], the first whole distance with a factor below ``share``.
    """
    slopes = np.asarray(slopes, dtype=np.float64)
    distance = np.unique(np.geomspace(1, last, 200).round())
    factor = np.exp(-slopes[:, None] * distance)
    reach = np.floor(np.log(1 / share) / slopes) + 1

    def paint(figure, theme):
        ax = figure.subplots()
        for line in factor:
            ax.semilogx(distance, line, color=METHOD_COLOURS["alibi"])
        # Outside the bundle of curves, where no line runs through the letters.
        first, last_half = np.log(5) / slopes[0], np.log(2) / slopes[-1]
        ax.annotate("head 1", (first, 0.2), xytext=(-4, -4), textcoords="offset points", ha="right", va="top")
        ax.annotate(f"head {len(slopes)}", (last_half, 0.5), xytext=(5, 4), textcoords="offset points")
        ax.set(xlabel="distance", ylabel="weight, as share of that at 0", ylim=(0, 1.02))
        ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
        ax.grid(axis="y")

    alt = (
        f"Weights of {len(slopes)} heads against distance on a logarithmic scale: the same falling curve, each head's "
        f"further to the right. Less than one thousandth remains at distance {reach[0]:.0f} for the first head and "
        f"{reach[-1]:.0f} for the last."
    )
    return themed(paint, alt=alt, data={"distance": distance, "factor": factor, "reach": reach}, height=2.8)


def counted_weights(rows: Mapping[str, ArrayLike]) -> ThemedFigure:
    """Attention of one query over its keys, one row of bars per model. Data: one array per model."""
    weights = {name: np.asarray(values) for name, values in rows.items()}
    top = max(values.max() for values in weights.values())
    colours = {"ALiBi": METHOD_COLOURS["alibi"]}

    def paint(figure, theme):
        axes = figure.subplots(len(weights), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (name, values) in zip(axes, weights.items(), strict=True):
            bars = ax.bar(range(len(values)), values, color=colours.get(name, line_style("none")["color"]), width=0.7)
            ax.bar_label(bars, fmt="%.2f", padding=2, fontsize=9)
            ax.set_ylim(0, 1.3 * top)
            ax.set_yticks([])
            ax.spines["left"].set_visible(False)
            ax.set_title(name)
        axes[-1].set_xlabel("position of the key")

    first, *others = weights.values()
    same = all(np.allclose(first, other) for other in others)
    alt = (
        f"Bars: attention of the last query over its keys for {' and '.join(weights)}. "
        f"The rows are {'equal' if same else 'different'}: "
        f"{', '.join(f'{value:.2f}' for value in first)}."
    )
    return themed(paint, alt=alt, data=weights, height=1.15 * len(weights) + 0.5)


def _even(slopes: np.ndarray) -> bool:
    steps = np.diff(np.sort(np.log(slopes)))
    return bool(np.allclose(steps, steps[0]))
