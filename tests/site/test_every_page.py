"""What must hold on every page, for every reader: nothing foreign, no error, nothing in the way.

Each page is visited once per theme, at both widths, first as it loads and then with every hidden part opened; the tests
then look at what was seen. In the light a laptop comes first, in the dark a phone, so that axe sees each theme at each
width, and each of the two states at both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from visitor import LAPTOP, PHONE, THEMES, Visitor

pytestmark = pytest.mark.browser

KILOBYTE = 1000
TEXT_PAGE = 350 * KILOBYTE
# What a page may add to that when it uses …
MATHJAX, MERMAID, EDITOR = 320 * KILOBYTE, 260 * KILOBYTE, 140 * KILOBYTE

# Elements of the text that reach beyond the screen and lie in nothing that scrolls.
TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (node) =>
    node && (/auto|scroll|hidden|clip/.test(getComputedStyle(node).overflowX) || scrolls(node.parentElement));
  const wide = [...document.querySelectorAll("main *")].filter((node) => {
    const box = node.getBoundingClientRect();
    return box.width && box.right > width + 1 && !node.closest(".bd-sidebar-secondary") && !scrolls(node.parentElement);
  }).map((node) => node.outerHTML.slice(0, 120));
  const excess = document.documentElement.scrollWidth - width;
  return excess > 0 ? [`the page is ${excess} px wider than the screen`, ...wide] : wide;
}"""

FOLDED = "main details:not([open]) > summary, main .admonition.toggle.toggle-hidden button.toggle-button"
UNFOLD = "selector => document.querySelectorAll(selector).forEach((each) => each.click())"

PICTURES = """() => [...document.querySelectorAll("img, [role=img]")].map((node) => ({
  words: node.getAttribute("alt") ?? node.getAttribute("aria-label"),
  loaded: node.tagName !== "IMG" || (node.complete && node.naturalWidth > 0),
  html: node.outerHTML.slice(0, 120),
}))"""

THEMED_PICTURES = """() => Object.fromEntries(["light", "dark"].map((theme) => {
  const all = [...document.querySelectorAll(`img.only-${theme}`)];
  return [theme, all.map((node) => getComputedStyle(node).display !== "none")];
}))"""

BAD_FORMULAS = r"""() => [
  ...[...document.querySelectorAll(".math")].filter((node) => !node.querySelector("mjx-container")),
  ...document.querySelectorAll("mjx-merror, [data-mjx-error]"),
].map((node) => node.outerHTML.slice(0, 120))"""


@dataclass(frozen=True)
class Seen:
    """One page as one visitor saw it."""

    theme: str
    axe: dict[int, list[str]]  # by width
    too_wide: list[str]
    foreign: list[str]
    problems: list[str]
    pictures: list[dict[str, Any]]
    themed: dict[str, list[bool]]
    bad_formulas: list[str]
    loaded: set[str]
    compressed: int
    allowed: int


@pytest.fixture(scope="module")
def look(browser, site, address) -> Callable[[str, str], Seen]:
    """Visit a page in a theme, or remember the visit."""
    memory: dict[tuple[str, str], Seen] = {}

    def visit(page_path: str, theme: str) -> Seen:
        if (page_path, theme) not in memory:
            visitor = Visitor(browser, site, address)
            memory[page_path, theme] = see(visitor, page_path, theme)
            visitor.close()
        return memory[page_path, theme]

    return visit


@pytest.fixture(params=THEMES)
def seen(request, look, page_path: str) -> Seen:
    return look(page_path, request.param)


def see(visitor: Visitor, page_path: str, theme: str) -> Seen:
    """Both widths are opened and both are resized to; axe takes longest of all, so it looks once at each."""
    first, second = (LAPTOP, PHONE) if theme == "light" else (PHONE, LAPTOP)
    visitor.go(page_path, theme=theme, width=first)
    allowed = _allowed_bytes(visitor)
    axe = {first: visitor.axe()}
    visitor.resize(second)
    page = visitor.page
    page.evaluate(UNFOLD, FOLDED)
    axe[second] = visitor.axe()
    visitor.resize(PHONE)
    return Seen(
        theme=page.evaluate("() => document.documentElement.dataset.theme"),
        axe=axe,
        too_wide=page.evaluate(TOO_WIDE),
        foreign=visitor.foreign,
        problems=visitor.problems,
        pictures=page.evaluate(PICTURES),
        themed=page.evaluate(THEMED_PICTURES),
        bad_formulas=page.evaluate(BAD_FORMULAS),
        loaded=visitor.loaded,
        compressed=visitor.compressed_bytes(),
        allowed=allowed,
    )


def _allowed_bytes(visitor: Visitor) -> int:
    formulas = visitor.page.locator(".math").count() > 0
    diagrams = visitor.page.locator("pre.mermaid").count() > 0
    code_to_write = visitor.page.locator(".self-test[data-kind=code]").count() > 0
    return TEXT_PAGE + formulas * MATHJAX + diagrams * MERMAID + code_to_write * EDITOR


def test_nothing_comes_from_another_host(seen: Seen):
    assert seen.foreign == []


def test_no_error_in_the_console(seen: Seen):
    assert seen.problems == []


@pytest.mark.parametrize("width", [PHONE, LAPTOP])
def test_axe_finds_nothing(seen: Seen, width: int):
    assert seen.axe[width] == [], "\n".join(seen.axe[width])


def test_nothing_is_wider_than_a_phone(seen: Seen):
    assert seen.too_wide == []


def test_every_picture_loads_and_has_words(seen: Seen):
    assert [picture for picture in seen.pictures if not picture["words"] or not picture["loaded"]] == []


def test_themed_plots_show_the_version_of_the_theme(seen: Seen):
    assert len(seen.themed["light"]) == len(seen.themed["dark"]), "a plot lacks its other version"
    assert all(seen.themed[seen.theme])
    other = "dark" if seen.theme == "light" else "light"
    assert not any(seen.themed[other])


def test_formulas_are_set(seen: Seen):
    assert seen.bad_formulas == []


def test_page_is_light_to_load(seen: Seen):
    assert seen.compressed <= seen.allowed


def test_icons_come_from_the_small_font(seen: Seen):
    """An icon that it lacks would fetch the theme's font with all 1400."""
    assert not [file for file in seen.loaded if "fontawesome" in file]


def test_reader_gets_the_theme_of_the_system(look, page_path: str):
    assert [look(page_path, theme).theme for theme in THEMES] == list(THEMES)
