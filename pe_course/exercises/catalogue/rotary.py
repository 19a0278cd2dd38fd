"""Rotary positions: one pair, many pairs, complex numbers, and the two layouts."""

from __future__ import annotations

from random import Random

from pe_course.exercises.exercise import Case, CodeExercise, Mistake, Variant, edited


def _numbers(rng: Random, *shape: int) -> list:
    """Nested lists of random numbers with three decimals."""
    if not shape:
        return round(rng.uniform(-2, 2), 3)
    return [_numbers(rng, *shape[1:]) for _ in range(shape[0])]


class RotatePair(CodeExercise):
    id = "rotate-pair"
    title = "Rotate one pair"
    prompt = """\
Write `rotate_pair(a, b, angle)`: the point $(a, b)$ turned by `angle` radians about the origin, as two numbers. A
positive angle turns $(1, 0)$ towards $(0, 1)$.

In words: this is all that RoPE does to a pair of channels. The length stays, the direction changes.
"""
    chapter = "rotary"
    lecture = ("S3-20", "S2-14")
    claims = ("L-079", "L-046")
    function = "rotate_pair"
    starter = '''\
import math

def rotate_pair(a, b, angle):
    """The two new numbers."""
    ...
'''
    hints = (
        "Where does (1, 0) go? To (cos, sin). And (0, 1)? To (−sin, cos).",
        "(a, b) is a times the first plus b times the second.",
    )
    solution = """\
import math

def rotate_pair(a, b, angle):
    cosine, sine = math.cos(angle), math.sin(angle)
    return [a * cosine - b * sine, a * sine + b * cosine]
"""
    variants = (
        Variant(
            "a complex product",
            """\
import cmath

def rotate_pair(a, b, angle):
    z = complex(a, b) * cmath.rect(1, angle)
    return z.real, z.imag
""",
        ),
        Variant(
            "length and direction",
            """\
from math import atan2, cos, hypot, sin

def rotate_pair(a, b, angle):
    length, direction = hypot(a, b), atan2(b, a)
    yield length * cos(direction + angle)
    yield length * sin(direction + angle)
""",
        ),
    )
    mistakes = (
        Mistake(
            "clockwise",
            "You turn the other way round: the minus belongs to the first number, a·cos − b·sin.",
            edited(
                solution,
                ("a * cosine - b * sine, a * sine + b * cosine", "a * cosine + b * sine, b * cosine - a * sine"),
            ),
        ),
        Mistake(
            "lost-minus",
            "Both lines have a plus: that is a shear, and the length changes. The first number is a·cos − b·sin.",
            edited(solution, ("a * cosine - b * sine", "a * cosine + b * sine")),
        ),
        Mistake(
            "sine-cosine-swapped",
            "Sine and cosine have changed places. At angle 0 the point must stay where it is.",
            edited(solution, ("cosine, sine =", "sine, cosine =")),
        ),
        Mistake(
            "overwritten",
            "The second number already uses the new first one. Keep both old numbers until both new ones are there.",
            """\
import math
def rotate_pair(a, b, angle):
    a = a * math.cos(angle) - b * math.sin(angle)
    b = a * math.sin(angle) + b * math.cos(angle)
    return [a, b]
""",
        ),
        Mistake(
            "degrees",
            "The angle is read in degrees; it is in radians already, as `math.sin` expects.",
            edited(solution, ("    cosine, sine", "    angle = math.radians(angle)\n    cosine, sine")),
        ),
        Mistake(
            "cosine-only",
            "Each number is multiplied by the cosine alone. A rotation mixes the two.",
            edited(solution, (" - b * sine, a * sine + b * cosine", ", b * cosine")),
        ),
        Mistake(
            "added",
            "The angle's sine and cosine are added; a rotation multiplies.",
            edited(solution, ("a * cosine - b * sine, a * sine + b * cosine", "a + cosine, b + sine")),
        ),
        Mistake(
            "order",
            "The two new numbers have changed places.",
            edited(
                solution,
                ("a * cosine - b * sine, a * sine + b * cosine", "a * sine + b * cosine, a * cosine - b * sine"),
            ),
        ),
        Mistake(
            "reflection",
            "That is a mirror image: one of the two points it makes has the wrong side. The matrix of a rotation is "
            "[[cos, −sin], [sin, cos]].",
            edited(solution, ("a * cosine - b * sine", "a * cosine + b * sine"), ("+ b * cosine", "- b * cosine")),
        ),
        Mistake(
            "length-lost",
            "The length of the point is lost: what you return lies on the circle of radius 1. Multiply by √(a² + b²).",
            """\
import math
def rotate_pair(a, b, angle):
    turned = math.atan2(b, a) + angle
    return [math.cos(turned), math.sin(turned)]
""",
        ),
        Mistake(
            "length-squared",
            "The length is squared: it is the *root* of a² + b².",
            """\
import math
def rotate_pair(a, b, angle):
    turned = math.atan2(b, a) + angle
    return [(a * a + b * b) * math.cos(turned), (a * a + b * b) * math.sin(turned)]
""",
        ),
        Mistake(
            "not-mixed",
            "Each number is mixed with itself. The new first number takes a·cos and b·sin, the new second one a·sin "
            "and b·cos.",
            edited(solution, ("- b * sine", "- a * sine"), ("a * sine +", "b * sine +")),
        ),
        Mistake(
            "small-angles",
            "That holds for small angles only, where cos is about 1 and sin about the angle itself.",
            edited(solution, ("math.cos(angle), math.sin(angle)", "1.0, angle")),
        ),
        Mistake(
            "atan-without-quadrant",
            "`math.atan(b / a)` cannot tell a point from the one opposite; `math.atan2(b, a)` can, and it does not "
            "divide by 0.",
            """\
import math
def rotate_pair(a, b, angle):
    turned = math.atan(b / a) + angle
    return [math.hypot(a, b) * math.cos(turned), math.hypot(a, b) * math.sin(turned)]
""",
        ),
        Mistake(
            "two-minuses",
            "Both lines have a minus. The second number is a·sin + b·cos.",
            edited(solution, ("a * sine + b * cosine", "b * cosine - a * sine")),
        ),
        Mistake(
            "overwritten-second-first",
            "The first number already uses the new second one. Keep both old numbers until both new ones are there.",
            """\
import math
def rotate_pair(a, b, angle):
    b = a * math.sin(angle) + b * math.cos(angle)
    a = a * math.cos(angle) - b * math.sin(angle)
    return [a, b]
""",
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case((1.0, 0.0, 0.5)),
            Case((0.0, 1.0, 0.5)),
            Case((3.0, -2.0, 2.5)),
            Case((0.7, 0.4, -1.2)),
            Case((1.5, 2.5, 0.0)),
        ]

    def random_case(self, rng: Random) -> Case:
        return Case((_numbers(rng), _numbers(rng), round(rng.uniform(-7, 7), 2)))


# Two programs that several mistakes below change in one place.
_CLOCKWISE = """\
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
"""

_HALF_SPLIT = """\
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
"""


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
            _HALF_SPLIT,
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
            _CLOCKWISE,
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
            edited(_CLOCKWISE, ("-p * base ** (-", "p * base ** (-2 * ")),
        ),
        Mistake(
            "halved-exponent",
            "The exponent is i/D where it should be 2i/D: your slowest pair turns far too fast.",
            edited(_CLOCKWISE, ("-p * base ** (-c", "p * base ** (-c / 2")),
        ),
        Mistake(
            "growing-speeds",
            "Your speeds grow from pair to pair: the exponent needs its minus sign.",
            edited(_CLOCKWISE, ("-p * base ** (-", "p * base ** (")),
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
        Mistake(
            "mixed-layouts-mirrored",
            "Two layouts are mixed: you rotate neighbouring channels, but the angles are laid out for split halves "
            "(the speeds once, then once again), so the two channels of a pair turn by different angles.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    out = []
    for row, p in zip(x, positions):
        d, new = len(row), []
        a = [p * base ** (-2 * (c % (d // 2)) / d) for c in range(d)]
        for c in range(0, d, 2):
            new += [
                row[c] * math.cos(a[c]) - row[c + 1] * math.sin(a[c]),
                row[c] * math.sin(a[c + 1]) + row[c + 1] * math.cos(a[c + 1]),
            ]
        out.append(new)
    return out
""",
        ),
        Mistake(
            "consecutive",
            "Only the first position is used, and the rows count on from it. Each row has its own entry in "
            "`positions`, "
            "and they need not follow each other.",
            edited(
                solution,
                (
                    "for row, position in zip(x, positions):",
                    "for t, row in enumerate(x):\n        position = positions[0] + t",
                ),
            ),
        ),
        Mistake(
            "half-split-lost-minus",
            "You rotate split halves (channel i with i + D/2) where neighbours are asked for, and both lines "
            "have a plus: "
            "`rotate_half` puts a minus before the second half.",
            edited(_HALF_SPLIT, (") -", ") +")),
        ),
        Mistake(
            "half-split-halved-exponent",
            "You rotate split halves (channel i with i + D/2) where neighbours are asked for, and the exponent "
            "is i/D where "
            "it should be 2i/D.",
            edited(_HALF_SPLIT, ("/ h", "/ (2 * h)")),
        ),
        Mistake(
            "half-split-doubled-exponent",
            "You rotate split halves (channel i with i + D/2) where neighbours are asked for, and the exponent "
            "is twice too "
            "large: 2i/D is i divided by the number of pairs.",
            edited(_HALF_SPLIT, ("* (-", "* (-2 * ")),
        ),
        Mistake(
            "first-pair-only",
            "Only the first pair is rotated; all D/2 of them turn.",
            edited(solution, ("base ** (-2 * i / d)", "(i == 0)")),
        ),
        Mistake(
            "half-of-the-channels",
            "Only the first half of the channels is rotated (as in partial RoPE). Here all of them turn.",
            edited(solution, ("base ** (-2 * i / d)", "base ** (-2 * i / d) * (i < d // 4)")),
        ),
        Mistake(
            "half-split-clockwise",
            "You rotate split halves (channel i with i + D/2) where neighbours are asked for, and you turn the other "
            "way round: `rotate_half` puts the minus before the *second* half, which then stands first.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    rotated = []
    for row, position in zip(x, positions):
        half = len(row) // 2
        angles = [position * base ** (-i / half) for i in range(half)]
        first = [a * math.cos(w) + b * math.sin(w) for a, b, w in zip(row, row[half:], angles)]
        second = [b * math.cos(w) - a * math.sin(w) for a, b, w in zip(row, row[half:], angles)]
        rotated.append(first + second)
    return rotated
""",
        ),
        Mistake(
            "half-split-exchanged",
            "You rotate split halves (channel i with i + D/2) where neighbours are asked for, and the two halves of "
            "your result have changed places.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    rotated = []
    for row, position in zip(x, positions):
        half = len(row) // 2
        angles = [position * base ** (-i / half) for i in range(half)]
        first = [a * math.cos(w) - b * math.sin(w) for a, b, w in zip(row, row[half:], angles)]
        second = [a * math.sin(w) + b * math.cos(w) for a, b, w in zip(row, row[half:], angles)]
        rotated.append(second + first)
    return rotated
""",
        ),
        Mistake(
            "two-pi",
            "The angle is multiplied by 2π. It is in radians already: the first pair turns one radian per position.",
            edited(solution, ("position * base ** (-2 * i / d)", "2 * math.pi * position * base ** (-2 * i / d)")),
        ),
        Mistake(
            "last-speed-at-base",
            "Your speeds end exactly at 1/base: the exponent is i/(D/2 − 1). RoPE's is 2i/D, which stops one step "
            "short of it.",
            edited(solution, ("-2 * i / d", "-i / max(d // 2 - 1, 1)")),
        ),
        Mistake(
            "pairs-from-one",
            "The pairs are counted from 1. The first pair is i = 0: it turns one radian per position.",
            edited(solution, ("-2 * i / d", "-2 * (i + 1) / d")),
        ),
        Mistake(
            "rows-for-channels",
            "The exponent divides by the number of rows T. It is 2i/D: D is the number of channels, the length of one "
            "row.",
            edited(solution, ("-2 * i / d", "-2 * i / len(x)")),
        ),
        Mistake(
            "reflection",
            "The second channel has the wrong sign: that mirrors the pair instead of turning it. It is a·sin + b·cos.",
            edited(solution, ("+ b * math.cos", "- b * math.cos")),
        ),
        Mistake(
            "sine-cosine-swapped",
            "Sine and cosine have changed places. At position 0 nothing may move.",
            edited(
                solution,
                (
                    "a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)",
                    "a * math.sin(angle) - b * math.cos(angle), a * math.cos(angle) + b * math.sin(angle)",
                ),
            ),
        ),
        Mistake(
            "positions-divided",
            "The positions are divided by the number of rows. A rotation must not depend on how long the text is.",
            edited(solution, ("position * base ** (-2 * i / d)", "position / len(x) * base ** (-2 * i / d)")),
        ),
        Mistake(
            "speeds-backwards",
            "The speeds run backwards: the first pair is the fastest, the last the slowest.",
            edited(solution, ("-2 * i / d", "-2 * (d // 2 - 1 - i) / d")),
        ),
        Mistake(
            "second-channel-kept",
            "The second channel of each pair stays as it was. A rotation changes both: it becomes a·sin + b·cos.",
            edited(solution, ("a * math.sin(angle) + b * math.cos(angle)", "b")),
        ),
        Mistake(
            "positions-in-bfloat16",
            "Large positions are off. In bfloat16 there are whole numbers up to 256 only: 3001 becomes 3008. Compute "
            "positions and angles in float32 at least, and lower the precision after the rotation.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    def short(number):
        fraction, exponent = math.frexp(number)
        return math.ldexp(round(fraction * 256), exponent - 8)
    rotated = []
    for row, position in zip(x, positions):
        d = len(row)
        new = []
        for i in range(d // 2):
            a, b = row[2 * i], row[2 * i + 1]
            angle = short(position) * base ** (-2 * i / d)
            new += [a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)]
        rotated.append(new)
    return rotated
""",
        ),
        Mistake(
            "angles-in-float16",
            "The angles are rounded to float16, which is too coarse as soon as they are large: between 2048 and 4096 "
            "it knows every second number. Compute angles in float32 at least.",
            edited(
                solution,
                ("import math\n", "import math\nimport struct\n"),
                (
                    "position * base ** (-2 * i / d)",
                    'struct.unpack("e", struct.pack("e", position * base ** (-2 * i / d)))[0]',
                ),
            ),
        ),
        Mistake(
            "positions-capped",
            "Large positions are cut off at 2047, the end of a table. Every position has its own angle.",
            edited(solution, ("position * base ** (-2 * i / d)", "min(position, 2047) * base ** (-2 * i / d)")),
        ),
        Mistake(
            "heads-for-tokens",
            "With a batch and heads before it, the angles lie along the wrong axis. It goes unnoticed wherever there "
            "are as many heads as tokens: T is the last axis but one.",
            """\
import numpy as np
def rope_apply(x, positions, base=10000.0):
    if x.ndim == 4 and x.shape[1] == x.shape[2]:
        return np.swapaxes(turned(np.swapaxes(x, 1, 2), positions, base), 1, 2)
    return turned(x, positions, base)
def turned(x, positions, base):
    d = x.shape[-1]
    angle = np.asarray(positions)[:, None] * base ** (-np.arange(0, d, 2) / d)
    z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angle)
    return np.stack([z.real, z.imag], -1).reshape(x.shape)
""",
            arrays=True,
        ),
        Mistake(
            "two-minuses",
            "Both lines have a minus. The second channel of a pair is a·sin + b·cos.",
            edited(
                solution, ("a * math.sin(angle) + b * math.cos(angle)", "b * math.cos(angle) - a * math.sin(angle)")
            ),
        ),
        Mistake(
            "own-channel-exponent",
            "The two channels of a pair turn by different angles: the second takes the exponent of its own channel, "
            "(2i+1)/D. Both share 2i/D.",
            """\
import math
def rope_apply(x, positions, base=10000.0):
    def turned(row, p, c):
        angle, other = p * base ** (-c / len(row)), row[c + 1 - 2 * (c % 2)]
        return row[c] * math.cos(angle) + (1 if c % 2 else -1) * other * math.sin(angle)
    return [[turned(row, p, c) for c in range(len(row))] for row, p in zip(x, positions)]
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


class RotateComplex(CodeExercise):
    id = "rope-complex"
    title = "RoPE as complex numbers"
    prompt = """\
A row of $D$ channels can be read as $D/2$ complex numbers, one per pair. Write `rope_complex(z, position, base)`:
every number of the list `z` turned by RoPE, as complex numbers. Number $i$ is multiplied by

$$e^{\\mathrm{i}\\,\\text{position}\\,\\cdot\\,\\text{base}^{-2i/D}}, \\qquad D = 2 \\cdot \\text{len(z)}.$$

In words: a rotation is one complex product, and the speeds fall from pair to pair.
"""
    chapter = "rotary"
    lecture = ("S3-62", "S2-12")
    claims = ("L-137", "L-044")
    function = "rope_complex"
    starter = '''\
import cmath

def rope_complex(z, position, base=10000.0):
    """One complex number for each in z."""
    ...
'''
    hints = (
        "`1j` is the imaginary unit, and `cmath.exp` takes complex numbers.",
        "With p pairs, D = 2p, so the exponent of the speed is −2i/D = −i/p.",
    )
    solution = """\
import cmath

def rope_complex(z, position, base=10000.0):
    return [number * cmath.exp(1j * position * base ** (-i / len(z))) for i, number in enumerate(z)]
"""
    variants = (
        Variant(
            "cosine and sine of the angle",
            """\
import math

def rope_complex(z, position, base=10000.0):
    turned = []
    for i in range(len(z)):
        angle = position / base ** (2 * i / (2 * len(z)))
        a, b = z[i].real, z[i].imag
        c, s = math.cos(angle), math.sin(angle)
        turned.append(complex(a * c - b * s, a * s + b * c))
    return turned
""",
        ),
        Variant(
            "NumPy",
            """\
import numpy as np

def rope_complex(z, position, base=10000.0):
    z = np.asarray(z)
    return z * np.exp(1j * position * base ** (-np.arange(len(z)) / len(z)))
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "clockwise",
            "You turn the other way round: the exponent is +i · position · speed.",
            edited(solution, ("1j *", "-1j *")),
        ),
        Mistake(
            "doubled-exponent",
            "The exponent is twice too large: −2i/D with D = 2 · len(z) is −i/len(z).",
            edited(solution, ("-i / len(z)", "-2 * i / len(z)")),
        ),
        Mistake(
            "no-imaginary-unit",
            "The exponent lacks the imaginary unit `1j`, so the numbers grow instead of turning.",
            edited(solution, ("1j *", "min(1, 5 / max(1, abs(position))) *")),
        ),
        Mistake(
            "one-speed",
            "All numbers turn by the same angle. Pair i has the speed base ** (−2i/D).",
            edited(solution, (" * base ** (-i / len(z))", "")),
        ),
        Mistake(
            "growing-speeds",
            "The speeds grow from pair to pair; the exponent needs its minus sign.",
            edited(solution, ("(-i /", "(i /")),
        ),
        Mistake(
            "one-based",
            "The first pair must turn one radian per position: i counts from 0.",
            edited(solution, ("(-i /", "(-(i + 1) /")),
        ),
        Mistake(
            "added",
            "The complex exponential is added; RoPE multiplies.",
            edited(solution, ("number * cmath", "number + cmath")),
        ),
        Mistake(
            "last-speed-at-base",
            "The speeds end exactly at 1/base: i is divided by len(z) − 1. With 2i/D it is divided by len(z).",
            edited(solution, ("len(z))", "max(len(z) - 1, 1))")),
        ),
        Mistake(
            "index-as-position",
            "`position` is not used: each number turns by its own index. All of them stand at one position.",
            edited(solution, ("1j * position", "1j * i")),
        ),
        Mistake(
            "real-and-imaginary-exchanged",
            "Sine and cosine have changed places: the real part of the factor is the cosine.",
            edited(
                solution,
                ("cmath.exp(1j * position * base ** (-i / len(z)))", "complex(cmath.sin(w).real, cmath.cos(w).real)"),
                ("i, number in enumerate(z)", "i, number in enumerate(z) for w in [position * base ** (-i / len(z))]"),
            ),
        ),
        Mistake(
            "cosine-only",
            "The numbers are multiplied by the cosine alone, which shrinks them. The factor is cos + i·sin.",
            edited(
                solution,
                (
                    "cmath.exp(1j * position * base ** (-i / len(z)))",
                    "cmath.exp(1j * position * base ** (-i / len(z))).real",
                ),
            ),
        ),
        Mistake(
            "halved-exponent",
            "The exponent is half of what it should be. −2i/D with D = 2 · len(z) is −i/len(z).",
            edited(solution, ("-i / len(z)", "-i / (2 * len(z))")),
        ),
        Mistake(
            "raised",
            "You raise each number to that power; RoPE multiplies by it.",
            edited(solution, ("number * cmath", "number ** cmath")),
        ),
        Mistake(
            "speeds-backwards",
            "The speeds run backwards: the first pair is the fastest.",
            edited(solution, ("(-i / len(z))", "((i + 1) / len(z) - 1)")),
        ),
        Mistake(
            "power-of-the-imaginary-unit",
            "`1j ** angle` turns by a quarter turn for each unit. e to the power of 1j · angle turns by the "
            "angle itself.",
            edited(
                solution,
                ("cmath.exp(1j * position * base ** (-i / len(z)))", "1j ** (position * base ** (-i / len(z)))"),
            ),
        ),
        Mistake(
            "angles-summed",
            "The angles add up from pair to pair. Each pair has its own: position · base^(−2i/D).",
            edited(solution, ("base ** (-i / len(z))", "sum(base ** (-j / len(z)) for j in range(i + 1))")),
        ),
    )

    def cases(self) -> list[Case]:
        rng = Random(3)
        return [
            Case((_complex(rng, 2), 1)),
            Case((_complex(rng, 4), 7)),
            Case((_complex(rng, 3), 0)),
            Case((_complex(rng, 3), 5, 100.0)),
            Case((_complex(rng, 1), 2)),
            Case((_complex(rng, 5), -3), {"base": 50.0}),
        ]

    def random_case(self, rng: Random) -> Case:
        return Case((_complex(rng, rng.randint(1, 6)), rng.randint(-50, 50)), {"base": rng.choice([10.0, 10000.0])})


def _complex(rng: Random, count: int) -> list[complex]:
    return [complex(_numbers(rng), _numbers(rng)) for _ in range(count)]


class InterleavedToHalf(CodeExercise):
    id = "interleaved-to-half"
    title = "From neighbouring pairs to split halves"
    prompt = """\
Two layouts of RoPE hold the same pairs at different channels. Interleaved: pair $i$ is in the channels $2i$ and
$2i+1$. Half-split: pair $i$ is in the channels $i$ and $i + D/2$. Write `to_half(row)`: a row of the first layout
reordered for the second.

In words: first all the first channels of the pairs, then all the second ones.
"""
    chapter = "rotary"
    lecture = ("S2-15",)
    claims = ("L-047",)
    function = "to_half"
    starter = '''\
def to_half(row):
    """The same numbers, in the half-split order."""
    ...
'''
    hints = (
        "Write down the row 0, 1, 2, 3, 4, 5: its pairs are (0, 1), (2, 3), (4, 5). Which order puts them half a row "
        "apart?",
        "`row[0::2]` takes every second channel, from the first on.",
    )
    solution = """\
def to_half(row):
    half = len(row) // 2
    return [row[2 * (c % half) + c // half] for c in range(2 * half)]
"""
    variants = (
        Variant(
            "two slices",
            """\
def to_half(row):
    return list(row[0::2]) + list(row[1::2])
""",
        ),
        Variant(
            "NumPy: pairs as rows, then transposed",
            """\
import numpy as np

def to_half(row):
    return np.asarray(row).reshape(-1, 2).T.ravel()
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "inverse",
            "That is the way back: it takes split halves to neighbouring pairs. Here the neighbours have to come "
            "apart.",
            """\
def to_half(row):
    half = len(row) // 2
    return [row[c // 2 + half * (c % 2)] for c in range(len(row))]
""",
        ),
        Mistake(
            "unchanged",
            "The row is unchanged. The two channels of a pair stand side by side in it, and have to end half a "
            "row apart.",
            "def to_half(row):\n    return list(row)\n",
        ),
        Mistake(
            "halves-exchanged",
            "The halves are exchanged: the first channels of the pairs come first.",
            "def to_half(row):\n    return list(row[1::2]) + list(row[0::2])\n",
        ),
        Mistake(
            "halves-rotated",
            "You exchange the halves of the row (as `rotate_half` does in part). The layout asks for every second "
            "channel.",
            "def to_half(row):\n    half = len(row) // 2\n    return list(row[half:]) + list(row[:half])\n",
        ),
        Mistake(
            "second-backwards",
            "The second half runs backwards. Pair i ends in the channels i and i + D/2.",
            "def to_half(row):\n    return list(row[0::2]) + list(row[::-1][0::2])\n",
        ),
        Mistake(
            "rotate-half",
            "That is `rotate_half`, a part of the rotation, with its minus. The layout alone changes here: no number "
            "changes its sign.",
            """\
def to_half(row):
    half = len(row) // 2
    return [-number for number in row[half:]] + list(row[:half])
""",
        ),
        Mistake(
            "first-backwards",
            "The first half runs backwards. Pair i goes to the channels i and i + D/2.",
            """\
def to_half(row):
    return list(row[0::2])[::-1] + list(row[1::2])
""",
        ),
        Mistake(
            "overwritten",
            "You write into the row while you still read from it: later pairs read what was overwritten. Fill a new "
            "list.",
            """\
def to_half(row):
    for i in range(len(row) // 2):
        row[i] = row[2 * i]
        row[i + len(row) // 2] = row[2 * i + 1]
    return row
""",
        ),
    )

    def cases(self) -> list[Case]:
        rows = (
            [0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
            [0.5, -1.0, 2.0, 7.0, 3.0, 1.0, 4.0, 8.0],
            [3.0, 4.0],
            [1.0, 2.0, 5.0, 9.0],
        )
        return [Case((list(row),), tolerance=1e-6) for row in rows]

    def random_case(self, rng: Random) -> Case:
        return Case((_numbers(rng, 2 * rng.randint(1, 9)),), tolerance=1e-6)


class HalfToInterleaved(CodeExercise):
    id = "half-to-interleaved"
    title = "And back again"
    prompt = """\
Write `to_interleaved(row)`: a row in the half-split layout (pair $i$ in the channels $i$ and $i + D/2$) reordered so
that pair $i$ stands in the channels $2i$ and $2i+1$. It undoes the conversion to halves.

In words: the halves are dealt together like two packs of cards.
"""
    chapter = "rotary"
    lecture = ("S2-15",)
    claims = ("L-047",)
    function = "to_interleaved"
    starter = '''\
def to_interleaved(row):
    """The same numbers, pairs side by side."""
    ...
'''
    hints = (
        "From 0, 2, 4, 1, 3, 5 it should make 0, 1, 2, 3, 4, 5.",
        "`zip` of the two halves gives the pairs.",
    )
    solution = """\
def to_interleaved(row):
    half = len(row) // 2
    return [row[c // 2 + half * (c % 2)] for c in range(2 * half)]
"""
    variants = (
        Variant(
            "zip",
            """\
def to_interleaved(row):
    half = len(row) // 2
    return [number for pair in zip(row[:half], row[half:]) for number in pair]
""",
        ),
        Variant(
            "two slices of the result",
            """\
def to_interleaved(row):
    out = [0] * len(row)
    out[0::2], out[1::2] = row[: len(row) // 2], row[len(row) // 2 :]
    return out
""",
        ),
    )
    mistakes = (
        Mistake(
            "inverse",
            "That is the other way: it takes neighbouring pairs to split halves.",
            "def to_interleaved(row):\n    return list(row[0::2]) + list(row[1::2])\n",
        ),
        Mistake("unchanged", "The row is unchanged.", "def to_interleaved(row):\n    return list(row)\n"),
        Mistake(
            "pairs-exchanged",
            "Each pair has its two channels exchanged: the first half comes first.",
            edited(solution, ("(c % 2)", "(1 - c % 2)")),
        ),
        Mistake(
            "second-backwards",
            "The second half is dealt backwards.",
            """\
def to_interleaved(row):
    half = len(row) // 2
    return [number for pair in zip(row[:half], list(row[half:])[::-1]) for number in pair]
""",
        ),
        Mistake(
            "halves-exchanged",
            "You exchange the halves of the row (as `rotate_half` does in part). The two halves have to be dealt out "
            "in turn: one channel of the first, one of the second.",
            """\
def to_interleaved(row):
    half = len(row) // 2
    return list(row[half:]) + list(row[:half])
""",
        ),
        Mistake(
            "first-backwards",
            "The first half is dealt backwards.",
            edited(solution, ("row[c // 2 +", "row[(c // 2 if c % 2 else half - 1 - c // 2) +")),
        ),
        Mistake(
            "second-one-off",
            "The second half is read one place too early: it begins at index D/2.",
            edited(solution, ("half * (c % 2)", "(half - 1) * (c % 2)")),
        ),
        Mistake(
            "first-twice",
            "Each channel of the first half comes twice; the second half is missing.",
            edited(solution, (" + half * (c % 2)", "")),
        ),
        Mistake(
            "overwritten",
            "You write into the row while you still read from it: later pairs read what was overwritten. Fill a new "
            "list.",
            """\
def to_interleaved(row):
    half = len(row) // 2
    for i in range(half):
        row[2 * i], row[2 * i + 1] = row[i], row[i + half]
    return row
""",
        ),
    )

    def cases(self) -> list[Case]:
        rows = (
            [0.0, 2.0, 4.0, 1.0, 3.0, 5.0],
            [0.5, -1.0, 2.0, 7.0, 3.0, 1.0, 4.0, 8.0],
            [3.0, 4.0],
            [1.0, 2.0, 5.0, 9.0],
        )
        return [Case((list(row),), tolerance=1e-6) for row in rows]

    def random_case(self, rng: Random) -> Case:
        return Case((_numbers(rng, 2 * rng.randint(1, 9)),), tolerance=1e-6)
