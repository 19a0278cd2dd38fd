"""What a model's configuration means: transformers 4 and 5, layer types, and what it must not leave open."""

import json

import numpy as np
import pytest

from pe_course.reference import rotary, scaling

LLAMA_31 = {
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "max_position_embeddings": 131072,
    "rope_theta": 500000.0,
    "rope_scaling": {
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
        "rope_type": "llama3",
    },
}

GEMMA_3 = {
    "head_dim": 256,
    "layer_types": ["sliding_attention", "full_attention"],
    "rope_parameters": {
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    },
}


def of(**config):
    """A small configuration with the given additions."""
    return {"head_dim": 16, "rope_theta": 1e4, "max_position_embeddings": 4096, **config}


def test_transformers_4_and_5_say_the_same() -> None:
    version_5 = {k: v for k, v in LLAMA_31.items() if k not in ("rope_theta", "rope_scaling")}
    version_5["rope_parameters"] = {**LLAMA_31["rope_scaling"], "rope_theta": 500000.0}
    old, new = map(scaling.rope_parameters_from_config, (LLAMA_31, version_5))
    np.testing.assert_array_equal(old.inv_freq, new.inv_freq)
    assert old[1:] == new[1:]
    assert (new.rope_type, new.head_dim, new.rotary_dim, new.base) == ("llama3", 128, 128, 500000.0)


def test_result_unpacks_like_a_scaling_function() -> None:
    inv_freq, attention_factor, *_ = scaling.rope_parameters_from_config(
        of(rope_scaling={"type": "yarn", "factor": 16.0, "original_max_position_embeddings": 256})
    )
    expected = scaling.rope_scaling_yarn(16, factor=16.0, original_max_position_embeddings=256)
    np.testing.assert_array_equal(inv_freq, expected[0])
    assert attention_factor == expected[1]


def test_a_config_file_reads_as_it_is() -> None:
    text = json.dumps({**LLAMA_31, "architectures": ["LlamaForCausalLM"], "head_dim": None, "rope_parameters": None})
    assert scaling.rope_parameters_from_config(json.loads(text)).head_dim == 128


@pytest.mark.parametrize("scaled", [None, {}, {"rope_type": "default"}, {"type": "mrope", "mrope_section": [2, 3, 3]}])
def test_no_scaling_is_the_trained_table(scaled) -> None:
    found = scaling.rope_parameters_from_config(of(rope_scaling=scaled))
    np.testing.assert_array_equal(found.inv_freq, rotary.rope_frequencies(16))
    assert (found.rope_type, found.attention_factor, found.follows_length) == ("default", 1.0, False)


LISTS = {"short_factor": [1.0] * 8, "long_factor": [4.0] * 8}

TYPES = [
    ({"rope_type": "linear", "factor": 4}, lambda d: scaling.rope_scaling_linear(d, factor=4)),
    ({"rope_type": "ntk", "factor": 4}, lambda d: scaling.rope_scaling_ntk(d, factor=4)),
    (
        {"rope_type": "dynamic", "factor": 2},
        lambda d: scaling.rope_scaling_dynamic(d, factor=2, max_position_embeddings=4096, seq_len=9000),
    ),
    (
        {"rope_type": "dynamic", "alpha": 1000.0, "factor": 1.0, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0},
        lambda d: scaling.rope_scaling_ntk(d, factor=1000.0),
    ),
    (
        {"rope_type": "dynamic_qwen"},
        lambda d: scaling.rope_scaling_dynamic(d, variant="qwen", max_position_embeddings=4096, seq_len=9000),
    ),
    (
        {"rope_type": "ntk_by_parts", "factor": 4, "ramp": "ratio", "original_max_position_embeddings": 1024},
        lambda d: scaling.rope_scaling_ntk_by_parts(d, factor=4, ramp="ratio", original_max_position_embeddings=1024),
    ),
    (
        {"rope_type": "yarn", "factor": 4, "beta_fast": 24, "beta_slow": 2, "truncate": False},
        lambda d: scaling.rope_scaling_yarn(
            d, factor=4, beta_fast=24, beta_slow=2, truncate=False, original_max_position_embeddings=4096
        ),
    ),
    (
        {"rope_type": "yarn", "factor": 4, "mscale": 1.0, "mscale_all_dim": 0.5, "beta_fast": None},
        lambda d: scaling.rope_scaling_yarn(
            d, factor=4, mscale=1.0, mscale_all_dim=0.5, original_max_position_embeddings=4096
        ),
    ),
    (
        {"rope_type": "yarn", "factor": None, "original_max_position_embeddings": 512, "attention_factor": 1.25},
        lambda d: scaling.rope_scaling_yarn(d, factor=8.0, attention_factor=1.25, original_max_position_embeddings=512),
    ),
    (
        {"type": "su", **LISTS, "original_max_position_embeddings": 2048},
        lambda d: scaling.rope_scaling_longrope(
            d, **LISTS, factor=2.0, original_max_position_embeddings=2048, seq_len=9000
        ),
    ),
    (
        {"rope_type": "longrope", **LISTS},
        lambda d: scaling.rope_scaling_longrope(
            d, **LISTS, factor=1.0, original_max_position_embeddings=4096, seq_len=9000
        ),
    ),
    (
        {"rope_type": "proportional", "partial_rotary_factor": 0.5},
        lambda d: scaling.rope_scaling_proportional(d, partial_rotary_factor=0.5),
    ),
]


@pytest.mark.parametrize(
    ("given", "expected"), TYPES, ids=lambda value: str(value)[:60] if isinstance(value, dict) else "expected"
)
def test_each_type_is_its_function(given, expected) -> None:
    found = scaling.rope_parameters_from_config(of(rope_parameters=given), seq_len=9000)
    inv_freq, attention_factor = expected(16)
    np.testing.assert_array_equal(found.inv_freq, inv_freq)
    assert found.attention_factor == attention_factor
    assert np.shape(found.inv_freq) == (8,)


def test_every_type_is_tried_here() -> None:
    tried = {given.get("rope_type", given.get("type")) for given, _ in TYPES}
    assert set(scaling.ROPE_TYPES) - {"default", "llama3"} == tried - {"su"}


@pytest.mark.parametrize(
    ("given", "follows"),
    [
        ({"type": "dynamic", "factor": 2.0}, True),
        ({"type": "dynamic_qwen"}, True),
        ({"type": "longrope", **LISTS}, True),
        ({"type": "dynamic", "alpha": 9.0}, False),
        ({"type": "linear", "factor": 2.0}, False),
    ],
)
def test_it_says_whether_rotated_keys_may_be_cached(given, follows) -> None:
    assert scaling.rope_parameters_from_config(of(rope_scaling=given)).follows_length is follows


def test_without_a_length_the_trained_table_comes_out() -> None:
    found = scaling.rope_parameters_from_config(of(rope_scaling={"type": "dynamic", "factor": 2.0}))
    np.testing.assert_array_equal(found.inv_freq, rotary.rope_frequencies(16))


@pytest.mark.parametrize("place", ["inside", "beside"])
def test_partial_rotary(place) -> None:
    """phi-2: 0.4 of 80 channels turn; their exponent divides by 32."""
    share = {"partial_rotary_factor": 0.4}
    config = {"hidden_size": 2560, "num_attention_heads": 32, "rope_theta": 1e4}
    config |= {"rope_parameters": share} if place == "inside" else share
    found = scaling.rope_parameters_from_config(config)
    assert (found.head_dim, found.rotary_dim) == (80, 32)
    np.testing.assert_array_equal(found.inv_freq, rotary.rope_frequencies(32))


def test_proportional_keeps_the_width_of_the_head() -> None:
    """Gemma 4: wider heads in the global layers, of whose 256 pairs 64 turn."""
    config = {
        "head_dim": 256,
        "global_head_dim": 512,
        "rope_parameters": {
            "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        },
    }
    found = scaling.rope_parameters_from_config(config, layer_type="full_attention")
    assert (found.head_dim, found.rotary_dim, found.inv_freq.size) == (512, 512, 256)
    assert (found.inv_freq > 0).sum() == 64
    assert scaling.rope_parameters_from_config(config, layer_type="sliding_attention").head_dim == 256


def test_heads_that_are_wider_in_some_layers() -> None:
    """Gemma 4 as transformers 5 writes it: what differs stands under the index of the layer."""
    config = {
        "head_dim": 256,
        "layer_types": ["sliding_attention", "full_attention"],
        "per_layer_config": {"01": {"head_dim": 512}},
        "rope_parameters": {kind: {"rope_theta": 1e4} for kind in ("sliding_attention", "full_attention")},
    }
    found = [scaling.rope_parameters_from_config(config, layer_type=kind).head_dim for kind in config["layer_types"]]
    assert found == [256, 512]


def test_a_fraction_of_the_whole_head_beside_the_width_that_turns() -> None:
    """Mistral 4: half of 128 channels turn, which are the 64 that the configuration names too."""
    config = {"head_dim": 128, "qk_rope_head_dim": 64, "max_position_embeddings": 1048576}
    config["rope_parameters"] = {
        "type": "yarn",
        "rope_theta": 10000.0,
        "factor": 128.0,
        "original_max_position_embeddings": 8192,
        "max_position_embeddings": 1048576,
        "llama_4_scaling_beta": 0.1,
        "partial_rotary_factor": 0.5,
    }
    assert scaling.rope_parameters_from_config(config).rotary_dim == 64


def test_older_names() -> None:
    found = scaling.rope_parameters_from_config(
        {"hidden_size": 6144, "num_attention_heads": 64, "rotary_emb_base": 20000, "rotary_pct": 0.25}
    )
    assert (found.base, found.head_dim, found.rotary_dim) == (20000.0, 96, 24)


def test_minimax_names_the_number_of_channels_that_turn() -> None:
    config = {"hidden_size": 3072, "num_attention_heads": 48, "head_dim": 128, "rope_theta": 5000000, "rotary_dim": 64}
    found = scaling.rope_parameters_from_config(config)
    assert (found.head_dim, found.rotary_dim) == (128, 64)
    np.testing.assert_array_equal(found.inv_freq, rotary.rope_frequencies(64, base=5e6))
    assert scaling.rope_parameters_from_config({"head_dim": 44, "rotary_dim": 30}).rotary_dim == 30  # 30 / 44 * 44 < 30
    both = scaling.rope_parameters_from_config({**config, "rotary_dim": 96, "partial_rotary_factor": 0.5})
    assert both.rotary_dim == 64, "transformers 5 lets the fraction win"


@pytest.mark.parametrize("names", [{"kv_channels": 128}, {"kv_channels": 64, "attention_head_dim": 128}])
def test_heads_under_other_names(names) -> None:
    """JetMoe and Zamba2: hidden_size / num_attention_heads is half the width of their heads."""
    config = {"hidden_size": 2048, "num_attention_heads": 32, "rope_theta": 1e4, **names}
    assert scaling.rope_parameters_from_config(config).head_dim == 128


def test_deepseek_turns_the_width_kept_for_it() -> None:
    config = {"hidden_size": 7168, "num_attention_heads": 128, "qk_rope_head_dim": 64, "rope_theta": 10000}
    config["max_position_embeddings"] = 163840
    config["rope_scaling"] = {
        "type": "yarn",
        "factor": 40,
        "original_max_position_embeddings": 4096,
        "beta_fast": 32,
        "beta_slow": 1,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
    }
    found = scaling.rope_parameters_from_config(config)
    assert (found.rotary_dim, found.attention_factor) == (64, 1.0)


def test_phi_3_keeps_its_trained_length_beside_the_lists() -> None:
    config = of(max_position_embeddings=131072, rope_scaling={"type": "longrope", **LISTS})
    config["original_max_position_embeddings"] = 4096
    short, long = (scaling.rope_parameters_from_config(config, seq_len=n) for n in (4096, 4097))
    np.testing.assert_allclose(short.inv_freq / long.inv_freq, 4.0, rtol=1e-12)
    assert short.attention_factor == pytest.approx((1 + 5 / 12) ** 0.5, rel=1e-12)


def test_phi_3_5_moe_names_the_factor_on_cos_and_sin_for_each_list() -> None:
    """In place of the formula, as in the class Phimoe of transformers and in vLLM."""
    given = {"type": "longrope", **LISTS, "short_mscale": 1.1, "long_mscale": 1.25, TRAINED: 2048}
    config = of(rope_scaling=given)
    factors = [scaling.rope_parameters_from_config(config, seq_len=n).attention_factor for n in (None, 2048, 2049)]
    assert factors == [1.1, 1.1, 1.25]


def test_bases_of_each_layer_that_are_all_the_same() -> None:
    found = scaling.rope_parameters_from_config(of(layer_rope_theta=[1e4, 1e4]))
    np.testing.assert_array_equal(found.inv_freq, rotary.rope_frequencies(16))
    nested = {"main": {"rope_theta": 1e4}, "compress": {"rope_theta": 160000.0}}
    config = of(compress_rope_theta=160000.0, rope_parameters=nested)
    assert [scaling.rope_parameters_from_config(config, layer_type=kind).base for kind in nested] == [1e4, 160000.0]


def test_layers_that_differ() -> None:
    full, sliding = (
        scaling.rope_parameters_from_config(GEMMA_3, layer_type=f"{kind}_attention") for kind in ("full", "sliding")
    )
    np.testing.assert_array_equal(full.inv_freq, rotary.rope_frequencies(256, base=1e6) / 8)
    np.testing.assert_array_equal(sliding.inv_freq, rotary.rope_frequencies(256, base=1e4))


def test_layers_without_rope_beside_layers_with_it() -> None:
    """Beam in transformers 5: its global layers have no position."""
    config = {"head_dim": 16, "layer_types": ["sliding_attention", "full_attention"]}
    config["rope_parameters"] = {
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        "full_attention": None,
    }
    found = scaling.rope_parameters_from_config(config, layer_type="sliding_attention")
    np.testing.assert_array_equal(found.inv_freq, rotary.rope_frequencies(16))
    with pytest.raises(ValueError, match=r"rope_parameters\['full_attention'\] is null.* no RoPE"):
        scaling.rope_parameters_from_config(config, layer_type="full_attention")


def test_values_beside_the_parameters_of_each_layer_are_passed_over() -> None:
    """As in transformers since its PR #48798: Laguna-XS.2 keeps its trained length there, other files a base."""
    config = {**GEMMA_3, "rope_parameters": {**GEMMA_3["rope_parameters"], TRAINED: 4096, "rope_theta": 5e5}}
    for kind in ("full_attention", "sliding_attention"):
        beside, within = (scaling.rope_parameters_from_config(c, layer_type=kind) for c in (config, GEMMA_3))
        np.testing.assert_array_equal(beside.inv_freq, within.inv_freq)


def test_layers_that_differ_in_transformers_4() -> None:
    version_4 = {
        "head_dim": 256,
        "rope_theta": 1e6,
        "rope_local_base_freq": 1e4,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    }
    for layer_type in ("full_attention", "sliding_attention"):
        old, new = (scaling.rope_parameters_from_config(c, layer_type=layer_type) for c in (version_4, GEMMA_3))
        np.testing.assert_array_equal(old.inv_freq, new.inv_freq)


def test_local_base_of_mimo() -> None:
    config = {"head_dim": 192, "partial_rotary_factor": 0.334, "rope_theta": 5000000, "swa_rope_theta": 10000}
    bases = [scaling.rope_parameters_from_config(config, layer_type=f"{k}_attention").base for k in ("full", "sliding")]
    assert bases == [5e6, 1e4]


def test_layer_type_of_a_model_whose_layers_agree() -> None:
    config = of(layer_types=["full_attention", "sliding_attention"])
    found = scaling.rope_parameters_from_config(config, layer_type="full_attention")
    np.testing.assert_array_equal(found.inv_freq, rotary.rope_frequencies(16))


def test_the_configuration_is_left_as_it_was() -> None:
    before = json.dumps(GEMMA_3)
    scaling.rope_parameters_from_config(GEMMA_3, layer_type="full_attention")
    assert json.dumps(GEMMA_3) == before


TRAINED = "original_max_position_embeddings"
REFUSED = [
    ([1], TypeError, r"config must be a mapping .* got list"),
    (of(rope_scaling={"type": "yran", "factor": 4.0}), ValueError, r"rope_type in rope_scaling .*'yarn'.*'yran'"),
    (of(rope_parameters={"rope_type": 3}), ValueError, r"rope_type in rope_parameters .* got 3"),
    (of(rope_parameters={"rope_type": "axial"}), ValueError, r"rope_type .* got 'axial'"),
    (of(rope_scaling={"type": "linear"}), ValueError, r"rope_scaling of type 'linear' must contain 'factor', got"),
    (
        of(rope_scaling={"type": "llama3", "factor": 8.0}),
        ValueError,
        r"'llama3' must contain 'low_freq_factor', 'high_freq_factor'",
    ),
    (of(rope_scaling={"type": "longrope", "short_factor": [1.0] * 8}), ValueError, r"must contain 'long_factor'"),
    (of(rope_scaling={"type": "dynamic"}), ValueError, r"'dynamic' needs the key 'factor' or 'alpha'"),
    (of(rope_scaling={"type": "yarn"}), ValueError, r"'yarn' needs the key 'factor'"),
    (
        of(rope_scaling={"type": "yarn", "factor": 4.0, "betafast": 32}),
        ValueError,
        r"rope_scaling of type 'yarn' .*beta_fast.* got 'betafast'",
    ),
    (
        of(rope_scaling={"type": "linear", "factor": 2.0, "scaling": {}}),
        ValueError,
        r"of type 'linear' must contain no other keys .* got 'scaling'",
    ),
    (of(rope_scaling={"factor": 4.0}), ValueError, r"of type 'default' must contain no other keys .* got 'factor'"),
    (of(rope_scaling={"type": "linear", "factor": 0.25}), ValueError, r"factor must be at least 1, got 0.25"),
    (of(rope_scaling={"type": "linear", "factor": "4"}), TypeError, r"factor must be a real number, got '4'"),
    (of(rope_scaling="yarn"), TypeError, r"rope_scaling must be a mapping .* got 'yarn'"),
    (
        of(rope_scaling={"type": "linear", "factor": 2.0}, rope_parameters={"rope_type": "ntk", "factor": 2.0}),
        ValueError,
        r"rope_parameters and rope_scaling that differ",
    ),
    (of(rope_scaling={"type": "longrope", "short_factor": [1.0], "long_factor": [1.0] * 8}), ValueError, r"short_fact"),
    (of(rope_theta=1.0), ValueError, r"base must be greater than 1, got 1"),
    (of(head_dim=None), ValueError, r"must contain 'head_dim', or 'hidden_size' and 'num_attention_heads'"),
    (of(head_dim=7), ValueError, r"head_dim must be even .* got 7"),
    (of(head_dim=None, hidden_size=100, num_attention_heads=3), ValueError, r"hidden_size must be a multiple of 3"),
    (of(head_dim=None, hidden_size=100, num_attention_heads=0), ValueError, r"num_attention_heads must be at least 1"),
    (
        of(layer_rope_theta=[1e4, 0.0]),
        ValueError,
        r"layer_rope_theta gives layers other bases than 10000, .* got \[10000.0",
    ),
    (
        of(compress_rope_theta=160000),
        ValueError,
        r"compress_rope_theta gives layers other bases than 10000, .* got 160000",
    ),
    (of(rotary_dim=18), ValueError, r"rotary_dim must be at most .*16, got 18"),
    (of(rotary_dim=7), ValueError, r"rotary_dim must be even .* got 7"),
    (
        of(rope_scaling={"type": "longrope", **LISTS, "short_mscale": 1.1}),
        ValueError,
        r"short_mscale and long_mscale must be given together, got 1.1 and None",
    ),
    (
        of(rope_scaling={"type": "longrope", **LISTS, "short_mscale": 1.1, "long_mscale": 0}),
        ValueError,
        r"long_mscale must be greater than 0, got 0",
    ),
    (of(partial_rotary_factor=1.5), ValueError, r"partial_rotary_factor must be at most 1, got 1.5"),
    (of(partial_rotary_factor=0.2), ValueError, r"partial_rotary_factor 0.2.* must be even .* got 3"),
    (
        of(max_position_embeddings=None, rope_scaling={"type": "dynamic", "factor": 2.0}),
        ValueError,
        r"must contain 'max_position_embeddings' for rope type 'dynamic'",
    ),
    (
        of(max_position_embeddings=None, rope_scaling={"type": "yarn", "factor": 2.0}),
        ValueError,
        r"must contain 'original_max_position_embeddings' for rope type 'yarn'",
    ),
    (
        of(max_position_embeddings="256", rope_scaling={"type": "yarn", "factor": 2.0, TRAINED: 64}),
        TypeError,
        r"max_position_embeddings must be a whole number, got '256'",
    ),
    (of(layer_types=3), TypeError, r"layer_types must be a list of names, got 3"),
    (of(per_layer_config=[1]), TypeError, r"per_layer_config must map numbers of layers to mappings, got \[1\]"),
    (of(per_layer_config={"0": 3}), TypeError, r"per_layer_config must map numbers of layers to mappings"),
    (of(per_layer_config={"x": {}}), ValueError, r"per_layer_config must have numbers .* got \['x'\]"),
    ({"text_config": of()}, ValueError, r"it has a 'text_config': pass that"),
    (GEMMA_3, ValueError, r"layer_type must be one of 'full_attention', 'sliding_attention' .* got None"),
    (of(rope_local_base_freq=1e4), ValueError, r"layer_type must be one of 'full_attention'.* got None"),
]


@pytest.mark.parametrize(("config", "error", "message"), REFUSED, ids=[row[2][:50] for row in REFUSED])
def test_what_a_configuration_must_not_leave_open(config, error, message) -> None:
    with pytest.raises(error, match=message):
        scaling.rope_parameters_from_config(config)


@pytest.mark.parametrize(
    ("config", "layer_type", "message"),
    [
        (GEMMA_3, "chunked_attention", r"layer_type must be one of .* got 'chunked_attention'"),
        (of(), "full_attention", r"layer_type must be None .* got 'full_attention'"),
        (
            of(layer_types=["full_attention"]),
            "sliding_attention",
            r"layer_type must be None .* got 'sliding_attention'",
        ),
    ],
)
def test_an_unknown_layer_type_is_refused(config, layer_type, message) -> None:
    with pytest.raises(ValueError, match=message):
        scaling.rope_parameters_from_config(config, layer_type=layer_type)


@pytest.mark.parametrize("given", [{"type": "dynamic", "factor": 2.0}, {"type": "linear", "factor": 2.0}])
def test_a_bad_length_is_refused(given) -> None:
    with pytest.raises(ValueError, match=r"seq_len must be at least 1, got 0"):
        scaling.rope_parameters_from_config(of(rope_scaling=given), seq_len=0)


def test_a_config_without_a_base_gets_that_of_transformers_unless_refused() -> None:
    config = of(rope_theta=None)
    assert scaling.rope_parameters_from_config(config).base == 10000.0
    assert scaling.rope_parameters_from_config(config, default_theta=150000.0).base == 150000.0
    with pytest.raises(ValueError, match="config must contain 'rope_theta'"):
        scaling.rope_parameters_from_config(config, default_theta=None)


def test_dynamic_tolerates_a_trained_length_as_transformers_does() -> None:
    given = {"rope_type": "dynamic", "factor": 2.0}
    plain = scaling.rope_parameters_from_config(of(rope_scaling=given), seq_len=9000)
    with_length = scaling.rope_parameters_from_config(
        of(rope_scaling={**given, "original_max_position_embeddings": 2048}), seq_len=9000
    )
    assert (plain.inv_freq == with_length.inv_freq).all()
