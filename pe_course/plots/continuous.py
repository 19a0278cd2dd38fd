"""Pictures of biases that are a function of the distance: their shapes, what softmax makes of them, their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style
from pe_course.reference import attention, bias

# Curves without a colour of their own share the ink of the text and differ by their dashes.
_DASHES = {"log": (0, (6, 2)), "exponential": (0, (3, 1, 1, 1)), "gaussian": (0, (1, 1.5))}


def curves(max_distance: int) -> ThemedFigure:
    """Four biases against the distance, and below them the factor by which each one multiplies a weight.

    Data: distance; for each curve its name [distance].
    """
    distance = np.linspace(0, max_distance, 121)
    values = {
        "linear": bias.linear_distance_bias(distance),
        "log": bias.log_distance_bias(distance),
        "gaussian": bias.gaussian_distance_bias(distance, height=2.0, width=2.0),
        "exponential": bias.exponential_distance_bias(distance, height=2.0, length=2.0),
    }

    def paint(figure, theme):
        axes = figure.subplots(2, 1, sharex=True)
        for name, curve in values.items():
            style = line_style("alibi") if name == "linear" else {"color": theme.text, "linestyle": _DASHES[name]}
            axes[0].plot(distance, curve, **style)
            axes[1].semilogy(distance, np.exp(curve), **style)
        for ax, zero in zip(axes, (0.0, 1.0), strict=True):
            ax.axhline(zero, color=theme.text, linewidth=0.6)
        axes[0].text(2.4, 1.3, "exponential, Gaussian")
        axes[0].text(max_distance, -2.1, "log", ha="right")
        axes[0].text(0.68 * max_distance, -5.3, "linear", ha="right")
        axes[0].set_title("the bias f(d)")
        axes[1].set_title("the factor of the weight, exp f(d)")
        axes[1].set_yticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
        axes[1].set_xlabel("distance")

    alt = (
        "Four biases against distance. The exponential and the Gaussian start high and fall to 0: their factor ends "
        f"at 1. The logarithm and the straight line fall for ever: at distance {max_distance} their factors are "
        f"{np.exp(values['log'][-1]):.4f} and {np.exp(values['linear'][-1]):.4f}."
    )
    return themed(paint, alt=alt, data={"distance": distance, **values}, height=4.0)


def near_share(biases: Mapping[str, object], lengths: Sequence[int], window: int) -> ThemedFigure:
    """Share of the weight within ``window`` of a query in the middle of n equal keys, against n.

    Parameters: biases: name → function of the distance. Data: lengths; one array [lengths] per bias.
    """
    n = np.asarray(lengths)
    shares = {name: np.array([share_within(f, count, window) for count in n]) for name, f in biases.items()}

    def paint(figure, theme):
        ax = figure.subplots()
        dashes = ["solid", *_DASHES.values()]
        for index, (name, share) in enumerate(shares.items()):
            style = line_style("alibi") if index == 0 else {"color": theme.text, "linestyle": dashes[index]}
            ax.semilogx(n, share, **style)
            above = index != 1 or share[-1] < 0.2  # the first two curves may end close together
            ax.annotate(
                name, (n[-1], share[-1]), xytext=(0, 5 if above else -13), textcoords="offset points", ha="right"
            )
        ax.set(xlabel="number of keys n", ylabel=f"weight within {window} positions", ylim=(0, 1.12))
        ax.grid(axis="y")

    text = "; ".join(f"{name}: {share[0]:.4f} to {share[-1]:.4f}" for name, share in shares.items())
    alt = f"Share of attention within {window} positions as the keys grow from {n[0]} to {n[-1]}. {text}."
    return themed(paint, alt=alt, data={"lengths": n, **shares}, height=3.0)


def share_within(f, length: int, window: int) -> float:
    """Weight that a query in the middle of ``length`` keys of equal content gives to those within ``window``."""
    distance = np.arange(length) - length // 2
    return float(attention.softmax(f(distance))[np.abs(distance) <= window].sum())


def beyond_training(networks: Mapping[str, Sequence], trained: int, last: int) -> ThemedFigure:
    """Networks of the distance that agree on all trained distances, and what they say beyond.

    Parameters: networks: name → layers of `bias.mlp_distance_bias` with one output. Data: distance; one array each.
    """
    distance = np.arange(last + 1)
    values = {name: bias.mlp_distance_bias(distance, layers, activation="relu")[0] for name, layers in networks.items()}

    def paint(figure, theme):
        ax = figure.subplots()
        ax.axvspan(0, trained, color=METHOD_COLOURS["none"], alpha=0.2, linewidth=0)
        for (name, curve), dashes in zip(values.items(), ["solid", (0, (6, 2)), (0, (1, 1.5))], strict=False):
            ax.plot(distance, curve, color=theme.text, linestyle=dashes)
            middle = (trained + last) // 2
            below = curve[last] > curve[middle]  # so that a rising line does not run into its label
            ax.annotate(name, (middle, curve[middle]), xytext=(8, -13 if below else 2), textcoords="offset points")
        ax.text(trained / 2, min(v.min() for v in values.values()) * 0.9, "trained", ha="center")
        ax.set(xlabel="distance", ylabel="bias")
        ax.grid(axis="y")

    ends = ", ".join(f"{name} {curve[-1] + 0:.0f}".replace("-", "−") for name, curve in values.items())
    alt = (
        f"Biases of {len(values)} small networks. Up to distance {trained}, the trained range, they are one line; "
        f"beyond it they part. At distance {last}: {ends}."
    )
    return themed(paint, alt=alt, data={"distance": distance, **values}, height=2.8)


def fire_fractions(queries: Sequence[int], threshold: float) -> ThemedFigure:
    """What FIRE's network sees of a distance, for queries at several positions.

    Data: one array [query + 1] per query position, named after it: the input by distance 0 … query.
    """
    inputs = {str(i): bias.fire_input([i], np.arange(i, -1, -1), threshold=threshold)[0] for i in queries}

    def paint(figure, theme):
        ax = figure.subplots()
        for (name, values), dashes in zip(inputs.items(), ["solid", (0, (6, 2)), (0, (1, 1.5))], strict=False):
            ax.plot(values, color=theme.text, linestyle=dashes)
            ax.plot(len(values) - 1, values[-1], "o", color=theme.text, markersize=4)
            place = {"xytext": (6, -5)}
            if name == str(queries[0]):  # The other curves run beside its end.
                place = {"xytext": (24, -48), "arrowprops": {"arrowstyle": "-", "color": theme.text, "linewidth": 0.8}}
            elif name == str(queries[-1]):
                place = {"xytext": (-4, -16), "ha": "right"}
            ax.annotate(f"query {name}", (len(values) - 1, values[-1]), textcoords="offset points", **place)
        ax.set(xlabel="distance", ylabel="input of the network", ylim=(0, 1.1))
        ax.grid(axis="y")

    ends = ", ".join(f"{values[-1]:.2f} for query {name}" for name, values in inputs.items())
    alt = f"The number FIRE's network sees, against distance. It ends at {ends}: never above 1, at any length."
    return themed(paint, alt=alt, data=inputs, height=2.8)
