"""The directive ``{lecture-map}``: every item of the notes that the course began with, and the sections that cover it.

The map is ``book/lecture_map.yml``: for each set of notes its items, each with a few words of ours (``says``), the
places that cover it (``at``, as ``PAGE#ANCHOR``) and the claims of the ledger that it makes (``claims``). What an
anchor may be: `tools.site.anchors`. A place that no page has fails the build. The self-tests of an item say themselves
that they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from pe_course.exercises import exercises
from tools.plain.labels import Labels
from tools.settings import Settings
from tools.site.anchors import Page

FILE = "lecture_map.yml"
# How many items each set of notes has; they are numbered from 1.
SIZES = {"S1": 20, "S2": 29, "S3": 71}


@dataclass(frozen=True)
class Item:
    """One item of a set of notes, such as S1-01."""

    id: str
    says: str
    at: tuple[str, ...]
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Notes:
    """One set of notes."""

    id: str
    title: str
    about: str
    items: tuple[Item, ...]


@dataclass
class Places:
    """What the places of the map are called, read from the pages that they name."""

    settings: Settings
    labels: Labels
    pages: dict[str, tuple[Page, dict[str, str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> Places:
        return cls(settings, Labels.of_book(settings))

    def words(self, place: str) -> str:
        """The page and the section, as a link says them. Raises: LookupError if there is no such place."""
        name, _, anchor = place.partition("#")
        page, anchors = self._page(name)
        if anchor not in anchors:
            raise LookupError(f"page {name!r} has no anchor {anchor!r}")
        section = anchors[anchor]
        return page.title if section in ("", page.sections[0].title) else f"{page.title}: {section}"

    def _page(self, name: str) -> tuple[Page, dict[str, str]]:
        if name not in self.pages:
            page = Page(self.settings.book / f"{name}.md", self.settings)
            if not page.path.is_file():
                raise LookupError(f"there is no page {name!r}")
            self.pages[name] = page, page.anchors(self.labels)
        return self.pages[name]


def read(file: Path) -> list[Notes]:
    """The map as it is written. Raises: KeyError, TypeError if a part is missing."""
    written = yaml.safe_load(file.read_text(encoding="utf-8"))
    return [
        Notes(
            name,
            notes["title"],
            notes["about"],
            tuple(
                Item(item_id, item["says"], tuple(item["at"]), tuple(item.get("claims", ())))
                for item_id, item in notes["items"].items()
            ),
        )
        for name, notes in written.items()
    ]


def faults(notes: list[Notes], places: Places) -> list[str]:
    """What is wrong with the map: items that are missing or unknown, and places that no page has."""
    wanted = [f"{name}-{number:02d}" for name, size in SIZES.items() for number in range(1, size + 1)]
    items = [item for each in notes for item in each.items]
    found = [item.id for item in items]
    wrong = [f"{each} is missing" for each in wanted if each not in found]
    wrong += [f"{each} is no item of the notes" for each in found if each not in wanted]
    for item in items:
        if not item.at:
            wrong.append(f"{item.id} has no place")
        for place in item.at:
            try:
                places.words(place)
            except LookupError as problem:
                wrong.append(f"{item.id}: {problem.args[0]}")
    return wrong


class LectureMapDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        settings = Settings(Path(self.env.srcdir))
        for file in (settings.book / FILE, *settings.chapters()):
            self.env.note_dependency(str(file))
        notes, places = read(settings.book / FILE), Places.of(settings)
        wrong = faults(notes, places)
        pages = {place.partition("#")[0] for each in notes for item in each.items for place in item.at}
        wrong += [f"page {name!r} is not in the table of contents" for name in sorted(pages) if not self._built(name)]
        if wrong:
            raise self.error(f"{FILE}: " + "; ".join(wrong))
        return [nodes.raw("", as_html(notes, places, self._address), format="html")]

    def _built(self, name: str) -> bool:
        return f"book/{name}" in self.env.found_docs

    def _address(self, place: str) -> str:
        name, _, anchor = place.partition("#")
        return f"{self.env.app.builder.get_relative_uri(self.env.docname, f'book/{name}')}#{anchor}"


def as_html(notes: list[Notes], places: Places, address: Callable[[str], str]) -> str:
    """All sets of notes, below a filter that the script fills with life. ``address``: the link to a place."""
    count = sum(len(each.items) for each in notes)
    tables = "\n".join(_table(each, places, address) for each in notes)
    return f'<div class="lecture-map">\n{_filter(count)}\n{tables}\n</div>\n'


def _filter(count: int) -> str:
    """Hidden until the script runs: without it nothing would listen."""
    return f"""<form class="ledger-filter" hidden>
<label class="ledger-field">Words
<input type="search" name="words" autocomplete="off" placeholder="library, S3-55 …"></label>
<p class="ledger-result"><span role="status">{count} of {count} items</span>
<button type="reset">Show all</button></p>
</form>"""


def _table(notes: Notes, places: Places, address: Callable[[str], str]) -> str:
    rows = "\n".join(_row(item, places, address) for item in notes.items)
    return f"""<section class="lecture-notes">
<h3 id="{notes.id}">{notes.id}. {escape(notes.title)}</h3>
<p>{escape(notes.about)}</p>
<table aria-labelledby="{notes.id}">
<thead><tr><th scope="col">Item</th><th scope="col">What it is about</th><th scope="col">Where</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</section>"""


def _row(item: Item, places: Places, address: Callable[[str], str]) -> str:
    links = "".join(f"<li>{_link(address(place), places.words(place))}</li>" for place in item.at)
    links += "".join(
        f"<li>Self-test: {_link(address(f'{each.chapter}#self-test-{each.id}'), each.title)}</li>"
        for each in exercises(lecture=item.id)
    )
    claims = ", ".join(_link(address(f"ledger#{claim}"), claim) for claim in item.claims)
    remark = f' <span class="lecture-claims">{claims}</span>' if claims else ""
    return (
        f'<tr id="{item.id}"><th scope="row"><a href="#{item.id}">{item.id}</a></th>'
        f"<td>{escape(item.says)}{remark}</td><td><ul>{links}</ul></td></tr>"
    )


def _link(address: str, words: str) -> str:
    return f'<a class="reference internal" href="{escape(address)}">{escape(words)}</a>'


def setup(app: Sphinx) -> None:
    app.add_directive("lecture-map", LectureMapDirective)
