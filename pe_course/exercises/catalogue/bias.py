"""Biases on the score: T5's buckets, ALiBi, KERPLE, and the continuous bias of the worked example."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from pe_course.exercises.exercise import Case, CodeExercise, Mistake, Variant, edited


class T5Bucket(CodeExercise):
    id = "t5-bucket"
    title = "T5's buckets"
    prompt = """\
Write `t5_bucket(rel, bidirectional, num_buckets, max_distance)`: the bucket of each entry of `rel`, where an entry
is **key − query**.

- If `bidirectional`, half of the buckets serve each direction: keys after the query (entry above 0) use the upper
  half, that is, half of `num_buckets` is added. The distance $n$ is the absolute value.
- If not, all buckets serve the past: $n$ is query − key, and every future key counts as $n = 0$.

With $N$ buckets in a direction and $M = \\lfloor N/2 \\rfloor$, a distance $n < M$ has bucket $n$. Beyond it,

$$\\text{bucket} = \\min\\!\\Big(N - 1,\\; M + \\Big\\lfloor \\frac{\\ln(n/M)}{\\ln(D/M)} (N - M) \\Big\\rfloor\\Big),$$

where $D$ is `max_distance`.

In words: near distances have a bucket each, far ones share buckets that grow, and the last one takes all the rest.
"""
    chapter = "relative"
    lecture = ("S2-10", "S3-39", "S3-50")
    claims = ("L-106", "L-107", "L-110")
    function = "t5_bucket"
    starter = '''\
import math

def t5_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    """The bucket of each entry of rel (key - query)."""
    ...
'''
    hints = (
        "Work out three numbers for one entry first: the buckets per direction, the distance n, and what is added.",
        "Below M = (buckets per direction) // 2 the bucket is n itself; from M on it is the formula with logarithms.",
        "The last bucket of a direction has number N − 1; `min` keeps far distances in it.",
    )
    solution = """\
import math

def t5_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    buckets = []
    for r in rel:
        if bidirectional:
            per_side, n = num_buckets // 2, abs(r)
            start = per_side if r > 0 else 0
        else:
            per_side, n, start = num_buckets, max(-r, 0), 0
        exact = per_side // 2
        if n >= exact:
            share = math.log(n / exact) / math.log(max_distance / exact)
            n = min(exact + int(share * (per_side - exact)), per_side - 1)
        buckets.append(start + n)
    return buckets
"""
    variants = (
        Variant(
            "the border of every bucket, and counting how many lie at or below the distance",
            """\
def t5_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    n_side = num_buckets // (2 if bidirectional else 1)
    m = n_side // 2
    far = [m * (max_distance / m) ** (k / (n_side - m)) - 1e-9 for k in range(1, n_side - m)]
    borders = list(range(1, m + 1)) + far
    def bucket(r):
        n = abs(r) if bidirectional or r < 0 else 0
        upper = n_side if bidirectional and r > 0 else 0
        return upper + sum(b <= n for b in borders)
    return tuple(bucket(int(r)) for r in rel)
""",
        ),
        Variant(
            "NumPy on any shape",
            """\
import numpy as np

def t5_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    rel = np.asarray(rel)
    offset = np.zeros_like(rel)
    if bidirectional:
        num_buckets //= 2
        offset, n = (rel > 0) * num_buckets, np.abs(rel)
    else:
        n = np.maximum(-rel, 0)
    exact = num_buckets // 2
    far = exact + (np.log(np.maximum(n, 1) / exact) / np.log(max_distance / exact) * (num_buckets - exact)).astype(int)
    return offset + np.where(n < exact, n, np.minimum(far, num_buckets - 1))
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "sides-exchanged",
            "The two directions are exchanged: `rel` is key − query, so keys *after* the query are above 0 and use the "
            "upper half of the buckets.",
            edited(solution, ("for r in rel:", "for r in rel:\n        r = -r")),
        ),
        Mistake(
            "no-cap",
            "Distances past `max_distance` get buckets that do not exist. The last bucket of a direction, N − 1, takes "
            "them all: `min(…, N - 1)`.",
            edited(
                solution,
                (
                    "min(exact + int(share * (per_side - exact)), per_side - 1)",
                    "exact + int(share * (per_side - exact))",
                ),
            ),
        ),
        Mistake(
            "future-folded",
            "With `bidirectional=False`, a future key must count as distance 0; you fold it onto the past by its "
            "absolute value.",
            edited(solution, ("max(-r, 0)", "abs(r)")),
        ),
        Mistake(
            "decoder-looks-ahead",
            "With `bidirectional=False`, the past is what counts: n is query − key, that is −rel, and never below 0.",
            edited(solution, ("max(-r, 0)", "max(r, 0)")),
        ),
        Mistake(
            "not-halved",
            "If `bidirectional`, each direction has only half of `num_buckets`; you give both directions all of them.",
            edited(solution, ("per_side, n = num_buckets // 2, abs(r)", "per_side, n = num_buckets, abs(r)")),
        ),
        Mistake(
            "no-direction",
            "Both directions share their buckets. If `bidirectional`, add N (half of `num_buckets`) for keys after the "
            "query.",
            edited(solution, ("start = per_side if r > 0 else 0", "start = 0")),
        ),
        Mistake(
            "all-logarithmic",
            "The near distances have lost their own buckets: below M the bucket is the distance itself.",
            edited(solution, ("if n >= exact:", "if n >= 1:"), ("min(exact +", "min(max(exact, 0) +")),
        ),
        Mistake(
            "clipped",
            "Far distances are only clipped to the last bucket. Between M and the end, buckets grow with the "
            "logarithm.",
            edited(
                solution,
                (
                    "        if n >= exact:\n            share = math.log(n / exact) / math.log(max_distance / "
                    "exact)\n",
                    "        if n >= exact:\n",
                ),
                ("exact + int(share * (per_side - exact))", "n"),
            ),
        ),
        Mistake(
            "max-distance-whole",
            "The logarithm is divided by log(max_distance); it has to be log(max_distance / M), so that `max_distance` "
            "meets the end of the buckets.",
            edited(solution, ("math.log(max_distance / exact)", "math.log(max_distance)")),
        ),
        Mistake(
            "rounded",
            "The logarithmic part is rounded to the nearest bucket; it must be rounded down.",
            edited(solution, ("int(share * (per_side - exact))", "round(share * (per_side - exact))")),
        ),
        Mistake(
            "zero-in-the-upper-half",
            "Distance 0 belongs to the lower half: only keys strictly after the query (rel > 0) use the upper one.",
            edited(solution, ("if r > 0 else", "if r >= 0 else")),
        ),
        Mistake(
            "not-rounded",
            "Your far buckets are fractions. A bucket is a row of a table: round the logarithmic part down to a whole "
            "number.",
            edited(solution, ("int(share * (per_side - exact))", "share * (per_side - exact)")),
        ),
        Mistake(
            "one-based",
            "Your buckets are one too high: distance 0 has bucket 0.",
            edited(solution, ("start + n", "start + n + 1")),
        ),
        Mistake(
            "rounded-up",
            "The logarithmic part is rounded up; it must be rounded down.",
            edited(solution, ("int(share * (per_side - exact))", "math.ceil(share * (per_side - exact))")),
        ),
        Mistake(
            "rounded-too-early",
            "The share is rounded down before it is multiplied by N − M, so all far distances fall into one bucket. "
            "Round the product.",
            edited(solution, ("int(share * (per_side - exact))", "int(share) * (per_side - exact)")),
        ),
        Mistake(
            "half-added-but-not-halved",
            "Keys after the query get half of `num_buckets` added, but each direction still counts through all of "
            "them. If `bidirectional`, N is num_buckets / 2, and M half of that.",
            edited(
                solution,
                ("per_side, n = num_buckets // 2, abs(r)", "per_side, n = num_buckets, abs(r)"),
                ("start = per_side if", "start = per_side // 2 if"),
            ),
        ),
        Mistake(
            "capped-one-late",
            "The last bucket of a direction is N − 1; you let N through, which is one too many.",
            edited(solution, ("per_side - 1)", "per_side)")),
        ),
        Mistake(
            "capped-at-all-buckets",
            "Far distances are capped at `num_buckets` − 1. Each direction ends at its own N − 1, and N is half of "
            "that if `bidirectional`.",
            edited(solution, ("per_side - 1)", "num_buckets - 1)")),
        ),
        Mistake(
            "two-kinds-of-logarithm",
            "Two kinds of logarithm are mixed (log2 and log). Any base will do, but the same above and below.",
            edited(solution, ("math.log(n", "math.log2(n")),
        ),
        Mistake(
            "whole-ratio",
            "The ratio n/M is cut to a whole number before its logarithm is taken. Use `/` in it, and round down at "
            "the end.",
            edited(solution, ("n / exact)", "n // exact)")),
        ),
        Mistake(
            "future-negative",
            "With `bidirectional=False`, future keys get negative buckets, which read a table from its end. They "
            "count as distance 0: max(−rel, 0).",
            edited(solution, ("max(-r, 0), 0", "-r, 0")),
        ),
        Mistake(
            "linear",
            "Beyond M your buckets are equally wide. They have to grow: the *logarithm* of the distance is shared out "
            "evenly.",
            edited(
                solution,
                ("math.log(n / exact) / math.log(max_distance / exact)", "(n - exact) / (max_distance - exact)"),
            ),
        ),
        Mistake(
            "logarithm-from-zero",
            "The M is missing before the logarithmic part, so far distances get the buckets of near ones again.",
            edited(solution, ("min(exact + int", "min(int")),
        ),
        Mistake(
            "all-shared-out",
            "The logarithmic part is spread over N buckets; M of them are taken by the near distances, so N − M are "
            "left.",
            edited(solution, ("(per_side - exact)", "per_side")),
        ),
        Mistake(
            "one-plus",
            "The logarithm is that of 1 + n/M. It is ln(n/M), which is 0 at n = M.",
            edited(solution, ("math.log(n / exact)", "math.log(1 + n / exact)")),
        ),
        Mistake(
            "signed-distances",
            "You return the distance with its sign or without; buckets are rows of a table: from 0 to num_buckets − 1.",
            """\
def t5_bucket(rel, bidirectional=True, num_buckets=32, max_distance=128):
    return [r for r in rel]
""",
        ),
        Mistake(
            "sides-exchanged-and-no-cap",
            "Two things at once: the directions are exchanged (keys *after* the query are above 0), and distances "
            "past `max_distance` are not capped at N − 1.",
            edited(
                solution,
                ("r > 0", "r < 0"),
                (
                    "min(exact + int(share * (per_side - exact)), per_side - 1)",
                    "exact + int(share * (per_side - exact))",
                ),
            ),
        ),
        Mistake(
            "quarter-for-half",
            "M is a quarter of `num_buckets` even where all of them serve the past. M is half of the buckets in "
            "a direction.",
            edited(solution, ("exact = per_side // 2", "exact = num_buckets // 4")),
        ),
        Mistake(
            "logarithm-of-the-distance",
            "The logarithm is that of the distance itself. It is ln(n/M) over ln(max_distance/M), so that it "
            "begins with 0 "
            "at n = M.",
            edited(
                solution,
                ("math.log(n / exact) / math.log(max_distance / exact)", "math.log(n) / math.log(max_distance)"),
            ),
        ),
        Mistake(
            "logarithm-to-base-ten-above",
            "The logarithm of n/M is to base 10, that of max_distance/M is natural. Any base will do, but the "
            "same in both.",
            edited(solution, ("math.log(n / exact)", "math.log10(n / exact)")),
        ),
        Mistake(
            "sign-of-the-direction",
            "Keys before the query get negative buckets. A bucket is a row of a table: keys *after* the query "
            "get N added, "
            "and those before nothing.",
            edited(solution, ("buckets.append(start + n)", "buckets.append(n if not bidirectional or r > 0 else -n)")),
        ),
        Mistake(
            "one-fewer-shared-out",
            "The logarithmic part is spread over N − M − 1 buckets; N − M are left.",
            edited(solution, ("(per_side - exact))", "(per_side - exact - 1))")),
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case(([-3, -1, 0, 1, 2, 7],), tolerance=0),
            Case(([-300, -127, -90, -50, -20, -9, -8, 8, 9, 20, 50, 90, 127, 300],), tolerance=0),
            Case(([-500, -113, -112, -70, -17, -16, -15, -2, 0, 1, 5, 90], False), tolerance=0),
            Case(([-70, -31, -13, -5, -4, -3, 3, 4, 5, 13, 31, 70], True, 16, 50), tolerance=0),
            Case(([-90, -41, -12, -7, -6, -5, -1, 0, 4], False, 12, 60), tolerance=0),
            Case(
                ([-60, -45, -28, -19, -11, -7, -4, -3, -2, 2, 3, 4, 7, 11, 19, 28, 45, 60], True, 14, 59), tolerance=0
            ),
            Case(([[-2, -1, 0, 11], [40, -40, 3, 200]],), tolerance=0, arrays=True, leading=1),
        ]

    def random_case(self, rng: Random) -> Case:
        both = rng.random() < 0.5
        buckets, reach = 2 * rng.randint(2, 20), rng.randint(45, 300)
        exact = (buckets // 2 if both else buckets) // 2
        rel = [rng.choice([rng.randint(-12, 12), rng.randint(-400, 400)]) for _ in range(rng.randint(1, 12))]
        rel = [r for r in rel if not self._on_border(abs(r), exact, buckets // (2 if both else 1), reach)] or [0]
        return Case((rel, both, buckets, reach), tolerance=0)

    @staticmethod
    def _on_border(n: int, exact: int, per_side: int, reach: int) -> bool:
        """Where two right orders of the float operations may fall on different sides."""
        if n <= exact:
            return False
        step = math.log(n / exact) / math.log(reach / exact) * (per_side - exact)
        return abs(step - round(step)) < 1e-6


class AlibiSlopes(CodeExercise):
    id = "alibi-slopes"
    title = "The slopes of ALiBi"
    prompt = """\
Write `alibi_slopes(n_heads)`: one slope per head, as the released code of ALiBi gives them.

If the number of heads $H$ is a power of two, head $h = 1 \\dots H$ has the slope $2^{-8h/H}$: eight heads have
$\\frac12, \\frac14, \\dots, \\frac1{256}$.

If not, take the slopes of the largest power of two below $H$, then every other slope (the first, the third, …) of
twice that power, until there are $H$.

In words: a geometric series, and the heads that are left over stand between its members.
"""
    chapter = "alibi"
    lecture = ("S2-17", "S3-53")
    claims = ("L-051",)
    function = "alibi_slopes"
    starter = '''\
def alibi_slopes(n_heads):
    """n_heads slopes, each above 0."""
    ...
'''
    hints = (
        "Write the power-of-two case as a helper: `[2 ** (-8 * h / m) for h in range(1, m + 1)]`.",
        "The largest power of two not above n_heads: double 1 as long as it fits.",
        "For 12 heads: the 8 slopes of 8 heads, then 4 of the 16 slopes of 16 heads, namely `[0::2]`.",
    )
    solution = """\
def alibi_slopes(n_heads):
    def series(m):
        return [2 ** (-8 * h / m) for h in range(1, m + 1)]

    power = 1
    while power * 2 <= n_heads:
        power *= 2
    return (series(power) + series(2 * power)[0::2])[:n_heads]
"""
    variants = (
        Variant(
            "recursion on the head count",
            """\
def alibi_slopes(n_heads):
    if n_heads & (n_heads - 1) == 0:
        return [0.5 ** (8 * (i + 1) / n_heads) for i in range(n_heads)]
    below = 1 << (n_heads.bit_length() - 1)
    return alibi_slopes(below) + alibi_slopes(2 * below)[::2][: n_heads - below]
""",
        ),
        Variant(
            "repeated multiplication by the first slope",
            """\
import math

def alibi_slopes(n_heads):
    def grow(first, ratio, count):
        slopes = [first]
        while len(slopes) < count:
            slopes.append(slopes[-1] * ratio)
        return slopes[:count]
    power = 2 ** math.floor(math.log2(n_heads))
    first = 2.0 ** -(8.0 / power)
    half = 2.0 ** -(4.0 / power)
    return grow(first, first, power) + grow(half, half * half, n_heads - power + 1)[: n_heads - power]
""",
        ),
    )
    mistakes = (
        Mistake(
            "one-series",
            "One geometric series for every head count (as a sentence of the paper reads). For a count that is "
            "no power "
            "of two, the released code takes the slopes of the power of two below, then every other one of its double.",
            "def alibi_slopes(n_heads):\n    return [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]\n",
            convention=True,
        ),
        Mistake(
            "from-one",
            "Your series starts at 2^0 = 1. Heads count from 1, so the first slope of eight heads is 1/2 and the last "
            "1/256.",
            edited(solution, ("range(1, m + 1)", "range(m)")),
        ),
        Mistake(
            "first-of-the-next",
            "You take the next power of two above and keep its first slopes. Take the power of two *below*, then every "
            "other slope of its double.",
            """\
def alibi_slopes(n_heads):
    power = 1
    while power < n_heads:
        power *= 2
    return [2 ** (-8 * h / power) for h in range(1, n_heads + 1)]
""",
        ),
        Mistake(
            "not-every-other",
            "The heads left over take the first slopes of the doubled set one after the other. Take every other one: "
            "`[0::2]`; those between are already there.",
            edited(solution, ("[0::2]", "")),
        ),
        Mistake(
            "odd-ones",
            "The heads left over take the second, fourth, … slope of the doubled set, which the first part "
            "already has. "
            "Begin with its first.",
            edited(solution, ("[0::2]", "[1::2]")),
        ),
        Mistake(
            "sorted",
            "The slopes are right, but sorted. The released code keeps the heads left over at the end; a checkpoint "
            "depends on which head has which slope.",
            edited(
                solution,
                (
                    "return (series(power) + series(2 * power)[0::2])[:n_heads]",
                    "return sorted((series(power) + series(2 * power)[0::2])[:n_heads], reverse=True)",
                ),
            ),
            convention=True,
        ),
        Mistake(
            "negative",
            "Your slopes are below 0. A slope is positive; the minus sign is in the bias, −slope · distance.",
            edited(solution, ("[2 ** (", "[-2 ** (")),
        ),
        Mistake(
            "growing",
            "Your slopes are above 1: the exponent needs its minus sign.",
            edited(solution, ("(-8 * h / m)", "(8 * h / m)")),
        ),
        Mistake(
            "no-eight",
            "The exponent lacks the 8: the last of a power of two is always 2^−8, whatever the number of heads.",
            edited(solution, ("(-8 * h / m)", "(-h / m)")),
        ),
        Mistake(
            "eight-heads-only",
            "Your slopes halve from head to head for every head count. That holds for eight heads; in general the "
            "factor is 2^(−8/H).",
            edited(solution, ("2 ** (-8 * h / m)", "2 ** -h")),
        ),
        Mistake(
            "whole-exponent",
            "The exponent is rounded to whole numbers by `//`. Beyond eight heads it is a fraction: use `/`.",
            edited(solution, ("2 ** (-8 * h / m)", "2 ** (-(8 * h // m))")),
        ),
        Mistake(
            "powers-of-e",
            "The slopes are powers of e. They are powers of 2.",
            edited(solution, ("2 ** (-8 * h / m)", "2.718281828459045 ** (-8 * h / m)")),
        ),
        Mistake(
            "linear",
            "Your slopes are equally far apart. They form a geometric series: each is the one before times 2^(−8/H).",
            edited(solution, ("2 ** (-8 * h / m)", "h / m")),
        ),
        Mistake(
            "harmonic",
            "Your slopes are 1/1, 1/2, 1/3, … They form a geometric series: each is the one before times 2^(−8/H).",
            edited(solution, ("2 ** (-8 * h / m)", "1 / h")),
        ),
        Mistake(
            "left-over-first",
            "The heads that are left over come first in your list; they follow the slopes of the power of two. Which "
            "head has which slope matters to a checkpoint.",
            edited(
                solution,
                (
                    "(series(power) + series(2 * power)[0::2])[:n_heads]",
                    "series(2 * power)[0::2][: n_heads - power] + series(power)",
                ),
            ),
        ),
        Mistake(
            "left-over-from-the-end",
            "The heads left over take the *last* of the every-other slopes; take the first ones.",
            edited(solution, ("[0::2])[:n_heads]", "[0::2][2 * power - n_heads :])[:n_heads]")),
        ),
        Mistake(
            "left-over-missing",
            "Slopes are missing: for a head count that is no power of two, those of the power below are not enough.",
            edited(solution, (" + series(2 * power)[0::2]", "")),
        ),
        Mistake(
            "upside-down",
            "The exponent is upside down: it is 8h/H, not hH/8.",
            edited(solution, ("-8 * h / m", "-h * m / 8")),
        ),
        Mistake(
            "four-for-eight",
            "The series ends at 2^−4; it ends at 2^−8, whatever the number of heads.",
            edited(solution, ("-8 * h / m", "-4 * h / m")),
        ),
        Mistake(
            "power-strictly-below",
            "A power of two is taken for a count that is none: eight heads get the slopes of four, and every "
            "other one of "
            "eight. Take the largest power of two that is *not above* H.",
            edited(solution, ("while power * 2 <= n_heads", "while power * 2 < n_heads")),
        ),
        Mistake(
            "left-over-backwards",
            "The heads left over have the right slopes in reverse order. Which head has which slope matters to "
            "a checkpoint.",
            edited(
                solution, ("series(2 * power)[0::2])[:n_heads]", "series(2 * power)[0::2][: n_heads - power][::-1])")
            ),
        ),
        Mistake(
            "left-over-continued",
            "The heads left over continue the series below 2^−8. They stand *between* its members: every other "
            "slope of the "
            "doubled power.",
            edited(
                solution,
                (
                    "(series(power) + series(2 * power)[0::2])[:n_heads]",
                    "[2 ** (-8 * h / power) for h in range(1, n_heads + 1)]",
                ),
            ),
        ),
        Mistake(
            "from-a-half",
            "Your series runs from 1/2 to 1/256 for every head count. It begins with its own ratio, 2^(−8/H), "
            "which is 1/2 "
            "for eight heads only.",
            """\
def alibi_slopes(n_heads):
    return [2 ** -(1 + 7 * h / max(n_heads - 1, 1)) for h in range(n_heads)]
""",
        ),
    )

    def cases(self) -> list[Case]:
        return [Case((n,), tolerance=1e-4) for n in (8, 4, 16, 1, 12, 6, 20, 3, 7)]

    def random_case(self, rng: Random) -> Case:
        return Case((rng.randint(1, 80),), tolerance=1e-4)


class AlibiBias(CodeExercise):
    id = "alibi-bias"
    title = "The bias of ALiBi"
    prompt = """\
Write `alibi_bias(n_heads, n)`: the bias that ALiBi adds to the causal scores of $n$ tokens, before softmax, as
$H \\times n \\times n$ numbers. The number of heads $H$ is a power of two; head $h = 1 \\dots H$ has the slope
$2^{-8h/H}$. For query $i$ and key $j \\le i$,

$$b_{hij} = -\\text{slope}_h \\cdot (i - j).$$

In words: the further back a key stands, the lower its score, and each head has its own pace.

Above the diagonal, where the causal mask is, anything goes. So does a constant added to a row: softmax removes it.
"""
    chapter = "alibi"
    lecture = ("S2-17", "S3-53")
    claims = ("L-050", "L-051")
    function = "alibi_bias"
    starter = '''\
def alibi_bias(n_heads, n):
    """H tables of n rows (queries) and n columns (keys)."""
    ...
'''
    hints = (
        "Three nested loops or comprehensions: heads, queries i, keys j.",
        "The distance is i − j, how far back the key stands; a far key must get a *lower* score.",
    )
    solution = """\
def alibi_bias(n_heads, n):
    slopes = [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]
    return [[[-slope * (i - j) for j in range(n)] for i in range(n)] for slope in slopes]
"""
    variants = (
        Variant(
            "the key's index alone: every row differs by a constant, which softmax removes",
            """\
def alibi_bias(n_heads, n):
    return [[[2 ** (-8 * h / n_heads) * j for j in range(n)]] * n for h in range(1, n_heads + 1)]
""",
        ),
        Variant(
            "symmetric, with minus infinity where the causal mask is",
            """\
import math

def alibi_bias(n_heads, n):
    def entry(h, i, j):
        return -math.inf if j > i else -abs(i - j) / 2 ** (8 * (h + 1) / n_heads)
    return [[[entry(h, i, j) for j in range(n)] for i in range(n)] for h in range(n_heads)]
""",
        ),
        Variant(
            "NumPy, float32, measured from the last key",
            """\
import numpy as np

def alibi_bias(n_heads, n):
    slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)
    return np.float32(slopes[:, None, None] * np.tile(np.arange(1 - n, 1), (n, 1)))
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "rewards-distance",
            "The sign is the other way round: far keys are rewarded. The bias is −slope · distance.",
            edited(solution, ("-slope * (i - j)", "slope * (i - j)")),
        ),
        Mistake(
            "factor",
            "You return a factor exp(−slope · distance), which could be multiplied after softmax's exp. ALiBi *adds* "
            "−slope · distance to the score, before softmax.",
            "import math\n" + edited(solution, ("-slope * (i - j)", "math.exp(-slope * abs(i - j))")),
        ),
        Mistake(
            "zero-based-heads",
            "The first head has slope 1: heads count from 1, so its slope is 2^(−8/H).",
            edited(solution, ("range(1, n_heads + 1)", "range(n_heads)")),
        ),
        Mistake(
            "one-slope",
            "All heads share one slope. Head h has 2^(−8h/H), so each looks back at its own pace.",
            edited(solution, ("2 ** (-8 * h / n_heads)", "2 ** (-8 / n_heads)")),
        ),
        Mistake(
            "heads-reversed",
            "The heads are in reverse order: the first head has the largest slope.",
            edited(solution, ("range(1, n_heads + 1)", "range(n_heads, 0, -1)")),
        ),
        Mistake(
            "squared-distance",
            "The distance enters squared. ALiBi's penalty grows linearly.",
            edited(solution, ("(i - j)", "(i - j) ** 2")),
        ),
        Mistake(
            "no-bias",
            "The bias is the same for every key of a row, so softmax removes it. The key's index j has to enter.",
            edited(solution, ("-slope * (i - j)", "0.0")),
        ),
        Mistake(
            "powers-of-half",
            "The slopes halve from head to head whatever the head count. The factor is 2^(−8/H), which is 1/2 "
            "for eight "
            "heads only.",
            edited(solution, ("2 ** (-8 * h / n_heads)", "2 ** -h")),
        ),
        Mistake(
            "logarithmic",
            "The penalty grows with the logarithm of the distance. ALiBi's is linear.",
            "import math\n" + edited(solution, ("(i - j)", "math.log(1 + abs(i - j))")),
        ),
        Mistake(
            "divided-by-length",
            "The distance is divided by n. ALiBi's penalty per step must not depend on how long the text is.",
            edited(solution, ("(i - j)", "(i - j) / n")),
        ),
        Mistake(
            "no-slope",
            "The slopes are missing: every head subtracts the distance itself.",
            edited(solution, ("-slope * (i - j)", "j - i")),
        ),
        Mistake(
            "slope-a-half",
            "Every head has the slope 1/2. Head h has 2^(−8h/H), so each looks back at its own pace.",
            edited(solution, ("for slope in slopes]", "for slope in [0.5] * n_heads]")),
        ),
        Mistake(
            "last-slope-for-all",
            "Every head has the slope of the last, 1/256. Head h has 2^(−8h/H).",
            edited(solution, ("for slope in slopes]", "for slope in slopes[-1:] * n_heads]")),
        ),
        Mistake(
            "self-masked",
            "The diagonal is masked as well. A query sees itself: mask only keys after it, j > i.",
            edited(solution, ("-slope * (i - j) for j", '(-slope * (i - j) if j < i else float("-inf")) for j')),
        ),
        Mistake(
            "one-step-more",
            "Every key before the query counts one step too far: the key just before it is at distance 1, the query "
            "itself at 0.",
            edited(solution, ("(i - j)", "(i - j + (i != j))")),
        ),
        Mistake(
            "powers-of-e",
            "The slopes are powers of e; they are powers of 2.",
            edited(solution, ("2 ** (", "2.718281828459045 ** (")),
        ),
        Mistake(
            "no-eight",
            "The exponent lacks the 8: head h has the slope 2^(−8h/H).",
            edited(solution, ("-8 * h", "-h")),
        ),
        Mistake(
            "slope-squared",
            "The slope enters twice. The bias is −slope · distance.",
            edited(solution, ("-slope *", "-slope * slope *")),
        ),
        Mistake(
            "root-of-distance",
            "The penalty grows with the root of the distance. ALiBi's grows linearly.",
            edited(solution, ("(i - j)", "abs(i - j) ** 0.5")),
        ),
        Mistake(
            "growing-slopes",
            "Your slopes are above 1: the exponent needs its minus sign.",
            edited(solution, ("(-8 *", "(8 *")),
        ),
        Mistake(
            "whole-exponent",
            "The exponent is rounded to whole numbers by `//`, so neighbouring heads share a slope. Use `/`.",
            edited(solution, ("-8 * h / n_heads", "-8 * h // n_heads")),
        ),
        Mistake(
            "looks-ahead",
            "The mask is the wrong way round: your rows keep the keys *after* the query. Keys j up to i are visible.",
            edited(solution, ("-slope * (i - j) for j", '(-slope * (j - i) if j >= i else float("-inf")) for j')),
        ),
        Mistake(
            "divided-by-root",
            "The bias is divided by a root. Only the product of query and key is divided by √d; the bias is not.",
            edited(solution, ("-slope *", "-slope / n_heads**0.5 *")),
        ),
        Mistake(
            "harmonic-slopes",
            "Your slopes are 1, 1/2, 1/3, … They form a geometric series, 2^(−8h/H).",
            edited(solution, ("2 ** (-8 * h / n_heads)", "1 / h")),
        ),
        Mistake(
            "powers-of-two-distance",
            "You return 2 to the power of the bias. The bias itself is added to the score.",
            edited(solution, ("[-slope * (i - j)", "[2 ** (-slope * (i - j))")),
        ),
        Mistake(
            "weights",
            "Those are the weights, after softmax. Asked for is the bias that is added before it.",
            """\
import math
def alibi_bias(n_heads, n):
    slopes = [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]
    sums = [[sum(math.exp(-s * (i - j)) for j in range(i + 1)) for i in range(n)] for s in slopes]
    return [
        [[math.exp(-s * (i - j)) / t[i] if j <= i else 0.0 for j in range(n)] for i in range(n)]
        for s, t in zip(slopes, sums)
    ]
""",
        ),
    )

    def cases(self) -> list[Case]:
        return [Case((8, 6)), Case((4, 9)), Case((2, 3)), Case((1, 5)), Case((16, 4))]

    def random_case(self, rng: Random) -> Case:
        return Case((2 ** rng.randint(0, 4), rng.randint(1, 14)))

    compared_as = "after softmax"

    def comparable(self, value: Any, case: Case) -> Any:
        """The softmaxed causal rows."""
        return [[softmax(row[: i + 1]) for i, row in enumerate(head)] for head in value]

    def remark(self, value: Any, case: Case) -> str:
        """A key has no distance to itself: what stands there is the constant of its row."""
        constants = [abs(row[i]) for head in value for i, row in enumerate(head)]
        if max(constants) < 1e-6:
            return ""
        return (
            "Your rows are shifted: each holds a constant besides −slope · (i − j), as in the released code and BLOOM, "
            "which count from the key alone. Softmax removes it, so the weights are the same."
        )


def softmax(row: list[float]) -> list[float]:
    largest = max(row)
    powers = [math.exp(number - largest) for number in row]
    return [power / sum(powers) for power in powers]


class KerpleLog(CodeExercise):
    id = "kerple-log"
    title = "KERPLE's logarithmic bias"
    prompt = """\
Write `kerple_log(distances, r1, r2)`: the logarithmic bias of KERPLE for each distance,

$$b(d) = -r_1 \\ln(1 + r_2 |d|).$$

In words: the penalty grows fast at first and slowly later, the same to both sides.
"""
    chapter = "continuous"
    lecture = ("S1-12", "S2-20")
    claims = ("L-059",)
    function = "kerple_log"
    starter = '''\
import math

def kerple_log(distances, r1, r2):
    """One bias per distance, none above 0."""
    ...
'''
    hints = (
        "Go through the distances one by one; `abs` makes both directions alike.",
        "`math.log1p(x)` is the logarithm of 1 + x.",
    )
    solution = """\
import math

def kerple_log(distances, r1, r2):
    return [-r1 * math.log(1 + r2 * abs(d)) for d in distances]
"""
    variants = (
        Variant(
            "log1p, with the distance as a root of its square",
            """\
from math import log1p, sqrt

def kerple_log(distances, r1, r2):
    for d in distances:
        yield -(r1 * log1p(r2 * sqrt(d * d)))
""",
        ),
        Variant(
            "logarithms to base 2",
            """\
import math

def kerple_log(distances, r1, r2):
    return tuple(-r1 * math.log2(1 + abs(r2 * d)) * math.log(2) for d in distances)
""",
        ),
    )
    mistakes = (
        Mistake(
            "rewards-distance",
            "The minus sign is missing: far keys would be rewarded.",
            edited(solution, ("-r1", "r1")),
        ),
        Mistake(
            "parameters-exchanged",
            "r1 and r2 have changed places: r1 stands before the logarithm, r2 inside. (The released code calls them "
            "`bias_p` and `bias_a`, and swaps the letters in the power kind.)",
            edited(solution, ("-r1 * math.log(1 + r2", "-r2 * math.log(1 + r1")),
        ),
        Mistake(
            "no-one",
            "The 1 inside the logarithm is missing. With it, distance 0 costs nothing; without it, its logarithm does "
            "not exist.",
            edited(solution, ("1 + r2 * abs(d)", "max(r2 * abs(d), 1e-9)")),
        ),
        Mistake(
            "one-outside",
            "The 1 belongs inside the product's sum: ln(1 + r2·|d|), not ln(r2·(1 + |d|)).",
            edited(solution, ("1 + r2 * abs(d)", "r2 * (1 + abs(d))")),
        ),
        Mistake(
            "one-sided",
            "Negative distances get no penalty. |d| counts both directions alike.",
            edited(solution, ("abs(d)", "max(d, 0)")),
        ),
        Mistake(
            "power",
            "That is KERPLE's power kind, −r1·|d|^r2. The logarithmic kind is asked for.",
            edited(solution, ("math.log(1 + r2 * abs(d))", "abs(d) ** r2")),
        ),
        Mistake(
            "base-ten",
            "You take the logarithm to base 10; `math.log` is the natural one that the formula means.",
            edited(solution, ("math.log(", "math.log10(")),
        ),
        Mistake(
            "base-two",
            "You take the logarithm to base 2; `math.log` is the natural one that the formula means.",
            edited(solution, ("math.log(", "math.log2(")),
        ),
        Mistake(
            "negative-rewarded",
            "Negative distances are rewarded: the sign of d has come out of |d| again.",
            edited(solution, ("-r1 *", "(-r1 if d >= 0 else r1) *")),
        ),
        Mistake(
            "exponent-inside",
            "r2 is an exponent in yours. It multiplies: ln(1 + r2·|d|).",
            edited(solution, ("r2 * abs(d)", "abs(d) ** r2")),
        ),
        Mistake(
            "squared-distance",
            "The distance enters squared. It is |d|: `abs(d)`, or the root of d².",
            edited(solution, ("abs(d)", "d * d")),
        ),
        Mistake(
            "r2-outside",
            "r2 divides or multiplies outside the logarithm; it belongs inside, before |d|.",
            edited(solution, ("math.log(1 + r2 * abs(d))", "r2 * math.log(1 + abs(d))")),
        ),
        Mistake(
            "both-inside",
            "r1 has gone inside the logarithm. It stands before it: −r1·ln(1 + r2·|d|).",
            edited(solution, ("-r1 * math.log(1 + r2", "-math.log(1 + r1 * r2")),
        ),
        Mistake(
            "whole-distances",
            "The distances are cut to whole numbers. They may be fractions.",
            edited(solution, ("abs(d)", "int(abs(d))")),
        ),
        Mistake(
            "linear",
            "The logarithm is missing: that is linear, as in ALiBi.",
            edited(solution, ("math.log(1 + r2 * abs(d))", "r2 * abs(d)")),
        ),
        Mistake(
            "other-side-only",
            "Positive distances get no penalty. |d| counts both directions alike.",
            edited(solution, ("abs(d)", "max(0, -d)")),
        ),
        Mistake(
            "r1-added",
            "r1 is added. It multiplies: −r1·ln(1 + r2·|d|).",
            edited(solution, ("-r1 * math", "r1 - math")),
        ),
        Mistake(
            "brackets",
            "The brackets are wrong: 1 is added to the product r2·|d|, not to r2.",
            edited(solution, ("math.log(1 + r2 * abs(d))", "math.log(max(1.0, (1 + r2) * abs(d)))")),
        ),
        Mistake(
            "root-of-distance",
            "The root of the distance enters. It is |d| itself.",
            edited(solution, ("abs(d)", "abs(d) ** 0.5")),
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case(([0, 1, 2, 5], 1.0, 0.5)),
            Case(([-3, -1, 0, 4, 100], 0.7, 1.6)),
            Case(([-2.5, 0.5, 12.25], 2.0, 0.1)),
        ]

    def random_case(self, rng: Random) -> Case:
        distances = [rng.randint(-300, 300) for _ in range(rng.randint(1, 8))]
        return Case((distances, round(rng.uniform(0.01, 3), 3), round(rng.uniform(0.01, 3), 3)))


class KerplePower(CodeExercise):
    id = "kerple-power"
    title = "KERPLE's power bias"
    prompt = """\
Write `kerple_power(distances, r1, r2)`: the power bias of KERPLE for each distance,

$$b(d) = -r_1 |d|^{r_2}, \\qquad 0 < r_2 \\le 2.$$

An exponent above 2 is lowered to 2, as the released code does.

In words: ALiBi is the case of exponent 1; below 1 the penalty flattens, above it steepens.
"""
    chapter = "continuous"
    lecture = ("S1-12", "S2-20")
    claims = ("L-059",)
    function = "kerple_power"
    starter = '''\
def kerple_power(distances, r1, r2):
    """One bias per distance, none above 0."""
    ...
'''
    hints = (
        "`abs(d) ** exponent` for each distance; the sign and r1 come after the power.",
        "`min(r2, 2)` lowers an exponent that is too large.",
    )
    solution = """\
def kerple_power(distances, r1, r2):
    exponent = min(r2, 2)
    return [-r1 * abs(d) ** exponent for d in distances]
"""
    variants = (
        Variant(
            "exp and log, with distance 0 apart",
            """\
import math

def kerple_power(distances, r1, r2):
    if r2 > 2:
        r2 = 2.0
    return [-r1 * math.exp(r2 * math.log(abs(d))) if d else 0 for d in distances]
""",
        ),
    )
    mistakes = (
        Mistake(
            "rewards-distance",
            "The minus sign is missing: far keys would be rewarded.",
            edited(solution, ("-r1", "r1")),
        ),
        Mistake(
            "parameters-exchanged",
            "r1 and r2 have changed places: r2 is the exponent.",
            """\
def kerple_power(distances, r1, r2):
    return [-r2 * abs(d) ** min(r1, 2) for d in distances]
""",
        ),
        Mistake(
            "no-limit",
            "An exponent above 2 has to be lowered to 2; beyond it the kernel is no longer conditionally positive "
            "definite.",
            edited(solution, ("min(r2, 2)", "r2")),
        ),
        Mistake(
            "slope-inside",
            "r1 is raised to the power too. The power takes |d| alone: −r1·(|d|^r2).",
            edited(solution, ("-r1 * abs(d) ** exponent", "-(r1 * abs(d)) ** exponent")),
        ),
        Mistake(
            "linear",
            "The exponent is not used: that is ALiBi, the case r2 = 1.",
            edited(solution, (" ** exponent", "")),
        ),
        Mistake(
            "logarithmic",
            "That is KERPLE's logarithmic kind; a power is asked for.",
            "import math\n" + edited(solution, ("abs(d) ** exponent", "math.log(1 + r2 * abs(d))")),
        ),
        Mistake(
            "negative-rewarded",
            "Negative distances are rewarded: the sign of d has come out of |d| again.",
            edited(solution, ("-r1 *", "(-r1 if d >= 0 else r1) *")),
        ),
        Mistake(
            "no-absolute-value",
            "A negative number to a broken power is complex in Python, and to an odd power below 0. Take |d| first.",
            edited(solution, ("abs(d) **", "float(d) **")),
        ),
        Mistake(
            "no-absolute-value-in-numpy",
            "A negative number to a broken power is NaN in NumPy. Take |d| first: `abs(d)`.",
            """\
import numpy as np
def kerple_power(distances, r1, r2):
    return -r1 * np.asarray(distances, dtype=float) ** min(r2, 2)
""",
            arrays=True,
        ),
        Mistake(
            "multiplied",
            "The distance is multiplied by r2. It is raised to that power: `**`.",
            edited(solution, ("** exponent", "* exponent")),
        ),
        Mistake(
            "exponential",
            "Base and exponent have changed places: |d| is raised to the power r2, not r2 to the power |d|.",
            edited(solution, ("abs(d) ** exponent", "exponent ** abs(d)")),
        ),
        Mistake(
            "root-for-power",
            "The exponent is 1/r2. It is r2 itself.",
            edited(solution, ("** exponent", "** (1 / exponent)")),
        ),
        Mistake(
            "raised-to-two",
            "An exponent *below* 2 is raised to 2: that is `max`. Lower those above: `min(r2, 2)`.",
            edited(solution, ("min(", "max(")),
        ),
        Mistake(
            "limit-refused",
            "An exponent above 2 is to be lowered to 2, not refused with an error.",
            """\
def kerple_power(distances, r1, r2):
    if r2 > 2:
        raise ValueError("r2 is above 2")
    return [-r1 * abs(d) ** r2 for d in distances]
""",
        ),
        Mistake(
            "limit-at-one",
            "The exponent is lowered to 1; up to 2 is allowed.",
            edited(solution, ("min(r2, 2)", "min(r2, 1)")),
        ),
        Mistake(
            "one-plus",
            "A 1 is added to the distance, as the logarithmic kind does. Here distance 0 costs nothing without it.",
            edited(solution, ("abs(d)", "(1 + abs(d))")),
        ),
        Mistake(
            "whole-distances",
            "The distances are cut to whole numbers. They may be fractions.",
            edited(solution, ("abs(d)", "int(abs(d))")),
        ),
        Mistake(
            "falling-power",
            "The exponent has a minus: your penalty gets smaller with the distance.",
            edited(solution, ("for d in", "if d else 0.0 for d in"), ("** exponent", "** -exponent")),
        ),
        Mistake(
            "value-limited",
            "The limit of 2 is that of the exponent: `min(r2, 2)`. You limit the power itself.",
            edited(solution, ("abs(d) ** exponent", "min(abs(d) ** exponent, 2)")),
        ),
        Mistake(
            "distance-limited",
            "The limit of 2 is that of the exponent: `min(r2, 2)`. You limit the distance.",
            edited(solution, ("abs(d)", "min(abs(d), 2)")),
        ),
        Mistake(
            "r1-added",
            "r1 is added. It multiplies: −r1·|d|^r2.",
            edited(solution, ("-r1 * abs", "r1 - abs")),
        ),
        Mistake(
            "one-sided",
            "Negative distances get no penalty. |d| counts both directions alike.",
            edited(solution, ("abs(d)", "max(0, d)")),
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case(([0, 1, 2, 5], 0.5, 1.0)),
            Case(([-3, -1, 0, 4, 20], 0.7, 1.6)),
            Case(([-2.5, 0.5, 9.0], 2.0, 0.25)),
            Case(([3, -4], 0.25, 3.0)),
        ]

    def random_case(self, rng: Random) -> Case:
        distances = [rng.randint(-60, 60) for _ in range(rng.randint(1, 8))]
        return Case((distances, round(rng.uniform(0.01, 3), 3), round(rng.uniform(0.05, 3), 3)))


class ContinuousBias(CodeExercise):
    id = "continuous-bias"
    title = "The worked example, once more"
    prompt = """\
Write `weights_with_bias(scores, slope)`: the attention weights of the worked example. Add the bias
$-\\text{slope} \\cdot |i - j|$ to the score of query $i$ and key $j$, then take the softmax of each row.

In words: scores fall off linearly with the distance before they become weights, and each row of weights sums to 1.
"""
    chapter = "worked-example"
    lecture = ("S1-16", "S1-17", "S1-18")
    claims = ("L-014", "L-015")
    function = "weights_with_bias"
    starter = '''\
import math

def weights_with_bias(scores, slope=0.5):
    """Rows of weights, each with the sum 1."""
    ...
'''
    hints = (
        "First the biased row: `score - slope * abs(i - j)` for each key j.",
        "Softmax of a row: `math.exp` of each entry, divided by the sum of them over the row.",
    )
    solution = """\
import math

def weights_with_bias(scores, slope=0.5):
    weights = []
    for i, row in enumerate(scores):
        powers = [math.exp(score - slope * abs(i - j)) for j, score in enumerate(row)]
        weights.append([power / sum(powers) for power in powers])
    return weights
"""
    variants = (
        Variant(
            "the largest score taken off first, so that large scores do not overflow",
            """\
from math import exp

def weights_with_bias(scores, slope=0.5):
    def softmax(row):
        top = max(row)
        shares = [exp(value - top) for value in row]
        total = sum(shares)
        return [share / total for share in shares]
    n = len(scores)
    return [softmax([scores[i][j] - slope * max(i - j, j - i) for j in range(n)]) for i in range(n)]
""",
        ),
        Variant(
            "NumPy",
            """\
import numpy as np

def weights_with_bias(scores, slope=0.5):
    index = np.arange(len(scores))
    biased = np.exp(np.asarray(scores) - slope * np.abs(index[:, None] - index))
    return biased / biased.sum(1, keepdims=True)
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "rewards-distance",
            "The bias has the wrong sign: far keys are rewarded. Subtract slope · distance.",
            edited(solution, ("score - slope", "score + slope")),
        ),
        Mistake(
            "after-softmax",
            "The bias is added to the weights, after softmax. It belongs to the scores; weights that it is added to "
            "neither sum to 1 nor stay above 0.",
            """\
import math
def weights_with_bias(scores, slope=0.5):
    weights = []
    for i, row in enumerate(scores):
        powers = [math.exp(score) for score in row]
        weights.append([power / sum(powers) - slope * abs(i - j) for j, power in enumerate(powers)])
    return weights
""",
        ),
        Mistake(
            "one-sided",
            "The distance is not taken as |i − j|, so keys after the query are rewarded.",
            edited(solution, ("abs(i - j)", "(i - j)")),
        ),
        Mistake(
            "column-softmax",
            "Softmax runs down the columns. Each row (one query) must sum to 1.",
            """\
import math
def weights_with_bias(scores, slope=0.5):
    n = len(scores)
    powers = [[math.exp(scores[i][j] - slope * abs(i - j)) for j in range(n)] for i in range(n)]
    totals = [sum(row[j] for row in powers) for j in range(n)]
    return [[row[j] / totals[j] for j in range(n)] for row in powers]
""",
        ),
        Mistake(
            "no-bias",
            "The bias is missing: these are the weights of the content alone.",
            edited(solution, (" - slope * abs(i - j)", "")),
        ),
        Mistake(
            "whole-softmax",
            "You divide by the sum over the whole matrix; each row has its own sum.",
            """\
import math
def weights_with_bias(scores, slope=0.5):
    powers = [[math.exp(s - slope * abs(i - j)) for j, s in enumerate(row)] for i, row in enumerate(scores)]
    total = sum(map(sum, powers))
    return [[power / total for power in row] for row in powers]
""",
        ),
        Mistake(
            "not-normalised",
            "The exponentials are not divided by their sum, so the rows do not sum to 1.",
            edited(solution, ("[power / sum(powers) for power in powers]", "powers")),
        ),
        Mistake(
            "scores-only",
            "These are the biased scores; the softmax of each row is missing.",
            edited(
                solution,
                ("math.exp(score - slope * abs(i - j))", "score - slope * abs(i - j)"),
                ("[power / sum(powers) for power in powers]", "powers"),
            ),
        ),
        Mistake(
            "causal",
            "You also mask the keys after the query. In this example every query sees every key.",
            edited(
                solution,
                ("math.exp(score - slope * abs(i - j))", "(math.exp(score - slope * abs(i - j)) if j <= i else 0.0)"),
            ),
        ),
        Mistake(
            "squared-distance",
            "The distance enters squared; the penalty grows linearly, with |i − j|.",
            edited(solution, ("abs(i - j)", "(i - j) ** 2")),
        ),
        Mistake(
            "multiplied",
            "The score is multiplied by the bias. Subtract slope · distance from it.",
            edited(solution, ("score - slope", "score * -slope")),
        ),
        Mistake(
            "not-renormalised",
            "The weights are lowered after softmax, so the rows no longer sum to 1. Add the bias to the scores first.",
            """\
import math
def weights_with_bias(scores, slope=0.5):
    weights = []
    for i, row in enumerate(scores):
        powers = [math.exp(score) for score in row]
        weights.append([power / sum(powers) * math.exp(-slope * abs(i - j)) for j, power in enumerate(powers)])
    return weights
""",
        ),
        Mistake(
            "linear-factor",
            "You multiply by 1 − slope · distance, which is no softmax of biased scores and falls below 0. Subtract "
            "the penalty from the score, inside `exp`.",
            edited(solution, ("math.exp(score - slope * abs(i - j))", "math.exp(score) * (1 - slope * abs(i - j))")),
        ),
        Mistake(
            "powers-of-two",
            "Softmax takes powers of e, `math.exp`; yours are powers of 2.",
            edited(solution, ("math.exp(score - slope * abs(i - j))", "2 ** (score - slope * abs(i - j))")),
        ),
        Mistake(
            "largest-is-one",
            "You divide by the largest of a row; divide by its sum.",
            edited(solution, ("sum(powers)", "max(powers)")),
        ),
        Mistake(
            "mean",
            "You divide by how many there are; divide by their sum.",
            edited(solution, ("sum(powers)", "len(powers)")),
        ),
        Mistake(
            "sum-without-exp",
            "The scores are divided by their sum, but never exponentiated: softmax takes `exp` first.",
            edited(solution, ("math.exp(score - slope * abs(i - j))", "(score - slope * abs(i - j))")),
        ),
        Mistake(
            "softmax-twice",
            "Softmax is taken twice: the bias is added to weights, and the sum goes through softmax again. Add it to "
            "the scores.",
            """\
import math
def softmax(row):
    powers = [math.exp(score) for score in row]
    return [power / sum(powers) for power in powers]
def weights_with_bias(scores, slope=0.5):
    return [
        softmax([weight - slope * abs(i - j) for j, weight in enumerate(softmax(row))]) for i, row in enumerate(scores)
    ]
""",
        ),
        Mistake(
            "divided-by-another-row",
            "Each column is divided by the sum of the row with its number. In NumPy, keep the axis: `e / e.sum(-1, "
            "keepdims=True)`.",
            """\
import math
def weights_with_bias(scores, slope=0.5):
    powers = [[math.exp(score - slope * abs(i - j)) for j, score in enumerate(row)] for i, row in enumerate(scores)]
    sums = [sum(row) for row in powers]
    return [[power / total for power, total in zip(row, sums)] for row in powers]
""",
        ),
        Mistake(
            "one-step-more",
            "Neighbours are at distance 1, not 2: the distance is |i − j|.",
            edited(solution, ("abs(i - j)", "(abs(i - j) + (i != j))")),
        ),
        Mistake(
            "keys-before-rewarded",
            "The distance is not taken as |i − j|, so keys *before* the query are rewarded.",
            edited(solution, ("abs(i - j)", "(j - i)")),
        ),
        Mistake(
            "divided-by-root",
            "The scores are divided by a root. They are given as they are: add the bias, and take softmax.",
            edited(solution, ("math.exp(score -", "math.exp(score / len(row) ** 0.5 -")),
        ),
        Mistake(
            "all-divided-by-root",
            "Scores and bias are divided by a root. They are given as they are: add the bias, and take softmax.",
            edited(
                solution,
                ("math.exp(score - slope * abs(i - j))", "math.exp((score - slope * abs(i - j)) / len(row) ** 0.5)"),
            ),
        ),
        Mistake(
            "logarithmic",
            "The penalty grows with the logarithm of the distance. It is linear: slope · |i − j|.",
            edited(solution, ("abs(i - j)", "math.log(1 + abs(i - j))")),
        ),
        Mistake(
            "root-of-distance",
            "The penalty grows with the root of the distance. It is linear: slope · |i − j|.",
            edited(solution, ("abs(i - j)", "abs(i - j) ** 0.5")),
        ),
        Mistake(
            "divided-by-length",
            "The distance is divided by the number of tokens. It is |i − j| itself.",
            edited(solution, ("abs(i - j)", "abs(i - j) / len(row)")),
        ),
        Mistake(
            "sigmoid",
            "Each score goes through a sigmoid by itself. Softmax divides by the sum of the whole row.",
            edited(solution, ("power / sum(powers)", "power / (1 + power)")),
        ),
        Mistake(
            "all-or-nothing",
            "The largest score of a row gets all the weight. Softmax shares it out.",
            edited(solution, ("power / sum(powers)", "float(power == max(powers))")),
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case(([[1, 5, 3], [3, 3, 3], [2, 4, 3]], 0.5)),
            Case(([[1.0, 5.0, 3.0], [3.0, 3.0, 3.0], [2.0, 4.0, 3.0]],)),
            Case(([[0.2, -1.0, 0.4, 2.0], [1.5, 0.0, 0.3, -0.7], [0.0, 0.1, 0.2, 0.3], [2.0, 1.0, 0.5, 0.1]], 1.25)),
        ]

    def random_case(self, rng: Random) -> Case:
        n = rng.randint(1, 6)
        scores = [[round(rng.uniform(-3, 3), 2) for _ in range(n)] for _ in range(n)]
        return Case((scores,), {"slope": round(rng.uniform(0.1, 3), 2)} if rng.random() < 0.7 else {})
