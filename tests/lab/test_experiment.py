"""The unit: one configuration, one dictionary, the same each time; and what it hands to optimiser and disk."""

import json

import pytest
import torch

from pe_course.lab import experiment, finetune, methods, train, versions
from pe_course.lab.config import METHODS, Config
from pe_course.lab.tasks import training_batches

TINY = {"length": 8, "d_model": 16, "heads": 2, "layers": 1, "eval_tokens": 128, "batch_size": 4, "steps": 2}


@pytest.fixture(autouse=True)
def few_probes(monkeypatch):
    monkeypatch.setattr("pe_course.lab.probes.RECALL_SEQUENCES", 2)
    monkeypatch.setattr("pe_course.lab.probes.COPY_TOKENS", 128)


@pytest.mark.parametrize("task", ["markov", "copy", "recall", "text"])
def test_a_run_is_a_pure_function(task):
    torch.manual_seed(99)
    state = torch.random.get_rng_state()
    first = experiment.run({"method": "kerple", "task": task, **TINY})
    assert torch.equal(torch.random.get_rng_state(), state)
    torch.manual_seed(5)
    assert experiment.run({"method": "kerple", "task": task, **TINY}) == first
    assert json.loads(json.dumps(first, allow_nan=False)) == first
    assert list(first["by_length"]) == ["8", "16", "32", "64", "128"]
    assert ("learned" in first) == (task != "text") and ("sliding" in first) == (task == "text")
    assert ("retrieval" in first) == (task in ("copy", "recall"))


def test_rope_is_changed_at_test_time():
    found = experiment.run({"method": "rope", "task": "markov", **TINY})
    assert tuple(found["variants"]) == methods.VARIANTS
    assert found["variants"]["pi"]["8"] == found["by_length"]["8"] != found["by_length"]["16"]
    assert found["variants"]["pi"]["128"] != found["by_length"]["128"]


def test_a_seed_decides_weights_and_batches():
    one, other = (experiment.trained(Config(seed=seed, task="markov", **TINY))[1] for seed in (0, 1))
    assert one != other


def test_methods_of_one_seed_start_from_the_same_weights():
    nets = [experiment.trained(Config(method=m, task="markov", **(TINY | {"steps": 0})))[0] for m in METHODS]
    for net in nets:
        torch.testing.assert_close(net.tokens.weight, nets[0].tokens.weight, rtol=0, atol=0)
        torch.testing.assert_close(net.output.weight, nets[0].output.weight, rtol=0, atol=0)
        torch.testing.assert_close(net.blocks[0].up.weight, nets[0].blocks[0].up.weight, rtol=0, atol=0)


def test_training_learns():
    config = Config(method="alibi", task="text", **(TINY | {"steps": 60}))
    _, losses = experiment.trained(config)
    assert sum(losses[-10:]) / 10 < losses[0] - 0.5


def test_positional_parameters_have_a_rate_of_their_own():
    net, _ = experiment.trained(Config(method="t5", task="markov", **(TINY | {"steps": 0})))
    adamw = train.optimiser(net, learning_rate=1e-3, position_lr_factor=10.0, weight_decay=0.1)
    [group] = [g for g in adamw.param_groups if g["factor"] == 10.0]
    assert [id(p) for p in group["params"]] == [id(p) for p in net.causal.method.parameters()]
    assert group["weight_decay"] == 0
    everything = [id(p) for g in adamw.param_groups for p in g["params"]]
    assert sorted(everything) == sorted(id(p) for p in net.parameters())
    assert {p.ndim for g in adamw.param_groups if g["weight_decay"] for p in g["params"]} == {2}


def test_the_rate_of_positional_parameters_reaches_them():
    moved = []
    for factor in (1.0, 10.0):
        config = Config(method="t5", task="markov", position_lr_factor=factor, **(TINY | {"steps": 1}))
        start, _ = experiment.trained(Config(method="t5", task="markov", **(TINY | {"steps": 0})))
        net, _ = experiment.trained(config)
        table, before = (n.causal.method.relative_attention_bias.weight for n in (net, start))
        moved.append((table - before).abs().max().item())
    # The first step of Adam is one learning rate, whatever the gradient.
    assert moved[0] == pytest.approx(3e-3, rel=1e-3) and moved[1] == pytest.approx(3e-2, rel=1e-3)


def test_the_schedule_rises_and_falls():
    shares = [train.cosine(step, 100) for step in range(100)]
    assert shares[0] == 0.05 and max(shares) == shares[20] == 1.0 and shares[-1] == pytest.approx(0.1, abs=0.01)
    assert [train.constant(step, 60) for step in (0, 4, 59)] == [0.2, 1.0, 1.0]


def test_a_method_that_is_tuned_is_tested_on_the_way(monkeypatch):
    monkeypatch.setattr(finetune, "MEASURED", (0, 1))
    for rule in ("direct", "pi", "ntk", "yarn"):
        found = experiment.run({"finetune": rule, "finetune_steps": 2, "task": "markov", **TINY})
        assert (found["rule"], found["factor"], found["length"]) == (rule, 4, 32)
        assert {step: list(losses) for step, losses in found["after"].items()} == {
            step: ["8", "32", "64"] for step in "012"
        }


def test_tuning_starts_from_the_trained_model():
    plain = experiment.run({"method": "rope", "task": "markov", **TINY})
    direct, pi = (
        experiment.run({"finetune": rule, "finetune_steps": 1, "task": "markov", **TINY}) for rule in ("direct", "pi")
    )
    assert direct["after"]["0"]["32"] == plain["by_length"]["32"]["loss"]
    assert pi["after"]["0"]["32"] == plain["variants"]["pi"]["32"]["loss"]


def test_tuning_sees_other_batches_than_training():
    one, two = (next(training_batches("markov", seed=0, steps=1, sequences=4, length=16, tuning=t)) for t in (0, 1))
    assert (one.tokens != two.tokens).any()


def test_a_row_says_how_it_was_made():
    config = Config(method="nope", task="markov", **TINY)
    found = experiment.row(config)
    assert found["config"] == config.as_dict() and found["command"] == config.command
    assert {"numpy", "torch", "python", "pe_course", "device"} == set(found["versions"])


def test_no_commit_outside_a_repository(monkeypatch, tmp_path):
    monkeypatch.setattr(versions, "_CODE", tmp_path)
    versions.commit.cache_clear()
    try:
        assert versions.commit() is None
    finally:
        versions.commit.cache_clear()


def test_a_gpu_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=r"device 'cuda' is not available here: torch .* finds no GPU"):
        experiment.run({"steps": 0}, device="cuda")


def test_too_few_sequences_for_the_processes_are_named(monkeypatch):
    monkeypatch.setattr(train, "_world", lambda: 3)
    monkeypatch.setattr(train.dist, "get_rank", lambda: 0)
    with pytest.raises(ValueError, match="batch_size must be a multiple of the 3 processes, got 4"):
        experiment.trained(Config(task="markov", **TINY))
