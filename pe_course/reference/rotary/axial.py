"""RoPE for tokens with several coordinates: each axis turns its own share of the pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.rotary.frequencies import rope_frequencies
from pe_course.reference.validation import count, multiple_of, need_axes, one_of, real_array, real_number, whole_array


def axial_angles(
    coordinates: ArrayLike,
    dim: int,
    *,
    variant: str = "lang",
    base: float | None = None,
    max_freq: float = 10.0,
) -> NDArray[np.float64]:
    r"""Angles of all pairs for tokens on a grid: the pairs of the first axis, then those of the next.

    .. math:: \alpha_{a, m} = x_a\, \theta_{a, m}, \qquad a = 0, \dots, A-1, \quad m = 0, \dots, d/(2A) - 1

    Parameters
    ----------
    coordinates : array [..., L, A]
        One finite real number per axis, for images (row, column); `grid_coordinates` makes them.
    dim : int
        d, number of rotated channels; a multiple of 2A.
    variant, base, max_freq
        Frequencies of each axis, see `axial_frequencies`.

    Returns
    -------
    float64 array [..., L, dim/2]
        ``np.cos`` and ``np.sin`` of it go to `apply_rotary`. Layouts of the released codes: interleaved for "lang"
        and "pixel" (rotary-embedding-torch), half for "qwen2_vl" and "dinov3"; "pixtral" is half in Hugging Face
        Transformers and interleaved in Mistral's code.

    Raises
    ------
    TypeError, ValueError
        If ``coordinates`` has no axis, or as `axial_frequencies`.

    Notes
    -----
    The score of two tokens depends on the differences of their coordinates, one per axis, and on nothing else.
    """
    points = real_array("coordinates", coordinates)
    need_axes("coordinates", points, 1, "[..., axes]")
    frequencies = axial_frequencies(dim, points.shape[-1], variant=variant, base=base, max_freq=max_freq)
    angles = points[..., None] * frequencies
    return angles.reshape(*points.shape[:-1], frequencies.size)


def axial_frequencies(
    dim: int, num_axes: int, *, variant: str = "lang", base: float | None = None, max_freq: float = 10.0
) -> NDArray[np.float64]:
    r"""Frequencies of each axis, in radians per unit of its coordinate.

    Parameters
    ----------
    dim : int
        d, number of rotated channels; a multiple of 2A.
    num_axes : int
        A: 2 for images, 3 for video.
    variant : str
        The released code that is followed:

        - "lang": every axis has the frequencies of a head of width d/A (rotary-embedding-torch,
          ``freqs_for="lang"``); "qwen2_vl" are the same numbers (Wang et al. 2024, arXiv:2409.12191, vision tower).
        - "pixel": :math:`\pi` times equal steps from 1 to ``max_freq``/2, for coordinates in [−1, 1]
          (rotary-embedding-torch, ``freqs_for="pixel"``).
        - "pixtral": the frequencies of the whole width are dealt out in turn, so that rows take m = 0, 2, 4, …
          and columns 1, 3, 5, … (Agrawal et al. 2024, arXiv:2410.07073).
        - "dinov3": :math:`2\pi` times "lang" with base 100, for patch centres in [−1, 1]
          (Siméoni et al. 2025, arXiv:2508.10104).
    base : float, optional
        Greater than 1; None takes the code's default, 100 for "dinov3" and 10000 otherwise. Not used by "pixel".
    max_freq : float
        At least 2; used by "pixel" only.

    Returns
    -------
    float64 array [A, d/(2A)].

    Raises
    ------
    TypeError, ValueError
        If ``dim`` is not a multiple of 2A, ``variant`` is unknown, ``base`` is not above 1, or ``max_freq`` is below 2.
    """
    axes = count("num_axes", num_axes)
    multiple_of("dim", count("dim", dim), 2 * axes, why=f"each of {axes} axes turns its own pairs")
    frequencies, default_base = _VARIANTS[one_of("variant", variant, AXIAL_VARIANTS)]
    base = real_number("base", default_base if base is None else base, above=1)
    return frequencies(dim, axes, base, real_number("max_freq", max_freq, at_least=2))


def grid_coordinates(sizes: Sequence[int], *, kind: str = "index") -> NDArray[np.float64]:
    """Coordinates of the cells of a grid, the last axis running fastest.

    Parameters
    ----------
    sizes
        Cells per axis, for an image (rows, columns).
    kind
        "index" counts 0, 1, 2, … (Qwen2-VL, Pixtral, "lang"); "ends" runs from −1 to 1, ends included ("pixel");
        "centres" are the middles of equal cells of [−1, 1] (DINOv3).

    Returns
    -------
    float64 array [product of sizes, A]

    Raises
    ------
    TypeError, ValueError
        If a size is below 1, there is none, or ``kind`` is unknown.

    Notes
    -----
    A single cell has the coordinate −1 under "ends", as ``linspace`` has it, and 0 under "centres". Qwen2-VL lists its
    patches in blocks of 2 × 2, not row by row: reorder the rows for it.
    """
    place = _GRIDS[one_of("kind", kind, GRID_KINDS)]
    lengths = whole_array("sizes", sizes, rank=1, minimum=1)
    mesh = np.meshgrid(*[place(length) for length in lengths], indexing="ij")
    return np.stack([axis.ravel() for axis in mesh], axis=-1).astype(np.float64)


def _same_for_every_axis(dim: int, axes: int, base: float, max_freq: float) -> NDArray[np.float64]:
    return np.tile(rope_frequencies(dim // axes, base=base), (axes, 1))


def _turns(dim: int, axes: int, base: float, max_freq: float) -> NDArray[np.float64]:
    return 2 * math.pi * _same_for_every_axis(dim, axes, base, max_freq)


def _linear(dim: int, axes: int, base: float, max_freq: float) -> NDArray[np.float64]:
    return np.tile(math.pi * np.linspace(1.0, max_freq / 2, dim // axes // 2), (axes, 1))


def _dealt_out(dim: int, axes: int, base: float, max_freq: float) -> NDArray[np.float64]:
    return rope_frequencies(dim, base=base).reshape(-1, axes).T


_VARIANTS: dict[str, tuple[Callable[..., NDArray[np.float64]], float]] = {
    "lang": (_same_for_every_axis, 10000.0),
    "pixel": (_linear, 10000.0),
    "qwen2_vl": (_same_for_every_axis, 10000.0),
    "pixtral": (_dealt_out, 10000.0),
    "dinov3": (_turns, 100.0),
}
AXIAL_VARIANTS = tuple(_VARIANTS)
"""The published sets of frequencies, values of ``variant`` in `axial_frequencies`."""

_GRIDS: dict[str, Callable[[int], NDArray]] = {
    "index": np.arange,
    "ends": lambda length: np.linspace(-1.0, 1.0, length),
    "centres": lambda length: 2 * (np.arange(length) + 0.5) / length - 1,
}
GRID_KINDS = tuple(_GRIDS)
"""How cells get coordinates, values of ``kind`` in `grid_coordinates`."""
