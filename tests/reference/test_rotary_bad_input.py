"""What bad input to ``rotary`` gets: the argument, the value and the limit."""

from __future__ import annotations

import numpy as np
import pytest

from pe_course.reference import rotary

NAN, INF = float("nan"), float("inf")
X = np.ones((2, 3, 5, 8))  # [B, H, L, D]
TABLE = np.ones((5, 4))  # [L, P]
FREQUENCIES = [1.0, 0.5, 0.25, 0.125]
POSITIONS = np.arange(5)
IDS = np.ones((3, 2, 5))

RIGHT = {
    "rope_frequencies": {"dim": 8},
    "proportional_frequencies": {"head_dim": 8, "partial_rotary_factor": 0.5},
    "partial_rotary_dim": {"head_dim": 8, "partial_rotary_factor": 0.5},
    "rope_angles": {"positions": POSITIONS, "inv_freq": FREQUENCIES},
    "rope_cos_sin": {"positions": POSITIONS, "inv_freq": FREQUENCIES},
    "pair_channels": {"rotary_dim": 8, "layout": "half"},
    "interleaved_to_half": {"x": X},
    "half_to_interleaved": {"x": X},
    "permute_projection": {"weight": np.ones((16, 3)), "num_heads": 2, "to": "half"},
    "apply_rotary": {"x": X, "cos": TABLE, "sin": TABLE},
    "apply_rotary_complex": {"x": X, "cos": TABLE, "sin": TABLE},
    "rotation_matrix": {"position": 3, "inv_freq": FREQUENCIES},
    "apply_rope": {"x": X, "positions": POSITIONS},
    "rope_score": {"q": np.ones(8), "k": np.ones(8), "distance": 3, "inv_freq": FREQUENCIES},
    "apply_xpos": {"x": X, "positions": POSITIONS, "role": "key"},
    "xpos_zeta": {"dim": 8},
    "xpos_scales": {"positions": POSITIONS, "zeta": [0.5, 0.9]},
    "axial_angles": {"coordinates": np.ones((6, 2)), "dim": 8},
    "axial_frequencies": {"dim": 8, "num_axes": 2},
    "grid_coordinates": {"sizes": (2, 3)},
    "mrope_axes": {"mrope_section": (2, 1, 1)},
    "mrope_cos_sin": {"position_ids": IDS, "inv_freq": FREQUENCIES, "mrope_section": (2, 1, 1)},
    "next_text_position": {"position_ids": IDS},
    "rerope_distance": {"distance": POSITIONS},
    "leaky_rerope_distance": {"distance": POSITIONS},
    "self_extend_distance": {"query_positions": POSITIONS, "key_positions": POSITIONS, "window": 2, "group": 2},
    "rerope_scores": {"q": X, "k": X, "query_positions": POSITIONS, "key_positions": POSITIONS},
    "leaky_rerope_scores": {"q": X, "k": X, "query_positions": POSITIONS, "key_positions": POSITIONS},
    "self_extend_scores": {
        **{"q": X, "k": X, "query_positions": POSITIONS, "key_positions": POSITIONS},
        **{"window": 2, "group": 2},
    },
}

SCORES = ("rerope_scores", "leaky_rerope_scores", "self_extend_scores")
LAYOUT_ERROR = "layout must be one of 'half', 'interleaved'; got "


def rows(functions, argument, value, error, pattern):
    return [pytest.param(name, {argument: value}, error, pattern) for name in functions]


def array_rows(argument, functions):
    """Every array argument refuses NaN, infinity, nothing, words and ragged lists."""
    return [
        *rows(functions, argument, [NAN], ValueError, f"{argument} must be finite, got nan"),
        *rows(functions, argument, [[1.0, -INF]], ValueError, f"{argument} must (be finite, got -inf|have 1 axis)"),
        *rows(functions, argument, [], ValueError, rf"{argument} must not be empty, got shape \(0,\)"),
        *rows(functions, argument, ["a"], TypeError, f"{argument} must hold real numbers, got dtype"),
        *rows(functions, argument, [[1.0], [1.0, 2.0]], ValueError, f"{argument} must be a rectangular array"),
    ]


def even_rows(argument, functions):
    return [
        *rows(functions, argument, 7, ValueError, f"{argument} must be even .* pairs, got 7"),
        *rows(functions, argument, 0, ValueError, f"{argument} must be at least 2, got 0"),
        *rows(functions, argument, 4.0, TypeError, rf"{argument} must be a whole number, got 4\.0"),
    ]


def count_rows(argument, functions):
    return [
        *rows(functions, argument, 0, ValueError, f"{argument} must be at least 1, got 0"),
        *rows(functions, argument, 2.5, TypeError, rf"{argument} must be a whole number, got 2\.5"),
        *rows(functions, argument, True, TypeError, f"{argument} must be a whole number, got True"),
    ]


def above_rows(argument, functions, limit):
    return [
        *rows(functions, argument, limit, ValueError, f"{argument} must be greater than {limit}, got {limit}"),
        *rows(functions, argument, NAN, ValueError, f"{argument} must be finite, got nan"),
        *rows(functions, argument, "2", TypeError, f"{argument} must be a real number, got '2'"),
    ]


ROWS = [
    # arrays
    *array_rows("positions", ["rope_angles", "rope_cos_sin", "apply_rope", "apply_xpos", "xpos_scales"]),
    *array_rows("position", ["rotation_matrix"]),
    *array_rows(
        "inv_freq", ["rope_angles", "rope_cos_sin", "rotation_matrix", "apply_rope", "rope_score", "mrope_cos_sin"]
    ),
    *array_rows("x", ["interleaved_to_half", "half_to_interleaved", "apply_rotary", "apply_rotary_complex"]),
    *array_rows("x", ["apply_rope", "apply_xpos"]),
    *array_rows("cos", ["apply_rotary", "apply_rotary_complex"]),
    *array_rows("sin", ["apply_rotary", "apply_rotary_complex"]),
    *array_rows("weight", ["permute_projection"]),
    *array_rows("q", ["rope_score", *SCORES]),
    *array_rows("k", ["rope_score", *SCORES]),
    *array_rows("distance", ["rope_score", "rerope_distance", "leaky_rerope_distance"]),
    *array_rows("zeta", ["xpos_scales"]),
    *array_rows("coordinates", ["axial_angles"]),
    *array_rows("position_ids", ["mrope_cos_sin", "next_text_position"]),
    *array_rows("query_positions", [*SCORES, "self_extend_distance"]),
    *array_rows("key_positions", [*SCORES, "self_extend_distance"]),
    *array_rows("sizes", ["grid_coordinates"]),
    *array_rows("mrope_section", ["mrope_axes", "mrope_cos_sin"]),
    # widths, bases, fractions, factors
    *even_rows("dim", ["rope_frequencies", "xpos_zeta"]),
    *even_rows("head_dim", ["proportional_frequencies", "partial_rotary_dim"]),
    *even_rows("rotary_dim", ["pair_channels", "interleaved_to_half", "half_to_interleaved", "permute_projection"]),
    *even_rows("rotary_dim", ["apply_rope", "apply_xpos"]),
    *above_rows("base", ["rope_frequencies", "proportional_frequencies", "apply_rope", "apply_xpos", *SCORES], 1),
    *above_rows("base", ["axial_frequencies", "axial_angles"], 1),
    *above_rows("partial_rotary_factor", ["proportional_frequencies", "partial_rotary_dim"], 0),
    *rows(
        ["proportional_frequencies", "partial_rotary_dim"],
        "partial_rotary_factor",
        1.5,
        ValueError,
        "at most 1, got 1.5",
    ),
    *rows(["partial_rotary_dim"], "partial_rotary_factor", 0.45, ValueError, r"rotary_dim .*0\.45\) must be even .* 3"),
    *rows(
        ["partial_rotary_dim"],
        "partial_rotary_factor",
        0.1,
        ValueError,
        r"rotary_dim .*0\.1\) must be at least 2, got 0",
    ),
    *above_rows("attention_factor", ["rope_cos_sin"], 0),
    *above_rows("gamma", ["xpos_zeta", "apply_xpos"], 0),
    *above_rows("scale_base", ["xpos_scales", "apply_xpos"], 0),
    *rows(["xpos_scales", "apply_xpos"], "centre", INF, ValueError, "centre must be finite, got inf"),
    *rows(["xpos_scales"], "zeta", [0.5, -0.1], ValueError, "smallest zeta must be greater than 0, got -0.1"),
    *rows(["xpos_scales"], "positions", [1e9], ValueError, "log of the largest scale .* at most 700, got 1.3"),
    *rows(["xpos_scales"], "zeta", [[0.5]], ValueError, r"zeta must have 1 axis, got shape \(1, 1\)"),
    *rows(["axial_frequencies", "axial_angles"], "max_freq", 1.5, ValueError, "max_freq must be at least 2, got 1.5"),
    *rows(
        ["axial_frequencies", "axial_angles"],
        "dim",
        6,
        ValueError,
        "dim must be a multiple of 4 because .* 2 axes .* 6",
    ),
    *count_rows("dim", ["axial_frequencies", "axial_angles"]),
    *count_rows("num_axes", ["axial_frequencies"]),
    *count_rows("num_heads", ["permute_projection"]),
    *count_rows("window", [*SCORES, "rerope_distance", "leaky_rerope_distance", "self_extend_distance"]),
    *count_rows("group", ["self_extend_scores", "self_extend_distance"]),
    *rows(
        ["leaky_rerope_scores", "leaky_rerope_distance"],
        "leaky_factor",
        0.5,
        ValueError,
        "leaky_factor must be at least 1",
    ),
    *rows(
        ["leaky_rerope_scores", "leaky_rerope_distance"], "leaky_factor", INF, ValueError, "leaky_factor must be finite"
    ),
    *rows(
        ["self_extend_scores"], "query_positions", POSITIONS + 0.5, ValueError, r"query_positions must be whole .* 0\.5"
    ),
    *rows(
        ["self_extend_distance"], "key_positions", POSITIONS - 2, ValueError, "key_positions must be at least 0, got -2"
    ),
    # names
    *rows(["pair_channels", "apply_rotary", "apply_rope"], "layout", "neox", ValueError, LAYOUT_ERROR + "'neox'"),
    *rows(["rotation_matrix", "rope_score", "apply_xpos"], "layout", None, ValueError, LAYOUT_ERROR + "None"),
    *rows(SCORES, "layout", "rotate_half", ValueError, LAYOUT_ERROR + "'rotate_half'"),
    *rows(["permute_projection"], "to", "meta", ValueError, "to must be one of 'half', 'interleaved'; got 'meta'"),
    *rows(["apply_xpos"], "role", "value", ValueError, "role must be one of 'query', 'key'; got 'value'"),
    *rows(
        ["axial_frequencies", "axial_angles"], "variant", "2d", ValueError, "variant must be one of 'lang', .* got '2d'"
    ),
    *rows(
        ["grid_coordinates"], "kind", "pixel", ValueError, "kind must be one of 'index', 'ends', 'centres'; got 'pixel'"
    ),
    *rows(["mrope_axes", "mrope_cos_sin"], "interleaved", 1, TypeError, "interleaved must be True or False, got 1"),
    # shapes that do not fit each other
    *rows(
        ["apply_rotary", "apply_rotary_complex"],
        "cos",
        np.ones((5, 2)),
        ValueError,
        r"cos and sin .* \(5, 2\) and \(5, 4\)",
    ),
    *rows(["rope_angles"], "inv_freq", [[1.0]], ValueError, r"inv_freq must have 1 axis, got shape \(1, 1\)"),
    *rows(
        ["interleaved_to_half"],
        "rotary_dim",
        10,
        ValueError,
        "rotary_dim must be at most the number of channels, 8, got 10",
    ),
    *rows(["permute_projection"], "rotary_dim", 10, ValueError, "rotary_dim must be at most .* 8, got 10"),
    *rows(
        ["permute_projection"], "num_heads", 3, ValueError, "rows of weight must be a multiple of 3 because .* got 16"
    ),
    *rows(["permute_projection"], "num_heads", 16, ValueError, "rotary_dim must be at least 2, got 1"),
    *rows(["permute_projection"], "weight", X, ValueError, r"weight must have 1 or 2 axes, got shape \(2, 3, 5, 8\)"),
    *rows(["apply_rope", "apply_xpos"], "rotary_dim", 10, ValueError, "rotary_dim must be at most .* 8, got 10"),
    *rows(["apply_rope", "apply_xpos"], "x", np.ones((5, 7)), ValueError, "head_dim must be even .* pairs, got 7"),
    *rows(
        ["apply_rope"],
        "inv_freq",
        np.ones(5),
        ValueError,
        r"2 \* len\(inv_freq\) must be at most the number of channels of x, 8, got 10",
    ),
    pytest.param("apply_rope", {"inv_freq": FREQUENCIES, "base": 1}, ValueError, "base must be greater than 1, got 1"),
    *rows(["apply_rope", "apply_xpos"], "positions", 3, ValueError, r"positions of shape \(\) do not fit x of shape"),
    *rows(
        ["apply_rope", "apply_xpos"],
        "positions",
        np.zeros((3, 5)),
        ValueError,
        r"positions of shape \(3, 5\) do not fit x of shape \(2, 3, 5, 8\): they must be \[L\]",
    ),
    *rows(["apply_rope", "apply_xpos"], "positions", [7], ValueError, r"positions of shape \(1,\) do not fit x"),
    *rows(["interleaved_to_half", "half_to_interleaved"], "x", 3.0, ValueError, r"x must have at least 1 axis .*\(\)"),
    *rows(["axial_angles"], "coordinates", 3.0, ValueError, r"coordinates must have at least 1 axis .*\(\)"),
    *rows(["mrope_cos_sin"], "position_ids", 3.0, ValueError, r"position_ids must have at least 1 axis .*\(\)"),
    *rows(["mrope_axes"], "mrope_section", [2**54], ValueError, "mrope_section must be at most 9007199254740991"),
    *rows(["rope_frequencies"], "base", 10**400, ValueError, "base must be finite in float64, got 10000000…"),
    *rows(["self_extend_distance"], "group", 2**63, ValueError, "group must be at most 9007199254740991, got 9223"),
    *rows(["self_extend_distance"], "key_positions", 3, ValueError, r"query_positions and key_positions .* and \(\)"),
    *rows(["xpos_scales"], "scale_base", 1e-320, ValueError, r"log of the largest scale .* must be finite, got inf"),
    *rows(["rope_score"], "inv_freq", np.ones(5), ValueError, r"2 \* len\(inv_freq\) must be at most .* 8, got 10"),
    *rows(["rope_score"], "k", np.ones(6), ValueError, "q has length 8 but k has length 6"),
    *rows(["rope_score"], "q", X, ValueError, r"q must have 1 axis, got shape \(2, 3, 5, 8\)"),
    *rows(["mrope_axes"], "mrope_section", (2, -1, 3), ValueError, "mrope_section must be at least 0, got -1"),
    *rows(["mrope_axes"], "mrope_section", (2, 0.5), ValueError, "mrope_section must be whole numbers, got 0.5"),
    *rows(["mrope_axes"], "mrope_section", (0, 0), ValueError, "sum of mrope_section must be at least 1, got 0"),
    *rows(
        ["mrope_cos_sin"],
        "mrope_section",
        (2, 1),
        ValueError,
        "position_ids .* length 3 but mrope_section has length 2",
    ),
    *rows(
        ["mrope_cos_sin"], "mrope_section", (2, 2, 2), ValueError, "inv_freq has length 4 .* mrope_section has length 6"
    ),
    *rows(["next_text_position"], "position_ids", [1, 2], ValueError, "axes of position_ids must be at least 2, got 1"),
    *rows(["grid_coordinates"], "sizes", (2, 0), ValueError, "sizes must be at least 1, got 0"),
    *rows(["grid_coordinates"], "sizes", 4, ValueError, r"sizes must have 1 axis, got shape \(\)"),
    *rows(SCORES, "q", np.ones((2, 4, 5, 8)), ValueError, r"q and k must be .* \(2, 4, 5, 8\) and \(2, 3, 5, 8\)"),
    *rows(SCORES, "k", np.ones((2, 3, 5, 6)), ValueError, r"q and k must be .* \(2, 3, 5, 8\) and \(2, 3, 5, 6\)"),
    *rows(SCORES, "q", np.ones(8), ValueError, r"q and k must be .* got \(8,\)"),
    *rows(SCORES, "query_positions", 3, ValueError, r"query_positions and key_positions must be .* \(\) and \(5,\)"),
    *rows(
        SCORES,
        "key_positions",
        np.ones((2, 5)),
        ValueError,
        r"query_positions and key_positions .* \(5,\) and \(2, 5\)",
    ),
    *rows(SCORES, "query_positions", np.arange(4), ValueError, "query_positions has length 4 but q has length 5"),
    *rows(SCORES, "key_positions", np.arange(6), ValueError, "key_positions has length 6 but k has length 5"),
    *rows(SCORES, "key_positions", 3, ValueError, r"query_positions and key_positions must be .* \(5,\) and \(\)"),
]

# Tables whose length or leading axes are not those of x would be broadcast over the wrong axis.
TABLE_SHAPES = [(4, 4), (1, 4), (4,), (3, 5, 4), (2, 5, 5, 4), (2, 2, 5, 4), (2, 3, 1, 4), (1, 2, 3, 5, 4)]
FITTING_SHAPES = [(5, 4), (2, 5, 4), (1, 5, 4), (1, 1, 5, 4), (2, 1, 5, 4), (1, 3, 5, 4), (2, 3, 5, 4)]


@pytest.mark.parametrize(("function", "changed", "error", "pattern"), ROWS)
def test_bad_input_is_named(function, changed, error, pattern):
    with pytest.raises(error, match=pattern):
        getattr(rotary, function)(**{**RIGHT[function], **changed})


@pytest.mark.parametrize("function", RIGHT)
def test_the_right_arguments_pass(function):
    getattr(rotary, function)(**RIGHT[function])


def test_every_function_is_asked():
    public = {name for name in rotary.__all__ if callable(getattr(rotary, name))}
    assert public == set(RIGHT)
    assert {row.values[0] for row in ROWS} == public


@pytest.mark.parametrize("function", ["apply_rotary", "apply_rotary_complex"])
@pytest.mark.parametrize("shape", TABLE_SHAPES)
def test_tables_are_not_broadcast_over_the_wrong_axis(function, shape):
    table = np.ones(shape)
    with pytest.raises(ValueError, match=r"cos and sin of shape \(.*do not fit x of shape \(2, 3, 5, 8\)"):
        getattr(rotary, function)(X, table, table)


@pytest.mark.parametrize("function", ["apply_rotary", "apply_rotary_complex"])
@pytest.mark.parametrize("shape", FITTING_SHAPES)
def test_tables_that_fit_are_taken(function, shape):
    table = np.ones(shape)
    assert getattr(rotary, function)(X, table, table).shape == X.shape


def test_a_single_vector_may_be_rotated():
    assert rotary.apply_rope(np.ones(4), 3.5).shape == (4,)
