"""Pictures of absolute positions: the table of sinusoids, its waves, its inner products, and what a table cannot do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style
from pe_course.reference import absolute


def heat_map(length: int, dim: int, *, layout: str = "interleaved", endpoint: bool = False) -> ThemedFigure:
    """The table of sinusoidal positions as a picture: one row per position, one column per channel.

    Data: values [length, dim].
    """
    values = absolute.sinusoidal_positions(np.arange(length), dim, layout=layout, endpoint=endpoint)

    def paint(figure, theme):
        ax = figure.subplots()
        image = ax.imshow(values, cmap=theme.diverging(), vmin=-1, vmax=1, aspect="auto", interpolation="none")
        ax.set(xlabel="channel", ylabel="position")
        figure.colorbar(image, ax=ax, label="value", ticks=[-1, 0, 1])

    stripes = "left, where sines and cosines turn fast," if layout == "interleaved" else "left end of each half"
    alt = (
        f"Heat map of {length} sinusoidal vectors of width {dim}, layout {layout}. The stripes are narrow at the "
        f"{stripes} and grow longer to the right, until the last columns keep almost one colour."
    )
    return themed(paint, alt=alt, data={"values": values}, height=3.2)


def waves(length: int, dim: int, pairs: Sequence[int]) -> ThemedFigure:
    """The sine of a few pairs over the positions, the first pair on top.

    Data: values [pairs, length]; turns [pairs], full turns from the first position to the last.
    """
    frequencies = absolute.sinusoidal_frequencies(dim)[list(pairs)]
    values = np.sin(frequencies[:, None] * np.arange(length))
    turns = frequencies * (length - 1) / (2 * np.pi)

    def paint(figure, theme):
        axes = figure.subplots(len(pairs), 1, sharex=True, squeeze=False)[:, 0]
        for ax, pair, wave, count in zip(axes, pairs, values, turns, strict=True):
            ax.plot(wave, **line_style("sinusoidal"))
            ax.set(ylim=(-1.15, 1.15), yticks=[-1, 0, 1])
            ax.set_title(f"channels {2 * pair}, {2 * pair + 1}: {_turns(count)}")
            ax.grid(axis="y")
        axes[-1].set_xlabel("position")

    text = "; ".join(f"channel {2 * p} makes {_turns(t)}" for p, t in zip(pairs, turns, strict=True))
    alt = f"Sine waves over {length} positions at width {dim}: {text}. The first channels are the fast ones."
    return themed(paint, alt=alt, data={"values": values, "turns": turns}, height=1.05 * len(pairs) + 0.5)


def wavelengths(dim: int, length: int) -> ThemedFigure:
    """Wavelength of each pair on a logarithmic scale, against a sequence of ``length`` tokens.

    Data: wavelength [dim/2]; unfinished, how many pairs never complete a turn within ``length``.
    """
    wavelength = 2 * np.pi / absolute.sinusoidal_frequencies(dim)
    unfinished = int((wavelength > length).sum())

    def paint(figure, theme):
        ax = figure.subplots()
        ax.semilogy(wavelength, **line_style("sinusoidal"))
        ax.axhline(length, color=theme.text, linewidth=1, linestyle=(0, (4, 3)))
        ax.annotate(f"{length} tokens", (0, length), xytext=(2, 4), textcoords="offset points")
        ax.axvspan(dim // 2 - unfinished, dim // 2 - 1, color=METHOD_COLOURS["sinusoidal"], alpha=0.18, linewidth=0)
        ax.text(dim // 2 - 1, 7, f"{unfinished} pairs never\nfinish a turn", ha="right", va="bottom")
        ax.set(xlabel="pair m (channels 2m, 2m + 1)", ylabel="positions per turn")
        ax.grid(axis="y")

    alt = (
        f"Wavelength of each of {dim // 2} pairs on a logarithmic scale: a straight line from {wavelength[0]:.2f} to "
        f"{wavelength[-1]:.0f} positions. {unfinished} pairs are longer than {length} tokens."
    )
    return themed(paint, alt=alt, data={"wavelength": wavelength, "unfinished": np.array(unfinished)}, height=2.8)


def kernel(dims: Sequence[int], max_distance: int) -> ThemedFigure:
    """Inner product of two position vectors over their distance, as a share of its value at 0.

    Data: distance; share [dims, distance]; first_rise [dims], the first distance after which the share rises.
    """
    distance = np.arange(max_distance + 1)
    share = np.stack([absolute.sinusoidal_kernel(distance, dim) / (dim // 2) for dim in dims])
    first_rise = np.array([int(np.argmax(np.diff(row) > 0)) for row in share])

    def paint(figure, theme):
        axes = figure.subplots(len(dims), 1, sharex=True, squeeze=False)[:, 0]
        for ax, dim, row, rise in zip(axes, dims, share, first_rise, strict=True):
            ax.plot(distance, row, **line_style("sinusoidal"))
            ax.plot(rise, row[rise], "o", color=theme.text, markersize=5)
            ax.axhline(0, color=theme.text, linewidth=0.8)
            ax.set(ylim=(-0.35, 1.05), yticks=[0, 1])
            ax.set_title(f"width {dim}: first rise after distance {rise}")
            ax.grid(axis="y")
        axes[-1].set_xlabel("distance")

    text = "; ".join(f"width {d} first rises after distance {r}" for d, r in zip(dims, first_rise, strict=True))
    alt = f"Inner product of two position vectors against distance: largest at 0, then falling and oscillating. {text}."
    data = {"distance": distance, "share": share, "first_rise": first_rise}
    return themed(paint, alt=alt, data=data, height=1.15 * len(dims) + 0.5)


def same_turn(dim: int, pair: int, offset: int, positions: Sequence[int]) -> ThemedFigure:
    """One pair as a point on a circle: the same offset turns every position by the same angle.

    Data: before, after [positions, 2] as (sine, cosine); turned [positions], the angle between them in radians.
    """
    starts = np.asarray(positions)
    matrix = absolute.sinusoidal_shift_matrix(offset, dim)[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2]
    before = absolute.sinusoidal_positions(starts, dim)[:, 2 * pair : 2 * pair + 2]
    after = before @ matrix.T
    turned = np.arccos(np.clip((before * after).sum(axis=-1), -1, 1))

    def paint(figure, theme):
        axes = figure.subplots(1, len(starts), squeeze=False)[0]
        circle = np.linspace(0, 2 * np.pi, 200)
        for ax, start, a, b in zip(axes, starts, before, after, strict=True):
            ax.plot(np.cos(circle), np.sin(circle), color=theme.grid, linewidth=1)
            angle = np.arctan2(a[0], a[1]) + np.linspace(0, np.arctan2(*_difference(a, b)), 30)
            ax.plot(0.5 * np.cos(angle), 0.5 * np.sin(angle), color=METHOD_COLOURS["sinusoidal"])
            for point, style in ((a, "solid"), (b, (0, (3, 2)))):
                ax.plot([0, point[1]], [0, point[0]], color=theme.text, linestyle=style, linewidth=1.5)
                ax.plot(point[1], point[0], "o", color=METHOD_COLOURS["sinusoidal"], markersize=6)
            ax.set_title(f"{start} → {start + offset}")
            ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), xticks=[], yticks=[], aspect="equal")
            for spine in ax.spines.values():
                spine.set_visible(False)

    moves = ", ".join(f"{start} to {start + offset}" for start in starts.tolist())
    alt = f"Hand of pair {pair} on a circle before and after a step of {offset}: from {moves}. The turn is the same: "
    alt += f"{np.degrees(turned[0]):.1f} degrees."
    return themed(paint, alt=alt, data={"before": before, "after": after, "turned": turned}, height=1.9)


def similarity(length: int, table: ArrayLike) -> ThemedFigure:
    """Cosine similarity of every two positions: sinusoids of the table's width beside the table.

    Data: sinusoidal, learned [length, length].
    """
    table = np.asarray(table)
    rows = {
        "sinusoidal": absolute.sinusoidal_positions(np.arange(length), table.shape[1]),
        "learned": absolute.learned_positions(np.arange(length), table),
    }
    data = {name: _cosines(vectors) for name, vectors in rows.items()}

    def paint(figure, theme):
        axes = figure.subplots(1, 2)
        titles = ("sinusoidal", "table before training")
        for ax, title, values in zip(axes, titles, data.values(), strict=True):
            image = ax.imshow(values, cmap=theme.diverging(), vmin=-1, vmax=1, interpolation="none")
            ax.set(title=title, xlabel="position")
        axes[0].set_ylabel("position")
        figure.colorbar(image, ax=axes, shrink=0.75, label="cosine", ticks=[-1, 0, 1])

    alt = (
        "Cosine similarity of positions. Sinusoids: a bright diagonal that fades along bands, so distance shows. "
        "A table before training: only the diagonal, no position resembles its neighbour."
    )
    return themed(paint, alt=alt, data=data, height=2.5)


def products(length: int, dim: int) -> ThemedFigure:
    """What a score can read from two positions: products of raw integers beside inner products of sinusoids.

    Data: integer, sinusoidal [length, length].
    """
    integers = absolute.integer_positions(length)
    vectors = absolute.sinusoidal_positions(integers, dim)
    data = {"integer": np.outer(integers, integers), "sinusoidal": vectors @ vectors.T}

    def paint(figure, theme):
        axes = figure.subplots(1, 2)
        for ax, (name, values) in zip(axes, data.items(), strict=True):
            image = ax.imshow(values, cmap=theme.sequential(), vmin=0, vmax=values.max(), interpolation="none")
            ax.set(title=name, xlabel="key position")
            figure.colorbar(image, ax=ax, orientation="horizontal", ticks=[0, int(values.max())], shrink=0.8)
        axes[0].set_ylabel("query position")

    alt = (
        f"Products of two positions. Raw integers: brightest in the corner of large positions, up to "
        f"{data['integer'].max():.0f}, whatever the distance. Sinusoids: a bright diagonal of equal height, so the "
        "product depends on the distance alone."
    )
    return themed(paint, alt=alt, data=data, height=3.1)


def beyond_training(dim: int, train_length: int, test_length: int, pairs: Sequence[int]) -> ThemedFigure:
    """Cosine channels of a few pairs, inside and past the training length: which values are new?

    Data: values [pairs, test_length]; lowest_seen [pairs]; new_share [pairs], share of the later positions
    whose value lies more than 0.01 outside the range that training showed.
    """
    frequencies = absolute.sinusoidal_frequencies(dim)[list(pairs)]
    values = np.cos(frequencies[:, None] * np.arange(test_length))
    lowest, highest = values[:, :train_length].min(axis=1), values[:, :train_length].max(axis=1)
    later = values[:, train_length:]
    new_share = ((later < lowest[:, None] - 0.01) | (later > highest[:, None] + 0.01)).mean(axis=1)

    def paint(figure, theme):
        axes = figure.subplots(len(pairs), 1, sharex=True, squeeze=False)[:, 0]
        for ax, pair, wave, low, high, new in zip(axes, pairs, values, lowest, highest, new_share, strict=True):
            ax.axvspan(train_length, test_length, color=METHOD_COLOURS["rotary"], alpha=0.12, linewidth=0)
            ax.axhspan(low, high, color=METHOD_COLOURS["sinusoidal"], alpha=0.15, linewidth=0)
            ax.plot(wave, **line_style("sinusoidal"))
            ax.set(ylim=(-1.15, 1.15), yticks=[-1, 0, 1])
            ax.set_title(f"channel {2 * pair + 1}: {100 * new:.0f} % of later values are new")
        axes[-1].set_xlabel(f"position (training stops at {train_length})")

    text = "; ".join(f"channel {2 * p + 1}: {100 * n:.0f} %" for p, n in zip(pairs, new_share, strict=True))
    alt = f"Cosine channels up to position {test_length}, training stopped at {train_length}. New values later: {text}."
    data = {"values": values, "lowest_seen": lowest, "new_share": new_share}
    return themed(paint, alt=alt, data=data, height=1.1 * len(pairs) + 0.5)


def _turns(count: float) -> str:
    return f"{count:.1f} turns" if count >= 1 else f"{count:.4f} of a turn"


def _cosines(vectors: np.ndarray) -> np.ndarray:
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit @ unit.T


def _difference(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Sine and cosine of the angle from one (sine, cosine) to another."""
    return second[0] * first[1] - second[1] * first[0], second[0] * first[0] + second[1] * first[1]
