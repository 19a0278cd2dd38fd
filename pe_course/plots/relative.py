"""Pictures of relative positions: distances, the four terms of a score, buckets, heads, and what is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pe_course.plots.cells import write_cells
from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style
from pe_course.reference import bias

BYTES_PER_NUMBER = 4  # float32


def distance_grid(words: Sequence[str]) -> ThemedFigure:
    """The distance query − key of every pair of words, written into the cells.

    Data: distance [words, words].
    """
    places = np.arange(len(words))
    distance = places[:, None] - places

    def paint(figure, theme):
        ax = figure.subplots()
        limit = len(words) - 1
        image = ax.imshow(distance, cmap=theme.diverging(), vmin=-limit, vmax=limit, interpolation="none")
        write_cells(ax, image, distance, theme, "{:d}")
        _name_axes(ax, words)

    alt = (
        f"Distances of {len(words)} words, query by key: 0 on the diagonal, positive below it, where the key comes "
        "first, negative above it. Every diagonal holds one number."
    )
    return themed(paint, alt=alt, data={"distance": distance}, height=3.4)


def four_terms(terms: Mapping[str, ArrayLike], shifted: Mapping[str, ArrayLike], words: Sequence[str]) -> ThemedFigure:
    """The terms of a score as heat maps, and how far each one changes when all words move along.

    Parameters: terms, shifted: name → [words, words], before and after the move. Data: one array per term;
    change [terms], the largest change of each.
    """
    maps = {name: np.asarray(values) for name, values in terms.items()}
    change = np.array([np.abs(np.asarray(shifted[name]) - values).max() for name, values in maps.items()])
    limit = max(np.abs(values).max() for values in maps.values())

    def paint(figure, theme):
        axes = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
        for ax, (name, values) in zip(axes, maps.items(), strict=True):
            image = ax.imshow(values, cmap=theme.diverging(), vmin=-limit, vmax=limit, interpolation="none")
            ax.set_title(name)
            _name_axes(ax, words, labels=False)
        figure.supxlabel("key", fontsize=10)
        figure.supylabel("query", fontsize=10)
        figure.colorbar(image, ax=axes, shrink=0.7, label="value")

    moves = "; ".join(f"{name} by {value:.2f}" for name, value in zip(maps, change, strict=True))
    alt = (
        f"Four heat maps, query by key, of the parts of a score over the words {' '.join(words)}. "
        f"When all words move to other positions they change as follows: {moves}."
    )
    return themed(paint, alt=alt, data={**maps, "change": change}, height=4.1)


def bucket_stairs(max_distance: int) -> ThemedFigure:
    """Bucket against distance for keys before the query: T5's encoder, its decoder, and a clipped table.

    Data: distance; encoder, decoder, clipped [distance]: the number of the bucket.
    """
    distance = np.arange(max_distance + 1)
    encoder = bias.t5_relative_position_bucket(-distance)
    decoder = bias.t5_relative_position_bucket(-distance, bidirectional=False)
    clipped = np.minimum(distance, 16)

    def paint(figure, theme):
        ax = figure.subplots()
        lines = ((decoder, "T5 decoder", "solid", 0.6), (encoder, "T5 encoder", (0, (5, 1)), -1.7))
        for values, name, dashes, lift in lines:
            ax.step(distance, values, where="post", color=METHOD_COLOURS["t5"], linestyle=dashes)
            ax.text(max_distance, values[-1] + lift, name, ha="right")
        ax.step(distance, clipped, where="post", color=theme.text, linestyle=(0, (1, 1.5)))
        ax.text(max_distance, clipped[-1] + 0.6, "clipped at 16", ha="right")
        ax.set(xlabel="distance query − key", ylabel="bucket", ylim=(0, 34))
        ax.grid(axis="y")

    last = [int(np.argmax(values == values[-1])) for values in (encoder, decoder)]
    alt = (
        "Bucket against distance: T5's encoder has steps of one up to 7 and then longer and longer ones, the last "
        f"from {last[0]} on; its decoder has steps of one up to 15, the last from {last[1]} on. "
        "A table clipped at 16 has steps of one and then nothing more."
    )
    data = {"distance": distance, "encoder": encoder, "decoder": decoder, "clipped": clipped}
    return themed(paint, alt=alt, data=data, height=3.0)


def head_tables(table: ArrayLike, length: int, heads: Sequence[int]) -> ThemedFigure:
    """The T5 bias of some heads over all pairs of ``length`` tokens: one table, one column per head.

    Data: bias [heads, length, length].
    """
    positions = np.arange(length)
    values = bias.t5_bias(table, positions, positions)[list(heads)]
    limit = np.abs(values).max()

    def paint(figure, theme):
        axes = figure.subplots(1, len(heads), sharey=True, squeeze=False)[0]
        for ax, head, one in zip(axes, heads, values, strict=True):
            image = ax.imshow(one, cmap=theme.diverging(), vmin=-limit, vmax=limit, interpolation="none")
            ax.set(title=f"head {head}", xlabel="key")
        axes[0].set_ylabel("query")
        figure.colorbar(image, ax=axes, shrink=0.8, label="bias")

    alt = (
        f"Biases of heads {' and '.join(map(str, heads))} over {length} by {length} pairs. Within a head every "
        "diagonal has one colour, in bands that widen away from the main diagonal; the heads differ."
    )
    return themed(paint, alt=alt, data={"bias": values}, height=2.5)


def memory(lengths: Sequence[int], heads: int, num_buckets: int = 32) -> ThemedFigure:
    """Bytes in float32 against the length: parameters with and without buckets, and the bias they fill.

    Data: lengths; bias, unclipped, buckets [lengths], in bytes.
    """
    n = np.asarray(lengths, dtype=np.float64)
    sizes = {
        "bias, n × n": heads * n * n,
        "one per distance": heads * (2 * n - 1),
        f"{num_buckets} buckets": np.full_like(n, heads * num_buckets),
    }
    in_bytes = {name: BYTES_PER_NUMBER * values for name, values in sizes.items()}

    def paint(figure, theme):
        ax = figure.subplots()
        styles = (
            {"color": theme.text},
            {"color": theme.text, "linestyle": (0, (1, 1.5))},
            line_style("t5"),
        )
        for (name, values), style in zip(in_bytes.items(), styles, strict=True):
            ax.loglog(n, values, **style)
            ax.annotate(name, (n[-1], values[-1]), xytext=(-2, 6), textcoords="offset points", ha="right")
        marks = {2**10: "1 KiB", 2**20: "1 MiB", 2**30: "1 GiB"}
        ax.set_yticks(list(marks), list(marks.values()))
        ax.set_xticks([2**7, 2**9, 2**11, 2**13, 2**15], ["128", "512", "2048", "8192", "32768"])
        ax.minorticks_off()
        ax.set(xlabel="length n", ylim=(400, 6e11))
        ax.grid(axis="y")

    bias_bytes, unclipped, buckets = in_bytes.values()
    alt = (
        f"Memory against length on logarithmic scales, {heads} heads: at {lengths[-1]} tokens the bias takes "
        f"{bias_bytes[-1] / 2**30:.0f} GiB, a table with one number per distance {unclipped[-1] / 2**20:.1f} MiB, "
        f"and {num_buckets} buckets {buckets[-1] / 2**10:.1f} KiB at any length."
    )
    data = {"lengths": n, "bias": bias_bytes, "unclipped": unclipped, "buckets": buckets}
    return themed(paint, alt=alt, data=data, height=3.0)


def _name_axes(ax, words: Sequence[str], *, labels: bool = True) -> None:
    ax.set_xticks(range(len(words)), words)
    ax.set_yticks(range(len(words)), words)
    ax.tick_params(length=0)
    if labels:
        ax.set(xlabel="key", ylabel="query")
    for spine in ax.spines.values():
        spine.set_visible(False)
