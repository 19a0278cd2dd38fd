"""The built pages of the API reference: what can be linked to is what the package offers."""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tools import api
from tools.settings import Settings
from tools.site.taught import SHOWN
from tools.site.taught import lessons as every_lesson

pytestmark = pytest.mark.browser  # needs the built site, as the browser's tests do

HEADER_LINES = 4


@cache
def parsed(file: Path) -> BeautifulSoup:
    return BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")


def inventory(site: Path) -> dict[str, str]:
    """Python names to the pages that describe them, from Sphinx's list for other projects."""
    content = (site / "objects.inv").read_bytes().split(b"\n", HEADER_LINES)[HEADER_LINES]
    lines = [line.split() for line in zlib.decompress(content).decode().splitlines()]
    return {name: address for name, kind, _, address, *_ in lines if kind.startswith("py:")}


def test_the_inventory_holds_every_public_name(site: Path):
    found = inventory(site)
    rooms = [entry for room in ("nn", "kernels", "reference") for entry in api.entries(f"pe_course.{room}")]
    checks = "pe_course.reference.validation."  # how arguments are checked: no part of what is offered
    missing = [entry.path for entry in rooms if entry.path not in found and not entry.path.startswith(checks)]
    assert missing == []


def test_every_name_has_its_anchor(site: Path):
    pages = {f"book/{file.name}": file.read_text(encoding="utf-8") for file in (site / "book").glob("api-*.html")}
    for name, address in inventory(site).items():
        page, _, anchor = address.partition("#")
        # "$" stands for the name itself; a module's anchor is written out.
        assert f'id="{anchor.replace("$", name)}"' in pages[page]


def test_a_constant_does_not_show_the_docstring_of_its_type(site: Path):
    pages = [parsed(file) for file in (site / "book").glob("api-*.html")]
    constants = [node for page in pages for node in page.select("dl.py.data > dd")]
    assert constants
    assert [node.text for node in constants if tuple.__doc__.splitlines()[0] in node.text] == []


def test_what_is_returned_is_not_split_into_a_list_of_parameters(site: Path):
    terms = [term for file in (site / "book").glob("api-*.html") for term in parsed(file).select("dl.field-list > dt")]
    returned = [term.find_next_sibling("dd") for term in terms if term.text.startswith("Returns")]
    assert returned
    assert [node.text for node in returned if node.find("li")] == []


def test_entries_lead_to_the_chapters_that_teach_them(site: Path):
    """The links themselves are checked with all others (test_links)."""
    found = inventory(site)
    taught = 0
    for name, lessons in every_lesson(Settings()).items():
        page, _, _ = found[name].partition("#")
        entry = parsed(site / page).find(id=name).find_parent("dl")
        links = [link["href"] for link in entry.select(".api-taught a")]
        built = [each for each in lessons if (site / f"book/{each.page}.html").is_file()]
        expected = [f"{each.page}.html#{each.anchor}" for each in built[:SHOWN]]
        assert links == expected, name
        taught += bool(links)
    assert taught > 100
