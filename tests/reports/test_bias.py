"""Public reports about biases on the score. See test_absolute.py for the form."""

import inspect

import numpy as np
import pytest

from pe_course.reference import attention, bias


def test_far_distances_share_the_last_bucket():
    """huggingface/candle PR#1312: long texts differ from Python, because min(bucket, last) was missing (500 -> 19)."""
    far = np.array([-127, -128, -500, 127, 128, 500])
    np.testing.assert_array_equal(bias.t5_relative_position_bucket(far), [15, 15, 15, 31, 31, 31])
    np.testing.assert_array_equal(bias.t5_relative_position_bucket([-128, -5000], bidirectional=False), [31, 31])


def test_a_relative_position_of_t5_is_key_minus_query():
    """lucidrains/x-transformers PR#10, dmlc/gluon-nlp PR#1470: left and right exchanged, or the future folded back."""
    near = np.array([-3, -1, 0, 1, 3])
    np.testing.assert_array_equal(bias.t5_relative_position_bucket(near), [3, 1, 0, 17, 19])
    np.testing.assert_array_equal(bias.t5_relative_position_bucket(near, bidirectional=False), [3, 1, 0, 0, 0])


def test_buckets_are_halved_twice_for_two_reasons():
    """lucidrains/video-diffusion-pytorch#11: is halving the buckets twice a mistake?

    No: once for the two directions, once for the border between exact and logarithmic distances.
    """
    one_side = bias.t5_relative_position_bucket(-np.array([7, 8, 11, 12, 16, 23, 32, 64]))
    np.testing.assert_array_equal(one_side, [7, 8, 8, 9, 10, 11, 12, 14])
    causal = bias.t5_relative_position_bucket(-np.array([15, 16, 32, 64]), bidirectional=False)
    np.testing.assert_array_equal(causal, [15, 16, 21, 26])
    small = bias.t5_relative_position_bucket(-np.array([5, 10, 20]), num_buckets=8, max_distance=20)
    np.testing.assert_array_equal(small, [2, 3, 3])


def test_cross_attention_takes_no_bias():
    """huggingface/transformers PR#4499, #7323, guillaume-be/rust-bert PR#171: cross-attention was given a bias.

    T5 has none there, which is the same as a bias of zeros and not the same as the bias of bucket 0.
    """
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(1, 3, 4)), rng.normal(size=(1, 5, 4)), rng.normal(size=(1, 5, 4))
    without = attention.attention(q, k, v, scale=1.0)
    np.testing.assert_array_equal(attention.attention(q, k, v, scale=1.0, bias=np.zeros((1, 3, 5))), without)
    from_table = bias.t5_bias(rng.normal(size=(32, 1)), [2, 3, 4], np.arange(5))
    assert np.abs(attention.attention(q, k, v, scale=1.0, bias=from_table) - without).max() > 0.01


def test_slopes_of_head_counts_between_powers_of_two():
    """ml-explore/mlx#343, NVIDIA/TensorRT-LLM PR#1611, baichuan-inc/Baichuan2#225: slopes of 6, 12 or 40 heads.

    The released code takes the power of two below and then every other slope of the doubled set, so the list is not
    sorted. One geometric series (0.630 for the first of 12) differs from it.
    """
    slopes = bias.alibi_slopes(12)
    np.testing.assert_allclose(slopes[:8], 2.0 ** -np.arange(1, 9), rtol=1e-12)
    np.testing.assert_allclose(slopes[8:], 2.0 ** -np.array([0.5, 1.5, 2.5, 3.5]), rtol=1e-12)
    assert bias.alibi_slopes(12, rule="geometric")[0] == pytest.approx(0.630, abs=5e-4)
    assert [len(bias.alibi_slopes(heads)) for heads in (6, 12, 40)] == [6, 12, 40]


def test_the_first_slope_is_not_one():
    """paiml/aprender PR#2143: the exponent began at 0, so the first of 8 heads had slope 1."""
    np.testing.assert_allclose(bias.alibi_slopes(8), 2.0 ** -np.arange(1, 9), rtol=1e-12)


def test_a_nearer_key_has_the_larger_bias():
    """meta-pytorch/attention-gym PR#86: query − key without the minus sign rewarded far keys."""
    at = np.arange(4)
    np.testing.assert_allclose(bias.alibi_bias(at, at, [0.5])[0, 3], [-1.5, -1.0, -0.5, 0.0], rtol=1e-12)


def test_an_encoder_needs_the_symmetric_form():
    """ofirpress/attention_with_linear_biases#5, Dao-AILab/flash-attention#796: a bias that grows to the right.

    The key-only form is right under a causal mask alone.
    """
    at = np.arange(5)
    both_sides = bias.alibi_bias(at, at, [0.25], form="symmetric")[0]
    np.testing.assert_array_equal(both_sides, both_sides.T)
    np.testing.assert_allclose(both_sides[0], -0.25 * at, rtol=1e-12)


def test_one_row_for_all_queries_is_right_under_a_causal_mask():
    """mosaicml/llm-foundry#186, vllm-project/vllm PR#945: should the bias not differ from query to query?

    It does, by one constant per row, which softmax removes.
    """
    at = np.arange(6)
    scores = np.random.default_rng(1).normal(size=(4, 6, 6))
    mask = attention.causal_mask(6)
    slopes = bias.alibi_slopes(4)
    by_distance, by_key = (
        attention.softmax(scores + bias.alibi_bias(at, at, slopes, form=form), mask=mask)
        for form in ("causal", "key_only")
    )
    np.testing.assert_allclose(by_distance, by_key, atol=1e-14)


@pytest.mark.parametrize("form", bias.alibi.FORMS)
def test_cached_queries_have_the_rows_of_the_full_bias(form):
    """Dao-AILab/flash-attention#907, lucidrains/x-transformers#153: training and cached inference disagree.

    The queries of a step were counted from 0, although they are the last of the keys.
    """
    at, slopes = np.arange(6), bias.alibi_slopes(4)
    full = bias.alibi_bias(at, at, slopes, form=form)
    np.testing.assert_array_equal(bias.alibi_bias(at[4:], at, slopes, form=form), full[:, 4:])
    table = np.random.default_rng(2).normal(size=(32, 4))
    np.testing.assert_array_equal(bias.t5_bias(table, at[4:], at), bias.t5_bias(table, at, at)[:, 4:])


def test_padding_does_not_count_as_distance():
    """huggingface/transformers PR#17866: BLOOM's bias counts the tokens that are left when padding is taken out.

    Positions from the mask give a padded prompt the bias of the same prompt alone.
    """
    slopes = bias.alibi_slopes(2)
    padded = np.array([0, 0, 0, 1, 2])
    alone = bias.alibi_bias(np.arange(3), np.arange(3), slopes)
    np.testing.assert_array_equal(bias.alibi_bias(padded, padded, slopes)[:, 2:, 2:], alone)


def test_the_key_only_form_loses_neighbours_in_bfloat16():
    """NVIDIA/TensorRT-Model-Connect#667: long prompts diverge, as one side multiplies slope and position in bfloat16.

    256 and 257 become one number there, and 259 becomes 260. The distance form keeps them apart.
    """
    keys, query, slope = [256, 257, 259], [260], [1 / 256]
    assert _in_bfloat16(bias.alibi_bias(query, keys, slope, form="key_only"))[0, 0].tolist() == [1.0, 1.0, 260 / 256]
    by_distance = bias.alibi_bias(query, keys, slope)
    np.testing.assert_array_equal(_in_bfloat16(by_distance), by_distance)


def test_no_bias_asks_for_lengths():
    """ml-explore/mlx#343: ``arange(offset, q)`` in the candidate was empty for a single new query.

    Lengths leave open where the queries stand. Every bias of two sequences therefore takes their positions.
    """
    for function in (bias.alibi_bias, bias.t5_bias, bias.sandwich_bias, bias.fire_bias):
        assert {"query_positions", "key_positions"} <= set(inspect.signature(function).parameters)


def _in_bfloat16(x):
    """Rounded to 8 significant bits, ties to even, as a cast to bfloat16 does."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return rounded.view(np.float32)
