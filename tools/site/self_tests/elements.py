"""HTML elements as nodes, so that what stands inside them is parsed and linked like the rest of the page."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

HEADING = "heading"
DEEPEST = 6


class HtmlElement(nodes.General, nodes.Element):
    """``<tag …>`` around its children; the tag HEADING is a heading one level below the section it stands in."""


def element(tag: str, attributes: dict[str, str] | None = None, *children: nodes.Node) -> HtmlElement:
    node = HtmlElement(tag=tag, attributes=attributes or {})
    node += children
    return node


def raw(html: str) -> nodes.raw:
    return nodes.raw("", html, format="html")


def json_script(data: Any) -> nodes.raw:
    """Data for a script of the page."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return raw(f'<script type="application/json">{text}</script>')


def visit(writer: HTML5Translator, node: HtmlElement) -> None:
    tag = node["tag"]
    if tag == HEADING:
        tag = f"h{min(writer.section_level + 1, DEEPEST)}"
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in node["attributes"].items())
    writer.body.append(f"<{tag}{attributes}>")
    writer.context.append(f"</{tag}>\n")


def depart(writer: HTML5Translator, _node: HtmlElement) -> None:
    writer.body.append(writer.context.pop())


def setup(app: Sphinx) -> None:
    app.add_node(HtmlElement, html=(visit, depart))
