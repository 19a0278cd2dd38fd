"""What the family says when its input is wrong: argument, value and limit."""

import math

import pytest

from pe_course.reference import scaling

PARTS = {"factor": 4.0, "original_max_position_embeddings": 4096}
LLAMA = {**PARTS, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
RAMP = {"original_max_position_embeddings": 4096}
LONG = {
    "short_factor": [1.0] * 4,
    "long_factor": [2.0] * 4,
    "original_max_position_embeddings": 4096,
    "factor": 2.0,
}

WIDTH_FUNCTIONS = [
    ("rope_scaling_default", {}),
    ("rope_scaling_linear", {"factor": 4.0}),
    ("rope_scaling_ntk", {"factor": 4.0}),
    ("rope_scaling_dynamic", {"max_position_embeddings": 64}),
    ("ntk_by_parts_ramp", RAMP),
    ("rope_scaling_ntk_by_parts", PARTS),
    ("rope_scaling_part_ntk", PARTS),
    ("rope_scaling_yarn", PARTS),
    ("rope_scaling_llama3", LLAMA),
    ("rope_scaling_longrope", LONG),
    ("rope_scaling_proportional", {}),
]

STRETCHED = [(name, options) for name, options in WIDTH_FUNCTIONS if "factor" in options] + [
    ("rope_scaling_dynamic", {"max_position_embeddings": 64}),
    ("rope_scaling_proportional", {}),
]

OF_EVERY_WIDTH = [
    row
    for name, options in WIDTH_FUNCTIONS
    for row in (
        (name, (7,), options, ValueError, r"dim must be even .* got 7"),
        (name, (0,), options, ValueError, r"dim must be at least [24], got 0"),
        (name, (8.0,), options, TypeError, r"dim must be a whole number, got 8.0"),
        (name, (8,), {**options, "base": 1.0}, ValueError, r"base must be greater than 1, got 1"),
        (name, (8,), {**options, "base": math.nan}, ValueError, r"base must be finite, got nan"),
        (name, (8,), {**options, "base": "1e4"}, TypeError, r"base must be a real number, got '1e4'"),
    )
]

OF_EVERY_FACTOR = [
    row
    for name, options in STRETCHED
    for row in (
        (name, (8,), {**options, "factor": 0.25}, ValueError, r"factor must be at least 1, got 0.25"),
        (name, (8,), {**options, "factor": math.inf}, ValueError, r"factor must be finite, got inf"),
        (name, (8,), {**options, "factor": "4"}, TypeError, r"factor must be a real number, got '4'"),
    )
]

OF_EVERY_TRAINED_LENGTH = [
    row
    for name, options in WIDTH_FUNCTIONS
    if "original_max_position_embeddings" in options
    for row in (
        (
            name,
            (8,),
            {**options, "original_max_position_embeddings": 0},
            ValueError,
            r"original_max.* least [12], got 0",
        ),
        (name, (8,), {**options, "original_max_position_embeddings": 4096.5}, TypeError, r"original_max.* got 4096.5"),
    )
]

OF_EVERY_RAMP = [
    row
    for name, options in (
        ("ntk_by_parts_ramp", RAMP),
        ("rope_scaling_ntk_by_parts", PARTS),
        ("rope_scaling_yarn", PARTS),
    )
    for row in (
        (name, (8,), {**options, "beta_fast": 0}, ValueError, r"beta_fast must be greater than 0, got 0"),
        (name, (8,), {**options, "beta_slow": -1}, ValueError, r"beta_slow must be greater than 0, got -1"),
        (name, (8,), {**options, "beta_fast": 0.5}, ValueError, r"beta_fast must be at least beta_slow 1, got 0.5"),
        (name, (8,), {**options, "ramp": "linear"}, ValueError, r"ramp must be one of 'index', 'ratio'; got 'linear'"),
        (name, (8,), {**options, "truncate": 1}, TypeError, r"truncate must be True or False, got 1"),
    )
]

SINGLE = [
    ("rope_scaling_ntk", (2,), {"factor": 4.0}, ValueError, r"dim must be at least 4, got 2"),
    ("ntk_base", (1.0, 4.0, 128), {}, ValueError, r"base must be greater than 1, got 1"),
    ("ntk_base", (1e4, 0.5, 128), {}, ValueError, r"factor must be at least 1, got 0.5"),
    ("ntk_base", (1e4, 4.0, 2), {}, ValueError, r"dim must be at least 4, got 2"),
    ("ntk_base", (1e4, 4.0, 9), {}, ValueError, r"dim must be even .* got 9"),
    ("dynamic_ntk_factor", (0, 64), {}, ValueError, r"seq_len must be at least 1, got 0"),
    ("dynamic_ntk_factor", (1.5, 64), {}, TypeError, r"seq_len must be a whole number, got 1.5"),
    ("dynamic_ntk_factor", (9, 0), {}, ValueError, r"max_position_embeddings must be at least 1, got 0"),
    ("dynamic_ntk_factor", (9, None), {}, TypeError, r"max_position_embeddings must be a whole number, got None"),
    ("dynamic_ntk_factor", (9, 64), {"variant": "vllm"}, ValueError, r"variant must be one of 'hf'.*; got 'vllm'"),
    ("dynamic_ntk_factor", (9, 64), {"factor": 0.9}, ValueError, r"factor must be at least 1, got 0.9"),
    ("dynamic_ntk_factor", (9, 64), {"alpha": 0.9}, ValueError, r"alpha must be at least 1, got 0.9"),
    ("rope_scaling_dynamic", (8,), {"max_position_embeddings": 64, "seq_len": -3}, ValueError, r"seq_len .* got -3"),
    ("rope_scaling_dynamic", (8,), {"max_position_embeddings": 64, "variant": ""}, ValueError, r"variant .*; got ''"),
    ("rope_scaling_dynamic", (8,), {"max_position_embeddings": 64, "alpha": 0}, ValueError, r"alpha .* got 0"),
    ("rope_scaling_dynamic", (8,), {"max_position_embeddings": -1}, ValueError, r"max_position_emb.* least 1, got -1"),
    ("rope_scaling_part_ntk", (8,), {**PARTS, "ntk_band": (1.25,)}, ValueError, r"ntk_band must have 2 .* got 1"),
    ("rope_scaling_part_ntk", (8,), {**PARTS, "ntk_band": (0.5, 1.25)}, ValueError, r"ntk_band\[0\] .* got 0.5"),
    ("rope_scaling_part_ntk", (8,), {**PARTS, "plain_band": (2, 0)}, ValueError, r"plain_band\[1\] .* than 0, got 0"),
    ("rope_scaling_llama3", (8,), {**LLAMA, "low_freq_factor": 0}, ValueError, r"low_freq_factor .* than 0, got 0"),
    ("rope_scaling_llama3", (8,), {**LLAMA, "high_freq_factor": -4}, ValueError, r"high_freq_factor .* got -4"),
    (
        "rope_scaling_llama3",
        (8,),
        {**LLAMA, "low_freq_factor": 5.0},
        ValueError,
        r"high_freq_factor must be at least low_freq_factor 5, got 4",
    ),
    ("rope_scaling_yarn", (8,), {**PARTS, "mscale": -1.0}, ValueError, r"mscale must be at least 0, got -1"),
    ("rope_scaling_yarn", (8,), {**PARTS, "mscale_all_dim": "1"}, TypeError, r"mscale_all_dim .* real number, got '1'"),
    ("rope_scaling_yarn", (8,), {**PARTS, "attention_factor": 0.0}, ValueError, r"attention_factor .* than 0, got 0"),
    ("yarn_mscale", (0.0,), {}, ValueError, r"factor must be greater than 0, got 0"),
    ("yarn_mscale", (4.0, -0.1), {}, ValueError, r"mscale must be at least 0, got -0.1"),
    ("yarn_attention_factor", (0.5,), {}, ValueError, r"factor must be at least 1, got 0.5"),
    ("yarn_attention_factor", (4.0,), {"mscale": -1}, ValueError, r"mscale must be at least 0, got -1"),
    ("yarn_attention_factor", (4.0,), {"mscale_all_dim": -1}, ValueError, r"mscale_all_dim .* least 0, got -1"),
    ("yarn_attention_factor", (4.0,), {"attention_factor": -2}, ValueError, r"attention_factor .* than 0, got -2"),
    ("yarn_softmax_scale_factor", (0.5,), {"mscale_all_dim": 1.0}, ValueError, r"factor must be at least 1, got 0.5"),
    ("yarn_softmax_scale_factor", (4.0,), {"mscale_all_dim": -1.0}, ValueError, r"mscale_all_dim .* least 0, got -1"),
    ("rope_scaling_longrope", (8,), {**LONG, "short_factor": [1.0] * 3}, ValueError, r"short_factor .* 4 .* got 3"),
    ("rope_scaling_longrope", (8,), {**LONG, "long_factor": [1.0] * 8}, ValueError, r"long_factor .* 4 .* got 8"),
    ("rope_scaling_longrope", (8,), {**LONG, "long_factor": [1, 1, 1, 0]}, ValueError, r"long_factor .* than 0, got 0"),
    ("rope_scaling_longrope", (8,), {**LONG, "short_factor": [1, 1, math.nan, 1]}, ValueError, r"short_factor .* nan"),
    (
        "rope_scaling_longrope",
        (8,),
        {**LONG, "short_factor": [[1.0] * 4]},
        ValueError,
        r"short_factor must have 1 ax",
    ),
    ("rope_scaling_longrope", (8,), {**LONG, "seq_len": 0}, ValueError, r"seq_len must be at least 1, got 0"),
    ("rope_scaling_longrope", (8,), {**LONG, "factor": None}, ValueError, r"one of factor, max_position_embeddings"),
    (
        "rope_scaling_longrope",
        (8,),
        {**LONG, "max_position_embeddings": 0},
        ValueError,
        r"max_position_embeddings must be at least 1, got 0",
    ),
    ("rope_scaling_longrope", (8,), {**LONG, "attention_factor": 0}, ValueError, r"attention_factor .* than 0, got 0"),
    ("rope_scaling_longrope", (8,), {**LONG, "original_max_position_embeddings": 1}, ValueError, r"least 2, got 1"),
    ("rope_scaling_proportional", (8,), {"partial_rotary_factor": 0}, ValueError, r"partial_rotary.* than 0, got 0"),
    ("rope_scaling_proportional", (8,), {"partial_rotary_factor": 1.1}, ValueError, r"partial_rot.* most 1, got 1.1"),
    ("logn_scale", ([-1], 512), {}, ValueError, r"positions must be at least 0, got -1"),
    ("logn_scale", ([0.5], 512), {}, ValueError, r"positions must be whole numbers, got 0.5"),
    ("logn_scale", ([], 512), {}, ValueError, r"positions must not be empty"),
    ("logn_scale", ([math.nan], 512), {}, ValueError, r"positions must be finite, got nan"),
    ("logn_scale", (["0"], 512), {}, TypeError, r"positions must hold real numbers"),
    ("logn_scale", ([0], 1), {}, ValueError, r"train_length must be at least 2, got 1"),
    ("logn_scale", ([0], 512.5), {}, TypeError, r"train_length must be a whole number, got 512.5"),
    (
        "logn_scale",
        ([0], 512),
        {"mode": "query"},
        ValueError,
        r"mode must be one of 'per_query', 'length'; got 'query'",
    ),
    ("rope_scaling_ntk", (8,), {"factor": 1e308}, ValueError, r"factor must leave the new base finite .* got 1e\+308"),
    ("logn_scale", ([0], 512), {"clip": 0}, TypeError, r"clip must be True or False, got 0"),
    ("logn_scale", ([0], 512), {"length": 9}, ValueError, r"length must be None unless mode is 'length', got 9"),
    ("logn_scale", ([9], 512), {"mode": "length", "length": 9}, ValueError, r"positions must be below length 9, got 9"),
    ("logn_scale", ([0], 512), {"mode": "length", "length": 0}, ValueError, r"length must be at least 1, got 0"),
    ("llama4_temperature", ([-1],), {}, ValueError, r"positions must be at least 0, got -1"),
    ("llama4_temperature", ([0.5],), {}, ValueError, r"positions must be whole numbers, got 0.5"),
    ("llama4_temperature", ([0],), {"attn_scale": -0.1}, ValueError, r"attn_scale must be at least 0, got -0.1"),
    ("llama4_temperature", ([0],), {"floor_scale": 0}, ValueError, r"floor_scale must be at least 1, got 0"),
    ("ministral_scale", ([-1], 0.1, 16384), {}, ValueError, r"positions must be at least 0, got -1"),
    ("ministral_scale", ([0], -0.1, 16384), {}, ValueError, r"beta must be at least 0, got -0.1"),
    ("ministral_scale", ([0], 0.1, 0), {}, ValueError, r"original_max_position_embeddings must be at least 1, got 0"),
    ("ministral_scale", ([0], 0.1, 1.5), {}, TypeError, r"original_max_position_embeddings .* got 1.5"),
]

ROWS = [
    pytest.param(*row, id=f"{row[0]}-{row[4][:40]}")
    for row in (*OF_EVERY_WIDTH, *OF_EVERY_FACTOR, *OF_EVERY_TRAINED_LENGTH, *OF_EVERY_RAMP, *SINGLE)
]


@pytest.mark.parametrize(("function", "arguments", "options", "error", "message"), ROWS)
def test_bad_input(function, arguments, options, error, message) -> None:
    with pytest.raises(error, match=message):
        getattr(scaling, function)(*arguments, **options)


def test_every_public_function_is_tried() -> None:
    tried = {row.values[0] for row in ROWS} | {"rope_parameters_from_config"}  # the last in test_scaling_config
    functions = {name for name in scaling.__all__ if callable(getattr(scaling, name)) and name[0].islower()}
    assert functions == tried
