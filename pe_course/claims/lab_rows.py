"""What the stored results of the lab say: losses in nats, averaged over the seeds that are there."""

from __future__ import annotations

from functools import cache
from statistics import mean

from pe_course.lab.config import Config
from pe_course.lab.results import Row, select, stored

PROVENANCE = (
    "Losses are means over the seeds stored in pe_course/lab/results/text.jsonl; 'python -m pe_course.lab run --method "
    "NAME --task text --steps 500 --seed N' makes such a row again."
)


def text_rows(method: str) -> list[Row]:
    """The runs of ``method`` on text at 500 steps, one per seed. Raises: LookupError that says what is missing."""
    wanted = {"task": "text", "method": method, "steps": 500, "finetune": "none"}
    rows = select(_stored_text(), **wanted, position_lr_factor=Config().position_lr_factor)
    if not rows:
        raise LookupError(
            f"the lab's stored results hold no run of {method!r} on text with 500 steps; "
            f"'python -m pe_course.lab run --method {method} --task text --steps 500 --seed 0' makes one"
        )
    return rows


@cache
def _stored_text() -> list[Row]:
    """Read once: some checks ask for dozens of losses."""
    return stored("text")


def training_length(method: str) -> int:
    return text_rows(method)[0]["config"]["length"]


def loss(method: str, multiple: int) -> float:
    """Mean loss over sequences of ``multiple`` times the training length."""
    length = str(multiple * training_length(method))
    return mean(row["results"]["by_length"][length]["loss"] for row in text_rows(method))


def loss_before_and_after(method: str) -> tuple[float, float]:
    """Mean loss at the last and at the first positions on both sides of the training length, an eighth of it each."""
    before, after = [], []
    for row in text_rows(method):
        bins = row["results"]["per_position"][0]
        end = row["config"]["length"] // bins["width"]
        before.append(bins["loss"][end - 1])
        after.append(bins["loss"][end])
    return mean(before), mean(after)
