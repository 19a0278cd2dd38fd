"""What the architecture page says of the package holds for its source: who imports whom, and where families stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from pe_course import reference
from tools.settings import ROOT, Settings
from tools.site import three_places
from tools.site.architecture import files, files_as_html, first_sentence, imported, reached, rooms, rooms_as_html

PAGE = Settings().book / "architecture.md"
MAY_IMPORT = {"reference": set(), "exercises": set(), "kernels": {"reference"}, "nn": {"reference", "kernels"}}


@pytest.mark.parametrize(("room", "allowed"), MAY_IMPORT.items(), ids=MAY_IMPORT)
def test_the_lower_rooms_import_only_what_they_may(room: str, allowed: set[str]) -> None:
    assert imported(room, ROOT) <= allowed


def test_no_room_reaches_itself() -> None:
    assert set(MAY_IMPORT) < set(rooms(ROOT))
    assert [room for room in rooms(ROOT) if room in reached(room, ROOT)] == []


def test_every_family_of_the_reference_stands_on_the_page_once() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("```{files} ")]
    families = [family for line in lines for family in line.split()[1:]]
    assert sorted(families) == sorted(set(reference.__all__) - {"validation"})


def test_tables_name_every_file_once_and_lead_to_it() -> None:
    settings = Settings()
    html = BeautifulSoup(files_as_html(["rotary"], settings), "html.parser")
    addresses = [link["href"] for link in html.find_all("a")]
    expected = [file for room in ("reference", "nn") for file in files("rotary", room, ROOT)]
    assert addresses == [settings.source_url(settings.relative(file)) for file in expected]
    assert len(set(addresses)) == len(addresses) > 8
    named = [row.th.text for row in BeautifulSoup(rooms_as_html(settings), "html.parser").select("tbody tr")]
    assert named == rooms(ROOT)


@pytest.mark.parametrize("room", rooms(ROOT))
def test_a_room_says_what_it_holds(room: str) -> None:
    home = ROOT / "pe_course" / room
    assert len(first_sentence(home / "__init__.py" if home.is_dir() else home.with_suffix(".py"))) > 20


def test_imports_are_found_wherever_they_stand(tmp_path: Path) -> None:
    package = tmp_path / "pe_course"
    sources = {
        "low": '"""Low."""\n',
        "high": '"""High."""\n\n\ndef late():\n    from pe_course import low\n    import pe_course._extras\n',
        "top": '"""Top."""\nimport pe_course.high.inner\nfrom pe_course.top.own import it\n',
    }
    for name, text in sources.items():
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text(text)
    (package / "alone.py").write_text('"""Alone."""\nfrom pe_course.low import x\n')
    assert {name: imported(name, tmp_path) for name in (*sources, "alone")} == {
        "low": set(),
        "high": {"low"},
        "top": {"high"},
        "alone": {"low"},
    }
    assert reached("top", tmp_path) == {"high", "low"}
    assert rooms(tmp_path) == ["low", "alone", "high", "top"] or rooms(tmp_path) == ["low", "high", "alone", "top"]


@pytest.mark.parametrize("to_hooks", [False, True])
def test_the_picture_links_each_place(to_hooks: bool) -> None:
    svg = BeautifulSoup(three_places.as_html(to_hooks=to_hooks, address=lambda place: place), "html.parser").svg
    links = {link.find("text").text: link["href"] for link in svg.find_all("a")}
    assert list(links) == ["1. The input", "2. Query and key", "3. The score", "A causal mask"]
    assert all(address.startswith("#") == to_hooks for address in links.values())
    assert svg["role"] == "group"
    assert "Order can enter at the vectors" in svg["aria-label"]


def test_links_to_hooks_lead_to_labels_of_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for entrance in three_places.ENTRANCES:
        assert f"({entrance.hook[1].removeprefix('#')})=" in text
        for hook in entrance.hook[0].split(", "):
            assert f"`{hook}`" in text or not hook.isidentifier() or hook == "mask"
