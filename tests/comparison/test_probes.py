"""The questions to methods have the answers that the methods' own formulas give."""

from __future__ import annotations

import pytest
import torch

from pe_course import nn
from pe_course.comparison import probes
from pe_course.comparison.cases import CASES, Case, Shape, built

SCORED = ("t5", "alibi", "kerple", "sandwich", "fire", "continuous", "transformer_xl", "xlnet", "deberta", "cope")


def test_every_method_takes_part():
    assert sorted(CASES) == nn.methods()
    labels = [case.label for case in CASES.values()]
    assert len(set(labels)) == len(labels)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="name must be one of 'nope', 'integer'"):
        built("ropes", probes.SMALL)


@pytest.mark.parametrize("name", CASES)
def test_entries_are_the_hooks_that_a_class_overrides(name: str):
    entered, method = probes.entries(name), built(name, probes.SMALL)
    hooks = {"embed": probes.INPUT, "rotate": probes.QUERY_KEY, "scale_q": probes.QUERY, "score_bias": probes.SCORE}
    overridden = {place for hook, place in hooks.items() if getattr(type(method), hook) is not base(hook)}
    assert set(entered) - {probes.VALUE} == overridden
    assert (probes.VALUE in entered) == (name == "shaw")


def base(hook: str):
    return getattr(nn.PositionMethod, hook)


@pytest.mark.parametrize("name", CASES)
def test_relative_is_what_the_class_says_of_shifts(name: str):
    assert probes.is_relative(name) == built(name, probes.SMALL).shift_invariant


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nope", "no"),
        ("rope", "yes"),
        ("sinusoidal", "yes"),
        ("t5", "yes"),
        ("continuous", "yes"),
        ("kerple", "no"),
        ("sandwich", "no"),
        ("logn", "no"),
        ("alibi", probes.PAST),
        ("xpos", probes.PAST),
        ("cope", probes.PAST),
    ],
)
def test_direction(name: str, expected: str):
    assert probes.before_and_after(name) == expected


def test_a_symmetric_alibi_has_no_direction(monkeypatch):
    symmetric = Case("symmetric", lambda shape: {"num_heads": shape.heads, "bidirectional": True})
    monkeypatch.setitem(CASES, "alibi", symmetric)
    assert probes.before_and_after("alibi") == "no"


def test_learned_numbers_of_known_tables():
    assert probes.learned_numbers("learned") == 512 * 768
    assert probes.learned_numbers("t5") == 32 * 12
    assert probes.learned_numbers("kerple") == 2 * 12
    assert probes.learned_numbers("rope") == probes.learned_numbers("alibi") == 0


def test_work_is_counted_in_numbers_changed():
    assert probes.work("rope").per_token == 2 * 768  # queries and keys
    assert probes.work("p_rope").per_token == 768  # half of both
    assert probes.work("sinusoidal").per_token == 768
    assert probes.work("sinusoidal").once and not probes.work("rope").once
    assert probes.work("logn").per_token == 768
    assert (probes.work("rope").per_pair, probes.work("alibi").per_pair) == (0, 12)


@pytest.mark.parametrize("name", SCORED)
def test_tables_by_sentence_are_those_of_content(name: str):
    assert probes.work(name).by_sentence == built(name, probes.SMALL).needs_content


def test_products_of_transformer_xl_are_those_of_its_formula():
    """Over n tokens: q·W R over 2n − 1 distances and the projection of these, u·k, v·W R; q·k is 1."""
    n, d, width = 512, 64, 768
    rows = 2 * n - 1
    own = 12 * n * rows * d + rows * width * width + 12 * n * d + 12 * rows * d
    assert probes.work("transformer_xl").products == pytest.approx(own / (12 * n * n * d), rel=0.01)
    assert probes.work("t5").products == 0


def test_keys_change_where_the_rule_follows_the_length():
    changing = {name for name in CASES if not probes.keeps_keys(name)}
    assert changing == {"rope_dynamic", "rope_longrope"}


def test_weights_are_those_of_attention_and_sum_to_one():
    shape = Shape(heads=2, head_dim=8, trained=4, longest=8)
    found = probes.weights(built("shaw", shape).double(), probes.vectors(5, 16), torch.arange(5), shape)
    assert found.shape == (1, 2, 5, 5)
    torch.testing.assert_close(found.sum(-1), torch.ones(1, 2, 5, dtype=torch.float64))


def test_the_past_is_masked_only_where_it_must_be():
    n = 5
    for name in ("alibi", "rope"):
        found = probes.weights(built(name, probes.SMALL).double(), probes.vectors(n, 64), torch.arange(n), probes.SMALL)
        assert bool((found.triu(1) == 0).all()) == (name == "alibi")


def test_building_twice_gives_the_same_and_leaves_the_readers_dice_alone():
    before = torch.random.get_rng_state()
    first, second = (built("kerple", probes.SMALL).state_dict() for _ in range(2))
    assert all(torch.equal(first[key], second[key]) for key in first)
    assert torch.equal(before, torch.random.get_rng_state())
