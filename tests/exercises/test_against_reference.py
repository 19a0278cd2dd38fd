"""A solution in pure Python is the one other copy of a formula that the package allows: it equals the reference."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pe_course.exercises.attempts import cases_of, comparable, solution_of, value_of
from pe_course.exercises.matrix import code_exercises
from pe_course.exercises.registry import find
from pe_course.reference import absolute, attention, positions, rotary, scaling
from pe_course.reference import bias as biases
from pe_course.reference import relative as relatives


def _alibi(n_heads, n):
    return biases.alibi_bias(np.arange(n), np.arange(n), biases.alibi_slopes(n_heads))


def _complex(z, position, base=10000.0):
    z = np.asarray(z)
    row = np.stack([z.real, z.imag], -1).reshape(1, -1)
    turned = rotary.apply_rope(row, [position], base=base, layout="interleaved")[0]
    return turned[0::2] + 1j * turned[1::2]


def _pair(a, b, angle):
    return rotary.apply_rope([[a, b]], [angle], layout="interleaved")[0]


def _equivariant(before, after, order):
    return bool(np.allclose(attention.permute(np.asarray(before), order), after, rtol=0, atol=1e-6))


def _weights(scores, slope=0.5):
    index = np.arange(len(scores))
    return attention.softmax(np.asarray(scores) + biases.linear_distance_bias(index[:, None] - index, slope))


def _ramp(dim, base, orig_max, beta_fast=32, beta_slow=1):
    kept = scaling.ntk_by_parts_ramp(
        dim, original_max_position_embeddings=orig_max, base=base, beta_fast=beta_fast, beta_slow=beta_slow
    )
    return 1 - kept


def _score(q, k, m, n):
    return rotary.rope_score(q, k, m - n, rotary.rope_frequencies(len(q)), layout="interleaved")


def _shaw_biases(table, n):
    index = relatives.relative_position_index(np.arange(n), np.arange(n), len(table) // 2)
    return np.asarray(table)[index]


def _scaled(q, k, slope):
    q, k = np.asarray(q), np.asarray(k)
    return q @ k.T / np.sqrt(q.shape[1]) + biases.alibi_bias(np.arange(len(q)), np.arange(len(k)), [slope])[0]


def _left(lengths, width):
    mask = [[0] * (width - length) + [1] * length for length in lengths]
    return positions.positions_from_mask(mask)


REFERENCE = {
    "sinusoidal-pe": lambda n, d, base=1e4: absolute.sinusoidal_positions(np.arange(n), d, base=base),
    "sinusoid-shift-matrix": lambda k, d, base=1e4: absolute.sinusoidal_shift_matrix(k, d, base=base),
    "rotate-pair": _pair,
    "rope-apply": lambda x, p, base=1e4: rotary.apply_rope(x, p, base=base, layout="interleaved"),
    "rope-complex": _complex,
    "interleaved-to-half": rotary.interleaved_to_half,
    "half-to-interleaved": rotary.half_to_interleaved,
    "t5-bucket": lambda rel, bidirectional=True, num_buckets=32, max_distance=128: biases.t5_relative_position_bucket(
        rel, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance
    ),
    "alibi-slopes": biases.alibi_slopes,
    "alibi-bias": _alibi,
    "kerple-log": lambda d, r1, r2: biases.kerple_log(d, r1, r2, minimum=None),
    "kerple-power": lambda d, r1, r2: biases.kerple_power(d, r1, r2, minimum=None),
    "continuous-bias": _weights,
    "shaw-index": lambda n, m: relatives.relative_position_index(np.arange(n), np.arange(n), max_relative_position=m),
    "rel-shift": relatives.rel_shift,
    "ntk-base": scaling.ntk_base,
    "yarn-ramp": _ramp,
    "logn-scale": lambda n, trained: scaling.logn_scale(np.arange(n), trained),
    "positions-from-mask": positions.positions_from_mask,
    "decode-positions": positions.decode_positions,
    "left-padded-positions": _left,
    "packed-positions": positions.packed_positions,
    "equivariance-check": _equivariant,
    "debug-rotate-only-k": _score,
    "debug-integer-division": lambda d, base=1e4: rotary.rope_frequencies(d, base=base),
    "debug-clip-forgotten": _shaw_biases,
    "debug-cache-offset": lambda seen, new, speeds: rotary.rope_angles(positions.decode_positions(seen, new), speeds),
    "debug-bias-scaled": _scaled,
}


def test_every_code_exercise_is_compared():
    assert set(REFERENCE) == {one.id for one in code_exercises()}


@pytest.mark.parametrize("id", REFERENCE)
def test_solution_equals_the_reference(id):
    exercise, rng = find(id), Random(11)
    cases = [*cases_of(exercise), *(exercise.random_case(rng) for _ in range(30))]
    for case in cases:
        ours = value_of(solution_of(exercise), case)
        theirs = np.asarray(REFERENCE[id](*case.args, **case.kwargs)).tolist()
        left, right = (np.asarray(flat(comparable(exercise, value, case))) for value in (ours, theirs))
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9, err_msg=str(case))


def flat(value) -> list:
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [value]
