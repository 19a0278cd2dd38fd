"""The HTML of the table of models: a filter that the script fills with life, and one row per model.

A row says how it is known unless its maker says it, and a single value that is less sure than its row says so too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

from pe_course.models import KNOWN, PLACES, Model

SHORT = {
    "maker": "from the maker",
    "model class": "library's model class",
    "class default": "library default",
    "copy": "from copies",
    "partly": "partly read",
    "recalled": "not checked",
}
"""How a record is known, as a mark on its row; `pe_course.models.KNOWN` explains each."""

COLUMNS = ("Model", "Method", "Values", "Context", "Source")
_GITHUB = re.compile(
    r"(?P<repo>[\w.-]+/[\w.-]+) (?P<commit>[0-9a-f]{7,8}) (?P<path>[\w./-]+\.\w+)(?: L(?P<line>\d+)(?:-\d+)?)?"
)
_HUGGING_FACE = re.compile(r"huggingface\.co/[\w./-]+")
_ARXIV = re.compile(r"arXiv:(\d{4}\.\d{5})")


def as_html(models: Sequence[Model]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    rows = "\n".join(_row(model) for model in models)
    return (
        f'<div class="models">\n{_marks(models)}\n{_filter(models)}\n'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>\n"
    )


def anchor(model: Model) -> str:
    """The id of its row, such as "model-gpt-neox-20b"."""
    return "model-" + re.sub(r"[^a-z0-9]+", "-", model.model.lower()).strip("-")


def _marks(models: Sequence[Model]) -> str:
    """What each mark means, and on how many rows it stands."""
    counts = Counter(model.known for model in models)
    lines = "\n".join(
        f"<div><dt>{_mark(known)}</dt><dd>{escape(KNOWN[known])}: {counts[known]} of {len(models)} rows</dd></div>"
        for known in KNOWN
    )
    return f'<dl class="models-marks">\n{lines}\n</dl>'


def _mark(known: str) -> str:
    return f'<span class="models-known" data-known="{known}">{SHORT[known]}</span>'


def _filter(models: Sequence[Model]) -> str:
    """Hidden until the script runs: without it nothing would listen."""
    boxes = "\n".join(
        f'<label><input type="checkbox" name="known" value="{known}" checked> {SHORT[known]}</label>' for known in KNOWN
    )
    places = "\n".join(f'<option value="{place}">{words}</option>' for place, words in PLACES.items())
    names = sorted({name for model in models for name in model.methods})
    methods = "\n".join(f'<option value="{name}">{name}</option>' for name in names)
    return f"""<form class="ledger-filter" hidden>
<fieldset><legend>How it is known</legend>
{boxes}
</fieldset>
<label class="ledger-field">Order enters at <select name="place"><option value="">any place</option>
{places}
</select></label>
<label class="ledger-field">Method of the package <select name="method"><option value="">any method</option>
{methods}
</select></label>
<label class="ledger-field">Words
<input type="search" name="words" autocomplete="off" placeholder="Llama, 500000, YaRN …"></label>
<p class="ledger-result"><span role="status">{len(models)} of {len(models)} models</span>
<button type="reset">Show all</button></p>
</form>"""


def _row(model: Model) -> str:
    cells = (_method(model), _values(model), _context(model), _source(model))
    body = "".join(f'<td data-label="{name}">{cell}</td>' for name, cell in zip(COLUMNS[1:], cells, strict=True))
    return (
        f'<tr id="{anchor(model)}" data-known="{model.known}" data-places="{" ".join(model.places)}" '
        f'data-methods="{" ".join(model.methods)}">'
        f'<th scope="row">{escape(model.model)}<span class="models-maker">{model.year}, {escape(model.org)}</span>'
        f"{_mark(model.known)}</th>{body}</tr>"
    )


def _method(model: Model) -> str:
    where = " and ".join(PLACES[place] for place in model.places)
    note = f" ({escape(model.place_note)})" if model.place_note else ""
    return f'<p>{escape(model.method)}</p><p class="models-small">Order enters at: {where}{note}</p>'.replace(
        "enters at: nowhere", "enters: nowhere"
    )


def _values(model: Model) -> str:
    if not model.values:
        return "—"
    lines = (f"{escape(name)} {_value(value)}{_doubt(model, name)}" for name, value in model.values.items())
    return "<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>"


def _value(value: Any) -> str:
    return escape(f"{value:,}" if isinstance(value, int) and value >= 10000 else str(value))


def _context(model: Model) -> str:
    named = {"trained": "trained", "extended": "extended", "layout": "pairs"}
    lines = [
        f"{label}: {escape(getattr(model, name))}{_doubt(model, name)}"
        for name, label in named.items()
        if getattr(model, name)
    ]
    return "<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>" if lines else "—"


def _doubt(model: Model, name: str) -> str:
    doubt = model.doubt(name)
    return f' <em class="models-doubt">{SHORT[doubt]}</em>' if doubt else ""


def _source(model: Model) -> str:
    """Folded: a hundred sources in full make a phone's page endless. Filter and search read them all the same."""
    parts = [f"<p>{linked(model.source)}</p>"]
    if model.known_detail:
        parts.append(f'<p class="models-small">{escape(model.known_detail).capitalize()}.</p>')
    if model.note:
        parts.append(f'<p class="models-small">Note: {escape(model.note)}.</p>')
    summary = "Source and note" if model.note else "Source"
    return f'<details class="models-source"><summary>{summary}</summary>{"".join(parts)}</details>'


def linked(source: str) -> str:
    """A source as HTML, with links to files at a commit, to pages of Hugging Face and to arXiv."""
    html = escape(source, quote=False)
    html = _GITHUB.sub(_github, html)
    html = _HUGGING_FACE.sub(lambda found: _link(f"https://{found[0]}", found[0].removeprefix("huggingface.co/")), html)
    return _ARXIV.sub(lambda found: _link(f"https://arxiv.org/abs/{found[1]}", found[0]), html)


def _github(found: re.Match) -> str:
    line = f"#L{found['line']}" if found["line"] else ""
    return _link(f"https://github.com/{found['repo']}/blob/{found['commit']}/{found['path']}{line}", found[0])


def _link(url: str, text: str) -> str:
    return f'<a class="reference external" href="{url}">{text}</a>'
