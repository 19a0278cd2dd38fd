r"""Seeded tasks whose optimum is known in closed form: Markov chains in context, copying, associative recall.

Every sampler returns `Sequences`. What a model must learn is the same at every length, so that a test at 16 times the
training length asks for nothing new but the length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.validation import count, real_number, whole_array

MARKOV_STATES = 8
MARKOV_CONCENTRATION = 0.1
COPY_SYMBOLS = 16
COPY_PERIODS = (4, 32)
RECALL_KEYS = 8
RECALL_VALUES = 8


@dataclass(frozen=True)
class Sequences:
    """Token sequences and the best that can be done with them.

    ``tokens`` [N, T+1]: token t+1 is to be predicted from tokens 0…t. ``scored`` [N, T]: which predictions count.
    ``optimum`` [N, T]: the loss in nats, at each prediction, of one who knows how the data are made.
    """

    tokens: NDArray[np.int64]
    scored: NDArray[np.bool_]
    optimum: NDArray[np.float64]


def markov(
    rng: Generator,
    sequences: int,
    length: int,
    *,
    states: int = MARKOV_STATES,
    concentration: float = MARKOV_CONCENTRATION,
) -> Sequences:
    """Markov chains, each with a transition matrix of its own, which only the context reveals.

    Rows of the matrix are Dirichlet(α, …, α) with α = ``concentration``; the first state is uniform.
    """
    matrices = rng.dirichlet(np.full(states, concentration), size=(sequences, states))
    thresholds = np.cumsum(matrices, axis=-1)
    tokens = np.empty((sequences, length + 1), dtype=np.int64)
    tokens[:, 0] = rng.integers(states, size=sequences)
    draws, rows = rng.random((length, sequences)), np.arange(sequences)
    for t in range(length):
        passed = draws[t][:, None] > thresholds[rows, tokens[:, t]]
        tokens[:, t + 1] = np.minimum(passed.sum(-1), states - 1)
    optimum = markov_bayes_loss(tokens, states=states, concentration=concentration)
    return Sequences(tokens, np.ones_like(optimum, dtype=bool), optimum)


def markov_bayes_loss(
    tokens: ArrayLike, *, states: int = MARKOV_STATES, concentration: float = MARKOV_CONCENTRATION
) -> NDArray[np.float64]:
    r"""Loss of the best predictor of each next state, in nats.

    .. math:: -\ln p(x_{t+1} \mid x_{\le t}) = -\ln \frac{n_{x_t x_{t+1}} + \alpha}{n_{x_t} + K\alpha}

    where n counts the transitions seen so far: the posterior mean under the Dirichlet prior from which the rows
    are drawn (Gelman et al., Bayesian Data Analysis, section 3.4). No model can do better on average.

    Parameters: tokens: [..., T+1], states 0…K-1; states: K; concentration: α, above 0.
    Returns: float64 [..., T]. Raises: TypeError, ValueError naming the argument.
    """
    states, alpha = count("states", states, minimum=2), real_number("concentration", concentration, above=0)
    chains = whole_array("tokens", tokens, minimum=0, maximum=states - 1)
    if chains.ndim == 0 or chains.shape[-1] < 2:
        raise ValueError(f"tokens must be [..., T+1] with T at least 1, got shape {chains.shape}")
    flat = chains.reshape(-1, chains.shape[-1])
    rows, seen = np.arange(len(flat)), np.zeros((len(flat), states, states))
    loss = np.empty((len(flat), flat.shape[1] - 1))
    for t in range(loss.shape[1]):
        before, after = flat[:, t], flat[:, t + 1]
        here = seen[rows, before]
        loss[:, t] = np.log(here.sum(-1) + states * alpha) - np.log(here[rows, after] + alpha)
        seen[rows, before, after] += 1
    return loss.reshape(*chains.shape[:-1], -1)


def copy(rng: Generator, sequences: int, length: int, *, period: int | None = None) -> Sequences:
    """A random string and a separator, repeated to the end. From the first separator on, all is determined.

    The period (string and separator) is drawn from 4…32 per sequence unless it is given: the next token stands
    ``period - 1`` back from the token before it. The optimum is 0 where the prediction counts.
    """
    fewest, most = COPY_PERIODS
    most = min(most, length // 2)
    if period is not None:
        fewest = most = count("period", period, minimum=2, maximum=length // 2)
    periods = rng.integers(fewest, most + 1, size=sequences)
    strings = rng.integers(COPY_SYMBOLS, size=(sequences, most))
    strings[np.arange(sequences), periods - 1] = COPY_SYMBOLS
    columns = np.arange(length + 1)
    tokens = np.take_along_axis(strings, columns % periods[:, None], axis=1)
    scored = columns[1:] >= periods[:, None]
    return Sequences(tokens, scored, np.zeros(scored.shape))


def recall(rng: Generator, sequences: int, length: int) -> Sequences:
    """Pairs of a key and its value; keys come again, values must be recalled (Arora et al. 2023, arXiv:2312.04927).

    Every sequence has a map from keys to values of its own. The value of a key that was seen before is determined:
    there the prediction counts and the optimum is 0.
    """
    pairs = length // 2 + 1
    values_of = rng.integers(RECALL_VALUES, size=(sequences, RECALL_KEYS))
    keys = rng.integers(RECALL_KEYS, size=(sequences, pairs))
    return _recall_sequences(keys, values_of, length)


def recall_at(rng: Generator, sequences: int, length: int, *, distance: int) -> Sequences:
    """As `recall`, but only the last pair counts: its key stands once before, ``distance`` tokens back.

    Parameters: length: even; distance: even, from 2 to length - 2.
    """
    if length % 2 or distance % 2:
        raise ValueError(f"length and distance must be even because pairs take two tokens, got {length} and {distance}")
    count("distance", distance, minimum=2, maximum=length - 2)
    pairs = length // 2
    values_of = rng.integers(RECALL_VALUES, size=(sequences, RECALL_KEYS))
    asked = rng.integers(RECALL_KEYS, size=sequences)
    # One of the other keys: shift past the one that is asked for.
    keys = (asked[:, None] + rng.integers(1, RECALL_KEYS, size=(sequences, pairs))) % RECALL_KEYS
    keys[:, -1] = keys[:, pairs - 1 - distance // 2] = asked
    found = _recall_sequences(keys, values_of, length - 1)
    last = np.zeros_like(found.scored)
    last[:, -1] = True
    return Sequences(found.tokens, last, found.optimum)


def _recall_sequences(keys: NDArray, values_of: NDArray, length: int) -> Sequences:
    values = np.take_along_axis(values_of, keys, axis=1)
    tokens = np.stack([keys, RECALL_KEYS + values], axis=-1).reshape(len(keys), -1)[:, : length + 1]
    first_seen = np.stack([(keys == key).argmax(1) for key in range(RECALL_KEYS)], axis=1)
    again = np.take_along_axis(first_seen, keys, axis=1) < np.arange(keys.shape[1])
    scored = np.zeros((len(keys), 2 * keys.shape[1]), dtype=bool)
    scored[:, ::2] = again
    scored = scored[:, :length]
    return Sequences(tokens, scored, np.zeros(scored.shape))
