"""Rotary positions: one pair, many pairs, complex numbers, and the two layouts."""

from __future__ import annotations

from random import Random

from pe_course.exercises.exercise import Case, CodeExercise, Mistake, Variant


def _numbers(rng: Random, *shape: int) -> list:
    """Nested lists of random numbers with three decimals."""
    if not shape:
        return round(rng.uniform(-2, 2), 3)
    return [_numbers(rng, *shape[1:]) for _ in range(shape[0])]


class RotateVectors(CodeExercise):
    id = "rope-apply"
    title = "Rotate queries and keys"
    prompt = """\
Write `rope_apply(x, positions, base)`. `x` is a table of $T$ rows and $D$ channels ($D$ is even); row $t$ stands at
`positions[t]`. Rotate each pair of **neighbouring** channels $(2i, 2i+1)$ of that row by the angle

$$\\text{positions}[t] \\cdot \\text{base}^{-2i/D},$$

so that a positive angle turns $(1, 0)$ towards $(0, 1)$. Return a new table; leave `x` as it is.

In words: every row is turned pair by pair, further for later positions and for earlier pairs.

In a notebook, `x` may be an array with more axes before $T$ and $D$.
"""
    chapter = "rotary"
    lecture = ("S2-14", "S3-44")
    claims = ("L-065",)
    function = "rope_apply"
    starter = '''\
import math

def rope_apply(x, positions, base=10000.0):
    """Row t of x, rotated pair by pair for positions[t]."""
    ...
'''
    hints = (
        "Rotate one pair (a, b) by one angle first: the new pair is a·cos − b·sin and a·sin + b·cos.",
        "Pair i holds the channels 2i and 2i+1. Its angle is `positions[t] * base ** (-2 * i / D)`.",
        "The row number t is not the position: read it from `positions`.",
    )
    solution = """\
import math

def rope_apply(x, positions, base=10000.0):
    rotated = []
    for row, position in zip(x, positions):
        d = len(row)
        new = []
        for i in range(d // 2):
            a, b = row[2 * i], row[2 * i + 1]
            angle = position * base ** (-2 * i / d)
            new += [a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)]
        rotated.append(new)
    return rotated
"""
    variants = (
        Variant(
            "complex numbers: multiply by exp(i · angle)",
            """\
import cmath

def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        d = len(row)
        turned = [complex(row[c], row[c + 1]) * cmath.exp(1j * p * base ** (-c / d)) for c in range(0, d, 2)]
        out.append([part for z in turned for part in (z.real, z.imag)])
    return out
""",
        ),
        Variant(
            "one sparse row of the rotation matrix per channel",
            """\
from math import cos, pi

def rope_apply(x, positions, base=10000.0):
    d = len(x[0])
    def entry(t, c):
        angle = positions[t] / base ** ((c - c % 2) / d)
        partner = c + 1 - 2 * (c % 2)
        quarter = pi / 2 if c % 2 == 0 else -pi / 2
        return x[t][c] * cos(angle) + x[t][partner] * cos(angle + quarter)
    return [tuple(entry(t, c) for c in range(d)) for t in range(len(x))]
""",
        ),
        Variant(
            "NumPy over any axes before the last two",
            """\
import numpy as np

def rope_apply(x, positions, base=10000.0):
    x = np.asarray(x, dtype=float)
    d = x.shape[-1]
    angle = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    out = np.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * np.cos(angle) - x[..., 1::2] * np.sin(angle)
    out[..., 1::2] = x[..., 0::2] * np.sin(angle) + x[..., 1::2] * np.cos(angle)
    return out
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "half-split",
            "You rotate channel i with channel i + D/2 (split halves, as in GPT-NeoX and Llama checkpoints of Hugging "
            "Face). That is RoPE in another channel order; this exercise asks for neighbouring channels 2i and 2i+1.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        h = len(row) // 2
        angles = [p * base ** (-i / h) for i in range(h)]
        first = [row[i] * math.cos(a) - row[i + h] * math.sin(a) for i, a in enumerate(angles)]
        second = [row[i] * math.sin(a) + row[i + h] * math.cos(a) for i, a in enumerate(angles)]
        out.append(first + second)
    return out
""",
            convention=True,
        ),
        Mistake(
            "mixed-layouts",
            "Two layouts are mixed: the angles are laid out for neighbouring channels (repeated), but the rotation "
            "pairs channel i with i + D/2. Lengths change, and the score no longer depends on the distance alone.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        d, h = len(row), len(row) // 2
        other = [-v for v in row[h:]] + list(row[:h])
        angles = [p * base ** (-(c - c % 2) / d) for c in range(d)]
        out.append([v * math.cos(a) + o * math.sin(a) for v, o, a in zip(row, other, angles)])
    return out
""",
        ),
        Mistake(
            "clockwise",
            "You rotate the other way round: the minus sign belongs to the first channel of the pair. Scores still "
            "depend on the distance alone, but a checkpoint made for the other direction would break.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        d, new = len(row), []
        for c in range(0, d, 2):
            a = -p * base ** (-c / d)
            new += [row[c] * math.cos(a) - row[c + 1] * math.sin(a), row[c] * math.sin(a) + row[c + 1] * math.cos(a)]
        out.append(new)
    return out
""",
        ),
        Mistake(
            "lost-minus",
            "Both lines have a plus sign: that is a shear, not a rotation, and lengths change. One of the two sines "
            "needs a minus: a·cos − b·sin.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        d, new = len(row), []
        for c in range(0, d, 2):
            a = p * base ** (-c / d)
            new += [row[c] * math.cos(a) + row[c + 1] * math.sin(a), row[c] * math.sin(a) + row[c + 1] * math.cos(a)]
        out.append(new)
    return out
""",
        ),
        Mistake(
            "row-number",
            "`positions` is not used: your rows count 0, 1, 2, … That breaks as soon as there is a cache or padding, "
            "where the first row stands somewhere else.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for p, row in enumerate(x):
        d, new = len(row), []
        for c in range(0, d, 2):
            a = p * base ** (-c / d)
            new += [row[c] * math.cos(a) - row[c + 1] * math.sin(a), row[c] * math.sin(a) + row[c + 1] * math.cos(a)]
        out.append(new)
    return out
""",
        ),
        Mistake(
            "doubled-exponent",
            "The exponent is twice too large. If your loop runs over `range(0, D, 2)`, its index is already 2i.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        d, new = len(row), []
        for c in range(0, d, 2):
            a = p * base ** (-2 * c / d)
            new += [row[c] * math.cos(a) - row[c + 1] * math.sin(a), row[c] * math.sin(a) + row[c + 1] * math.cos(a)]
        out.append(new)
    return out
""",
        ),
        Mistake(
            "halved-exponent",
            "The exponent is i/D where it should be 2i/D: your slowest pair turns far too fast.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        d, new = len(row), []
        for c in range(0, d, 2):
            a = p * base ** (-c / 2 / d)
            new += [row[c] * math.cos(a) - row[c + 1] * math.sin(a), row[c] * math.sin(a) + row[c + 1] * math.cos(a)]
        out.append(new)
    return out
""",
        ),
        Mistake(
            "growing-speeds",
            "Your speeds grow from pair to pair: the exponent needs its minus sign.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        d, new = len(row), []
        for c in range(0, d, 2):
            a = p * base ** (c / d)
            new += [row[c] * math.cos(a) - row[c + 1] * math.sin(a), row[c] * math.sin(a) + row[c + 1] * math.cos(a)]
        out.append(new)
    return out
""",
        ),
        Mistake(
            "one-based",
            "Every row is turned one position too far. Use `positions[t]` as it is: position 0 stays unrotated.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        d, new = len(row), []
        for c in range(0, d, 2):
            a = (p + 1) * base ** (-c / d)
            new += [row[c] * math.cos(a) - row[c + 1] * math.sin(a), row[c] * math.sin(a) + row[c + 1] * math.cos(a)]
        out.append(new)
    return out
""",
        ),
        Mistake(
            "cosine-only",
            "Each channel is multiplied by the cosine alone. A rotation mixes the two channels of a pair.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    return [
        [v * math.cos(p * base ** (-(c - c % 2) / len(row))) for c, v in enumerate(row)]
        for row, p in zip(x, positions)
    ]
""",
        ),
        Mistake(
            "added",
            "You add sines and cosines to the row, as a sinusoidal table does. RoPE multiplies: it rotates each pair "
            "and keeps its length.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    return [
        [
            v + (math.cos if c % 2 else math.sin)(p * base ** (-(c - c % 2) / len(row)))
            for c, v in enumerate(row)
        ]
        for row, p in zip(x, positions)
    ]
""",
        ),
        Mistake(
            "one-angle",
            "All pairs turn by the angle of the first pair. Each pair has its own speed, base ** (−2i/D).",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        new = []
        for c in range(0, len(row), 2):
            new += [row[c] * math.cos(p) - row[c + 1] * math.sin(p), row[c] * math.sin(p) + row[c + 1] * math.cos(p)]
        out.append(new)
    return out
""",
        ),
        Mistake(
            "overwritten-pair",
            "The second line of the rotation already uses the new first channel. Keep both old values before you "
            "write either.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        d, new = len(row), []
        for c in range(0, d, 2):
            a = p * base ** (-c / d)
            first = row[c] * math.cos(a) - row[c + 1] * math.sin(a)
            new += [first, first * math.sin(a) + row[c + 1] * math.cos(a)]
        out.append(new)
    return out
""",
        ),
    )

    def cases(self) -> list[Case]:
        rng = Random(20)
        return [
            Case((_numbers(rng, 3, 6), [0, 1, 2])),
            Case((_numbers(rng, 4, 8), [5, 2, 9, 40])),
            Case((_numbers(rng, 2, 6), [7, 3001], 10000.0), tolerance=2e-3),
            Case((_numbers(rng, 3, 4), [1, 4, 6]), {"base": 100.0}),
            Case(([[1.0, 0.0], [0.0, 1.0], [3.0, -2.0]], [1, 2, 3])),
            Case((_numbers(rng, 2, 3, 3, 8), [4, 0, 11]), arrays=True, leading=2),
            Case((_numbers(rng, 4, 1, 6), [13]), arrays=True, leading=1),
        ]

    def random_case(self, rng: Random) -> Case:
        rows = rng.randint(1, 5)
        positions = [rng.choice([rng.randint(0, 9), rng.randint(0, 5000)]) for _ in range(rows)]
        x = _numbers(rng, rows, 2 * rng.randint(1, 6))
        return Case((x, positions), {"base": rng.choice([50.0, 10000.0])})
