"""Faults of the vectors that are added at the input."""

from __future__ import annotations

import numpy as np
from faults.fault import Fault
from reference import test_absolute as tests

MODULE = "pe_course.reference.absolute"


def _doubled_exponent(right):
    return lambda dim, **options: right(dim, **options) ** 2


def _rising_frequencies(right):
    return lambda dim, **options: right(dim, **options)[::-1]


def _reciprocal(right):
    return lambda dim, **options: 1 / right(dim, **options)


def _base_ignored(right):
    return lambda dim, *, base=10000.0, endpoint=False: right(dim, endpoint=endpoint)


def _endpoint_ignored(right):
    return lambda dim, *, base=10000.0, endpoint=False: right(dim, base=base)


def _endpoint_always(right):
    return lambda dim, *, base=10000.0, endpoint=False: right(dim, base=base, endpoint=True)


def _from_one(right):
    return lambda positions, dim, **options: right(np.asarray(positions) + 1, dim, **options)


def _cosine_first(right):
    return lambda sines, cosines, layout: right(cosines, sines, layout)


def _always(layout):
    return lambda right: lambda sines, cosines, _: right(sines, cosines, layout)


def _cosine_with_its_own_exponent(right):
    """The cosine column takes the exponent of its own index, so that a pair has two speeds."""

    def broken(positions, dim, **options):
        vectors = right(positions, dim, **options)
        angles = np.asarray(positions)[..., None] * 10000.0 ** (-np.arange(1, dim, 2) / dim)
        vectors[..., 1::2] = np.cos(angles)
        return vectors

    return broken


def _transposed(right):
    return lambda *arguments, **options: right(*arguments, **options).T


def _shift_interleaved_only(right):
    return lambda offset, dim, *, layout="interleaved", **options: right(offset, dim, **options)


def _half_kernel(right):
    return lambda distance, dim, **options: 2 * right(distance, dim, **options) / dim


def _kernel_of_sines(right):
    def broken(distance, dim, *, base=10000.0, endpoint=False):
        angles = np.asarray(distance)[..., None] * base ** (-2 * np.arange(dim // 2) / dim)
        return np.sin(angles).sum(axis=-1)

    return broken


def _kernel_base_ignored(right):
    return lambda distance, dim, *, base=10000.0, endpoint=False: right(distance, dim, endpoint=endpoint)


def _axes_swapped(right):
    return lambda coordinates, dim, **options: right(np.asarray(coordinates)[..., ::-1], dim, **options)


def _grid_not_cut(right):
    return lambda coordinates, dim, **options: right(coordinates, dim + dim % 2, **options)


def _grid_adds_axes(right):
    """Every axis encoded at full width and summed, instead of blocks side by side."""

    def broken(coordinates, dim, **options):
        from pe_course.reference import absolute

        return absolute.sinusoidal_positions(coordinates, dim, **options).sum(axis=-2)

    return broken


def _grid_options_ignored(right):
    return lambda coordinates, dim, **options: right(coordinates, dim)


def _unchecked_rows(right):
    return lambda positions, table: np.asarray(table)[np.asarray(positions)]


def _clamped_rows(right):
    return lambda positions, table: right(np.clip(positions, 0, len(table) - 1), table)


def _next_row(right):
    return lambda positions, table: right((np.asarray(positions) + 1) % len(table), table)


def _counted_from_one(right):
    return lambda length: right(length) + 1


def _divided_by_length(right):
    return lambda length: right(length) * (length - 1) / length


def _minus_one_to_one(right):
    return lambda length: 2 * right(length) - 1


def _fixed_step(right):
    return lambda length: np.arange(length) / 512


def _fault(method, what, function, broken, caught_by, **arguments):
    return Fault(method, what, f"{MODULE}:{function}", broken, caught_by, arguments)


CONCAT = {"layout": "concat", "endpoint": False}

FAULTS: list[Fault] = [
    _fault(
        "sinusoidal_frequencies",
        "exponent doubled",
        "sinusoidal_frequencies",
        _doubled_exponent,
        tests.test_frequencies_of_eight_channels_are_powers_of_ten,
    ),
    _fault(
        "sinusoidal_frequencies",
        "slowest pair first",
        "sinusoidal_frequencies",
        _rising_frequencies,
        tests.test_frequencies_fall_from_the_first_pair_to_the_last,
    ),
    _fault(
        "sinusoidal_frequencies",
        "wavelength for frequency",
        "sinusoidal_frequencies",
        _reciprocal,
        tests.test_position_one_of_four_channels,
    ),
    _fault("sinusoidal_frequencies", "base ignored", "sinusoidal_frequencies", _base_ignored, tests.test_base_is_used),
    _fault(
        "sinusoidal_frequencies",
        "endpoint ignored",
        "sinusoidal_frequencies",
        _endpoint_ignored,
        tests.test_endpoint_spacing_ends_at_one_over_base,
    ),
    _fault(
        "sinusoidal_frequencies",
        "endpoint spacing taken for the paper's",
        "sinusoidal_frequencies",
        _endpoint_always,
        tests.test_positions_follow_the_formula,
        dim=6,
    ),
    _fault(
        "sinusoidal_positions",
        "positions from one",
        "sinusoidal_positions",
        _from_one,
        tests.test_position_zero_alternates_zero_and_one,
    ),
    _fault(
        "sinusoidal_positions",
        "cosine first",
        "_arrange_pairs",
        _cosine_first,
        tests.test_position_zero_alternates_zero_and_one,
    ),
    _fault(
        "sinusoidal_positions",
        "always interleaved",
        "_arrange_pairs",
        _always("interleaved"),
        tests.test_layouts_differ_by_a_column_permutation,
        endpoint=False,
    ),
    _fault(
        "sinusoidal_positions",
        "always concatenated",
        "_arrange_pairs",
        _always("concat"),
        tests.test_positions_follow_the_formula,
        dim=6,
    ),
    _fault(
        "sinusoidal_positions",
        "two speeds in a pair",
        "sinusoidal_positions",
        _cosine_with_its_own_exponent,
        tests.test_every_position_has_the_norm_of_half_the_width,
    ),
    _fault(
        "sinusoidal_shift_matrix",
        "shifts backwards",
        "sinusoidal_shift_matrix",
        _transposed,
        tests.test_shift_matrix_moves_every_position,
        layout="interleaved",
        endpoint=False,
    ),
    _fault(
        "sinusoidal_shift_matrix",
        "layout ignored",
        "sinusoidal_shift_matrix",
        _shift_interleaved_only,
        tests.test_shift_matrix_moves_every_position,
        **CONCAT,
    ),
    _fault(
        "sinusoidal_shift_matrix",
        "other frequencies than the vectors",
        "sinusoidal_shift_matrix",
        lambda right: lambda offset, dim, *, base=10000.0, **options: right(offset, dim, **options),
        tests.test_shift_matrix_uses_its_base,
    ),
    _fault(
        "sinusoidal_kernel",
        "divided by d/2",
        "sinusoidal_kernel",
        _half_kernel,
        tests.test_kernel_is_the_inner_product,
        **CONCAT,
    ),
    _fault(
        "sinusoidal_kernel",
        "sines for cosines",
        "sinusoidal_kernel",
        _kernel_of_sines,
        tests.test_kernel_is_the_inner_product,
        **CONCAT,
    ),
    _fault(
        "sinusoidal_kernel", "base ignored", "sinusoidal_kernel", _kernel_base_ignored, tests.test_kernel_uses_its_base
    ),
    _fault(
        "sinusoidal_grid", "axes swapped", "sinusoidal_grid", _axes_swapped, tests.test_grid_gives_each_axis_its_block
    ),
    _fault(
        "sinusoidal_grid", "not cut", "sinusoidal_grid", _grid_not_cut, tests.test_grid_cuts_what_the_rounding_up_adds
    ),
    _fault(
        "sinusoidal_grid",
        "axes added up",
        "sinusoidal_grid",
        _grid_adds_axes,
        tests.test_grid_gives_each_axis_its_block,
    ),
    _fault(
        "sinusoidal_grid",
        "options ignored",
        "sinusoidal_grid",
        _grid_options_ignored,
        tests.test_grid_passes_its_options_on,
    ),
    _fault(
        "learned_positions",
        "negative rows read from the end",
        "learned_positions",
        _unchecked_rows,
        tests.test_learned_positions_end_with_the_table,
        position=-1,
    ),
    _fault(
        "learned_positions",
        "last row repeated",
        "learned_positions",
        _clamped_rows,
        tests.test_learned_positions_end_with_the_table,
        position=512,
    ),
    _fault("learned_positions", "off by one", "learned_positions", _next_row, tests.test_learned_positions_are_rows),
    _fault(
        "integer and normalised positions",
        "counted from one",
        "integer_positions",
        _counted_from_one,
        tests.test_integer_positions_count_from_zero,
    ),
    _fault(
        "integer and normalised positions",
        "divided by L",
        "normalised_positions",
        _divided_by_length,
        tests.test_normalised_positions_run_from_zero_to_one,
        length=5,
        expected=[0, 0.25, 0.5, 0.75, 1],
    ),
    _fault(
        "integer and normalised positions",
        "from minus one",
        "normalised_positions",
        _minus_one_to_one,
        tests.test_normalised_positions_run_from_zero_to_one,
        length=2,
        expected=[0, 1],
    ),
    _fault(
        "integer and normalised positions",
        "a fixed step",
        "normalised_positions",
        _fixed_step,
        tests.test_a_step_of_the_normalised_position_depends_on_the_length,
    ),
]
