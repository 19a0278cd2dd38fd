"""Laws of the biases that depend on content: CoPE and the forgetting gate."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_course.reference import bias

LAW = settings(deadline=None, derandomize=True, max_examples=30)
CAUSAL = np.tri(6, dtype=bool)


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def gate(logit: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-logit))


def cope_by_loops(q, k, table, *, nodiv: bool, gate_keys=None) -> np.ndarray:
    """The equations of CoPE for one head, pair by pair; entries above the diagonal stay 0."""
    gate_keys = k if gate_keys is None else gate_keys
    root, logits = np.sqrt(q.shape[-1]), np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(i + 1):
            counted = sum(gate(q[i] @ gate_keys[t] / root) for t in range(j, i + 1))
            position = min(counted, len(table) - 1)
            low = int(position)
            high = min(low + 1, len(table) - 1)
            vector = table[low] + (position - low) * (table[high] - table[low])
            score, extra = q[i] @ k[j], q[i] @ vector
            logits[i, j] = score / root + extra if nodiv else (score + extra) / root
    return logits


def test_cope_open_gates_count_tokens() -> None:
    ours = bias.cope_positions(np.full((6, 6), 50.0), CAUSAL, npos=64)
    assert_allclose(ours[CAUSAL], (np.subtract.outer(np.arange(6), np.arange(6)) + 1)[CAUSAL])


def test_cope_includes_its_own_gate_and_no_future_gate() -> None:
    logits = random(6, 6)
    ours = bias.cope_positions(logits, CAUSAL, npos=64)
    assert_allclose(np.diag(ours), gate(np.diag(logits)))
    assert_array_equal(ours[~CAUSAL], 0.0)


def test_cope_positions_end_at_the_table() -> None:
    ours = bias.cope_positions(np.full((6, 6), 50.0), CAUSAL, npos=4)
    assert ours.max() == 3.0
    assert_allclose(ours[5], [3, 3, 3, 3, 2, 1])


def test_cope_positions_survive_extreme_gates() -> None:
    ours = bias.cope_positions([[-1e300, 1e300]], np.ones((1, 2), dtype=bool), npos=9)
    assert_array_equal(ours, [[1.0, 1.0]])


@LAW
@given(st.integers(0, 10_000))
def test_cope_ignores_what_is_masked(seed: int) -> None:
    logits = random(6, 6, seed=seed)
    changed = np.where(CAUSAL, logits, 9.0)
    assert_array_equal(bias.cope_positions(logits, CAUSAL, npos=5), bias.cope_positions(changed, CAUSAL, npos=5))


def test_cope_bias_interpolates_between_rows() -> None:
    table = np.array([[0.0, 1.0], [10.0, 3.0], [20.0, -1.0]])
    ours = bias.cope_bias([[1.0, 2.0]], [[0.0, 0.25, 1.0, 2.0]], table)
    assert_allclose(ours, [[2.0, 0.75 * 2 + 0.25 * 16, 16.0, 18.0]])


def test_cope_logits_equal_the_equations() -> None:
    q, k, table = random(6, 4), random(6, 4, seed=1), random(4, 4, seed=2)
    for nodiv in (False, True):
        ours = bias.cope_logits(q, k, table, CAUSAL, nodiv=nodiv)
        assert_allclose(ours[CAUSAL], cope_by_loops(q, k, table, nodiv=nodiv)[CAUSAL], atol=1e-13)


def test_cope_separate_gate_keys() -> None:
    q, k, other, table = random(6, 4), random(6, 4, seed=1), random(6, 4, seed=5), random(3, 4, seed=2)
    ours = bias.cope_logits(q, k, table, CAUSAL, gate_keys=other)
    assert_allclose(ours[CAUSAL], cope_by_loops(q, k, table, nodiv=False, gate_keys=other)[CAUSAL], atol=1e-13)


def test_cope_zero_table_is_plain_attention() -> None:
    q, k = random(2, 3, 6, 4), random(2, 3, 6, 4, seed=1)
    ours = bias.cope_logits(q, k, np.zeros((5, 4)), CAUSAL)
    assert_allclose(ours, q @ np.swapaxes(k, -1, -2) / 2.0)


def test_cope_cached_query_gets_the_last_row() -> None:
    q, k, table = random(6, 4), random(6, 4, seed=1), random(4, 4, seed=2)
    last = bias.cope_logits(q[-1:], k, table, CAUSAL[-1:])
    assert_allclose(last, bias.cope_logits(q, k, table, CAUSAL)[-1:])


def test_forgetting_gate_sums_the_logarithms_between() -> None:
    logits = random(5)
    ours = bias.forgetting_gate_bias(logits)
    for i in range(5):
        for j in range(i + 1):
            assert_allclose(ours[i, j], sum(np.log(gate(logits[t])) for t in range(j + 1, i + 1)), atol=1e-13)


def test_forgetting_gate_equal_gates_are_alibi() -> None:
    slopes = bias.alibi_slopes(4)
    logits = -np.log(np.expm1(slopes))[:, None] * np.ones(6)
    positions = np.arange(6)
    assert_allclose(bias.forgetting_gate_bias(logits), bias.alibi_bias(positions, positions, slopes), atol=1e-13)


def test_forgetting_gate_cached_query_gets_its_row() -> None:
    logits = random(2, 3, 6)
    ours = bias.forgetting_gate_bias(logits, query_indices=[5, 2])
    assert_array_equal(ours, bias.forgetting_gate_bias(logits)[..., [5, 2], :])


def test_forgetting_gate_survives_closed_gates() -> None:
    assert_allclose(bias.forgetting_gate_bias([0.0, -800.0])[1], [-800.0, 0.0])


def test_forgetting_gate_of_the_future_sums_the_other_way() -> None:
    past, future = random(5), random(5, seed=1)
    ours = bias.forgetting_gate_bias(past, future_gate_logits=future)
    assert_array_equal(np.tril(ours), np.tril(bias.forgetting_gate_bias(past)))
    for i in range(5):
        for j in range(i + 1, 5):
            assert_allclose(ours[i, j], sum(np.log(gate(future[t])) for t in range(i + 1, j + 1)), atol=1e-13)
    cached = bias.forgetting_gate_bias(past, query_indices=[4, 1], future_gate_logits=future)
    assert_array_equal(cached, ours[[4, 1]])
