"""What one run of the lab is made of: everything that decides its numbers, checked, in one flat record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from pe_course.reference.validation import count, multiple_of, one_of, real_number

TASKS = ("text", "markov", "copy", "recall")
METHODS = (
    "nope",
    "learned",
    "sinusoidal",
    "t5",
    "alibi",
    "kerple",
    "sandwich",
    "fire",
    "continuous",
    "rope",
    "xpos",
)
FINETUNING = ("none", "direct", "pi", "ntk", "yarn")
MULTIPLES = (1, 2, 4, 8, 16)
"""The lengths a trained model is tested at, as multiples of the training length."""

AXES = ("method", "steps", "seed", "position_lr_factor", "finetune")
"""What may differ between the rows of one results file. All other fields are the setting of the file."""


@dataclass(frozen=True)
class Config:
    """One run: train ``method`` on ``task`` at ``length``, test it up to 16 times that length.

    Parameters:
        method, task, finetune: names out of `METHODS`, `TASKS`, `FINETUNING`.
        length: tokens per training sequence, L.
        steps: optimiser steps; ``batch_size`` sequences each.
        seed: decides weights and batches: all methods of one seed start from the same weights and see the same batches.
        learning_rate: of AdamW, with a cosine to a tenth of it. ``position_lr_factor`` multiplies it for the
            method's own parameters: with a common rate the experiment ranks optimisers, not methods.
        window: width of the local window and of ReRoPE's exact part in the tests, at most ``length``; 0 takes
            ``length`` for the one and ``length / 2`` for the other.
        finetune: how a trained RoPE model is tuned to ``finetune_multiple`` times its length.
        eval_tokens: predictions per tested length, the same text for all lengths.

    Raises: TypeError, ValueError naming argument, value and limit.
    """

    method: str = "rope"
    task: str = "text"
    length: int = 64
    steps: int = 500
    seed: int = 0
    batch_size: int = 32
    d_model: int = 64
    heads: int = 4
    layers: int = 2
    learning_rate: float = 3e-3
    position_lr_factor: float = 10.0
    weight_decay: float = 0.1
    window: int = 0
    eval_tokens: int = 32768
    finetune: str = "none"
    finetune_multiple: int = 4
    finetune_steps: int = 60
    finetune_learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        one_of("method", self.method, METHODS)
        one_of("task", self.task, TASKS)
        one_of("finetune", self.finetune, FINETUNING)
        for name in ("steps", "seed"):
            count(name, getattr(self, name), minimum=0)
        for name in ("batch_size", "heads", "layers", "finetune_steps"):
            count(name, getattr(self, name))
        count("length", self.length, minimum=8)
        count("finetune_multiple", self.finetune_multiple, minimum=2)
        multiple_of("length", self.length, 8, why="results are binned by eighths of it")
        multiple_of("d_model", count("d_model", self.d_model), 2 * self.heads, why="every head needs pairs of channels")
        count("eval_tokens", self.eval_tokens, minimum=MULTIPLES[-1] * self.length)
        multiple_of("eval_tokens", self.eval_tokens, MULTIPLES[-1] * self.length, why="all lengths share one text")
        for name in ("learning_rate", "position_lr_factor", "finetune_learning_rate"):
            real_number(name, getattr(self, name), above=0)
        real_number("weight_decay", self.weight_decay, at_least=0)
        count("window", self.window, minimum=0)
        if self.window > self.length:
            raise ValueError(f"length must be at least the window, {self.window}, got {self.length}")
        if self.finetune != "none" and self.method != "rope":
            raise ValueError(f"finetune {self.finetune!r} is for method 'rope', got {self.method!r}")

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Config:
        """The configuration with these fields. Raises: ValueError that names a field which does not exist."""
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ValueError(f"config has no field {unknown[0]!r}; it has {', '.join(sorted(known))}")
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def key(self) -> str:
        """One line that two equal configurations share."""
        return json.dumps(self.as_dict(), sort_keys=True)

    @property
    def setting(self) -> dict[str, Any]:
        """The fields that all rows of one results file must share."""
        return {name: value for name, value in self.as_dict().items() if name not in AXES}

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple(multiple * self.length for multiple in MULTIPLES)

    @property
    def local_window(self) -> int:
        return self.window or self.length

    @property
    def rerope_window(self) -> int:
        return self.window or self.length // 2

    @property
    def command(self) -> str:
        """The command that makes this row again."""
        changed = [(f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default]
        named = [("method", self.method), ("task", self.task), ("steps", self.steps), ("seed", self.seed)]
        arguments = dict(named) | dict(changed)
        return " ".join(
            ["python -m pe_course.lab run", *(f"--{n.replace('_', '-')} {v}" for n, v in arguments.items())]
        )
