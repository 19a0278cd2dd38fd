"""Pictures of the lab's stored results: loss against length, position and window; retrieval; rates; tuning.

Curves come as ``{x: (mean, spread over seeds)}``, as the readers of `pe_course.lab.show` give them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, Theme, line_style

Curve = Mapping[int, tuple[float, float]]

NAMES = {
    "nope": "NoPE",
    "learned": "learned",
    "sinusoidal": "sinusoidal",
    "t5": "T5",
    "alibi": "ALiBi",
    "kerple": "KERPLE",
    "sandwich": "Sandwich",
    "fire": "FIRE",
    "continuous": "continuous",
    "rope": "RoPE",
    "xpos": "xPos",
}
VARIANTS = {
    "plain": "as trained",
    "window": "window",
    "rerope": "ReRoPE",
    "pi": "PI",
    "ntk": "NTK-aware",
    "dynamic_ntk": "dyn. NTK",
    "yarn": "YaRN",
    "logn": "log-n",
    "ntk_logn": "NTK, log-n",
}
RULES = {"direct": "direct", "pi": "PI", "ntk": "NTK-aware", "yarn": "YaRN"}

# The lab's names of methods that the palette calls otherwise. Methods that it lacks share the ink of the text.
_PALETTE = {"nope": "none", "rope": "rotary"}
_INK_DASHES = {"direct": "solid", "pi": (0, (6, 2)), "ntk": (0, (3, 1, 1, 1)), "yarn": (0, (1, 1.5))}
FLAT, BROKEN = 0.1, 0.3
"""A loss that ends within 0.1 nats of where it began is called flat, one that rises by more than 0.3 broken."""


def loss_by_length(curves: Mapping[str, Curve], trained: int) -> ThemedFigure:
    """Loss against the length of the test, one panel per method, the others behind it in grey.

    Parameters: curves: method of the lab → curve; trained: the training length. Data: per method [3, lengths]: lengths,
    means, spreads.
    """
    rises = {name: _last(curve) - curve[trained][0] for name, curve in curves.items()}
    flat = [NAMES[name] for name, rise in rises.items() if abs(rise) <= FLAT]
    broken = [f"{NAMES[name]} by {rise:.2f}" for name, rise in rises.items() if rise > BROKEN]
    last = max(max(curve) for curve in curves.values())
    alt = (
        f"Loss against the length of the test, one small panel per method, trained on {trained} tokens. At {last} "
        f"tokens it is within {FLAT:g} of where it began for {_listed(flat)}. It has risen for {_listed(broken)}."
    )
    return _panels(curves, NAMES, alt=alt, mark=trained, x="tokens in the test", y="loss in nats")


def rope_at_test_time(curves: Mapping[str, Curve], trained: int) -> ThemedFigure:
    """The same trained RoPE models, changed at test time: loss against length, one panel per change.

    Parameters: curves: "plain" or a variant of the lab → curve. Data: as `loss_by_length`.
    """
    ends = [f"{VARIANTS[name]} {_last(curve):.2f}" for name, curve in curves.items()]
    start, last = curves["plain"][trained][0], max(curves["plain"])
    alt = (
        f"Loss of trained RoPE models against length, one small panel per change made at test time. All begin at "
        f"{start:.2f} at {trained} tokens. At {last}: {', '.join(ends)}."
    )
    return _panels(curves, VARIANTS, alt=alt, mark=trained, x="tokens in the test", y="loss in nats", method="rope")


def retrieval(curves: Mapping[str, Curve], farthest: int, length: int) -> ThemedFigure:
    """Share of right answers against the distance of what must be found again, one panel per method.

    Parameters: curves: method → curve; farthest: the largest distance that training asked for; length: of the test.
    Data: as `loss_by_length`.
    """
    beyond = min((d for curve in curves.values() for d in curve if d > farthest), default=farthest)
    found = [f"{NAMES[name]} {curve[beyond][0]:.2f}" for name, curve in curves.items()]
    alt = (
        f"Share of right answers against distance in texts of {length} tokens, one small panel per method. Training "
        f"asked for distances up to {farthest}. At {beyond}: {', '.join(found)}."
    )
    return _panels(curves, NAMES, alt=alt, mark=farthest, x="distance", y="share right", limits=(0, 1.05))


def by_position(curves: Mapping[str, Curve], trained: int) -> ThemedFigure:
    """Loss against the position in a text, in bins. Only methods that the palette holds.

    Data: per method [3, bins]: centres of the bins, means, spreads.
    """
    data = {name: _centred(curve) for name, curve in curves.items()}

    def paint(figure, theme):
        ax = figure.subplots()
        for name, (places, loss, around) in data.items():
            style = _style(name, theme)
            ax.fill_between(places, loss - around, loss + around, color=style["color"], alpha=0.2, linewidth=0)
            ax.plot(places, loss, **style)
        ax.axvline(trained, color=theme.text, linewidth=1, linestyle=(0, (4, 3)))
        ax.text(trained, ax.get_ylim()[1], f" trained on {trained}", va="top")
        last = max(values[0, -1] for values in data.values())
        for name, height in _apart({name: values[1, -1] for name, values in data.items()}, ax).items():
            ax.text(1.03 * last, height, NAMES[name], va="center")
        ax.set(xlabel="position", ylabel="loss in nats", xlim=(0, 1.35 * last), xticks=trained * np.arange(5))
        ax.grid(axis="y")

    jumps = []
    for name, (places, loss, _) in data.items():
        inside, outside = loss[places < trained][-4:].mean(), loss[(places > trained)][:4].mean()
        jumps.append(f"{NAMES[name]} {outside - inside:+.2f}")
    alt = (
        f"Loss against position. From the last half of the {trained} trained positions to the next half as many, it "
        f"changes by: {', '.join(jumps)}."
    )
    return themed(paint, alt=alt.replace("-", "−"), data=data, height=3.2)


def windows(tasks: Mapping[str, Mapping[str, Curve]], trained: int) -> ThemedFigure:
    """What a narrower window costs: loss against the width of the window, less that with a window of ``trained``.

    Parameters: tasks: title → method → curve over widths. Data: per title and method ("title: method") [2, widths].
    """
    data = {}
    for title, curves in tasks.items():
        for name, curve in curves.items():
            widths = [w for w in sorted(curve) if w <= trained]
            data[f"{title}: {name}"] = np.array([widths, [curve[w][0] - curve[trained][0] for w in widths]])

    def paint(figure, theme):
        axes = figure.subplots(1, len(tasks), sharey=True, squeeze=False)[0]
        for ax, title in zip(axes, tasks, strict=True):
            for name in tasks[title]:
                ax.plot(*data[f"{title}: {name}"], **_style(name, theme), marker="o", markersize=3)
            _length_ticks(ax, data[f"{title}: {name}"][0])
            ax.set(title=title, xlabel="tokens seen")
            ax.grid(axis="y")
        axes[0].legend([NAMES[name] for name in next(iter(tasks.values()))], frameon=False, handlelength=3)
        axes[0].set_ylabel(f"loss, less that\nwith {trained} tokens")

    costs = []
    for title, curves in tasks.items():
        worst = [data[f"{title}: {name}"][1, 0] for name in curves]
        costs.append(f"{title} between {min(worst):+.2f} and {max(worst):+.2f}")
    narrow = int(min(values[0, 0] for values in data.values()))
    alt = (
        f"Loss with windows narrower than {trained} tokens, less that with {trained}. At {narrow}: {'; '.join(costs)}."
    )
    return themed(paint, alt=alt.replace("-", "−"), data=data, height=2.8)


def rates(own: Mapping[str, float], common: Mapping[str, float], fixed: Mapping[str, float]) -> ThemedFigure:
    """Loss with a learning rate of their own for positional parameters, and with the common one.

    Parameters: own, common: method → loss; fixed: loss of methods that have no such parameters, for comparison.
    Data: own, common [methods], fixed.
    """
    names = [name for name in own if name in common]
    data = {
        "own": np.array([own[n] for n in names]),
        "common": np.array([common[n] for n in names]),
        "fixed": np.array(list(fixed.values())),
    }

    def paint(figure, theme):
        ax = figure.subplots()
        _dumbbells(ax, names, data["common"], data["own"], theme)
        for turn, (name, loss) in enumerate(fixed.items()):
            ax.axvline(loss, color=theme.text, linewidth=0.8, linestyle=(0, (4, 3)))
            ax.text(loss, len(names) - 0.45, NAMES[name], ha="right" if turn == 0 else "left")
        ax.set_ylim(-0.6, len(names))
        left, right = ax.get_xlim()
        ax.set_xlim(left - 0.2 * (right - left), right)  # room for the first name
        ax.set_xlabel("loss in nats: filled, own rate; open, common rate")
        ax.grid(axis="x")

    moves = [f"{NAMES[n]} {c:.2f} and {o:.2f}" for n, o, c in zip(names, data["own"], data["common"], strict=True)]
    beside = [f"{NAMES[n]} {loss:.2f}" for n, loss in fixed.items()]
    alt = (
        f"Loss with the common learning rate and with their own: {'; '.join(moves)}. For comparison, without such "
        f"parameters: {', '.join(beside)}."
    )
    return themed(paint, alt=alt, data=data, height=2.9)


def trained_longer(short: Mapping[str, Curve], long: Mapping[str, Curve], trained: int) -> ThemedFigure:
    """How far the loss rises from the training length to the longest test, after few and after many steps.

    Parameters: short, long: method → curve of by_length; trained: the training length. Data: short, long [methods].
    """
    names = [name for name in short if name in long]
    last = max(short[names[0]])
    data = {
        "short": np.array([_last(short[n]) - short[n][trained][0] for n in names]),
        "long": np.array([_last(long[n]) - long[n][trained][0] for n in names]),
    }

    def paint(figure, theme):
        ax = figure.subplots()
        ax.axvline(0, color=theme.text, linewidth=0.8)
        _dumbbells(ax, names, data["short"], data["long"], theme)
        ax.set_xlabel(f"rise of the loss at {last} tokens\nopen, fewer steps; filled, more")
        ax.grid(axis="x")

    moves = [f"{NAMES[n]} {a:+.2f} and {b:+.2f}" for n, a, b in zip(names, data["short"], data["long"], strict=True)]
    alt = (
        f"How much more the loss is at {last} tokens than at {trained}, after fewer and after more steps of training: "
        f"{'; '.join(moves)}."
    )
    return themed(paint, alt=alt.replace("-", "−"), data=data, height=0.8 + 0.25 * len(names))


def tuning(curves: Mapping[str, Curve], length: int) -> ThemedFigure:
    """Loss at the new length against the steps of tuning, one line per rule.

    Data: per rule [3, steps]: steps, means, spreads.
    """
    data = {rule: _arrays(curve) for rule, curve in curves.items()}

    def paint(figure, theme):
        ax = figure.subplots()
        for rule, (steps, loss, around) in data.items():
            ax.errorbar(steps, loss, around, color=METHOD_COLOURS["rotary"], linestyle=_INK_DASHES[rule], capsize=2)
        for rule, height in _apart({rule: values[1, 0] for rule, values in data.items()}, ax).items():
            ax.text(-1.5, height, RULES[rule], ha="right", va="center")
        ax.set(xlabel="steps of tuning", ylabel=f"loss at {length} tokens", xlim=(-22, None))
        ax.set_xticks(next(iter(data.values()))[0])
        ax.grid(axis="y")

    ways = [f"{RULES[rule]} from {values[1, 0]:.2f} to {values[1, -1]:.2f}" for rule, values in data.items()]
    alt = f"Loss at {length} tokens while a RoPE model is tuned to that length: {'; '.join(ways)}."
    return themed(paint, alt=alt, data=data, height=3.2)


def _dumbbells(ax, names, opened, filled, theme: Theme) -> None:
    """A row per method with an open and a filled end, the first at the top."""
    rows = np.arange(len(names))[::-1]
    for row, name, start, end in zip(rows, names, opened, filled, strict=True):
        colour = _style(name, theme)["color"]
        ax.plot([start, end], [row, row], color=colour)
        ax.plot(start, row, "o", color=colour, markerfacecolor=theme.background)
        ax.plot(end, row, "o", color=colour)
    ax.set(yticks=rows, yticklabels=[NAMES[n] for n in names], ylim=(-0.6, len(names) - 0.4))


def _panels(curves, titles, *, alt, mark, x, y, limits=None, method=None) -> ThemedFigure:
    """Small panels with one curve each, in front of all others in grey."""
    data = {name: _arrays(curve) for name, curve in curves.items()}
    columns = 3
    rows = -(-len(data) // columns)

    def paint(figure, theme):
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for ax in axes.ravel()[len(data) :]:
            ax.set_visible(False)
        for place, (name, (places, means, around)) in enumerate(data.items()):
            ax = axes.flat[place]
            for other in data.values():
                ax.plot(other[0], other[1], color=theme.grid, linewidth=0.8)
            style = _style(method or name, theme) | {"linestyle": "solid"}
            ax.fill_between(places, means - around, means + around, color=style["color"], alpha=0.25, linewidth=0)
            ax.plot(places, means, **style)
            ax.axvline(mark, color=theme.text, linewidth=0.8, linestyle=(0, (4, 3)))
            ax.set_title(titles[name])
            _length_ticks(ax, places[::2])
            ax.tick_params(labelbottom=place + columns >= len(data))
            if limits:
                ax.set_ylim(*limits)
        figure.supxlabel(x, fontsize=10)
        figure.supylabel(y, fontsize=10)

    return themed(paint, alt=alt, data=data, height=0.5 + 1.15 * rows)


def _style(method: str, theme: Theme) -> dict:
    known = _PALETTE.get(method, method)
    return line_style(known) if known in METHOD_COLOURS else {"color": theme.text, "linestyle": (0, (6, 2))}


def _arrays(curve: Curve) -> np.ndarray:
    return np.array([[x, *curve[x]] for x in sorted(curve)], dtype=np.float64).T


def _centred(curve: Curve) -> np.ndarray:
    found = _arrays(curve)
    found[0] += (found[0, 1] - found[0, 0]) / 2
    return found


def _last(curve: Curve) -> float:
    return curve[max(curve)][0]


def _apart(heights: Mapping[str, float], ax) -> dict[str, float]:
    """Heights for labels: those wished for, raised where two of them would touch."""
    low, high = ax.get_ylim()
    found: dict[str, float] = {}
    for name in sorted(heights, key=heights.__getitem__):
        below = max(found.values(), default=-np.inf)
        found[name] = max(heights[name], below + (high - low) / 15)
    return found


def _length_ticks(ax, places) -> None:
    ax.set_xscale("log", base=2)
    ax.set_xticks(places, [f"{place:.0f}" for place in places])
    ax.minorticks_off()


def _listed(names: list[str]) -> str:
    return ", ".join(names) if names else "none"
