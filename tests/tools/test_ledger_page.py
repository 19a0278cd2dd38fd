"""The ledger's page: code as it stands in the file, numbers, mentions in chapters, and one article per claim."""

from __future__ import annotations

import ast

import pytest
from bs4 import BeautifulSoup
from pybtex.database import Entry as Work
from pybtex.database import Person

from pe_course.claims import ledger
from pe_course.claims.claim import VERDICTS
from tools.settings import Settings
from tools.site.ledger import page
from tools.site.ledger.check_code import check_code
from tools.site.ledger.mentions import Mention, as_plain_ids, mentions_in

CHECKED = [entry for entry in ledger.claims().values() if entry.measure is not None]
CITED = [entry for entry in ledger.claims().values() if entry.measure is None]


@pytest.fixture(scope="module")
def sources() -> page.Sources:
    return page.Sources.of(Settings().bibliography)


def article(claim_id: str, sources: page.Sources, pages: list[page.Link] | None = None) -> BeautifulSoup:
    entry = page.Entry.of(ledger.outcome(ledger.claim(claim_id)))
    html = page.as_html([entry], sources, {claim_id: pages or []})
    return BeautifulSoup(html, "html.parser").article


# The code of a check


@pytest.mark.parametrize("entry", CHECKED, ids=lambda entry: entry.id)
def test_code_of_a_check_is_python_and_ends_in_the_condition(entry):
    code = check_code(entry)
    names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    assert {"measure", "decides"} <= names
    assert code.count("\ndecides = ") == 1
    if entry.measure.__name__ != "<lambda>":
        assert f"def {entry.measure.__name__}(" in code


def test_code_holds_the_helpers_before_their_users_and_each_once():
    code = check_code(ledger.claim("L-019"))
    order = [code.index(f"def {name}(") for name in ("example_bias", "example_output", "output_digits")]
    assert order == sorted(order)
    assert code.count("def example_bias(") == 1
    assert 'm["wrong_entries"] == [[0, 1], [0, 2], [2, 2]]' in code


def test_code_of_a_lambda_is_the_lambda_alone():
    code = check_code(ledger.claim("L-015"))
    assert "\nmeasure = lambda: row_of_the_example(0)\n" in code
    assert "counterfeits" not in code
    assert "Claim(" not in code


def test_a_cited_claim_has_no_code():
    with pytest.raises(ValueError, match="L-029 has no check"):
        check_code(ledger.claim("L-029"))


# Numbers and words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (393216, "393,216"),
        (-2, "−2"),
        (0.6070878624178673, "0.60708786"),
        (-8.487770214005778, "−8.4877702"),
        (60611.47716626106, "60611.477"),
        (2.220446049250313e-16, "0 but for rounding"),
        (3.720075976020836e-44, "3.720076e-44"),
        (-0.0, "0"),
        (True, "yes"),
        ([[1, 5.0], [False]], "[[1, 5], [no]]"),
        ("adjacent", "adjacent"),
    ],
)
def test_values_are_written_for_readers(value, text: str):
    assert page.value_text(value) == text


def test_prose_becomes_html():
    assert page.prose("3 < 4, *always*; 2 * 3 * 4, see (L-023).") == (
        '3 &lt; 4, <em>always</em>; 2 * 3 * 4, see (<a href="#L-023">L-023</a>).'
    )


def test_code_is_coloured_and_whole():
    html = page.coloured('def f(x):\n    return "<b>"  # why\n')
    assert '<span class="k">def</span> f(x):' in html
    assert BeautifulSoup(f"<pre>{html}</pre>", "html.parser").text == 'def f(x):\n    return "<b>"  # why'


# What a page says of claims


def test_mentions_tell_corrections_links_and_brackets_apart():
    text = """
:::{admonition} Correction ({claim}`L-086`, L-088)
:::
**What holds (L-086, L-088).** As {claim}`another says <L-001>`, so (L-127, and not L-128).

```{code-cell} ipython3
print("not a mention (L-003)")
```
"""
    assert mentions_in(text) == [
        Mention("L-001", False, "claim-L-001"),
        Mention("L-086", True, "claim-L-086"),
        Mention("L-088", True, ""),
    ]
    assert mentions_in("so (L-127), and (L-001, L-002)") == [
        Mention("L-001", False, ""),
        Mention("L-002", False, ""),
        Mention("L-127", False, ""),
    ]


def test_roles_become_plain_ids():
    assert as_plain_ids("({claim}`L-094`, {claim}`words <L-095>`)") == "(L-094, L-095)"


# The page


def test_every_family_has_a_name():
    assert tuple(page.FAMILY_NAMES) == ledger.FAMILIES


def test_the_page_holds_every_claim_once(sources):
    entries = [page.Entry.of(outcome) for outcome in ledger.outcomes()]
    html = BeautifulSoup(page.as_html(entries, sources, {}), "html.parser")
    assert [each["id"] for each in html.select("article")] == list(ledger.claims())
    assert {each["data-verdict"] for each in html.select("article")} == set(VERDICTS)
    ids = [node["id"] for node in html.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert f"{len(CHECKED)} are decided by running code, {len(CITED)} by" in html.select_one(".ledger-total").text


def test_an_entry_says_all_there_is(sources):
    found = article("L-094", sources, [page.Link("A <page>", "absolute.html#claim-L-094", corrects=True)])
    assert found["data-verdict"] == "wrong"
    assert found["data-family"] == "absolute"
    assert found.h3.a["href"] == "#L-094"
    assert "long wavelengths" in found.select_one(".ledger-says").text
    assert "60611.48" in found.select_one(".ledger-holds").text
    assert found.dt.text == "wavelengths"
    assert found.dd.text == "[6.2831853, 19.167032, 19869.177, 60611.477]"
    assert "decides = lambda m" in found.pre.text
    remarks = [remark.text for remark in found.select(".ledger-remark")]
    assert remarks[-2:] == ["Sources: Vaswani et al., 2017.", "Read on: A <page> (correction)."]
    assert found.select_one("a.external")["href"] == "https://arxiv.org/abs/1706.03762"


def test_a_cited_entry_says_why_nothing_is_computed(sources):
    found = article("L-029", sources)
    assert found.details is None
    assert found.select_one(".ledger-remark").text.startswith("Decided by its sources. The claim says which methods")


def test_a_failed_check_is_no_secret_of_the_page():
    """The builder warns of it, and a warning ends the build; the words for it come from the ledger."""
    outcome = ledger.Outcome("L-094", "wrong", "At (not measured).", {}, False, "LookupError: no rows")
    assert page.Entry.of(outcome).outcome.problem == "LookupError: no rows"


def test_a_work_without_an_address_is_named_all_the_same():
    work = Work("article", fields={"year": "2021"}, persons={"author": [Person("Qu, Anlin")]})
    assert page.Sources({"qu": work}).link("qu") == "<span>Qu, 2021</span>"
    with pytest.raises(KeyError):
        page.Sources({}).link("qu")
