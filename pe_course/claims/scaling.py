"""Longer texts than in training: why positions fail there, and what rescaling mends."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from pe_course.claims import lab_rows
from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.claims.judge import near
from pe_course.reference import absolute, attention, bias, rotary, scaling

HEAD = 128
TRAINED_AT = 512
"""Length for which log-n scaling is 1 in the lecture's formula."""


def unfinished(inv_freq: NDArray, length: int) -> int:
    """How many pairs finish no turn within so many tokens."""
    return int((2 * np.pi / inv_freq > length).sum())


# Two causes


def angles_not_seen() -> Measured:
    sinusoids, rope = absolute.sinusoidal_frequencies(512), rotary.rope_frequencies(HEAD)
    slow = sinusoids[2 * np.pi / sinusoids > 512]
    seen, later = np.cos(511 * slow), np.cos(1023 * slow)
    return {
        "sinusoid_pairs": len(sinusoids),
        "sinusoid_pairs_without_a_turn_in_512": unfinished(sinusoids, 512),
        "slowest_cosine_at_511": seen[-1],
        "slowest_cosine_at_1023": later[-1],
        "rope_pairs": len(rope),
        "rope_pairs_without_a_turn_in_2048": unfinished(rope, 2048),
        "rope_pairs_without_a_turn_in_4096": unfinished(rope, 4096),
        "rope_pairs_with_base_500000_without_a_turn_in_8192": unfinished(rotary.rope_frequencies(HEAD, base=5e5), 8192),
    }


def entropy(weights: NDArray) -> NDArray:
    """Of each row, in nats."""
    return -(weights * np.log(weights)).sum(axis=-1)


@cache
def random_scores(length: int) -> NDArray:
    """Half a million normal scores, for as many queries as so many keys allow."""
    return np.random.default_rng(0).standard_normal((2**19 // length, length))


def mean_entropy(length: int, spread: float, factor: float = 1.0) -> float:
    """Of the weights of ``length`` keys with random scores of this spread, times ``factor``."""
    return entropy(attention.softmax(factor * spread * random_scores(length))).mean()


def attention_over_more_keys() -> Measured:
    """The weight of a key whose score is 7 above all others, and the entropy of random scores of spread 2."""

    def weight_of_the_best(length, factor=1.0):
        return attention.softmax(np.eye(1, length)[0] * 7.0 * factor)[0]

    return {
        **{f"weight_of_the_best_of_{n}": weight_of_the_best(n) for n in (512, 4096, 32768)},
        **{f"weight_of_the_best_of_{n}_with_log_n": weight_of_the_best(n, log_n(n)) for n in (512, 4096, 32768)},
        **{f"entropy_of_{n}": mean_entropy(n, 2.0) for n in (512, 2048, 8192)},
    }


# log-n scaling


def log_n(length: int, clip: bool = False) -> float:
    return float(scaling.logn_scale(length - 1, TRAINED_AT, mode="length", clip=clip, length=length))


def where_the_factor_stands() -> Measured:
    """The factor, and a softmax with it before and after: after it, the weights no longer sum to 1."""
    scores = np.linspace(-1.0, 1.0, 8)
    factor = log_n(4096)
    return {f"factor_at_{n}": log_n(n) for n in (64, 256, 512, 1024, 2048, 4096, 32768)} | {
        "clipped_factor_at_64": log_n(64, clip=True),
        "sum_with_factor_on_scores": attention.softmax(factor * scores).sum(),
        "sum_with_factor_on_weights": (factor * attention.softmax(scores)).sum(),
    }


def entropy_left_over() -> Measured:
    """By how much the entropy at 2048 and 8192 keys lies above that at 512, without and with the factor."""
    left = {}
    for spread in (1.0, 2.0, 3.5):
        before = mean_entropy(TRAINED_AT, spread)
        plain = [mean_entropy(n, spread) - before for n in (2048, 8192)]
        scaled = [mean_entropy(n, spread, log_n(n)) - before for n in (2048, 8192)]
        name = f"spread_{spread:g}".replace(".", "_")
        left |= {f"{name}_without": plain, f"{name}_with": scaled}
    return left


# RoPE with other frequencies


def ntk_frequencies() -> Measured:
    trained = rotary.rope_frequencies(HEAD)
    inv_freq, _ = scaling.rope_scaling_ntk(HEAD, factor=4)
    slower = trained / inv_freq
    return {
        "new_base": scaling.ntk_base(10000, 4, HEAD),
        "slower_fastest_pair": slower[0],
        "slower_pair_32": slower[32],
        "slower_last_pair": slower[-1],
        "pairs_past_their_last_angle": int((8191 * inv_freq > 2047 * trained).sum()),
        "slow_pairs_past_their_last_angle": int((8191 * inv_freq > 2047 * trained)[2 * np.pi / trained > 2048].sum()),
        "pairs_past_their_last_angle_when_all_are_interpolated": int((8191 * trained / 4 > 2047 * trained).sum()),
        **_variants_at(2, "ntk"),
        **_variants_at(4, "ntk"),
        "rope_at_training_length": lab_rows.loss("rope", 1),
        "rope_at_2_times": lab_rows.loss("rope", 2),
        "rope_at_4_times": lab_rows.loss("rope", 4),
    }


def _variants_at(multiple: int, *names: str) -> dict[str, float]:
    """Loss of the lab's RoPE models on longer text when they are run with another rule, without more training."""
    length = str(multiple * lab_rows.training_length("rope"))
    found = [row["results"]["variants"] for row in lab_rows.text_rows("rope")]
    return {f"{name}_at_{multiple}_times": mean(v[name][length]["loss"] for v in found) for name in names}


def pairs_out_of_range() -> Measured:
    """A model of 2048 tokens, NTK-aware with factor 4, run on 8192: how far its slow pairs leave what they saw."""
    trained_length, factor = 2048, 4
    trained = rotary.rope_frequencies(HEAD)
    slow = 2 * np.pi / trained > trained_length

    def overshoot(chosen):
        inv_freq, _ = scaling.rope_scaling_ntk(HEAD, factor=chosen)
        return factor * inv_freq / trained

    over = overshoot(factor)
    first = int(np.flatnonzero(slow)[0])
    needed = factor ** ((HEAD - 2) / (2 * first))
    return {
        "slow_pairs": int(slow.sum()),
        "slow_pairs_out_of_range": int((over[slow] > 1.01).sum()),
        "first_slow_pair": first,
        "overshoot_of_first_slow_pair": over[first],
        "factor_needed": needed,
        "overshoot_with_factor_needed": overshoot(needed)[first],
        **_variants_at(4, "ntk", "rerope", "window"),
        **_variants_at(8, "ntk", "rerope", "window"),
    }


def ntk_bases() -> Measured:
    return {
        **{f"new_base_factor_{factor}": scaling.ntk_base(10000, factor, HEAD) for factor in (2, 4, 8)},
        "rope_at_training_length": lab_rows.loss("rope", 1),
        "rope_at_4_times": lab_rows.loss("rope", 4),
        "rope_at_8_times": lab_rows.loss("rope", 8),
        **_variants_at(4, "ntk"),
        **_variants_at(8, "ntk"),
    }


# Other methods


def schemes_that_decay() -> Measured:
    distance = np.arange(2049)
    ones = np.ones((1, 64))
    query = rotary.apply_xpos(ones, [2048], role="query")
    xpos = [float((query @ rotary.apply_xpos(ones, [2048 - d], role="key").T).item()) for d in (0, 512, 2048)]
    zeta = rotary.xpos_zeta(64)
    by_hand = (np.cos(512 * rotary.rope_frequencies(64)) * zeta * 2).sum()
    sandwich = bias.sandwich_bias([2048], 2048 - distance, 8)[:, 0]
    sinusoids = absolute.sinusoidal_kernel(distance, 128) - 64
    return {
        "xpos_at_0_512_2048": xpos,
        "xpos_error_at_512": abs(xpos[1] - by_hand),
        "sandwich_difference_to_sinusoids": np.abs(sandwich - np.outer(1 / np.arange(1, 9), sinusoids)).max(),
        "kerple_log_at_100": bias.kerple_log(100, 1.0, 1.0),
        "kerple_power_at_100": bias.kerple_power(100, 1.0, 0.5),
        "rope_at_training_length": lab_rows.loss("rope", 1),
        **{f"{name}_at_16_times": lab_rows.loss(name, 16) for name in ("rope", "xpos", "kerple", "sandwich")},
    }


def alibi_or_rope() -> Measured:
    return {
        f"{name}_at_{where}": lab_rows.loss(name, multiple)
        for name in ("rope", "alibi")
        for where, multiple in {"training_length": 1, "2_times": 2, "4_times": 4}.items()
    }


def running_is_not_working() -> Measured:
    """Sinusoids past the training length: a vector for every position, and another loss."""
    vectors = absolute.sinusoidal_positions(np.arange(1024), 64)
    return {
        "all_vectors_finite": bool(np.isfinite(vectors).all()),
        "sinusoidal_at_training_length": lab_rows.loss("sinusoidal", 1),
        "sinusoidal_at_16_times": lab_rows.loss("sinusoidal", 16),
        "t5_at_training_length": lab_rows.loss("t5", 1),
        "t5_at_16_times": lab_rows.loss("t5", 16),
    }


def who_degrades_how() -> Measured:
    at = {"training_length": 1, "2_times": 2, "4_times": 4, "16_times": 16}
    losses = {
        f"{name}_at_{where}": lab_rows.loss(name, multiple)
        for name in ("learned", "sinusoidal", "rope", "t5", "alibi")
        for where, multiple in at.items()
    }
    steps = {}
    for name in ("learned", "sinusoidal", "rope"):
        steps[f"{name}_last_trained_positions"], steps[f"{name}_next_positions"] = lab_rows.loss_before_and_after(name)
    return losses | steps


def feed_forward_and_the_others() -> Measured:
    """A feed-forward layer on eight tokens: does the output of one change when all others do?"""
    rng = np.random.default_rng(7)
    x, others = rng.standard_normal((2, 8, 16))
    inner, outer = rng.standard_normal((16, 64)), rng.standard_normal((64, 16))

    def feed_forward(tokens):
        return np.maximum(tokens @ inner, 0) @ outer

    changed = np.where(np.arange(8)[:, None] == 3, x, others)
    attended = [attention.attention(tokens, tokens, tokens)[3] for tokens in (x, changed)]
    return {
        "change_behind_feed_forward": np.abs(feed_forward(changed)[3] - feed_forward(x)[3]).max(),
        "change_behind_attention": np.abs(attended[1] - attended[0]).max(),
        "rope_pairs_without_a_turn_in_2048": unfinished(rotary.rope_frequencies(HEAD), 2048),
        "rope_pairs_without_a_turn_in_4096": unfinished(rotary.rope_frequencies(HEAD), 4096),
    }


# Counterfeits


def _broken(what: str, function: str, broken: Callable[[Callable], Callable], module: str = "scaling") -> Counterfeit:
    return Counterfeit(what, target=f"pe_course.reference.{module}:{function}", broken=broken)


_ONE_LOSS = Counterfeit(
    "one loss for all methods and lengths",
    target="pe_course.claims.lab_rows:loss",
    broken=lambda right: lambda method, multiple: 1.0,
)
_BASE_TIMES_FACTOR = _broken(
    "a base times the factor, without the exponent",
    "ntk_base",
    lambda right: lambda base, factor, width: base * factor,
)
_NTK_IS_LINEAR = _broken(
    "interpolation of all pairs",
    "rope_scaling_ntk",
    lambda right: lambda width, *, factor: (rotary.rope_frequencies(width) / factor, 1.0),
)
_HALF_EXPONENT = [
    _broken(
        f"{name} with half of the exponent",
        name,
        lambda right: lambda width, **options: np.sqrt(right(width, **options)),
        module=module,
    )
    for module, name in (("absolute", "sinusoidal_frequencies"), ("rotary", "rope_frequencies"))
]
_NATURAL_LOGARITHM = _broken(
    "the natural logarithm of the length",
    "logn_scale",
    lambda right: lambda positions, trained, **options: np.log(trained) * right(positions, trained, **options),
)
_ALWAYS_CLIPPED = _broken(
    "a factor that is never below 1",
    "logn_scale",
    lambda right: lambda positions, trained, **options: right(positions, trained, **{**options, "clip": True}),
)
_NO_LOG_N = _broken(
    "a factor of 1",
    "logn_scale",
    lambda right: lambda positions, trained, **options: np.ones_like(right(positions, trained, **options)),
)
_SHARPER = _broken(
    "a softmax of scores that grow with the number of keys",
    "softmax",
    lambda right: (
        lambda scores, **options: right(np.asarray(scores) * np.log(np.shape(scores)[-1]) / np.log(512), **options)
    ),
    module="attention",
)

CLAIMS: list[Claim] = [
    Claim(
        id="L-055",
        claim="One cause why longer texts fail: position codes that were not seen in training.",
        verdict="true",
        holds="It can be counted. Of {sinusoid_pairs} pairs of sinusoids (width 512) "
        "{sinusoid_pairs_without_a_turn_in_512} finish no turn within 512 tokens, so later positions show them new "
        "angles: the slowest cosine ends at {slowest_cosine_at_511:.6f} in training and is at "
        "{slowest_cosine_at_1023:.6f} at position 1023. With RoPE and heads of 128 it is "
        "{rope_pairs_without_a_turn_in_2048} of {rope_pairs} pairs at 2048 tokens and "
        "{rope_pairs_without_a_turn_in_4096} at 4096.",
        evidence="numeric",
        digest=("S2-19",),
        references=("liu2024scaling", "peng2024yarn"),
        measure=angles_not_seen,
        decides=lambda m: (
            (m["sinusoid_pairs_without_a_turn_in_512"], m["sinusoid_pairs"]) == (133, 256)
            and (m["rope_pairs_without_a_turn_in_2048"], m["rope_pairs_without_a_turn_in_4096"]) == (23, 18)
            and m["rope_pairs"] == 64
            and m["rope_pairs_with_base_500000_without_a_turn_in_8192"] == 29
            and near([m["slowest_cosine_at_511"], m["slowest_cosine_at_1023"]], [0.998597, 0.994382], 1e-6)
        ),
        counterfeits=tuple(_HALF_EXPONENT),
    ),
    Claim(
        id="L-056",
        claim="Another cause: attention over more tokens has another distribution, its entropy rises.",
        verdict="true with conditions",
        holds="True where scores keep their size as the text grows. A key that is 7 ahead of all others gets "
        "{weight_of_the_best_of_512:.4f} of the weight among 512, {weight_of_the_best_of_4096:.4f} among 4096 and "
        "{weight_of_the_best_of_32768:.4f} among 32768. With random scores of spread 2 the entropy is about "
        "{entropy_of_512:.2f}, {entropy_of_2048:.2f} and {entropy_of_8192:.2f} nats at 512, 2048 and 8192 keys.",
        evidence="numeric",
        digest=("S2-19",),
        references=("su2021entropy",),
        measure=attention_over_more_keys,
        decides=lambda m: (
            near(
                [m[f"weight_of_the_best_of_{n}"] for n in (512, 4096, 32768)],
                [np.exp(7) / (np.exp(7) + n - 1) for n in (512, 4096, 32768)],
            )
            and near(
                [m[f"weight_of_the_best_of_{n}_with_log_n"] for n in (512, 4096, 32768)], [0.6821, 0.7342, 0.7807], 5e-5
            )
            and near([m[f"entropy_of_{n}"] for n in (512, 2048, 8192)], [4.394, 5.671, 7.048], 0.05)
        ),
        counterfeits=(_SHARPER, _NO_LOG_N, Counterfeit("an entropy that stays", {"entropy_of_8192": 4.39})),
    ),
    Claim(
        id="L-057",
        claim="RoPE with NTK interpolation needs no fine-tuning.",
        verdict="true with conditions",
        holds="For moderate factors it works without, at a price. It replaces the base: for factor 4 and heads of 128 "
        "the base 10000 becomes {new_base:.2f}. The fastest pair keeps its speed, pair 32 turns {slower_pair_32:.4f} "
        "times slower, the last {slower_last_pair:.0f} times, so the pairs between are partly extrapolated. In the "
        "lab's text runs the loss at the training length is {rope_at_training_length:.2f} nats. At twice as many "
        "tokens it is {rope_at_2_times:.2f} without and {ntk_at_2_times:.2f} with the new base, at four times "
        "{rope_at_4_times:.2f} and {ntk_at_4_times:.2f}.",
        evidence="numeric",
        digest=("S2-20",),
        references=("bloc972023ntk", "peng2024yarn"),
        measure=ntk_frequencies,
        decides=lambda m: (
            near(m["new_base"], 40889.942, 5e-4)
            and near([m["slower_fastest_pair"], m["slower_pair_32"], m["slower_last_pair"]], [1, 4 ** (32 / 63), 4])
            and (m["pairs_past_their_last_angle"], m["slow_pairs_past_their_last_angle"]) == (64, 23)
            and m["pairs_past_their_last_angle_when_all_are_interpolated"] == 64
            and m["ntk_at_2_times"] < m["rope_at_2_times"]
            and m["rope_at_training_length"] + 0.05 < m["ntk_at_4_times"] < m["rope_at_4_times"] - 0.2
        ),
        counterfeits=(_BASE_TIMES_FACTOR, _NTK_IS_LINEAR, _ONE_LOSS),
        note=lab_rows.PROVENANCE,
    ),
    Claim(
        id="L-058",
        claim="NTK interpolation is currently the best method that needs no tuning.",
        verdict="wrong",
        holds="Its own authors went on to dynamic NTK, NTK by parts and YaRN, and methods that change distances "
        "(ReRoPE, Self-Extend, dual chunk attention) report better results. In the lab's text runs ReRoPE stays at "
        "{rerope_at_4_times:.2f} nats at four times and {rerope_at_8_times:.2f} at eight times the training length; "
        "NTK has {ntk_at_4_times:.2f} and {ntk_at_8_times:.2f}. One reason: at four times 2048 tokens "
        "{slow_pairs_out_of_range} of its {slow_pairs} slow pairs leave the angles they were trained on, pair "
        "{first_slow_pair} by a factor of {overshoot_of_first_slow_pair:.4f}. To keep that pair in, the factor would "
        "have to be {factor_needed:.3f} instead of 4.",
        evidence="experiment",
        digest=("S2-20",),
        references=("peng2024yarn", "jin2024selfextend", "an2024training", "su2023rerope", "bloc972023ntk"),
        measure=pairs_out_of_range,
        decides=lambda m: (
            (m["slow_pairs_out_of_range"], m["slow_pairs"], m["first_slow_pair"]) == (22, 23, 41)
            and near(m["overshoot_of_first_slow_pair"], 1.6227184, 1e-6)
            and near(m["factor_needed"], 8.4162102, 1e-6)
            and near(m["overshoot_with_factor_needed"], 1)
            and m["rerope_at_4_times"] < m["ntk_at_4_times"] - 0.05
            and m["rerope_at_8_times"] < m["ntk_at_8_times"] - 0.2
        ),
        counterfeits=(_NTK_IS_LINEAR, Counterfeit("a ReRoPE that fails", {"rerope_at_8_times": 3.0})),
        note=f"{lab_rows.PROVENANCE} Rankings depend on the model and on the measure; there is no common benchmark.",
    ),
    Claim(
        id="L-059",
        claim="xPos improves the extrapolation of RoPE; Sandwich and KERPLE are further methods.",
        verdict="true",
        holds="xPos multiplies an exponential decay onto RoPE, KERPLE learns curves that fall without bound, and "
        "Sandwich is the inner product of sinusoids, scaled for each head. In the lab's text runs, at 16 times the "
        "training length, RoPE has {rope_at_16_times:.2f} nats, xPos {xpos_at_16_times:.2f}, KERPLE "
        "{kerple_at_16_times:.2f} and Sandwich {sandwich_at_16_times:.2f}; RoPE has {rope_at_training_length:.2f} at "
        "the training length.",
        evidence="experiment",
        digest=("S2-20",),
        references=("sun2023length", "chi2022kerple", "chi2023dissecting"),
        measure=schemes_that_decay,
        decides=lambda m: (
            m["xpos_error_at_512"] < 1e-9
            and near(m["xpos_at_0_512_2048"], [64, 12.584527, 4.911806], 1e-6)
            and m["sandwich_difference_to_sinusoids"] < 1e-9
            and near([m["kerple_log_at_100"], m["kerple_power_at_100"]], [-np.log(101), -10])
            and max(m[f"{name}_at_16_times"] for name in ("xpos", "kerple", "sandwich")) < m["rope_at_16_times"] - 0.5
        ),
        counterfeits=(
            _ONE_LOSS,
            _broken(
                "xPos that scales both sides the same way",
                "apply_xpos",
                lambda right: lambda x, positions, *, role: right(x, positions, role="query"),
                module="rotary",
            ),
            _broken(
                "Sandwich without the scale of the head",
                "sandwich_bias",
                lambda right: lambda q, k, heads: right(q, k, heads) / bias.sandwich_head_scales(heads)[:, None, None],
                module="bias",
            ),
        ),
        note=lab_rows.PROVENANCE,
    ),
    Claim(
        id="L-060",
        claim="The remedy adds a factor log(n)/log(512) in the normalisation of the softmax.",
        verdict="imprecise",
        holds="It multiplies the *scores*, before the softmax. On the weights it would only undo the normalisation: "
        "at 4096 tokens they would sum to {sum_with_factor_on_weights:.4f}. 512 stands for the length of training. At "
        "64, 512, 2048, 4096 and 32768 tokens the factor is {factor_at_64:.4f}, {factor_at_512:.4f}, "
        "{factor_at_2048:.4f}, {factor_at_4096:.4f} and {factor_at_32768:.4f}; code usually keeps it at "
        "{clipped_factor_at_64:.0f} for shorter texts.",
        evidence="numeric",
        digest=("S2-21",),
        references=("su2021entropy",),
        measure=where_the_factor_stands,
        decides=lambda m: (
            near(
                [m[f"factor_at_{n}"] for n in (64, 256, 512, 1024, 2048, 4096, 32768)],
                [6 / 9, 8 / 9, 1, 10 / 9, 11 / 9, 12 / 9, 15 / 9],
            )
            and m["clipped_factor_at_64"] == 1
            and near(m["sum_with_factor_on_scores"], 1)
            and near(m["sum_with_factor_on_weights"], 12 / 9)
        ),
        counterfeits=(_NATURAL_LOGARITHM, _ALWAYS_CLIPPED),
        note="Su writes that 512 may stay whatever the training length was; others, such as Qwen, take the training "
        "length.",
    ),
    Claim(
        id="L-061",
        claim="The factor compensates the change of entropy.",
        verdict="true with conditions",
        holds="In part, and it depends on the spread of the scores. With random scores the entropy at 2048 and 8192 "
        "keys lies above that at 512 by {spread_1_with[0]:.2f} and {spread_1_with[1]:.2f} nats at spread 1, by "
        "{spread_2_with[0]:.2f} and {spread_2_with[1]:.2f} at spread 2, and by {spread_3_5_with[0]:.2f} and "
        "{spread_3_5_with[1]:.2f} at spread 3.5. Without the factor these are {spread_1_without[0]:.2f} and "
        "{spread_1_without[1]:.2f}, {spread_2_without[0]:.2f} and {spread_2_without[1]:.2f}, "
        "{spread_3_5_without[0]:.2f} and {spread_3_5_without[1]:.2f}.",
        evidence="numeric",
        digest=("S2-21",),
        references=("su2021entropy",),
        measure=entropy_left_over,
        decides=lambda m: (
            near(m["spread_1_with"], [1.136, 2.231], 0.02)
            and near(m["spread_2_with"], [0.47, 0.78], 0.06)
            and near(m["spread_3_5_with"], [-0.06, -0.18], 0.1)
            and near(m["spread_1_without"], [1.3834, 2.7694], 0.02)
            and near(m["spread_2_without"], [1.288, 2.649], 0.05)
            and near(m["spread_3_5_without"], [0.73, 1.62], 0.1)
            and all(m[f"spread_{s}_with"][1] < m[f"spread_{s}_without"][1] for s in ("1", "2", "3_5"))
        ),
        counterfeits=(_NO_LOG_N, _NATURAL_LOGARITHM),
    ),
    Claim(
        id="L-063",
        claim="ALiBi is slightly worse than RoPE; the gap is small.",
        verdict="true with conditions",
        holds="It depends on where one looks. Press et al. find ALiBi better on WikiText-103 (perplexity 18.66 "
        "against 19.33 at 1024 tokens); later large models mostly chose RoPE. In the lab's text runs RoPE leads at "
        "the training length ({rope_at_training_length:.2f} against {alibi_at_training_length:.2f} nats) and at twice "
        "({rope_at_2_times:.2f} against {alibi_at_2_times:.2f}), and ALiBi at four times ({alibi_at_4_times:.2f} "
        "against {rope_at_4_times:.2f}).",
        evidence="experiment",
        digest=("S2-26",),
        references=("press2022train", "kazemnejad2023impact"),
        measure=alibi_or_rope,
        decides=lambda m: (
            0 < m["alibi_at_training_length"] - m["rope_at_training_length"] < 0.4
            and m["alibi_at_4_times"] < m["rope_at_4_times"] - 0.1
        ),
        counterfeits=(_ONE_LOSS, Counterfeit("an ALiBi that loses everywhere", {"alibi_at_4_times": 4.0})),
        note=lab_rows.PROVENANCE,
    ),
    Claim(
        id="L-083",
        claim="Extrapolation is the handling of inputs longer than those of training.",
        verdict="true",
        holds="With one addition: handling means that it goes on working, not that it runs. Sinusoids have a vector "
        "for every position, but in the lab's text runs their loss rises from {sinusoidal_at_training_length:.2f} to "
        "{sinusoidal_at_16_times:.2f} nats at 16 times as many tokens; that of T5's bias goes from "
        "{t5_at_training_length:.2f} to {t5_at_16_times:.2f}.",
        evidence="experiment",
        digest=("S3-22",),
        references=("press2022train",),
        measure=running_is_not_working,
        decides=lambda m: (
            m["all_vectors_finite"]
            and m["sinusoidal_at_16_times"] > m["sinusoidal_at_training_length"] + 0.5
            and abs(m["t5_at_16_times"] - m["t5_at_training_length"]) < 0.15
        ),
        counterfeits=(_ONE_LOSS,),
        note=lab_rows.PROVENANCE,
    ),
    Claim(
        id="L-084",
        claim="Sinusoids and RoPE extrapolate much better than a learned table; RoPE degrades gracefully, as from "
        "4096 to 8000 tokens.",
        verdict="imprecise",
        holds="Half right. Sinusoids raise no error, but they lose as much as a learned table with untrained rows: in "
        "the lab's text runs both go, from the training length to four times as many tokens, from "
        "{sinusoidal_at_training_length:.2f} to {sinusoidal_at_4_times:.2f} and from {learned_at_training_length:.2f} "
        "to {learned_at_4_times:.2f} nats. RoPE is graceful at first: in the positions next after the trained ones "
        "its loss is {rope_next_positions:.2f}, where sinusoids have {sinusoidal_next_positions:.2f} and the table "
        "{learned_next_positions:.2f}; at twice the length it is {rope_at_2_times:.2f}. At four times it is "
        "{rope_at_4_times:.2f}, and at 16 times ({rope_at_16_times:.2f}) worse than the table "
        "({learned_at_16_times:.2f}). T5 ({t5_at_4_times:.2f} at four times) and ALiBi ({alibi_at_4_times:.2f}) hold.",
        evidence="experiment",
        digest=("S3-22", "S3-59"),
        references=("press2022train", "chen2023extending", "peng2024yarn"),
        measure=who_degrades_how,
        decides=lambda m: (
            m["sinusoidal_at_4_times"] > m["learned_at_4_times"] - 0.2
            and m["sinusoidal_at_4_times"] > m["sinusoidal_at_training_length"] + 0.4
            and m["rope_next_positions"] < min(m["sinusoidal_next_positions"], m["learned_next_positions"]) - 0.5
            and m["rope_at_4_times"] > m["rope_at_training_length"] + 0.3
            and m["rope_at_16_times"] > m["learned_at_16_times"]
            and max(m[f"{name}_at_4_times"] - m[f"{name}_at_training_length"] for name in ("t5", "alibi")) < 0.1
        ),
        counterfeits=(_ONE_LOSS, Counterfeit("a RoPE that holds", {"rope_at_16_times": 1.6})),
        note=lab_rows.PROVENANCE,
    ),
    Claim(
        id="L-132",
        claim="One cause of RoPE's loss on long texts is that feed-forward layers are not prepared for long "
        "dependencies.",
        verdict="wrong",
        holds="A feed-forward layer works on each token alone and sees no distance: change all other tokens and its "
        "output for this one changes by {change_behind_feed_forward:.4f}, that of attention by "
        "{change_behind_attention:.4f} in this draw. The causes are unseen angles in slow pairs "
        "({rope_pairs_without_a_turn_in_4096} of 64 finish no turn in 4096 tokens) and attention spread over more "
        "tokens.",
        evidence="algebraic",
        digest=("S3-59",),
        references=("chen2023extending", "liu2024scaling"),
        measure=feed_forward_and_the_others,
        decides=lambda m: (
            m["change_behind_feed_forward"] < 1e-12
            and near(m["change_behind_attention"], 0.473238, 1e-6)
            and m["rope_pairs_without_a_turn_in_4096"] == 18
            and m["rope_pairs_without_a_turn_in_2048"] == 23
        ),
        counterfeits=(
            _HALF_EXPONENT[1],
            Counterfeit("a layer that mixes tokens", {"change_behind_feed_forward": 0.2}),
            _broken(
                "attention to oneself alone",
                "attention",
                lambda right: lambda q, k, v: np.asarray(v),
                module="attention",
            ),
        ),
    ),
    Claim(
        id="L-133",
        claim="NTK-aware RoPE solves this.",
        verdict="imprecise",
        holds="It mitigates. The base 10000 becomes {new_base_factor_2:.2f}, {new_base_factor_4:.2f} or "
        "{new_base_factor_8:.2f} for factors 2, 4 and 8. In the lab's text runs the loss, "
        "{rope_at_training_length:.2f} nats at the training length, is {ntk_at_4_times:.2f} at four times as many "
        "tokens instead of {rope_at_4_times:.2f}, and {ntk_at_8_times:.2f} at eight times instead of "
        "{rope_at_8_times:.2f}. NTK by parts and YaRN came after it.",
        evidence="numeric",
        digest=("S3-59",),
        references=("bloc972023ntk", "peng2024yarn"),
        measure=ntk_bases,
        decides=lambda m: (
            near([m[f"new_base_factor_{s}"] for s in (2, 4, 8)], [1e4 * s ** (64 / 63) for s in (2, 4, 8)], 1e-6)
            and near(m["new_base_factor_4"], 40889.94, 5e-3)
            and all(
                m["rope_at_training_length"] + 0.05 < m[f"ntk_at_{n}_times"] < m[f"rope_at_{n}_times"] - 0.2
                for n in (4, 8)
            )
        ),
        counterfeits=(_BASE_TIMES_FACTOR, _ONE_LOSS),
        note=lab_rows.PROVENANCE,
    ),
]
