"""What bad input to ``attention`` gets: the argument, the value and the limit."""

from __future__ import annotations

import numpy as np
import pytest

from pe_course.reference import attention

NAN, INF = float("nan"), float("inf")
Q, K, V = np.ones((2, 3, 4)), np.ones((2, 5, 4)), np.ones((2, 5, 6))
ALL = np.ones((3, 5), dtype=bool)


def _with_nan(array):
    array = array.copy()
    array.flat[0] = NAN
    return array


WEIGHT_ROWS = [
    ({"q": np.ones(4)}, ValueError, r"q must have at least 2 axes \[\.\.\., length, width\], got shape \(4,\)"),
    ({"k": np.ones(4)}, ValueError, r"k must have at least 2 axes \[\.\.\., length, width\], got shape \(4,\)"),
    ({"q": _with_nan(Q)}, ValueError, "q must be finite, got nan"),
    ({"k": _with_nan(K)}, ValueError, "k must be finite, got nan"),
    ({"q": Q > 0}, TypeError, "q must hold real numbers, got dtype bool"),
    ({"k": K > 0}, TypeError, "k must hold real numbers, got dtype bool"),
    ({"q": Q[:, :0]}, ValueError, r"q must not be empty, got shape \(2, 0, 4\)"),
    ({"k": K[:, :0]}, ValueError, r"k must not be empty, got shape \(2, 0, 4\)"),
    ({"k": np.ones((2, 5, 3))}, ValueError, "q has length 4 but k has length 3"),
    ({"q": Q[:1]}, ValueError, r"q has leading axes \(1,\) but k has \(2,\); they must be equal"),
    ({"q": Q[0]}, ValueError, r"q has leading axes \(\) but k has \(2,\); they must be equal"),
    ({"bias": np.ones((5, 3))}, ValueError, r"bias must .* broadcast to \(2, 3, 5\), got shape \(5, 3\)"),
    ({"bias": np.ones(5)}, ValueError, r"bias must have at least 2 axes .*got shape \(5,\)"),
    ({"bias": 1.0}, ValueError, r"bias must have at least 2 axes .*got shape \(\)"),
    ({"bias": np.ones((7, 2, 3, 5))}, ValueError, r"bias must .* broadcast to \(2, 3, 5\), got shape \(7, 2, 3, 5\)"),
    ({"bias": np.full((3, 5), -INF)}, ValueError, "bias must be finite, got -inf"),
    ({"bias": ALL}, TypeError, "bias must hold real numbers, got dtype bool"),
    ({"mask": ALL.T}, ValueError, r"mask must .* broadcast to \(2, 3, 5\), got shape \(5, 3\)"),
    ({"mask": ALL[0]}, ValueError, r"mask must have at least 2 axes .*got shape \(5,\)"),
    ({"mask": ALL.astype(int)}, TypeError, "mask must be boolean, got dtype int64"),
    ({"mask": np.zeros((3, 0), dtype=bool)}, ValueError, r"mask must not be empty, got shape \(3, 0\)"),
    ({"scale": -1}, ValueError, "scale must be at least 0, got -1"),
    ({"scale": NAN}, ValueError, "scale must be finite, got nan"),
    ({"scale": "sqrt"}, TypeError, "scale must be a real number, got 'sqrt'"),
    ({"scale": True}, TypeError, "scale must be a real number, got True"),
]


@pytest.mark.parametrize(("wrong", "error", "message"), WEIGHT_ROWS)
def test_weights(wrong, error, message):
    with pytest.raises(error, match=message):
        attention.attention_weights(**{"q": Q, "k": K, **wrong})


@pytest.mark.parametrize(("wrong", "error", "message"), WEIGHT_ROWS)
def test_attention_refuses_what_the_weights_refuse(wrong, error, message):
    with pytest.raises(error, match=message):
        attention.attention(**{"q": Q, "k": K, "v": V, **wrong})


ROWS = [
    pytest.param("attention", (Q, K, V[:, :4]), {}, ValueError, "v has length 4 but k has length 5"),
    pytest.param("attention", (Q, K, V[:1]), {}, ValueError, r"v has leading axes \(1,\) but q has \(2,\)"),
    pytest.param("attention", (Q, K, np.ones(5)), {}, ValueError, r"v must have at least 2 axes .*got shape \(5,\)"),
    pytest.param("attention", (Q, K, _with_nan(V)), {}, ValueError, "v must be finite, got nan"),
    pytest.param("attention", (Q, K, V > 0), {}, TypeError, "v must hold real numbers, got dtype bool"),
    pytest.param("attention", (Q, K, V[..., :0]), {}, ValueError, r"v must not be empty, got shape \(2, 5, 0\)"),
    pytest.param("softmax", ([1, NAN],), {}, ValueError, "scores must be finite, got nan"),
    pytest.param("softmax", ([1, -INF],), {}, ValueError, "scores must be finite, got -inf"),
    pytest.param("softmax", ([],), {}, ValueError, r"scores must not be empty, got shape \(0,\)"),
    pytest.param("softmax", (["a"],), {}, TypeError, "scores must hold real numbers"),
    pytest.param("softmax", (3.0,), {}, ValueError, "axis -1 does not exist in an array without axes"),
    pytest.param("softmax", ([[1, 2]],), {"axis": 2}, ValueError, r"axis must be .* 2 axes \(-2…1\), got 2"),
    pytest.param("softmax", ([[1, 2]],), {"axis": -3}, ValueError, r"axis must be .* 2 axes \(-2…1\), got -3"),
    pytest.param("softmax", ([[1, 2]],), {"axis": 0.0}, TypeError, r"axis must be a whole number, got 0\.0"),
    pytest.param("softmax", ([1, 2],), {"mask": [1, 0]}, TypeError, "mask must be boolean, got dtype int64"),
    pytest.param("softmax", ([1, 2],), {"mask": [True] * 3}, ValueError, r"mask must .*\(2,\), got shape \(3,\)"),
    pytest.param("softmax", ([[1, 2]],), {"mask": [True] * 2}, ValueError, "mask must have at least 2 axes"),
    pytest.param("causal_mask", (0,), {}, ValueError, "query_length must be at least 1, got 0"),
    pytest.param("causal_mask", (2.0,), {}, TypeError, r"query_length must be a whole number, got 2\.0"),
    pytest.param("causal_mask", (2, 0), {}, ValueError, "key_length must be at least 1, got 0"),
    pytest.param("causal_mask", (2, True), {}, TypeError, "key_length must be a whole number, got True"),
    pytest.param("causal_mask", (5, 3), {}, ValueError, "query_length must be at most key_length 3, got 5"),
    *(
        pytest.param(name, (*before, permutation), {}, error, message)
        for name, before in [("permutation_matrix", ()), ("permute", (np.ones((3, 2)),))]
        for permutation, error, message in [
            ([0, 1, 1], ValueError, r"permutation must hold each of 0…2 once, got \[0, 1, 1\]"),
            ([1, 2, 3], ValueError, r"permutation must hold each of 0…2 once, got \[1, 2, 3\]"),
            ([0, -1, 1], ValueError, r"permutation must hold each of 0…2 once, got \[0, -1, 1\]"),
            ([0, 1, 1.5], ValueError, r"permutation must be whole numbers, got 1\.5"),
            ([[0, 1, 2]], ValueError, r"permutation must have 1 axis, got shape \(1, 3\)"),
            ([], ValueError, "permutation must not be empty"),
            ("abc", TypeError, "permutation must hold real numbers|permutation must have 1 axis"),
        ]
    ),
    pytest.param("permute", (np.ones((3, 2)), [1, 0]), {}, ValueError, "permutation has length 2 but axis 0 of x has"),
    pytest.param("permute", (np.ones((3, 2)), [1, 0, 2]), {"axis": 1}, ValueError, "axis 1 of x has length 2"),
    pytest.param("permute", (np.ones((3, 2)), [1, 0]), {"axis": 2}, ValueError, r"axis must be .*\(-2…1\), got 2"),
    pytest.param("permute", (np.ones((3, 2)), [1, 0]), {"axis": None}, TypeError, "axis must be a whole number"),
    pytest.param("permute", (7, [0]), {}, ValueError, "axis 0 does not exist in an array without axes"),
    pytest.param("permute", ([[1], [2, 3]], [1, 0]), {}, ValueError, "x must be a rectangular array"),
]


@pytest.mark.parametrize(("name", "arguments", "options", "error", "message"), ROWS)
def test_arguments(name, arguments, options, error, message):
    with pytest.raises(error, match=message):
        getattr(attention, name)(*arguments, **options)
