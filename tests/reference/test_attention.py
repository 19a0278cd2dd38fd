"""Attention, its masks and biases, and how it treats a permutation of its tokens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pe_course.reference import attention

QUICK = settings(deadline=None, derandomize=True, max_examples=40)
SEEDS = st.integers(0, 2**16)


def _tokens(seed: int = 0, length: int = 6, dim: int = 4, leading: tuple[int, ...] = ()):
    """Queries, keys and values of unrelated random numbers."""
    return np.random.default_rng(seed).normal(size=(3, *leading, length, dim))


def _by_loops(q, k, v, bias, allowed, scale):
    """Equation 1 of Vaswani et al. 2017, one query after another."""
    rows = []
    for i in range(len(q)):
        weights = [np.exp(scale * q[i] @ k[j] + bias[i, j]) if allowed[i, j] else 0.0 for j in range(len(k))]
        rows.append(sum(w * v[j] for j, w in enumerate(weights)) / sum(weights))
    return np.array(rows)


# -------------------------------------------------------------------------------------------------- softmax


def test_softmax_of_known_numbers():
    np.testing.assert_allclose(attention.softmax([0, np.log(2), np.log(5)]), [1 / 8, 2 / 8, 5 / 8], rtol=1e-14)


def test_softmax_survives_large_scores():
    np.testing.assert_allclose(attention.softmax([1e4, 1e4, 0]), [0.5, 0.5, 0])
    np.testing.assert_allclose(attention.softmax([-1e4, -1e4]), [0.5, 0.5])


def test_softmax_sums_along_its_axis():
    scores = np.random.default_rng(0).normal(size=(2, 3, 4))
    for axis in (0, 1, 2, -1):
        weights = attention.softmax(scores, axis=axis)
        np.testing.assert_allclose(weights.sum(axis=axis), 1, rtol=1e-14)
    np.testing.assert_allclose(attention.softmax(scores.T, axis=0).T, attention.softmax(scores), rtol=1e-14)


def test_softmax_gives_nothing_to_masked_entries():
    weights = attention.softmax([[9, 1, 1]], mask=[[False, True, True]])
    np.testing.assert_array_equal(weights, [[0, 0.5, 0.5]])


def test_softmax_of_a_row_without_an_allowed_entry_is_zero():
    weights = attention.softmax([[1, 2], [3, 3]], mask=[[False, False], [True, True]])
    np.testing.assert_array_equal(weights, [[0, 0], [0.5, 0.5]])


@QUICK
@given(seed=SEEDS, shift=st.floats(-50, 50))
def test_softmax_ignores_a_constant_per_row(seed, shift):
    scores = np.random.default_rng(seed).normal(size=(3, 5))
    moved = scores + shift * np.array([[1.0], [-2.0], [0.5]])
    np.testing.assert_allclose(attention.softmax(moved), attention.softmax(scores), rtol=1e-11)


# ------------------------------------------------------------------------------------------------ attention


@pytest.mark.parametrize("scale", [None, 1.0, 0.3])
def test_attention_follows_the_equation(scale):
    q, k, v = _tokens()
    bias = np.random.default_rng(1).normal(size=(6, 6))
    allowed = np.tri(6, dtype=bool)
    ours = attention.attention(q, k, v, bias=bias, mask=allowed, scale=scale)
    factor = 1 / np.sqrt(4) if scale is None else scale
    np.testing.assert_allclose(ours, _by_loops(q, k, v, bias, allowed, factor), rtol=1e-12)


def test_bias_is_not_scaled():
    q, k, _ = _tokens()
    bias = np.log(np.arange(1, 7.0))[None, :] * np.ones((6, 1))
    weights = attention.attention_weights(0 * q, k, bias=bias)
    np.testing.assert_allclose(weights, np.tile(np.arange(1, 7) / 21, (6, 1)), rtol=1e-13)


def test_queries_keys_and_values_may_differ_in_size():
    rng = np.random.default_rng(3)
    q, k, v = rng.normal(size=(2, 5, 3, 8)), rng.normal(size=(2, 5, 7, 8)), rng.normal(size=(2, 5, 7, 2))
    ours = attention.attention(q, k, v)
    assert ours.shape == (2, 5, 3, 2) and ours.dtype == np.float64
    np.testing.assert_allclose(ours[1, 4], attention.attention(q[1, 4], k[1, 4], v[1, 4]), rtol=1e-12)


def test_bias_and_mask_are_shared_by_the_leading_axes():
    q, k, v = _tokens(leading=(2, 3))
    bias = np.random.default_rng(4).normal(size=(3, 6, 6))
    mask = np.array([True, True, True, True, False, True])
    ours = attention.attention(q, k, v, bias=bias, mask=mask[None, :])
    one = attention.attention(q[1, 2], k[1, 2], v[1, 2], bias=bias[2], mask=np.tile(mask, (6, 1)))
    np.testing.assert_allclose(ours[1, 2], one, rtol=1e-12)


def test_a_query_without_a_key_gives_zeros():
    q, k, v = _tokens(length=3)
    mask = np.ones((3, 3), dtype=bool)
    mask[1] = False
    out = attention.attention(q, k, v, mask=mask)
    assert (out[1] == 0).all() and np.abs(out[[0, 2]]).min() > 0


def test_equal_values_come_out_unchanged():
    q, k, _ = _tokens()
    value = np.array([1.0, -2.0])
    np.testing.assert_allclose(attention.attention(q, k, np.tile(value, (6, 1))), np.tile(value, (6, 1)), rtol=1e-14)


@QUICK
@given(seed=SEEDS, length=st.integers(1, 6), keys=st.integers(1, 6))
def test_rows_of_weights_sum_to_one(seed, length, keys):
    rng = np.random.default_rng(seed)
    weights = attention.attention_weights(rng.normal(size=(length, 3)), rng.normal(size=(keys, 3)))
    assert weights.shape == (length, keys) and (weights > 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-13)


@QUICK
@given(seed=SEEDS)
def test_a_constant_per_row_of_the_bias_changes_nothing(seed):
    q, k, v = _tokens(seed)
    rng = np.random.default_rng(seed)
    bias, per_row, per_key = rng.normal(size=(6, 6)), rng.normal(size=(6, 1)), rng.normal(size=(1, 6))
    plain = attention.attention(q, k, v, bias=bias)
    np.testing.assert_allclose(attention.attention(q, k, v, bias=bias + per_row), plain, rtol=1e-10, atol=1e-12)
    assert np.abs(attention.attention(q, k, v, bias=bias + per_key) - plain).max() > 1e-6


# ---------------------------------------------------------------------------------------------- causal mask


def test_causal_mask_of_equal_lengths_is_lower_triangular():
    mask = attention.causal_mask(3)
    assert mask.dtype == np.bool_
    np.testing.assert_array_equal(mask, [[1, 0, 0], [1, 1, 0], [1, 1, 1]])


def test_causal_mask_is_aligned_to_the_end():
    np.testing.assert_array_equal(attention.causal_mask(2, 5), [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])
    np.testing.assert_array_equal(attention.causal_mask(1, 4), [[1, 1, 1, 1]])


@QUICK
@given(length=st.integers(1, 8), more=st.integers(0, 8))
def test_causal_mask_of_a_step_is_the_end_of_the_whole_mask(length, more):
    whole = attention.causal_mask(length + more)
    np.testing.assert_array_equal(attention.causal_mask(length, length + more), whole[more:])


def test_decoding_with_a_cache_equals_the_whole_pass():
    q, k, v = _tokens()
    whole = attention.attention(q, k, v, mask=attention.causal_mask(6))
    step = attention.attention(q[4:], k, v, mask=attention.causal_mask(2, 6))
    np.testing.assert_allclose(step, whole[4:], rtol=1e-13)


# --------------------------------------------------------------------------------------------- permutations


def test_permutation_matrix_takes_row_p_of_i():
    permutation, x = [2, 0, 1], np.array([[10.0], [11.0], [12.0]])
    matrix = attention.permutation_matrix(permutation)
    assert (matrix @ x)[:, 0].tolist() == [12, 10, 11]
    np.testing.assert_array_equal(matrix @ matrix.T, np.eye(3))


def test_permute_takes_entry_p_of_i():
    assert attention.permute(["a", "b", "c"], [2, 0, 1]).tolist() == ["c", "a", "b"]


@QUICK
@given(permutation=st.permutations(range(5)), seed=SEEDS)
def test_permute_equals_the_matrix(permutation, seed):
    x = np.random.default_rng(seed).normal(size=(5, 3))
    moved = attention.permute(x, permutation)
    np.testing.assert_array_equal(moved, attention.permutation_matrix(permutation) @ x)
    np.testing.assert_array_equal(attention.permute(x.T, permutation, axis=-1), moved.T)


def test_permute_keeps_the_dtype():
    assert attention.permute(np.array([True, False]), [1, 0]).tolist() == [False, True]
    assert attention.permute(["I", "am"], [1, 0]).tolist() == ["am", "I"]


@QUICK
@given(permutation=st.permutations(range(6)), seed=SEEDS)
def test_attention_is_permutation_equivariant(permutation, seed):
    q, k, v = _tokens(seed)
    moved = attention.attention(*(attention.permute(x, permutation) for x in (q, k, v)))
    plain = attention.attention(q, k, v)
    np.testing.assert_allclose(moved, attention.permute(plain, permutation), atol=1e-12)
    np.testing.assert_allclose(moved.mean(axis=0), plain.mean(axis=0), atol=1e-12)


def test_equivariant_is_not_invariant():
    q, k, v = _tokens()
    swap = [1, 0, 2, 3, 4, 5]
    moved = attention.attention(*(attention.permute(x, swap) for x in (q, k, v)))
    assert np.abs(moved - attention.attention(q, k, v)).max() > 0.1


def test_causal_mask_breaks_equivariance():
    q, k, v = _tokens()
    swap, mask = [1, 0, 2, 3, 4, 5], attention.causal_mask(6)
    moved = attention.attention(*(attention.permute(x, swap) for x in (q, k, v)), mask=mask)
    gap = np.abs(moved - attention.permute(attention.attention(q, k, v, mask=mask), swap))
    assert gap[:2].max() > 0.1
    np.testing.assert_allclose(gap[2:], 0, atol=1e-12)  # later tokens still see the same set


def test_a_mask_that_is_permuted_too_keeps_equivariance():
    q, k, v = _tokens()
    order, mask = [3, 1, 0, 5, 2, 4], attention.causal_mask(6)
    moved_mask = attention.permute(attention.permute(mask, order), order, axis=1)
    moved = attention.attention(*(attention.permute(x, order) for x in (q, k, v)), mask=moved_mask)
    plain = attention.attention(q, k, v, mask=mask)
    np.testing.assert_allclose(moved, attention.permute(plain, order), atol=1e-12)
