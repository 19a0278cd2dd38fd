"""Faults of the rotary family."""

from __future__ import annotations

import numpy as np
from faults.fault import Fault
from reference import test_rotary as tests

from pe_course.reference import rotary

PACKAGE = "pe_course.reference.rotary"
ROTATION = f"{PACKAGE}.rotation"

OTHER_LAYOUT = {"half": "interleaved", "interleaved": "half"}


def _with(**forced):
    """The right function with some keywords forced."""
    return lambda right: lambda *args, **options: right(*args, **{**options, **forced})


def _without(*ignored):
    """The right function, deaf to some keywords."""

    def fault(right):
        return lambda *args, **options: right(*args, **{k: v for k, v in options.items() if k not in ignored})

    return fault


def _result(change):
    """The right result, changed."""
    return lambda right: lambda *args, **options: change(right(*args, **options))


def _first(change):
    """The right function of a changed first argument."""
    return lambda right: lambda first, *args, **options: right(change(np.asarray(first)), *args, **options)


# --- frequencies ------------------------------------------------------------------------------------------------------


def _denominator_256(right):
    return lambda dim, *, base=10000.0: base ** (-np.arange(0, dim, 2) / 256)


def _by_rotated_width(right):
    def broken(head_dim, *, partial_rotary_factor, base=10000.0):
        turning = rotary.rope_frequencies(
            rotary.partial_rotary_dim(head_dim, partial_rotary_factor=partial_rotary_factor)
        )
        return np.concatenate([turning, np.zeros(head_dim // 2 - len(turning))])

    return broken


def _stop_the_fast_pairs(right):
    def broken(head_dim, *, partial_rotary_factor, base=10000.0):
        frequencies = rotary.rope_frequencies(head_dim, base=base)
        stopped = len(frequencies) - int(partial_rotary_factor * head_dim // 2)
        return np.where(np.arange(len(frequencies)) < stopped, 0.0, frequencies)

    return broken


# --- rotation ---------------------------------------------------------------------------------------------------------


def _clockwise(right):
    return lambda x, cos, sin, **options: right(x, cos, -np.asarray(sin), **options)


def _other_layout(right):
    return lambda x, cos, sin, *, layout="half": right(x, cos, sin, layout=OTHER_LAYOUT[layout])


def _angles_of_one_layout_pairs_of_the_other(right):
    """Each channel takes the angle of its number // 2, but the pairs are half a head apart."""

    def broken(x, cos, sin, *, layout="half"):
        x, cos, sin = (np.asarray(a, float) for a in (x, cos, sin))
        half = x.shape[-1] // 2
        swapped = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
        return x * np.repeat(cos, 2, axis=-1) + swapped * np.repeat(sin, 2, axis=-1)

    return broken


def _without_the_minus(right):
    def broken(x, cos, sin, *, layout="half"):
        turned = right(x, cos, sin, layout=layout)
        first, second = rotary.pair_channels(2 * np.shape(cos)[-1], layout)
        turned[..., first] += 2 * np.asarray(x)[..., second] * sin
        return turned

    return broken


def _over_the_heads(right):
    def broken(x, positions, **options):
        return np.swapaxes(right(np.swapaxes(x, 1, 2), positions, **options), 1, 2)

    return broken


def _first_row_only(right):
    def broken(x, positions, **options):
        turned = np.array(x, float)
        turned[:1] = right(
            np.asarray(x)[:1], np.asarray(positions)[:1] if np.ndim(positions) > 1 else positions, **options
        )
        return turned

    return broken


def _starting_at_zero(right):
    def broken(x, positions, **options):
        return right(x, np.asarray(positions) - np.asarray(positions)[..., :1], **options)

    return broken


def _width_ignored_in_rotation(right):
    def broken(x, positions, *, rotary_dim=None, **options):
        return right(x, positions, **options) if np.shape(x)[-1] % 2 == 0 else right(np.asarray(x)[..., :-1], positions)

    return broken


def _exponent_by_head(right):
    def broken(x, positions, *, base=10000.0, rotary_dim=None, **options):
        width = np.shape(x)[-1]
        frequencies = base ** (-np.arange(0, rotary_dim or width, 2) / width)
        return right(x, positions, inv_freq=frequencies, **options)

    return broken


def _pairs_across_the_whole_head(right):
    """Half pairs head_dim/2 apart although only rotary_dim channels turn."""

    def broken(x, cos, sin, *, layout="half"):
        x, pairs = np.array(x, float), np.shape(cos)[-1]
        half = x.shape[-1] // 2
        order = np.concatenate([np.arange(pairs), half + np.arange(pairs)])
        x[..., order] = right(x[..., order], cos, sin, layout="half")
        return x

    return broken


def _tail_lost(right):
    def broken(x, cos, sin, **options):
        turned = right(x, cos, sin, **options)
        turned[..., 2 * np.shape(cos)[-1] :] = 0
        return turned

    return broken


def _transposed(right):
    return lambda *args, **options: np.swapaxes(right(*args, **options), -1, -2)


def _conjugated(right):
    return lambda q, k, distance, inv_freq, **options: right(k, q, distance, inv_freq, **options)


# --- layouts ----------------------------------------------------------------------------------------------------------


def _across_heads(right):
    return lambda weight, num_heads, *, to, rotary_dim=None: right(weight, 1, to=to)


def _other_direction(right):
    return lambda weight, num_heads, *, to, **options: right(weight, num_heads, to=OTHER_LAYOUT[to], **options)


def _unchanged(right):
    return lambda x, *args, **options: np.array(x, float)


# --- xPos -------------------------------------------------------------------------------------------------------------


def _one_scale_for_both(right):
    return lambda x, positions, *, role, **options: right(x, positions, role="query", **options)


def _roles_exchanged(right):
    exchanged = {"query": "key", "key": "query"}
    return lambda x, positions, *, role, **options: right(x, positions, role=exchanged[role], **options)


def _centre_of_the_keys_only(right):
    def broken(x, positions, *, role, centre=0.0, **options):
        return right(x, positions, role=role, centre=centre if role == "key" else 0.0, **options)

    return broken


def _zeta_without_denominator(right):
    return lambda dim, *, gamma=0.4: right(dim, gamma=gamma) * (1 + gamma)


# --- several coordinates ----------------------------------------------------------------------------------------------


def _one_axis_for_all(right):
    def broken(position_ids, inv_freq, mrope_section, **options):
        ids = np.asarray(position_ids)
        return right(np.broadcast_to(ids[:1], ids.shape), inv_freq, mrope_section, **options)

    return broken


def _sections_of_channels(right):
    """The sections are read as channels, not as pairs."""

    def broken(mrope_section, *, interleaved=False):
        return np.repeat(right(mrope_section, interleaved=interleaved), 2)[: sum(mrope_section)]

    return broken


def _remainder_to_the_last_axis(right):
    def broken(mrope_section, *, interleaved=False):
        axes = right(mrope_section, interleaved=interleaved)
        return np.where(np.arange(len(axes)) >= 3 * min(mrope_section), 2, axes) if interleaved else axes

    return broken


def _count_of_tokens(right):
    return lambda position_ids: np.full(np.shape(position_ids)[1:-1], np.shape(position_ids)[-1], float)


def _head_wide_frequencies(right):
    def broken(dim, num_axes, *, variant="lang", base=None, max_freq=10.0):
        if variant not in ("lang", "qwen2_vl"):
            return right(dim, num_axes, variant=variant, base=base, max_freq=max_freq)
        return np.tile(rotary.rope_frequencies(dim, base=base or 10000.0)[: dim // num_axes // 2], (num_axes, 1))

    return broken


def _half_turns(right):
    def broken(dim, num_axes, *, variant="lang", **options):
        return right(dim, num_axes, variant=variant, **options) / (2 if variant == "dinov3" else 1)

    return broken


def _columns_first(right):
    return lambda sizes, **options: right(sizes[::-1], **options)[:, ::-1]


def _corners(right):
    """Cell corners in place of cell centres."""

    def broken(sizes, *, kind="index"):
        points = right(sizes, kind=kind)
        return points - 1 / np.asarray(sizes) if kind == "centres" else points

    return broken


# --- clamped distances ------------------------------------------------------------------------------------------------


def _window_one_too_far(right):
    return lambda *args, window=512, **options: right(*args, window=window + 1, **options)


def _far_only(right):
    return lambda *args, window=512, **options: right(*args, window=10**6, **options)


def _clamped_to_zero(right):
    return lambda distance, *, window=512: np.where(np.abs(distance) < window, distance, 0.0)


def _leak_from_zero(right):
    """The slope starts at 0 and not at the window."""

    def broken(distance, *, window=512, leaky_factor=16.0):
        distance = np.asarray(distance, float)
        return np.where(np.abs(distance) < window, distance, distance / leaky_factor)

    return broken


def _without_the_jump(right):
    """Group numbers without the offset that joins them to the window."""

    def broken(query_positions, key_positions, *, window, group):
        query, key = np.asarray(query_positions)[:, None], np.asarray(key_positions)[None]
        return np.where(np.abs(query - key) < window, query - key, query // group - key // group)

    return broken


def _floor_of_the_difference(right):
    def broken(query_positions, key_positions, *, window, group):
        distance = np.subtract.outer(np.asarray(query_positions), np.asarray(key_positions))
        return np.where(np.abs(distance) < window, distance, distance // group + window - window // group)

    return broken


def fault(method, what, target, broken, caught_by, /, **arguments):
    return Fault(method, what, target if ":" in target else f"{PACKAGE}:{target}", broken, caught_by, arguments)


FAULTS: list[Fault] = [
    fault(
        "rope frequencies", "squared", "rope_frequencies", _result(np.square), tests.test_frequencies_follow_the_formula
    ),
    fault(
        "rope frequencies",
        "base ignored",
        "rope_frequencies",
        _without("base"),
        tests.test_frequencies_follow_the_formula,
    ),
    fault(
        "rope frequencies",
        "exponent divided by the head",
        "rope_frequencies",
        _denominator_256,
        tests.test_the_exponent_divides_by_the_rotated_width,
    ),
    fault(
        "rope frequencies",
        "float32 angles",
        "rope_angles",
        _result(lambda angles: angles.astype(np.float32) * np.float32(1.0000001)),
        tests.test_angles_are_position_times_frequency,
    ),
    fault(
        "rope frequencies",
        "attention factor squared",
        f"{PACKAGE}:rope_cos_sin",
        lambda right: lambda p, f, *, attention_factor=1.0: right(p, f, attention_factor=attention_factor**2),
        tests.test_tables_carry_the_attention_factor_once,
    ),
    fault(
        "p-RoPE",
        "exponent divided by the rotated width",
        "proportional_frequencies",
        _by_rotated_width,
        tests.test_proportional_frequencies_stop_the_slow_pairs,
    ),
    fault(
        "p-RoPE",
        "fast pairs stopped",
        "proportional_frequencies",
        _stop_the_fast_pairs,
        tests.test_proportional_frequencies_stop_the_slow_pairs,
    ),
    fault(
        "p-RoPE",
        "base ignored",
        "proportional_frequencies",
        _without("base"),
        tests.test_proportional_frequencies_with_everything_turning_are_plain,
    ),
    fault(
        "RoPE",
        "clockwise",
        f"{ROTATION}:apply_rotary",
        _clockwise,
        tests.test_position_one_turns_counterclockwise,
        layout="half",
    ),
    fault(
        "RoPE",
        "minus sign lost",
        f"{ROTATION}:apply_rotary",
        _without_the_minus,
        tests.test_position_one_turns_counterclockwise,
        layout="interleaved",
    ),
    fault("RoPE", "other layout", "apply_rotary", _other_layout, tests.test_each_pair_turns_by_its_own_angle),
    fault(
        "RoPE",
        "other default layout",
        "apply_rotary",
        lambda right: lambda *a, layout="interleaved": right(*a, layout=layout),
        tests.test_the_default_layout_is_half,
    ),
    fault(
        "RoPE",
        "angles repeated for the other layout",
        f"{ROTATION}:apply_rotary",
        _angles_of_one_layout_pairs_of_the_other,
        tests.test_the_matrix_form_is_the_real_form,
        layout="half",
    ),
    fault(
        "RoPE",
        "rotation over the heads",
        "apply_rope",
        _over_the_heads,
        tests.test_the_sequence_axis_is_the_last_but_one,
    ),
    fault(
        "RoPE",
        "first batch row only",
        "apply_rope",
        _first_row_only,
        tests.test_positions_of_a_batch_belong_to_its_rows,
    ),
    fault(
        "RoPE",
        "first batch row only, one token",
        "apply_rope",
        _first_row_only,
        tests.test_a_single_token_is_rotated_in_every_row,
    ),
    fault(
        "RoPE",
        "cached step at position 0",
        "apply_rope",
        _starting_at_zero,
        tests.test_a_cached_step_is_the_last_row_of_the_full_pass,
    ),
    fault("RoPE", "base ignored", "apply_rope", _without("base"), tests.test_the_base_is_used),
    fault(
        "RoPE",
        "own frequencies ignored",
        "apply_rope",
        _without("inv_freq"),
        tests.test_frequencies_of_your_own_replace_the_base,
    ),
    fault(
        "RoPE",
        "length changed",
        "apply_rope",
        _result(lambda x: 1.001 * x),
        tests.test_position_one_turns_counterclockwise,
        layout="half",
    ),
    fault(
        "RoPE",
        "complex form conjugated",
        "apply_rotary_complex",
        _clockwise,
        tests.test_the_complex_form_is_the_real_form,
    ),
    fault(
        "RoPE", "matrix transposed", "rotation_matrix", _transposed, tests.test_the_interleaved_matrix_is_block_diagonal
    ),
    fault(
        "RoPE",
        "matrix of the other layout",
        "rotation_matrix",
        lambda right: lambda p, f, *, layout="half": right(p, f, layout=OTHER_LAYOUT[layout]),
        tests.test_the_interleaved_matrix_is_block_diagonal,
    ),
    fault(
        "RoPE score",
        "key minus query",
        "rope_score",
        lambda right: lambda q, k, r, f, **o: right(q, k, -np.asarray(r), f, **o),
        tests.test_the_score_tells_direction_unless_query_and_key_are_aligned,
    ),
    fault(
        "RoPE score",
        "query and key exchanged",
        "rope_score",
        _conjugated,
        tests.test_rotating_one_side_by_the_relative_amount_gives_the_same_score,
    ),
    fault(
        "RoPE score",
        "distance off by one",
        "rope_score",
        lambda right: lambda q, k, r, f, **o: right(q, k, np.asarray(r) + 1, f, **o),
        tests.test_the_score_function_is_the_product_of_the_rotated,
        layout="half",
        pairs=4,
    ),
    fault(
        "RoPE score",
        "unrotated channels left out",
        "rope_score",
        lambda right: lambda q, k, r, f, **o: right(q[: 2 * len(f)], k[: 2 * len(f)], r, f, **o),
        tests.test_the_score_function_is_the_product_of_the_rotated,
        layout="half",
        pairs=2,
    ),
    fault(
        "partial rotary",
        "everything rotated",
        "apply_rope",
        _width_ignored_in_rotation,
        tests.test_partial_rotary_is_a_narrower_head_beside_untouched_channels,
        layout="half",
    ),
    fault(
        "partial rotary",
        "exponent divided by the head",
        "apply_rope",
        _exponent_by_head,
        tests.test_partial_rotary_is_a_narrower_head_beside_untouched_channels,
        layout="interleaved",
    ),
    fault(
        "partial rotary",
        "pairs across the whole head",
        f"{ROTATION}:apply_rotary",
        _pairs_across_the_whole_head,
        tests.test_partial_rotary_is_a_narrower_head_beside_untouched_channels,
        layout="half",
    ),
    fault(
        "partial rotary",
        "rest dropped",
        f"{ROTATION}:apply_rotary",
        _tail_lost,
        tests.test_partial_rotary_is_a_narrower_head_beside_untouched_channels,
        layout="half",
    ),
    fault(
        "partial rotary",
        "width doubled",
        "partial_rotary_dim",
        _result(lambda width: 2 * width),
        tests.test_partial_rotary_dim,
        head_dim=96,
        fraction=0.25,
        width=24,
    ),
    fault(
        "layout change",
        "pairs of the other layout",
        "pair_channels",
        lambda right: lambda dim, layout: right(dim, OTHER_LAYOUT[layout]),
        tests.test_pairs_of_each_layout,
    ),
    fault(
        "layout change",
        "vectors not reordered",
        "interleaved_to_half",
        _unchanged,
        tests.test_rotation_commutes_with_the_layout_change,
        rotary_dim=None,
    ),
    fault(
        "layout change",
        "inverse is the map itself",
        "half_to_interleaved",
        lambda right: rotary.interleaved_to_half,
        tests.test_layout_changes_undo_each_other,
        rotary_dim=6,
    ),
    fault(
        "layout change",
        "rotary_dim ignored",
        "interleaved_to_half",
        _without("rotary_dim"),
        tests.test_rotation_commutes_with_the_layout_change,
        rotary_dim=4,
    ),
    fault(
        "layout change",
        "weights not permuted",
        "permute_projection",
        _unchanged,
        tests.test_permuted_weights_give_equal_scores,
        rotary_dim=None,
    ),
    fault(
        "layout change",
        "weights permuted the other way",
        "permute_projection",
        _other_direction,
        tests.test_permuted_weights_give_equal_scores,
        rotary_dim=None,
    ),
    fault(
        "layout change",
        "weights permuted across heads",
        "permute_projection",
        _across_heads,
        tests.test_permutation_stays_within_heads,
    ),
    fault(
        "xPos",
        "keys scaled like queries",
        "apply_xpos",
        _one_scale_for_both,
        tests.test_xpos_scores_do_not_depend_on_the_centre,
        layout="half",
    ),
    fault(
        "xPos",
        "roles exchanged",
        "apply_xpos",
        _roles_exchanged,
        tests.test_xpos_decays_for_past_keys_and_grows_for_future_ones,
    ),
    fault(
        "xPos",
        "centre of one side only",
        "apply_xpos",
        _centre_of_the_keys_only,
        tests.test_xpos_scores_do_not_depend_on_the_centre,
        layout="interleaved",
    ),
    fault(
        "xPos",
        "zeta without its denominator",
        "xpos_zeta",
        _zeta_without_denominator,
        tests.test_zeta_runs_from_two_sevenths_towards_one,
    ),
    fault("xPos", "gamma ignored", "xpos_zeta", _without("gamma"), tests.test_zeta_runs_from_two_sevenths_towards_one),
    fault(
        "xPos",
        "scale base of 2048",
        "apply_xpos",
        _with(scale_base=2048.0),
        tests.test_xpos_multiplies_each_pair_of_the_score,
        layout="half",
    ),
    fault(
        "xPos",
        "scale base ignored",
        "xpos_scales",
        _without("scale_base"),
        tests.test_scales_are_powers_of_the_distance_from_the_centre,
    ),
    fault(
        "axial RoPE",
        "frequencies of the whole head",
        "axial_frequencies",
        _head_wide_frequencies,
        tests.test_axial_frequencies_of_each_variant,
    ),
    fault("axial RoPE", "half turns", "axial_frequencies", _half_turns, tests.test_axial_frequencies_of_each_variant),
    fault(
        "axial RoPE",
        "axes exchanged",
        "axial_angles",
        _first(lambda points: points[..., ::-1]),
        tests.test_axial_angles_put_one_axis_after_the_other,
    ),
    fault(
        "axial RoPE",
        "columns before rows",
        "grid_coordinates",
        _columns_first,
        tests.test_grid_runs_along_the_last_axis_first,
    ),
    fault("axial RoPE", "corners for centres", "grid_coordinates", _corners, tests.test_grids_of_reals),
    fault("M-RoPE", "time for every pair", "mrope_cos_sin", _one_axis_for_all, tests.test_each_pair_follows_its_axis),
    fault("M-RoPE", "sections read as channels", "mrope_axes", _sections_of_channels, tests.test_contiguous_sections),
    fault(
        "M-RoPE",
        "contiguous in place of interleaved",
        "mrope_axes",
        _with(interleaved=False),
        tests.test_interleaved_sections,
    ),
    fault("M-RoPE", "remainder to width", "mrope_axes", _remainder_to_the_last_axis, tests.test_interleaved_sections),
    fault(
        "M-RoPE",
        "cosine for sine",
        "mrope_cos_sin",
        _result(lambda tables: tables[::-1]),
        tests.test_mrope_of_text_is_rope,
        interleaved=True,
    ),
    fault(
        "M-RoPE",
        "text goes on at the number of tokens",
        "next_text_position",
        _count_of_tokens,
        tests.test_text_goes_on_after_the_largest_coordinate,
    ),
    fault(
        "M-RoPE",
        "text repeats the last position",
        "next_text_position",
        _result(lambda p: p - 1),
        tests.test_text_goes_on_after_the_largest_coordinate,
    ),
    fault(
        "ReRoPE",
        "window one too far",
        "rerope_distance",
        _window_one_too_far,
        tests.test_rerope_distance_is_clamped_at_the_window,
    ),
    fault(
        "ReRoPE",
        "far keys at distance 0",
        "rerope_distance",
        _clamped_to_zero,
        tests.test_rerope_distance_is_clamped_at_the_window,
    ),
    fault(
        "ReRoPE",
        "nothing clamped",
        "rerope_scores",
        _far_only,
        tests.test_two_matrices_give_the_score_at_the_effective_distance,
        method="rerope",
        layout="half",
    ),
    fault(
        "ReRoPE",
        "layout ignored",
        "rerope_scores",
        _without("layout"),
        tests.test_two_matrices_give_the_score_at_the_effective_distance,
        method="rerope",
        layout="interleaved",
    ),
    fault(
        "leaky ReRoPE",
        "slope from zero",
        "leaky_rerope_distance",
        _leak_from_zero,
        tests.test_leaky_distance_grows_slowly_beyond_the_window,
    ),
    fault(
        "leaky ReRoPE",
        "factor ignored",
        "leaky_rerope_distance",
        _without("leaky_factor"),
        tests.test_leaky_limits_are_rope_and_rerope,
    ),
    fault(
        "leaky ReRoPE",
        "window one too far",
        "leaky_rerope_scores",
        _window_one_too_far,
        tests.test_two_matrices_give_the_score_at_the_effective_distance,
        method="leaky",
        layout="half",
    ),
    fault(
        "Self-Extend",
        "no offset after grouping",
        "self_extend_distance",
        _without_the_jump,
        tests.test_self_extend_distance_counts_groups,
    ),
    fault(
        "Self-Extend",
        "difference grouped, not positions",
        "self_extend_distance",
        _floor_of_the_difference,
        tests.test_self_extend_distance_counts_groups,
    ),
    fault(
        "Self-Extend",
        "query one late",
        "self_extend_scores",
        lambda right: lambda q, k, i, j, **o: right(q, k, np.asarray(i) + 1, j, **o),
        tests.test_two_matrices_give_the_score_at_the_effective_distance,
        method="self_extend",
        layout="half",
    ),
]
