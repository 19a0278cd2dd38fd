"""Readers of stored rows: complete groups only, means over seeds, and nothing ranked that was not learned."""

from statistics import mean, stdev

import pytest

from pe_course.lab import show
from pe_course.lab.config import METHODS, Config
from pe_course.lab.results import stored

L = 64


def row(method="alibi", seed=0, loss=1.0, learned=True, **changes):
    config = Config(method=method, task="markov", seed=seed, **changes)
    tested = {str(n): {"loss": loss + n / 100, "accuracy": 0.5, "optimum": 0.25} for n in config.lengths}
    results = {
        "by_length": tested,
        "learned": learned,
        "per_position": [{"length": 4 * L, "width": 8, "loss": [None, loss, loss + 1]}],
        "windows": {"length": 8 * L, "from": L, "loss": {"none": loss, "64": loss - 0.5}},
        "sliding": [{"context": 64, "stride": 4, "loss": loss}],
        "retrieval": [{"length": n, "distance": 8, "accuracy": loss / n} for n in (L, 16 * L)],
        "variants": {"pi": tested},
        "after": {"0": {"256": loss}, "60": {"256": loss / 2}},
    }
    return {"config": config.as_dict(), "results": results, "versions": {}, "commit": None, "command": config.command}


def seeds(method="alibi", losses=(1.0, 2.0, 6.0), **options):
    return [row(method, seed, loss, **options) for seed, loss in enumerate(losses)]


def test_groups_that_lack_a_seed_are_left_out():
    rows = seeds("t5") + seeds("alibi")[:2] + seeds("nope") + seeds("rope", steps=2000)
    assert list(show.complete(rows)) == ["nope", "t5"]
    assert list(show.complete(rows, steps=2000)) == ["rope"]
    assert "alibi" in show.complete(rows, seeds=[0, 1])


def test_rates_and_tuned_rows_are_kept_apart():
    rows = seeds("t5", position_lr_factor=1.0) + seeds("rope", finetune="pi")
    assert show.complete(rows) == {}
    assert list(show.complete(rows, rate=1.0)) == ["t5"]


def test_nothing_is_ranked_that_was_not_learned():
    groups = show.complete(
        seeds("nope", (0.1, 0.1, 0.1), learned=False)
        + seeds("t5", (3, 3, 3))
        + seeds("alibi")[:2]
        + [row(seed=2, loss=1.0, learned=True)]
        + seeds("fire", (0, 0, 0))[:2]
        + [row("fire", 2, 0.0, learned=False)]
    )
    assert [method for method, _ in show.ranked(groups, 16)] == ["alibi", "t5"]
    assert show.ranked(groups, 16)[0][1] == (pytest.approx(mean([1, 2, 1]) + 10.24), stdev([1, 2, 1]))


def test_who_is_not_apart_shares_a_place():
    ranking = [("t5", (1.0, 0.02)), ("alibi", (1.04, 0.03)), ("rope", (1.06, 0.03)), ("xpos", (1.5, 0.0))]
    assert show.tiers(ranking) == [["t5", "alibi"], ["rope"], ["xpos"]]
    assert show.tiers([]) == []


def test_readers_average_over_seeds():
    rows, expected = seeds(), (pytest.approx(3.0), pytest.approx(stdev([1, 2, 6])))
    assert show.per_position(rows) == {8: expected, 16: (pytest.approx(4.0), expected[1])}
    assert show.windows(rows) == {512: expected, 64: (pytest.approx(2.5), expected[1])}
    assert show.sliding(rows) == {(64, 4): expected}
    assert show.retrieval(rows)[8][0] == pytest.approx(3 / (16 * L))
    assert show.retrieval(rows, 1)[8][0] == pytest.approx(3 / L)
    assert show.variants(rows)["plain"] == show.variants(rows)["pi"] == show.by_length(rows)
    assert show.by_length(rows, "excess")[L] == (pytest.approx(3.0 + 0.64 - 0.25), expected[1])


def test_tuned_models_are_read_by_rule_and_step():
    rows = seeds("rope", finetune="pi") + seeds("rope", finetune="ntk")[1:]
    assert show.finetuned(rows, 4) == {
        "pi": {0: (pytest.approx(3.0), pytest.approx(stdev([1, 2, 6]))), 60: (1.5, pytest.approx(stdev([0.5, 1, 3])))}
    }


def test_progress_counts_runs_of_the_plan_only():
    own = Config(method="rope", task="text", seed=1)
    rows = {"text": [{"config": own.as_dict()}, {"config": Config(seed=9).as_dict()}]}

    def rows_of(name):
        if name not in rows:
            raise FileNotFoundError(name)
        return rows[name]

    found = show.progress(rows_of)
    assert found["text", 500] == (1, 3 * (len(METHODS) + 5)) and found["copy", 2000] == (0, 3 * len(METHODS))
    assert sum(planned for _, planned in found.values()) == 291


def test_an_experiment_without_results_has_no_rows():
    def none(name):
        raise FileNotFoundError(name)

    assert show.available("recall", none) == []
    assert show.available("text") == stored("text")
    with pytest.raises(ValueError, match=r"name must be one of 'text', .*; got 'addition'"):
        show.available("addition")


def test_cells_give_the_spread_in_units_of_the_last_place():
    assert show.cells({64: (1.5442, 0.0172), 128: (2.0, 0.0)}) == "1.54(2) 2.00(0)"
    assert show.cells({64: (1.5442, 0.0172)}, places=3) == "1.544(17)"


def test_all_runs_of_500_steps_on_text_are_stored():
    done, planned = show.progress()["text", 500]
    assert done >= 3 * len(METHODS) and planned == 48
    assert len(show.complete(stored("text"))) == len(METHODS)
