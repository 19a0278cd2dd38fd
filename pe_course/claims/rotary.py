"""Rotary positions: what a rotation keeps, what a score can see of it, and what does not go wrong with it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.claims import lab_rows
from pe_course.claims.absolute.relations import sequence_of_one_token
from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.claims.judge import near
from pe_course.claims.relative import added_by, contents
from pe_course.reference import absolute, attention, bias, rotary

WIDTH = 64
LAYOUT = "interleaved"

Vector = NDArray[np.float64]


def query_and_key(seed: int = 7) -> tuple[Vector, Vector]:
    """A random query and a random key of width 64."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal(WIDTH), rng.standard_normal(WIDTH)


def rotated(x: Vector, position: float, layout: str = LAYOUT) -> Vector:
    return rotary.apply_rope(x[None], [position], layout=layout)[0]


def score(q: Vector, k: Vector, m: float, n: float) -> float:
    """The RoPE score of a query at m and a key at n, without scale."""
    return float(rotated(q, m) @ rotated(k, n))


def turned(x: Vector, position: float) -> Vector:
    """R_position x, by the matrix."""
    return rotary.rotation_matrix(position, rotary.rope_frequencies(len(x)), layout=LAYOUT) @ x


def plane(x: ArrayLike, angle: float) -> Vector:
    """A pair of channels turned by an angle."""
    return rotary.apply_rotary(np.array([x], dtype=float), [[np.cos(angle)]], [[np.sin(angle)]], layout=LAYOUT)[0]


# What RoPE is


def score_depends_on_the_distance() -> Measured:
    q, k = query_and_key()
    shifted = [score(q, k, 5 + shift, 3 + shift) for shift in range(0, 5000, 100)]
    return {
        "score_5_3": score(q, k, 5, 3),
        "score_105_103": score(q, k, 105, 103),
        "score_3_5": score(q, k, 3, 5),
        "largest_deviation_over_50_shifts": max(abs(other - shifted[0]) for other in shifted),
    }


def complex_identity() -> Measured:
    q, k = query_and_key()
    theta = rotary.rope_frequencies(WIDTH)
    complex_q, complex_k = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    right_hand = (complex_q * complex_k.conj() * np.exp(2j * theta)).real.sum()
    one, i = [1.0, 0.0], [0.0, 1.0]
    return {
        "left_hand_5_3": score(q, k, 5, 3),
        "right_hand_5_3": right_hand,
        "one_turned_by_1": plane(one, 1.0),
        "q_1_k_i_distance_1": plane(one, 1.0) @ plane(i, 0.0),
        "q_1_k_i_distance_minus_1": plane(one, 0.0) @ plane(i, 1.0),
        "q_1_k_i_distance_0": plane(one, 0.0) @ plane(i, 0.0),
        "q_1_k_1_distance_1_and_minus_1": [plane(one, 1.0) @ plane(one, 0.0), plane(one, 0.0) @ plane(one, 1.0)],
    }


def one_frequency_for_all_pairs() -> Measured:
    q, k = query_and_key()
    ones = np.ones(WIDTH)
    common, proper = np.ones(WIDTH // 2), rotary.rope_frequencies(WIDTH)
    share = {
        name: rotary.rope_score(ones, ones, [44, 710], frequencies) / WIDTH
        for name, frequencies in (("common", common), ("proper", proper))
    }
    reordered = rotated(rotary.interleaved_to_half(q), 5, "half")
    return {
        "common_frequency_share_at_44": share["common"][0],
        "common_frequency_share_at_710": share["common"][1],
        "proper_frequencies_share_at_44": share["proper"][0],
        "proper_frequencies_share_at_710": share["proper"][1],
        "layout_equivalence_error": np.abs(rotary.half_to_interleaved(reordered) - rotated(q, 5)).max(),
        "mixed_layouts_5_3": rotated(q, 5) @ rotated(k, 3, "half"),
        "mixed_layouts_105_103": rotated(q, 105) @ rotated(k, 103, "half"),
    }


def attention_around_it() -> Measured:
    """Twelve tokens at once, and the last one alone beside the cached keys of the others."""
    q, k, v = np.random.default_rng(7).standard_normal((3, 12, WIDTH))
    positions = np.arange(12)
    rotated_q, rotated_k = (rotary.apply_rope(side, positions, layout=LAYOUT) for side in (q, k))
    whole = attention.attention(rotated_q, rotated_k, v, mask=attention.causal_mask(12))
    decoded = attention.attention(rotated_q[-1:], rotated_k, v)
    at_zero = rotary.apply_rope(q[-1:], [0], layout=LAYOUT)
    same_values = attention.attention(rotated_q, rotated_k, np.ones_like(v))
    return {
        "largest_change_of_norm": np.abs(np.linalg.norm(rotated_q, axis=1) - np.linalg.norm(q, axis=1)).max(),
        "layout_equivalence_error": one_frequency_for_all_pairs()["layout_equivalence_error"],
        "decode_error": np.abs(decoded - whole[-1:]).max(),
        "decode_error_if_the_new_query_stands_at_0": np.abs(
            attention.attention(at_zero, rotated_k, v) - whole[-1:]
        ).max(),
        "largest_change_of_equal_values": np.abs(same_values - 1).max(),
    }


def what_is_rotated() -> Measured:
    """How much a shift by 100 changes a score when queries and keys are rotated, or the embeddings."""
    rng = np.random.default_rng(7)
    x_m, x_n = rng.standard_normal((2, 8))
    to_query, to_key = rng.standard_normal((2, 8, 8))

    def after(m, n):
        return score(to_query @ x_m, to_key @ x_n, m, n)

    def before(m, n):
        return (to_query @ rotated(x_m, m)) @ (to_key @ rotated(x_n, n))

    values = np.tile(x_m, (6, 1))
    sides = rotary.apply_rope(values, np.arange(6), layout=LAYOUT)
    return {
        "queries_and_keys_rotated_5_3": after(5, 3),
        "queries_and_keys_rotated_105_103": after(105, 103),
        "embeddings_rotated_5_3": before(5, 3),
        "embeddings_rotated_105_103": before(105, 103),
        "change_of_equal_values": np.abs(attention.attention(sides, sides, values) - x_m).max(),
    }


def absolute_positions_in_the_output() -> Measured:
    """How far the outputs of six tokens lie apart that are identical but for their position."""
    rng = np.random.default_rng(42)
    token, first = rng.standard_normal((2, 1, 8))
    weights = [rng.standard_normal((8, 8)) / np.sqrt(8) for _ in range(3)]
    same, with_first = np.tile(token, (6, 1)), np.concatenate([first, np.tile(token, (6, 1))])
    sinusoids = absolute.sinusoidal_positions(np.arange(6), 8)

    def spread(x, rotate=True):
        q, k, v = (x @ w for w in weights)
        if rotate:
            q, k = (rotary.apply_rope(side, np.arange(len(x)), layout=LAYOUT) for side in (q, k))
        return np.ptp(attention.attention(q, k, v, mask=attention.causal_mask(len(x)))[-6:], axis=0).max()

    q, k = query_and_key()
    return {
        "score_5_3": score(q, k, 5, 3),
        "score_105_103": score(q, k, 105, 103),
        "spread_rope": spread(same),
        "spread_rope_with_another_first_token": spread(with_first),
        "spread_sinusoidal": spread(same + sinusoids, rotate=False),
        "spread_sinusoidal_without_mask_in_claim_120": sequence_of_one_token()["sinusoids"],
    }


def rotation_of_one_pair() -> Measured:
    step = np.pi / 12
    q = np.array([1.0, 0.0])
    by_distance = rotary.rope_score(q, q, np.arange(1, 49), [step])
    several = rotary.rope_score(np.ones(WIDTH), np.ones(WIDTH), 24, rotary.rope_frequencies(WIDTH)) / WIDTH
    return {
        "score_of_neighbours": by_distance[0],
        "repeats_every": int(np.argmax(np.abs(by_distance - 1) < 1e-12)) + 1,
        "share_at_24_with_32_frequencies": several,
    }


def slices_of_a_scan() -> Measured:
    q, k = query_and_key()
    return {
        "score_52_50": score(q, k, 52, 50),
        "score_152_150": score(q, k, 152, 150),
        "score_50_52": score(q, k, 50, 52),
        "difference": abs(score(q, k, 52, 50) - score(q, k, 152, 150)),
    }


def norm_and_content() -> Measured:
    q, _ = query_and_key()
    am = np.array([0.5, 0.6, 0.7, 0.8])
    pe = absolute.sinusoidal_positions(1, 4)
    return {
        "largest_change_of_norm": max(abs(np.linalg.norm(rotated(q, m)) - np.linalg.norm(q)) for m in range(200)),
        "norm_before_addition": np.linalg.norm(am),
        "norm_after_addition": np.linalg.norm(am + pe),
        "error_after_subtracting_again": np.abs((am + pe) - pe - am).max(),
        "cosine_of_a_vector_with_itself_100_positions_on": rotated(q, 100) @ q / (q @ q),
    }


def space_of_the_rotation() -> Measured:
    head = np.random.default_rng(7).standard_normal((1, 256))
    partial = rotary.partial_rotary_dim(256, partial_rotary_factor=0.25)
    turned_head = rotary.apply_rope(head, [5], rotary_dim=partial, layout=LAYOUT)
    return {
        "frequencies_of_a_head_of_64": len(rotary.rope_frequencies(64)),
        "frequencies_if_512_channels_were_one_space": len(rotary.rope_frequencies(512)),
        "rotated_channels_of_256": partial,
        "channels_that_changed": int((np.abs(turned_head - head) > 1e-12).sum()),
    }


def before_or_after_the_score() -> Measured:
    """How much a query twice as long changes what T5 adds to the score, and what RoPE does to it, as factors."""
    q, k = contents()
    change = {name: added_by(name)(2 * q, k) / added_by(name)(q, k) for name in ("t5", "rope")}
    random = np.random.default_rng(7).standard_normal
    queries, keys, table = random((1, 6, WIDTH)), random((1, 6, WIDTH)), random((32, 1))
    position = np.arange(6)
    sides = [rotary.apply_rope(side, position, layout=LAYOUT) for side in (queries, keys)]
    added = attention.attention_weights(queries, keys, bias=bias.t5_bias(table, position, position))
    return {
        "t5_factor": change["t5"],
        "rope_factor": change["rope"],
        "rows_sum_to_one_both": [added.sum(axis=-1).min(), attention.attention_weights(*sides).sum(axis=-1).min()],
    }


# Does the score decay?


def decay_with_distance() -> Measured:
    ones, wide = np.ones(128), rotary.rope_frequencies(128)
    equal = rotary.rope_score(ones, ones, np.arange(4097), wide) / 128
    bound = upper_bound(np.arange(1, 4097), wide)
    rng = np.random.default_rng(3)
    queries, keys = rng.standard_normal((2, 2000, 1, WIDTH))
    by_distance = [(rotary.apply_rope(queries, [r], layout=LAYOUT) * keys).sum(axis=-1) for r in (0, 1000)]
    q = rng.standard_normal(WIDTH)
    k = rotated(q, 1000)
    distances = np.arange(2001)
    aimed = rotary.rope_score(q, k, distances, rotary.rope_frequencies(WIDTH), layout=LAYOUT)
    return {
        "equal_vectors_at_1_10_100_1000": equal[[1, 10, 100, 1000]],
        "first_increase_from": int(np.argmax(np.diff(equal) > 0)),
        "share_of_steps_that_increase": (np.diff(equal) > 0).mean(),
        "farthest_favourite": int(distances[aimed.argmax()]),
        "aimed_score_at_0_10_1000": aimed[[0, 10, 1000]],
        "random_mean_at_0_and_1000": [values.mean() for values in by_distance],
        "random_std_at_0_and_1000": [values.std() for values in by_distance],
        "bound_at_1_10_100_1000": bound[[0, 9, 99, 999]],
        "share_of_steps_where_the_bound_increases": (np.diff(bound) > 0).mean(),
    }


def upper_bound(distance: NDArray, inv_freq: Vector) -> Vector:
    """RoFormer's bound, up to a factor of the vectors: the mean size of the partial sums of e^(i r θ)."""
    return np.abs(np.cumsum(np.exp(1j * distance[:, None] * inv_freq), axis=1)).mean(axis=1)


# Extrapolation


def rope_on_longer_text() -> Measured:
    frequencies = rotary.rope_frequencies(128)
    return {
        "rope_at_training_length": lab_rows.loss("rope", 1),
        "rope_at_2_times": lab_rows.loss("rope", 2),
        "rope_at_4_times": lab_rows.loss("rope", 4),
        "rope_at_16_times": lab_rows.loss("rope", 16),
        "no_positions_at_16_times": lab_rows.loss("nope", 16),
        "pairs_without_a_turn_in_2048": int((2 * np.pi / frequencies > 2048).sum()),
        "pairs_without_a_turn_in_4096": int((2 * np.pi / frequencies > 4096).sum()),
        "pairs": len(frequencies),
    }


# Precision


def bfloat16(x: ArrayLike) -> NDArray[np.float64]:
    """The nearest numbers of 8 significant bits, ties to even."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return rounded.view(np.float32).astype(np.float64)


def angles_in_bfloat16() -> Measured:
    q, k = query_and_key()
    theta = rotary.rope_frequencies(WIDTH)

    def rounded_score(m, n):
        angles = bfloat16(bfloat16([m, n])[:, None] * bfloat16(theta))
        turned_q, turned_k = rotary.apply_rotary(np.stack([q, k]), np.cos(angles), np.sin(angles), layout=LAYOUT)
        return turned_q @ turned_k

    queries = (5, 105, 505, 4005)
    return {
        "score_at_distance_2": [score(q, k, m, m - 2) for m in queries],
        "score_at_distance_2_bfloat16": [rounded_score(m, m - 2) for m in queries],
        "content_alone": q @ k,
        "position_257_in_bfloat16": bfloat16(257.0),
    }


# What is blamed for faults, and what causes them


def one_rotation_in_place_of_two() -> Measured:
    q, k = query_and_key()
    return {
        "both_rotated": score(q, k, 5, 3),
        "key_rotated_by_n_minus_m": q @ turned(k, 3 - 5),
        "key_rotated_by_m_minus_n": q @ turned(k, 5 - 3),
        "not_rotated": q @ k,
    }


def only_the_key_rotated() -> Measured:
    q, k = query_and_key()
    return {
        "m_5_n_3": rotated(q, 0) @ rotated(k, 3),
        "m_105_n_3": score(turned(q, -105), k, 105, 3),
        "m_105_n_103": rotated(q, 0) @ rotated(k, 103),
    }


def factor_of_the_inner_product() -> Measured:
    one, i = [1.0, 0.0], [0.0, 1.0]
    q, k = query_and_key()
    pair_q, pair_k = q[:2], k[:2]
    alpha = 0.7
    phi = np.arctan2(pair_q[1], pair_q[0]) - np.arctan2(pair_k[1], pair_k[0])
    return {
        "original_inner_product": np.dot(one, i),
        "rotated_inner_product": rotary.rope_score(one, i, np.pi / 2, [1.0]),
        "rotated_pair": rotary.rope_score(pair_q, pair_k, alpha, [1.0]),
        "length_times_cosine": np.hypot(*pair_q) * np.hypot(*pair_k) * np.cos(phi + alpha),
        "rotated_pair_backwards": rotary.rope_score(pair_q, pair_k, -alpha, [1.0]),
        "length_times_cosine_backwards": np.hypot(*pair_q) * np.hypot(*pair_k) * np.cos(phi - alpha),
    }


def operations_per_head() -> Measured:
    """Multiplications and additions for n queries and keys of width d: RoPE on both sides, and adding a bias."""
    n, d = 1024, 64
    per_pair = 4 + 2
    pairs = len(rotary.rope_frequencies(d))
    rope_per_token = 2 * per_pair * pairs
    biases = np.size(bias.t5_bias(np.zeros((32, 1)), np.arange(32), np.arange(32))) / 32**2
    return {
        "rope_at_1024": rope_per_token * n,
        "bias_at_1024": int(biases * n**2),
        "break_even_length": int(rope_per_token / biases),
        "rope_per_decoded_token": rope_per_token,
        "bias_per_decoded_token_at_100": int(biases * 100),
        "bias_per_decoded_token_at_1024": int(biases * n),
    }


def query_and_key_of_one_token() -> tuple[Vector, Vector]:
    """The query and the key that two random matrices make of one random token of width 16."""
    rng = np.random.default_rng(7)
    rng.standard_normal(2 * WIDTH)  # the query and the key above come first in this stream
    x = rng.standard_normal(16)
    w_q, w_k = rng.standard_normal((2, 16, 16)) / 4
    return x @ w_q, x @ w_k


def direction() -> Measured:
    one, i = [1.0, 0.0], [0.0, 1.0]
    q, k = query_and_key_of_one_token()
    return {
        "pair_without_rotation": np.dot(one, i),
        "pair_forward": rotary.rope_score(one, i, 1, [1.0]),
        "pair_backward": rotary.rope_score(one, i, -1, [1.0]),
        "tied_pair_forward": rotary.rope_score(one, one, 1, [1.0]),
        "tied_pair_backward": rotary.rope_score(one, one, -1, [1.0]),
        "equal_tokens_7_to_4": score(q, k, 7, 4),
        "equal_tokens_4_to_7": score(q, k, 4, 7),
        "tied_7_to_4": score(q, q, 7, 4),
        "tied_4_to_7": score(q, q, 4, 7),
    }


def same_rotation_on_both_sides() -> Measured:
    q, k = query_and_key()
    return {
        "both_by_5": score(q, k, 5, 5),
        "both_by_999": score(q, k, 999, 999),
        "content_alone": q @ k,
        "each_by_its_own_5_3": score(q, k, 5, 3),
        "each_by_its_own_3_5": score(q, k, 3, 5),
    }


def one_rotation_by_the_distance() -> Measured:
    q, k = query_and_key()
    wrong_sign = {f"key_by_minus_n_{m}_{n}": score(q, k, m, -n) for m, n in ((5, 3), (6, 2), (105, 103))}
    return {
        "rope_5_3": score(q, k, 5, 3),
        "key_by_n_minus_m": q @ turned(k, 3 - 5),
        "key_by_m_minus_n_5_3": q @ turned(k, 5 - 3),
        "key_by_m_minus_n_105_103": q @ turned(k, 105 - 103),
        "rope_3_5": score(q, k, 3, 5),
        **wrong_sign,
        "key_alone_5_3": q @ rotated(k, 3),
        "key_alone_105_103": q @ rotated(k, 103),
    }


# Counterfeits


def _broken(what: str, function: str, broken: Callable[[Callable], Callable], module: str = "rotary") -> Counterfeit:
    return Counterfeit(what, target=f"pe_course.reference.{module}:{function}", broken=broken)


_CLOCKWISE = _broken(
    "a rotation the other way round",
    "apply_rope",
    lambda right: lambda x, positions, **options: right(x, -np.asarray(positions), **options),
)
_NOT_AT_ALL = _broken("no rotation", "apply_rope", lambda right: lambda x, positions, **options: np.asarray(x))
_ALWAYS_HALF = _broken(
    "one layout whatever is asked for",
    "apply_rope",
    lambda right: lambda x, positions, **options: right(x, positions, **{**options, "layout": "half"}),
)
_SQUARED_POSITIONS = _broken(
    "angles that grow with the square of the position",
    "apply_rope",
    lambda right: lambda x, positions, **options: right(x, np.square(positions) / 10, **options),
)
_STRETCHED = _broken(
    "a rotation that stretches",
    "apply_rope",
    lambda right: (
        lambda x, positions, **options: right(x, positions, **options) * (1 + 1e-3 * np.asarray(positions)[:, None])
    ),
)
_ADDED = _broken(
    "positions that are added",
    "apply_rope",
    lambda right: lambda x, positions, **options: x + absolute.sinusoidal_positions(positions, np.shape(x)[-1]),
)
_MATRIX_CLOCKWISE = _broken(
    "a rotation matrix with the opposite angle",
    "rotation_matrix",
    lambda right: lambda position, *args, **options: right(-position, *args, **options),
)
_SCORE_CLOCKWISE = _broken(
    "a score with the opposite distance",
    "rope_score",
    lambda right: lambda q, k, distance, *args, **options: right(q, k, -np.asarray(distance), *args, **options),
)
_SCORE_SYMMETRIC = _broken(
    "a score of |distance|",
    "rope_score",
    lambda right: lambda q, k, distance, *args, **options: right(q, k, np.abs(distance), *args, **options),
)
_SCORE_DECAYS = _broken(
    "a score that decays by itself",
    "rope_score",
    lambda right: lambda q, k, distance, *args, **options: np.exp(-0.01 * np.abs(distance)) * (np.asarray(q) @ k),
)
_ROTARY_CLOCKWISE = _broken(
    "pairs turned the other way round",
    "apply_rotary",
    lambda right: lambda x, cos, sin, **options: right(x, cos, -np.asarray(sin), **options),
)
_ONE_FREQUENCY = _broken(
    "one frequency for all pairs", "rope_frequencies", lambda right: lambda width, **options: np.ones(width // 2)
)
_FIFTEEN_DEGREES = _broken(
    "15 degrees for all pairs",
    "rope_frequencies",
    lambda right: lambda width, **options: np.full(width // 2, np.pi / 12),
)
_HALF_EXPONENT = _broken(
    "frequencies with half of the exponent",
    "rope_frequencies",
    lambda right: lambda width, **options: np.sqrt(right(width, **options)),
)
_MASK_LEAKS = _broken(
    "a mask that lets all through",
    "causal_mask",
    lambda right: lambda length, *args: np.ones((length, length), dtype=bool),
    module="attention",
)
_ONE_LOSS = Counterfeit(
    "one loss for all methods and lengths",
    target="pe_course.claims.lab_rows:loss",
    broken=lambda right: lambda method, multiple: 1.0,
)

CLAIMS: list[Claim] = [
    Claim(
        id="L-044",
        claim="LLaMA, PaLM and GLM-130B use RoPE.",
        verdict="true",
        holds="They do. GPT-J rotates 64 of the 256 channels of a head, GPT-NeoX a quarter of them.",
        evidence="source",
        digest=("S2-12",),
        references=("touvron2023llama", "chowdhery2023palm", "zeng2023glm", "wang2021gptj", "black2022gptneox"),
        why_no_check="A fact about published models; their reports say so.",
    ),
    Claim(
        id="L-045",
        claim="RoPE looks for functions f and g with f(q, m)·f(k, n) = g(q, k, m − n).",
        verdict="true",
        holds="It does; the requirement is equation 11 of the paper. For a random query and key the score at "
        "positions 5 and 3 is {score_5_3:.6f}, and at 105 and 103 {score_105_103:.6f}. Over 50 shifts of up to 4900 "
        "positions it changes by less than 1e-12.",
        evidence="numeric",
        digest=("S2-13",),
        references=("su2021roformer",),
        measure=score_depends_on_the_distance,
        decides=lambda m: (
            m["largest_deviation_over_50_shifts"] < 1e-12
            and near([m["score_5_3"], m["score_105_103"]], 0.921950107, 1e-8)
            and near(m["score_3_5"], 2.901430819, 1e-8)
        ),
        counterfeits=(_SQUARED_POSITIONS, _CLOCKWISE, _ADDED),
    ),
    Claim(
        id="L-046",
        claim="Re[q e^(imθ) · conj(k e^(inθ))] = Re[q conj(k) e^(i(m−n)θ)].",
        verdict="true",
        holds="It is, and e^(imθ) turns counter-clockwise: (1, 0) becomes ({one_turned_by_1[0]:.6f}, "
        "{one_turned_by_1[1]:.6f}). With q = 1 and k = i the score at distance 1 is sin 1 = {q_1_k_i_distance_1:.6f}.",
        evidence="algebraic",
        digest=("S2-14",),
        references=("su2021roformer",),
        measure=complex_identity,
        decides=lambda m: (
            near(m["left_hand_5_3"], m["right_hand_5_3"])
            and near(m["one_turned_by_1"], [np.cos(1), np.sin(1)])
            and near(m["q_1_k_i_distance_1"], np.sin(1))
            and near(m["q_1_k_i_distance_minus_1"], -np.sin(1))
            and near(m["q_1_k_i_distance_0"], 0)
            and near(m["q_1_k_1_distance_1_and_minus_1"], np.cos(1))
        ),
        counterfeits=(_ROTARY_CLOCKWISE, _CLOCKWISE),
    ),
    Claim(
        id="L-047",
        claim="For d dimensions: form pairs, rotate every pair, put them together again.",
        verdict="imprecise",
        holds="Every pair needs a frequency of its own. With one common frequency the score of equal vectors is back "
        "at {common_frequency_share_at_44:.6f} of its maximum at distance 44 and at "
        "{common_frequency_share_at_710:.9f} at 710; with RoPE's frequencies it is "
        "{proper_frequencies_share_at_44:.4f} and {proper_frequencies_share_at_710:.4f}. Two layouts of the pairs "
        "exist. They are one method up to a reordering of channels, but must not be mixed: with an interleaved query "
        "and a half-split key the scores at (5, 3) and (105, 103) are {mixed_layouts_5_3:.4f} and "
        "{mixed_layouts_105_103:.4f}.",
        evidence="numeric",
        digest=("S2-15",),
        references=("su2021roformer",),
        measure=one_frequency_for_all_pairs,
        decides=lambda m: (
            near(m["common_frequency_share_at_44"], np.cos(44))
            and near(m["common_frequency_share_at_710"], np.cos(710))
            and near(m["proper_frequencies_share_at_44"], 0.598432, 1e-6)
            and near(m["proper_frequencies_share_at_710"], 0.168104, 1e-6)
            and m["layout_equivalence_error"] < 1e-12
            and near(m["mixed_layouts_5_3"], 3.5623, 5e-5)
            and near(m["mixed_layouts_105_103"], -4.0470, 5e-5)
        ),
        counterfeits=(_ALWAYS_HALF, _ONE_FREQUENCY),
    ),
    Claim(
        id="L-048",
        claim="RoPE does not change the computation of attention.",
        verdict="true with conditions",
        holds="Products, softmax and values stay as they are, and no vector changes its length. But queries and keys "
        "are rotated in every layer and head, and a cache must hold each key with its own rotation, while each new "
        "query gets its true position. Put the new query at position 0 and the output is off by "
        "{decode_error_if_the_new_query_stands_at_0:.4f} in this draw.",
        evidence="numeric",
        digest=("S2-16",),
        references=("su2021roformer",),
        measure=attention_around_it,
        decides=lambda m: (
            max(m["largest_change_of_norm"], m["layout_equivalence_error"], m["decode_error"]) < 1e-12
            and m["largest_change_of_equal_values"] < 1e-12
            and near(m["decode_error_if_the_new_query_stands_at_0"], 0.600156, 1e-6)
        ),
        counterfeits=(_STRETCHED, _ADDED, _NOT_AT_ALL),
    ),
    Claim(
        id="L-049",
        claim="RoPE extrapolates well, far beyond the training length.",
        verdict="wrong",
        holds="The score depends on the distance, but unseen distances are unseen angles in the slow pairs: "
        "{pairs_without_a_turn_in_2048} of {pairs} pairs of a head of 128 finish no turn in 2048 tokens, "
        "{pairs_without_a_turn_in_4096} in 4096. In the lab's text runs the loss is {rope_at_training_length:.2f} "
        "nats at the training length, {rope_at_2_times:.2f} at twice, {rope_at_4_times:.2f} at four times and "
        "{rope_at_16_times:.2f} at 16 times as many tokens, where no positions at all give "
        "{no_positions_at_16_times:.2f}. The interpolation paper reports catastrophic scores, YaRN's authors that no "
        "popular encoding generalises far. RoPE with rescaled frequencies does, usually after a little more training.",
        evidence="experiment",
        digest=("S2-16", "S2-25", "S3-46"),
        references=("chen2023extending", "peng2024yarn", "liu2024scaling", "press2022train"),
        measure=rope_on_longer_text,
        decides=lambda m: (
            m["rope_at_4_times"] > m["rope_at_training_length"] + 0.3
            and m["rope_at_16_times"] > m["no_positions_at_16_times"] + 0.3
            and (m["pairs_without_a_turn_in_2048"], m["pairs_without_a_turn_in_4096"], m["pairs"]) == (23, 18, 64)
        ),
        counterfeits=(_ONE_LOSS, _HALF_EXPONENT),
        note=f"{lab_rows.PROVENANCE} The abstract of the RoFormer paper speaks of flexibility to any sequence length.",
    ),
    Claim(
        id="L-065",
        claim="RoPE rotates the token embedding.",
        verdict="wrong",
        holds="It rotates queries and keys, after their matrices, per head and in every layer. Embeddings and values "
        "stay as they are. Then the score at positions 5, 3 and 105, 103 is {queries_and_keys_rotated_5_3:.4f} and "
        "{queries_and_keys_rotated_105_103:.4f} in this draw. Rotate the embeddings instead and it is "
        "{embeddings_rotated_5_3:.4f} and {embeddings_rotated_105_103:.4f}.",
        evidence="algebraic",
        digest=("S3-05", "S3-44"),
        references=("su2021roformer",),
        measure=what_is_rotated,
        decides=lambda m: (
            near(m["queries_and_keys_rotated_5_3"], m["queries_and_keys_rotated_105_103"])
            and near(m["queries_and_keys_rotated_5_3"], -9.564140, 1e-6)
            and near([m["embeddings_rotated_5_3"], m["embeddings_rotated_105_103"]], [-5.729277, -7.590228], 1e-6)
            and m["change_of_equal_values"] < 1e-12
        ),
        counterfeits=(_ADDED, _NOT_AT_ALL),
    ),
    Claim(
        id="L-066",
        claim="RoPE keeps absolute and relative properties at once.",
        verdict="imprecise",
        holds="Each query and key carries its absolute angle, but no score ever shows it: at positions 5, 3 and 105, "
        "103 the score is {score_5_3:.5f} both times. Six identical tokens get one and the same output at every "
        "position. Absolute positions can enter through a mask together with a token that differs, such as the first "
        "({spread_rope_with_another_first_token:.4f} between the outputs in this draw), not through RoPE itself; with "
        "sinusoids it is {spread_sinusoidal:.4f} without one.",
        evidence="numeric",
        digest=("S3-05",),
        references=("su2021roformer", "luo2022your"),
        measure=absolute_positions_in_the_output,
        decides=lambda m: (
            near(m["score_5_3"], 0.921950107, 1e-8)
            and near(m["score_105_103"], m["score_5_3"])
            and m["spread_rope"] < 1e-12
            and near([m["spread_rope_with_another_first_token"], m["spread_sinusoidal"]], [0.417430, 0.797249], 1e-6)
            and near(m["spread_sinusoidal_without_mask_in_claim_120"], 0.047755, 1e-6)
        ),
        counterfeits=(_ADDED, _CLOCKWISE, _SQUARED_POSITIONS),
    ),
    Claim(
        id="L-073",
        claim="RoPE makes the inner product decay naturally with the distance.",
        verdict="wrong",
        holds="What tends to fall is an upper bound, and that rises in {share_of_steps_where_the_bound_increases:.3f} "
        "of all steps, too. For equal vectors of ones the score falls with many waves, to "
        "{equal_vectors_at_1_10_100_1000[0]:.4f}, {equal_vectors_at_1_10_100_1000[1]:.4f}, "
        "{equal_vectors_at_1_10_100_1000[2]:.4f} and {equal_vectors_at_1_10_100_1000[3]:.4f} of its maximum at 1, 10, "
        "100 and 1000; it rises for the first time after {first_increase_from}, and in "
        "{share_of_steps_that_increase:.3f} of 4096 steps. A key can be aimed at any distance: one scores "
        "{aimed_score_at_0_10_1000[0]:.2f} at 0 and {aimed_score_at_0_10_1000[2]:.2f} at {farthest_favourite}. For "
        "independent random vectors of width 64 nothing falls: the mean is 0 and the spread 8 at every distance "
        "({random_std_at_0_and_1000[0]:.2f} and {random_std_at_0_and_1000[1]:.2f} at 0 and 1000 in these draws).",
        evidence="numeric",
        digest=("S3-15", "S3-46", "S3-59"),
        references=("su2021roformer", "barbero2025round"),
        measure=decay_with_distance,
        decides=lambda m: (
            near(m["equal_vectors_at_1_10_100_1000"], [0.9702, 0.6691, 0.4772, 0.1590], 5e-5)
            and m["first_increase_from"] == 11
            and near(m["share_of_steps_that_increase"], 0.486, 5e-4)
            and m["farthest_favourite"] == 1000
            and near(m["aimed_score_at_0_10_1000"], [25.692076, 18.755604, 63.918012], 1e-6)
            and near(m["bound_at_1_10_100_1000"], [31.538166, 17.954137, 10.227330, 4.470761], 1e-6)
            and near(m["share_of_steps_where_the_bound_increases"], 0.493, 5e-4)
            and near(m["random_mean_at_0_and_1000"], 0, 0.5)
            and near(m["random_std_at_0_and_1000"], 8, 0.3)
        ),
        counterfeits=(_SCORE_DECAYS, _SCORE_CLOCKWISE, _HALF_EXPONENT),
        note="Section 3.3 of the RoFormer paper claims the decay; its section 3.4.3 proves the bound. Barbero et al. "
        "show that it does not hold in general.",
    ),
    Claim(
        id="L-079",
        claim="The product in RoPE depends on the contents and the relative position alone.",
        verdict="true",
        holds="Exactly so in real numbers, not in every format. At distance 2 and query positions 5, 105, 505 and "
        "4005 the score is {score_at_distance_2[0]:.4f} each time. With angles in bfloat16 it is "
        "{score_at_distance_2_bfloat16[0]:.4f}, {score_at_distance_2_bfloat16[1]:.4f}, "
        "{score_at_distance_2_bfloat16[2]:.4f} and {score_at_distance_2_bfloat16[3]:.4f}: position 257 becomes "
        "{position_257_in_bfloat16:.0f}, and in the end both tokens stand at the same place.",
        evidence="numeric",
        digest=("S3-20",),
        references=("su2021roformer", "han2024rope"),
        measure=angles_in_bfloat16,
        decides=lambda m: (
            near(m["score_at_distance_2"], 0.921950107, 1e-8)
            and near(m["score_at_distance_2_bfloat16"], [0.9225, 1.6024, 0.7795, 0.7795], 5e-5)
            and near(m["score_at_distance_2_bfloat16"][3], m["content_alone"])
            and m["position_257_in_bfloat16"] == 256
        ),
        counterfeits=(_SQUARED_POSITIONS, _ROTARY_CLOCKWISE),
    ),
    Claim(
        id="L-080",
        claim="An example of RoPE: word 1 turns by 15°, word 2 by 30°.",
        verdict="true with conditions",
        holds="It works for one pair: neighbours score cos 15° = {score_of_neighbours:.6f} of the maximum. But with "
        "one step of 15° the code repeats every {repeats_every} positions. Hence many frequencies: with 32 of them "
        "the score at distance 24 is {share_at_24_with_32_frequencies:.4f} of the maximum.",
        evidence="numeric",
        digest=("S3-20",),
        references=("su2021roformer",),
        measure=rotation_of_one_pair,
        decides=lambda m: (
            near(m["score_of_neighbours"], (6**0.5 + 2**0.5) / 4)
            and m["repeats_every"] == 24
            and near(m["share_at_24_with_32_frequencies"], 0.616348, 1e-6)
        ),
        counterfeits=(_SCORE_DECAYS, _FIFTEEN_DEGREES),
    ),
    Claim(
        id="L-111",
        claim="Slices 50 and 52 are treated exactly as slices 150 and 152 are: both lie 2 mm apart.",
        verdict="true",
        holds="The score is {score_52_50:.6f} both times, to within 1e-12. Two millimetres assume one slice per "
        "millimetre: what RoPE knows is the number of slices.",
        evidence="numeric",
        digest=("S3-44",),
        references=("su2021roformer",),
        measure=slices_of_a_scan,
        decides=lambda m: (
            m["difference"] < 1e-12
            and near([m["score_52_50"], m["score_152_150"]], 0.921950107, 1e-8)
            and near(m["score_50_52"], 2.901430819, 1e-8)
        ),
        counterfeits=(_SQUARED_POSITIONS, _ADDED, _CLOCKWISE),
    ),
    Claim(
        id="L-112",
        claim="A rotation preserves the norm and thus the content, better than an addition.",
        verdict="imprecise",
        holds='The norm, yes, exactly; adding a position to "am" changes it from {norm_before_addition:.6f} to '
        "{norm_after_addition:.6f}. But adding a known vector can be undone as well. And rotation hides content, too: "
        "a vector and the same vector 100 positions on have a cosine of "
        "{cosine_of_a_vector_with_itself_100_positions_on:.4f} in this draw.",
        evidence="numeric",
        digest=("S3-46",),
        references=("su2021roformer",),
        measure=norm_and_content,
        decides=lambda m: (
            m["largest_change_of_norm"] < 1e-12
            and near([m["norm_before_addition"], m["norm_after_addition"]], [1.319091, 2.616057], 1e-6)
            and m["error_after_subtracting_again"] < 1e-12
            and near(m["cosine_of_a_vector_with_itself_100_positions_on"], 0.438063, 1e-6)
        ),
        counterfeits=(_STRETCHED, _NOT_AT_ALL),
    ),
    Claim(
        id="L-113",
        claim="RoPE rotates in the space of d_model dimensions.",
        verdict="imprecise",
        holds="In the space of each head, which often has 64 or 128 channels: a head of 64 has "
        "{frequencies_of_a_head_of_64} pairs and frequencies, the same in all heads, where a width of 512 would have "
        "{frequencies_if_512_channels_were_one_space}. Some models rotate a part of the head: "
        "{rotated_channels_of_256} of 256 channels in GPT-J, and the others stay as they are.",
        evidence="numeric",
        digest=("S3-47",),
        references=("su2021roformer", "wang2021gptj"),
        measure=space_of_the_rotation,
        decides=lambda m: (
            (m["frequencies_of_a_head_of_64"], m["frequencies_if_512_channels_were_one_space"]) == (32, 256)
            and m["rotated_channels_of_256"] == m["channels_that_changed"] == 64
        ),
        counterfeits=(
            _broken(
                "a rotation of all channels",
                "apply_rope",
                lambda right: lambda x, positions, *, rotary_dim, **options: right(x, positions, **options),
            ),
            _broken(
                "a frequency for each channel",
                "rope_frequencies",
                lambda right: lambda width, **options: np.repeat(right(width), 2),
            ),
        ),
    ),
    Claim(
        id="L-118",
        claim="T5 adds to the score after it is computed, RoPE rotates before.",
        verdict="true",
        holds="It is QKᵀ + B against (RQ)(RK)ᵀ. Make the query twice as long: what T5 adds stays as it is (a factor "
        "of {t5_factor:.0f}), what RoPE changes doubles ({rope_factor:.0f}).",
        evidence="algebraic",
        digest=("S3-51",),
        references=("raffel2020exploring", "su2021roformer"),
        measure=before_or_after_the_score,
        decides=lambda m: near(m["t5_factor"], 1) and near(m["rope_factor"], 2) and near(m["rows_sum_to_one_both"], 1),
        counterfeits=(
            _broken(
                "RoPE as a bias",
                "rope_score",
                lambda right: lambda q, k, distance, *args: np.dot(q, k) + np.cos(distance),
            ),
            Counterfeit("a bias that grows with the query", {"t5_factor": 2.0}),
        ),
    ),
    Claim(
        id="L-125",
        claim="Query and key must both be rotated, each by its own position.",
        verdict="true with conditions",
        holds="That is sufficient, and it is the standard. Leaving the query as it is and rotating the key by n − m "
        "gives the same score: {both_rotated:.9f} and {key_rotated_by_n_minus_m:.9f}. But then every pair needs a "
        "rotation of its own.",
        evidence="algebraic",
        digest=("S3-55",),
        references=("su2021roformer",),
        measure=one_rotation_in_place_of_two,
        decides=lambda m: (
            near(m["both_rotated"], m["key_rotated_by_n_minus_m"])
            and near(m["both_rotated"], 0.921950107, 1e-8)
            and near([m["key_rotated_by_m_minus_n"], m["not_rotated"]], [2.901430819, 0.779496409], 1e-8)
        ),
        counterfeits=(_MATRIX_CLOCKWISE, _CLOCKWISE),
    ),
    Claim(
        id="L-126",
        claim="Rotating the key alone makes the score depend on the absolute position m of the query.",
        verdict="wrong",
        holds="The formula q·R_n k holds no m at all. It depends on the absolute position of the *key*: for a key at "
        "3 it is {m_5_n_3:.6f} with the query at 5 and {m_105_n_3:.6f} with the query at 105, for a key at 103 it is "
        "{m_105_n_103:.6f}.",
        evidence="numeric",
        digest=("S3-55",),
        measure=only_the_key_rotated,
        decides=lambda m: (
            near(m["m_5_n_3"], m["m_105_n_3"])
            and near(m["m_5_n_3"], 4.279582532, 1e-8)
            and near(m["m_105_n_103"], 7.111505329, 1e-8)
        ),
        counterfeits=(_CLOCKWISE, _NOT_AT_ALL),
    ),
    Claim(
        id="L-137",
        claim="The rotated inner product is the original one times a factor that depends on m − n.",
        verdict="wrong",
        holds="That is true of the complex product, not of its real part, which is the score. With q = (1, 0), k = "
        "(0, 1) and a quarter turn between them the original is {original_inner_product:.0f} and the rotated one "
        "{rotated_inner_product:.0f}: no factor does that. For each pair the score is |q||k| cos(φ + (m − n)θ), with "
        "φ the angle from k to q.",
        evidence="algebraic",
        digest=("S3-62",),
        references=("su2021roformer",),
        measure=factor_of_the_inner_product,
        decides=lambda m: (
            m["original_inner_product"] == 0
            and near(m["rotated_inner_product"], 1)
            and near(m["rotated_pair"], m["length_times_cosine"])
            and near(m["rotated_pair_backwards"], m["length_times_cosine_backwards"])
        ),
        counterfeits=(_SCORE_CLOCKWISE, _SCORE_SYMMETRIC, _SCORE_DECAYS),
    ),
    Claim(
        id="L-138",
        claim="RoPE is cheaper than T5's bias at inference.",
        verdict="true with conditions",
        holds="For long texts. Per head of 64 channels and layer, at 1024 tokens, rotating takes {rope_at_1024:,} "
        "operations and adding the bias {bias_at_1024:,}; they are equal at {break_even_length} tokens. For each new "
        "token of a decoder RoPE takes {rope_per_decoded_token} operations and the bias one per token so far, "
        "{bias_per_decoded_token_at_100} after 100 tokens and {bias_per_decoded_token_at_1024} after 1024, so short "
        "texts favour the bias. In training Press et al. found T5's bias at least twice as slow as sinusoids; "
        "they also quote a report of 8.7 %.",
        evidence="algebraic",
        digest=("S3-63",),
        references=("press2022train", "raffel2020exploring"),
        measure=operations_per_head,
        decides=lambda m: (
            (m["rope_at_1024"], m["bias_at_1024"]) == (393216, 1048576)
            and m["break_even_length"] == m["rope_per_decoded_token"] == 384
            and (m["bias_per_decoded_token_at_100"], m["bias_per_decoded_token_at_1024"]) == (100, 1024)
        ),
        counterfeits=(
            _broken(
                "a frequency for each channel",
                "rope_frequencies",
                lambda right: lambda width, **options: np.repeat(right(width), 2),
            ),
            Counterfeit("a bias that grows with the length alone", {"bias_at_1024": 1024}),
        ),
    ),
    Claim(
        id="L-139",
        claim="RoPE suits fused kernels such as FlashAttention better.",
        verdict="true with conditions",
        holds="True for FlashAttention-2: rotation happens before the kernel, and a T5 bias cannot be passed to it. "
        "ALiBi's slopes can, since version 2.4.0. PyTorch's scaled_dot_product_attention and FlexAttention take such "
        "biases.",
        evidence="source",
        digest=("S3-63",),
        references=("flashattention332", "flashattention661"),
        why_no_check="Which biases a kernel accepts is a fact about that library; its authors say so in the reports "
        "cited.",
    ),
    Claim(
        id="L-146",
        claim="RoPE is symmetric: with equal content the scores m → n and n → m agree.",
        verdict="wrong",
        holds="Query and key of one token come from two matrices, so RoPE sees direction. With q = (1, 0), k = (0, 1) "
        "and θ = 1 the scores forward and backward are {pair_forward:.6f} and {pair_backward:.6f}; for two equal "
        "tokens and random matrices they are {equal_tokens_7_to_4:.6f} and {equal_tokens_4_to_7:.6f}. They agree when "
        "q and k point the same way, as with one matrix for both: {tied_7_to_4:.6f} and {tied_4_to_7:.6f}.",
        evidence="algebraic",
        digest=("S3-67",),
        references=("su2021roformer",),
        measure=direction,
        decides=lambda m: (
            near([m["pair_forward"], m["pair_without_rotation"], m["pair_backward"]], [np.sin(1), 0, -np.sin(1)])
            and near([m["tied_pair_forward"], m["tied_pair_backward"]], np.cos(1))
            and near([m["equal_tokens_7_to_4"], m["equal_tokens_4_to_7"]], [-1.095439, -0.475909], 1e-6)
            and near([m["tied_7_to_4"], m["tied_4_to_7"]], 12.763268, 1e-6)
        ),
        counterfeits=(_SCORE_SYMMETRIC, _SCORE_CLOCKWISE, _NOT_AT_ALL),
    ),
    Claim(
        id="L-148",
        claim="Rotating both sides by m, (R_m q)·(R_m k), brings absolute positions back.",
        verdict="wrong",
        holds="It removes *all* positions: the two rotations cancel. The score is {both_by_5:.9f} at m = 5, "
        "{both_by_999:.9f} at m = 999, and {content_alone:.9f} without any rotation. With each side rotated by its "
        "own position, 5 and 3, it is {each_by_its_own_5_3:.9f}.",
        evidence="algebraic",
        digest=("S3-68",),
        references=("su2021roformer",),
        measure=same_rotation_on_both_sides,
        decides=lambda m: (
            near([m["both_by_5"], m["both_by_999"]], m["content_alone"])
            and near(m["content_alone"], 0.779496409, 1e-8)
            and near([m["each_by_its_own_5_3"], m["each_by_its_own_3_5"]], [0.921950107, 2.901430819], 1e-8)
        ),
        counterfeits=(_STRETCHED, _ADDED, _NOT_AT_ALL, _CLOCKWISE),
    ),
    Claim(
        id="L-149",
        claim="Rotating the key by the distance, q·(R_(m−n) k), brings absolute positions back.",
        verdict="wrong",
        holds="It depends on m − n alone: {key_by_m_minus_n_5_3:.6f} at (5, 3) and at (105, 103). That is RoPE with "
        "the direction turned round, the score at (3, 5), {rope_3_5:.6f}. With R_(n−m) it is RoPE itself, "
        "{key_by_n_minus_m:.6f}. What does bring absolute positions in is a key rotated by −n, which gives m + n: "
        "{key_by_minus_n_5_3:.6f} at (5, 3) and (6, 2), {key_by_minus_n_105_103:.6f} at (105, 103). Others are one "
        "side alone, an offset lost with a cache, mixed layouts, and angles in bfloat16.",
        evidence="algebraic",
        digest=("S3-68",),
        references=("su2021roformer", "han2024rope"),
        measure=one_rotation_by_the_distance,
        decides=lambda m: (
            near([m["rope_5_3"], m["key_by_n_minus_m"]], 0.921950107, 1e-8)
            and near([m["key_by_m_minus_n_5_3"], m["key_by_m_minus_n_105_103"], m["rope_3_5"]], 2.901430819, 1e-8)
            and near([m["key_by_minus_n_5_3"], m["key_by_minus_n_6_2"]], 3.363424460, 1e-8)
            and near(m["key_by_minus_n_105_103"], -8.487770214, 1e-8)
            and near([m["key_alone_5_3"], m["key_alone_105_103"]], [4.279582532, 7.111505329], 1e-8)
        ),
        counterfeits=(_MATRIX_CLOCKWISE, _CLOCKWISE, _SQUARED_POSITIONS),
    ),
]
