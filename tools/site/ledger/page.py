"""The HTML of the ledger: counts, a filter that the script fills with life, and one article per claim."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from pybtex.database import Entry as Work
from pybtex.database import parse_file
from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, String

from pe_course.claims import ledger
from pe_course.claims.claim import VERDICTS, Claim
from tools.plain.roles import named_by, reference_url
from tools.site.ledger.check_code import check_code

FAMILY_NAMES = {
    "attention": "Attention and order",
    "absolute": "Absolute positions",
    "relative": "Relative vectors",
    "bias": "Biases on the score",
    "rotary": "Rotary positions",
    "scaling": "Longer texts",
    "worked_example": "The three-word example",
    "practice": "Practice and history",
}
DIGITS = 8
# Sizes that only rounding leaves over, another one on each machine. Smaller numbers are meant: e^−100 is 4e-44.
ROUNDING = (1e-20, 1e-12)
# What is coloured in the code: few kinds, so that a phone has few nodes to lay out.
_COLOURED = {Keyword: "k", String: "s", Comment: "c1"}


class Link(NamedTuple):
    text: str
    url: str
    corrects: bool = False


@dataclass(frozen=True)
class Entry:
    """A claim with the outcome of its check and its family."""

    claim: Claim
    outcome: ledger.Outcome
    family: str

    @classmethod
    def of(cls, outcome: ledger.Outcome) -> Entry:
        return cls(ledger.claim(outcome.id), outcome, _families()[outcome.id])


@dataclass(frozen=True)
class Sources:
    """The works of the bibliography as links: authors and year, to arXiv, DOI or address."""

    works: dict[str, Work]

    @classmethod
    def of(cls, files: Sequence[Path]) -> Sources:
        return cls({key: work for file in files for key, work in parse_file(str(file)).entries.items()})

    def link(self, key: str) -> str:
        """Raises: KeyError for a key that the bibliography lacks."""
        work = self.works[key]
        url, text = reference_url(work), escape(named_by(work))
        return f'<a class="reference external" href="{escape(url)}">{text}</a>' if url else f"<span>{text}</span>"


def as_html(entries: Sequence[Entry], sources: Sources, treated: dict[str, list[Link]]) -> str:
    """The whole ledger. ``treated``: the pages that speak of a claim, by its id."""
    articles = "\n".join(_article(entry, sources, treated.get(entry.claim.id, [])) for entry in entries)
    return f'<div class="ledger">\n{_counts(entries)}\n{_filter(entries)}\n{articles}\n</div>\n'


def _counts(entries: Sequence[Entry]) -> str:
    """How many claims of each verdict, by family."""
    by_verdict = Counter(entry.claim.verdict for entry in entries)
    by_both = Counter((entry.family, entry.claim.verdict) for entry in entries)
    checked = sum(entry.claim.measure is not None for entry in entries)
    head = "".join(f'<th scope="col">{verdict}</th>' for verdict in VERDICTS)
    rows = [
        (name, [by_both[family, verdict] for verdict in VERDICTS])
        for family, name in FAMILY_NAMES.items()
        if any(by_both[family, verdict] for verdict in VERDICTS)
    ]
    body = "\n".join(_count_row(name, counts) for name, counts in rows)
    total = _count_row("All", [by_verdict[verdict] for verdict in VERDICTS])
    return (
        f'<p class="ledger-total"><strong>{len(entries)} claims:</strong> '
        + ", ".join(f"{by_verdict[verdict]} {verdict}" for verdict in VERDICTS)
        + f". {checked} are decided by running code, {len(entries) - checked} by their sources alone.</p>\n"
        f'<table class="ledger-counts"><thead><tr><td></td>{head}<th scope="col">all</th></tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n<tfoot>\n{total}\n</tfoot></table>"
    )


def _count_row(name: str, counts: list[int]) -> str:
    cells = "".join(f"<td>{count}</td>" for count in [*counts, sum(counts)])
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'


def _filter(entries: Sequence[Entry]) -> str:
    """Hidden until the script runs: without it nothing would listen."""
    present = {entry.family for entry in entries}
    boxes = "\n".join(
        f'<label><input type="checkbox" name="verdict" value="{verdict}" checked> {verdict}</label>'
        for verdict in VERDICTS
    )
    families = "\n".join(
        f'<option value="{family}">{name}</option>' for family, name in FAMILY_NAMES.items() if family in present
    )
    return f"""<form class="ledger-filter" hidden>
<fieldset><legend>Verdict</legend>
{boxes}
</fieldset>
<label class="ledger-field">Family <select name="family"><option value="">all families</option>
{families}
</select></label>
<label class="ledger-field">Words
<input type="search" name="words" autocomplete="off" placeholder="decay, L-094 …"></label>
<p class="ledger-result"><span role="status">{len(entries)} of {len(entries)} claims</span>
<button type="reset">Show all</button></p>
</form>"""


def _article(entry: Entry, sources: Sources, pages: list[Link]) -> str:
    claim = entry.claim
    parts = [
        f'<article class="ledger-claim" id="{claim.id}" data-verdict="{claim.verdict}" data-family="{entry.family}">',
        f'<h3><a href="#{claim.id}">{claim.id}</a> <span class="ledger-verdict">{claim.verdict}</span> '
        f'<span class="ledger-family">{FAMILY_NAMES[entry.family]}</span></h3>',
        f'<p class="ledger-says"><span class="ledger-label">The claim.</span> {prose(claim.claim)}</p>',
        f'<p class="ledger-holds"><strong>What holds.</strong> {prose(entry.outcome.holds)}</p>',
        _check(entry),
        _remarks(entry, sources, pages),
        "</article>",
    ]
    return "\n".join(part for part in parts if part)


def _check(entry: Entry) -> str:
    """The measured values and the code, folded; or why there is none."""
    claim = entry.claim
    if claim.measure is None:
        return f'<p class="ledger-remark">Decided by its sources. {prose(claim.why_no_check)}</p>'
    values = "\n".join(
        f"<div><dt><code>{breakable(name)}</code></dt><dd>{escape(value_text(value))}</dd></div>"
        for name, value in entry.outcome.measured.items()
    )
    return (
        f"<details><summary>What was measured for {claim.id}, and the code</summary>\n"
        f"<dl>\n{values}\n</dl>\n"
        f'<div class="highlight"><pre>{coloured(check_code(claim))}</pre></div>\n</details>'
    )


def _remarks(entry: Entry, sources: Sources, pages: list[Link]) -> str:
    remarks = []
    if entry.claim.note:
        remarks.append(prose(entry.claim.note))
    if entry.claim.references:
        remarks.append("Sources: " + "; ".join(sources.link(key) for key in entry.claim.references) + ".")
    if pages:
        remarks.append("Read on: " + "; ".join(_page_link(link) for link in pages) + ".")
    return "\n".join(f'<p class="ledger-remark">{remark}</p>' for remark in remarks)


def _page_link(link: Link) -> str:
    place = " (correction)" if link.corrects else ""
    return f'<a class="reference internal" href="{escape(link.url)}">{escape(link.text)}</a>{place}'


def prose(text: str) -> str:
    """A sentence of the ledger as HTML: *emphasis* and the ids of other claims, which become links."""
    html = re.sub(r"\*(\w[^*]*)\*", r"<em>\1</em>", escape(text, quote=False))
    return re.sub(r"\bL-\d{3}\b", lambda found: f'<a href="#{found[0]}">{found[0]}</a>', html)


def value_text(value: Any) -> str:
    """A measured value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(each) for each in value) + "]"
    return number(value) if isinstance(value, (int, float)) else str(value)


def number(value: float) -> str:
    """A whole number in full, another one to eight digits; what only rounding has left over is named as such."""
    if isinstance(value, int):
        text = f"{value:,}"
    elif ROUNDING[0] < abs(value) < ROUNDING[1]:
        text = "0 but for rounding"
    else:
        text = f"{value + 0.0:.{DIGITS}g}"  # + 0 turns −0 into 0
    return re.sub(r"^-", "−", text)


def breakable(name: str) -> str:
    """A long name that may be broken after each underscore."""
    return escape(name).replace("_", "_<wbr>")


def coloured(code: str) -> str:
    """Python with the classes of the site's own style for code."""
    runs = groupby(PythonLexer().get_tokens(code), key=lambda token: _css_class(token[0]))
    return "".join(_span(name, "".join(text for _, text in tokens)) for name, tokens in runs).rstrip()


def _css_class(kind: Any) -> str:
    return next((name for parent, name in _COLOURED.items() if kind in parent), "")


def _span(name: str, text: str) -> str:
    html = escape(text, quote=False)
    return f'<span class="{name}">{html}</span>' if name and text.strip() else html


@cache
def _families() -> dict[str, str]:
    return {entry.id: family for family in ledger.FAMILIES for entry in ledger.family_claims(family)}
