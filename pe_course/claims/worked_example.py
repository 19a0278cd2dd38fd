"""The lecture's example with three words: rebuilt, computed to the last digit, and asked what it shows.

Its matrices were pictures and are lost. What it printed fixes the scores S and the values V; X and the projections
below are a reconstruction that gives exactly these two.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations, product

import numpy as np
from numpy.typing import NDArray

from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.claims.judge import near
from pe_course.reference import attention, bias

X = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]])
W_Q = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 0, 0]])
W_K = np.array([[1, 1, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1]])
W_V = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1]])
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
S = Q @ K.T

DISTANCE = np.arange(3)[:, None] - np.arange(3)

PRINTED_BIAS = [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]
PRINTED_SCORES_WITH_BIAS = [[1, 4.5, 2], [2.5, 3, 2.5], [1, 3.5, 3]]
PRINTED_WEIGHTS = [[0.0271, 0.899, 0.0738], [0.274, 0.452, 0.274], [0.0486, 0.592, 0.359]]
PRINTED_SUMS = [100.124, 44.449, 55.918]
PRINTED_OUTPUT = [["1", "0.9728", "0.9261"], ["1", "0.726", "0.726"], ["1", "0.951", "0.6406"]]


def example_bias() -> NDArray[np.float64]:
    return bias.linear_distance_bias(DISTANCE, 0.5)


def example_weights() -> NDArray[np.float64]:
    return attention.softmax(S + example_bias())


def example_output() -> NDArray[np.float64]:
    return attention.attention(Q, K, V, bias=example_bias(), scale=1.0)


# What survives, and what follows from it


def reconstruction() -> Measured:
    """S and V from the printed numbers alone, and all 0/1 matrices that give them."""
    solved = np.linalg.solve(example_weights(), np.array(PRINTED_OUTPUT, dtype=float))
    per_matrix = [(matrices, factorisations) for matrices, factorisations in _zero_one_solutions() if factorisations]
    return {
        "queries": Q,
        "keys": K,
        "scores": S,
        "values": V,
        "scores_from_printed_rows": PRINTED_SCORES_WITH_BIAS - example_bias(),
        "values_from_printed_output": np.rint(solved),
        "largest_rounding_of_values": np.abs(solved - np.rint(solved)).max(),
        "rank_of_scores": np.linalg.matrix_rank(S),
        "matrices_x": sum(matrices for matrices, _ in per_matrix),
        "matrices_x_up_to_feature_order": len(per_matrix),
        "factorisations_per_x": [factorisations for _, factorisations in per_matrix],
        "combinations": sum(matrices * factorisations for matrices, factorisations in per_matrix),
    }


def _zero_one_solutions() -> list[tuple[int, int]]:
    """For each 0/1 matrix X of three words and four features, up to the order of the features: how many orders it
    has, and how many ways there are to write S as three head columns q kᵀ with q = X w, k = X w', w and w' of 0/1.

    The order of the features changes X, but not which columns X w can be. So 330 cases stand for all 4,096.
    """
    solutions = []
    for features in combinations_with_replacement(list(product((0, 1), repeat=3)), 4):
        x = np.array(features).T
        columns = {tuple(x @ w) for w in product((0, 1), repeat=4)}
        if {tuple(column) for column in V.T} <= columns:
            solutions.append((len(set(permutations(features))), _ways_to_write_scores(columns)))
    return solutions


def _ways_to_write_scores(columns: set[tuple[int, ...]]) -> int:
    """In how many ways three of the products q kᵀ sum to S, whatever their order."""
    place = 16 ** np.arange(9)  # a product as one number: entries stay below 16, so sums never carry
    pairs = [np.outer(q, k) for q in columns for k in columns if any(q) and any(k)]
    codes = np.array([pair.ravel() @ place for pair in pairs if (pair <= S).all()], dtype=np.int64)
    rest = S.ravel() @ place - codes[:, None] - codes[None, :]
    first, second = np.nonzero(np.isin(rest, codes))
    index = {code: [] for code in codes}
    for position, code in enumerate(codes):
        index[code].append(position)
    found = {tuple(sorted((i, j, k))) for i, j in zip(first, second, strict=True) for k in index[rest[i, j]]}
    return len(found)


def bias_table() -> Measured:
    return {"bias": example_bias() + 0.0}  # + 0 turns −0 into 0


# The printed numbers


def row_of_the_example(row: int) -> Measured:
    """Exponentials, their sum and the weights of one row, and what its printed weights sum to."""
    exponentials = np.exp(S[row] + example_bias()[row])
    return {
        "exponentials": exponentials,
        "sum": exponentials.sum(),
        "weights": example_weights()[row],
        "printed_weights_sum": sum(PRINTED_WEIGHTS[row]),
    }


def weights_as_printed(measured: Measured, row: int) -> bool:
    return all(
        round(exact, _decimals(printed)) == printed
        for exact, printed in zip(measured["weights"], PRINTED_WEIGHTS[row], strict=True)
    )


def sum_is_off(measured: Measured, row: int) -> bool:
    """The printed sum is below the rounded one, by no more than cutting off three exponentials can explain."""
    return 0 < round(measured["sum"], 3) - PRINTED_SUMS[row] < 0.003


def exponential_of_three() -> Measured:
    return {"e_cubed": np.exp(S[1, 1] + example_bias()[1, 1])}


def output_digits() -> Measured:
    output = example_output()
    wrong = [
        [row, column]
        for row, column in product(range(3), repeat=2)
        if round(output[row, column], _decimals(PRINTED_OUTPUT[row][column])) != float(PRINTED_OUTPUT[row][column])
    ]
    from_rounded = np.array(PRINTED_WEIGHTS) @ V
    return {"output": output, "wrong_entries": wrong, "output_from_rounded_weights": from_rounded}


def _decimals(printed: float | str) -> int:
    return len(str(printed).partition(".")[2])


# What the example shows


def bias_or_content() -> Measured:
    """Weights without and with the bias, and a slope that would be steep enough to change row 0."""
    steeper = attention.softmax(S + bias.linear_distance_bias(DISTANCE, float(S[0, 1] - S[0, 0])))
    without, with_bias = attention.softmax(S), example_weights()
    return {
        "row_0_without_bias": without[0],
        "row_0_with_bias": with_bias[0],
        "row_1_without_bias": without[1],
        "row_1_with_bias": with_bias[1],
        "row_2_without_bias": without[2],
        "row_2_with_bias": with_bias[2],
        "added_to_weight_of_word_1": with_bias[0, 1] - without[0, 1],
        "weight_of_nearest_word": with_bias[0, 0],
        "slope_at_which_words_0_and_1_tie": S[0, 1] - S[0, 0],
        "row_0_at_that_slope": steeper[0],
    }


def table_in_place_of_the_function() -> Measured:
    """The same output from three numbers in a table, and from the sentence read backwards."""
    table = np.array([0.0, -0.5, -1.0])
    output = example_output()
    from_table = attention.attention(Q, K, V, bias=table[np.abs(DISTANCE)], scale=1.0)
    backwards = attention.attention(Q[::-1], K[::-1], V[::-1], bias=example_bias(), scale=1.0)
    return {
        "output": output,
        "largest_difference_with_table": np.abs(output - from_table).max(),
        "distances_in_the_example": len(table),
        "largest_difference_backwards": np.abs(backwards[::-1] - output).max(),
    }


def with_the_usual_scale() -> Measured:
    """The weights when S is divided by √3, before or after the bias is added."""
    root = np.sqrt(K.shape[1])
    return {
        "weights_unscaled": example_weights(),
        "weights_bias_after_scale": attention.attention_weights(Q, K, bias=example_bias()),
        "weights_bias_before_scale": attention.attention_weights(Q, K, bias=example_bias() / root),
        "row_0_unscaled": example_weights()[0],
        "row_0_bias_after_scale": attention.softmax(S / root + example_bias())[0],
        "row_0_bias_before_scale": attention.softmax((S + example_bias()) / root)[0],
    }


_SQUARED = Counterfeit(
    "a bias with the squared distance",
    target="pe_course.reference.bias:linear_distance_bias",
    broken=lambda right: lambda distance, slope=0.5: right(np.square(distance), slope),
)
_STEEPER = Counterfeit(
    "a bias twice as steep",
    target="pe_course.reference.bias:linear_distance_bias",
    broken=lambda right: lambda distance, slope=0.5: right(distance, 2 * slope),
)
_BASE_TWO = Counterfeit(
    "a softmax with powers of two",
    target="pe_course.reference.attention:softmax",
    broken=lambda right: lambda scores, **options: right(np.log(2) * np.asarray(scores), **options),
)
_ALWAYS_SCALED = Counterfeit(
    "attention that divides by the root of the width whatever the scale",
    target="pe_course.reference.attention:attention",
    broken=lambda right: lambda q, k, v, **options: right(q, k, v, **{**options, "scale": None}),
)
_BIAS_BEFORE_SCALE = Counterfeit(
    "a bias that is divided by the root of the width too",
    target="pe_course.reference.attention:attention_weights",
    broken=lambda right: lambda q, k, *, bias: right(q, k, bias=bias / np.sqrt(np.shape(q)[-1])),
)

CLAIMS: list[Claim] = [
    Claim(
        id="L-013",
        claim="The example of three words, with X of shape 3 × 4 and whole-number projections of shape 4 × 3, can be "
        "computed.",
        verdict="true",
        holds="Its matrices are lost, but its printed numbers fix two of them: S = {scores} and V = {values}. X and "
        "the projections are not fixed. With entries 0 and 1 there are {combinations} ways to get S and V, counted up "
        "to the order of the three head columns, over {matrices_x} matrices X that differ in the order of their "
        "features alone. S has rank {rank_of_scores}.",
        evidence="algebraic",
        digest=("S1-15",),
        measure=reconstruction,
        decides=lambda m: (
            m["scores"] == m["scores_from_printed_rows"] == [[1, 5, 3], [3, 3, 3], [2, 4, 3]]
            and m["values"] == m["values_from_printed_output"] == [[1, 0, 1], [1, 1, 1], [1, 1, 0]]
            and m["largest_rounding_of_values"] < 0.01
            and m["rank_of_scores"] == 2
            and np.array_equal(np.array(m["queries"]) @ np.transpose(m["keys"]), m["scores"])
            and (m["matrices_x"], m["factorisations_per_x"], m["combinations"]) == (24, [7], 168)
            and m["matrices_x_up_to_feature_order"] == 1
        ),
        counterfeits=(_STEEPER, Counterfeit("another number of solutions", {"combinations": 24})),
        note="The search covers all 4,096 matrices X of zeros and ones, and zeros and ones in every projection.",
    ),
    Claim(
        id="L-014",
        claim="A bias of −0.5 times |i − j| gives the nine numbers that the lecture lists.",
        verdict="true",
        holds="It does: {bias}.",
        evidence="numeric",
        digest=("S1-16",),
        measure=bias_table,
        decides=lambda m: m["bias"] == PRINTED_BIAS,
        counterfeits=(_SQUARED, _STEEPER),
    ),
    Claim(
        id="L-015",
        claim="Row 0 has the weights 0.0271, 0.899 and 0.0738; its exponentials sum to 100.124.",
        verdict="true",
        holds="To full precision the weights are {weights[0]:.9f}, {weights[1]:.9f} and {weights[2]:.9f}, and the sum "
        "is {sum:.6f}. All printed digits are right.",
        evidence="numeric",
        digest=("S1-18",),
        measure=lambda: row_of_the_example(0),
        decides=lambda m: (
            weights_as_printed(m, 0)
            and round(m["sum"], 3) == PRINTED_SUMS[0]
            and near(m["exponentials"], np.exp([1.0, 4.5, 2.0]))
        ),
        counterfeits=(_SQUARED, _BASE_TWO),
    ),
    Claim(
        id="L-016",
        claim="Row 1 has the exponentials 12.182, 20.085 and 12.182, which sum to 44.449, and the weights 0.274, "
        "0.452, 0.274.",
        verdict="imprecise",
        holds="The weights are right: {weights[0]:.6f}, {weights[1]:.6f}, {weights[2]:.6f}. The middle exponential is "
        "{exponentials[1]:.6f}, so it was cut off, not rounded, and the sum is {sum:.6f}, which rounds to {sum:.3f}.",
        evidence="numeric",
        digest=("S1-18",),
        measure=lambda: row_of_the_example(1),
        decides=lambda m: (
            weights_as_printed(m, 1) and sum_is_off(m, 1) and near(m["exponentials"], np.exp([2.5, 3.0, 2.5]))
        ),
        counterfeits=(_STEEPER, _BASE_TWO, Counterfeit("the printed sum", {"sum": 44.449})),
    ),
    Claim(
        id="L-017",
        claim="Row 2 has exponentials that sum to 55.918, and the weights 0.0486, 0.592 and 0.359.",
        verdict="imprecise",
        holds="The weights are right: {weights[0]:.6f}, {weights[1]:.6f}, {weights[2]:.6f}. The sum is {sum:.6f}, "
        "which rounds to {sum:.3f}. Weights cut to the printed digits sum to {printed_weights_sum:.4f}, not to 1.",
        evidence="numeric",
        digest=("S1-18",),
        measure=lambda: row_of_the_example(2),
        decides=lambda m: (
            weights_as_printed(m, 2)
            and sum_is_off(m, 2)
            and near(m["exponentials"], np.exp([1.0, 3.5, 3.0]))
            and near(m["printed_weights_sum"], 0.9996)
        ),
        counterfeits=(_SQUARED, _BASE_TWO, Counterfeit("the printed sum", {"sum": 55.918})),
    ),
    Claim(
        id="L-018",
        claim="e³ is about 20.085.",
        verdict="imprecise",
        holds="e³ is {e_cubed:.7f}, which rounds to {e_cubed:.3f}; the lecture cut the number off.",
        evidence="numeric",
        digest=("S1-18",),
        measure=exponential_of_three,
        decides=lambda m: near(m["e_cubed"], np.e**3) and round(m["e_cubed"], 3) == 20.086,
        counterfeits=(
            Counterfeit("the printed value", {"e_cubed": 20.085}),
            Counterfeit(
                "a bias that is not 0 at distance 0",
                target="pe_course.reference.bias:linear_distance_bias",
                broken=lambda right: lambda distance, slope=0.5: right(distance, slope) - slope,
            ),
        ),
    ),
    Claim(
        id="L-019",
        claim="The output is [[1, 0.9728, 0.9261], [1, 0.726, 0.726], [1, 0.951, 0.6406]].",
        verdict="imprecise",
        holds="Three entries are wrong in the fourth decimal, because rounded weights were multiplied. To full "
        "precision they are {output[0][1]:.6f}, {output[0][2]:.6f} and {output[2][2]:.6f}. The others are right.",
        evidence="numeric",
        digest=("S1-19",),
        measure=output_digits,
        decides=lambda m: (
            m["wrong_entries"] == [[0, 1], [0, 2], [2, 2]]
            and near(m["output"], m["output_from_rounded_weights"], 5e-4)
            and near([row[0] for row in m["output"]], 1.0)
        ),
        counterfeits=(_STEEPER, _ALWAYS_SCALED),
    ),
    Claim(
        id="L-020",
        claim="Thanks to the bias near words get larger weights: word 0 gives word 1 the weight 0.899.",
        verdict="wrong",
        holds="That weight is due to content, S₀₁ = 5. Without the bias it is {row_0_without_bias[1]:.4f} already; "
        "the bias adds {added_to_weight_of_word_1:.4f}. The nearest word in this row is word 0 itself, and it gets "
        "the least, {weight_of_nearest_word:.4f}. Only row 1, with three equal scores, shows the bias alone: "
        "{row_1_without_bias[0]:.4f} each without it, {row_1_with_bias[0]:.4f}, {row_1_with_bias[1]:.4f} and "
        "{row_1_with_bias[2]:.4f} with it.",
        evidence="numeric",
        digest=("S1-20",),
        measure=bias_or_content,
        decides=lambda m: (
            near(m["row_0_without_bias"], [0.015876, 0.866813, 0.117310], 1e-6)
            and near(m["row_0_with_bias"], [0.027149, 0.899052, 0.073799], 1e-6)
            and m["weight_of_nearest_word"] == min(m["row_0_with_bias"])
            and m["added_to_weight_of_word_1"] < 0.1 * m["row_0_without_bias"][1]
            and near(m["row_1_without_bias"], 1 / 3)
            and near(m["row_1_with_bias"], [0.274069, 0.451863, 0.274069], 1e-6)
            and near(m["row_2_without_bias"], [0.090031, 0.665241, 0.244728], 1e-6)
            and near(m["row_2_with_bias"], [0.048611, 0.592201, 0.359188], 1e-6)
            and near(m["row_0_at_that_slope"], [0.499381, 0.499381, 0.001238], 1e-6)
            and m["slope_at_which_words_0_and_1_tie"] == 4
            and near(m["row_0_at_that_slope"][0], m["row_0_at_that_slope"][1])
        ),
        counterfeits=(_STEEPER, _BASE_TWO),
    ),
    Claim(
        id="L-021",
        claim="The output shows that the method generalises better to long sequences than no positions or distances "
        "in bins.",
        verdict="wrong",
        holds="Three words have {distances_in_the_example} distances, 0 to 2. A table with three entries gives the "
        "same output: the largest difference is {largest_difference_with_table:.4f}. Nothing in it says anything "
        "about long sequences. Read backwards, the sentence gives the same output backwards, too.",
        evidence="algebraic",
        digest=("S1-20",),
        measure=table_in_place_of_the_function,
        decides=lambda m: (
            m["largest_difference_with_table"] == 0
            and m["distances_in_the_example"] == 3
            and m["largest_difference_backwards"] < 1e-12
            and near([row[1] for row in m["output"]], [0.972851, 0.725931, 0.951389], 1e-6)
        ),
        counterfeits=(
            _SQUARED,
            Counterfeit(
                "a bias of the signed distance",
                target="pe_course.reference.bias:linear_distance_bias",
                broken=lambda right: lambda distance, slope=0.5: -slope * np.asarray(distance, dtype=float),
            ),
        ),
    ),
    Claim(
        id="L-022",
        claim="The score S = QKᵀ, not divided by anything, is the standard forward pass.",
        verdict="imprecise",
        holds="The standard divides by the root of the head width, here √3. Row 0 of the weights then is "
        "{row_0_bias_after_scale[0]:.4f}, {row_0_bias_after_scale[1]:.4f}, {row_0_bias_after_scale[2]:.4f}, and "
        "{row_0_bias_before_scale[0]:.4f}, {row_0_bias_before_scale[1]:.4f}, {row_0_bias_before_scale[2]:.4f} if the "
        "bias is divided too. ALiBi divides the scores and adds its bias afterwards; T5 does not divide at all.",
        evidence="numeric",
        digest=("S1-15",),
        references=("vaswani2017attention", "raffel2020exploring", "press2022train"),
        measure=with_the_usual_scale,
        decides=lambda m: (
            near(m["weights_unscaled"][0], m["row_0_unscaled"])
            and near(m["weights_bias_after_scale"][0], m["row_0_bias_after_scale"])
            and near(m["weights_bias_before_scale"][0], m["row_0_bias_before_scale"])
            and near(m["row_0_bias_after_scale"], [0.120859, 0.738061, 0.141080], 1e-6)
            and near(m["row_0_bias_before_scale"], [0.096851, 0.730626, 0.172523], 1e-6)
            and near(m["row_0_unscaled"], [0.027149, 0.899052, 0.073799], 1e-6)
        ),
        counterfeits=(_BIAS_BEFORE_SCALE, _BASE_TWO),
    ),
]
