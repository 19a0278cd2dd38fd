"""Fast and slow hands: wavelengths, their order, and why no two positions look alike."""

from __future__ import annotations

import numpy as np

from pe_course.claims.absolute.shared import DENOMINATOR, INTEGER_DIVISION, SLOW_FIRST, SQUARED, TO_ENDPOINT, rows
from pe_course.claims.attention import largest
from pe_course.claims.claim import Claim, Measured
from pe_course.reference import absolute

CLAIMS: list[Claim] = []


def closest_rows() -> Measured:
    """Of 4096 positions at width 512: distances follow from the inner product, which depends on the offset alone."""
    kernel = absolute.sinusoidal_kernel(np.arange(4096), 512)
    gaps = np.sqrt(2 * (kernel[0] - kernel[1:]))
    first_pair = absolute.sinusoidal_positions(np.arange(1, 4096), 2) - absolute.sinusoidal_positions(0, 2)
    return {
        "smallest_gap": gaps.min(),
        "at_offset": gaps.argmin() + 1,
        "gap_of_neighbours": np.linalg.norm(np.diff(rows(2, 512), axis=0)),
        "smallest_gap_of_the_first_pair": np.linalg.norm(first_pair, axis=1).min(),
    }


def all_rows_differ(m: Measured) -> bool:
    return (
        round(m["smallest_gap"], 4) == round(m["gap_of_neighbours"], 4) == 3.7143
        and m["at_offset"] == 1
        and round(m["smallest_gap_of_the_first_pair"], 7) == 6.03e-5
    )


CLAIMS.append(
    Claim(
        id="L-001",
        claim="The first Transformer encoded absolute positions, one unique vector per position.",
        verdict="true",
        holds="Correct: it adds a fixed vector per position, and all of them differ. Of 4096 vectors of width 512 the "
        "closest two are {smallest_gap:.4f} apart, at distance {at_offset}.",
        evidence="numeric",
        digest=("S1-01",),
        references=("vaswani2017attention",),
        measure=closest_rows,
        decides=all_rows_differ,
        counterfeits=(TO_ENDPOINT, SQUARED, INTEGER_DIVISION),
    )
)


def periods_and_gaps() -> Measured:
    """Wavelengths at width 512, and whether channels and whole rows repeat."""
    wavelengths = 2 * np.pi / absolute.sinusoidal_frequencies(512)
    pair = 100
    here, one_wave_on = (absolute.sinusoidal_positions([5.0, 5.0 + wavelengths[pair]], 512))[:, 2 * pair : 2 * pair + 2]
    return {
        "shortest_wavelength": wavelengths.min(),
        "longest_wavelength": wavelengths.max(),
        "change_after_one_wavelength": largest(one_wave_on - here),
        **closest_rows(),
    }


CLAIMS.append(
    Claim(
        id="L-034",
        claim="Every component of the sinusoidal encoding is periodic.",
        verdict="true with conditions",
        holds="As a function of a real position each channel repeats after its wavelength, from "
        "{shortest_wavelength:.4f} to {longest_wavelength:.2f} positions at width 512. On whole positions none ever "
        "repeats exactly, because no wavelength is a rational number. And the vector as a whole does not repeat: of "
        "4096 rows none comes closer to another than {smallest_gap:.4f}.",
        evidence="numeric",
        digest=("S2-07",),
        references=("vaswani2017attention",),
        measure=periods_and_gaps,
        decides=lambda m: (
            all_rows_differ(m)
            and m["change_after_one_wavelength"] < 1e-12
            and (round(m["shortest_wavelength"], 4), round(m["longest_wavelength"], 2)) == (6.2832, 60611.48)
        ),
        counterfeits=(TO_ENDPOINT, SQUARED, INTEGER_DIVISION),
    )
)


CLAIMS.append(
    Claim(
        id="L-075",
        claim="Waves from fast to slow give every position a unique vector.",
        verdict="true",
        holds="Correct: of 4096 rows of width 512 the closest are neighbours, {smallest_gap:.4f} apart. Already the "
        "first pair alone never repeats on whole positions, because π is irrational; its closest rows are "
        "{smallest_gap_of_the_first_pair:.6f} apart.",
        evidence="numeric",
        digest=("S3-16", "S3-27"),
        references=("vaswani2017attention",),
        measure=closest_rows,
        decides=all_rows_differ,
        counterfeits=(SQUARED, TO_ENDPOINT, INTEGER_DIVISION),
    )
)


def wavelengths_of_pairs() -> Measured:
    wavelengths = 2 * np.pi / absolute.sinusoidal_frequencies(512)
    return {"wavelengths": wavelengths[[0, 31, 224, 255]], "wavelength_of_channels_64_65": wavelengths[32]}


CLAIMS.append(
    Claim(
        id="L-094",
        claim="The first channels have long wavelengths and low frequency, the last ones short wavelengths and high "
        "frequency.",
        verdict="wrong",
        holds="It is the other way round: a large factor makes the angle run, so the wave is short. At width 512 a "
        "turn takes {wavelengths[0]:.2f} positions in channels 0 and 1, {wavelengths[1]:.2f} in 62 and 63, "
        "{wavelengths[2]:.2f} in 448 and 449, and {wavelengths[3]:.2f} in 510 and 511.",
        evidence="numeric",
        digest=("S3-27", "S3-32"),
        references=("vaswani2017attention",),
        measure=wavelengths_of_pairs,
        decides=lambda m: (
            [round(w, 2) for w in m["wavelengths"]] == [6.28, 19.17, 19869.18, 60611.48]
            and round(m["wavelength_of_channels_64_65"], 3) == 19.869
        ),
        counterfeits=(SLOW_FIRST, DENOMINATOR, TO_ENDPOINT),
        note="The same lecture says 'fast to slow' elsewhere and prints sin(p/1) for channel 0; that is right.",
    )
)


def ward_of_128_beds() -> Measured:
    beds = rows(128, 512)
    fast, slow = beds[:, :64], beds[:, 448:]
    signs = np.sign(beds[:, [1, 63, 449, 511]])
    return {
        "turns_of_pairs_0_31_224_255": 127 * absolute.sinusoidal_frequencies(512)[[0, 31, 224, 255]] / (2 * np.pi),
        "change_per_bed_channels_0_63": np.sqrt(np.mean(np.diff(fast, axis=0) ** 2)),
        "change_per_bed_channels_448_511": np.sqrt(np.mean(np.diff(slow, axis=0) ** 2)),
        "sines_of_channels_448_511": [slow[:, ::2].min(), slow[:, ::2].max()],
        "cosines_of_channels_448_511": [slow[:, 1::2].min(), slow[:, 1::2].max()],
        "sign_changes_of_channels_1_63_449_511": (np.diff(signs, axis=0) != 0).sum(axis=0),
    }


CLAIMS.append(
    Claim(
        id="L-102",
        claim="In a ward of 128 beds, channels 0 to 63 change slowly, over tens of beds; channels 448 to 511 from bed "
        "to bed.",
        verdict="wrong",
        holds="Exactly reversed. The first pair makes {turns_of_pairs_0_31_224_255[0]:.1f} turns over the ward, pair "
        "31 still {turns_of_pairs_0_31_224_255[1]:.1f}, pair 255 {turns_of_pairs_0_31_224_255[3]:.4f}. In the last 64 "
        "channels a sine never exceeds {sines_of_channels_448_511[1]:.4f} and a cosine never falls below "
        "{cosines_of_channels_448_511[0]:.4f}. From bed to bed the first 64 channels change by "
        "{change_per_bed_channels_0_63:.4f} (root mean square), the last 64 by {change_per_bed_channels_448_511:.6f}.",
        evidence="numeric",
        digest=("S3-32",),
        references=("vaswani2017attention",),
        measure=ward_of_128_beds,
        decides=lambda m: (
            [round(turns, 4) for turns in m["turns_of_pairs_0_31_224_255"]] == [20.2127, 6.626, 0.0064, 0.0021]
            and round(m["change_per_bed_channels_0_63"], 4) == 0.4395
            and round(m["change_per_bed_channels_448_511"], 6) == 0.000142
            and [round(x, 4) for x in m["sines_of_channels_448_511"]] == [0, 0.0402]
            and [round(x, 4) for x in m["cosines_of_channels_448_511"]] == [0.9992, 1]
            and m["sign_changes_of_channels_1_63_449_511"] == [40, 13, 0, 0]
        ),
        counterfeits=(SLOW_FIRST, DENOMINATOR, TO_ENDPOINT),
    )
)
