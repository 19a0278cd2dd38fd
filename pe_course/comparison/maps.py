"""Attention maps of every method on the same words, so that what differs between two maps is the method."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from pe_course.comparison.cases import CASES, Shape, built
from pe_course.comparison.probes import drawn, vectors, weights
from pe_course.nn import PositionMethod

SHAPE = Shape(heads=4, head_dim=32, trained=4, longest=64)
"""A small layer, trained (where a method asks) on 4 tokens, so that a sentence is longer than that."""


@dataclass(frozen=True)
class Sentence:
    """Words, and the order that another sentence has: "the man bites the dog" for "the dog bites the man"."""

    words: tuple[str, ...]
    scrambled: tuple[int, ...]

    def order(self, name: str) -> tuple[int, ...]:
        """Places of the words: "written", "reversed" or "scrambled". Raises: KeyError for another name."""
        places = tuple(range(len(self.words)))
        return {"written": places, "reversed": places[::-1], "scrambled": self.scrambled}[name]


ORDERS = ("written", "reversed", "scrambled")

SENTENCES = (
    Sentence(("the", "patient", "went", "to", "the", "hospital"), (0, 5, 2, 3, 4, 1)),
    Sentence(("the", "dog", "bites", "the", "man"), (0, 4, 2, 3, 1)),
    Sentence(("give", "this", "patient", "morphine"), (1, 2, 0, 3)),
    Sentence(("no", "fever", "but", "some", "pain"), (3, 1, 2, 0, 4)),
)


def content(words: Sequence[str], *, same: bool = False) -> torch.Tensor:
    """One random vector per word, the same for a word wherever it stands; ``same``: one vector for all words."""
    seeds = [0 if same else zlib.crc32(word.encode()) for word in words]
    return torch.cat([vectors(1, SHAPE.width, seed=seed) for seed in seeds], dim=1)


def attention_map(name: str, words: Sequence[str], *, same: bool = False) -> NDArray[np.float64]:
    """Attention weights [n, n] of the first head: rows are queries.

    Projections are random and the same for all methods; tables that mean nothing before training hold random numbers.
    With ``same`` every word has one content, and the map shows the method alone.

    Raises: ValueError that lists the names of the methods; ValueError without words, TypeError if one is no text.
    """
    if not words:
        raise ValueError("words must hold at least one word, got none")
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"words must be text, got {word!r}")
    method = ready(name)
    places = torch.arange(len(words))
    return weights(method, content(words, same=same), places, SHAPE)[0, 0].numpy()


def ready(name: str) -> PositionMethod:
    """The method of a layer of `SHAPE`, in float64."""
    method = built(name, SHAPE)
    spread = CASES[name].spread
    return drawn(method, spread=spread) if spread else method.double()


def change(name: str, words: Sequence[str], order: Sequence[int]) -> float:
    """The largest change of any word's attention to another when the words move; 0 where order is not seen.

    The map of the moved words is put back into the first order, so that each pair of words is compared with itself.
    """
    moved = attention_map(name, [words[place] for place in order])
    back = np.argsort(order)
    return float(np.abs(moved[np.ix_(back, back)] - attention_map(name, words)).max())
