"""Each page loads the scripts that it uses: mermaid for diagrams, MathJax for formulas, one per moving figure,
and the filters of the ledger and of the lecture's map, and what
answers self-tests."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# After every extension has added its scripts.
LAST = 950
FILTERED = ("ledger", "lecture-map", "models")
# In what a self-test says once it is answered.
FORMULA_TO_COME = re.compile(r'"message":"[^"]*\$[^"]+\$')
FIGURE = re.compile(r'data-figure="([a-z0-9-]+)"')


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", choose_scripts, priority=LAST)


def choose_scripts(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    body = context.get("body") or ""
    # Added first: the context's list is then replaced by a shorter one.
    for name in sorted(set(FIGURE.findall(body))):
        app.add_js_file(f"figures/{name}.js", loading_method="defer")
    for name in FILTERED:
        if f'class="{name}"' in body:
            app.add_js_file(f"site/{name}.js", loading_method="defer")
    if 'class="self-test"' in body:
        app.add_js_file("self-test/self-test.js", loading_method="defer")
    if 'class="reader-progress"' in body:
        app.add_js_file("self-test/progress.js", loading_method="defer")
    unwanted = []
    if 'class="mermaid' not in body:
        unwanted.append(_is_mermaid)
    if doctree is None or not ('class="math' in body or FORMULA_TO_COME.search(body)):
        unwanted.append(_is_mathjax)
    context["script_files"] = [
        script for script in context["script_files"] if not any(matches(script) for matches in unwanted)
    ]


def _is_mermaid(script: Any) -> bool:
    return "mermaid.initialize" in (getattr(script, "attributes", {}).get("body") or "")


def _is_mathjax(script: Any) -> bool:
    body = getattr(script, "attributes", {}).get("body") or ""
    return "mathjax" in str(getattr(script, "filename", "")) or body.startswith("window.MathJax")
