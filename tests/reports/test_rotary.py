"""Public reports about rotary positions. See test_absolute.py for the form."""

import numpy as np
import pytest

from pe_course.reference import absolute, attention, rotary

LAYOUTS = rotary.ROTARY_LAYOUTS


def _score(q, k, at_query, at_key, **options):
    return float(rotary.apply_rope(q, [at_query], **options)[0] @ rotary.apply_rope(k, [at_key], **options)[0])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_angles_are_paired_as_the_channels_are(layout):
    """raiyanyahya/how-to-train-your-gpt#6, baidu/ERNIE-Image#6: angles repeated in place, channels paired by halves.

    That is no rotation: the length of a vector changes, and a score depends on more than the distance.
    """
    q, k = np.random.default_rng(0).normal(size=(2, 1, 8))
    assert np.linalg.norm(rotary.apply_rope(q, [5], layout=layout)) == pytest.approx(np.linalg.norm(q), rel=1e-12)
    scores = [_score(q, k, start + 3, start, layout=layout) for start in (0, 11, 200)]
    np.testing.assert_allclose(scores, scores[0], rtol=1e-10)


def test_converted_weights_keep_every_score():
    """huggingface/transformers#25199, EleutherAI/gpt-neox#834, ggml-org/llama.cpp PR#7481: gibberish after conversion.

    Two pairings are in use. Weights trained under one need their query and key rows permuted for the other, head by
    head; without it scores agree at distance 0 alone.
    """
    rng = np.random.default_rng(1)
    heads, width, length, model = 2, 6, 4, 12
    w_q, w_k, x = (
        rng.normal(size=shape) for shape in ((heads * width, model), (heads * width, model), (length, model))
    )

    def scores(query_weight, key_weight, layout):
        rotated = [
            rotary.apply_rope((x @ w.T).reshape(length, heads, width).swapaxes(0, 1), np.arange(length), layout=layout)
            for w in (query_weight, key_weight)
        ]
        return rotated[0] @ rotated[1].swapaxes(-1, -2)

    wanted = scores(w_q, w_k, "interleaved")
    converted = [rotary.permute_projection(w, heads, to="half") for w in (w_q, w_k)]
    np.testing.assert_allclose(scores(*converted, "half"), wanted, rtol=1e-10)
    unconverted = scores(w_q, w_k, "half")
    np.testing.assert_allclose(np.diagonal(unconverted, 0, 1, 2), np.diagonal(wanted, 0, 1, 2), rtol=1e-10)
    assert np.abs(unconverted - wanted).max() > 0.1


def test_the_rotation_runs_over_time_and_not_over_heads():
    """vukrosic/leo-optimizer PR#2, rasbt/LLMs-from-scratch#411: heads got different rotations, without an error.

    The length was read from the wrong axis. As many heads as tokens hide it.
    """
    x = np.tile(np.random.default_rng(2).normal(size=4), (2, 3, 3, 1))
    turned = rotary.apply_rope(x, np.arange(3))
    np.testing.assert_array_equal(turned, np.broadcast_to(turned[:1, :1], turned.shape))
    assert np.abs(turned[0, 0, 1] - turned[0, 0, 2]).max() > 0.05


def test_a_single_token_turns_in_every_batch_row():
    """ml-explore/mlx#3494, #3795, #3949: with one token per sequence, batch rows after the first came out wrong."""
    x = np.tile(np.random.default_rng(3).normal(size=4), (3, 2, 1, 1))
    shared = rotary.apply_rope(x, [7])
    np.testing.assert_array_equal(shared, np.broadcast_to(shared[:1, :1], shared.shape))
    own = rotary.apply_rope(x, [[7], [8], [9]])
    np.testing.assert_array_equal(own[0], shared[0])
    assert np.abs(own[1] - own[0]).max() > 0.05


def test_a_positive_position_turns_counter_clockwise():
    """karpathy/nanochat PR#489, skyzh/tiny-llm PR#25: is the rotation matrix transposed?

    A direction shared by queries and keys is a convention, but one per checkpoint.
    """
    np.testing.assert_allclose(rotary.apply_rope([[1.0, 0.0]], [1]), [[np.cos(1), np.sin(1)]], rtol=1e-12)
    np.testing.assert_allclose(rotary.rotation_matrix(1, [1.0]) @ [1.0, 0.0], [np.cos(1), np.sin(1)], rtol=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_rotated_part_behaves_like_a_head_of_its_own(layout):
    """AI-Hypercomputer/maxtext PR#4615, vllm-project/vllm PR#43770, apache/tvm PR#18102: only a part of the head turns.

    The exponent was divided by the width of the head, or pairs were formed across it, or all channels turned.
    """
    x = np.random.default_rng(4).normal(size=(3, 8))
    options = {"base": 100.0, "layout": layout}
    turned = rotary.apply_rope(x, [0, 1, 7], rotary_dim=4, **options)
    np.testing.assert_array_equal(turned[:, 4:], x[:, 4:])
    np.testing.assert_array_equal(turned[:, :4], rotary.apply_rope(x[:, :4], [0, 1, 7], **options))


def test_dividing_by_the_wrong_width_is_no_small_matter():
    """pie-project/pie PR#603: the exponent was divided by the width of the head, not by that of the rotated part."""
    by_head_width = 10000.0 ** (-62 / 256)
    assert by_head_width / rotary.rope_frequencies(64)[-1] == pytest.approx(806, abs=0.5)


def test_one_cached_step_equals_the_last_row_of_the_full_pass():
    """ml-explore/mlx-lm PR#93, RobertCsordas/moeut PR#6, skyzh/tiny-llm PR#46: cached generation differs."""
    q, k, v = np.random.default_rng(5).normal(size=(3, 6, 8))
    at = np.arange(6)
    keys = rotary.apply_rope(k, at)
    full = attention.attention(rotary.apply_rope(q, at), keys, v, mask=attention.causal_mask(6))
    step = attention.attention(rotary.apply_rope(q[5:], at[5:]), keys, v, mask=attention.causal_mask(1, 6))
    np.testing.assert_allclose(step, full[5:], rtol=1e-12)


def test_the_position_does_not_depend_on_what_the_cache_keeps():
    """rajveer43/VeloxQuant-MLX#389: after eviction the next token was counted by the rows that were left."""
    q, k, v = np.random.default_rng(6).normal(size=(3, 6, 8))
    at = np.arange(6)
    mask = np.array([[False, False, True, True, True, True]])
    query = rotary.apply_rope(q[5:], at[5:])
    whole = attention.attention(query, rotary.apply_rope(k, at), v, mask=mask)
    evicted = attention.attention(query, rotary.apply_rope(k[2:], at[2:]), v[2:])
    np.testing.assert_allclose(evicted, whole, rtol=1e-12)


def test_a_shift_of_both_sides_changes_no_rotary_score_but_a_table():
    """huggingface/transformers#22161, turboderp-org/exllamav2#606: what does a wrong start of a padded prompt cost?

    Nothing where queries and keys shift alike, something where one side does, and always with a table of positions.
    """
    rng = np.random.default_rng(7)
    q, k = rng.normal(size=(2, 1, 8))
    true = _score(q, k, 3, 1)
    assert _score(q, k, 3 + 40, 1 + 40) == pytest.approx(true, rel=1e-10)
    assert abs(_score(q, k, 3 + 40, 1) - true) > 0.1
    table = rng.normal(size=(64, 8))
    assert np.abs(absolute.learned_positions([43], table) - absolute.learned_positions([3], table)).max() > 0.1


def test_a_pack_that_runs_on_is_harmless_for_exact_angles():
    """unslothai/unsloth#126, tenstorrent/tt-metal PR#36808: must rotary positions restart in each document?

    With a mask per document the offset cancels in exact angles. Positions rounded to 8 bits lose it.
    """
    q, k = np.random.default_rng(8).normal(size=(2, 1, 8))
    own = _score(q, k, 2, 0)
    assert _score(q, k, 1003, 1001) == pytest.approx(own, rel=1e-9)
    rounded = [float(np.round(position / 4) * 4) for position in (1003, 1001)]  # bfloat16 from 512 to 1023
    assert abs(_score(q, k, *rounded) - own) > 0.1


def test_the_base_of_the_configuration_is_used():
    """google/gemma.cpp#986, LostRuins/koboldcpp#487, huggingface/nanotron PR#188: theta was fixed in the code."""
    turned = rotary.apply_rope([[1.0, 0.0, 1.0, 0.0]], [10], base=1e6, layout="interleaved")
    np.testing.assert_allclose(turned[0, 2:], [np.cos(0.01), np.sin(0.01)], rtol=1e-12)


@pytest.mark.parametrize("base", [0, 1, -10000.0, float("nan")])
def test_a_base_that_makes_no_frequencies_is_refused(base):
    """nntrainer/nntrainer PR#3982: a theta of 0 in the configuration turned every number into NaN."""
    with pytest.raises(ValueError, match="base must be"):
        rotary.apply_rope([[1.0, 0.0]], [1], base=base)
