"""A chapter's text as the tokens of MyST's own parser, and a directive's parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from mdformat.renderer import MDRenderer
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from myst_parser.parsers.options import TokenizeError, options_to_items

from tools.plain.errors import PlainError

_DIRECTIVE = re.compile(r"^\{(?P<name>[\w:-]+)\}\s*(?P<argument>.*)$")
_NAMED_TARGET = re.compile(r"^(?P<text>.+?)\s*<(?P<target>[^<>]+)>$", re.DOTALL)


@cache
def parser(extensions: frozenset[str]) -> MarkdownIt:
    """The Markdown parser that MyST uses with these extensions."""
    return create_md_parser(MdParserConfig(enable_extensions=set(extensions)), MDRenderer)


@dataclass(frozen=True)
class Directive:
    """A fence such as `` ```{name} argument ``: its options, its content, and the line on which the content starts."""

    name: str
    argument: str
    options: dict[str, str]
    content: str
    content_line: int

    @property
    def label(self) -> str | None:
        return self.options.get("name") or self.options.get("label")

    @property
    def classes(self) -> list[str]:
        return self.options.get("class", "").split()


def read_directive(token: Token | SyntaxTreeNode) -> Directive | None:
    """The directive that a fence token stands for, or None for an ordinary fence."""
    match = _DIRECTIVE.match(token.info.strip())
    if not match:
        return None
    lines = token.content.splitlines()
    count = _option_lines(lines)
    block = "\n".join(line[1:] for line in lines[:count]) if lines[:1] != ["---"] else "\n".join(lines[1 : count - 1])
    try:
        options = dict(options_to_items(block)[0])
    except TokenizeError as error:
        raise PlainError(f"the options of {{{match['name']}}} cannot be read: {error}", line=token.map[0] + 1) from None
    while count < len(lines) and not lines[count].strip():
        count += 1
    return Directive(
        name=match["name"],
        argument=match["argument"].strip(),
        options=options,
        content="\n".join(lines[count:]),
        content_line=token.map[0] + 1 + count,
    )


def split_named_target(text: str) -> tuple[str | None, str]:
    """``("words", "label")`` for ``words <label>``, ``(None, "label")`` for ``label``."""
    match = _NAMED_TARGET.match(text)
    return (match["text"], match["target"]) if match else (None, text)


def _option_lines(lines: list[str]) -> int:
    """How many of the first lines hold options: ``:key: value`` lines or a block between ``---``."""
    if lines[:1] == ["---"]:
        return lines.index("---", 1) + 1 if "---" in lines[1:] else 0
    count = 0
    while count < len(lines) and re.match(r"^:[\w-]+:", lines[count]):
        count += 1
    return count
