"""The pictures of relative positions show distances, four terms, buckets, heads and bytes (claims L-037 … L-150)."""

import numpy as np

from pe_course.plots import relative
from pe_course.reference import bias

WORDS = ["a", "b", "c"]


def test_distance_grid_counts_query_minus_key():
    figure = relative.distance_grid(WORDS)
    np.testing.assert_array_equal(figure.data["distance"], [[0, -1, -2], [1, 0, -1], [2, 1, 0]])


def test_four_terms_says_how_far_each_term_moves():
    before = {name: np.full((3, 3), number) for number, name in enumerate(("one", "two", "three", "four"))}
    after = {name: values + 0.5 * number for number, (name, values) in enumerate(before.items())}
    figure = relative.four_terms(before, after, WORDS)
    np.testing.assert_array_equal(figure.data["change"], [0, 0.5, 1, 1.5])
    assert "one by 0.00; two by 0.50" in figure.alt


def test_bucket_stairs_are_the_buckets_of_the_package():
    figure = relative.bucket_stairs(140)
    distance = figure.data["distance"]
    np.testing.assert_array_equal(figure.data["encoder"], bias.t5_relative_position_bucket(-distance))
    np.testing.assert_array_equal(
        figure.data["decoder"], bias.t5_relative_position_bucket(-distance, bidirectional=False)
    )
    assert figure.data["clipped"].max() == 16
    assert "the last from 91 on" in figure.alt and "the last from 113 on" in figure.alt


def test_head_tables_are_constant_along_diagonals_and_differ_between_heads():
    table = np.random.default_rng(0).standard_normal((32, 4))
    shown = relative.head_tables(table, 20, [0, 3]).data["bias"]
    np.testing.assert_array_equal(shown[:, 1:, 1:], shown[:, :-1, :-1])
    np.testing.assert_array_equal(shown[1], bias.t5_bias(table, np.arange(20), np.arange(20))[3])
    assert not np.allclose(shown[0], shown[1])


def test_memory_counts_bytes():
    figure = relative.memory([1024, 32768], heads=12)
    np.testing.assert_array_equal(figure.data["bias"], [50_331_648, 48 * 2**30])
    np.testing.assert_array_equal(figure.data["unclipped"], [12 * 2047 * 4, 3_145_680])
    np.testing.assert_array_equal(figure.data["buckets"], [1536, 1536])
    assert "the bias takes 48 GiB" in figure.alt
