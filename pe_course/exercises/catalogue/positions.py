"""Which position is each token at? Padding, caches and packed documents."""

from __future__ import annotations

from random import Random
from typing import Any

from pe_course.exercises.exercise import Case, CodeExercise, Mistake, Variant, edited


class PositionsFromMask(CodeExercise):
    id = "positions-from-mask"
    title = "Positions in a padded batch"
    prompt = """\
Each row of `mask` has one unbroken run of 1 (real tokens), padded with 0 on the left or on the right. Write
`positions_from_mask(mask)`: rows of whole numbers, in which the first real token of a row is at position 0 and the
next ones at 1, 2, …

On padding anything goes that is a legal index, that is, from 0 to the row's length − 1.

In words: count the real tokens, not the columns.
"""
    chapter = "use-it"
    lecture = ("S3-49",)
    claims = ("L-116",)
    function = "positions_from_mask"
    starter = '''\
def positions_from_mask(mask):
    """Rows of positions, one for each entry of mask."""
    ...
'''
    hints = (
        "Go through a row with a counter that goes up at each 1.",
        "The first real token is at 0, so write the counter down before you raise it.",
        "−1 on padding is no legal index: it reads the last row of a table. Put 0 there.",
    )
    solution = """\
def positions_from_mask(mask):
    rows = []
    for row in mask:
        seen, positions = 0, []
        for real in row:
            positions.append(seen if real else 0)
            seen += real
        rows.append(positions)
    return rows
"""
    variants = (
        Variant(
            "the column minus the first real column; padding gets the last legal index",
            """\
def positions_from_mask(mask):
    def of(row):
        row = list(row)
        start = row.index(1)
        return [c - start if real else len(row) - 1 for c, real in enumerate(row)]
    return [of(row) for row in mask]
""",
        ),
        Variant(
            "running sums minus one, never below 0",
            """\
from itertools import accumulate

def positions_from_mask(mask):
    return [[max(total - 1, 0) for total in accumulate(map(int, row))] for row in mask]
""",
        ),
        Variant(
            "NumPy",
            """\
import numpy as np

def positions_from_mask(mask):
    mask = np.asarray(mask)
    return np.where(mask > 0, mask.cumsum(-1) - 1, 1 % mask.shape[-1])
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "columns",
            "Your positions are the columns 0, 1, 2, … A prompt padded on the left then starts at the number of its "
            "padding; its first real token must be at 0.",
            "def positions_from_mask(mask):\n    return [list(range(len(row))) for row in mask]\n",
        ),
        Mistake(
            "one-based",
            "The first real token is at 1: the running sum of the mask counts from 1, so subtract 1.",
            """\
from itertools import accumulate
def positions_from_mask(mask):
    return [list(accumulate(map(int, row))) for row in mask]
""",
        ),
        Mistake(
            "minus-one-on-padding",
            "Padding on the left gets −1, which is no legal index: in Python it reads the last row of a table. "
            "Raise it "
            "to 0.",
            """\
from itertools import accumulate
def positions_from_mask(mask):
    return [[total - 1 for total in accumulate(map(int, row))] for row in mask]
""",
        ),
        Mistake(
            "mask-as-positions",
            "You return 0 and 1 of the mask itself; count the real tokens.",
            "def positions_from_mask(mask):\n    return [[int(real) for real in row] for row in mask]\n",
        ),
        Mistake(
            "counted-from-the-end",
            "The positions run backwards: the first real token is at 0.",
            """\
def positions_from_mask(mask):
    return [[sum(row) - 1 - (sum(row[:c])) if real else 0 for c, real in enumerate(row)] for row in mask]
""",
        ),
        Mistake(
            "padding-counted",
            "Padding is counted instead of the real tokens.",
            """\
from itertools import accumulate
def positions_from_mask(mask):
    return [[max(total - 1, 0) for total in accumulate(1 - int(real) for real in row)] for row in mask]
""",
        ),
        Mistake(
            "past-the-table",
            "Padding gets the row's length, which is one past the last legal index (length − 1).",
            edited(solution, ("seen if real else 0", "seen if real else len(row)")),
        ),
        Mistake(
            "first-row-for-all",
            "Every row gets the positions of the first one. Rows are padded differently.",
            edited(solution, ("    for row in mask:\n", "    for _ in mask:\n        row = mask[0]\n")),
        ),
        Mistake(
            "left-padding-assumed",
            "That is right for padding on the left alone: in a row padded on the right, the first real tokens do not "
            "count 0, 1, 2.",
            """\
def positions_from_mask(mask):
    return [[max(0, c - (len(row) - sum(row))) for c in range(len(row))] for row in mask]
""",
        ),
        Mistake(
            "batch-flattened",
            "The count runs on from row to row. Each row starts at 0: sum along the row, not over the whole batch.",
            """\
def positions_from_mask(mask):
    seen, rows = 0, []
    for row in mask:
        rows.append([])
        for real in row:
            rows[-1].append(seen if real else 0)
            seen += real
    return rows
""",
        ),
        Mistake(
            "below-zero-on-padding",
            "On the left your positions are below 0: the first real column is subtracted from every column. On "
            "padding only legal indices may stand: raise them to 0.",
            """\
def positions_from_mask(mask):
    return [[column - list(row).index(1) for column in range(len(row))] for row in mask]
""",
        ),
        Mistake(
            "minus-hundred-on-padding",
            "Padding gets −100, which tells a *loss* what to skip; as a position it is no row of any table. Any index "
            "from 0 to the row's length − 1 will do.",
            edited(solution, ("else 0", "else -100")),
        ),
        Mistake(
            "minus-one-on-all-padding",
            "Padding gets −1, which is no legal index. Anything from 0 to the row's length − 1 will do.",
            edited(solution, ("else 0", "else -1")),
        ),
        Mistake(
            "summed-over-rows",
            "The running sum goes down the columns, over the batch. Sum along each row: the last axis.",
            """\
def positions_from_mask(mask):
    return [[max(0, sum(row[c] for row in mask[: r + 1]) - 1) for c in range(len(mask[0]))] for r in range(len(mask))]
""",
        ),
        Mistake(
            "whole-length",
            "Every token gets the position of the last one: the row is summed as a whole. Take the *running* sum.",
            """\
def positions_from_mask(mask):
    return [[sum(row) - 1 for _ in row] for row in mask]
""",
        ),
        Mistake(
            "longest-for-all",
            "Every row starts where the longest one does. Each has its own padding.",
            """\
def positions_from_mask(mask):
    padding = len(mask[0]) - max(sum(row) for row in mask)
    return [[max(0, column - padding) for column in range(len(row))] for row in mask]
""",
        ),
        Mistake(
            "two-subtracted",
            "The second real token is at 0 too: from the running sum subtract 1, not 2.",
            edited(solution, ("seen if real else 0", "max(seen - 1, 0) if real else 0")),
        ),
    )

    def cases(self) -> list[Case]:
        masks = [
            [[1, 1, 1, 0, 0], [0, 0, 1, 1, 1], [1, 1, 1, 1, 1]],
            [[0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 1]],
            [[1, 0, 0, 0]],
            [[0, 0, 0, 1], [1, 1, 0, 0]],
            [[1], [1]],
        ]
        return [Case((mask,), tolerance=0) for mask in masks]

    def random_case(self, rng: Random) -> Case:
        width, rows = rng.randint(1, 8), []
        for _ in range(rng.randint(1, 4)):
            real = rng.randint(1, width)
            run, padding = [1] * real, [0] * (width - real)
            rows.append(padding + run if rng.random() < 0.6 else run + padding)
        return Case((rows,), tolerance=0)

    def comparable(self, value: Any, case: Case) -> Any:
        """Legal indices on padding count as 0."""
        return [
            [0 if not real and number in range(len(row)) else number for number, real in zip(row, mask, strict=True)]
            for row, mask in zip(value, case.args[0], strict=True)
        ]


class DecodePositions(CodeExercise):
    id = "decode-positions"
    title = "Positions of a decoding step"
    prompt = """\
A model writes with a cache of keys. Write `decode_positions(seen, n_new)`: for each sequence of the batch the
positions of its next `n_new` tokens. `seen` holds, per sequence, how many real tokens came before (padding does not
count).

In words: a new token continues where its own sequence stopped; it does not start again at 0.
"""
    chapter = "use-it"
    lecture = ("S3-49",)
    claims = ("L-116",)
    function = "decode_positions"
    starter = '''\
def decode_positions(seen, n_new):
    """One row of n_new positions per sequence."""
    ...
'''
    hints = (
        "A sequence of 3 tokens occupies the positions 0, 1, 2. Where does the next one stand?",
        "`range(before, before + n_new)` for each entry of `seen`.",
    )
    solution = """\
def decode_positions(seen, n_new):
    return [[before + step for step in range(n_new)] for before in seen]
"""
    variants = (
        Variant(
            "ranges as rows",
            """\
def decode_positions(seen, n_new):
    return [range(int(before), int(before) + n_new) for before in seen]
""",
        ),
        Variant(
            "NumPy",
            """\
import numpy as np

def decode_positions(seen, n_new):
    return np.asarray(seen)[:, None] + np.arange(n_new)
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "from-zero",
            "The new tokens start at 0 again, as if the cache were empty. Each continues at the number of tokens seen.",
            edited(solution, ("before + step", "step")),
        ),
        Mistake(
            "one-too-far",
            "You skip a position: after 3 tokens at 0, 1, 2 the next one is at 3.",
            edited(solution, ("before + step", "before + step + 1")),
        ),
        Mistake(
            "last-again",
            "The first new token gets the position of the last one seen. After 3 tokens at 0, 1, 2 the next is at 3.",
            edited(solution, ("before + step", "before + step - 1")),
        ),
        Mistake(
            "longest-for-all",
            "Every sequence continues at the longest one's length. That counts the padding; each has its own.",
            edited(solution, ("before + step", "max(seen) + step")),
        ),
        Mistake(
            "all-at-one",
            "All new tokens of a step stand at one position; they follow each other.",
            edited(solution, ("before + step", "before")),
        ),
        Mistake(
            "axes-exchanged",
            "Rows and columns are exchanged: one row per sequence.",
            "def decode_positions(seen, n_new):\n    return [[b + s for b in seen] for s in range(n_new)]\n",
        ),
        Mistake(
            "first-for-all",
            "Every sequence continues where the first one does. Each has its own number of tokens.",
            edited(solution, ("before + step", "seen[0] + step")),
        ),
        Mistake(
            "shortest-for-all",
            "Every sequence continues where the shortest one does. Each has its own number of tokens.",
            edited(solution, ("before + step", "min(seen) + step")),
        ),
        Mistake(
            "mean-for-all",
            "Every sequence continues at the mean of them. Each has its own number of tokens.",
            edited(solution, ("before + step", "sum(seen) // len(seen) + step")),
        ),
        Mistake(
            "new-tokens-counted-too",
            "You begin after the new tokens: n_new is added to where the sequence stopped. The first new token stands "
            "at `seen` itself.",
            edited(solution, ("before + step", "before + n_new + step")),
        ),
        Mistake(
            "whole-sequence",
            "You return the positions of the whole sequence. The cached keys are placed already; only those of the "
            "new tokens are asked for.",
            """\
def decode_positions(seen, n_new):
    return [list(range(before + n_new)) for before in seen]
""",
        ),
        Mistake(
            "batch-in-a-row",
            "The sequences are counted as if they stood in one row, one after the other. Each has positions of its "
            "own.",
            """\
def decode_positions(seen, n_new):
    return [[sum(seen[:row]) + step for step in range(n_new)] for row in range(len(seen))]
""",
        ),
        Mistake(
            "last-token-only",
            "You return the last new token alone. Each row has n_new positions.",
            edited(solution, ("before + step for step in range(n_new)", "before + n_new - 1 for _ in range(1)")),
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case(([3, 0, 7], 1), tolerance=0),
            Case(([5, 2], 3), tolerance=0),
            Case(([0], 4), tolerance=0),
            Case(([11, 4, 4, 1], 2), tolerance=0),
        ]

    def random_case(self, rng: Random) -> Case:
        return Case(([rng.randint(0, 90) for _ in range(rng.randint(1, 5))], rng.randint(1, 6)), tolerance=0)


class LeftPaddedPositions(CodeExercise):
    id = "left-padded-positions"
    title = "Padding on the left"
    prompt = """\
Prompts of different lengths are padded on the **left** to one width. Write `left_padded_positions(lengths, width)`:
one row per prompt, 0 on its padding, then 0, 1, 2, … on its real tokens.

In words: however much padding stands before it, a prompt's first token is at position 0.
"""
    chapter = "use-it"
    lecture = ("S3-49",)
    claims = ("L-116",)
    function = "left_padded_positions"
    starter = '''\
def left_padded_positions(lengths, width):
    """One row of width positions per length."""
    ...
'''
    hints = (
        "A prompt of length L has width − L columns of padding before it.",
        "The position in column c is c − (width − L), and 0 where that would be negative.",
    )
    solution = """\
def left_padded_positions(lengths, width):
    return [[max(0, column - (width - length)) for column in range(width)] for length in lengths]
"""
    variants = (
        Variant(
            "zeros, then a count",
            """\
def left_padded_positions(lengths, width):
    rows = []
    for length in lengths:
        length = int(length)
        rows.append([0] * (width - length) + list(range(length)))
    return rows
""",
        ),
    )
    mistakes = (
        Mistake(
            "columns",
            "These are the columns. A left-padded prompt then starts at the amount of its padding instead of 0.",
            edited(solution, ("max(0, column - (width - length))", "column")),
        ),
        Mistake(
            "padded-on-the-right",
            "The padding stands on the right in your rows; here it stands on the left.",
            edited(solution, ("max(0, column - (width - length))", "column if column < length else 0")),
        ),
        Mistake(
            "negative",
            "Padding gets negative positions, which read a table from its end. Raise them to 0.",
            edited(solution, ("max(0, column - (width - length))", "column - (width - length)")),
        ),
        Mistake(
            "one-based",
            "The first real token is at 1; it belongs at 0.",
            edited(solution, ("column - (width - length)", "column - (width - length) + 1")),
        ),
        Mistake(
            "shifted-by-length",
            "You subtract the prompt's length; what stands before it is the padding, width − length.",
            edited(solution, ("column - (width - length)", "column - length")),
        ),
        Mistake(
            "minus-one-on-padding",
            "Padding gets −1, which reads a table from its end; it gets 0 here.",
            edited(
                solution,
                (
                    "max(0, column - (width - length))",
                    "(column - (width - length) if column >= width - length else -1)",
                ),
            ),
        ),
        Mistake(
            "last-index-on-padding",
            "Padding gets the last index, width − 1. That is legal, but here it gets 0.",
            edited(
                solution,
                (
                    "max(0, column - (width - length))",
                    "(column - (width - length) if column >= width - length else width - 1)",
                ),
            ),
        ),
        Mistake(
            "one-on-padding",
            "Padding gets 1, as some code does. That is legal, but here it gets 0.",
            edited(
                solution,
                ("max(0, column - (width - length))", "(column - (width - length) if column >= width - length else 1)"),
            ),
        ),
        Mistake(
            "mask",
            "That is the mask: 1 on real tokens. The positions count them: 0, 1, 2, …",
            edited(solution, ("max(0, column - (width - length))", "int(column >= width - length)")),
        ),
        Mistake(
            "mirrored",
            "The padding counts down to 0: the distance has lost its sign. Padding gets 0.",
            edited(solution, ("max(0, column - (width - length))", "abs(column - (width - length))")),
        ),
        Mistake(
            "columns-on-real-tokens",
            "The real tokens keep their columns. A prompt's first token is at 0, however much padding stands before "
            "it.",
            edited(solution, ("max(0, column - (width - length))", "column * (column >= width - length)")),
        ),
        Mistake(
            "wrapped",
            "You wrap negative positions round with `%`; padding gets 0.",
            edited(solution, ("max(0, column - (width - length))", "(column - (width - length)) % width")),
        ),
        Mistake(
            "longest-for-all",
            "Every row starts where the longest prompt does. Each has its own padding, width − length.",
            edited(solution, ("width - length", "width - max(lengths)")),
        ),
        Mistake(
            "not-padded",
            "The padding is missing: every row has width entries.",
            """\
def left_padded_positions(lengths, width):
    return [list(range(length)) for length in lengths]
""",
        ),
    )

    def cases(self) -> list[Case]:
        return [
            Case((lengths, width), tolerance=0)
            for lengths, width in (([3, 5, 1], 5), ([2, 4], 6), ([1], 1), ([7, 3], 8))
        ]

    def random_case(self, rng: Random) -> Case:
        width = rng.randint(1, 9)
        return Case(([rng.randint(1, width) for _ in range(rng.randint(1, 4))], width), tolerance=0)


class PackedPositions(CodeExercise):
    id = "packed-positions"
    title = "Several documents in one row"
    prompt = """\
To waste no padding, documents are packed into one row, one after the other. Write `packed_positions(lengths)`: the
positions of the whole row, which start again at 0 in each document.

In words: a document must not know how many others were packed before it. (The attention mask has to part them too.)
"""
    chapter = "use-it"
    lecture = ("S3-49",)
    claims = ()
    function = "packed_positions"
    starter = '''\
def packed_positions(lengths):
    """One position per token of the row."""
    ...
'''
    hints = (
        "The row is as long as the sum of the lengths.",
        "For each document, append 0, 1, …, length − 1.",
    )
    solution = """\
def packed_positions(lengths):
    return [position for length in lengths for position in range(length)]
"""
    variants = (
        Variant(
            "a counter that is set back at each border",
            """\
def packed_positions(lengths):
    row = []
    for length in lengths:
        position = 0
        while position < length:
            row.append(position)
            position += 1
    return row
""",
        ),
        Variant(
            "NumPy: the column minus the start of its document",
            """\
import numpy as np

def packed_positions(lengths):
    lengths = np.asarray(lengths)
    return np.arange(lengths.sum()) - np.repeat(lengths.cumsum() - lengths, lengths)
""",
            arrays=True,
        ),
    )
    mistakes = (
        Mistake(
            "not-set-back",
            "The count runs on from document to document. It starts again at 0 in each.",
            "def packed_positions(lengths):\n    return list(range(sum(lengths)))\n",
        ),
        Mistake(
            "document-numbers",
            "These are the numbers of the documents, which the mask needs; the positions count within each document.",
            edited(solution, ("[position for length in lengths", "[number for number, length in enumerate(lengths)")),
        ),
        Mistake(
            "one-based",
            "Each document starts at 1; positions start at 0.",
            edited(solution, ("range(length)", "range(1, length + 1)")),
        ),
        Mistake(
            "backwards",
            "The positions run backwards in each document.",
            edited(solution, ("range(length)", "range(length - 1, -1, -1)")),
        ),
        Mistake(
            "nested",
            "You return one list per document; the row is one flat list.",
            "def packed_positions(lengths):\n    return [list(range(length)) for length in lengths]\n",
        ),
        Mistake(
            "longest-for-all",
            "The count starts again after the *longest* length. Each document has its own.",
            edited(
                solution,
                (
                    "position for length in lengths for position in range(length)",
                    "place % max(lengths) for place in range(sum(lengths))",
                ),
            ),
        ),
        Mistake(
            "first-for-all",
            "The count starts again after the first document's length. Each document has its own.",
            edited(
                solution,
                (
                    "position for length in lengths for position in range(length)",
                    "place % lengths[0] for place in range(sum(lengths))",
                ),
            ),
        ),
        Mistake(
            "starts",
            "Every token gets the place where its document starts. Subtract that from its column.",
            """\
def packed_positions(lengths):
    return [sum(lengths[:number]) for number, length in enumerate(lengths) for _ in range(length)]
""",
        ),
        Mistake(
            "divided-by-length",
            "The positions are divided by the document's length. A position is a whole number: 0, 1, 2, …",
            edited(solution, ("position for length", "position / length for length")),
        ),
        Mistake(
            "document-number-added",
            "The number of the document is added to its positions. A document must not know how many stand before it.",
            edited(solution, ("for length in lengths", "+ number for number, length in enumerate(lengths)")),
        ),
        Mistake(
            "borders",
            "Those are the borders between documents (`cu_seqlens`), which some attention kernels take. Asked for is "
            "a position for every token.",
            """\
def packed_positions(lengths):
    return [0] + [sum(lengths[: number + 1]) for number in range(len(lengths))]
""",
        ),
        Mistake(
            "ends",
            "Every token gets the place where its document ends. Count within the document: 0, 1, 2, …",
            """\
def packed_positions(lengths):
    return [sum(lengths[: place + 1]) for place, length in enumerate(lengths) for _ in range(length)]
""",
        ),
        Mistake(
            "lengths",
            "Every token gets the length of its document. Count within the document: 0, 1, 2, …",
            """\
def packed_positions(lengths):
    return [length for length in lengths for _ in range(length)]
""",
        ),
        Mistake(
            "shortest-for-all",
            "The count starts again after the *shortest* length. Each document has its own.",
            """\
def packed_positions(lengths):
    return [column % min(lengths) for column in range(sum(lengths))]
""",
        ),
        Mistake(
            "length-before-added",
            "Each document begins at the length of the one before it. Each begins at 0.",
            """\
def packed_positions(lengths):
    return [before + p for before, length in zip([0, *lengths], lengths) for p in range(length)]
""",
        ),
    )

    def cases(self) -> list[Case]:
        return [Case((lengths,), tolerance=0) for lengths in ([3, 2, 4], [1], [5, 1, 1, 2], [2, 2])]

    def random_case(self, rng: Random) -> Case:
        return Case(([rng.randint(1, 7) for _ in range(rng.randint(1, 6))],), tolerance=0)
