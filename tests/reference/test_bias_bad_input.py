"""Bad input to the additive biases raises, and says which argument, which value and which limit."""

import numpy as np
import pytest

from pe_course.reference import bias

P = [0, 1, 2]
TABLE = np.zeros((32, 2))
LAYERS = [(np.ones((4, 1)), np.zeros(4)), (np.ones((2, 4)), None)]
SWIN = [(np.ones((4, 2)), np.zeros(4)), (np.ones((2, 4)), None)]
XY = [[0, 0], [0, 1]]
Q = np.ones((2, 3, 4))
MASK = np.ones((3, 3), dtype=bool)
NAN, INF = float("nan"), float("inf")


def row(name, arguments, options, error, match):
    return pytest.param(name, arguments, options, error, match, id=f"{name}-{match[:40]}")


def rows_of_positions(name, rest, options=None):
    """Faults that every function of two lists of positions must report. ``rest`` follows the positions."""
    options = options or {}
    return [
        row(name, ([], P, *rest), options, ValueError, r"query_positions must not be empty, got shape \(0,\)"),
        row(name, (P, [], *rest), options, ValueError, r"key_positions must not be empty, got shape \(0,\)"),
        row(name, ([0, NAN], P, *rest), options, ValueError, "query_positions must be finite, got nan"),
        row(name, (P, [0, INF], *rest), options, ValueError, "key_positions must be finite, got inf"),
        row(name, (["a"], P, *rest), options, TypeError, "query_positions must hold real numbers, got dtype"),
        row(name, (P, [True], *rest), options, TypeError, "key_positions must hold real numbers, got dtype bool"),
        row(
            name,
            (3, P, *rest),
            options,
            ValueError,
            r"query_positions must have shape \[L\] or \[B, L\], got shape \(\)",
        ),
        row(name, (P, [[P]], *rest), options, ValueError, r"key_positions must have shape .*got shape \(1, 1, 3\)"),
        row(name, (P, [P], *rest), options, ValueError, r"must both be .*got shapes \(3,\) and \(1, 3\)"),
        row(
            name,
            ([P, P], [P], *rest),
            options,
            ValueError,
            "query_positions has length 2 but key_positions has length 1",
        ),
    ]


T5 = [
    row("t5_relative_position_bucket", ([0.5],), {}, ValueError, "relative_position must be whole numbers, got 0.5"),
    row("t5_relative_position_bucket", ([1e30],), {}, ValueError, "relative_position must be at most 9007199254740991"),
    row("t5_relative_position_bucket", ([NAN],), {}, ValueError, "relative_position must be finite, got nan"),
    row("t5_relative_position_bucket", ([],), {}, ValueError, "relative_position must not be empty"),
    row("t5_relative_position_bucket", (["a"],), {}, TypeError, "relative_position must hold real numbers"),
    *[
        row(name, arguments, options, error, match)
        for name, arguments in (("t5_relative_position_bucket", ([0],)), ("t5_bucket_starts", ()))
        for options, error, match in (
            ({"num_buckets": 31}, ValueError, "num_buckets must be even because each direction .*, got 31"),
            ({"num_buckets": 2}, ValueError, "num_buckets must be at least 4, got 2"),
            ({"num_buckets": 1, "bidirectional": False}, ValueError, "num_buckets must be at least 2, got 1"),
            ({"num_buckets": 32.0}, TypeError, "num_buckets must be a whole number, got 32.0"),
            ({"max_distance": 8}, ValueError, "max_distance must be greater than 8, .*, got 8"),
            (
                {"max_distance": 16, "bidirectional": False},
                ValueError,
                "max_distance must be greater than 16, .*, got 16",
            ),
            ({"max_distance": 0}, ValueError, "max_distance must be at least 1, got 0"),
            ({"max_distance": 1.5}, TypeError, "max_distance must be a whole number, got 1.5"),
            ({"bidirectional": 1}, TypeError, "bidirectional must be True or False, got 1"),
        )
    ],
    row("t5_bias", (TABLE, [-1], P), {}, ValueError, "query_positions must be at least 0, got -1"),
    row("t5_bias", (TABLE, P, [0.5]), {}, ValueError, "key_positions must be whole numbers, got 0.5"),
    row("t5_bias", (TABLE, [P, P], [P]), {}, ValueError, "query_positions has length 2 but key_positions has length 1"),
    row("t5_bias", (TABLE[0], P, P), {}, ValueError, r"table must have 2 axes, got shape \(2,\)"),
    row("t5_bias", (TABLE * NAN, P, P), {}, ValueError, "table must be finite, got nan"),
    row("t5_bias", (TABLE[:31], P, P), {}, ValueError, "number of rows of table must be even .*, got 31"),
    row("t5_bias", (TABLE[:1], P, P), {"bidirectional": False}, ValueError, "rows of table must be at least 2, got 1"),
    row("t5_bias", (TABLE, P, P), {"max_distance": 3}, ValueError, "max_distance must be greater than 8, .*, got 3"),
    row("t5_bias", (TABLE, P, P), {"bidirectional": "no"}, TypeError, "bidirectional must be True or False, got 'no'"),
]

ALIBI = [
    row("alibi_slopes", (0,), {}, ValueError, "num_heads must be at least 1, got 0"),
    row("alibi_slopes", (8.0,), {}, TypeError, "num_heads must be a whole number, got 8.0"),
    row("alibi_slopes", (True,), {}, TypeError, "num_heads must be a whole number, got True"),
    row("alibi_slopes", (8,), {"alibi_bias_max": 0}, ValueError, "alibi_bias_max must be greater than 0, got 0"),
    row("alibi_slopes", (8,), {"alibi_bias_max": NAN}, ValueError, "alibi_bias_max must be finite, got nan"),
    row(
        "alibi_slopes", (8,), {"rule": "paper"}, ValueError, "rule must be one of 'official', 'geometric'; got 'paper'"
    ),
    *rows_of_positions("alibi_bias", ([0.5],)),
    row("alibi_bias", (P, P, [0.5, -0.25]), {}, ValueError, "slopes must be at least 0 because .*, got -0.25"),
    row("alibi_bias", (P, P, 0.5), {}, ValueError, r"slopes must have 1 axis, got shape \(\)"),
    row("alibi_bias", (P, P, []), {}, ValueError, "slopes must not be empty"),
    row("alibi_bias", (P, P, [NAN]), {}, ValueError, "slopes must be finite, got nan"),
    row(
        "alibi_bias", (P, P, [0.5]), {"form": "encoder"}, ValueError, "form must be one of 'causal', .*; got 'encoder'"
    ),
]


def _rows_of_kerple(name: str, parameters: tuple[str, ...]) -> list:
    good = [1.0] * len(parameters)
    rows = [
        row(name, ([NAN], *good), {}, ValueError, "distance must be finite, got nan"),
        row(name, ([], *good), {}, ValueError, "distance must not be empty"),
        row(name, (["a"], *good), {}, TypeError, "distance must hold real numbers"),
        row(name, (P, *good), {"minimum": 0.0}, ValueError, "minimum must be greater than 0, got 0"),
        row(name, (P, *good), {"minimum": "x"}, TypeError, "minimum must be a real number, got 'x'"),
        row(
            name,
            (P, [1.0, 1.0], [1.0] * 3, *good[2:]),
            {},
            ValueError,
            f"{parameters[0]} has length 2 but {parameters[1]} has length 3",
        ),
    ]
    for index, parameter in enumerate(parameters):
        for value, options, error, match in (
            (0.0, {"minimum": None}, ValueError, f"{parameter} must be greater than 0, got 0"),
            (NAN, {}, ValueError, f"{parameter} must be finite, got nan"),
            ([[1.0]], {}, ValueError, rf"{parameter} must be one number or have shape \[H\], got shape \(1, 1\)"),
            ("x", {}, TypeError, f"{parameter} must hold real numbers"),
        ):
            values = [*good[:index], value, *good[index + 1 :]]
            rows.append(row(name, (P, *values), options, error, match))
    return rows


KERPLE = [
    *_rows_of_kerple("kerple_log", ("r1", "r2")),
    *_rows_of_kerple("kerple_power", ("r1", "r2")),
    *_rows_of_kerple("kerple_weight", ("a", "p")),
    *_rows_of_kerple("kerple_three_parameter", ("a", "b", "p")),
    row(
        "kerple_three_parameter",
        (P, 1.0, 1.0, 1e5),
        {},
        ValueError,
        r"p must keep a \* distance\*\*p finite in float64, got 100000 at distance 2",
    ),
    *[
        row(name, (P, 1.0, 1.0), {"maximum_exponent": value}, error, match)
        for name in ("kerple_power", "kerple_weight")
        for value, error, match in (
            (0.0, ValueError, "maximum_exponent must be greater than 0, got 0"),
            ("2", TypeError, "maximum_exponent must be a real number, got '2'"),
        )
    ],
]

SANDWICH = [
    *rows_of_positions("sandwich_bias", (2,)),
    row("sandwich_bias", (P, P, 0), {}, ValueError, "num_heads must be at least 1, got 0"),
    row("sandwich_bias", (P, P, 2), {"bidirectional": 0}, TypeError, "bidirectional must be True or False, got 0"),
    row("sandwich_head_scales", (-1,), {}, ValueError, "num_heads must be at least 1, got -1"),
    row("sandwich_head_scales", (2.0,), {}, TypeError, "num_heads must be a whole number, got 2.0"),
    row("sandwich_kernel", ([NAN],), {}, ValueError, "distance must be finite, got nan"),
    *[
        row(name, arguments, options, error, match)
        for name, arguments in (("sandwich_bias", (P, P, 2)), ("sandwich_kernel", (P,)))
        for options, error, match in (
            ({"dim": 7}, ValueError, "dim must be even because .*, got 7"),
            ({"dim": 0}, ValueError, "dim must be at least 2, got 0"),
            ({"base": 1.0}, ValueError, "base must be greater than 1, got 1"),
            ({"index_start": 2}, ValueError, "index_start must be at most 1, got 2"),
            ({"index_start": -1}, ValueError, "index_start must be at least 0, got -1"),
            ({"subtract_constant": None}, TypeError, "subtract_constant must be True or False, got None"),
        )
    ],
]

FIRE = [
    *rows_of_positions("fire_input", ()),
    *rows_of_positions("fire_bias", (LAYERS,)),
    *[
        row(name, arguments, options, error, match)
        for name, arguments in (("fire_input", (P, P)), ("fire_bias", (P, P, LAYERS)))
        for options, error, match in (
            ({"c": 0}, ValueError, "c must not be 0 because .*, got 0"),
            ({"c": INF}, ValueError, "c must be finite, got inf"),
            ({"c": 1e308}, ValueError, r"c times the largest distance 512 must be finite, got c 1e\+308"),
            ({"threshold": 0.0}, ValueError, "threshold must be greater than 0, got 0"),
            ({"threshold": "L"}, TypeError, "threshold must be a real number, got 'L'"),
            ({"eps": -1e-6}, ValueError, "eps must be at least 0, got -1e-06"),
        )
    ],
]


def _rows_of_layers(name, before, inputs, options=None) -> list:
    good = np.ones((4, inputs))
    cases = (
        (None, TypeError, r"layers must be a sequence of pairs \(weight, bias or None\), got NoneType"),
        ("relu", TypeError, r"layers must be a sequence of pairs \(weight, bias or None\), got str"),
        ([], ValueError, "layers must hold at least 1 layer, got 0"),
        ([good], ValueError, r"layers\[0\] must be a pair \(weight, bias or None\), got ndarray"),
        ([(good[0], None)], ValueError, r"layers\[0\] weight must have 2 axes"),
        ([(np.ones((4, 5)), None)], ValueError, rf"layers\[0\] weight must take {inputs} inputs, got shape \(4, 5\)"),
        (
            [(good, None), (np.ones((2, 3)), None)],
            ValueError,
            r"layers\[1\] weight must take 4 inputs, got shape \(2, 3\)",
        ),
        ([(good, np.zeros(3))], ValueError, r"layers\[0\] bias must have 4 entries, got 3"),
        ([(good * NAN, None)], ValueError, r"layers\[0\] weight must be finite, got nan"),
    )
    return [row(name, (*before, layers), options or {}, error, match) for layers, error, match in cases]


HIDDEN_LAYERS = [(np.ones((4, 1)), None), (np.ones((2, 4)), None)]
CONTINUOUS = [
    *[
        row(name, (values,), {}, error, match)
        for name in ("linear_distance_bias", "log_distance_bias", "exponential_distance_bias", "gaussian_distance_bias")
        for values, error, match in (
            ([NAN], ValueError, "distance must be finite, got nan"),
            ([], ValueError, "distance must not be empty"),
            ([1j], TypeError, "distance must hold real numbers, got dtype complex128"),
        )
    ],
    row("linear_distance_bias", (P, -0.5), {}, ValueError, "slope must be at least 0, got -0.5"),
    row("log_distance_bias", (P, 0.0), {}, ValueError, "scale must be greater than 0, got 0"),
    row("log_distance_bias", (P, 1.0, -1.0), {}, ValueError, "rate must be greater than 0, got -1"),
    row("exponential_distance_bias", (P, INF), {}, ValueError, "height must be finite, got inf"),
    row("exponential_distance_bias", (P, 1.0, 0.0), {}, ValueError, "length must be greater than 0, got 0"),
    row("gaussian_distance_bias", (P, "x"), {}, TypeError, "height must be a real number, got 'x'"),
    row("gaussian_distance_bias", (P, 1.0, 0.0), {}, ValueError, "width must be greater than 0, got 0"),
    row("mlp_distance_bias", ([NAN], LAYERS), {}, ValueError, "distance must be finite, got nan"),
    row(
        "mlp_distance_bias", (P, LAYERS), {"activation": "gelu"}, ValueError, "activation must be one of .*; got 'gelu'"
    ),
    row("mlp_distance_bias", (P, LAYERS), {"log_distance": 1}, TypeError, "log_distance must be True or False, got 1"),
    *[
        row("mlp_distance_bias", (P, HIDDEN_LAYERS), {"norms": norms}, error, match)
        for norms, error, match in (
            (4, TypeError, r"norms must be a sequence of pairs \(scale, shift or None\), got int"),
            ([], ValueError, "norms has length 0 but the hidden layers has length 1"),
            ([np.ones(4)], ValueError, r"norms\[0\] must be a pair \(scale, shift or None\), got ndarray"),
            ([(None, None)], TypeError, r"norms\[0\] scale must"),
            ([(np.ones(3), None)], ValueError, r"norms\[0\] scale must have 4 entries, got 3"),
            ([(np.ones(4), np.ones(5))], ValueError, r"norms\[0\] shift must have 4 entries, got 5"),
            ([(np.ones(4) * NAN, None)], ValueError, r"norms\[0\] scale must be finite, got nan"),
        )
    ],
    *_rows_of_layers("fire_bias", (P, P), 1),
    *_rows_of_layers("mlp_distance_bias", (P,), 1),
    *_rows_of_layers("swin_log_bias", (XY, XY, 2), 2),
    row("swin_log_coordinates", ([NAN], 4), {}, ValueError, "offset must be finite, got nan"),
    row("swin_log_coordinates", (XY, 0), {}, ValueError, "window must be at least 1, got 0"),
    row("swin_log_coordinates", (XY, 1.5), {}, ValueError, "window must be whole numbers, got 1.5"),
    row(
        "swin_log_coordinates",
        (XY, [2, 2, 2]),
        {},
        ValueError,
        "window has length 3 but last axis of offset has length 2",
    ),
    row("swin_log_coordinates", (XY, [[2]]), {}, ValueError, r"window must be one number .*, got shape \(1, 1\)"),
    row("swin_log_bias", ([0, 1], XY, 2, SWIN), {}, ValueError, "query_coordinates must have 2 axes"),
    row(
        "swin_log_bias",
        (XY, [[0]], 2, SWIN),
        {},
        ValueError,
        "query_coordinates has length 2 but .*key_coordinates has",
    ),
    row("swin_log_bias", (XY, [[0, NAN]], 2, SWIN), {}, ValueError, "key_coordinates must be finite, got nan"),
    row("swin_log_bias", (XY, XY, 2, SWIN), {"ceiling": 0}, ValueError, "ceiling must be greater than 0, got 0"),
]

CONTEXTUAL = [
    row("cope_positions", (Q[0, 0], MASK), {"npos": 4}, ValueError, "gate_logits must have at least 2 axes"),
    row("cope_positions", (MASK * NAN, MASK), {"npos": 4}, ValueError, "gate_logits must be finite, got nan"),
    row("cope_positions", (MASK * 1.0, MASK * 1.0), {"npos": 4}, TypeError, "mask must be boolean, got dtype float64"),
    row("cope_positions", (MASK * 1.0, MASK[:2]), {"npos": 4}, ValueError, r"mask must .*\(3, 3\), got shape \(2, 3\)"),
    row("cope_positions", (MASK * 1.0, MASK), {"npos": 0}, ValueError, "npos must be at least 1, got 0"),
    row("cope_positions", (MASK * 1.0, MASK), {"npos": 2.5}, TypeError, "npos must be a whole number, got 2.5"),
    row("cope_bias", (Q[0, 0], [[0.0]], np.ones((3, 4))), {}, ValueError, "q must have at least 2 axes"),
    row(
        "cope_bias", (Q[0], np.zeros((2, 3)), np.ones((3, 4))), {}, ValueError, r"positions must agree with q \(3, 4\)"
    ),
    row(
        "cope_bias",
        (Q[0], np.full((3, 3), 2.5), np.ones((3, 4))),
        {},
        IndexError,
        "positions 3 is outside the table of 3",
    ),
    row(
        "cope_bias", (Q[0], np.full((3, 3), -0.5), np.ones((3, 4))), {}, IndexError, "positions -1 is outside the table"
    ),
    row("cope_bias", (Q[0], np.zeros((3, 3)), np.ones((3, 5))), {}, ValueError, "last axis of q has length 4 but .* 5"),
    row("cope_bias", (Q[0], np.zeros((3, 3)), np.ones(4)), {}, ValueError, "position_table must have 2 axes"),
    row("cope_logits", (Q * NAN, Q, np.ones((3, 4)), MASK), {}, ValueError, "q must be finite, got nan"),
    row("cope_logits", (Q, Q[..., :3], np.ones((3, 4)), MASK), {}, ValueError, r"k must agree with q .*\(2, 3, 3\)"),
    row("cope_logits", (Q, Q[:1], np.ones((3, 4)), MASK), {}, ValueError, r"k must agree with q .*\(1, 3, 4\)"),
    row("cope_logits", (Q, Q, np.ones((3, 5)), MASK), {}, ValueError, "last axis of q has length 4 but .* 5"),
    row("cope_logits", (Q, Q, np.ones((3, 4)), [[1]]), {}, TypeError, "mask must be boolean, got dtype int64"),
    row("cope_logits", (Q, Q, np.ones((3, 4)), MASK), {"nodiv": 1}, TypeError, "nodiv must be True or False, got 1"),
    row(
        "cope_logits",
        (Q, Q, np.ones((3, 4)), MASK),
        {"gate_keys": Q[:, :2]},
        ValueError,
        r"gate_keys must give one gate per score \(2, 3, 3\), got \(2, 3, 2\)",
    ),
    row("forgetting_gate_bias", (1.0,), {}, ValueError, "gate_logits must have at least 1 axis"),
    row("forgetting_gate_bias", ([NAN],), {}, ValueError, "gate_logits must be finite, got nan"),
    row("forgetting_gate_bias", ([],), {}, ValueError, "gate_logits must not be empty"),
    row(
        "forgetting_gate_bias", (P,), {"query_indices": [3]}, IndexError, "query_indices 3 is outside the sequence of 3"
    ),
    row(
        "forgetting_gate_bias",
        (P,),
        {"query_indices": [-1]},
        IndexError,
        "query_indices -1 is outside the sequence of 3",
    ),
    row(
        "forgetting_gate_bias",
        (P,),
        {"query_indices": [0.5]},
        ValueError,
        "query_indices must be whole numbers, got 0.5",
    ),
    row(
        "forgetting_gate_bias", (P,), {"query_indices": [[0]]}, ValueError, r"query_indices must have 1 axis, got shape"
    ),
    row(
        "forgetting_gate_bias",
        (P,),
        {"future_gate_logits": [0.0]},
        ValueError,
        r"future_gate_logits must have the shape of gate_logits, \(3,\), got \(1,\)",
    ),
    row(
        "forgetting_gate_bias",
        (P,),
        {"future_gate_logits": [0, 1, NAN]},
        ValueError,
        "future_gate_logits must be finite, got nan",
    ),
]


@pytest.mark.parametrize(
    ("name", "arguments", "options", "error", "match"),
    [*T5, *ALIBI, *KERPLE, *SANDWICH, *FIRE, *CONTINUOUS, *CONTEXTUAL],
)
def test_bad_input_is_named(name, arguments, options, error, match) -> None:
    with pytest.raises(error, match=match):
        getattr(bias, name)(*arguments, **options)


def test_every_function_has_rows() -> None:
    named = {parameter.values[0] for parameter in [*T5, *ALIBI, *KERPLE, *SANDWICH, *FIRE, *CONTINUOUS, *CONTEXTUAL]}
    assert named == set(bias.__all__)
