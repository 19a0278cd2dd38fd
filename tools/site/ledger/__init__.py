"""The ledger of claims as a page, and links to its entries.

- ``{ledger}`` renders every claim (`page`), with the code of its check (`check_code`) and the pages that treat it
  (`mentions`);
- ``{claim}`L-094``` links to an entry; ``{claim}`words <L-094>``` does so with words of your own. The first link to a
  claim in a page is also the place (``#claim-L-094``) to which the ledger leads back.

**Where the numbers come from.** The checks run while the page is written, all of them in about a second. The outputs of
chapters are stored in notebooks because some cells take long, and because a reader wants them in Colab; the ledger has
neither reason. So it holds no copy of a number that could grow old: what it shows is what the code beside it computes,
and a check that fails stops the build. The build stays deterministic because checks are: they are seeded, they read
the lab's stored rows and train nothing, and the page shows eight digits of each value and no rounding errors
(`page.number`), where machines differ in the sixteenth.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole, SphinxDirective
from sphinx.util.nodes import make_refnode

import pe_course
from pe_course.claims import ledger
from tools.settings import Settings
from tools.site.ledger import page
from tools.site.ledger.mentions import mentions_in

PAGE = "book/ledger"
_PACKAGE = Path(pe_course.__file__).parent
_log = logging.getLogger(__name__)


class LedgerNode(nodes.General, nodes.Element):
    """Stands for the ledger until all pages are read, whose links it then holds."""


class LedgerDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        if self.env.docname != PAGE:
            raise self.error(f"the ledger belongs to {PAGE}: links to claims lead there")
        for file in _depends_on(Settings(Path(self.env.srcdir))):
            self.env.note_dependency(str(file))
        return [LedgerNode()]


class ClaimRole(ReferenceRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if self.target not in ledger.claims():
            message = self.inliner.reporter.error(f"unknown claim {self.target!r}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        node = pending_xref(refdomain="", reftype="claim", reftarget=self.target, refdoc=self.env.docname, refwarn=True)
        self.set_source_info(node)
        linked: set[str] = self.env.temp_data.setdefault("claims linked", set())
        if self.target not in linked:
            linked.add(self.target)
            node["ids"].append(f"claim-{self.target}")
        node += nodes.inline(self.rawtext, self.title, classes=["claim-link"])
        return [node], []


def setup(app: Sphinx) -> None:
    app.add_node(LedgerNode)
    app.add_directive("ledger", LedgerDirective)
    app.add_role("claim", ClaimRole())
    app.connect("missing-reference", link_to_claim)
    app.connect("doctree-resolved", write_ledger)


def link_to_claim(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element
) -> nodes.reference | None:
    """The link of a role; None, a warning of Sphinx, in a book without the ledger's page."""
    if node.get("reftype") != "claim" or PAGE not in env.found_docs:
        return None
    link = make_refnode(app.builder, node["refdoc"], PAGE, node["reftarget"], content)
    link["ids"] = node["ids"]
    return link


def write_ledger(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(LedgerNode)):
        entries = [page.Entry.of(outcome) for outcome in ledger.outcomes()]
        for entry in entries:
            if not entry.outcome.passed:
                why = entry.outcome.problem or f"it measured {entry.outcome.measured}"
                _log.warning("the check of %s fails: %s", entry.claim.id, why)
        sources = page.Sources.of(Settings(Path(app.srcdir)).bibliography)
        html = page.as_html(entries, sources, _treated(app, docname))
        node.replace_self(nodes.raw("", html, format="html"))


def _treated(app: Sphinx, docname: str) -> dict[str, list[page.Link]]:
    """For each claim the pages that speak of it, those that correct it first."""
    found: dict[str, list[page.Link]] = {}
    for name in sorted(app.env.found_docs - {docname}):
        source = Path(app.env.doc2path(name))
        if source.suffix != ".md":
            continue
        for mention in mentions_in(source.read_text(encoding="utf-8")):
            url = app.builder.get_relative_uri(docname, name) + (f"#{mention.anchor}" if mention.anchor else "")
            link = page.Link(app.env.titles[name].astext(), url, mention.corrected)
            found.setdefault(mention.claim_id, []).append(link)
    return {claim_id: sorted(links, key=lambda link: not link.corrects) for claim_id, links in found.items()}


def _depends_on(settings: Settings) -> list[Path]:
    """What the page shows: the package, what the lab stored, the chapters, the bibliography."""
    package = [path for ending in ("*.py", "*.jsonl") for path in _PACKAGE.rglob(ending)]
    return [*sorted(package), *settings.chapters(), *settings.bibliography]
