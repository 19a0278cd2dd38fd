"""Faults of the bias modules."""

from __future__ import annotations

import numpy as np
import torch
from faults.fault import Fault
from nn import test_bias as tests

MODULE = "pe_course.nn.bias"


def _of_distance(change):
    """A fault that changes the distance before the bias sees it."""
    return lambda right: lambda self, distance, dtype: right(self, change(distance), dtype)


def _negated(right):
    return lambda self, distance, dtype: -right(self, distance, dtype)


def _heads_reversed(right):
    return lambda self, distance, dtype: right(self, distance, dtype).flip(0)


def _in_bfloat16(right):
    return lambda self, distance, dtype: right(self, distance, dtype).bfloat16().to(dtype)


def _tables(change):
    return lambda right: lambda self: {name: change(table) for name, table in right(self).items()}


def _scaled_like_the_others(right):
    return lambda self, head_dim: head_dim**-0.5


def _axes_swapped(right):
    return lambda self, *arguments, **options: right(self, *arguments, **options).mT


def _distance_from_float32(right):
    return lambda pos_q, pos_k, **options: right(pos_q.float(), pos_k.float(), **options)


def _raw_values(right):
    """The unbounded parameters themselves, which may be negative."""
    return lambda self, dtype=None: {name: getattr(self, f"raw_{name}").to(dtype) for name in self.curve.limits}


def _fire_key_position(right):
    """Normalised by the position of the key."""
    return lambda self, pos_q, pos_k, **options: right(self, pos_q - pos_q + pos_k[..., :1], pos_k, **options)


def _fire_without_logarithm(right):
    return lambda self, distance: (self.c.to(distance.dtype) * distance).abs()


def _fire_log_of_the_product_only(right):
    return lambda self, distance: torch.log((self.c.to(distance.dtype) * distance).abs() + 1e-6)


def _unbounded_reach(right):
    """The threshold left out."""

    def broken(self, pos_q, pos_k, **options):
        threshold, self.init_L = self.init_L, 1e-12
        try:
            return right(self, pos_q, pos_k, **options)
        finally:
            self.init_L = threshold

    return broken


def _masked_after_the_sum(right):
    def broken(self, gate_logits, allowed):
        return right(self, gate_logits, torch.ones_like(allowed)) * allowed

    return broken


def _counted_from_the_start(right):
    def broken(self, gate_logits, allowed):
        gates = torch.where(allowed, torch.sigmoid(gate_logits), 0.0)
        return gates.cumsum(-1).clamp(max=self.npos - 1)

    return broken


def _not_interpolated(right):
    return staticmethod(lambda at_rows, positions: right(at_rows, positions.floor()))


def _weights_swapped(right):
    return staticmethod(lambda at_rows, positions: right(at_rows, positions.floor() + positions.ceil() - positions))


def _own_gate_in_the_sum(right):
    """F_i - F_(j-1): the gate of the key itself is counted."""

    def broken(self, pos_q, pos_k, context):
        at_query, at_key = right(self, pos_q, pos_k, context)
        return at_query, torch.nn.functional.pad(at_key, (1, -1))

    return broken


def _decay_reversed(right):
    return lambda self, pos_q, pos_k, context: tuple(-kept for kept in right(self, pos_q, pos_k, context))


def _first_tokens(right):
    def broken(self, pos_q, pos_k, context):
        length = pos_q.shape[-1]
        return right(self, pos_q, pos_k, {"query_indices": torch.arange(length), **context})

    return broken


def _sum_in_float32(right):
    return lambda device: torch.float32


def _fault(method, what, target, broken, caught_by, **arguments):
    return Fault(f"nn {method}", what, f"{MODULE}.{target}", broken, caught_by, arguments)


REFERENCE = tests.test_score_bias_is_the_reference


def _against_the_reference(method, what, target, broken, case, positions="rows"):
    return _fault(method, what, target, broken, REFERENCE, name=case, positions=positions)


FAULTS: list[Fault] = [
    _against_the_reference("t5", "query - key", "t5:T5RelativePositionBias.of_distance", _of_distance(torch.neg), "t5"),
    _against_the_reference(
        "t5", "off by one", "t5:T5RelativePositionBias.of_distance", _of_distance(lambda d: d + 1), "t5-causal"
    ),
    _against_the_reference("t5", "heads reversed", "t5:T5RelativePositionBias.of_distance", _heads_reversed, "t5"),
    _against_the_reference(
        "t5", "both directions alike", "t5:T5RelativePositionBias._tables", _tables(lambda t: t % 16), "t5", "plain"
    ),
    _fault(
        "t5",
        "scores divided by the root of the width",
        "t5:T5RelativePositionBias.sm_scale",
        _scaled_like_the_others,
        tests.test_flags,
        name="t5",
    ),
    _against_the_reference("alibi", "sign", "alibi:ALiBi.of_distance", _negated, "alibi"),
    _against_the_reference("alibi", "slopes squared", "alibi:ALiBi._tables", _tables(np.square), "alibi-12-heads"),
    _against_the_reference(
        "alibi", "slopes from exponent 0", "alibi:ALiBi._tables", _tables(lambda t: t / t[0]), "alibi", "plain"
    ),
    _against_the_reference(
        "alibi", "slopes sorted", "alibi:ALiBi._tables", _tables(lambda t: -np.sort(-t)), "alibi-12-heads"
    ),
    _fault(
        "alibi",
        "rounded to bfloat16",
        "alibi:ALiBi.of_distance",
        _in_bfloat16,
        tests.test_alibi_is_exact_at_distance_257_in_bfloat16,
    ),
    _against_the_reference("kerple", "sign", "kerple:KerpleBias.of_distance", _negated, "kerple-log"),
    _against_the_reference("kerple", "raw parameters", "_learned:LearnedCurve.values", _raw_values, "kerple-power"),
    _against_the_reference(
        "kerple", "off by one", "kerple:KerpleBias.of_distance", _of_distance(lambda d: d.abs() + 1), "kerple-three"
    ),
    _against_the_reference("kerple", "heads reversed", "kerple:KerpleBias.of_distance", _heads_reversed, "kerple-log"),
    _against_the_reference("sandwich", "sign", "sandwich:SandwichBias.of_distance", _negated, "sandwich"),
    _against_the_reference(
        "sandwich", "weak heads first", "sandwich:SandwichBias.of_distance", _heads_reversed, "sandwich-gym"
    ),
    _against_the_reference(
        "sandwich",
        "frequencies for wavelengths",
        "sandwich:SandwichBias._tables",
        _tables(np.reciprocal),
        "sandwich-nemo",
    ),
    _against_the_reference(
        "sandwich", "future keys folded", "sandwich:SandwichBias.of_distance", _of_distance(torch.abs), "sandwich-nemo"
    ),
    _against_the_reference("fire", "no logarithm", "fire:FIRE._psi", _fire_without_logarithm, "fire"),
    _against_the_reference("fire", "1 left out", "fire:FIRE._psi", _fire_log_of_the_product_only, "fire"),
    _against_the_reference("fire", "threshold left out", "fire:FIRE.score_bias", _unbounded_reach, "fire"),
    _against_the_reference("fire", "position of the key", "fire:FIRE.score_bias", _fire_key_position, "fire-short"),
    _against_the_reference("fire", "queries for keys", "fire:FIRE.score_bias", _axes_swapped, "fire-short", "plain"),
    _against_the_reference("continuous", "sign", "continuous:ContinuousDistanceBias.of_distance", _negated, "linear"),
    _against_the_reference(
        "continuous",
        "unsigned distance",
        "continuous:ContinuousDistanceBias.of_distance",
        _of_distance(torch.abs),
        "mlp",
    ),
    _against_the_reference(
        "continuous",
        "squared distance",
        "continuous:ContinuousDistanceBias.of_distance",
        _of_distance(lambda d: d * d),
        "gaussian",
    ),
    _fault(
        "continuous",
        "distance of rounded positions",
        "distance:distances",
        _distance_from_float32,
        tests.test_fractions_and_negative_positions_are_distances_too,
        name="linear",
    ),
    _fault(
        "cope",
        "masked after the sum",
        "contextual:CoPE.positions",
        _masked_after_the_sum,
        tests.test_cope_counts_only_what_the_mask_allows,
    ),
    _fault(
        "cope",
        "counted from the start",
        "contextual:CoPE.positions",
        _counted_from_the_start,
        tests.test_cope_is_the_reference,
        name="cope-nodiv",
    ),
    _fault(
        "cope",
        "not interpolated",
        "contextual:CoPE._interpolated",
        _not_interpolated,
        tests.test_cope_is_the_reference,
        name="cope",
    ),
    _fault(
        "cope",
        "weights swapped",
        "contextual:CoPE._interpolated",
        _weights_swapped,
        tests.test_cope_is_the_reference,
        name="cope",
    ),
    _fault(
        "forgetting",
        "gate of the key counted",
        "contextual:ForgettingGate._kept",
        _own_gate_in_the_sum,
        tests.test_forgetting_gate_is_the_reference,
    ),
    _fault(
        "forgetting",
        "remembers the far past best",
        "contextual:ForgettingGate._kept",
        _decay_reversed,
        tests.test_equal_gates_forget_as_alibi_does,
    ),
    _fault(
        "forgetting",
        "queries taken for the first tokens",
        "contextual:ForgettingGate._kept",
        _first_tokens,
        tests.test_forgetting_queries_are_the_last_tokens_or_those_named,
    ),
    _fault(
        "forgetting",
        "sum in float32",
        "contextual:exact_dtype",
        _sum_in_float32,
        tests.test_forgetting_gate_keeps_neighbours_apart_after_many_tokens,
    ),
]
