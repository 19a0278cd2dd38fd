"""Run by `test_ddp` under torchrun and alone: trains a little and writes the loss of every step."""

import json
import sys

import torch

from pe_course.lab import experiment, train
from pe_course.lab.config import Config


def main(method: str, task: str, path: str) -> None:
    torch.set_num_threads(1)
    config = Config(method=method, task=task, length=16, d_model=32, layers=2, batch_size=8, steps=20, eval_tokens=256)
    with train.processes("cpu") as (device, first):
        _, losses = experiment.trained(config, device)
        if first:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(losses, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
