"""Public reports about longer contexts. See test_absolute.py for the form."""

import numpy as np
import pytest

from pe_course.reference import rotary, scaling

PLAIN = 10000.0 ** (-np.arange(0, 16, 2) / 16)


def _dynamic(seq_len, dim=16, factor=2.0, trained=32):
    return scaling.rope_scaling_dynamic(dim, max_position_embeddings=trained, seq_len=seq_len, factor=factor)[0]


def test_a_long_input_leaves_no_trace():
    """huggingface/transformers#25306, #27226: the same short prompt answers differently after a long one.

    The base grew with the longest input so far and never came back. In vllm-project/vllm#3488 inputs within the
    trained length were scaled at once.
    """
    before = _dynamic(16)
    assert np.abs(_dynamic(256) - PLAIN).max() > 0.01
    np.testing.assert_array_equal(_dynamic(16), before)
    np.testing.assert_allclose(before, PLAIN, rtol=1e-12)


def test_keys_of_another_length_do_not_fit():
    """huggingface/transformers#25104, PR#24653: dynamic NTK with a cache of rotated keys is inconsistent.

    Keys are kept before their rotation, or rotated again.
    """
    q, k = np.random.default_rng(0).normal(size=(2, 1, 8))
    short, long = (_dynamic(length, dim=8, trained=16) for length in (16, 32))
    query = rotary.apply_rope(q, [31], inv_freq=long)
    consistent, mixed = (query @ rotary.apply_rope(k, [15], inv_freq=inv_freq).T for inv_freq in (long, short))
    assert abs(consistent - mixed).item() > 0.05
    distance = rotary.rope_score(q[0], k[0], 16, long)
    assert consistent.item() == pytest.approx(float(distance), rel=1e-10)


def test_the_dynamic_factor_follows_the_length():
    """vllm-project/vllm#41236, #5093, InternLM/lmdeploy#536: the scaled base did not depend on the length.

    With factor·L in place of the present length the rule gives the constant s² − s + 1 (base 135401.97), which
    differs from the released code at every shorter length.
    """
    at_4096 = scaling.dynamic_ntk_factor(4096, 2048, factor=4.0)
    assert scaling.ntk_base(10000.0, at_4096, 128) == pytest.approx(51293.79, abs=0.01)
    at_the_end = scaling.dynamic_ntk_factor(4 * 2048, 2048, factor=4.0)
    assert at_the_end == 4.0**2 - 4.0 + 1
    assert scaling.ntk_base(10000.0, at_the_end, 128) == pytest.approx(135401.97, abs=0.01)


def test_a_power_of_two_rule_has_a_name_of_its_own():
    """QwenLM/Qwen#401: is the power of two in its rule a mistake? It is another rule under the same word, "dynamic"."""
    stretch = {
        variant: scaling.dynamic_ntk_factor(5000, 2048, variant=variant, factor=4.0)
        for variant in ("hf", "paper", "qwen")
    }
    assert stretch == {"hf": 1 + 4 * (5000 / 2048 - 1), "paper": 5000 / 2048, "qwen": 7.0}


def test_interpolation_slows_every_pair_down():
    """ml-explore/mlx PR#261: a scale that means 1/factor was multiplied where others divide by the factor."""
    inv_freq, attention_factor = scaling.rope_scaling_linear(8, factor=4.0)
    np.testing.assert_allclose(inv_freq, np.array([1, 0.1, 0.01, 0.001]) / 4, rtol=1e-12)
    assert attention_factor == 1.0


def test_ntk_scaling_slows_the_slowest_pair_by_the_factor():
    """ml-explore/mlx PR#261, for the base: its exponent d/(d − 2) slows the last pair by exactly the factor."""
    assert scaling.ntk_base(10000.0, 8.0, 128) == pytest.approx(82684.6226, abs=0.01)
    ratio = rotary.rope_frequencies(64) / scaling.rope_scaling_ntk(64, factor=4.0)[0]
    np.testing.assert_allclose(ratio[[0, -1]], [1.0, 4.0], rtol=1e-12)


@pytest.mark.parametrize(
    "factor, options, expected",
    [
        (16.0, {}, 1.2772588722),
        (128.0, {}, 1.4852030264),
        (64.0, {"attention_factor": 1.0}, 1.0),
        (128.0, {"attention_factor": 1.4852030264}, 1.4852030264),
        (16.0, {"mscale": 1.0, "mscale_all_dim": 1.0}, 1.0),
        (40.0, {"mscale": 0.707, "mscale_all_dim": 1.0}, (0.0707 * np.log(40) + 1) / (0.1 * np.log(40) + 1)),
        (1.0, {}, 1.0),
    ],
)
def test_the_temperature_of_yarn_is_counted_once(factor, options, expected):
    """sgl-project/sglang PR#33558, vllm-project/vllm PR#46280, ml-explore/mlx-lm PR#1507: repetition, lost points.

    It was applied twice (1.4852² = 2.2058 on cos and sin), passed over, or multiplied with an explicit value.
    """
    assert scaling.yarn_attention_factor(factor, **options) == pytest.approx(expected, abs=1e-9)


def test_scores_grow_by_the_square_of_the_temperature():
    """deepseek-ai/DeepSeek-R1#684, turboderp-org/exllamav3#259: is the factor on cos and sin or on the softmax scale?

    On both query and key it is a square on the score: 1.4852 on cos and sin is 2.2058 on the scale.
    """
    inv_freq, factor = scaling.rope_scaling_yarn(8, factor=128.0, original_max_position_embeddings=64)
    q, k = np.random.default_rng(1).normal(size=(2, 1, 8))

    def score(attention_factor):
        (cos_q, sin_q), (cos_k, sin_k) = (
            rotary.rope_cos_sin(at, inv_freq, attention_factor=attention_factor) for at in ([9], [4])
        )
        return (rotary.apply_rotary(q, cos_q, sin_q) @ rotary.apply_rotary(k, cos_k, sin_k).T).item()

    assert score(factor) / score(1.0) == pytest.approx(2.2058, abs=1e-4)
    assert scaling.yarn_softmax_scale_factor(128.0, mscale_all_dim=1.0) == pytest.approx(factor**2, rel=1e-12)
