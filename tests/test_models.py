"""The records of released models: complete, in their vocabulary, and in step with the package and the bibliography."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pybtex.database import parse_file

from pe_course import models as released
from pe_course import nn
from pe_course.models import KNOWN, PLACES, Model, model, models, timeline
from tools.settings import Settings

RECORD = {
    "model": "One",
    "year": 2020,
    "org": "Us",
    "method": "RoPE",
    "methods": ["rope"],
    "places": ["query-key"],
    "source": "a file",
    "known": "maker",
    "values": {"base": 10000},
}


def test_names_are_unique_and_years_in_order():
    names = [each.model for each in models()]
    assert len(set(names)) == len(names) == 108
    years = [each.year for each in models()]
    assert years == sorted(years)


def test_counts_by_knowledge_are_those_of_the_survey():
    counts = {name: len(models(known=name)) for name in KNOWN}
    assert counts == {
        "maker": 32, "model class": 19, "class default": 12, "copy": 23, "partly": 21, "recalled": 1,
    }  # fmt: skip


def test_every_record_has_a_source_a_method_of_the_package_and_a_place():
    for each in models():
        assert each.source
        assert each.methods and set(each.methods) <= set(nn.methods()), each.model
        assert each.places and set(each.places) <= set(PLACES)


def test_what_was_partly_read_says_which_part():
    for each in models():
        assert bool(each.known_detail) == (each.known == "partly"), each.model


def test_no_text_speaks_of_memory_or_of_an_index():
    file = Path(released.__file__).with_suffix(".json").read_text(encoding="utf-8")
    assert not re.search(r"\(memory\)|from memory|index copy|secondary", file)


def test_values_that_were_not_read_are_marked():
    assert model("BLOOM-176B").doubt("heads") == "recalled"
    assert model("T5").doubt("trained") == "recalled"
    assert model("Qwen-7B / 14B (v1)").doubt("layout") == "copy"
    assert model("GPT-2").unread == {}


def test_configurations_build_a_rotation_of_the_published_base():
    configured = [each for each in models() if each.config]
    assert len(configured) == 14
    for each in configured:
        module = nn.rope_from_config(each.config)
        base = each.values.get("base", each.values.get("base global"))
        assert module.base == base, each.model
        assert each.trained_tokens or each.extended_tokens


def test_configurations_give_the_numbers_of_the_makers():
    gpt_oss = nn.rope_from_config(model("gpt-oss 20B/120B").config)
    assert gpt_oss.attention_factor == pytest.approx(model("gpt-oss 20B/120B").values["attention factor"], abs=5e-5)
    deepseek = nn.rope_from_config(model("DeepSeek-V3 / R1").config)
    assert deepseek.softmax_factor == pytest.approx(1.8739, abs=5e-5)
    gemma = nn.rope_from_config(model("Gemma 4 (E2B, E4B, 26B-A4B, 31B)").config)
    assert np.count_nonzero(gemma.inv_freq.numpy()) == 64


def test_selection_and_its_errors():
    assert {each.model for each in models(method="alibi")} >= {"BLOOM-176B", "MPT-7B", "Baichuan-13B"}
    assert all("score" in each.places and each.from_maker for each in models(place="score", known="maker"))
    with pytest.raises(ValueError, match=r"place must be one of 'input', .*got 'output'"):
        models(place="output")
    with pytest.raises(ValueError, match="known must be one of"):
        models(known="hearsay")
    with pytest.raises(TypeError, match="name must be the name of a model, got 3"):
        model(3)
    with pytest.raises(ValueError, match=r"place must be one of .*, got \[\]"):
        models(place=[])
    with pytest.raises(ValueError, match=r"there is no model 'llama'; there is .*Llama 2"):
        model("llama")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"known": "hearsay"}, "known of One must be one of"),
        ({"places": ["output"]}, "places of One must be one of"),
        ({"unread": {"base": "guess"}}, r"unread\['base'\] of One must be one of"),
        ({"unread": {"heads": "copy"}}, "unread of One names 'heads'"),
        ({"colour": "red"}, "has no field 'colour'"),
    ],
)
def test_a_record_with_a_mistake_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Model.from_record(RECORD | change)


def test_records_cannot_be_changed():
    one = Model.from_record(RECORD)
    with pytest.raises(TypeError):
        one.values["base"] = 1
    assert one.methods == ("rope",)


def test_months_of_the_timeline_are_those_of_the_papers_numbers():
    works = {key: work for file in Settings().bibliography for key, work in parse_file(str(file)).entries.items()}
    for step in timeline():
        number = works[step.work].fields.get("eprint")
        assert step.place in PLACES
        if number:
            assert step.month == f"20{number[:2]}-{number[2:4]}", step.what
        else:
            assert step.month == works[step.work].fields["year"]
    assert [step.month[:4] for step in timeline()] == sorted(step.month[:4] for step in timeline())


def test_it_needs_nothing_but_python():
    code = "import sys\nsys.modules.update(dict.fromkeys(('numpy', 'torch', 'matplotlib')))\n"
    code += "import json\nfrom pe_course.models import models\nprint(json.dumps(len(models())))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout) == 108
