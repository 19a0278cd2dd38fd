"""What one position vector says of another: steps, products and sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pe_course.claims.absolute.shared import (
    COSINE_FIRST,
    FROM_ONE,
    INTEGER_DIVISION,
    NO_POSITIONS,
    SQUARED,
    TO_ENDPOINT,
    of_rows,
    rows,
)
from pe_course.claims.attention import largest, order_enters_anywhere, order_through_three_places, six_tokens
from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.claims.judge import near
from pe_course.reference import absolute, attention, bias

CLAIMS: list[Claim] = []
E_I, E_AM = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.5, 0.6, 0.7, 0.8])


def steps_as_matrices() -> Measured:
    """How well one matrix per step leads from row to row: sinusoids of width 64, and a table before training."""
    errors = []
    for k in (1, 2, 17, 200):
        matrix = absolute.sinusoidal_shift_matrix(k, 64)
        for p in (0, 3, 57, 300):
            here, there = absolute.sinusoidal_positions([p, p + k], 64)
            errors.append(largest(matrix @ here - there))
    table = np.random.default_rng(0).standard_normal((512, 8))
    best, *_ = np.linalg.lstsq(table[:-2], table[2:], rcond=None)
    return {
        "largest_error": max(errors),
        "two_steps_at_width_2": absolute.sinusoidal_shift_matrix(2, 2),
        "cosines_in_two_steps_at_width_4": np.diag(absolute.sinusoidal_shift_matrix(2, 4))[::2],
        "unexplained_by_a_matrix_in_a_random_table": np.var(table[2:] - table[:-2] @ best) / np.var(table[2:]),
    }


def steps_are_matrices(m: Measured) -> bool:
    two_steps = [[round(entry, 6) for entry in row] for row in m["two_steps_at_width_2"]]
    return (
        m["largest_error"] < 1e-12
        and two_steps == [[-0.416147, 0.909297], [-0.909297, -0.416147]]
        and near(m["cosines_in_two_steps_at_width_4"], [np.cos(2), np.cos(2 / 100)])
    )


WRONG_WAY = Counterfeit(
    "the matrix steps backwards",
    target="pe_course.reference.absolute:sinusoidal_shift_matrix",
    broken=lambda right: lambda offset, dim: right(-offset, dim),
)


HALF_BLOCKS = Counterfeit(
    "a matrix for the other order of columns",
    target="pe_course.reference.absolute:sinusoidal_shift_matrix",
    broken=lambda right: lambda offset, dim: right(offset, dim, layout="concat"),
)


CLAIMS.append(
    Claim(
        id="L-003",
        claim="Absolute position vectors are independent of each other: from the 3rd nothing follows about the 5th.",
        verdict="wrong",
        holds="Sinusoids are tied together: one matrix M_k leads from any position to the one k steps on, wherever "
        "you start. The claim fits a learned table before training, where no matrix does: the best one leaves "
        "{unexplained_by_a_matrix_in_a_random_table:.0%} of the variance unexplained.",
        evidence="algebraic",
        digest=("S1-05",),
        references=("vaswani2017attention",),
        measure=steps_as_matrices,
        decides=lambda m: steps_are_matrices(m) and round(m["unexplained_by_a_matrix_in_a_random_table"], 2) == 0.98,
        counterfeits=(WRONG_WAY, HALF_BLOCKS, COSINE_FIRST),
    )
)


def inner_products_by_distance() -> Measured:
    """Shares of the maximum, and the distance after which each width's inner product rises for the first time."""
    distances, widths = [1, 2, 5, 10, 50, 100, 1000], (4, 64, 128, 512)
    curves = {dim: absolute.sinusoidal_kernel(np.arange(61), dim) for dim in widths}
    return {
        "share_at_width_512": absolute.sinusoidal_kernel(distances, 512) / 256,
        "share_at_width_4_distance_6": absolute.sinusoidal_kernel(6, 4) / 2,
        "smallest_share_at_width_4_up_to_distance_60": curves[4].min() / 2,
        "first_rise_after": [np.argmax(np.diff(curves[dim]) > 0) for dim in widths],
        **products_between_random_matrices(),
    }


def products_between_random_matrices() -> Measured:
    """200 draws of W_q and W_k with standard normal entries, seed 0: where does position 64 of 128 look most?"""
    table = rows(128, 128)
    draws = np.random.default_rng(0)
    hits = 0
    for _ in range(200):
        to_query, to_key = draws.standard_normal((2, 128, 128))
        scores = (table @ to_key) @ (table[64] @ to_query)
        hits += int(scores.argmax() == 64)
    return {
        "inner_product_largest_at_distance_0": bool((table @ table[64]).argmax() == 64),
        "draws_with_maximum_at_distance_0": hits,
        "share_of_draws_with_maximum_at_distance_0": hits / 200,
    }


def random_matrices_hide_distance(m: Measured) -> bool:
    return m["inner_product_largest_at_distance_0"] and m["draws_with_maximum_at_distance_0"] == 1


IDENTITY_BETWEEN = Counterfeit("draws in which the maximum stays", {"draws_with_maximum_at_distance_0": 200})


CLAIMS.append(
    Claim(
        id="L-035",
        claim="The inner product of two position vectors decays as their distance grows.",
        verdict="imprecise",
        holds="It is largest at distance 0 and tends to fall, but not steadily: at width 512 it rises for the first "
        "time after distance {first_rise_after[3]}, at width 64 after {first_rise_after[1]}. At width 4 it is back at "
        "{share_at_width_4_distance_6:.4f} of the maximum at distance 6, and further on it turns negative. Between "
        "random W_q and W_k the tendency is gone: {draws_with_maximum_at_distance_0} of 200 draws had the maximum at "
        "distance 0.",
        evidence="numeric",
        digest=("S2-07", "S2-28"),
        references=("yan2019tener",),
        measure=inner_products_by_distance,
        decides=lambda m: (
            m["first_rise_after"] == [3, 5, 11, 43]
            and round(m["share_at_width_4_distance_6"], 4) == 0.9792
            and near(m["share_at_width_512"], [0.97306, 0.90521, 0.74061, 0.67887, 0.51207, 0.43731, 0.17567], 1e-5)
            and near(m["smallest_share_at_width_4_up_to_distance_60"], -0.063539, 1e-6)
            and random_matrices_hide_distance(m)
        ),
        counterfeits=(TO_ENDPOINT, SQUARED, IDENTITY_BETWEEN),
        note="W_q and W_k have standard normal entries, drawn together from seed 0; query position 64 of 128, width "
        "128.",
    )
)


CLAIMS.append(
    Claim(
        id="L-076",
        claim="Positional encoding injects position into the model's input, combined with the token embedding.",
        verdict="imprecise",
        holds="That is one of three places. Rotary embeddings turn queries and keys, T5 and ALiBi add to the score, "
        "and order shows there as well: when two tokens swap places, the average output changes by "
        "{query_and_key:.4f} and {score:.4f} without any change of the input.",
        evidence="numeric",
        digest=("S3-17",),
        references=("dufter2022position", "su2021roformer", "press2022train", "raffel2020exploring"),
        measure=order_through_three_places,
        decides=lambda m: order_enters_anywhere(m),
        counterfeits=(
            NO_POSITIONS,
            Counterfeit(
                "a rotation of nothing",
                target="pe_course.reference.rotary:apply_rope",
                broken=lambda right: lambda x, positions: x,
            ),
        ),
    )
)


CLAIMS.append(
    Claim(
        id="L-081",
        claim="For a fixed step k, PE(p + k) is a fixed linear function of PE(p).",
        verdict="true",
        holds="Correct: M_k is made of rotations by k times each frequency, the same for every p, and exact up to "
        "rounding. (The lecture's analogy of beds says elsewhere that this is impossible for its bed codes, which are "
        "these vectors.)",
        evidence="algebraic",
        digest=("S3-21", "S3-36", "S3-48", "S3-61"),
        references=("vaswani2017attention",),
        measure=steps_as_matrices,
        decides=steps_are_matrices,
        counterfeits=(WRONG_WAY, HALF_BLOCKS, COSINE_FIRST),
    )
)


CLAIMS.append(
    Claim(
        id="L-082",
        claim="Because of the linear map, a model can learn to use relative positions.",
        verdict="true with conditions",
        holds="It can, but nothing forces it. A score has W_q and W_k between the two vectors, and with random "
        "matrices the distance is no longer visible: {draws_with_maximum_at_distance_0} of 200 draws had its largest "
        "score at distance 0. Training has to find matrices that keep it.",
        evidence="numeric",
        digest=("S3-21",),
        references=("yan2019tener", "vaswani2017attention"),
        measure=products_between_random_matrices,
        decides=random_matrices_hide_distance,
        counterfeits=(
            IDENTITY_BETWEEN,
            of_rows(
                "rows that have nothing in common",
                lambda right: lambda p, dim, **o: right(p, dim, **o) - right(p, dim, **o)[64] * 1.5,
            ),
        ),
        note="W_q and W_k have standard normal entries, drawn together from seed 0; query position 64 of 128, width "
        "128.",
    )
)


def two_words_of_width_4() -> Measured:
    pe = rows(2, 4)
    stranger = E_AM + pe[1] - pe[0]
    return {
        "row_0": pe[0],
        "row_1": pe[1],
        "i_at_0": E_I + pe[0],
        "am_at_1": E_AM + pe[1],
        "sum_of_i_am": (E_I + pe[0]) + (E_AM + pe[1]),
        "sum_of_am_i": (E_AM + pe[0]) + (E_I + pe[1]),
        "change_of_i_with_its_place": largest(pe[1] - pe[0]),
        "stranger": stranger,
        "stranger_at_0_against_am_at_1": largest((stranger + pe[0]) - (E_AM + pe[1])),
    }


CLAIMS.append(
    Claim(
        id="L-097",
        claim="At width 4, PE(1) is about [.84, .54, .01, 1.00], and the sums are [.1, 1.2, .3, 1.4] and [1.34, 1.14, "
        ".71, 1.8].",
        verdict="true",
        holds="Correct: PE(1) is {row_1[0]:.4f}, {row_1[1]:.4f}, {row_1[2]:.4f}, {row_1[3]:.4f}; the second sum is "
        "{am_at_1[0]:.4f}, {am_at_1[1]:.4f}, {am_at_1[2]:.4f}, {am_at_1[3]:.4f}.",
        evidence="numeric",
        digest=("S3-29",),
        measure=two_words_of_width_4,
        decides=lambda m: (
            m["row_0"] == [0, 1, 0, 1]
            and near(m["row_1"], [np.sin(1), np.cos(1), np.sin(0.01), np.cos(0.01)])
            and [round(x, 6) for x in m["i_at_0"]] == [0.1, 1.2, 0.3, 1.4]
            and [round(x, 6) for x in m["am_at_1"]] == [1.341471, 1.140302, 0.71, 1.79995]
        ),
        counterfeits=(COSINE_FIRST, TO_ENDPOINT, FROM_ONE),
    )
)


def cosine(a: NDArray, b: NDArray) -> float:
    return a @ b / np.sqrt((a @ a) * (b @ b))


def cosines_of_neighbours() -> Measured:
    return {"width_4": cosine(*rows(2, 4)), "width_512": cosine(*rows(2, 512))}


CLAIMS.append(
    Claim(
        id="L-098",
        claim="The position vectors of the two words are completely different.",
        verdict="imprecise",
        holds="Neighbours are similar, and that is a virtue: the cosine of PE(0) and PE(1) is {width_4:.4f} at width "
        "4 and {width_512:.4f} at width 512.",
        evidence="numeric",
        digest=("S3-29",),
        measure=cosines_of_neighbours,
        decides=lambda m: (round(m["width_4"], 4), round(m["width_512"], 4)) == (0.7701, 0.9731),
        counterfeits=(TO_ENDPOINT, SQUARED, INTEGER_DIVISION),
    )
)


CLAIMS.append(
    Claim(
        id="L-099",
        claim="After adding the position vectors the order is distinguishable.",
        verdict="true with conditions",
        holds="Each word's input changes with its place. But the sum of all inputs is the same for both orders, "
        "[{sum_of_i_am[0]:.4f}, {sum_of_i_am[1]:.4f}, {sum_of_i_am[2]:.4f}, {sum_of_i_am[3]:.4f}]: order shows only "
        "after words have met. And content can imitate position: the embedding [{stranger[0]:.4f}, {stranger[1]:.4f}, "
        "{stranger[2]:.4f}, {stranger[3]:.4f}] at position 0 enters exactly as 'am' does at position 1.",
        evidence="numeric",
        digest=("S3-29",),
        references=("vaswani2017attention",),
        measure=two_words_of_width_4,
        decides=lambda m: (
            np.allclose(m["sum_of_i_am"], m["sum_of_am_i"], rtol=0, atol=1e-12)
            and m["stranger_at_0_against_am_at_1"] < 1e-12
            and near(m["change_of_i_with_its_place"], np.sin(1))
            and near(m["sum_of_i_am"], [1.441471, 2.340302, 1.01, 3.19995], 1e-6)
            and [round(x, 4) for x in m["stranger"]] == [1.3415, 0.1403, 0.71, 0.8]
        ),
        counterfeits=(NO_POSITIONS, COSINE_FIRST, TO_ENDPOINT),
    )
)


def bounded_and_linear() -> Measured:
    a, b = 0.7, 1.9
    turn = absolute.sinusoidal_shift_matrix(b, 2)
    return {
        "largest_value": largest(rows(1024, 512)),
        "error_of_the_angle_sum": largest(turn @ [np.sin(a), np.cos(a)] - [np.sin(a + b), np.cos(a + b)]),
        **steps_as_matrices(),
    }


CLAIMS.append(
    Claim(
        id="L-114",
        claim="Thanks to periodicity sinusoids stay within −1 and 1, and positions are linearly related.",
        verdict="imprecise",
        holds="The values are bounded because sine and cosine are; the linear map is the angle-sum identity. "
        "Periodicity is needed for neither, and as a whole the vector must not repeat: two positions would collide.",
        evidence="algebraic",
        digest=("S3-48",),
        references=("vaswani2017attention",),
        measure=bounded_and_linear,
        decides=lambda m: m["largest_value"] <= 1 and m["error_of_the_angle_sum"] < 1e-12 and steps_are_matrices(m),
        counterfeits=(WRONG_WAY, HALF_BLOCKS),
    )
)


def sequence_of_one_token() -> Measured:
    """Largest difference between the outputs of any two of six equal tokens, by how order enters."""
    x, layer = six_tokens()
    equal, places, mask = np.tile(x[0], (6, 1)), np.arange(6), attention.causal_mask(6)
    outputs = {
        "no_positions_causal": layer(equal, mask=mask),
        "rope_causal": layer(equal, rotate_to=places, mask=mask),
        "symmetric_bias": layer(equal, bias=bias.linear_distance_bias(places[:, None] - places)),
        "sinusoids": layer(equal + rows(6, 8)),
        "start_token_causal": layer(np.concatenate([x[1:2], equal[1:]]), mask=mask),
    }
    return {name: np.ptp(output, axis=0).max() for name, output in outputs.items()}


CLAIMS.append(
    Claim(
        id="L-120",
        claim="Absolute encoding signals the start of a sequence directly; RoPE and relative methods do not.",
        verdict="true with conditions",
        holds="In a sequence of equal tokens every method that acts on scores, with a causal mask or without, gives "
        "all positions one output, because an average of equal values is that value. Added sinusoids tell positions "
        "apart (by up to {sinusoids:.4f} here). So does a start token at the front ({start_token_causal:.4f}, without "
        "any positions).",
        evidence="numeric",
        digest=("S3-52",),
        references=("luo2022your",),
        measure=sequence_of_one_token,
        decides=lambda m: (
            max(m["no_positions_causal"], m["rope_causal"], m["symmetric_bias"]) < 1e-12
            and (round(m["sinusoids"], 4), round(m["start_token_causal"], 4)) == (0.0478, 0.9362)
        ),
        counterfeits=(
            NO_POSITIONS,
            Counterfeit(
                "values rotated as well",
                target="pe_course.reference.attention:attention",
                broken=lambda right: lambda q, k, v, **o: right(q, k, v * np.cos(np.arange(len(v)))[:, None], **o),
            ),
            Counterfeit(
                "weights that are not normalised",
                target="pe_course.reference.attention:attention",
                broken=lambda right: (
                    lambda q, k, v, mask=None, **o: right(q, k, v, mask=mask, **o) * (np.arange(len(v)) + 1)[:, None]
                ),
            ),
        ),
    )
)
