"""One factor for every pair, or one new base for all of them."""

from __future__ import annotations

import math

from pe_course.reference import rotary
from pe_course.reference import validation as check
from pe_course.reference.scaling._checks import FloatArray, width_and_base

DYNAMIC_VARIANTS = ("hf", "paper", "qwen", "alpha")
"""The published rules, values of ``variant`` in `rope_scaling_dynamic`."""


def rope_scaling_default(dim: int, *, base: float = 10000.0) -> tuple[FloatArray, float]:
    """The frequencies as they were trained: see `pe_course.reference.rotary.rope_frequencies`.

    Parameters
    ----------
    dim : int
        Rotated width d; even.
    base : float
        RoPE base, greater than 1 (``rope_theta``).

    Returns
    -------
    (inv_freq [dim/2], 1.0)

    Raises
    ------
    TypeError, ValueError
        If ``dim`` is odd or below 2, or ``base`` is not above 1.
    """
    dim, base = width_and_base(dim, base)
    return rotary.rope_frequencies(dim, base=base), 1.0


def rope_scaling_linear(dim: int, *, factor: float, base: float = 10000.0) -> tuple[FloatArray, float]:
    r"""Position interpolation: every pair turns ``factor`` times slower (Chen et al. 2023, arXiv:2306.15595).

    .. math:: \theta^\prime_m = \theta_m / s

    Dividing every position by s is the same; s·L positions then fit into the trained range.

    Parameters
    ----------
    dim : int
        Rotated width d; even.
    factor : float
        s, at least 1: how many times the trained length is stretched.
    base : float
        RoPE base, greater than 1 (``rope_theta``).

    Returns
    -------
    (inv_freq [dim/2], 1.0)

    Raises
    ------
    TypeError, ValueError
        If ``dim`` is odd, ``factor`` is below 1 or ``base`` is not above 1.

    Notes
    -----
    MLX calls the inverse, 1/s, the scale.
    """
    factor = check.real_number("factor", factor, at_least=1)
    inv_freq, attention_factor = rope_scaling_default(dim, base=base)
    return inv_freq / factor, attention_factor


def ntk_base(base: float, factor: float, dim: int) -> float:
    r"""The NTK-aware base (bloc97 2023; Peng et al. 2023, arXiv:2309.00071, equation 16).

    .. math:: b^\prime = b \cdot s^{d/(d-2)}

    The exponent makes the slowest pair, m = d/2 − 1, turn exactly s times slower.

    Parameters
    ----------
    base : float
        RoPE base, greater than 1 (``rope_theta``).
    factor : float
        s, at least 1: how many times the trained length is stretched.
    dim : int
        Rotated width d; even, at least 4: a single pair would be fastest and slowest at once.

    Returns
    -------
    float: the new base.

    Raises
    ------
    TypeError, ValueError
        If ``dim`` is odd or below 4, ``factor`` is below 1 or ``base`` is not above 1.
    """
    dim, base = width_and_base(dim, base, minimum=4)
    factor = check.real_number("factor", factor, at_least=1)
    try:
        return base * factor ** (dim / (dim - 2))
    except OverflowError:
        raise ValueError(f"factor must leave the new base finite in float64, got {factor:g} at dim {dim}") from None


def rope_scaling_ntk(dim: int, *, factor: float, base: float = 10000.0) -> tuple[FloatArray, float]:
    """NTK-aware scaling: the frequencies of the base that `ntk_base` gives.

    The fastest pair keeps its speed, the slowest turns exactly ``factor`` times slower.

    Parameters
    ----------
    dim : int
        Rotated width d; even, at least 4.
    factor : float
        s, at least 1: how many times the trained length is stretched.
    base : float
        RoPE base, greater than 1 (``rope_theta``).

    Returns
    -------
    (inv_freq [dim/2], 1.0)

    Raises
    ------
    TypeError, ValueError
        As `ntk_base`.
    """
    return rope_scaling_default(dim, base=ntk_base(base, factor, dim))


def dynamic_ntk_factor(
    seq_len: int | None,
    max_position_embeddings: int,
    *,
    variant: str = "hf",
    factor: float = 1.0,
    alpha: float = 1.0,
) -> float:
    r"""The factor that `ntk_base` is given when the sequence has l tokens; L is the trained length.

    - ``hf``: :math:`1 + s\,(l/L - 1)`, usually written :math:`s\,l/L - (s-1)` (emozilla 2023; transformers and the
      YaRN repository);
    - ``paper``: :math:`l/L` (Peng et al. 2023, arXiv:2309.00071, section 3.3);
    - ``qwen``: :math:`2^{\lceil \log_2(l/L) + 1 \rceil} - 1` (Qwen-1);
    - ``alpha``: :math:`\alpha` at every length (Hunyuan; vLLM for ``dynamic`` with ``alpha``).

    The first three take l = L where l is below L, which gives 1. They depend on nothing but ``seq_len``: after a
    long input, a short one gets the trained frequencies again.

    Parameters
    ----------
    seq_len : int or None
        l, tokens seen so far, at least 1; None stands for the trained length.
    max_position_embeddings : int
        L in tokens, at least 1.
    variant : "hf", "paper", "qwen" or "alpha"
        The rule.
    factor : float
        s, at least 1; acts in "hf" alone.
    alpha : float
        At least 1; acts in "alpha" alone.

    Returns
    -------
    float, at least 1.

    Raises
    ------
    TypeError, ValueError
        If a length is not whole or below 1, ``factor`` or ``alpha`` is below 1, or ``variant`` is unknown.

    Notes
    -----
    With s·L in the place of l the first rule no longer follows the length and gives s² − s + 1. A server that
    computes its table once, for the longest length, does that.
    """
    check.one_of("variant", variant, DYNAMIC_VARIANTS)
    trained = check.count("max_position_embeddings", max_position_embeddings)
    length = trained if seq_len is None else check.count("seq_len", seq_len)
    factor = check.real_number("factor", factor, at_least=1)
    alpha = check.real_number("alpha", alpha, at_least=1)
    stretch = max(length, trained) / trained
    if variant == "hf":
        # s·l/L − (s − 1) in another order: exactly 1 at l = L.
        return 1 + factor * (stretch - 1)
    if variant == "paper":
        return stretch
    if variant == "qwen":
        return 2.0 ** math.ceil(math.log2(stretch) + 1) - 1
    return alpha


def rope_scaling_dynamic(
    dim: int,
    *,
    max_position_embeddings: int,
    seq_len: int | None = None,
    variant: str = "hf",
    factor: float = 1.0,
    alpha: float = 1.0,
    base: float = 10000.0,
) -> tuple[FloatArray, float]:
    """Dynamic NTK: `rope_scaling_ntk` with the factor that `dynamic_ntk_factor` gives for ``seq_len``.

    Parameters
    ----------
    dim : int
        Rotated width d; even, at least 4.
    max_position_embeddings, seq_len, variant, factor, alpha
        See `dynamic_ntk_factor`.
    base : float
        RoPE base, greater than 1 (``rope_theta``).

    Returns
    -------
    (inv_freq [dim/2], 1.0)

    Raises
    ------
    TypeError, ValueError
        As `dynamic_ntk_factor` and `ntk_base`.

    Notes
    -----
    A key rotated at one length does not fit a query rotated at another: keep keys un-rotated in the cache, or
    fix ``seq_len`` for the whole sequence.
    """
    stretch = dynamic_ntk_factor(seq_len, max_position_embeddings, variant=variant, factor=factor, alpha=alpha)
    return rope_scaling_ntk(dim, factor=stretch, base=base)
