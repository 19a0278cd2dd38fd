"""What attention does to the order of its tokens."""

from __future__ import annotations

from random import Random

from pe_course.exercises.exercise import Case, CodeExercise, Mistake, Variant, edited


class EquivarianceCheck(CodeExercise):
    id = "equivariance-check"
    title = "Did the outputs move with the words?"
    prompt = """\
A layer was run twice: on a sentence, and on the same words in the order `order`, where place $r$ of the second run
holds word `order[r]` of the first. `before` and `after` are the two tables of outputs, one row per place.

Write `is_equivariant(before, after, order)`: `True` if every word kept its output and took it along to its new
place, up to a difference of $10^{-6}$; else `False`.

In words: attention without positions passes this check. It does not give *equal* outputs at equal places; the
outputs move with the words.
"""
    chapter = "motivation"
    lecture = ("S2-01", "S3-30")
    claims = ("L-025", "L-100")
    function = "is_equivariant"
    truth = True
    starter = '''\
def is_equivariant(before, after, order):
    """True if row r of after is row order[r] of before, for every r."""
    ...
'''
    hints = (
        "Place r of the second run holds word order[r]. Which row of `before` was that word's?",
        "Compare `after[r]` with `before[order[r]]`, number by number: `abs(a - b) < 1e-6`.",
    )
    solution = """\
def is_equivariant(before, after, order):
    for r, word in enumerate(order):
        for a, b in zip(after[r], before[word]):
            if abs(a - b) > 1e-6:
                return False
    return True
"""
    variants = (
        Variant(
            "one all() over both loops",
            """\
def is_equivariant(before, after, order):
    return all(
        abs(a - b) < 1e-6 for row, word in zip(after, order) for a, b in zip(row, before[word])
    )
""",
        ),
        Variant(
            "the second run put back into the old order",
            """\
def is_equivariant(before, after, order):
    back = [None] * len(before)
    for row, word in zip(after, order):
        back[word] = row
    worst = max(abs(a - b) for x, y in zip(back, before) for a, b in zip(x, y))
    return 1 if worst <= 1e-6 else 0
""",
        ),
        Variant(
            "NumPy",
            """\
import numpy as np

def is_equivariant(before, after, order):
    return bool(np.allclose(np.asarray(after), np.asarray(before)[np.asarray(order)], atol=1e-6))
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "invariant",
            "You compare place by place, which asks for *in*variance: the same output whoever stands there. "
            "Equivariance lets the output move with its word.",
            edited(solution, ("before[word]", "before[r]")),
        ),
        Mistake(
            "inverse-order",
            "The order is applied the wrong way round: row r of `after` belongs to word order[r], so it is "
            "`after[r]` that is compared with `before[order[r]]`.",
            edited(solution, ("zip(after[r], before[word])", "zip(after[word], before[r])")),
        ),
        Mistake(
            "sums",
            "You compare sums, which cannot tell who got which output: any mix of the rows passes.",
            """\
def is_equivariant(before, after, order):
    return all(abs(sum(a) - sum(b)) < 1e-6 for a, b in zip(zip(*after), zip(*before)))
""",
        ),
        Mistake(
            "as-a-set",
            "You compare the rows in any order, which is true for every shuffled table. Each row has to be at its own "
            "word's new place.",
            """\
def is_equivariant(before, after, order):
    pairs = zip(sorted(map(list, after)), sorted(map(list, before)))
    return all(abs(a - b) < 1e-6 for x, y in pairs for a, b in zip(x, y))
""",
        ),
        Mistake(
            "exact",
            "You ask for equal numbers to the last bit. Sums in another order round differently: allow 1e-6.",
            edited(solution, ("abs(a - b) > 1e-6", "a != b")),
        ),
        Mistake(
            "first-channel",
            "Only the first channel of each row is compared.",
            edited(solution, ("zip(after[r], before[word])", "zip(after[r][:1], before[word][:1])")),
        ),
        Mistake(
            "always-true",
            "Your answer is True for every input.",
            "def is_equivariant(before, after, order):\n    return True\n",
        ),
        Mistake(
            "always-false",
            "Your answer is False for every input.",
            "def is_equivariant(before, after, order):\n    return False\n",
        ),
        Mistake(
            "row-sums",
            "You compare the sum of each row, which cannot tell [1, 2] from [2, 1]. Compare channel by channel.",
            """\
def is_equivariant(before, after, order):
    return all(abs(sum(after[r]) - sum(before[word])) <= 1e-6 for r, word in enumerate(order))
""",
        ),
        Mistake(
            "row-lengths",
            "You compare the length (norm) of each row: many vectors have the same. Compare channel by channel.",
            """\
def is_equivariant(before, after, order):
    return all(
        abs(sum(a * a for a in after[r]) - sum(b * b for b in before[word])) <= 1e-6 for r, word in enumerate(order)
    )
""",
        ),
        Mistake(
            "relative-tolerance",
            "Your tolerance is relative to the size of the numbers, as in `math.isclose` and `np.allclose` by "
            "themselves: where an output is 0, nothing comes close enough. Give an absolute one, 1e-6.",
            edited(solution, ("> 1e-6", "> 1e-6 * abs(b)")),
        ),
        Mistake(
            "larger-is-fine",
            "Only differences to one side count: the absolute value is missing.",
            edited(solution, ("abs(a - b)", "(a - b)")),
        ),
        Mistake(
            "smaller-is-fine",
            "Only differences to one side count: the difference needs `abs`.",
            edited(solution, ("abs(a - b)", "(b - a)")),
        ),
        Mistake(
            "loose",
            "The tolerance is far too wide: 1e-6 is asked for.",
            edited(solution, ("1e-6", "1e-2")),
        ),
        Mistake(
            "last-row-missing",
            "The last row is not compared: check where the loop ends.",
            edited(solution, ("enumerate(order)", "enumerate(order[:-1])")),
        ),
        Mistake(
            "first-row-missing",
            "The first row is not compared: check where the loop starts.",
            edited(solution, ("enumerate(order):", "list(enumerate(order))[1:]:")),
        ),
        Mistake(
            "first-row-only",
            "Only the first row is compared: the answer is given before the loop goes on. `return True` belongs after "
            "all rows.",
            """\
def is_equivariant(before, after, order):
    return all(abs(a - b) <= 1e-6 for a, b in zip(after[0], before[order[0]]))
""",
        ),
        Mistake(
            "first-number-only",
            "The answer is given after the first number already. Return False at the first difference, and True only "
            "after the loops.",
            """\
def is_equivariant(before, after, order):
    return abs(after[0][0] - before[order[0]][0]) <= 1e-6
""",
        ),
        Mistake(
            "last-channel",
            "Only the last channel of each row is compared.",
            """\
def is_equivariant(before, after, order):
    return all(abs(after[r][-1] - before[word][-1]) <= 1e-6 for r, word in enumerate(order))
""",
        ),
        Mistake(
            "any-row",
            "One matching row is enough for you. All have to match: `all`, not `any`.",
            """\
def is_equivariant(before, after, order):
    return any(all(abs(a - b) <= 1e-6 for a, b in zip(after[r], before[word])) for r, word in enumerate(order))
""",
        ),
        Mistake(
            "rounded",
            "The numbers are rounded before they are compared, which lets large differences pass and parts close "
            "neighbours.",
            """\
def is_equivariant(before, after, order):
    return all(round(a) == round(b) for r, word in enumerate(order) for a, b in zip(after[r], before[word]))
""",
        ),
        Mistake(
            "mean-difference",
            "You take the mean of the differences, in which a single wrong output hides. Every one has to be small.",
            """\
def is_equivariant(before, after, order):
    return (
        sum(abs(a - b) for r, word in enumerate(order) for a, b in zip(after[r], before[word]))
        / sum(len(row) for row in after)
        <= 1e-3
    )
""",
        ),
        Mistake(
            "set-of-rows",
            "You compare sets of rows, so any order passes, and rounding does not. Each row has to be at its own "
            "word's new place.",
            """\
def is_equivariant(before, after, order):
    return {tuple(row) for row in after} == {tuple(row) for row in before}
""",
        ),
        Mistake(
            "sorted-rows",
            "You sort the channels of each row before you compare them, so their order does not count. Compare "
            "channel by "
            "channel.",
            """\
def is_equivariant(before, after, order):
    return all(
        abs(a - b) <= 1e-6
        for r, word in enumerate(order)
        for a, b in zip(sorted(after[r]), sorted(before[word]))
    )
""",
        ),
        Mistake(
            "directions",
            "You compare the direction of each row (a cosine): a row twice as long passes. Compare channel by channel.",
            """\
def is_equivariant(before, after, order):
    def cosine(a, b):
        return sum(x * y for x, y in zip(a, b)) / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5

    return all(cosine(after[r], before[word]) >= 1 - 1e-6 for r, word in enumerate(order))
""",
        ),
        Mistake(
            "squared-difference",
            "You compare *squared* differences with 1e-6: those up to 0.001 pass. Compare the differences themselves.",
            """\
def is_equivariant(before, after, order):
    squares = [(a - b) ** 2 for r, word in enumerate(order) for a, b in zip(after[r], before[word])]
    return sum(squares) / len(squares) <= 1e-6
""",
        ),
    )

    def cases(self) -> list[Case]:
        before = [[0.5, 1.0], [2.0, -1.0], [0.25, 3.0]]
        moved = [before[1], before[2], before[0]]
        nearly = [[2.0 + 1e-9, -1.0], [0.25, 3.0], [0.5, 1.0 - 1e-9]]
        off = [before[1], [0.25, 3.001], before[0]]
        first_off = [[2.1, -1.0], before[2], before[0]]
        too_small = [before[1], before[2], [0.5, 0.9]]
        slightly = [before[1], before[2], [0.5, 1.0001]]
        same_sums = [[1.5, -1.0], [0.75, 3.0], [0.5, 1.0]]
        channels_swapped = [[-1.0, 2.0], *moved[1:]]
        order = [1, 2, 0]
        return [
            Case((before, moved, order), tolerance=0),
            Case((before, before, order), tolerance=0),
            Case((before, [before[2], before[0], before[1]], order), tolerance=0),
            Case((before, nearly, order), tolerance=0),
            Case((before, off, order), tolerance=0),
            Case((before, first_off, order), tolerance=0),
            Case((before, slightly, order), tolerance=0),
            Case((before, too_small, order), tolerance=0),
            Case((before, same_sums, order), tolerance=0),
            Case((before, channels_swapped, order), tolerance=0),
            Case((before, [[0.5, 0.5], *moved[1:]], order), tolerance=0),  # the sum of a row, but not its length
            Case((before, [[2.0, -1.3], *moved[1:]], order), tolerance=0),  # in the first row, second channel
            Case((before, [moved[0], [0.259, 3.0], moved[2]], order), tolerance=0),  # in the first channel, later row
            Case((before, [moved[0], [0.253, 3.0], moved[2]], order), tolerance=0),  # small in the mean, not squared
            Case((before, [[-2.0, -1.0], *moved[1:]], order), tolerance=0),  # the length, not the numbers
            Case((before, [[4.0, -2.0], *moved[1:]], order), tolerance=0),  # the direction, not the length
            Case(([[0.0, 1.0], [2.0, 0.0]], [[2.0, 5e-7], [-5e-7, 1.0]], [1, 0]), tolerance=0),
            Case(([[1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0]], [0]), tolerance=0),
        ]

    def random_case(self, rng: Random) -> Case:
        n, width = rng.randint(1, 5), rng.randint(1, 4)
        before = [[round(rng.uniform(-2, 2), 2) for _ in range(width)] for _ in range(n)]
        order = rng.sample(range(n), n)
        after = [list(before[word]) for word in order]
        kind = rng.randrange(4)
        if kind == 0:
            after[rng.randrange(n)][rng.randrange(width)] += rng.choice([0.5, -0.5, 1e-4, -1e-4, 1e-9])
        elif kind == 1:
            after = [list(row) for row in before]
        return Case((before, after, order), tolerance=0)
