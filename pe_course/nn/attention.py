"""The one function that puts the hooks of a positional method together, with interchangeable backends.

.. math:: \\mathrm{out} = \\mathrm{softmax}\\big(s\\,\\tilde q \\tilde k^\\top + b\\big)\\, v

with rotated (and scaled) queries and keys, the method's factor s and its bias b (Vaswani et al. 2017,
arXiv:1706.03762, equation 1, with the places where positions enter).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from pe_course.kernels import flex
from pe_course.nn.base import PositionMethod, working_dtype
from pe_course.nn.checks import finite_positions, positions_fit
from pe_course.reference.validation import one_of


@dataclass(frozen=True)
class _Call:
    """One call of `attention`, checked, with queries and keys as the method wants them."""

    q: Tensor
    k: Tensor
    v: Tensor
    plain_q: Tensor
    plain_k: Tensor
    method: PositionMethod
    pos_q: Tensor
    pos_k: Tensor
    mask: Tensor | None
    context: Mapping[str, Any]
    scale: float

    def bias(self) -> Tensor | None:
        bias = self.method.score_bias(self.pos_q, self.pos_k, q=self.plain_q, k=self.plain_k, context=self.context)
        shape = (*self.q.shape[:3], self.k.shape[2])
        if bias is not None and not _fits(bias, shape):
            name = type(self.method).__name__
            raise ValueError(
                f"bias of {name} has shape {list(bias.shape)}, which does not fit [B, H, L, S] = {list(shape)}"
            )
        return bias

    def allowed(self) -> Tensor | None:
        """The mask with everything allowed in a row that allows no key: its softmax would be NaN, and so the gradients.

        What such a row gives must be set to zero afterwards.
        """
        return None if self.mask is None else self.mask | ~self.mask.any(-1, keepdim=True)


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    method: PositionMethod | None = None,
    pos_q: Tensor | None = None,
    pos_k: Tensor | None = None,
    mask: Tensor | None = None,
    backend: str = "eager",
    context: Mapping[str, Any] | None = None,
) -> Tensor:
    """Softmax attention with a positional method.

    Parameters
    ----------
    q
        Queries ``[B, H, L, D]``; neither rotated nor scaled.
    k, v
        Keys ``[B, H_kv, S, D]`` and values ``[B, H_kv, S, D_v]``; H is a multiple of H_kv (grouped queries).
    method
        A `PositionMethod`; None is NoPE.
    pos_q, pos_k
        Positions ``[L]`` or ``[B, L]``, ``[S]`` or ``[B, S]``, with a first axis of coordinates where the method has
        several. Left out, keys are 0…S-1 and queries are the last L of them.
    mask
        Boolean, True = may attend, broadcastable to ``[B, H, L, S]``. No causal mask is added. A query that may attend
        to no key gets zeros, in every backend.
    backend
        "eager" (the reference, scores in float32 or better), "sdpa" (``scaled_dot_product_attention``) or "flex"
        (FlexAttention).
    context
        What few methods need: ``hidden`` (forgetting gates), ``segments`` (XLNet). The mask is added to it as ``mask``.

    Returns
    -------
    ``[B, H, L, D_v]`` in the dtype of ``q``

    Raises
    ------
    TypeError, ValueError
        Naming argument, value and limit, also where a backend cannot express the method.
    """
    method = PositionMethod() if method is None else method
    if not isinstance(method, PositionMethod):
        raise TypeError(f"method must be a PositionMethod, got {type(method).__name__}")
    one_of("backend", backend, BACKENDS)
    if context is not None and not isinstance(context, Mapping):
        raise TypeError(f"context must map names to values, got {type(context).__name__}")
    _check_tensors(q, k, v, mask)
    _check_device(method, q)
    pos_q, pos_k = _positions(q, k, method, pos_q, pos_k)
    rotated_q, rotated_k = method.rotate(q, k, pos_q, pos_k)
    call = _Call(
        q=method.scale_q(rotated_q, pos_q, k.shape[-2]),
        k=rotated_k,
        v=v,
        plain_q=q,
        plain_k=k,
        method=method,
        pos_q=pos_q,
        pos_k=pos_k,
        mask=mask,
        context={**(context or {}), "mask": mask},
        scale=method.sm_scale(q.shape[-1]),
    )
    return BACKENDS[backend](call).to(q.dtype)


def _eager(call: _Call) -> Tensor:
    bias = call.bias()
    dtype = working_dtype(call.q, *(() if bias is None else (bias,)))
    groups = call.q.shape[1] // call.k.shape[1]
    q, k, v = (t.to(dtype) for t in (call.q, call.k, call.v))
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    # The reference keeps float32 under autocast too.
    with torch.autocast(q.device.type, enabled=False):
        scores = (q @ k.mT) * call.scale
        probs = masked_softmax(scores if bias is None else scores + bias, call.mask)
        out = probs @ v
        extra = call.method.value_bias(probs, call.pos_q, call.pos_k)
    return out if extra is None else out + extra


def _sdpa(call: _Call) -> Tensor:
    _refuse_value_bias(call.method, "sdpa")
    bias, allowed = call.bias(), call.allowed()
    out = _sdpa_masked(call, allowed) if bias is None else _sdpa_biased(call, bias, allowed)
    if call.mask is None:
        return out
    return torch.where(call.mask.any(-1, keepdim=True), out, 0.0)


def _sdpa_masked(call: _Call, allowed: Tensor | None) -> Tensor:
    if allowed is not None:
        allowed = allowed.expand(*allowed.shape[:-2], call.q.shape[2], call.k.shape[2])
    return _scaled_dot_product(call, call.q, call.k, call.v, allowed)


def _sdpa_biased(call: _Call, bias: Tensor, allowed: Tensor | None) -> Tensor:
    # The bias must have the dtype of the queries, and in bfloat16 a slope of 1/2 is off by 0.5 at distance 257: so
    # the queries take the dtype of the bias, and autocast must not undo it.
    dtype = working_dtype(call.q, bias)
    q, k, v, bias = (t.to(dtype) for t in (call.q, call.k, call.v, bias))
    if allowed is not None:
        bias = bias.masked_fill(~allowed, -torch.inf)
    with torch.autocast(q.device.type, enabled=False):
        return _scaled_dot_product(call, q, k, v, bias.expand(*q.shape[:3], k.shape[2]))


def _scaled_dot_product(call: _Call, q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None) -> Tensor:
    grouped = q.shape[1] != k.shape[1]
    return F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask, scale=call.scale, enable_gqa=grouped)


def _flex(call: _Call) -> Tensor:
    _refuse_value_bias(call.method, "flex")
    wants_gradient = torch.is_grad_enabled() and any(
        t.requires_grad for t in (call.q, call.k, call.v, *call.method.parameters())
    )
    if wants_gradient and call.q.device.type == "cpu":
        raise ValueError("backend 'flex' gives no gradients on the CPU; use 'eager' or 'sdpa', or torch.no_grad()")
    score_mod = call.method.score_mod(call.pos_q, call.pos_k, q=call.plain_q, k=call.plain_k, context=call.context)
    if score_mod is NotImplemented:
        bias = call.bias()
        score_mod = None if bias is None else flex.from_bias(bias, batch=call.q.shape[0], heads=call.q.shape[1])
    q, k, v = call.q, call.k, call.v
    if not torch.is_grad_enabled():
        # FlexAttention asks for requires_grad alone, and would refuse on the CPU although no gradient is wanted.
        q, k, v = q.detach(), k.detach(), v.detach()
    return flex.attend(q, k, v, score_mod=score_mod, mask=call.mask, scale=call.scale)


BACKENDS: dict[str, Callable[[_Call], Tensor]] = {"eager": _eager, "sdpa": _sdpa, "flex": _flex}


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis among the entries that ``mask`` allows; a row that allows none gives zeros."""
    if mask is None:
        return torch.softmax(scores, -1)
    # A row of -inf alone has no softmax, and its NaN would reach the gradients: such a row keeps its scores.
    hidden = ~mask & mask.any(-1, keepdim=True)
    return torch.where(mask, torch.softmax(scores.masked_fill(hidden, -torch.inf), -1), 0.0)


def _refuse_value_bias(method: PositionMethod, backend: str) -> None:
    if method.uses_value_bias:
        name = type(method).__name__
        raise ValueError(
            f"backend {backend!r} cannot compute the values' part of {name} (it needs probabilities); use 'eager'"
        )


def _check_tensors(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> None:
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} must be a torch tensor, got {type(tensor).__name__}")
        if tensor.ndim != 4:
            raise ValueError(f"{name} must have 4 axes [B, H, L, D], got shape {tuple(tensor.shape)}")
        if not tensor.is_floating_point():
            raise TypeError(f"{name} must be a floating-point tensor, got dtype {tensor.dtype}")
        if 0 in tensor.shape:
            raise ValueError(f"{name} must not be empty, got shape {tuple(tensor.shape)}")
        if tensor.dtype != q.dtype:
            raise TypeError(f"{name} has dtype {tensor.dtype} but q has {q.dtype}")
        if tensor.device != q.device:
            raise ValueError(f"{name} is on {tensor.device} but q is on {q.device}")
    if q.device.type == "meta":
        raise ValueError("q must hold numbers, because positions and masks are looked at; got a tensor on meta")
    if k.shape[:3] != v.shape[:3]:
        raise ValueError(f"k and v must agree in B, H and S, got shapes {tuple(k.shape)} and {tuple(v.shape)}")
    if q.shape[0] != k.shape[0]:
        raise ValueError(f"q has batch size {q.shape[0]} but k has {k.shape[0]}")
    if q.shape[3] != k.shape[3]:
        raise ValueError(f"q has head_dim {q.shape[3]} but k has {k.shape[3]}")
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"q has {q.shape[1]} heads, which is no multiple of the {k.shape[1]} heads of k")
    if mask is not None:
        _check_mask(mask, (q.shape[0], q.shape[1], q.shape[2], k.shape[2]), q.device)


def _check_mask(mask: Tensor, shape: tuple[int, ...], device: torch.device) -> None:
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        found = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(f"mask must be a boolean tensor, True = may attend, got {found}")
    if mask.device != device:
        raise ValueError(f"mask is on {mask.device} but q is on {device}")
    if mask.ndim < 2 or mask.ndim > 4:
        raise ValueError(f"mask must have 2 to 4 axes, got shape {tuple(mask.shape)}")
    if not _fits(mask[(None,) * (4 - mask.ndim)], shape):
        raise ValueError(f"mask of shape {tuple(mask.shape)} cannot be broadcast to [B, H, L, S] = {list(shape)}")


def _fits(tensor: Tensor, shape: tuple[int, ...]) -> bool:
    """Whether each of the four axes has the length of ``shape`` or 1."""
    return tensor.ndim == 4 and all(own in (1, full) for own, full in zip(tensor.shape, shape, strict=True))


def _check_device(method: PositionMethod, q: Tensor) -> None:
    for tensor in (*method.parameters(), *method.buffers()):
        if tensor.device != q.device:
            raise ValueError(f"method {type(method).__name__} is on {tensor.device} but q is on {q.device}")


def _positions(
    q: Tensor, k: Tensor, method: PositionMethod, pos_q: Tensor | None, pos_k: Tensor | None
) -> tuple[Tensor, Tensor]:
    length, key_length = q.shape[2], k.shape[2]
    if pos_q is None and pos_k is None:
        if method.position_axes != 1:
            raise ValueError(f"pos_q and pos_k are needed: {type(method).__name__} has {method.position_axes} axes")
        if length > key_length:
            raise ValueError(f"q has {length} positions but k only {key_length}; pass pos_q and pos_k")
        pos_k = torch.arange(key_length, device=q.device)
        pos_q = pos_k[key_length - length :]
    if pos_q is None or pos_k is None:
        raise ValueError("pos_q and pos_k must be given together")
    axes = method.position_axes
    positions_fit("pos_q", pos_q, "q", q.shape[0], length, axes, q.device)
    positions_fit("pos_k", pos_k, "k", q.shape[0], key_length, axes, q.device)
    if pos_k is pos_q:  # stays one tensor, so that a rotation computes its angles once
        return (_usable("pos_q", pos_q),) * 2
    return _usable("pos_q", pos_q), _usable("pos_k", pos_k)


def _usable(name: str, positions: Tensor) -> Tensor:
    """Finite, also where the method reads none; integers as int64, because a difference of uint8 would wrap."""
    return finite_positions(name, positions) if positions.is_floating_point() else positions.long()
