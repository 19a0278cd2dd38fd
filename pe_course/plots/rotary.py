"""Pictures of rotary positions: pairs and layouts, scores over distance, what breaks them, and grids of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style
from pe_course.reference import rotary

_COLOUR = METHOD_COLOURS["rotary"]


def score_maps(maps: Mapping[str, ArrayLike]) -> ThemedFigure:
    """Scores of one query and one key at all places, query position by key position: one panel per way to turn them.

    Parameters: maps: name → scores [query positions, key positions].
    Data: one array per name.
    """
    scores = {name: np.asarray(values) for name, values in maps.items()}
    limit = max(np.abs(values).max() for values in scores.values())

    def paint(figure, theme):
        axes = figure.subplots(1, len(scores), squeeze=False)[0]
        for ax, (name, values) in zip(axes, scores.items(), strict=True):
            image = ax.imshow(values, cmap=theme.diverging(), vmin=-limit, vmax=limit, interpolation="none")
            ax.set(title=name, xlabel="key n", xticks=[0, len(values) - 1], yticks=[0, len(values) - 1])
        axes[0].set_ylabel("query m")
        for ax in axes[1:]:
            ax.set_yticklabels([])
        figure.colorbar(image, ax=axes, orientation="horizontal", shrink=0.6, label="score")

    text = "; ".join(f"{name}: {_pattern(values)}" for name, values in scores.items())
    return themed(paint, alt=f"Scores of one query and one key at all places. {text}.", data=scores, height=2.9)


def _pattern(scores: NDArray) -> str:
    """Along which lines a square of scores keeps one value."""
    flipped = scores[:, ::-1]
    square = range(1 - len(scores), len(scores))
    spreads = {
        "one value everywhere": np.ptp(scores),
        "one value along each diagonal, so only m − n counts": max(np.ptp(np.diagonal(scores, o)) for o in square),
        "one value down each column, so only the key's place counts": np.ptp(scores, axis=0).max(),
        "one value along each anti-diagonal, so m + n counts": max(np.ptp(np.diagonal(flipped, o)) for o in square),
    }
    return next((words for words, spread in spreads.items() if spread < 1e-9), "no line keeps one value")


def rotation_matrices(position: float, dim: int, *, base: float = 10000.0) -> ThemedFigure:
    """The matrix that turns a whole head, in both layouts: 2 × 2 blocks along the diagonal, or four diagonals.

    Data: interleaved, half [dim, dim].
    """
    frequencies = rotary.rope_frequencies(dim, base=base)
    data = {layout: rotary.rotation_matrix(position, frequencies, layout=layout) for layout in ("interleaved", "half")}

    def paint(figure, theme):
        axes = figure.subplots(1, 2)
        for ax, (layout, values) in zip(axes, data.items(), strict=True):
            image = ax.imshow(values, cmap=theme.diverging(), vmin=-1, vmax=1, interpolation="none")
            ax.set(title=layout, xlabel="channel in")
        axes[0].set_ylabel("channel out")
        figure.colorbar(image, ax=axes, shrink=0.75, label="entry", ticks=[-1, 0, 1])

    alt = (
        f"The rotation matrix of width {dim} at position {position:g}. Interleaved: {dim // 2} blocks of 2 × 2 along "
        f"the diagonal. Half: the same numbers, each pair {dim // 2} channels apart. All other entries are zero."
    )
    return themed(paint, alt=alt, data=data, height=2.5)


def pairings(dim: int) -> ThemedFigure:
    """Which channels turn together: arcs between the two members of each pair, one row per layout.

    Data: interleaved, half [pairs, 2], channel numbers.
    """
    data = {name: np.stack(rotary.pair_channels(dim, name), axis=-1) for name in ("interleaved", "half")}

    def paint(figure, theme):
        axes = figure.subplots(2, 1)
        for ax, (layout, pairs) in zip(axes, data.items(), strict=True):
            for first, second in pairs:
                t = np.linspace(0, np.pi, 40)
                middle, radius = (first + second) / 2, (second - first) / 2
                ax.plot(middle - radius * np.cos(t), 0.55 + np.sin(t), color=_COLOUR, linewidth=1.5)
            for channel in range(dim):
                ax.text(channel, 0, str(channel), ha="center", va="center")
            ax.set(title=layout, xlim=(-0.6, dim - 0.4), ylim=(-0.5, 1.7), xticks=[], yticks=[])
            for spine in ax.spines.values():
                spine.set_visible(False)

    text = "; ".join(
        f"{name}: " + ", ".join(f"{first} with {second}" for first, second in pairs) for name, pairs in data.items()
    )
    return themed(paint, alt=f"Which of {dim} channels form pairs. {text}.", data=data, height=2.3)


def turning_pairs(head_dim: int, fraction: float, *, base: float = 10000.0) -> ThemedFigure:
    """Angle per position of every pair: the whole head turns, its first channels (partial), or its fast pairs (p-RoPE).

    Data: whole, partial, proportional [head_dim/2], 0 for a pair that does not turn.
    """
    turned = rotary.rope_frequencies(rotary.partial_rotary_dim(head_dim, partial_rotary_factor=fraction), base=base)
    data = {
        "whole": rotary.rope_frequencies(head_dim, base=base),
        "partial": np.concatenate([turned, np.zeros(head_dim // 2 - len(turned))]),
        "proportional": rotary.proportional_frequencies(head_dim, partial_rotary_factor=fraction, base=base),
    }
    titles = {"whole": "whole head", "partial": f"partial, {fraction:g}", "proportional": f"p-RoPE, {fraction:g}"}
    floor = data["whole"].min() / 10

    def paint(figure, theme):
        axes = figure.subplots(3, 1, sharex=True, sharey=True)
        for ax, (name, values) in zip(axes, data.items(), strict=True):
            turns, rests = np.flatnonzero(values), np.flatnonzero(values == 0)
            ax.semilogy(turns, values[turns], "o", color=_COLOUR, markersize=4)
            ax.semilogy(rests, np.full(rests.size, floor), "o", markersize=4, color=theme.text, fillstyle="none")
            ax.set_title(f"{titles[name]}: {turns.size} of {values.size} pairs turn")
            ax.set(ylim=(floor / 4, 4), yticks=[1, 1e-4])
            ax.grid(axis="y")
        axes[1].set_ylabel("radians per position")
        axes[-1].set_xlabel("pair")

    alt = (
        f"Angle per position of each of {head_dim // 2} pairs. The whole head falls from 1 to {data['whole'][-1]:.1e}. "
        f"Partial rotary squeezes the same fall into {turned.size} pairs, down to {turned[-1]:.1e}. "
        f"p-RoPE keeps the {turned.size} fastest as they are, down to {data['proportional'][turned.size - 1]:.1e}."
    )
    return themed(paint, alt=alt, data=data, height=3.6)


def one_speed_or_many(dim: int, max_distance: int, *, base: float = 10000.0) -> ThemedFigure:
    """Score of two equal vectors over their distance, as a share of the largest: one frequency against a series.

    Data: distance; one, many [distance]; back_at, distance from 1 on at which the single frequency comes closest to 1.
    """
    distance = np.arange(max_distance + 1)
    ones = np.ones(dim)
    speeds = {"one": np.ones(dim // 2), "many": rotary.rope_frequencies(dim, base=base)}
    shares = {name: rotary.rope_score(ones, ones, distance, f) / dim for name, f in speeds.items()}
    back_at = int(1 + shares["one"][1:].argmax())

    def paint(figure, theme):
        axes = figure.subplots(2, 1, sharex=True)
        titles = (f"all pairs at one speed: back at distance {back_at}", "each pair at its own speed")
        for ax, title, values in zip(axes, titles, shares.values(), strict=True):
            ax.plot(distance, values, **line_style("rotary"))
            ax.axhline(0, color=theme.text, linewidth=0.8)
            ax.set(ylim=(-1.1, 1.1), yticks=[-1, 0, 1])
            ax.set_title(title)
            ax.grid(axis="y")
        axes[0].plot(back_at, shares["one"][back_at], "o", color=theme.text, markersize=5)
        axes[-1].set_xlabel("distance")

    alt = (
        f"Score of two equal vectors of width {dim} over their distance. With one speed it swings between −1 and 1 and "
        f"is back at {shares['one'][back_at]:.4f} at distance {back_at}. With a series of speeds it never returns: the "
        f"largest value after distance 10 is {shares['many'][11:].max():.2f}."
    )
    return themed(paint, alt=alt, data={"distance": distance, **shares, "back_at": np.array(back_at)}, height=2.8)


def profiles(curves: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> ThemedFigure:
    """Scores over distance for different queries and keys, one panel each, the largest marked.

    Parameters: curves: name → (distances, scores).
    Data: "NAME distance" and "NAME score" per name; largest_at [names].
    """
    lines = {name: (np.asarray(x), np.asarray(y)) for name, (x, y) in curves.items()}
    largest_at = np.array([x[y.argmax()] for x, y in lines.values()])

    def paint(figure, theme):
        axes = figure.subplots(len(lines), 1, squeeze=False)[:, 0]
        for ax, (name, (x, y)) in zip(axes, lines.items(), strict=True):
            ax.plot(x, y, color=_COLOUR, linewidth=1.2)
            ax.plot(x[y.argmax()], y.max(), "o", color=theme.text, markersize=5)
            ax.axhline(0, color=theme.text, linewidth=0.8)
            ax.set_title(name)
            ax.grid(axis="y")
            ax.locator_params(axis="y", nbins=4)
        axes[-1].set_xlabel("distance")
        figure.supylabel("score", fontsize=10)

    text = "; ".join(
        f"{name}: {y[0]:.1f} at distance {x[0]}, largest at {x[y.argmax()]} with {y.max():.1f}"
        for name, (x, y) in lines.items()
    )
    data = {
        f"{name} {what}": v for name, xy in lines.items() for what, v in zip(("distance", "score"), xy, strict=True)
    }
    alt = f"Rotary scores over distance, with no common shape. {text}."
    return themed(paint, alt=alt, data={**data, "largest_at": largest_at}, height=1.25 * len(lines) + 0.5)


def directions(pairs: Mapping[str, tuple[ArrayLike, ArrayLike]], reach: int, *, inv_freq: ArrayLike) -> ThemedFigure:
    """Score over the signed distance from −reach to reach, one panel per query and key: does the sign matter?

    Parameters: pairs: name → (q, k), vectors that are not rotated; inv_freq: radians per position.
    Data: distance; per name an array [distance], and "NAME at ±1" [2].
    """
    distance = np.linspace(-reach, reach, 20 * reach + 1)
    scores = {name: rotary.rope_score(q, k, distance, inv_freq) for name, (q, k) in pairs.items()}
    at_one = {name: rotary.rope_score(q, k, [-1, 1], inv_freq) for name, (q, k) in pairs.items()}

    def paint(figure, theme):
        axes = figure.subplots(len(scores), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (name, values) in zip(axes, scores.items(), strict=True):
            ax.axvline(0, color=theme.text, linewidth=0.8)
            ax.axhline(0, color=theme.text, linewidth=0.8)
            ax.plot(distance, values, color=_COLOUR, linewidth=1.2)
            ax.plot([-1, 1], at_one[name], "o", color=theme.text, markersize=5)
            before, after = (f"{value:.2f}".replace("-", "−") for value in at_one[name])
            ax.set_title(f"{name}: {before} at −1, {after} at +1")
            ax.grid(axis="y")
        axes[-1].set_xlabel("distance = query − key")
        figure.supylabel("score", fontsize=10)

    def verdict(values):
        return "the same on both sides of 0" if np.allclose(values, values[::-1]) else "different on both sides of 0"

    text = "; ".join(f"{name}: {verdict(values)}" for name, values in scores.items())
    alt = f"Rotary scores over the signed distance. {text}."
    data = {"distance": distance, **scores, **{f"{name} at ±1": values for name, values in at_one.items()}}
    return themed(paint, alt=alt, data=data, height=1.25 * len(scores) + 0.5)


def xpos_factors(dim: int, reach: int, pairs: Sequence[int], *, scale_base: float = 512.0) -> ThemedFigure:
    """Factor that xPos puts on the product of a pair, over the signed distance, on a logarithmic scale.

    Data: distance; factor [pairs, distance].
    """
    distance = np.linspace(-reach, reach, 81)
    zeta = rotary.xpos_zeta(dim)[list(pairs)]
    factor = rotary.xpos_scales(distance, zeta, scale_base=scale_base).T

    def paint(figure, theme):
        ax = figure.subplots()
        ax.axvspan(-reach, 0, color=theme.text, alpha=0.08, linewidth=0)
        for pair, values in zip(pairs, factor, strict=True):
            ax.semilogy(distance, values, color=_COLOUR)
            ax.annotate(f"pair {pair}", (-reach, values[0]), xytext=(4, 3), textcoords="offset points")
        ax.text(-reach * 0.04, factor.min(), "future keys", ha="right", va="bottom")
        ax.text(reach * 0.04, factor.min(), "past keys", ha="left", va="bottom")
        ax.set(xlabel="distance = query − key", ylabel="factor")
        ax.grid(axis="y")

    text = "; ".join(
        f"pair {pair} {values[-1]:.1e} at {reach} and {values[0]:.1e} at −{reach}"
        for pair, values in zip(pairs, factor, strict=True)
    )
    alt = f"Factor of xPos over the distance: it shrinks for past keys and grows without bound for future ones. {text}."
    return themed(paint, alt=alt, data={"distance": distance, "factor": factor}, height=2.8)


def bfloat16(values: ArrayLike) -> NDArray[np.float64]:
    """Numbers as bfloat16 keeps them: eight significant bits, ties to even. Its ends (1e-38, 3e38) are not modelled."""
    fraction, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    return np.ldexp(np.rint(fraction * 256), exponent - 8)


def rounded_scores(
    q: ArrayLike, k: ArrayLike, distance: int, positions: Sequence[int], *, inv_freq: ArrayLike, layout: str
) -> ThemedFigure:
    """Score of one query and one key a fixed distance apart, moved along: exact positions against bfloat16 ones.

    Parameters: positions: of the query, each at least ``distance``.
    Data: position, exact, rounded [positions].
    """
    position = np.asarray(positions)
    as_kept = bfloat16(position) - bfloat16(position - distance)
    wanted = np.full(position.size, distance)
    exact, rounded = (rotary.rope_score(q, k, d, inv_freq, layout=layout) for d in (wanted, as_kept))

    def paint(figure, theme):
        axes = figure.subplots(2, 1, sharex=True, sharey=True)
        for ax, name, values in zip(axes, ("integer", "bfloat16"), (exact, rounded), strict=True):
            ax.plot(position, values, color=theme.grid, linewidth=0.8)
            ax.plot(position, values, "o", color=_COLOUR, markersize=3)
            ax.set_title(f"{name} positions: {_different(values)}")
            ax.grid(axis="y")
        axes[-1].set_xlabel(f"position of the query (key {distance} before it)")
        figure.supylabel("score", fontsize=10)

    first = int(position[np.argmax(np.abs(rounded - exact) > 1e-9)])
    alt = (
        f"Score of a query and a key {distance} apart, moved from position {position[0]} to {position[-1]}. With "
        f"integer positions it stays {exact[0]:.4f}. With bfloat16 positions it first differs at position {first} and "
        f"then jumps between {_different(rounded)}."
    )
    return themed(paint, alt=alt, data={"position": position, "exact": exact, "rounded": rounded}, height=2.8)


def _different(values: NDArray) -> str:
    count = np.unique(values.round(6)).size
    return "one score" if count == 1 else f"{count} different scores"


def grid_scores(rows: int, columns: int, *, dim: int, centre: tuple[int, int]) -> ThemedFigure:
    """Score of one patch of an image with every other, all vectors equal: numbered row by row against two coordinates.

    Data: line, axial [rows, columns], as shares of the largest.
    """
    here = centre[0] * columns + centre[1]
    ones = np.ones((rows * columns, dim))
    frequencies = rotary.rope_frequencies(dim)
    in_line = rotary.rope_angles(np.arange(rows * columns), frequencies)
    on_grid = rotary.axial_angles(rotary.grid_coordinates((rows, columns)), dim)
    data = {}
    for name, angles in (("line", in_line), ("axial", on_grid)):
        turned = rotary.apply_rotary(ones, np.cos(angles), np.sin(angles))
        data[name] = (turned @ turned[here] / dim).reshape(rows, columns)

    lowest = min(values.min() for values in data.values())

    def paint(figure, theme):
        axes = figure.subplots(1, 2)
        for ax, title, values in zip(axes, ("numbered in a line", "row and column"), data.values(), strict=True):
            image = ax.imshow(values, cmap=theme.sequential(), vmin=lowest, vmax=1, interpolation="none")
            ax.plot(centre[1], centre[0], "s", color=theme.background, markersize=3)
            ax.set(title=title, xlabel="column", xticks=[0, columns - 1], yticks=[0, rows - 1])
        axes[0].set_ylabel("row")
        figure.colorbar(image, ax=axes, shrink=0.75, label="share of the largest")

    below = (centre[0] + 1, centre[1])
    alt = (
        f"Scores of the patch at row {centre[0]}, column {centre[1]} with every patch of a {rows} × {columns} grid, "
        f"all patches alike. Numbered in a line, only its own row is near: {data['line'][below]:.2f} for the patch "
        f"below. With two coordinates near patches are near in both directions: {data['axial'][below]:.2f} for it."
    )
    return themed(paint, alt=alt, data=data, height=2.5)


def mrope_pairs(sections: Mapping[str, tuple[Sequence[int], bool]]) -> ThemedFigure:
    """Which coordinate each pair follows in M-RoPE: time, height or width, one panel per model.

    Parameters: sections: name → (pairs per axis, interleaved).
    Data: one int array [pairs] per name, 0 = time, 1 = height, 2 = width.
    """
    axes_of = {name: rotary.mrope_axes(section, interleaved=dealt) for name, (section, dealt) in sections.items()}
    names = ("time", "height", "width")

    def paint(figure, theme):
        axes = figure.subplots(len(axes_of), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (name, axis) in zip(axes, axes_of.items(), strict=True):
            ax.plot(np.arange(axis.size), axis, "|", color=_COLOUR, markersize=12, markeredgewidth=2)
            ax.set(title=name, ylim=(2.6, -0.6))
            ax.set_yticks(range(3), names)
            ax.tick_params(axis="y", length=0)
        axes[-1].set_xlabel("pair, fastest first")

    def runs(axis):
        counts = ", ".join(f"{(axis == number).sum()} {word}" for number, word in enumerate(names))
        return counts + (" in three blocks" if (np.diff(axis) >= 0).all() else " in turn")

    alt = "Which coordinate each pair follows. " + "; ".join(f"{name}: {runs(axis)}" for name, axis in axes_of.items())
    return themed(paint, alt=alt + ".", data=axes_of, height=1.2 * len(axes_of) + 0.5)
