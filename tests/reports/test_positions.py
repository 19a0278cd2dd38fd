"""Public reports about which position a token has, and which it may see. See test_absolute.py for the form."""

import numpy as np
import pytest

from pe_course.reference import absolute, attention, positions


def test_roberta_rows_begin_after_the_padding_index():
    """huggingface/transformers#1363, #15292, facebookresearch/fairseq#1187: why has RoBERTa 514 rows for 512 tokens?

    Its rows count from padding_idx + 1; with another padding index than 1 a full-length input ran out of the table.
    """
    ids = np.array([[5, 6, 7, 8], [5, 6, 1, 1]])
    np.testing.assert_array_equal(positions.roberta_positions(ids, 1), [[2, 3, 4, 5], [2, 3, 1, 1]])
    np.testing.assert_array_equal(positions.roberta_positions([[3, 3, 9, 9]], 3), [[3, 3, 4, 5]])


@pytest.mark.parametrize(
    "padding_idx, tokens, fits", [(1, 512, True), (1, 513, False), (3, 510, True), (3, 512, False)]
)
def test_a_table_of_514_rows_holds_so_many_tokens(padding_idx, tokens, fits):
    """rinnakk/japanese-pretrained-models#3, huggingface/transformers#10832: 512 tokens fail with padding id 3.

    The longest input has rows − padding_idx − 1 tokens.
    """
    rows = positions.roberta_positions(np.full((1, tokens), 9), padding_idx)
    table = np.zeros((514, 1))
    if fits:
        assert absolute.learned_positions(rows, table).shape == (1, tokens, 1)
    else:
        with pytest.raises(IndexError, match="position 514 is outside the table of 514 positions"):
            absolute.learned_positions(rows, table)


def test_opt_rows_begin_at_two():
    """huggingface/transformers#20761: OPT adds 2 to every position, and a table of L + 2 rows is no mistake."""
    np.testing.assert_array_equal(positions.opt_positions([[0, 1, 1], [1, 1, 1]]), [[1, 2, 3], [2, 3, 4]])


def test_left_padding_does_not_move_a_prompt():
    """huggingface/transformers#22161, #22707, unslothai/unsloth#3699: short prompts of a padded batch give rubbish.

    Positions came from ``arange``, or from one counter for the batch. Padding must still hold a row that exists.
    """
    mask = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0]])
    found = positions.positions_from_mask(mask)
    np.testing.assert_array_equal(found[0, 2:], [0, 1, 2])
    np.testing.assert_array_equal(found[1], np.arange(5))
    np.testing.assert_array_equal(found[2, :3], [0, 1, 2])
    assert found.min() >= 0
    assert found.max() < 5


@pytest.mark.parametrize("seen, new, expected", [(6, 1, [6]), (6, 3, [6, 7, 8]), (0, 4, [0, 1, 2, 3])])
def test_a_new_token_continues_the_count(seen, new, expected):
    """pytorch/executorch PR#2010, mlfoundations/open_lm PR#74, huggingface/transformers#1749: generation repeats.

    With a cache the new token was counted from 0, from twice the prompt, or not at all.
    """
    np.testing.assert_array_equal(positions.decode_positions(seen, new), expected)


def test_packed_documents_start_again():
    """huggingface/nanoVLM#201, pytorch/torchtitan#2559, allenai/OLMo-core#503: are positions reset inside a pack?

    They ran on, so the second document began at a position that it never has alone.
    """
    np.testing.assert_array_equal(positions.packed_positions([3, 1, 2]), [0, 1, 2, 0, 0, 1])


def test_packed_documents_need_a_mask_as_well():
    """huggingface/nanoVLM#201: with positions reset, the second document could still attend to the first."""
    mask = positions.same_document_mask(positions.document_ids([3, 1, 2])) & attention.causal_mask(6)
    np.testing.assert_array_equal(mask.sum(axis=-1), [1, 2, 3, 1, 1, 2])


def test_a_shorter_query_block_is_aligned_to_the_last_keys():
    """Dao-AILab/flash-attention#282, lucidrains/rotary-embedding-torch PR#2: queries were put beside the first keys."""
    np.testing.assert_array_equal(attention.causal_mask(2, 5), [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])


def test_the_oldest_memory_slot_is_seen():
    """huggingface/transformers PR#14832: a mask shifted by one hid the first memory column of Transformer-XL."""
    segment, memory = 4, 4
    mask = attention.causal_mask(segment, memory + segment)
    assert mask[:, :memory].all()
    np.testing.assert_array_equal(mask[:, memory:], np.tril(np.ones((segment, segment), dtype=bool)))
