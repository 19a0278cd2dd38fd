"""Pictures of bugs that raise nothing: when each one shows, and which scores it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS

_SEEN, _BOUNDARY = METHOD_COLOURS["sinusoidal"], METHOD_COLOURS["rotary"]


def when_it_shows(first_lengths: Mapping[str, int | None], lengths: Sequence[int]) -> ThemedFigure:
    """From which length of one plain text on each bug changes a number; None: at no length, only at a boundary.

    Parameters: first_lengths: name → one of ``lengths`` or None, the most silent first; lengths: in rising order.
    Data: first [names], index into ``lengths``, −1 for None; lengths.
    Raises: ValueError if a first length is not among ``lengths``.
    """
    for name, first in first_lengths.items():
        if first is not None and first not in lengths:
            raise ValueError(f"first length of {name!r} must be None or one of {list(lengths)}, got {first}")
    index = np.array([-1 if first is None else list(lengths).index(first) for first in first_lengths.values()])
    end = len(lengths)

    def paint(figure, theme):
        ax = figure.subplots()
        for row, start in enumerate(index):
            if start < 0:
                ax.plot(end, row, "D", color=_BOUNDARY, markersize=5)
            else:
                ax.plot([start, end - 0.6], [row, row], color=_SEEN, linewidth=4, solid_capstyle="butt")
        ax.set_yticks(range(index.size), list(first_lengths), fontsize=8.5)
        ax.set_xticks(range(end + 1), [*map(str, lengths), "boundary"])
        ax.set(xlim=(-0.3, end + 0.5), ylim=(index.size - 0.5, -0.5))
        ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x")

    counts = [f"{(index == place).sum()} from {length} tokens on" for place, length in enumerate(lengths)]
    alt = (
        f"When {index.size} bugs change a number. On one plain text: {', '.join(counts)}. At no length: "
        f"{(index < 0).sum()}, which show at a boundary alone."
    )
    return themed(paint, alt=alt, data={"first": index, "lengths": np.array(lengths)}, height=0.19 * index.size + 0.5)


def fingerprints(right: ArrayLike, wrong: Mapping[str, ArrayLike]) -> ThemedFigure:
    """Which causal scores each bug changes: one panel per bug, query by key, wrong minus right.

    Parameters: right: scores [queries, keys], square; wrong: name → scores of the same shape, four names at most a row.
    Data: one array per name, NaN above the diagonal.
    Raises: ValueError if a shape differs.
    """
    right = np.asarray(right, dtype=float)
    future = np.triu(np.ones(right.shape, dtype=bool), k=1)
    data = {}
    for name, scores in wrong.items():
        scores = np.asarray(scores, dtype=float)
        if scores.shape != right.shape:
            raise ValueError(f"scores of {name!r} must have the shape of right, {right.shape}, got {scores.shape}")
        data[name] = np.where(future, np.nan, scores - right)
    limit = max(np.nanmax(np.abs(values)) for values in data.values())
    last = len(right) - 1

    def paint(figure, theme):
        axes = figure.subplots(-(-len(data) // 2), 2, squeeze=False)
        for ax in axes.flat[len(data) :]:
            ax.set_visible(False)
        for ax, (name, values) in zip(axes.flat, data.items(), strict=False):
            image = ax.imshow(values, cmap=theme.diverging(), vmin=-limit, vmax=limit, interpolation="none")
            ax.plot([-0.5, last + 0.5], [-0.5, last + 0.5], color=theme.text, linewidth=0.6)
            ax.set(title=name, xticks=[0, last], yticks=[0, last])
        for ax in axes[-1]:
            ax.set_xlabel("key")
        for ax in axes[:, 0]:
            ax.set_ylabel("query")
        figure.colorbar(image, ax=axes, orientation="horizontal", shrink=0.6, label="wrong − right")

    total = int((~future).sum())
    text = "; ".join(f"{name}: {_changed(values)} of {total} scores" for name, values in data.items())
    return themed(
        paint, alt=f"Which causal scores are changed. {text}.", data=data, height=2.3 * -(-len(data) // 2) + 0.6
    )


def _changed(values: np.ndarray) -> int:
    return int((np.abs(np.nan_to_num(values)) > 1e-6).sum())
