"""The seeded tasks: their laws, and that what is called the optimum is one."""

from itertools import pairwise
from math import log

import numpy as np
import pytest

from pe_course.lab import synthetic


def rng(seed=0):
    return np.random.default_rng(seed)


def bayes_by_counting(chain, states, alpha):
    """The posterior mean, counted anew for each prediction."""
    losses = []
    for t in range(len(chain) - 1):
        transitions = list(pairwise(chain[: t + 1]))
        from_here = [after for before, after in transitions if before == chain[t]]
        p = (from_here.count(chain[t + 1]) + alpha) / (len(from_here) + states * alpha)
        losses.append(-log(p))
    return losses


def test_markov_optimum_is_the_posterior_mean():
    chains = synthetic.markov(rng(), 3, 40).tokens
    found = synthetic.markov_bayes_loss(chains)
    expected = [bayes_by_counting(list(chain), 8, 0.1) for chain in chains.tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_markov_first_prediction_is_a_guess():
    assert synthetic.markov(rng(), 5, 4).optimum[:, 0] == pytest.approx(np.full(5, log(8)))


def test_markov_no_other_prior_predicts_better():
    drawn = synthetic.markov(rng(1), 400, 128)
    own = drawn.optimum.mean()
    for other in (0.03, 0.3, 1.0):
        assert synthetic.markov_bayes_loss(drawn.tokens, concentration=other).mean() > own + 0.01


def test_markov_optimum_falls_with_the_context():
    optimum = synthetic.markov(rng(2), 300, 256).optimum.mean(0)
    assert optimum[:16].mean() - 0.3 > optimum[48:64].mean() > optimum[-64:].mean() + 0.05


def test_markov_chains_follow_their_matrices():
    # With rows of the largest concentration, all transitions are equally likely.
    tokens = synthetic.markov(rng(3), 200, 200, concentration=1e6).tokens
    counts = np.zeros((8, 8))
    np.add.at(counts, (tokens[:, :-1].ravel(), tokens[:, 1:].ravel()), 1)
    np.testing.assert_allclose(counts / counts.sum(1, keepdims=True), 1 / 8, atol=0.02)


@pytest.mark.parametrize(("length", "most"), [(64, 32), (16, 8), (1024, 32)])
def test_copy_repeats_from_the_first_separator_on(length, most):
    drawn = synthetic.copy(rng(), 200, length)
    for tokens, scored in zip(drawn.tokens, drawn.scored, strict=True):
        period = int(np.argmax(tokens == synthetic.COPY_SYMBOLS)) + 1
        assert 4 <= period <= most
        np.testing.assert_array_equal(tokens[period:], tokens[:-period])
        np.testing.assert_array_equal(scored, np.arange(1, length + 1) >= period)
    assert not drawn.optimum.any()


def test_copy_takes_a_period():
    drawn = synthetic.copy(rng(), 20, 256, period=128)
    assert (drawn.tokens[:, 127] == synthetic.COPY_SYMBOLS).all() and drawn.scored.sum() == 20 * 129


def test_recall_counts_values_of_known_keys_only():
    drawn = synthetic.recall(rng(), 50, 64)
    for tokens, scored in zip(drawn.tokens, drawn.scored, strict=True):
        values = {}
        for t in range(0, 64, 2):
            key, value = tokens[t], tokens[t + 1]
            assert key < synthetic.RECALL_KEYS <= value < synthetic.RECALL_KEYS + synthetic.RECALL_VALUES
            assert scored[t] == (key in values) and not scored[t + 1]
            assert values.setdefault(key, value) == value


@pytest.mark.parametrize(("length", "distance"), [(64, 2), (64, 62), (256, 128), (16, 8)])
def test_recall_at_asks_for_a_key_that_stands_once_before(length, distance):
    drawn = synthetic.recall_at(rng(), 40, length, distance=distance)
    assert drawn.tokens.shape == (40, length) and drawn.scored.sum() == 40 and drawn.scored[:, -1].all()
    for tokens in drawn.tokens:
        keys = tokens[::2]
        assert (keys == keys[-1]).sum() == 2
        assert tokens[length - 2 - distance] == tokens[-2] and tokens[length - 1 - distance] == tokens[-1]


@pytest.mark.parametrize("draw", [synthetic.markov, synthetic.copy, synthetic.recall])
def test_a_seed_decides_everything(draw):
    first, again, other = draw(rng(5), 8, 32), draw(rng(5), 8, 32), draw(rng(6), 8, 32)
    np.testing.assert_array_equal(first.tokens, again.tokens)
    assert (first.tokens != other.tokens).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: synthetic.markov_bayes_loss([0, 8]), "tokens must be at most 7, got 8", id="state"),
        pytest.param(lambda: synthetic.markov_bayes_loss([0]), r"tokens must be \[..., T\+1\].*\(1,\)", id="one token"),
        pytest.param(
            lambda: synthetic.markov_bayes_loss([0, 1], concentration=0),
            "concentration must be greater than 0, got 0",
            id="concentration",
        ),
        pytest.param(
            lambda: synthetic.markov_bayes_loss([0, 0], states=1), "states must be at least 2, got 1", id="states"
        ),
        pytest.param(lambda: synthetic.copy(rng(), 1, 64, period=33), "period must be at most 32, got 33", id="period"),
        pytest.param(
            lambda: synthetic.recall_at(rng(), 1, 64, distance=64), "distance must be at most 62, got 64", id="far"
        ),
        pytest.param(
            lambda: synthetic.recall_at(rng(), 1, 64, distance=3), "distance must be even .* got 64 and 3", id="odd"
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
