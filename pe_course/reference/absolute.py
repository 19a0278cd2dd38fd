"""Order at the input: a vector per position, added to the token's embedding.

The sinusoids come first, then the grid of several axes, then what is looked up or counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.validation import (
    count,
    even_count,
    flag,
    need_axes,
    one_of,
    real_array,
    real_number,
    table_index,
)

SINUSOID_LAYOUTS = ("interleaved", "concat")


def sinusoidal_positions(
    positions: ArrayLike, dim: int, *, base: float = 10000.0, layout: str = "interleaved", endpoint: bool = False
) -> NDArray[np.float64]:
    r"""Sines and cosines of each position, one pair per frequency (Vaswani et al. 2017, arXiv:1706.03762, section 3.5).

    .. math:: PE_{(p, 2m)} = \sin(p\,\theta_m), \qquad PE_{(p, 2m+1)} = \cos(p\,\theta_m)

    Parameters
    ----------
    positions : array of any shape
        Positions in tokens: finite real numbers, negative ones and fractions included.
    dim : int
        Width of each vector; even.
    base : float
        Base of the geometric frequencies, greater than 1.
    layout : "interleaved" or "concat"
        Order of the columns: sin, cos, sin, cos, … or all sines, then all cosines.
    endpoint : bool
        Spacing of the frequencies, see `sinusoidal_frequencies`.

    Returns
    -------
    float64 array [\*positions.shape, dim]. Each vector has the norm :math:`\sqrt{d/2}`.

    Raises
    ------
    TypeError, ValueError
        If a position is not a finite real number, ``positions`` is empty, ``dim`` is odd or below 2,
        ``base`` is not above 1, or ``layout`` is unknown.

    Notes
    -----
    Libraries disagree in two ways. Column order: the paper, DistilBERT and positional-encodings
    interleave; Marian, Pegasus, Transformer-XL and x-transformers concatenate. Spacing: Tensor2Tensor,
    fairseq, Whisper and M2M100 concatenate and set ``endpoint=True``, which gives other numbers and not
    only another order. fairseq sets the row of its padding index to zero; x-transformers multiplies
    by :math:`d^{-1/2}`; Tensor2Tensor and fairseq append a zero column when ``dim`` is odd.
    """
    angles = real_array("positions", positions)[..., None] * sinusoidal_frequencies(dim, base=base, endpoint=endpoint)
    return _arrange_pairs(np.sin(angles), np.cos(angles), layout)


def sinusoidal_frequencies(dim: int, *, base: float = 10000.0, endpoint: bool = False) -> NDArray[np.float64]:
    r"""Angle in radians that each pair of channels turns by per position, fastest first.

    .. math:: \theta_m = \mathrm{base}^{-2m/d}, \qquad m = 0, \dots, d/2 - 1

    (Vaswani et al. 2017, arXiv:1706.03762, section 3.5). The wavelength of pair m is
    :math:`2\pi/\theta_m` positions. With ``endpoint=True`` the exponent is :math:`-m/(d/2 - 1)`, so that the
    last frequency is exactly 1/base (Tensor2Tensor ``get_timing_signal_1d``, fairseq, Whisper, M2M100).

    Parameters
    ----------
    dim
        Even width.
    base
        Greater than 1.
    endpoint
        Whether the last frequency is 1/base.

    Returns
    -------
    float64 array [dim/2]

    Raises
    ------
    TypeError, ValueError
        If ``dim`` is odd or below 2, ``base`` is not above 1, ``endpoint`` is no bool.

    Notes
    -----
    The paper speaks of wavelengths from :math:`2\pi` to :math:`10000 \cdot 2\pi`. Its formula stops earlier, at 60,611
    of 62,832 positions for d = 512; ``endpoint=True`` reaches the stated end. At dim = 2 that variant would divide by
    zero (fairseq does); as in Tensor2Tensor the divisor is then 1.
    """
    pairs = even_count("dim", dim) // 2
    base = real_number("base", base, above=1)
    steps = max(pairs - 1, 1) if flag("endpoint", endpoint) else pairs
    return base ** (-np.arange(pairs) / steps)


def sinusoidal_shift_matrix(
    offset: float, dim: int, *, base: float = 10000.0, layout: str = "interleaved", endpoint: bool = False
) -> NDArray[np.float64]:
    r"""The matrix M with :math:`PE(p + \mathrm{offset}) = M\,PE(p)` for every position p.

    .. math::
        \begin{pmatrix} \sin (p+k)\theta \\ \cos (p+k)\theta \end{pmatrix} =
        \begin{pmatrix} \cos k\theta & \sin k\theta \\ -\sin k\theta & \cos k\theta \end{pmatrix}
        \begin{pmatrix} \sin p\theta \\ \cos p\theta \end{pmatrix}

    One such block per pair. Vaswani et al. 2017 (arXiv:1706.03762, section 3.5) state that this linear
    map exists; the block is the angle-sum identity.

    Parameters
    ----------
    offset
        Any finite real number of positions; the others as in `sinusoidal_positions`.

    Returns
    -------
    float64 array [dim, dim], orthogonal, independent of p
        It acts on column vectors: for rows PE[L, dim], write ``PE @ M.T``.

    Raises
    ------
    TypeError, ValueError
        As `sinusoidal_positions`, and if ``offset`` is not a finite real number.
    """
    angles = real_number("offset", offset) * sinusoidal_frequencies(dim, base=base, endpoint=endpoint)
    sine, cosine = _pair_columns(dim, layout)
    matrix = np.zeros((dim, dim))
    matrix[sine, sine] = matrix[cosine, cosine] = np.cos(angles)
    matrix[sine, cosine] = np.sin(angles)
    matrix[cosine, sine] = -np.sin(angles)
    return matrix


def sinusoidal_kernel(
    distance: ArrayLike, dim: int, *, base: float = 10000.0, endpoint: bool = False
) -> NDArray[np.float64]:
    r"""Inner product of two sinusoidal vectors that lie ``distance`` positions apart.

    .. math:: PE(m) \cdot PE(n) = \sum_{k=0}^{d/2-1} \cos\bigl((m - n)\,\theta_k\bigr)

    Follows from the definition in Vaswani et al. 2017 (arXiv:1706.03762, section 3.5).

    Parameters
    ----------
    distance
        Finite real array of any shape, query − key (the sign makes no difference); dim, base, endpoint as in
        `sinusoidal_frequencies`.

    Returns
    -------
    float64 array of the shape of ``distance``
        dim/2 at distance 0, its maximum.

    Raises
    ------
    TypeError, ValueError
        As `sinusoidal_positions`, and if a distance is not a finite real number.

    Notes
    -----
    Symmetric, so direction is invisible until W_q and W_k act. Not monotone: the product oscillates, and turns negative
    for small ``dim``. No column order enters, so there is no ``layout``.
    """
    distance = real_array("distance", distance)
    return np.cos(distance[..., None] * sinusoidal_frequencies(dim, base=base, endpoint=endpoint)).sum(axis=-1)


def sinusoidal_grid(
    coordinates: ArrayLike, dim: int, *, base: float = 10000.0, layout: str = "interleaved", endpoint: bool = False
) -> NDArray[np.float64]:
    r"""Sinusoids for points with several coordinates: one block of channels per axis, side by side.

    .. math:: PE(x, y) = \bigl[\,PE_w(x),\ PE_w(y)\,\bigr]_{:d}, \qquad w = 2\,\lceil d / (2a) \rceil

    with a axes; here a = 2. This is the rule of the library positional-encodings 6.0.3
    (``PositionalEncoding1D/2D/3D``); each block is the encoding of Vaswani et al. 2017
    (arXiv:1706.03762, section 3.5) at width w.

    Parameters
    ----------
    coordinates : array [..., n_axes]
        The last axis holds the coordinates of one point, such as (row, column): finite real numbers.
    dim : int
        Channels of the result, at least 1; need not be even, because the result is cut.
    base, layout, endpoint
        As in `sinusoidal_positions`; ``layout`` orders the channels inside each block.

    Returns
    -------
    float64 array [..., dim]

    Raises
    ------
    TypeError, ValueError
        As `sinusoidal_positions`; ValueError if ``coordinates`` has no axis or ``dim`` is below 1.

    Notes
    -----
    The cut takes channels from the last axis: at dim = 4 with three axes, w = 2, the third coordinate has none left.
    """
    coordinates = real_array("coordinates", coordinates)
    need_axes("coordinates", coordinates, 1, "[..., n_axes]")
    dim = count("dim", dim)
    width = 2 * -(-dim // (2 * coordinates.shape[-1]))
    blocks = sinusoidal_positions(coordinates, width, base=base, layout=layout, endpoint=endpoint)
    return blocks.reshape(*coordinates.shape[:-1], -1)[..., :dim]


def learned_positions(positions: ArrayLike, table: ArrayLike) -> NDArray[np.float64]:
    r"""Rows of a trained table, one per position: :math:`PE(p) = P_p`.

    Used by BERT (512 rows; Devlin et al. 2019, arXiv:1810.04805) and GPT-2 (1024 rows; Radford et al. 2019).

    Parameters
    ----------
    positions
        Whole numbers of any shape, 0-based.
    table
        [rows, dim], finite.

    Returns
    -------
    float64 array [\*positions.shape, dim]

    Raises
    ------
    IndexError
        If a position is negative or not below the number of rows.
    TypeError, ValueError
        If a position is not a whole number, or the table has not two axes, is empty or not finite.

    Notes
    -----
    NumPy would read the row −1 from the end; here it raises. RoBERTa and OPT shift their positions first
    (``positions.roberta_positions``, ``positions.opt_positions``).
    """
    table = real_array("table", table, rank=2)
    return table[table_index("position", positions, table.shape[0])]


def integer_positions(length: int) -> NDArray[np.float64]:
    r"""The position itself, :math:`i = 0, \dots, L - 1`, as a number to add or to append.

    Parameters
    ----------
    length
        Number of tokens, at least 1.

    Returns
    -------
    float64 array [length]

    Raises
    ------
    TypeError, ValueError
        If ``length`` is not a whole number of at least 1.
    """
    return np.arange(count("length", length), dtype=np.float64)


def normalised_positions(length: int) -> NDArray[np.float64]:
    r"""The position as a share of the sequence, :math:`i / (L - 1)`, from 0 to 1.

    Parameters
    ----------
    length
        Number of tokens, at least 1.

    Returns
    -------
    float64 array [length]
        [0] for one token.

    Raises
    ------
    TypeError, ValueError
        If ``length`` is not a whole number of at least 1.

    Notes
    -----
    One step is worth 1/(L − 1), so the same distance has another size in every sequence length.
    """
    positions = integer_positions(length)
    return positions / max(length - 1, 1)


def _pair_columns(dim: int, layout: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Columns of the sines and columns of the cosines, both in the order of the frequencies."""
    if one_of("layout", layout, SINUSOID_LAYOUTS) == "interleaved":
        return np.arange(0, dim, 2), np.arange(1, dim, 2)
    return np.arange(dim // 2), np.arange(dim // 2, dim)


def _arrange_pairs(sines: NDArray, cosines: NDArray, layout: str) -> NDArray[np.float64]:
    """Write [..., pairs] sines and cosines into [..., 2 · pairs] columns."""
    dim = 2 * sines.shape[-1]
    sine, cosine = _pair_columns(dim, layout)
    out = np.empty((*sines.shape[:-1], dim))
    out[..., sine], out[..., cosine] = sines, cosines
    return out
