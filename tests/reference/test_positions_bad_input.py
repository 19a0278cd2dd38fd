"""What bad input to ``positions`` gets: the argument, the value and the limit."""

from __future__ import annotations

import pytest

from pe_course.reference import positions

NAN = float("nan")

ROWS = [
    *(
        pytest.param(name, (mask,), {}, error, message)
        for name in ("positions_from_mask", "opt_positions")
        for mask, error, message in [
            ([0, 2], ValueError, "mask must be at most 1, got 2"),
            ([-1, 1], ValueError, "mask must be at least 0, got -1"),
            ([0.5], ValueError, r"mask must be whole numbers, got 0\.5"),
            ([NAN], ValueError, "mask must be finite, got nan"),
            ([], ValueError, "mask must not be empty"),
            (1, ValueError, r"mask must have at least 1 axis \[\.\.\., tokens\], got shape \(\)"),
            (["1"], TypeError, "mask must hold real numbers"),
            ([[1], [1, 1]], ValueError, "mask must be a rectangular array"),
        ]
    ),
    pytest.param("roberta_positions", ([-4], 1), {}, ValueError, "input_ids must be at least 0, got -4"),
    pytest.param("roberta_positions", ([1.5], 1), {}, ValueError, r"input_ids must be whole numbers, got 1\.5"),
    pytest.param("roberta_positions", ([], 1), {}, ValueError, "input_ids must not be empty"),
    pytest.param("roberta_positions", (5, 1), {}, ValueError, r"input_ids must have at least 1 axis .*\(\)"),
    pytest.param("roberta_positions", (["a"], 1), {}, TypeError, "input_ids must hold real numbers"),
    pytest.param("roberta_positions", ([5], -1), {}, ValueError, "padding_idx must be at least 0, got -1"),
    pytest.param("roberta_positions", ([5], None), {}, TypeError, "padding_idx must be a whole number, got None"),
    *(
        pytest.param(name, (lengths,), {}, error, message)
        for name in ("packed_positions", "document_ids")
        for lengths, error, message in [
            ([3, 0], ValueError, "lengths must be at least 1, got 0"),
            ([3, -2], ValueError, "lengths must be at least 1, got -2"),
            ([1.5], ValueError, r"lengths must be whole numbers, got 1\.5"),
            ([], ValueError, "lengths must not be empty"),
            (3, ValueError, r"lengths must have 1 axis, got shape \(\)"),
            ([[3]], ValueError, r"lengths must have 1 axis, got shape \(1, 1\)"),
            ([True], TypeError, "lengths must hold real numbers, got dtype bool"),
        ]
    ),
    pytest.param("same_document_mask", ([0.5],), {}, ValueError, r"document_ids must be whole numbers, got 0\.5"),
    # Two hashes that float64 cannot tell apart would be one document.
    pytest.param(
        "same_document_mask", ([2**53, 2**53 + 1],), {}, ValueError, "document_ids must be at most 9007199254740991"
    ),
    pytest.param("roberta_positions", ([1e19], 1), {}, ValueError, "input_ids must be at most 9007199254740991"),
    pytest.param("roberta_positions", ([5], 2**63), {}, ValueError, "padding_idx must be at most 9007199254740991"),
    pytest.param("decode_positions", (1e30, 1), {}, ValueError, "n_seen must be at most 9007199254740991"),
    pytest.param("same_document_mask", (0,), {}, ValueError, r"document_ids must have at least 1 axis .*\(\)"),
    pytest.param("same_document_mask", ([],), {}, ValueError, "document_ids must not be empty"),
    pytest.param("same_document_mask", (["a"],), {}, TypeError, "document_ids must hold real numbers"),
    pytest.param("decode_positions", (-1, 1), {}, ValueError, "n_seen must be at least 0, got -1"),
    pytest.param("decode_positions", (1.5, 1), {}, ValueError, r"n_seen must be whole numbers, got 1\.5"),
    pytest.param("decode_positions", ("6", 1), {}, TypeError, "n_seen must hold real numbers"),
    pytest.param("decode_positions", (6, 0), {}, ValueError, "n_new must be at least 1, got 0"),
    pytest.param("decode_positions", (6, 1.0), {}, TypeError, r"n_new must be a whole number, got 1\.0"),
    pytest.param("shard_positions", (0, 2, 0), {}, ValueError, "seq_len must be at least 1, got 0"),
    pytest.param("shard_positions", (8.0, 2, 0), {}, TypeError, r"seq_len must be a whole number, got 8\.0"),
    pytest.param("shard_positions", (7, 2, 0), {}, ValueError, "seq_len must be a multiple of 2, .* got 7"),
    pytest.param(
        "shard_positions", (6, 2, 0), {"scheme": "zigzag"}, ValueError, "seq_len must be a multiple of 4, .* got 6"
    ),
    pytest.param("shard_positions", (8, 0, 0), {}, ValueError, "world must be at least 1, got 0"),
    pytest.param("shard_positions", (8, 2.0, 0), {}, TypeError, r"world must be a whole number, got 2\.0"),
    pytest.param("shard_positions", (8, 2, 2), {}, ValueError, "rank must be at most 1, got 2"),
    pytest.param("shard_positions", (8, 2, -1), {}, ValueError, "rank must be at least 0, got -1"),
    pytest.param("shard_positions", (8, 2, "0"), {}, TypeError, "rank must be a whole number, got '0'"),
    pytest.param(
        "shard_positions", (8, 2, 0), {"scheme": "striped"}, ValueError, "scheme must be .* 'zigzag'; got 'striped'"
    ),
]


@pytest.mark.parametrize(("name", "arguments", "options", "error", "message"), ROWS)
def test_arguments(name, arguments, options, error, message):
    with pytest.raises(error, match=message):
        getattr(positions, name)(*arguments, **options)
