"""Where things lie, and every address that follows from the one in ``_config.yml``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlparse

import yaml

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Settings:
    """A book's folder and what its ``_config.yml`` says of it."""

    root: Path = ROOT

    @property
    def book(self) -> Path:
        return self.root / "book"

    @property
    def config_file(self) -> Path:
        return self.root / "_config.yml"

    @property
    def html(self) -> Path:
        return self.root / "_build" / "html"

    @cached_property
    def config(self) -> dict:
        return yaml.safe_load(self.config_file.read_text(encoding="utf-8"))

    @property
    def repository_url(self) -> str:
        return self.config["repository"]["url"].rstrip("/")

    @property
    def branch(self) -> str:
        return self.config["repository"]["branch"]

    @property
    def site_url(self) -> str:
        """Where the pages are published: ``html.baseurl`` if given, else GitHub Pages of the repository."""
        given = self.config.get("html", {}).get("baseurl")
        if given:
            return given.rstrip("/") + "/"
        owner, name = urlparse(self.repository_url).path.strip("/").split("/")[:2]
        return f"https://{owner}.github.io/{name}/"

    @property
    def raw_url(self) -> str:
        """Where a file of the repository can be fetched as it is."""
        return self.repository_url.replace("github.com", "raw.githubusercontent.com", 1) + f"/{self.branch}/"

    def source_url(self, path: str) -> str:
        """Where a file or folder of the repository is shown. Raises: LookupError if there is none."""
        found = self.root / path
        if not found.exists():
            raise LookupError(f"there is no file or folder {path!r} in the repository")
        return f"{self.repository_url}/{'tree' if found.is_dir() else 'blob'}/{self.branch}/{path.strip('/')}"

    @property
    def myst_extensions(self) -> frozenset[str]:
        return frozenset(self.config["parse"]["myst_enable_extensions"])

    @property
    def bibliography(self) -> list[Path]:
        return [self.root / name for name in self.config.get("bibtex_bibfiles", [])]

    def chapters(self) -> list[Path]:
        """Every page of the book that is written by hand."""
        return sorted(self.book.glob("*.md"))

    def relative(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def page_url(self, path: Path) -> str:
        """The published address of a page, given its source file."""
        return self.site_url + path.relative_to(self.root).with_suffix(".html").as_posix()
