"""Public reports about positions at the input, each asked of the package.

A docstring names where the report stands (repository and thread) and what was seen there. A report may be answered
by now; the test says what holds here.
"""

import numpy as np
import pytest

from pe_course.reference import absolute

SPEEDS = [1.0, 0.1, 0.01, 0.001]
"""Radians per position of the four pairs at width 8 and base 10000."""


def test_an_odd_width_is_refused_in_words():
    """codertimo/BERT-pytorch#78, gc-os-ai/pyaptamer#526: a size mismatch (14 and 15) as soon as the width is odd.

    ceil(d/2) frequencies do not fit into the floor(d/2) cosine columns.
    """
    with pytest.raises(ValueError, match=r"dim must be even because .*, got 5"):
        absolute.sinusoidal_positions([0, 1, 2, 3], 5)


def test_rows_follow_the_time_axis_of_a_batch():
    """KasperGroesLudvigsen/influenza_transformer#9, tanjimin/C.Origami#42: batch-first input got row b, not row t.

    The table was cut by ``x.size(0)``. With a batch smaller than the table nothing crashes.
    """
    table = np.arange(20.0)[:, None] * np.ones((1, 2))
    batch_of_positions = np.tile(np.arange(5), (3, 1))
    rows = absolute.learned_positions(batch_of_positions, table)
    assert rows.shape == (3, 5, 2)
    np.testing.assert_array_equal(rows[..., 0], batch_of_positions)
    sinusoids = absolute.sinusoidal_positions(batch_of_positions, 2)
    np.testing.assert_array_equal(sinusoids, np.tile(absolute.sinusoidal_positions(np.arange(5), 2), (3, 1, 1)))


def test_the_exponent_is_not_doubled():
    """jadore801120/attention-is-all-you-need-pytorch#32, SamLynnEvans/Transformer#25: most columns stand still.

    A loop that steps by 2 doubles its index again, so the second pair turns by 0.01 where the paper has 0.1.
    """
    np.testing.assert_allclose(absolute.sinusoidal_frequencies(8), SPEEDS, rtol=1e-12)
    row = absolute.sinusoidal_positions([1], 8)[0]
    np.testing.assert_allclose(row[0::2], np.sin(SPEEDS), rtol=1e-12)


def test_sine_and_cosine_of_a_pair_share_a_speed():
    """maxjcohen/transformer#62, luhengshiwo/LLMForEverybody#106: the cosine took the exponent of its own column.

    Then a pair leaves the unit circle, and the product of two rows depends on more than their distance.
    """
    assert absolute.sinusoidal_positions([100], 4)[0, -1] == pytest.approx(np.cos(1.0), abs=1e-12)
    rows = absolute.sinusoidal_positions(np.arange(50), 16)
    np.testing.assert_allclose(rows[:, 0::2] ** 2 + rows[:, 1::2] ** 2, 1.0, rtol=1e-12)
    products = rows @ rows.T
    np.testing.assert_allclose(np.diag(products, 7), products[0, 7], rtol=1e-12)


def test_the_quotient_in_the_exponent_is_not_floored():
    """zju3dv/LoFTR#41: ``-log(b)/d//2`` floors the whole quotient to −1, so the second speed is exp(−2) = 0.1353.

    That differs from the paper's formula. With the quotient in parentheses, LoFTR's authors report 0.44, 0.43 and 0.15
    points of AUC more on ScanNet.
    """
    assert absolute.sinusoidal_frequencies(512)[1] == pytest.approx(0.9647, abs=5e-5)


def test_base_and_exponent_are_not_exchanged():
    """ivanvovk/WaveGrad#12: all channels swing alike, because the exponent stood where the base belongs.

    The speeds were 0, 0.99986, 0.99993, 0.99997; those of the paper fall by a factor of ten per pair.
    """
    speeds = absolute.sinusoidal_frequencies(8)
    assert speeds[0] == 1.0
    np.testing.assert_allclose(speeds[1:] / speeds[:-1], 0.1, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_whole_numbers_do_not_make_whole_exponents(dtype):
    """codertimo/BERT-pytorch#18, xlite-dev/LeetCUDA#289: integer division in the exponent set every speed to 1."""
    row = absolute.sinusoidal_positions(np.array([3], dtype=dtype), np.int64(8), base=np.int64(10000))[0]
    np.testing.assert_allclose(row[0::2], np.sin(3 * np.array(SPEEDS)), rtol=1e-12)


def test_column_order_is_a_convention_and_spacing_is_not():
    """tensorflow/tensor2tensor#1423, facebookresearch/fairseq#4648, facebookresearch/mae#63: a block of sines?

    Blocks are the paper's columns in another order. Tensor2Tensor also spaces the speeds by d/2 − 1, which differs
    from the paper's formula at any order.
    """
    interleaved = absolute.sinusoidal_positions(np.arange(6), 8)
    blocks = absolute.sinusoidal_positions(np.arange(6), 8, layout="concat")
    np.testing.assert_array_equal(np.concatenate([interleaved[:, 0::2], interleaved[:, 1::2]], axis=1), blocks)
    spaced = absolute.sinusoidal_frequencies(8, endpoint=True)
    np.testing.assert_allclose(spaced, [1.0, 0.0464159, 0.00215443, 0.0001], rtol=1e-5)


def test_every_row_has_the_same_norm():
    """discuss.pytorch.org/t/126738: why multiply the embedding by √d? The code beside it has the norm √(d/2)."""
    norms = np.linalg.norm(absolute.sinusoidal_positions([0, 1, 999, 123456], 512), axis=-1)
    np.testing.assert_allclose(norms, 16.0, rtol=1e-12)


@pytest.mark.parametrize("position", [-1, 8])
def test_a_position_outside_the_table_is_refused(position):
    """hiyouga/PBAN-PyTorch#1: negative distances as row numbers; NumPy reads them from the end without a word."""
    table = np.arange(8.0)[:, None]
    np.testing.assert_array_equal(absolute.learned_positions([0, 7], table), [[0.0], [7.0]])
    with pytest.raises(IndexError, match=f"position {position} is outside the table of 8 positions"):
        absolute.learned_positions([3, position], table)
