"""The rotations on the device: equal to the reference, exact far out, right with caches, batches and compilers."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch
from nn.inputs import array, causal, normal, qkv
from nn.options import HEAD_DIM, OPTIONS

from pe_course import nn
from pe_course.reference import rotary, scaling

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
NAMED = ["rope", "rope_linear", "rope_ntk", "rope_ntk_by_parts", "rope_yarn", "rope_llama3", "p_rope"]
FOLLOWING = ["rope_dynamic", "rope_longrope"]
DYNAMIC = {"rope_type": "dynamic", "factor": 2.0, "max_position_embeddings": 6}
LONGROPE = {
    **{"rope_type": "longrope", "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1.0, 2.0, 4.0, 8.0]},
    **{"original_max_position_embeddings": 6, "factor": 4.0},
}


def build(name: str, **more):
    return nn.build(name, **{**OPTIONS[name], **more})


def rotated(method, q, k, pos_q, pos_k):
    """Rotated queries and keys as arrays."""
    return tuple(array(x) for x in method.rotate(q, k, pos_q, pos_k))


def wanted(x, positions, inv_freq, factor=1.0, layout="half"):
    cos, sin = rotary.rope_cos_sin(np.asarray(positions), inv_freq, attention_factor=factor)
    return rotary.apply_rotary(array(x), cos, sin, layout=layout)


# --- equal to the reference -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("rotary_dim", [None, 4])
def test_rope_is_the_reference(layout, rotary_dim):
    q, k, _ = qkv(length=5, keys=7, kv_heads=2)
    method = nn.RotaryEmbedding(8, base=500.0, layout=layout, rotary_dim=rotary_dim)
    pos_q, pos_k = torch.tensor([3, 0, 12, -4, 9]), torch.arange(7) * 1.5
    options = {"base": 500.0, "layout": layout, "rotary_dim": rotary_dim}
    for x, positions, ours in zip((q, k), (pos_q, pos_k), rotated(method, q, k, pos_q, pos_k), strict=True):
        np.testing.assert_allclose(ours, rotary.apply_rope(array(x), positions.numpy(), **options), atol=1e-12)


def test_the_default_layout_is_half():
    q, k, _ = qkv(length=3)
    at = torch.arange(3)
    ours = rotated(nn.RotaryEmbedding(8), q, k, at, at)[0]
    np.testing.assert_allclose(ours, rotary.apply_rope(array(q), at.numpy(), layout="half"), atol=1e-12)


def test_positions_of_a_batch_belong_to_its_rows():
    q, k, _ = qkv(length=4)
    pos_q, pos_k = torch.tensor([[0, 1, 2, 3], [7, 7, 0, 2]]), torch.tensor([[5, 6, 7, 8], [0, 1, 0, 1]])
    got = rotated(nn.RotaryEmbedding(8), q, k, pos_q, pos_k)
    for x, positions, ours in zip((q, k), (pos_q, pos_k), got, strict=True):
        np.testing.assert_allclose(ours, rotary.apply_rope(array(x), positions.numpy()), atol=1e-12)


def test_partial_rotary_by_fraction_and_by_width_agree():
    q, k, _ = qkv(head_dim=16)
    at = torch.arange(6)
    by_width = rotated(nn.RotaryEmbedding(16, rotary_dim=4), q, k, at, at)
    by_fraction = rotated(nn.RotaryEmbedding(16, partial_rotary_factor=0.25), q, k, at, at)
    np.testing.assert_array_equal(by_width, by_fraction)
    np.testing.assert_array_equal(by_width[0][..., 4:], array(q)[..., 4:])


def test_channels_before_the_start_pass_unchanged():
    q, k, _ = qkv(head_dim=12)
    at = torch.arange(6)
    ours = rotated(nn.RotaryEmbedding(12, rotary_dim=4, rotary_start=6), q, k, at, at)[0]
    np.testing.assert_allclose(ours[..., 6:10], rotary.apply_rope(array(q)[..., 6:10], at.numpy()), atol=1e-12)
    np.testing.assert_array_equal(np.delete(ours, range(6, 10), -1), np.delete(array(q), range(6, 10), -1))


SCALED = [
    ("rope", {}, lambda: scaling.rope_scaling_default(8)),
    ("rope_linear", {"factor": 4.0}, lambda: scaling.rope_scaling_linear(8, factor=4.0)),
    ("rope_ntk", {"factor": 4.0}, lambda: scaling.rope_scaling_ntk(8, factor=4.0)),
    (
        "rope_ntk_by_parts",
        {"factor": 4.0, "original_max_position_embeddings": 99, "ramp": "ratio"},
        lambda: scaling.rope_scaling_ntk_by_parts(8, factor=4.0, original_max_position_embeddings=99, ramp="ratio"),
    ),
    (
        "rope_yarn",
        {"factor": 4.0, "original_max_position_embeddings": 99, "mscale": 1.0, "mscale_all_dim": 0.5},
        lambda: scaling.rope_scaling_yarn(
            8, factor=4.0, original_max_position_embeddings=99, mscale=1.0, mscale_all_dim=0.5
        ),
    ),
    (
        "rope_llama3",
        {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 99},
        lambda: scaling.rope_scaling_llama3(
            8, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=99
        ),
    ),
    (
        "p_rope",
        {"partial_rotary_factor": 0.5, "base": 1e6},
        lambda: scaling.rope_scaling_proportional(8, partial_rotary_factor=0.5, base=1e6),
    ),
]


@pytest.mark.parametrize(("name", "options", "expected"), SCALED, ids=[row[0] for row in SCALED])
def test_every_scaling_is_the_reference(name, options, expected):
    inv_freq, factor = expected()
    q, k, _ = qkv(length=6)
    at = torch.arange(100, 106)
    method = nn.build(name, head_dim=8, **options)
    assert method.attention_factor == factor
    for x, ours in zip((q, k), rotated(method, q, k, at, at), strict=True):
        np.testing.assert_allclose(ours, wanted(x, at, inv_freq, factor), atol=1e-12)


def test_scaling_of_your_own_as_a_pair():
    inv_freq = np.array([1.0, 0.3, 0.05])
    q, k, _ = qkv()
    at = torch.arange(6)
    method = nn.RotaryEmbedding(8, scaling=(inv_freq, 1.25))
    assert method.rotary_dim == 6
    np.testing.assert_allclose(rotated(method, q, k, at, at)[1], wanted(k, at, inv_freq, 1.25), atol=1e-12)
    assert method.cache_rotated_ok


def test_partial_rotary_comes_before_scaling():
    method = nn.RotaryEmbedding(16, partial_rotary_factor=0.5, scaling={"rope_type": "ntk", "factor": 3.0})
    np.testing.assert_array_equal(method.inv_freq.numpy(), scaling.rope_scaling_ntk(8, factor=3.0)[0])
    by_width = nn.RotaryEmbedding(16, rotary_dim=8, scaling={"rope_type": "ntk", "factor": 3.0})
    np.testing.assert_array_equal(by_width.inv_freq.numpy(), method.inv_freq.numpy())


def test_the_base_within_scaling_counts():
    method = nn.RotaryEmbedding(8, scaling={"rope_type": "default", "rope_theta": 5e5})
    np.testing.assert_array_equal(method.inv_freq.numpy(), rotary.rope_frequencies(8, base=5e5))
    assert method.base == 5e5


@pytest.mark.parametrize("name", [*NAMED, "xpos"])
def test_scores_depend_on_the_distance_alone(name):
    q, k, _ = qkv()
    method, at = build(name), torch.arange(6)
    near, far = (torch.matmul(a, b.mT) for a, b in (method.rotate(q, k, at + s, at + s) for s in (0, 1000)))
    torch.testing.assert_close(near, far, atol=1e-9, rtol=0)
    assert method.shift_invariant


# --- frequencies that follow the length -------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [4, 6, 7, 20])
def test_dynamic_frequencies_follow_the_longest_position(length):
    q, k, _ = qkv(length=2, keys=length)
    method = nn.RotaryEmbedding(8, scaling=DYNAMIC)
    inv_freq, _ = scaling.rope_scaling_dynamic(8, factor=2.0, max_position_embeddings=6, seq_len=length)
    at = torch.arange(length)
    np.testing.assert_allclose(rotated(method, q, k, at[-2:], at)[1], wanted(k, at, inv_freq), atol=1e-12)
    np.testing.assert_allclose(rotated(method, q, k, at[-2:], at)[0], wanted(q, at[-2:], inv_freq), atol=1e-12)


@pytest.mark.parametrize("length", [4, 6, 7, 20])
def test_longrope_switches_its_list(length):
    q, k, _ = qkv(length=length)
    method, at = nn.RotaryEmbedding(8, scaling=LONGROPE), torch.arange(length)
    chosen = LONGROPE["long_factor"] if length > 6 else LONGROPE["short_factor"]
    inv_freq = rotary.rope_frequencies(8) / chosen
    factor = np.sqrt(1 + np.log(4.0) / np.log(6))
    np.testing.assert_allclose(rotated(method, q, k, at, at)[0], wanted(q, at, inv_freq, factor), atol=1e-12)


def test_a_short_call_after_a_long_one_gets_the_trained_frequencies():
    q, k, _ = qkv(length=4)
    method, at = nn.RotaryEmbedding(8, scaling=DYNAMIC), torch.arange(4)
    method.rotate(q, k, at + 50, at + 50)
    np.testing.assert_allclose(rotated(method, q, k, at, at)[0], wanted(q, at, rotary.rope_frequencies(8)), atol=1e-12)


def test_seq_len_fixes_the_length():
    q, k, _ = qkv(length=4)
    method, at = nn.RotaryEmbedding(8, scaling=DYNAMIC, seq_len=30), torch.arange(4)
    for length in (30, 12):
        method.seq_len = length
        inv_freq, _ = scaling.rope_scaling_dynamic(8, factor=2.0, max_position_embeddings=6, seq_len=length)
        np.testing.assert_allclose(rotated(method, q, k, at, at)[0], wanted(q, at, inv_freq), atol=1e-12)
    method.seq_len = None
    np.testing.assert_array_equal(method.inv_freq.numpy(), rotary.rope_frequencies(8))


def test_seq_len_survives_a_cast():
    method = nn.RotaryEmbedding(8, scaling=DYNAMIC, seq_len=30)
    before = method.inv_freq.clone()
    assert torch.equal(method.to(torch.bfloat16).inv_freq, before)
    assert before[-1] < nn.RotaryEmbedding(8).inv_freq[-1]


def test_a_function_of_the_length():
    def rule(length):
        return scaling.rope_scaling_dynamic(8, variant="qwen", max_position_embeddings=6, seq_len=length)

    q, k, _ = qkv(length=20)
    method, at = nn.RotaryEmbedding(8, scaling=rule), torch.arange(20)
    np.testing.assert_allclose(rotated(method, q, k, at, at)[0], wanted(q, at, rule(20)[0]), atol=1e-12)
    assert not method.cache_rotated_ok


def test_a_function_must_keep_its_factor_and_its_width():
    for rule in (lambda n: ([1.0, 0.5], 1.0 if n is None else 2.0), lambda n: ([1.0] * (2 if n is None else 3), 1.0)):
        method = nn.RotaryEmbedding(8, scaling=rule)
        with pytest.raises(ValueError, match=r"scaling must keep its attention_factor 1 and its 2 frequencies .* at 5"):
            method.seq_len = 5


def test_only_methods_that_follow_the_length_forbid_cached_rotations():
    assert all(build(name).cache_rotated_ok for name in [*NAMED, "xpos", "axial_rope", "mrope"])
    for name in FOLLOWING:
        assert not build(name).cache_rotated_ok
        assert not build(name).shift_invariant
    assert not build("rerope").cache_rotated_ok


# --- the scale of the scores ------------------------------------------------------------------------------------------


def test_the_scale_of_the_scores():
    assert nn.RotaryEmbedding(8).sm_scale(64) == 0.125
    factor = scaling.yarn_softmax_scale_factor(40.0, mscale_all_dim=1.0)
    assert nn.RotaryEmbedding(8, softmax_factor=factor).sm_scale(64) == pytest.approx(0.125 * factor, rel=1e-15)


# --- configurations ---------------------------------------------------------------------------------------------------

LLAMA_31 = {
    **{"hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 131072, "rope_theta": 5e5},
    "rope_scaling": {
        **{"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
        "original_max_position_embeddings": 8192,
    },
}
DEEPSEEK_V3 = {
    **{"qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "hidden_size": 96, "num_attention_heads": 4},
    **{"rope_theta": 1e4, "max_position_embeddings": 163840},
    "rope_scaling": {
        **{"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0},
        "original_max_position_embeddings": 4096,
    },
}


def test_a_config_of_transformers_4_and_5():
    parameters = {**LLAMA_31["rope_scaling"], "rope_theta": 5e5}
    version_5 = {"head_dim": 16, "rope_parameters": parameters, "max_position_embeddings": 131072}
    expected = scaling.rope_parameters_from_config(LLAMA_31)
    for config in (LLAMA_31, version_5):
        method = nn.rope_from_config(config)
        np.testing.assert_array_equal(method.inv_freq.numpy(), expected.inv_freq)
        assert (method.head_dim, method.rotary_dim, method.base, method.layout) == (16, 16, 5e5, "half")
        assert method.cache_rotated_ok


def test_a_config_with_layer_types():
    config = {
        "head_dim": 8,
        "rope_parameters": {
            "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        },
    }
    full = nn.rope_from_config(config, layer_type="full_attention")
    np.testing.assert_array_equal(full.inv_freq.numpy(), rotary.rope_frequencies(8, base=1e6) / 8)
    local = nn.rope_from_config(config, layer_type="sliding_attention")
    np.testing.assert_array_equal(local.inv_freq.numpy(), rotary.rope_frequencies(8))


def test_a_config_with_a_fraction_and_a_layout():
    config = {"head_dim": 16, "rope_theta": 1e4, "partial_rotary_factor": 0.5}
    method = nn.rope_from_config(config, layout="interleaved")
    assert (method.head_dim, method.rotary_dim, method.layout) == (16, 8, "interleaved")
    np.testing.assert_array_equal(method.inv_freq.numpy(), rotary.rope_frequencies(8))


def test_a_config_that_follows_the_length():
    config = {"head_dim": 8, "rope_theta": 1e4, "max_position_embeddings": 6}
    method = nn.rope_from_config({**config, "rope_scaling": {"type": "dynamic", "factor": 2.0}})
    q, k, _ = qkv(length=20)
    at = torch.arange(20)
    ours = nn.RotaryEmbedding(8, scaling=DYNAMIC)
    np.testing.assert_array_equal(rotated(method, q, k, at, at), rotated(ours, q, k, at, at))
    assert not method.cache_rotated_ok


def test_a_config_of_deepseek():
    method = nn.rope_from_config(DEEPSEEK_V3, layout="interleaved")
    assert (method.head_dim, method.rotary_dim, method.rotary_start) == (24, 8, 16)
    assert method.attention_factor == 1.0
    temperature = 0.1 * np.log(40) + 1
    assert method.sm_scale(24) == pytest.approx(24**-0.5 * temperature**2, rel=1e-14)
    q, k, _ = qkv(head_dim=24)
    at = torch.arange(6)
    ours = rotated(method, q, k, at, at)[0]
    np.testing.assert_array_equal(ours[..., :16], array(q)[..., :16])
    inv_freq = scaling.rope_parameters_from_config(DEEPSEEK_V3).inv_freq
    np.testing.assert_allclose(ours[..., 16:], wanted(q[..., 16:], at, inv_freq, layout="interleaved"), atol=1e-12)


def test_a_config_that_tells_the_layout():
    """DeepSeek-V3 and its relatives in transformers 5; the caller may still say otherwise."""
    for told, layout in ((True, "interleaved"), (False, "half"), (None, "half")):
        config = {**DEEPSEEK_V3, "rope_interleave": told}
        assert nn.rope_from_config(config).layout == layout
        assert nn.rope_from_config(config, layout="interleaved").layout == "interleaved"


def test_mscale_alone_leaves_other_models_their_scale():
    config = {k: v for k, v in DEEPSEEK_V3.items() if not k.startswith("qk_")}
    assert nn.rope_from_config(config).sm_scale(24) == 24**-0.5


def test_a_config_with_sections_is_mrope():
    scaled = {"type": "mrope", "mrope_section": [2, 1, 1]}
    method = nn.rope_from_config({"head_dim": 8, "rope_theta": 1e6, "rope_scaling": scaled})
    assert isinstance(method, nn.MRope)
    assert (method.position_axes, method.interleaved) == (3, False)
    dealt = {"rope_type": "default", "mrope_section": [2, 1, 1], "mrope_interleaved": True, "rope_theta": 1e6}
    assert nn.rope_from_config({"head_dim": 8, "rope_parameters": dealt}).interleaved
    omni = {"head_dim": 8, "rope_theta": 1e6, "rope_scaling": {**scaled, "type": "default", "interleaved": True}}
    assert nn.rope_from_config(omni).interleaved, "Qwen3-Omni's talker has this name alone"


# --- the relatives of RoPE --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("rotary_dim", [None, 4])
def test_xpos_is_the_reference(layout, rotary_dim):
    q, k, _ = qkv(length=5, keys=7)
    options = {"layout": layout, "rotary_dim": rotary_dim, "scale_base": 16.0, "gamma": 0.3, "centre": 4.0}
    pos_q, pos_k = torch.arange(2, 7), torch.arange(7)
    ours_q, ours_k = rotated(nn.XPos(8, base=50.0, **options), q, k, pos_q, pos_k)
    options["base"] = 50.0
    np.testing.assert_allclose(
        ours_q, rotary.apply_xpos(array(q), pos_q.numpy(), role="query", **options), rtol=1e-11, atol=1e-12
    )
    np.testing.assert_allclose(
        ours_k, rotary.apply_xpos(array(k), pos_k.numpy(), role="key", **options), rtol=1e-11, atol=1e-12
    )


def test_xpos_defaults_are_those_of_torchscale():
    q, k, _ = qkv()
    at = torch.arange(6)
    ours = rotated(nn.XPos(8), q, k, at, at)[1]
    np.testing.assert_allclose(ours, rotary.apply_xpos(array(k), at.numpy(), role="key"), atol=1e-12)


def test_xpos_decays_and_its_centre_cancels():
    q = torch.ones(1, 1, 1, 8, dtype=torch.float64)
    at = torch.tensor([300])
    for distance in (0, 200):
        turned_q, turned_k = nn.XPos(8).rotate(q, q, at, at - distance)
        decay = rotary.xpos_scales(distance, rotary.xpos_zeta(8))
        expected = 2 * (np.cos(distance * rotary.rope_frequencies(8)) * decay).sum()
        assert (turned_q * turned_k).sum().item() == pytest.approx(expected, abs=1e-12)
    scores = [torch.matmul(a, b.mT) for a, b in (nn.XPos(8, centre=c).rotate(q, q, at, at - 7) for c in (0.0, 250.0))]
    torch.testing.assert_close(*scores, atol=1e-11, rtol=0)
    assert nn.XPos(8).causal_only


@pytest.mark.parametrize("variant", rotary.AXIAL_VARIANTS)
def test_axial_rope_is_the_reference(variant):
    q, k, _ = qkv(length=6, batch=1)
    points = rotary.grid_coordinates((2, 3), kind="centres" if variant == "dinov3" else "index")
    at = torch.tensor(points.T)
    method = nn.AxialRotaryEmbedding(8, variant=variant)
    angles = rotary.axial_angles(points, 8, variant=variant)
    layout = "interleaved" if variant in ("lang", "pixel") else "half"
    expected = rotary.apply_rotary(array(q), np.cos(angles), np.sin(angles), layout=layout)
    np.testing.assert_allclose(rotated(method, q, k, at, at)[0], expected, atol=1e-12)


def test_axial_rope_of_a_batch_and_of_three_axes():
    q, k, _ = qkv(length=6, head_dim=16)
    at = normal(3, 2, 6)
    method = nn.AxialRotaryEmbedding(16, num_axes=3, rotary_dim=12, base=50.0, layout="half")
    angles = rotary.axial_angles(at.movedim(0, -1).numpy(), 12, base=50.0)
    expected = rotary.apply_rotary(array(q), np.cos(angles), np.sin(angles), layout="half")
    np.testing.assert_allclose(rotated(method, q, k, at, at)[0], expected, atol=1e-12)


@pytest.mark.parametrize("interleaved", [False, True])
def test_mrope_is_the_reference(interleaved):
    q, k, _ = qkv()
    at = torch.tensor(np.random.default_rng(0).integers(0, 50, (3, 2, 6)))
    method = nn.MRope(8, (2, 1, 1), interleaved=interleaved, base=100.0)
    tables = rotary.mrope_cos_sin(
        at.numpy(), rotary.rope_frequencies(8, base=100.0), (2, 1, 1), interleaved=interleaved
    )
    np.testing.assert_allclose(
        rotated(method, q, k, at, at)[1], rotary.apply_rotary(array(k), *tables, layout="half"), atol=1e-12
    )


def test_mrope_of_text_is_rope_with_any_scaling():
    q, k, _ = qkv()
    at = torch.arange(6)
    scaled = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
    text = rotated(nn.MRope(8, (2, 1, 1), scaling={**scaled, "mrope_section": [2, 1, 1]}), q, k, *[at.expand(3, 6)] * 2)
    np.testing.assert_array_equal(text, rotated(nn.RotaryEmbedding(8, scaling=scaled), q, k, at, at))


@pytest.mark.parametrize("leaky_factor", [None, 4.0, 1.0])
@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_rerope_scores_are_the_reference(leaky_factor, layout):
    q, k, _ = qkv(length=5, keys=12)
    pos_q, pos_k = torch.arange(7, 12), torch.arange(12)
    method = nn.ReRoPE(8, window=3, leaky_factor=leaky_factor, layout=layout)
    turned_q, turned_k = method.rotate(q, k, pos_q, pos_k)
    scores = turned_q @ turned_k.mT * method.sm_scale(8) + method.score_bias(pos_q, pos_k, q=q, k=k)
    arguments = (array(q), array(k), pos_q.numpy(), pos_k.numpy())
    if leaky_factor is None:
        expected = rotary.rerope_scores(*arguments, window=3, layout=layout)
    else:
        expected = rotary.leaky_rerope_scores(*arguments, window=3, leaky_factor=leaky_factor, layout=layout)
    np.testing.assert_allclose(array(scores), expected * 8**-0.5, atol=1e-12)


def test_rerope_leaves_near_keys_alone():
    q, k, _ = qkv(length=8)
    at = torch.arange(8)
    bias = array(nn.ReRoPE(8, window=3).score_bias(at, at, q=q, k=k))
    distance = np.subtract.outer(np.arange(8), np.arange(8))
    assert (bias[..., np.abs(distance) < 3] == 0).all()
    np.testing.assert_allclose(bias[..., distance == 3], 0, atol=1e-14)
    assert (np.abs(bias[..., distance > 3]) > 1e-6).all()


def test_rerope_keeps_the_length_of_the_call():
    q, k, _ = qkv(length=10)
    at = torch.arange(10)
    method = nn.ReRoPE(8, window=3, scaling=DYNAMIC)
    inv_freq, _ = scaling.rope_scaling_dynamic(8, factor=2.0, max_position_embeddings=6, seq_len=10)
    turned_q, turned_k = method.rotate(q, k, at, at)
    scores = turned_q @ turned_k.mT * 8**-0.5 + method.score_bias(at, at, q=q, k=k)
    expected = rotary.rerope_scores(array(q), array(k), at.numpy(), at.numpy(), window=3, inv_freq=inv_freq)
    np.testing.assert_allclose(array(scores), expected * 8**-0.5, atol=1e-12)


def test_rerope_of_grouped_heads_and_batched_positions():
    q, k, _ = qkv(length=6, kv_heads=2)
    at = torch.tensor([[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 2, 3]])
    method = nn.ReRoPE(8, window=2)
    full = method.score_bias(at, at, q=q, k=k.repeat_interleave(2, 1))
    torch.testing.assert_close(method.score_bias(at, at, q=q, k=k), full, atol=0, rtol=0)
    assert full.shape == (2, 4, 6, 6)


# --- accuracy ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", [*NAMED, "mrope", "axial_rope"])
@pytest.mark.parametrize(("position", "limit"), [(4095, 5e-7), (1_000_000, 2e-6)])
def test_float32_is_right_far_out(name, position, limit, device):
    options = {"head_dim": 128}
    if name == "mrope":
        options["mrope_section"] = (16, 24, 24)
    method = nn.build(name, **{**OPTIONS[name], **options}).to(device)
    x = normal(1, 2, 64, 128, dtype=torch.float32).to(device)
    at = torch.arange(position - 63, position + 1, device=device)
    at = at if method.position_axes == 1 else at.expand(method.position_axes, -1)
    ours = method.rotate(x, x, at, at)[0]
    at = at if at.ndim == 1 else at[0]  # equal coordinates turn each pair as one position does
    exact = wanted(x.cpu(), at.cpu(), method.inv_freq.cpu().numpy(), method.attention_factor, method.layout)
    error = np.linalg.norm(array(ours.cpu().double()) - exact, axis=-1) / np.linalg.norm(array(x.cpu()), axis=-1)
    assert error.max() < limit


@pytest.mark.parametrize("position", [4095, 1_000_000])
def test_float64_is_the_reference_far_out(position):
    x = normal(1, 1, 8, 128)
    at = torch.arange(position - 7, position + 1)
    ours = rotated(nn.RotaryEmbedding(128), x, x, at, at)[0]
    np.testing.assert_allclose(ours, rotary.apply_rope(array(x), at.numpy()), atol=1e-9)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_rounded_once(dtype):
    x = normal(1, 2, 64, 8).to(dtype)
    at = torch.arange(4032, 4096)
    for method in (nn.RotaryEmbedding(8), nn.RotaryEmbedding(8).to(dtype), nn.RotaryEmbedding(8).half()):
        ours = method.rotate(x, x, at, at)[0]
        assert ours.dtype == dtype
        exact = method.rotate(x.double(), x.double(), at, at)[0]
        # Half a unit in the last place of the result, and little for the products in float32.
        error = (ours.double() - exact).abs()
        assert (error <= 0.51 * torch.finfo(dtype).eps * exact.abs().clamp(min=0.01)).all()


@pytest.mark.parametrize("name", [*NAMED, "xpos", "axial_rope", "mrope", "rerope"])
def test_tables_survive_casts_moves_copies_and_the_meta_device(name):
    plain = build(name)
    with torch.device("meta"):
        meta = build(name)
    others = [build(name).to(torch.bfloat16), build(name).half(), copy.deepcopy(plain), meta.to_empty(device="cpu")]
    for other in others:
        for (key, table), same in zip(plain.named_buffers(), other.buffers(), strict=True):
            assert torch.equal(table, same), key
            assert same.dtype == table.dtype != torch.bfloat16
    assert not plain.state_dict()


def test_a_method_can_be_pickled():
    method = pickle.loads(pickle.dumps(nn.RotaryEmbedding(8, scaling=DYNAMIC)))
    assert method._rule(20)[0][1] < method._rule(6)[0][1]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", [*NAMED, "xpos", "rerope"])
def test_autocast_does_not_reach_the_angles(name, dtype):
    q, k, _ = qkv(dtype=torch.float32)
    method, at = build(name), torch.arange(1000, 1006)
    plain = method.rotate(q, k, at, at)
    with torch.autocast("cpu", dtype=dtype):
        inside = method.rotate(q, k, at, at)
    for a, b in zip(plain, inside, strict=True):
        torch.testing.assert_close(a, b, atol=0, rtol=0)


def test_autocast_does_not_reach_the_scores_of_rerope():
    q, k, _ = qkv(dtype=torch.float32)
    method, at = nn.ReRoPE(8, window=2), torch.arange(6)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside = method.score_bias(at, at, q=q, k=k)
    torch.testing.assert_close(inside, method.score_bias(at, at, q=q, k=k), atol=0, rtol=0)


# --- inside attention -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["sdpa", "flex"])
@pytest.mark.parametrize("name", [*NAMED, *FOLLOWING, "xpos", "rerope"])
def test_backends_agree(name, backend):
    q, k, v = qkv(length=5, keys=8, kv_heads=2)
    for positions in ((None, None), (torch.arange(10).view(2, 5), torch.arange(16).view(2, 8) // 2)):
        arguments = (q, k, v, build(name), *positions, causal(5, 8))
        eager = nn.attention(*arguments)
        torch.testing.assert_close(nn.attention(*arguments, backend=backend), eager, atol=1e-10, rtol=0)


@pytest.mark.parametrize("backend", ["eager", "sdpa", "flex"])
@pytest.mark.parametrize("name", [*NAMED, *FOLLOWING, "xpos", "rerope"])
def test_decoding_with_unrotated_keys_equals_the_full_pass(name, backend):
    q, k, v = qkv(length=7, kv_heads=2)
    method, mask = build(name), causal(7)
    full = nn.attention(q, k, v, method, mask=mask)
    for t in range(7):
        seen = torch.arange(t + 1)
        step = nn.attention(
            q[:, :, t : t + 1], k[:, :, : t + 1], v[:, :, : t + 1], method, seen[-1:], seen, backend=backend
        )
        torch.testing.assert_close(step[:, :, 0], full[:, :, t], atol=1e-6, rtol=0)


@pytest.mark.parametrize("scaled", [DYNAMIC, LONGROPE], ids=["dynamic", "longrope"])
def test_each_step_beyond_the_trained_length_equals_a_full_pass_of_that_length(scaled):
    q, k, v = qkv(length=12)
    method = nn.RotaryEmbedding(8, scaling=scaled)
    for t in range(1, 13):
        full = nn.attention(q[:, :, :t], k[:, :, :t], v[:, :, :t], method, mask=causal(t))
        seen = torch.arange(t)
        step = nn.attention(q[:, :, t - 1 : t], k[:, :, :t], v[:, :, :t], method, seen[-1:], seen)
        torch.testing.assert_close(step[:, :, 0], full[:, :, -1], atol=1e-10, rtol=0)


@pytest.mark.parametrize("scaled", [DYNAMIC, LONGROPE], ids=["dynamic", "longrope"])
def test_keys_rotated_at_another_length_do_not_fit(scaled):
    q, k, _ = qkv(length=20)
    method, at = nn.RotaryEmbedding(8, scaling=scaled), torch.arange(20)
    early = method.rotate(q[:, :, :6], k[:, :, :6], at[:6], at[:6])[1]
    now = method.rotate(q, k, at, at)[1][:, :, :6]
    assert (early - now).abs().max() > 0.1
    method.seq_len = 20
    early = method.rotate(q[:, :, :6], k[:, :, :6], at[:6], at[:6])[1]
    torch.testing.assert_close(early, method.rotate(q, k, at, at)[1][:, :, :6], atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", [*NAMED, "xpos"])
def test_rotated_keys_may_be_cached(name):
    q, k, _ = qkv(length=7)
    method, at = build(name), torch.arange(7)
    full_q, full_k = method.rotate(q, k, at, at)
    for t in range(7):
        step_q, step_k = method.rotate(q[:, :, t : t + 1], k[:, :, t : t + 1], at[t : t + 1], at[t : t + 1])
        torch.testing.assert_close(step_q[:, :, 0], full_q[:, :, t], atol=1e-12, rtol=0)
        torch.testing.assert_close(step_k[:, :, 0], full_k[:, :, t], atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", [*NAMED, "xpos", "rerope"])
def test_left_padding_and_packing_change_nothing(name):
    q, k, v = qkv(batch=1, length=7)
    method = build(name)
    alone = nn.attention(q[:, :, 3:], k[:, :, 3:], v[:, :, 3:], method, mask=causal(4))
    padded = torch.tensor([[0, 0, 0, 0, 1, 2, 3]])
    mask = causal(7) & (torch.arange(7) >= 3)
    torch.testing.assert_close(nn.attention(q, k, v, method, padded, padded, mask)[:, :, 3:], alone)
    packed = torch.tensor([0, 1, 2, 0, 1, 2, 3])
    document = torch.tensor([0, 0, 0, 1, 1, 1, 1])
    mask = causal(7) & (document[:, None] == document)
    torch.testing.assert_close(nn.attention(q, k, v, method, packed, packed, mask)[:, :, 3:], alone)


@pytest.mark.parametrize("name", [*NAMED, "xpos", "axial_rope", "mrope"])
def test_gradients_reach_queries_and_keys(name):
    q, k, _ = qkv(batch=1, heads=1, length=2)
    method = build(name)
    at = torch.arange(2) if method.position_axes == 1 else torch.arange(2).expand(method.position_axes, 2)
    assert torch.autograd.gradcheck(
        lambda q, k: method.rotate(q, k, at, at), (q.requires_grad_(), k.requires_grad_()), fast_mode=True
    )


def test_gradients_pass_through_rerope():
    q, k, _ = qkv(batch=1, heads=1, length=3)
    method, at = nn.ReRoPE(8, window=2), torch.arange(3)
    assert torch.autograd.gradcheck(
        lambda q, k: method.score_bias(at, at, q=q, k=k), (q.requires_grad_(), k.requires_grad_()), fast_mode=True
    )


# --- compiled ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*NAMED, "xpos", "axial_rope", "mrope", "rerope"])
def test_static_methods_compile_without_a_break(name):
    q, k, v = qkv(dtype=torch.float32)
    method = build(name)
    at = torch.arange(6) if method.position_axes == 1 else torch.arange(6).expand(method.position_axes, 6)
    torch.compiler.reset()
    compiled = torch.compile(nn.attention, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(q, k, v, method, at, at), nn.attention(q, k, v, method, at, at))


@pytest.mark.parametrize("scaled", [DYNAMIC, LONGROPE], ids=["dynamic", "longrope"])
def test_following_methods_compile_once_their_length_is_set(scaled):
    q, k, _ = qkv(length=10, dtype=torch.float32)
    method, at = nn.RotaryEmbedding(8, scaling=scaled), torch.arange(10)
    eager = method.rotate(q, k, at, at)
    torch.compiler.reset()
    compiled = torch.compile(method.rotate, fullgraph=True, backend="eager")
    with pytest.raises(Exception, match="seq_len must be a number in a compiled call"):
        compiled(q, k, at, at)
    for length in (10, 4):
        method.seq_len = length
        wanted_now = eager if length == 10 else method.rotate(q, k, at, at)
        torch.testing.assert_close(compiled(q, k, at, at), wanted_now)


# --- bad input --------------------------------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
LAYOUT_ERROR = "layout must be one of 'half', 'interleaved'; got 'neox'"

BAD_OPTIONS = [
    ("rope", {"head_dim": 7}, ValueError, "head_dim must be even because .* got 7"),
    ("rope", {"head_dim": 0}, ValueError, "head_dim must be at least 1, got 0"),
    ("rope", {"head_dim": 8.0}, TypeError, "head_dim must be a whole number, got 8.0"),
    ("rope", {"base": 1.0}, ValueError, "base must be greater than 1, got 1"),
    ("rope", {"base": NAN}, ValueError, "base must be finite, got nan"),
    ("rope", {"base": None}, TypeError, "base must be a real number, got None"),
    ("rope", {"base": [1e4, 1e5]}, TypeError, "base must be a real number, got \\[10000.0, 100000.0\\]"),
    ("rope", {"max_position_embeddings": 0}, ValueError, "max_position_embeddings must be at least 1, got 0"),
    ("rope_linear", {"max_position_embeddings": "64"}, TypeError, "max_position_embeddings must be .* got '64'"),
    ("rope", {"scaling": {"max_position_embeddings": 2.5}}, TypeError, "max_position_embeddings in scaling .* got 2.5"),
    ("rope", {"rotary_dim": 3}, ValueError, "rotary_dim must be even .* got 3"),
    ("rope", {"rotary_dim": 10}, ValueError, "rotary_start \\+ rotary_dim must be at most head_dim, 8, got 10"),
    ("rope", {"rotary_dim": 4, "rotary_start": 6}, ValueError, "rotary_start .* at most head_dim, 8, got 10"),
    ("rope", {"rotary_start": -1}, ValueError, "rotary_start must be at least 0, got -1"),
    ("rope", {"partial_rotary_factor": 1.5}, ValueError, "partial_rotary_factor must be at most 1, got 1.5"),
    ("rope", {"partial_rotary_factor": 0.4}, ValueError, "partial_rotary_factor 0.4.* must be even .* got 3"),
    ("rope", {"partial_rotary_factor": 0.5, "rotary_dim": 4}, ValueError, "partial_rotary_factor .* rotary_dim 4"),
    ("rope", {"layout": "neox"}, ValueError, LAYOUT_ERROR),
    ("rope", {"scaling": "yarn"}, TypeError, "scaling must be a mapping, .* got 'yarn'"),
    ("rope", {"scaling": ([1.0, 0.5], 1.0, 2.0)}, TypeError, "scaling must be a mapping, .* pair"),
    ("rope", {"scaling": ([1.0, NAN], 1.0)}, ValueError, "inv_freq in scaling must be finite, got nan"),
    ("rope", {"scaling": ([], 1.0)}, ValueError, "inv_freq in scaling must not be empty"),
    ("rope", {"scaling": ([1.0], 0.0)}, ValueError, "attention_factor in scaling must be greater than 0, got 0"),
    ("rope", {"scaling": ([1.0] * 5, 1.0)}, ValueError, "rotary_dim must be at most head_dim, 8, got 10"),
    ("rope", {"scaling": ([1.0], 1.0), "rotary_dim": 4}, ValueError, "inv_freq in scaling has length 1 but .* 2"),
    ("rope", {"scaling": ([1.0], 1.0), "max_position_embeddings": 9}, ValueError, "max_position_embeddings .* got 9"),
    ("rope", {"scaling": {"rope_type": "yarm"}}, ValueError, "rope_type .* must be one of .* got 'yarm'"),
    ("rope", {"scaling": {"rope_theta": 5e5}, "base": 1e6}, ValueError, "base must be given once, got 1000000.*500000"),
    ("rope", {"scaling": {"mrope_section": [4]}}, ValueError, "scaling must not contain 'mrope_section'"),
    ("rope", {"softmax_factor": 0.0}, ValueError, "softmax_factor must be greater than 0, got 0"),
    ("rope", {"seq_len": 0}, ValueError, "seq_len must be at least 1, got 0"),
    ("rope_linear", {"factor": 0.5}, ValueError, "factor must be at least 1, got 0.5"),
    ("rope_linear", {"factr": 2.0}, ValueError, "must contain no other keys .* got 'factr'"),
    ("rope_dynamic", {"max_position_embeddings": None}, ValueError, "must contain 'max_position_embeddings'"),
    ("rope_longrope", {"long_factor": [1.0]}, ValueError, "long_factor must have 4 entries, .* got 1"),
    ("p_rope", {"partial_rotary_factor": 0.0}, ValueError, "partial_rotary_factor must be greater than 0, got 0"),
    ("xpos", {"head_dim": 7}, ValueError, "head_dim must be even .* got 7"),
    ("xpos", {"rotary_dim": 5}, ValueError, "rotary_dim must be even .* got 5"),
    ("xpos", {"base": 0.5}, ValueError, "base must be greater than 1, got 0.5"),
    ("xpos", {"layout": "neox"}, ValueError, LAYOUT_ERROR),
    ("xpos", {"scale_base": 0.0}, ValueError, "scale_base must be greater than 0, got 0"),
    ("xpos", {"gamma": -0.4}, ValueError, "gamma must be greater than 0, got -0.4"),
    ("xpos", {"centre": INF}, ValueError, "centre must be finite, got inf"),
    ("axial_rope", {"head_dim": 10}, ValueError, "dim must be a multiple of 4 .* got 10"),
    ("axial_rope", {"num_axes": 0}, ValueError, "num_axes must be at least 1, got 0"),
    ("axial_rope", {"variant": "vit"}, ValueError, "variant must be one of .* got 'vit'"),
    ("axial_rope", {"base": 1}, ValueError, "base must be greater than 1, got 1"),
    ("axial_rope", {"max_freq": 1.0, "variant": "pixel"}, ValueError, "max_freq must be at least 2, got 1"),
    ("axial_rope", {"layout": "neox"}, ValueError, LAYOUT_ERROR),
    ("axial_rope", {"rotary_dim": 12}, ValueError, "rotary_dim must be at most head_dim, 8, got 12"),
    ("mrope", {"mrope_section": (2, 1)}, ValueError, "inv_freq has length 4 but .* mrope_section has length 3"),
    ("mrope", {"mrope_section": (5, -1)}, ValueError, "mrope_section must be at least 0, got -1"),
    ("mrope", {"interleaved": 1}, TypeError, "interleaved must be True or False, got 1"),
    ("mrope", {"scaling": {"mrope_section": [1, 1, 2]}}, ValueError, "mrope_section must be given once"),
    ("rerope", {"window": 0}, ValueError, "window must be at least 1, got 0"),
    ("rerope", {"leaky_factor": 0.5}, ValueError, "leaky_factor must be at least 1, got 0.5"),
]


@pytest.mark.parametrize(("name", "options", "error", "pattern"), BAD_OPTIONS)
def test_bad_options(name, options, error, pattern):
    with pytest.raises(error, match=pattern):
        build(name, **options)


Q, AT = torch.ones(2, 4, 3, HEAD_DIM), torch.arange(3)
BAD_CALLS = [
    ("rope", {"q": [1.0]}, TypeError, "q must be a torch tensor, got list"),
    ("rope", {"q": Q.long()}, TypeError, "q must be a floating-point tensor, got dtype torch.int64"),
    ("rope", {"q": Q[0]}, ValueError, r"q must have 4 axes .* got shape \(4, 3, 8\)"),
    ("rope", {"k": Q[:, :, :0]}, ValueError, r"k must have 4 axes .* none of them empty, got shape \(2, 4, 0, 8\)"),
    ("rope", {"k": Q[..., :6]}, ValueError, "k must have 8 channels, the head_dim of the method, got 6"),
    ("rope", {"pos_q": [0, 1, 2]}, TypeError, "pos_q must be a torch tensor, got list"),
    ("rope", {"pos_q": AT[:2]}, ValueError, r"pos_q must have shape \[3\] or \[2, 3\] to fit q, got \[2\]"),
    ("rope", {"pos_k": AT.expand(3, 3)}, ValueError, r"pos_k must have shape .* to fit k, got \[3, 3\]"),
    ("rope", {"pos_k": AT > 1}, TypeError, "pos_k must hold real numbers, got dtype torch.bool"),
    ("rope", {"pos_k": AT.to("meta")}, ValueError, "pos_k is on meta but k is on cpu"),
    ("rope", {"pos_q": torch.tensor([0.0, NAN, 1.0])}, ValueError, "pos_q must be finite, got nan"),
    ("rope", {"pos_k": torch.tensor([0.0, INF, 1.0])}, ValueError, "pos_k must be finite, got inf"),
    (
        "xpos",
        {"pos_q": AT + 40_000},
        ValueError,
        "pos_q must be within 36260 positions of centre 0, .* got 40002",
    ),
    ("xpos", {"k": Q.half(), "pos_k": AT - 5000}, ValueError, "pos_k must be within 4532 positions .* got 5000"),
    ("mrope", {"pos_q": AT}, ValueError, r"pos_q must have shape \[3, 3\] or \[3, 2, 3\] to fit q, got \[3\]"),
    ("axial_rope", {"pos_k": AT.expand(3, 3)}, ValueError, r"pos_k must have shape \[2, 3\] or \[2, 2, 3\]"),
    ("rerope", {"pos_k": AT[:1]}, ValueError, r"pos_k must have shape \[3\] or \[2, 3\] to fit k, got \[1\]"),
]


@pytest.mark.parametrize(("name", "changed", "error", "pattern"), BAD_CALLS)
def test_bad_calls(name, changed, error, pattern):
    method = build(name)
    at = AT if method.position_axes == 1 else AT.expand(method.position_axes, 3)
    arguments = {"q": Q, "k": Q, "pos_q": at, "pos_k": at, **changed}
    with pytest.raises(error, match=pattern):
        method.rotate(**arguments)


def test_rerope_needs_queries_and_keys():
    with pytest.raises(ValueError, match="q and k must be given"):
        build("rerope").score_bias(AT, AT)


def test_seq_len_must_be_a_length():
    method = nn.RotaryEmbedding(8, scaling=DYNAMIC)
    with pytest.raises(ValueError, match="seq_len must be at least 1, got 0"):
        method.seq_len = 0
    with pytest.raises(TypeError, match="seq_len must be a whole number"):
        method.seq_len = 3.5


BAD_MLA = {"qk_rope_head_dim": 8, "qk_nope_head_dim": "16"}
BAD_DEAL = {"rope_type": "default", "mrope_section": [2, 1, 1], "mrope_interleaved": "false"}
BAD_CONFIGS = [
    (BAD_MLA, {}, TypeError, "qk_nope_head_dim must be a whole number, got '16'"),
    ({**BAD_MLA, "qk_nope_head_dim": -2}, {}, ValueError, "qk_nope_head_dim must be at least 0, got -2"),
    (
        {"head_dim": 8, "rope_scaling": BAD_DEAL},
        {},
        TypeError,
        "mrope_interleaved must be True or False, got 'false'",
    ),
    ({"rope_theta": 1e4}, {}, ValueError, "config must contain 'head_dim'"),
    ([], {}, TypeError, "config must be a mapping"),
    ({"head_dim": 8}, {"default_theta": None}, ValueError, "config must contain 'rope_theta'"),
    ({"head_dim": 8}, {"layout": "neox"}, ValueError, LAYOUT_ERROR),
    ({"head_dim": 8, "rope_interleave": 1}, {}, TypeError, "rope_interleave must be True or False, got 1"),
    ({"head_dim": 8}, {"layer_type": "full_attention"}, ValueError, "layer_type must be None"),
    ({"head_dim": 8, "rope_scaling": {"type": "yarm"}}, {}, ValueError, "must be one of .* got 'yarm'"),
    ({"head_dim": 8, "rope_scaling": {"type": "linear"}}, {}, ValueError, "must contain 'factor'"),
    ({"head_dim": 8, "rope_scaling": {"interleaved": True}}, {}, ValueError, "no other keys .* got 'interleaved'"),
    (
        {
            **{"qk_rope_head_dim": 8, "max_position_embeddings": 64},
            "rope_scaling": {"type": "yarn", "original_max_position_embeddings": 16, "mscale_all_dim": 1.0},
        },
        {},
        ValueError,
        "needs the key 'factor' for the scale of the scores",
    ),
]


@pytest.mark.parametrize(("config", "options", "error", "pattern"), BAD_CONFIGS)
def test_bad_configs(config, options, error, pattern):
    with pytest.raises(error, match=pattern):
        nn.rope_from_config(config, **options)
