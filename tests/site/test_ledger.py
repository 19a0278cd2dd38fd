"""The page of the ledger: every claim once, as the package has it, and a filter that says what it shows."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from visitor import LAPTOP, PHONE, THEMES, Visitor

from pe_course.claims import ledger
from pe_course.claims.claim import VERDICTS
from tools.site.ledger import PAGE
from tools.site.ledger.page import prose, value_text

pytestmark = pytest.mark.browser

CLAIMS = ledger.claims()
ADDRESS = f"{PAGE}.html"


@pytest.fixture(scope="module")
def written(site) -> BeautifulSoup:
    file = site / ADDRESS
    if not file.is_file():
        pytest.fail(f"{PAGE} is not in the table of contents", pytrace=False)
    return BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")


@pytest.fixture
def page(visitor: Visitor, written):
    visitor.go(ADDRESS, width=PHONE)
    return visitor.page


def shown(page) -> list[str]:
    return page.locator(".ledger-claim:visible").evaluate_all("nodes => nodes.map((node) => node.id)")


def expect_status(page, count: int) -> None:
    text = f"{count} of {len(CLAIMS)} claims"
    status = page.locator(".ledger-filter [role=status]").element_handle()
    page.wait_for_function("([node, text]) => node.textContent === text", arg=[status, text], timeout=5000)


def of(verdict: str = "", family: str = "") -> list[str]:
    """Ids with this verdict in this family, by the package."""
    entries = ledger.family_claims(family) if family else CLAIMS.values()
    return sorted(entry.id for entry in entries if not verdict or entry.verdict == verdict)


# What is written


def test_every_claim_stands_once_with_its_anchor(written):
    articles = written.select("article.ledger-claim")
    assert [article["id"] for article in articles] == list(CLAIMS)
    assert {article["id"]: article["data-verdict"] for article in articles} == {
        entry.id: entry.verdict for entry in CLAIMS.values()
    }


def test_counts_are_those_of_the_package(written):
    counts = Counter(entry.verdict for entry in CLAIMS.values())
    total = written.select_one(".ledger-total").text
    assert total.startswith(
        f"{len(CLAIMS)} claims: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    )
    last = [int(cell.text) for cell in written.select(".ledger-counts tfoot td")]
    assert last == [*(counts[verdict] for verdict in VERDICTS), len(CLAIMS)]
    rows = [[int(cell.text) for cell in row.select("td")] for row in written.select(".ledger-counts tbody tr")]
    assert len(rows) == len(ledger.FAMILIES)
    assert [sum(column) for column in zip(*rows, strict=True)] == last


def test_what_holds_and_what_was_measured_is_what_the_code_says_now(written):
    for entry in CLAIMS.values():
        article = written.find(id=entry.id)
        outcome = ledger.outcome(entry)
        holds = BeautifulSoup(prose(outcome.holds), "html.parser").text
        assert article.select_one(".ledger-holds").text == f"What holds. {holds}"
        values = {row.dt.text: row.dd.text for row in article.select("dl > div")}
        assert values == {name: value_text(value) for name, value in outcome.measured.items()}
        assert bool(article.details) == (entry.measure is not None)


def test_sources_are_named_and_linked(written):
    for entry in CLAIMS.values():
        sources = [
            each for each in written.find(id=entry.id).select(".ledger-remark") if each.text.startswith("Sources:")
        ]
        assert len(sources) == bool(entry.references)
        for named, key in zip(sources[0].select("a, span") if sources else [], entry.references, strict=True):
            assert re.search(r"\d{4}", named.text), key
            assert named.name == "span" or urlsplit(named["href"]).scheme == "https"


def test_links_of_chapters_lead_to_entries_and_back(site, written):
    """The anchors themselves are checked with all links (test_links)."""
    back, pages = 0, {}
    for link in written.select(".ledger-claim a.internal"):
        name, _, anchor = link["href"].partition("#")
        if anchor:
            claim_id = link.find_parent("article")["id"]
            assert anchor == f"claim-{claim_id}"
            if name not in pages:
                pages[name] = BeautifulSoup((site / "book" / name).read_text(encoding="utf-8"), "html.parser")
            there = pages[name].find(id=anchor)
            assert there["href"] == f"ledger.html#{claim_id}"
            back += 1
    assert back > 20


# The filter


def test_filter_opens_with_everything(page):
    assert shown(page) == list(CLAIMS)
    expect_status(page, len(CLAIMS))


@pytest.mark.parametrize("verdict", VERDICTS)
def test_filter_by_verdict_with_the_keyboard(page, verdict: str):
    for other in VERDICTS:
        if other != verdict:
            page.get_by_role("checkbox", name=other, exact=True).press("Space")
    assert shown(page) == of(verdict)
    expect_status(page, len(of(verdict)))


def test_filter_by_family_and_verdict(page):
    page.get_by_label("Family").select_option("rotary")
    assert shown(page) == of(family="rotary")
    for other in VERDICTS[:3]:
        page.get_by_role("checkbox", name=other, exact=True).uncheck()
    assert shown(page) == of("wrong", "rotary")
    expect_status(page, len(of("wrong", "rotary")))
    assert urlsplit(page.url).query == "verdict=wrong&family=rotary"


def test_filter_by_words(page):
    words = page.get_by_label("Words")
    words.press_sequentially("l-094")
    assert shown(page) == ["L-094"]
    expect_status(page, 1)
    words.fill("RoPE decay")
    found = shown(page)
    assert "L-073" in found
    for claim_id in found:
        text = page.locator(f"#{claim_id}").inner_text().lower()
        assert "rope" in text and "decay" in text
    words.fill("qwertz")
    assert shown(page) == []
    expect_status(page, 0)


def test_enter_sends_nothing_away(page):
    page.get_by_label("Words").fill("decay")
    page.get_by_label("Words").press("Enter")
    assert shown(page) != list(CLAIMS)


def test_show_all_brings_all_back(page):
    page.get_by_label("Words").fill("decay")
    page.get_by_label("Family").select_option("bias")
    page.get_by_role("checkbox", name="wrong", exact=True).uncheck()
    page.get_by_role("button", name="Show all").press("Enter")
    assert shown(page) == list(CLAIMS)
    expect_status(page, len(CLAIMS))
    assert urlsplit(page.url).query == ""


def test_choice_in_the_address(visitor: Visitor, written):
    visitor.go(f"{ADDRESS}?verdict=wrong&verdict=imprecise&family=bias")
    assert shown(visitor.page) == sorted(of("wrong", "bias") + of("imprecise", "bias"))
    assert not visitor.page.get_by_role("checkbox", name="true", exact=True).is_checked()


def test_status_waits_for_the_reader_to_pause(page):
    status = page.locator(".ledger-filter [role=status]")
    page.get_by_label("Words").fill("decay")
    assert status.inner_text() == f"{len(CLAIMS)} of {len(CLAIMS)} claims"
    expect_status(page, len(shown(page)))


@pytest.mark.parametrize("query", ["", "?verdict=true"])
def test_a_link_to_an_entry_shows_it(visitor: Visitor, written, query: str):
    visitor.go(f"{ADDRESS}{query}#L-094", width=LAPTOP)
    entry = visitor.page.locator("#L-094")
    assert entry.is_visible()
    visitor.page.wait_for_function(
        "id => Math.abs(document.getElementById(id).getBoundingClientRect().top) < 400", arg="L-094"
    )


def test_a_link_between_entries_shows_a_hidden_one(page):
    page.get_by_label("Words").fill("l-050")
    page.locator("#L-050 .ledger-holds a", has_text="L-023").click()
    assert page.locator("#L-023").is_visible()


# For everyone


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_after_use(visitor: Visitor, written, theme: str):
    visitor.go(f"{ADDRESS}?verdict=wrong&family=absolute", theme=theme, width=PHONE)
    visitor.page.locator(".ledger-claim:visible summary").first.click()
    assert visitor.axe() == []
    assert visitor.problems == []


def test_fingers_can_hit_the_controls(page):
    for control in page.locator(".ledger-filter :is(label, select, button)").all():
        assert control.bounding_box()["height"] >= 44


def test_code_is_whole_on_a_phone(page):
    page.locator("#L-073 summary").click()
    code = page.locator("#L-073 pre")
    assert "decides = lambda m" in code.inner_text()
    assert code.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_without_javascript_all_claims_stand_and_no_filter(browser, site, address, written):
    visitor = Visitor(browser, site, address, javascript=False)
    visitor.page.goto(visitor.address + ADDRESS)
    assert visitor.page.locator(".ledger-claim:visible").count() == len(CLAIMS)
    assert visitor.page.locator(".ledger-filter:visible").count() == 0
    visitor.close()


def test_no_text_is_left_unfilled(written):
    assert not re.search(r"\{\w+[^}]*\}|not measured", " ".join(each.text for each in written.select(".ledger-holds")))
