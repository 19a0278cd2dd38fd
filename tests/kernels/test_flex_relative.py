"""FlexAttention modifications of the relative methods: content times rows, gathered by the distance of each pair."""

from __future__ import annotations

import pytest
import torch
from nn.inputs import normal, qkv
from nn.relative_cases import build

from pe_course import nn
from pe_course.kernels import flex

POSITIONS = {
    "shared": (torch.arange(6, 40), torch.arange(40)),
    "per_row": (torch.stack((torch.arange(34), torch.arange(34) % 7)), torch.stack([torch.arange(40)] * 2)),
    "keys_per_row": (torch.arange(34), torch.stack((torch.arange(40), torch.arange(40) % 5))),
    "one_row": (torch.arange(34)[None], torch.arange(40)[None]),
    "bytes": (torch.arange(6, 40, dtype=torch.uint8), torch.arange(40, dtype=torch.uint8)),
}
BATCH, HEADS, LENGTH, KEYS, ROWS = 2, 4, 34, 40, 5


def table_of(score_mod) -> torch.Tensor:
    """What the modification adds to every pair, [B, H, L, S]."""
    sizes = (BATCH, HEADS, LENGTH, KEYS)
    indices = [
        torch.arange(size).view([-1 if axis == own else 1 for axis in range(4)]) for own, size in enumerate(sizes)
    ]
    return score_mod(torch.zeros(sizes, dtype=torch.float64), *indices)


def rows_of_pairs(where: str) -> torch.Tensor:
    """Rows 0…4 of distances -1…3, the outer ones beyond; [2, L, S]."""
    pos_q, pos_k = (torch.atleast_2d(p.long()) for p in POSITIONS[where])
    return ((pos_q[:, :, None] - pos_k[:, None, :]).clamp(-1, 3) + 1).expand(BATCH, -1, -1)


@pytest.mark.parametrize("where", POSITIONS)
def test_query_rows_are_gathered_by_distance(where):
    by_row = normal(BATCH, HEADS, LENGTH, ROWS)
    added = table_of(flex.from_query_rows(by_row, torch.arange(ROWS), -1, *POSITIONS[where]))
    expected = by_row.gather(-1, rows_of_pairs(where)[:, None].expand(-1, HEADS, -1, -1))
    torch.testing.assert_close(added, expected, atol=0, rtol=0)


@pytest.mark.parametrize("where", POSITIONS)
def test_key_rows_are_gathered_by_distance(where):
    by_row = normal(BATCH, HEADS, KEYS, ROWS)
    added = table_of(flex.from_key_rows(by_row, torch.arange(ROWS), -1, *POSITIONS[where]))
    expected = by_row.gather(-1, rows_of_pairs(where).mT[:, None].expand(-1, HEADS, -1, -1)).mT
    torch.testing.assert_close(added, expected, atol=0, rtol=0)


def test_rows_may_be_turned_round():
    by_row, positions = normal(BATCH, HEADS, LENGTH, ROWS), POSITIONS["shared"]
    turned = table_of(flex.from_query_rows(by_row.flip(-1), torch.arange(ROWS).flip(0), -1, *positions))
    plain = table_of(flex.from_query_rows(by_row, torch.arange(ROWS), -1, *positions))
    torch.testing.assert_close(turned, plain, atol=0, rtol=0)


def test_one_number_per_key():
    by_key = normal(BATCH, HEADS, KEYS)
    added = table_of(flex.from_keys(by_key))
    torch.testing.assert_close(added, by_key[:, :, None].expand(-1, -1, LENGTH, -1), atol=0, rtol=0)


def test_modifications_apply_in_turn():
    double_then_add = flex.in_turn(lambda score, *_: 2 * (score + 1), lambda score, *_: score + 5)
    assert (table_of(double_then_add) == 7).all()


BUILDERS = {
    "shaw": {},
    "shaw_window": {},
    "shaw_turned": {},
    "shaw_zero": {},
    "shaw_wide": {"max_relative_position": 5},
    "transformer_xl_clamped": {},
    "deberta": {},
    "deberta_buckets": {},
    "deberta_paper": {},
    "deberta_c2p": {"max_relative_positions": 4},
    "deberta_p2c": {"max_relative_positions": 4},
}


@pytest.mark.parametrize("where", ["shared", "per_row"])
@pytest.mark.parametrize("variant", BUILDERS)
def test_score_mod_is_score_bias(variant, where):
    method, (pos_q, pos_k) = build(variant, **BUILDERS[variant]), POSITIONS[where]
    if variant in ("transformer_xl_clamped", "shaw_wide"):  # few distances: documents of 6 tokens
        pos_q, pos_k = pos_q % 6, pos_k % 6
    q, k, _ = qkv(length=LENGTH, keys=KEYS, kv_heads=2)
    score_mod = method.score_mod(pos_q, pos_k, q=q, k=k)
    assert score_mod is not NotImplemented
    bias = method.score_bias(pos_q, pos_k, q=q, k=k)
    torch.testing.assert_close(table_of(score_mod), bias, atol=1e-12, rtol=0)


@pytest.mark.parametrize("variant", ["shaw", "transformer_xl", "deberta"])
def test_where_rows_are_no_fewer_than_keys_the_table_is_taken(variant):
    method, (q, k, _) = build(variant), qkv(length=6)
    assert method.score_mod(torch.arange(6), torch.arange(6), q=q, k=k) is NotImplemented


@pytest.mark.parametrize("variant", ["huang_1", "huang_2", "huang_3", "huang_4", "xlnet_bi"])
def test_the_others_have_no_shorter_form(variant):
    method, (q, k, _) = build(variant), qkv(length=LENGTH, keys=KEYS)
    assert method.score_mod(*POSITIONS["shared"], q=q, k=k) is NotImplemented


def test_rows_that_change_too_far_away_are_not_listed():
    method, (q, k, _) = build("deberta", max_relative_positions=10_000, position_buckets=5), qkv(length=60)
    assert method.score_mod(torch.arange(60), torch.arange(60), q=q, k=k) is NotImplemented


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("variant", ["shaw", "transformer_xl", "deberta"])
def test_flex_gives_what_eager_gives_in_every_dtype(variant, dtype):
    method = build(variant).to(dtype)
    q, k, v = qkv(length=40, kv_heads=2, dtype=dtype)
    positions = torch.arange(40) % 10
    mask = positions[:, None] >= positions[None, :]
    assert method.score_mod(positions, positions, q=q, k=k) is not NotImplemented
    with torch.no_grad():
        eager, other = (
            nn.attention(q, k, v, method, positions, positions, mask=mask, backend=backend)
            for backend in ("eager", "flex")
        )
    tolerance = {torch.bfloat16: 3e-2, torch.float32: 1e-5, torch.float64: 1e-12}[dtype]
    torch.testing.assert_close(other, eager, atol=tolerance, rtol=0)
