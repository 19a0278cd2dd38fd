"""Faulty versions of the functions behind the probe adapter, and the report test that must notice each.

`VARIANTS` goes by the adapter's name. Most are mistakes that the reports describe.
"""

from __future__ import annotations

import numpy as np
from faults.fault import Fault
from reports import test_absolute, test_bias, test_positions, test_relative, test_rotary, test_scaling

REFERENCE = "pe_course.reference."


def _variant(name, what, target, broken, caught_by, **arguments):
    return name, Fault(name, what, REFERENCE + target, broken, caught_by, arguments)


# What is broken receives the right function and returns the faulty one.


def _zero_column_for_an_odd_width(right):
    def broken(positions, dim, **options):
        even = right(positions, dim - dim % 2, **options)
        return np.concatenate([even, np.zeros((*even.shape[:-1], dim % 2))], axis=-1)

    return broken


def _own_exponent_for_the_cosine(right):
    def broken(positions, dim, *, base=10000.0, **options):
        channel = np.arange(dim)
        angles = np.asarray(positions, dtype=float)[..., None] * base ** (-channel / dim)
        return np.where(channel % 2 == 0, np.sin(angles), np.cos(angles))

    return broken


def _exponent_doubled(right):
    return lambda dim, *, base=10000.0, endpoint=False: right(dim, base=base**2, endpoint=endpoint)


def _quotient_floored(right):
    return lambda dim, *, base=10000.0, endpoint=False: np.exp(2 * np.arange(dim // 2) * (-np.log(base) / dim // 2))


def _endpoint_always(right):
    return lambda dim, *, base=10000.0, endpoint=False: right(dim, base=base, endpoint=True)


def _rows_by_batch(right):
    return lambda positions, table: np.asarray(table)[np.zeros_like(positions) + np.arange(len(positions))[:, None]]


def _negative_rows_from_the_end(right):
    return lambda positions, table: np.asarray(table)[np.asarray(positions)]


def _clamped_to_the_table(right):
    return lambda positions, table: np.asarray(table)[np.clip(positions, 0, len(table) - 1)]


def _places_counted(right):
    return lambda mask: np.zeros_like(mask) + np.arange(np.shape(mask)[-1])


def _padding_left_negative(right):
    return lambda mask: np.cumsum(mask, axis=-1) - 1


def _run_on(right):
    return lambda lengths: np.arange(np.sum(lengths))


def _roberta_from_zero(right):
    return lambda input_ids, padding_idx: right(input_ids, padding_idx) - padding_idx - 1


def _prompt_twice(right):
    return lambda n_seen, n_new: right(2 * n_seen, n_new)


def _aligned_to_the_start(right):
    def broken(query_length, key_length=None):
        return np.tril(np.ones((query_length, key_length or query_length), dtype=bool))

    return broken


def _no_clip(right):
    def broken(query_positions, key_positions, k, **options):
        return np.asarray(key_positions)[None, :] - np.asarray(query_positions)[:, None] + k

    return broken


def _query_minus_key(right):
    return lambda q, k, bound, **options: right(q, k, bound, **{**options, "direction": "query_minus_key"})


def _last_row_dropped(right):
    def broken(x):
        *leading, q, k = x.shape
        padded = np.concatenate([np.zeros((*leading, q, 1)), x], axis=-1)
        return padded.reshape(*leading, k + 1, q)[..., :-1, :].reshape(x.shape)

    return broken


def _second_term_never_added(right):
    return lambda *arguments, position_queries=None, **options: right(*arguments, **options)


def _index_of_the_paper(right):
    return lambda *arguments, **options: right(*arguments, **options, p2c_index="paper")


def _sign_of_t5_turned(right):
    return lambda relative_position, **options: right(-np.asarray(relative_position), **options)


def _future_folded_back(right):
    def broken(relative_position, *, bidirectional=True, **options):
        rel = np.asarray(relative_position)
        return right(rel if bidirectional else -np.abs(rel), bidirectional=bidirectional, **options)

    return broken


def _last_bucket_not_shared(right):
    def broken(relative_position, **options):
        return right(relative_position, **options) + (np.abs(relative_position) > 128)

    return broken


def _queries_from_zero(right):
    def broken(table, query_positions, key_positions, **options):
        return right(table, np.arange(len(query_positions)), key_positions, **options)

    return broken


def _one_geometric_series(right):
    return lambda heads, **options: right(heads, **{**options, "rule": "geometric"})


def _slopes_from_one(right):
    return lambda heads, **options: 2.0 * right(heads, **options)


def _far_keys_rewarded(right):
    return lambda *arguments, **options: -right(*arguments, **options)


def _form_ignored(right):
    return lambda query, key, slopes, *, form="causal": right(query, key, slopes, form="key_only")


def _queries_of_alibi_from_zero(right):
    def broken(query_positions, key_positions, slopes, **options):
        query = np.asarray(query_positions)
        return right(query - query.min(), key_positions, slopes, **options)

    return broken


def _angles_paired_otherwise(right):
    def broken(x, positions, *, base=10000.0, layout="half", rotary_dim=None, inv_freq=None):
        x = np.asarray(x, dtype=float)
        width = x.shape[-1]
        angles = np.asarray(positions, dtype=float)[:, None] * base ** (-np.arange(0, width, 2) / width)
        in_place, tiled = np.repeat(angles, 2, axis=-1), np.tile(angles, 2)
        angles = in_place if layout == "half" else tiled
        a, b = x[..., : width // 2], x[..., width // 2 :]
        if layout == "half":
            swapped = np.concatenate([-b, a], axis=-1)
        else:
            swapped = np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
        return x * np.cos(angles) + swapped * np.sin(angles)

    return broken


def _clockwise(right):
    return lambda x, positions, **options: right(x, -np.asarray(positions), **options)


def _over_heads(right):
    return lambda x, positions, **options: np.swapaxes(right(np.swapaxes(x, -2, -3), positions, **options), -2, -3)


def _first_batch_row_only(right):
    def broken(x, positions, **options):
        turned = right(x, positions, **options)
        return np.concatenate([turned[:1], np.zeros_like(turned[1:])])

    return broken


def _rotary_dim_ignored(right):
    return lambda x, positions, *, rotary_dim=None, **options: right(x, positions, **options)


def _base_ignored(right):
    return lambda x, positions, *, base=10000.0, **options: right(x, positions, **options)


def _restarted_position(right):
    return lambda x, positions, **options: right(x, np.arange(len(positions)), **options)


def _head_width_in_the_exponent(right):
    return lambda dim, *, base=10000.0: right(4 * dim, base=base)[: dim // 2]


def _not_permuted(right):
    return lambda weight, num_heads, **options: np.asarray(weight)


def _permuted_the_other_way(right):
    return lambda weight, num_heads, *, to, **options: right(weight, num_heads, to="interleaved", **options)


def _permuted_across_heads(right):
    return lambda weight, num_heads, *, to, **options: right(weight, 1, to=to, **options)


def _factor_multiplied(right):
    def broken(dim, *, factor, base=10000.0):
        inv_freq, attention_factor = right(dim, factor=factor, base=base)
        return inv_freq * factor**2, attention_factor

    return broken


def _no_exponent(right):
    return lambda base, factor, dim: base * factor


def _sticky(right):
    longest = [0]

    def broken(dim, *, seq_len, **options):
        longest[0] = max(longest[0], seq_len)
        return right(dim, seq_len=longest[0], **options)

    return broken


def _longest_length_at_once(right):
    return lambda seq_len, trained, *, factor=1.0, **options: right(int(factor * trained), trained, factor=factor)


def _multiplied_with_the_explicit_value(right):
    def broken(factor, *, attention_factor=None, **options):
        return right(factor, **options) * (1.0 if attention_factor is None else attention_factor)

    return broken


def _logarithm_of_base_ten(right):
    def broken(factor, **options):
        return 0.1 * np.log10(factor) + 1 if not options else right(factor, **options)

    return broken


def _temperature_left_out(right):
    return lambda dim, **options: (right(dim, **options)[0], 1.0)


LEFT_PADDING = test_positions.test_left_padding_does_not_move_a_prompt
CLIPPED = test_relative.test_distances_are_clipped_before_they_are_shifted
DIRECTION = test_bias.test_a_relative_position_of_t5_is_key_minus_query
CONVERTED = test_rotary.test_converted_weights_keep_every_score
PARTIAL = test_rotary.test_the_rotated_part_behaves_like_a_head_of_its_own
YARN_ONCE = test_scaling.test_the_temperature_of_yarn_is_counted_once
NTK_SLOWEST = test_scaling.test_ntk_scaling_slows_the_slowest_pair_by_the_factor

VARIANTS: list[tuple[str, Fault]] = [
    _variant(
        "sinusoidal",
        "zero column for an odd width",
        "absolute:sinusoidal_positions",
        _zero_column_for_an_odd_width,
        test_absolute.test_an_odd_width_is_refused_in_words,
    ),
    _variant(
        "sinusoidal",
        "own exponent for the cosine",
        "absolute:sinusoidal_positions",
        _own_exponent_for_the_cosine,
        test_absolute.test_sine_and_cosine_of_a_pair_share_a_speed,
    ),
    _variant(
        "sinusoidal",
        "exponent doubled",
        "absolute:sinusoidal_frequencies",
        _exponent_doubled,
        test_absolute.test_the_exponent_is_not_doubled,
    ),
    _variant(
        "sinusoidal",
        "quotient floored",
        "absolute:sinusoidal_frequencies",
        _quotient_floored,
        test_absolute.test_the_quotient_in_the_exponent_is_not_floored,
    ),
    _variant(
        "sinusoidal",
        "endpoint always",
        "absolute:sinusoidal_frequencies",
        _endpoint_always,
        test_absolute.test_base_and_exponent_are_not_exchanged,
    ),
    _variant(
        "add_positional",
        "rows by batch",
        "absolute:learned_positions",
        _rows_by_batch,
        test_absolute.test_rows_follow_the_time_axis_of_a_batch,
    ),
    _variant(
        "lookup_positions",
        "negative rows from the end",
        "absolute:learned_positions",
        _negative_rows_from_the_end,
        test_absolute.test_a_position_outside_the_table_is_refused,
        position=-1,
    ),
    _variant(
        "lookup_positions",
        "clamped to the table",
        "absolute:learned_positions",
        _clamped_to_the_table,
        test_absolute.test_a_position_outside_the_table_is_refused,
        position=8,
    ),
    _variant("positions_from_mask", "places", "positions:positions_from_mask", _places_counted, LEFT_PADDING),
    _variant("positions_from_mask", "negative", "positions:positions_from_mask", _padding_left_negative, LEFT_PADDING),
    _variant(
        "packed_positions",
        "run on",
        "positions:packed_positions",
        _run_on,
        test_positions.test_packed_documents_start_again,
    ),
    _variant(
        "roberta_positions",
        "from zero",
        "positions:roberta_positions",
        _roberta_from_zero,
        test_positions.test_roberta_rows_begin_after_the_padding_index,
    ),
    _variant(
        "decode_positions",
        "prompt counted twice",
        "positions:decode_positions",
        _prompt_twice,
        test_positions.test_a_new_token_continues_the_count,
        seen=6,
        new=1,
        expected=[6],
    ),
    _variant(
        "causal_mask",
        "aligned to the start",
        "attention:causal_mask",
        _aligned_to_the_start,
        test_positions.test_a_shorter_query_block_is_aligned_to_the_last_keys,
    ),
    _variant(
        "rope_inv_freq",
        "head width in the exponent",
        "rotary:rope_frequencies",
        _head_width_in_the_exponent,
        test_rotary.test_dividing_by_the_wrong_width_is_no_small_matter,
    ),
    *[
        _variant(
            "rope",
            f"angles paired otherwise, {layout}",
            "rotary:apply_rope",
            _angles_paired_otherwise,
            test_rotary.test_the_angles_are_paired_as_the_channels_are,
            layout=layout,
        )
        for layout in ("half", "interleaved")
    ],
    _variant(
        "rope",
        "clockwise",
        "rotary:apply_rope",
        _clockwise,
        test_rotary.test_a_positive_position_turns_counter_clockwise,
    ),
    _variant(
        "rope",
        "over heads",
        "rotary:apply_rope",
        _over_heads,
        test_rotary.test_the_rotation_runs_over_time_and_not_over_heads,
    ),
    _variant(
        "rope",
        "first batch row only",
        "rotary:apply_rope",
        _first_batch_row_only,
        test_rotary.test_a_single_token_turns_in_every_batch_row,
    ),
    _variant("rope", "rotary_dim ignored", "rotary:apply_rope", _rotary_dim_ignored, PARTIAL, layout="half"),
    _variant(
        "rope",
        "base ignored",
        "rotary:apply_rope",
        _base_ignored,
        test_rotary.test_the_base_of_the_configuration_is_used,
    ),
    _variant(
        "rope_attention",
        "position restarted",
        "rotary:apply_rope",
        _restarted_position,
        test_rotary.test_one_cached_step_equals_the_last_row_of_the_full_pass,
    ),
    _variant("permute_qk", "not permuted", "rotary:permute_projection", _not_permuted, CONVERTED),
    _variant("permute_qk", "the other way", "rotary:permute_projection", _permuted_the_other_way, CONVERTED),
    _variant("permute_qk", "across heads", "rotary:permute_projection", _permuted_across_heads, CONVERTED),
    _variant(
        "pi_inv_freq",
        "factor multiplied",
        "scaling:rope_scaling_linear",
        _factor_multiplied,
        test_scaling.test_interpolation_slows_every_pair_down,
    ),
    _variant("ntk_base", "no exponent", "scaling:ntk_base", _no_exponent, NTK_SLOWEST),
    _variant(
        "make_dynamic_ntk",
        "remembers the longest input",
        "scaling:rope_scaling_dynamic",
        _sticky,
        test_scaling.test_a_long_input_leaves_no_trace,
    ),
    _variant(
        "make_dynamic_ntk",
        "longest length at once",
        "scaling:dynamic_ntk_factor",
        _longest_length_at_once,
        test_scaling.test_the_dynamic_factor_follows_the_length,
    ),
    _variant(
        "yarn_mscale",
        "multiplied with the explicit value",
        "scaling:yarn_attention_factor",
        _multiplied_with_the_explicit_value,
        YARN_ONCE,
        factor=128.0,
        options={"attention_factor": 1.4852030264},
        expected=1.4852030264,
    ),
    _variant(
        "yarn_mscale",
        "logarithm of base ten",
        "scaling:yarn_attention_factor",
        _logarithm_of_base_ten,
        YARN_ONCE,
        factor=16.0,
        options={},
        expected=1.2772588722,
    ),
    _variant(
        "yarn_inv_freq",
        "temperature left out",
        "scaling:rope_scaling_yarn",
        _temperature_left_out,
        test_scaling.test_scores_grow_by_the_square_of_the_temperature,
    ),
    _variant(
        "alibi_slopes",
        "one geometric series",
        "bias:alibi_slopes",
        _one_geometric_series,
        test_bias.test_slopes_of_head_counts_between_powers_of_two,
    ),
    _variant(
        "alibi_slopes",
        "first slope of one",
        "bias:alibi_slopes",
        _slopes_from_one,
        test_bias.test_the_first_slope_is_not_one,
    ),
    _variant(
        "alibi_bias",
        "far keys rewarded",
        "bias:alibi_bias",
        _far_keys_rewarded,
        test_bias.test_a_nearer_key_has_the_larger_bias,
    ),
    _variant(
        "alibi_bias",
        "key-only form for an encoder",
        "bias:alibi_bias",
        _form_ignored,
        test_bias.test_an_encoder_needs_the_symmetric_form,
    ),
    _variant(
        "alibi_bias",
        "queries from zero",
        "bias:alibi_bias",
        _queries_of_alibi_from_zero,
        test_bias.test_cached_queries_have_the_rows_of_the_full_bias,
        form="causal",
    ),
    _variant("t5_bucket", "sign turned", "bias:t5_relative_position_bucket", _sign_of_t5_turned, DIRECTION),
    _variant("t5_bucket", "future folded back", "bias:t5_relative_position_bucket", _future_folded_back, DIRECTION),
    _variant(
        "t5_bucket",
        "last bucket not shared",
        "bias:t5_relative_position_bucket",
        _last_bucket_not_shared,
        test_bias.test_far_distances_share_the_last_bucket,
    ),
    _variant(
        "t5_bias",
        "queries from zero",
        "bias:t5_bias",
        _queries_from_zero,
        test_bias.test_cached_queries_have_the_rows_of_the_full_bias,
        form="causal",
    ),
    _variant("shaw_index", "no clip", "relative:relative_position_index", _no_clip, CLIPPED),
    _variant("shaw_index", "query minus key", "relative:relative_position_index", _query_minus_key, CLIPPED),
    _variant(
        "rel_shift",
        "last row dropped",
        "relative:rel_shift",
        _last_row_dropped,
        test_relative.test_the_relative_shift_drops_the_first_row,
    ),
    _variant(
        "deberta_c2p_p2c",
        "second term never added",
        "relative:deberta_scores",
        _second_term_never_added,
        test_relative.test_both_position_terms_of_deberta_are_added,
    ),
    _variant(
        "deberta_c2p_p2c",
        "index of the paper",
        "relative:deberta_scores",
        _index_of_the_paper,
        test_relative.test_both_position_terms_of_deberta_are_added,
    ),
]
