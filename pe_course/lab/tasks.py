"""The tasks by name: how many symbols, what to train on, what to test on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from pe_course.lab import synthetic, text
from pe_course.lab.config import Config
from pe_course.lab.synthetic import Sequences
from pe_course.reference.validation import one_of

_BATCHES_AT_ONCE = 50
_TRAIN, _TUNE, _TEST = 1, 2, 3
_TEST_SEED = 20
"""Tests are the same for all runs: differences between runs are differences between models."""


@dataclass(frozen=True)
class Task:
    """``symbols``: size of the vocabulary, a function because it may read files. ``train`` draws sequences;
    ``test`` gives the test of a length, with ``tokens`` predictions."""

    symbols: Callable[[], int]
    train: Callable[[Generator, int, int], Sequences]
    test: Callable[[int, int], Sequences]
    has_optimum: bool = True


def task(name: str) -> Task:
    """Raises: ValueError that lists the tasks."""
    return _TASKS[one_of("task", name, tuple(_TASKS))]


def training_batches(
    name: str, *, seed: int, steps: int, sequences: int, length: int, tuning: bool = False
) -> Iterator[Sequences]:
    """One `Sequences` per step, decided by the seed alone: all methods see the same batches."""
    rng = np.random.default_rng([_TUNE if tuning else _TRAIN, seed])
    draw, left = task(name).train, steps
    while left:
        batches = min(left, _BATCHES_AT_ONCE)
        block = draw(rng, batches * sequences, length)
        for start in range(0, batches * sequences, sequences):
            rows = slice(start, start + sequences)
            yield Sequences(block.tokens[rows], block.scored[rows], block.optimum[rows])
        left -= batches


def test_sequences(config: Config, length: int) -> Sequences:
    """What a model is tested on at ``length``: ``config.eval_tokens`` predictions."""
    return task(config.task).test(length, config.eval_tokens)


def test_generator(length: int, extra: int = 0) -> Generator:
    return np.random.default_rng([_TEST, _TEST_SEED, length, extra])


def _draw_text(rng: Generator, sequences: int, length: int) -> Sequences:
    train, _, _ = text.load()
    starts = rng.integers(len(train) - length, size=sequences)
    return _plain(train[starts[:, None] + np.arange(length + 1)])


@lru_cache(maxsize=8)
def _test_text(length: int, tokens: int) -> Sequences:
    _, held_out, _ = text.load()
    if tokens + 1 > len(held_out):
        raise ValueError(f"eval_tokens must be at most {len(held_out) - 1}, the text that is held out, got {tokens}")
    starts = np.arange(0, tokens, length)
    return _plain(held_out[starts[:, None] + np.arange(length + 1)])


def _plain(tokens: np.ndarray) -> Sequences:
    """Every prediction counts; nobody knows the optimum."""
    shape = (tokens.shape[0], tokens.shape[1] - 1)
    return Sequences(tokens, np.ones(shape, dtype=bool), np.full(shape, np.nan))


@lru_cache(maxsize=8)
def _test_markov(length: int, tokens: int) -> Sequences:
    return synthetic.markov(test_generator(length), tokens // length, length)


@lru_cache(maxsize=8)
def _test_copy(length: int, tokens: int) -> Sequences:
    return synthetic.copy(test_generator(length), tokens // length, length, period=length // 2)


@lru_cache(maxsize=8)
def _test_recall(length: int, tokens: int) -> Sequences:
    return synthetic.recall(test_generator(length), tokens // length, length)


_TASKS = {
    "text": Task(lambda: len(text.load()[2]), _draw_text, _test_text, has_optimum=False),
    "markov": Task(lambda: synthetic.MARKOV_STATES, synthetic.markov, _test_markov),
    "copy": Task(lambda: synthetic.COPY_SYMBOLS + 1, synthetic.copy, _test_copy),
    "recall": Task(lambda: synthetic.RECALL_KEYS + synthetic.RECALL_VALUES, synthetic.recall, _test_recall),
}
