"""The base class does nothing, and tables stay exact wherever a module goes."""

from __future__ import annotations

import copy
import io

import numpy as np
import pytest
import torch
from nn.inputs import normal, qkv

from pe_course.nn import base

TABLE = np.array([1 / 3, 1e-9, 1e9 + 1 / 3])
WHOLE = np.array([0, 2**40 + 1])


class Tables(base.TableModule):
    """Two tables and a learned number."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))
        self._register_tables()

    def _tables(self):
        return {"table": TABLE, "whole": WHOLE}


def assert_exact(module, device="cpu"):
    assert module.table.dtype == torch.float64 and module.whole.dtype == torch.int64
    assert module.table.device.type == module.whole.device.type == device
    if device != "meta":
        np.testing.assert_array_equal(module.table.numpy(), TABLE)
        np.testing.assert_array_equal(module.whole.numpy(), WHOLE)


def test_every_hook_of_the_base_class_does_nothing():
    method, (q, k, _) = base.PositionMethod(), qkv()
    positions, x = torch.arange(6), normal(2, 6, 32)
    assert method.embed(x, positions) is x
    rotated_q, rotated_k = method.rotate(q, k, positions, positions)
    assert rotated_q is q and rotated_k is k
    assert method.scale_q(q, positions, 6) is q
    assert method.score_bias(positions, positions, q=q, k=k) is None
    assert method.value_bias(q @ k.mT, positions, positions) is None
    assert method.score_mod(positions, positions) is NotImplemented
    assert method.sm_scale(64) == 0.125
    assert method.cache_rotated_ok
    assert not list(method.parameters()) and not list(method.buffers())


@pytest.mark.parametrize("move", [
    lambda module: module.to(torch.bfloat16),
    lambda module: module.half(),
    lambda module: module.half().float(),
    lambda module: module.bfloat16().double(),
    lambda module: module.to("cpu", torch.float16),
    copy.deepcopy,
    lambda module: copy.deepcopy(module.half()),
], ids=["bfloat16", "half", "half-float", "bfloat16-double", "to", "deepcopy", "half-deepcopy"])  # fmt: skip
def test_tables_stay_exact(move):
    assert_exact(move(Tables()))


def test_a_module_around_it_may_be_cast_too():
    model = torch.nn.Sequential(Tables(), torch.nn.Linear(2, 2)).to(torch.bfloat16)
    assert_exact(model[0])
    assert model[0].weight.dtype == model[1].weight.dtype == torch.bfloat16


def test_tables_are_computed_when_a_module_leaves_the_meta_device():
    with torch.device("meta"):
        module = Tables()
    assert_exact(module, "meta")
    assert_exact(module.to_empty(device="cpu"))


def test_moving_to_meta_and_back_restores_the_tables():
    assert_exact(Tables().to("meta"), "meta")
    assert_exact(Tables().to("meta").to_empty(device="cpu").half())


def test_a_module_built_on_meta_loads_its_state():
    state = Tables().state_dict()
    with torch.device("meta"):
        module = Tables()
    module = module.to_empty(device="cpu")
    module.load_state_dict(state)
    assert_exact(module)
    assert torch.equal(module.weight, torch.ones(3))


def test_tables_are_not_in_the_state():
    assert list(Tables().state_dict()) == ["weight"]
    assert [name for name, _ in Tables().half().named_buffers()] == ["table", "whole"]
    assert list(Tables().half().state_dict()) == ["weight"]


def test_a_saved_module_comes_back_exact():
    buffer = io.BytesIO()
    torch.save(Tables().half(), buffer)
    buffer.seek(0)
    assert_exact(torch.load(buffer, weights_only=False))


def test_a_subclass_must_name_its_tables():
    with pytest.raises(NotImplementedError):
        base.TableModule()._register_tables()


@pytest.mark.parametrize(("dtypes", "expected"), [
    ([], torch.float32),
    ([torch.bfloat16], torch.float32),
    ([torch.float16, torch.bfloat16], torch.float32),
    ([torch.float32], torch.float32),
    ([torch.bfloat16, torch.float64], torch.float64),
])  # fmt: skip
def test_positions_are_applied_in_float32_or_better(dtypes, expected):
    assert base.working_dtype(*(torch.zeros(1, dtype=dtype) for dtype in dtypes)) == expected
