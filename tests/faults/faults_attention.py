"""Faults of attention, its masks and the permutations that test it."""

from __future__ import annotations

import numpy as np
from faults.fault import Fault
from reference import test_attention as tests

MODULE = "pe_course.reference.attention"


def _unstable(right):
    """No maximum subtracted: infinity over infinity."""

    def broken(scores, *, axis=-1, mask=None):
        with np.errstate(all="ignore"):
            exponentials = np.exp(np.asarray(scores, dtype=float))
            return exponentials / exponentials.sum(axis=axis, keepdims=True)

    return broken


def _last_axis_only(right):
    return lambda scores, *, axis=-1, mask=None: right(scores, mask=mask)


def _mask_ignored(right):
    return lambda scores, *, axis=-1, mask=None: right(scores, axis=axis)


def _uniform_empty_rows(right):
    """Masking by a large negative number, which leaves a row without a key uniform."""

    def broken(scores, *, axis=-1, mask=None):
        scores = np.asarray(scores, dtype=float)
        return right(scores if mask is None else np.where(mask, scores, -1e30), axis=axis)

    return broken


def _mask_inverted(right):
    return lambda *arrays, mask=None, **options: right(*arrays, mask=None if mask is None else ~mask, **options)


def _bias_scaled(right):
    def broken(q, k, *, bias=None, **options):
        return right(q, k, bias=None if bias is None else np.asarray(bias) / np.shape(q)[-1] ** 0.5, **options)

    return broken


def _scale_by(power):
    def fault(right):
        def broken(q, k, *, scale=None, **options):
            return right(q, k, scale=np.shape(q)[-1] ** power if scale is None else scale, **options)

        return broken

    return fault


def _bias_transposed(right):
    def broken(q, k, *, bias=None, **options):
        return right(q, k, bias=None if bias is None else np.swapaxes(bias, -1, -2), **options)

    return broken


def _keys_averaged(right):
    return lambda q, k, v, **options: right(q, k, k, **options)


def _aligned_to_the_start(right):
    def broken(query_length, key_length=None):
        return np.tri(query_length, key_length or query_length, dtype=bool)

    return broken


def _strictly_earlier(right):
    return lambda query_length, key_length=None: np.tri(query_length, key_length or query_length, -1, dtype=bool)


def _mask_transposed(right):
    return lambda query_length, key_length=None: right(query_length, key_length)[:, ::-1]


def _sees_everything(right):
    return lambda query_length, key_length=None: np.ones((query_length, key_length or query_length), dtype=bool)


def _inverse(right):
    return lambda permutation: right(permutation).T


def _inverse_permute(right):
    return lambda x, permutation, *, axis=0: right(x, np.argsort(permutation), axis=axis)


def _first_axis_only(right):
    return lambda x, permutation, *, axis=0: right(x, permutation)


def _to_float(right):
    return lambda x, permutation, *, axis=0: np.take(np.asarray(x, dtype=float), permutation, axis=axis)


def _fault(method, what, function, broken, caught_by, **arguments):
    return Fault(method, what, f"{MODULE}:{function}", broken, caught_by, arguments)


FAULTS: list[Fault] = [
    _fault("softmax", "overflows", "softmax", _unstable, tests.test_softmax_survives_large_scores),
    _fault("softmax", "axis ignored", "softmax", _last_axis_only, tests.test_softmax_sums_along_its_axis),
    _fault("softmax", "mask ignored", "softmax", _mask_ignored, tests.test_softmax_gives_nothing_to_masked_entries),
    _fault(
        "softmax",
        "row without a key uniform",
        "softmax",
        _uniform_empty_rows,
        tests.test_softmax_of_a_row_without_an_allowed_entry_is_zero,
    ),
    _fault(
        "softmax", "True means excluded", "softmax", _mask_inverted, tests.test_softmax_gives_nothing_to_masked_entries
    ),
    _fault("attention", "bias scaled too", "attention_weights", _bias_scaled, tests.test_bias_is_not_scaled),
    _fault(
        "attention",
        "divided by d",
        "attention_weights",
        _scale_by(-1),
        tests.test_attention_follows_the_equation,
        scale=None,
    ),
    _fault(
        "attention",
        "not divided",
        "attention_weights",
        _scale_by(0),
        tests.test_attention_follows_the_equation,
        scale=None,
    ),
    _fault(
        "attention",
        "bias transposed",
        "attention_weights",
        _bias_transposed,
        tests.test_attention_follows_the_equation,
        scale=1.0,
    ),
    _fault("attention", "keys averaged", "attention", _keys_averaged, tests.test_equal_values_come_out_unchanged),
    _fault(
        "attention", "True means excluded", "attention", _mask_inverted, tests.test_a_query_without_a_key_gives_zeros
    ),
    _fault(
        "causal_mask",
        "aligned to the start",
        "causal_mask",
        _aligned_to_the_start,
        tests.test_causal_mask_is_aligned_to_the_end,
    ),
    _fault(
        "causal_mask",
        "a token does not see itself",
        "causal_mask",
        _strictly_earlier,
        tests.test_causal_mask_of_equal_lengths_is_lower_triangular,
    ),
    _fault(
        "causal_mask",
        "mirrored",
        "causal_mask",
        _mask_transposed,
        tests.test_causal_mask_of_equal_lengths_is_lower_triangular,
    ),
    _fault(
        "causal_mask", "sees the future", "causal_mask", _sees_everything, tests.test_causal_mask_breaks_equivariance
    ),
    _fault(
        "permutation",
        "inverse matrix",
        "permutation_matrix",
        _inverse,
        tests.test_permutation_matrix_takes_row_p_of_i,
    ),
    _fault("permutation", "inverse order", "permute", _inverse_permute, tests.test_permute_takes_entry_p_of_i),
    _fault(
        "permutation",
        "axis ignored",
        "permute",
        _first_axis_only,
        tests.test_a_mask_that_is_permuted_too_keeps_equivariance,
    ),
    _fault("permutation", "turned to floats", "permute", _to_float, tests.test_permute_keeps_the_dtype),
]
