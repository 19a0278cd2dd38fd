"""What the relative methods say when their input is wrong: argument, value and limit."""

import numpy as np
import pytest

from pe_course.reference import relative

QUERY, KEY = np.arange(3), np.arange(5)
Q, K = np.ones((2, 2, 3, 4)), np.ones((2, 2, 5, 4))
ROWS = np.ones((5, 4))
PROJECTION, BIAS = np.ones((6, 2, 4)), np.ones((2, 4))
POSITION_ROWS = np.ones((2, 4, 4))  # [H, 2k, D] with k = 2
NAN = float("nan")


def index(**changes):
    arguments = {"query_positions": QUERY, "key_positions": KEY, "max_relative_position": 2} | changes
    return relative.relative_position_index(**arguments)


def vectors(**changes):
    return relative.relative_vectors(**{"table": ROWS, "query_positions": QUERY, "key_positions": KEY} | changes)


def shaw(**changes):
    arguments = {"queries": Q, "relative_keys": ROWS, "query_positions": QUERY, "key_positions": KEY} | changes
    return relative.shaw_scores(**arguments)


def values(**changes):
    arguments = {
        "weights": np.ones((2, 2, 3, 5)),
        "relative_values": ROWS,
        "query_positions": QUERY,
        "key_positions": KEY,
    }
    return relative.shaw_values(**arguments | changes)


def huang(**changes):
    arguments = {"queries": Q, "keys": K, "table": ROWS, "query_positions": QUERY, "key_positions": KEY, "method": 4}
    return relative.huang_scores(**arguments | changes)


def _learned(changes: dict) -> dict:
    return {
        "queries": Q,
        "keys": K,
        "position_projection": PROJECTION,
        "content_bias": BIAS,
        "position_bias": BIAS,
        "query_positions": QUERY,
        "key_positions": KEY,
    } | changes


def transformer_xl(**changes):
    return relative.transformer_xl_scores(**_learned(changes))


def xlnet(**changes):
    return relative.xlnet_scores(**_learned(changes))


def segments(**changes):
    arguments = {
        "queries": Q,
        "segment_bias": BIAS,
        "segment_embeddings": np.ones((2, 2, 4)),
        "query_segments": QUERY,
        "key_segments": KEY,
    }
    return relative.xlnet_segment_scores(**arguments | changes)


def deberta_index(**changes):
    return relative.deberta_relative_index(**{"query_positions": QUERY, "key_positions": KEY} | changes)


def deberta(**changes):
    arguments = {
        "queries": Q,
        "keys": K,
        "query_positions": QUERY,
        "key_positions": KEY,
        "position_keys": POSITION_ROWS,
        "position_queries": POSITION_ROWS,
        "max_relative_positions": 2,
    }
    return relative.deberta_scores(**arguments | changes)


def expansion(**changes):
    arguments = {"query_content": Q, "query_position": Q, "key_content": K, "key_position": K} | changes
    return relative.expanded_score_terms(**arguments)


WHOLE = [index, vectors, shaw, values, huang, deberta_index, deberta]
REAL = [transformer_xl, xlnet]

POSITIONS = [
    *(
        pytest.param(function, {name: bad}, error, message, id=f"{function.__name__}-{name}-{what}")
        for function in WHOLE
        for name in ("query_positions", "key_positions")
        for what, bad, error, message in [
            ("negative", [0, -3, 1], ValueError, f"{name} must be at least 0, got -3"),
            ("fraction", [0, 0.5, 1], ValueError, f"{name} must be whole numbers, got 0.5"),
            ("nan", [0, NAN, 1], ValueError, f"{name} must be finite, got nan"),
            ("empty", [], ValueError, f"{name} must not be empty"),
            ("bool", [True], TypeError, f"{name} must hold real numbers, got dtype bool"),
            (
                "rank",
                np.zeros((1, 1, 3)),
                ValueError,
                rf"{name} must have shape \[L\] or \[B, L\], got shape \(1, 1, 3\)",
            ),
            ("one_batched", np.zeros((2, 3)), ValueError, r"must both be \[L\] or both \[B, L\]"),
        ]
    ),
    *(
        pytest.param(function, {name: bad}, error, message, id=f"{function.__name__}-{name}-{what}")
        for function in REAL
        for name in ("query_positions", "key_positions")
        for what, bad, error, message in [
            ("inf", [0, np.inf, 1], ValueError, f"{name} must be finite, got inf"),
            ("empty", [], ValueError, f"{name} must not be empty"),
            ("text", ["a"], TypeError, f"{name} must hold real numbers"),
            ("rank", 3.0, ValueError, rf"{name} must have shape \[L\] or \[B, L\], got shape \(\)"),
            ("one_batched", np.zeros((2, 3)), ValueError, r"must both be \[L\] or both \[B, L\]"),
        ]
    ),
]

TOKENS = [
    pytest.param(function, {name: bad}, error, message, id=f"{function.__name__}-{name}-{what}")
    for function, names in [
        (shaw, ["queries"]),
        (huang, ["queries", "keys"]),
        (transformer_xl, ["queries", "keys"]),
        (xlnet, ["queries", "keys"]),
        (segments, ["queries"]),
        (deberta, ["queries", "keys"]),
    ]
    for name in names
    for what, bad, error, message in [
        ("nan", np.full((2, 2, 3, 4), NAN), ValueError, f"{name} must be finite, got nan"),
        ("empty", np.ones((2, 2, 0, 4)), ValueError, f"{name} must not be empty"),
        ("rank", np.ones(4), ValueError, rf"{name} must have at least \d axes, got shape \(4,\)"),
        ("length", np.ones((2, 2, 9, 4)), ValueError, f"{name} has length 9 but (query|key)_(positions|segments) has"),
        ("complex", np.ones((2, 2, 3, 4), complex), TypeError, f"{name} must hold real numbers, got dtype complex128"),
    ]
]

FITS = [
    pytest.param(function, {"keys": bad}, ValueError, message, id=f"{function.__name__}-keys-{what}")
    for function in (huang, transformer_xl, xlnet, deberta)
    for what, bad, message in [
        ("heads", np.ones((2, 1, 5, 4)), r"keys must have the leading axes of queries .* got \(2, 1\) and \(2, 2\)"),
        ("width", np.ones((2, 2, 5, 6)), "keys has width 6 but queries has width 4"),
    ]
]

BATCHED = [
    pytest.param(
        function,
        {"query_positions": np.zeros((3, 3)), "key_positions": np.zeros((3, 5))},
        ValueError,
        r"(queries|weights) must have 4 axes, the first of length 3, when positions have shape \[B, L\], got shape \(2",
        id=f"{function.__name__}-other_batch",
    )
    for function in (shaw, values, huang, transformer_xl, xlnet, deberta)
]

LEARNED = [
    pytest.param(function, {name: bad}, error, message, id=f"{function.__name__}-{name}-{what}")
    for function in REAL
    for name, what, bad, error, message in [
        ("position_projection", "odd", np.ones((5, 2, 4)), ValueError, "position_projection.* must be even .* got 5"),
        (
            "position_projection",
            "heads",
            np.ones((6, 3, 4)),
            ValueError,
            r"position_projection must have shape \(6, 2, 4\), got \(6, 3, 4\)",
        ),
        ("position_projection", "rank", np.ones((6, 8)), ValueError, r"position_projection must have 3 axes"),
        ("content_bias", "flat", np.ones(4), ValueError, r"content_bias must have shape \(2, 4\), got \(4,\)"),
        ("content_bias", "nan", np.full((2, 4), NAN), ValueError, "content_bias must be finite, got nan"),
        (
            "position_bias",
            "turned",
            np.ones((4, 2)),
            ValueError,
            r"position_bias must have shape \(2, 4\), got \(4, 2\)",
        ),
        ("base", "one", 1.0, ValueError, "base must be greater than 1, got 1"),
        ("clamp_len", "zero", 0, ValueError, "clamp_len must be greater than 0, got 0"),
        ("clamp_len", "text", "3", TypeError, "clamp_len must be a real number, got '3'"),
    ]
]

TABLES = [
    pytest.param(index, {"max_relative_position": -1}, ValueError, "max_relative_position must be at least 0, got -1"),
    pytest.param(index, {"max_relative_position": 1.5}, TypeError, "max_relative_position must be a whole number"),
    pytest.param(index, {"right_max_position": -2}, ValueError, "right_max_position must be at least 0, got -2"),
    pytest.param(index, {"direction": "forward"}, ValueError, "direction must be one of .*; got 'forward'"),
    pytest.param(index, {"outside": "zero"}, ValueError, "outside must be one of 'clip', 'raise'; got 'zero'"),
    pytest.param(index, {"outside": "raise"}, IndexError, "= 3 is outside the table's window −2…2"),
    pytest.param(vectors, {"table": np.ones((4, 4))}, ValueError, r"table must have an odd number of rows.* got 4"),
    pytest.param(vectors, {"table": np.ones(5)}, ValueError, "table must have 2 axes, got shape"),
    pytest.param(vectors, {"right_max_position": 5}, ValueError, r"right_max_position must be below .*\(5\), got 5"),
    pytest.param(
        vectors, {"outside": "wrap"}, ValueError, "outside must be one of 'clip', 'zero', 'raise'; got 'wrap'"
    ),
    pytest.param(vectors, {"direction": None}, ValueError, "direction must be one of .*; got None"),
    pytest.param(shaw, {"relative_keys": np.ones((4, 4))}, ValueError, "relative_keys must have an odd number of rows"),
    pytest.param(
        shaw, {"relative_keys": np.ones((5, 3))}, ValueError, "relative_keys has width 3 but queries has width 4"
    ),
    pytest.param(shaw, {"relative_keys": np.full((5, 4), np.inf)}, ValueError, "relative_keys must be finite, got inf"),
    pytest.param(shaw, {"right_max_position": 9}, ValueError, r"right_max_position must be below .*\(5\), got 9"),
    pytest.param(shaw, {"direction": "left"}, ValueError, "direction must be one of .*; got 'left'"),
    pytest.param(shaw, {"outside": "raise"}, IndexError, "key position − query position = 3 is outside"),
    pytest.param(values, {"relative_values": np.ones((2, 4))}, ValueError, "relative_values must have an odd number"),
    pytest.param(
        values, {"right_max_position": True}, TypeError, "right_max_position must be a whole number, got True"
    ),
    pytest.param(values, {"direction": 1}, ValueError, "direction must be one of .*; got 1"),
    pytest.param(values, {"outside": ""}, ValueError, "outside must be one of .*; got ''"),
    pytest.param(
        values, {"weights": np.ones((5, 3))}, ValueError, r"weights must have shape .*\[\.\.\., 3, 5\], got \(5, 3\)"
    ),
    pytest.param(values, {"weights": np.full((3, 5), NAN)}, ValueError, "weights must be finite, got nan"),
    pytest.param(huang, {"method": 5}, ValueError, "method must be one of 1, 2, 3, 4; got 5"),
    pytest.param(huang, {"method": 0}, ValueError, "method must be at least 1, got 0"),
    pytest.param(huang, {"method": "4"}, TypeError, "method must be a whole number, got '4'"),
    pytest.param(huang, {"method": 1}, ValueError, "table must have 1 axis, got shape"),
    pytest.param(huang, {"method": 2}, ValueError, "table must have 1 axis, got shape"),
    pytest.param(huang, {"method": 2, "table": np.ones(4)}, ValueError, "table must have an odd number of rows"),
    pytest.param(
        huang, {"method": 3, "table": np.ones((5, 1))}, ValueError, "table has width 1 but queries has width 4"
    ),
    pytest.param(huang, {"table": np.ones((5, 8))}, ValueError, "table has width 8 but queries has width 4"),
    pytest.param(huang, {"direction": "both"}, ValueError, "direction must be one of .*; got 'both'"),
    pytest.param(huang, {"outside": "zero"}, ValueError, "outside must be one of 'clip', 'raise'; got 'zero'"),
    pytest.param(huang, {"outside": "raise"}, IndexError, "= 3 is outside the table's window −2…2"),
    pytest.param(huang, {"method": 1, "table": np.ones(3), "outside": "raise"}, IndexError, "= 3 is outside the table"),
    pytest.param(xlnet, {"attn_type": "causal"}, ValueError, "attn_type must be one of 'bi', 'uni'; got 'causal'"),
    pytest.param(
        segments, {"segment_bias": np.ones(4)}, ValueError, r"segment_bias must have shape \(2, 4\), got \(4,\)"
    ),
    pytest.param(
        segments, {"segment_embeddings": np.ones((3, 2, 4))}, ValueError, "segment_embeddings must have shape"
    ),
    pytest.param(segments, {"query_segments": [0, 1, -1]}, ValueError, "query_segments must be at least 0, got -1"),
    pytest.param(segments, {"key_segments": [0, 1.5]}, ValueError, "key_segments must be whole numbers, got 1.5"),
    pytest.param(segments, {"key_segments": 0}, ValueError, r"key_segments must both be .* got shapes \(3,\) and \(\)"),
    pytest.param(segments, {"key_segments": np.zeros((2, 5))}, ValueError, r"key_segments must both be \[L\] or both"),
]

SHIFTS = [
    pytest.param(relative.rel_shift, {"scores_by_distance": np.ones(3)}, ValueError, "at least 2 axes, got shape"),
    pytest.param(relative.rel_shift, {"scores_by_distance": np.ones((4, 3))}, ValueError, r"got shape \(4, 3\)"),
    pytest.param(relative.rel_shift, {"scores_by_distance": [[NAN]]}, ValueError, "scores_by_distance must be finite"),
    pytest.param(relative.rel_shift_gather, {"scores_by_distance": np.ones((4, 3))}, ValueError, r"got shape \(4, 3\)"),
    pytest.param(
        relative.rel_shift_gather,
        {"scores_by_distance": [[1.0]], "fill": "x"},
        TypeError,
        "fill must be a real number, got 'x'",
    ),
    pytest.param(
        relative.rel_shift_gather,
        {"scores_by_distance": [[1.0]], "fill": 10**400},
        ValueError,
        "fill must be finite in float64",
    ),
    pytest.param(
        relative.xlnet_rel_shift,
        {"scores_by_distance": np.ones((2, 3)), "key_length": 3},
        ValueError,
        "must have at least key_length \\+ 1 = 4 columns, got 3",
    ),
    pytest.param(
        relative.xlnet_rel_shift,
        {"scores_by_distance": np.ones(3), "key_length": 3},
        ValueError,
        "scores_by_distance must have at least 2 axes",
    ),
    pytest.param(
        relative.xlnet_rel_shift,
        {"scores_by_distance": np.ones((4, 9)), "key_length": 3},
        ValueError,
        "query_length must be at most key_length 3, got 4",
    ),
    pytest.param(
        relative.xlnet_relative_positions,
        {"query_length": 0, "key_length": 3},
        ValueError,
        "query_length must be at least 1, got 0",
    ),
    pytest.param(
        relative.xlnet_relative_positions,
        {"query_length": 2, "key_length": 2.5},
        TypeError,
        "key_length must be a whole number, got 2.5",
    ),
    pytest.param(
        relative.xlnet_relative_positions,
        {"query_length": 4, "key_length": 3},
        ValueError,
        "query_length must be at most key_length 3, got 4",
    ),
    pytest.param(
        relative.xlnet_relative_positions,
        {"query_length": 1, "key_length": 3, "attn_type": "left"},
        ValueError,
        "attn_type must be one of 'bi', 'uni'; got 'left'",
    ),
]

BUCKET, SCALE = relative.deberta_log_bucket, relative.deberta_scale
DEBERTA = [
    pytest.param(BUCKET, {"relative_position": [0.5]}, ValueError, "relative_position must be whole numbers, got 0.5"),
    pytest.param(BUCKET, {"relative_position": []}, ValueError, "relative_position must not be empty"),
    pytest.param(
        BUCKET, {"relative_position": [1], "bucket_size": 1}, ValueError, "bucket_size must be at least 2, got 1"
    ),
    pytest.param(
        BUCKET, {"relative_position": [1], "bucket_size": 8.0}, TypeError, "bucket_size must be a whole number"
    ),
    pytest.param(
        BUCKET,
        {"relative_position": [1], "max_position": 129},
        ValueError,
        "max_position must be at least bucket_size // 2 \\+ 2 = 130, got 129",
    ),
    pytest.param(
        BUCKET,
        {"relative_position": [1], "exact_boundaries": 1},
        TypeError,
        "exact_boundaries must be True or False, got 1",
    ),
    pytest.param(deberta_index, {"max_relative_positions": 0}, ValueError, "max_relative_positions must be at least 1"),
    pytest.param(
        deberta_index, {"position_buckets": np.ones(2)}, TypeError, "position_buckets must be a whole number, got array"
    ),
    pytest.param(deberta_index, {"position_buckets": 0}, ValueError, "position_buckets must be at least 2, got 0"),
    pytest.param(deberta_index, {"position_buckets": -2}, ValueError, "position_buckets must be at least 2, got -2"),
    pytest.param(
        deberta_index, {"position_buckets": 1.5}, TypeError, "position_buckets must be a whole number, got 1.5"
    ),
    pytest.param(
        deberta_index,
        {"position_buckets": 256, "max_relative_positions": 100},
        ValueError,
        "max_relative_positions must be at least position_buckets // 2 \\+ 2 = 130, got 100",
    ),
    pytest.param(
        deberta,
        {"position_keys": None, "position_queries": None},
        ValueError,
        "position_keys or position_queries must be given, got None for both",
    ),
    pytest.param(
        deberta, {"position_keys": np.ones((2, 5, 4))}, ValueError, "position_keys must have 2k = 4 rows, got 5"
    ),
    pytest.param(
        deberta,
        {"position_queries": np.ones((2, 4, 3))},
        ValueError,
        "position_queries has width 3 but queries has width 4",
    ),
    pytest.param(
        deberta,
        {"position_queries": np.ones((3, 4, 4))},
        ValueError,
        r"position_queries must have shape \[H, 2k, D\] .* got \(3, 4, 4\)",
    ),
    pytest.param(
        deberta, {"position_keys": np.full((2, 4, 4), NAN)}, ValueError, "position_keys must be finite, got nan"
    ),
    pytest.param(deberta, {"p2c_index": "published"}, ValueError, "p2c_index must be one of .*; got 'published'"),
    pytest.param(deberta, {"max_relative_positions": 3}, ValueError, "position_keys must have 2k = 6 rows, got 4"),
    pytest.param(
        deberta,
        {"position_buckets": 4, "max_relative_positions": 9},
        ValueError,
        "position_keys must have 2k = 8 rows, got 4",
    ),
    pytest.param(SCALE, {"head_dim": 0}, ValueError, "head_dim must be at least 1, got 0"),
    pytest.param(SCALE, {"head_dim": 4, "pos_att_type": 2}, TypeError, "pos_att_type must be a sequence .* got 2"),
    pytest.param(SCALE, {"head_dim": 2**63}, ValueError, "head_dim must be at most 9007199254740991, got 9223"),
    pytest.param(SCALE, {"head_dim": 4, "pos_att_type": "c2p|p2c"}, TypeError, "pos_att_type must be a sequence"),
    pytest.param(
        SCALE,
        {"head_dim": 4, "pos_att_type": ("c2p", "p2p")},
        ValueError,
        "pos_att_type must be one of 'c2p', 'p2c'; got 'p2p'",
    ),
    pytest.param(
        SCALE, {"head_dim": 4, "pos_att_type": ("c2p", "c2p")}, ValueError, "pos_att_type must name each kind once"
    ),
    pytest.param(expansion, {"query_content": np.ones(4)}, ValueError, "query_content must have at least 2 axes"),
    pytest.param(expansion, {"query_position": np.ones((3, 4))}, ValueError, "query_position must have the shape of"),
    pytest.param(expansion, {"key_position": np.ones((2, 2, 5, 6))}, ValueError, "key_position must have the shape of"),
    pytest.param(expansion, {"key_content": np.full((2, 2, 5, 4), NAN)}, ValueError, "key_content must be finite"),
    pytest.param(
        expansion,
        {"key_content": np.ones((5, 4)), "key_position": np.ones((5, 4))},
        ValueError,
        "key_content must have the leading axes of query_content",
    ),
]


@pytest.mark.parametrize(
    ("function", "changes", "error", "message"),
    [*POSITIONS, *TOKENS, *FITS, *BATCHED, *LEARNED, *TABLES, *SHIFTS, *DEBERTA],
)
def test_bad_input_is_refused_with_its_name_and_value(function, changes, error, message) -> None:
    with pytest.raises(error, match=message):
        function(**changes)


@pytest.mark.parametrize("function", [*WHOLE, *REAL, segments, expansion], ids=lambda function: function.__name__)
def test_the_unchanged_arguments_are_accepted(function) -> None:
    function()
