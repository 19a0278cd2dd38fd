r"""ALiBi: each head subtracts its own slope times the distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.bias._pairs import pairwise_distance
from pe_course.reference.validation import count, one_of, real_array, real_number

RULES = ("official", "geometric")
FORMS = ("causal", "symmetric", "key_only")


def alibi_slopes(num_heads: int, *, alibi_bias_max: float = 8.0, rule: str = "official") -> NDArray[np.float64]:
    r"""One positive slope per head (Press, Smith, Lewis 2022, arXiv:2108.12409, section 3; released code).

    For a power of two H, with A = ``alibi_bias_max``:

    .. math:: m_h = 2^{-A (h + 1) / H}, \qquad h = 0, \dots, H - 1

    (8 heads: 1/2, 1/4, …, 1/256; the first slope is not 1). For other H the released code takes the slopes
    of the power of two P below H, then every other slope of 2P heads until H are found, so the list is not
    sorted: 12 heads give 1/2 … 1/256, then 0.7071, 0.3536, 0.1768, 0.0884.

    Parameters
    ----------
    num_heads
        At least 1.
    alibi_bias_max
        The largest exponent; 8 in the paper, named in MPT.
    rule
        "official" as above (the released code, BLOOM, MPT, x-transformers, NeMo); "geometric" uses the equation for
        every H, as a sentence of the paper reads (attention-gym 0.0.17; MLX before its PR #3071).

    Returns
    -------
    float64 [H]

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    """
    num_heads = count("num_heads", num_heads)
    alibi_bias_max = real_number("alibi_bias_max", alibi_bias_max, above=0.0)
    if one_of("rule", rule, RULES) == "geometric":
        return _geometric_slopes(num_heads, alibi_bias_max)
    power_of_two = 1 << (num_heads.bit_length() - 1)
    between = _geometric_slopes(2 * power_of_two, alibi_bias_max)[0::2]
    return np.concatenate([_geometric_slopes(power_of_two, alibi_bias_max), between])[:num_heads]


def _geometric_slopes(num_heads: int, alibi_bias_max: float) -> NDArray[np.float64]:
    return 2.0 ** (-alibi_bias_max * np.arange(1, num_heads + 1) / num_heads)


def alibi_bias(
    query_positions: ArrayLike, key_positions: ArrayLike, slopes: ArrayLike, *, form: str = "causal"
) -> NDArray[np.float64]:
    r"""ALiBi's score bias (Press, Smith, Lewis 2022, arXiv:2108.12409, section 3).

    .. math:: b_{hij} = -m_h (i - j) \;\text{(causal)}, \qquad -m_h |i - j| \;\text{(symmetric)},
        \qquad m_h\, j \;\text{(key\_only)}

    Added after the factor :math:`1/\sqrt d` (footnote 10). Falcon divides the bias by :math:`\sqrt d` too:
    pass ``slopes / sqrt(d)`` for it.

    "causal" is for use under a causal mask. It is linear on both sides, so it differs from the released code
    ("key_only", as in BLOOM) by one constant per row, which softmax removes. It is **positive for future
    keys**, so that a missing mask shows at once. Encoders need "symmetric". In low precision "key_only" loses
    the distance at large j. MPT's :math:`m_h (j - (S - 1))` is "causal" with the last position as the query.

    Parameters
    ----------
    query_positions, key_positions
        Any real numbers, [L] and [S] or [B, L] and [B, S].
    slopes
        [H], not negative (`alibi_slopes`).

    Returns
    -------
    [H, L, S] or [B, H, L, S]

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    """
    distance = pairwise_distance(query_positions, key_positions)
    slopes = real_array("slopes", slopes, rank=1)
    if slopes.min() < 0:
        raise ValueError(f"slopes must be at least 0 because the bias subtracts them, got {slopes.min():g}")
    if one_of("form", form, FORMS) == "symmetric":
        distance = np.abs(distance)
    elif form == "key_only":
        keys = np.asarray(key_positions, dtype=np.float64)
        distance = np.broadcast_to(-keys[..., None, :], distance.shape)
    return -slopes[:, None, None] * distance[..., None, :, :]
