"""Turning the pairs: the form that is computed, and the complex and matrix forms that explain it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.rotary.frequencies import rope_angles, rope_cos_sin, rope_frequencies
from pe_course.reference.rotary.layouts import ROTARY_LAYOUTS, pair_channels
from pe_course.reference.validation import even_count, no_more_than, one_of, real_array, real_number, same_length


def apply_rotary(x: ArrayLike, cos: ArrayLike, sin: ArrayLike, *, layout: str = "half") -> NDArray[np.float64]:
    r"""Turn every pair of channels (a, b) of queries or keys by its angle.

    .. math:: (a, b) \mapsto (a\cos\alpha - b\sin\alpha,\; a\sin\alpha + b\cos\alpha)

    Su et al. 2021 (RoFormer, arXiv:2104.09864), equation 34. Position +1 turns (1, 0) to (cos 1, sin 1).

    Parameters
    ----------
    x : array [..., L, D], usually [B, H, L, D]
        Queries or keys, never values.
    cos, sin : arrays [L, P], [B, L, P] beside x [B, H, L, D], or of the rank of x with leading axes of 1 or equal
        From `rope_cos_sin`, one column per pair. The first 2P channels turn, the other D − 2P pass
        unchanged (partial rotary). The tables may carry a factor (YaRN) or a scale (xPos).
    layout : "half" or "interleaved"
        Which channels form a pair, see `pair_channels`. The default is that of Llama in Hugging Face Transformers;
        RoFormer, GPT-J and Meta's Llama code are interleaved. Pass it by name: weights fit one only.

    Returns
    -------
    float64 array of the shape of x.

    Raises
    ------
    TypeError, ValueError
        If an argument is not finite, the tables differ in shape, do not have x's length or leading axes,
        or need more than D channels, or ``layout`` is unknown.
    """
    vectors, cosines, sines = _rotation_arguments(x, cos, sin)
    first, second = pair_channels(2 * cosines.shape[-1], layout)
    a, b = vectors[..., first], vectors[..., second]
    turned = vectors.copy()
    turned[..., first] = a * cosines - b * sines
    turned[..., second] = a * sines + b * cosines
    return turned


def apply_rotary_complex(x: ArrayLike, cos: ArrayLike, sin: ArrayLike) -> NDArray[np.float64]:
    r"""`apply_rotary` in the interleaved layout, written with complex numbers.

    .. math:: (a + ib) \mapsto (a + ib)\,(\cos\alpha + i \sin\alpha)

    Su et al. 2021 (arXiv:2104.09864), equation 12. Parameters, result and errors as `apply_rotary`; the
    layout is interleaved because neighbours in memory are read as one complex number (Meta's Llama, Llama 4).
    """
    vectors, cosines, sines = _rotation_arguments(x, cos, sin)
    rotary_dim = 2 * cosines.shape[-1]
    numbers = vectors[..., 0:rotary_dim:2] + 1j * vectors[..., 1:rotary_dim:2]
    numbers = numbers * (cosines + 1j * sines)
    pairs = np.stack([numbers.real, numbers.imag], axis=-1).reshape(*vectors.shape[:-1], rotary_dim)
    return np.concatenate([pairs, vectors[..., rotary_dim:]], axis=-1)


def rotation_matrix(position: ArrayLike, inv_freq: ArrayLike, *, layout: str = "half") -> NDArray[np.float64]:
    r"""The matrix R with :math:`f(x, p) = R_p\,x` (Su et al. 2021, arXiv:2104.09864, equation 15).

    .. math:: R_m^\top R_n = R_{n-m}, \qquad (R_m q)^\top (R_n k) = q^\top R_{n-m}\, k

    Equation 16 of the same paper. To understand and to test; `apply_rotary` computes the same with
    2D products instead of D².

    Parameters
    ----------
    position
        A finite real number, or an array of them.
    inv_freq
        [P].
    layout
        See `pair_channels` (block diagonal in the interleaved layout).

    Returns
    -------
    float64 array [\*position.shape, 2P, 2P], orthogonal
        It acts on column vectors.

    Raises
    ------
    TypeError, ValueError
        If an argument is not finite or ``layout`` is unknown.
    """
    angles = rope_angles(real_array("position", position), inv_freq)
    first, second = pair_channels(2 * angles.shape[-1], layout)
    matrix = np.zeros((*angles.shape[:-1], 2 * angles.shape[-1], 2 * angles.shape[-1]))
    matrix[..., first, first] = matrix[..., second, second] = np.cos(angles)
    matrix[..., first, second] = -np.sin(angles)
    matrix[..., second, first] = np.sin(angles)
    return matrix


def apply_rope(
    x: ArrayLike,
    positions: ArrayLike,
    *,
    base: float = 10000.0,
    layout: str = "half",
    rotary_dim: int | None = None,
    inv_freq: ArrayLike | None = None,
) -> NDArray[np.float64]:
    r"""RoPE in one call: frequencies, tables and rotation (Su et al. 2021, arXiv:2104.09864, equations 14 and 34).

    Parameters
    ----------
    x : array [..., L, D], usually [B, H, L, D]
        The axis of the positions is the last but one: transpose [B, L, H, D] first.
    positions : [L], or [B, L] beside x [B, H, L, D]
        Finite real numbers. A cached decoding step passes the true position of its token, not 0.
    base : float
        Greater than 1, also where ``inv_freq`` is given and it is not used.
    layout : "half" or "interleaved"
        See `apply_rotary`.
    rotary_dim : int, optional
        Number of leading channels to turn; None means D. Its frequencies are ``rope_frequencies(rotary_dim)``.
    inv_freq : [P], optional
        Frequencies of your own (scaled, proportional); then 2P channels turn.

    Returns
    -------
    float64 array of the shape of x.

    Raises
    ------
    TypeError, ValueError
        As `rope_frequencies` and `apply_rotary`, and if ``rotary_dim`` and ``inv_freq`` disagree.
    """
    vectors = real_array("x", x)
    one_of("layout", layout, ROTARY_LAYOUTS)
    frequencies = resolve_frequencies(vectors, base, rotary_dim, inv_freq)
    cos, sin = rope_cos_sin(positions_beside(vectors, positions), frequencies)
    return apply_rotary(vectors, cos, sin, layout=layout)


def rope_score(
    q: ArrayLike, k: ArrayLike, distance: ArrayLike, inv_freq: ArrayLike, *, layout: str = "half"
) -> NDArray[np.float64]:
    r"""Score of one query and one key at given distances, without rotating either.

    .. math:: s(r) = \operatorname{Re} \sum_m q_m\, \overline{k_m}\; e^{i r \theta_m} = q^\top R_{-r}\, k,
              \qquad r = \text{query position} - \text{key position}

    The pairs of q and k are read as complex numbers. Su et al. 2021 (arXiv:2104.09864), equations 12
    and 16. Nothing but the distance enters; the sign of r matters unless :math:`q_m \overline{k_m}` is real.

    Parameters
    ----------
    q, k
        [D], not rotated.
    distance
        **query − key**, any shape, finite real numbers.
    inv_freq
        [P] with 2P ≤ D.
    layout
        See `pair_channels`.

    Returns
    -------
    float64 array of the shape of ``distance``, without the scale :math:`1/\sqrt{D}`
        Channels from 2P on add their plain product.

    Raises
    ------
    TypeError, ValueError
        If q and k differ in length, 2P is above D, an argument is not finite, or ``layout`` is unknown.
    """
    query, key = real_array("q", q, rank=1), real_array("k", k, rank=1)
    same_length("q", len(query), "k", len(key))
    angles = rope_angles(real_array("distance", distance), inv_freq)
    rotary_dim = 2 * angles.shape[-1]
    first, second = pair_channels(rotary_dim, layout)
    no_more_than("2 * len(inv_freq)", rotary_dim, "the number of channels of q", len(query))
    product = (query[first] + 1j * query[second]) * (key[first] - 1j * key[second])
    return (np.exp(1j * angles) * product).real.sum(axis=-1) + query[rotary_dim:] @ key[rotary_dim:]


def resolve_frequencies(
    vectors: NDArray[np.float64], base: float, rotary_dim: int | None, inv_freq: ArrayLike | None
) -> NDArray[np.float64]:
    """The frequencies meant by ``base``, ``rotary_dim`` and ``inv_freq`` for vectors [..., D]."""
    real_number("base", base, above=1)
    if rotary_dim is not None:
        no_more_than("rotary_dim", even_count("rotary_dim", rotary_dim), "the number of channels of x", _width(vectors))
    if inv_freq is None:
        name, width = ("rotary_dim", rotary_dim) if rotary_dim is not None else ("head_dim", _width(vectors))
        return rope_frequencies(even_count(name, width), base=base)
    frequencies = real_array("inv_freq", inv_freq, rank=1)
    no_more_than("2 * len(inv_freq)", 2 * len(frequencies), "the number of channels of x", _width(vectors))
    if rotary_dim is not None:
        same_length("inv_freq", len(frequencies), "the list of pairs in rotary_dim", rotary_dim // 2)
    return frequencies


def positions_beside(vectors: NDArray[np.float64], positions: ArrayLike) -> NDArray[np.float64]:
    """Finite positions that fit vectors [..., L, D]. Raises: TypeError, ValueError naming the positions."""
    checked = real_array("positions", positions)
    if _leading_axes(vectors.shape[:-1], checked.shape) is None:
        raise ValueError(
            f"positions of shape {checked.shape} do not fit x of shape {vectors.shape}: they must be [L], "
            f"[B, L] beside [B, H, L, D], or have the leading axes of x"
        )
    return checked


def _width(vectors: NDArray[np.float64]) -> int:
    return vectors.shape[-1] if vectors.ndim else 1


def _rotation_arguments(
    x: ArrayLike, cos: ArrayLike, sin: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    vectors = np.atleast_1d(real_array("x", x))
    cosines, sines = np.atleast_1d(real_array("cos", cos)), np.atleast_1d(real_array("sin", sin))
    if cosines.shape != sines.shape:
        raise ValueError(f"cos and sin must have one shape, got {cosines.shape} and {sines.shape}")
    no_more_than(
        "2 * the number of columns of cos", 2 * cosines.shape[-1], "the number of channels of x", _width(vectors)
    )
    return vectors, _beside(vectors, cosines), _beside(vectors, sines)


def _beside(vectors: NDArray[np.float64], table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The table with a head axis where it has none."""
    leading = _leading_axes(vectors.shape[:-1], table.shape[:-1])
    if leading is None:
        raise ValueError(
            f"cos and sin of shape {table.shape} do not fit x of shape {vectors.shape}: they must be [L, P], "
            f"[B, L, P] beside [B, H, L, D], or have the axes of x"
        )
    return table.reshape(*leading, table.shape[-1])


def _leading_axes(shape: tuple[int, ...], leading: tuple[int, ...]) -> tuple[int, ...] | None:
    """``leading`` with a head axis where ``shape`` has one, or None if it does not fit.

    A length of 1 never stands for many positions.
    """
    if len(shape) == 3 and len(leading) == 2:
        leading = (leading[0], 1, leading[1])
    known_rank = len(leading) in {min(1, len(shape)), len(shape)}
    broadcasts = all(have in (1, wanted) for have, wanted in zip(leading[::-1], shape[::-1], strict=False))
    return leading if known_rank and leading[-1:] == shape[-1:] and broadcasts else None
