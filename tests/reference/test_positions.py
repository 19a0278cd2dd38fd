"""Positions of padded, packed, cached and sharded tokens, and what goes wrong with the usual shortcuts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pe_course.reference import absolute, attention, positions

QUICK = settings(deadline=None, derandomize=True, max_examples=40)
LENGTHS = st.lists(st.integers(1, 5), min_size=1, max_size=5)


# -------------------------------------------------------------------------------------------------- padding


def test_padding_on_either_side_leaves_real_tokens_counting_from_zero():
    mask = [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]
    ours = positions.positions_from_mask(mask)
    assert ours.tolist() == [[0, 0, 0, 1, 2], [0, 1, 2, 3, 4], [0, 1, 2, 0, 0]]
    assert ours.dtype == np.int64


def test_boolean_masks_and_rows_without_a_token_are_welcome():
    assert positions.positions_from_mask(np.array([False, True, True])).tolist() == [0, 0, 1]
    assert positions.positions_from_mask([[0, 0, 0]]).tolist() == [[0, 0, 0]]


@QUICK
@given(mask=st.lists(st.booleans(), min_size=1, max_size=12))
def test_real_tokens_are_numbered_without_a_gap(mask):
    ours = positions.positions_from_mask(mask)
    assert ours[np.array(mask)].tolist() == list(range(sum(mask)))
    assert ours.min() >= 0 and ours.max() < len(mask)


def test_left_padding_does_not_change_what_a_prompt_reads_from_a_table():
    table = np.random.default_rng(0).normal(size=(8, 3))
    alone = absolute.learned_positions(np.arange(3), table)
    padded = absolute.learned_positions(positions.positions_from_mask([0, 0, 1, 1, 1]), table)
    np.testing.assert_array_equal(padded[2:], alone)
    assert np.abs(absolute.learned_positions(np.arange(5), table)[2:] - alone).max() > 0.1


# ----------------------------------------------------------------------------------------- RoBERTa and OPT


def test_roberta_counts_from_the_padding_index():
    ours = positions.roberta_positions([[5, 6, 7, 8], [5, 6, 1, 1]], 1)
    assert ours.tolist() == [[2, 3, 4, 5], [2, 3, 1, 1]]


def test_roberta_with_left_padding_and_another_padding_index():
    assert positions.roberta_positions([[3, 3, 9, 9]], 3).tolist() == [[3, 3, 4, 5]]
    assert positions.roberta_positions([7, 7, 0], 0).tolist() == [1, 2, 0]


@pytest.mark.parametrize(("padding_idx", "fits"), [(1, 512), (3, 510)])
def test_roberta_table_of_514_rows_holds_fewer_tokens(padding_idx, fits):
    table, ids = np.zeros((514, 1)), np.full(fits + 1, 9)
    absolute.learned_positions(positions.roberta_positions(ids[:fits], padding_idx), table)
    with pytest.raises(IndexError, match="position 514"):
        absolute.learned_positions(positions.roberta_positions(ids, padding_idx), table)


def test_opt_counts_from_two_and_padding_reads_row_one():
    assert positions.opt_positions([[0, 1, 1], [1, 1, 0]]).tolist() == [[1, 2, 3], [2, 3, 1]]


@QUICK
@given(mask=st.lists(st.booleans(), min_size=1, max_size=12))
def test_offsets_shift_the_positions_of_real_tokens(mask):
    real, plain = np.array(mask), positions.positions_from_mask(mask)
    ids = np.where(real, 9, 1)
    np.testing.assert_array_equal(positions.opt_positions(mask)[real], plain[real] + 2)
    np.testing.assert_array_equal(positions.roberta_positions(ids, 1)[real], plain[real] + 2)


# -------------------------------------------------------------------------------------------------- packing


def test_packed_documents_start_again_at_zero():
    assert positions.packed_positions([3, 1, 2]).tolist() == [0, 1, 2, 0, 0, 1]
    assert positions.document_ids([3, 1, 2]).tolist() == [0, 0, 0, 1, 2, 2]


@QUICK
@given(lengths=LENGTHS)
def test_packed_positions_are_the_documents_own(lengths):
    each = np.concatenate([np.arange(length) for length in lengths])
    np.testing.assert_array_equal(positions.packed_positions(lengths), each)
    np.testing.assert_array_equal(np.bincount(positions.document_ids(lengths)), lengths)


def test_same_document_mask_is_block_diagonal():
    mask = positions.same_document_mask(positions.document_ids([2, 1]))
    assert mask.dtype == np.bool_
    np.testing.assert_array_equal(mask, [[1, 1, 0], [1, 1, 0], [0, 0, 1]])


def test_same_document_mask_of_a_batch():
    ids = np.array([[0, 0, 1], [4, 7, 4]])
    mask = positions.same_document_mask(ids)
    assert mask.shape == (2, 3, 3)
    np.testing.assert_array_equal(mask[1], [[1, 0, 1], [0, 1, 0], [1, 0, 1]])


def _last_document_packed_and_alone(lengths, seed=0):
    """Outputs of the last document: in a packed row, and in a row of its own."""
    ids = positions.document_ids(lengths)
    tokens = np.random.default_rng(seed).normal(size=(len(ids), 4))
    x = tokens + absolute.sinusoidal_positions(positions.packed_positions(lengths), 4)
    packed = attention.attention(x, x, x, mask=positions.same_document_mask(ids) & attention.causal_mask(len(ids)))
    alone = tokens[ids == ids[-1]] + absolute.sinusoidal_positions(np.arange(lengths[-1]), 4)
    return packed[ids == ids[-1]], attention.attention(alone, alone, alone, mask=attention.causal_mask(lengths[-1]))


def test_a_packed_document_comes_out_as_if_alone():
    np.testing.assert_allclose(*_last_document_packed_and_alone([3, 1, 2]), atol=1e-12)


@QUICK
@given(lengths=LENGTHS, seed=st.integers(0, 2**16))
def test_any_packed_document_comes_out_as_if_alone(lengths, seed):
    np.testing.assert_allclose(*_last_document_packed_and_alone(lengths, seed), atol=1e-12)


# ------------------------------------------------------------------------------------------------- decoding


@pytest.mark.parametrize(("seen", "new", "expected"), [(6, 1, [6]), (6, 3, [6, 7, 8]), (0, 4, [0, 1, 2, 3])])
def test_new_tokens_continue_the_count(seen, new, expected):
    assert positions.decode_positions(seen, new).tolist() == expected


def test_each_sequence_of_a_batch_continues_its_own_count():
    mask = np.array([[0, 0, 1, 1], [1, 1, 1, 1]])
    seen = mask.sum(axis=-1)
    assert positions.decode_positions(seen, 2).tolist() == [[2, 3], [4, 5]]
    longer = positions.positions_from_mask(np.hstack([mask, np.ones((2, 2), dtype=int)]))
    np.testing.assert_array_equal(longer[:, 4:], positions.decode_positions(seen, 2))


# --------------------------------------------------------------------------------------------------- shards


def test_contiguous_shards():
    assert [positions.shard_positions(6, 3, rank).tolist() for rank in range(3)] == [[0, 1], [2, 3], [4, 5]]


def test_zigzag_shards_pair_an_early_with_a_late_chunk():
    shards = [positions.shard_positions(8, 2, rank, scheme="zigzag").tolist() for rank in range(2)]
    assert shards == [[0, 1, 6, 7], [2, 3, 4, 5]]


@QUICK
@given(world=st.integers(1, 5), chunk=st.integers(1, 4), scheme=st.sampled_from(["contiguous", "zigzag"]))
def test_shards_hold_each_position_once(world, chunk, scheme):
    length = 2 * world * chunk
    shards = [positions.shard_positions(length, world, rank, scheme=scheme) for rank in range(world)]
    assert {shard.shape for shard in shards} == {(2 * chunk,)}
    assert sorted(np.concatenate(shards).tolist()) == list(range(length))


def test_zigzag_shares_the_work_of_a_causal_mask_equally():
    work = attention.causal_mask(24).sum(axis=1)
    shares = {
        scheme: {int(work[positions.shard_positions(24, 4, rank, scheme=scheme)].sum()) for rank in range(4)}
        for scheme in positions.SHARD_SCHEMES
    }
    assert shares["zigzag"] == {75}
    assert len(shares["contiguous"]) == 4
