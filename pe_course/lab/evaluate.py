"""How well a trained model predicts, and up to which length: the ways of measuring that papers use.

All losses are in nats per predicted token.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import ArrayLike, NDArray

from pe_course.lab.model import Decoder
from pe_course.lab.synthetic import Sequences
from pe_course.nn import PositionMethod
from pe_course.reference.validation import count, multiple_of, whole_array

TOKENS_AT_ONCE = 8192

Predictions = tuple[NDArray[np.float64], NDArray[np.bool_]]


@torch.no_grad()
def predictions(model: Decoder, tokens: ArrayLike, *, last: int | None = None) -> Predictions:
    """Loss ``[N, T]`` of every prediction of ``tokens`` ``[N, T+1]``, and whether the best guess was right.

    ``last`` asks for the last predictions of each sequence only.
    """
    tokens = whole_array("tokens", tokens, rank=2, minimum=0)
    length = tokens.shape[1] - 1
    last = length if last is None else count("last", last, maximum=length)
    at_once, device = max(1, TOKENS_AT_ONCE // length), model.output.weight.device
    losses, hits = [], []
    for start in range(0, len(tokens), at_once):
        rows = torch.from_numpy(tokens[start : start + at_once]).to(device)
        logits, targets = model(rows[:, :-1])[:, -last:], rows[:, -last:]
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
        losses.append(loss.view(targets.shape).double().cpu().numpy())
        hits.append((logits.argmax(-1) == targets).cpu().numpy())
    return np.concatenate(losses), np.concatenate(hits)


def non_overlapping(model: Decoder, sequences: Sequences) -> dict[str, float]:
    """Each token is predicted once, from what precedes it in its own piece: ``loss``, ``accuracy``, ``optimum``.

    Tokens at the start of a piece see little, in short pieces more of them: "early-token curse" (Press et al. 2022,
    arXiv:2108.12409, section on sliding windows).
    """
    return summary(sequences, predictions(model, sequences.tokens))


def summary(sequences: Sequences, found: Predictions) -> dict[str, float]:
    """Means over the predictions that count."""
    loss, hit = found
    counted = sequences.scored
    means = {
        "loss": loss[counted].mean(),
        "accuracy": hit[counted].mean(),
        "optimum": sequences.optimum[counted].mean(),
    }
    return {name: rounded(mean) for name, mean in means.items() if np.isfinite(mean)}


def sliding_window(model: Decoder, tokens: ArrayLike, *, context: int, stride: int, start: int, targets: int) -> float:
    """Mean loss where every token is predicted from at least ``context - stride`` tokens before it.

    Windows of ``context`` tokens advance by ``stride``; each scores its last ``stride`` predictions. With
    ``stride = context`` this is the non-overlapping evaluation.

    Parameters: tokens: one long text. start: index of the first token that is predicted, at least ``context``.
    targets: how many are predicted, a multiple of ``stride``. Raises: TypeError, ValueError naming the argument.
    """
    text = whole_array("tokens", tokens, rank=1, minimum=0)
    count("stride", stride, maximum=count("context", context))
    count("start", start, minimum=context, maximum=len(text) - 1)
    multiple_of("targets", count("targets", targets, maximum=len(text) - start), stride, why="windows advance by it")
    ends = start + stride * np.arange(1, targets // stride + 1)
    loss, _ = predictions(model, text[ends[:, None] + np.arange(-context - 1, 0)], last=stride)
    return rounded(loss.mean())


def per_position(model: Decoder, sequences: Sequences, *, width: int) -> list[float]:
    """Mean loss in bins of ``width`` positions. A bin in which nothing counts is NaN."""
    return by_bins(sequences, predictions(model, sequences.tokens)[0], width)


def by_bins(sequences: Sequences, loss: NDArray[np.float64], width: int) -> list[float]:
    multiple_of("number of positions", loss.shape[1], count("width", width), why="bins are of one width")
    counted = np.where(sequences.scored, loss, np.nan)
    bins = counted.reshape(len(loss), -1, width)
    filled = np.isfinite(bins).any((0, 2))
    return [rounded(np.nanmean(bins[:, i])) if filled[i] else None for i in range(bins.shape[1])]


def growing(
    model: Decoder, sequences: Sequences, *, block: int, method_at: Callable[[int], PositionMethod]
) -> dict[str, float]:
    """A method that changes with the length so far (dynamic NTK): each block is read by that of its own end.

    This is what a server sees that computes the whole text anew after every ``block`` tokens.
    """
    length = sequences.tokens.shape[1] - 1
    multiple_of("number of positions", length, count("block", block), why="it grows by blocks")
    parts = []
    for end in range(block, length + 1, block):
        with model.using(method_at(end)):
            parts.append(predictions(model, sequences.tokens[:, : end + 1], last=block))
    return summary(sequences, tuple(np.concatenate(part, axis=1) for part in zip(*parts, strict=True)))


def rounded(number: float) -> float:
    """Four decimals: more than the spread between seeds lets anyone use."""
    return round(float(number), 4)
