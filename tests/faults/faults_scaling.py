"""Faults of the frequencies for longer contexts and of the query scales."""

from __future__ import annotations

import math

import numpy as np
from faults.fault import Fault
from reference import test_scaling as tests
from reference import test_scaling_config as config_tests

FAMILY = "pe_course.reference.scaling"
BY_PARTS = f"{FAMILY}.by_parts"
CONFIG = f"{FAMILY}.config"


def _frequencies(change):
    """The right result with ``change(inv_freq, factor)`` in the place of its frequencies."""

    def broken(right):
        def wrong(dim, **options):
            inv_freq, attention_factor = right(dim, **options)
            return change(inv_freq, options.get("factor", 1.0)), attention_factor

        return wrong

    return broken


def _option(**changes):
    """The right function, called with other options: a value, or a function of the value that was given."""

    def broken(right):
        def wrong(*arguments, **options):
            for name, change in changes.items():
                options[name] = change(options.get(name)) if callable(change) else change
            return right(*arguments, **options)

        return wrong

    return broken


def _result(change):
    return lambda right: lambda *arguments, **options: change(right(*arguments, **options))


def _attention_factor(change):
    return _result(lambda found: (found[0], change(found[1])))


def _swapped(first, second):
    def broken(right):
        def wrong(*arguments, **options):
            options[first], options[second] = options[second], options[first]
            return right(*arguments, **options)

        return wrong

    return broken


def _moved(step):
    """Positions shifted by ``step``."""
    return lambda right: lambda positions, *rest, **options: right(np.asarray(positions) + step, *rest, **options)


def _one_before(right):
    return lambda positions, **options: right(np.maximum(np.asarray(positions) - 1, 0), **options)


# Deliberately wrong formulas ----------------------------------------------------------------------------------


def _plain_product(right):
    return lambda base, factor, dim: base * factor


def _inverted_exponent(right):
    return lambda base, factor, dim: base * factor ** ((dim - 2) / dim)


def _divided(right):
    return lambda base, factor, dim: base / factor ** (dim / (dim - 2))


def _constant_factor(right):
    return lambda seq_len, trained, *, factor=1.0, **rest: factor**2 - factor + 1


def _remembering(right):
    longest = [0]

    def wrong(seq_len, trained, **options):
        longest[0] = max(longest[0], seq_len or trained)
        return right(longest[0], trained, **options)

    return wrong


def _ceiling_forgotten(right):
    def wrong(seq_len, trained, *, variant="hf", **options):
        if variant == "qwen" and seq_len > trained:
            return 2 * seq_len / trained - 1
        return right(seq_len, trained, variant=variant, **options)

    return wrong


def _common_logarithm(right):
    return lambda factor, mscale=1.0: 0.1 * mscale * math.log10(factor) + 1 if factor > 1 else 1.0


def _no_lower_limit(right):
    return lambda factor, mscale=1.0: 0.1 * mscale * math.log(factor) + 1


def _mscale_ignored(right):
    return lambda factor, mscale=1.0: right(factor)


def _both_multiplied(right):
    def wrong(factor, *, attention_factor=None, **options):
        return right(factor, **options) * (1.0 if attention_factor is None else attention_factor)

    return wrong


def _one_mscale_enough(right):
    def wrong(factor, *, mscale=None, mscale_all_dim=None, attention_factor=None):
        return right(factor, mscale=mscale or 1.0, mscale_all_dim=mscale_all_dim or 1e-9)

    return wrong


def _without_the_square(right):
    return lambda factor, *, mscale_all_dim: math.sqrt(right(factor, mscale_all_dim=mscale_all_dim))


def _numerator_of_the_ratio(right):
    return lambda factor, *, mscale_all_dim: right(factor, mscale_all_dim=1.0)


def _every_factor_halved(right):
    return lambda *arguments, **options: right(*arguments, **options) ** 0.5


def _natural_logarithm(right):
    def wrong(positions, train_length, **options):
        return right(positions, train_length, **options) * math.log(train_length)

    return wrong


def _rotary_width_as_denominator(right):
    def wrong(dim, *, partial_rotary_factor=1.0, base=10000.0, **rest):
        turning = int(partial_rotary_factor * dim // 2)
        return np.concatenate([base ** (-np.arange(turning) / turning), np.zeros(dim // 2 - turning)]), 1.0

    return wrong


def _type_before_rope_parameters(right):
    return lambda config, **options: right({k: v for k, v in config.items() if k != "rope_parameters"}, **options)


def _partial_factor_ignored(right):
    return lambda config, **options: right(
        {k: v for k, v in config.items() if k not in ("partial_rotary_factor", "rotary_pct")}, **options
    )


def _trained_length_inside_wins(right):
    return lambda config, **options: right(
        {k: v for k, v in config.items() if k != "original_max_position_embeddings"}, **options
    )


# method, what is wrong, target, the wrong function, the test that must fail, its arguments
ROWS = [
    ("linear", "multiplied", "rope_scaling_linear", _frequencies(lambda f, s: f * s * s), "linear_divides_every_pair"),
    ("linear", "ignored", "rope_scaling_linear", _frequencies(lambda f, s: f * s), "linear_divides_every_pair"),
    ("linear", "base ignored", "rope_scaling_linear", _option(base=1e4), "linear_is_the_same_as_dividing_positions"),
    (
        "default",
        "wrong exponent",
        "rope_scaling_default",
        _frequencies(lambda f, s: f**2),
        "default_is_the_trained_table",
    ),
    ("default", "base ignored", "rope_scaling_default", _option(base=1e4), "default_is_the_trained_table"),
    (
        "default",
        "slowest first",
        "rope_scaling_default",
        _frequencies(lambda f, s: f[::-1]),
        "default_is_the_trained_table",
    ),
    ("ntk", "factor without exponent", "ntk_base", _plain_product, "ntk_base_published_numbers"),
    ("ntk", "exponent upside down", "ntk_base", _inverted_exponent, "ntk_base_published_numbers"),
    ("ntk", "base made smaller", "ntk_base", _divided, "ntk_base_published_numbers"),
    (
        "ntk",
        "linear instead",
        "rope_scaling_ntk",
        lambda right: tests.scaling.rope_scaling_linear,
        "ntk_ends_are_exact",
    ),
    (
        "dynamic",
        "does not follow the length",
        f"{FAMILY}.base:dynamic_ntk_factor",
        _constant_factor,
        "dynamic_base_published_number",
    ),
    (
        "dynamic",
        "never goes back",
        f"{FAMILY}.base:dynamic_ntk_factor",
        _remembering,
        "dynamic_goes_back_after_a_long_input",
    ),
    (
        "dynamic",
        "paper instead of code",
        "dynamic_ntk_factor",
        _option(variant="paper"),
        "dynamic_factor",
        {"variant": "hf", "seq_len": 4096, "expected": 5.0},
    ),
    (
        "dynamic",
        "Qwen without rounding up",
        "dynamic_ntk_factor",
        _ceiling_forgotten,
        "dynamic_factor",
        {"variant": "qwen", "seq_len": 2049, "expected": 3.0},
    ),
    (
        "ntk_by_parts",
        "ramp the other way round",
        "ntk_by_parts_ramp",
        _result(lambda kept: 1 - kept),
        "index_ramp_of_llama_2",
    ),
    ("ntk_by_parts", "paper's ramp", "ntk_by_parts_ramp", _option(ramp="ratio"), "index_ramp_of_llama_2"),
    ("ntk_by_parts", "code's ramp", "ntk_by_parts_ramp", _option(ramp="index"), "ratio_ramp_counts_turns"),
    ("ntk_by_parts", "always rounded", "ntk_by_parts_ramp", _option(truncate=True), "index_ramp_without_rounding"),
    (
        "ntk_by_parts",
        "index off by one",
        "ntk_by_parts_ramp",
        _result(lambda kept: np.append(kept[1:], 0.0)),
        "index_ramp_of_llama_2",
    ),
    (
        "yarn",
        "ramp the other way round",
        f"{BY_PARTS}:ntk_by_parts_ramp",
        _result(lambda kept: 1 - kept),
        "yarn_keeps_fast_pairs_and_interpolates_slow_ones",
    ),
    (
        "yarn",
        "interpolates every pair",
        "rope_scaling_yarn",
        lambda right: lambda dim, *, factor, **rest: tests.scaling.rope_scaling_linear(dim, factor=factor),
        "yarn_keeps_fast_pairs_and_interpolates_slow_ones",
    ),
    (
        "yarn",
        "no temperature",
        "rope_scaling_yarn",
        _attention_factor(lambda m: 1.0),
        "yarn_keeps_fast_pairs_and_interpolates_slow_ones",
    ),
    (
        "yarn",
        "temperature squared in the tables",
        "rope_scaling_yarn",
        _attention_factor(lambda m: m * m),
        "scores_grow_by_the_square_of_the_attention_factor",
    ),
    (
        "yarn",
        "temperature left in by parts",
        "rope_scaling_ntk_by_parts",
        _attention_factor(lambda m: 1.2),
        "by_parts_is_yarn_without_temperature",
    ),
    (
        "part_ntk",
        "bands exchanged",
        "rope_scaling_part_ntk",
        _option(ntk_band=(16.0, 2.0), plain_band=(1.25, 0.75)),
        "part_ntk_mixes_three_frequencies",
    ),
    (
        "part_ntk",
        "NTK-aware everywhere",
        "rope_scaling_part_ntk",
        lambda right: lambda dim, *, factor, **rest: tests.scaling.rope_scaling_ntk(dim, factor=factor),
        "part_ntk_mixes_three_frequencies",
    ),
    (
        "part_ntk",
        "two-way mix",
        "rope_scaling_part_ntk",
        lambda right: tests.scaling.rope_scaling_ntk_by_parts,
        "part_ntk_mixes_three_frequencies",
    ),
    ("temperature", "common logarithm", "yarn_mscale", _common_logarithm, "yarn_mscale_numbers"),
    ("temperature", "below 1 for a small factor", "yarn_mscale", _no_lower_limit, "yarn_mscale_numbers"),
    ("temperature", "mscale ignored", "yarn_mscale", _mscale_ignored, "yarn_mscale_numbers"),
    (
        "temperature",
        "explicit factor multiplied",
        "yarn_attention_factor",
        _both_multiplied,
        "yarn_attention_factor",
        {"factor": 128.0, "options": {"attention_factor": 1.4852030264}, "expected": 1.4852030264},
    ),
    (
        "temperature",
        "one mscale is enough",
        "yarn_attention_factor",
        _one_mscale_enough,
        "yarn_attention_factor",
        {"factor": 40.0, "options": {"mscale": 0.707}, "expected": 1.3688879454113936},
    ),
    (
        "temperature",
        "ratio upside down",
        f"{BY_PARTS}:yarn_attention_factor",
        _swapped("mscale", "mscale_all_dim"),
        "yarn_attention_factor_reaches_the_result",
    ),
    ("softmax scale", "not squared", "yarn_softmax_scale_factor", _without_the_square, "deepseek_v3_softmax_scale"),
    (
        "softmax scale",
        "mscale_all_dim ignored",
        "yarn_softmax_scale_factor",
        _numerator_of_the_ratio,
        "deepseek_v3_softmax_scale",
    ),
    ("softmax scale", "dividing", "yarn_softmax_scale_factor", _result(lambda m: 1 / m), "deepseek_v3_softmax_scale"),
    (
        "llama3",
        "factors exchanged for one",
        "rope_scaling_llama3",
        _option(high_freq_factor=1.0),
        "llama3_splits_the_pairs_as_published",
    ),
    ("llama3", "base ignored", "rope_scaling_llama3", _option(base=1e4), "llama3_splits_the_pairs_as_published"),
    ("llama3", "code's ramp of YaRN", f"{BY_PARTS}:rope_scaling_ntk_by_parts", _option(ramp="index"), "llama3_blend"),
    (
        "llama3",
        "blend from the other end",
        f"{BY_PARTS}:ntk_by_parts_ramp",
        _result(lambda kept: np.where((kept > 0) & (kept < 1), 1 - kept, kept)),
        "llama3_blend",
    ),
    (
        "llama3",
        "step on the wrong side",
        f"{BY_PARTS}:ntk_by_parts_ramp",
        _result(lambda kept: 1 - kept),
        "llama3_equal_factors_make_a_step",
    ),
    (
        "longrope",
        "lists exchanged",
        "rope_scaling_longrope",
        _swapped("short_factor", "long_factor"),
        "longrope_takes_the_list_of_the_length",
        {"seq_len": 4096, "divisors": tests.SHORT},
    ),
    (
        "longrope",
        "long from L on",
        "rope_scaling_longrope",
        _option(seq_len=lambda n: n and n + 1),
        "longrope_takes_the_list_of_the_length",
        {"seq_len": 4096, "divisors": tests.SHORT},
    ),
    (
        "longrope",
        "length ignored",
        "rope_scaling_longrope",
        _option(seq_len=None),
        "longrope_takes_the_list_of_the_length",
        {"seq_len": 4097, "divisors": tests.LONG},
    ),
    (
        "longrope",
        "multiplied",
        "rope_scaling_longrope",
        _option(long_factor=lambda f: 1 / np.array(f)),
        "longrope_takes_the_list_of_the_length",
        {"seq_len": 4097, "divisors": tests.LONG},
    ),
    (
        "longrope",
        "YaRN's temperature",
        "rope_scaling_longrope",
        _attention_factor(lambda m: 0.1 * math.log(32) + 1),
        "longrope_attention_factor",
        {"options": {"factor": 32.0}, "expected": math.sqrt(1 + 5 / 12)},
    ),
    (
        "longrope",
        "ratio wins over the factor",
        "rope_scaling_longrope",
        _option(factor=None),
        "longrope_attention_factor",
        {"options": {"max_position_embeddings": 131072, "factor": 8.0}, "expected": math.sqrt(1 + 3 / 12)},
    ),
    (
        "proportional",
        "rotated width as denominator",
        "rope_scaling_proportional",
        _rotary_width_as_denominator,
        "proportional_keeps_the_denominator_of_the_whole_head",
    ),
    (
        "proportional",
        "every pair turns",
        "rope_scaling_proportional",
        _option(partial_rotary_factor=1.0),
        "proportional_keeps_the_denominator_of_the_whole_head",
    ),
    (
        "proportional",
        "zeros left out",
        "rope_scaling_proportional",
        _frequencies(lambda f, s: f[f > 0]),
        "proportional_keeps_the_denominator_of_the_whole_head",
    ),
    ("proportional", "factor ignored", "rope_scaling_proportional", _option(factor=1.0), "proportional_factor_divides"),
    ("logn", "positions counted from 1", "logn_scale", _moved(1), "logn_per_query"),
    ("logn", "natural logarithm", "logn_scale", _natural_logarithm, "logn_is_one_at_the_trained_length"),
    ("logn", "not clipped", "logn_scale", _option(clip=False), "logn_clipped_is_one_within_the_trained_length"),
    ("logn", "clipped always", "logn_scale", _option(clip=True), "logn_per_query"),
    ("logn", "per query always", "logn_scale", _option(mode="per_query", length=None), "logn_length_mode_is_constant"),
    ("logn", "square root", "logn_scale", _every_factor_halved, "logn_clipped_is_the_table_of_qwen"),
    ("llama4", "Ministral's step", "llama4_temperature", _one_before, "llama4_steps_one_position_early"),
    ("llama4", "one step early", "llama4_temperature", _moved(1), "llama4_steps_one_position_early"),
    ("llama4", "attn_scale ignored", "llama4_temperature", _option(attn_scale=0.1), "llama4_options"),
    ("llama4", "floor_scale ignored", "llama4_temperature", _option(floor_scale=8192), "llama4_options"),
    ("ministral", "Llama 4's step", "ministral_scale", _moved(1), "ministral_steps_at_the_trained_length"),
    (
        "ministral",
        "no floor",
        "ministral_scale",
        lambda right: lambda p, beta, n: 1 + beta * np.log1p(np.asarray(p) / n),
        "ministral_steps_at_the_trained_length",
    ),
    (
        "ministral",
        "beta ignored",
        "ministral_scale",
        lambda right: lambda p, beta, n: right(p, 0.1, n),
        "ministral_beta_zero_is_no_scale",
    ),
]

CONFIG_ROWS = [
    (
        "rope_parameters of transformers 5 unread",
        "rope_parameters_from_config",
        _type_before_rope_parameters,
        "transformers_4_and_5_say_the_same",
        {},
    ),
    (
        "layer type ignored",
        "rope_parameters_from_config",
        _option(layer_type=lambda _: "full_attention"),
        "layers_that_differ",
        {},
    ),
    (
        "length ignored",
        "rope_parameters_from_config",
        _option(seq_len=None),
        "phi_3_keeps_its_trained_length_beside_the_lists",
        {},
    ),
    (
        "partial factor ignored",
        "rope_parameters_from_config",
        _partial_factor_ignored,
        "partial_rotary",
        {"place": "beside"},
    ),
    (
        "trained length beside the lists unread",
        "rope_parameters_from_config",
        _trained_length_inside_wins,
        "phi_3_keeps_its_trained_length_beside_the_lists",
        {},
    ),
    (
        "YaRN without its temperature",
        f"{CONFIG}:rope_scaling_yarn",
        _attention_factor(lambda m: 1.0),
        "result_unpacks_like_a_scaling_function",
        {},
    ),
    (
        "narrow head in the global layers",
        f"{CONFIG}:_head_dim",
        lambda right: lambda config, layer_type, share_given: right(config, None, share_given),
        "proportional_keeps_the_width_of_the_head",
        {},
    ),
    (
        "unknown keys let through",
        f"{CONFIG}:_check_keys",
        lambda right: lambda *arguments: None,
        "what_a_configuration_must_not_leave_open",
        {"config": config_tests.of(rope_scaling={"factor": 4.0}), "error": ValueError, "message": "factor"},
    ),
]


def _fault(method, what, target, broken, caught_by, arguments=None, module=tests) -> Fault:
    target = target if ":" in target else f"{FAMILY}:{target}"
    return Fault(method, what, target, broken, getattr(module, f"test_{caught_by}"), arguments or {})


FAULTS: list[Fault] = [
    *(_fault(*row) for row in ROWS),
    *(_fault("config", *row, module=config_tests) for row in CONFIG_ROWS),
]
