"""Which channels form a pair, and how vectors and weights change from one layout to the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.validation import (
    count,
    even_count,
    multiple_of,
    need_axes,
    no_more_than,
    one_of,
    real_array,
)

ROTARY_LAYOUTS = ("half", "interleaved")
"""The layouts, values of ``layout``: see `pair_channels`."""


def pair_channels(rotary_dim: int, layout: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Channel numbers of the first and the second member of every pair.

    Parameters
    ----------
    rotary_dim
        R, even.
    layout
        "interleaved" pairs (2m, 2m+1), "half" pairs (m, m + R/2).

    Returns
    -------
    two int64 arrays [R/2]

    Raises
    ------
    TypeError, ValueError
        If ``rotary_dim`` is odd or below 2, or ``layout`` is unknown.

    Notes
    -----
    Interleaved are RoFormer (Su et al. 2021, arXiv:2104.09864), GPT-J, Meta's Llama code, torchtune, GLM,
    rotary-embedding-torch and x-transformers; half are GPT-NeoX, Llama in Hugging Face Transformers, litgpt and vLLM
    with ``is_neox_style``. The name ``rotate_half`` stands for either: half in Llama's Transformers code, interleaved
    in GLM's and in rotary-embedding-torch.
    """
    channels = np.arange(even_count("rotary_dim", rotary_dim))
    pairs = rotary_dim // 2
    if one_of("layout", layout, ROTARY_LAYOUTS) == "interleaved":
        return channels[0::2], channels[1::2]
    return channels[:pairs], channels[pairs:]


def interleaved_to_half(x: ArrayLike, *, rotary_dim: int | None = None) -> NDArray[np.float64]:
    """Reorder the last axis from interleaved pairs to half pairs: channels 0, 2, 4, …, 1, 3, 5, ….

    Parameters
    ----------
    x
        [..., D].
    rotary_dim
        Number of leading channels to reorder, None for all D.

    Returns
    -------
    float64 array of the same shape
        Channels from ``rotary_dim`` on keep their places.

    Raises
    ------
    TypeError, ValueError
        If ``x`` is not finite, or ``rotary_dim`` is odd, below 2 or above D.

    Notes
    -----
    Rotating in one layout, then reordering, equals reordering, then rotating in the other. Scores stay equal if queries
    and keys are both reordered; they change if only one is.
    """
    array = _vectors("x", x)
    return array[..., _reordering(array.shape[-1], rotary_dim)]


def half_to_interleaved(x: ArrayLike, *, rotary_dim: int | None = None) -> NDArray[np.float64]:
    """Inverse of `interleaved_to_half`; parameters, result and errors as there."""
    array = _vectors("x", x)
    return array[..., np.argsort(_reordering(array.shape[-1], rotary_dim))]


def permute_projection(
    weight: ArrayLike, num_heads: int, *, to: str, rotary_dim: int | None = None
) -> NDArray[np.float64]:
    """Rows of a query or key projection, reordered head by head for the other layout.

    A model trained in one layout gives the same scores in the other once the rows of its query and key
    projections are reordered. Values and output projections stay as they are.

    Parameters
    ----------
    weight : array [H*D, d_in], or a bias [H*D]
        Rows are the output channels, as in ``torch.nn.Linear.weight``.
    num_heads : int
        H: query heads for the query projection, key heads for the key projection.
    to : "half" or "interleaved"
        The layout wanted; the rows are taken to be in the other one. "half" is what Meta-to-Hugging-Face
        conversion scripts do.
    rotary_dim : int, optional
        Rotated channels per head; the rows of the others stay. None means the whole head.

    Returns
    -------
    float64 array of the same shape.

    Raises
    ------
    TypeError, ValueError
        If ``weight`` has no one or two axes, its rows do not divide into heads, ``to`` is unknown, or
        ``rotary_dim`` is odd, below 2 or wider than a head.
    """
    rows = real_array("weight", weight)
    if rows.ndim not in (1, 2):
        raise ValueError(f"weight must have 1 or 2 axes, got shape {rows.shape}")
    heads = count("num_heads", num_heads)
    multiple_of("number of rows of weight", rows.shape[0], heads, why=f"num_heads is {heads}")
    order = _reordering(rows.shape[0] // heads, rotary_dim)
    if one_of("to", to, ROTARY_LAYOUTS) == "interleaved":
        order = np.argsort(order)
    return rows.reshape(heads, -1, *rows.shape[1:])[:, order].reshape(rows.shape)


def _reordering(width: int, rotary_dim: int | None) -> NDArray[np.int64]:
    """Where each channel of the half layout stands in the interleaved one, unrotated channels last."""
    rotary_dim = width if rotary_dim is None else rotary_dim
    first, second = pair_channels(rotary_dim, "interleaved")
    no_more_than("rotary_dim", rotary_dim, "the number of channels", width)
    return np.concatenate([first, second, np.arange(rotary_dim, width)])


def _vectors(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = real_array(name, value)
    need_axes(name, array, 1, "[..., D]")
    return array
