"""Sinusoidal positions: the table, and the matrix that shifts it."""

from __future__ import annotations

from random import Random

from pe_course.exercises.exercise import Case, CodeExercise, Mistake, Variant, edited


class SinusoidalTable(CodeExercise):
    id = "sinusoidal-pe"
    title = "The sinusoidal table"
    prompt = """\
Write `sinusoidal_pe(n, d, base)`: the table of Vaswani et al. for positions $0 \\dots n-1$ and $d$ channels
($d$ is even), as $n$ rows of $d$ numbers.

Column $2i$ holds the sine and column $2i+1$ the cosine of one angle:

$$\\text{angle} = \\text{position} \\cdot \\text{base}^{-2i/d}.$$

In words: both columns of pair $i$ turn at the same speed, and each pair turns slower than the one before.
"""
    chapter = "absolute"
    lecture = ("S3-25", "S3-26")
    claims = ("L-089", "L-094")
    function = "sinusoidal_pe"
    starter = '''\
import math

def sinusoidal_pe(n, d, base=10000.0):
    """n rows of d numbers: sine in even columns, cosine in odd ones."""
    ...
'''
    hints = (
        "Start with one row: position p, pairs i = 0 … d/2 − 1, each with its own angle.",
        "Column c belongs to pair i = c // 2. Both columns of a pair share the exponent 2i/d.",
        "The speed of pair i is `base ** (-2 * i / d)`; the first pair turns one radian per position.",
    )
    solution = """\
import math

def sinusoidal_pe(n, d, base=10000.0):
    table = []
    for position in range(n):
        row = []
        for i in range(d // 2):
            angle = position * base ** (-2 * i / d)
            row += [math.sin(angle), math.cos(angle)]
        table.append(row)
    return table
"""
    variants = (
        Variant(
            "powers of one complex number per pair",
            """\
import cmath

def sinusoidal_pe(n, d, base=10000.0):
    turns = [cmath.exp(1j * base ** (-2 * i / d)) for i in range(d // 2)]
    return [[part for turn in turns for part in ((turn ** p).imag, (turn ** p).real)] for p in range(n)]
""",
        ),
        Variant(
            "the cosine as a sine a quarter turn ahead, one column at a time",
            """\
import math

def sinusoidal_pe(n, d, base=10000.0):
    def entry(p, c):
        return math.sin(p / base ** ((c - c % 2) / d) + (c % 2) * math.pi / 2)
    return tuple(tuple(entry(p, c) for c in range(d)) for p in range(n))
""",
        ),
        Variant(
            "each row from the row before, by the addition theorems",
            """\
from math import cos, sin

def sinusoidal_pe(n, d, base=10000.0):
    speeds = [base ** (-2 * i / d) for i in range(d // 2)]
    rows = [[0.0, 1.0] * (d // 2)]
    while len(rows) < n:
        last = rows[-1]
        row = []
        for i, w in enumerate(speeds):
            s, c = last[2 * i], last[2 * i + 1]
            row += [s * cos(w) + c * sin(w), c * cos(w) - s * sin(w)]
        rows.append(row)
    return rows[:n]
""",
        ),
        Variant(
            "NumPy, float32, with exp and log",
            """\
import numpy as np

def sinusoidal_pe(n, d, base=10000.0):
    speeds = np.exp(np.arange(0, d, 2) * (-np.log(base) / d))
    angles = np.arange(n)[:, None] * speeds
    table = np.zeros((n, d), dtype=np.float32)
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "doubled-exponent",
            "The exponent is twice too large. If your loop runs over `range(0, d, 2)`, its index is already 2i; "
            "the 2 of the formula must not be applied again.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    rows = []
    for p in range(n):
        row = []
        for i in range(0, d, 2):
            angle = p / base ** (2 * i / d)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return rows
""",
        ),
        Mistake(
            "halved-exponent",
            "The exponent is half of what it should be: i/d in place of 2i/d, where i numbers the pairs. "
            "The speeds must reach from 1 almost down to 1/base, not to its square root.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [[f(p / base ** (i / d)) for i in range(d // 2) for f in (math.sin, math.cos)] for p in range(n)]
""",
        ),
        Mistake(
            "own-column-exponent",
            "The cosine columns use the exponent of their own column, (2i+1)/d. Sine and cosine of a pair share the "
            "exponent 2i/d; otherwise no shift is a rotation of the pair.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [[(math.cos if c % 2 else math.sin)(p / base ** (c / d)) for c in range(d)] for p in range(n)]
""",
        ),
        Mistake(
            "concatenated",
            "All sines come first, then all cosines. That is a valid table (tensor2tensor orders its columns so), but "
            "this exercise asks for neighbouring columns: sine in column 2i, cosine in column 2i+1.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    speeds = [base ** (-2 * i / d) for i in range(d // 2)]
    return [[math.sin(p * w) for w in speeds] + [math.cos(p * w) for w in speeds] for p in range(n)]
""",
            convention=True,
        ),
        Mistake(
            "last-speed-at-base",
            "Your speeds end exactly at 1/base: the exponent is i/(d/2 − 1). Some libraries (tensor2tensor, fairseq) "
            "do this, but the formula asked for here divides by d/2.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    last = max(d // 2 - 1, 1)
    return [[f(p * base ** (-i / last)) for i in range(d // 2) for f in (math.sin, math.cos)] for p in range(n)]
""",
            convention=True,
        ),
        Mistake(
            "one-based",
            "Your first row belongs to position 1. Positions start at 0, so the first row is 0, 1, 0, 1, …",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [
        [f(p * base ** (-2 * i / d)) for i in range(d // 2) for f in (math.sin, math.cos)] for p in range(1, n + 1)
    ]
""",
        ),
        Mistake(
            "floored-exponent",
            "The exponent is rounded down: in `-math.log(base) / d // 2` or `2 * i // d`, the `//` throws the fraction "
            "away. Use `/` and brackets.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    step = -math.log(base) / d // 2
    return [
        [f(p * math.exp(2 * i * step)) for i in range(d // 2) for f in (math.sin, math.cos)] for p in range(n)
    ]
""",
        ),
        Mistake(
            "whole-exponent",
            "Every pair turns at the same speed, because `2 * i // d` is always 0. Use `/`.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [[f(p * base ** -(2 * i // d)) for i in range(d // 2) for f in (math.sin, math.cos)] for p in range(n)]
""",
        ),
        Mistake(
            "growing-speeds",
            "Your speeds grow from pair to pair. The exponent needs its minus sign: the first pair is the fastest.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [[f(p * base ** (2 * i / d)) for i in range(d // 2) for f in (math.sin, math.cos)] for p in range(n)]
""",
        ),
        Mistake(
            "sine-cosine-swapped",
            "Sine and cosine have changed places: the sine belongs in the even columns, so position 0 reads 0, "
            "1, 0, 1.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [[f(p * base ** (-2 * i / d)) for i in range(d // 2) for f in (math.cos, math.sin)] for p in range(n)]
""",
        ),
        Mistake(
            "degrees",
            "The angle is read in degrees. `math.sin` takes radians, and the formula's angle is in radians already.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [
        [f(math.radians(p * base ** (-2 * i / d))) for i in range(d // 2) for f in (math.sin, math.cos)]
        for p in range(n)
    ]
""",
        ),
        Mistake(
            "positions-divided",
            "The positions are divided by n. The table must not depend on how long the text is: use the position "
            "itself.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [[f(p / n * base ** (-2 * i / d)) for i in range(d // 2) for f in (math.sin, math.cos)] for p in range(n)]
""",
        ),
        Mistake(
            "column-as-pair",
            "The exponent uses the column's own number, 2c/d. i numbers the pairs: column c belongs to pair c // "
            "2, and "
            "both columns of a pair share the exponent.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [[(math.cos if c % 2 else math.sin)(p / base ** (2 * c / d)) for c in range(d)] for p in range(n)]
""",
        ),
        Mistake(
            "sines-only",
            "All columns are sines. The odd columns take the cosine of the same angle; with it, a shift becomes a "
            "rotation of the pair.",
            edited(solution, ("[math.sin(angle), math.cos(angle)]", "[math.sin(angle), math.sin(angle)]")),
        ),
        Mistake(
            "cosines-only",
            "All columns are cosines. The even columns take the sine of the same angle.",
            edited(solution, ("[math.sin(angle), math.cos(angle)]", "[math.cos(angle), math.cos(angle)]")),
        ),
        Mistake(
            "sine-at-even-positions",
            "You choose between sine and cosine by the *position*. It is the column that decides: even columns hold "
            "sines, odd ones cosines.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [
        [(math.cos if p % 2 else math.sin)(p * base ** (-2 * (c // 2) / d)) for c in range(d)] for p in range(n)
    ]
""",
        ),
        Mistake(
            "product-for-power",
            "The base is multiplied by 2i/d instead of raised to that power.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [[f(p / max(base * 2 * i / d, 1)) for i in range(d // 2) for f in (math.sin, math.cos)] for p in range(n)]
""",
        ),
        Mistake(
            "two-pi",
            "The angle is multiplied by 2π. Pair i turns base^(−2i/d) radians per position, so the position times "
            "that is the angle already.",
            edited(solution, ("angle = position", "angle = 2 * math.pi * position")),
        ),
        Mistake(
            "divided-by-two-pi",
            "The angle is divided by 2π, as if the speeds counted whole turns. They are in radians already.",
            edited(solution, ("angle = position", "angle = position / (2 * math.pi)")),
        ),
        Mistake(
            "tensor2tensor",
            "This is tensor2tensor's table: all sines, then all cosines, and speeds that end exactly at 1/base. Here "
            "the two columns of a pair are neighbours, and the exponent is 2i/d.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    speeds = [base ** (-i / max(d // 2 - 1, 1)) for i in range(d // 2)]
    return [[math.sin(p * w) for w in speeds] + [math.cos(p * w) for w in speeds] for p in range(n)]
""",
            convention=True,
        ),
        Mistake(
            "cosines-then-sines",
            "All cosines come first, then all sines, as in the time embedding of many diffusion models. Here the "
            "columns of a pair are neighbours: sine in column 2i, cosine in column 2i+1.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    speeds = [base ** (-2 * i / d) for i in range(d // 2)]
    return [[math.cos(p * w) for w in speeds] + [math.sin(p * w) for w in speeds] for p in range(n)]
""",
            convention=True,
        ),
        Mistake(
            "pairs-from-one",
            "The pairs are counted from 1. The first pair is i = 0: it turns one radian per position.",
            edited(solution, ("range(d // 2)", "range(1, d // 2 + 1)")),
        ),
        Mistake(
            "exponent-of-the-next-pair",
            "The cosine columns use the exponent of the next pair, (2i+2)/d. Sine and cosine of a pair share 2i/d: "
            "round the column down to an even number, `c - c % 2`.",
            """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    return [[(math.cos if c % 2 else math.sin)(p / base ** ((c + c % 2) / d)) for c in range(d)] for p in range(n)]
""",
        ),
        Mistake(
            "logarithm-to-base-ten",
            "`math.exp` undoes the natural logarithm, `math.log`; you took the one to base 10.",
            edited(solution, ("base ** (-2 * i / d)", "math.exp(-2 * i / d * math.log10(base))")),
        ),
        Mistake(
            "position-in-the-power",
            "The position is raised to the power too. Only the base is: position · base^(−2i/d). Mind the brackets.",
            edited(solution, ("position * base ** (-2 * i / d)", "(position / base) ** (2 * i / d)")),
        ),
        Mistake(
            "tangents",
            "The odd columns hold tangents; they take the cosine of the pair's angle.",
            edited(solution, ("math.cos(angle)", "math.tan(angle)")),
        ),
        Mistake(
            "angles-only",
            "These are the angles themselves. Even columns hold their sine, odd ones their cosine.",
            edited(solution, ("[math.sin(angle), math.cos(angle)]", "[angle, angle]")),
        ),
        Mistake(
            "first-row-empty",
            "The row of position 0 is empty. Position 0 has a row like all others: 0, 1, 0, 1, …, for cos 0 = 1.",
            edited(solution, ("table.append(row)", "table.append(row if position else [0.0] * d)")),
        ),
        Mistake(
            "divided-by-one-less",
            "The exponent divides by d − 1. It is 2i/d.",
            edited(solution, ("/ d)", "/ (d - 1))")),
        ),
        Mistake(
            "length-for-width",
            "The exponent divides by n, the number of positions. It is 2i/d: d is the number of columns.",
            edited(solution, ("/ d)", "/ n)")),
        ),
        Mistake(
            "powers-of-e",
            "`base` is not used: your speeds are powers of e. With `math.exp`, multiply the exponent by "
            "`math.log(base)`.",
            edited(solution, ("base ** (-2 * i / d)", "math.exp(-2 * i / d)")),
        ),
        Mistake(
            "logarithm-to-base-two",
            "`math.exp` undoes the natural logarithm; you took the one to base 2.",
            edited(solution, ("base ** (-2 * i / d)", "math.exp(-2 * i / d * math.log2(base))")),
        ),
        Mistake(
            "sine-at-even-pairs",
            "You choose between sine and cosine by the pair. Each pair has both: the sine in its first column, "
            "the cosine "
            "in its second.",
            edited(
                solution, ("[math.sin(angle), math.cos(angle)]", "[math.cos(angle) if i % 2 else math.sin(angle)] * 2")
            ),
        ),
        Mistake(
            "linear-speeds",
            "Your speeds are equally far apart. They form a geometric series: each is the one before times "
            "base^(−2/d).",
            edited(solution, ("base ** (-2 * i / d)", "(1 - (1 - 1 / base) * i / max(d // 2 - 1, 1))")),
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case((4, 6)),
            Case((9, 8, 10000.0)),
            Case((5, 2)),
            Case((12, 10), {"base": 500.0}),
            Case((1, 4)),
            Case((60, 4, 37.0)),
        ]

    def random_case(self, rng: Random) -> Case:
        return Case((rng.randint(1, 70), 2 * rng.randint(1, 10)), {"base": rng.choice([3.0, 100.0, 10000.0, 5e5])})


class ShiftMatrix(CodeExercise):
    id = "sinusoid-shift-matrix"
    title = "The matrix that shifts a sinusoid"
    prompt = """\
In the sinusoidal table (sine in column $2i$, cosine in column $2i+1$, speed $w_i = \\text{base}^{-2i/d}$), one matrix
$M$ moves every position $p$ by the same offset $k$:

$$M \\cdot PE(p) = PE(p + k).$$

Write `shift_matrix(k, d, base)`: its $d$ rows of $d$ numbers. $PE(p)$ is a column.

In words: the shift is linear, and it does not depend on where you start. It is one rotation per pair, in a
$2 \\times 2$ block on the diagonal.
"""
    chapter = "absolute"
    lecture = ("S3-21", "S3-48")
    claims = ("L-081",)
    function = "shift_matrix"
    starter = '''\
import math

def shift_matrix(k, d, base=10000.0):
    """d rows of d numbers."""
    ...
'''
    hints = (
        "sin(a + b) = sin a cos b + cos a sin b, and cos(a + b) = cos a cos b − sin a sin b. Put a = p·w, b = k·w.",
        "The block of a pair is [[cos kw, sin kw], [−sin kw, cos kw]]; everything else is 0.",
    )
    solution = """\
import math

def shift_matrix(k, d, base=10000.0):
    matrix = [[0.0] * d for _ in range(d)]
    for c in range(0, d, 2):
        angle = k * base ** (-c / d)
        matrix[c][c] = matrix[c + 1][c + 1] = math.cos(angle)
        matrix[c][c + 1] = math.sin(angle)
        matrix[c + 1][c] = -math.sin(angle)
    return matrix
"""
    variants = (
        Variant(
            "entry by entry: zero unless row and column belong to one pair",
            """\
from math import cos, pi

def shift_matrix(k, d, base=10000.0):
    def entry(row, column):
        if row // 2 != column // 2:
            return 0
        return cos(k / base ** (2 * (row // 2) / d) + (row - column) * pi / 2)
    return [[entry(row, column) for column in range(d)] for row in range(d)]
""",
        ),
        Variant(
            "NumPy: one block after the other",
            """\
import numpy as np

def shift_matrix(k, d, base=10000.0):
    matrix = np.zeros((d, d))
    for i, angle in enumerate(k * base ** (-np.arange(0, d, 2) / d)):
        c, s = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    return matrix
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "lost-minus",
            "Both sines have the same sign: that is no rotation. One of them needs a minus.",
            edited(solution, ("-math.sin", "math.sin")),
        ),
        Mistake(
            "cosine-first",
            "Your matrix shifts the other way. It is written for a table with the cosine first, or for rows (PE · Mᵀ). "
            "Here the sine stands first: the minus is in the lower row, [[cos, sin], [−sin, cos]].",
            edited(
                solution,
                (
                    "math.sin(angle)\n        matrix[c + 1][c] = -math.sin",
                    "-math.sin(angle)\n        matrix[c + 1][c] = math.sin",
                ),
            ),
        ),
        Mistake(
            "one-speed",
            "Every block turns by the same angle. Each pair has its own speed, base ** (−2i/d).",
            edited(solution, ("k * base ** (-c / d)", "k")),
        ),
        Mistake(
            "doubled-exponent",
            "The exponent is twice too large: a column number that goes up in twos is 2i already.",
            edited(solution, ("-c / d", "-2 * c / d")),
        ),
        Mistake(
            "diagonal",
            "A diagonal matrix only stretches. To turn a pair, its two columns have to mix: the sines stand beside the "
            "diagonal.",
            edited(solution, ("= math.sin(angle)", "= 0.0"), ("= -math.sin(angle)", "= 0.0")),
        ),
        Mistake(
            "half-split",
            "The sines stand half the width apart, which fits a table with all sines first and all cosines after. Here "
            "the two columns of a pair are neighbours.",
            """\
import math
def shift_matrix(k, d, base=10000.0):
    matrix, h = [[0.0] * d for _ in range(d)], d // 2
    for i in range(h):
        angle = k * base ** (-2 * i / d)
        matrix[i][i] = matrix[i + h][i + h] = math.cos(angle)
        matrix[i][i + h] = math.sin(angle)
        matrix[i + h][i] = -math.sin(angle)
    return matrix
""",
            convention=True,
        ),
        Mistake(
            "identity",
            "Your matrix is that of offset 0: it does not move anything.",
            edited(solution, ("k * base ** (-c / d)", "0.0")),
        ),
        Mistake(
            "sine-on-the-diagonal",
            "Sine and cosine have changed places: the cosine stands on the diagonal, so that offset 0 gives the "
            "identity.",
            edited(
                solution, ("math.cos(angle)", "_"), ("math.sin(angle)", "math.cos(angle)"), ("_\n", "math.sin(angle)\n")
            ),
        ),
        Mistake(
            "moved-diagonal",
            "You move the columns of a row by k. The offset is one of positions: it turns every pair within its own "
            "two columns.",
            """\
def shift_matrix(k, d, base=10000.0):
    return [[1.0 if column == row + k else 0.0 for column in range(d)] for row in range(d)]
""",
        ),
        Mistake(
            "pairs-from-one",
            "The pairs are counted from 1: the first block turns by k itself.",
            edited(solution, ("(-c / d)", "(-(c + 2) / d)")),
        ),
        Mistake(
            "speeds-backwards",
            "The blocks stand in reverse order: the first pair is the fastest.",
            edited(solution, ("(-c / d)", "(-(d - 2 - c) / d)")),
        ),
        Mistake(
            "last-speed-at-base",
            "Your speeds end exactly at 1/base: the exponent is i/(d/2 − 1). Here it is 2i/d.",
            edited(solution, ("(-c / d)", "(-c / max(d - 2, 1))")),
        ),
        Mistake(
            "step-times-k",
            "You multiply the matrix of one step by k. k steps are that matrix applied k times: every angle is "
            "multiplied "
            "by k, not the numbers.",
            edited(
                solution, ("k * base", "base"), ("return matrix", "return [[k * x for x in row] for row in matrix]")
            ),
        ),
        Mistake(
            "first-block-only",
            "Only the first pair is moved. Every pair has its block on the diagonal.",
            edited(solution, ("angle = k * base ** (-c / d)", "angle = 0.0 if c else float(k)")),
        ),
    )

    def cases(self) -> list[Case]:
        return [Case((1, 4)), Case((3, 6, 100.0)), Case((-2, 8)), Case((0, 2)), Case((17, 2)), Case((5, 10, 30.0))]

    def random_case(self, rng: Random) -> Case:
        return Case((rng.randint(-40, 40), 2 * rng.randint(1, 6)), {"base": rng.choice([10.0, 500.0, 10000.0])})
