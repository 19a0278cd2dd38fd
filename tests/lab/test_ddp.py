"""One training over two processes is the training of one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("ddp_losses.py")
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def losses(prefix, method, task, path):
    subprocess.run([*prefix, str(SCRIPT), method, task, str(path)], check=True, env=ENVIRONMENT, capture_output=True)
    return json.loads(path.read_text())


@pytest.mark.slow
@pytest.mark.parametrize(("method", "task"), [("t5", "copy"), ("rope", "markov")])
def test_two_processes_have_the_losses_of_one(method, task, tmp_path):
    # The copy task counts another number of tokens in each half of a batch.
    alone = losses([sys.executable], method, task, tmp_path / "one.json")
    together = losses(TORCHRUN, method, task, tmp_path / "two.json")
    assert len(alone) == 20 and max(alone) - min(alone) > 0.02
    assert together == pytest.approx(alone, abs=5e-6)


@pytest.mark.slow
def test_torchrun_prints_one_row():
    tiny = "--task markov --length 8 --d-model 16 --heads 2 --layers 1 --eval-tokens 128 --batch-size 4 --steps 2"
    command = [*TORCHRUN, "-m", "pe_course.lab", "run", "--method", "alibi", *tiny.split(), "--quiet"]
    done = subprocess.run(command, check=True, env=ENVIRONMENT, capture_output=True, text=True)
    assert json.loads(done.stdout)["config"]["method"] == "alibi"
