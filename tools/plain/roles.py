"""Inline roles such as {ref}`label` as plain links and HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pybtex.database import Entry

from pe_course.claims import ledger
from tools.plain.errors import PlainError
from tools.plain.labels import Target
from tools.plain.source import split_named_target

if TYPE_CHECKING:
    from tools.plain.render import PageWriter

Role = Callable[["PageWriter", str], str]


def _ref(page: PageWriter, content: str) -> str:
    text, label = split_named_target(content)
    target = page.labels.find(label)
    says = text or target.says
    if says is None:
        raise PlainError(f"{{ref}}`{label}` needs words of its own: {{ref}}`words <{label}>`")
    return page.link(says, target)


def _doc(page: PageWriter, content: str) -> str:
    text, name = split_named_target(content)
    stem = name.strip("/").split("/")[-1].removesuffix(".md")
    return page.link(text or page.labels.title(stem), Target(page.settings.book / f"{stem}.md", "", None))


def _term(page: PageWriter, content: str) -> str:
    text, term = split_named_target(content)
    return page.link(text or term, page.labels.find_term(term))


def _eq(page: PageWriter, content: str) -> str:
    target = page.labels.find_equation(content)
    return page.link(target.says or "", target)


def _claim(page: PageWriter, content: str) -> str:
    text, claim_id = split_named_target(content)
    if claim_id not in ledger.claims():
        raise PlainError(f"unknown claim {claim_id!r}")
    return page.link(text or claim_id, Target(page.settings.book / "ledger.md", claim_id, None))


def _cite_parenthetical(page: PageWriter, content: str) -> str:
    entries = [page.labels.find_reference(key.strip()) for key in content.split(",")]
    return "(" + "; ".join(_reference(entry, named_by(entry)) for entry in entries) + ")"


def _cite_textual(page: PageWriter, content: str) -> str:
    entries = [page.labels.find_reference(key.strip()) for key in content.split(",")]
    return ", ".join(_reference(entry, f"{_authors(entry)} ({_year(entry)})") for entry in entries)


def _func(page: PageWriter, content: str) -> str:
    return _api_link(page, content, page.labels.find_function, "()")


def _class(page: PageWriter, content: str) -> str:
    return _api_link(page, content, page.labels.find_class, "")


def _data(page: PageWriter, content: str) -> str:
    return _api_link(page, content, page.labels.find_data, "")


def _api_link(page: PageWriter, content: str, find: Callable[[str], Target], after: str) -> str:
    """A link to an entry of the API reference; as in Sphinx, ``~`` leaves all but the last part of its path away."""
    text, path = split_named_target(content)
    short, path = path.startswith("~"), path.removeprefix("~")
    says = text or f"{path.rpartition('.')[2] if short else path}{after}"
    return page.link(f"`{says}`", find(path))


def _source(page: PageWriter, content: str) -> str:
    text, path = split_named_target(content)
    try:
        return f"[{text or f'`{path}`'}]({page.settings.source_url(path)})"
    except LookupError as problem:
        raise PlainError(str(problem)) from None


def _html(tag: str) -> Role:
    return lambda page, content: f"<{tag}>{content}</{tag}>"


ROLES: dict[str, Role] = {
    "ref": _ref,
    "doc": _doc,
    "term": _term,
    "eq": _eq,
    "claim": _claim,
    "math": lambda page, content: f"${content}$",
    "cite": _cite_parenthetical,
    "cite:p": _cite_parenthetical,
    "cite:t": _cite_textual,
    "func": _func,
    "class": _class,
    "data": _data,
    "source": _source,
    "kbd": _html("kbd"),
    "sub": _html("sub"),
    "sup": _html("sup"),
}


def render_role(page: PageWriter, name: str, content: str) -> str:
    """Plain Markdown for one role. Raises: PlainError if role or target is unknown."""
    if name not in ROLES:
        raise PlainError(f"unknown role {{{name}}}")
    return ROLES[name](page, content)


def reference_url(entry: Entry) -> str | None:
    """Where a work can be read: its arXiv page, its DOI, or the address given."""
    fields = entry.fields
    if "eprint" in fields:
        return f"https://arxiv.org/abs/{fields['eprint']}"
    if "doi" in fields:
        return f"https://doi.org/{fields['doi']}"
    return fields.get("url")


def named_by(entry: Entry) -> str:
    """Authors and year, as in a citation."""
    return f"{_authors(entry)}, {_year(entry)}"


def _reference(entry: Entry, text: str) -> str:
    url = reference_url(entry)
    return f"[{text}]({url})" if url else text


def _authors(entry: Entry) -> str:
    names = [" ".join(person.prelast_names + person.last_names).strip("{}") for person in entry.persons["author"]]
    if len(names) > 2:
        return f"{names[0]} et al."
    return " and ".join(names)


def _year(entry: Entry) -> str:
    return entry.fields.get("year", "n.d.")
