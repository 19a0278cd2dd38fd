"""Faults of the positions of padded, packed, cached and sharded tokens: most were seen in public code."""

from __future__ import annotations

import numpy as np
from faults.fault import Fault
from reference import test_positions as tests

MODULE = "pe_course.reference.positions"


def _arange(right):
    return lambda mask: np.broadcast_to(np.arange(np.shape(mask)[-1]), np.shape(mask)).copy()


def _from_one(right):
    return lambda mask: right(mask) + np.asarray(mask, dtype=np.int64)


def _negative_on_padding(right):
    return lambda mask: np.cumsum(mask, axis=-1) - 1


def _counted_over_the_batch(right):
    def broken(mask):
        real = np.asarray(mask, dtype=np.int64)
        return np.where(real == 1, np.cumsum(real, axis=0) - 1, 0)

    return broken


def _padding_counted(right):
    return lambda input_ids, padding_idx: (
        np.zeros_like(input_ids) + np.arange(np.shape(input_ids)[-1]) + padding_idx + 1
    )


def _no_extra_one(right):
    return lambda input_ids, padding_idx: right(input_ids, padding_idx) - (np.asarray(input_ids) != padding_idx)


def _offset_fixed_at_two(right):
    def broken(input_ids, padding_idx):
        real = (np.asarray(input_ids) != padding_idx).astype(np.int64)
        return real * np.cumsum(real, axis=-1) + 1

    return broken


def _opt_without_offset(right):
    return lambda mask: right(mask) - 2


def _opt_padding_counts(right):
    return lambda mask: np.broadcast_to(np.arange(np.shape(mask)[-1]), np.shape(mask)) + 2


def _opt_padding_at_zero(right):
    return lambda mask: right(mask) * np.asarray(mask)


def _positions_run_on(right):
    return lambda lengths: np.arange(np.sum(lengths))


def _start_at_one(right):
    return lambda lengths: right(lengths) + 1


def _equal_documents(right):
    def broken(lengths):
        return np.arange(np.sum(lengths)) // max(lengths)

    return broken


def _no_document_mask(right):
    return lambda document_ids: np.ones((*np.shape(document_ids), np.shape(document_ids)[-1]), dtype=bool)


def _mask_across_the_batch(right):
    return lambda document_ids: np.asarray(document_ids)[..., None] == np.asarray(document_ids)[0]


def _earlier_documents_visible(right):
    return lambda document_ids: np.asarray(document_ids)[..., :, None] >= np.asarray(document_ids)[..., None, :]


def _from_zero_again(right):
    return lambda n_seen, n_new: np.arange(n_new)


def _one_too_late(right):
    return lambda n_seen, n_new: right(n_seen, n_new) + 1


def _twice_the_prompt(right):
    return lambda n_seen, n_new: right(2 * np.asarray(n_seen), n_new)


def _one_counter_for_the_batch(right):
    def broken(n_seen, n_new):
        return right(np.full(np.shape(n_seen), np.max(n_seen)), n_new)

    return broken


def _local_positions(right):
    return lambda seq_len, world, rank, *, scheme="contiguous": np.arange(seq_len // world)


def _scheme_ignored(right):
    return lambda seq_len, world, rank, *, scheme="contiguous": right(seq_len, world, rank)


def _late_chunk_off_by_one(right):
    def broken(seq_len, world, rank, *, scheme="contiguous"):
        chunks = np.arange(seq_len).reshape(2 * world, -1)
        return np.concatenate([chunks[rank], chunks[-rank]])

    return broken


def _striped(right):
    return lambda seq_len, world, rank, *, scheme="contiguous": np.arange(rank, seq_len, world)


def _fault(method, what, function, broken, caught_by, **arguments):
    return Fault(method, what, f"{MODULE}:{function}", broken, caught_by, arguments)


PADDING = tests.test_padding_on_either_side_leaves_real_tokens_counting_from_zero
ROBERTA_ROWS = tests.test_roberta_counts_from_the_padding_index
OPT_ROWS = tests.test_opt_counts_from_two_and_padding_reads_row_one
PACKED = tests.test_packed_documents_start_again_at_zero
BATCH_DECODE = tests.test_each_sequence_of_a_batch_continues_its_own_count
ZIGZAG = tests.test_zigzag_shards_pair_an_early_with_a_late_chunk

FAULTS: list[Fault] = [
    _fault(
        "padding",
        "padding counted",
        "positions_from_mask",
        _arange,
        tests.test_left_padding_does_not_change_what_a_prompt_reads_from_a_table,
    ),
    _fault("padding", "counted from one", "positions_from_mask", _from_one, PADDING),
    _fault(
        "padding",
        "minus one on padding",
        "positions_from_mask",
        _negative_on_padding,
        PADDING,
    ),
    _fault("padding", "counted over the batch", "positions_from_mask", _counted_over_the_batch, PADDING),
    _fault("roberta_positions", "padding counted", "roberta_positions", _padding_counted, ROBERTA_ROWS),
    _fault("roberta_positions", "one too low", "roberta_positions", _no_extra_one, ROBERTA_ROWS),
    _fault(
        "roberta_positions",
        "offset fixed at two",
        "roberta_positions",
        _offset_fixed_at_two,
        tests.test_roberta_with_left_padding_and_another_padding_index,
    ),
    _fault("opt_positions", "no offset", "opt_positions", _opt_without_offset, OPT_ROWS),
    _fault("opt_positions", "padding counted", "opt_positions", _opt_padding_counts, OPT_ROWS),
    _fault("opt_positions", "padding reads row zero", "opt_positions", _opt_padding_at_zero, OPT_ROWS),
    _fault("packing", "positions run on", "packed_positions", _positions_run_on, PACKED),
    _fault("packing", "counted from one", "packed_positions", _start_at_one, PACKED),
    _fault("packing", "documents of equal length assumed", "document_ids", _equal_documents, PACKED),
    _fault(
        "same_document_mask",
        "missing",
        "same_document_mask",
        _no_document_mask,
        tests.test_a_packed_document_comes_out_as_if_alone,
    ),
    _fault(
        "same_document_mask",
        "keys of the first row",
        "same_document_mask",
        _mask_across_the_batch,
        tests.test_same_document_mask_of_a_batch,
    ),
    _fault(
        "same_document_mask",
        "earlier documents visible",
        "same_document_mask",
        _earlier_documents_visible,
        tests.test_same_document_mask_is_block_diagonal,
    ),
    _fault(
        "decode_positions",
        "from zero again",
        "decode_positions",
        _from_zero_again,
        tests.test_new_tokens_continue_the_count,
        seen=6,
        new=1,
        expected=[6],
    ),
    _fault(
        "decode_positions",
        "one too late",
        "decode_positions",
        _one_too_late,
        tests.test_new_tokens_continue_the_count,
        seen=0,
        new=4,
        expected=[0, 1, 2, 3],
    ),
    _fault(
        "decode_positions",
        "prompt counted twice",
        "decode_positions",
        _twice_the_prompt,
        tests.test_new_tokens_continue_the_count,
        seen=6,
        new=3,
        expected=[6, 7, 8],
    ),
    _fault(
        "decode_positions", "one counter for the batch", "decode_positions", _one_counter_for_the_batch, BATCH_DECODE
    ),
    _fault("shard_positions", "local positions", "shard_positions", _local_positions, tests.test_contiguous_shards),
    _fault("shard_positions", "striped", "shard_positions", _striped, tests.test_contiguous_shards),
    _fault("shard_positions", "scheme ignored", "shard_positions", _scheme_ignored, ZIGZAG),
    _fault("shard_positions", "late chunk off by one", "shard_positions", _late_chunk_off_by_one, ZIGZAG),
]
