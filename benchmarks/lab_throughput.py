"""Training throughput of the lab's decoder beside that of x-transformers: ``python -m benchmarks.lab_throughput``.

Both models have one size and one training loop (AdamW, clipping, random tokens). They take turns, block by block, so
that what else the machine does falls on both. Printed are tokens per second and the ratio of each pair of blocks:
median, lowest, highest. On the CPU the clock counts this process's own CPU seconds.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from loguru import logger
from torch import Tensor, nn

from pe_course.lab.config import Config
from pe_course.lab.methods import options
from pe_course.lab.model import Decoder
from pe_course.lab.train import BETAS, CLIP
from pe_course.nn import build

SYMBOLS = 65


@dataclass(frozen=True)
class Size:
    d_model: int
    heads: int
    layers: int
    length: int
    batch: int


SIZES = {"lab": Size(64, 4, 2, 64, 32), "larger": Size(128, 4, 3, 128, 16)}

THEIR_OPTIONS = {
    "learned": {},
    "sinusoidal": {},
    "alibi": {"alibi_pos_bias": True},
    "rope": {"rotary_pos_emb": True},
    "t5": {"rel_pos_bias": True},
}
"""The methods that both have, and how x-transformers names them."""


def ours(method: str, size: Size) -> nn.Module:
    config = Config(
        method=method,
        length=size.length,
        d_model=size.d_model,
        heads=size.heads,
        layers=size.layers,
        eval_tokens=16 * size.length,
    )
    # The lab's table has rows for the lengths it is tested at; theirs has none.
    rows = {"max_position_embeddings": size.length} if method == "learned" else {}
    built = build(method, **options(config) | rows)
    return Decoder(built, symbols=SYMBOLS, d_model=size.d_model, heads=size.heads, layers=size.layers)


def theirs(method: str, size: Size) -> nn.Module:
    from x_transformers import Decoder as Layers
    from x_transformers import TransformerWrapper

    head_dim = size.d_model // size.heads
    rotary = {"rotary_emb_dim": head_dim} if method == "rope" else {}
    layers = Layers(
        dim=size.d_model,
        depth=size.layers,
        heads=size.heads,
        attn_dim_head=head_dim,
        attn_flash=method != "t5",  # their relative bias has no flash path
        **THEIR_OPTIONS[method],
        **rotary,
    )
    return TransformerWrapper(
        num_tokens=SYMBOLS,
        max_seq_len=size.length,
        attn_layers=layers,
        use_abs_pos_emb=method in ("learned", "sinusoidal"),
        scaled_sinu_pos_emb=method == "sinusoidal",
    )


def trainer(model: nn.Module, size: Size, device: torch.device) -> Callable[[int], None]:
    """A function that trains ``model`` for some steps."""
    model.to(device).train()
    adamw = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=BETAS, fused=True)
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(SYMBOLS, (size.batch, size.length + 1), generator=generator).to(device)

    def steps(number: int) -> None:
        for _ in range(number):
            loss = _loss(model, tokens)
            adamw.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            adamw.step()
        if device.type == "cuda":
            torch.cuda.synchronize()

    return steps


def _loss(model: nn.Module, tokens: Tensor) -> Tensor:
    return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


def compare(method: str, size: Size, *, rounds: int, steps: int, device: torch.device) -> str:
    models = [ours(method, size), theirs(method, size)]
    trainers = [trainer(model, size, device) for model in models]
    clock = time.process_time if device.type == "cpu" else time.perf_counter
    for train in trainers:
        train(3)
    seconds: list[list[float]] = [[], []]
    for turn in range(rounds):
        # Who goes first alternates as well.
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            start = clock()
            trainers[which](steps)
            seconds[which].append(clock() - start)
    ratios = [their / our for our, their in zip(*seconds, strict=True)]
    speeds = [steps * size.batch * size.length / statistics.median(part) / 1000 for part in seconds]
    parameters = [sum(p.numel() for p in model.parameters()) // 1000 for model in models]
    return (
        f"{method:<11}{speeds[0]:8.1f}k{speeds[1]:11.1f}k{statistics.median(ratios):9.2f}x"
        f"  [{min(ratios):.2f}, {max(ratios):.2f}]   {parameters[0]}k / {parameters[1]}k parameters"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lab_throughput", description=__doc__)
    parser.add_argument("--size", choices=SIZES, nargs="+", default=list(SIZES))
    parser.add_argument("--method", choices=THEIR_OPTIONS, nargs="+", default=list(THEIR_OPTIONS))
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=10, help="per round and model")
    parser.add_argument("--device", default="cpu")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    logger.disable("x_transformers")  # it advises against rotary heads below 32 channels; both have them
    warnings.filterwarnings("ignore", message=".*torch.jit.script.*", category=DeprecationWarning)
    for name in chosen.size:
        print(f"{name}: {SIZES[name]}")
        print(f"{'tokens/s':<11}{'lab':>9}{'x-transf.':>12}{'ratio':>10}")
        for method in chosen.method:
            device = torch.device(chosen.device)
            line = compare(method, SIZES[name], rounds=chosen.rounds, steps=chosen.steps, device=device)
            print(line, flush=True)


if __name__ == "__main__":
    main()
