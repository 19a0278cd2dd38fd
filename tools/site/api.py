"""The directive ``{api} MODULE``: what a module offers, from its docstrings; with ``:summary:`` a list with links.

.. code-block:: markdown

    ```{api} pe_course.reference.bias.t5
    ```

The work is done by Sphinx's own autodoc and napoleon. Which names there are, and under which path each is
documented: `tools.api`. Names in single backticks are links; one that leads nowhere fails the build.
Each entry ends with links to the chapters that teach it: `tools.site.taught`.
"""

from __future__ import annotations

import inspect
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Parser, directives
from docutils.utils import new_document
from sphinx.addnodes import desc, desc_content, desc_signature, pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import stringify_signature
from sphinx.util.rst import default_role

from tools import api
from tools.settings import Settings
from tools.site.taught import SHOWN, Lesson, lessons

HOOKS = "pe_course.nn.PositionMethod"

SETTINGS = {
    "add_module_names": False,
    "autodoc_inherit_docstrings": False,
    "autodoc_member_order": "bysource",
    "maximum_signature_line_length": 50,
    "napoleon_google_docstring": False,
    # Types in our docstrings are words ("array [..., L, D]"), not names to link to.
    "napoleon_use_param": False,
    "napoleon_use_rtype": False,
    # Every type that is not ours: no page of ours could show it. Ours are never ignored.
    "nitpick_ignore_regex": [
        (r"py:.*", r"(np|numpy|nn|torch)\..*|ArrayLike|NDArray|Tensor|Callable|Mapping|Sequence|Any"),
    ],
}


def setup(app: Sphinx) -> None:
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.add_directive("api", ApiDirective)
    app.connect("config-inited", lambda _app, config: config.__dict__.update(SETTINGS))
    app.connect("autodoc-process-signature", signature_as_written)
    app.connect("autodoc-process-docstring", data_is_no_type)
    app.connect("missing-reference", name_from_further_out)


class ApiDirective(SphinxDirective):
    required_arguments = 1
    option_spec: ClassVar = {"summary": directives.flag}

    def run(self) -> list[nodes.Node]:
        module = self.arguments[0]
        try:
            file, found = api.module_file(module), api.entries(module)
        except LookupError as problem:
            raise self.error(str(problem)) from problem
        for each in {file, *(entry.file for entry in found)}:
            self.env.note_dependency(str(each))
        if "summary" in self.options:
            return self._parsed(summary(module, found))
        members = [] if api.is_package(module) else found
        described = self._parsed(opening(module) + "".join(map(description, members)))
        self._say_where_taught(described, {entry.path for entry in members})
        return described

    def _parsed(self, text: str) -> list[nodes.Node]:
        """The nodes of reStructuredText, which autodoc writes, in a page that is Markdown."""
        document = new_document(self.get_source_info()[0], self.state.document.settings)
        document.reporter = self.state.document.reporter
        with default_role(self.env.docname, "py:obj"):
            Parser().parse(text, document)
        return document.children

    def _say_where_taught(self, described: list[nodes.Node], paths: set[str]) -> None:
        """Links from each entry to the chapters of this book that teach it."""
        chapters = Settings(Path(self.env.srcdir)).chapters()
        for chapter in chapters:
            self.env.note_dependency(str(chapter))
        found = _lessons(Path(self.env.srcdir), tuple(chapter.stat().st_mtime_ns for chapter in chapters))
        for entry in (each for node in described for each in node.findall(desc)):
            signature = entry.next_node(desc_signature)
            for path in paths.intersection(signature["ids"]):
                built = [each for each in found.get(path, []) if f"book/{each.page}" in self.env.found_docs]
                if links := [self._link(each) for each in built[:SHOWN]]:
                    entry.next_node(desc_content).append(_taught(links))

    def _link(self, lesson: Lesson) -> nodes.reference:
        uri = self.env.app.builder.get_relative_uri(self.env.docname, f"book/{lesson.page}")
        return nodes.reference("", lesson.title, refuri=f"{uri}#{lesson.anchor}", internal=True)


@lru_cache(maxsize=1)
def _lessons(root: Path, _changed: tuple[int, ...]) -> dict[str, list[Lesson]]:
    """Read once for all entries of a build, and again when a chapter has changed."""
    return lessons(Settings(root))


def _taught(links: list[nodes.reference]) -> nodes.paragraph:
    said = nodes.paragraph("", "", nodes.strong("", "Taught in:"), nodes.Text(" "), classes=["api-taught"])
    for number, link in enumerate(links):
        said += [nodes.Text("; "), link] if number else [link]
    said += nodes.Text(".")
    return said


def opening(module: str) -> str:
    """The module's own docstring. A module that users import can be linked to."""
    entries = api.entries(module)
    imported = all(entry.path.rpartition(".")[0] == module for entry in entries)
    if imported:
        return f".. automodule:: {module}\n   :no-members:\n\n"
    home = entries[0].path.rpartition(".")[0]
    return f".. py:currentmodule:: {home}\n\n{api.module_doc(module)}\n\n"


def description(entry: api.Entry) -> str:
    """The autodoc directive for one name."""
    if entry.kind == "data":
        return f".. autodata:: {entry.path}\n\n   {entry.doc}\n\n"
    if entry.kind == "func":
        return f".. autofunction:: {entry.path}\n\n"
    members = "" if entry.kind == "tuple" else "   :members:\n"
    return f".. autoclass:: {entry.path}\n{members}\n"


def summary(module: str, entries: list[api.Entry]) -> str:
    """A list: each name as a link, with the first paragraph of its docstring."""
    lines = [f"- :py:obj:`~{entry.path}`: {entry.summary}" for entry in entries]
    return "\n".join([f".. py:currentmodule:: {module}", "", *lines])


def signature_as_written(
    _app: Sphinx, what: str, _name: str, thing: Any, _options: Any, signature: str | None, _returns: str | None
) -> tuple[str, str | None] | None:
    """The types as the source has them: evaluated, ``ArrayLike`` alone would fill the screen of a phone.

    Only our own names for longer types are written out, since no page describes them.
    """
    if signature is None or what not in ("function", "method", "class"):
        return None
    if what == "class" and getattr(thing.__init__, "__module__", "").startswith("torch"):
        return "()", None  # torch.nn.Module takes anything
    written = inspect.signature(thing)
    aliases = api.type_aliases(thing.__module__)
    parameters = [
        each.replace(annotation=_without(aliases, each.annotation))
        for each in written.parameters.values()
        if each.name != "self"
    ]
    written = written.replace(parameters=parameters)
    returns = _without(aliases, written.return_annotation)
    shown = stringify_signature(written, show_return_annotation=False)
    return shown, returns if isinstance(returns, str) and what != "class" else None


def data_is_no_type(_app: Sphinx, what: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """Drop what autodoc says of a constant, the docstring of its type; `description` has written the constant's own."""
    if what == "data":
        lines.clear()


def _without(aliases: dict[str, str], annotation: Any) -> Any:
    annotation = getattr(annotation, "__forward_arg__", annotation)
    while isinstance(annotation, str) and (used := set(re.findall(r"[\w.]+", annotation)) & set(aliases)):
        for name in used:
            annotation = re.sub(rf"(?<![\w.]){name}\b", aliases[name], annotation)
    return annotation


def name_from_further_out(
    _app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element
) -> nodes.Node | None:
    """Let a docstring name things from the packages around its own, and the hooks that a method has from its base."""
    if node.get("refdomain") != "py":
        return None
    target, python = node["reftarget"], env.get_domain("py")
    parts = (node.get("py:module") or "").split(".")
    around = [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
    for place in (*around, HOOKS):
        if (name := f"{place}.{target}") in python.objects:
            return python.resolve_xref(env, node["refdoc"], env.app.builder, "obj", name, node, content)
    return None
