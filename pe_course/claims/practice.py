"""Analogies, medicine, history and the choice of a method: what the lecture says of the world around the formulas."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pe_course.claims import lab_rows
from pe_course.claims.attention import LEAK, largest, six_tokens
from pe_course.claims.claim import Claim, Counterfeit, Measured
from pe_course.reference import attention, rotary, scaling

CLAIMS: list[Claim] = []


def beats_per_day(beats_per_minute: float) -> float:
    return beats_per_minute * 60 * 24


def beats_of_a_holter() -> Measured:
    return {f"beats_at_{rate}_per_minute": beats_per_day(rate) for rate in (60, 70, 80)}


CLAIMS.append(
    Claim(
        id="L-104",
        claim="A Holter recording of 24 hours contains tens of thousands of beats.",
        verdict="imprecise",
        holds="About a hundred thousand: {beats_at_60_per_minute:,.0f} at 60 beats per minute, "
        "{beats_at_70_per_minute:,.0f} at 70, {beats_at_80_per_minute:,.0f} at 80.",
        evidence="numeric",
        digest=("S3-37",),
        measure=beats_of_a_holter,
        decides=lambda m: list(m.values()) == [86400, 100800, 115200],
        counterfeits=(
            Counterfeit(
                "a recording of twelve hours",
                target="pe_course.claims.practice:beats_per_day",
                broken=lambda right: lambda rate: right(rate) / 2,
            ),
        ),
    )
)

CLAIMS.append(
    Claim(
        id="L-105",
        claim="The PR interval is the distance from the P wave to the R wave.",
        verdict="imprecise",
        holds="It runs from the onset of the P wave to the onset of the QRS complex (also called PQ interval), and "
        "normally lasts 120 to 200 milliseconds.",
        evidence="source",
        digest=("S3-37",),
        references=("kligfield2007recommendations", "healio2024pr"),
        why_no_check="A medical definition.",
    )
)


def query_and_key() -> tuple[NDArray, NDArray]:
    """q and k of width 64, drawn in this order from seed 7."""
    rng = np.random.default_rng(7)
    return rng.standard_normal(64), rng.standard_normal(64)


def rope_score_at(query_position: float, key_position: float, key_base: float = 10000.0) -> float:
    """Score of `query_and_key`, both rotated in interleaved pairs, the key perhaps with another base."""
    q, k = query_and_key()
    turned_q = rotary.apply_rope(q[None], [query_position], layout="interleaved")[0]
    turned_k = rotary.apply_rope(k[None], [key_position], base=key_base, layout="interleaved")[0]
    return turned_q @ turned_k


def two_bases() -> Measured:
    return {
        "same_base_5_3": rope_score_at(5, 3),
        "same_base_105_103": rope_score_at(105, 103),
        "mixed_bases_5_3": rope_score_at(5, 3, key_base=5e5),
        "mixed_bases_105_103": rope_score_at(105, 103, key_base=5e5),
    }


CLAIMS.append(
    Claim(
        id="L-119",
        claim="RoPE is somewhat more complex to implement: complex numbers, or the same in real arithmetic.",
        verdict="true",
        holds="Fair: it takes about ten lines, and many of its mistakes raise no error. A key that is rotated with "
        "the base 500,000 beside a query with 10,000 gives {mixed_bases_5_3:.4f} at positions 5 and 3, but "
        "{mixed_bases_105_103:.4f} at 105 and 103; with one base both are {same_base_5_3:.4f}. Mixed layouts, offsets "
        "lost in a cache and angles in 16 bits are as silent.",
        evidence="numeric",
        digest=("S3-52",),
        references=("su2021roformer", "han2024rope"),
        measure=two_bases,
        decides=lambda m: (
            abs(m["same_base_5_3"] - m["same_base_105_103"]) < 1e-9
            and (round(m["mixed_bases_5_3"], 4), round(m["mixed_bases_105_103"], 4)) == (0.9938, -8.2695)
        ),
        counterfeits=(
            Counterfeit(
                "a function that ignores the base",
                target="pe_course.reference.rotary:apply_rope",
                broken=lambda right: lambda x, positions, base=None, **o: right(x, positions, **o),
            ),
            Counterfeit(
                "half-split pairs",
                target="pe_course.reference.rotary:apply_rope",
                broken=lambda right: lambda x, positions, layout=None, **o: right(x, positions, layout="half", **o),
            ),
        ),
        note="q and k are default_rng(7).standard_normal(64) each, in this order; interleaved pairs.",
    )
)

CLAIMS.append(
    Claim(
        id="L-121",
        claim="BERT and T5 are older than RoPE.",
        verdict="true",
        holds="Correct: October 2018 and October 2019 against April 2021, by the arXiv numbers 1810.04805, 1910.10683 "
        "and 2104.09864.",
        evidence="source",
        digest=("S3-52",),
        references=("devlin2019bert", "raffel2020exploring", "su2021roformer"),
        why_no_check="Dates of publication.",
    )
)


def loss_far_past_training() -> Measured:
    """The lab's models, trained on 64 tokens: how much the loss (nats) grows at 16 times that length."""
    methods = ("learned", "sinusoidal", "rope", "nope", "t5", "alibi")
    measured = {f"{name}_growth": lab_rows.loss(name, 16) - lab_rows.loss(name, 1) for name in methods}
    return {"seeds": len(lab_rows.text_rows("rope")), **measured}


CLAIMS.append(
    Claim(
        id="L-124",
        claim="Only a learned absolute table fixes the input length; the other methods extrapolate to different "
        "degrees, with loss.",
        verdict="true with conditions",
        holds="All others can be evaluated at any length; that is not yet extrapolation. In the lab, at 16 times the "
        "training length, the loss grew by {sinusoidal_growth:.2f} nats with sinusoids and {rope_growth:.2f} with "
        "RoPE (with the untrained rows of a long enough table: {learned_growth:.2f}); by {nope_growth:.2f} without "
        "positions, and by {t5_growth:.2f} and {alibi_growth:.2f} with T5's bias and ALiBi.",
        evidence="experiment",
        digest=("S3-54",),
        references=("press2022train", "kazemnejad2023impact"),
        measure=loss_far_past_training,
        decides=lambda m: (
            min(m["learned_growth"], m["sinusoidal_growth"], m["rope_growth"]) > 0.5
            and max(m["t5_growth"], m["alibi_growth"]) < 0.1
            and m["nope_growth"] < 0.5
        ),
        counterfeits=(
            Counterfeit("RoPE that extrapolates", {"rope_growth": 0.05}),
            Counterfeit("an ALiBi that does not", {"alibi_growth": 1.0}),
            Counterfeit(
                "losses of another length",
                target="pe_course.claims.lab_rows:loss",
                broken=lambda right: lambda method, multiple: right(method, 1),
            ),
        ),
        note=lab_rows.PROVENANCE,
    )
)


def interpolated_angles() -> Measured:
    """Position interpolation for 4 times the length: the angles at position 8188 are those of 2047 before."""
    stretched, _ = scaling.rope_scaling_linear(128, factor=4.0)
    plain = rotary.rope_frequencies(128)
    return {
        "angle_at_8188_of_the_slowest_pair": rotary.rope_angles(8188, stretched)[-1],
        "angle_at_2047_before": rotary.rope_angles(2047, plain)[-1],
        "largest_difference": largest(rotary.rope_angles(8188, stretched) - rotary.rope_angles(2047, plain)),
    }


CLAIMS.append(
    Claim(
        id="L-131",
        claim="Changing the positional encoding in fine-tuning makes all learned knowledge void; it must stay exactly "
        "the same.",
        verdict="wrong",
        holds="A silent mismatch is a serious bug, but a controlled change followed by brief training is routine. "
        "Position interpolation squeezes new positions into the angles that the model knows (8188 into those of 2047 "
        "for a factor of 4) and needs up to 1000 steps; YaRN needs fewer; Longformer lengthened a table of positions; "
        "Huang et al. replaced BERT's absolute positions by relative ones.",
        evidence="source",
        digest=("S3-58",),
        references=("chen2023extending", "peng2024yarn", "huang2020improve", "beltagy2020longformer"),
        measure=interpolated_angles,
        decides=lambda m: (
            m["largest_difference"] < 1e-9 and abs(m["angle_at_8188_of_the_slowest_pair"] - 0.236384) < 1e-6
        ),
        counterfeits=(
            Counterfeit(
                "frequencies multiplied by the factor",
                target="pe_course.reference.scaling:rope_scaling_linear",
                broken=lambda right: lambda dim, factor: (right(dim, factor=factor)[0] * factor**2, 1.0),
            ),
            Counterfeit(
                "only half of the factor",
                target="pe_course.reference.scaling:rope_scaling_linear",
                broken=lambda right: lambda dim, factor: right(dim, factor=factor / 2),
            ),
        ),
    )
)


def two_events() -> Measured:
    """The 7th and 8th event of a record, 3 or 3000 days apart: scores by index, and by the days themselves."""
    return {
        "by_index": rope_score_at(8, 7),
        "by_days_3_apart": rope_score_at(103, 100),
        "by_days_3_apart_later": rope_score_at(5003.5, 5000.5),
        "by_days_3000_apart": rope_score_at(3100, 100),
    }


CLAIMS.append(
    Claim(
        id="L-140",
        claim="For medical records with irregular intervals choose RoPE or T5, because relative time matters.",
        verdict="wrong",
        holds="A distance of indices is not a time: the events 7 and 8 score {by_index:.4f} whether they lie 3 days "
        "or 3000 days apart. Given the days, RoPE does depend on time: {by_days_3_apart:.4f} for 3 days, wherever "
        "they fall, and {by_days_3000_apart:.4f} for 3000. Use time stamps or a time-aware encoding; and a built-in "
        "decay would hide the allergy of ten years ago.",
        evidence="numeric",
        digest=("S3-64",),
        references=("kazemi2019time2vec", "su2021roformer"),
        measure=two_events,
        decides=lambda m: (
            abs(m["by_days_3_apart"] - m["by_days_3_apart_later"]) < 1e-9
            and [round(m[name], 5) for name in ("by_index", "by_days_3_apart", "by_days_3000_apart")]
            == [0.64986, 1.24908, -9.43316]
        ),
        counterfeits=(
            Counterfeit(
                "positions that start again after 64",
                target="pe_course.reference.rotary:apply_rope",
                broken=lambda right: lambda x, positions, **o: right(x, np.asarray(positions) % 64, **o),
            ),
            Counterfeit(
                "half-split pairs",
                target="pe_course.reference.rotary:apply_rope",
                broken=lambda right: lambda x, positions, layout=None, **o: right(x, positions, layout="half", **o),
            ),
        ),
        note="q and k are default_rng(7).standard_normal(64) each, in this order; interleaved pairs.",
    )
)

SIDE_CHAINS = {"D": 3.65, "E": 4.25, "C": 8.18, "Y": 10.07, "H": 6.0, "K": 10.53, "R": 12.48}
"""pKa of the side chains that carry a charge (Nelson and Cox)."""
TERMINI = {"N": 8.0, "C": 3.1}
"""pKa of the two ends of a chain (Berg, Tymoczko and Stryer)."""
EMBOSS_SIDE_CHAINS = {"D": 3.9, "E": 4.1, "C": 8.5, "Y": 10.1, "H": 6.5, "K": 10.8, "R": 12.5}
EMBOSS_TERMINI = {"N": 8.6, "C": 3.6}


def isoelectric_point(
    sequence: str, *, with_termini: bool = True, side_chains: dict = SIDE_CHAINS, termini: dict = TERMINI
) -> float:
    """The pH without net charge, every group by itself (Henderson and Hasselbalch), by bisection."""
    positive = [side_chains[residue] for residue in sequence if residue in "HKR"] + with_termini * [termini["N"]]
    negative = [side_chains[residue] for residue in sequence if residue in "DECY"] + with_termini * [termini["C"]]
    low, high = 0.0, 14.0
    for _ in range(60):
        ph = (low + high) / 2
        charge = sum(1 / (1 + 10 ** (ph - pk)) for pk in positive) - sum(1 / (1 + 10 ** (pk - ph)) for pk in negative)
        low, high = (ph, high) if charge > 0 else (low, ph)
    return low


def isoelectric_points() -> Measured:
    emboss = {"side_chains": EMBOSS_SIDE_CHAINS, "termini": EMBOSS_TERMINI}
    return {
        "dkeg": isoelectric_point("DKEG"),
        "gekd_permuted": isoelectric_point("GEKD"),
        "dkegdkeg_doubled": isoelectric_point("DKEGDKEG"),
        "dkeg_without_termini": isoelectric_point("DKEG", with_termini=False),
        "dkegdkeg_without_termini": isoelectric_point("DKEGDKEG", with_termini=False),
        "dkkg_mutated": isoelectric_point("DKKG"),
        "dkeg_with_emboss_values": isoelectric_point("DKEG", **emboss),
        "dkegdkeg_with_emboss_values": isoelectric_point("DKEGDKEG", **emboss),
        "dkkg_with_emboss_values": isoelectric_point("DKKG", **emboss),
    }


def of_isoelectric_point(what: str, broken: Callable) -> Counterfeit:
    return Counterfeit(what, target="pe_course.claims.practice:isoelectric_point", broken=broken)


CLAIMS.append(
    Claim(
        id="L-142",
        claim="The isoelectric point depends on composition, so positional encoding may be dropped for it.",
        verdict="true with conditions",
        holds="In the standard charge model it depends on the composition and on the two ends of the chain: DKEG and "
        "its permutation GEKD have {dkeg:.4f}, the doubled DKEGDKEG {dkegdkeg_doubled:.4f}; without the ends both "
        "lengths have {dkeg_without_termini:.2f}. A model without positions that averages its rows sees shares only, "
        "so it cannot count the ends.",
        evidence="numeric",
        digest=("S3-66",),
        references=("nelson2017lehninger", "berg2015biochemistry", "rice2000emboss"),
        measure=isoelectric_points,
        decides=lambda m: (
            m["dkeg"] == m["gekd_permuted"]
            and (round(m["dkeg"], 4), round(m["dkegdkeg_doubled"], 4)) == (4.0489, 4.0041)
            and abs(m["dkeg_without_termini"] - m["dkegdkeg_without_termini"]) < 1e-9
            and (round(m["dkeg_with_emboss_values"], 2), round(m["dkegdkeg_with_emboss_values"], 2)) == (4.18, 4.11)
        ),
        counterfeits=(
            of_isoelectric_point(
                "the ends are never counted", lambda right: lambda s, **o: right(s, **{**o, "with_termini": False})
            ),
            of_isoelectric_point("the first residue is left out", lambda right: lambda s, **o: right(s[1:], **o)),
        ),
        note="The values depend on the table of pKa; with that of EMBOSS DKEG has 4.18 and DKEGDKEG 4.11, and the "
        "conclusions are the same.",
    )
)

CLAIMS.append(
    Claim(
        id="L-143",
        claim="A point mutation is a small change of order.",
        verdict="wrong",
        holds="It replaces a residue, so the composition changes, and a model without positions sees that: DKEG has "
        "the isoelectric point {dkeg:.4f}, its mutant DKKG {dkkg_mutated:.4f}.",
        evidence="numeric",
        digest=("S3-66",),
        references=("nelson2017lehninger", "berg2015biochemistry"),
        measure=isoelectric_points,
        decides=lambda m: (
            (round(m["dkeg"], 4), round(m["dkkg_mutated"], 4)) == (4.0489, 9.1062)
            and m["dkkg_with_emboss_values"] > m["dkeg_with_emboss_values"] + 1
        ),
        counterfeits=(
            of_isoelectric_point("lysine has no charge", lambda right: lambda s, **o: right(s.replace("K", "G"), **o)),
            of_isoelectric_point("the mutation swaps two residues", lambda right: lambda s, **o: right("DEKG", **o)),
        ),
    )
)


def permuted_or_changed() -> Measured:
    x, layer = six_tokens()
    changed, doubled = x.copy(), np.concatenate([x, x])
    changed[2] = np.random.default_rng(1).standard_normal(8)
    average = layer(x).mean(axis=0)
    return {
        "rows_of_the_same_tokens_permuted": largest(layer(attention.permute(x, [1, 0, 2, 3, 4, 5])) - layer(x)),
        "same_tokens_permuted": largest(layer(attention.permute(x, [3, 0, 5, 1, 4, 2])).mean(axis=0) - average),
        "all_tokens_twice": largest(layer(doubled).mean(axis=0) - average),
        "one_token_changed": largest(layer(changed).mean(axis=0) - average),
    }


CLAIMS.append(
    Claim(
        id="L-144",
        claim="Without positions, proteins of similar composition cannot be told apart.",
        verdict="wrong",
        holds="Only sequences of identical composition, permutations of each other, get the same average output (and, "
        "since it sees shares, multiples). One token changed in six shows: the average moves by "
        "{one_token_changed:.4f}.",
        evidence="numeric",
        digest=("S3-66",),
        references=("dufter2022position",),
        measure=permuted_or_changed,
        decides=lambda m: (
            max(m["same_tokens_permuted"], m["all_tokens_twice"]) < 1e-12
            and (round(m["one_token_changed"], 4), round(m["rows_of_the_same_tokens_permuted"], 4)) == (0.5381, 0.6071)
        ),
        counterfeits=(
            LEAK,
            Counterfeit("a change that nobody sees", {"one_token_changed": 0.0}),
        ),
    )
)

CLAIMS.append(
    Claim(
        id="L-153",
        claim="Transformer-XL (2019) introduced relative positions as an early key work; RoFormer followed in 2021.",
        verdict="imprecise",
        holds="The years are right, but the first relative positions for Transformers are those of Shaw et al. (March "
        "2018, arXiv 1803.02155); Transformer-XL (January 2019, 1901.02860) rewrote the idea. RoFormer (2104.09864) "
        "and ALiBi (2108.12409) came in April and August 2021.",
        evidence="source",
        digest=("S3-71",),
        references=("shaw2018self", "dai2019transformerxl", "su2021roformer", "press2022train"),
        why_no_check="Dates of publication.",
    )
)

CLAIMS.append(
    Claim(
        id="L-154",
        claim="ALiBi (Press, 2021) is the best starting point for 'no positional encoding'.",
        verdict="imprecise",
        holds="ALiBi is a bias on the score. Its paper is 'Train Short, Test Long: Attention with Linear Biases "
        "Enables Input Length Extrapolation' (arXiv 2021, ICLR 2022). For no positional encoding read Haviv et al. "
        "2022 and Kazemnejad et al. 2023.",
        evidence="source",
        digest=("S3-71",),
        references=("press2022train", "haviv2022transformer", "kazemnejad2023impact"),
        why_no_check="Advice on what to read; the papers' titles decide it. What ALiBi does is measured in L-067.",
    )
)
