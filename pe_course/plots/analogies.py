"""Pictures of the analogies: the beds of a ward, the heartbeats of a day, the visits of a patient's record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pe_course.plots.cells import write_cells
from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style
from pe_course.reference import absolute, bias, rotary

MINUTES_OF_A_DAY = 24 * 60


def ward_changes(beds: int, dim: int, group: int, away: Sequence[int]) -> ThemedFigure:
    """How much the code of a bed changes some beds on, in each group of neighbouring channels, on a logarithmic scale.

    Data: first [groups], the first channel of each; away; change [away, groups], root mean square.
    """
    codes = absolute.sinusoidal_positions(np.arange(beds), dim).reshape(beds, dim // group, group)
    change = np.stack([np.sqrt(np.mean((codes[d:] - codes[:-d]) ** 2, axis=(0, 2))) for d in away])
    first = np.arange(0, dim, group)

    def paint(figure, theme):
        ax = figure.subplots()
        for distance, values in zip(away, change, strict=True):
            ax.semilogy(first + group / 2, values, "o-", color=METHOD_COLOURS["sinusoidal"], markersize=4)
            name = "next bed" if distance == 1 else f"{distance} beds on"
            ax.text(first[-1] + 0.75 * group, values[-1], name, va="center")
        ax.set(xlabel=f"channels, in groups of {group}", ylabel="change of the code", xlim=(0, 1.4 * dim))
        ax.set_xticks([*first[:: max(1, len(first) // 4)], dim])
        ax.grid(axis="y")

    text = "; ".join(
        f"{distance} on, from {values[0]:.4f} in the first {group} channels to {values[-1]:.6f} in the last"
        for distance, values in zip(away, change, strict=True)
    )
    alt = f"Change of the code of a bed, group by group. The first channels change most. Beds {text}."
    return themed(paint, alt=alt, data={"first": first, "away": np.asarray(away), "change": change}, height=3.0)


def day_of_beats(beats_per_minute: int, moments: Mapping[str, int]) -> ThemedFigure:
    """T5's bucket of every beat of half a day, counted back from the beat in focus, on a logarithmic scale.

    Parameters: moments: name → beats back, marked in the picture.
    Data: back, bucket [beats of half a day]; marked, the buckets of the moments.
    """
    back = np.arange(1, beats_per_minute * MINUTES_OF_A_DAY // 2 + 1)
    bucket = bias.t5_relative_position_bucket(-back)
    marked = bias.t5_relative_position_bucket(-np.array(list(moments.values())))

    def paint(figure, theme):
        ax = figure.subplots()
        # A stair has few corners; half a day of beats would be a heavy picture.
        corners = np.flatnonzero(np.diff(bucket, prepend=-1))
        ax.step([*back[corners], back[-1]], [*bucket[corners], bucket[-1]], where="post", **_solid("t5"))
        ax.set_xscale("log")
        for (name, beats), level in zip(moments.items(), marked, strict=True):
            ax.plot(beats, level, "o", color=theme.text, markersize=5)
            place = (
                {"xytext": (9, -9)} if level < 10 else {"xytext": (0, -16), "ha": "right" if beats > 5000 else "center"}
            )
            ax.annotate(name, (beats, level), textcoords="offset points", **place)
        ax.set(
            xlabel=f"beats back, at {beats_per_minute} per minute",
            ylabel="T5's bucket",
            ylim=(-1, 17),
            yticks=[0, 5, 10, 15],
        )
        ax.grid(axis="y")

    last = int(bias.t5_bucket_starts()[-1])
    text = ", ".join(f"{name} in bucket {level}" for name, level in zip(moments, marked, strict=True))
    alt = (
        f"T5's bucket against beats back, on a logarithmic scale: single steps up to 7 beats, then wider ones, and one "
        f"flat line from beat {last} to the end of half a day, {back[-1]}. {text}."
    )
    return themed(paint, alt=alt, data={"back": back, "bucket": bucket, "marked": marked}, height=3.0)


def record_scores(days: Sequence[float], dim: int, *, base: float = 10000.0) -> ThemedFigure:
    """Scores of equal events of a record under RoPE, positions counted in events and measured in days.

    Data: index, days [events, events], as shares of the largest score.
    """
    frequencies = rotary.rope_frequencies(dim, base=base)
    data = {
        name: _equal_scores(np.asarray(positions, dtype=np.float64), frequencies)
        for name, positions in (("index", range(len(days))), ("days", days))
    }

    def paint(figure, theme):
        axes = figure.subplots(1, 2, sharey=True)
        for ax, title, values in zip(axes, ("by index", "by days"), data.values(), strict=True):
            image = ax.imshow(values, cmap=theme.diverging(), vmin=-1, vmax=1, interpolation="none")
            write_cells(ax, image, values.round(1), theme, "{:.1f}", size=7)
            ax.set_xticks(range(len(days)), [f"{day:g}" for day in days], rotation=90)
            ax.set_yticks(range(len(days)), [f"{day:g}" for day in days])
            ax.set(title=title, xlabel="day of the key")
            ax.tick_params(length=0)
        axes[0].set_ylabel("day of the query")

    by_index, by_days = data.values()
    gaps = np.diff(days)
    near, far = int(np.argmin(np.where(gaps > 0, gaps, np.inf))), int(np.argmax(gaps))
    alt = (
        f"Scores of {len(days)} equal events with each other, as shares of the largest. Counted by index, all "
        f"neighbours have {by_index[1, 0]:.2f}. Measured in days, the neighbours {gaps[near]:g} days apart have "
        f"{by_days[near + 1, near]:.2f} and those {gaps[far]:g} days apart {by_days[far + 1, far]:.2f}."
    )
    return themed(paint, alt=alt, data=data, height=3.0)


def _equal_scores(positions: NDArray[np.float64], frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of equal queries and keys at these positions, as shares of the largest."""
    ones = np.ones(2 * len(frequencies))
    return rotary.rope_score(ones, ones, positions[:, None] - positions, frequencies) / len(ones)


def _solid(method: str) -> dict:
    return {**line_style(method), "linestyle": "solid"}
