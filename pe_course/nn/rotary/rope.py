"""RoPE with every published rule of context extension, and the frequencies that such a rule gives at a length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from pe_course.nn.registry import register
from pe_course.nn.rotary.turning import RotationMethod
from pe_course.reference import rotary
from pe_course.reference import validation as check
from pe_course.reference.scaling import rope_parameters_from_config

FrequencyPair = tuple[ArrayLike, float]
"""``(inv_freq, attention_factor)``, as the ``rope_scaling_<type>`` functions return it."""
Scaling = Mapping[str, Any] | FrequencyPair | Callable[[int | None], FrequencyPair]

DEFAULT_BASE = 10000.0


@register("rope")
class RotaryEmbedding(RotationMethod):
    r"""RoPE (Su et al. 2021, arXiv:2104.09864, equations 14 and 34): pair m turns by position times frequency m.

    .. math:: (a, b)_m \mapsto R(p\,\theta_m)\,(a, b)_m, \qquad \theta_m = \mathrm{base}^{-2m/d}

    A score depends on the distance query − key alone. Values are not rotated.

    Parameters
    ----------
    head_dim : int
        Channels per head, D.
    base : float
        b, greater than 1 (``rope_theta``). A ``rope_theta`` within ``scaling`` takes its place.
    rotary_dim : int, optional
        Number of channels that turn, even; None means all. The frequencies are those of a head of this width.
    partial_rotary_factor : float, optional
        The same as a fraction of ``head_dim`` (GPT-NeoX, GLM, Phi). Under ``rope_type="proportional"`` (p-RoPE) the
        fraction of pairs that turn, with the frequencies of the whole head.
    layout : "half" or "interleaved"
        Which channels form a pair, see `pe_course.reference.rotary.pair_channels`. "half" is that of Llama in
        Hugging Face Transformers; RoFormer, GPT-J, GLM, DeepSeek and Meta's Llama code are interleaved.
    scaling : mapping, pair or function, optional
        How the frequencies are stretched:

        - a mapping with the keys of ``rope_parameters`` or ``rope_scaling`` in Hugging Face configurations, such as
          ``{"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}``; the types are those of
          `pe_course.reference.scaling.ROPE_TYPES`. ``max_position_embeddings`` may stand in it as well;
        - a pair ``(inv_freq, attention_factor)`` with frequencies of your own, which replace ``base``;
        - a function ``length -> (inv_freq, attention_factor)`` for a rule of your own that follows the length. It is
          asked with None for the frequencies of the trained length. Its attention factor must not change.
    max_position_embeddings : int, optional
        The trained length for "dynamic", the extended length for "longrope" and "yarn".
    softmax_factor : float
        Multiplies the scale 1/sqrt(D) of the scores: DeepSeek's attention takes
        `pe_course.reference.scaling.yarn_softmax_scale_factor`, other model classes with the same parameters do not.
    rotary_start : int
        The first channel that turns. DeepSeek's heads are 128 channels without position before 64 with.
    seq_len : int, optional
        See `seq_len`.

    Raises
    ------
    TypeError, ValueError
        If a width is odd or too large, two arguments say the same in different ways, or as
        `pe_course.reference.scaling.rope_parameters_from_config` and the ``rope_scaling_<type>`` functions.

    Notes
    -----
    ``dynamic`` and ``longrope`` have frequencies that follow the length of the sequence (``follows_length``). A key
    rotated at one length does not fit a query rotated at another, so cache un-rotated keys (``cache_rotated_ok`` is
    False) and rotate them all at each step, as `pe_course.nn.attention` does.
    """

    def __init__(
        self,
        head_dim: int,
        *,
        base: float = DEFAULT_BASE,
        rotary_dim: int | None = None,
        partial_rotary_factor: float | None = None,
        layout: str = "half",
        scaling: Scaling | None = None,
        max_position_embeddings: int | None = None,
        softmax_factor: float = 1.0,
        rotary_start: int = 0,
        seq_len: int | None = None,
    ) -> None:
        rotation = _resolve(head_dim, base, rotary_dim, partial_rotary_factor, scaling, max_position_embeddings)
        super().__init__(head_dim, rotation.rotary_dim, layout, rotary_start)
        self._rule = rotation.rule
        self.base = rotation.base
        self.follows_length: bool = rotation.follows_length
        """The frequencies depend on how long the sequence is."""
        self.shift_invariant = not self.follows_length
        self.softmax_factor = check.real_number("softmax_factor", softmax_factor, above=0)
        self._seq_len = None if seq_len is None else check.count("seq_len", seq_len)
        self.attention_factor = self._rule(None)[1]
        self._register_tables()

    @property
    def cache_rotated_ok(self) -> bool:
        return not self.follows_length

    @property
    def seq_len(self) -> int | None:
        """The length that the frequencies are made for, where they follow it (``follows_length``).

        None takes the largest position of each call plus one, over all rows of the batch, as Hugging Face
        Transformers does. Looking at positions would break a compiled graph: set a number before a compiled call. A
        number stays until it is changed; while it does, rotated keys fit each other and may be cached. It has no effect
        where frequencies do not follow the length.
        """
        return self._seq_len

    @seq_len.setter
    def seq_len(self, value: int | None) -> None:
        self._seq_len = None if value is None else check.count("seq_len", value)
        if self.inv_freq.device.type != "meta":
            self.inv_freq = self._on_table_device(self._at_length(self._seq_len))

    def sm_scale(self, head_dim: int) -> float:
        return super().sm_scale(head_dim) * self.softmax_factor

    def _tables(self) -> dict[str, np.ndarray]:
        return {"inv_freq": self._at_length(self._seq_len)}

    def _frequencies(self, pos_q: Tensor, pos_k: Tensor) -> Tensor:
        if not self.follows_length or self._seq_len is not None:
            return self.inv_freq
        if torch.compiler.is_compiling():
            raise RuntimeError("seq_len must be a number in a compiled call, because frequencies follow it; got None")
        longest = max(int(pos_q.max()), int(pos_k.max()))
        return self._on_table_device(self._at_length(max(longest, 0) + 1))

    def _at_length(self, length: int | None) -> NDArray[np.float64]:
        """The frequencies of a length, from a rule that may be the caller's own."""
        inv_freq, factor = self._rule(length)
        if factor != self.attention_factor or 2 * len(inv_freq) != self.rotary_dim:
            raise ValueError(
                f"scaling must keep its attention_factor {self.attention_factor:g} and its {self.rotary_dim // 2} "
                f"frequencies at every length, got {factor:g} and {len(inv_freq)} at {length}"
            )
        return inv_freq

    def _on_table_device(self, table: NDArray[np.float64]) -> Tensor:
        return torch.as_tensor(table).to(self.inv_freq)

    def extra_repr(self) -> str:
        stretched = f", attention_factor={self.attention_factor:g}" if self.attention_factor != 1 else ""
        return f"{super().extra_repr()}, base={self.base:g}{stretched}"


# Where the frequencies come from ------------------------------------------------------------------------------------

Rule = Callable[[int | None], tuple[NDArray[np.float64], float]]
"""From a length (None: the trained one) to ``(inv_freq, attention_factor)``."""


class _Rotation(NamedTuple):
    rule: Rule
    rotary_dim: int
    base: float
    follows_length: bool


def _resolve(
    head_dim: int,
    base: float,
    rotary_dim: int | None,
    partial_rotary_factor: float | None,
    scaling: Scaling | None,
    max_position_embeddings: int | None,
) -> _Rotation:
    """What the arguments of `RotaryEmbedding` mean, once they do not contradict each other."""
    check.real_number("base", base, above=1)
    if max_position_embeddings is not None:
        check.count("max_position_embeddings", max_position_embeddings)
    width = check.count("head_dim", head_dim) if rotary_dim is None else check.even_count("rotary_dim", rotary_dim)
    if rotary_dim is not None and partial_rotary_factor is not None:
        raise ValueError(
            f"partial_rotary_factor must be None beside rotary_dim {rotary_dim}, got {partial_rotary_factor}"
        )
    if scaling is None or isinstance(scaling, Mapping):
        config = _as_config(width, base, partial_rotary_factor, scaling or {}, max_position_embeddings)
        found = rope_parameters_from_config(config)
        return _Rotation(partial(_pair_from_config, config), found.rotary_dim, found.base, found.follows_length)
    if max_position_embeddings is not None:
        raise ValueError(
            f"max_position_embeddings must be None unless scaling is a mapping, got {max_position_embeddings}"
        )
    rule = partial(_checked_pair, scaling if callable(scaling) else partial(_constant, scaling))
    own_width = 2 * len(rule(None)[0])
    if partial_rotary_factor is not None:
        rotary_dim = rotary.partial_rotary_dim(head_dim, partial_rotary_factor=partial_rotary_factor)
    if rotary_dim is not None:
        check.same_length("inv_freq in scaling", own_width // 2, "the list of pairs in rotary_dim", rotary_dim // 2)
    return _Rotation(rule, own_width, float(base), callable(scaling))


def _as_config(
    width: int,
    base: float,
    partial_rotary_factor: float | None,
    given: Mapping[str, Any],
    max_position_embeddings: int | None,
) -> dict[str, Any]:
    """The arguments as a model configuration, so that one parser reads both."""
    if "mrope_section" in given:
        raise ValueError("scaling must not contain 'mrope_section' here; it belongs to MRope, and so do its positions")
    parameters = dict(given)
    inside = parameters.pop("max_position_embeddings", None)
    if inside is not None:
        check.count("max_position_embeddings in scaling", inside)
    _same_if_both("max_position_embeddings", max_position_embeddings, inside)
    _same_if_both("partial_rotary_factor", partial_rotary_factor, parameters.get("partial_rotary_factor"))
    _same_if_both("base", None if base == DEFAULT_BASE else base, parameters.get("rope_theta"))
    return {
        "head_dim": width,
        "rope_theta": base,
        "partial_rotary_factor": partial_rotary_factor,
        "max_position_embeddings": inside if max_position_embeddings is None else max_position_embeddings,
        "rope_parameters": parameters,
    }


def _same_if_both(name: str, argument: float | None, inside: float | None) -> None:
    if argument is not None and inside is not None and argument != inside:
        raise ValueError(f"{name} must be given once, got {argument} beside scaling and {inside} within it")


def _pair_from_config(config: Mapping[str, Any], seq_len: int | None) -> tuple[NDArray[np.float64], float]:
    found = rope_parameters_from_config(config, seq_len=seq_len)
    return found.inv_freq, found.attention_factor


def _constant(pair: FrequencyPair, seq_len: int | None) -> FrequencyPair:
    return pair


def _checked_pair(
    function: Callable[[int | None], FrequencyPair], seq_len: int | None
) -> tuple[NDArray[np.float64], float]:
    pair = function(seq_len)
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(f"scaling must be a mapping, or be or return a pair (inv_freq, attention_factor); got {pair!r}")
    inv_freq = check.real_array("inv_freq in scaling", pair[0], rank=1)
    return inv_freq, check.real_number("attention_factor in scaling", pair[1], above=0)
