"""A trained RoPE model is tuned to a longer text: as it is, or with stretched frequencies.

Chen et al. 2023 (arXiv:2306.15595) for position interpolation, Peng et al. 2023 (arXiv:2309.00071) for YaRN.
"""

from __future__ import annotations

from typing import Any

from pe_course.lab import evaluate, methods, train
from pe_course.lab.config import Config
from pe_course.lab.model import Causal, Decoder
from pe_course.lab.tasks import test_sequences, training_batches

MEASURED = (0, 10, 20)
"""Steps before which the model is tested; it is tested after the last step as well."""


def tuned(model: Decoder, config: Config) -> dict[str, Any]:
    """Tune ``model`` in place by the rule ``config.finetune``, as many tokens per step as in training.

    Returns: ``after``: for each measured step the loss at L, at the new length and at twice that, all of them with the
    frequencies that the rule gives for the new length.
    """
    length = config.finetune_multiple * config.length
    rule = {"direct": "plain"}.get(config.finetune, config.finetune)
    model.causal = Causal(methods.rope_variant(rule, config, length))
    sequences = max(1, config.batch_size // config.finetune_multiple)
    batches = training_batches(
        config.task, seed=config.seed, steps=config.finetune_steps, sequences=sequences, length=length, tuning=True
    )
    steps = train.train(
        model,
        batches,
        steps=config.finetune_steps,
        learning_rate=config.finetune_learning_rate,
        position_lr_factor=config.position_lr_factor,
        weight_decay=config.weight_decay,
        schedule=train.constant,
    )
    after = {"0": _losses(model, config, length)}
    for done, _ in enumerate(steps, start=1):
        if done in MEASURED or done == config.finetune_steps:
            after[str(done)] = _losses(model, config, length)
    return {"rule": config.finetune, "factor": config.finetune_multiple, "length": length, "after": after}


def _losses(model: Decoder, config: Config, length: int) -> dict[str, float]:
    lengths = (config.length, length, 2 * length)
    return {str(n): evaluate.non_overlapping(model, test_sequences(config, n))["loss"] for n in lengths}
