r"""T5: one learned number per head and per bucket of distances.

Near distances have a bucket each, farther ones share logarithmically wider buckets, and everything
beyond ``max_distance`` falls into the last. The bias is added to :math:`q_i \cdot k_j` **without** the
factor :math:`1/\sqrt d`: T5 folds that factor into its initial weights.
"""

from __future__ import annotations

from math import ceil, gcd

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.bias._pairs import pairwise_whole_distance
from pe_course.reference.validation import count, even_count, flag, real_array, whole_array


def t5_relative_position_bucket(
    relative_position: ArrayLike, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> NDArray[np.int64]:
    r"""Bucket of each relative position (Raffel et al. 2020, arXiv:1910.10683, section 2.1; released code).

    With N buckets in a direction (``num_buckets``, halved if ``bidirectional``), M = N/2 rounded down,
    D = ``max_distance`` and n = query − key (its absolute value if ``bidirectional``, else 0 for every
    future key):

    .. math:: \text{bucket}(n) = \begin{cases} n & n < M \\
        \min\!\left(N - 1,\; M + \left\lfloor \frac{\ln(n/M)}{\ln(D/M)} (N - M) \right\rfloor\right) & n \ge M
        \end{cases}

    If ``bidirectional``, keys *after* the query use the upper half: N is added.

    Parameters
    ----------
    relative_position
        Whole numbers of any shape, **key − query**.

    Returns
    -------
    int64 array of the same shape, values from 0 to num_buckets − 1

    Raises
    ------
    TypeError, ValueError
        On input that is not whole.
    ValueError
        If num_buckets is odd and bidirectional, if there are fewer than two buckets in a direction, or if max_distance
        <= M.

    Notes
    -----
    Computed from exact bucket borders (`t5_bucket_starts`), not from logarithms. The released order of operations,
    ``log(n / M) / log(D / M) * (N - M)`` in float32, gives the same buckets for T5's own settings. Among 12800 causal
    settings (2 to 64 buckets, NumPy) it puts one distance, an exact border, one bucket too low in 6. NumPy's float64
    does so as well: with 9 causal buckets and D = 128 at the distances 8, 16 and 64. Subtracting logarithms fails in
    more settings; multiplying by ``(N - M) / log(D / M)`` in float64 fails at n = 64 of the default. The paper's text
    speaks of an offset of 128; the last bucket starts at 91 (bidirectional) and 113 (causal). Flax T5 adds an epsilon
    inside the logarithm.
    """
    relative_position = whole_array("relative_position", relative_position)
    starts = t5_bucket_starts(bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
    if not bidirectional:
        return _bucket_of(np.maximum(-relative_position, 0), starts)
    return _bucket_of(np.abs(relative_position), starts) + np.where(relative_position > 0, len(starts), 0)


def _bucket_of(distance: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(starts, distance, side="right").astype(np.int64) - 1


def t5_bucket_starts(
    *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> NDArray[np.int64]:
    r"""The smallest distance in each bucket of one direction, ascending, int64 [N].

    For the default: 0, 1, …, 7, 8, 12, 16, 23, 32, 46, 64, 91. Bucket M + k starts at the smallest whole n with

    .. math:: \frac{\ln(n/M)}{\ln(D/M)} (N - M) \ge k
        \quad\Longleftrightarrow\quad n^{N-M} M^k \ge D^k M^{N-M},

    a comparison of whole numbers, so no rounding can move a border. A bucket is empty where the next one
    starts at the same distance.

    Raises
    ------
    TypeError, ValueError
        As `t5_relative_position_bucket`.
    """
    buckets = _buckets_per_direction(bidirectional, num_buckets)
    exact = buckets // 2
    max_distance = count("max_distance", max_distance)
    if max_distance <= exact:
        raise ValueError(f"max_distance must be greater than {exact}, the number of exact buckets, got {max_distance}")
    starts = [_smallest_at_step(step, buckets - exact, exact, max_distance) for step in range(buckets - exact)]
    return np.array([*range(exact), *starts], dtype=np.int64)


def _buckets_per_direction(bidirectional: bool, num_buckets: int, name: str = "num_buckets") -> int:
    if flag("bidirectional", bidirectional):
        return even_count(name, num_buckets, minimum=4, why="each direction takes one half") // 2
    return count(name, num_buckets, minimum=2)


def _smallest_at_step(step: int, steps: int, exact: int, max_distance: int) -> int:
    """Smallest whole n with (n / exact)^steps >= (max_distance / exact)^step."""
    common = gcd(step, steps)
    step, steps = step // common, steps // common

    def reaches(n: int) -> bool:
        return n**steps * exact**step >= max_distance**step * exact**steps

    # The float is a guess, at most a step away on either side; the whole numbers decide.
    n = ceil(exact * (max_distance / exact) ** (step / steps))
    while reaches(n - 1):
        n -= 1
    while not reaches(n):
        n += 1
    return n


def t5_bias(
    table: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    *,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> NDArray[np.float64]:
    r"""T5's score bias :math:`b_h[\text{bucket}(j - i)]` (Raffel et al. 2020, arXiv:1910.10683, section 2.1).

    Added to the score as it is; T5's score carries no :math:`1/\sqrt d`. The encoder is bidirectional, the
    decoder is not, cross-attention has no bias. T5 has one table for all layers of a stack; umT5 has one
    per layer.

    Parameters
    ----------
    table
        [num_buckets, H], a column per head.
    query_positions, key_positions
        Whole, not negative, [L] and [S] or [B, L] and [B, S].

    Returns
    -------
    [H, L, S] or [B, H, L, S]
        With ``bidirectional=False`` every future key reads bucket 0.

    Raises
    ------
    TypeError, ValueError
        As `t5_relative_position_bucket`.
    ValueError
        If table has another rank.
    """
    table = real_array("table", table, rank=2)
    _buckets_per_direction(bidirectional, len(table), name="number of rows of table")
    distance = pairwise_whole_distance(query_positions, key_positions)
    bucket = t5_relative_position_bucket(
        -distance, bidirectional=bidirectional, num_buckets=len(table), max_distance=max_distance
    )
    return np.moveaxis(table[bucket], -1, -3)
