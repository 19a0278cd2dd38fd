"""Methods by name."""

import pytest
from nn.options import OPTIONS

from pe_course.nn import PositionMethod, registry


def test_names_are_in_alphabetical_order():
    assert registry.methods() == sorted(registry.methods())


def test_every_method_has_options_for_the_tests():
    assert set(registry.methods()) == set(OPTIONS)


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_every_method_is_built_by_its_name(name):
    assert isinstance(registry.build(name, **OPTIONS[name]), PositionMethod)


def test_nope_is_the_base_class():
    assert type(registry.build("nope")) is PositionMethod


def test_an_unknown_name_is_refused_with_the_list():
    with pytest.raises(ValueError, match=r"method must be one of .*'alibi', .*'t5'.*; got 'rotery'"):
        registry.build("rotery")


@pytest.mark.parametrize("name", [None, ["rope"], {"rope": 1}])
def test_what_is_no_name_is_refused_with_the_list(name):
    with pytest.raises(ValueError, match=r"method must be one of .*'alibi'.*; got "):
        registry.build(name)


@pytest.mark.parametrize("key", ["rope_type", "type"])
def test_a_rule_stays_that_of_its_name(key):
    with pytest.raises(TypeError, match=f"{key} is 'yarn' by the name of the method .* got 'linear'"):
        registry.build("rope_yarn", head_dim=8, factor=2.0, original_max_position_embeddings=64, **{key: "linear"})


def test_an_unknown_option_is_a_type_error():
    with pytest.raises(TypeError, match="num_head"):
        registry.build("alibi", num_head=4)


def test_a_missing_option_is_a_type_error():
    with pytest.raises(TypeError, match="num_heads"):
        registry.build("alibi")


def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="method 'alibi' is registered already"):
        registry.register("alibi")(PositionMethod)


def test_a_new_method_is_found(monkeypatch):
    monkeypatch.setattr(registry, "_METHODS", dict(registry._METHODS))

    class Mine(PositionMethod):
        pass

    assert registry.register("mine")(Mine) is Mine
    assert "mine" in registry.methods()
    assert isinstance(registry.build("mine"), Mine)
