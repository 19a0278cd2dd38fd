"""Faults of the additive biases."""

import numpy as np
from faults.fault import Fault
from reference import test_bias as laws
from reference import test_bias_contextual as content_laws

from pe_course.reference import bias

BIAS = "pe_course.reference.bias:"


def _negated(right):
    return lambda *arguments, **options: -right(*arguments, **options)


def _always(**forced):
    """The right function with options that the caller cannot change."""
    return lambda right: lambda *arguments, **options: right(*arguments, **{**options, **forced})


def _swapped_pairs(right):
    return lambda query, key, *rest, **options: right(key, query, *rest, **options)


def _first_argument(change):
    return lambda right: lambda first, *rest, **options: right(change(np.asarray(first)), *rest, **options)


def _second_argument(change):
    return lambda right: lambda first, second, *rest, **options: right(first, change(second), *rest, **options)


def _result(change):
    return lambda right: lambda *arguments, **options: change(right(*arguments, **options))


def _premultiplied_logarithms(right):
    """The released formula with float64 logarithms and one factor formed first."""

    def broken(relative_position, *, bidirectional=True, num_buckets=32, max_distance=128):
        exact = (num_buckets // 2 if bidirectional else num_buckets) // 2
        total = num_buckets // 2 if bidirectional else num_buckets
        n = -np.asarray(relative_position)
        offset = np.where(n < 0, total, 0) if bidirectional else 0
        n = np.abs(n) if bidirectional else np.maximum(n, 0)
        factor = (total - exact) / np.log(max_distance / exact)
        far = exact + (np.log(np.maximum(n, 1) / exact) * factor).astype(int)
        return offset + np.where(n < exact, n, np.minimum(far, total - 1))

    return broken


def _start_at_slope_one(right):
    return lambda num_heads, **options: np.concatenate([[1.0], right(num_heads, **options)[:-1]])


def _gates_of_the_future(right):
    return lambda logits, mask, *, npos: right(logits, np.ones_like(mask), npos=npos)


def _without_own_gate(right):
    def broken(logits, mask, *, npos):
        positions = right(logits, mask, npos=npos)
        return np.maximum(positions - 1 / (1 + np.exp(-np.asarray(logits))), 0.0)

    return broken


def _nearest_row(right):
    return lambda q, positions, table: right(q, np.round(positions), table)


def _with_own_forget_gate(right):
    return lambda logits, **options: np.roll(right(logits, **options), 1, axis=-1)


def _linear_gates(right):
    return lambda logits, **options: right(np.exp(np.minimum(logits, 3.0)), **options)


T5 = [
    Fault(
        "t5",
        "relative position is query - key",
        BIAS + "t5_relative_position_bucket",
        _first_argument(np.negative),
        laws.test_t5_buckets_of_the_default,
    ),
    Fault(
        "t5",
        "decoder uses the encoder's buckets",
        BIAS + "t5_relative_position_bucket",
        _always(bidirectional=True, num_buckets=32),
        laws.test_t5_causal_buckets_of_the_default,
    ),
    Fault(
        "t5",
        "last bucket not capped",
        BIAS + "t5_relative_position_bucket",
        _result(lambda bucket: np.where(bucket == 15, 16, bucket)),
        laws.test_t5_buckets_of_the_default,
    ),
    Fault(
        "t5",
        "factor before the logarithm in float64",
        BIAS + "t5_relative_position_bucket",
        _premultiplied_logarithms,
        laws.test_t5_buckets_of_the_default,
    ),
    Fault(
        "t5",
        "buckets not halved for two directions",
        BIAS + "t5_bucket_starts",
        _always(bidirectional=False),
        laws.test_t5_last_bucket_starts_before_128,
    ),
    Fault(
        "t5",
        "queries of a cache counted from 0",
        BIAS + "t5_bias",
        _second_argument(lambda query: np.asarray(query) - np.min(query)),
        laws.test_t5_bias_reads_the_column_of_its_head,
    ),
    Fault(
        "t5",
        "max_distance ignored",
        BIAS + "t5_bias",
        _always(max_distance=128),
        laws.test_t5_bias_honours_its_max_distance,
    ),
]

ALIBI = [
    Fault(
        "alibi", "first slope is 1", BIAS + "alibi_slopes", _start_at_slope_one, laws.test_alibi_slopes_of_eight_heads
    ),
    Fault(
        "alibi",
        "one geometric series for 12 heads",
        BIAS + "alibi_slopes",
        _always(rule="geometric"),
        laws.test_alibi_slopes_of_twelve_heads_are_not_sorted,
    ),
    Fault(
        "alibi",
        "slopes sorted",
        BIAS + "alibi_slopes",
        _result(lambda slopes: np.sort(slopes)[::-1]),
        laws.test_alibi_slopes_equal_the_form_of_mpt,
        {"num_heads": 12},
    ),
    Fault(
        "alibi",
        "alibi_bias_max ignored",
        BIAS + "alibi_slopes",
        _always(alibi_bias_max=8.0),
        laws.test_alibi_bias_max_is_the_largest_exponent,
    ),
    Fault("alibi", "far keys rewarded", BIAS + "alibi_bias", _negated, laws.test_alibi_causal_values),
    Fault(
        "alibi",
        "one-sided bias in an encoder",
        BIAS + "alibi_bias",
        _always(form="causal"),
        laws.test_alibi_symmetric_equals_its_transpose,
    ),
    Fault(
        "alibi",
        "key-only form falls with the key",
        BIAS + "alibi_bias",
        lambda right: (
            lambda q, k, slopes, form="causal": (-1 if form == "key_only" else 1) * right(q, k, slopes, form=form)
        ),
        laws.test_alibi_forms_agree_after_softmax,
    ),
    Fault(
        "alibi",
        "queries of a cache counted from 0",
        BIAS + "alibi_bias",
        _first_argument(lambda query: query - query[..., :1]),
        laws.test_alibi_causal_values,
    ),
]

KERPLE = [
    Fault("kerple", "far keys rewarded", BIAS + "kerple_log", _negated, laws.test_kerple_values),
    Fault(
        "kerple",
        "parameters exchanged",
        BIAS + "kerple_log",
        lambda right: lambda distance, r1, r2, **options: right(distance, r2, r1, **options),
        laws.test_kerple_values,
    ),
    Fault(
        "kerple",
        "another clamp",
        BIAS + "kerple_log",
        _always(minimum=1e-6),
        laws.test_kerple_clamps_as_the_released_code,
    ),
    Fault(
        "kerple",
        "exponent not limited",
        BIAS + "kerple_power",
        _always(maximum_exponent=None),
        laws.test_kerple_clamps_as_the_released_code,
    ),
    Fault(
        "kerple",
        "exponent forgotten",
        BIAS + "kerple_power",
        lambda right: lambda distance, r1, r2, **options: right(distance, r1, 1.0, **options),
        laws.test_kerple_values,
    ),
    Fault("kerple", "weight kernel is its exponent", BIAS + "kerple_weight", _result(np.log), laws.test_kerple_values),
    Fault(
        "kerple",
        "a outside the logarithm",
        BIAS + "kerple_three_parameter",
        lambda right: lambda distance, a, b, p, **options: right(distance, 1.0, a * b, p, **options),
        laws.test_kerple_three_parameter_contains_the_logarithm,
    ),
    Fault(
        "kerple",
        "p forgotten",
        BIAS + "kerple_three_parameter",
        lambda right: lambda distance, a, b, p, **options: right(distance, a, b, 1.0, **options),
        laws.test_kerple_three_parameter_values,
    ),
]

SANDWICH = [
    Fault(
        "sandwich",
        "index starts at 1",
        BIAS + "sandwich_bias",
        _always(index_start=1),
        laws.test_sandwich_is_an_inner_product_of_sinusoids,
    ),
    Fault(
        "sandwich",
        "constant left in",
        BIAS + "sandwich_bias",
        _always(subtract_constant=False),
        laws.test_sandwich_is_largest_at_distance_zero,
    ),
    Fault(
        "sandwich",
        "heads in reverse order",
        BIAS + "sandwich_bias",
        _result(lambda added: added[..., ::-1, :, :]),
        laws.test_sandwich_is_an_inner_product_of_sinusoids,
    ),
    Fault(
        "sandwich",
        "heads counted from 0",
        BIAS + "sandwich_head_scales",
        lambda right: lambda heads: heads / (8.0 * np.arange(0.5, heads)),
        laws.test_sandwich_constant_changes_no_softmax_but_the_index_does,
    ),
    Fault(
        "sandwich",
        "future keys not treated as distance 0",
        BIAS + "sandwich_bias",
        _always(bidirectional=True),
        laws.test_sandwich_future_keys_without_bidirectional,
    ),
    Fault(
        "sandwich",
        "index_start ignored",
        BIAS + "sandwich_kernel",
        _always(index_start=0),
        laws.test_sandwich_index_start_drops_the_fastest_cosine,
    ),
]

FIRE = [
    Fault(
        "fire",
        "distance over the threshold alone",
        BIAS + "fire_input",
        lambda right: (
            lambda q, k, *, threshold=512.0, **options: right(
                np.asarray(q) - np.max(q), np.asarray(k) - np.max(q), threshold=threshold, **options
            )
        ),
        laws.test_fire_input_values,
    ),
    Fault("fire", "c fixed at its start", BIAS + "fire_input", _always(c=0.1), laws.test_fire_input_values),
    Fault(
        "fire", "eps missing", BIAS + "fire_input", _always(eps=0.0), laws.test_fire_input_has_the_eps_of_the_listing
    ),
    Fault("fire", "queries and keys exchanged", BIAS + "fire_input", _swapped_pairs, laws.test_fire_input_values),
    Fault(
        "fire",
        "shifted with the window",
        BIAS + "fire_bias",
        _always(threshold=1e9),
        laws.test_fire_is_shift_invariant_up_to_the_threshold_only,
    ),
    Fault(
        "fire",
        "queries of a cache counted from 0",
        BIAS + "fire_bias",
        _first_argument(lambda query: query - query[..., :1]),
        laws.test_fire_cached_query_gets_the_last_row,
    ),
    Fault(
        "fire",
        "heads of the network exchanged",
        BIAS + "fire_bias",
        _result(lambda added: added[::-1]),
        laws.test_fire_bias_is_its_network_by_hand,
    ),
]

CONTINUOUS = [
    Fault(
        "continuous",
        "linear rewards distance",
        BIAS + "linear_distance_bias",
        _negated,
        laws.test_linear_is_the_first_head_of_alibi,
    ),
    Fault(
        "continuous",
        "linear keeps the sign of the distance",
        BIAS + "linear_distance_bias",
        lambda right: lambda distance, slope=0.5: -slope * np.asarray(distance),
        laws.test_linear_is_the_first_head_of_alibi,
    ),
    Fault(
        "continuous",
        "log clamps its parameters",
        BIAS + "log_distance_bias",
        lambda right: lambda distance, scale=1.0, rate=1.0: bias.kerple_log(distance, scale, rate),
        laws.test_curve_values,
    ),
    Fault(
        "continuous",
        "exponential with a rate",
        BIAS + "exponential_distance_bias",
        lambda right: lambda distance, height=1.0, length=1.0: right(distance, height, 1 / length),
        laws.test_curve_values,
    ),
    Fault(
        "continuous",
        "gaussian without the 2",
        BIAS + "gaussian_distance_bias",
        lambda right: lambda distance, height=1.0, width=1.0: right(distance, height, width / np.sqrt(2)),
        laws.test_curve_values,
    ),
    Fault(
        "continuous",
        "network sees no sign",
        BIAS + "mlp_distance_bias",
        _first_argument(np.abs),
        laws.test_mlp_sees_the_sign_and_the_logarithm,
    ),
    Fault(
        "continuous",
        "network sees no logarithm",
        BIAS + "mlp_distance_bias",
        _always(log_distance=False),
        laws.test_mlp_sees_the_sign_and_the_logarithm,
    ),
    Fault(
        "continuous",
        "another activation",
        BIAS + "mlp_distance_bias",
        _always(activation="relu"),
        laws.test_mlp_activation_follows_every_layer_but_the_last,
    ),
    Fault(
        "continuous",
        "network without its norms",
        BIAS + "mlp_distance_bias",
        _always(norms=None),
        laws.test_mlp_norm_comes_before_the_activation,
    ),
    Fault(
        "swin",
        "divided by w instead of w - 1",
        BIAS + "swin_log_coordinates",
        _second_argument(lambda window: np.asarray(window) + 1),
        laws.test_swin_coordinates,
    ),
    Fault("swin", "sign lost", BIAS + "swin_log_coordinates", _result(np.abs), laws.test_swin_coordinates),
    Fault("swin", "sigmoid not scaled", BIAS + "swin_log_bias", _always(ceiling=1.0), laws.test_swin_bias_values),
    Fault(
        "swin",
        "queries and keys exchanged",
        BIAS + "swin_log_bias",
        lambda right: lambda q, k, *rest, **options: np.swapaxes(right(k, q, *rest, **options), -1, -2),
        laws.test_swin_bias_values,
    ),
]

CONTEXTUAL = [
    Fault(
        "cope",
        "future keys are counted",
        BIAS + "cope_positions",
        _gates_of_the_future,
        content_laws.test_cope_ignores_what_is_masked,
    ),
    Fault(
        "cope",
        "own gate left out",
        BIAS + "cope_positions",
        _without_own_gate,
        content_laws.test_cope_includes_its_own_gate_and_no_future_gate,
    ),
    Fault(
        "cope",
        "counted from the first key",
        BIAS + "cope_positions",
        lambda right: (
            lambda logits, mask, *, npos: np.flip(right(np.flip(logits, -1), np.flip(mask, -1), npos=npos), -1)
        ),
        content_laws.test_cope_open_gates_count_tokens,
    ),
    Fault(
        "cope",
        "not limited to the table",
        BIAS + "cope_positions",
        _always(npos=1000),
        content_laws.test_cope_positions_end_at_the_table,
    ),
    Fault(
        "cope",
        "nearest row instead of interpolation",
        BIAS + "cope_bias",
        _nearest_row,
        content_laws.test_cope_bias_interpolates_between_rows,
    ),
    Fault(
        "cope",
        "term always after the scale",
        BIAS + "cope_logits",
        _always(nodiv=True),
        content_laws.test_cope_logits_equal_the_equations,
    ),
    Fault(
        "cope",
        "separate gate keys ignored",
        BIAS + "cope_logits",
        _always(gate_keys=None),
        content_laws.test_cope_separate_gate_keys,
    ),
    Fault(
        "forgetting",
        "gate of the key included",
        BIAS + "forgetting_gate_bias",
        _with_own_forget_gate,
        content_laws.test_forgetting_gate_sums_the_logarithms_between,
    ),
    Fault(
        "forgetting",
        "remembers what it should forget",
        BIAS + "forgetting_gate_bias",
        _negated,
        content_laws.test_forgetting_gate_equal_gates_are_alibi,
    ),
    Fault(
        "forgetting",
        "gates without the logistic curve",
        BIAS + "forgetting_gate_bias",
        _linear_gates,
        content_laws.test_forgetting_gate_sums_the_logarithms_between,
    ),
    Fault(
        "forgetting",
        "gates of the future ignored",
        BIAS + "forgetting_gate_bias",
        _always(future_gate_logits=None),
        content_laws.test_forgetting_gate_of_the_future_sums_the_other_way,
    ),
    Fault(
        "forgetting",
        "queries of a cache counted from 0",
        BIAS + "forgetting_gate_bias",
        lambda right: (
            lambda logits, query_indices=None: right(
                logits, query_indices=None if query_indices is None else np.arange(len(query_indices))
            )
        ),
        content_laws.test_forgetting_gate_cached_query_gets_its_row,
    ),
]

FAULTS: list[Fault] = [*T5, *ALIBI, *KERPLE, *SANDWICH, *FIRE, *CONTINUOUS, *CONTEXTUAL]
