"""The formula of the sinusoids, the code that computes it and the table it makes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pe_course.claims.absolute.relations import E_AM
from pe_course.claims.absolute.shared import (
    COSINE_FIRST,
    DENOMINATOR,
    FROM_ONE,
    NO_POSITIONS,
    SLOW_FIRST,
    SQUARED,
    TO_ENDPOINT,
    of_frequencies,
    of_rows,
    raises,
    rows,
)
from pe_course.claims.attention import largest
from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.reference import absolute

CLAIMS: list[Claim] = []


CLAIMS.append(
    Claim(
        id="L-029",
        claim="Absolute encoding adds to x_k a vector p_k that depends on k alone; it is either trained or sinusoidal.",
        verdict="true",
        holds="Correct for the additive family. There are others: vectors from a differential equation (FLOATER), "
        "products in place of sums, recurrences.",
        evidence="source",
        digest=("S2-04",),
        references=("vaswani2017attention", "dufter2022position"),
        why_no_check="The claim says which methods exist; the survey lists them.",
    )
)


def row_by_the_formula() -> Measured:
    """Row 1 at width 4, and rows of width 512 against the formula written out with scalars."""
    p, d = 37, 512
    by_hand = [f(p / 10000 ** (2 * m / d)) for m in range(d // 2) for f in (np.sin, np.cos)]
    return {
        "row_1_at_width_4": absolute.sinusoidal_positions(1, 4),
        "difference_from_the_formula": largest(absolute.sinusoidal_positions(p, d) - by_hand),
    }


CLAIMS.append(
    Claim(
        id="L-032",
        claim="PE(p, 2i) = sin(p / 10000^(2i/d)) and PE(p, 2i+1) = cos of the same.",
        verdict="true",
        holds="Correct. Position 1 at width 4 is {row_1_at_width_4[0]:.6f}, {row_1_at_width_4[1]:.6f}, "
        "{row_1_at_width_4[2]:.6f}, {row_1_at_width_4[3]:.6f}.",
        evidence="source",
        digest=("S2-06",),
        references=("vaswani2017attention",),
        measure=row_by_the_formula,
        decides=lambda m: (
            m["difference_from_the_formula"] < 1e-12
            and [round(x, 6) for x in m["row_1_at_width_4"]] == [0.841471, 0.540302, 0.01, 0.99995]
        ),
        counterfeits=(COSINE_FIRST, TO_ENDPOINT, SQUARED, FROM_ONE),
    )
)


ONE_FREQUENCY_PER_CHANNEL = of_frequencies(
    "one frequency per channel", lambda right: lambda dim, **o: np.repeat(right(dim, **o), 2)
)


ONE_FREQUENCY_TOO_MANY = of_frequencies(
    "one pair too many", lambda right: lambda dim, **o: np.append(right(dim, **o), 1e-4)
)


def pairs_of_width_512() -> Measured:
    pairs = absolute.sinusoidal_frequencies(512).size
    return {
        "pairs": pairs,
        "last_pair": pairs - 1,
        "channels_of_the_last_pair": [2 * pairs - 2, 2 * pairs - 1],
        "channel_of_pair_256": 2 * 256,
    }


CLAIMS.append(
    Claim(
        id="L-033",
        claim="The i in the exponent is the dimension index.",
        verdict="imprecise",
        holds="It numbers pairs, from 0 to d/2 − 1: for width 512 there are {pairs} of them, and pair i fills the "
        "channels 2i and 2i + 1. The paper itself words it loosely.",
        evidence="numeric",
        digest=("S2-06", "S3-24"),
        references=("vaswani2017attention",),
        measure=pairs_of_width_512,
        decides=lambda m: (m["pairs"], m["last_pair"]) == (256, 255) and m["channels_of_the_last_pair"] == [510, 511],
        counterfeits=(ONE_FREQUENCY_PER_CHANNEL, ONE_FREQUENCY_TOO_MANY),
    )
)


def sine_and_cosine() -> Measured:
    angles = np.linspace(-20, 20, 4001)
    waves = absolute.sinusoidal_positions(angles, 2)
    return {
        "sine_at_0": absolute.sinusoidal_positions(0, 2)[0],
        "cosine_at_0": absolute.sinusoidal_positions(0, 2)[1],
        "sine_and_cosine_at_a_quarter_turn": absolute.sinusoidal_positions(np.pi / 2, 2),
        "largest_value": largest(waves),
        "change_after_2_pi": largest(absolute.sinusoidal_positions(angles + 2 * np.pi, 2) - waves),
    }


CLAIMS.append(
    Claim(
        id="L-074",
        claim="The sine starts at 0 and the cosine at 1; both are periodic and stay within −1 and 1.",
        verdict="true",
        holds="Correct: at 0 they are {sine_at_0:.0f} and {cosine_at_0:.0f}. (The right-angled triangle defines them "
        "for acute angles only.)",
        evidence="algebraic",
        digest=("S3-16",),
        measure=sine_and_cosine,
        decides=lambda m: (
            (m["sine_at_0"], m["cosine_at_0"]) == (0, 1)
            and np.allclose(m["sine_and_cosine_at_a_quarter_turn"], [1, 0], rtol=0, atol=1e-12)
            and 0.999 < m["largest_value"] <= 1
            and m["change_after_2_pi"] < 1e-12
        ),
        counterfeits=(COSINE_FIRST, FROM_ONE),
    )
)


CLAIMS.append(
    Claim(
        id="L-085",
        claim="Positional encoding acts at the input only, before the stacks of layers.",
        verdict="true",
        holds="True of the Transformer of 2017, encoder and decoder. RoPE, T5 and ALiBi act in every layer.",
        evidence="source",
        digest=("S3-23",),
        references=("vaswani2017attention",),
        why_no_check="The claim describes the drawing of one model; its paper shows it.",
    )
)


CLAIMS.append(
    Claim(
        id="L-086",
        claim="The lecture's diagram shows the encoder layer.",
        verdict="imprecise",
        holds="It draws no residual connections, so that each 'add and norm' has one input, and it places the "
        "embeddings inside the layer, where they do not belong.",
        evidence="source",
        digest=("S3-23",),
        references=("vaswani2017attention",),
        why_no_check="The claim is about a drawing; the paper's figure 1 is the original.",
    )
)


def four_words_of_width_512() -> Measured:
    embeddings, positions = np.zeros((4, 512)), rows(4, 512)
    return {
        "shape_of_embeddings": embeddings.shape,
        "shape_of_positions": positions.shape,
        "shape_of_sum": (embeddings + positions).shape,
    }


CLAIMS.append(
    Claim(
        id="L-087",
        claim="For 4 tokens and width 512 both matrices, of embeddings and of positions, are (4, 512).",
        verdict="true",
        holds="Correct: the position matrix is ({shape_of_positions[0]}, {shape_of_positions[1]}).",
        evidence="numeric",
        digest=("S3-24",),
        references=("vaswani2017attention",),
        measure=four_words_of_width_512,
        decides=lambda m: m["shape_of_embeddings"] == m["shape_of_positions"] == m["shape_of_sum"] == [4, 512],
        counterfeits=(of_rows("sines without cosines", lambda right: lambda p, dim: right(p, dim)[..., :1]),),
    )
)


def embeddings_beside_positions() -> Measured:
    size = np.linalg.norm(np.random.default_rng(0).standard_normal((4, 512))[0] / np.sqrt(512))
    return {
        "length_of_positions": np.linalg.norm(absolute.sinusoidal_positions([0, 3, 300, 5000], 512), axis=1),
        "length_of_an_embedding": size,
        "length_times_sqrt_512": size * np.sqrt(512),
        "twice_am_plus_row_1": 2 * E_AM + absolute.sinusoidal_positions(1, 4),
    }


CLAIMS.append(
    Claim(
        id="L-088",
        claim="Embeddings and position vectors are simply added.",
        verdict="imprecise",
        holds="The original model multiplies the embeddings by √D_model first and applies dropout to the sum. A "
        "position vector of width 512 has length {length_of_positions[0]:.0f} at every position; an embedding of "
        "length {length_of_an_embedding:.2f} beside it would be drowned, scaled it has {length_times_sqrt_512:.2f}.",
        evidence="numeric",
        digest=("S3-24",),
        references=("vaswani2017attention",),
        measure=embeddings_beside_positions,
        decides=lambda m: (
            np.allclose(m["length_of_positions"], 16, rtol=0, atol=1e-12)
            and [round(x, 6) for x in m["twice_am_plus_row_1"]] == [1.841471, 1.740302, 1.41, 2.59995]
            and (round(m["length_of_an_embedding"], 4), round(m["length_times_sqrt_512"], 4)) == (1.01, 22.8527)
        ),
        counterfeits=(SLOW_FIRST, NO_POSITIONS),
    )
)


CLAIMS.append(
    Claim(
        id="L-089",
        claim="The index i runs over 0, 1, …, d/2.",
        verdict="wrong",
        holds="It ends at d/2 − 1: for width 512 at {last_pair}, which fills the channels "
        "{channels_of_the_last_pair[0]} and {channels_of_the_last_pair[1]}. A pair 256 would need channel "
        "{channel_of_pair_256}, which does not exist. Of the lecture's three ranges, 0 to 511, 0 to d/2 and 0 to d/2 "
        "− 1, the third is right.",
        evidence="numeric",
        digest=("S3-25",),
        references=("vaswani2017attention",),
        measure=pairs_of_width_512,
        decides=lambda m: (
            (m["pairs"], m["last_pair"], m["channel_of_pair_256"]) == (256, 255, 512)
            and m["channels_of_the_last_pair"] == [510, 511]
        ),
        counterfeits=(ONE_FREQUENCY_PER_CHANNEL, ONE_FREQUENCY_TOO_MANY),
    )
)


def lecture_frequencies(dim: int, dtype: type = np.float64) -> NDArray:
    """The lecture's way: the exponential of a logarithm."""
    return np.exp(np.arange(0, dim, 2, dtype=dtype) * dtype(-np.log(10000.0) / dim))


def lecture_table(length: int, dim: int) -> NDArray:
    """The lecture's NumPy function, which claims L-090 and L-092 are about."""
    table = np.zeros((length, dim))
    angles = np.arange(length)[:, None] * lecture_frequencies(dim)
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


def table_of_the_lecture() -> Measured:
    table = lecture_table(100, 512)
    return {"shape": table.shape, "difference_from_the_package": largest(table - rows(100, 512))}


CLAIMS.append(
    Claim(
        id="L-090",
        claim="The lecture's NumPy function returns an array (100, 512) for 100 positions and width 512.",
        verdict="true",
        holds="It runs as printed, returns ({shape[0]}, {shape[1]}) and agrees with this package.",
        evidence="numeric",
        digest=("S3-26",),
        measure=table_of_the_lecture,
        decides=lambda m: m["shape"] == [100, 512] and m["difference_from_the_package"] < 1e-11,
        counterfeits=(SLOW_FIRST, COSINE_FIRST, TO_ENDPOINT),
    )
)


def frequency_and_denominator() -> Measured:
    frequencies = absolute.sinusoidal_frequencies(512)
    denominators = 10000.0 ** (2 * np.arange(256) / 512)
    shown = [0, 1, 255]
    return {
        "frequencies": frequencies[shown],
        "denominators": denominators[shown],
        "products": (frequencies * denominators)[shown],
    }


CLAIMS.append(
    Claim(
        id="L-091",
        claim="The variable div_term is the denominator 10000^(2i/d).",
        verdict="wrong",
        holds="It is one over the denominator, the frequency, and the code multiplies by it: for width 512 the pairs "
        "0, 1 and 255 have {frequencies[0]:.6f}, {frequencies[1]:.6f} and {frequencies[2]:.6f}, where the "
        "denominators are {denominators[0]:.4f}, {denominators[1]:.4f} and {denominators[2]:.4f}.",
        evidence="numeric",
        digest=("S3-26",),
        references=("vaswani2017attention",),
        measure=frequency_and_denominator,
        decides=lambda m: (
            [round(f, 9) for f in m["frequencies"]] == [1, 0.964661620, 0.000103663]
            and [round(d, 4) for d in m["denominators"]] == [1, 1.0366, 9646.6162]
            and np.allclose(m["products"], 1, rtol=0, atol=1e-12)
        ),
        counterfeits=(DENOMINATOR, TO_ENDPOINT, SLOW_FIRST),
    )
)


def odd_width() -> Measured:
    return {
        "lecture_function_fails": raises(ValueError, lecture_table, 4, 5),
        "package_refuses": raises(ValueError, rows, 4, 5),
        "width_6_works": lecture_table(4, 6).shape == rows(4, 6).shape,
    }


CLAIMS.append(
    Claim(
        id="L-092",
        claim="The lecture's function works for any width.",
        verdict="imprecise",
        holds="For even widths only: channels come in pairs. At width 5 the bare function fails with a message about "
        "shapes; the package names the argument.",
        evidence="numeric",
        digest=("S3-26",),
        measure=odd_width,
        decides=lambda m: m["lecture_function_fails"] and m["package_refuses"] and m["width_6_works"],
        counterfeits=(
            of_rows(
                "odd widths get a column of zeros, as in fairseq",
                lambda right: lambda p, dim: np.pad(right(p, dim - dim % 2), [(0, 0), (0, dim % 2)]),
            ),
            Counterfeit(
                "a function that drops the surplus cosine",
                target="pe_course.claims.absolute.sinusoids:lecture_table",
                broken=lambda right: lambda length, dim: right(length, dim + dim % 2)[:, :dim],
            ),
        ),
    )
)


def logarithm_or_power() -> Measured:
    """Largest relative errors of the two ways to compute the frequencies at width 512, in both precisions."""
    exact = absolute.sinusoidal_frequencies(512)
    single = np.arange(0, 512, 2, dtype=np.float32)
    power_single = 1 / np.float32(10000.0) ** (single / np.float32(512))
    negative_power_single = np.float32(10000.0) ** (-single / np.float32(512))
    return {
        "float64_difference": largest(lecture_frequencies(512) / exact - 1),
        "float32_error_by_logarithm": largest(lecture_frequencies(512, np.float32) / exact - 1),
        "float32_error_by_power": largest(power_single / exact - 1),
        "float32_error_by_negative_power": largest(negative_power_single / exact - 1),
        "smallest_frequency": exact.min(),
    }


CLAIMS.append(
    Claim(
        id="L-093",
        claim="Computing the frequencies as the exponential of a logarithm is numerically more stable than the power.",
        verdict="wrong",
        holds="There is no stability to gain: all values lie between 0.0001 and 1. In double precision both ways "
        "agree to 1e-14. In single precision the detour over the logarithm is the less accurate one (relative error "
        "{float32_error_by_logarithm:.8f} against {float32_error_by_power:.8f}), and both are fine.",
        evidence="numeric",
        digest=("S3-27",),
        measure=logarithm_or_power,
        decides=lambda m: (
            m["float64_difference"] < 1e-14
            and m["float32_error_by_logarithm"] < 1e-6
            and m["float32_error_by_logarithm"] > 2 * m["float32_error_by_power"]
            and m["float32_error_by_logarithm"] > 2 * m["float32_error_by_negative_power"]
            and m["smallest_frequency"] > 1e-4
        ),
        counterfeits=(
            TO_ENDPOINT,
            Counterfeit("a power that is as inaccurate as the logarithm", {"float32_error_by_power": 5.8e-7}),
        ),
    )
)


def denominators_in_the_sketch() -> Measured:
    denominators = 1 / absolute.sinusoidal_frequencies(512)
    tenth = np.abs(denominators - 10).argmin()
    return {
        "channels_2_3": denominators[1],
        "channels_510_511": denominators[255],
        "power_0_99": 10000**0.99,
        "pair_with_denominator_10": tenth,
        "its_denominator": denominators[tenth],
        "at_width_8": 1 / absolute.sinusoidal_frequencies(8),
    }


CLAIMS.append(
    Claim(
        id="L-095",
        claim="At width 512, channels 2 and 3 divide by 10, and the last two by 10000^0.99 (marked as illustrative).",
        verdict="imprecise",
        holds="They divide by {channels_2_3:.6f} and by {channels_510_511:.1f} (10000^0.99 is {power_0_99:.1f}). The "
        "denominator 10 belongs to pair {pair_with_denominator_10}, the channels 128 and 129. The sketch is exact for "
        "width 8: {at_width_8[0]:.0f}, {at_width_8[1]:.0f}, {at_width_8[2]:.0f}, {at_width_8[3]:.0f}.",
        evidence="numeric",
        digest=("S3-28",),
        references=("vaswani2017attention",),
        measure=denominators_in_the_sketch,
        decides=lambda m: (
            (round(m["channels_2_3"], 6), round(m["channels_510_511"], 3)) == (1.036633, 9646.616)
            and (m["pair_with_denominator_10"], round(m["its_denominator"], 9)) == (64, 10)
            and round(m["power_0_99"], 3) == 9120.108
            and [round(value, 6) for value in m["at_width_8"]] == [1, 10, 100, 1000]
        ),
        counterfeits=(SLOW_FIRST, TO_ENDPOINT, SQUARED),
    )
)


def batch_plus_table() -> Measured:
    batch, table = np.zeros((3, 20, 512)), rows(100, 512)
    return {"shape_per_sequence": table[:20].shape, "shape_of_batch_plus_rows": (batch + table[:20]).shape}


CLAIMS.append(
    Claim(
        id="L-096",
        claim="The position matrix has the same shape as the token embeddings.",
        verdict="true",
        holds="Per sequence: the table is cut to the length of the text, here ({shape_per_sequence[0]}, "
        "{shape_per_sequence[1]}), and shared by all sequences of a batch, ({shape_of_batch_plus_rows[0]}, "
        "{shape_of_batch_plus_rows[1]}, {shape_of_batch_plus_rows[2]}).",
        evidence="numeric",
        digest=("S3-28",),
        measure=batch_plus_table,
        decides=lambda m: m["shape_per_sequence"] == [20, 512] and m["shape_of_batch_plus_rows"] == [3, 20, 512],
        counterfeits=(of_rows("one row for all positions", lambda right: lambda p, dim: right(p, dim)[:1]),),
    )
)


def both_loop_orders() -> Measured:
    length, dim = 5, 8
    frequencies = absolute.sinusoidal_frequencies(dim)
    tables = np.zeros((2, length, dim))
    for p in range(length):
        for m in range(dim // 2):
            tables[0, p, 2 * m : 2 * m + 2] = np.sin(p * frequencies[m]), np.cos(p * frequencies[m])
    for m in range(dim // 2):
        for p in range(length):
            tables[1, p, 2 * m : 2 * m + 2] = np.sin(p * frequencies[m]), np.cos(p * frequencies[m])
    return {
        "difference_of_the_loops": largest(tables[0] - tables[1]),
        "difference_from_the_package": largest(tables[0] - rows(length, dim)),
    }


CLAIMS.append(
    Claim(
        id="L-127",
        claim="The position runs from 0 to max_len − 1 and i from 0 to d/2 − 1, with positions in the outer loop.",
        verdict="true",
        holds="The ranges are right. Which loop is outside makes no difference: both give the same table.",
        evidence="numeric",
        digest=("S3-56",),
        measure=both_loop_orders,
        decides=lambda m: m["difference_of_the_loops"] == 0 and m["difference_from_the_package"] < 1e-12,
        counterfeits=(FROM_ONE, COSINE_FIRST),
    )
)


def row_of_position_0() -> Measured:
    row = absolute.sinusoidal_positions(0, 512)
    return {
        "row_0_at_width_8": absolute.sinusoidal_positions(0, 8),
        "ones_at_width_512": (row == 1).sum(),
        "zeros_at_width_512": (row == 0).sum(),
        "length_at_width_512": np.linalg.norm(row),
        "row_0_with_position_and_pair_swapped": np.ravel(absolute.sinusoidal_positions(range(4), 2)),
    }


CLAIMS.append(
    Claim(
        id="L-128",
        claim="A test for bugs: the row of position 0 must be all zeros, since sin 0 = 0.",
        verdict="wrong",
        holds="Half of it are ones, because cos 0 = 1: {ones_at_width_512} of 512 channels. The right test is 0, 1, "
        "0, 1, …, and length {length_at_width_512:.0f} in every row of width 512. With position and pair swapped the "
        "row would be {row_0_with_position_and_pair_swapped[0]:.0f}, {row_0_with_position_and_pair_swapped[1]:.0f}, "
        "{row_0_with_position_and_pair_swapped[2]:.4f}, {row_0_with_position_and_pair_swapped[3]:.4f}, ….",
        evidence="numeric",
        digest=("S3-56",),
        references=("vaswani2017attention",),
        measure=row_of_position_0,
        decides=lambda m: (
            m["row_0_at_width_8"] == [0, 1] * 4
            and (m["ones_at_width_512"], m["zeros_at_width_512"]) == (256, 256)
            and [round(x, 4) for x in m["row_0_with_position_and_pair_swapped"]]
            == [0, 1, 0.8415, 0.5403, 0.9093, -0.4161, 0.1411, -0.99]
            and abs(m["length_at_width_512"] - 16) < 1e-12
        ),
        counterfeits=(NO_POSITIONS, COSINE_FIRST, FROM_ONE),
    )
)


CLAIMS.append(
    Claim(
        id="L-152",
        claim="Positional encoding is section 3.5 of 'Attention Is All You Need' (2017).",
        verdict="true",
        holds="Correct.",
        evidence="source",
        digest=("S3-71",),
        references=("vaswani2017attention",),
        why_no_check="A reference; the paper's own table of contents decides it.",
    )
)
