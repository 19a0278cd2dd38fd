"""Faults of the function that composes the hooks, and of the tables that must stay exact."""

from __future__ import annotations

import torch
from faults.fault import Fault
from nn import test_attention as tests
from nn import test_base as base_tests

MODULE = "pe_course.nn.attention"
BASE = "pe_course.nn.base"


def _uniform_dead_rows(right):
    return lambda scores, mask: torch.softmax(scores if mask is None else scores.masked_fill(~mask, -1e30), -1)


def _not_a_number(right):
    return lambda scores, mask: torch.softmax(scores if mask is None else scores.masked_fill(~mask, -torch.inf), -1)


def _mask_inverted(right):
    return lambda scores, mask: right(scores, None if mask is None else ~mask)


def _first_positions(right):
    """Queries taken for the first tokens, not the last."""

    def broken(q, k, method, pos_q, pos_k):
        found_q, found_k = right(q, k, method, pos_q, pos_k)
        return (found_q - found_q.min() if pos_q is None else found_q), found_k

    return broken


def _in_the_dtype_of_the_input(right):
    return lambda *tensors: tensors[0].dtype


def _cast_as_any_buffer(right):
    return lambda self, fn, recurse=True: torch.nn.Module._apply(self, fn, recurse)


def _float32_tables(right):
    return lambda table, device: right(table, device).float()


def _into_the_state(right):
    def broken(self):
        for name, table in self._tables().items():
            self.register_buffer(name, torch.as_tensor(table))

    return broken


def _whole_as_floats(right):
    return lambda table, device: right(table, device).double()


def _fault(what, target, broken, caught_by, **arguments):
    return Fault("nn attention", what, f"{MODULE}:{target}", broken, caught_by, arguments)


def _table_fault(what, target, broken, caught_by, **arguments):
    return Fault("nn tables", what, f"{BASE}:{target}", broken, caught_by, arguments)


DEAD_ROW = {"with_bias": True, "dtype": torch.float32, "backend": "eager"}
FAULTS: list[Fault] = [
    _fault(
        "row without a key uniform",
        "masked_softmax",
        _uniform_dead_rows,
        tests.test_a_query_without_a_key_gives_zeros,
        **DEAD_ROW,
    ),
    _fault(
        "row without a key not a number",
        "masked_softmax",
        _not_a_number,
        tests.test_a_query_without_a_key_leaves_gradients_finite,
        with_bias=True,
        backend="eager",
    ),
    _fault(
        "True means hidden",
        "masked_softmax",
        _mask_inverted,
        tests.test_bias_and_mask_enter_as_in_the_reference,
        backend="eager",
    ),
    _fault(
        "queries taken for the first tokens",
        "_positions",
        _first_positions,
        tests.test_positions_left_out_end_with_the_last_key,
    ),
    _fault(
        "bias in the dtype of the queries",
        "working_dtype",
        _in_the_dtype_of_the_input,
        tests.test_a_large_bias_is_not_rounded_to_the_dtype_of_the_queries,
        dtype=torch.bfloat16,
        backend="sdpa",
    ),
    _table_fault(
        "cast with the module",
        "TableModule._apply",
        _cast_as_any_buffer,
        base_tests.test_a_module_around_it_may_be_cast_too,
    ),
    _table_fault("rounded to float32", "_on_device", _float32_tables, base_tests.test_a_saved_module_comes_back_exact),
    _table_fault(
        "kept in the state",
        "TableModule._register_tables",
        _into_the_state,
        base_tests.test_tables_are_not_in_the_state,
    ),
    _table_fault(
        "whole numbers as floats", "_on_device", _whole_as_floats, base_tests.test_a_saved_module_comes_back_exact
    ),
]
