"""The decoder: any method, causal, and the bias that is computed once is the one attention would compute."""

import pytest
import torch

from pe_course import nn
from pe_course.lab import methods, model
from pe_course.lab.config import METHODS, Config
from pe_course.nn import attention


def decoder(method="rope", seed=0, **changes):
    config = Config(method=method, length=16, d_model=32, eval_tokens=512, **changes)
    torch.manual_seed(seed)
    return model.Decoder(methods.build_for(config), symbols=11, d_model=32, heads=4, layers=2), config


def tokens(length=24, batch=3):
    return torch.randint(11, (batch, length), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("method", METHODS)
def test_no_prediction_sees_what_comes_later(method):
    net, _ = decoder(method)
    seen, changed = tokens(), tokens()
    changed[:, 13:] = (changed[:, 13:] + 1) % 11
    with torch.no_grad():
        before, after = net(seen), net(changed)
    torch.testing.assert_close(before[:, :13], after[:, :13], rtol=0, atol=1e-5)
    assert (before[:, 13:] - after[:, 13:]).abs().max() > 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_all_parameters_are_trained(method):
    net, _ = decoder(method)
    net(tokens()).square().mean().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in net.parameters())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("window", [None, 5])
def test_the_kept_bias_is_that_of_attention(method, window):
    built = methods.build_for(Config(method=method, length=16, d_model=32, eval_tokens=512))
    wrapped = model.Causal(built, window)
    generator = torch.Generator().manual_seed(2)
    q, k, v = torch.randn(3, 2, 4, 24, 8, generator=generator)
    at = wrapped.prepare(24, q.device)
    distance = at[:, None] - at
    mask = (distance >= 0) & (distance < (window or 99))
    found = attention(q, k, v, wrapped, at, at, backend="sdpa")
    torch.testing.assert_close(
        found, attention(q, k, v, built, at, at, mask=mask, backend="eager"), rtol=1e-5, atol=1e-5
    )


def test_a_bias_without_parameters_is_computed_once_per_length(monkeypatch):
    net, _ = decoder("alibi")
    calls = []
    own = net.causal.method.score_bias
    monkeypatch.setattr(net.causal.method, "score_bias", lambda *a, **k: calls.append(1) or own(*a, **k))
    for length in (24, 24, 24, 16, 24):
        net(tokens(length))
    assert len(calls) == 3


def test_a_learned_bias_is_computed_once_per_pass(monkeypatch):
    net, _ = decoder("kerple")
    calls = []
    own = net.causal.method.score_bias
    monkeypatch.setattr(net.causal.method, "score_bias", lambda *a, **k: calls.append(1) or own(*a, **k))
    for _ in range(3):
        net(tokens()).mean().backward()
    assert len(calls) == 3


def test_another_method_for_a_while():
    net, config = decoder("rope")
    with torch.no_grad():
        before = net(tokens())
        with net.using(methods.rope_variant("pi", config, 64)) as same:
            assert same is net and (net(tokens()) - before).abs().max() > 1e-3
        torch.testing.assert_close(net(tokens()), before)


def test_a_window_hides_what_lies_before_it():
    net, _ = decoder("rope")
    seen, changed = tokens(), tokens()
    changed[:, :4] = (changed[:, :4] + 1) % 11
    # Two layers of 5 tokens reach 8 tokens back.
    with net.using(window=5), torch.no_grad():
        torch.testing.assert_close(net(seen)[:, 12:], net(changed)[:, 12:], rtol=0, atol=1e-5)
        assert (net(seen)[:, 11] - net(changed)[:, 11]).abs().max() > 0


@pytest.mark.parametrize("method", ["t5", "alibi"])
def test_first_scores_have_one_size(method):
    """T5 takes no 1/sqrt(d) of the scores: its first queries are smaller by that factor."""
    net, _ = decoder(method)
    plain, _ = decoder("alibi")
    ratio = plain.blocks[0].qkv.weight[:32].std() / net.blocks[0].qkv.weight[:32].std()
    assert ratio.item() == pytest.approx(net.causal.sm_scale(8) / 8**-0.5, rel=0.02)


@pytest.mark.parametrize("name", methods.VARIANTS)
def test_variants_are_plain_rope_at_the_training_length(name):
    net, config = decoder("rope")
    with torch.no_grad():
        before = net(tokens(16))
        with net.using(methods.rope_variant(name, config, 16)):
            # ReRoPE changes distances from its window on, half the training length.
            same = slice(0, 8) if name == "rerope" else slice(None)
            torch.testing.assert_close(net(tokens(16))[:, same], before[:, same], rtol=1e-5, atol=1e-5)


def test_variants_are_rope_with_other_frequencies():
    config = Config()
    pi, ntk = (methods.rope_variant(name, config, 256).inv_freq for name in ("pi", "ntk"))
    plain = nn.build("rope", head_dim=16).inv_freq
    torch.testing.assert_close(pi, plain / 4)
    torch.testing.assert_close(ntk[[0, -1]], plain[[0, -1]] / torch.tensor([1.0, 4.0], dtype=torch.float64))
    yarn = methods.rope_variant("yarn", config, 256)
    torch.testing.assert_close(yarn.inv_freq[[0, -1]], plain[[0, -1]] / torch.tensor([1.0, 4.0], dtype=torch.float64))
    assert yarn.attention_factor == pytest.approx(0.1 * torch.tensor(4.0).log().item() + 1)


def test_bad_variants_are_named():
    with pytest.raises(ValueError, match=r"variant must be one of 'plain', 'window'.*got 'ntkk'"):
        methods.rope_variant("ntkk", Config(), 128)
    with pytest.raises(ValueError, match="length must be at least the training length 64, got 32"):
        methods.rope_variant("ntk", Config(), 32)
