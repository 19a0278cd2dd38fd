"""Questions to a method, answered by calling it: nothing here is looked up in a list.

All questions that concern scores are put through `pe_course.nn.attention` itself: with the identity for values, its
output is the attention weights, and inside one row the logarithm of weights is the score up to a constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from pe_course.comparison.cases import Shape, built
from pe_course.nn import PositionMethod, attention

BASE = Shape(heads=12, head_dim=64, trained=512, longest=512)
"""BERT's base model: the shape for which numbers are counted."""
SMALL = Shape(heads=4, head_dim=16, trained=16, longest=4096)
"""A shape that is passed quickly, for questions whose answer no size changes."""

INPUT, QUERY_KEY, QUERY, SCORE, VALUE = "input", "query, key", "query", "score", "value"
PAST = "past only"
_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Work:
    """What a method does in one layer of n tokens, in the shape `BASE`.

    ``per_token``: numbers that it changes for each token, ``once`` in the model or in each layer; ``per_pair``: numbers
    that it adds for each pair of tokens; ``products``: its own matrix products over 512 tokens, as a multiple of those
    of q·k; ``by_sentence``: what it adds for a pair depends on the sentence, so that no table serves two sentences.
    """

    per_token: int
    per_pair: int
    once: bool
    products: float
    by_sentence: bool


def vectors(length: int, width: int, *, seed: int = 0, same: bool = False) -> Tensor:
    """Random content [1, length, width] of unit variance; ``same``: one vector for every token."""
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(1, 1 if same else length, width, generator=draw, dtype=torch.float64)
    return x.expand(1, length, width)


def positions_of(method: PositionMethod, positions: Tensor) -> Tensor:
    """Words have the same number on every axis."""
    return positions if method.position_axes == 1 else positions.expand(method.position_axes, -1)


def weights(method: PositionMethod, x: Tensor, positions: Tensor, shape: Shape, *, seed: int = 1) -> Tensor:
    """Attention weights [1, H, n, n] of one layer whose projections are drawn by ``seed``, the same for all methods.

    Where a method is defined for the past alone, the future is masked; nowhere else.
    """
    pos = positions_of(method, positions)
    x = method.embed(x, pos)
    n = x.shape[1]
    draw = torch.Generator().manual_seed(seed)
    q, k = (_projected(x, shape, draw) for _ in range(2))
    mask = torch.ones(n, n, dtype=torch.bool).tril() if method.causal_only else None
    context = {"hidden": x, "segments": (torch.zeros(n, dtype=torch.int64),) * 2}
    values = torch.eye(n, dtype=torch.float64).expand(1, shape.heads, n, n)
    with torch.no_grad():
        return attention(q, k, values, _without_values(method), pos, pos, mask, context=context)


def _projected(x: Tensor, shape: Shape, draw: torch.Generator) -> Tensor:
    matrix = torch.randn(shape.width, shape.width, generator=draw, dtype=torch.float64) / shape.width**0.5
    return (x @ matrix).unflatten(-1, (shape.heads, shape.head_dim)).transpose(1, 2)


def _without_values(method: PositionMethod) -> PositionMethod:
    """What it adds to values is no part of the weights."""
    method.uses_value_bias = False
    return method


def drawn(method: PositionMethod, *, seed: int = 2, spread: float = 0.1) -> PositionMethod:
    """The method in float64 with random parameters, so that no term is zero by chance of its start."""
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in method.double().parameters():
            parameter.copy_(spread * torch.randn(parameter.shape, generator=draw, dtype=torch.float64))
    return method


def entries(name: str) -> tuple[str, ...]:
    """Where order enters: the hooks that change anything, at positions inside and beyond the trained length."""
    method = drawn(built(name, SMALL))
    pos = positions_of(method, torch.arange(1, 2 * SMALL.trained + 1))
    n = pos.shape[-1]
    x = vectors(n, SMALL.width)
    head = x.unflatten(-1, (SMALL.heads, SMALL.head_dim)).transpose(1, 2)
    context = {"hidden": x, "segments": (torch.zeros(n, dtype=torch.int64),) * 2}
    rotated = method.rotate(head, head, pos, pos)
    found = {
        INPUT: not torch.equal(method.embed(x, pos), x),
        QUERY_KEY: not torch.equal(rotated[1], head),
        QUERY: not torch.equal(method.scale_q(head, pos, n), head),
        SCORE: method.score_bias(pos, pos, q=head, k=head, context=context) is not None,
        VALUE: method.uses_value_bias,
    }
    return tuple(place for place, enters in found.items() if enters)


def is_relative(name: str) -> bool:
    """Whether all weights stay as they are when every position grows by the same number: the method is relative."""
    x, places = vectors(SMALL.trained, SMALL.width), torch.arange(SMALL.trained)
    here, there = (weights(drawn(built(name, SMALL)), x, places + shift, SMALL) for shift in (0, 1000))
    return _same(here, there)


def before_and_after(name: str) -> str:
    """Whether a word three places before weighs other than the same word three places after: "yes", "no", or `PAST`."""
    method = drawn(built(name, SMALL))
    if method.causal_only:
        return PAST
    middle, apart = SMALL.trained // 2, 3
    row = weights(method, vectors(SMALL.trained, SMALL.width, same=True), torch.arange(SMALL.trained), SMALL)
    before, after = row[0, :, middle, middle - apart], row[0, :, middle, middle + apart]
    return "no" if _same(before, after) else "yes"


def _same(first: Tensor, second: Tensor) -> bool:
    """As logarithms: where one key has nearly all the weight, the others still differ there."""
    first, second = (each.clamp_min(1e-300).log() for each in (first, second))
    return bool((first - second).abs().max() < _TOLERANCE)


def learned_numbers(name: str, shape: Shape = BASE) -> int:
    """Parameters of one module."""
    return sum(parameter.numel() for parameter in built(name, shape).parameters())


def keeps_keys(name: str) -> bool:
    """Whether a key that was turned in a short text is the same in one twice the trained length."""
    method = built(name, SMALL).double()
    k = vectors(2 * SMALL.trained, SMALL.width).unflatten(-1, (SMALL.heads, SMALL.head_dim)).transpose(1, 2)
    turned = []
    for n in (SMALL.trained, 2 * SMALL.trained):
        pos = positions_of(method, torch.arange(n))
        turned.append(method.rotate(k[:, :, :n], k[:, :, :n], pos, pos)[1])
    return bool((turned[0] - turned[1][:, :, : SMALL.trained]).abs().max() < _TOLERANCE)


@cache
def work(name: str) -> Work:
    """Counted while the hooks run."""
    method = built(name, BASE)
    per_token, once = _changed_per_token(method)
    bias = _bias(method, n=8, batch=2)
    return Work(
        per_token=per_token,
        per_pair=0 if bias is None else BASE.heads,
        once=once,
        products=0.0 if bias is None else _products(method, BASE.trained),
        by_sentence=bias is not None and bias.shape[0] > 1,
    )


def _inputs(method: PositionMethod, n: int, batch: int):
    """The last positions of the trained length and, where no table ends there, the first beyond it."""
    limit = getattr(method, "max_position_embeddings", None)
    first = limit - n if limit and list(method.parameters()) else BASE.trained - n // 2
    pos = positions_of(method, torch.arange(first, first + n))
    x = torch.randn(batch, n, BASE.width, generator=torch.Generator().manual_seed(0))
    head = x.unflatten(-1, (BASE.heads, BASE.head_dim)).transpose(1, 2)
    context = {"hidden": x, "segments": (torch.zeros(n, dtype=torch.int64),) * 2}
    return pos, x, head, context


def _changed_per_token(method: PositionMethod) -> tuple[int, bool]:
    """Channels that the hooks of input, query and key change for any token; whether it was the input's."""
    pos, x, head, _ = _inputs(method, 16, 1)
    with torch.no_grad():
        added = int((method.embed(x, pos) != x).any(1).sum())
        rotated = method.rotate(head, head, pos, pos)
        scaled = method.scale_q(head, pos, 2 * BASE.trained)
    turned = sum(int((each != head).any(2).sum()) for each in (*rotated, scaled))
    return added + turned, bool(added)


def _bias(method: PositionMethod, n: int, batch: int) -> Tensor | None:
    pos, _, head, context = _inputs(method, n, batch)
    with torch.no_grad():
        return method.score_bias(pos, pos, q=head, k=head, context=context)


def _products(method: PositionMethod, n: int) -> float:
    """As torch counts the operations of matrix products."""
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        _bias(method, n, 1)
    return counter.get_total_flops() / (2 * BASE.heads * n * n * BASE.head_dim)
