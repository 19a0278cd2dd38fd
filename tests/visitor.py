"""A reader's browser that counts what it loads and refuses every other host, and what to ask it."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit

from tools.serve import SITE as BUILT

ROOT = Path(__file__).resolve().parents[1]
SITE = Path(os.environ.get("PE_SITE", BUILT))
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

PHONE, LAPTOP = 390, 1280
WIDTHS = (PHONE, LAPTOP)
THEMES = ("light", "dark")
SILENCE, LONG_SILENCE = 0.5, 5.0  # s: as long as Playwright's "networkidle"; and where something never ends
RESIZED = 400  # ms: the theme looks at what scrolls 300 ms after the window has a new size


def pages_of(site: Path) -> list[str]:
    """Every page of the site, as paths relative to it, without the index.html that leads to the first."""
    pages = (path.relative_to(site) for path in site.rglob("*.html"))
    return sorted(str(page) for page in pages if page.parts[0] not in ("_static", "_sources", "index.html"))


class Visitor:
    """One browser context with one page; `foreign`, `problems` and `loaded` say what happened in it."""

    def __init__(self, browser, site: Path, address: str, *, javascript: bool = True):
        self.site, self.address = site, address
        self.foreign: list[str] = []
        self.problems: list[str] = []
        self.loaded: set[str] = set()
        self._context = browser.new_context(java_script_enabled=javascript)
        self._context.route("**/*", self._let_through_only_ours)
        self.page = self._context.new_page()
        self.page.on("console", self._note_console)
        self.page.on("pageerror", lambda error: self.problems.append(f"uncaught: {error}"))
        self.page.on("response", self._note_response)
        self._under_way: set[Any] = set()
        self._last_heard = 0.0
        self.page.on("request", self._note_start)
        self.page.on("requestfinished", self._note_end)
        self.page.on("requestfailed", self._note_end)

    def go(self, path: str, *, theme: str = "light", width: int = LAPTOP) -> None:
        """Open a page and wait until formulas and diagrams stand."""
        self.page.emulate_media(color_scheme=theme)
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.goto(self.address + path, wait_until="load")
        self.settle()

    def resize(self, width: int) -> None:
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.wait_for_timeout(RESIZED)

    def settle(self) -> None:
        self.page.evaluate(SETTLED)
        self._wait_for_silence()

    def axe(self) -> list[str]:
        """What axe-core holds against the page as it stands now, one line per rule."""
        self.page.evaluate(STILL)
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.add_script_tag(content=AXE.read_text())
        found = self.page.evaluate(
            "(rules) => axe.run(document, {runOnly: rules, resultTypes: ['violations']})", AXE_RULES
        )["violations"]
        return [_one_line(violation) for violation in found]

    def compressed_bytes(self) -> int:
        """What the page and all it loaded weigh in gzip."""
        return sum(len(gzip.compress((self.site / path).read_bytes(), 6)) for path in self.loaded)

    def close(self) -> None:
        self._context.close()

    def _wait_for_silence(self) -> None:
        """Until all that was asked for has come, or nothing has been heard for long.

        Chromium now and then announces no end of a request, and Playwright's "networkidle" then never comes.
        """
        self._last_heard = monotonic()
        while monotonic() - self._last_heard < (LONG_SILENCE if self._under_way else SILENCE):
            self.page.wait_for_timeout(50)
        self._under_way.clear()

    def _note_start(self, request) -> None:
        self._under_way.add(request)
        self._last_heard = monotonic()

    def _note_end(self, request) -> None:
        self._under_way.discard(request)
        self._last_heard = monotonic()

    def _let_through_only_ours(self, route) -> None:
        url = route.request.url
        if url.startswith((self.address, "data:", "blob:")):
            route.continue_()
        else:
            self.foreign.append(url)
            route.abort()

    def _note_console(self, message) -> None:
        if message.type == "error":
            self.problems.append(f"console: {message.text[:300]}")

    def _note_response(self, response) -> None:
        if not response.url.startswith(self.address):
            return
        path = unquote(urlsplit(response.url).path).removeprefix(urlsplit(self.address).path)
        if response.status >= 400:
            self.problems.append(f"{response.status} {path}")
        elif (self.site / path).is_file():
            self.loaded.add(path)


SETTLED = """async () => {
  await document.fonts.ready;
  await window.MathJax?.startup?.promise;
  const drawn = () => [...document.querySelectorAll("pre.mermaid")].every((each) => each.querySelector("svg"));
  for (let tries = 0; !drawn() && tries < 100; tries++) await new Promise((next) => setTimeout(next, 50));
}"""

# What fades in has no contrast yet.
STILL = """() => Promise.all(document.getAnimations()
  .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
  .map((animation) => animation.finished.catch(() => {})))"""


def _one_line(violation: dict[str, Any]) -> str:
    examples = "; ".join(f"{node['target'][0]}: {node['html'][:120]}" for node in violation["nodes"][:3])
    return f"{violation['id']} ({violation['impact']}, {len(violation['nodes'])} places): {examples}"
