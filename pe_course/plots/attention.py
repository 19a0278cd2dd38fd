"""Pictures of attention without positions: what a permutation moves, what a causal mask lets through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pe_course.plots.cells import write_cells
from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style
from pe_course.reference import attention


def token_outputs(outputs: Mapping[str, ArrayLike]) -> ThemedFigure:
    """One panel per sentence: the output vector of each word, as a row of coloured cells.

    Parameters: outputs: sentence (words separated by blanks) → array [words, width].
    Data: one array per sentence.
    """
    rows = {sentence: np.asarray(values) for sentence, values in outputs.items()}
    limit = max(np.abs(values).max() for values in rows.values())

    def paint(figure, theme):
        axes = figure.subplots(1, len(rows), squeeze=False)[0]
        for ax, (sentence, values) in zip(axes, rows.items(), strict=True):
            image = ax.imshow(
                values, cmap=theme.diverging(), vmin=-limit, vmax=limit, aspect="auto", interpolation="none"
            )
            ax.set_title(f"“{sentence}”")
            _name_ticks(ax, rows=sentence.split())
            ax.set_xlabel("channel of the output")
        figure.colorbar(image, ax=axes, shrink=0.9, label="value")

    first, *others = rows
    moved = all(_same_rows(first, rows[first], other, rows[other]) for other in others)
    verdict = "hold the same rows in another order" if moved else "hold different rows"
    names = " and ".join(f"“{name}”" for name in rows)
    alt = f"Heat maps of attention outputs for {names}, one row per word: the panels {verdict}."
    return themed(paint, alt=alt, data=rows, height=2.4)


def attention_maps(maps: Mapping[str, ArrayLike]) -> ThemedFigure:
    """Who looks at whom: one panel of attention weights per sentence, the share written in each cell.

    Parameters: maps: sentence (words separated by blanks) → weights [words, words], query by key.
    Data: one array per sentence.
    """
    weights = {sentence: np.asarray(values) for sentence, values in maps.items()}

    def paint(figure, theme):
        axes = figure.subplots(1, len(weights), squeeze=False)[0]
        for ax, (sentence, values) in zip(axes, weights.items(), strict=True):
            image = ax.imshow(values, cmap=theme.sequential(), vmin=0, vmax=1, interpolation="none")
            write_cells(ax, image, values, theme)
            _name_ticks(ax, rows=sentence.split(), columns=sentence.split())
            ax.set_title(f"“{sentence}”")
            ax.set_xlabel("key")
        axes[0].set_ylabel("query")

    text = "; ".join(f"“{sentence}”: {_strongest(sentence.split(), values)}" for sentence, values in weights.items())
    return themed(paint, alt=f"Attention weights as heat maps, query by key. {text}.", data=weights, height=2.9)


def order_leaks(changes: Mapping[str, ArrayLike], tokens: Sequence[str]) -> ThemedFigure:
    """How much each token's output changes when other tokens swap places: one row of bars per set-up.

    Parameters: changes: set-up → [tokens], largest change of that token's output; tokens: their names.
    Data: one array per set-up.
    """
    heights = {name: np.asarray(values) for name, values in changes.items()}
    top = max(values.max() for values in heights.values())

    def paint(figure, theme):
        axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (name, values) in zip(axes, heights.items(), strict=True):
            bars = ax.bar(range(len(tokens)), values, color=METHOD_COLOURS["none"], width=0.6)
            ax.bar_label(bars, fmt="%.2f", padding=2, fontsize=9)
            ax.set_ylim(0, 1.3 * top)
            ax.set_yticks([])
            ax.spines["left"].set_visible(False)
            ax.set_title(name)
        axes[-1].set_xticks(range(len(tokens)), tokens)
        figure.supylabel("change of the output", fontsize=10)

    text = "; ".join(f"{name}: {', '.join(f'{value:.2f}' for value in values)}" for name, values in heights.items())
    alt = f"Bars: how far each of the tokens {', '.join(tokens)} moves when the first two swap. {text}."
    return themed(paint, alt=alt, data=heights, height=1.15 * len(heights) + 0.5)


def counting_head(length: int) -> ThemedFigure:
    """What a causal head reports that looks at every token alike when only the first has the value 1.

    Data: positions [length], output [length].
    """
    zeros, marker = np.zeros((length, 1)), np.zeros((length, 1))
    marker[0] = 1
    output = attention.attention(zeros, zeros, marker, mask=attention.causal_mask(length))[:, 0]
    positions = np.arange(length)

    def paint(figure, theme):
        ax = figure.subplots()
        ax.plot(positions, output, marker="o", markersize=4, **line_style("none"))
        for i in (0, 1, 3):
            ax.annotate(f"1/{i + 1}", (i, output[i]), xytext=(6, 4), textcoords="offset points")
        ax.set(xlabel="position i", ylabel="output of the head", ylim=(0, 1.1))
        ax.grid(axis="y")

    alt = (
        f"The output of a causal head that averages all tokens it may see falls from {output[0]:.4f} at position 0 "
        f"to {output[-1]:.4f} at position {length - 1}: it is one over the number of visible tokens."
    )
    return themed(paint, alt=alt, data={"positions": positions, "output": output}, height=2.5)


def _same_rows(first: str, first_rows: np.ndarray, second: str, second_rows: np.ndarray) -> bool:
    """Whether each word has the same vector in both sentences."""
    by_word = dict(zip(first.split(), first_rows, strict=True))
    pairs = zip(second.split(), second_rows, strict=True)
    return all(word in by_word and np.allclose(by_word[word], row) for word, row in pairs)


def _strongest(words: list[str], weights: np.ndarray) -> str:
    keys = weights.argmax(axis=-1)
    return ", ".join(f"{words[i]} looks most at {words[j]} ({weights[i, j]:.2f})" for i, j in enumerate(keys))


def _name_ticks(ax, *, rows: Sequence[str], columns: Sequence[str] | None = None) -> None:
    ax.set_yticks(range(len(rows)), rows)
    if columns is not None:
        ax.set_xticks(range(len(columns)), columns)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
