"""A wrong answer that no known mistake explains still gets a sentence that helps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pe_course import check
from pe_course.exercises import general
from pe_course.exercises.attempts import solution_of
from pe_course.exercises.registry import find
from pe_course.exercises.sources import load

TABLE = solution_of(find("sinusoidal-pe"))
ROPE = find("rope-apply")
BUCKET = solution_of(find("t5-bucket"))
SHIFT = solution_of(find("sinusoid-shift-matrix"))
KERPLE = solution_of(find("kerple-log"))
SCORE = solution_of(find("debug-rotate-only-k"))
PAIR = solution_of(find("rotate-pair"))
TURN = solution_of(find("rope-complex"))
SLOPES = solution_of(find("alibi-slopes"))
NTK = solution_of(find("ntk-base"))
RAMP = solution_of(find("yarn-ramp"))
SHAW = solution_of(find("shaw-index"))
WEIGHTS = solution_of(find("continuous-bias"))
EQUAL = solution_of(find("equivariance-check"))


def rope(x, positions, base=1e4):
    """Right, over any axes."""
    x, angle = np.asarray(x, dtype=float), np.asarray(positions)[:, None] * 1.0
    d = x.shape[-1]
    z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angle * base ** (-np.arange(0, d, 2) / d))
    return np.stack([z.real, z.imag], -1).reshape(x.shape)


def half(x, positions, base=1e4):
    """Right, on split halves."""
    x = np.asarray(x, dtype=float)
    width = x.shape[-1] // 2
    z = x[..., :width] + 1j * x[..., width:]
    z = z * np.exp(1j * np.asarray(positions)[:, None] * base ** (-np.arange(width) / width))
    return np.concatenate([z.real, z.imag], -1)


def table(n, d, base=1e4):
    return np.array(TABLE(n, d, base))


GENERAL = [
    ("sinusoidal-pe", lambda n, d, base=1e4: -table(n, d, base), "Every sign is the other way round."),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base).T, "Rows and columns are exchanged (transposed)."),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d), "`base` is ignored: this is the answer for `base=10000`."),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n + 1, d, base), "It is the answer for one more than `n`."),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base) / 2, "Every value is half the right one."),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base) + 1, "Every value is 1 too large."),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base) * d**0.5, "For another input it is another number"),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base).astype(int), "cut to whole numbers"),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base).round(2), "You are close: at most 0.005 off."),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base)[::-1], "your first entry belongs last"),
    ("sinusoidal-pe", lambda n, d, base=1e4: np.zeros((n, d)), "Every value is 0."),
    ("sinusoidal-pe", lambda n, d, base=1e4: np.full((n, d), 0.5), "Every value is 0.5, whatever the input."),
    ("sinusoidal-pe", lambda n, d, base=1e4: np.log(table(n, d, base) - 1), "NaN comes from 0/0"),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base).ravel(), "they are not put into rows"),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base)[None], "an axis of length 1 too many"),
    ("sinusoidal-pe", lambda n, d, base=1e4: np.repeat(table(n, d, base), 2, 1), "twice as many columns"),
    ("sinusoidal-pe", lambda n, d, base=1e4: np.abs(table(n, d, base)), "The sizes are right; some signs are not."),
    (
        "sinusoidal-pe",
        lambda n, d, base=1e4: np.where(np.arange(n)[:, None] < 1, table(n, d, base), 9),
        "Row 0 is right",
    ),
    ("sinusoidal-pe", lambda n, d, base=1e4: np.where(np.arange(d) < 1, table(n, d, base), 9), "Column 0 is right"),
    ("sinusoidal-pe", lambda n, d, base=1e4: np.where(np.arange(d) % 2, 9, table(n, d, base)), "Every second column"),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base)[:, ::-1], "Each row runs backwards."),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base)[:1], "does the `return` stand inside the loop?"),
    ("sinusoidal-pe", lambda n, d, base=1e4: [list(table(n, d, base)[-1])] * n, "All rows of your result are the same"),
    ("sinusoidal-pe", lambda n, d, base=1e4: table(n, d, base) + 1j, "Some of your numbers are complex"),
    (
        "sinusoidal-pe",
        lambda n, d, base=1e4: table(n, d, 1000.0),
        "Is `base` used? This is the answer for `base=1000`.",
    ),
    ("rope-complex", lambda z, p, base=1e4: np.real(TURN(z, p, base)), "the imaginary part is lost"),
    ("rope-complex", lambda z, p, base=1e4: np.conj(TURN(z, p, base)), "Every imaginary part has the other sign"),
    ("rope-complex", lambda z, p, base=1e4: TURN(np.conj(z), p, base), "is taken conjugate"),
    ("rope-complex", lambda z, p, base=1e4: TURN(z, p * 2 * np.pi, base), "`position` is multiplied by 2π"),
    ("rope-complex", lambda z, p, base=1e4: TURN(z, np.radians(p), base), "if `position` were in degrees"),
    ("sinusoid-shift-matrix", lambda k, d, base=1e4: SHIFT(k, d, base**0.5), "The exponent is half"),
    ("sinusoid-shift-matrix", lambda k, d, base=1e4: SHIFT(abs(k), d, base), "The sign of `k` is lost"),
    ("kerple-log", lambda d, r1, r2: KERPLE(d, 1, r2), "Is `r1` used? This is the answer for `r1=1`."),
    ("kerple-log", lambda d, r1, r2: KERPLE(d, r1, 1 / r2), "1 divided by `r2`"),
    ("interleaved-to-half", lambda row: np.reshape(row, (-1, 2)), "asked for is one flat list"),
    (
        "alibi-bias",
        lambda heads, n: [[[-0.37 * (i - j) for j in range(n)] for i in range(n)]] * heads,
        "All parts of your result are the same",
    ),
    ("rope-apply", lambda x, p, base=1e4: x, "returns `x` as it is"),
    ("rope-apply", lambda x, p, base=1e4: rope(x, np.radians(p), base), "were in degrees"),
    ("rope-apply", lambda x, p, base=1e4: rope(x, p[::-1], base), "`positions` read backwards"),
    ("rope-apply", lambda x, p, base=1e4: rope(x, p * 2, base), "twice each entry of `positions`"),
    ("t5-bucket", lambda rel, two=True, n=32, most=128: BUCKET(rel, two, n, 128), "`max_distance` is ignored"),
    ("t5-bucket", lambda rel, two=True, n=32, most=128: BUCKET(rel, True, n, most), "`bidirectional` is ignored"),
    ("t5-bucket", lambda rel, two=True, n=32, most=128: BUCKET(rel, not two, n, most), "read the wrong way round"),
    ("rope-complex", lambda z, p, base=1e4: TURN(z, p), "`base` is ignored"),
    ("rope-complex", lambda z, p, base=1e4: TURN(z, p + 1, base), "one more than `position`"),
    ("rope-complex", lambda z, p, base=1e4: [abs(one) for one in TURN(z, p, base)], "instead of"),
    ("alibi-slopes", lambda n: SLOPES(n)[::-1], "your first entry belongs last"),
    ("ntk-base", lambda base, factor, dim: 1 / NTK(base, factor, dim), "Yours is one divided by the right value."),
    ("alibi-slopes", lambda n: [math.log(slope) for slope in SLOPES(n)], "Yours is the logarithm of the right value."),
    ("sinusoidal-pe", lambda n, d, base=1e4: np.roll(table(n, d, base), 2, 0), "they stand at other places"),
    ("shaw-index", lambda n, most: np.array(SHAW(n, most)) + 1, "Every value is 1 too large."),
    ("yarn-ramp", lambda *given, **more: [*RAMP(*given, **more)[1:], 1.0], "comes one too early"),
    (
        "continuous-bias",
        lambda s, slope=0.5: np.where(np.eye(len(s)), WEIGHTS(s, slope), 9),
        "on the diagonal is right",
    ),
    ("equivariance-check", lambda a, b, order: 1 - EQUAL(a, b, order), "upside down"),
    ("alibi-slopes", lambda n: np.log2(SLOPES(n)), "Yours is the logarithm to base 2 of the right value."),
    (
        "sinusoidal-pe",
        lambda n, d, base=1e4: table(n, d, base).reshape(n, -1, 2)[:, ::-1].reshape(n, d),
        "The pairs run backwards",
    ),
    ("rotate-pair", lambda a, b, angle: PAIR(b, a, angle), "`a` and `b` have changed places."),
    ("rotate-pair", lambda a, b, angle: PAIR(a, b, angle / 2), "It is the answer for half of `angle`."),
    ("rope-apply", lambda x, p, base=1e4: rope(x, np.degrees(p), base), "is turned into degrees"),
    ("rope-apply", lambda x, p, base=1e4: rope(x, np.asarray(p) - p[0], base), "counted from its first entry"),
    (
        "sinusoidal-pe",
        lambda n, d, base=1e4: table(n, d, base) / np.linalg.norm(table(n, d, base) + 1, axis=1, keepdims=True),
        "Each row is a multiple of the right one, by a factor of its own",
    ),
    (
        "sinusoidal-pe",
        lambda n, d, base=1e4: table(n, d, base) * (-1) ** np.arange(d),
        "some signs are not. Every second column (from 1) is negated.",
    ),
    ("shaw-index", lambda n, most: np.where(np.tri(n), SHAW(n, most), 0), "Wherever it is wrong, yours is 0."),
    ("shaw-index", lambda n, most: np.array(SHAW(n, most))[:0], "The result is empty"),
    ("yarn-ramp", lambda dim, base, *more, **named: RAMP(dim, 10000.0, *more, **named), "answer for `base=10000`"),
    (
        "rope-apply",
        lambda x, p, base=1e4: np.concatenate([rope(x, p, base)[..., :-2], x[..., -2:]], -1),
        "columns 0, 1, 2, 3 are right, the others are not. Columns 4, 5 are still those of `x`.",
    ),
    ("rope-complex", lambda z, p, base=1e4: TURN(z, p, 7.0), "The lengths of your numbers are right, their angles"),
    ("interleaved-to-half", lambda row: np.roll(row, 1), "check their order."),
    (
        "sinusoidal-pe",
        lambda n, d, base=1e4: np.roll(table(n, d, base), 1, 1),
        "Column by column, your result comes one",
    ),
]


@pytest.mark.parametrize(("id", "answer", "sentence"), GENERAL, ids=[f"{id}: {what}" for id, _, what in GENERAL])
def test_a_slip_that_can_happen_anywhere_is_named(id, answer, sentence):
    result = check(id, answer)
    assert result.verdict == "wrong", result
    assert sentence in result.message, result


COMBINED = [
    ("rope-apply", lambda x, p, base=1e4: half(x, p + 1, base), "half-split", "plus 1"),
    ("rope-apply", lambda x, p, base=1e4: half(x, 2 * p, base), "half-split", "twice each entry of `positions`"),
    ("rope-apply", lambda x, p, base=1e4: half(x, p), "half-split", "`base` is ignored"),
    ("rope-apply", lambda x, p, base=1e4: -half(x, p, base), "half-split", "Every sign"),
    ("rope-apply", lambda x, p, base=1e4: half(x, np.arange(x.shape[-2]), base), "half-split", "counts 0, 1, 2, …"),
]


@pytest.mark.parametrize(("id", "answer", "mistake", "besides"), COMBINED, ids=[one[-1] for one in COMBINED])
def test_two_mistakes_at_once_are_both_named(id, answer, mistake, besides):
    result = check(id, answer)
    assert (result.verdict, result.mistake) == ("wrong", mistake), result
    assert besides in result.message


NO_CAUSE = [
    (
        "rope-apply",
        lambda x, p, base=1e4: np.where(np.arange(x.shape[-1]) % 2, rope(x, -p, base), rope(x, p, base)),
        "a plus",
    ),
    ("rotate-pair", lambda a, b, angle: [PAIR(a, b, angle)[0], PAIR(a, b, -angle)[1]], "a plus"),
    ("rope-apply", lambda x, p, base=1e4: rope(x * (-1) ** np.arange(x.shape[-1]), p, base), "changed places"),
    ("kerple-power", lambda d, r1, r2: -r1 * np.square(d), "degrees"),
    ("logn-scale", lambda n, train_len: [1.0] * n, "2π"),
    ("interleaved-to-half", lambda row: row[::-1], "unchanged"),
    ("interleaved-to-half", lambda row: np.reshape(row, (-1, 2))[:, ::-1].ravel(), "unchanged"),
    ("yarn-ramp", lambda dim, base, *more, **named: RAMP(dim, 1 / base, *more, **named), "speeds grow"),
    ("debug-cache-offset", lambda c, n, speeds: [[p * s for s in speeds] for p in range(c, n)], "minus"),
    ("continuous-bias", lambda s, slope=0.5: WEIGHTS(s - slope * np.arange(len(s)), 0), "for minus `slope`"),
    (
        "alibi-bias",
        lambda heads, n: [
            [[-s * min(i - j, 2) for j in range(n)] for i in range(n)]
            for s in (2 ** (-8 * h / heads) for h in range(1, heads + 1))
        ],
        "rewarded",
    ),
]


@pytest.mark.parametrize(("id", "answer", "cause"), NO_CAUSE, ids=[f"{id}: {what}" for id, _, what in NO_CAUSE])
def test_no_false_cause_is_named_where_two_slips_would_undo_each_other(id, answer, cause):
    result = check(id, answer)
    assert result.verdict == "wrong", result
    assert cause not in result.message, result


def test_a_mistake_that_some_inputs_hide_does_not_claim_more():
    result = check("debug-rotate-only-k", lambda q, k, m, n: SCORE(q, k, abs(m - n), 0))
    assert "something else is wrong" not in result.message, result


def test_a_mistake_on_most_inputs_is_named_with_a_warning():
    exercise = find("alibi-slopes")
    from_one = load(next(one.source for one in exercise.mistakes if one.id == "from-one"), exercise.function)
    result = check("alibi-slopes", lambda n: from_one(n) if n & (n - 1) == 0 else [1.0] * n)
    assert result.mistake == "from-one"
    assert "On other inputs something else is wrong besides." in result.message


def test_a_convention_is_named_explained_and_not_counted():
    result = check("rope-apply", half)
    assert (result.verdict, result.accepted) == ("other convention", False)
    assert "That is RoPE in another channel order" in result.message
    assert result.failed is not None


def test_a_convention_may_be_accepted():
    exercise = find("sinusoidal-pe")
    order = next(one for one in exercise.mistakes if one.id == "concatenated")
    from dataclasses import replace

    from pe_course.exercises.grade import grade_function

    lenient = type("Lenient", (type(exercise),), {"mistakes": (replace(order, accepted=True),)})()
    result = grade_function(lenient, load(order.source, exercise.function))
    assert (result.verdict, result.accepted) == ("other convention", True)


def test_shifted_rows_of_alibi_are_right_and_explained():
    exercise = find("alibi-bias")
    key_only = next(one for one in exercise.variants if one.idea.startswith("the key's index alone"))
    result = check("alibi-bias", key_only.source)
    assert (result.verdict, result.accepted) == ("right", True)
    assert "Your rows are shifted" in result.message
    assert "shifted" not in check("alibi-bias", exercise.solution).message


ERRORS = [
    ("[1.0] * 2.0", "can't multiply sequence"),
    ("[1.0] / 2.0", "A list is no array"),
    ("[1][1]", "An index runs past the end"),
    ("[1][0.5]", "An index is no whole number"),
    ("range(2.0)", "A whole number is needed"),
    ("math.log(0)", "logarithm"),
    ("math.sqrt(-1)", "root of a negative one"),
    ("math.sin([1.0])", "take one number at a time"),
    ("1 / 0", "A divisor is 0"),
    ("10.0 ** 1000", "A number grew too large"),
    ("np.sin(1)", "there is no `np`"),
    ("[1].shape", "A list has no `.shape`"),
    ("unknown_name", "NameError"),
]


@pytest.mark.parametrize(("expression", "sentence"), ERRORS, ids=[one[0] for one in ERRORS])
def test_an_error_that_beginners_meet_is_explained(expression, sentence):
    result = check("rotate-pair", f"import math\ndef rotate_pair(a, b, angle):\n    return {expression}\n")
    assert result.verdict == "error"
    assert "in line 3" in result.message
    assert sentence in result.message


def test_a_right_answer_is_never_explained_away():
    assert check("rope-apply", rope).right
    assert check("sinusoidal-pe", table).right


def test_a_wrong_axis_is_seen_where_heads_and_tokens_are_as_many():
    def wrong_axis(x, positions, base=1e4):
        return (
            np.swapaxes(rope(np.swapaxes(x, 1, 2), positions, base), 1, 2) if x.ndim == 4 else rope(x, positions, base)
        )

    result = check("rope-apply", wrong_axis)
    assert result.verdict == "wrong"
    assert "2 × 3 × 3 × 8" in result.failed.inputs


@pytest.mark.parametrize("question", general.CERTAIN)
def test_no_question_is_answered_with_yes_for_the_right_values(question):
    right = [TABLE(4, 6), TABLE(9, 8)]
    assert question(right, right) is None


ENDPOINT = """\
import math
def sinusoidal_pe(n, d, base=10000.0):
    last = d // 2 - 1
    return [[f(p * base ** (-i / last)) for i in range(d // 2) for f in (math.sin, math.cos)] for p in range(n)]
"""


def test_a_mistake_is_named_although_the_answer_stops_on_other_inputs():
    result = check("sinusoidal-pe", ENDPOINT)
    assert (result.verdict, result.mistake) == ("wrong", "last-speed-at-base"), result
    assert "And besides: `sinusoidal_pe(5, 2)` stopped in line 4 with `ZeroDivisionError" in result.message


def test_a_mistake_is_named_although_numpy_gives_nan_on_other_inputs():
    def endpoint(n, d, base=1e4):
        half = d // 2
        angles = np.arange(n)[:, None] * np.exp(np.arange(half) * -(np.log(base) / np.float64(half - 1)))
        return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(n, d)

    result = check("sinusoidal-pe", endpoint)
    assert result.mistake == "last-speed-at-base", result
    assert "gives NaN" in result.message


def test_two_answers_of_yes_and_no_are_no_reason_to_guess():
    def by_totals(before, after, order):
        moved = [before[word] for word in order]
        return abs(np.sum(after) - np.sum(moved)) <= 1e-2

    assert "divided by" not in check("equivariance-check", by_totals).message


def test_values_that_were_compared_in_another_form_say_so():
    result = check("alibi-bias", lambda heads, n: np.zeros((heads, n, n)) * 1.0 + np.arange(n) * 0.3)
    assert ", after softmax." in result.message


def test_a_call_can_be_copied_and_a_value_has_its_minus():
    message = check("kerple-log", lambda d, r1, r2: [-1 - abs(x) for x in d]).message
    assert "kerple_log([0, 1, 2, 5], 1, 0.5)` gives −1 instead of 0 " in message
    assert "−" not in check("kerple-log", lambda d, r1, r2: [0 if x >= 0 else 9 for x in d]).failed.inputs


def test_a_yes_or_no_is_shown_as_true_or_false():
    result = check("equivariance-check", lambda before, after, order: 1 - EQUAL(before, after, order))
    assert "gives False instead of True" in result.message, result
    assert (result.failed.expected, result.failed.got) == ("True", "False")
    assert "gives 0 instead of True" in check("equivariance-check", lambda a, b, order: 0.0).message
