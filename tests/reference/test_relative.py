"""Relative vectors in the score: each method against its equation written as loops, and the laws they obey."""

from fractions import Fraction
from math import ceil, cos, log, sin, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pe_course.reference import relative

LAWS = settings(deadline=None, derandomize=True, max_examples=30)
HEADS, WIDTH, MODEL = 2, 4, 6


def _rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def _tokens(length: int, seed: int, batch: int = 2) -> np.ndarray:
    return _rng(seed).standard_normal((batch, HEADS, length, WIDTH))


def _table(rows: int, seed: int = 7) -> np.ndarray:
    return _rng(seed).standard_normal((rows, WIDTH))


def _pairwise(q: np.ndarray, k: np.ndarray, term) -> np.ndarray:
    """[B, H, Lq, Lk] of term(head, q_i, k_j, i, j), one number at a time."""
    out = np.empty((*q.shape[:-1], k.shape[-2]))
    for b, h, i, j in np.ndindex(*out.shape):
        out[b, h, i, j] = term(h, q[b, h, i], k[b, h, j], i, j)
    return out


def _clip(x: int, low: int, high: int) -> int:
    return min(max(x, low), high)


# --- The expansion -----------------------------------------------------------------------------------------


def test_four_terms_add_up_to_the_score_of_the_sums() -> None:
    x, p, y, r = (_tokens(length, seed) for length, seed in ((3, 1), (3, 2), (5, 3), (5, 4)))
    terms = relative.expanded_score_terms(x, p, y, r)
    np.testing.assert_allclose(sum(terms), (x + p) @ np.swapaxes(y + r, -1, -2), atol=1e-12)
    np.testing.assert_allclose(terms.content_content, np.einsum("bhid,bhjd->bhij", x, y), atol=1e-12)
    np.testing.assert_allclose(terms.content_position, np.einsum("bhid,bhjd->bhij", x, r), atol=1e-12)
    np.testing.assert_allclose(terms.position_content, np.einsum("bhid,bhjd->bhij", p, y), atol=1e-12)
    np.testing.assert_allclose(terms.position_position, np.einsum("bhid,bhjd->bhij", p, r), atol=1e-12)


# --- Shaw et al. 2018 --------------------------------------------------------------------------------------


def test_shaw_rows_count_key_minus_query() -> None:
    index = relative.relative_position_index(np.arange(5), np.arange(5), 2)
    expected = [[2, 3, 4, 4, 4], [1, 2, 3, 4, 4], [0, 1, 2, 3, 4], [0, 0, 1, 2, 3], [0, 0, 0, 1, 2]]
    np.testing.assert_array_equal(index, expected)
    np.testing.assert_array_equal(relative.relative_position_index([4], np.arange(5), 2), [[0, 0, 0, 1, 2]])


def test_bert_rows_count_query_minus_key() -> None:
    rows = relative.relative_position_index(
        np.arange(6), np.arange(6), 8 - 1, direction="query_minus_key", outside="raise"
    )
    i, j = np.indices((6, 6))
    np.testing.assert_array_equal(rows, i - j + 8 - 1)


def test_asymmetric_window_has_left_plus_right_plus_one_rows() -> None:
    index = relative.relative_position_index(np.arange(9), np.arange(9), 3, right_max_position=1)
    np.testing.assert_array_equal(index[4], [0, 0, 1, 2, 3, 4, 4, 4, 4])
    turned = relative.relative_position_index(
        np.arange(9), np.arange(9), 3, right_max_position=1, direction="query_minus_key"
    )
    np.testing.assert_array_equal(turned, 4 - index)


def test_shaw_scores_are_query_times_relative_key() -> None:
    q, k, table = _tokens(3, 1), _tokens(6, 2), _table(5)
    scores = relative.shaw_scores(q, table, [3, 4, 5], np.arange(6))
    expected = _pairwise(q, k, lambda h, qi, kj, i, j: qi @ table[_clip(j - (i + 3), -2, 2) + 2])
    np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_shaw_scores_of_a_scaled_query_are_scaled() -> None:
    q, table = _tokens(4, 1), _table(5)
    scaled = relative.shaw_scores(q / 2, table, np.arange(4), np.arange(4))
    np.testing.assert_allclose(scaled, relative.shaw_scores(q, table, np.arange(4), np.arange(4)) / 2, atol=1e-12)


def test_shaw_values_weigh_relative_values() -> None:
    weights = _rng(3).dirichlet(np.ones(5), (2, HEADS, 4))
    table = _table(7)
    out = relative.shaw_values(weights, table, [1, 2, 3, 4], np.arange(5))
    expected = np.zeros((2, HEADS, 4, WIDTH))
    for b, h, i, j in np.ndindex(2, HEADS, 4, 5):
        expected[b, h, i] += weights[b, h, i, j] * table[_clip(j - (i + 1), -3, 3) + 3]
    np.testing.assert_allclose(out, expected, atol=1e-12)


def test_beyond_the_clip_the_vector_stays_the_same() -> None:
    vectors = relative.relative_vectors(_table(5), [10], np.arange(21))
    np.testing.assert_array_equal(vectors[0, :9], np.broadcast_to(_table(5)[0], (9, WIDTH)))
    np.testing.assert_array_equal(vectors[0, 12:], np.broadcast_to(_table(5)[4], (9, WIDTH)))
    assert len(np.unique(vectors[0, 8:13], axis=0)) == 5


def test_zero_outside_the_window_removes_the_term() -> None:
    q = _tokens(1, 1)
    scores = relative.shaw_scores(q, _table(5), [10], np.arange(21), outside="zero")
    clipped = relative.shaw_scores(q, _table(5), [10], np.arange(21))
    assert (scores[..., :8] == 0).all() and (scores[..., 13:] == 0).all()
    np.testing.assert_array_equal(scores[..., 8:13], clipped[..., 8:13])
    values = relative.shaw_values(np.full((1, 21), 1 / 21), _table(5), [10], np.arange(21), outside="zero")
    np.testing.assert_allclose(values[0], _table(5).sum(axis=0) / 21, atol=1e-12)


def test_reversed_table_and_reversed_direction_cancel() -> None:
    q = _tokens(5, 1)
    one = relative.shaw_scores(q, _table(6), np.arange(5), np.arange(5), right_max_position=1)
    other = relative.shaw_scores(
        q, _table(6)[::-1], np.arange(5), np.arange(5), right_max_position=1, direction="query_minus_key"
    )
    np.testing.assert_array_equal(one, other)


# --- Huang et al. 2020 -------------------------------------------------------------------------------------


def _huang(q: np.ndarray, k: np.ndarray, table: np.ndarray, method: int, **options) -> np.ndarray:
    return relative.huang_scores(q, k, table, np.arange(2, 5), np.arange(5), method=method, **options)


def test_huang_method_1_multiplies_by_a_scalar_of_the_distance() -> None:
    q, k, a = _tokens(3, 1), _tokens(5, 2), _rng(3).standard_normal(3)
    expected = _pairwise(q, k, lambda h, qi, kj, i, j: (qi @ kj) * a[min(abs(i + 2 - j), 2)])
    np.testing.assert_allclose(q @ np.swapaxes(k, -1, -2) + _huang(q, k, a, 1), expected, atol=1e-12)


def test_huang_method_2_multiplies_by_a_scalar_of_the_signed_distance() -> None:
    q, k, a = _tokens(3, 1), _tokens(5, 2), _rng(3).standard_normal(5)
    expected = _pairwise(q, k, lambda h, qi, kj, i, j: (qi @ kj) * a[_clip(i + 2 - j, -2, 2) + 2])
    np.testing.assert_allclose(q @ np.swapaxes(k, -1, -2) + _huang(q, k, a, 2), expected, atol=1e-12)


def test_huang_method_3_multiplies_every_channel() -> None:
    q, k, a = _tokens(3, 1), _tokens(5, 2), _table(5)
    expected = _pairwise(q, k, lambda h, qi, kj, i, j: (qi * kj * a[_clip(i + 2 - j, -2, 2) + 2]).sum())
    np.testing.assert_allclose(q @ np.swapaxes(k, -1, -2) + _huang(q, k, a, 3), expected, atol=1e-12)


def test_huang_method_4_is_a_product_of_sums_less_the_square() -> None:
    q, k, table = _tokens(3, 1), _tokens(5, 2), _table(5)

    def product_of_sums(h, qi, kj, i, j):
        a = table[_clip(i + 2 - j, -2, 2) + 2]
        return (qi + a) @ (kj + a) - a @ a

    expected = _pairwise(q, k, product_of_sums)
    np.testing.assert_allclose(q @ np.swapaxes(k, -1, -2) + _huang(q, k, table, 4), expected, atol=1e-12)


def test_huang_methods_contain_each_other() -> None:
    q, k, by_distance = _tokens(3, 1), _tokens(5, 2), np.array([0.5, 1.5, 2.0])
    signed = np.concatenate([by_distance[:0:-1], by_distance])
    one = _huang(q, k, by_distance, 1)
    np.testing.assert_allclose(_huang(q, k, signed, 2), one, atol=1e-12)
    np.testing.assert_allclose(_huang(q, k, np.repeat(signed[:, None], WIDTH, axis=1), 3), one, atol=1e-12)


@pytest.mark.parametrize(("method", "table"), [(1, np.ones(3)), (2, np.ones(5)), (3, np.ones((5, WIDTH)))])
def test_huang_ones_leave_the_score(method: int, table: np.ndarray) -> None:
    assert (_huang(_tokens(3, 1), _tokens(5, 2), table, method) == 0).all()


@pytest.mark.parametrize("method", [2, 3, 4])
def test_huang_direction_turns_the_table_round(method: int) -> None:
    q, k, table = _tokens(3, 1), _tokens(5, 2), _table(5)
    table = table[:, 0] if method == 2 else table
    np.testing.assert_array_equal(
        _huang(q, k, table, method), _huang(q, k, table[::-1], method, direction="key_minus_query")
    )
    assert np.abs(_huang(q, k, table, method) - _huang(q, k, table, method, direction="key_minus_query")).max() > 0.1


# --- Transformer-XL ----------------------------------------------------------------------------------------


def _learned(seed: int = 11) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = _rng(seed)
    return (
        rng.standard_normal((MODEL, HEADS, WIDTH)),
        rng.standard_normal((HEADS, WIDTH)),
        rng.standard_normal((HEADS, WIDTH)),
    )


def _sinusoid(distance: float) -> np.ndarray:
    """Sines, then cosines, written out for MODEL = 6."""
    speeds = [10000 ** (-2 * m / MODEL) for m in range(MODEL // 2)]
    return np.array([sin(distance * s) for s in speeds] + [cos(distance * s) for s in speeds])


def test_transformer_xl_adds_three_terms() -> None:
    q, k, (projection, u, v) = _tokens(3, 1), _tokens(5, 2), _learned()

    def terms(h, qi, kj, i, j):
        r = _sinusoid(i + 2 - j) @ projection[:, h]
        return qi @ r + u[h] @ kj + v[h] @ r

    scores = relative.transformer_xl_scores(q, k, projection, u, v, [2, 3, 4], np.arange(5))
    np.testing.assert_allclose(scores, _pairwise(q, k, terms), atol=1e-12)


def test_transformer_xl_memory_is_the_last_rows_of_the_whole() -> None:
    q, k, learned = _tokens(6, 1), _tokens(6, 2), _learned()
    whole = relative.transformer_xl_scores(q, k, *learned, np.arange(6), np.arange(6))
    with_memory = relative.transformer_xl_scores(q[..., 4:, :], k, *learned, [4, 5], np.arange(6))
    np.testing.assert_allclose(with_memory, whole[..., 4:, :], atol=1e-12)


def test_transformer_xl_by_shift_equals_by_pair_on_and_below_the_diagonal() -> None:
    length, memory = 3, 2
    keys = length + memory
    q, k, (projection, u, v) = _tokens(length, 1), _tokens(keys, 2), _learned()
    table = np.stack([_sinusoid(distance) for distance in range(keys - 1, -1, -1)])
    by_distance = np.einsum("bhid,rm,mhd->bhir", q + v[:, None], table, projection)
    shifted = relative.rel_shift(by_distance) + np.einsum("hd,bhjd->bhj", u, k)[:, :, None]
    by_pair = relative.transformer_xl_scores(q, k, projection, u, v, np.arange(memory, keys), np.arange(keys))
    valid = np.tri(length, keys, memory, dtype=bool)
    np.testing.assert_allclose(by_pair[..., valid], shifted[..., valid], atol=1e-12)
    assert np.abs(by_pair - shifted)[..., ~valid].max() > 0.1


def test_transformer_xl_clamp_stops_the_distance() -> None:
    q, k, learned = _tokens(1, 1), np.ones((2, HEADS, 9, WIDTH)), _learned()
    clamped = relative.transformer_xl_scores(q, k, *learned, [8], np.arange(9), clamp_len=3)
    free = relative.transformer_xl_scores(q, k, *learned, [8], np.arange(9))
    np.testing.assert_array_equal(clamped[..., 5:], free[..., 5:])
    np.testing.assert_allclose(clamped[..., :5], np.broadcast_to(free[..., 5:6], (2, HEADS, 1, 5)), atol=1e-12)


def test_rel_shift_moves_distances_to_keys() -> None:
    q, k = 3, 5
    x = np.arange(q)[:, None] * 100.0 + (k - 1 - np.arange(k))  # hundreds: row, units: distance
    shifted = relative.rel_shift(x)
    for i in range(q):
        for j in range(k - q + i + 1):
            assert shifted[i, j] == 100 * i + (k - q + i - j)
    assert shifted[0, 3] == 0 and shifted[0, 4] == 100 + 4, "above the diagonal: the zero, then the next row"


def test_rel_shift_gather_fills_above_the_diagonal() -> None:
    x = np.arange(3)[:, None] * 100.0 + (4 - np.arange(5))
    gathered = relative.rel_shift_gather(x, fill=-np.inf)
    inf = np.inf
    np.testing.assert_array_equal(
        gathered, [[2, 1, 0, -inf, -inf], [103, 102, 101, 100, -inf], [204, 203, 202, 201, 200]]
    )
    assert relative.rel_shift_gather(x)[0, 4] == 0


@LAWS
@given(q=st.integers(1, 6), memory=st.integers(0, 5), seed=st.integers(0, 99))
def test_shift_equals_gather_on_and_below_the_diagonal(q: int, memory: int, seed: int) -> None:
    x = _rng(seed).standard_normal((2, q, q + memory))
    valid = np.tri(q, q + memory, memory, dtype=bool)
    np.testing.assert_array_equal(relative.rel_shift(x)[:, valid], relative.rel_shift_gather(x)[:, valid])


# --- XLNet -------------------------------------------------------------------------------------------------


def test_xlnet_rows_run_through_negative_distances() -> None:
    np.testing.assert_array_equal(relative.xlnet_relative_positions(2, 3), [3, 2, 1, 0, -1])
    np.testing.assert_array_equal(relative.xlnet_relative_positions(2, 3, attn_type="uni"), [3, 2, 1, 0])


def test_xlnet_shift_moves_distances_to_keys() -> None:
    q, k = 3, 5
    distances = relative.xlnet_relative_positions(q, k)
    shifted = relative.xlnet_rel_shift(np.arange(q)[:, None] * 100 + distances, k)
    i, j = np.indices((q, k))
    np.testing.assert_array_equal(shifted, 100 * i + (k - q + i - j))


def test_xlnet_uni_shift_wraps_above_the_diagonal() -> None:
    q, k = 3, 5
    distances = relative.xlnet_relative_positions(q, k, attn_type="uni")
    shifted = relative.xlnet_rel_shift(np.arange(q)[:, None] * 100 + distances, k)
    i, j = np.indices((q, k))
    valid = j <= k - q + i
    np.testing.assert_array_equal(shifted[valid], (100 * i + (k - q + i - j))[valid])
    assert shifted[0, 3] == 100 + k, "the first number of the next row"


def test_xlnet_adds_both_directions() -> None:
    q, k, (projection, u, v) = _tokens(3, 1), _tokens(5, 2), _learned()

    def terms(h, qi, kj, i, j):
        return u[h] @ kj + (qi + v[h]) @ (_sinusoid(i + 2 - j) @ projection[:, h])

    scores = relative.xlnet_scores(q, k, projection, u, v, [2, 3, 4], np.arange(5))
    np.testing.assert_allclose(scores, _pairwise(q, k, terms), atol=1e-12)


def test_xlnet_by_shift_equals_by_pair_everywhere() -> None:
    q, k, (projection, u, v) = _tokens(3, 1), _tokens(5, 2), _learned()
    table = np.stack([_sinusoid(distance) for distance in relative.xlnet_relative_positions(3, 5)])
    by_distance = np.einsum("bhid,rm,mhd->bhir", q + v[:, None], table, projection)
    shifted = relative.xlnet_rel_shift(by_distance, 5) + np.einsum("hd,bhjd->bhj", u, k)[:, :, None]
    by_pair = relative.xlnet_scores(q, k, projection, u, v, [2, 3, 4], np.arange(5))
    np.testing.assert_allclose(by_pair, shifted, atol=1e-12)


def test_xlnet_uni_has_no_position_term_for_later_keys() -> None:
    q, k, (projection, u, v) = _tokens(4, 1), _tokens(4, 2), _learned()
    bi = relative.xlnet_scores(q, k, projection, u, v, np.arange(4), np.arange(4))
    uni = relative.xlnet_scores(q, k, projection, u, v, np.arange(4), np.arange(4), attn_type="uni")
    past = np.tri(4, dtype=bool)
    content = np.broadcast_to(np.einsum("hd,bhjd->bhj", u, k)[:, :, None], bi.shape)
    np.testing.assert_array_equal(uni[..., past], bi[..., past])
    np.testing.assert_array_equal(uni[..., ~past], content[..., ~past])


def test_xlnet_clamps_both_signs() -> None:
    q, k, learned = _tokens(1, 1), np.ones((2, HEADS, 9, WIDTH)), _learned()
    clamped = relative.xlnet_scores(q, k, *learned, [4], np.arange(9), clamp_len=2)
    free = relative.xlnet_scores(q, k, *learned, [4], np.arange(9))
    np.testing.assert_array_equal(clamped[..., 2:7], free[..., 2:7])
    np.testing.assert_allclose(clamped[..., :2], np.repeat(free[..., 2:3], 2, axis=-1), atol=1e-12)
    np.testing.assert_allclose(clamped[..., 7:], np.repeat(free[..., 6:7], 2, axis=-1), atol=1e-12)


def test_xlnet_segment_term_asks_whether_segments_differ() -> None:
    q, rng = _tokens(3, 1), _rng(5)
    s, g = rng.standard_normal((HEADS, WIDTH)), rng.standard_normal((2, HEADS, WIDTH))
    query, key = [0, 1, 1], [0, 0, 1, 2]
    scores = relative.xlnet_segment_scores(q, s, g, query, key)
    expected = _pairwise(q, _tokens(4, 2), lambda h, qi, kj, i, j: (qi + s[h]) @ g[int(query[i] != key[j]), h])
    np.testing.assert_allclose(scores, expected, atol=1e-12)
    renamed = relative.xlnet_segment_scores(q, s, g, [5, 3, 3], [5, 5, 3, 9])
    np.testing.assert_array_equal(scores, renamed)


# --- DeBERTa -----------------------------------------------------------------------------------------------


def _exact_bucket(distance: int, bucket_size: int, max_position: int) -> int:
    """The log bucket decided with whole numbers where the logarithm is within reach of one."""
    middle, magnitude = bucket_size // 2, abs(distance)
    if magnitude <= middle:
        return distance
    steps = log(magnitude / middle) / log((max_position - 1) / middle) * (middle - 1)
    bucket = ceil(steps)
    if abs(steps - round(steps)) < 1e-6:
        grown = Fraction(magnitude, middle) ** (middle - 1)
        bucket = round(steps) + (grown > Fraction(max_position - 1, middle) ** round(steps))
    return (middle + bucket) * (1 if distance > 0 else -1)


@pytest.mark.parametrize(("bucket_size", "max_position"), [(256, 512), (32, 128), (32, 129), (6, 16), (7, 30), (2, 9)])
def test_log_bucket_is_exact(bucket_size: int, max_position: int) -> None:
    distances = np.arange(-150, 151)
    buckets = relative.deberta_log_bucket(distances, bucket_size=bucket_size, max_position=max_position)
    expected = [_exact_bucket(int(d), bucket_size, max_position) for d in distances]
    np.testing.assert_array_equal(buckets, expected)


def test_log_bucket_is_identity_then_rounds_up() -> None:
    buckets = relative.deberta_log_bucket([-512, -129, -128, -5, 0, 5, 128, 129, 130, 511])
    np.testing.assert_array_equal(buckets, [-256, -129, -128, -5, 0, 5, 128, 129, 130, 255])
    small = relative.deberta_log_bucket([4, 5, 6, 7, 10, 15], bucket_size=8, max_position=16)
    np.testing.assert_array_equal(small, [4, 5, 5, 6, 7, 7])


def test_log_bucket_of_float64_is_one_too_high_at_a_whole_step() -> None:
    exact = relative.deberta_log_bucket([31, 32, 33], bucket_size=32, max_position=129)
    as_float64 = relative.deberta_log_bucket([31, 32, 33], bucket_size=32, max_position=129, exact_boundaries=False)
    np.testing.assert_array_equal(exact, [21, 21, 22])
    np.testing.assert_array_equal(as_float64, [21, 22, 22])
    published = np.arange(-1000, 1001)
    np.testing.assert_array_equal(
        relative.deberta_log_bucket(published), relative.deberta_log_bucket(published, exact_boundaries=False)
    )


@LAWS
@given(half=st.integers(1, 40), beyond=st.integers(2, 400))
def test_log_bucket_is_odd_and_never_decreases(half: int, beyond: int) -> None:
    distances = np.arange(-500, 501)
    buckets = relative.deberta_log_bucket(distances, bucket_size=2 * half, max_position=half + beyond)
    np.testing.assert_array_equal(buckets, -buckets[::-1])
    assert (np.diff(buckets) >= 0).all()
    assert buckets[500 + half + beyond - 1 if half + beyond <= 500 else 500 + half] <= 2 * half - 1 + (half == 1)


def test_deberta_rows_count_query_minus_key_and_are_not_symmetric() -> None:
    index = relative.deberta_relative_index(np.arange(6), np.arange(6), max_relative_positions=2)
    np.testing.assert_array_equal(index[3], [3, 3, 3, 2, 1, 0])
    np.testing.assert_array_equal(index[0], [2, 1, 0, 0, 0, 0])


def test_deberta_buckets_make_the_rows_of_v2() -> None:
    index = relative.deberta_relative_index([600], np.arange(1201), position_buckets=256, max_relative_positions=512)
    bucket = [_exact_bucket(600 - j, 256, 512) for j in range(1201)]
    np.testing.assert_array_equal(index[0], np.clip(np.array(bucket) + 256, 0, 511))


def _deberta_tables(span: int) -> tuple[np.ndarray, np.ndarray]:
    rng = _rng(13)
    return rng.standard_normal((HEADS, 2 * span, WIDTH)), rng.standard_normal((HEADS, 2 * span, WIDTH))


@pytest.mark.parametrize("p2c_index", ["code", "paper"])
def test_deberta_adds_content_to_position_and_position_to_content(p2c_index: str) -> None:
    q, k, (position_keys, position_queries) = _tokens(3, 1), _tokens(6, 2), _deberta_tables(2)

    def terms(h, qi, kj, i, j):
        forth, back = _clip(i + 3 - j + 2, 0, 3), _clip(j - i - 3 + 2, 0, 3)
        return qi @ position_keys[h, forth] + kj @ position_queries[h, forth if p2c_index == "code" else back]

    scores = relative.deberta_scores(
        q,
        k,
        [3, 4, 5],
        np.arange(6),
        position_keys=position_keys,
        position_queries=position_queries,
        max_relative_positions=2,
        p2c_index=p2c_index,
    )
    np.testing.assert_allclose(scores, _pairwise(q, k, terms), atol=1e-12)


def test_deberta_follows_the_code_unless_told() -> None:
    q, k, (_, table) = _tokens(4, 1), _tokens(4, 2), _deberta_tables(3)
    arguments = {"position_queries": table, "max_relative_positions": 3}
    positions = (np.arange(4), np.arange(4))
    default = relative.deberta_scores(q, k, *positions, **arguments)
    np.testing.assert_array_equal(default, relative.deberta_scores(q, k, *positions, **arguments, p2c_index="code"))
    paper = relative.deberta_scores(q, k, *positions, **arguments, p2c_index="paper")
    assert np.abs(default - paper).max() > 0.1
    np.testing.assert_allclose(np.diagonal(default, axis1=-2, axis2=-1), np.diagonal(paper, axis1=-2, axis2=-1))


def test_deberta_terms_add() -> None:
    q, k, (position_keys, position_queries) = _tokens(5, 1), _tokens(5, 2), _deberta_tables(4)
    positions = (np.arange(5), np.arange(5))
    options = {"position_buckets": 4, "max_relative_positions": 16}
    c2p = relative.deberta_scores(q, k, *positions, position_keys=position_keys, **options)
    p2c = relative.deberta_scores(q, k, *positions, position_queries=position_queries, **options)
    both = relative.deberta_scores(
        q, k, *positions, position_keys=position_keys, position_queries=position_queries, **options
    )
    np.testing.assert_allclose(both, c2p + p2c, atol=1e-12)


def test_deberta_scale_counts_the_terms() -> None:
    assert relative.deberta_scale(64) == pytest.approx(1 / sqrt(3 * 64), rel=1e-15)
    assert relative.deberta_scale(64, ("p2c",)) == pytest.approx(1 / sqrt(2 * 64), rel=1e-15)
    assert relative.deberta_scale(64, ()) == pytest.approx(1 / 8, rel=1e-15)


# --- Laws of all methods -----------------------------------------------------------------------------------

QUERIES, KEYS = _tokens(3, 21), _tokens(5, 22)


def _segments_free(name: str):
    """The method with its parameters set: a function of the two positions alone."""
    learned, (position_keys, position_queries) = _learned(), _deberta_tables(2)
    return {
        "shaw": lambda i, j: relative.shaw_scores(QUERIES, _table(5), i, j),
        "shaw_window": lambda i, j: relative.shaw_scores(QUERIES, _table(5), i, j, outside="zero"),
        "shaw_values": lambda i, j: relative.shaw_values(QUERIES @ np.swapaxes(KEYS, -1, -2), _table(5), i, j),
        "huang_1": lambda i, j: relative.huang_scores(QUERIES, KEYS, _table(3)[:, 0], i, j, method=1),
        "huang_2": lambda i, j: relative.huang_scores(QUERIES, KEYS, _table(5)[:, 0], i, j, method=2),
        "huang_3": lambda i, j: relative.huang_scores(QUERIES, KEYS, _table(5), i, j, method=3),
        "huang_4": lambda i, j: relative.huang_scores(QUERIES, KEYS, _table(5), i, j, method=4),
        "transformer_xl": lambda i, j: relative.transformer_xl_scores(QUERIES, KEYS, *learned, i, j),
        "xlnet": lambda i, j: relative.xlnet_scores(QUERIES, KEYS, *learned, i, j, clamp_len=2),
        "xlnet_uni": lambda i, j: relative.xlnet_scores(QUERIES, KEYS, *learned, i, j, attn_type="uni"),
        "deberta": lambda i, j: relative.deberta_scores(
            QUERIES,
            KEYS,
            i,
            j,
            position_keys=position_keys,
            position_queries=position_queries,
            max_relative_positions=9,
            position_buckets=2,
        ),
    }[name]


METHODS = (
    "shaw", "shaw_window", "shaw_values", "huang_1", "huang_2", "huang_3", "huang_4",
    "transformer_xl", "xlnet", "xlnet_uni", "deberta",
)  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_a_common_shift_changes_nothing(method: str) -> None:
    scores = _segments_free(method)
    i, j = np.array([2, 3, 4]), np.arange(5)
    np.testing.assert_allclose(scores(i + 1000, j + 1000), scores(i, j), atol=1e-12)
    assert np.abs(scores(i + 1, j) - scores(i, j)).max() > 1e-3, "a shift of one side must be seen"


@pytest.mark.parametrize("method", METHODS)
def test_positions_of_each_batch_row_are_its_own(method: str) -> None:
    scores = _segments_free(method)
    i, j = np.array([[2, 3, 4], [7, 0, 9]]), np.array([[0, 1, 2, 3, 4], [9, 8, 3, 0, 0]])
    together = scores(i, j)
    for row in range(2):
        np.testing.assert_allclose(together[row], scores(i[row], j[row])[row], atol=1e-12)


def test_segments_of_each_batch_row_are_their_own() -> None:
    s, g = _rng(5).standard_normal((HEADS, WIDTH)), _rng(6).standard_normal((2, HEADS, WIDTH))
    query, key = np.array([[0, 0, 1], [1, 0, 1]]), np.array([[0, 0, 0, 1, 1], [2, 1, 0, 0, 1]])
    together = relative.xlnet_segment_scores(QUERIES, s, g, query, key)
    for row in range(2):
        alone = relative.xlnet_segment_scores(QUERIES, s, g, query[row], key[row])
        np.testing.assert_array_equal(together[row], alone[row])


@pytest.mark.parametrize("method", METHODS)
def test_a_decoding_step_is_a_row_of_the_whole(method: str) -> None:
    scores = _segments_free(method)
    order = np.array([4, 2, 3])
    whole = scores(order, np.arange(5))
    again = scores(np.array([4, 0, 0]), np.arange(5))
    np.testing.assert_allclose(again[..., 0, :], whole[..., 0, :], atol=1e-12)


@pytest.mark.parametrize("method", ["transformer_xl", "xlnet"])
def test_functions_of_a_distance_take_any_real_position(method: str) -> None:
    scores = _segments_free(method)
    i, j = np.array([2.5, 3.0, -4.25]), np.array([0.5, 1, -2, 3, 4])
    np.testing.assert_allclose(scores(i + 0.125, j + 0.125), scores(i, j), atol=1e-12)


@LAWS
@given(
    left=st.integers(0, 4),
    right=st.integers(0, 4),
    query=st.lists(st.integers(0, 12), min_size=1, max_size=4),
    key=st.lists(st.integers(0, 12), min_size=1, max_size=4),
)
def test_index_stays_in_the_table(left: int, right: int, query: list[int], key: list[int]) -> None:
    index = relative.relative_position_index(query, key, left, right_max_position=right)
    assert index.min() >= 0 and index.max() <= left + right
    for a, i in enumerate(query):
        for b, j in enumerate(key):
            assert index[a, b] == _clip(j - i, -left, right) + left
