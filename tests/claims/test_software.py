"""What the ledger says of other people's software, run where that software is at hand."""

from __future__ import annotations

import pytest
import torch

from pe_course.claims import ledger


def test_pytorch_raises_past_the_last_row_as_claim_115_says():
    assert (
        "PyTorch raises an error on the CPU"
        in {entry.id: entry for entry in ledger.family_claims("absolute")}["L-115"].holds
    )
    table = torch.nn.Embedding(512, 8)
    assert table(torch.tensor(511)).shape == (8,)
    with pytest.raises(IndexError):
        table(torch.tensor(512))
