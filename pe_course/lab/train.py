"""One training: AdamW, a learning rate of its own for positional parameters, one process or several (DDP)."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from pe_course.lab.model import Decoder
from pe_course.lab.synthetic import Sequences

WARM_UP = 20
BETAS = (0.9, 0.99)
CLIP = 1.0


def optimiser(
    model: Decoder, *, learning_rate: float, position_lr_factor: float, weight_decay: float
) -> torch.optim.AdamW:
    """AdamW in three groups: matrices with weight decay, the rest without, the method's at their own rate."""
    positional = {id(p) for p in model.causal.method.parameters()}
    own = [p for p in model.parameters() if id(p) not in positional]
    groups = [
        {"params": [p for p in own if p.ndim >= 2], "weight_decay": weight_decay, "factor": 1.0},
        {"params": [p for p in own if p.ndim < 2], "weight_decay": 0.0, "factor": 1.0},
        {"params": list(model.causal.method.parameters()), "weight_decay": 0.0, "factor": position_lr_factor},
    ]
    return torch.optim.AdamW([g for g in groups if g["params"]], lr=learning_rate, betas=BETAS, fused=True)


def cosine(step: int, steps: int) -> float:
    """Share of the learning rate: up in `WARM_UP` steps, then down a cosine to a tenth."""
    warm_up = min(WARM_UP, steps)
    if step < warm_up:
        return (step + 1) / warm_up
    return 0.55 + 0.45 * math.cos(math.pi * (step - warm_up) / max(1, steps - warm_up))


def constant(step: int, steps: int) -> float:
    """Share of the learning rate while tuning: up in five steps, then level, so that every step can be compared."""
    return min(1.0, (step + 1) / 5)


def train(
    model: Decoder,
    batches: Iterable[Sequences],
    *,
    steps: int,
    learning_rate: float,
    position_lr_factor: float,
    weight_decay: float,
    schedule: Callable[[int, int], float] = cosine,
) -> Iterator[float]:
    """Train ``model`` in place, one step per batch; yields the loss of each step, in nats per token that counts.

    Under ``torchrun`` every process takes its share of each batch, and the loss is that of the whole batch. The
    number of sequences must then be a multiple of the number of processes.
    """
    adamw = optimiser(
        model, learning_rate=learning_rate, position_lr_factor=position_lr_factor, weight_decay=weight_decay
    )
    device = model.output.weight.device
    forward: nn.Module = model
    if dist.is_initialized():
        ids = [device.index] if device.type == "cuda" else None
        forward = DistributedDataParallel(model, device_ids=ids, broadcast_buffers=False)
    for step, batch in enumerate(batches):
        for group in adamw.param_groups:
            group["lr"] = learning_rate * group["factor"] * schedule(step, steps)
        loss = _step_loss(forward, batch, device)
        adamw.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        adamw.step()
        yield _whole_loss(loss)


def _step_loss(forward: nn.Module, batch: Sequences, device: torch.device) -> Tensor:
    """Mean over the tokens of the *whole* batch that count, times the number of processes, which DDP divides by."""
    processes, total = _world(), int(batch.scored.sum())
    rank = dist.get_rank() if processes > 1 else 0
    if len(batch.tokens) % processes:
        raise ValueError(f"batch_size must be a multiple of the {processes} processes, got {len(batch.tokens)}")
    share = slice(rank * len(batch.tokens) // processes, (rank + 1) * len(batch.tokens) // processes)
    tokens = torch.from_numpy(np.ascontiguousarray(batch.tokens[share])).to(device, non_blocking=True)
    logits, targets = forward(tokens[:, :-1]), tokens[:, 1:]
    scored = batch.scored[share]
    if not scored.all():
        counted = torch.from_numpy(np.ascontiguousarray(scored)).to(device)
        logits, targets = logits[counted], targets[counted]
    return F.cross_entropy(logits.flatten(0, -2), targets.flatten(), reduction="sum") * (processes / total)


def _whole_loss(loss: Tensor) -> float:
    if not dist.is_initialized():
        return loss.item()
    shared = loss.detach().clone()
    dist.all_reduce(shared)
    return shared.item() / _world()


def _world() -> int:
    return dist.get_world_size() if dist.is_initialized() else 1


@contextmanager
def processes(device: str) -> Iterator[tuple[torch.device, bool]]:
    """``(device, first)`` of this process; joins the others if ``torchrun`` started it, and leaves them at the end."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1 or dist.is_initialized():
        yield torch.device(device), True
        return
    dist.init_process_group("nccl" if device == "cuda" else "gloo")
    try:
        own = f"cuda:{os.environ['LOCAL_RANK']}" if device == "cuda" else device
        yield torch.device(own), dist.get_rank() == 0
    finally:
        dist.destroy_process_group()
