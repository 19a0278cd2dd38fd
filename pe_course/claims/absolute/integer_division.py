"""The mistake of Python 2: an exponent by integer division, its symptom and what it leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pe_course.claims.absolute.shared import COSINE_FIRST, NO_POSITIONS, SINES_ONLY, rows
from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.reference import absolute, attention

CLAIMS: list[Claim] = []


def exponent(pair: int, dim: int) -> float:
    """2i/d with the integer division of Python 2."""
    return 2 * pair // dim


def exponents_by_integer_division() -> Measured:
    return {
        "different_exponents": sorted({exponent(pair, 512) for pair in range(256)}),
        "exponent_of_pair_256_which_is_none": exponent(256, 512),
    }


CLAIMS.append(
    Claim(
        id="L-134",
        claim="With integer division the exponent 2i/d is 0 most of the time.",
        verdict="imprecise",
        holds="Always, not mostly: 2i is at most d − 2, so that the quotient is {different_exponents[0]} for each of "
        "the 256 pairs.",
        evidence="numeric",
        digest=("S3-60",),
        measure=exponents_by_integer_division,
        decides=lambda m: (m["different_exponents"], m["exponent_of_pair_256_which_is_none"]) == ([0], 1),
        counterfeits=(
            Counterfeit(
                "true division",
                target="pe_course.claims.absolute.integer_division:exponent",
                broken=lambda right: lambda pair, dim: 2 * pair / dim,
            ),
            Counterfeit(
                "pairs counted to d",
                target="pe_course.claims.absolute.integer_division:exponent",
                broken=lambda right: lambda pair, dim: right(2 * pair, dim),
            ),
        ),
    )
)


def rows_by_integer_division(length: int, dim: int) -> NDArray:
    """All exponents 0, so that every pair turns at the speed of the first."""
    return np.tile(rows(length, 2), dim // 2)


def symptom_of_integer_division() -> Measured:
    table = rows_by_integer_division(512, 512)
    gaps = np.abs(table[:, 0] - table[:, 1])
    return {
        "different_values_per_row": max(len(np.unique(row)) for row in table),
        "row_1": table[1, :2],
        "row_2": table[2, :2],
        "row_3": table[3, :2],
        "row_4": table[4, :2],
        "row_22": table[22, :2],
        "mean_gap_of_sine_and_cosine": gaps.mean(),
        "share_of_gaps_above_one_half": (gaps > 0.5).mean(),
    }


CLAIMS.append(
    Claim(
        id="L-135",
        claim="With integer division all entries at a fixed position are almost the same.",
        verdict="wrong",
        holds="Two values alternate, the sine and the cosine of the position: {row_1[0]:.4f} and {row_1[1]:.4f} at "
        "position 1, {row_3[0]:.4f} and {row_3[1]:.4f} at position 3. Over 512 positions they are "
        "{mean_gap_of_sine_and_cosine:.4f} apart on average, and more than one half in "
        "{share_of_gaps_above_one_half:.0%} of the rows. The symptom to look for is one pair repeated d/2 times.",
        evidence="numeric",
        digest=("S3-60", "S3-70"),
        measure=symptom_of_integer_division,
        decides=lambda m: (
            m["different_values_per_row"] == 2
            and [round(x, 4) for x in m["row_1"] + m["row_3"]] == [0.8415, 0.5403, 0.1411, -0.99]
            and [round(x, 4) for x in m["row_2"] + m["row_4"] + m["row_22"]]
            == [0.9093, -0.4161, -0.7568, -0.6536, -0.0089, -1.0]
            and round(m["mean_gap_of_sine_and_cosine"], 4) == 0.9003
            and round(m["share_of_gaps_above_one_half"], 2) == 0.77
        ),
        counterfeits=(
            COSINE_FIRST,
            Counterfeit(
                "exponents that differ after all",
                target="pe_course.claims.absolute.integer_division:rows_by_integer_division",
                broken=lambda right: rows,
            ),
            SINES_ONLY,
        ),
    )
)


def accuracy_of_a_probe(table: NDArray) -> float:
    """Trains the query of one head to look at position 5 of 16; how often does it report the token there?

    Keys are the position vectors alone, tokens are 0 … 3 at random, and the head reports the token with most weight.
    """
    query = np.zeros(table.shape[1])
    for _ in range(400):
        query += table[5] - attention.softmax(table @ query) @ table  # the gradient of the log weight at position 5
    tokens = np.random.default_rng(0).integers(0, 4, (4000, 16))
    reported = (attention.softmax(table @ query)[:, None] * np.eye(4)[tokens]).sum(axis=1).argmax(axis=1)
    return (reported == tokens[:, 5]).mean()


def what_integer_division_leaves() -> Measured:
    table = rows_by_integer_division(512, 2)
    gaps = np.linalg.norm(table[1:] - table[0], axis=1)
    far = absolute.sinusoidal_positions([0, 710], 2)
    return {
        "different_rows_of_512": len(np.unique(table.round(6), axis=0)),
        "smallest_gap_in_one_pair": gaps.min(),
        "at_offset": gaps.argmin() + 1,
        "gap_at_offset_44": gaps[43],
        "gap_at_offset_710": np.linalg.norm(far[1] - far[0]),
        "probe_with_sinusoids": accuracy_of_a_probe(rows(16, 32)),
        "probe_with_integer_division": accuracy_of_a_probe(rows_by_integer_division(16, 32)),
        "probe_without_positions": accuracy_of_a_probe(np.zeros((16, 32))),
    }


CLAIMS.append(
    Claim(
        id="L-136",
        claim="With integer division the model cannot learn anything.",
        verdict="wrong",
        holds="Sine and cosine of the position still differ for every whole position: {different_rows_of_512} "
        "different rows of 512, but badly spread (the closest, {at_offset} apart, differ by "
        "{smallest_gap_in_one_pair:.4f} in a pair; rows 710 apart by {gap_at_offset_710:.6f}). A one-head probe that "
        "learns to report the token at position 5 of 16 is right in {probe_with_integer_division:.0%} of the cases, "
        "with the correct table in {probe_with_sinusoids:.0%}, without positions in {probe_without_positions:.0%}.",
        evidence="experiment",
        digest=("S3-60", "S3-70"),
        measure=what_integer_division_leaves,
        decides=lambda m: (
            (m["different_rows_of_512"], m["at_offset"]) == (512, 333)
            and round(m["smallest_gap_in_one_pair"], 4) == 0.0088
            and round(m["gap_at_offset_44"], 4) == 0.0177
            and round(m["gap_at_offset_710"], 7) == 6.03e-5
            and min(m["probe_with_integer_division"], m["probe_with_sinusoids"]) > 0.95
            and m["probe_without_positions"] < 0.5
        ),
        counterfeits=(
            Counterfeit(
                "a table that is the same in every row",
                target="pe_course.claims.absolute.integer_division:rows_by_integer_division",
                broken=lambda right: lambda length, dim: 0 * right(length, dim),
            ),
            NO_POSITIONS,
            SINES_ONLY,
        ),
        note="Without positions the head reports the most frequent token, which is the right one more often than 1 in "
        "4.",
    )
)
