"""The helper that the check of L-079 stands on."""

from __future__ import annotations

import numpy as np
import torch

from pe_course.claims import rotary


def test_bfloat16_rounds_as_torch_does():
    rng = np.random.default_rng(0)
    ties = np.arange(256, 1024) + 0.0
    numbers = np.concatenate([rng.standard_normal(1000) * 10.0 ** rng.integers(-6, 6, 1000), ties, -ties])
    expected = torch.tensor(numbers, dtype=torch.float32).to(torch.bfloat16).double().numpy()
    np.testing.assert_array_equal(rotary.bfloat16(numbers), expected)
