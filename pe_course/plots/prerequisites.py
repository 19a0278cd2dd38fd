"""Pictures of what the course builds on: word vectors, the dot product, one attention step, sine and cosine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style

# Neither an embedding nor a dot product is a method: they get the colour of no position, and a wave that of sinusoids.
_PLAIN, _WAVE = METHOD_COLOURS["none"], METHOD_COLOURS["sinusoidal"]


def word_arrows(words: Mapping[str, ArrayLike]) -> ThemedFigure:
    """Word vectors with two channels as arrows from one point.

    Parameters: words: word → (x, y), no two at the same place.
    Data: vectors [words, 2]; cosine [words, words].
    """
    vectors = np.array([np.asarray(vector, dtype=np.float64) for vector in words.values()])
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = unit @ unit.T
    reach = 1.35 * np.abs(vectors).max()

    def paint(figure, theme):
        ax = figure.subplots()
        for word, (x, y) in zip(words, vectors, strict=True):
            _arrow(ax, (x, y), _PLAIN)
            ax.annotate(word, (x, y), xytext=(4, 4 if y >= 0 else -12), textcoords="offset points")
        ax.axhline(0, color=theme.grid, linewidth=1)
        ax.axvline(0, color=theme.grid, linewidth=1)
        low = min(0.0, vectors.min()) * 1.25 - 0.05
        ax.set(xlim=(low, reach), ylim=(low, reach), aspect="equal", xlabel="channel 0", ylabel="channel 1")

    first, *others = words
    text = ", ".join(f"{other} {cosine[0, i]:.2f}" for i, other in enumerate(others, start=1))
    alt = f"Word vectors as arrows. Cosine of the angle to {first}: {text}."
    return themed(paint, alt=alt, data={"vectors": vectors, "cosine": cosine}, height=3.0)


def projection(a: ArrayLike, bs: Sequence[ArrayLike]) -> ThemedFigure:
    """The shadow of a on several b, one panel each: it depends on the direction of b alone, the dot product does not.

    Data: product, shadow [bs].
    """
    a, bs = np.asarray(a, dtype=np.float64), np.asarray(bs, dtype=np.float64)
    lengths = np.linalg.norm(bs, axis=1)
    product = bs @ a
    shadow = product / lengths
    feet = shadow[:, None] * bs / lengths[:, None]

    def paint(figure, theme):
        axes = figure.subplots(1, len(bs), squeeze=False, sharex=True, sharey=True)[0]
        for ax, b, foot, p, s in zip(axes, bs, feet, product, shadow, strict=True):
            ax.plot([0, foot[0]], [0, foot[1]], color=_WAVE, linewidth=6, alpha=0.5, solid_capstyle="butt")
            ax.plot([a[0], foot[0]], [a[1], foot[1]], color=theme.text, linewidth=1, linestyle=(0, (3, 2)))
            for name, vector, up in (("a", a, -13), ("b", b, 5)):
                _arrow(ax, vector, theme.text)
                ax.annotate(name, vector, xytext=(2, up), textcoords="offset points")
            ax.set_title(f"a·b = {p:.2f}\nshadow {s:.2f}")
            ax.set(aspect="equal", xlim=(-0.3, 1.15 * max(a[0], bs[:, 0].max())))
            ax.set(ylim=(-0.5, 1.2 * max(a[1], bs[:, 1].max())))

    text = "; ".join(
        f"b of length {n:.2f}: product {p:.2f}, shadow {s:.2f}"
        for n, p, s in zip(lengths, product, shadow, strict=True)
    )
    alt = (
        f"The shadow of a on the line of b is as long whatever the length of b, the dot product grows with it. {text}."
    )
    return themed(paint, alt=alt, data={"product": product, "shadow": shadow}, height=2.4)


def shares(words: Sequence[str], weights: ArrayLike, *, asking: str) -> ThemedFigure:
    """Attention weights of one query as bars, one per word.

    Data: weights [words].
    """
    weights = np.asarray(weights, dtype=np.float64)

    def paint(figure, theme):
        ax = figure.subplots()
        bars = ax.barh(range(len(words)), weights, color=_PLAIN, height=0.6)
        ax.bar_label(bars, fmt="%.2f", padding=3, fontsize=10)
        ax.set_yticks(range(len(words)), words)
        ax.invert_yaxis()
        ax.set(xlim=(0, 1.1), xlabel=f"share that “{asking}” gives")
        ax.tick_params(axis="y", length=0)

    text = ", ".join(f"{word} {weight:.2f}" for word, weight in zip(words, weights, strict=True))
    return themed(paint, alt=f"Attention weights of “{asking}”: {text}.", data={"weights": weights}, height=1.9)


def circle_and_waves(degrees: Sequence[float]) -> ThemedFigure:
    """Points on a circle of radius 1, and the waves that their heights and widths draw over the angle.

    Data: sine, cosine [degrees].
    """
    marks = np.radians(np.asarray(degrees, dtype=np.float64))
    turn = np.linspace(0, 2 * np.pi, 181)
    data = {"sine": np.sin(marks), "cosine": np.cos(marks)}

    def paint(figure, theme):
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.5))
        left.plot(np.cos(turn), np.sin(turn), color=theme.grid)
        for x, y in zip(data["cosine"], data["sine"], strict=True):
            left.plot([0, x], [0, y], color=theme.text, linewidth=1)
        left.plot(data["cosine"], data["sine"], "o", color=_WAVE)
        left.set(aspect="equal", xlabel="cosine", ylabel="sine", xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        right.plot(np.degrees(turn), np.sin(turn), **line_style("sinusoidal"))
        right.plot(np.degrees(turn), np.cos(turn), color=_WAVE, linestyle=(0, (3, 2)))
        right.plot(np.degrees(marks), data["sine"], "o", color=_WAVE)
        right.plot(np.degrees(marks), data["cosine"], "o", color=_WAVE, fillstyle="none")
        right.annotate("sine", (100, 1), xytext=(0, 3), textcoords="offset points")
        right.annotate("cosine", (355, 1), xytext=(0, 3), textcoords="offset points", ha="right")
        right.set(xlabel="angle in degrees", xticks=[0, 90, 180, 270, 360], yticks=[-1, 0, 1], ylim=(-1.1, 1.3))
        right.grid(axis="y")

    text = "; ".join(
        f"at {angle:g} degrees sine {s:.2f}, cosine {c:.2f}"
        for angle, s, c in zip(degrees, data["sine"], data["cosine"], strict=True)
    )
    alt = f"A point on a circle of radius 1: its height is the sine, its width the cosine, at every angle. {text}."
    return themed(paint, alt=alt, data=data, height=2.1)


def _arrow(ax, tip, colour: str) -> None:
    ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "shrinkA": 0, "shrinkB": 0})
