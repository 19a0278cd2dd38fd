"""Where the relative methods start: the four terms of a score between sums of content and position."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.relative._pairs import same_heads
from pe_course.reference.validation import real_array


class ScoreTerms(NamedTuple):
    """Four arrays [..., Lq, Lk]; the first word names what the query brings, the second what the key brings."""

    content_content: NDArray[np.float64]
    content_position: NDArray[np.float64]
    position_content: NDArray[np.float64]
    position_position: NDArray[np.float64]


def expanded_score_terms(
    query_content: ArrayLike, query_position: ArrayLike, key_content: ArrayLike, key_position: ArrayLike
) -> ScoreTerms:
    r"""The four terms of the score of absolute position vectors (Dai et al. 2019, arXiv:1901.02860, section 3.3).

    .. math:: (x_i + p_i)^\top (y_j + r_j) = x_i^\top y_j + x_i^\top r_j + p_i^\top y_j + p_i^\top r_j

    Transformer-XL, T5 and DeBERTa are obtained by replacing or dropping terms of this sum; Shaw et al. and
    rotary position embeddings are not.

    Parameters
    ----------
    query_content, query_position
        [..., Lq, D], already projected by the query matrix.
    key_content, key_position
        [..., Lk, D], already projected by the key matrix.

    Returns
    -------
    `ScoreTerms`, un-scaled
        Their sum is the whole score.

    Raises
    ------
    ValueError
        If content and position differ in shape, or queries and keys in width or leading axes.
    """
    x, p = _content_and_position("query", query_content, query_position)
    y, r = _content_and_position("key", key_content, key_position)
    same_heads(x, y, names=("query_content", "key_content"))
    y_transposed, r_transposed = np.swapaxes(y, -1, -2), np.swapaxes(r, -1, -2)
    return ScoreTerms(x @ y_transposed, x @ r_transposed, p @ y_transposed, p @ r_transposed)


def _content_and_position(side: str, content: ArrayLike, position: ArrayLike) -> tuple[NDArray, NDArray]:
    x = real_array(f"{side}_content", content)
    p = real_array(f"{side}_position", position)
    if x.ndim < 2:
        raise ValueError(f"{side}_content must have at least 2 axes, got shape {x.shape}")
    if x.shape != p.shape:
        raise ValueError(f"{side}_position must have the shape of {side}_content {x.shape}, got {p.shape}")
    return x, p
