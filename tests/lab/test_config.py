"""Configurations: what they refuse, and what two of them share."""

import shlex
from dataclasses import fields

import pytest

from pe_course.lab import __main__ as main
from pe_course.lab.config import METHODS, Config
from pe_course.lab.experiment import run


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"method": "roppe"}, ValueError, "method must be one of 'nope', .*; got 'roppe'"),
        ({"task": "addition"}, ValueError, "task must be one of 'text', 'markov', 'copy', 'recall'; got 'addition'"),
        ({"finetune": "longrope"}, ValueError, "finetune must be one of .*; got 'longrope'"),
        ({"finetune": "pi", "method": "alibi"}, ValueError, "finetune 'pi' is for method 'rope', got 'alibi'"),
        ({"length": 64, "window": 65}, ValueError, "length must be at least the window, 65, got 64"),
        ({"length": 4}, ValueError, "length must be at least 8, got 4"),
        ({"length": 20}, ValueError, "length must be a multiple of 8 .*, got 20"),
        ({"length": 64.0}, TypeError, "length must be a whole number, got 64.0"),
        ({"steps": -1}, ValueError, "steps must be at least 0, got -1"),
        ({"seed": -1}, ValueError, "seed must be at least 0, got -1"),
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1, got 0"),
        ({"layers": 0}, ValueError, "layers must be at least 1, got 0"),
        ({"heads": 0}, ValueError, "heads must be at least 1, got 0"),
        (
            {"d_model": 60},
            ValueError,
            "d_model must be a multiple of 8 because every head .*, got 60",
        ),
        ({"learning_rate": 0.0}, ValueError, "learning_rate must be greater than 0, got 0"),
        ({"position_lr_factor": float("nan")}, ValueError, "position_lr_factor must be finite, got nan"),
        ({"weight_decay": -0.1}, ValueError, "weight_decay must be at least 0, got -0.1"),
        ({"window": -1}, ValueError, "window must be at least 0, got -1"),
        ({"eval_tokens": 512}, ValueError, "eval_tokens must be at least 1024, got 512"),
        (
            {"eval_tokens": 1500},
            ValueError,
            "eval_tokens must be a multiple of 1024 because .*, got 1500",
        ),
        ({"finetune_multiple": 1}, ValueError, "finetune_multiple must be at least 2, got 1"),
        ({"finetune_steps": 0}, ValueError, "finetune_steps must be at least 1, got 0"),
        ({"finetune_learning_rate": -1.0}, ValueError, "finetune_learning_rate must be greater than 0, got -1"),
        ({"speed": 3}, ValueError, "config has no field 'speed'; it has batch_size, "),
    ],
)
def test_bad_input_is_named_before_anything_runs(changes, error, message):
    with pytest.raises(error, match=message):
        run(changes)


def test_an_unknown_device_is_named():
    with pytest.raises(ValueError, match="device must be 'cpu', 'cuda' or 'cuda:N', got 'gpu'"):
        run({"steps": 0}, device="gpu")


def test_the_command_makes_the_same_configuration():
    config = Config(method="t5", task="markov", steps=7, seed=2, position_lr_factor=1.0, length=32, window=16)
    words = shlex.split(config.command)
    assert words[:4] == ["python", "-m", "pe_course.lab", "run"]
    options = main._parser().parse_args(words[3:])
    assert Config(**{field.name: getattr(options, field.name) for field in fields(Config)}) == config


def test_methods_share_a_setting_and_tasks_do_not():
    assert (
        len({str(Config(method=method, seed=1, steps=3).setting) for method in METHODS} | {str(Config().setting)}) == 1
    )
    assert Config(task="copy").setting != Config().setting != Config(length=32).setting


def test_windows_are_those_of_the_length_unless_given():
    assert (Config().local_window, Config().rerope_window) == (64, 32)
    assert (Config(window=16).local_window, Config(window=16).rerope_window) == (16, 16)
