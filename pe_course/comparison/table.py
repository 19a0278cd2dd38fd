"""The comparison: one row per method, every cell measured, counted, or named after who measured it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from html import escape
from textwrap import wrap
from typing import Any

from pe_course import models
from pe_course.comparison import probes
from pe_course.comparison.cases import CASES
from pe_course.lab import stored
from pe_course.lab.show import by_length, complete, learned

COLUMNS = {
    "method": "method",
    "enters": "enters at",
    "kind": "kind",
    "direction": "before ≠ after",
    "numbers": "learned numbers",
    "work": "work for n tokens",
    "keys": "cached keys",
    "longer": "loss at L, 4L, 16L",
    "used_by": "used by",
}
GROUPS = {"": "Nowhere", probes.INPUT: "At the input", probes.QUERY_KEY: "At the query and key"}
GROUPS |= {probes.QUERY: "At the query alone", probes.SCORE: "At the score"}
TESTED = (1, 4, 16)
NOT_MEASURED = "not measured here"
_NAMED = 2


@dataclass(frozen=True)
class Row:
    """The cells of one method as text; ``name`` is for `pe_course.nn.build`, ``group`` out of `GROUPS`."""

    name: str
    group: str
    method: str
    enters: str
    kind: str
    direction: str
    numbers: str
    work: str
    keys: str
    longer: str
    used_by: str

    @property
    def cells(self) -> tuple[str, ...]:
        return astuple(self)[2:]


assert [each.name for each in fields(Row)][2:] == list(COLUMNS)


@cache
def rows() -> tuple[Row, ...]:
    """All methods, in the order of the places where order enters."""
    return tuple(_row(name) for name in CASES)


def _row(name: str) -> Row:
    entries = probes.entries(name)
    direction = "" if not entries else probes.before_and_after(name)
    return Row(
        name=name,
        group=entries[0] if entries else "",
        method=CASES[name].label,
        enters="; ".join(entries) or "—",
        kind=_kind(name, entries),
        direction=direction or "no",
        numbers=f"{probes.learned_numbers(name):,}",
        work=work_in_words(probes.work(name)),
        keys="stay" if probes.keeps_keys(name) else "change",
        longer=longer_texts(name),
        used_by=used_by(name),
    )


def _kind(name: str, entries: Sequence[str]) -> str:
    if not entries:
        return "—"
    return "relative" if probes.is_relative(name) else "absolute"


def work_in_words(work: probes.Work) -> str:
    """Such as "1,536 n" or "12 n², products × 2.0"."""
    parts = []
    if work.per_token:
        parts.append(f"{work.per_token:,} n" + (", once" if work.once else ""))
    if work.per_pair:
        parts.append(f"{work.per_pair} n²" + (" by sentence" if work.by_sentence else ""))
    if work.products >= 0.05:
        parts.append(f"products × {work.products:.1f}")
    return "; ".join(parts) or "0"


def longer_texts(name: str) -> str:
    """Loss at `TESTED` multiples of the training length in the lab's text runs, or who else measured it.

    "*": the model was trained with plain RoPE, and changed when it was tested. A method that fell short of nine tenths
    of the optimum at the training length is called "not learned".
    """
    case = CASES[name]
    if case.lab is None:
        return case.elsewhere or NOT_MEASURED
    method, variant = case.lab
    found = _text_runs().get(method)
    if not found:
        return NOT_MEASURED
    if not learned(found):
        return "not learned"
    losses = by_length(found, variant=variant)
    length = found[0]["config"]["length"]
    text = " → ".join(f"{losses[multiple * length][0]:.2f}" for multiple in TESTED)
    return text + ("*" if variant else "")


@cache
def _text_runs() -> dict[str, list[dict[str, Any]]]:
    """The runs of 500 steps on text, of methods of which all seeds are done."""
    return complete(stored("text"))


def used_by(name: str) -> str:
    """Two models of `pe_course.models`, and how many more; those that are not known from their maker carry a "*"."""
    found = [each for each in models.models(method=name) if name != "rope" or each.methods[0] == "rope"]
    found.sort(key=lambda each: not each.from_maker)
    named = [each.model.split(" (")[0] + ("" if each.from_maker else "*") for each in found[:_NAMED]]
    more = len(found) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "") if named else "none in the table"


@dataclass(frozen=True)
class Comparison:
    """The rows as a table: HTML that scrolls in its own box on a page, lines of text elsewhere."""

    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        lines = []
        for row in self.rows:
            named = zip(list(COLUMNS.values())[1:], row.cells[1:], strict=True)
            facts = "; ".join(f"{heading}: {cell}" for heading, cell in named)
            lines += [f"{row.method} ({row.name})", *wrap(facts, 100, initial_indent="  ", subsequent_indent="  ")]
        return "\n".join(lines)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return {"text/html": self.as_html(), "text/plain": repr(self)}

    def as_html(self) -> str:
        """The table in a box that scrolls sideways, one body per place where order enters."""
        head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in COLUMNS.values())
        bodies = "".join(_body(group, [row for row in self.rows if row.group == group]) for group in GROUPS)
        return (
            '<div class="comparison" role="region" tabindex="0" aria-label="Comparison of all methods" '
            'style="overflow-x:auto;max-width:100%">'
            f'<table style="min-width:64em;font-size:0.8em"><thead><tr>{head}</tr></thead>{bodies}</table></div>'
        )


def _body(group: str, found: Sequence[Row]) -> str:
    if not found:
        return ""
    lines = "".join(_line(row) for row in found)
    title = f'<tr><th scope="rowgroup" colspan="{len(COLUMNS)}"><span>{GROUPS[group]}</span></th></tr>'
    return f"<tbody>{title}{lines}</tbody>"


def _line(row: Row) -> str:
    cells = "".join(f"<td>{escape(cell)}</td>" for cell in row.cells[1:])
    name = escape(row.name).replace("_", "_<wbr>")  # where a narrow column may break it
    return f'<tr><th scope="row">{escape(row.method)}<br><code>{name}</code></th>{cells}</tr>'


def comparison(*groups: str) -> Comparison:
    """The table of all methods, or of those that enter at some of `GROUPS`. Raises: ValueError for another group."""
    unknown = sorted(set(groups) - set(GROUPS))
    if unknown:
        raise ValueError(f"groups must be out of {', '.join(map(repr, GROUPS))}; got {unknown[0]!r}")
    return Comparison(tuple(row for row in rows() if not groups or row.group in groups))
