"""A small decoder on ``nn.attention``: the method is the only thing that differs between two models of the lab."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pe_course.nn import PositionMethod, attention


class Causal(PositionMethod):
    """A method with the causal mask (and a local window) inside its bias, computed once per forward pass or per length.

    All layers add the same bias, so it is computed once for all of them. A bias without learned parameters does not
    change between steps either, and is kept for the last length. A bias that reads queries or keys is computed by
    every layer. ``window``: how many keys a query sees, itself included; None is no limit.
    """

    def __init__(self, method: PositionMethod, window: int | None = None):
        super().__init__()
        self.method = method
        self.window = window
        self._learned = any(True for _ in method.parameters())
        self._kept: tuple[tuple, Tensor] | None = None

    def prepare(self, length: int, device: torch.device) -> Tensor:
        """The positions 0…length-1, and the bias of this pass ready for all layers."""
        positions = torch.arange(length, device=device)
        key = (length, device, self.window)
        if self._kept is None or self._kept[0] != key or self._learned:
            self._kept = (key, self._masked(positions, None))
        return positions

    def embed(self, x, pos_q):
        return self.method.embed(x, pos_q)

    def rotate(self, q, k, pos_q, pos_k):
        return self.method.rotate(q, k, pos_q, pos_k)

    def scale_q(self, q, pos_q, kv_len):
        return self.method.scale_q(q, pos_q, kv_len)

    def sm_scale(self, head_dim):
        return self.method.sm_scale(head_dim)

    def score_bias(self, pos_q, pos_k, *, q=None, k=None, context=None):
        if self.method.needs_content:
            return self._masked(pos_q, q, k)
        return self._kept[1]

    def _masked(self, positions: Tensor, q: Tensor | None, k: Tensor | None = None) -> Tensor:
        distance = positions[:, None] - positions
        hidden = distance < 0 if self.window is None else (distance < 0) | (distance >= self.window)
        bias = None
        if q is not None or not self.method.needs_content:
            bias = self.method.score_bias(positions, positions, q=q, k=k, context={"mask": ~hidden})
        if bias is None:
            bias = torch.zeros(1, 1, *hidden.shape, device=positions.device)
        return bias.masked_fill(hidden, -torch.inf)


class Decoder(nn.Module):
    """Pre-norm decoder: LayerNorm without bias, ReLU network of four times the width, untied output layer.

    Parameters: method: where order enters; symbols: size of the vocabulary; d_model, heads, layers: the size.
    """

    def __init__(self, method: PositionMethod, *, symbols: int, d_model: int, heads: int, layers: int):
        super().__init__()
        self.causal = Causal(method)
        self.tokens = nn.Embedding(symbols, d_model)
        self.blocks = nn.ModuleList(_Block(d_model, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(d_model, bias=False)
        self.output = nn.Linear(d_model, symbols, bias=False)
        self._initialise(layers)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits ``[B, T, symbols]`` of the next token after each of ``tokens`` ``[B, T]``."""
        positions = self.causal.prepare(tokens.shape[1], tokens.device)
        x = self.causal.embed(self.tokens(tokens), positions)
        for block in self.blocks:
            x = block(x, self.causal, positions)
        return self.output(self.norm(x))

    @contextmanager
    def using(self, method: PositionMethod | None = None, *, window: int | None = None) -> Iterator[Decoder]:
        """The same weights with another method, or with attention to the last ``window`` tokens only, for a while."""
        own = self.causal
        self.causal = Causal(own.method if method is None else method, window)
        try:
            yield self
        finally:
            self.causal = own

    def _initialise(self, layers: int) -> None:
        # A method with another factor on the scores (T5: 1) has it folded into the first weights of the queries,
        # as T5 does, so that all methods start from scores of one size.
        head_dim = self.output.in_features // self.blocks[0].heads
        folded = head_dim**-0.5 / self.causal.sm_scale(head_dim)
        for block in self.blocks:
            for linear in (block.qkv, block.up):
                nn.init.normal_(linear.weight, std=linear.in_features**-0.5)
            for linear in (block.out, block.down):
                nn.init.normal_(linear.weight, std=(linear.in_features * 2 * layers) ** -0.5)
            with torch.no_grad():
                block.qkv.weight[: self.output.in_features] *= folded
        nn.init.normal_(self.output.weight, std=0.02)


class _Block(nn.Module):
    def __init__(self, d_model: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm_1 = nn.LayerNorm(d_model, bias=False)
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)
        self.norm_2 = nn.LayerNorm(d_model, bias=False)
        self.up = nn.Linear(d_model, 4 * d_model, bias=False)
        self.down = nn.Linear(4 * d_model, d_model, bias=False)

    def forward(self, x: Tensor, method: Causal, positions: Tensor) -> Tensor:
        x = x + self.out(self._attend(self.norm_1(x), method, positions))
        return x + self.down(F.relu(self.up(self.norm_2(x))))

    def _attend(self, x: Tensor, method: Causal, positions: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = attention(q, k, v, method, positions, positions, backend="sdpa")
        return mixed.transpose(1, 2).reshape(batch, length, width)
