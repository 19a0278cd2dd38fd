r"""Biases that are a smooth function of the distance: fixed curves and small networks.

"Better-Relative" in the lecture is this idea, :math:`b_{ij} = f(|i - j|)`; it is no established name.
All are added after the factor :math:`1/\sqrt d`. A warning on shape: an *additive* bias that tends to 0
does not make far keys fade. Far keys then share one bias, hence one weight. Weights decay only
where the bias falls without bound (linear, log).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_course.reference.bias._mlp import ACTIVATIONS, Layer, Norm, mlp, sigmoid
from pe_course.reference.bias.kerple import kerple_log
from pe_course.reference.validation import flag, one_of, real_array, real_number, same_length, whole_array


def linear_distance_bias(distance: ArrayLike, slope: float = 0.5) -> NDArray[np.float64]:
    r""":math:`b(d) = -\text{slope}\,|d|`: one head of symmetric ALiBi. The lecture's example has slope 0.5.

    Parameters
    ----------
    distance
        Any shape and sign.
    slope
        At least 0.

    Returns
    -------
    distance.shape

    Raises
    ------
    TypeError, ValueError
    """
    distance = np.abs(real_array("distance", distance))
    return -real_number("slope", slope, at_least=0.0) * distance


def log_distance_bias(distance: ArrayLike, scale: float = 1.0, rate: float = 1.0) -> NDArray[np.float64]:
    r""":math:`b(d) = -\text{scale} \ln(1 + \text{rate}\,|d|)`, KERPLE's logarithmic curve for one head.

    Weights decay like a power of the distance. Parameters: distance: any shape and sign. scale, rate: above 0.

    Returns
    -------
    distance.shape

    Raises
    ------
    TypeError, ValueError
    """
    scale = real_number("scale", scale, above=0.0)
    rate = real_number("rate", rate, above=0.0)
    return kerple_log(distance, scale, rate, minimum=None)


def exponential_distance_bias(distance: ArrayLike, height: float = 1.0, length: float = 1.0) -> NDArray[np.float64]:
    r""":math:`b(d) = \text{height} \cdot e^{-|d| / \text{length}}`: favours neighbours, tends to 0 far away.

    Parameters
    ----------
    distance
        Any shape and sign.
    height
        Any number.
    length
        Above 0, in positions.

    Returns
    -------
    distance.shape

    Raises
    ------
    TypeError, ValueError
    """
    distance = np.abs(real_array("distance", distance))
    length = real_number("length", length, above=0.0)
    with np.errstate(over="ignore"):  # a quotient beyond float64 has the limit of its curve, 0
        return real_number("height", height) * np.exp(-distance / length)


def gaussian_distance_bias(distance: ArrayLike, height: float = 1.0, width: float = 1.0) -> NDArray[np.float64]:
    r""":math:`b(d) = \text{height} \cdot e^{-d^2 / (2\,\text{width}^2)}`: as the exponential, flat at distance 0.

    Parameters
    ----------
    distance
        Any shape and sign.
    height
        Any number.
    width
        Above 0, in positions.

    Returns
    -------
    distance.shape

    Raises
    ------
    TypeError, ValueError
    """
    distance = real_array("distance", distance)
    width = real_number("width", width, above=0.0)
    with np.errstate(over="ignore"):  # a quotient beyond float64 has the limit of its curve, 0
        return real_number("height", height) * np.exp(-0.5 * (distance / width) ** 2)


def mlp_distance_bias(
    distance: ArrayLike,
    layers: Sequence[Layer],
    *,
    activation: str = "silu",
    log_distance: bool = False,
    norms: Sequence[Norm] | None = None,
) -> NDArray[np.float64]:
    r"""A small network of the **signed** distance (x-transformers 2.31, ``DynamicPositionBias``).

    .. math:: b_h(d) = \text{MLP}_h(x), \qquad x = d \;\text{or}\; \operatorname{sign}(d) \ln(|d| + 1)

    Parameters
    ----------
    distance
        Query − key, any shape.
    layers
        (weight [out, in], bias [out] or None) per layer, as torch.nn.Linear stores them; one input, H outputs.
    activation
        "silu" (x-transformers) or "relu", after each layer but the last.
    log_distance
        Feed the logarithm, so that far distances stay in a known range.
    norms
        (scale [width], shift [width] or None) per hidden layer, a LayerNorm before its activation (x-transformers'
        option ``norm``); None has none.

    Returns
    -------
    ``[H, *distance.shape]``

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    """
    distance = real_array("distance", distance)
    one_of("activation", activation, ACTIVATIONS)
    if flag("log_distance", log_distance):
        distance = np.sign(distance) * np.log1p(np.abs(distance))
    return np.moveaxis(mlp(distance[..., None], layers, activation, norms), -1, 0)


def swin_log_coordinates(offset: ArrayLike, window: ArrayLike) -> NDArray[np.float64]:
    r"""Log-spaced coordinates of Swin Transformer V2 (Liu et al. 2022, arXiv:2111.09883; released code).

    .. math:: \hat x = \operatorname{sign}(x)\, \frac{\log_2(1 + 8 |x| / (w - 1))}{\log_2 8}

    The paper's equation is ``sign(x) ln(1 + |x|)`` alone; the division by w − 1 and the two factors 8 are those of
    the released code. Equation from secondary reading.

    Parameters
    ----------
    offset
        Query − key per axis, [..., axes].
    window
        w, a whole number or one per axis; the *pre-training* window where the model has one. A window of 1 divides by
        1.

    Returns
    -------
    offset.shape, within [−1.06, 1.06] inside the window

    Raises
    ------
    TypeError, ValueError
    """
    offset = real_array("offset", offset)
    window = whole_array("window", window, minimum=1)
    if window.ndim > 1:
        raise ValueError(f"window must be one number or one per axis, got shape {window.shape}")
    if window.ndim == 1:
        same_length("window", len(window), "last axis of offset", offset.shape[-1] if offset.ndim else 1)
    scaled = 8.0 * np.abs(offset) / np.maximum(window - 1, 1)
    return np.sign(offset) * np.log2(1.0 + scaled) / np.log2(8.0)


def swin_log_bias(
    query_coordinates: ArrayLike,
    key_coordinates: ArrayLike,
    window: ArrayLike,
    layers: Sequence[Layer],
    *,
    ceiling: float = 16.0,
) -> NDArray[np.float64]:
    r"""The continuous position bias of Swin Transformer V2 (Liu et al. 2022, arXiv:2111.09883; released code).

    .. math:: b_h = 16\, \sigma\big(\text{MLP}_h(\hat x, \hat y)\big)

    The MLP has ReLU, 2 → 512 → H in the released code, without bias in its last layer.

    Parameters
    ----------
    query_coordinates, key_coordinates
        [L, axes] and [S, axes], row then column for an image.
    window
        As `swin_log_coordinates`.
    layers
        As `mlp_distance_bias`, one input per axis.
    ceiling
        16.

    Returns
    -------
    [H, L, S], in (0, ceiling)

    Raises
    ------
    TypeError, ValueError
        The message names the argument.
    """
    query = real_array("query_coordinates", query_coordinates, rank=2)
    key = real_array("key_coordinates", key_coordinates, rank=2)
    same_length("last axis of query_coordinates", query.shape[1], "last axis of key_coordinates", key.shape[1])
    ceiling = real_number("ceiling", ceiling, above=0.0)
    coordinates = swin_log_coordinates(query[:, None, :] - key[None, :, :], window)
    return ceiling * sigmoid(np.moveaxis(mlp(coordinates, layers, "relu"), -1, 0))
