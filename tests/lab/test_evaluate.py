"""The ways of measuring agree where they must, and differ where the papers say."""

import numpy as np
import pytest
import torch

from pe_course.lab import evaluate, methods, probes, synthetic
from pe_course.lab.config import Config
from pe_course.lab.experiment import learned
from pe_course.lab.model import Decoder

CONFIG = Config(task="markov", length=16, d_model=32, eval_tokens=512)


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return Decoder(methods.build_for(CONFIG), symbols=8, d_model=32, heads=4, layers=2)


@pytest.fixture(scope="module")
def drawn():
    return synthetic.markov(np.random.default_rng(0), 12, 64)


class Oracle(torch.nn.Module):
    """Knows that token n+1 follows token n, and is the surer the later it is."""

    def __init__(self, symbols):
        super().__init__()
        self.symbols = symbols
        self.output = torch.nn.Linear(1, 1)

    def forward(self, tokens):
        next_token = torch.nn.functional.one_hot((tokens + 1) % self.symbols, self.symbols)
        return next_token * torch.arange(1, tokens.shape[1] + 1)[:, None].double()


def oracle_loss(position, symbols):
    return np.log(np.exp(position) + symbols - 1) - position


def test_losses_are_those_of_the_next_token():
    tokens = (np.arange(9) + np.arange(3)[:, None]) % 7
    loss, hit = evaluate.predictions(Oracle(7), tokens)
    np.testing.assert_allclose(loss, np.tile(oracle_loss(np.arange(1, 9), 7), (3, 1)), rtol=1e-6)
    assert hit.all()
    late, _ = evaluate.predictions(Oracle(7), tokens, last=3)
    np.testing.assert_array_equal(late, loss[:, -3:])


def test_batches_change_nothing(net, drawn, monkeypatch):
    whole, _ = evaluate.predictions(net, drawn.tokens)
    monkeypatch.setattr(evaluate, "TOKENS_AT_ONCE", 150)
    parts, _ = evaluate.predictions(net, drawn.tokens)
    np.testing.assert_allclose(parts, whole, rtol=1e-4, atol=1e-5)


def test_only_what_counts_is_averaged():
    tokens = np.arange(9)[None] % 7
    scored = np.zeros((1, 8), dtype=bool)
    scored[0, [2, 5]] = True
    sequences = synthetic.Sequences(tokens, scored, np.full((1, 8), 0.25))
    found = evaluate.non_overlapping(Oracle(7), sequences)
    expected = (oracle_loss(3, 7) + oracle_loss(6, 7)) / 2
    assert found == {"loss": pytest.approx(expected, abs=1e-4), "accuracy": 1.0, "optimum": 0.25}


def test_an_unknown_optimum_is_left_out(net, drawn):
    unknown = synthetic.Sequences(drawn.tokens, drawn.scored, np.full(drawn.scored.shape, np.nan))
    assert set(evaluate.non_overlapping(net, unknown)) == {"loss", "accuracy"}


def test_a_stride_of_the_whole_context_is_the_non_overlapping_evaluation(net):
    text = synthetic.markov(np.random.default_rng(1), 1, 400).tokens[0]
    pieces = synthetic.Sequences(
        text[32 + np.arange(0, 128, 16)[:, None] + np.arange(-1, 16)], np.ones((8, 16), bool), np.full((8, 16), np.nan)
    )
    expected = evaluate.non_overlapping(net, pieces)["loss"]
    assert evaluate.sliding_window(net, text, context=16, stride=16, start=32, targets=128) == pytest.approx(expected)


def test_a_sliding_window_gives_every_token_its_context():
    text = np.arange(200) % 7
    found = evaluate.sliding_window(Oracle(7), text, context=16, stride=4, start=32, targets=64)
    assert found == pytest.approx(oracle_loss(np.arange(13, 17), 7).mean(), abs=1e-4)
    assert found < evaluate.sliding_window(Oracle(7), text, context=16, stride=16, start=32, targets=64)


def test_positions_are_binned(net, drawn):
    loss, _ = evaluate.predictions(net, drawn.tokens)
    bins = evaluate.per_position(net, drawn, width=16)
    np.testing.assert_allclose(bins, loss.reshape(12, 4, 16).mean((0, 2)), atol=1e-4)


def test_a_bin_in_which_nothing_counts_is_empty():
    drawn = synthetic.copy(np.random.default_rng(0), 5, 64, period=32)
    assert evaluate.by_bins(drawn, drawn.optimum, 16) == [None, 0.0, 0.0, 0.0]


def test_growing_with_one_method_is_the_plain_evaluation(net, drawn):
    found = evaluate.growing(net, drawn, block=16, method_at=lambda end: net.causal.method)
    assert found == pytest.approx(evaluate.non_overlapping(net, drawn), abs=1e-4)


def test_growing_reads_each_block_with_the_method_of_its_end(net, drawn):
    found = evaluate.growing(net, drawn, block=16, method_at=lambda n: methods.rope_variant("ntk", CONFIG, n))
    parts = []
    for end in (16, 32, 48, 64):
        with net.using(methods.rope_variant("ntk", CONFIG, end)):
            parts.append(evaluate.predictions(net, drawn.tokens[:, : end + 1])[0][:, end - 16 :])
    assert found["loss"] == pytest.approx(np.concatenate(parts, 1).mean(), abs=1e-4)


@pytest.mark.parametrize("task", ["copy", "recall"])
def test_retrieval_is_asked_at_growing_distances(task, monkeypatch):
    monkeypatch.setattr(probes, "RECALL_SEQUENCES", 4)
    monkeypatch.setattr(probes, "COPY_TOKENS", 512)
    config = Config(task=task, length=16, d_model=32, eval_tokens=512)
    torch.manual_seed(0)
    net = Decoder(methods.build_for(config), symbols=32, d_model=32, heads=4, layers=1)
    found = probes.retrieval(net, config)
    asked = [(row["length"], row["distance"]) for row in found]
    assert asked == [(n, 2**i) for n, most in ((16, 3), (64, 5), (256, 7)) for i in range(1, most + 1)]
    assert all(0 <= row["accuracy"] <= 1 for row in found)


@pytest.mark.parametrize(
    ("loss", "share", "is_learned"), [(0.0, 1.0, True), (np.log(16), 0.0, False), (0.2, 0.93, True)]
)
def test_what_was_not_learned_is_said(loss, share, is_learned):
    found = learned({"loss": loss, "optimum": 0.0}, Config(task="copy"))
    assert found == {"learned_share": pytest.approx(share, abs=0.01), "learned": is_learned}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stride": 17}, "stride must be at most 16, got 17"),
        ({"stride": 0}, "stride must be at least 1, got 0"),
        ({"context": 0}, "context must be at least 1, got 0"),
        ({"start": 15}, "start must be at least 16, got 15"),
        ({"start": 200}, "start must be at most 199, got 200"),
        ({"targets": 176}, "targets must be at most 168, got 176"),
        ({"targets": 66}, "targets must be a multiple of 4 because windows advance by it, got 66"),
    ],
)
def test_bad_windows_are_named(changes, message):
    window = {"context": 16, "stride": 4, "start": 32, "targets": 64} | changes
    with pytest.raises(ValueError, match=message):
        evaluate.sliding_window(Oracle(7), np.arange(200) % 7, **window)


def test_bad_bins_and_blocks_are_named(net, drawn):
    with pytest.raises(ValueError, match=r"number of positions must be a multiple of 24 .*, got 64"):
        evaluate.per_position(net, drawn, width=24)
    with pytest.raises(ValueError, match=r"number of positions must be a multiple of 24 .*, got 64"):
        evaluate.growing(net, drawn, block=24, method_at=lambda end: net.causal.method)
    with pytest.raises(ValueError, match="last must be at most 64, got 65"):
        evaluate.predictions(net, drawn.tokens, last=65)
