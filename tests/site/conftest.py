"""The built site, served below /repo/ as on GitHub Pages, and one real Chromium for all tests.

The tests read _build/html as `make build` left it; PE_SITE names another folder.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from visitor import SITE, Visitor, pages_of

from tools.serve import served

PAGE = re.compile(r"(?:light-|dark-)?([\w/-]+?\.html)")
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "page_path" in metafunc.fixturenames:
        # Without a site there is one case, and the fixture `site` says what is missing.
        metafunc.parametrize("page_path", pages_of(SITE) or ["book/index.html"])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """All that is asked of a page is asked by the worker that has visited it.

    pytest-xdist's own groups would do, but it writes them where pytest 9.2 no longer reads them.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByPage(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            page = PAGE.search(nodeid.partition("[")[2])
            return page[1] if page else nodeid

    return ByPage(config, log)


@pytest.fixture(scope="session")
def site() -> Path:
    if not (SITE / "index.html").is_file():
        pytest.fail(f"there is no built site in {SITE}: run `make build`", pytrace=False)
    return SITE


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    with served(site, "/repo/") as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the system's Chromium; none is a failure where CI=true, elsewhere a skip."""
    for name in CHROMIUM_NAMES:
        if path := shutil.which(name):
            return path
    how = "no Chromium on this machine: `apt-get install chromium` (Debian, Ubuntu) or install Google Chrome"
    if os.environ.get("CI") == "true":
        pytest.fail(how, pytrace=False)
    pytest.skip(f"browser tests not run: {how}")


@pytest.fixture(scope="session")
def browser(chromium: str):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visitor(browser, site: Path, address: str) -> Iterator[Visitor]:
    """A fresh reader: no cache, no stored theme, and no way to any other host."""
    visitor = Visitor(browser, site, address)
    yield visitor
    visitor.close()
