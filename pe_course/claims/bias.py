"""Numbers added to the score: buckets, slopes, functions of the distance, and what each of them can say."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from pe_course.claims import lab_rows
from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.claims.judge import near
from pe_course.claims.relative import added_by, contents, parameters, terms_of
from pe_course.claims.rotary import query_and_key_of_one_token
from pe_course.reference import absolute, attention, bias, relative, rotary

T5_BASE, T5_SMALL = (32, 12), (32, 8)
T5_STARTS = [*range(9), 12, 16, 23, 32, 46, 64, 91]
T5_STARTS_CAUSAL = [*range(17), 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
"""The distances at which the buckets of T5's released code begin, in both directions and if causal."""
FLOAT32 = 4
"""Bytes of one number."""


def past_bucket(distance, **options) -> NDArray[np.int64]:
    """T5's bucket of a key so many positions before the query."""
    return bias.t5_relative_position_bucket(-np.asarray(distance), **options)


def future_bucket(distance) -> NDArray[np.int64]:
    return bias.t5_relative_position_bucket(np.asarray(distance))


def runs(buckets: NDArray) -> NDArray:
    """Where each run of equal buckets starts."""
    return np.flatnonzero(np.diff(buckets, prepend=-1))


def first_shared(buckets: NDArray) -> int:
    """The first distance whose bucket the next distance has as well."""
    return int(np.flatnonzero(np.diff(buckets) == 0)[0])


# The bins of the lecture, and those of published methods


def bins_in_use() -> Measured:
    causal = past_bucket(np.arange(200), bidirectional=False)
    window = 4
    rows = relative.relative_position_index([window], np.arange(2 * window + 1), window)
    lecture = {"adjacent": (1, 1), "1–2": (1, 2), "3–5": (3, 5), "over 5": (6, np.inf)}
    return {
        "t5_buckets_of_distances_0_to_12": past_bucket(np.arange(13)),
        "t5_largest_exact_distance": first_shared(past_bucket(np.arange(200))) - 1,
        "t5_largest_exact_distance_causal": first_shared(causal) - 1,
        "t5_bucket_starts": runs(past_bucket(np.arange(400))),
        "shaw_rows": rows[0],
        "shaw_offsets": 2 * window + 1,
        "lecture_bins_with_distance_1": [name for name, (low, high) in lecture.items() if low <= 1 <= high],
    }


def buckets_of_near_distances() -> Measured:
    rows = relative.relative_position_index([3], [0, 1, 2, 3], 16)[0][::-1]
    return {
        "distances": [1, 2, 3, 7, 8, 11, 12],
        "t5_buckets": past_bucket([1, 2, 3, 7, 8, 11, 12]),
        "first_shared_distance": first_shared(past_bucket(np.arange(200))),
        "first_shared_distance_causal": first_shared(past_bucket(np.arange(200), bidirectional=False)),
        "bucket_starts": runs(past_bucket(np.arange(400))),
        "shaw_rows_of_distances_0_to_3": rows,
    }


def buckets_far_away() -> Measured:
    past, causal = past_bucket(np.arange(5001)), past_bucket(np.arange(5001), bidirectional=False)
    both = bias.t5_relative_position_bucket(np.arange(-5000, 5001))
    return {
        "bucket_100_before": past_bucket(100),
        "bucket_127_before": past_bucket(127),
        "bucket_100_after": future_bucket(100),
        "bucket_starts": runs(past),
        "bucket_starts_causal": runs(causal),
        "first_distance_in_last_bucket": runs(past)[-1],
        "first_distance_in_last_bucket_causal": runs(causal)[-1],
        "buckets_reached": len(np.unique(both)),
        "bucket_never_reached": np.setdiff1d(np.arange(32), both),
    }


def buckets_at_the_end() -> Measured:
    table = np.random.default_rng(0).standard_normal(T5_BASE)
    far_past, far_future = (bias.t5_bias(table, [5000], [key])[:, 0, 0] for key in (0, 10000))
    return {
        "bucket_far_past": past_bucket(5000),
        "bucket_far_future": future_bucket(5000),
        "different_values_over_heads_and_directions": len(np.unique([far_past, far_future])),
        "difference_to_rows_15_and_31": np.abs(np.stack([far_past, far_future]) - table[[15, 31]]).max(),
    }


def clipped_or_bucketed() -> Measured:
    starts = runs(past_bucket(np.arange(200)))
    return {
        "bucket_90_before": past_bucket(90),
        "bucket_91_before": past_bucket(91),
        "bucket_128_before": past_bucket(128),
        "bucket_starts": starts,
        "last_bucket_starts_at": starts[-1],
        "last_bucket_starts_at_causal": runs(past_bucket(np.arange(200), bidirectional=False))[-1],
        "widths": np.diff(starts),
    }


def table_of_shaw_or_t5() -> Measured:
    k = 16
    rows = relative.relative_position_index([100], np.arange(201), k)
    t5 = past_bucket(np.arange(200), bidirectional=False)
    return {
        "shaw_vectors": len(np.unique(rows)),
        "shaw_first_and_last_row": [rows.min(), rows.max()],
        "t5_scalars_per_head": len(np.unique(t5)),
        "t5_first_and_last_bucket": [t5.min(), t5.max()],
        "t5_table_of_a_causal_stack": list(T5_BASE),
        "t5_numbers_in_base_and_small": [np.prod(T5_BASE), np.prod(T5_SMALL)],
        "table_clipped_to_127": len(np.unique(relative.relative_position_index([200], np.arange(401), 127))),
        "table_of_1024_tokens_not_clipped": len(
            np.unique(relative.relative_position_index([1023, 0], np.arange(1024), 1023, outside="raise"))
        ),
    }


def parameters_of_t5() -> Measured:
    table = np.random.default_rng(0).standard_normal(T5_BASE)
    by_head = bias.t5_bias(table, [10], np.arange(21))[:, 0]
    return {
        "parameters_t5_base": np.prod(T5_BASE),
        "parameters_t5_small": np.prod(T5_SMALL),
        "numbers_per_bucket": T5_BASE[1],
        "heads": len(by_head),
        "difference_to_rows_of_the_table": np.abs(by_head[:, 10:2:-1].T - table[:8]).max(),
        "different_heads": len(np.unique(by_head, axis=0)),
        "exact_distances": first_shared(past_bucket(np.arange(200))),
        "exact_distances_causal": first_shared(past_bucket(np.arange(200), bidirectional=False)),
    }


def size_of_bias(length: int, heads: int = 12) -> int:
    """Bytes of the score bias [heads, n, n] in float32, from the shape that a short one has."""
    short = bias.t5_bias(np.zeros((32, heads)), np.arange(8), np.arange(8))
    return int(short.size // 8**2 * length**2 * FLOAT32)


def memory_of_t5() -> Measured:
    n = 32768
    return {
        "bytes_of_bias_at_1024": size_of_bias(1024),
        "bytes_of_bias_at_4096": size_of_bias(4096),
        "gibibytes_of_bias_at_32768": size_of_bias(n) / 2**30,
        "unclipped_parameters_per_head": 2 * n - 1,
        "unclipped_parameters_12_heads": 12 * (2 * n - 1),
    }


def table_without_clipping() -> Measured:
    n = 32768
    short = 64
    rows = relative.relative_position_index(np.arange(short), np.arange(short), short - 1, outside="raise")
    return {
        "unclipped_rows": 2 * n - 1,
        "numbers_12_heads": 12 * (2 * n - 1),
        "bytes_12_heads": 12 * (2 * n - 1) * FLOAT32,
        "gibibytes_of_the_score_bias": size_of_bias(n) / 2**30,
        "rows_used_by_64_tokens": len(np.unique(rows)),
        "first_and_last_row": [rows.min(), rows.max()],
        "token_65_is_refused": _refuses(
            lambda: relative.relative_position_index([short], [0], short - 1, outside="raise")
        ),
    }


def _refuses(call: Callable[[], object]) -> bool:
    try:
        call()
    except IndexError:
        return True
    return False


def bias_matrix_of_correct_code() -> Measured:
    return {
        "shape_of_bias_for_64_tokens": bias.t5_bias(np.zeros(T5_BASE), np.arange(64), np.arange(64)).shape,
        "bytes_at_4096": size_of_bias(4096),
        "scalars_without_buckets_at_4096": 2 * 4096 - 1,
    }


# A continuous function of the distance


def function_or_table() -> Measured:
    distance = np.arange(3)[:, None] - np.arange(3)
    table = {-2: -1.0, -1: -0.5, 0: 0.0, 1: -0.5, 2: -1.0}
    function = bias.linear_distance_bias(distance, 0.5)
    looked_up = np.vectorize(table.get)(distance)
    return {
        "bias": function + 0.0,
        "largest_difference": np.abs(function - looked_up).max(),
        "distances_of_3_tokens": len(table),
        "value_between_whole_distances": bias.linear_distance_bias(1.5, 0.5),
    }


def step_by_step() -> Measured:
    values = bias.linear_distance_bias(np.arange(11), 0.5)
    return {
        "step_from_2_to_3": values[3] - values[2],
        "weight_ratio": np.exp(values[3] - values[2]),
        "steps": np.diff(values),
    }


def share_of_the_near(function: Callable[[NDArray], NDArray], lengths=(100, 1000, 10000)) -> list[float]:
    """Weight within 10 positions of a query in the middle, all contents equal, for each number of tokens."""
    found = []
    for length in lengths:
        distance = np.arange(length) - length // 2
        weights = attention.softmax(function(distance))
        found.append(weights[np.abs(distance) <= 10].sum())
    return found


def limits_and_shares() -> Measured:
    return {
        "share_near_bias_to_zero": share_of_the_near(bias.exponential_distance_bias),
        "share_near_linear": share_of_the_near(lambda d: bias.linear_distance_bias(d, 0.5)),
        "share_near_log_scale_0.5": share_of_the_near(lambda d: bias.log_distance_bias(d, 0.5)),
        "share_near_log_scale_2": share_of_the_near(lambda d: bias.log_distance_bias(d, 2.0)),
        "factor_far_away": np.exp(bias.exponential_distance_bias(1000.0)),
    }


def limit_of_the_example() -> Measured:
    return {
        "bias_at_200": bias.linear_distance_bias(200, 0.5),
        "bias_at_10_100_1000": bias.linear_distance_bias([10, 100, 1000], 0.5),
        "weight_factor_at_20": np.exp(bias.linear_distance_bias(20, 0.5)),
        "weight_factor_at_200": np.exp(bias.linear_distance_bias(200, 0.5)),
        "weight_factor_at_1000_with_slope_1_256": np.exp(bias.linear_distance_bias(1000, 1 / 256)),
    }


def unseen_distance() -> Measured:
    """Two learned functions that agree up to distance 100, and what they say of 200."""
    hidden = (np.array([[1.0], [1.0]]), np.array([0.0, -100.0]))
    two = [[hidden, (np.array([[-0.5, far]]), None)] for far in (0.0, 1.0)]
    seen = [bias.mlp_distance_bias(np.arange(101), layers, activation="relu") for layers in two]
    unseen = [bias.mlp_distance_bias(200, layers, activation="relu")[0] for layers in two]
    return {
        "formula_at_200": bias.linear_distance_bias(200, 0.5),
        "t5_bucket_200_before": past_bucket(200),
        "t5_buckets_7_8_100_127_128_5000_before": past_bucket([7, 8, 100, 127, 128, 5000]),
        "t5_buckets_7_100_5000_after": future_bucket([7, 100, 5000]),
        "t5_causal_buckets_15_16_100_112_113_128_before": past_bucket(
            [15, 16, 100, 112, 113, 128], bidirectional=False
        ),
        "largest_difference_of_two_networks_up_to_100": np.abs(seen[0] - seen[1]).max(),
        "two_networks_at_200": unseen,
    }


def reach_of_slopes() -> Measured:
    """The first distance at which a weight has fallen below a thousandth, for the slopes of 8 heads."""
    by_distance = np.exp(bias.alibi_bias([2000], np.arange(2000, -1, -1), bias.alibi_slopes(8)))[:, 0]
    return {"reach": [int(np.flatnonzero(head < 1e-3)[0]) for head in by_distance]}


def which_method_it_is() -> Measured:
    slopes = bias.alibi_slopes(8)
    positions = np.arange(3)
    alibi = bias.alibi_bias(positions, positions, slopes, form="symmetric")
    example = bias.linear_distance_bias(positions[:, None] - positions, 0.5)
    return {"slopes": slopes, "heads_equal_to_the_example": np.flatnonzero((alibi == example).all((1, 2)))}


# Order, seen through a symmetric bias


def six_words(seed: int = 42) -> tuple[NDArray, list[NDArray]]:
    """Six random tokens of width 8 and three projections, as in the motivation chapter."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((6, 8)), [rng.standard_normal((8, 8)) / np.sqrt(8) for _ in range(3)]


def attend(x: NDArray, weights: list[NDArray], *, rotate: bool = False, **options) -> NDArray:
    q, k, v = (x @ w for w in weights)
    if rotate:
        q, k = (rotary.apply_rope(side, np.arange(len(x)), layout="interleaved") for side in (q, k))
    return attention.attention(q, k, v, **options)


def told_apart_from_its_reverse() -> Measured:
    """The difference of pooled outputs between a sentence and its reverse, for each source of order."""
    x, weights = six_words()
    position = np.arange(6)
    distance = position[:, None] - position
    symmetric = bias.linear_distance_bias(distance, 0.5)
    signed = np.random.default_rng(1).standard_normal(11)[distance + 5]
    sinusoids = absolute.sinusoidal_positions(position, 8)

    def three_layers(x, **options):
        for _ in range(3):
            x = x + attend(x, weights, **options)
        return x

    def difference(model: Callable, **options) -> float:
        pooled = [model(tokens, **options).mean(axis=0) for tokens in (x, x[::-1])]
        return np.abs(pooled[0] - pooled[1]).max()

    def one_layer(x, **options):
        return attend(x, weights, **options)

    return {
        "no_positions": difference(one_layer),
        "symmetric_bias": difference(one_layer, bias=symmetric),
        "symmetric_bias_three_layers": difference(three_layers, bias=symmetric),
        "signed_table": difference(one_layer, bias=signed),
        "rope": difference(one_layer, rotate=True),
        "sinusoidal": difference(lambda x: one_layer(x + sinusoids)),
        "symmetric_bias_and_causal_mask": difference(one_layer, bias=symmetric, mask=attention.causal_mask(6)),
        "classes_of_24_orders": _distinguishable_orders(),
        **_in_front_of_a_class_token(x, weights),
    }


def _distinguishable_orders() -> int:
    """How many of the 24 orders of 4 tokens a pooled layer with the symmetric bias tells apart."""
    x, weights = six_words()
    distance = np.arange(4)[:, None] - np.arange(4)
    symmetric = bias.linear_distance_bias(distance, 0.5)
    pooled = [attend(x[list(order)], weights, bias=symmetric).mean(axis=0) for order in permutations(range(4))]
    return len(np.unique(np.round(pooled, 9), axis=0))


def _in_front_of_a_class_token(x: NDArray, weights: list[NDArray]) -> dict[str, float]:
    """A token kept in front of the six words: does its own output see that they are reversed?"""
    token = np.random.default_rng(0).standard_normal((1, 8))
    distance = np.arange(7)[:, None] - np.arange(7)
    both = [np.concatenate([token, words]) for words in (x, x[::-1])]
    seen = {}
    for name, matrix in (("without", np.zeros((7, 7))), ("with", bias.linear_distance_bias(distance, 0.5))):
        outputs = [attend(words, weights, bias=matrix)[0] for words in both]
        seen[f"class_token_{name}_bias"] = np.abs(outputs[0] - outputs[1]).max()
    return seen


# T5 and ALiBi, term by term


def alibi_on_both_sides() -> Measured:
    keys = np.arange(6)
    causal = bias.alibi_bias([5], keys, [0.5])[0, 0]
    symmetric = bias.alibi_bias(keys, keys, [0.5], form="symmetric")[0]
    both = bias.alibi_bias(keys, keys, [0.5])[0]
    return {
        "bias_of_keys_0_to_5_at_query_5": causal + 0.0,
        "symmetric_form_reads_the_same_backwards": bool((symmetric == symmetric[::-1, ::-1]).all()),
        "causal_form_reads_the_same_backwards": bool((both == both[::-1, ::-1]).all()),
    }


def slopes_of_alibi() -> Measured:
    return {
        "slopes_8_heads": bias.alibi_slopes(8),
        "slopes_4_heads": bias.alibi_slopes(4),
        "first_two_of_16_heads": bias.alibi_slopes(16)[:2],
    }


def alibi_on_longer_text() -> Measured:
    """Loss of the lab's models on text, and of ALiBi at 512 tokens when it sees the last 8 or 16 tokens only."""
    windows = [row["results"]["windows"]["loss"] for row in lab_rows.text_rows("alibi")]
    slope = bias.alibi_slopes(8)[-1]
    return {
        "alibi_at_training_length": lab_rows.loss("alibi", 1),
        "alibi_at_2_times": lab_rows.loss("alibi", 2),
        "alibi_at_16_times": lab_rows.loss("alibi", 16),
        "t5_at_training_length": lab_rows.loss("t5", 1),
        "sinusoidal_at_training_length": lab_rows.loss("sinusoidal", 1),
        "sinusoidal_at_2_times": lab_rows.loss("sinusoidal", 2),
        "alibi_that_sees_all": mean(loss["none"] for loss in windows),
        "alibi_that_sees_16_tokens": mean(loss["16"] for loss in windows),
        "alibi_that_sees_8_tokens": mean(loss["8"] for loss in windows),
        "weight_factor_of_the_gentlest_slope_at_1000": np.exp(bias.alibi_bias([1000], [0], [slope])[0, 0, 0]),
    }


def farthest_first() -> Measured:
    """A T5 table that grows with the distance: it is as good a table as any other."""
    table = np.zeros((32, 1))
    table[:5, 0] = 0.5 * np.arange(5)
    weights = attention.softmax(bias.t5_bias(table, [4], np.arange(5), bidirectional=False)[0, 0])
    return {"weights_nearest_to_farthest": weights[::-1]}


def content_of_the_bias() -> Measured:
    """How much what each method adds to q·k at query 7, key 3 changes when the contents change."""
    names = ("t5", "alibi", "kerple", "shaw", "transformer_xl", "deberta", "rope")
    added = {name: [float(added_by(name)(*contents(seed=seed))) for seed in (7, 8)] for name in names}
    changes = {name: abs(first - second) for name, (first, second) in added.items()}
    return changes | {f"added_by_{name}": both for name, both in added.items()}


def decay_of_alibi() -> Measured:
    logits = bias.alibi_bias([20], np.arange(20, -1, -1), [0.5])[0, 0]
    weights = attention.softmax(logits)
    return {
        "logit_steps": np.diff(logits),
        "weight_factor_per_token": weights[1] / weights[0],
        "weight_factor_at_20": weights[20] / weights[0],
        "score_at_200": bias.alibi_bias([200], [0], [0.5])[0, 0, 0],
        "weight_factor_at_1000_with_slope_1_256": np.exp(bias.alibi_bias([1000], [0], [1 / 256])[0, 0, 0]),
    }


def direction_of_score_bias() -> Measured:
    """Query and key have the same content wherever they stand: does the score know who comes first?"""
    return {
        "t5_bucket_2_before": past_bucket(2),
        "t5_bucket_2_after": future_bucket(2),
        "t5_causal_bucket_2_after": bias.t5_relative_position_bucket(2, bidirectional=False),
        "transformer_xl_7_to_4": added_by("transformer_xl", [7], [4])(*contents()),
        "transformer_xl_4_to_7": added_by("transformer_xl", [4], [7])(*contents()),
    }


def direction_of_alibi() -> Measured:
    q, k = query_and_key_of_one_token()
    content = q @ k
    slope = [0.5]
    symmetric = [content + bias.alibi_bias([i], [j], slope, form="symmetric")[0, 0, 0] for i, j in ((7, 4), (4, 7))]
    position = np.arange(8)
    masked = attention.softmax(bias.alibi_bias(position, position, slope)[0], mask=attention.causal_mask(8))
    return {
        "score_7_to_4": symmetric[0],
        "score_4_to_7": symmetric[1],
        "bias_7_to_4": bias.alibi_bias([7], [4], slope, form="symmetric")[0, 0, 0],
        "causal_weight_7_to_4": masked[7, 4],
        "causal_weight_4_to_7": masked[4, 7],
    }


# Counterfeits


def _broken(what: str, function: str, broken: Callable[[Callable], Callable], module: str = "bias") -> Counterfeit:
    return Counterfeit(what, target=f"pe_course.reference.{module}:{function}", broken=broken)


_CLIPPED = _broken(
    "buckets that are clipped distances",
    "t5_relative_position_bucket",
    lambda right: (
        lambda r, *, bidirectional=True, num_buckets=32, max_distance=128: (
            np.clip(np.asarray(r), -127, 127) + 127 if bidirectional else np.clip(-np.asarray(r), 0, 127)
        )
    ),
)
_ROUND_UP = _broken(
    "buckets that start one distance too early",
    "t5_relative_position_bucket",
    lambda right: lambda r, **options: right(np.asarray(r) + np.sign(r) * (np.abs(r) >= 7), **options),
)
_NO_DIRECTION = _broken(
    "buckets of |i − j|",
    "t5_relative_position_bucket",
    lambda right: lambda r, **options: right(-np.abs(r), **options),
)
_FUTURE_FIRST = _broken(
    "query − key in place of key − query",
    "t5_relative_position_bucket",
    lambda right: lambda r, **options: right(-np.asarray(r), **options),
)
_SHARED_HEADS = _broken(
    "a table whose first head serves all",
    "t5_bias",
    lambda right: (
        lambda table, *args, **options: right(
            np.repeat(np.asarray(table)[:, :1], np.shape(table)[1], axis=1), *args, **options
        )
    ),
)
_ONE_HEAD = _broken(
    "a bias without an axis of heads",
    "t5_bias",
    lambda right: lambda table, *args, **options: right(np.asarray(table)[:, :1], *args, **options),
)
_TRANSPOSED = _broken(
    "a bias with queries and keys exchanged",
    "t5_bias",
    lambda right: lambda table, q, k, **options: np.swapaxes(right(table, k, q, **options), -1, -2),
)
_HALF_SLOPE = _broken(
    "half of the slope", "linear_distance_bias", lambda right: lambda d, slope=0.5: right(d, slope / 2)
)
_SIGNED_DISTANCE = _broken(
    "a bias of the signed distance",
    "linear_distance_bias",
    lambda right: lambda d, slope=0.5: -slope * np.asarray(d, dtype=float),
)
_FLAT_FAR = _broken(
    "a bias that tends to a limit",
    "linear_distance_bias",
    lambda right: lambda d, slope=0.5: right(np.minimum(np.abs(d), 10), slope),
)
_LOGARITHMIC = _broken(
    "a bias of the logarithm", "linear_distance_bias", lambda right: lambda d, slope=0.5: -slope * np.log1p(np.abs(d))
)
_SLOPES_FROM_ONE = _broken(
    "slopes that start at 1", "alibi_slopes", lambda right: lambda heads, **options: 2 ** (8 / heads) * right(heads)
)
_KEY_ONLY = _broken(
    "ALiBi that reads the key alone",
    "alibi_bias",
    lambda right: lambda q, k, slopes, **options: right(q, k, slopes, form="key_only"),
)
_ALIBI_GROWS = _broken(
    "ALiBi with the wrong sign", "alibi_bias", lambda right: lambda *args, **options: -right(*args, **options)
)
_ALIBI_QUADRATIC = _broken(
    "ALiBi of the squared distance",
    "alibi_bias",
    lambda right: lambda *args, **options: -np.square(right(*args, **options)),
)
_UNCLIPPED = _broken(
    "a table that is not clipped",
    "relative_position_index",
    lambda right: lambda q, k, window, **options: np.asarray(k) - np.asarray(q)[:, None],
    module="relative",
)
_NO_ERROR = _broken(
    "a table that clips in silence",
    "relative_position_index",
    lambda right: lambda q, k, window, **options: right(q, k, window),
    module="relative",
)
_LOST_MASK = _broken(
    "a softmax that forgets its mask",
    "softmax",
    lambda right: lambda scores, *, axis=-1, mask=None: right(scores, axis=axis),
    module="attention",
)
_UNIFORM = _broken(
    "weights that ignore the bias",
    "softmax",
    lambda right: lambda scores, **options: right(np.zeros_like(scores), **options),
    module="attention",
)


def _always_the_same_loss(right: Callable) -> Callable:
    return lambda method, multiple: 1.0


CLAIMS: list[Claim] = [
    Claim(
        id="L-004",
        claim="Earlier relative encodings sorted distances into a few coarse bins: adjacent, 1–2, 3–5 and over 5.",
        verdict="wrong",
        holds="No published method has these bins; read as distances, 1 is even in two of them. Shaw et al. have one "
        "vector for every distance within a window, {shaw_offsets} for 4 positions on each side. T5 has one number "
        "for every distance up to {t5_largest_exact_distance} in both directions ({t5_largest_exact_distance_causal} "
        "if causal) and wider buckets beyond: distances 0 to 12 have the buckets {t5_buckets_of_distances_0_to_12}.",
        evidence="numeric",
        digest=("S1-08",),
        references=("shaw2018self", "raffel2020exploring"),
        measure=bins_in_use,
        decides=lambda m: (
            m["t5_buckets_of_distances_0_to_12"] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 9]
            and (m["t5_largest_exact_distance"], m["t5_largest_exact_distance_causal"]) == (7, 15)
            and m["t5_bucket_starts"] == T5_STARTS
            and m["lecture_bins_with_distance_1"] == ["adjacent", "1–2"]
            and m["shaw_rows"] == list(range(m["shaw_offsets"]))
        ),
        counterfeits=(_CLIPPED, _ROUND_UP),
        note="If the lecture's bins count the words in between, they do not overlap.",
    ),
    Claim(
        id="L-005",
        claim="Methods with bins merge distances 2 and 3, or 1 and 2, so that a model cannot tell them apart.",
        verdict="wrong",
        holds="In the lecture's own bins 2 and 3 are apart. In Shaw et al. and in T5 the distances 1, 2 and 3 always "
        "have parameters of their own: T5's buckets of {distances} are {t5_buckets}. In T5 the first distance that "
        "shares a bucket is {first_shared_distance}, and {first_shared_distance_causal} if causal.",
        evidence="numeric",
        digest=("S1-10", "S1-20"),
        references=("shaw2018self", "raffel2020exploring"),
        measure=buckets_of_near_distances,
        decides=lambda m: (
            m["t5_buckets"] == [1, 2, 3, 7, 8, 8, 9]
            and (m["first_shared_distance"], m["first_shared_distance_causal"]) == (8, 16)
            and m["bucket_starts"] == T5_STARTS
            and m["shaw_rows_of_distances_0_to_3"] == [16, 15, 14, 13]
        ),
        counterfeits=(_CLIPPED, _ROUND_UP),
    ),
    Claim(
        id="L-006",
        claim="A continuous function of the distance gives arbitrary precision, to the centimetre.",
        verdict="imprecise",
        holds="Tokens stand at whole positions, so n tokens ask for 2n − 1 distances, and a table with as many "
        "entries says the same: for 3 tokens the two biases differ by {largest_difference:.4f}. What a function adds "
        "is shared parameters, smoothness, and values for distances that no one has seen, or that are not whole, such "
        "as times.",
        evidence="algebraic",
        digest=("S1-09", "S1-11"),
        measure=function_or_table,
        decides=lambda m: (
            m["largest_difference"] == 0
            and m["distances_of_3_tokens"] == 5
            and m["bias"] == [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
            and m["value_between_whole_distances"] == -0.75
        ),
        counterfeits=(_HALF_SLOPE, _SIGNED_DISTANCE),
    ),
    Claim(
        id="L-007",
        claim="From distance 2 to 3 a continuous function changes smoothly and does not jump.",
        verdict="imprecise",
        holds="Between whole distances there is nothing to be smooth about: every step is a difference. For the "
        "lecture's own function it is {step_from_2_to_3} each time, which multiplies a weight by {weight_ratio:.4f}.",
        evidence="numeric",
        digest=("S1-12",),
        measure=step_by_step,
        decides=lambda m: near([m["step_from_2_to_3"], *m["steps"]], -0.5) and near(m["weight_ratio"], np.exp(-0.5)),
        counterfeits=(_HALF_SLOPE, _LOGARITHMIC),
    ),
    Claim(
        id="L-008",
        claim="A bias that tends to 0 as the distance grows makes far words receive less and less attention.",
        verdict="wrong",
        holds="It does the opposite of a decay. A bias stands in an exponent, so 0 means a factor of 1: far words are "
        "all treated alike, and there are many of them. Within 10 positions of the query lie "
        "{share_near_bias_to_zero[0]:.4f}, {share_near_bias_to_zero[1]:.4f} and {share_near_bias_to_zero[2]:.4f} of "
        "the weight at 100, 1000 and 10000 tokens, if all contents are equal. With −0.5 times the distance it is "
        "{share_near_linear[0]:.4f} each time. For that the bias must fall without bound, and fast enough: −2 log(1 + "
        "d) will do, −0.5 log(1 + d) will not.",
        evidence="numeric",
        digest=("S1-13",),
        references=("press2022train",),
        measure=limits_and_shares,
        decides=lambda m: (
            near(m["share_near_bias_to_zero"], [0.2334, 0.0240, 0.0024], 5e-5)
            and near(m["share_near_linear"], 0.9949, 5e-5)
            and near(m["share_near_log_scale_0.5"], [0.3914, 0.1127, 0.0346], 5e-5)
            and near(m["share_near_log_scale_2"], [0.9402, 0.9257, 0.9243], 5e-5)
            and near(m["factor_far_away"], 1.0)
        ),
        counterfeits=(
            _FLAT_FAR,
            _broken(
                "a curve that falls without bound in place of one that tends to 0",
                "exponential_distance_bias",
                lambda right: lambda distance, *args: -np.abs(np.asarray(distance, dtype=float)),
            ),
        ),
    ),
    Claim(
        id="L-009",
        claim="The example −0.5 |i − j| carries out the design in which the bias tends to 0.",
        verdict="wrong",
        holds="It falls without bound: at distance 200 it is {bias_at_200:.0f}. Two sections of the same lecture "
        "contradict each other.",
        evidence="algebraic",
        digest=("S1-13", "S1-16"),
        measure=limit_of_the_example,
        decides=lambda m: (
            m["bias_at_200"] == -100
            and m["bias_at_10_100_1000"] == [-5, -50, -500]
            and near([m["weight_factor_at_20"], m["weight_factor_at_200"]], [np.exp(-10), np.exp(-100)], 1e-15)
            and near(m["weight_factor_at_1000_with_slope_1_256"], np.exp(-1000 / 256))
        ),
        counterfeits=(_HALF_SLOPE, _FLAT_FAR),
    ),
    Claim(
        id="L-010",
        claim="A function of the distance has a sensible value for a distance that was never seen, such as 200.",
        verdict="true with conditions",
        holds="True for a fixed formula: −0.5 · 200 = {formula_at_200:.0f}. A learned function may do anything out "
        "there: two networks that agree on every distance up to 100 say {two_networks_at_200[0]:.0f} and "
        "{two_networks_at_200[1]:.0f} at 200. And tables have a value too: T5 puts 200 into bucket "
        "{t5_bucket_200_before}, its last.",
        evidence="numeric",
        digest=("S1-14",),
        references=("raffel2020exploring", "press2022train"),
        measure=unseen_distance,
        decides=lambda m: (
            m["formula_at_200"] == -100
            and m["t5_bucket_200_before"] == 15
            and m["t5_buckets_7_8_100_127_128_5000_before"] == [7, 8, 15, 15, 15, 15]
            and m["t5_buckets_7_100_5000_after"] == [23, 31, 31]
            and m["t5_causal_buckets_15_16_100_112_113_128_before"] == [15, 16, 30, 30, 31, 31]
            and m["largest_difference_of_two_networks_up_to_100"] < 1e-12
            and m["two_networks_at_200"] == [-100, 0]
        ),
        counterfeits=(_CLIPPED, _FLAT_FAR, _FUTURE_FIRST),
    ),
    Claim(
        id="L-011",
        claim="Because the function has a value everywhere, the model is no longer bound to its training length.",
        verdict="wrong",
        holds="A value is necessary, not sufficient. The softmax now runs over more tokens, and a head with slope 1/2 "
        "gives a token less than a thousandth of the nearest one's weight from {reach[0]} tokens on: it is a window. "
        "The eight slopes of ALiBi reach {reach} tokens. The loss may stay flat while the far text is not used.",
        evidence="numeric",
        digest=("S1-14",),
        references=("press2022train", "kazemnejad2023impact", "su2024review"),
        measure=reach_of_slopes,
        decides=lambda m: m["reach"] == [14, 28, 56, 111, 222, 443, 885, 1769],
        counterfeits=(_SLOPES_FROM_ONE, _ALIBI_QUADRATIC),
    ),
    Claim(
        id="L-012",
        claim='"Better-Relative Positional Encoding" is the name of the method with a continuous function of '
        "the distance.",
        verdict="imprecise",
        holds='It is no established name. Two papers have "better relative position embeddings" in their titles: '
        "Huang et al. learn tables "
        "that interact with queries and keys, Qu et al. change how distances are encoded. What the lecture computes "
        "is head "
        "number {heads_equal_to_the_example[0]}, counted from 0, of ALiBi with 8 heads, in its symmetric form; the "
        "slopes are {slopes}.",
        evidence="source",
        digest=("S1-09",),
        references=("huang2020improve", "qu2021explore", "press2022train"),
        measure=which_method_it_is,
        decides=lambda m: m["slopes"] == [2.0**-h for h in range(1, 9)] and m["heads_equal_to_the_example"] == [0],
        counterfeits=(_SLOPES_FROM_ONE, _ALIBI_GROWS),
        note="Which of the two papers the author had in mind, if any, is not known.",
    ),
    Claim(
        id="L-023",
        claim="A bias that depends on |i − j| lets a model capture the order of words.",
        verdict="wrong",
        holds="Reading backwards changes no |i − j|, so without a mask a sentence and its reverse get the same pooled "
        "output: they differ by {symmetric_bias:.4f} after one layer and {symmetric_bias_three_layers:.4f} after "
        "three. 狗咬人 and 人咬狗 stay one and the same; so do 我爱你 and 你爱我. The 24 orders of four words have "
        "{classes_of_24_orders} different outputs. A causal mask breaks the tie, by "
        "{symmetric_bias_and_causal_mask:.4f} in this draw; so do a signed table ({signed_table:.4f}), RoPE "
        "({rope:.4f}) and sinusoids ({sinusoidal:.4f}). A token kept in front notices as well "
        "({class_token_with_bias:.4f}), because then not the whole sequence is reversed.",
        evidence="algebraic",
        digest=("S1-12", "S1-16"),
        measure=told_apart_from_its_reverse,
        decides=lambda m: (
            max(m["no_positions"], m["symmetric_bias"], m["symmetric_bias_three_layers"], m["class_token_without_bias"])
            < 1e-12
            and near(m["rope"], 0.061760925, 1e-8)
            and near(m["sinusoidal"], 0.064579028, 1e-8)
            and near(m["signed_table"], 0.052896551, 1e-8)
            and near(m["symmetric_bias_and_causal_mask"], 0.421874191, 1e-8)
            and near(m["class_token_with_bias"], 0.345169842, 1e-8)
            and m["classes_of_24_orders"] == 12
        ),
        counterfeits=(_SIGNED_DISTANCE, _HALF_SLOPE),
    ),
    Claim(
        id="L-040",
        claim="T5 drops the first two position terms and keeps a bias.",
        verdict="true with conditions",
        holds="Yes, if the first two are those between content and position, the second and third of four. The last "
        "term, between position and position, becomes the bias: with queries and keys of zero T5 still adds a number, "
        "and nothing it adds depends on either. T5 also leaves out the factor 1/√d.",
        evidence="algebraic",
        digest=("S2-10",),
        references=("raffel2020exploring",),
        measure=lambda: terms_of("t5"),
        decides=lambda m: (
            m["content_to_position"] == m["position_to_content"] == m["joint"] == 0
            and near(m["position_alone"], abs(parameters()["table"][4, 0]))
        ),
        counterfeits=(
            Counterfeit("a term between content and position", {"content_to_position": 0.3}),
            _broken("no bias at all", "t5_bias", lambda right: lambda *args, **options: 0 * right(*args, **options)),
        ),
    ),
    Claim(
        id="L-041",
        claim="T5 needs one trainable bias, looked up by the relative position.",
        verdict="imprecise",
        holds="It needs one number per bucket *and* head: {parameters_t5_base} for T5-base, {parameters_t5_small} for "
        "T5-small, in each stack, encoder and decoder. All layers of a stack share them. A bucket is a single "
        "distance up to 7 (15 if causal) and a growing range beyond.",
        evidence="numeric",
        digest=("S2-10",),
        references=("raffel2020exploring",),
        measure=parameters_of_t5,
        decides=lambda m: (
            (m["parameters_t5_base"], m["parameters_t5_small"]) == (384, 256)
            and m["different_heads"] == m["heads"] == m["numbers_per_bucket"] == 12
            and (m["exact_distances"], m["exact_distances_causal"]) == (8, 16)
            and m["difference_to_rows_of_the_table"] == 0
        ),
        counterfeits=(_SHARED_HEADS, _CLIPPED),
    ),
    Claim(
        id="L-050",
        claim="ALiBi's score is q·k minus a slope of the head times |m − n|.",
        verdict="true with conditions",
        holds="The original is causal, so that n ≤ m, and keeps the factor 1/√d on q·k. With slope 1/2 query 5 adds "
        "{bias_of_keys_0_to_5_at_query_5} to keys 0 to 5. With the bars it is the form for encoders, and that one "
        "reads the same backwards: it cannot see direction (L-023).",
        evidence="numeric",
        digest=("S2-17",),
        references=("press2022train",),
        measure=alibi_on_both_sides,
        decides=lambda m: (
            m["bias_of_keys_0_to_5_at_query_5"] == [-2.5, -2, -1.5, -1, -0.5, 0]
            and m["symmetric_form_reads_the_same_backwards"]
            and not m["causal_form_reads_the_same_backwards"]
        ),
        counterfeits=(_KEY_ONLY, _ALIBI_GROWS),
    ),
    Claim(
        id="L-051",
        claim="ALiBi's slopes are set in advance, one per head, and not trained.",
        verdict="true",
        holds="They are geometric: {slopes_8_heads} for 8 heads, {slopes_4_heads} for 4. With 16 heads they start "
        "with {first_two_of_16_heads[0]:.4f} and {first_two_of_16_heads[1]:.4f}. The authors tried trained slopes and "
        "did not keep them.",
        evidence="numeric",
        digest=("S2-17", "S3-53"),
        references=("press2022train",),
        measure=slopes_of_alibi,
        decides=lambda m: (
            m["slopes_8_heads"] == [2.0**-h for h in range(1, 9)]
            and m["slopes_4_heads"] == [1 / 4, 1 / 16, 1 / 64, 1 / 256]
            and near(m["first_two_of_16_heads"], [0.5**0.5, 0.5])
        ),
        counterfeits=(
            _SLOPES_FROM_ONE,
            _broken("the same slope for all heads", "alibi_slopes", lambda right: lambda heads: np.full(heads, 0.5)),
        ),
    ),
    Claim(
        id="L-052",
        claim="ALiBi extrapolates extremely well, directly to any length.",
        verdict="imprecise",
        holds="Its loss stays flat, but largely because far tokens hardly count. In the lab's text runs it is "
        "{alibi_at_training_length:.2f} nats at the training length and {alibi_at_16_times:.2f} at 16 times as many "
        "tokens, where sinusoids rise from {sinusoidal_at_training_length:.2f} to {sinusoidal_at_2_times:.2f} at "
        "twice. At 512 tokens it predicts no worse when it sees the last 16 alone: {alibi_that_sees_16_tokens:.2f} "
        "instead of {alibi_that_sees_all:.2f}. Within the training length T5's bias is better "
        "({t5_at_training_length:.2f}). Even the gentlest of eight slopes leaves a token 1000 back a factor of "
        "{weight_factor_of_the_gentlest_slope_at_1000:.4f}. On reasoning tasks ALiBi does not generalise well to "
        "longer inputs.",
        evidence="experiment",
        digest=("S2-18", "S3-53"),
        references=("press2022train", "kazemnejad2023impact", "su2024review"),
        measure=alibi_on_longer_text,
        decides=lambda m: (
            abs(m["alibi_at_16_times"] - m["alibi_at_training_length"]) < 0.1
            and m["sinusoidal_at_2_times"] > m["sinusoidal_at_training_length"] + 0.2
            and m["alibi_that_sees_16_tokens"] < m["alibi_that_sees_all"] + 0.02
            and m["t5_at_training_length"] < m["alibi_at_training_length"] - 0.05
            and near(m["weight_factor_of_the_gentlest_slope_at_1000"], np.exp(-1000 / 256))
        ),
        counterfeits=(
            _ALIBI_GROWS,
            Counterfeit(
                "one loss for all methods and lengths",
                target="pe_course.claims.lab_rows:loss",
                broken=_always_the_same_loss,
            ),
        ),
        note=lab_rows.PROVENANCE,
    ),
    Claim(
        id="L-053",
        claim="ALiBi trains faster.",
        verdict="true with conditions",
        holds="At equal length a step costs about as much as with sinusoids. The reported gain, 11 % less time and 11 "
        "% less memory for a model of 1.3 billion parameters, comes from training on 1024 tokens instead of 2048 for "
        "the same perplexity at 2048.",
        evidence="source",
        digest=("S2-18",),
        references=("press2022train",),
        why_no_check="Time and memory of a training run with 1.3 billion parameters; the paper reports them.",
    ),
    Claim(
        id="L-054",
        claim="BLOOM uses ALiBi.",
        verdict="true",
        holds="It does, and so does MPT.",
        evidence="source",
        digest=("S2-18",),
        references=("bigscience2022bloom", "mosaicml2023mpt"),
        why_no_check="A fact about published models; their reports say so.",
    ),
    Claim(
        id="L-106",
        claim="T5 learns a bias for every relative distance up to a maximum, −7 to 7 or −127 to 127.",
        verdict="wrong",
        holds="T5 has 32 buckets. In both directions they start at the distances {bucket_starts}; if causal, at "
        "{bucket_starts_causal}. So 100 and 127 positions back share bucket {bucket_100_before}, 100 ahead is in "
        "bucket {bucket_100_after}, and everything from {first_distance_in_last_bucket} on "
        "({first_distance_in_last_bucket_causal} if causal) is one bucket. The 128 of the configuration sets the "
        "scale of the logarithm alone. {buckets_reached} of the 32 buckets can be reached.",
        evidence="numeric",
        digest=("S3-39", "S3-50"),
        references=("raffel2020exploring",),
        measure=buckets_far_away,
        decides=lambda m: (
            (m["bucket_100_before"], m["bucket_127_before"], m["bucket_100_after"]) == (15, 15, 31)
            and m["bucket_starts"] == T5_STARTS
            and m["bucket_starts_causal"] == T5_STARTS_CAUSAL
            and (m["first_distance_in_last_bucket"], m["first_distance_in_last_bucket_causal"]) == (91, 113)
            and (m["buckets_reached"], m["bucket_never_reached"]) == (31, [16])
        ),
        counterfeits=(_CLIPPED, _ROUND_UP, _FUTURE_FIRST),
        note="Section 2.1 of the paper speaks of an offset of 128; these are the borders of the released code.",
    ),
    Claim(
        id="L-107",
        claim="In T5 all distances beyond the range share one bias.",
        verdict="imprecise",
        holds="One for each direction and each head: the far past is in bucket {bucket_far_past}, the far future in "
        "bucket {bucket_far_future}. With 12 heads these are {different_values_over_heads_and_directions} numbers.",
        evidence="numeric",
        digest=("S3-39",),
        references=("raffel2020exploring",),
        measure=buckets_at_the_end,
        decides=lambda m: (
            (m["bucket_far_past"], m["bucket_far_future"]) == (15, 31)
            and m["different_values_over_heads_and_directions"] == 24
            and m["difference_to_rows_15_and_31"] == 0
        ),
        counterfeits=(_SHARED_HEADS, _NO_DIRECTION),
    ),
    Claim(
        id="L-108",
        claim="T5's design makes attention fall with the distance.",
        verdict="imprecise",
        holds="Nothing in it favours near words: the table is learned freely, for each head. A table that grows with "
        "the distance gives the farthest of five words the most weight, {weights_nearest_to_farthest[4]:.4f}, and the "
        "nearest the least, {weights_nearest_to_farthest[0]:.4f}. A decay is built into ALiBi and KERPLE.",
        evidence="numeric",
        digest=("S3-41",),
        references=("raffel2020exploring", "press2022train", "chi2022kerple"),
        measure=farthest_first,
        decides=lambda m: near(
            m["weights_nearest_to_farthest"], np.exp(0.5 * np.arange(5)) / np.exp(0.5 * np.arange(5)).sum()
        ),
        counterfeits=(_TRANSPOSED, _UNIFORM),
    ),
    Claim(
        id="L-109",
        claim="All attention heads share the T5 bias.",
        verdict="wrong",
        holds="Every head has numbers of its own: {numbers_per_bucket} per bucket and {parameters_t5_base} in all for "
        "T5-base. What is shared is the table between the *layers* of a stack.",
        evidence="numeric",
        digest=("S3-42",),
        references=("raffel2020exploring",),
        measure=parameters_of_t5,
        decides=lambda m: (
            m["parameters_t5_base"] == 384
            and m["numbers_per_bucket"] == m["different_heads"] == 12
            and m["difference_to_rows_of_the_table"] == 0
        ),
        counterfeits=(_SHARED_HEADS, _ONE_HEAD),
    ),
    Claim(
        id="L-110",
        claim="The relative bias does not depend on content.",
        verdict="true with conditions",
        holds="True for T5, ALiBi and KERPLE: with other words they add the same number. It is false for the vectors "
        "of Shaw et al., Transformer-XL and DeBERTa, whose terms change by {shaw:.2f}, {transformer_xl:.2f} and "
        "{deberta:.2f} in this draw, and for the rotation of RoPE ({rope:.2f}).",
        evidence="numeric",
        digest=("S3-42",),
        references=("shaw2018self", "dai2019transformerxl", "he2021deberta", "su2021roformer"),
        measure=content_of_the_bias,
        decides=lambda m: (
            m["t5"] == m["alibi"] == m["kerple"] == 0
            and near(
                [m["shaw"], m["transformer_xl"], m["deberta"], m["rope"]],
                [2.561172, 3.361138, 0.155340, 0.887535],
                1e-6,
            )
            and near(m["added_by_t5"] + m["added_by_alibi"], [1.136047, 1.136047, -2, -2], 1e-6)
            and near(m["added_by_kerple"], -np.log(5))
            and near(m["added_by_shaw"] + m["added_by_transformer_xl"], [3.825925, 1.264753, 3.938495, 7.299634], 1e-6)
            and near(m["added_by_deberta"] + m["added_by_rope"], [-5.080899, -5.236239, 1.122043, 0.234508], 1e-6)
        ),
        counterfeits=(
            _broken(
                "Shaw without the query",
                "shaw_scores",
                lambda right: lambda q, *args, **options: right(np.ones_like(q), *args, **options),
                module="relative",
            ),
            _broken(
                "Shaw with the wrong sign",
                "shaw_scores",
                lambda right: lambda *args, **options: -right(*args, **options),
                module="relative",
            ),
            _broken(
                "RoPE that does not rotate",
                "rope_score",
                lambda right: lambda q, k, distance, inv_freq: right(q, k, 0, inv_freq),
                module="rotary",
            ),
        ),
    ),
    Claim(
        id="L-117",
        claim="Relative encoding needs no table of n × n.",
        verdict="imprecise",
        holds="Right for the parameters: even a table without clipping has 2n − 1 numbers per head, "
        "{unclipped_parameters_per_head:,} at 32768 tokens. When it runs, T5 builds a bias for each head and pair of "
        "tokens, unless a kernel avoids it: {bytes_of_bias_at_4096:,} bytes at 4096 tokens with 12 heads in float32, "
        "{gibibytes_of_bias_at_32768:.0f} GiB at 32768.",
        evidence="numeric",
        digest=("S3-50",),
        references=("raffel2020exploring",),
        measure=memory_of_t5,
        decides=lambda m: (
            (m["bytes_of_bias_at_1024"], m["bytes_of_bias_at_4096"]) == (50331648, 805306368)
            and m["gibibytes_of_bias_at_32768"] == 48
            and (m["unclipped_parameters_per_head"], m["unclipped_parameters_12_heads"]) == (65535, 786420)
        ),
        counterfeits=(_ONE_HEAD, Counterfeit("a table of n × n", {"unclipped_parameters_per_head": 32768**2})),
    ),
    Claim(
        id="L-122",
        claim="ALiBi's bias is a fixed linear decay.",
        verdict="true with conditions",
        holds="The score falls linearly; the *weight* falls exponentially, by a factor of "
        "{weight_factor_per_token:.4f} per token at slope 1/2 and of {weight_factor_at_20:.7f} over 20 tokens. The "
        "original is causal.",
        evidence="numeric",
        digest=("S3-53",),
        references=("press2022train",),
        measure=decay_of_alibi,
        decides=lambda m: (
            near(m["logit_steps"], -0.5)
            and near(m["weight_factor_per_token"], np.exp(-0.5))
            and near(m["weight_factor_at_20"], np.exp(-10), 1e-12)
            and m["score_at_200"] == -100
            and near(m["weight_factor_at_1000_with_slope_1_256"], np.exp(-1000 / 256))
        ),
        counterfeits=(_ALIBI_QUADRATIC, _ALIBI_GROWS),
    ),
    Claim(
        id="L-129",
        claim="T5's method is to clip the distance and to keep a table of 2 · maximum + 1 entries.",
        verdict="wrong",
        holds="That is the method of Shaw et al.: clipped to ±16 it has {shaw_vectors} vectors. T5 has logarithmic "
        "buckets, {t5_scalars_per_head} numbers per head (L-106).",
        evidence="numeric",
        digest=("S3-57",),
        references=("shaw2018self", "raffel2020exploring"),
        measure=table_of_shaw_or_t5,
        decides=lambda m: (
            (m["shaw_vectors"], m["t5_scalars_per_head"]) == (33, 32)
            and (m["shaw_first_and_last_row"], m["t5_first_and_last_bucket"]) == ([0, 32], [0, 31])
            and m["t5_numbers_in_base_and_small"] == [384, 256]
            and (m["table_clipped_to_127"], m["table_of_1024_tokens_not_clipped"]) == (255, 2047)
        ),
        counterfeits=(_CLIPPED, _UNCLIPPED),
    ),
    Claim(
        id="L-130",
        claim="Without clipping the table is as long as the sequence and takes huge amounts of memory.",
        verdict="wrong",
        holds="It grows with the length, not with its square: {unclipped_rows:,} numbers per head for 32768 tokens, "
        "{bytes_12_heads:,} bytes for 12 heads. What takes memory is the score bias of every pair of tokens "
        "({gibibytes_of_the_score_bias:.0f} GiB at that length), clipped or not. The trouble with the table is that "
        "far entries are hardly trained, and that there is none for a longer text: a table for 64 tokens refuses the "
        "65th.",
        evidence="numeric",
        digest=("S3-57",),
        measure=table_without_clipping,
        decides=lambda m: (
            (m["unclipped_rows"], m["numbers_12_heads"], m["bytes_12_heads"]) == (65535, 786420, 3145680)
            and m["gibibytes_of_the_score_bias"] == 48
            and (m["rows_used_by_64_tokens"], m["first_and_last_row"]) == (127, [0, 126])
            and m["token_65_is_refused"]
        ),
        counterfeits=(_NO_ERROR, _ONE_HEAD, Counterfeit("a table of n × n", {"bytes_12_heads": 12 * 32768**2 * 4})),
    ),
    Claim(
        id="L-145",
        claim="T5's bias and Transformer-XL can score i → j and j → i differently although the contents are equal.",
        verdict="true with conditions",
        holds="True in both directions: T5 puts a key 2 before the query into bucket {t5_bucket_2_before} and one 2 "
        "after it into bucket {t5_bucket_2_after}; Transformer-XL adds {transformer_xl_7_to_4:.4f} and "
        "{transformer_xl_4_to_7:.4f} in this draw. In a causal decoder the later key is masked, so the question does "
        "not arise, and T5 gives all later keys bucket {t5_causal_bucket_2_after}.",
        evidence="numeric",
        digest=("S3-67",),
        references=("raffel2020exploring", "dai2019transformerxl"),
        measure=direction_of_score_bias,
        decides=lambda m: (
            (m["t5_bucket_2_before"], m["t5_bucket_2_after"], m["t5_causal_bucket_2_after"]) == (2, 18, 0)
            and near([m["transformer_xl_7_to_4"], m["transformer_xl_4_to_7"]], [15.263256, -9.927965], 1e-6)
        ),
        counterfeits=(
            _NO_DIRECTION,
            _FUTURE_FIRST,
            _broken(
                "Transformer-XL of |i − j|",
                "transformer_xl_scores",
                lambda right: lambda q, k, w, u, v, i, j: right(q, k, w, u, v, np.abs(np.subtract(i, j)), [0]),
                module="relative",
            ),
        ),
    ),
    Claim(
        id="L-147",
        claim="ALiBi's bias, a slope times |i − j|, is symmetric.",
        verdict="true with conditions",
        holds="In that form it is: with equal content the scores 7 → 4 and 4 → 7 are {score_7_to_4:.6f} and "
        "{score_4_to_7:.6f}. The original is causal, which is as lopsided as can be: the weight 7 → 4 is "
        "{causal_weight_7_to_4:.4f}, the weight 4 → 7 is {causal_weight_4_to_7:.0f}.",
        evidence="numeric",
        digest=("S3-67",),
        references=("press2022train",),
        measure=direction_of_alibi,
        decides=lambda m: (
            near([m["score_7_to_4"], m["score_4_to_7"]], -1.013662, 1e-6)
            and m["bias_7_to_4"] == -1.5
            and near(m["causal_weight_7_to_4"], 0.089432898, 1e-8)
            and m["causal_weight_4_to_7"] == 0
        ),
        counterfeits=(_KEY_ONLY, _LOST_MASK),
    ),
    Claim(
        id="L-150",
        claim="A bias matrix of [length, length] means that bucketing was forgotten.",
        verdict="wrong",
        holds="Correct T5 code builds one as well, for every head: {bytes_at_4096:,} bytes at 4096 tokens with 12 "
        "heads in float32, and an index matrix beside it. Who forgets the buckets gets a table of "
        "{scalars_without_buckets_at_4096:,} numbers per head. What saves memory is a kernel that never writes the "
        "matrix, or work in chunks.",
        evidence="numeric",
        digest=("S3-69",),
        references=("raffel2020exploring", "flashattention332"),
        measure=bias_matrix_of_correct_code,
        decides=lambda m: (
            m["shape_of_bias_for_64_tokens"] == [12, 64, 64]
            and (m["bytes_at_4096"], m["scalars_without_buckets_at_4096"]) == (805306368, 8191)
        ),
        counterfeits=(_ONE_HEAD, Counterfeit("one head's matrix", {"bytes_at_4096": 4096**2 * 4})),
    ),
    Claim(
        id="L-151",
        claim="T5 clips to the maximum distance first, then sorts into buckets, exact ones near and coarse ones far.",
        verdict="imprecise",
        holds="There is one function and no clipping before it: the sign, exact buckets near, logarithmic ones "
        "beyond, and the last bucket for the rest. Distances 90, 91 and 128 have the buckets {bucket_90_before}, "
        "{bucket_91_before} and {bucket_128_before}: the last one starts at 91, although the maximum distance is 128.",
        evidence="numeric",
        digest=("S3-69",),
        references=("raffel2020exploring",),
        measure=clipped_or_bucketed,
        decides=lambda m: (
            (m["bucket_90_before"], m["bucket_91_before"], m["bucket_128_before"]) == (14, 15, 15)
            and (m["last_bucket_starts_at"], m["last_bucket_starts_at_causal"]) == (91, 113)
            and m["bucket_starts"] == T5_STARTS
            and m["widths"][:8] == [1] * 8
            and m["widths"][8:] == sorted(m["widths"][8:])
        ),
        counterfeits=(_CLIPPED, _ROUND_UP),
    ),
]
