"""Every link leads somewhere: to a page, a file, an anchor; the Colab button to a notebook that git holds."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup
from visitor import ROOT, pages_of

pytestmark = pytest.mark.browser

LINKS = {
    "a": "href",
    "link": "href",
    "script": "src",
    "img": "src",
    "source": "src",
    "object": "data",
    "form": "action",
}
COLAB = "https://colab.research.google.com/github/"


@cache
def parsed(file: Path) -> BeautifulSoup:
    return BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(file: Path) -> set[str]:
    names = {node["id"] for node in parsed(file).find_all(id=True)}
    return names | {node["name"] for node in parsed(file).find_all("a", attrs={"name": True})}


def links(file: Path) -> list[tuple[str, str]]:
    """(tag, address) of everything the page refers to."""
    found = [(node.name, node.get(LINKS[node.name])) for node in parsed(file).find_all(list(LINKS))]
    return [(tag, url) for tag, url in found if url and not url.startswith(("data:", "mailto:", "javascript:"))]


def target(page: Path, url: str) -> tuple[Path, str]:
    """The file and the anchor that a link within the site leads to."""
    parts = urlsplit(url)
    file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return (file / "index.html" if file.is_dir() else file), unquote(parts.fragment)


def leads_nowhere(page: Path, url: str) -> bool:
    file, anchor = target(page, url)
    return not file.is_file() or (bool(anchor) and file.suffix == ".html" and anchor not in anchors(file))


def is_foreign(url: str) -> bool:
    parts = urlsplit(url)
    return bool(parts.scheme or parts.netloc)


def test_links_within_the_site_lead_somewhere(site: Path, page_path: str):
    page = (site / page_path).resolve()
    assert [url for _, url in links(page) if not is_foreign(url) and leads_nowhere(page, url)] == []


def test_links_stay_below_the_sites_own_path(site: Path, page_path: str):
    """An address from the server's root would break below /repo/."""
    assert [url for _, url in links(site / page_path) if url.startswith("/")] == []


def test_only_links_to_read_lead_to_other_hosts(site: Path, page_path: str):
    assert [(tag, url) for tag, url in links(site / page_path) if is_foreign(url) and tag != "a"] == []


def test_colab_button_leads_to_a_notebook_in_git(site: Path, page_path: str):
    repository = yaml.safe_load((ROOT / "_config.yml").read_text())["repository"]
    blob = f"{COLAB}{urlsplit(repository['url']).path.strip('/')}/blob/{repository['branch']}/"
    for _, url in links(site / page_path):
        if url.startswith(COLAB):
            assert url.startswith(blob)
            assert url.endswith(".ipynb")
            assert in_git(url.removeprefix(blob)), f"{url} leads to a file that git does not hold"


def in_git(path: str) -> bool:
    listed = subprocess.run(["git", "ls-files", "--error-unmatch", path], cwd=ROOT, capture_output=True)
    return listed.returncode == 0


def test_the_checks_see_a_broken_link(tmp_path: Path):
    page = tmp_path / "page.html"
    page.write_text('<a id="here"></a><a href="#here"></a><a href="#gone"></a><a href="gone.html"></a>')
    assert [url for _, url in links(page) if leads_nowhere(page, url)] == ["#gone", "gone.html"]


def test_there_are_pages(site: Path):
    assert {"book/index.html", "search.html", "genindex.html"} <= set(pages_of(site))
