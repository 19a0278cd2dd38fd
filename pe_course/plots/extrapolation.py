"""Pictures of what is new past the training length, and of the remedies: other speeds, distances, biases, scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style
from pe_course.reference import attention, bias, rotary, scaling

# Curves without a colour of their own share the ink of the text and differ by their dashes.
_DASHES = ["solid", (0, (6, 2)), (0, (3, 1, 1, 1)), (0, (1, 1.5))]
# A pair counts as leaving the trained range when it does so by more than one part in a hundred.
TOLERANCE = 1.01


def published_perplexity(trained: int, rows: Mapping[str, Mapping[int, float]]) -> ThemedFigure:
    """Perplexities that a paper reports, against the length of the test texts.

    Parameters: trained: the training length; rows: method of the palette → {length: perplexity}.
    Data: for each method its lengths and perplexities [2, n].
    """
    data = {name: np.array([list(row), list(row.values())]) for name, row in rows.items()}
    highest = max(values[1].max() for values in data.values())

    def paint(figure, theme):
        ax = figure.subplots()
        for name, (lengths, perplexity) in data.items():
            ax.loglog(lengths, perplexity, marker="o", markersize=3, **line_style(name))
            at, place = (-2, (6, -10)) if name == "t5" else (-1, (0, 5))  # it ends close below RoPE
            ax.annotate(
                _title(name),
                (lengths[at], perplexity[at]),
                xytext=place,
                textcoords="offset points",
                ha="left" if name == "t5" else "right",
            )
        ax.axvline(trained, color=theme.text, linewidth=1, linestyle=(0, (4, 3)))
        ax.annotate(f"trained on {trained}", (trained, highest), xytext=(4, -4), textcoords="offset points")
        ax.set(xlabel="tokens in the test", ylabel="perplexity", ylim=(14, 1.4 * highest))
        _plain_ticks(ax, [512, 1024, 2048, 4096, 8192], [20, 50, 100, 200])
        ax.grid(axis="y")

    ends = "; ".join(
        f"{_title(n)}: {v[1, 0]:g} at {v[0, 0]:.0f}, {v[1, -1]:g} at {v[0, -1]:.0f}" for n, v in data.items()
    )
    alt = f"Perplexity against the number of tokens in the test, both on logarithmic scales. {ends}."
    return themed(paint, alt=alt, data=data, height=3.2)


def unseen_angles(dim: int, trained: int, tested: int, *, base: float = 10000.0) -> ThemedFigure:
    """How much of its circle each pair of a rotary head has met in training, and how much more a longer text shows.

    Data: wavelength, seen, new [dim/2], the last two as shares of a full turn; unfinished, how many pairs did not
    complete a turn in training.
    """
    wavelength = 2 * np.pi / rotary.rope_frequencies(dim, base=base)
    seen = np.minimum(trained / wavelength, 1)
    new = np.minimum(tested / wavelength, 1) - seen
    unfinished = int((wavelength > trained).sum())

    def paint(figure, theme):
        ax = figure.subplots()
        pairs = np.arange(dim // 2)
        steps = {"step": "mid", "linewidth": 0}
        ax.fill_between(pairs, seen, color=METHOD_COLOURS["none"], alpha=0.45, **steps)
        ax.fill_between(pairs, seen, seen + new, color=METHOD_COLOURS["rotary"], **steps)
        ax.text(1, 0.45, f"met in {trained} tokens")
        ax.annotate(
            f"new in {tested} tokens",
            (dim // 2 - unfinished + 3, 0.9),
            xytext=(dim // 2 - 1, 1.09),
            ha="right",
            arrowprops={"arrowstyle": "-", "color": theme.text},
        )
        ax.set(xlabel="pair, fast to slow", ylabel="share of a full turn", ylim=(0, 1.22), yticks=[0, 0.5, 1])

    alt = (
        f"Bars for {dim // 2} pairs: the share of the circle met in {trained} tokens. {dim // 2 - unfinished} fast "
        f"pairs have met all of it. The {unfinished} slow ones have not, and {tested} tokens show them new angles."
    )
    data = {"wavelength": wavelength, "seen": seen, "new": new, "unfinished": np.array(unfinished)}
    return themed(paint, alt=alt, data=data, height=2.8)


def score_beyond(query: ArrayLike, key: ArrayLike, inv_freq: ArrayLike, trained: int, factor: int) -> ThemedFigure:
    """The score of one query and key against distance: trained range, beyond it, and interpolated to the same reach.

    Data: distance; plain, interpolated [distance]; largest [3]: inside, beyond, interpolated, as sizes.
    """
    distance = np.arange(factor * trained)
    plain = rotary.rope_score(query, key, distance, inv_freq)
    interpolated = rotary.rope_score(query, key, distance, np.asarray(inv_freq) / factor)
    largest = np.array([np.abs(part).max() for part in (plain[:trained], plain[trained:], interpolated)])
    shown = distance[:: max(1, len(distance) // 400)]

    def paint(figure, theme):
        axes = figure.subplots(2, 1, sharex=True)
        titles = [f"plain: up to {largest[1]:.1f} beyond", f"positions divided by {factor}: up to {largest[2]:.1f}"]
        for ax, scores, title in zip(axes, (plain, interpolated), titles, strict=True):
            ax.axvspan(0, trained, color=METHOD_COLOURS["none"], alpha=0.2, linewidth=0)
            ax.plot(shown, scores[shown], **(line_style("rotary") | {"linestyle": "solid"}))
            ax.set_title(title)
            ax.grid(axis="y")
        axes[1].set(xlabel="distance", ylim=(-2, 2))
        axes[0].text(trained / 2, 0.6 * axes[0].get_ylim()[0], "trained", ha="center")
        figure.supylabel("score", fontsize=10)

    alt = (
        f"Score against distance. Up to {trained} it stays within {largest[0]:.2f}; past it the plain score swings "
        f"up to {largest[1]:.1f}. With positions divided by {factor} it stays within {largest[2]:.2f} throughout."
    )
    data = {"distance": distance, "plain": plain, "interpolated": interpolated, "largest": largest}
    return themed(paint, alt=alt, data=data, height=3.6)


def entropies(spreads: Sequence[float], lengths: Sequence[int], trained: int) -> ThemedFigure:
    """Entropy of attention over n random keys, with scores left alone and with log-n scaling.

    Scores are normal with each of the standard deviations ``spreads``, from one seed; each number is an average over
    a quarter of a million keys.

    Data: lengths; plain, scaled [spreads, lengths] in nats.
    """
    n = np.asarray(lengths)
    plain, scaled = np.empty((2, len(spreads), len(n)))
    for column, length in enumerate(n):
        scores = np.random.default_rng(0).standard_normal((2**18 // length, length))
        factor = scaling.logn_scale(length - 1, trained, clip=False)
        plain[:, column] = [_entropy(spread * scores) for spread in spreads]
        scaled[:, column] = [_entropy(factor * spread * scores) for spread in spreads]

    def paint(figure, theme):
        ax = figure.subplots()
        for spread, left, right in zip(spreads, plain, scaled, strict=True):
            ax.semilogx(n, left, color=METHOD_COLOURS["none"], linestyle=_DASHES[1])
            ax.semilogx(n, right, color=METHOD_COLOURS["sinusoidal"])
            ax.annotate(f"spread {spread:g}", (n[-1], right[-1]), xytext=(5, -3), textcoords="offset points")
        ax.annotate("as they are", (n[-1], plain[0, -1]), xytext=(-4, 5), textcoords="offset points", ha="right")
        ax.annotate("log-n", (n[-2], scaled[0, -2]), xytext=(0, -14), textcoords="offset points", ha="center")
        ax.axvline(trained, color=theme.text, linewidth=1, linestyle=(0, (4, 3)))
        ax.set(xlabel="keys", ylabel="entropy in nats", ylim=(0, 10), xlim=(n[0], 2.4 * n[-1]))
        _plain_ticks(ax, list(n), None)
        ax.grid(axis="y")

    text = "; ".join(
        f"spread {s:g}: from {p[0]:.1f} to {p[-1]:.1f} as they are, to {q[-1]:.1f} with log-n"
        for s, p, q in zip(spreads, plain, scaled, strict=True)
    )
    alt = f"Entropy of attention against the number of keys, {n[0]} to {n[-1]}. {text}."
    return themed(paint, alt=alt, data={"lengths": n, "plain": plain, "scaled": scaled}, height=3.3)


def frequency_maps(
    rules: Mapping[str, ArrayLike], trained: int, factor: float, *, base: float = 10000.0
) -> ThemedFigure:
    """What each rule leaves of the speed of every pair: one panel per rule, 1 at the top, 1/factor dashed.

    Parameters: rules: name → new frequencies [P], all for one head.
    Data: unfinished, the first pair that does not complete a turn in training; for each rule its shares [P].
    """
    shares = {name: np.asarray(f) / rotary.rope_frequencies(2 * len(f), base=base) for name, f in rules.items()}
    pairs = len(next(iter(shares.values())))
    unfinished = first_unfinished(2 * pairs, trained, base=base)

    def paint(figure, theme):
        columns = 2 if len(shares) > 2 else 1
        axes = figure.subplots(-(-len(shares) // columns), columns, sharex=True, sharey=True, squeeze=False)
        for ax, (name, share) in zip(axes.ravel(), shares.items(), strict=False):
            ax.axvspan(unfinished - 0.5, pairs - 0.5, color=METHOD_COLOURS["none"], alpha=0.2, linewidth=0)
            ax.axhline(1 / factor, color=theme.text, linewidth=1, linestyle=(0, (4, 3)))
            ax.plot(share, **(line_style("rotary") | {"linestyle": "solid"}))
            outside = _outside(share, unfinished, factor)
            ax.plot(outside, share[outside], "o", color=theme.text, markersize=2.5)
            ax.set_title(name)
            ax.set(ylim=(0, 1.08), yticks=[0, 1 / factor, 1], yticklabels=["0", f"1/{factor:g}", "1"])
        for ax in axes[-1]:
            ax.set_xlabel("pair")
        figure.supylabel("share of the trained speed", fontsize=10)

    text = "; ".join(f"{name}: {_described(share, unfinished, factor)}" for name, share in shares.items())
    alt = f"Share of its trained speed that each of {pairs} pairs keeps at factor {factor:g}. {text}."
    return themed(paint, alt=alt, data={"unfinished": np.array(unfinished), **shares}, height=3.6)


def first_unfinished(dim: int, trained: int, *, base: float = 10000.0) -> int:
    """The fastest pair that does not complete a turn within ``trained`` tokens; dim/2 if every pair does."""
    wavelength = 2 * np.pi / rotary.rope_frequencies(dim, base=base)
    return int((wavelength <= trained).sum())


def _outside(share: np.ndarray, unfinished: int, factor: float) -> np.ndarray:
    """Slow pairs that a text ``factor`` times as long turns further than training did."""
    slow = np.arange(unfinished, len(share))
    return slow[share[slow] * factor > TOLERANCE]


def _described(share: np.ndarray, unfinished: int, factor: float) -> str:
    kept, slowed = int((share > 1 / TOLERANCE).sum()), int((share * factor < TOLERANCE).sum())
    return (
        f"{kept} pairs keep it, {slowed} are slowed in full, {len(_outside(share, unfinished, factor))} meet new angles"
    )


def ramps(dim: int, trained: int, *, base: float = 10000.0) -> ThemedFigure:
    """How much of its trained speed each pair keeps under YaRN: the ramp of the paper and that of the released code.

    Data: turns [dim/2] within the trained length; ratio, index [dim/2], the two ramps.
    """
    options = {"original_max_position_embeddings": trained, "base": base}
    kept = {name: scaling.ntk_by_parts_ramp(dim, ramp=name, **options) for name in ("ratio", "index")}
    turns = trained * rotary.rope_frequencies(dim, base=base) / (2 * np.pi)
    fast, slow = int((turns >= 32).sum()), int((turns > 1).sum())

    def paint(figure, theme):
        ax = figure.subplots()
        ax.plot(kept["index"], **(line_style("rotary") | {"linestyle": "solid"}))
        ax.plot(kept["ratio"], color=theme.text, linestyle=_DASHES[1])
        ax.annotate("code", (0.5 * (fast + slow), 0.5), xytext=(8, 6), textcoords="offset points")
        ax.annotate("paper", (fast, 0.12), xytext=(4, 0), textcoords="offset points")
        for pair, text, lift, side in ((fast, "32 turns", -4, "right"), (slow, "1 turn", 4, "left")):
            ax.axvline(pair - 0.5, color=theme.text, linewidth=0.8, linestyle=(0, (4, 3)))
            ax.annotate(text, (pair - 0.5, 1.06), xytext=(lift, 0), textcoords="offset points", ha=side)
        ax.set(xlabel="pair, fast to slow", ylabel="share kept", ylim=(-0.04, 1.16), yticks=[0, 0.5, 1])

    gap = int(np.argmax(np.abs(kept["index"] - kept["ratio"])))
    alt = (
        f"Two ramps from 1 to 0 over {dim // 2} pairs. Pairs with 32 turns in training keep their speed, those with "
        f"one turn or less keep nothing. Between them the code falls in a straight line, the paper faster: at pair "
        f"{gap} they keep {kept['index'][gap]:.2f} and {kept['ratio'][gap]:.2f}."
    )
    return themed(paint, alt=alt, data={"turns": turns, **kept}, height=2.8)


def remapped_distances(last: int, window: int, *, leaky_factor: float, group: int) -> ThemedFigure:
    """The distance that the rotation sees against the true one, for methods that bend it beyond a window.

    Data: distance; plain, ReRoPE, leaky, Self-Extend [distance].
    """
    distance = np.arange(last + 1)
    curves = {
        "plain": distance.astype(np.float64),
        "ReRoPE": rotary.rerope_distance(distance, window=window),
        "leaky ReRoPE": rotary.leaky_rerope_distance(distance, window=window, leaky_factor=leaky_factor),
        "Self-Extend": rotary.self_extend_distance([last], last - distance, window=window, group=group)[0],
    }

    def paint(figure, theme):
        axes = figure.subplots(1, 3, sharex=True, sharey=True)
        for ax, name in zip(axes, list(curves)[1:], strict=True):
            ax.plot(distance, curves["plain"], **line_style("none"))
            ax.plot(distance, curves[name], **(line_style("rotary") | {"linestyle": "solid"}))
            ax.set_title(name)
            ax.set(ylim=(0, last), xticks=[0, window, last], yticks=[0, window, last])
        axes[1].set_xlabel("true distance")
        axes[0].set_ylabel("distance turned by")

    ends = ", ".join(f"{name} {curve[-1]:.0f}" for name, curve in curves.items())
    alt = (
        f"Distance the rotation sees against the true one. All agree up to {window}; at a true distance of {last} "
        f"they are: {ends}."
    )
    return themed(paint, alt=alt, data={"distance": distance, **curves}, height=2.5)


def falling_biases(last: int) -> ThemedFigure:
    """Score biases of ALiBi, KERPLE and Sandwich against distance, the distance on a logarithmic scale.

    Data: distance; one array each.
    """
    distance = np.unique(np.geomspace(1, last, 300).round())
    curves = {
        "ALiBi, slope 1/16": -bias.alibi_slopes(8)[3] * distance,
        "KERPLE, logarithm": bias.kerple_log(distance, 1.0, 1.0),
        "KERPLE, root": bias.kerple_power(distance, 0.25, 0.5),
        "Sandwich, last head": bias.sandwich_head_scales(8)[-1] * bias.sandwich_kernel(distance),
    }

    def paint(figure, theme):
        ax = figure.subplots()
        for (name, curve), dashes in zip(curves.items(), [None, *_DASHES[:2], "solid"], strict=True):
            style = line_style("alibi") if dashes is None else {"color": theme.text, "linestyle": dashes}
            ax.semilogx(distance, curve, **style, linewidth=0.7 if name.startswith("Sandwich") else 1.8)
        ax.set(xlabel="distance", ylabel="bias", ylim=(-12, 0.5))
        _plain_ticks(ax, [1, 10, 100, 1000], None)
        ax.grid(axis="y")
        labels = {"ALiBi": (215, -11.2), "KERPLE, root": (350, -3.6), "KERPLE, log": (1.2, -3.6)}
        for label, (x, y) in labels.items():
            ax.text(x, y, label)
        ax.text(last, -5.6, "Sandwich", ha="right")

    ends = ", ".join(f"{name} {curve[-1]:.1f}" for name, curve in curves.items())
    alt = (
        f"Biases against distance on a logarithmic scale. ALiBi's straight line drops out of the picture; at distance "
        f"{last} they stand at: {ends}."
    )
    return themed(paint, alt=alt.replace("-", "−"), data={"distance": distance, **curves}, height=3.1)


def query_scales(scales: Mapping[str, ArrayLike], positions: ArrayLike) -> ThemedFigure:
    """Factors on the score against the position of the query, on a logarithmic scale.

    Parameters: scales: name → [positions]. Data: positions; one array each.
    """
    places = np.asarray(positions)
    curves = {name: np.asarray(values) for name, values in scales.items()}

    def paint(figure, theme):
        ax = figure.subplots()
        for index, (name, curve) in enumerate(curves.items()):
            ax.semilogx(places, curve, color=theme.text, linestyle=_DASHES[index])
            lift = -48 if index else 5
            ax.annotate(name, (places[-1], curve[-1]), xytext=(0, lift), textcoords="offset points", ha="right")
        ax.set(
            xlabel="position of the query", ylabel="factor", ylim=(0.9, 1.08 * max(c.max() for c in curves.values()))
        )
        _plain_ticks(ax, [100, 1000, 10000, 100000], None)
        ax.grid(axis="y")

    ends = ", ".join(f"{name} {curve[-1]:.2f}" for name, curve in curves.items())
    alt = f"Factors on the score against the query's position, all 1 at first. At position {places[-1]}: {ends}."
    return themed(paint, alt=alt, data={"positions": places, **curves}, height=2.7)


def first_step(gains: Mapping[str, ArrayLike], sizes: ArrayLike, target: str) -> ThemedFigure:
    """What one step along a gradient does to a wanted weight, against the size of the step.

    Parameters: gains: method of the palette → weight [sizes]. Data: sizes; one array per method.
    """
    steps = np.asarray(sizes)
    curves = {name: np.asarray(values) for name, values in gains.items()}

    def paint(figure, theme):
        ax = figure.subplots()
        for name, weight in curves.items():
            ax.plot(steps, weight, **line_style(name))
            ax.annotate(_title(name), (steps[-1], weight[-1]), xytext=(-2, 5), textcoords="offset points", ha="right")
        ax.set(xlabel="size of the step", ylabel=target, ylim=(0, 1.12), yticks=[0, 0.5, 1])
        ax.grid(axis="y")

    ends = ", ".join(f"{_title(name)} {weight[-1]:.2f}" for name, weight in curves.items())
    before = next(iter(curves.values()))[0]
    alt = f"Weight on the wanted key after one step, from {before:.2f} before it. At the end: {ends}."
    return themed(paint, alt=alt, data={"sizes": steps, **curves}, height=2.9)


_TITLES = {"sinusoidal": "sinusoids", "rotary": "RoPE", "t5": "T5 bias", "alibi": "ALiBi", "none": "no positions"}


def _title(method: str) -> str:
    return _TITLES.get(method, method)


def _entropy(scores: np.ndarray) -> float:
    weights = attention.softmax(scores)
    return float(-(weights * np.log(weights)).sum(axis=-1).mean())


def _near(values: np.ndarray, wanted: float) -> int:
    return int(np.argmin(np.abs(values - wanted)))


def _plain_ticks(ax, x: Sequence[float] | None, y: Sequence[float] | None) -> None:
    """Whole numbers instead of powers of ten, and no marks between them."""
    if x is not None:
        ax.set_xticks(x, [f"{value:g}" if value < 1e5 else f"{value:.0f}" for value in x])
    if y is not None:
        ax.set_yticks(y, [f"{value:g}" for value in y])
    ax.minorticks_off()
