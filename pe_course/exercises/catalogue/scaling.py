"""Longer than trained: the NTK base, YaRN's ramp, log-n scaling."""

from __future__ import annotations

import math
from random import Random

from pe_course.exercises.exercise import Case, CodeExercise, Mistake, Variant, edited


class NtkBase(CodeExercise):
    id = "ntk-base"
    title = "The NTK-aware base"
    prompt = """\
RoPE's pair $i$ turns $\\text{base}^{-2i/d}$ per position; the slowest pair has $i = d/2 - 1$. Write
`ntk_base(base, factor, dim)`: the new base with which that slowest pair turns exactly `factor` times slower.

In words: the fast pairs stay almost as they are, and the slowest one takes the whole stretch.
"""
    chapter = "extrapolation"
    lecture = ("S2-20", "S3-59")
    claims = ("L-058", "L-133")
    function = "ntk_base"
    starter = '''\
def ntk_base(base, factor, dim):
    """The base, as one number."""
    ...
'''
    hints = (
        "Write the speed of the slowest pair with the old base and the new one: the exponent is −(dim − 2)/dim.",
        "Old speed divided by factor is the new speed. Solve for the new base by taking the power dim/(dim − 2).",
    )
    solution = """\
def ntk_base(base, factor, dim):
    return base * factor ** (dim / (dim - 2))
"""
    variants = (
        Variant(
            "the condition on the slowest pair, solved through logarithms",
            """\
import math

def ntk_base(base, factor, dim):
    exponent = (dim - 2) / dim
    slowest = -exponent * math.log(base) - math.log(factor)
    return math.exp(-slowest / exponent)
""",
        ),
        Variant(
            "bisection on the speed of the slowest pair",
            """\
def ntk_base(base, factor, dim):
    power = -(dim - 2) / dim
    wanted = base ** power / factor
    low, high = base, base * factor ** 2 + 1
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle ** power > wanted else (low, middle)
    return middle
""",
        ),
    )
    mistakes = (
        Mistake(
            "plain-factor",
            "The base is multiplied by the factor alone. The slowest pair has the exponent (d − 2)/d, not 1, so "
            "that is "
            "a little too small: the factor needs the power d/(d − 2).",
            edited(solution, (" ** (dim / (dim - 2))", "")),
        ),
        Mistake(
            "exponent-upside-down",
            "The exponent is upside down: d/(d − 2), which is above 1, so that the slowest pair slows by the whole "
            "factor.",
            edited(solution, ("dim / (dim - 2)", "(dim - 2) / dim")),
        ),
        Mistake(
            "factor-outside",
            "The base is raised to the power as well. Only the factor is: base · factor^(d/(d − 2)).",
            edited(solution, ("base * factor ** (dim / (dim - 2))", "(base * factor) ** (dim / (dim - 2))")),
        ),
        Mistake(
            "dim-minus-one",
            "The slowest pair is i = d/2 − 1, with the exponent 2i/d = (d − 2)/d; you count with d − 1.",
            edited(solution, ("dim - 2", "dim - 1")),
        ),
        Mistake(
            "whole-exponent",
            "The exponent is rounded down by `//`. It is a little above 1, and that little is the point.",
            edited(solution, ("dim / (dim - 2)", "dim // (dim - 2)")),
        ),
        Mistake(
            "divided",
            "The base gets smaller, so the slowest pair turns faster. It has to grow with the factor.",
            edited(solution, ("base *", "base /")),
        ),
        Mistake(
            "unscaled-base",
            "The old base is missing: multiply it by the power of the factor.",
            edited(solution, ("base * factor", "factor")),
        ),
        Mistake(
            "half-the-width",
            "You count pairs where the formula counts channels: with d/2 in place of d, the exponent is too large.",
            edited(solution, ("dim / (dim - 2)", "(dim / 2) / (dim / 2 - 2) if dim > 4 else 0.0")),
        ),
        Mistake(
            "root",
            "The base grows with the root of the factor. The slowest pair has the exponent (d − 2)/d, so the factor "
            "needs the power d/(d − 2), a little above 1.",
            edited(solution, ("factor ** (dim / (dim - 2))", "factor**0.5")),
        ),
        Mistake(
            "squared",
            "The factor is squared. The power is d/(d − 2), a little above 1.",
            edited(solution, ("factor ** (dim / (dim - 2))", "factor**2")),
        ),
        Mistake(
            "brackets",
            "Brackets are missing: `**` binds more strongly than `/`, so you divide by d − 2 after the power. Write "
            "`factor ** (dim / (dim - 2))`.",
            edited(solution, ("factor ** (dim / (dim - 2))", "factor**dim / (dim - 2)")),
        ),
        Mistake(
            "product-for-power",
            "The factor is multiplied by d/(d − 2). It is raised to that power.",
            edited(solution, ("factor ** (dim / (dim - 2))", "factor * dim / (dim - 2)")),
        ),
        Mistake(
            "power-d-minus-two",
            "The power is d/(d − 2); you raise to d − 2.",
            edited(solution, ("factor ** (dim / (dim - 2))", "factor ** (dim - 2)")),
        ),
        Mistake(
            "added",
            "The power of the factor is added to the base. It multiplies it.",
            edited(solution, ("base * factor", "base + factor")),
        ),
        Mistake(
            "logarithm",
            "You take the logarithm of the factor; it is raised to the power d/(d − 2).",
            edited(solution, ("def ", "import math\n\ndef "), ("factor ** (dim / (dim - 2))", "math.log(factor)")),
        ),
        Mistake(
            "mixed-counts",
            "d and the number of pairs are mixed: with pairs it is (d/2)/(d/2 − 1), with channels d/(d − 2). They are "
            "the same, but not half of each.",
            edited(solution, ("dim - 2", "dim // 2 - 1")),
        ),
        Mistake(
            "two-over-d",
            "The power is d/(d − 2). You raise to 2/d, which is the step from one pair to the next.",
            edited(solution, ("dim / (dim - 2)", "2 / dim")),
        ),
        Mistake(
            "speed",
            "That is the speed of the slowest pair with the new base. The new base itself is asked for.",
            edited(
                solution,
                ("base * factor ** (dim / (dim - 2))", "(base * factor ** (dim / (dim - 2))) ** (-(dim - 2) / dim)"),
            ),
        ),
        Mistake(
            "base-ignored",
            "`base` is not used: you multiply 10000, whatever base the model has. Newer models have 500000 or more.",
            edited(solution, ("base * factor", "10000 * factor")),
        ),
        Mistake(
            "head-size-fixed",
            "`dim` is not used: your exponent is that of a width of 128.",
            edited(solution, ("factor ** (dim / (dim - 2))", "factor ** (128 / 126)")),
        ),
        Mistake(
            "plus-two",
            "The power is d/(d − 2), above 1; you divide by d + 2.",
            edited(solution, ("dim - 2", "dim + 2")),
        ),
        Mistake(
            "two-over-d-minus-two",
            "The power is d/(d − 2). You raise to 2/(d − 2), which is what it has above 1.",
            edited(solution, ("dim / (dim - 2)", "2 / (dim - 2)")),
        ),
        Mistake(
            "one-over-d-minus-two",
            "The power is d/(d − 2). You raise to 1/(d − 2).",
            edited(solution, ("dim / (dim - 2)", "1 / (dim - 2)")),
        ),
        Mistake(
            "base-raised",
            "You raise the base to the power. The factor is raised, and the base is multiplied by it.",
            """\
def ntk_base(base, factor, dim):
    return factor * base ** (dim / (dim - 2))
""",
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case((10000.0, 4.0, 8)),
            Case((10000.0, 8.0, 128)),
            Case((500000.0, 2.5, 64)),
            Case((100.0, 3.0, 4)),
            Case((10000, 2, 6)),
            Case((10.0, 1.5, 10)),
        ]

    def random_case(self, rng: Random) -> Case:
        base = rng.choice([10.0, 10000.0, 5e5])
        return Case((base, round(rng.uniform(1.01, 16), 2), 2 * rng.randint(2, 64)), tolerance=1e-4)


class YarnRamp(CodeExercise):
    id = "yarn-ramp"
    title = "YaRN's ramp"
    prompt = """\
YaRN leaves fast pairs alone and interpolates slow ones. Write `yarn_ramp(dim, base, orig_max, beta_fast, beta_slow)`:
for each of the $d/2$ pairs how far it is interpolated, 0 = keep its speed, 1 = divide it by the factor.

A pair that turns $r$ times within the trained length `orig_max` has the index

$$c(r) = \\frac{d \\,\\ln\\big(\\text{orig\\_max} / (2\\pi r)\\big)}{2 \\ln \\text{base}}.$$

The ramp starts at $low = \\max(0, \\lfloor c(\\text{beta\\_fast}) \\rfloor)$, ends at
$high = \\min(d - 1, \\lceil c(\\text{beta\\_slow}) \\rceil)$, and is linear in the pair's index between them:

$$\\operatorname{clip}\\Big(\\frac{i - low}{high - low},\\, 0,\\, 1\\Big).$$

In words: pairs that turn often within the trained length keep their speed, those that never finish a turn do not.
"""
    chapter = "extrapolation"
    lecture = ("S2-20", "S3-59")
    claims = ("L-133",)
    function = "yarn_ramp"
    starter = '''\
import math

def yarn_ramp(dim, base, orig_max, beta_fast=32, beta_slow=1):
    """dim / 2 numbers from 0 to 1."""
    ...
'''
    hints = (
        "Write c(r) as a helper, and print c(beta_fast) and c(beta_slow) for dim 64, base 10000, orig_max 2048.",
        "`math.floor` the lower end and `math.ceil` the upper one, before the ramp is computed.",
        "`min(1, max(0, …))` clips; the first pairs get 0, the last ones 1.",
    )
    solution = """\
import math

def yarn_ramp(dim, base, orig_max, beta_fast=32, beta_slow=1):
    def index(turns):
        return dim * math.log(orig_max / (2 * math.pi * turns)) / (2 * math.log(base))

    low = max(0, math.floor(index(beta_fast)))
    high = min(dim - 1, math.ceil(index(beta_slow)))
    return [min(1.0, max(0.0, (i - low) / (high - low))) for i in range(dim // 2)]
"""
    variants = (
        Variant(
            "piece by piece, with logarithms to the base itself",
            """\
from math import ceil, floor, log, tau

def yarn_ramp(dim, base, orig_max, beta_fast=32, beta_slow=1):
    low = max(floor(dim / 2 * log(orig_max / tau / beta_fast, base)), 0)
    high = min(ceil(dim / 2 * log(orig_max / tau / beta_slow, base)), dim - 1)
    ramp = []
    for i in range(dim // 2):
        if i <= low:
            ramp.append(0)
        elif i >= high:
            ramp.append(1)
        else:
            ramp.append((i - low) / (high - low))
    return ramp
""",
        ),
        Variant(
            "NumPy's interpolation between the two ends",
            """\
import numpy as np

def yarn_ramp(dim, base, orig_max, beta_fast=32, beta_slow=1):
    low, high = dim * np.log(orig_max / (2 * np.pi * np.array([beta_fast, beta_slow]))) / (2 * np.log(base))
    return np.interp(np.arange(dim // 2), [max(np.floor(low), 0), min(np.ceil(high), dim - 1)], [0, 1])
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "upside-down",
            "The ramp is upside down: it slows the fast pairs and keeps the slow ones. 0 (keep) belongs to the first "
            "pairs. (YaRN's code calls 1 minus this ramp the mask.)",
            edited(
                solution,
                ("min(1.0, max(0.0, (i - low) / (high - low)))", "1 - min(1.0, max(0.0, (i - low) / (high - low)))"),
            ),
        ),
        Mistake(
            "betas-exchanged",
            "beta_fast and beta_slow have changed places: many turns (32) belong to the lower end.",
            edited(
                solution,
                ("index(beta_fast)", "index(beta)"),
                ("index(beta_slow)", "index(beta_fast)"),
                ("index(beta)", "index(beta_slow)"),
                ("(high - low)", "((high - low) or 1)"),
            ),
        ),
        Mistake(
            "not-rounded",
            "The ends are not rounded: the released code takes the floor of the lower end and the ceiling of the "
            "upper.",
            edited(
                solution,
                ("math.floor(index(beta_fast))", "index(beta_fast)"),
                ("math.ceil(index(beta_slow))", "index(beta_slow)"),
            ),
        ),
        Mistake(
            "floor-and-ceil-exchanged",
            "The ramp is too narrow: take the floor of the lower end and the ceiling of the upper one.",
            edited(
                solution,
                ("math.floor", "math.top"),
                ("math.ceil", "math.floor"),
                ("math.top", "math.ceil"),
                ("(high - low)", "((high - low) or 1)"),
            ),
        ),
        Mistake(
            "not-clipped",
            "Outside its ends the ramp runs on below 0 and above 1: clip it.",
            edited(solution, ("min(1.0, max(0.0, (i - low) / (high - low)))", "(i - low) / (high - low)")),
        ),
        Mistake(
            "step",
            "That is a step, without a ramp: between the ends the value grows linearly with the pair's index.",
            edited(solution, ("min(1.0, max(0.0, (i - low) / (high - low)))", "float(i >= low)")),
        ),
        Mistake(
            "no-two-pi",
            "The 2π is missing: a whole turn is 2π radians, and c(r) counts turns.",
            edited(solution, ("2 * math.pi * turns", "turns")),
        ),
        Mistake(
            "channels-for-pairs",
            "c(r) counts pairs, so there is a 2 below the fraction; you count channels.",
            edited(solution, ("(2 * math.log(base))", "math.log(base)")),
        ),
        Mistake(
            "both-floored",
            "Both ends are rounded down; the upper one must be rounded up (`math.ceil`).",
            edited(solution, ("math.ceil", "math.floor")),
        ),
        Mistake(
            "linear-in-turns",
            "Your ramp is linear in the number of turns, as the paper writes it. The released code, and this exercise, "
            "make it linear in the pair's index; the two differ by up to a factor of three in a frequency.",
            """\
import math
def yarn_ramp(dim, base, orig_max, beta_fast=32, beta_slow=1):
    turns = [orig_max * base ** (-2 * i / dim) / (2 * math.pi) for i in range(dim // 2)]
    return [1 - min(1.0, max(0.0, (r - beta_slow) / (beta_fast - beta_slow))) for r in turns]
""",
            convention=True,
        ),
        Mistake(
            "low-not-clipped",
            "The lower end may fall below 0 (when even the first pair turns fewer than beta_fast times). Raise it to "
            "0, or the first pairs are interpolated already.",
            edited(solution, ("max(0, math.floor(index(beta_fast)))", "math.floor(index(beta_fast))")),
        ),
        Mistake(
            "high-at-half",
            "The upper end is limited to the number of pairs. The released code, and the formula here, limit it to d "
            "− 1.",
            edited(solution, ("dim - 1", "dim // 2 - 1")),
        ),
        Mistake(
            "high-not-limited",
            "The upper end may lie beyond d − 1; limit it there, as the released code does.",
            edited(solution, ("min(dim - 1, math.ceil(index(beta_slow)))", "math.ceil(index(beta_slow))")),
        ),
        Mistake(
            "both-ceiled",
            "Both ends are rounded up; the lower one must be rounded down (`math.floor`).",
            edited(solution, ("math.floor", "math.ceil")),
        ),
        Mistake(
            "rounded-to-nearest",
            "The ends are rounded to the nearest whole number. The lower one is rounded down, the upper one up, so "
            "that the ramp becomes wider.",
            edited(solution, ("math.floor(index", "round(index"), ("math.ceil(index", "round(index")),
        ),
        Mistake(
            "two-kinds-of-logarithm",
            "Two kinds of logarithm are mixed: that of the base is to base 10. Any kind will do, but the same above "
            "and below.",
            edited(solution, ("math.log(base)", "math.log10(base)")),
        ),
        Mistake(
            "smooth",
            "Your ramp is curved at both ends (a smoothstep). It is linear between them.",
            edited(
                solution,
                (
                    "return [min(1.0, max(0.0, (i - low) / (high - low))) for i in range(dim // 2)]",
                    "ramp = [min(1.0, max(0.0, (i - low) / (high - low))) for i in range(dim // 2)]\n"
                    "    return [t * t * (3 - 2 * t) for t in ramp]",
                ),
            ),
        ),
        Mistake(
            "channel-index",
            "The ramp is taken at the channel 2i; low and high count pairs, so it is taken at the pair i.",
            edited(solution, ("(i - low)", "(2 * i - low)")),
        ),
        Mistake(
            "not-clipped-below",
            "Before the lower end the ramp runs on below 0: clip it on both sides.",
            edited(solution, ("max(0.0, (i - low) / (high - low))", "(i - low) / (high - low)")),
        ),
        Mistake(
            "one-too-wide",
            "The ramp is one step too wide: it reaches 1 at `high`, so divide by high − low.",
            edited(solution, ("/ (high - low)", "/ (high - low + 1)")),
        ),
        Mistake(
            "turns-upside-down",
            "orig_max is multiplied by 2π·r. One turn takes 2π radians, so r turns within orig_max belong to the "
            "wavelength orig_max/r: divide.",
            edited(solution, ("orig_max / (2 * math.pi * turns)", "orig_max * 2 * math.pi * turns")),
        ),
        Mistake(
            "betas-fixed",
            "beta_fast and beta_slow are not used: your ends are those of 32 and 1 turns.",
            edited(solution, ("index(beta_fast)", "index(32)"), ("index(beta_slow)", "index(1)")),
        ),
        Mistake(
            "length-fixed",
            "orig_max is not used: your ends are those of a trained length of 2048.",
            edited(solution, ("math.log(orig_max", "math.log(2048")),
        ),
        Mistake(
            "all-channels",
            "There is one number per pair, d/2 in all; you return one per channel.",
            edited(solution, ("range(dim // 2)", "range(dim)")),
        ),
        Mistake(
            "not-clipped-above",
            "Beyond the upper end the ramp runs on above 1: clip it on both sides.",
            edited(solution, ("min(1.0, max(0.0, (i - low) / (high - low)))", "max(0.0, (i - low) / (high - low))")),
        ),
        Mistake(
            "divided-by-high",
            "The ramp does not reach 1 at `high`: divide by high − low.",
            edited(solution, ("/ (high - low)", "/ high")),
        ),
        Mistake(
            "ends-not-limited",
            "Neither end is limited: low may not fall below 0, nor high rise above d − 1.",
            edited(
                solution,
                ("max(0, math.floor(index(beta_fast)))", "math.floor(index(beta_fast))"),
                ("min(dim - 1, math.ceil(index(beta_slow)))", "math.ceil(index(beta_slow))"),
            ),
        ),
        Mistake(
            "whole-width",
            "Your ramp runs over all pairs. It starts at low and ends at high; before and after it is flat.",
            edited(solution, ("(i - low) / (high - low)", "i / (dim // 2 - 1)")),
        ),
        Mistake(
            "logarithm-of-the-base-missing",
            "ln(base) is missing below: c(r) is divided by 2·ln(base).",
            edited(solution, (" / (2 * math.log(base))", " / 2")),
        ),
        Mistake(
            "logarithm-to-base-two-below",
            "Two kinds of logarithm are mixed: that of the base is to base 2. Any kind will do, but the same above and "
            "below.",
            edited(solution, ("math.log(base)", "math.log2(base)")),
        ),
        Mistake(
            "ratio-upside-down",
            "The ratio in the logarithm is upside down, so c(r) has the wrong sign: it is orig_max / (2π·r).",
            edited(solution, ("orig_max / (2 * math.pi * turns)", "2 * math.pi * turns / orig_max")),
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case((64, 10000.0, 2048)),
            Case((128, 10000.0, 4096)),
            Case((64, 500000.0, 8192)),
            Case((32, 1000.0, 1024), {"beta_fast": 16, "beta_slow": 2}),
            Case((96, 10000.0, 2048, 40, 3)),
            Case((16, 10000.0, 256)),
            Case((16, 10000.0, 128)),  # even the first pair turns less than 32 times: the lower end is raised to 0
            Case((16, 100.0, 2048)),  # the upper end lies beyond the last pair
            Case((16, 10.0, 4096, 400, 1)),  # and here beyond d − 1
        ]

    def random_case(self, rng: Random) -> Case:
        dim, base = 2 * rng.randint(8, 70), rng.choice([1000.0, 10000.0, 5e5])
        fast, slow = rng.randint(8, 40), rng.choice([1, 2, 3])
        return Case((dim, base, rng.randint(math.ceil(math.pi * fast) + 5, 9000), fast, slow))


class LogNScale(CodeExercise):
    id = "logn-scale"
    title = "Log-n scaling"
    prompt = """\
Write `logn_scale(n, train_len)`: for each of $n$ causal queries the number that its score is multiplied by,

$$\\max\\Big(1,\\; \\frac{\\ln(\\text{tokens seen})}{\\ln \\text{train\\_len}}\\Big).$$

Query $i$, counted from 0, sees $i + 1$ tokens: itself and all before it. `train_len` is at least 2.

In words: nothing changes within the trained length; beyond it the scores grow with the logarithm of the length, so
that more keys do not flatten the weights.
"""
    chapter = "extrapolation"
    lecture = ("S2-21",)
    claims = ("L-060", "L-061")
    function = "logn_scale"
    starter = '''\
import math

def logn_scale(n, train_len):
    """n multipliers, none below 1."""
    ...
'''
    hints = (
        "One query at a time: the first sees 1 token, the last sees n.",
        "`math.log(i + 1) / math.log(train_len)`, and `max` keeps it from falling below 1.",
    )
    solution = """\
import math

def logn_scale(n, train_len):
    return [max(1.0, math.log(i + 1) / math.log(train_len)) for i in range(n)]
"""
    variants = (
        Variant(
            "the logarithm to base train_len, and a branch in place of max",
            """\
from math import log

def logn_scale(n, train_len):
    return [log(seen, train_len) if seen > train_len else 1 for seen in range(1, n + 1)]
""",
        ),
        Variant(
            "NumPy",
            """\
import numpy as np

def logn_scale(n, train_len):
    return np.maximum(np.log2(np.arange(1, n + 1)) / np.log2(train_len), 1.0)
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "zero-based-count",
            "Query i sees i + 1 tokens, itself included; you count i, so the multiplier comes one token late (and the "
            "first query would take the logarithm of 0).",
            edited(solution, ("math.log(i + 1)", "math.log(max(i, 1))")),
        ),
        Mistake(
            "zero-based-count-raises",
            "The first query sees one token, itself: count i + 1. The logarithm of 0 does not exist.",
            edited(solution, ("math.log(i + 1)", "math.log(i)")),
        ),
        Mistake(
            "not-clipped",
            "Within the trained length the multiplier falls below 1, and the first query's is 0. Nothing may change "
            "there: `max(1, …)`.",
            edited(
                solution, ("max(1.0, math.log(i + 1) / math.log(train_len))", "math.log(i + 1) / math.log(train_len)")
            ),
        ),
        Mistake(
            "one-number",
            "Every query gets the multiplier of the whole length. Each query has its own: it sees i + 1 tokens.",
            edited(solution, ("math.log(i + 1)", "math.log(n)")),
        ),
        Mistake(
            "ratio-without-logs",
            "The ratio of the lengths is taken instead of the ratio of their logarithms: far too steep.",
            edited(solution, ("math.log(i + 1) / math.log(train_len)", "(i + 1) / train_len")),
        ),
        Mistake(
            "log-of-ratio",
            "ln(a)/ln(b) is not ln(a/b): divide the logarithms.",
            edited(solution, ("math.log(i + 1) / math.log(train_len)", "math.log((i + 1) / train_len)")),
        ),
        Mistake(
            "upside-down",
            "The fraction is upside down: the trained length belongs below.",
            edited(solution, ("math.log(i + 1) / math.log(train_len)", "math.log(train_len) / math.log(i + 2)")),
        ),
        Mistake(
            "capped",
            "`min` in place of `max`: the multiplier may not fall below 1, and above it may grow.",
            edited(solution, ("max(1.0", "min(1.0")),
        ),
        Mistake(
            "two-kinds-of-logarithm",
            "Two kinds of logarithm are mixed (log2 and log). Any base will do, but the same above and below.",
            edited(solution, ("math.log(i", "math.log2(i")),
        ),
        Mistake(
            "counted-too-far",
            "Query i sees i + 1 tokens; you count i + 2, so the multiplier comes one token early.",
            edited(solution, ("i + 1", "i + 2")),
        ),
        Mistake(
            "length-ignored",
            "The trained length is not used: the logarithm is divided by ln(train_len).",
            edited(solution, (" / math.log(train_len)", "")),
        ),
        Mistake(
            "max-above-the-fraction",
            "Only the numerator is kept above 1. The whole fraction is: max(1, ln(…)/ln(…)).",
            edited(
                solution,
                ("max(1.0, math.log(i + 1) / math.log(train_len))", "max(1.0, math.log(i + 1)) / math.log(train_len)"),
            ),
        ),
        Mistake(
            "one-plus-log-of-ratio",
            "You add 1 to ln(tokens / train_len). Divide that by ln(train_len), and it is the same as the formula; "
            "without, it grows too fast.",
            edited(
                solution,
                ("max(1.0, math.log(i + 1) / math.log(train_len))", "1.0 + max(0.0, math.log((i + 1) / train_len))"),
            ),
        ),
        Mistake(
            "one-plus",
            "You add 1 to the fraction. The larger of the two is asked for: max(1, …).",
            edited(
                solution,
                ("max(1.0, math.log(i + 1) / math.log(train_len))", "1.0 + math.log(i + 1) / math.log(train_len)"),
            ),
        ),
        Mistake(
            "zero-within",
            "Within the trained length the multiplier is 0, which wipes the scores out. Nothing may change there: 1.",
            edited(
                solution,
                (
                    "max(1.0, math.log(i + 1) / math.log(train_len))",
                    "math.log(i + 1) / math.log(train_len) * (i + 1 > train_len)",
                ),
            ),
        ),
        Mistake(
            "logarithm-to-base-two-below",
            "The logarithm above is natural, the one below to base 2. Any base will do, but the same above and below.",
            edited(solution, ("/ math.log(train_len)", "/ math.log2(train_len)")),
        ),
        Mistake(
            "logarithm-to-base-ten-above",
            "The logarithm above is to base 10, the one below natural. Any base will do, but the same above and below.",
            edited(solution, ("math.log(i + 1)", "math.log10(i + 1)")),
        ),
        Mistake(
            "logarithm-to-base-ten-below",
            "The logarithm above is natural, the one below to base 10. Any base will do, but the same above and below.",
            edited(solution, ("/ math.log(train_len)", "/ math.log10(train_len)")),
        ),
    )

    def cases(self) -> list[Case]:
        return [Case((12, 4)), Case((6, 16)), Case((40, 10)), Case((5, 2)), Case((1, 7))]

    def random_case(self, rng: Random) -> Case:
        return Case((rng.randint(1, 60), rng.randint(2, 70)))
