"""Pictures of the corrections: what a claim would look like, and what the code gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style
from pe_course.reference import absolute, bias, rotary


def told_apart(differences: Mapping[str, float], methods: Mapping[str, str]) -> ThemedFigure:
    """How far the outputs for a sentence and its reverse lie apart: one bar per source of order.

    Parameters: differences: name → size; methods: name → method whose colour the bar has.
    Data: differences, in the order given.
    """
    values = np.array(list(differences.values()))

    def paint(figure, theme):
        ax = figure.subplots()
        rows = np.arange(len(values))
        ax.barh(rows, values, color=[METHOD_COLOURS[methods[name]] for name in differences], height=0.6)
        for row, value in zip(rows, values, strict=True):
            ax.annotate(f"{value:.4f}", (value, row), xytext=(4, 0), textcoords="offset points", va="center")
        ax.set_yticks(rows, differences)
        ax.invert_yaxis()
        ax.set(xlabel="difference of the average output", xlim=(0, 1.25 * values.max()))
        ax.tick_params(axis="y", length=0)

    text = ", ".join(f"{name} {value:.4f}" for name, value in differences.items())
    alt = f"Bars: how far the average output for a sentence lies from that for its reverse. {text}."
    return themed(paint, alt=alt, data={"differences": values}, height=0.35 * len(values) + 0.8)


def turns_per_pair(dim: int, places: int, said_slow: Sequence[int], said_fast: Sequence[int]) -> ThemedFigure:
    """Full turns that each pair makes over a number of places, and the channels that were said to be slow and fast.

    Parameters: said_slow, said_fast: first and last channel.
    Data: turns [dim/2].
    """
    turns = absolute.sinusoidal_frequencies(dim) * (places - 1) / (2 * np.pi)

    def paint(figure, theme):
        ax = figure.subplots()
        ax.semilogy(2 * np.arange(dim // 2), turns, **line_style("sinusoidal"))
        ax.axhline(1, color=theme.text, linewidth=1, linestyle=(0, (4, 3)))
        ax.annotate("one turn", (dim / 2, 1), xytext=(0, 4), textcoords="offset points", ha="center")
        for first, last in (said_slow, said_fast):
            ax.axvspan(first, last, color=METHOD_COLOURS["integer"], alpha=0.25, linewidth=0)
        ax.text(said_slow[0] + 4, turns[-1], "said to\nbe slow", ha="left", va="bottom")
        ax.text(said_fast[1] - 4, turns[0], "said to\nbe fast", ha="right", va="top")
        ax.set(xlabel="channel", ylabel=f"turns over {places} places")
        ax.grid(axis="y")

    slow, fast = (turns[band[0] // 2 : band[1] // 2 + 1] for band in (said_slow, said_fast))
    alt = (
        f"Turns of each pair over {places} places at width {dim}, on a logarithmic scale: a line that falls from "
        f"{turns[0]:.1f} to {turns[-1]:.4f}. The channels that were said to be slow make {slow[-1]:.1f} turns or more, "
        f"those said to be fast at most {fast[0]:.4f} of a turn."
    )
    return themed(paint, alt=alt, data={"turns": turns}, height=2.8)


def row_differences(outputs: Mapping[str, tuple[ArrayLike, ArrayLike]], before: str, after: str) -> ThemedFigure:
    """Which output row of a reordered text equals which row of the original.

    Parameters: outputs: set-up → (outputs of the original [L, d], of the reordered text [L, d]); before, after:
    the tokens of both, one letter each.
    Data: per set-up the largest difference of each row (reordered) and each row (original).
    """
    gaps = {
        name: np.abs(np.asarray(moved)[:, None] - np.asarray(kept)[None]).max(axis=-1)
        for name, (kept, moved) in outputs.items()
    }
    top = max(values.max() for values in gaps.values())

    def paint(figure, theme):
        axes = figure.subplots(1, len(gaps), squeeze=False)[0]
        for ax, (name, values) in zip(axes, gaps.items(), strict=True):
            ax.imshow(values, cmap=theme.sequential(), vmin=0, vmax=top, interpolation="none")
            for i, j in np.argwhere(values < 1e-12):
                ax.text(j, i, "=", ha="center", va="center", fontsize=11, fontweight="bold")
            ax.set_title(name)
            ax.set_xticks(range(len(before)), list(before))
            ax.set_yticks(range(len(after)), list(after))
            ax.tick_params(length=0)
            ax.set_xlabel(f"row of {before}")
        axes[0].set_ylabel(f"row of {after}")

    text = "; ".join(f"{name}: {_equal_rows(values, before, after)}" for name, values in gaps.items())
    alt = f"Output rows of {after} against those of {before}, an equals sign where they are the same. {text}."
    return themed(paint, alt=alt, data=gaps, height=2.7)


def first_row(dim: int) -> ThemedFigure:
    """The vector of position 0, as it is, and with position and pair swapped.

    Data: right, swapped [dim].
    """
    pairs = np.arange(dim // 2)
    data = {
        "right": absolute.sinusoidal_positions(0, dim),
        "swapped": np.stack([np.sin(pairs), np.cos(pairs)], axis=1).ravel(),
    }

    def paint(figure, theme):
        axes = figure.subplots(2, 1, sharex=True)
        titles = ("position 0, as it should be", "with position and pair swapped")
        for ax, title, values, colour in zip(axes, titles, data.values(), ("sinusoidal", "rotary"), strict=True):
            ax.axhline(0, color=theme.text, linewidth=0.8)
            ax.vlines(range(dim), 0, values, color=METHOD_COLOURS[colour], linewidth=1.5)
            ax.plot(values, "o", color=METHOD_COLOURS[colour], markersize=4)
            ax.set(ylim=(-1.15, 1.15), yticks=[-1, 0, 1], title=title)
        axes[-1].set_xlabel("channel")

    ones = int((data["right"] == 1).sum())
    alt = (
        f"The {dim} channels of position 0. As it should be: 0 and 1 in turns, {ones} of them 1. With position and "
        "pair swapped: the values go up and down like waves."
    )
    return themed(paint, alt=alt, data=data, height=2.7)


def shifted_scores(scores: Mapping[str, ArrayLike]) -> ThemedFigure:
    """A score while query and key move on together: one panel per formula, flat where only the distance counts.

    Parameters: scores: formula → [shifts].
    Data: one array per formula.
    """
    data = {name: np.asarray(values, dtype=float) for name, values in scores.items()}
    moves = {name: bool(np.ptp(values) > 1e-9) for name, values in data.items()}

    def paint(figure, theme):
        axes = figure.subplots(len(data), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        for ax, (name, values) in zip(axes, data.items(), strict=True):
            ax.plot(values, color=METHOD_COLOURS["rotary" if moves[name] else "sinusoidal"])
            ax.set_title(name)
            ax.grid(axis="y")
        axes[-1].set_xlabel("shift of both positions")
        figure.supylabel("score", fontsize=10)

    text = "; ".join(f"{name} {'moves' if moves[name] else 'stays'}" for name in data)
    alt = f"Scores while the positions of query and key grow by the same shift. {text}."
    return themed(paint, alt=alt, data=data, height=0.85 * len(data) + 0.6)


def two_tables(length: int, dim: int) -> ThemedFigure:
    """The table of sinusoids beside the one that integer division in the exponent gives.

    Data: right, divided [length, dim].
    """
    positions = np.arange(length)
    data = {
        "right": absolute.sinusoidal_positions(positions, dim),
        "divided": np.tile(absolute.sinusoidal_positions(positions, 2), dim // 2),
    }

    def paint(figure, theme):
        axes = figure.subplots(1, 2, sharey=True)
        titles = ("exponent 2m / d", "exponent 2m // d")
        for ax, title, values in zip(axes, titles, data.values(), strict=True):
            ax.imshow(values, cmap=theme.diverging(), vmin=-1, vmax=1, aspect="auto", interpolation="none")
            ax.set(title=title, xlabel="channel")
        axes[0].set_ylabel("position")

    alt = (
        f"Two tables of {length} positions and {dim} channels. With 2m / d the stripes get longer from left to right. "
        "With integer division one pair of columns repeats over the whole width: two values per row, and no two rows "
        "alike."
    )
    return themed(paint, alt=alt, data=data, height=2.8)


def loss_by_length(losses: Mapping[str, Mapping[int, float]], methods: Mapping[str, str]) -> ThemedFigure:
    """Loss in nats over the length of the text, as a multiple of the training length, one line per method.

    Parameters: losses: name → {multiple: loss}; methods: name → method whose colour the line has.
    Data: one array [multiples, 2] per name, multiple and loss.
    """
    data = {name: np.array(sorted(values.items()), dtype=float) for name, values in losses.items()}
    multiples = next(iter(data.values()))[:, 0]

    def paint(figure, theme):
        ax = figure.subplots()
        for name, values in data.items():
            ax.plot(*values.T, marker="o", markersize=4, **line_style(methods[name]))
        places = _apart({name: values[-1, 1] for name, values in data.items()}, 0.13)
        for name, place in places.items():
            ax.annotate(
                name, (multiples[-1], place), xytext=(7, 0), textcoords="offset points", va="center", fontsize=9
            )
        ax.set_xscale("log", base=2)
        ax.set_xticks(multiples, [f"{multiple:g}×" for multiple in multiples])
        ax.set_xlim(multiples[0] / 1.15, multiples[-1] * 2.6)
        ax.set(xlabel="length of the text ÷ length in training", ylabel="loss in nats")
        ax.grid(axis="y")

    text = "; ".join(f"{name} from {values[0, 1]:.2f} to {values[-1, 1]:.2f}" for name, values in data.items())
    alt = f"Loss of small language models on texts up to {multiples[-1]:g} times as long as in training. {text}."
    return themed(paint, alt=alt, data=data, height=3.4)


def buckets_and_claim(max_distance: int) -> ThemedFigure:
    """T5's bucket of each earlier key, beside the table with an entry per distance that was claimed.

    Data: distance, bucket [max_distance + 1].
    """
    distance = np.arange(max_distance + 1)
    bucket = bias.t5_relative_position_bucket(-distance)

    def paint(figure, theme):
        ax = figure.subplots()
        ax.plot(distance, distance, color=METHOD_COLOURS["integer"], linestyle=(0, (6, 2)))
        ax.step(distance, bucket, where="post", **line_style("t5"))
        ax.set(xlabel="positions back", ylabel="entry of the table", ylim=(-0.5, 1.9 * bucket.max()))
        ax.annotate("one per distance\n(the claim)", (19, 19), xytext=(10, 2), textcoords="offset points")
        last = int(np.argmax(bucket == bucket.max()))
        ax.annotate(
            f"from {last} on: bucket {bucket.max()}",
            (last, bucket.max()),
            xytext=(0, 6),
            textcoords="offset points",
            ha="center",
        )
        ax.grid(axis="y")

    exact = int(np.argmax(np.diff(bucket) == 0))
    alt = (
        f"T5's buckets of keys 0 to {max_distance} positions back: a staircase that rises by one per position up to "
        f"{exact}, then in ever wider steps to bucket {bucket.max()}. The claimed table would go on as a straight line."
    )
    return themed(paint, alt=alt, data={"distance": distance, "bucket": bucket}, height=2.7)


def decay_and_aim(dim: int, near: int, aimed_at: int, q: ArrayLike) -> ThemedFigure:
    """RoPE's score over the distance: for equal vectors of ones, and for a key that is aimed at one distance.

    Parameters: dim: width of the vectors of ones; near: last distance of the first panel; q: the query whose copy,
    rotated by ``aimed_at``, is the aimed key.
    Data: equal [near + 1], shares of the maximum; rises, the first distance after which it rises; aimed
    [2 · aimed_at + 1].
    """
    q = np.asarray(q, dtype=float)
    ones, frequencies = np.ones(dim), rotary.rope_frequencies(len(q))
    equal = rotary.rope_score(ones, ones, np.arange(near + 1), rotary.rope_frequencies(dim)) / dim
    rises = int(np.argmax(np.diff(equal) > 0))
    key = rotary.apply_rope(q[None], [aimed_at], layout="interleaved")[0]
    aimed = rotary.rope_score(q, key, np.arange(2 * aimed_at + 1), frequencies, layout="interleaved")

    def paint(figure, theme):
        top, bottom = figure.subplots(2, 1)
        top.plot(equal, **line_style("rotary"))
        top.plot(rises, equal[rises], "o", color=theme.text, markersize=5)
        top.set(title=f"equal vectors: rises again after distance {rises}", ylim=(0, 1.05), ylabel="share")
        bottom.plot(aimed, color=METHOD_COLOURS["rotary"], linewidth=0.8)
        bottom.plot(aimed.argmax(), aimed.max(), "o", color=theme.text, markersize=5)
        bottom.set(title=f"a key aimed at distance {aimed_at}", xlabel="distance", ylabel="score")
        for ax in (top, bottom):
            ax.grid(axis="y")

    alt = (
        f"RoPE's score over the distance. Equal vectors: it falls with waves, and rises for the first time after "
        f"distance {rises}. A key aimed at distance {aimed_at}: the largest score by far stands at {aimed.argmax()}."
    )
    data = {"equal": equal, "rises": np.array(rises), "aimed": aimed}
    return themed(paint, alt=alt, data=data, height=3.4)


def _equal_rows(gaps: np.ndarray, before: str, after: str) -> str:
    """In words: which rows are equal."""
    pairs = [f"{after[i]} in place {i}" for i, j in np.argwhere(gaps < 1e-12) if before[j] == after[i]]
    if len(pairs) == len(after):
        return "every token keeps its row"
    return f"the same row for {', '.join(pairs)} alone" if pairs else "no row stays the same"


def _apart(heights: Mapping[str, float], gap: float) -> dict[str, float]:
    """Heights of labels, pushed up where two would overlap."""
    placed: dict[str, float] = {}
    for name, height in sorted(heights.items(), key=lambda item: item[1]):
        placed[name] = max(height, max(placed.values(), default=-np.inf) + gap)
    return placed
