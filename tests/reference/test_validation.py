"""Every check names the argument, the value and the limit, and hands back what the formulas need."""

from __future__ import annotations

import numpy as np
import pytest

from pe_course.reference import validation

NAN, INF = float("nan"), float("inf")


class NeedsGradient:
    """Refuses to be an array as a torch tensor in a graph does."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("requires grad")


REFUSED = [
    # check, arguments after the name, options, error, message
    ("real_array", ([1, NAN],), {}, ValueError, "thing must be finite, got nan"),
    ("real_array", ([1, -INF],), {}, ValueError, "thing must be finite, got -inf"),
    ("real_array", ([],), {}, ValueError, "thing must not be empty, got shape (0,)"),
    ("real_array", ([1, 2],), {"rank": 2}, ValueError, "thing must have 2 axes, got shape (2,)"),
    ("real_array", ([[1]],), {"rank": 1}, ValueError, "thing must have 1 axis, got shape (1, 1)"),
    ("real_array", ([True],), {}, TypeError, "thing must hold real numbers, got dtype bool"),
    ("real_array", ([1j],), {}, TypeError, "thing must hold real numbers, got dtype complex128"),
    ("real_array", ([None],), {}, TypeError, "thing must hold real numbers, got dtype object"),
    ("real_array", ([[1], [1, 2]],), {}, ValueError, "thing must be a rectangular array"),
    ("real_array", (NeedsGradient(),), {}, ValueError, "thing must be a rectangular array: requires grad"),
    ("whole_array", ([1, 2.5],), {}, ValueError, "thing must be whole numbers, got 2.5"),
    ("whole_array", ([1, -2],), {"minimum": 0}, ValueError, "thing must be at least 0, got -2"),
    ("whole_array", ([1, 9],), {"maximum": 8}, ValueError, "thing must be at most 8, got 9"),
    ("whole_array", ([[1]],), {"rank": 1}, ValueError, "thing must have 1 axis, got shape (1, 1)"),
    ("whole_array", (["1"],), {}, TypeError, "thing must hold real numbers"),
    # Beyond 2^53 float64 takes a whole number for its neighbour, beyond 2^63 a cast to int64 makes another of it.
    ("whole_array", ([2**53 + 1],), {}, ValueError, "thing must be at most 9007199254740991 in size to be exact"),
    ("whole_array", ([-(2**53)],), {}, ValueError, "size to be exact, got -9007199254740992"),
    ("whole_array", ([1e30],), {}, ValueError, "size to be exact, got 1e+30"),
    ("whole_array", (np.array([2**63], dtype=np.uint64),), {}, ValueError, "exact, got 9.2233720368547758e+18"),
    ("table_index", ([0, 512], 512), {}, IndexError, "thing 512 is outside the table of 512 positions (0…511)"),
    ("table_index", ([-1], 4), {"table": "Shaw's table"}, IndexError, "thing -1 is outside Shaw's table of 4"),
    ("table_index", ([0.5], 4), {}, ValueError, "thing must be whole numbers, got 0.5"),
    ("count", (0,), {}, ValueError, "thing must be at least 1, got 0"),
    ("count", (2,), {"minimum": 3}, ValueError, "thing must be at least 3, got 2"),
    ("count", (5,), {"maximum": 4}, ValueError, "thing must be at most 4, got 5"),
    ("count", (2.0,), {}, TypeError, "thing must be a whole number, got 2.0"),
    ("count", (True,), {}, TypeError, "thing must be a whole number, got True"),
    ("count", (2**53,), {}, ValueError, "thing must be at most 9007199254740991, got 9007199254740992"),
    ("count", (10**400,), {}, ValueError, "thing must be at most 9007199254740991, got 10000000… (401 digits)"),
    (
        "count",
        (1 << 20000,),
        {},
        ValueError,
        "thing must be at most 9007199254740991, got a whole number of 20001 bits",
    ),
    ("even_count", (7,), {}, ValueError, "thing must be even because its channels are used in pairs, got 7"),
    ("even_count", (7,), {"why": "halves differ"}, ValueError, "thing must be even because halves differ, got 7"),
    ("even_count", (0,), {}, ValueError, "thing must be at least 2, got 0"),
    ("real_number", (1,), {"above": 1}, ValueError, "thing must be greater than 1, got 1"),
    ("real_number", (0.5,), {"at_least": 1}, ValueError, "thing must be at least 1, got 0.5"),
    ("real_number", (3,), {"at_most": 2}, ValueError, "thing must be at most 2, got 3"),
    ("real_number", (NAN,), {}, ValueError, "thing must be finite, got nan"),
    ("real_number", (10**400,), {}, ValueError, "thing must be finite in float64, got 10000000… (401 digits)"),
    ("real_number", ("1",), {}, TypeError, "thing must be a real number, got '1'"),
    ("real_number", (np.bool_(True),), {}, TypeError, "thing must be a real number, got "),
    ("one_of", ("c", ("a", "b")), {}, ValueError, "thing must be one of 'a', 'b'; got 'c'"),
    ("one_of", (None, ("a", "b")), {}, ValueError, "thing must be one of 'a', 'b'; got None"),
    ("flag", (1,), {}, TypeError, "thing must be True or False, got 1"),
    ("flag", (None,), {}, TypeError, "thing must be True or False, got None"),
    ("rectangular", ([[1], [1, 2]],), {}, ValueError, "thing must be a rectangular array"),
    ("rectangular", (np.ma.array([1, 2], mask=[0, 1]),), {}, TypeError, "thing must not be a masked array because"),
    ("bool_array", ([0, 1],), {}, TypeError, "thing must be boolean, got dtype int64"),
    ("bool_array", ([True],), {"rank": 2}, ValueError, "thing must have 2 axes, got shape (1,)"),
    ("bool_array", (np.zeros(0, dtype=bool),), {}, ValueError, "thing must not be empty, got shape (0,)"),
    (
        "fits_shape",
        (np.ones((2, 1)), (3, 4)),
        {},
        ValueError,
        "thing must have at least 2 axes and broadcast to (3, 4)",
    ),
    ("fits_shape", (np.ones(4), (3, 4)), {}, ValueError, "broadcast to (3, 4), got shape (4,)"),
    ("fits_shape", (np.ones((1, 3, 4)), (3, 4)), {}, ValueError, "broadcast to (3, 4), got shape (1, 3, 4)"),
    ("need_axes", (np.ones(3), 2, "[..., a, b]"), {}, ValueError, "thing must have at least 2 axes [..., a, b], got"),
    ("axis_number", (2, 2), {}, ValueError, "thing must be one of the 2 axes (-2…1), got 2"),
    ("axis_number", (0, 0), {}, ValueError, "thing 0 does not exist in an array without axes"),
    ("axis_number", (True, 2), {}, TypeError, "thing must be a whole number, got True"),
]


@pytest.mark.parametrize(
    ("check", "arguments", "options", "error", "message"), REFUSED, ids=[f"{row[0]}-{row[4]}" for row in REFUSED]
)
def test_refusals_name_argument_value_and_limit(check, arguments, options, error, message):
    with pytest.raises(error) as caught:
        getattr(validation, check)("thing", *arguments, **options)
    assert message in str(caught.value)


def test_two_lengths_that_differ_are_both_named():
    validation.same_length("q", 4, "k", 4)
    with pytest.raises(ValueError, match="q has length 4 but k has length 3"):
        validation.same_length("q", 4, "k", 3)


ACCEPTED = [
    ("real_array", ([1, 2],), {}, np.array([1.0, 2.0])),
    ("real_array", (3,), {}, np.array(3.0)),
    ("real_array", (np.float32(0.5),), {"rank": 0}, np.array(0.5)),
    ("real_array", ([],), {"allow_empty": True}, np.zeros(0)),
    ("whole_array", ([1.0, -2.0],), {}, np.array([1, -2])),
    ("whole_array", ([0, 8],), {"minimum": 0, "maximum": 8}, np.array([0, 8])),
    ("table_index", ([0, 3], 4), {}, np.array([0, 3])),
    ("bool_array", ([True, False],), {"rank": 1}, np.array([True, False])),
    ("rectangular", (["a", "b"],), {}, np.array(["a", "b"])),
    ("fits_shape", (np.ones((1, 4)), (2, 3, 4)), {}, np.ones((1, 4))),
    ("fits_shape", (np.ones(4), (4,)), {}, np.ones(4)),
]


@pytest.mark.parametrize(("check", "arguments", "options", "expected"), ACCEPTED)
def test_arrays_come_back_in_one_type(check, arguments, options, expected):
    ours = getattr(validation, check)("thing", *arguments, **options)
    assert ours.dtype == expected.dtype and ours.shape == expected.shape
    np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize(
    ("check", "arguments", "options", "expected"),
    [
        ("count", (np.int32(3),), {}, 3),
        ("count", (0,), {"minimum": 0}, 0),
        ("count", (4,), {"maximum": 4}, 4),
        ("even_count", (8,), {}, 8),
        ("real_number", (2,), {"above": 1, "at_most": 2}, 2.0),
        ("real_number", (np.float32(1),), {"at_least": 1}, 1.0),
        ("one_of", ("a", ("a", "b")), {}, "a"),
        ("flag", (np.bool_(True),), {}, True),
        ("axis_number", (-1, 3), {}, 2),
    ],
)
def test_numbers_come_back_as_plain_python(check, arguments, options, expected):
    ours = getattr(validation, check)("thing", *arguments, **options)
    assert type(ours) is type(expected) and ours == expected


def test_a_checked_array_is_a_copy_or_untouched():
    given = np.array([1.0, 2.0])
    validation.real_array("thing", given)[0] = 9
    assert given[0] == 1
