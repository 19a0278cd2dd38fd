"""Where in a page a link can lead, read from the page's source: its sections, labels, terms and claims."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml
from docutils.nodes import make_id
from markdown_it.token import Token

from tools.plain.labels import Labels
from tools.plain.source import parser
from tools.settings import Settings
from tools.site.ledger.mentions import ROLE


@dataclass(frozen=True)
class Section:
    """A heading: the line on which it stands, its anchor in the built page, its words."""

    line: int
    anchor: str
    title: str


@dataclass(frozen=True)
class Page:
    """One page of the book as its author wrote it."""

    path: Path
    settings: Settings

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def sections(self) -> list[Section]:
        """Every heading in the order of the text; the first is the page's title."""
        tokens = parser(self.settings.myst_extensions).parse(self.text)
        found = [
            (token.map[0] + 1, _words(tokens[number + 1]))
            for number, token in enumerate(tokens)
            if token.type == "heading_open" and token.map
        ]
        return [Section(line, make_id(title), title) for line, title in found]

    def section_at(self, line: int) -> Section:
        """The section that a line belongs to; the first one for what stands above all headings."""
        return self.sections[max(0, bisect_right([each.line for each in self.sections], line) - 1)]

    @property
    def title(self) -> str:
        """The title as far as its colon: what a link to the whole page says."""
        return self.sections[0].title.partition(":")[0]

    def anchors(self, labels: Labels) -> dict[str, str]:
        """Everything on the page that an address can name after ``#``, each with the words that a link to it says.

        The place where the page first links to a claim is named by the section that it stands in.
        """
        found = {
            target.anchor: target.says or ""
            for table in (labels.targets, labels.terms)
            for target in table.values()
            if target.page == self.path
        }
        for claim in ROLE.finditer(self.text):
            line = self.text.count("\n", 0, claim.start()) + 1
            found.setdefault(f"claim-{claim[1]}", self.section_at(line).title)
        return found | {section.anchor: section.title for section in self.sections}


def in_order_of_reading(settings: Settings) -> list[str]:
    """The names of all pages as the table of contents has them, without their folder."""
    toc = yaml.safe_load((settings.root / "_toc.yml").read_text(encoding="utf-8"))
    return [Path(file).name for file in _files(toc)]


def _files(node: object) -> list[str]:
    if isinstance(node, list):
        return [file for each in node for file in _files(each)]
    if not isinstance(node, dict):
        return []
    own = [node[key] for key in ("root", "file") if key in node]
    return own + [file for value in node.values() for file in _files(value)]


def _words(heading: Token) -> str:
    """The text of a heading without its markup."""
    kinds = ("text", "code_inline", "math_inline", "myst_role")
    return "".join(child.content for child in heading.children or [] if child.type in kinds)
