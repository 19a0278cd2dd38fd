"""The search behind the three-word example, against a slower one; and what it rebuilds."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np

from pe_course.claims import worked_example


def columns_of(x):
    return {tuple(x @ w) for w in product((0, 1), repeat=x.shape[1])}


def ways_by_trying_all(columns):
    pairs = [np.outer(q, k) for q in columns for k in columns if any(q) and any(k)]
    pairs = [pair for pair in pairs if (pair <= worked_example.S).all()]
    sums = (a + b + c for a, b, c in combinations_with_replacement(pairs, 3))
    return sum(np.array_equal(total, worked_example.S) for total in sums)


def test_the_search_finds_what_trying_all_finds():
    columns = columns_of(worked_example.X)
    assert worked_example._ways_to_write_scores(columns) == ways_by_trying_all(columns) == 7


def test_the_search_finds_nothing_where_there_is_nothing():
    without = columns_of(np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 1]]))
    assert worked_example._ways_to_write_scores(without) == 0


def test_the_search_covers_every_matrix():
    every = [matrices for matrices, _ in worked_example._zero_one_solutions()]
    able = sum(
        {tuple(column) for column in worked_example.V.T} <= columns_of(np.array(x).reshape(3, 4))
        for x in product((0, 1), repeat=12)
    )
    assert sum(every) == able


def test_the_reconstruction_gives_every_printed_score():
    with_bias = worked_example.S + worked_example.example_bias()
    assert with_bias.tolist() == worked_example.PRINTED_SCORES_WITH_BIAS
