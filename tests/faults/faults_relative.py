"""Faults of the relative methods: mistakes that public trackers know, and neighbours of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from faults.fault import Fault
from reference import test_relative as tests

from pe_course.reference import absolute

Broken = Callable[[Callable[..., Any]], Callable[..., Any]]


def _option(**options: Any) -> Broken:
    """Another convention of the library than the one asked for."""
    return lambda right: lambda *args, **given: right(*args, **(given | options))


def _argument(position: int, change: Callable[[Any], Any]) -> Broken:
    def broken(right):
        def wrong(*args, **given):
            return right(*args[:position], change(args[position]), *args[position + 1 :], **given)

        return wrong

    return broken


def _keyword(name: str, change: Callable[[Any], Any]) -> Broken:
    """Changes a keyword argument where it is given."""

    def broken(right):
        return lambda *args, **given: right(*args, **(given | ({name: change(given[name])} if name in given else {})))

    return broken


def _result(change: Callable[[Any], Any]) -> Broken:
    return lambda right: lambda *args, **given: change(right(*args, **given))


def _swapped(first: int, second: int) -> Broken:
    def broken(right):
        def wrong(*args, **given):
            args = list(args)
            args[first], args[second] = args[second], args[first]
            return right(*args, **given)

        return wrong

    return broken


def _faults(method: str, name: str, *rows: tuple) -> list[Fault]:
    return [
        Fault(method, what, f"pe_course.reference.relative:{name}", broken, test, *arguments)
        for what, broken, test, *arguments in rows
    ]


def _next(positions: Any) -> np.ndarray:
    return np.asarray(positions) + 1


def _from_zero(positions: Any) -> np.ndarray:
    return np.asarray(positions) - np.min(positions)


def _turned(table: Any) -> np.ndarray:
    return np.asarray(table)[::-1]


def _rolled(table: Any) -> np.ndarray:
    return np.roll(np.asarray(table), 1, axis=0)


# --- Shifts written wrongly --------------------------------------------------------------------------------


def _drops_the_last_row(right):
    """Pads as it should, then cuts the end instead of the beginning."""

    def wrong(x):
        x = np.asarray(x)
        padded = np.concatenate([np.zeros((*x.shape[:-1], 1)), x], axis=-1)
        return padded.reshape(*x.shape[:-2], x.shape[-1] + 1, x.shape[-2])[..., :-1, :].reshape(x.shape)

    return wrong


def _pads_at_the_end(right):
    def wrong(x):
        x = np.asarray(x)
        padded = np.concatenate([x, np.zeros((*x.shape[:-1], 1))], axis=-1)
        return padded.reshape(*x.shape[:-2], x.shape[-1] + 1, x.shape[-2])[..., 1:, :].reshape(x.shape)

    return wrong


def _no_shift(right):
    return lambda x, *args, **given: np.asarray(x, dtype=float)[..., : args[0] if args else None]


def _skips_one_column_only(right):
    return lambda x, key_length: np.asarray(x)[..., 1 : key_length + 1]


# --- Log buckets written wrongly ---------------------------------------------------------------------------


def _log_bucket(round_to, *, farthest: int = 1, steps: int = 1) -> Broken:
    """The formula with another rounding, another end or another number of steps."""

    def broken(right):
        def wrong(relative_position, *, bucket_size=256, max_position=512, exact_boundaries=True):
            distance = np.asarray(relative_position)
            middle = bucket_size // 2
            magnitude = np.maximum(np.abs(distance), middle)
            grown = np.log(magnitude / middle) / np.log((max_position - farthest) / middle) * (middle - steps)
            bucket = middle + round_to(grown - (1e-9 if exact_boundaries and round_to is np.ceil else 0)).astype(int)
            return np.where(np.abs(distance) <= middle, distance, np.sign(distance) * bucket)

        return wrong

    return broken


SHAW = [
    *_faults(
        "shaw index",
        "relative_position_index",
        ("query − key", _swapped(0, 1), tests.test_shaw_rows_count_key_minus_query),
        ("not shifted by k", _result(lambda rows: rows - 2), tests.test_shaw_rows_count_key_minus_query),
        ("k one too large", _argument(2, lambda k: k + 1), tests.test_shaw_rows_count_key_minus_query),
        ("queries counted from 0", _argument(0, _from_zero), tests.test_shaw_rows_count_key_minus_query),
        ("direction ignored", _option(direction="key_minus_query"), tests.test_bert_rows_count_query_minus_key),
        (
            "right bound ignored",
            _option(right_max_position=None),
            tests.test_asymmetric_window_has_left_plus_right_plus_one_rows,
        ),
    ),
    *_faults(
        "shaw keys",
        "shaw_scores",
        (
            "opposite direction",
            _option(direction="query_minus_key"),
            tests.test_shaw_scores_are_query_times_relative_key,
        ),
        ("table off by one row", _argument(1, _rolled), tests.test_shaw_scores_are_query_times_relative_key),
        ("queries counted from 0", _argument(2, _from_zero), tests.test_shaw_scores_are_query_times_relative_key),
        ("scaled inside", _result(lambda s: s / 2), tests.test_shaw_scores_are_query_times_relative_key),
        ("clips instead of leaving out", _option(outside="clip"), tests.test_zero_outside_the_window_removes_the_term),
    ),
    *_faults(
        "shaw values",
        "shaw_values",
        ("opposite direction", _option(direction="query_minus_key"), tests.test_shaw_values_weigh_relative_values),
        ("table off by one row", _argument(1, _rolled), tests.test_shaw_values_weigh_relative_values),
        ("left out", _result(np.zeros_like), tests.test_shaw_values_weigh_relative_values),
    ),
    *_faults(
        "shaw vectors",
        "relative_vectors",
        ("nothing beyond the clip", _option(outside="zero"), tests.test_beyond_the_clip_the_vector_stays_the_same),
        (
            "opposite direction",
            _option(direction="query_minus_key"),
            tests.test_beyond_the_clip_the_vector_stays_the_same,
        ),
        ("one position late", _argument(1, _next), tests.test_beyond_the_clip_the_vector_stays_the_same),
    ),
]


def _whole_score(right):
    """Returns the score with q·k, which the caller adds a second time."""
    return lambda q, k, *args, **given: right(q, k, *args, **given) + q @ np.swapaxes(k, -1, -2)


HUANG = [
    fault
    for number, test in [
        (1, tests.test_huang_method_1_multiplies_by_a_scalar_of_the_distance),
        (2, tests.test_huang_method_2_multiplies_by_a_scalar_of_the_signed_distance),
        (3, tests.test_huang_method_3_multiplies_every_channel),
        (4, tests.test_huang_method_4_is_a_product_of_sums_less_the_square),
    ]
    for fault in _faults(
        f"huang {number}",
        "huang_scores",
        ("q·k counted twice", _whole_score, test),
        ("one position late", _argument(3, _next), test),
        ("table off by one row", _argument(2, _rolled), test),
    )
] + [
    *_faults(
        "huang 4",
        "huang_scores",
        (
            "only the query meets the vector",
            lambda right: lambda q, k, *args, **given: right(q, np.zeros_like(k), *args, **given),
            tests.test_huang_method_4_is_a_product_of_sums_less_the_square,
        ),
        (
            "direction ignored",
            _option(direction="query_minus_key"),
            tests.test_huang_direction_turns_the_table_round,
            {"method": 4},
        ),
    ),
]


def _sinusoid_options(**options: Any) -> Broken:
    """Puts another sinusoid under the method while it runs."""

    def broken(right):
        def wrong(*args, **given):
            table = absolute.sinusoidal_positions
            absolute.sinusoidal_positions = lambda *a, **g: table(*a, **(g | options))
            try:
                return right(*args, **given)
            finally:
                absolute.sinusoidal_positions = table

        return wrong

    return broken


def _negated(right):
    """Key − query instead of query − key."""
    return lambda *args, **given: right(*args[:5], -np.asarray(args[5]), -np.asarray(args[6]), **given)


def _swapped_tables(right):
    def wrong(*args, position_keys=None, position_queries=None, **given):
        return right(*args, position_keys=position_queries, position_queries=position_keys, **given)

    return wrong


TRANSFORMER_XL = [
    *_faults(
        "transformer-xl scores",
        "transformer_xl_scores",
        ("u and v swapped", _swapped(3, 4), tests.test_transformer_xl_adds_three_terms),
        (
            "distance negated",
            _negated,
            tests.test_transformer_xl_adds_three_terms,
        ),
        (
            "memory not counted",
            _argument(5, _from_zero),
            tests.test_transformer_xl_memory_is_the_last_rows_of_the_whole,
        ),
        (
            "sines and cosines interleaved",
            _sinusoid_options(layout="interleaved"),
            tests.test_transformer_xl_adds_three_terms,
        ),
        ("last wavelength at the end", _sinusoid_options(endpoint=True), tests.test_transformer_xl_adds_three_terms),
        ("no content bias", _argument(3, np.zeros_like), tests.test_transformer_xl_adds_three_terms),
        (
            "scaled inside",
            _result(lambda s: s / 2),
            tests.test_transformer_xl_by_shift_equals_by_pair_on_and_below_the_diagonal,
        ),
        ("clamp ignored", _option(clamp_len=None), tests.test_transformer_xl_clamp_stops_the_distance),
    ),
    *_faults(
        "transformer-xl shift",
        "rel_shift",
        ("last row dropped", _drops_the_last_row, tests.test_rel_shift_moves_distances_to_keys),
        ("zero column at the end", _pads_at_the_end, tests.test_rel_shift_moves_distances_to_keys),
        ("no shift", _no_shift, tests.test_rel_shift_moves_distances_to_keys),
        (
            "distances ascending",
            _argument(0, lambda x: np.asarray(x)[..., ::-1]),
            tests.test_shift_equals_gather_on_and_below_the_diagonal,
        ),
    ),
    *_faults(
        "transformer-xl gather",
        "rel_shift_gather",
        ("fill ignored", _option(fill=0.0), tests.test_rel_shift_gather_fills_above_the_diagonal),
        (
            "one column late",
            _result(lambda x: np.roll(x, 1, axis=-1)),
            tests.test_rel_shift_gather_fills_above_the_diagonal,
        ),
        ("no shift", _no_shift, tests.test_rel_shift_gather_fills_above_the_diagonal),
    ),
]

XLNET = [
    *_faults(
        "xlnet scores",
        "xlnet_scores",
        ("u and v swapped", _swapped(3, 4), tests.test_xlnet_adds_both_directions),
        ("distance negated", _negated, tests.test_xlnet_adds_both_directions),
        ("no future", _option(attn_type="uni"), tests.test_xlnet_adds_both_directions),
        ("future in uni", _option(attn_type="bi"), tests.test_xlnet_uni_has_no_position_term_for_later_keys),
        ("clamp ignored", _option(clamp_len=None), tests.test_xlnet_clamps_both_signs),
        ("clamp one too far", _keyword("clamp_len", lambda limit: limit + 1), tests.test_xlnet_clamps_both_signs),
        ("one position late", _argument(5, _next), tests.test_xlnet_by_shift_equals_by_pair_everywhere),
    ),
    *_faults(
        "xlnet rows",
        "xlnet_relative_positions",
        ("ascending", _result(_turned), tests.test_xlnet_rows_run_through_negative_distances),
        (
            "starts at key length − 1",
            _result(lambda rows: rows - 1),
            tests.test_xlnet_rows_run_through_negative_distances,
        ),
        ("uni ignored", _option(attn_type="bi"), tests.test_xlnet_rows_run_through_negative_distances),
    ),
    *_faults(
        "xlnet shift",
        "xlnet_rel_shift",
        ("no shift", _no_shift, tests.test_xlnet_shift_moves_distances_to_keys),
        ("same columns for every row", _skips_one_column_only, tests.test_xlnet_shift_moves_distances_to_keys),
        (
            "distances ascending",
            _argument(0, lambda x: np.asarray(x)[..., ::-1]),
            tests.test_xlnet_shift_moves_distances_to_keys,
        ),
        ("wrapped numbers zeroed", _result(np.tril), tests.test_xlnet_uni_shift_wraps_above_the_diagonal),
    ),
    *_faults(
        "xlnet segments",
        "xlnet_segment_scores",
        ("same and other swapped", _argument(2, _turned), tests.test_xlnet_segment_term_asks_whether_segments_differ),
        (
            "segment bias left out",
            _argument(1, np.zeros_like),
            tests.test_xlnet_segment_term_asks_whether_segments_differ,
        ),
        (
            "the key's segment alone",
            _argument(3, np.zeros_like),
            tests.test_xlnet_segment_term_asks_whether_segments_differ,
        ),
    ),
]

DEBERTA = [
    *_faults(
        "deberta bucket",
        "deberta_log_bucket",
        ("rounded down", _log_bucket(np.floor), tests.test_log_bucket_is_identity_then_rounds_up),
        ("rounded to nearest", _log_bucket(np.round), tests.test_log_bucket_is_identity_then_rounds_up),
        ("ends at max_position", _log_bucket(np.ceil, farthest=0), tests.test_log_bucket_is_identity_then_rounds_up),
        ("one step too many", _log_bucket(np.ceil, steps=0), tests.test_log_bucket_is_identity_then_rounds_up),
        ("sign lost", _result(np.abs), tests.test_log_bucket_is_odd_and_never_decreases),
        (
            "float64 at a whole step",
            _option(exact_boundaries=False),
            tests.test_log_bucket_is_exact,
            {"bucket_size": 32, "max_position": 129},
        ),
    ),
    *_faults(
        "deberta index",
        "deberta_relative_index",
        (
            "key − query in v1",
            _result(lambda rows: 4 - rows),
            tests.test_deberta_rows_count_query_minus_key_and_are_not_symmetric,
        ),
        (
            "symmetric, 2k + 1 rows",
            _result(lambda rows: rows + (rows == 3)),
            tests.test_deberta_rows_count_query_minus_key_and_are_not_symmetric,
        ),
        ("no buckets", _option(position_buckets=-1), tests.test_deberta_buckets_make_the_rows_of_v2),
        ("one row late", _argument(0, _next), tests.test_deberta_rows_count_query_minus_key_and_are_not_symmetric),
    ),
    *_faults(
        "deberta scores",
        "deberta_scores",
        ("paper's index", _option(p2c_index="paper"), tests.test_deberta_follows_the_code_unless_told),
        (
            "tables swapped",
            _swapped_tables,
            tests.test_deberta_adds_content_to_position_and_position_to_content,
            {"p2c_index": "code"},
        ),
        (
            "p2c left out",
            lambda right: lambda *a, **g: right(*a, **{k: v for k, v in g.items() if k != "position_queries"}),
            tests.test_deberta_adds_content_to_position_and_position_to_content,
            {"p2c_index": "code"},
        ),
        (
            "option ignored",
            _option(p2c_index="code"),
            tests.test_deberta_adds_content_to_position_and_position_to_content,
            {"p2c_index": "paper"},
        ),
        (
            "scaled inside",
            _result(lambda s: s / np.sqrt(3)),
            tests.test_deberta_adds_content_to_position_and_position_to_content,
            {"p2c_index": "code"},
        ),
    ),
    *_faults(
        "deberta scale",
        "deberta_scale",
        ("1/√d", _result(lambda s: s * np.sqrt(3)), tests.test_deberta_scale_counts_the_terms),
        ("always three terms", lambda right: lambda d, kinds=(): right(d), tests.test_deberta_scale_counts_the_terms),
        ("not a root", _result(np.square), tests.test_deberta_scale_counts_the_terms),
    ),
]


def _terms(*order: int) -> Broken:
    return _result(lambda terms: type(terms)(*(terms[i] for i in order)))


EXPANSION = _faults(
    "four terms",
    "expanded_score_terms",
    ("middle terms swapped", _terms(0, 2, 1, 3), tests.test_four_terms_add_up_to_the_score_of_the_sums),
    ("position counted twice", _terms(0, 1, 2, 2), tests.test_four_terms_add_up_to_the_score_of_the_sums),
    ("position on one side only", _argument(3, np.zeros_like), tests.test_four_terms_add_up_to_the_score_of_the_sums),
)

FAULTS: list[Fault] = [*EXPANSION, *SHAW, *HUANG, *TRANSFORMER_XL, *XLNET, *DEBERTA]
