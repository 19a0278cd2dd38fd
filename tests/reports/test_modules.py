"""Public reports about positions inside torch modules. See test_absolute.py for the form."""

import copy

import numpy as np
import pytest
import torch
from torch._dynamo.testing import CompileCounter

from pe_course import nn as pe_nn
from pe_course.reference import absolute, rotary

LENGTH, DIM = 5, 8


class _Rotated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rotary = pe_nn.RotaryEmbedding(DIM)

    def forward(self, x, positions):
        return self.rotary.rotate(x, x, positions, positions)[0]


def _x(length=LENGTH, seed=0):
    return torch.randn(2, 3, length, DIM, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_an_encoding_is_added_along_time_in_every_batch_row():
    """KasperGroesLudvigsen/influenza_transformer#9, pytorch/tutorials#1547: a batch got row b, not row t."""
    x, at = torch.zeros(3, LENGTH, DIM), torch.arange(LENGTH)
    expected = np.broadcast_to(absolute.sinusoidal_positions(np.arange(LENGTH), DIM), x.shape)
    np.testing.assert_allclose(pe_nn.SinusoidalPositionalEncoding(DIM).embed(x, at), expected, atol=1e-6)
    learned = pe_nn.LearnedPositionalEmbedding(LENGTH, DIM)
    torch.testing.assert_close(learned.embed(x, at), learned.weight.expand(x.shape))


def test_time_first_input_is_refused_where_it_does_not_fit():
    """tanjimin/C.Origami#42: [T, B, D] and [B, T, D] look alike, and broadcasting hides the difference."""
    with pytest.raises(ValueError, match=r"pos_q must have shape \[3\] or \[5, 3\] to fit x, got \[5\]"):
        pe_nn.SinusoidalPositionalEncoding(DIM).embed(torch.zeros(LENGTH, 3, DIM), torch.arange(LENGTH))


def test_no_table_ends_at_the_traced_length():
    """neuralmagic/sparseml PR#1826, microsoft/onnxruntime#29618: an exported model goes astray past the traced length.

    Tables were folded to constants. Here positions are an input, and a graph of 8 tokens runs with 16.
    """
    length = torch.export.Dim("length", min=2, max=64)
    program = torch.export.export(_Rotated(), (_x(8), torch.arange(8)), dynamic_shapes=({2: length}, {0: length}))
    found = program.module()(_x(16), torch.arange(16))
    np.testing.assert_allclose(found, rotary.apply_rope(_x(16).numpy(), np.arange(16)), atol=1e-12)


def test_a_batch_of_another_size_is_no_other_graph():
    """ccdv-ai/convert_checkpoint_to_lsg#15: the exported batch axis was 1, and more was refused."""
    batch = torch.export.Dim("batch", min=1, max=64)
    program = torch.export.export(_Rotated(), (_x(8), torch.arange(8)), dynamic_shapes=({0: batch}, None))
    assert program.module()(_x(8).repeat(4, 1, 1, 1), torch.arange(8)).shape == (8, 3, 8, DIM)


def test_a_longer_input_neither_breaks_the_graph_nor_compiles_for_ever():
    """foundation-model-stack/foundation-model-stack PR#64, Dao-AILab/quack#150: graph breaks, recompilation.

    Branches on the length were the cause.
    """
    counter = CompileCounter()
    module = _Rotated()
    torch._dynamo.reset()
    compiled = torch.compile(module, backend=counter, fullgraph=True)
    for length in range(4, 12):
        torch.testing.assert_close(compiled(_x(length), torch.arange(length)), module(_x(length), torch.arange(length)))
    assert counter.frame_count <= 2  # the first length, then one graph for any length


def test_no_table_is_left_over_from_another_length_or_dtype():
    """lucidrains/rotary-embedding-torch#15, facebookresearch/xformers#728: a cached table outlived its call."""
    module = _Rotated()
    short = module(_x(), torch.arange(LENGTH))
    module(_x(64), torch.arange(64))
    module(_x().float(), torch.arange(LENGTH) + 7)
    torch.testing.assert_close(module(_x(), torch.arange(LENGTH)), short, rtol=0, atol=0)
    torch.testing.assert_close(copy.deepcopy(module)(_x(), torch.arange(LENGTH)), short, rtol=0, atol=0)


def test_rotary_scores_do_not_depend_on_the_dtype_of_the_module():
    """NVIDIA/TensorRT-Model-Connect#667, for rotations: positions that pass through bfloat16 lose their last digits."""
    module = _Rotated().to(torch.bfloat16)
    far = torch.tensor([100_000, 100_001, 100_002, 100_003, 100_004])
    expected = rotary.apply_rope(_x().numpy(), far.numpy())
    np.testing.assert_allclose(module(_x().float(), far), expected, atol=1e-5)


def test_t5_has_one_table_for_all_layers():
    """huggingface/transformers PR#8518, #7323: the table lives in the first layer, and the others share it.

    One module, called from every layer, is one table in the checkpoint and one place for gradients.
    """
    bias = pe_nn.T5RelativePositionBias(3, bidirectional=False)
    assert list(bias.state_dict()) == ["relative_attention_bias.weight"]
    layers = torch.nn.ModuleList(torch.nn.ModuleDict({"bias": bias}) for _ in range(4))
    assert len(list(layers.parameters())) == 1
    at = torch.arange(LENGTH)
    outputs = [layer["bias"].score_bias(at, at) for layer in layers]
    for other in outputs[1:]:
        torch.testing.assert_close(other, outputs[0], rtol=0, atol=0)


def test_heads_of_one_batch_row_turn_alike_and_single_tokens_turn_in_every_row():
    """rasbt/LLMs-from-scratch#411, ml-explore/mlx#3494: length read from the head axis; one batch row of several."""
    module = _Rotated()
    same = torch.ones(3, 4, 4, DIM, dtype=torch.float64)
    turned = module(same, torch.arange(4))
    torch.testing.assert_close(turned, turned[:1, :1].expand_as(turned), rtol=0, atol=0)
    single = module(same[:, :, :1], torch.tensor([6]))
    expected = np.broadcast_to(rotary.apply_rope(np.ones((1, 1, 1, DIM)), [6]), single.shape)
    np.testing.assert_allclose(single, expected, atol=1e-12)
