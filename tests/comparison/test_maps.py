"""Attention maps: the words travel with their contents, and only order can change what they attend to."""

from __future__ import annotations

import numpy as np
import pytest

from pe_course.comparison import CASES, SENTENCES, attention_map
from pe_course.comparison.maps import ORDERS, change, content

WORDS = SENTENCES[0].words


@pytest.mark.parametrize("name", CASES)
def test_rows_are_shares(name: str):
    for same in (False, True):
        weights = attention_map(name, WORDS, same=same)
        np.testing.assert_allclose(weights.sum(axis=1), 1)
        assert (weights >= 0).all()


def test_with_one_content_nope_is_even_and_rope_is_not():
    assert np.ptp(attention_map("nope", WORDS, same=True)) < 1e-12
    assert np.ptp(attention_map("rope", WORDS, same=True)) > 0.01


def test_a_word_keeps_its_content_wherever_it_stands():
    vectors = content(WORDS)[0]
    assert (vectors[0] == vectors[4]).all()  # "the" twice
    assert (vectors[0] != vectors[1]).any()
    assert (content(WORDS[::-1])[0] == vectors.flip(0)).all()
    assert (content(WORDS, same=True)[0] == content(WORDS, same=True)[0, 0]).all()


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda each: each.words[-1])
def test_orders_are_permutations_and_scrambled_is_another(sentence):
    for name in ORDERS:
        assert sorted(sentence.order(name)) == list(range(len(sentence.words)))
    words = [sentence.words[place] for place in sentence.scrambled]
    assert words not in (list(sentence.words), list(sentence.words[::-1]))
    with pytest.raises(KeyError):
        sentence.order("shuffled")


def test_change_is_zero_where_order_is_not_seen():
    reversed_, scrambled = SENTENCES[0].order("reversed"), SENTENCES[0].scrambled
    assert change("nope", WORDS, scrambled) < 1e-12
    assert change("kerple", WORDS, reversed_) < 1e-12 < 0.01 < change("kerple", WORDS, scrambled)
    assert change("rope", WORDS, reversed_) > 0.01
    assert change("rope", WORDS, SENTENCES[0].order("written")) == 0


def test_change_compares_each_pair_with_itself():
    """By hand, for one pair: the weight of "hospital" on "patient" before and after."""
    before = attention_map("rope", ("patient", "went", "hospital"))[2, 0]
    after = attention_map("rope", ("hospital", "went", "patient"))[0, 2]
    assert change("rope", ("patient", "went", "hospital"), (2, 1, 0)) >= abs(after - before) > 1e-4


def test_no_words_and_unknown_names_are_refused():
    with pytest.raises(TypeError, match="words must be text, got 7"):
        attention_map("rope", ("a", 7))
    with pytest.raises(ValueError, match="words must hold at least one word"):
        attention_map("rope", ())
    with pytest.raises(ValueError, match="name must be one of"):
        attention_map("ropes", WORDS)
