"""Relative positions: the index into Shaw's table, and Transformer-XL's shift."""

from __future__ import annotations

from random import Random
from typing import Any

from pe_course.exercises.exercise import Case, CodeExercise, Mistake, Variant, edited


class ShawIndex(CodeExercise):
    id = "shaw-index"
    title = "The index into Shaw's table"
    prompt = """\
Shaw et al. keep one vector per relative position from $-m$ to $m$, with $m$ = `max_rel`. Write
`shaw_index(n, max_rel)`: for query $i$ and key $j$ the row of that table, $n$ rows of $n$ whole numbers,

$$\\operatorname{clip}(j - i,\\, -m,\\, m) + m.$$

In words: the distance key − query is clipped first, then shifted so that the smallest becomes row 0.
"""
    chapter = "relative"
    lecture = ("S3-19", "S3-57")
    claims = ("L-077", "L-129")
    function = "shaw_index"
    starter = '''\
def shaw_index(n, max_rel):
    """n rows (queries) of n whole numbers from 0 to 2 * max_rel."""
    ...
'''
    hints = (
        "Entry (i, j) is about j − i: keys after the query are above 0.",
        "Clip with `max(-max_rel, min(max_rel, j - i))`; add max_rel after that.",
    )
    solution = """\
def shaw_index(n, max_rel):
    return [[max(-max_rel, min(max_rel, j - i)) + max_rel for j in range(n)] for i in range(n)]
"""
    variants = (
        Variant(
            "each row is a window of one long row",
            """\
def shaw_index(n, max_rel):
    long = [min(max(d + max_rel, 0), 2 * max_rel) for d in range(1 - n, n)]
    return [long[n - 1 - i : 2 * n - 1 - i] for i in range(n)]
""",
        ),
        Variant(
            "NumPy",
            """\
import numpy as np

def shaw_index(n, max_rel):
    index = np.arange(n)
    return np.clip(index[None] - index[:, None], -max_rel, max_rel) + max_rel
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "shift-then-clip",
            "You shift before you clip (to −max_rel … max_rel): far keys to the right fold onto the middle of the "
            "table. Clip j − i first, then add max_rel.",
            edited(
                solution,
                ("max(-max_rel, min(max_rel, j - i)) + max_rel", "max(-max_rel, min(max_rel, j - i + max_rel))"),
            ),
        ),
        Mistake(
            "query-minus-key",
            "The sides are exchanged: the index counts key − query (j − i), so keys after the query are in the upper "
            "half of the table.",
            edited(solution, ("j - i", "i - j")),
        ),
        Mistake(
            "no-shift",
            "The indices start at −max_rel; in Python, −1 reads the last row of a table. Add max_rel.",
            edited(solution, (")) + max_rel", "))")),
        ),
        Mistake(
            "no-clip",
            "Far distances run out of the table of 2·max_rel + 1 rows: clip j − i to ±max_rel before the shift.",
            edited(solution, ("max(-max_rel, min(max_rel, j - i))", "j - i")),
        ),
        Mistake(
            "no-direction",
            "Left and right share their rows: the distance is taken without its sign.",
            edited(solution, ("j - i", "abs(j - i)")),
        ),
        Mistake(
            "clipped-above-only",
            "Only keys far to the right are clipped; those far to the left get negative indices.",
            edited(solution, ("max(-max_rel, min(max_rel, j - i))", "min(max_rel, j - i)")),
        ),
        Mistake(
            "one-row-short",
            "Your indices are clipped one step too early: −max_rel and max_rel have rows of their own, 2·max_rel "
            "+ 1 in all.",
            edited(solution, ("max(-max_rel, min(max_rel, j - i))", "max(1 - max_rel, min(max_rel - 1, j - i))")),
        ),
        Mistake(
            "wrapped",
            "Far distances wrap round (`%`) instead of sharing the row at their end of the table: clip them.",
            edited(solution, ("max(-max_rel, min(max_rel, j - i)) + max_rel", "(j - i + max_rel) % (2 * max_rel + 1)")),
        ),
        Mistake(
            "shifted-by-length",
            "The shift is n − 1, which needs a table of 2n − 1 rows that grows with the text. The table ends at "
            "±max_rel: clip, then add max_rel.",
            edited(solution, ("max(-max_rel, min(max_rel, j - i)) + max_rel", "j - i + n - 1")),
        ),
        Mistake(
            "clipped-then-shifted-by-length",
            "The distance is clipped, but then shifted by n − 1. The smallest, −max_rel, has to become row 0: add "
            "max_rel.",
            edited(solution, ("+ max_rel for", "+ n - 1 for")),
        ),
        Mistake(
            "clipped-at-zero",
            "All negative distances become row 0: you clip to 0 … 2·max_rel without the shift. Add max_rel to j − i "
            "first, or clip to ±max_rel.",
            edited(solution, ("max(-max_rel, min(max_rel, j - i)) + max_rel", "max(0, min(2 * max_rel, j - i))")),
        ),
        Mistake(
            "far-as-near",
            "Far distances get the row of distance 0. They share the row at their own end of the table.",
            edited(
                solution,
                ("max(-max_rel, min(max_rel, j - i)) + max_rel", "(j - i if abs(j - i) <= max_rel else 0) + max_rel"),
            ),
        ),
        Mistake(
            "upper-end-short",
            "At the right end you clip one step too early, as a `range` would: max_rel has a row of its own, "
            "2·max_rel + 1 in all.",
            edited(solution, ("min(max_rel, j", "min(max_rel - 1, j")),
        ),
        Mistake(
            "clipped-below-only",
            "Only keys far to the left are clipped; those far to the right run out of the table.",
            edited(solution, ("min(max_rel, j - i)", "j - i")),
        ),
        Mistake(
            "causal",
            "All keys after the query get the row of distance 0. Shaw's table has rows for both sides.",
            edited(solution, ("min(max_rel, j", "min(0, j")),
        ),
        Mistake(
            "key-alone",
            "The query's index is missing: each row is the same. The distance is j − i.",
            edited(solution, ("j - i", "j")),
        ),
        Mistake(
            "python-negative",
            "The zero of your distances is row 0, and negative ones wrap round to the end of the table. Shaw's table "
            "runs from −max_rel to max_rel: add max_rel.",
            edited(
                solution,
                (
                    "max(-max_rel, min(max_rel, j - i)) + max_rel",
                    "max(-max_rel, min(max_rel, j - i)) % (2 * max_rel + 1)",
                ),
            ),
        ),
        Mistake(
            "shifted-twice",
            "max_rel is added twice: after one shift, the smallest is row 0 already.",
            edited(solution, ("+ max_rel for", "+ 2 * max_rel for")),
        ),
        Mistake(
            "sum-for-distance",
            "The two indices are added. The distance is j − i.",
            edited(solution, ("j - i", "j + i")),
        ),
    )

    def cases(self) -> list[Case]:
        return [Case(pair, tolerance=0) for pair in ((3, 4), (7, 2), (6, 1), (1, 3), (9, 3))]

    def random_case(self, rng: Random) -> Case:
        return Case((rng.randint(1, 14), rng.randint(1, 9)), tolerance=0)


class RelShift(CodeExercise):
    id = "rel-shift"
    title = "Transformer-XL's shift"
    prompt = """\
Transformer-XL scores each query with every *distance* first: in the table `x` of $q$ rows and $k$ columns, column $m$
of a row is the score at distance $k - 1 - m$. The $q$ queries are the last $q$ of the $k$ positions, so row $i$ is
the query at position $k - q + i$.

Write `rel_shift(x)`: the same scores by *key*, $q$ rows of $k$ columns, where column $j$ is the score with key $j$.
Above the causal diagonal ($j > k - q + i$) anything goes.

In words: every row is moved to the left, the first row the furthest, the last row not at all.
"""
    chapter = "relative"
    lecture = ("S3-67", "S2-09")
    claims = ("L-039", "L-146")
    function = "rel_shift"
    starter = '''\
def rel_shift(x):
    """q rows of k scores, column j for key j."""
    ...
'''
    hints = (
        "For query i and key j, the distance is (k − q + i) − j. In which column of x does that distance stand?",
        "Column m holds distance k − 1 − m, so m = j + (q − 1) − i.",
        "Above the diagonal that column would run past the end; put 0 there.",
    )
    solution = """\
def rel_shift(x):
    q, k = len(x), len(x[0])
    return [[x[i][j + q - 1 - i] if j <= k - q + i else 0.0 for j in range(k)] for i in range(q)]
"""
    variants = (
        Variant(
            "the released trick: a zero before each row, read again q to a row, without the first row",
            """\
def rel_shift(x):
    q, k = len(x), len(x[0])
    numbers = [number for row in x for number in [0.0, *row]]
    numbers = numbers[q:]
    return [numbers[r * k : (r + 1) * k] for r in range(q)]
""",
        ),
        Variant(
            "each row cut on the left and filled with minus infinity on the right",
            """\
def rel_shift(x):
    out = []
    for missing, row in zip(range(len(x) - 1, -1, -1), x):
        out.append(list(row[missing:]) + [float("-inf")] * missing)
    return out
""",
        ),
        Variant(
            "NumPy: pad, reshape, drop",
            """\
import numpy as np

def rel_shift(x):
    x = np.asarray(x)
    q, k = x.shape
    return np.hstack([np.zeros((q, 1)), x]).reshape(k + 1, q)[1:].reshape(q, k)
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "last-row-dropped",
            "After padding and reading again you drop the last row; the first one has to go.",
            """\
def rel_shift(x):
    q, k = len(x), len(x[0])
    numbers = [number for row in x for number in [0.0, *row]]
    return [numbers[r * k : (r + 1) * k] for r in range(q)]
""",
        ),
        Mistake(
            "not-shifted",
            "The scores are not shifted: column j of x is a distance, not a key.",
            "def rel_shift(x):\n    return [list(row) for row in x]\n",
        ),
        Mistake(
            "shifted-right",
            "The rows move the wrong way: row i reads columns to its left. Column j + (q − 1) − i of x belongs "
            "to key j.",
            edited(solution, ("j + q - 1 - i] if j <= k - q + i else 0.0", "max(j - (q - 1 - i), 0)]")),
        ),
        Mistake(
            "one-too-far",
            "Every row is shifted one step too far: the last row does not move.",
            edited(solution, ("1 - i] if j <= k - q + i", "i] if j + q - i < k")),
        ),
        Mistake(
            "square-only",
            "The shift is computed from k instead of q. With fewer queries than keys, the last query is at the "
            "last key, "
            "so the last row must not move.",
            edited(solution, ("q - 1 - i] if j <= k - q + i", "k - 1 - i] if j + k - 1 - i < k")),
        ),
        Mistake(
            "reversed",
            "The rows are turned round instead of shifted. Distances fall from left to right in x, and so they "
            "do among "
            "the keys up to the query.",
            "def rel_shift(x):\n    return [list(row)[::-1] for row in x]\n",
        ),
        Mistake(
            "rows-from-the-top",
            "The last row moves the furthest and the first stays: it is the other way round.",
            edited(solution, ("q - 1 - i] if j <= k - q + i", "i] if j + i < k")),
        ),
        Mistake(
            "rolled-right",
            "The rows are rolled to the right, as `np.roll` does for positive numbers. They move to the *left*, the "
            "first row by q − 1.",
            edited(solution, ("x[i][j + q - 1 - i] if j <= k - q + i else 0.0", "x[i][(j - (q - 1 - i)) % k]")),
        ),
        Mistake(
            "rolled-right-by-row",
            "Row i is rolled i places to the right. It moves to the left, by q − 1 − i: the last row stays.",
            edited(solution, ("x[i][j + q - 1 - i] if j <= k - q + i else 0.0", "x[i][(j - i) % k]")),
        ),
        Mistake(
            "same-shift",
            "All rows move by the same number of places. Row i moves by q − 1 − i.",
            edited(
                solution,
                ("x[i][j + q - 1 - i] if j <= k - q + i else 0.0", "x[i][j + q - 1] if j + q - 1 < k else 0.0"),
            ),
        ),
        Mistake(
            "one-too-little",
            "Every row is shifted one step too little: the first row moves by q − 1, the last by 0.",
            edited(
                solution,
                (
                    "x[i][j + q - 1 - i] if j <= k - q + i else 0.0",
                    "x[i][j + q - 2 - i] if 0 <= j + q - 2 - i < k else 0.0",
                ),
            ),
        ),
        Mistake(
            "one-step-for-all",
            "Every row moves one place to the left. Row i moves by q − 1 − i.",
            edited(solution, ("x[i][j + q - 1 - i] if j <= k - q + i else 0.0", "x[i][j + 1] if j + 1 < k else 0.0")),
        ),
        Mistake(
            "padded-row-dropped",
            "You drop the padding that you added, entry by entry, instead of the first row: pad each row with one "
            "zero on the left, read the whole as k + 1 rows of q, then drop the first of these rows and read q rows "
            "of k.",
            """\
def rel_shift(x):
    q, k = len(x), len(x[0])
    padded = [number for row in x for number in (0.0, *row)]
    return [padded[1 + k * i : 1 + k * (i + 1)] for i in range(q)]
""",
        ),
        Mistake(
            "rolled-left-by-row",
            "Row i is rolled i places to the left, so the last row moves furthest. It moves by q − 1 − i: the "
            "last row stays.",
            """\
def rel_shift(x):
    return [list(row[i % len(row) :]) + list(row[: i % len(row)]) for i, row in enumerate(x)]
""",
        ),
        Mistake(
            "shifted-twice",
            "The scores are shifted twice.",
            """\
def rel_shift(x):
    q, k = len(x), len(x[0])
    return [[x[i][m] if (m := j + 2 * (q - 1 - i)) < k else 0.0 for j in range(k)] for i in range(q)]
""",
        ),
    )

    def cases(self) -> list[Case]:
        rng = Random(5)

        def table(q: int, k: int) -> list:
            return [[round(rng.uniform(-2, 2), 2) for _ in range(k)] for _ in range(q)]

        return [Case((table(q, k),)) for q, k in ((3, 3), (2, 5), (1, 4), (4, 6), (5, 5))]

    def random_case(self, rng: Random) -> Case:
        q = rng.randint(1, 6)
        k = q + rng.randint(0, 4)
        return Case(([[round(rng.uniform(-2, 2), 2) for _ in range(k)] for _ in range(q)],))

    def comparable(self, value: Any, case: Case) -> Any:
        """Rows up to the causal diagonal."""
        q, k = len(value), len(value[0])
        return [list(row[: k - q + i + 1]) for i, row in enumerate(value)]
