"""Tokens of a chapter written back as plain Markdown, by mdformat's renderer and our own for what MyST adds."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mdformat_tables
from mdformat.renderer import DEFAULT_RENDERERS, MDRenderer, RenderContext, RenderTreeNode

from tools.plain.directives import render_directive
from tools.plain.errors import PlainError
from tools.plain.labels import Labels, Target
from tools.plain.roles import render_role
from tools.plain.source import parser, read_directive

_EXTERNAL = re.compile(r"^(https?|mailto):")


class PageWriter:
    """Writes the Markdown cells of one page. ``source`` is the page's file, for links and error messages."""

    def __init__(self, labels: Labels, source: Path):
        self.labels, self.settings, self.source = labels, labels.settings, source
        self.parser = parser(labels.settings.myst_extensions)
        self.footnotes = _footnotes(self.parser, source)
        self._first_line = 0

    def write(self, text: str, first_line: int = 0) -> str:
        """Plain Markdown for ``text``, which starts at ``first_line`` (0-based) of the page.

        Raises: PlainError with file and line.
        """
        with self._starting_at(first_line):
            return self._render(text).strip("\n")

    def nested(self, text: str, first_line: int) -> str:
        """Plain Markdown for the content of a directive; ``first_line`` counts within the enclosing text."""
        return self.write(text, self._first_line + first_line)

    def list_rows(self, text: str, first_line: int) -> list[list[str]]:
        """The cells of a table that is written as a list of lists."""
        with self._starting_at(self._first_line + first_line):
            tree = RenderTreeNode(self.parser.parse(text))
            self._refuse_unknown(tree)
            rows = [item.children[0] for top in tree.children for item in top.children]
            return [[self._cell(entry) for entry in row.children] for row in rows]

    def link(self, text: str, target: Target) -> str:
        """A link that works in the notebook: within the page by anchor, elsewhere to the published page."""
        if target.page == self.source and target.anchor:
            return f"[{text}](#{target.anchor})"
        if not target.page.exists():
            raise PlainError(f"there is no page {self.settings.relative(target.page)}")
        fragment = f"#{target.anchor}" if target.anchor else ""
        return f"[{text}]({self.settings.page_url(target.page)}{fragment})"

    def url(self, anchor: str = "") -> str:
        """The published address of this page."""
        return self.settings.page_url(self.source) + (f"#{anchor}" if anchor else "")

    def file_url(self, name: str) -> str:
        """The address of a file that lies beside the page."""
        if _EXTERNAL.match(name):
            return name
        path = (self.source.parent / name).resolve()
        if not path.is_file():
            raise PlainError(f"there is no file {name!r} beside {self.source.name}")
        return self.settings.raw_url + path.relative_to(self.settings.root.resolve()).as_posix()

    def equation(self, body: str, label: str | None) -> str:
        """A displayed equation, numbered as on the page."""
        if not label:
            return f"$$\n{body.strip()}\n$$"
        target = self.labels.find_equation(label)
        number = (target.says or "").strip("()")
        return f'<a id="{target.anchor}"></a>\n\n$$\n{body.strip()}\n\\tag{{{number}}}\n$$'

    def resolve(self, href: str) -> str:
        """The target of a Markdown link, checked if it lies in the book."""
        if _EXTERNAL.match(href):
            return href
        name, _, label = href.partition("#")
        target = self.labels.find(label) if label else Target((self.source.parent / name).with_suffix(".md"), "", None)
        return self.link("", target)[3:-1]

    def _render(self, text: str) -> str:
        env: dict[str, Any] = {"footnotes": {"refs": dict(self.footnotes)}}
        tree = RenderTreeNode(self.parser.parse(text, env))
        self._refuse_unknown(tree)
        return MDRenderer().render_tree(tree, self._options(), env | {"page": self})

    def _cell(self, node: RenderTreeNode) -> str:
        context = RenderContext({**DEFAULT_RENDERERS, **RENDERERS}, {}, self._options(), _environment(self))
        return " ".join(child.render(context) for child in node.children).replace("\n", " ")

    def _options(self) -> dict[str, Any]:
        ours = SimpleNamespace(RENDERERS=RENDERERS, POSTPROCESSORS={"text": _refuse_stray_syntax})
        return {
            "parser_extension": [ours, mdformat_tables.plugin],
            "mdformat": {"wrap": "keep", "number": True, "compact_tables": True},
        }

    def _refuse_unknown(self, tree: RenderTreeNode) -> None:
        for node in tree.walk():
            if node.type not in _KNOWN:
                raise self.error(node, f"unknown construct {node.type!r}: {_start(node)!r}")

    def error(self, node: RenderTreeNode, message: str) -> PlainError:
        """The message with the place in the page."""
        while node.map is None and node.parent is not None:
            node = node.parent
        line = node.map[0] if node.map else 0
        return PlainError(message, file=self.settings.relative(self.source), line=self._first_line + line + 1)

    @contextmanager
    def _starting_at(self, line: int):
        before, self._first_line = self._first_line, line
        try:
            yield
        finally:
            self._first_line = before


def _environment(page: PageWriter) -> dict[str, Any]:
    return {"page": page, "indent_width": 0, "used_refs": set()}


def _footnotes(markdown, source: Path) -> dict[str, int]:
    """The footnote labels of the whole page, so that a reference finds a note in another cell."""
    env: dict[str, Any] = {}
    markdown.parse(source.read_text(encoding="utf-8"), env)
    return dict.fromkeys(env.get("footnotes", {}).get("refs", {}), -1)


def _start(node: RenderTreeNode) -> str:
    text = node.content if not node.is_nested and not node.is_root else ""
    return text.strip().split("\n")[0][:60]


def _located(render: Callable[[RenderTreeNode, RenderContext, PageWriter], str]):
    """Gives a renderer its page, and an error of it its place."""

    def wrapped(node: RenderTreeNode, context: RenderContext) -> str:
        page = context.env["page"]
        try:
            return render(node, context, page)
        except PlainError as error:
            if error.file:
                raise
            raise page.error(node, error.message) from None

    return wrapped


@_located
def _fence(node: RenderTreeNode, context: RenderContext, page: PageWriter) -> str:
    directive = read_directive(node)
    if directive is None:
        return DEFAULT_RENDERERS["fence"](node, context)
    return render_directive(page, directive)


@_located
def _role(node: RenderTreeNode, context: RenderContext, page: PageWriter) -> str:
    return render_role(page, node.meta["name"], node.content)


@_located
def _target(node: RenderTreeNode, context: RenderContext, page: PageWriter) -> str:
    return f'<a id="{page.labels.find(node.content).anchor}"></a>'


@_located
def _link(node: RenderTreeNode, context: RenderContext, page: PageWriter) -> str:
    text = "".join(child.render(context) for child in node.children)
    return f"[{text}]({page.resolve(str(node.attrs['href']))})"


@_located
def _image(node: RenderTreeNode, context: RenderContext, page: PageWriter) -> str:
    if not node.content:
        raise PlainError(f"the picture {node.attrs['src']} has no alt text")
    return f"![{node.content}]({page.file_url(str(node.attrs['src']))})"


@_located
def _equation(node: RenderTreeNode, context: RenderContext, page: PageWriter) -> str:
    return page.equation(node.content, node.info if node.type == "math_block_label" else None)


@_located
def _amsmath(node: RenderTreeNode, context: RenderContext, page: PageWriter) -> str:
    return node.content.strip()


@_located
def _footnote_reference(node: RenderTreeNode, context: RenderContext, page: PageWriter) -> str:
    label = node.meta["label"]
    return f'<sup><a href="#footnote-{label}">{label}</a></sup>'


@_located
def _footnote(node: RenderTreeNode, context: RenderContext, page: PageWriter) -> str:
    label = node.meta["label"]
    text = " ".join(child.render(context) for child in node.children)
    return f'<a id="footnote-{label}"></a><sup>{label}</sup> {text}'


def _definition_list(node: RenderTreeNode, context: RenderContext) -> str:
    return "\n\n".join(child.render(context) for child in node.children)


def _definition_term(node: RenderTreeNode, context: RenderContext) -> str:
    return "**" + "".join(child.render(context) for child in node.children) + "**"


def _nothing(node: RenderTreeNode, context: RenderContext) -> str:
    return ""


def _refuse_stray_syntax(text: str, node: RenderTreeNode, context: RenderContext) -> str:
    """A footnote mark or a role that the parser left as text would reach the reader as it is."""
    if re.search(r"\[\\?\^[\w-]+\\?\]|\{[\w:-]+\}`", node.content):
        raise context.env["page"].error(node, f"this is shown as it stands: {node.content.strip()[:60]!r}")
    return text


RENDERERS = {
    "fence": _fence,
    "colon_fence": _fence,
    "myst_role": _role,
    "myst_target": _target,
    "myst_line_comment": _nothing,
    "link": _link,
    "image": _image,
    "math_inline": lambda node, context: f"${node.content}$",
    "math_inline_double": lambda node, context: f"$${node.content}$$",
    "math_block": _equation,
    "math_block_label": _equation,
    "amsmath": _amsmath,
    "footnote_ref": _footnote_reference,
    "footnote_reference": _footnote,
    "footnote_anchor": _nothing,
    "dl": _definition_list,
    "dt": _definition_term,
    "dd": _definition_list,
}

_FROM_MDFORMAT = set(DEFAULT_RENDERERS) - {"html_block", "html_inline"}
_TABLE_PARTS = {"table", "thead", "tbody", "tr", "th", "td"}
_KNOWN = set(RENDERERS) | _FROM_MDFORMAT | _TABLE_PARTS
