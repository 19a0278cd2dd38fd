"""The numbers in a chapter's prose, and what vouches for each of them.

A decimal, or a whole number from 100 on, must have been printed by a cell of the chapter (rounded to as many places),
stand as a literal in its code, or share its sentence with a citation or a claim of the ledger.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import cached_property
from pathlib import Path

import nbformat
from jupytext.myst import myst_to_notebook
from markdown_it.token import Token

from tools.plain.source import Directive, parser, read_directive
from tools.settings import Settings

SMALLEST_WHOLE = 100

_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:[, ]\d{3})+|\d+)(?:\.\d+)?(?![\w]|\.\d|,\d{3})")
_PRINTED = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z0-9*$\"“‘(\[{])")
_VOUCHED = re.compile(r"\{cite|\{claim\}|\bL-\d{3}\b|\[\^[\w-]+\]")
_CLAIM = re.compile(r"\bL-\d{3}\b")
_FREE = re.compile(
    r"arXiv:\d{4}\.\d{4,5}|\b[vV]ersion \d+(?:\.\d+)+|\b(?:section|Section|equation|table|figure|chapter) \d+(?:\.\d+)*"
    r"|\b\d+\.\d+\.\d+\b|\((?:19|20)\d\d\)"
)
_WITHOUT_PROSE = {"code-cell", "code-block", "code", "mermaid", "math", "bibliography", "self-test"}


@dataclass(frozen=True)
class ProseNumber:
    """A number that the prose states, with its line and its sentence."""

    text: str
    line: int
    sentence: str

    @property
    def value(self) -> Decimal:
        return Decimal(re.sub(r"[, ]", "", self.text))

    @property
    def places(self) -> int:
        return max(0, -int(self.value.as_tuple().exponent))


class Chapter:
    """A page, with the numbers that its cells print and that its code holds."""

    def __init__(self, path: Path, settings: Settings):
        self.path, self.settings = path, settings
        self.parser = parser(settings.myst_extensions)

    def loose_numbers(self) -> list[ProseNumber]:
        """The numbers for which nothing vouches."""
        return [number for number in self.numbers() if not self.vouches_for(number)]

    def numbers(self) -> Iterator[ProseNumber]:
        """Every decimal and every whole number from 100 on in sentences, in order."""
        for line, text in self._prose(self.parser.parse(self.path.read_text(encoding="utf-8")), 0):
            for sentence in _SENTENCE_END.split(text):
                if _VOUCHED.search(sentence):
                    continue
                for match in _NUMBER.finditer(_FREE.sub(" ", sentence)):
                    number = ProseNumber(match[0], line, sentence)
                    if number.places or number.value >= SMALLEST_WHOLE:
                        yield number

    def vouches_for(self, number: ProseNumber) -> bool:
        unit = Decimal(1).scaleb(-number.places)
        known = self.printed | self.literals
        return any(
            known_value.quantize(unit, rounding) == number.value
            for known_value in known
            if abs(known_value - number.value) <= unit
            for rounding in (ROUND_HALF_EVEN, ROUND_HALF_UP)
        )

    @cached_property
    def printed(self) -> frozenset[Decimal]:
        """The numbers in the stored outputs, without their signs."""
        target = self.path.with_suffix(".ipynb")
        if not target.exists():
            return frozenset()
        cells = [cell for cell in nbformat.read(target, 4).cells if cell.cell_type == "code"]
        texts = [output.get("text", "") for cell in cells for output in cell.outputs]
        texts += [output.get("data", {}).get("text/plain", "") for cell in cells for output in cell.outputs]
        return frozenset(Decimal(found.replace(",", "")) for text in texts for found in _PRINTED.findall(text))

    @cached_property
    def literals(self) -> frozenset[Decimal]:
        """The number literals of the code cells; comments and strings do not count."""
        notebook = myst_to_notebook(self.path.read_text(encoding="utf-8"))
        found = set()
        for cell in notebook.cells:
            if cell.cell_type == "code":
                found |= set(_number_literals(cell.source))
        return frozenset(found)

    def _prose(self, tokens: list[Token], first_line: int) -> Iterator[tuple[int, str]]:
        """Line and text of each paragraph, heading, table cell, and of what directives hold."""
        for token in tokens:
            line = first_line + (token.map[0] if token.map else 0)
            if token.type == "inline":
                yield line + 1, _without_code(token)
            elif token.type in ("fence", "colon_fence") and (directive := read_directive(token)):
                yield from self._prose_of(directive, first_line)

    def _prose_of(self, directive: Directive, first_line: int) -> Iterator[tuple[int, str]]:
        if directive.name in _WITHOUT_PROSE or _CLAIM.search(directive.argument):
            return  # what a box headed by a claim states is that claim
        start = first_line + directive.content_line
        if directive.name not in ("figure", "image", "moving-figure"):
            yield start, directive.argument
        if "alt" in directive.options:
            yield start, directive.options["alt"]
        yield from self._prose(self.parser.parse(directive.content), start)


def _without_code(token: Token) -> str:
    """The text of a paragraph: without code, without mathematics, roles kept by name so that they can vouch."""
    parts = []
    for child in token.children or []:
        if child.type == "myst_role":
            parts.append(f"{{{child.meta['name']}}}`{child.content}`" if child.meta["name"] != "math" else " x ")
        elif child.type in ("code_inline", "math_inline", "math_inline_double"):
            parts.append(" x ")
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "footnote_ref":
            parts.append("[^note]")
        else:
            parts.append(child.content)
    return "".join(parts)


def _number_literals(source: str) -> Iterator[Decimal]:
    for token in tokenize.generate_tokens(io.StringIO(source + "\n").readline):
        if token.type == tokenize.NUMBER:
            text = token.string.replace("_", "")
            if not re.search(r"[jJxXoObB]", text):
                yield Decimal(text)
