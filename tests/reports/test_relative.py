"""Public reports about relative positions that meet content. See test_absolute.py for the form."""

import numpy as np
import pytest

from pe_course.reference import relative


def test_distances_are_clipped_before_they_are_shifted():
    """huggingface/transformers PR#9164, thunlp/OpenNRE#10: a relative table runs out past the trained length."""
    positions = np.arange(5)
    expected = [[2, 3, 4, 4, 4], [1, 2, 3, 4, 4], [0, 1, 2, 3, 4], [0, 0, 1, 2, 3], [0, 0, 0, 1, 2]]
    np.testing.assert_array_equal(relative.relative_position_index(positions, positions, 2), expected)
    np.testing.assert_array_equal(relative.relative_position_index([4], positions, 2), [[0, 0, 0, 1, 2]])


def test_no_distance_becomes_a_negative_row():
    """FudanNLP/TENER#29, lucidrains/bottleneck-transformer-pytorch#8: negative distances as row numbers of a table.

    Where a table has no row for a distance and none may be clipped, the pair is refused.
    """
    far = np.arange(0, 1000, 37)
    assert relative.relative_position_index(far, far, 16).min() == 0
    with pytest.raises(IndexError, match="key position − query position = -37 is outside the table's window −16…16"):
        relative.relative_position_index([37], [0], 16, outside="raise")


def test_the_relative_shift_drops_the_first_row():
    """labmlai/annotated_deep_learning_paper_implementations#185: the last row was dropped after padding.

    Column m of the input scores distance k − 1 − m. The tens below are the row, the units the distance.
    """
    q, k = 3, 5
    by_distance = 10.0 * np.arange(q)[:, None] + (k - 1 - np.arange(k))
    shifted = relative.rel_shift(by_distance)
    gathered = relative.rel_shift_gather(by_distance)
    for i in range(q):
        for j in range(k - q + i + 1):
            assert shifted[i, j] == gathered[i, j] == 10 * i + (k - q + i) - j


def test_the_shift_of_each_head_and_batch_row_is_its_own():
    """labmlai/annotated_deep_learning_paper_implementations#218: the example in the comment had another output.

    The code shifts along the first axes there; here the last two are query and key.
    """
    example = relative.rel_shift(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]))
    np.testing.assert_array_equal(np.tril(example), [[3, 0, 0], [5, 6, 0], [7, 8, 9]])
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 6))
    shifted = relative.rel_shift(x)
    for b in range(2):
        for h in range(3):
            np.testing.assert_array_equal(shifted[b, h], relative.rel_shift(x[b, h]))


def test_deberta_has_no_position_to_position_term():
    """huggingface/transformers#14621, PR#15732: the option "p2p" was tested and changed nothing.

    The released models have two position terms; a third is refused, not passed over.
    """
    with pytest.raises(ValueError, match="pos_att_type must be one of 'c2p', 'p2c'; got 'p2p'"):
        relative.deberta_scale(64, ("c2p", "p2c", "p2p"))


def test_both_position_terms_of_deberta_are_added():
    """huggingface/transformers#14621: a term whose value is never added looks like a term that is switched off."""
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(2, 5, 4))
    to_keys, to_queries = rng.normal(size=(2, 6, 4))
    at = np.arange(5)
    options = {"max_relative_positions": 3}
    both = relative.deberta_scores(q, k, at, at, position_keys=to_keys, position_queries=to_queries, **options)
    row = np.clip(at[:, None] - at + 3, 0, 5)
    for i in range(5):
        for j in range(5):
            # The second term takes the row of (j, i), read from key j: the index of the released code.
            expected = q[i] @ to_keys[row[i, j]] + k[j] @ to_queries[row[i, j]]
            assert both[i, j] == pytest.approx(expected, abs=1e-12)
