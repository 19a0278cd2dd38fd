"""Faults of the modules at the input."""

from __future__ import annotations

import numpy as np
import torch
from faults.fault import Fault
from nn import test_absolute as tests

MODULE = "pe_course.nn.absolute"


def _positions_from_one(right):
    return lambda self, positions, dtype: right(self, positions + 1, dtype)


def _indices_in_bfloat16(right):
    return lambda self, positions, dtype: right(self, positions.bfloat16(), dtype)


def _negated(right):
    return lambda self, positions, dtype: -right(self, positions, dtype)


def _reversed_channels(right):
    return lambda self, positions, dtype: right(self, positions, dtype).flip(-1)


def _rounded_tables(right):
    return lambda self: {name: np.float32(table) for name, table in right(self).items()}


def _rising_frequencies(right):
    return lambda self: {name: table[::-1].copy() for name, table in right(self).items()}


def _replaced(right):
    """The encoding in place of the token, not added to it."""
    return lambda self, x, encoding: encoding.expand(x.shape)


def _encoding_scaled_too(right):
    return lambda self, x, encoding: self.embedding_scale * (x + encoding)


def _last_of_the_batch(right):
    """Every row divided by the largest position of the whole batch."""

    def broken(self, positions):
        return positions / positions.amax().clamp(min=1)

    return broken


def _divided_by_length(right):
    return lambda self, positions: positions / (positions.amax(-1, keepdim=True) + 1)


def _number_first(right):
    def broken(self, x, encoding):
        out = right(self, x, encoding)
        return torch.cat((out[..., -1:], out[..., :-1]), -1) if self.combine == "append" else out

    return broken


def _clamped_rows(right):
    return lambda name, positions, rows: right(name, positions.clamp(0, rows - 1), rows)


def _offset_ignored(right):
    def broken(self, positions, dtype):
        return right(self, positions - self.offset, dtype) if self.offset else right(self, positions, dtype)

    return broken


def _rounded_before_the_sum(right):
    return lambda self, x, pos_q: x + self.encoding(pos_q, x.dtype)


def _fault(method, what, target, broken, caught_by, **arguments):
    return Fault(f"nn {method}", what, f"{MODULE}:{target}", broken, caught_by, arguments)


ADDS = tests.test_embed_adds_the_vectors_of_the_reference
PLAIN, ROWS = {"positions": "plain"}, {"positions": "rows"}

FAULTS: list[Fault] = [
    _fault(
        "integer",
        "from one",
        "_CountedPositions.encoding",
        _positions_from_one,
        ADDS,
        name="integer",
        positions="plain",
    ),
    _fault(
        "integer",
        "subtracted",
        "_CountedPositions.encoding",
        _negated,
        ADDS,
        name="integer-direction",
        positions="plain",
    ),
    _fault(
        "integer",
        "counted in bfloat16",
        "_CountedPositions.encoding",
        _indices_in_bfloat16,
        ADDS,
        name="integer",
        positions="decode",
    ),
    _fault(
        "integer",
        "number before the token",
        "_CountedPositions._combine",
        _number_first,
        tests.test_append_adds_a_channel,
        cls="IntegerPositions",
    ),
    _fault(
        "normalised",
        "one length for the batch",
        "NormalisedPositions._numbers",
        _last_of_the_batch,
        tests.test_normalised_positions_span_each_row,
    ),
    _fault(
        "normalised",
        "divided by the length",
        "NormalisedPositions._numbers",
        _divided_by_length,
        tests.test_normalised_positions_of_five_tokens,
    ),
    _fault(
        "normalised",
        "share repeated beyond the length",
        "rows_of_table",
        _clamped_rows,
        tests.test_a_normalised_position_beyond_its_length,
    ),
    _fault(
        "sinusoidal",
        "frequencies rounded to float32",
        "SinusoidalPositionalEncoding._tables",
        _rounded_tables,
        tests.test_sinusoids_are_right_to_float32_far_out,
        position=1_000_000,
    ),
    _fault(
        "sinusoidal",
        "slowest pair first",
        "SinusoidalPositionalEncoding._tables",
        _rising_frequencies,
        ADDS,
        name="sinusoidal",
        positions="plain",
    ),
    _fault(
        "sinusoidal",
        "cosine first",
        "SinusoidalPositionalEncoding.encoding",
        _reversed_channels,
        ADDS,
        name="sinusoidal-t2t",
        positions="rows",
    ),
    _fault(
        "sinusoidal",
        "encoding scaled with the token",
        "SinusoidalPositionalEncoding._combine",
        _encoding_scaled_too,
        tests.test_token_vectors_are_scaled_before_the_sinusoids_are_added,
    ),
    _fault(
        "learned",
        "next row",
        "LearnedPositionalEmbedding.encoding",
        _positions_from_one,
        ADDS,
        name="learned",
        positions="plain",
    ),
    _fault(
        "learned",
        "offset ignored",
        "LearnedPositionalEmbedding.encoding",
        _offset_ignored,
        tests.test_a_learned_table_has_a_row_per_position_and_the_offset,
    ),
    _fault(
        "learned",
        "last row repeated",
        "rows_of_table",
        _clamped_rows,
        tests.test_a_learned_table_ends,
        position=512,
        offset=2,
    ),
    _fault(
        "learned", "replaces the token", "InputEncoding._combine", _replaced, ADDS, name="learned", positions="rows"
    ),
    _fault(
        "sinusoidal",
        "rounded before the sum",
        "InputEncoding.embed",
        _rounded_before_the_sum,
        tests.test_the_sum_is_rounded_once,
        name="sinusoidal",
        dtype=torch.bfloat16,
    ),
]
