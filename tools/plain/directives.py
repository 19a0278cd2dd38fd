"""Directives such as {note} as quotes, details and links that every notebook viewer shows."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

from tools.plain.errors import PlainError
from tools.plain.source import Directive

if TYPE_CHECKING:
    from tools.plain.render import PageWriter

Writer = Callable[["PageWriter", Directive], str]


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _details(summary: str, body: str) -> str:
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def _titled(title: str, page: PageWriter, directive: Directive) -> str:
    body = page.nested(directive.content, directive.content_line)
    if "dropdown" in directive.classes:
        return _details(title, body)
    return _quote(f"**{title}**\n\n{body}")


def _note(page: PageWriter, directive: Directive) -> str:
    """An admonition whose title is its name; a first line after the name belongs to its text."""
    first = page.nested(directive.argument, directive.content_line - 1) if directive.argument else ""
    body = page.nested(directive.content, directive.content_line)
    text = "\n\n".join(part for part in (first, body) if part)
    title = {"seealso": "See also"}.get(directive.name, directive.name.capitalize())
    return _details(title, text) if "dropdown" in directive.classes else _quote(f"**{title}**\n\n{text}")


def _admonition(page: PageWriter, directive: Directive) -> str:
    return _titled(page.nested(directive.argument, directive.content_line - 1), page, directive)


def _dropdown(page: PageWriter, directive: Directive) -> str:
    title = page.nested(directive.argument, directive.content_line - 1) if directive.argument else "More"
    return _details(title, page.nested(directive.content, directive.content_line))


def _math(page: PageWriter, directive: Directive) -> str:
    parts = [part for part in (directive.argument, directive.content) if part]
    return page.equation("\n".join(parts), directive.label)


def _figure(page: PageWriter, directive: Directive) -> str:
    alt = directive.options.get("alt")
    if not alt:
        raise PlainError(f"{{{directive.name}}} {directive.argument} has no :alt: text")
    picture = f"![{alt}]({page.file_url(directive.argument)})"
    caption = page.nested(directive.content, directive.content_line).replace("\n", " ")
    return f"{picture}\n\n*{caption}*" if caption else picture


def _list_table(page: PageWriter, directive: Directive) -> str:
    rows = page.list_rows(directive.content, directive.content_line)
    if len({len(row) for row in rows}) != 1:
        raise PlainError("the rows of {list-table} differ in length")
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join("---" for _ in rows[0]) + " |")
    table = "\n".join(lines)
    return f"*{directive.argument}*\n\n{table}" if directive.argument else table


def _table(page: PageWriter, directive: Directive) -> str:
    table = page.nested(directive.content, directive.content_line)
    return f"*{directive.argument}*\n\n{table}" if directive.argument else table


def _code(page: PageWriter, directive: Directive) -> str:
    return f"```{directive.argument}\n{directive.content}\n```"


def _mermaid(page: PageWriter, directive: Directive) -> str:
    """The diagram's own description, since notebook viewers do not draw it."""
    lines = [line.strip() for line in directive.content.splitlines()]
    say = {key: line.removeprefix(key) for line in lines for key in ("accTitle:", "accDescr:") if line.startswith(key)}
    if "accDescr:" not in say:
        raise PlainError("{mermaid} has no accDescr: line, which says the diagram in words")
    title = say.get("accTitle:", " Diagram").strip()
    return _quote(f"**{title}.** {say['accDescr:'].strip()} [See it drawn]({page.url()}).")


def _moving_figure(page: PageWriter, directive: Directive) -> str:
    """Its title and text, since it moves on the page only."""
    text = page.nested(directive.content, directive.content_line)
    return _quote(f"**A figure to move.** {text}\n\n[Move it on the page]({page.url(directive.label or '')}).")


def _ledger(page: PageWriter, directive: Directive) -> str:
    return f"The ledger, with the code and the measured values of every claim: [on the page]({page.url()})."


def _three_places(page: PageWriter, directive: Directive) -> str:
    """The way in words, since notebook viewers do not draw it."""
    return _quote(
        "**The three places where order enters.** Tokens become vectors (place 1: the input), vectors become queries "
        "and keys (place 2), these become scores (place 3), scores become weights, and weights average the values. "
        f"[See it drawn]({page.url()})."
    )


def _read_from_the_source(page: PageWriter, directive: Directive) -> str:
    about = f" `{directive.argument}`" if directive.argument else ""
    return f"The list of {directive.name}{about}, read from the source, is on [the page]({page.url()})."


def _lecture_map(page: PageWriter, directive: Directive) -> str:
    return f"Every item of the lecture, and the sections that cover it: [on the page]({page.url()})."


def _model_table(page: PageWriter, directive: Directive) -> str:
    return f"The whole table, with its sources and a filter: [on the page]({page.url()})."


def _api(page: PageWriter, directive: Directive) -> str:
    """Where to read it, since the docstrings themselves are in the package that a notebook has at hand."""
    return f"The entries of `{directive.argument}` are on [the page]({page.url()})."


def _glossary(page: PageWriter, directive: Directive) -> str:
    """Each term in bold, with the text that is indented below it."""
    parts, lines = [], directive.content.splitlines()
    starts = [number for number, line in enumerate(lines) if line and not line[0].isspace()]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        definition = textwrap.dedent("\n".join(lines[start + 1 : end]))
        parts += [f"**{lines[start].strip()}**", page.nested(definition, directive.content_line + start + 1)]
    return "\n\n".join(parts)


def _self_test(page: PageWriter, directive: Directive) -> str:
    """Those at the top level have become cells before (tools.plain.self_tests)."""
    raise PlainError(f"the self-test {directive.argument} must stand at the top level of the page")


def _progress(page: PageWriter, directive: Directive) -> str:
    return f"All self-tests, and which of them you have solved: [on the page]({page.url()})."


def _kill_matrix(page: PageWriter, directive: Directive) -> str:
    return f"What the grader says of every known answer: [on the page]({page.url()})."


_NOTES = ("note", "tip", "hint", "important", "warning", "caution", "attention", "danger", "error", "seealso")

DIRECTIVES: dict[str, Writer] = {
    **dict.fromkeys(_NOTES, _note),
    "admonition": _admonition,
    "dropdown": _dropdown,
    "math": _math,
    "figure": _figure,
    "image": _figure,
    "list-table": _list_table,
    "table": _table,
    "code-block": _code,
    "glossary": _glossary,
    "ledger": _ledger,
    "lecture-map": _lecture_map,
    "three-places": _three_places,
    "files": _read_from_the_source,
    "rooms": _read_from_the_source,
    "mermaid": _mermaid,
    "model-table": _model_table,
    "moving-figure": _moving_figure,
    "api": _api,
    "self-test": _self_test,
    "progress": _progress,
    "kill-matrix": _kill_matrix,
    # In a notebook every citation already links to the work itself.
    "bibliography": lambda page, directive: "",
}


def render_directive(page: PageWriter, directive: Directive) -> str:
    """Plain Markdown for one directive. Raises: PlainError if it is unknown."""
    if directive.name not in DIRECTIVES:
        raise PlainError(f"unknown directive {{{directive.name}}}")
    text = DIRECTIVES[directive.name](page, directive)
    if directive.label and directive.name != "math":
        page.labels.find(directive.label)
        return f'<a id="{directive.label}"></a>\n\n{text}'
    return text
