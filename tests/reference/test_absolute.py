"""Vectors added at the input: the sinusoids' laws, their printed values, the tables and the counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pe_course.reference import absolute

VARIANTS = [(layout, endpoint) for layout in ("interleaved", "concat") for endpoint in (False, True)]
REAL_POSITIONS = st.floats(min_value=-1e4, max_value=1e4, allow_nan=False)
EVEN_DIMS = st.integers(1, 16).map(lambda half: 2 * half)
BASES = st.floats(min_value=1.5, max_value=1e6)
QUICK = settings(deadline=None, derandomize=True, max_examples=40)


def _by_formula(position: float, dim: int, base: float = 10000.0) -> list[float]:
    """Vaswani et al. 2017, section 3.5, one scalar after another."""
    angles = [position / base ** (2 * m / dim) for m in range(dim // 2)]
    return [value for angle in angles for value in (math.sin(angle), math.cos(angle))]


# -------------------------------------------------------------------------------------------- frequencies


def test_frequencies_of_eight_channels_are_powers_of_ten():
    np.testing.assert_allclose(absolute.sinusoidal_frequencies(8), [1, 0.1, 0.01, 0.001], rtol=1e-14)


def test_frequencies_fall_from_the_first_pair_to_the_last():
    frequencies = absolute.sinusoidal_frequencies(512)
    assert frequencies[0] == 1
    assert (np.diff(frequencies) < 0).all()
    wavelengths = 2 * np.pi / frequencies
    np.testing.assert_allclose(wavelengths[[0, 31, 224, 255]], [6.2832, 19.167, 19869.18, 60611.48], rtol=1e-4)


def test_endpoint_spacing_ends_at_one_over_base():
    frequencies = absolute.sinusoidal_frequencies(8, endpoint=True)
    np.testing.assert_allclose(frequencies, 10.0 ** (-4 * np.arange(4) / 3), rtol=1e-14)
    assert absolute.sinusoidal_frequencies(512, base=500.0, endpoint=True)[-1] == pytest.approx(1 / 500, rel=1e-14)


def test_endpoint_spacing_of_a_single_pair_is_one():
    np.testing.assert_array_equal(absolute.sinusoidal_frequencies(2, endpoint=True), [1.0])


# -------------------------------------------------------------------------------------------- the vectors


def test_position_one_of_four_channels():
    expected = [0.841471, 0.540302, 0.010000, 0.999950]
    np.testing.assert_allclose(absolute.sinusoidal_positions(1, 4), expected, atol=5e-7)


def test_position_zero_alternates_zero_and_one():
    np.testing.assert_array_equal(absolute.sinusoidal_positions(0, 8), [0, 1, 0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("dim", [2, 6, 20])
def test_positions_follow_the_formula(dim):
    positions = [0, 1, 7.5, -3, 4095]
    expected = [_by_formula(position, dim) for position in positions]
    np.testing.assert_allclose(absolute.sinusoidal_positions(positions, dim), expected, atol=1e-11)


def test_base_is_used():
    np.testing.assert_allclose(absolute.sinusoidal_positions(3, 6, base=50.0), _by_formula(3, 6, 50.0), atol=1e-14)


def test_positions_keep_their_shape():
    assert absolute.sinusoidal_positions(5, 6).shape == (6,)
    batch = np.array([[0, 1, 2], [7, 8, 9]])
    ours = absolute.sinusoidal_positions(batch, 6)
    assert ours.shape == (2, 3, 6) and ours.dtype == np.float64
    np.testing.assert_array_equal(ours[1, 2], absolute.sinusoidal_positions(9, 6))


@pytest.mark.parametrize("endpoint", [False, True])
def test_layouts_differ_by_a_column_permutation(endpoint):
    interleaved = absolute.sinusoidal_positions(np.arange(5), 8, endpoint=endpoint)
    concat = absolute.sinusoidal_positions(np.arange(5), 8, layout="concat", endpoint=endpoint)
    assert np.abs(interleaved - concat).max() > 0.1
    np.testing.assert_array_equal(concat, interleaved[:, [0, 2, 4, 6, 1, 3, 5, 7]])


def test_endpoint_is_more_than_another_column_order():
    plain = absolute.sinusoidal_positions(1, 8, layout="concat")
    spaced = absolute.sinusoidal_positions(1, 8, layout="concat", endpoint=True)
    assert np.abs(np.sort(plain) - np.sort(spaced)).max() > 0.01


def test_every_position_has_the_norm_of_half_the_width():
    norms = np.linalg.norm(absolute.sinusoidal_positions([0, 1, 100, 100000], 512), axis=-1)
    np.testing.assert_allclose(norms, 16, rtol=1e-14)


@QUICK
@given(position=REAL_POSITIONS, dim=EVEN_DIMS, base=BASES, endpoint=st.booleans())
def test_each_pair_lies_on_the_unit_circle(position, dim, base, endpoint):
    vector = absolute.sinusoidal_positions(position, dim, base=base, endpoint=endpoint)
    np.testing.assert_allclose(vector[0::2] ** 2 + vector[1::2] ** 2, 1, atol=1e-14)
    assert np.linalg.norm(vector) == pytest.approx(math.sqrt(dim / 2), rel=1e-13)


# -------------------------------------------------------------------------------------- shift and kernel


@pytest.mark.parametrize(("layout", "endpoint"), VARIANTS)
def test_shift_matrix_moves_every_position(layout, endpoint):
    options = {"layout": layout, "endpoint": endpoint}
    here = absolute.sinusoidal_positions(np.arange(6), 10, **options)
    there = absolute.sinusoidal_positions(np.arange(6) + 3, 10, **options)
    matrix = absolute.sinusoidal_shift_matrix(3, 10, **options)
    assert np.abs(here - there).max() > 0.5
    np.testing.assert_allclose(here @ matrix.T, there, atol=1e-14)


def test_shift_matrix_uses_its_base():
    moved = absolute.sinusoidal_shift_matrix(5, 6, base=50.0) @ absolute.sinusoidal_positions(2, 6, base=50.0)
    np.testing.assert_allclose(moved, absolute.sinusoidal_positions(7, 6, base=50.0), atol=1e-14)


@QUICK
@given(position=REAL_POSITIONS, offset=REAL_POSITIONS, dim=EVEN_DIMS, base=BASES)
def test_shift_identity_holds_for_real_positions(position, offset, dim, base):
    matrix = absolute.sinusoidal_shift_matrix(offset, dim, base=base)
    moved = matrix @ absolute.sinusoidal_positions(position, dim, base=base)
    np.testing.assert_allclose(moved, absolute.sinusoidal_positions(position + offset, dim, base=base), atol=1e-11)


@QUICK
@given(first=REAL_POSITIONS, second=REAL_POSITIONS, dim=EVEN_DIMS)
def test_shift_matrices_are_orthogonal_and_compose(first, second, dim):
    one, other = (absolute.sinusoidal_shift_matrix(offset, dim) for offset in (first, second))
    np.testing.assert_allclose(one @ one.T, np.eye(dim), atol=1e-14)
    np.testing.assert_allclose(one @ other, absolute.sinusoidal_shift_matrix(first + second, dim), atol=1e-11)


def test_shift_by_zero_is_the_identity():
    np.testing.assert_array_equal(absolute.sinusoidal_shift_matrix(0, 6), np.eye(6))


@pytest.mark.parametrize(("layout", "endpoint"), VARIANTS)
def test_kernel_is_the_inner_product(layout, endpoint):
    table = absolute.sinusoidal_positions(np.arange(9), 12, layout=layout, endpoint=endpoint)
    distance = np.arange(9)[:, None] - np.arange(9)
    np.testing.assert_allclose(absolute.sinusoidal_kernel(distance, 12, endpoint=endpoint), table @ table.T, atol=1e-13)


def test_kernel_uses_its_base():
    table = absolute.sinusoidal_positions([2, 7], 6, base=50.0)
    assert absolute.sinusoidal_kernel(5, 6, base=50.0) == pytest.approx(table[0] @ table[1], abs=1e-13)


@QUICK
@given(distance=REAL_POSITIONS, dim=EVEN_DIMS, base=BASES)
def test_kernel_is_symmetric_and_largest_at_zero(distance, dim, base):
    there = absolute.sinusoidal_kernel(distance, dim, base=base)
    assert there == absolute.sinusoidal_kernel(-distance, dim, base=base)
    assert there <= absolute.sinusoidal_kernel(0, dim, base=base) == dim / 2


@pytest.mark.parametrize(("dim", "before"), [(512, 43), (128, 11), (64, 5), (4, 3)])
def test_kernel_first_rises_again_where_the_ledger_says(dim, before):
    kernel = absolute.sinusoidal_kernel(np.arange(60), dim)
    assert np.flatnonzero(np.diff(kernel) > 0)[0] == before


def test_kernel_keeps_the_shape_of_the_distances():
    assert absolute.sinusoidal_kernel(np.zeros((2, 3, 4)), 6).shape == (2, 3, 4)


# ---------------------------------------------------------------------------------------------------- grid


def test_grid_of_one_axis_is_the_plain_encoding():
    positions = np.arange(7)
    np.testing.assert_array_equal(
        absolute.sinusoidal_grid(positions[:, None], 10), absolute.sinusoidal_positions(positions, 10)
    )


def test_grid_gives_each_axis_its_block():
    point = absolute.sinusoidal_grid([3, 5], 8)
    np.testing.assert_allclose(point, _by_formula(3, 4) + _by_formula(5, 4), atol=1e-14)


def test_grid_cuts_what_the_rounding_up_adds():
    full = absolute.sinusoidal_grid([[1, 2, 4]], 12)
    np.testing.assert_array_equal(absolute.sinusoidal_grid([[1, 2, 4]], 11), full[:, :11])
    assert absolute.sinusoidal_grid([1, 2], 5).tolist() == (_by_formula(1, 4) + _by_formula(2, 4))[:5]


def test_grid_passes_its_options_on():
    options = {"base": 50.0, "layout": "concat", "endpoint": True}
    blocks = [absolute.sinusoidal_positions(axis, 4, **options) for axis in (3, 5)]
    np.testing.assert_array_equal(absolute.sinusoidal_grid([3, 5], 8, **options), np.concatenate(blocks))


def test_grid_keeps_the_leading_axes():
    coordinates = np.moveaxis(np.indices((2, 3, 4)), 0, -1)
    ours = absolute.sinusoidal_grid(coordinates, 12)
    assert ours.shape == (2, 3, 4, 12)
    np.testing.assert_array_equal(ours[1, 2, 3], absolute.sinusoidal_grid([1, 2, 3], 12))


# ----------------------------------------------------------------------------- tables and plain positions


def test_learned_positions_are_rows():
    table = np.arange(12.0).reshape(6, 2)
    ours = absolute.learned_positions([[0, 5], [2, 2]], table)
    np.testing.assert_array_equal(ours, [[[0, 1], [10, 11]], [[4, 5], [4, 5]]])


@pytest.mark.parametrize("position", [512, -1])
def test_learned_positions_end_with_the_table(position):
    table = np.zeros((512, 2))
    absolute.learned_positions([511], table)
    with pytest.raises(IndexError, match=rf"position {position} is outside the table of 512 positions \(0…511\)"):
        absolute.learned_positions([3, position], table)


def test_integer_positions_count_from_zero():
    ours = absolute.integer_positions(4)
    assert ours.tolist() == [0, 1, 2, 3] and ours.dtype == np.float64


@pytest.mark.parametrize(("length", "expected"), [(1, [0]), (2, [0, 1]), (5, [0, 0.25, 0.5, 0.75, 1])])
def test_normalised_positions_run_from_zero_to_one(length, expected):
    assert absolute.normalised_positions(length).tolist() == expected


def test_a_step_of_the_normalised_position_depends_on_the_length():
    steps = [absolute.normalised_positions(length)[1] for length in (5, 101)]
    np.testing.assert_allclose(steps, [1 / 4, 1 / 100], rtol=1e-15)


def test_arguments_are_left_as_they_were():
    positions, table = np.array([1, 0]), np.ones((2, 3))
    absolute.sinusoidal_positions(positions, 4)
    absolute.learned_positions(positions, table)[:] = 7
    assert positions.tolist() == [1, 0] and (table == 1).all()
