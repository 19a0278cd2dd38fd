"""Which runs make up an experiment, in the order in which they are worth having."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from pe_course.lab.config import FINETUNING, METHODS, TASKS, Config

SEEDS = (0, 1, 2)
SHORT, LONG = 500, 2000
POSITIONAL_PARAMETERS = ("learned", "t5", "kerple", "fire", "continuous")
COMMON_RATE = 1.0


@dataclass(frozen=True)
class Planned:
    """One run, and the stem of the results file that its row goes to."""

    file: str
    config: Config


def grid(
    base: Config,
    *,
    tasks: Iterable[str] = TASKS,
    methods: Iterable[str] = METHODS,
    steps: Iterable[int] = (SHORT,),
    seeds: Iterable[int] = SEEDS,
) -> list[Planned]:
    """Every combination, task by task; one seed of all methods comes before the next seed."""
    return [
        Planned(task, replace(base, task=task, steps=number, seed=seed, method=method))
        for task, number, seed, method in product(tasks, steps, seeds, methods)
    ]


def common_rate(base: Config, seeds: Iterable[int] = SEEDS) -> list[Planned]:
    """Text once more, with the model's learning rate for positional parameters: how much of a ranking is the rate's?"""
    common = replace(base, position_lr_factor=COMMON_RATE)
    return grid(common, tasks=["text"], methods=POSITIONAL_PARAMETERS, seeds=seeds)


def finetuning(base: Config, seeds: Iterable[int] = SEEDS) -> list[Planned]:
    """RoPE on text, tuned to four times its length by each rule."""
    rules = [rule for rule in FINETUNING if rule != "none"]
    return [
        Planned("finetune", replace(base, task="text", method="rope", steps=SHORT, seed=seed, finetune=rule))
        for seed, rule in product(seeds, rules)
    ]


def quick(base: Config) -> list[Planned]:
    """Text at 500 steps, one seed: about five minutes on two cores."""
    return grid(base, tasks=["text"], seeds=[0])


def full(base: Config) -> list[Planned]:
    """What comes with the package: all tasks at 500 and 2,000 steps, common rate, fine-tuning, three seeds."""
    return [
        *grid(base),
        *finetuning(base),
        *common_rate(base),
        *grid(base, steps=[LONG]),
    ]


PLANS = {"quick": quick, "full": full}


def chosen(
    base: Config,
    *,
    plan: str | None,
    tasks: Sequence[str],
    methods: Sequence[str],
    steps: Sequence[int],
    seeds: Sequence[int],
) -> list[Planned]:
    """A plan by name, narrowed to the given tasks, methods, steps and seeds; without a plan their grid."""
    if plan is None:
        return grid(
            base,
            tasks=tasks or [base.task],
            methods=methods or METHODS,
            steps=steps or [SHORT],
            seeds=seeds or SEEDS,
        )
    return [
        planned
        for planned in PLANS[plan](base)
        if (not tasks or planned.config.task in tasks)
        and (not methods or planned.config.method in methods)
        and (not steps or planned.config.steps in steps)
        and (not seeds or planned.config.seed in seeds)
    ]
