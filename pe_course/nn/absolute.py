r"""Order at the input: the model adds to each token's vector what belongs to its position.

Every class acts in ``embed(x, pos_q)``, which the model calls once; inside attention these methods do nothing.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from pe_course.nn.base import TableModule, exact_dtype, working_dtype
from pe_course.nn.checks import positions_fit
from pe_course.nn.positions import real_positions, rows_of_table, whole_positions
from pe_course.nn.registry import register
from pe_course.reference import absolute
from pe_course.reference.validation import count, even_count, flag, one_of, real_array, real_number

COMBINATIONS = ("add", "append")


class InputEncoding(TableModule):
    """What the methods at the input share: checks of ``x`` and of the positions, and the dtype of the result.

    A subclass gives `encoding`, the vectors of some positions. The sum is computed in float32 or better.
    """

    shift_invariant = False
    dim: int | None = None

    def _tables(self) -> dict[str, np.ndarray]:
        return {}

    def encoding(self, positions: Tensor, dtype: torch.dtype) -> Tensor:
        """What belongs to ``positions``: ``[L]`` or ``[B, L]`` to ``[L, dim]`` or ``[B, L, dim]``."""
        raise NotImplementedError

    def embed(self, x: Tensor, pos_q: Tensor) -> Tensor:
        """``x`` ``[B, L, D_model]`` with its positions ``[L]`` or ``[B, L]``, in the dtype of ``x``.

        Raises: TypeError, ValueError naming the argument; IndexError if a table has no row for a position.
        """
        _check_input(x, pos_q, self.dim)
        dtype = working_dtype(x, *self.parameters())
        return self._combine(x.to(dtype), self.encoding(pos_q, dtype)).to(x.dtype)

    def _combine(self, x: Tensor, encoding: Tensor) -> Tensor:
        return x + encoding


class _CountedPositions(InputEncoding):
    """Input encodings that are one number per token, times a direction or in a channel of its own."""

    def __init__(self, combine: str, direction: ArrayLike | None):
        super().__init__()
        self.combine = one_of("combine", combine, COMBINATIONS)
        if direction is not None and combine == "append":
            raise ValueError("direction must be None where combine is 'append', which adds a channel and no vector")
        self._direction = np.ones(1) if direction is None else real_array("direction", direction, rank=1)
        self.dim = None if direction is None else len(self._direction)
        self._register_tables()

    def _tables(self) -> dict[str, np.ndarray]:
        return {"direction": self._direction}

    def encoding(self, positions: Tensor, dtype: torch.dtype) -> Tensor:
        number = self._numbers(whole_positions("pos_q", positions))
        return (number[..., None] * self.direction).to(dtype)

    def _numbers(self, positions: Tensor) -> Tensor:
        return positions.to(exact_dtype(positions.device))

    def _combine(self, x: Tensor, encoding: Tensor) -> Tensor:
        if self.combine == "add":
            return x + encoding
        return torch.cat((x, encoding.expand(*x.shape[:-1], 1)), -1)


@register("integer")
class IntegerPositions(_CountedPositions):
    r"""The position itself: :math:`x_i + i\,u`, or i as one more channel.

    Parameters
    ----------
    combine
        "add" or "append" (the result is then one channel wider).
    direction
        u, [D_model]; None is 1 in every channel.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    Positions are whole and not negative.

    The numbers grow with the text. At position 1000 they drown a token vector of norm 20, and bfloat16 holds 769
    distinct values among the positions 0…4095.
    """

    def __init__(self, combine: str = "add", direction: ArrayLike | None = None):
        super().__init__(combine, direction)


@register("normalised")
class NormalisedPositions(_CountedPositions):
    r"""The position as a share of the text: :math:`x_i + \frac{i}{L - 1} u`, or the share as one more channel.

    Parameters
    ----------
    combine, direction
        As `IntegerPositions`.
    length
        L, the number of positions that 0 to 1 spans; None takes the largest position in the row of the batch as L - 1,
        so that each row spans 0 to 1 (0 for a lone token).

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    IndexError
        If a position is not below ``length``.

    Notes
    -----
    Positions are whole and not negative.

    Without ``length``, one step is worth 1/(L - 1), so a token's number changes when the text grows: decoding token by
    token gives other numbers than the full pass. Packed documents need ``length`` too, because a row then holds several
    texts.
    """

    def __init__(self, combine: str = "add", direction: ArrayLike | None = None, length: int | None = None):
        self.length = length if length is None else count("length", length)
        super().__init__(combine, direction)

    def _tables(self) -> dict[str, np.ndarray]:
        shares = {} if self.length is None else {"shares": absolute.normalised_positions(self.length)}
        return super()._tables() | shares

    def _numbers(self, positions: Tensor) -> Tensor:
        if self.length is not None:
            return self.shares[rows_of_table("position", positions, self.length)]
        last = positions.amax(-1, keepdim=True).clamp(min=1)
        return super()._numbers(positions) / last


@register("sinusoidal")
class SinusoidalPositionalEncoding(InputEncoding):
    r"""Sines and cosines of the position at geometric frequencies (Vaswani et al. 2017, arXiv:1706.03762, section 3.5).

    .. math:: PE_{(p, 2m)} = \sin(p\,\theta_m), \qquad PE_{(p, 2m+1)} = \cos(p\,\theta_m), \qquad
        \theta_m = \mathrm{base}^{-2m/d}

    Parameters
    ----------
    dim
        Width of the model, even.
    base
        Base of the frequencies, greater than 1.
    layout
        "interleaved" (the paper, DistilBERT, positional-encodings) or "concat", all sines first (Marian, Pegasus,
        Transformer-XL, Tensor2Tensor, fairseq, Whisper, M2M100).
    endpoint
        True ends the frequencies at exactly 1/base. Tensor2Tensor, fairseq, Whisper and M2M100 do, with layout
        "concat"; it gives other numbers, not only another order.
    scale_embedding
        Multiply ``x`` by :math:`\sqrt d` first, as the paper does (section 3.4).
    encoding_scale
        Factor on the encoding; x-transformers has :math:`d^{-1/2}`.
    padding_position
        A position whose encoding is zero, as the padding index of fairseq; None has none.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.

    Notes
    -----
    Positions are any finite real numbers. Angles are computed in float64.

    Tensor2Tensor and fairseq append a zero channel to an odd width; here it raises.
    """

    def __init__(
        self,
        dim: int,
        *,
        base: float = 10000.0,
        layout: str = "interleaved",
        endpoint: bool = False,
        scale_embedding: bool = False,
        encoding_scale: float = 1.0,
        padding_position: int | None = None,
    ):
        super().__init__()
        self.dim = even_count("dim", dim)
        self.base = real_number("base", base, above=1)
        self.layout = one_of("layout", layout, absolute.SINUSOID_LAYOUTS)
        self.endpoint = flag("endpoint", endpoint)
        self.embedding_scale = dim**0.5 if flag("scale_embedding", scale_embedding) else 1.0
        self.encoding_scale = real_number("encoding_scale", encoding_scale)
        self.padding_position = padding_position
        if padding_position is not None:
            self.padding_position = count("padding_position", padding_position, minimum=0)
        self._register_tables()

    def _tables(self) -> dict[str, np.ndarray]:
        return {"frequencies": absolute.sinusoidal_frequencies(self.dim, base=self.base, endpoint=self.endpoint)}

    def encoding(self, positions: Tensor, dtype: torch.dtype) -> Tensor:
        positions = real_positions("pos_q", positions)
        angles = positions[..., None] * self.frequencies
        pairs = torch.sin(angles), torch.cos(angles)
        vectors = torch.stack(pairs, -1).flatten(-2) if self.layout == "interleaved" else torch.cat(pairs, -1)
        if self.padding_position is not None:
            vectors = vectors.masked_fill((positions == self.padding_position)[..., None], 0.0)
        return (self.encoding_scale * vectors).to(dtype)

    def _combine(self, x: Tensor, encoding: Tensor) -> Tensor:
        return self.embedding_scale * x + encoding


@register("learned")
class LearnedPositionalEmbedding(InputEncoding):
    r"""A trained vector per position: :math:`x_p + P_p`.

    BERT has 512 rows (Devlin et al. 2019, arXiv:1810.04805), GPT-2 has 1024 (Radford et al. 2019).

    Parameters
    ----------
    max_position_embeddings
        Number of positions, so that 0…max-1 are allowed.
    dim
        Width of the model.
    offset
        Rows before the row of position 0. OPT has 2. RoBERTa's positions carry their offset already
        (``reference.positions.roberta_positions``): leave 0 and count its 514 rows.
    init_std
        The table starts as a normal draw of this spread.

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    IndexError
        If a position is outside the table.

    Notes
    -----
    ``weight`` is ``[max_position_embeddings + offset, dim]``, as in ``nn.Embedding``: a checkpoint's ``wpe.weight``
    loads as it is. The rows before ``offset`` belong to no position; some checkpoints keep a padding vector there.
    """

    def __init__(self, max_position_embeddings: int, dim: int, offset: int = 0, *, init_std: float = 0.02):
        super().__init__()
        self.max_position_embeddings = count("max_position_embeddings", max_position_embeddings)
        self.dim = count("dim", dim)
        self.offset = count("offset", offset, minimum=0)
        self.init_std = real_number("init_std", init_std, at_least=0)
        self.weight = nn.Parameter(torch.empty(self.max_position_embeddings + self.offset, self.dim))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight, std=self.init_std)

    def encoding(self, positions: Tensor, dtype: torch.dtype) -> Tensor:
        rows = rows_of_table("position", positions, self.max_position_embeddings) + self.offset
        return nn.functional.embedding(rows, self.weight).to(dtype)


def _check_input(x: Tensor, pos_q: Tensor, dim: int | None) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"x must be a torch tensor, got {type(x).__name__}")
    if not x.is_floating_point():
        raise TypeError(f"x must be a floating-point tensor, got dtype {x.dtype}")
    if x.ndim != 3:
        raise ValueError(f"x must have 3 axes [B, L, D_model], got shape {list(x.shape)}")
    if 0 in x.shape:
        raise ValueError(f"x must not be empty, got shape {list(x.shape)}")
    if dim is not None and x.shape[2] != dim:
        raise ValueError(f"x has width {x.shape[2]} but the encoding has {dim}")
    positions_fit("pos_q", pos_q, "x", x.shape[0], x.shape[1], 1, x.device)
