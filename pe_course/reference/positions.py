"""Which position is each token at? Padding, packing, caches and shards all come down to these integers.

Methods take positions, never lengths. So a padded batch, a packed row, a decoding step or a shard needs no
change in a method: it needs the right integers, 0-based, and the right mask (`attention.causal_mask`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.validation import count, need_axes, one_of, rectangular, whole_array

SHARD_SCHEMES = ("contiguous", "zigzag")


def positions_from_mask(mask: ArrayLike) -> NDArray[np.int64]:
    r"""Positions in a padded batch: real tokens count 0, 1, 2, … from the first real one.

    .. math:: p_t = \sum_{s \le t} m_s - 1 \ \text{ where } m_t = 1, \qquad 0 \text{ on padding}

    Parameters
    ----------
    mask
        [..., T], 1 or True for real tokens, 0 or False for padding on the left, on the right or between.

    Returns
    -------
    int64 array of the shape of ``mask``

    Raises
    ------
    TypeError, ValueError
        If an entry is neither 0 nor 1, or there is no axis.

    Notes
    -----
    The value on padding means nothing, but it must index a table, so it is 0 here. Libraries fill in others: 1 in
    Hugging Face's text generation, −1 plus an offset of 2 in OPT. ``arange(T)`` in its place gives a left-padded prompt
    wrong positions. Rotary scores survive that, since queries and keys shift alike; a table of positions does not.
    """
    real = _zero_one("mask", mask)
    return np.where(real == 1, np.cumsum(real, axis=-1) - 1, 0)


def roberta_positions(input_ids: ArrayLike, padding_idx: int) -> NDArray[np.int64]:
    r"""Table rows of RoBERTa and fairseq: real tokens count from ``padding_idx`` + 1, padding stays at ``padding_idx``.

    .. math:: \mathrm{row}_t = P + m_t \sum_{s \le t} m_s, \qquad m_t = [\,\mathrm{id}_t \ne P\,]

    with P = ``padding_idx``.

    Released code of fairseq (``make_positions``) and Hugging Face (``create_position_ids_from_input_ids``).

    Parameters
    ----------
    input_ids
        [..., T], token ids.
    padding_idx
        The id that marks padding, not negative.

    Returns
    -------
    int64 array of the shape of ``input_ids``

    Raises
    ------
    TypeError, ValueError
        If an id or ``padding_idx`` is not a whole number of at least 0.

    Notes
    -----
    T tokens need a table of T + padding_idx + 1 rows, hence the 514 rows of RoBERTa for 512 tokens.
    """
    padding_idx = count("padding_idx", padding_idx, minimum=0)
    ids = whole_array("input_ids", input_ids, minimum=0)
    need_axes("input_ids", ids, 1, "[..., tokens]")
    real = (ids != padding_idx).astype(np.int64)
    return padding_idx + real * np.cumsum(real, axis=-1)


def opt_positions(mask: ArrayLike) -> NDArray[np.int64]:
    r"""Table rows of OPT: real tokens count from 2, padding gets row 1.

    .. math:: \mathrm{row}_t = m_t \sum_{s \le t} m_s - 1 + 2

    Released code (Hugging Face ``OPTLearnedPositionalEmbedding``); the model is Zhang et al. 2022 (arXiv:2205.01068).

    Parameters
    ----------
    mask
        [..., T], 1 or True for real tokens, 0 or False for padding.

    Returns
    -------
    int64 array of the shape of ``mask``
        T tokens need a table of T + 2 rows.

    Raises
    ------
    TypeError, ValueError
        As `positions_from_mask`.
    """
    real = _zero_one("mask", mask)
    return real * np.cumsum(real, axis=-1) + 1


def packed_positions(lengths: ArrayLike) -> NDArray[np.int64]:
    r"""Positions in a row of packed documents: they start again at 0 in each document.

    Parameters
    ----------
    lengths
        [n], tokens per document, each at least 1.

    Returns
    -------
    int64 array [sum of lengths]

    Raises
    ------
    TypeError, ValueError
        If a length is not a whole number of at least 1, or there is none.

    Notes
    -----
    Positions alone do not part the documents; a token still sees the document before. Add `same_document_mask`.
    """
    lengths = whole_array("lengths", lengths, rank=1, minimum=1)
    starts = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) - np.repeat(starts, lengths)


def document_ids(lengths: ArrayLike) -> NDArray[np.int64]:
    r"""Number of the document that each token of a packed row belongs to: 0 … n−1.

    Parameters
    ----------
    lengths
        [n], tokens per document, each at least 1.

    Returns
    -------
    int64 array [sum of lengths]

    Raises
    ------
    TypeError, ValueError
        As `packed_positions`.
    """
    lengths = whole_array("lengths", lengths, rank=1, minimum=1)
    return np.repeat(np.arange(lengths.size), lengths)


def same_document_mask(document_ids: ArrayLike) -> NDArray[np.bool_]:
    r"""True where query and key belong to the same document: :math:`M_{ij} = [\,\mathrm{doc}_i = \mathrm{doc}_j\,]`.

    Parameters
    ----------
    document_ids
        [..., L], whole numbers.

    Returns
    -------
    bool array [..., L, L]

    Raises
    ------
    TypeError, ValueError
        If an id is not a whole number, or there is no axis.

    Notes
    -----
    For a decoder, combine it: ``same_document_mask(ids) & attention.causal_mask(L)``.
    """
    ids = whole_array("document_ids", document_ids)
    need_axes("document_ids", ids, 1, "[..., tokens]")
    return ids[..., :, None] == ids[..., None, :]


def decode_positions(n_seen: ArrayLike, n_new: int) -> NDArray[np.int64]:
    r"""Positions of ``n_new`` tokens after ``n_seen`` earlier ones: n_seen, n_seen + 1, ….

    Parameters
    ----------
    n_seen
        Tokens seen so far, at least 0; one number, or one per sequence [...].
    n_new
        Tokens in this step, at least 1.

    Returns
    -------
    int64 array [n_new], or [..., n_new]

    Raises
    ------
    TypeError, ValueError
        If a count is not whole or too small.

    Notes
    -----
    Count what was seen (without padding), not what the cache keeps: a sliding window that drops old keys leaves the
    position of the next token as it is. The mask of this step is ``attention.causal_mask(n_new, keys)``.
    """
    seen = whole_array("n_seen", n_seen, minimum=0)
    return seen[..., None] + np.arange(count("n_new", n_new))


def shard_positions(seq_len: int, world: int, rank: int, *, scheme: str = "contiguous") -> NDArray[np.int64]:
    r"""Positions that one of several devices holds when a sequence is split among them.

    "contiguous": rank r holds chunk r of ``world``. "zigzag": the sequence is cut into 2·world chunks and
    rank r holds the chunks r and 2·world − 1 − r, so that each device has the same share of a causal mask
    (ring attention with balanced load, as in Megatron's context parallelism; equation from secondary reading).

    Parameters
    ----------
    seq_len
        Tokens of the whole sequence.
    world
        Number of devices.
    rank
        This one, 0-based.
    scheme
        "contiguous" or "zigzag".

    Returns
    -------
    int64 array [seq_len / world], in the order in which the device holds them

    Raises
    ------
    TypeError, ValueError
        If a number is not whole or out of range, ``seq_len`` does not divide into the chunks, or ``scheme`` is unknown.
    """
    world = count("world", world)
    rank = count("rank", rank, minimum=0, maximum=world - 1)
    zigzag = one_of("scheme", scheme, SHARD_SCHEMES) == "zigzag"
    chunks = 2 * world if zigzag else world
    if count("seq_len", seq_len) % chunks:
        raise ValueError(f"seq_len must be a multiple of {chunks}, the number of chunks for {scheme}, got {seq_len}")
    rows = np.arange(seq_len).reshape(chunks, -1)
    return np.concatenate([rows[rank], rows[chunks - 1 - rank]]) if zigzag else rows[rank]


def _zero_one(name: str, value: ArrayLike) -> NDArray[np.int64]:
    array = rectangular(name, value)
    if array.dtype == np.bool_:
        array = array.astype(np.int64)
    array = whole_array(name, array, minimum=0, maximum=1)
    need_axes(name, array, 1, "[..., tokens]")
    return array
