"""Broken functions to repair: each is a bug that people have had."""

from __future__ import annotations

from random import Random

from pe_course.exercises.exercise import Case, CodeExercise, Mistake, Variant, edited

_SCORE = '''\
import math

def rotate(x, position, base=10000.0):
    """Turn each pair of neighbouring channels."""
    turned = []
    for i in range(0, len(x), 2):
        angle = position * base ** (-i / len(x))
        a, b = x[i], x[i + 1]
        turned += [a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)]
    return turned

def rope_score(q, k, m, n):
    """Score of the query q at position m and the key k at position n."""
    q = rotate(q, m)
    k = rotate(k, n)
    return sum(a * b for a, b in zip(q, k))
'''


class RotateOnlyTheKey(CodeExercise):
    id = "debug-rotate-only-k"
    title = "Repair: only the key is rotated"
    prompt = """\
This score should depend on the query, the key and their distance $m - n$ alone. It does not: move both positions by
the same step, and it changes. Find out why, and repair `rope_score`. Leave the direction of `rotate` as it is.
"""
    chapter = "pitfalls"
    lecture = ("S3-55",)
    claims = ("L-125", "L-126")
    function = "rope_score"
    starter = edited(_SCORE, ("    q = rotate(q, m)\n", ""))
    hints = (
        "Call it with m = n = 0 and with m = n = 5. The distance is 0 both times; is the score the same?",
        "Which of the two vectors knows its position?",
    )
    solution = _SCORE
    variants = (
        Variant(
            "only the key is rotated, by the distance: the same score",
            edited(_SCORE, ("    q = rotate(q, m)\n    k = rotate(k, n)\n", "    k = rotate(k, n - m)\n")),
        ),
        Variant(
            "complex numbers, with the conjugate of the key",
            """\
import cmath

def rope_score(q, k, m, n):
    total = 0
    for c in range(0, len(q), 2):
        product = complex(q[c], q[c + 1]) * complex(k[c], k[c + 1]).conjugate()
        total += (product * cmath.exp(1j * (m - n) * 10000.0 ** (-c / len(q)))).real
    return total
""",
        ),
    )
    mistakes = (
        Mistake(
            "key-only",
            "The key alone is rotated, so the score depends on the key's absolute position n. Rotate the query by m "
            "as well.",
            edited(_SCORE, ("    q = rotate(q, m)\n", "    q = list(q)\n")),
        ),
        Mistake(
            "query-only",
            "Now the query alone is rotated, and the score depends on m alone. Both have to be.",
            edited(_SCORE, ("    k = rotate(k, n)\n", "")),
        ),
        Mistake(
            "no-rotation",
            "The score no longer depends on the positions at all: there is no rotation, or both are rotated by "
            "one angle, "
            "which cancels. The query turns by m, the key by n.",
            edited(_SCORE, ("    q = rotate(q, m)\n    k = rotate(k, n)\n", "")),
        ),
        Mistake(
            "opposite-directions",
            "The two turn in opposite directions, so the score depends on m + n. Both turn the same way.",
            edited(_SCORE, ("rotate(k, n)", "rotate(k, -n)")),
        ),
        Mistake(
            "positions-exchanged",
            "The query is turned by n and the key by m: the distance has the wrong sign.",
            edited(_SCORE, ("rotate(q, m)", "rotate(q, n)"), ("rotate(k, n)", "rotate(k, m)")),
        ),
        Mistake(
            "scaled",
            "The score is divided by √d as well. That is not wrong in attention, but this function returns the bare "
            "product.",
            edited(
                _SCORE,
                (
                    "return sum(a * b for a, b in zip(q, k))",
                    "return sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q))",
                ),
            ),
        ),
        Mistake(
            "twice",
            "Both are rotated twice: their distance counts double.",
            edited(
                _SCORE,
                ("q = rotate(q, m)", "q = rotate(rotate(q, m), m)"),
                ("k = rotate(k, n)", "k = rotate(rotate(k, n), n)"),
            ),
        ),
        Mistake(
            "two-bases",
            "Query and key are rotated with different bases. Only with the same speeds does the score depend on the "
            "distance alone.",
            edited(_SCORE, ("rotate(q, m)", "rotate(q, m, 500.0)")),
        ),
        Mistake(
            "other-base",
            "The base is another one. Leave `rotate` as it is: 10000.",
            edited(_SCORE, ("base=10000.0", "base=100.0")),
        ),
        Mistake(
            "not-summed",
            "You return the products, one per channel. The score is their sum.",
            edited(_SCORE, ("return sum(a * b for a, b in zip(q, k))", "return [a * b for a, b in zip(q, k)]")),
        ),
        Mistake(
            "key-rotated-twice",
            "The key is turned by m + n and the query not at all, so the score depends on the sum. The distance comes "
            "from the query turning by m.",
            edited(_SCORE, ("    q = rotate(q, m)\n    k = rotate(k, n)", "    k = rotate(k, m + n)")),
        ),
        Mistake(
            "conjugate-missing",
            "As complex numbers, one of the two has to be conjugate: the real part of q · conj(k) is their score.",
            edited(
                solution,
                (
                    "sum(a * b for a, b in zip(q, k))",
                    "sum(a * b * (1 - 2 * (c % 2)) for c, (a, b) in enumerate(zip(q, k)))",
                ),
            ),
        ),
        Mistake(
            "divided-by-width",
            "The score is divided by d as well. This function returns the bare product.",
            edited(solution, ("sum(a * b for a, b in zip(q, k))", "sum(a * b for a, b in zip(q, k)) / len(q)")),
        ),
        Mistake(
            "absolute-distance",
            "The distance has lost its sign. A key ahead and a key behind give different scores.",
            edited(
                solution, ("q = rotate(q, m)", "q = rotate(q, abs(m - n))"), ("k = rotate(k, n)", "k = rotate(k, 0)")
            ),
        ),
    )

    def cases(self) -> list[Case]:
        q, k = [1.0, 0.5, -0.3, 0.8], [0.4, 1.2, 0.9, -0.6]
        places = ((0, 0), (5, 0), (0, 3), (2, 7), (105, 100), (4000, 3))
        return [Case((q, k, m, n)) for m, n in places] + [Case(([1.0, 0.0], [0.6, 0.8], 3, 1))]

    def random_case(self, rng: Random) -> Case:
        width = 2 * rng.randint(1, 4)
        q, k = ([round(rng.uniform(-2, 2), 2) for _ in range(width)] for _ in range(2))
        return Case((q, k, rng.randint(0, 200), rng.randint(0, 200)))


class IntegerDivision(CodeExercise):
    id = "debug-integer-division"
    title = "Repair: all pairs turn alike"
    prompt = """\
These frequencies should fall from 1 towards 1/base, one for each pair of the $d$ channels. Instead, all are 1: at a
fixed position, every pair of columns holds the same two numbers. Repair `frequencies`.
"""
    chapter = "pitfalls"
    lecture = ("S3-60", "S3-70")
    claims = ("L-134", "L-135", "L-136")
    function = "frequencies"
    starter = '''\
def frequencies(d, base=10000.0):
    """base ** (-2i/d) for each pair i."""
    return [1.0 / base ** (2 * i // d) for i in range(d // 2)]
'''
    hints = (
        "Print the exponents: which values does `2 * i // d` take while i stays below d/2?",
        "`//` divides and rounds down; which of the two divisions must not round?",
    )
    solution = '''\
def frequencies(d, base=10000.0):
    """base ** (-2i/d) for each pair i."""
    return [1.0 / base ** (2 * i / d) for i in range(d // 2)]
'''
    variants = (
        Variant(
            "steps of two, and exp of a logarithm",
            """\
import math

def frequencies(d, base=10000.0):
    return [math.exp(-math.log(base) * c / d) for c in range(0, d, 2)]
""",
        ),
    )
    mistakes = (
        Mistake(
            "still-whole",
            "The exponent is still rounded down to 0: `2 * i // d` and `i // d` are whole numbers. Use `/`.",
            edited(starter, ("2 * i // d", "2 * (i // d)")),
        ),
        Mistake(
            "halved-exponent",
            "The 2 is gone: the exponent is 2i/d, so that the last pair comes close to 1/base.",
            edited(solution, ("2 * i / d", "i / d")),
        ),
        Mistake(
            "all-channels",
            "That is one frequency per channel; there is one per pair, d // 2 in all.",
            edited(solution, ("range(d // 2)", "range(d)")),
        ),
        Mistake(
            "growing",
            "The frequencies grow; they should fall from 1.",
            edited(solution, ("1.0 / base", "base")),
        ),
        Mistake(
            "rounded-result",
            "The result is rounded down as well: 1 // base ** … is 0 from the second pair on.",
            edited(solution, ("1.0 / base", "1.0 // base")),
        ),
        Mistake(
            "last-at-base",
            "The last frequency is 1/base exactly: the exponent is i/(d/2 − 1). Here it is 2i/d, which stops one step "
            "short.",
            edited(solution, ("2 * i / d", "i / max(d // 2 - 1, 1)")),
        ),
        Mistake(
            "doubled-exponent",
            "The exponent is twice too large: 2i/d, where i numbers the pairs.",
            edited(solution, ("2 * i / d", "4 * i / d")),
        ),
        Mistake(
            "product-for-power",
            "The base is multiplied instead of raised to a power: `**`.",
            edited(solution, ("base ** (2 * i / d)", "max(base * 2 * i / d, 1)")),
        ),
        Mistake(
            "rounded-exponent",
            "The exponent is still rounded to a whole number, to the nearest this time. It is a fraction.",
            edited(solution, ("(2 * i / d)", "round(2 * i / d)")),
        ),
        Mistake(
            "logarithm-to-base-ten",
            "`math.exp` undoes the natural logarithm, not the one to base 10.",
            """\
import math
def frequencies(d, base=10000.0):
    return [math.exp(-2 * i / d * math.log10(base)) for i in range(d // 2)]
""",
        ),
        Mistake(
            "wavelengths",
            "Those are the wavelengths, 2π · base^(2i/d): how many positions a full turn takes. Asked for are the "
            "frequencies.",
            """\
import math
def frequencies(d, base=10000.0):
    return [2 * math.pi * base ** (2 * i / d) for i in range(d // 2)]
""",
        ),
        Mistake(
            "pairs-from-one",
            "The pairs are counted from 1; the first frequency is 1, that of i = 0.",
            edited(solution, ("range(d // 2)", "range(1, d // 2 + 1)")),
        ),
        Mistake(
            "every-second-pair",
            "Half of the pairs are missing: `range(0, d // 2, 2)` skips every other one.",
            edited(solution, ("range(d // 2)", "range(0, d // 2, 2)")),
        ),
        Mistake(
            "each-twice",
            "Each frequency comes twice, once per channel; there is one per pair.",
            edited(solution, ("for i in range(d // 2)", "for i in range(d // 2) for _ in range(2)")),
        ),
        Mistake(
            "divided-by-one-less",
            "The exponent divides by d − 1. It is 2i/d.",
            edited(solution, ("/ d)", "/ (d - 1))")),
        ),
        Mistake(
            "linear",
            "The frequencies are equally far apart. Each is the one before times base^(−2/d).",
            edited(solution, ("1.0 / base ** (2 * i / d)", "1 - (1 - 1 / base) * i / max(d // 2 - 1, 1)")),
        ),
        Mistake(
            "powers-of-e",
            "`base` is not used: yours are powers of e. `math.exp` needs `math.log(base)` in its exponent.",
            edited(solution, ("base **", "2.718281828459045 **")),
        ),
        Mistake(
            "odd-channels",
            "The exponent is (2i+1)/d, that of the second channel. A pair has one frequency, with 2i/d.",
            edited(solution, ("2 * i / d", "(2 * i + 1) / d")),
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case((8,), tolerance=1e-5),
            Case((4, 100.0), tolerance=1e-5),
            Case((2,)),
            Case((10, 500.0), tolerance=1e-5),
        ]

    def random_case(self, rng: Random) -> Case:
        return Case((2 * rng.randint(1, 16),), {"base": rng.choice([10.0, 1000.0])}, tolerance=1e-5)


class ClipForgotten(CodeExercise):
    id = "debug-clip-forgotten"
    title = "Repair: far tokens read past the table"
    prompt = """\
`table` holds one bias per relative position from $-m$ to $m$ (key − query), so it has $2m + 1$ entries; the middle
one is for distance 0. `relative_bias(table, n)` should give the biases of $n$ tokens, $n$ rows of $n$, where every
distance beyond $\\pm m$ shares the entry at the end. As it stands, long inputs raise an IndexError, and some read
the wrong end of the table without one. Repair it.
"""
    chapter = "pitfalls"
    lecture = ("S3-57", "S3-69")
    claims = ("L-129", "L-150")
    function = "relative_bias"
    starter = '''\
def relative_bias(table, n):
    """Entry (i, j): the bias for key j and query i."""
    m = len(table) // 2
    return [[table[j - i + m] for j in range(n)] for i in range(n)]
'''
    hints = (
        "With a table of 5 entries (m = 2), which index does j − i + m become for i = 3, j = 0? What does Python read "
        "there?",
        "Clip the distance to −m … m before m is added.",
    )
    solution = '''\
def relative_bias(table, n):
    """Entry (i, j): the bias for key j and query i."""
    m = len(table) // 2
    return [[table[max(-m, min(m, j - i)) + m] for j in range(n)] for i in range(n)]
'''
    variants = (
        Variant(
            "the index is clipped instead of the distance",
            """\
def relative_bias(table, n):
    last = len(table) - 1
    return [[table[min(max(j - i + last // 2, 0), last)] for j in range(n)] for i in range(n)]
""",
        ),
    )
    mistakes = (
        Mistake(
            "not-clipped",
            "Distances beyond ±m still run out of the table. Clip at both ends: on the left nothing raises, for "
            "negative "
            "indices read the table from its end.",
            edited(starter, ("for i in range(n)]", "for i in range(0, n)]")),
        ),
        Mistake(
            "upper-end-only",
            "Only the upper end is clipped. Keys far to the left still get negative indices, which read the table from "
            "its end.",
            edited(solution, ("max(-m, min(m, j - i))", "min(m, j - i)")),
        ),
        Mistake(
            "wrapped",
            "You wrap far distances round with `%`: a far key on the left reads the bias of one on the right.",
            edited(solution, ("max(-m, min(m, j - i)) + m", "(j - i + m) % len(table)")),
        ),
        Mistake(
            "shift-then-clip",
            "You clip to ±m after m was added; clip the distance first, or the index to 0 … 2m.",
            edited(solution, ("max(-m, min(m, j - i)) + m", "max(-m, min(m, j - i + m))")),
        ),
        Mistake(
            "zero-beyond",
            "Beyond the table you put 0. The far distances share the entry at their end of the table.",
            edited(solution, ("table[max(-m, min(m, j - i)) + m]", "(table[j - i + m] if abs(j - i) <= m else 0.0)")),
        ),
        Mistake(
            "sides-exchanged",
            "The sides are exchanged: the index counts key − query, j − i.",
            edited(solution, ("j - i", "i - j")),
        ),
        Mistake(
            "no-direction",
            "Left and right share their biases: the distance has lost its sign.",
            edited(solution, ("max(-m, min(m, j - i)) + m", "min(m, abs(j - i)) + m")),
        ),
        Mistake(
            "half-one-short",
            "m is one too small: a table of 5 entries runs from −2 to 2, so m is len(table) // 2.",
            edited(solution, ("len(table) // 2", "len(table) // 2 - 1")),
        ),
        Mistake(
            "upper-end-short",
            "At the right end you clip one step too early: distance m has an entry of its own, the last.",
            edited(solution, ("min(m, j", "min(m - 1, j")),
        ),
        Mistake(
            "future-only",
            "Everything to the left reads the entry of distance 0. The lower limit is −m, not 0.",
            edited(solution, ("max(-m,", "max(0,")),
        ),
        Mistake(
            "middle-beyond",
            "Far distances read the middle of the table. They share the entry at their own end.",
            edited(solution, ("table[max(-m, min(m, j - i)) + m]", "table[j - i + m if abs(j - i) <= m else m]")),
        ),
        Mistake(
            "masked-beyond",
            "Far distances get minus infinity, which hides those tokens. They share the entry at their end of the "
            "table.",
            edited(
                solution,
                ("table[max(-m, min(m, j - i)) + m]", '(table[j - i + m] if abs(j - i) <= m else float("-inf"))'),
            ),
        ),
        Mistake(
            "last-beyond",
            "Far distances on both sides read the last entry. Those to the left share the first one.",
            edited(solution, ("table[max(-m, min(m, j - i)) + m]", "table[j - i + m if abs(j - i) <= m else 2 * m]")),
        ),
        Mistake(
            "not-shifted",
            "The shift is missing: distance 0 is the middle of the table, so m is added after clipping.",
            edited(solution, (" + m]", "]")),
        ),
        Mistake(
            "index-itself",
            "You return the index into the table. The bias stands in the table at that index.",
            edited(solution, ("table[max(-m, min(m, j - i)) + m]", "max(-m, min(m, j - i)) + m")),
        ),
        Mistake(
            "first-beyond",
            "Far distances on both sides read the first entry. Those to the right share the last one.",
            edited(solution, ("table[max(-m, min(m, j - i)) + m]", "table[j - i + m if abs(j - i) <= m else 0]")),
        ),
        Mistake(
            "ends-exchanged",
            "Far distances read the entry at the *other* end of the table.",
            edited(
                solution, ("table[max(-m, min(m, j - i)) + m]", "table[j - i + m if abs(j - i) <= m else -(j < i)]")
            ),
        ),
        Mistake(
            "shifted-one-too-little",
            "Every distance reads the entry before its own. Distance 0 is the middle of the table: add m.",
            edited(solution, ("j - i)) + m]", "j - i)) + m - 1]")),
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case(([0.1, 0.2, 0.3, 0.4, 0.5], 3)),
            Case(([0.1, 0.2, 0.3, 0.4, 0.5], 6)),
            Case(([-1.0, 0.0, 2.0], 4)),
            Case(([0.7, -0.2, 0.5, 0.1, 0.9, 1.5, -0.8], 9)),
        ]

    def random_case(self, rng: Random) -> Case:
        table = [round(rng.uniform(-2, 2), 2) for _ in range(2 * rng.randint(1, 5) + 1)]
        return Case((table, rng.randint(1, 14)))


class CacheOffset(CodeExercise):
    id = "debug-cache-offset"
    title = "Repair: the cache that starts again"
    prompt = """\
A model writes token by token. `step_angles(cached, new, speeds)` should give the rotation angles of the `new` tokens
of this step, one row per token and one column per pair, after `cached` tokens are already in the cache. The first
text is fine; from the second step on it turns to nonsense. Repair it.
"""
    chapter = "pitfalls"
    lecture = ("S3-55", "S3-49")
    claims = ("L-116",)
    function = "step_angles"
    starter = '''\
def step_angles(cached, new, speeds):
    """Row t: position of the new token t, times each speed."""
    return [[t * speed for speed in speeds] for t in range(new)]
'''
    hints = (
        "In the second step, cached = 1 and new = 1. Which position does that token have, and which does the code use?",
        "The argument that is never read is the clue.",
    )
    solution = '''\
def step_angles(cached, new, speeds):
    """Row t: position of the new token t, times each speed."""
    return [[(cached + t) * speed for speed in speeds] for t in range(new)]
'''
    variants = (
        Variant(
            "a range that starts at the cache",
            """\
def step_angles(cached, new, speeds):
    rows = []
    for position in range(cached, cached + new):
        rows.append([speed * position for speed in speeds])
    return rows
""",
        ),
        Variant(
            "NumPy",
            """\
import numpy as np

def step_angles(cached, new, speeds):
    return np.outer(np.arange(new) + cached, speeds)
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "from-zero",
            "Each step still starts at position 0: `cached` is not used. The new token t is at cached + t.",
            edited(starter, ("range(new)", "range(0, new)")),
        ),
        Mistake(
            "one-too-far",
            "You skip a position: with 3 tokens in the cache at 0, 1, 2, the next is at 3.",
            edited(solution, ("cached + t", "cached + t + 1")),
        ),
        Mistake(
            "one-too-early",
            "The new token gets the position of the last cached one; it comes after it.",
            edited(solution, ("cached + t", "cached + t - 1")),
        ),
        Mistake(
            "all-at-one",
            "All new tokens get the angle of the first; they follow each other.",
            edited(solution, ("cached + t", "cached")),
        ),
        Mistake(
            "whole-cache",
            "You return the angles of all tokens. The cached keys are rotated already; only the new ones are needed.",
            edited(solution, ("(cached + t)", "t"), ("range(new)", "range(cached + new)")),
        ),
        Mistake(
            "offset-outside",
            "The offset is added to the angle instead of the position: (cached + t) · speed, not cached + t · speed.",
            edited(solution, ("(cached + t) * speed", "cached + t * speed")),
        ),
        Mistake(
            "multiplied",
            "`cached` multiplies the position. It is added: the new token t stands at cached + t.",
            edited(solution, ("(cached + t)", "cached * t")),
        ),
        Mistake(
            "new-for-cached",
            "The count begins at `new`. It begins where the cache ends, at `cached`.",
            edited(solution, ("cached + t", "new + t")),
        ),
        Mistake(
            "backwards",
            "The positions fall: the new tokens *follow* the cached ones, at cached + t.",
            edited(solution, ("cached + t", "cached - t")),
        ),
        Mistake(
            "divided",
            "The position is divided by the speed. The angle is position times speed.",
            edited(solution, ("(cached + t) * speed", "(cached + t) / speed")),
        ),
        Mistake(
            "after-the-new-ones",
            "The count begins after the new tokens. The first of them stands at `cached` itself.",
            edited(solution, ("cached + t", "cached + new + t")),
        ),
        Mistake(
            "cosine",
            "Those are the cosines. Asked for are the angles themselves.",
            """\
import math
def step_angles(cached, new, speeds):
    return [[math.cos((cached + t) * speed) for speed in speeds] for t in range(new)]
""",
        ),
        Mistake(
            "one-turn",
            "The angles are taken modulo 2π. Sine and cosine do not mind, but asked for are the angles themselves.",
            """\
import math
def step_angles(cached, new, speeds):
    return [[(cached + t) * speed % (2 * math.pi) for speed in speeds] for t in range(new)]
""",
        ),
        Mistake(
            "last-only",
            "Only the last new token gets its angles. There is one row for each of the `new` ones.",
            edited(solution, ("for t in range(new)", "for t in range(new - 1, new)")),
        ),
        Mistake(
            "range-up-to-new",
            "The count begins at `cached` but ends at `new`. There are `new` more tokens: it ends at cached + new.",
            edited(solution, ("(cached + t) * speed", "t * speed"), ("range(new)", "range(cached, new)")),
        ),
        Mistake(
            "added",
            "The speed is added to the position. The angle is position times speed.",
            edited(solution, ("(cached + t) * speed", "cached + t + speed")),
        ),
        Mistake(
            "sine",
            "Those are the sines. Asked for are the angles, before any sine or cosine.",
            edited(solution, ("(cached + t) * speed", "__import__('math').sin((cached + t) * speed)")),
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case((0, 3, [1.0, 0.1])),
            Case((1, 1, [1.0, 0.1])),
            Case((7, 2, [1.0, 0.25, 0.01])),
            Case((40, 4, [0.5])),
        ]

    def random_case(self, rng: Random) -> Case:
        speeds = [round(rng.uniform(0.01, 1), 2) for _ in range(rng.randint(1, 4))]
        return Case((rng.randint(0, 80), rng.randint(1, 5), speeds))


class BiasBeforeTheScale(CodeExercise):
    id = "debug-bias-scaled"
    title = "Repair: the bias that shrinks with the width"
    prompt = """\
ALiBi adds its bias to scores that are already divided by $\\sqrt d$. In this function, a wider head gets a weaker
bias. Repair `biased_scores`, which returns one row of scores per query.
"""
    chapter = "pitfalls"
    lecture = ("S2-17",)
    claims = ("L-050",)
    function = "biased_scores"
    starter = '''\
import math

def biased_scores(q, k, slope):
    """Row i: q_i · k_j / sqrt(d) - slope * (i - j) for every key j."""
    d = len(q[0])
    return [
        [(sum(a * b for a, b in zip(q[i], k[j])) - slope * (i - j)) / math.sqrt(d) for j in range(len(k))]
        for i in range(len(q))
    ]
'''
    hints = (
        "Compare the code with its docstring: what is divided by the root of d?",
        "Mind the brackets.",
    )
    solution = '''\
import math

def biased_scores(q, k, slope):
    """Row i: q_i · k_j / sqrt(d) - slope * (i - j) for every key j."""
    d = len(q[0])
    return [
        [sum(a * b for a, b in zip(q[i], k[j])) / math.sqrt(d) - slope * (i - j) for j in range(len(k))]
        for i in range(len(q))
    ]
'''
    variants = (
        Variant(
            "the query scaled before the product",
            """\
def biased_scores(q, k, slope):
    scores = []
    for i, query in enumerate(q):
        query = [a / len(query) ** 0.5 for a in query]
        scores.append([sum(a * b for a, b in zip(query, key)) + slope * (j - i) for j, key in enumerate(k)])
    return scores
""",
        ),
    )
    mistakes = (
        Mistake(
            "still-scaled",
            "The bias is still divided by √d. (Falcon does this on purpose; ALiBi's own code does not.)",
            edited(starter, ("slope * (i - j)", "(i - j) * slope")),
            convention=True,
        ),
        Mistake(
            "nothing-scaled",
            "Now nothing is divided by √d; the product of query and key must be.",
            edited(solution, (" / math.sqrt(d)", "")),
        ),
        Mistake(
            "divided-by-width",
            "The product is divided by d; it has to be its root.",
            edited(solution, ("math.sqrt(d)", "d")),
        ),
        Mistake(
            "rewards-distance",
            "The bias has the wrong sign: far keys are rewarded.",
            edited(solution, ("- slope", "+ slope")),
        ),
        Mistake(
            "bias-multiplied",
            "The bias is multiplied by √d instead.",
            edited(solution, ("- slope * (i - j)", "- slope * (i - j) * math.sqrt(d)")),
        ),
        Mistake(
            "bias-gone",
            "The bias is gone.",
            edited(solution, (" - slope * (i - j)", "")),
        ),
        Mistake(
            "both-sides",
            "The distance has lost its sign. The bias is −slope · (i − j), as the docstring has it; keys after the "
            "query are the mask's business.",
            edited(solution, ("(i - j)", "abs(i - j)")),
        ),
        Mistake(
            "multiplied-by-root",
            "The product is multiplied by √d; it is divided by it.",
            edited(solution, ("/ math.sqrt(d)", "* math.sqrt(d)")),
        ),
        Mistake(
            "tokens-for-channels",
            "You divide by the root of the number of tokens. d is the width of one query.",
            edited(solution, ("d = len(q[0])", "d = len(q)")),
        ),
        Mistake(
            "fourth-root",
            "You divide by the fourth root. That is right for the query and for the key each; for their product it is "
            "√d.",
            edited(solution, ("math.sqrt(d)", "d**0.25")),
        ),
        Mistake(
            "other-way-round",
            "Now the bias alone is divided by √d. It is the product that has to be.",
            edited(solution, (" / math.sqrt(d) - slope * (i - j)", " - slope * (i - j) / math.sqrt(d)")),
        ),
        Mistake(
            "masked",
            "Keys after the query are masked too. That is right in a decoder, but this function returns all scores.",
            edited(solution, ("- slope * (i - j)", "- (slope * (i - j) if j <= i else math.inf)")),
        ),
        Mistake(
            "softmaxed",
            "Those are the weights, after softmax. Asked for are the scores.",
            """\
import math
def biased_scores(q, k, slope):
    weights = []
    for i, query in enumerate(q):
        products = [sum(a * b for a, b in zip(query, key)) for key in k]
        powers = [math.exp(p / math.sqrt(len(query)) - slope * (i - j)) for j, p in enumerate(products)]
        weights.append([power / sum(powers) for power in powers])
    return weights
""",
        ),
        Mistake(
            "none-ahead",
            "Keys after the query get no bias. The docstring has it for every key j: −slope · (i − j).",
            edited(solution, ("(i - j)", "max(i - j, 0)")),
        ),
        Mistake(
            "logarithmic",
            "The penalty grows with the logarithm of the distance. It is slope · (i − j).",
            edited(solution, ("(i - j)", "math.copysign(math.log(1 + abs(i - j)), i - j)")),
        ),
        Mistake(
            "logarithm-for-root",
            "The product is divided by the logarithm of d. It is divided by its root, `math.sqrt(d)`.",
            edited(solution, ("math.sqrt(d)", "math.log(d)")),
        ),
        Mistake(
            "half-the-width",
            "The product is divided by √(d/2). d is the whole width of a query.",
            edited(solution, ("math.sqrt(d)", "math.sqrt(d / 2)")),
        ),
    )

    def cases(self) -> list[Case]:
        rng = Random(8)

        def table(n: int, d: int) -> list:
            return [[round(rng.uniform(-2, 2), 2) for _ in range(d)] for _ in range(n)]

        return [
            Case((table(n, d), table(n, d), slope))
            for n, d, slope in ((3, 4, 0.5), (2, 9, 0.25), (4, 2, 1.0), (1, 3, 0.5))
        ]

    def random_case(self, rng: Random) -> Case:
        n, d = rng.randint(1, 5), rng.randint(1, 8)
        q, k = ([[round(rng.uniform(-2, 2), 2) for _ in range(d)] for _ in range(n)] for _ in range(2))
        return Case((q, k, round(rng.uniform(0.05, 2), 2)))
