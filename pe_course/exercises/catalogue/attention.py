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
