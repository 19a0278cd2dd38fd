"""Retrieval: is what must be found again still found when it stands further back?"""

from __future__ import annotations

from typing import Any

from pe_course.lab import evaluate, synthetic
from pe_course.lab.config import Config
from pe_course.lab.model import Decoder
from pe_course.lab.synthetic import Sequences
from pe_course.lab.tasks import test_generator

COPY_TOKENS = 8192
RECALL_SEQUENCES = 96


def retrieval(model: Decoder, config: Config) -> list[dict[str, Any]]:
    """``length``, ``distance``, ``accuracy``: at several lengths, with what is asked for at several distances.

    The distance counts tokens from the one to predict back to the one it repeats (copy), or from the key that is
    asked for back to the same key (recall).
    """
    found = []
    for length in (config.length, 4 * config.length, 16 * config.length):
        for distance in _distances(config, length):
            sequences = _sequences(config, length, distance)
            _, hit = evaluate.predictions(model, sequences.tokens)
            accuracy = evaluate.rounded(hit[sequences.scored].mean())
            found.append({"length": length, "distance": distance, "accuracy": accuracy})
    return found


def _distances(config: Config, length: int) -> list[int]:
    """An eighth of the training length (the even number up to it) and its doubles, up to half of ``length``."""
    distance, found = max(2, config.length // 16 * 2), []
    while distance <= length // 2:
        found.append(distance)
        distance *= 2
    return found


def _sequences(config: Config, length: int, distance: int) -> Sequences:
    rng = test_generator(length, distance)
    if config.task == "copy":
        return synthetic.copy(rng, COPY_TOKENS // length, length, period=distance)
    return synthetic.recall_at(rng, RECALL_SEQUENCES, length, distance=distance)
