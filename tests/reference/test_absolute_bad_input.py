"""What bad input to ``absolute`` gets: the argument, the value and the limit."""

from __future__ import annotations

import numpy as np
import pytest

from pe_course.reference import absolute

NAN, INF = float("nan"), float("inf")
TABLE = np.zeros((4, 2))

# Every function that takes them is asked about dim, base, layout and endpoint.
SINUSOIDAL = {
    "sinusoidal_frequencies": (),
    "sinusoidal_positions": ([0, 1],),
    "sinusoidal_shift_matrix": (1,),
    "sinusoidal_kernel": ([0, 1],),
    "sinusoidal_grid": ([[0, 1]],),
}
EVEN_ONLY = [name for name in SINUSOIDAL if name != "sinusoidal_grid"]
WITH_LAYOUT = ["sinusoidal_positions", "sinusoidal_shift_matrix", "sinusoidal_grid"]

SHARED_ROWS = [
    *(pytest.param(name, {"dim": 7}, ValueError, "dim must be even .* pairs, got 7") for name in EVEN_ONLY),
    *(pytest.param(name, {"dim": 0}, ValueError, r"dim must be at least \d, got 0") for name in SINUSOIDAL),
    *(pytest.param(name, {"dim": 4.0}, TypeError, r"dim must be a whole number, got 4\.0") for name in SINUSOIDAL),
    *(pytest.param(name, {"dim": True}, TypeError, "dim must be a whole number, got True") for name in SINUSOIDAL),
    *(pytest.param(name, {"base": 1}, ValueError, "base must be greater than 1, got 1") for name in SINUSOIDAL),
    *(pytest.param(name, {"base": 0}, ValueError, "base must be greater than 1, got 0") for name in SINUSOIDAL),
    *(pytest.param(name, {"base": NAN}, ValueError, "base must be finite, got nan") for name in SINUSOIDAL),
    *(
        pytest.param(name, {"base": 10**400}, ValueError, "base must be finite in float64, got 1")
        for name in SINUSOIDAL
    ),
    *(pytest.param(name, {"dim": 2**63}, ValueError, "dim must be at most 90071992547409") for name in SINUSOIDAL),
    *(pytest.param(name, {"base": "1e4"}, TypeError, "base must be a real number, got '1e4'") for name in SINUSOIDAL),
    *(pytest.param(name, {"endpoint": 1}, TypeError, "endpoint must be True or False, got 1") for name in SINUSOIDAL),
    *(
        pytest.param(name, {"layout": "half"}, ValueError, "layout must be one of 'interleaved', 'concat'; got 'half'")
        for name in WITH_LAYOUT
    ),
    *(
        pytest.param(name, {"layout": None}, ValueError, "layout must be one of 'interleaved', 'concat'; got None")
        for name in WITH_LAYOUT
    ),
]


@pytest.mark.parametrize(("name", "options", "error", "message"), SHARED_ROWS)
def test_options_of_the_sinusoids(name, options, error, message):
    with pytest.raises(error, match=message):
        getattr(absolute, name)(*SINUSOIDAL[name], **{"dim": 8, **options})


ROWS = [
    pytest.param("sinusoidal_positions", ([0, NAN], 8), ValueError, "positions must be finite, got nan"),
    pytest.param("sinusoidal_positions", (-INF, 8), ValueError, "positions must be finite, got -inf"),
    pytest.param("sinusoidal_positions", ([], 8), ValueError, r"positions must not be empty, got shape \(0,\)"),
    pytest.param("sinusoidal_positions", ([True], 8), TypeError, "positions must hold real numbers, got dtype bool"),
    pytest.param("sinusoidal_positions", (1j, 8), TypeError, "positions must hold real numbers, got dtype complex128"),
    pytest.param("sinusoidal_positions", (None, 8), TypeError, "positions must hold real numbers, got dtype object"),
    pytest.param("sinusoidal_positions", ([[0], [1, 2]], 8), ValueError, "positions must be a rectangular array"),
    pytest.param("sinusoidal_shift_matrix", (INF, 8), ValueError, "offset must be finite, got inf"),
    pytest.param("sinusoidal_shift_matrix", ("1", 8), TypeError, "offset must be a real number, got '1'"),
    pytest.param("sinusoidal_shift_matrix", ([1, 2], 8), TypeError, r"offset must be a real number, got \[1, 2\]"),
    pytest.param("sinusoidal_kernel", ([INF], 8), ValueError, "distance must be finite, got inf"),
    pytest.param("sinusoidal_kernel", ("far", 8), TypeError, "distance must hold real numbers, got dtype <U3"),
    pytest.param("sinusoidal_kernel", ([], 8), ValueError, "distance must not be empty"),
    pytest.param("sinusoidal_grid", (3, 8), ValueError, r"coordinates must have at least 1 axis .*got shape \(\)"),
    pytest.param("sinusoidal_grid", ([[NAN, 1]], 8), ValueError, "coordinates must be finite, got nan"),
    pytest.param("sinusoidal_grid", (np.zeros((3, 0)), 8), ValueError, r"coordinates must not be empty.*\(3, 0\)"),
    pytest.param("sinusoidal_grid", (["x"], 8), TypeError, "coordinates must hold real numbers"),
    pytest.param("learned_positions", ([4], TABLE), IndexError, r"position 4 is outside .* of 4 positions \(0…3\)"),
    pytest.param("learned_positions", ([-1], TABLE), IndexError, r"position -1 is outside .* of 4 positions \(0…3\)"),
    pytest.param("learned_positions", ([0.5], TABLE), ValueError, r"position must be whole numbers, got 0\.5"),
    pytest.param("learned_positions", ([1e30], TABLE), ValueError, "position must be at most 9007199254740991 in size"),
    pytest.param("learned_positions", ([NAN], TABLE), ValueError, "position must be finite, got nan"),
    pytest.param("learned_positions", ([], TABLE), ValueError, "position must not be empty"),
    pytest.param("learned_positions", ([True], TABLE), TypeError, "position must hold real numbers, got dtype bool"),
    pytest.param("learned_positions", ([0], [1.0, 2.0]), ValueError, r"table must have 2 axes, got shape \(2,\)"),
    pytest.param("learned_positions", ([0], np.zeros((0, 2))), ValueError, r"table must not be empty.*\(0, 2\)"),
    pytest.param("learned_positions", ([0], [[NAN]]), ValueError, "table must be finite, got nan"),
    pytest.param("learned_positions", ([0], [["a"]]), TypeError, "table must hold real numbers"),
    *(
        pytest.param(name, (length,), error, message)
        for name in ("integer_positions", "normalised_positions")
        for length, error, message in [
            (0, ValueError, "length must be at least 1, got 0"),
            (-3, ValueError, "length must be at least 1, got -3"),
            (2.0, TypeError, r"length must be a whole number, got 2\.0"),
            (True, TypeError, "length must be a whole number, got True"),
        ]
    ),
]


@pytest.mark.parametrize(("name", "arguments", "error", "message"), ROWS)
def test_arguments(name, arguments, error, message):
    with pytest.raises(error, match=message):
        getattr(absolute, name)(*arguments)
