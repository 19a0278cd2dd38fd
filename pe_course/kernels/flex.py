"""FlexAttention: positional methods as ``score_mod`` functions.

The score arrives already scaled. A method that depends on positions alone is arithmetic on captured positions, so that
the ``[L, S]`` table is never built. Position tensors are ``[L]`` or ``[B, L]``, ``[S]`` or ``[B, S]``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


def from_bias(bias: Tensor, *, batch: int, heads: int) -> ScoreMod:
    """Adds a table ``[B|1, H|1, L, S]``; for methods that have no shorter form."""
    table = bias.expand(batch, heads, *bias.shape[-2:])

    def score_mod(score, b, h, i, j):
        return score + table[b, h, i, j]

    return score_mod


def from_distance(function: Callable[[Tensor, Tensor], Tensor], pos_q: Tensor, pos_k: Tensor) -> ScoreMod:
    """Adds ``function(distance, head)`` with distance = query - key, computed from captured positions.

    ``function`` returns float32 (float64 for float64 queries). Nothing here may be cast to ``score.dtype``: while the
    function is traced that is the dtype of the queries, and a bias cast to bfloat16 is off by 0.5 at distance 257.
    """
    query_at, key_at = _position_of(pos_q), _position_of(pos_k)

    def score_mod(score, b, h, i, j):
        return score + function(query_at(b, i) - key_at(b, j), h)

    return score_mod


def alibi(slopes: Tensor, pos_q: Tensor, pos_k: Tensor, *, bidirectional: bool = True) -> ScoreMod:
    """Minus the slope of the head times the distance, or its absolute value, in the dtype of the slopes."""
    if bidirectional:
        return from_distance(lambda distance, head: -slopes[head] * distance.abs().to(slopes.dtype), pos_q, pos_k)
    return from_distance(lambda distance, head: -slopes[head] * distance.to(slopes.dtype), pos_q, pos_k)


def from_distance_table(table: Tensor, lowest: int, pos_q: Tensor, pos_k: Tensor) -> ScoreMod:
    """Adds ``table[head, distance - lowest]``; the whole distances must lie within the table ``[H, distances]``."""
    return from_distance(lambda distance, head: table[head, (distance - lowest).long()], pos_q, pos_k)


def from_bucket_table(table: Tensor, buckets: Tensor, lowest: int, pos_q: Tensor, pos_k: Tensor) -> ScoreMod:
    """Adds ``table[bucket, head]`` where ``buckets[distance - lowest]`` names the bucket of a whole distance (T5).

    Distances beyond either end of ``buckets`` have the bucket of that end.
    """
    last = buckets.shape[0] - 1

    def function(distance, head):
        return table[buckets[(distance - lowest).long().clamp(0, last)], head]

    return from_distance(function, pos_q, pos_k)


def from_difference(at_query: Tensor, at_key: Tensor, dtype: torch.dtype) -> ScoreMod:
    """Adds a number of the query ``[B|1, H, L]`` minus a number of the key ``[B|1, H, S]`` (forgetting gates).

    The two may be float64, so that their difference is exact; ``dtype`` is what is added.
    """
    query_value, key_value = _value_of(at_query), _value_of(at_key)

    def score_mod(score, b, h, i, j):
        return score + (query_value(b, h, i) - key_value(b, h, j)).to(dtype)

    return score_mod


def from_query_rows(by_row: Tensor, rows: Tensor, lowest: int, pos_q: Tensor, pos_k: Tensor) -> ScoreMod:
    """Adds ``by_row[b, h, i, row]``: content of the query times the row that belongs to a distance (Shaw, DeBERTa).

    ``by_row`` is ``[B, H, L, R]``; the row of a whole distance query - key is ``rows[distance - lowest]``, beyond an
    end of ``rows`` the one at that end.
    """
    row_at = _row_of_pair(rows, lowest, pos_q, pos_k)

    def score_mod(score, b, h, i, j):
        return score + by_row[b, h, i, row_at(b, i, j)]

    return score_mod


def from_key_rows(by_row: Tensor, rows: Tensor, lowest: int, pos_q: Tensor, pos_k: Tensor) -> ScoreMod:
    """Adds ``by_row[b, h, j, row]``: as `from_query_rows`, with the content of the key, ``[B, H, S, R]`` (DeBERTa)."""
    row_at = _row_of_pair(rows, lowest, pos_q, pos_k)

    def score_mod(score, b, h, i, j):
        return score + by_row[b, h, j, row_at(b, i, j)]

    return score_mod


def from_keys(by_key: Tensor) -> ScoreMod:
    """Adds one number per key, ``[B, H, S]`` (Transformer-XL's u·k)."""

    def score_mod(score, b, h, i, j):
        return score + by_key[b, h, j]

    return score_mod


def in_turn(*mods: ScoreMod) -> ScoreMod:
    """Applies the given modifications one after another."""

    def score_mod(score, b, h, i, j):
        for mod in mods:
            score = mod(score, b, h, i, j)
        return score

    return score_mod


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    score_mod: ScoreMod | None,
    mask: Tensor | None,
    scale: float,
    compiled: bool = False,
) -> Tensor:
    """FlexAttention with a boolean mask ``[B|1, H|1, L, S]`` (True = may attend); a row without a key gives zeros.

    ``compiled`` runs the fused kernel, which needs a GPU or a C++ compiler; without it the same is computed unfused.
    """
    batch, heads, length, key_length = q.shape[0], q.shape[1], q.shape[2], k.shape[2]
    block_mask = None
    if mask is not None:
        full = mask.expand(batch, heads, length, key_length)
        block_mask = create_block_mask(
            lambda b, h, i, j: full[b, h, i, j], batch, heads, length, key_length, device=q.device
        )
    function = _compiled() if compiled else flex_attention
    with warnings.catch_warnings():
        # The unfused path is meant: it is what the tests compare, and what runs where no compiler is.
        warnings.filterwarnings("ignore", message=".*flex_attention called without torch.compile.*")
        return function(
            q, k, v, score_mod=score_mod, block_mask=block_mask, scale=scale, enable_gqa=heads != k.shape[1]
        )


def _compiled():
    return torch.compile(flex_attention, dynamic=False)


def _row_of_pair(rows: Tensor, lowest: int, pos_q: Tensor, pos_k: Tensor) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    query_at, key_at = _position_of(pos_q.long()), _position_of(pos_k.long())
    return lambda b, i, j: rows[(query_at(b, i) - key_at(b, j) - lowest).clamp(0, len(rows) - 1)]


def _position_of(positions: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    if positions.ndim == 1:
        return lambda b, i: positions[i]
    if positions.shape[0] == 1:
        return lambda b, i: positions[0, i]
    return lambda b, i: positions[b, i]


def _value_of(values: Tensor) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    if values.shape[0] == 1:
        return lambda b, h, i: values[0, h, i]
    return lambda b, h, i: values[b, h, i]
