"""Faults of the query scales on the device, and of methods combined."""

from __future__ import annotations

import torch
from faults.fault import Fault
from nn import test_combine as combined
from nn import test_scaling as tests

SCALING = "pe_course.nn.scaling"
COMBINED = "pe_course.nn.combine:Combined"


def fault(method, what, target, broken, caught_by, /, **arguments) -> Fault:
    return Fault(method, what, target, broken, caught_by, arguments)


def _positions(change):
    """The right scale at changed positions."""
    return lambda right: lambda self, positions, kv_len: right(self, change(positions), kv_len)


def _pair(name):
    method, reference = tests.METHODS[name]
    return {"method": method, "reference": reference}


def _unclipped(right):
    def broken(self, positions, kv_len):
        clip, self.clip = self.clip, False
        scale = right(self, positions, kv_len)
        self.clip = clip
        return scale

    return broken


def _length_for_everyone(right):
    return lambda self, positions, kv_len: right(self, torch.full_like(positions, kv_len - 1), kv_len)


def _without_the_floor(right):
    return lambda self, p, kv_len: 1.0 + self.slope * torch.log1p((p + self.offset) / self.step)


def _log_of_the_step(right):
    return lambda self, p, kv_len: 1.0 + self.slope * torch.log(torch.floor((p + self.offset) / self.step).clamp(min=1))


def _scaled_twice(right):
    return lambda self, q, pos_q, kv_len: right(self, right(self, q, pos_q, kv_len), pos_q, kv_len)


def _rounded_scale(right):
    """The scale in the dtype of the query."""

    def broken(self, q, pos_q, kv_len):
        ones = torch.ones(1, 1, q.shape[2], 1, dtype=torch.float64)
        rows = [right(self, ones, row, kv_len) for row in torch.atleast_2d(pos_q)]
        return q * torch.cat(rows).to(q.dtype)

    return broken


def _first_method(hook):
    """A hook of the first method alone."""
    return lambda right: lambda self, *args, **options: getattr(self.methods[0], hook)(*args, **options)


def _plain_queries(right):
    """Biases read queries without their scale."""

    def broken(self, pos_q, pos_k, **content):
        biases = [m.score_bias(pos_q, pos_k, **content) for m in self.methods]
        return sum(b for b in biases if b is not None)

    return broken


def _last_mod(right):
    return lambda mods: mods[-1]


def _reversed_order(right):
    def broken(self, x, pos_q):
        for method in reversed(self.methods):
            x = method.embed(x, pos_q)
        return x

    return broken


LOGN, STEPPED = f"{SCALING}:LogNScaling._scale", f"{SCALING}:_SteppedLog._scale"

FAULTS = [
    fault(
        "log-n module",
        "position, not the number of keys",
        LOGN,
        _positions(lambda p: p - 1),
        tests.test_the_scale_is_the_reference,
        **_pair("logn"),
    ),
    fault(
        "log-n module",
        "1-based positions counted again",
        LOGN,
        _positions(lambda p: p + 1),
        tests.test_logn_leaves_the_trained_length_alone,
    ),
    fault("log-n module", "not clipped", LOGN, _unclipped, tests.test_logn_leaves_the_trained_length_alone),
    fault(
        "log-n module",
        "length of the call for every query",
        LOGN,
        _length_for_everyone,
        tests.test_the_scale_is_the_reference,
        **_pair("logn, not clipped"),
    ),
    fault(
        "log-n module",
        "scaled twice",
        f"{SCALING}:QueryScaling.scale_q",
        _scaled_twice,
        tests.test_the_scale_is_the_reference,
        **_pair("logn"),
    ),
    fault(
        "log-n module",
        "scale rounded",
        f"{SCALING}:QueryScaling.scale_q",
        _rounded_scale,
        tests.test_the_scale_is_exact_in_every_dtype,
        method=tests.METHODS["logn"][0],
        dtype=torch.bfloat16,
    ),
    fault(
        "Llama 4 temperature module",
        "no floor",
        STEPPED,
        _without_the_floor,
        tests.test_the_scale_is_the_reference,
        **_pair("llama4"),
    ),
    fault(
        "Llama 4 temperature module",
        "one token late",
        STEPPED,
        _positions(lambda p: p - 1),
        tests.test_the_scale_is_the_reference,
        **_pair("llama4"),
    ),
    fault(
        "Llama 4 temperature module",
        "log without the 1",
        STEPPED,
        _log_of_the_step,
        tests.test_the_scale_is_the_reference,
        **_pair("llama4"),
    ),
    fault(
        "Ministral module",
        "no floor",
        STEPPED,
        _without_the_floor,
        tests.test_the_scale_is_the_reference,
        **_pair("ministral"),
    ),
    fault(
        "Ministral module",
        "p + 1 as in Llama 4",
        STEPPED,
        _positions(lambda p: p + 1),
        tests.test_the_scale_is_the_reference,
        **_pair("ministral"),
    ),
    fault(
        "Ministral module",
        "log without the 1",
        STEPPED,
        _log_of_the_step,
        tests.test_the_scale_is_the_reference,
        **_pair("ministral"),
    ),
    fault(
        "combined methods",
        "first scale only",
        f"{COMBINED}.scale_q",
        _first_method("scale_q"),
        combined.test_query_scales_multiply,
    ),
    fault(
        "combined methods",
        "first bias only",
        f"{COMBINED}.score_bias",
        _first_method("score_bias"),
        combined.test_rope_with_two_biases,
        backend="eager",
    ),
    fault(
        "combined methods",
        "biases of unscaled queries",
        f"{COMBINED}.score_bias",
        _plain_queries,
        combined.test_rerope_with_logn_scales_the_whole_score,
        backend="eager",
    ),
    fault(
        "combined methods",
        "last score_mod only",
        "pe_course.nn.combine:_one_after_another",
        _last_mod,
        combined.test_score_mod_adds_what_the_biases_add,
    ),
    fault(
        "combined methods",
        "inputs in the other order",
        f"{COMBINED}.embed",
        _reversed_order,
        combined.test_inputs_are_chained_in_order,
    ),
    fault(
        "combined methods",
        "plain scale",
        f"{COMBINED}.sm_scale",
        lambda right: lambda self, head_dim: head_dim**-0.5,
        combined.test_the_scale_is_the_one_that_is_asked_for,
    ),
]
