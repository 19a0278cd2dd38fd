"""Each number that a reader works out by hand, worked out by the package."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pe_course.exercises.catalogue import by_hand
from pe_course.exercises.exercise import NumberExercise
from pe_course.nn import build
from pe_course.reference import absolute, bias, positions, relative, rotary, scaling
from pe_course.reference.attention import attention_weights, softmax

QUESTIONS = {question.id: question for question in vars(by_hand).values() if isinstance(question, type)
             and issubclass(question, NumberExercise) and question is not NumberExercise}  # fmt: skip


def one_pair_score(q: list[float], k: list[float], distance: float, theta: float) -> float:
    return float(rotary.rope_score(q, k, distance, [theta]))


def scaled_score(product: float, width: int) -> float:
    """The logarithm of the ratio of two weights, one key of the given product beside one of zero."""
    q, k = np.full((1, width), 1.0), np.zeros((2, width))
    k[0] = product / width
    weights = attention_weights(q, k)[0]
    return float(np.log(weights[0] / weights[1]))


def middle_row() -> float:
    distances = np.arange(3) - 1
    return float(softmax(3.0 + bias.linear_distance_bias(distances, 0.5))[1])


def shaw_rows(clip: int) -> int:
    index = relative.relative_position_index(np.arange(20), np.arange(20), clip)
    return len(np.unique(index))


def slowed(index: int, factor: float, dim: int = 128) -> float:
    """The plain position whose angle, in the first pair, equals that of `index` under interpolation."""
    return index * float(scaling.rope_scaling_linear(dim, factor=factor)[0][0] / rotary.rope_frequencies(dim)[0])


COMPUTED = {
    "softmax-of-two": lambda: softmax([2.0, 1.0])[0],
    "a-scaled-score": lambda: scaled_score(16.0, 64),
    "shortest-wave": lambda: 2 * math.pi / absolute.sinusoidal_frequencies(512)[0],
    "length-of-a-row": lambda: np.linalg.norm(absolute.sinusoidal_positions([30], 512)),
    "frequency-of-a-pair": lambda: rotary.rope_frequencies(128)[32],
    "longest-wave": lambda: 2 * math.pi / rotary.rope_frequencies(128)[-1],
    "fifteen-degrees": lambda: one_pair_score([1, 0], [1, 0], 1 - 2, math.radians(15)),
    "sign-of-the-distance": lambda: one_pair_score([1, 0], [0, 1], 1 - 0, 1.0),
    "slope-of-the-third-head": lambda: bias.alibi_slopes(8)[2],
    "two-tokens-further": lambda: np.exp(bias.linear_distance_bias([4], 0.5) - bias.linear_distance_bias([2], 0.5))[0],
    "bucket-ahead": lambda: bias.t5_relative_position_bucket([3])[0],
    "bucket-far-behind": lambda: bias.t5_relative_position_bucket([-100])[0],
    "rows-of-shaws-table": lambda: shaw_rows(4),
    "scalars-of-t5": lambda: sum(table.numel() for table in build("t5", num_heads=12).parameters()),
    "memory-of-a-bias": lambda: 12 * 4096 * 4096 * np.dtype("float32").itemsize / 1e6,
    "the-middle-word": middle_row,
    "padded-on-the-left": lambda: positions.positions_from_mask([[0, 0, 1, 1, 1]])[0, -1],
    "interpolated-position": lambda: slowed(6000, 16384 / 4096),
    "base-for-four-times": lambda: scaling.ntk_base(10000.0, 4.0, 128),
    "twice-as-many-keys": lambda: scaling.logn_scale([1023], 512)[0],
}


def test_every_number_is_recomputed():
    assert set(COMPUTED) == set(QUESTIONS)


@pytest.mark.parametrize("name", COMPUTED)
def test_the_answer_is_what_the_package_computes(name):
    assert QUESTIONS[name].answer == pytest.approx(float(COMPUTED[name]()), rel=1e-9)


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_known_wrong_number_is_within_reach_of_the_answer_or_of_another(name):
    question = QUESTIONS[name]
    reach = [(question.answer, question.tolerance)]
    reach += [(w.value, question.tolerance if w.tolerance is None else w.tolerance) for w in question.wrong_numbers]
    for i, (value, tolerance) in enumerate(reach):
        for other, other_tolerance in reach[:i]:
            assert abs(value - other) > max(tolerance, other_tolerance), (value, other)
