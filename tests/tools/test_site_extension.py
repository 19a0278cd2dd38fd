"""tools/site: what the Sphinx extension changes in a page, and what a moving figure consists of."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from bs4 import BeautifulSoup

from pe_course.reference import absolute
from tools.site import finish, icons, page_scripts, static_files
from tools.site.directive import as_html
from tools.site.figures import FIGURES, clock_hands
from tools.site.repairs import REPAIRS, repair

THEME_PAGE = """<html lang="en" data-theme="auto">
<script>document.documentElement.dataset.theme = localStorage.getItem("theme") || "auto";</script>
<script defer src="../_static/scripts/fontawesome.js?digest=55"></script>
<link rel="preload" as="script" href="_static/scripts/fontawesome.js?digest=55" />
<meta name="docsearch:version" content="" />
<script src="../_static/searchtools.js"></script>
  <script src="../_static/language_data.js"></script>
  <script src="../searchindex.js"></script>
<i class="fab fa-github"></i>
<button class="btn search-button-field pst-js-only" title="Search" aria-label="Search" data-x="">Search Ctrl K</button>
<summary aria-label="Toggle hidden content">Show code</summary>
<summary><span class="toctree-toggle" role="presentation"></span></summary>
<i class="theme-switch fa-solid fa-sun  fa-lg" data-mode="light" title="Light"></i>
<div id="pst-primary-sidebar" class="bd-sidebar-primary bd-sidebar hide">
<span class="sig-paren">(</span>

<dl>
<dd><em class="sig-param">x</em>,</dd>
<dd><em class="sig-param">y</em>,</dd>
</dl>
<span class="sig-paren">)</span><dd>text</dd>
<div role="list" class="citation-list">
<div class="citation" id="id3" role="doc-biblioentry">
"""

REPAIRED = """<html lang="en" data-theme="light">
<script>document.documentElement.dataset.theme = localStorage.getItem("theme") || \
(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");</script>


<meta name="docsearch:version" content="" />

<i class="fas fa-code-branch"></i>
<button class="btn search-button-field pst-js-only" data-x="">Search Ctrl K</button>
<summary>Show code</summary>
<summary aria-label="Pages below this one"><span class="toctree-toggle" role="presentation"></span></summary>
<i class="theme-switch fa-solid fa-sun  fa-lg" data-mode="light" aria-hidden="true"></i>
<div id="pst-primary-sidebar" role="complementary" aria-label="Book" class="bd-sidebar-primary bd-sidebar hide">
<span class="sig-paren">(</span><span class="sig-lines"><span class="sig-line"><em class="sig-param">x</em>,</span>
<span class="sig-line"><em class="sig-param">y</em>,</span>
</span>
<span class="sig-paren">)</span><dd>text</dd>
<div class="citation-list">
<div class="citation" id="id3">
"""


def test_repairs_of_the_theme():
    assert repair(THEME_PAGE) == REPAIRED


def test_a_repaired_page_needs_no_repair():
    assert repair(REPAIRED) == REPAIRED


@pytest.mark.parametrize("each", REPAIRS, ids=lambda each: each.why)
def test_every_repair_is_needed(each):
    assert each.pattern.search(THEME_PAGE)


def test_the_search_page_keeps_its_index():
    """Its scripts stand elsewhere in the page."""
    page = '<script src="_static/searchtools.js"></script>\n<script src="searchindex.js"></script>'
    assert repair(page) == page


@pytest.fixture
def scripts():
    """Mermaid's, MathJax's two and another script, as Sphinx hands them to a page."""
    return [
        SimpleNamespace(filename=None, attributes={"body": "mermaid.initialize({})", "type": "module"}),
        SimpleNamespace(filename=None, attributes={"body": "window.MathJax = {}"}),
        SimpleNamespace(filename="mathjax/tex-chtml.js", attributes={}),
        SimpleNamespace(filename="other.js", attributes={}),
    ]


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("<p>text</p>", [3]),
        ('<span class="math notranslate">', [1, 2, 3]),
        ('<pre class="mermaid">', [0, 3]),
    ],
)
def test_page_loads_what_it_uses(scripts, body: str, kept: list[int]):
    context = {"body": body, "script_files": scripts}
    page_scripts.choose_scripts(SimpleNamespace(add_js_file=None), "page", "page.html", context, object())
    assert context["script_files"] == [scripts[i] for i in kept]


def test_page_loads_the_script_of_each_figure_once(scripts):
    added = []
    app = SimpleNamespace(add_js_file=lambda name, **_: added.append(name))
    context = {"body": '<div data-figure="clock-hands"><div data-figure="clock-hands">', "script_files": scripts}
    page_scripts.choose_scripts(app, "page", "page.html", context, object())
    assert added == ["figures/clock-hands.js"]


def test_only_the_ledger_loads_its_filter(scripts):
    added = []
    app = SimpleNamespace(add_js_file=lambda name, **_: added.append(name))
    for body in ("<p>The ledger.</p>", '<div class="ledger">'):
        context = {"body": body, "script_files": scripts}
        page_scripts.choose_scripts(app, "page", "page.html", context, object())
    assert added == ["site/ledger.js"]


def test_every_figure_has_its_script():
    folder = static_files.DIST.parent / "src" / "figures"
    assert {file.stem for file in folder.glob("*.js")} == set(FIGURES)


def test_finished_site_holds_the_committed_notebook_and_no_source_map(tmp_path):
    site, book = tmp_path / "site", tmp_path / "source" / "book"
    for folder in (site / "_static", site / "_sources" / "book", book):
        folder.mkdir(parents=True)
    (site / "_static" / "theme.js.map").write_text("{}")
    for folder, text in ((site / "_sources" / "book", "MyST"), (book, "plain")):
        (folder / "page.ipynb").write_text(text)
    finish.remove_what_nobody_loads(site)
    finish.offer_committed_notebooks(site, tmp_path / "source", {"book/page", "book/without"})
    assert list((site / "_static").iterdir()) == []
    assert (site / "_sources" / "book" / "page.ipynb").read_text() == "plain"


def test_icon_font_holds_what_pages_name_and_style_sheets_draw(tmp_path):
    static = tmp_path / "_static"
    (static / "styles").mkdir(parents=True)
    (static / "scripts").mkdir()
    (tmp_path / "page.html").write_text('<i class="fas fa-download"></i>')
    (static / "scripts" / "theme.js").write_text("icon.classList.add('fa-moon')")
    theme, book_theme = (tmp_path / "_static" / name for name in icons.STYLES)
    theme.write_text(
        '.fa-download:before{content:"\\f019"}.fa-gem:before{content:"\\f3a5"}'
        '.fa-lune:before,.fa-moon:before{content:"\\f186"}:root{--pst-icon-bell:"\uf0f3"}'
    )
    book_theme.write_text('.folded:after{content:"\\f107"}')
    assert icons.code_points(tmp_path) == {0xF019, 0xF186, 0xF0F3, 0xF107}


def page_of(position: int) -> BeautifulSoup:
    return BeautifulSoup(as_html("clock-hands", clock_hands.draw(position)), "html.parser")


@pytest.mark.parametrize("position", [0, 1, 7, 31, 63])
def test_clock_hands_stand_as_the_reference_says(position: int):
    page = page_of(position)
    vector = absolute.sinusoidal_positions([position], 8)[0]
    rows = [page.select(f"[data-row={name}] td") for name in ("sin", "cos")]
    shown = np.array([[float(cell.text.replace("−", "-")) for cell in row] for row in rows]).T.ravel()
    np.testing.assert_allclose(shown, vector, atol=0.0005)
    radians = np.radians([float(re.search(r"[\d.]+", hand["transform"])[0]) for hand in page.select(".hand")])
    np.testing.assert_allclose(np.sin(radians), vector[0::2], atol=1e-5)
    np.testing.assert_allclose(np.cos(radians), vector[1::2], atol=1e-5)


def test_clock_hands_say_what_they_show():
    page = page_of(7)
    assert page.svg["role"] == "img"
    assert page.svg["aria-label"] == (
        "A row of 4 clocks, each hand slower than the one before. "
        "At position 7 the hands have turned clockwise from twelve by 401.1, 40.1, 4.0, 0.4 degrees."
    )
    status = page.select_one("[role=status]").text
    assert status == "Position 7: (0.657, 0.754, 0.644, 0.765, 0.070, 0.998, 0.007, 1.000)"
    assert page.select_one("input") is None, "the slider comes with the script"


def test_script_gets_the_frequencies_of_the_package_unrounded():
    data = json.loads(page_of(7).script.text)
    assert data["frequencies"] == absolute.sinusoidal_frequencies(8).tolist()
    assert (data["position"], data["last"]) == (7, 63)


@pytest.mark.parametrize("position", [-1, 64])
def test_position_outside_the_slider_is_refused(position: int):
    with pytest.raises(ValueError, match=f"position must be at (least 0|most 63), got {position}"):
        clock_hands.draw(position)


@pytest.mark.parametrize(("value", "text"), [(-0.0001, "0.000"), (-0.25, "−0.250"), (1.0, "1.000")])
def test_numbers_have_a_true_minus_and_no_negative_zero(value: float, text: str):
    assert clock_hands.decimals(value) == text
