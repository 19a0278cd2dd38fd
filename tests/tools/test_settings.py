"""One public address, and what follows from it."""

import subprocess

import pytest

from tools.set_repository import set_repository
from tools.settings import ROOT, Settings


def test_addresses_follow_from_the_repository(book: Settings) -> None:
    assert book.site_url == "https://someone.github.io/some-book/"
    assert book.raw_url == "https://raw.githubusercontent.com/someone/some-book/main/"


def test_moving_rewrites_one_line(book: Settings) -> None:
    before = book.config_file.read_text().splitlines()
    set_repository(book, "https://github.com/else/where")
    after = Settings(book.root).config_file.read_text().splitlines()
    assert [new for old, new in zip(before, after, strict=True) if old != new] == [
        "  url: https://github.com/else/where"
    ]
    assert Settings(book.root).site_url == "https://else.github.io/where/"


@pytest.mark.parametrize("url", ["", "github.com/a/b", "https://github.com/a", "https://github.com/a/b/c d"])
def test_an_address_of_another_form_is_refused(book: Settings, url: str) -> None:
    with pytest.raises(ValueError, match="must look like"):
        set_repository(book, url)


def test_the_address_stands_in_one_place() -> None:
    """Only ``_config.yml`` names it; notebooks are generated from there."""
    address = Settings().repository_url.removeprefix("https://")
    listed = subprocess.run(["git", "grep", "-lF", address], cwd=ROOT, capture_output=True, text=True, check=False)
    named = {name for name in listed.stdout.split() if not name.endswith(".ipynb")}
    assert named == {"_config.yml"}
