"""The unit of the lab: one configuration in, its results out. Everything else runs many of these and keeps the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch

from pe_course.lab import evaluate, methods, text, train, versions
from pe_course.lab.config import Config
from pe_course.lab.model import Decoder
from pe_course.lab.probes import retrieval
from pe_course.lab.tasks import task, test_sequences, training_batches

Progress = Callable[[Iterable[float]], Iterable[float]]
LEARNED_SHARE = 0.9
"""Of what can be won over guessing at the training length. Below it, extrapolation says nothing: "not learned"."""


def run(config: Config | Mapping[str, Any], *, device: str = "cpu", progress: Progress | None = None) -> dict[str, Any]:
    """Train and test as ``config`` says. The same configuration gives the same results on the same machine.

    Parameters: config: a `Config` or its fields. device: "cpu", "cuda", "cuda:1", … (not run on a GPU yet). progress:
    wraps the iteration over training steps, as ``tqdm`` does.

    Returns: a dictionary for JSON; the page on the lab in the book describes its entries.

    Raises: TypeError, ValueError naming argument, value and limit, before anything is computed.
    """
    config = config if isinstance(config, Config) else Config.from_mapping(config)
    check_device(device)
    with torch.random.fork_rng(devices=[]), train.processes(device) as (own_device, _):
        model, losses = trained(config, own_device, progress)
        if config.finetune != "none":
            from pe_course.lab.finetune import tuned

            return tuned(model, config)
        return {**_training(model, config, losses), **tested(model, config)}


def row(config: Config, *, device: str = "cpu", progress: Progress | None = None) -> dict[str, Any]:
    """`run`, with what is needed to run it again."""
    results = run(config, device=device, progress=progress)
    return {
        "config": config.as_dict(),
        "results": results,
        "versions": versions.versions(torch.device(device)),
        "commit": versions.commit(),
        "command": config.command,
    }


def trained(
    config: Config, device: torch.device | str = "cpu", progress: Progress | None = None
) -> tuple[Decoder, list[float]]:
    """The trained model and its losses, step by step."""
    torch.manual_seed(config.seed)
    method = methods.build_for(config)
    # Once more, so that all methods start from the same weights, whatever they drew for their own parameters.
    torch.manual_seed(config.seed)
    model = Decoder(
        method,
        symbols=task(config.task).symbols(),
        d_model=config.d_model,
        heads=config.heads,
        layers=config.layers,
    ).to(device)
    batches = training_batches(
        config.task, seed=config.seed, steps=config.steps, sequences=config.batch_size, length=config.length
    )
    steps = train.train(
        model,
        batches,
        steps=config.steps,
        learning_rate=config.learning_rate,
        position_lr_factor=config.position_lr_factor,
        weight_decay=config.weight_decay,
    )
    return model, list(steps if progress is None else progress(steps))


def tested(model: Decoder, config: Config) -> dict[str, Any]:
    """All tests of a trained model."""
    by_length = {length: test_sequences(config, length) for length in config.lengths}
    found = {"by_length": {str(n): evaluate.non_overlapping(model, by_length[n]) for n in config.lengths}}
    if task(config.task).has_optimum:
        found |= learned(found["by_length"][str(config.length)], config)
    found["per_position"] = [_per_position(model, by_length[4 * config.length], config.length // 8)]
    found["per_position"].append(_per_position(model, by_length[16 * config.length], config.length))
    found["windows"] = _windows(model, config, by_length)
    if config.task == "text":
        found["sliding"] = _sliding(model, config)
    if config.task in ("copy", "recall"):
        found["retrieval"] = retrieval(model, config)
    if config.method == "rope":
        found["variants"] = _variants(model, config, by_length)
    return found


def learned(at_training_length: Mapping[str, float], config: Config) -> dict[str, Any]:
    """How much of what can be won over guessing was won at the training length."""
    guess = float(np.log(methods.ANSWERS[config.task]))
    share = (guess - at_training_length["loss"]) / (guess - at_training_length["optimum"])
    return {"learned_share": evaluate.rounded(share), "learned": bool(share >= LEARNED_SHARE)}


def check_device(device: str) -> None:
    """Raises: ValueError if there is no such device here."""
    try:
        kind = torch.device(device).type
    except RuntimeError:
        raise ValueError(f"device must be 'cpu', 'cuda' or 'cuda:N', got {device!r}") from None
    if kind == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"device {device!r} is not available here: torch {torch.__version__} finds no GPU")


def _training(model: Decoder, config: Config, losses: list[float]) -> dict[str, Any]:
    curve = [evaluate.rounded(np.mean(losses[i : i + 50])) for i in range(0, len(losses), 50)]
    parameters = sum(p.numel() for p in model.parameters())
    return {
        "parameters": parameters,
        "positional_parameters": sum(p.numel() for p in model.causal.method.parameters()),
        "method_options": methods.options(config),
        "training_loss": curve,
        **({"text_sha256": text.SHA256} if config.task == "text" else {}),
    }


def _per_position(model: Decoder, sequences, width: int) -> dict[str, Any]:
    length = sequences.tokens.shape[1] - 1
    loss = evaluate.per_position(model, sequences, width=width)
    optimum = evaluate.by_bins(sequences, sequences.optimum, width)
    known = {} if all(value is None for value in optimum) else {"optimum": optimum}
    return {"length": length, "width": width, "loss": loss, **known}


def _windows(model: Decoder, config: Config, by_length) -> dict[str, Any]:
    """Loss at 8 L, on positions from L on, of a model that sees its last tokens only: does it use the far past?"""
    length = 8 * config.length
    sequences = by_length[length]
    late = sequences.scored & (np.arange(length) >= config.length)
    losses = {}
    for window in (None, config.length, config.length // 2, config.length // 4, config.length // 8):
        with model.using(window=window):
            loss, _ = evaluate.predictions(model, sequences.tokens)
        losses["none" if window is None else str(window)] = evaluate.rounded(loss[late].mean())
    return {"length": length, "from": config.length, "loss": losses}


def _sliding(model: Decoder, config: Config) -> list[dict[str, Any]]:
    """The same 4,096 characters, predicted from pieces and from windows that overlap."""
    _, held_out, _ = text.load()
    length, targets = config.length, 64 * config.length
    found = []
    for context, stride in ((length, length), (length, length // 16), (4 * length, length), (4 * length, length // 4)):
        loss = evaluate.sliding_window(
            model, held_out, context=context, stride=max(1, stride), start=4 * length, targets=targets
        )
        found.append({"context": context, "stride": max(1, stride), "loss": loss})
    return found


def _variants(model: Decoder, config: Config, by_length) -> dict[str, Any]:
    """What can be done to a trained RoPE model without training it: see `methods.VARIANTS`."""
    found: dict[str, Any] = {}
    for name in methods.VARIANTS:
        found[name] = {str(n): _variant(model, config, name, by_length[n], n) for n in config.lengths}
    return found


def _variant(model: Decoder, config: Config, name: str, sequences, length: int) -> dict[str, float]:
    if name == "dynamic_ntk":
        return evaluate.growing(
            model,
            sequences,
            block=config.length,
            method_at=lambda end: methods.rope_variant("dynamic_ntk", config, end),
        )
    window = config.local_window if name == "window" else None
    with model.using(methods.rope_variant(name, config, length), window=window):
        return evaluate.non_overlapping(model, sequences)
