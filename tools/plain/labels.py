"""Everything in the book that a role can point to: where it is, and what a link to it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import yaml
from markdown_it.token import Token
from pybtex.database import Entry, parse_file
from sphinx.util.nodes import _make_id

from tools import api
from tools.plain.errors import PlainError
from tools.plain.source import Directive, parser, read_directive
from tools.settings import Settings

_WITHOUT_CONTENT = {"code-cell", "code-block", "code", "mermaid", "math"}


@dataclass(frozen=True)
class Target:
    """A place in a page. ``says`` is the link text that Sphinx would use, or None where it has none."""

    page: Path
    anchor: str
    says: str | None


@dataclass
class Labels:
    """The labels, page titles, glossary terms and bibliography entries of all pages."""

    settings: Settings
    targets: dict[str, Target] = field(default_factory=dict)
    equations: dict[str, Target] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    terms: dict[str, Target] = field(default_factory=dict)
    references: dict[str, Entry] = field(default_factory=dict)
    functions: dict[str, Target] = field(default_factory=dict)
    classes: dict[str, Target] = field(default_factory=dict)
    data: dict[str, Target] = field(default_factory=dict)

    @classmethod
    def of_book(cls, settings: Settings) -> Labels:
        """Reads every page of the book and the bibliography."""
        labels = cls(settings)
        for path in settings.chapters():
            _Scan(labels, path).run()
        for bibliography in settings.bibliography:
            labels.references.update(parse_file(str(bibliography)).entries)
        return labels

    def find(self, label: str) -> Target:
        return self._look_up(self.targets, label, "label")

    def find_equation(self, label: str) -> Target:
        return self._look_up(self.equations, label, "equation label")

    def find_term(self, term: str) -> Target:
        return self._look_up(self.terms, " ".join(term.split()).lower(), "glossary term")

    def find_reference(self, key: str) -> Entry:
        return self._look_up(self.references, key, "bibliography key")

    def find_function(self, path: str) -> Target:
        return self._look_up(self.functions, path, "function in the API reference")

    def find_class(self, path: str) -> Target:
        return self._look_up(self.classes, path, "class in the API reference")

    def find_data(self, path: str) -> Target:
        return self._look_up(self.data, path, "value in the API reference")

    def title(self, page: str) -> str:
        return self._look_up(self.titles, page, "page")

    def _look_up(self, table: dict, key: str, kind: str):
        if key not in table:
            raise PlainError(f"unknown {kind} {key!r}")
        return table[key]


class _Scan:
    """One pass over a page's tokens that enters what can be linked to."""

    def __init__(self, labels: Labels, path: Path):
        self.labels, self.path = labels, path
        self.parser = parser(labels.settings.myst_extensions)
        self.waiting: list[str] = []
        self.equation_count = 0

    def run(self) -> None:
        self._tokens(self.parser.parse(self.path.read_text(encoding="utf-8")))
        for label in self.waiting:
            self._enter(label, None)

    def _tokens(self, tokens: list[Token]) -> None:
        for number, token in enumerate(tokens):
            if token.type == "front_matter":
                self._front_matter(token)
            elif token.type == "myst_target":
                self.waiting.append(token.content)
            elif token.type == "heading_open":
                self._heading(tokens[number + 1].content)
            elif token.type in ("math_block", "math_block_label", "amsmath"):
                self._equation(token.info if token.type == "math_block_label" else None)
            elif token.type in ("fence", "colon_fence") and (directive := read_directive(token)):
                self._directive(directive)
            elif token.nesting == 1 and token.type != "heading_open" and token.level == 0 and self.waiting:
                self._release(None)

    def _front_matter(self, token: Token) -> None:
        title = (yaml.safe_load(token.content) or {}).get("title")
        if title:
            self.labels.titles.setdefault(self.path.stem, title)

    def _heading(self, text: str) -> None:
        self.labels.titles.setdefault(self.path.stem, text)
        self._release(text)

    def _equation(self, label: str | None) -> None:
        if label:
            self.equation_count += 1
            self.labels.equations[label] = Target(self.path, f"equation-{_make_id(label)}", f"({self.equation_count})")

    def _directive(self, directive: Directive) -> None:
        if directive.name == "math":
            self._equation(directive.label)
            return
        says = _caption(directive)
        self._release(says)
        if directive.label:
            self._enter(directive.label, says)
        if directive.name == "glossary":
            self._glossary(directive.content)
        elif directive.name == "api":
            self._api(directive)
        elif directive.name not in _WITHOUT_CONTENT:
            self._tokens(self.parser.parse(directive.content))

    def _glossary(self, content: str) -> None:
        for line in content.splitlines():
            if line.strip() and not line[0].isspace():
                term = line.split(" : ")[0].strip()
                self.labels.terms[" ".join(term.split()).lower()] = Target(self.path, _make_id(f"term-{term}"), term)

    def _api(self, directive: Directive) -> None:
        """What the reference of a module documents here; a summary only links to it."""
        root = self.labels.settings.root
        if "summary" in directive.options or api.is_package(directive.argument, root):
            return
        for entry in api.entries(directive.argument, root):
            functions = [entry.path] if entry.kind == "func" else [f"{entry.path}.{name}" for name in entry.methods]
            classes = [entry.path] if entry.kind in ("class", "tuple") else []
            values = [entry.path] if entry.kind == "data" else []
            self.labels.data |= {path: Target(self.path, path, None) for path in values}
            self.labels.functions |= {path: Target(self.path, path, None) for path in functions}
            self.labels.classes |= {path: Target(self.path, path, None) for path in classes}

    def _release(self, says: str | None) -> None:
        for label in self.waiting:
            self._enter(label, says)
        self.waiting = []

    def _enter(self, label: str, says: str | None) -> None:
        if label in self.labels.targets:
            other = self.labels.targets[label].page.name
            raise PlainError(
                f"label {label!r} is defined twice, also in {other}",
                file=self.labels.settings.relative(self.path),
                line=1,
            )
        self.labels.targets[label] = Target(self.path, _make_id(label), says)


def _caption(directive: Directive) -> str | None:
    """The words that Sphinx uses for a link to a figure, a table or an admonition."""
    if directive.name in ("figure", "moving-figure"):
        return directive.content.split("\n\n")[0].replace("\n", " ") or None
    if directive.name in ("table", "list-table", "admonition", "dropdown"):
        return directive.argument or None
    return None
