"""M-RoPE: time, height and width of a token share the pairs of one head (Wang et al. 2024, arXiv:2409.12191)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.rotary.frequencies import rope_angles
from pe_course.reference.validation import count, flag, need_axes, real_array, same_length, whole_array


def mrope_cos_sin(
    position_ids: ArrayLike, inv_freq: ArrayLike, mrope_section: Sequence[int], *, interleaved: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Cosine and sine tables in which each pair follows one of the token's coordinates.

    .. math:: \alpha_m = p_{a(m)}\, \theta_m

    Wang et al. 2024 (Qwen2-VL, arXiv:2409.12191); a(m) is `mrope_axes`.

    Parameters
    ----------
    position_ids : array [A, ..., L], usually [3, B, L]
        Time, height and width of every token; finite real numbers. A text token has one number
        three times, so that text alone is 1-D RoPE.
    inv_freq : [P]
        One list of frequencies for all axes, `rope_frequencies` of the head.
    mrope_section : A ints, sum P
        Number of pairs of each axis: (16, 24, 24) in Qwen2-VL, (24, 20, 20) in Qwen3-VL.
    interleaved : bool
        How the pairs are shared out, see `mrope_axes`.

    Returns
    -------
    two float64 arrays [..., L, P] for `apply_rotary` (layout "half" in the released codes).

    Raises
    ------
    TypeError, ValueError
        If the first axis of ``position_ids`` or the sum of ``mrope_section`` does not fit, or as `mrope_axes`.
    """
    positions = real_array("position_ids", position_ids)
    need_axes("position_ids", positions, 1, "[axes, ...]")
    axes = mrope_axes(mrope_section, interleaved=interleaved)
    same_length("position_ids (its first axis)", positions.shape[0], "mrope_section", len(mrope_section))
    angles = rope_angles(positions, inv_freq)
    same_length("inv_freq", angles.shape[-1], "the list of pairs in mrope_section", len(axes))
    chosen = np.stack([angles[axis, ..., pair] for pair, axis in enumerate(axes)], axis=-1)
    return np.cos(chosen), np.sin(chosen)


def mrope_axes(mrope_section: Sequence[int], *, interleaved: bool = False) -> NDArray[np.int64]:
    """Which axis each pair follows: 0 = time, 1 = height, 2 = width.

    Parameters
    ----------
    mrope_section
        Pairs per axis, each at least 0.
    interleaved
        False gives contiguous blocks 0…0 1…1 2…2 (Qwen2-VL); True deals 0, 1, 2, 0, 1, 2, … as long as pair m < A ·
        section[axis], and gives the remainder to time (Qwen3-VL).

    Returns
    -------
    int64 array [sum of mrope_section]

    Raises
    ------
    TypeError, ValueError
        If a section is negative or not whole, or there is no pair.

    Notes
    -----
    The rule of the released code need not give an axis all the pairs of its section: (2, 7, 7) leaves 5 of the 16 pairs
    to each of height and width, and 6 to time.
    """
    sections = whole_array("mrope_section", mrope_section, rank=1, minimum=0)
    pairs = np.arange(count("sum of mrope_section", int(sections.sum())))
    if not flag("interleaved", interleaved):
        return np.repeat(np.arange(len(sections)), sections)
    dealt = pairs % len(sections)
    return np.where(pairs < len(sections) * sections[dealt], dealt, 0)


def next_text_position(position_ids: ArrayLike) -> NDArray[np.float64]:
    """Position of the text token that follows: one above the largest coordinate so far.

    Wang et al. 2024 (arXiv:2409.12191). After an image of 4 × 6 patches that begins at 3, text goes on
    at 9 and not at 27: the largest coordinate counts, not the number of tokens.

    Parameters
    ----------
    position_ids
        [A, ..., L], usually [3, B, L]; finite real numbers, padding left out.

    Returns
    -------
    float64 array [...], usually [B]
        The next token has this number on every axis.

    Raises
    ------
    TypeError, ValueError
        If ``position_ids`` is not finite, is empty, or has fewer than two axes.
    """
    positions = real_array("position_ids", position_ids)
    count("number of axes of position_ids", positions.ndim, minimum=2)
    return positions.max(axis=(0, -1)) + 1
