"""The HTML of the table of models: marks on rows and values, links to sources, and words that cannot break the page."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from pe_course.models import KNOWN, Model, model, models
from tools.site.models import page


def row(each: Model) -> BeautifulSoup:
    return BeautifulSoup(page.as_html([each]), "html.parser").select_one("tbody tr")


def test_every_model_stands_once_with_an_anchor_of_its_own():
    soup = BeautifulSoup(page.as_html(models()), "html.parser")
    lines = soup.select("tbody tr")
    assert [line.th.contents[0] for line in lines] == [each.model for each in models()]
    assert len({line["id"] for line in lines}) == len(lines)
    assert page.anchor(model("GPT-NeoX-20B")) == "model-gpt-neox-20b"


def test_every_way_to_know_has_its_mark_and_is_explained():
    assert set(page.SHORT) == set(KNOWN)
    soup = BeautifulSoup(page.as_html(models()), "html.parser")
    lines = [each.text for each in soup.select(".models-marks > div")]
    for known, line in zip(KNOWN, lines, strict=True):
        assert line == f"{page.SHORT[known]}{KNOWN[known]}: {len(models(known=known))} of 108 rows"
    for each in models():
        assert soup.find(id=page.anchor(each)).select_one(".models-known").text == page.SHORT[each.known]


def test_a_value_that_is_less_sure_than_its_row_says_so():
    values = row(model("BLOOM-176B")).select("td")[1].select("li")
    assert values[0].text == "heads 112 not checked"
    assert not values[1].select(".models-doubt")
    assert "pairs: half from copies" in row(model("InternLM2-7B")).text


def test_cells_say_where_order_enters_and_what_is_known():
    kimi = row(model("Kimi Linear 48B"))
    assert "Order enters: nowhere" in kimi.text
    assert "Read: code; from a copy: config." in kimi.text
    assert "base 500,000" in row(model("Llama 3 (8B/70B)")).text


@pytest.mark.parametrize(
    ("source", "url"),
    [
        ("openai/gpt-2 9b63575 src/model.py L152-157", "https://github.com/openai/gpt-2/blob/9b63575/src/model.py#L152"),
        ("google/gemma_pytorch 014acb7 gemma/config.py", "https://github.com/google/gemma_pytorch/blob/014acb7/gemma/config.py"),
        ("huggingface.co/a/b/blob/1234567/config.json; more", "https://huggingface.co/a/b/blob/1234567/config.json"),
        ("arXiv:1809.04281", "https://arxiv.org/abs/1809.04281"),
    ],
)  # fmt: skip
def test_sources_are_linked(source: str, url: str):
    link = BeautifulSoup(page.linked(source), "html.parser").a
    assert link["href"] == url
    assert BeautifulSoup(page.linked(source), "html.parser").text == source.replace("huggingface.co/", "")


def test_a_source_without_an_address_stays_text():
    assert page.linked("litgpt 0.5.13 & others") == "litgpt 0.5.13 &amp; others"


def test_words_of_a_record_cannot_become_html():
    each = Model("<b>", 2020, "&", "x < y", ("rope",), ("input",), "<i>", "maker", values={"a": "<u>"})
    html = str(row(each))
    assert not any(tag in html for tag in ("<b>", "<i>", "<u>"))
