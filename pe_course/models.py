"""What released models do about position: one record per model, each with its source and how far it was checked.

The records lie beside this file as ``models.json``, so that a notebook alone has them. This module needs nothing but
Python: no NumPy, no torch, no network.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

KNOWN = {
    "maker": "read in the maker's own code, configuration or conversion script",
    "model class": "read in the transformers class written for this one model; the released configuration was not read",
    "class default": "a default of the transformers class; the released configuration was not read",
    "copy": "from copies by others: litgpt, torchtune, mlx_lm, configurations of derived models, notes on a paper",
    "partly": "part of it was read, part comes from copies or was not checked",
    "recalled": "not checked at all",
}
"""How a record is known, the best first. Only the first is the maker's word for the released model."""

PLACES = {
    "input": "the input",
    "query-key": "the query and key",
    "score": "the score",
    "none": "nowhere",
}
"""Where order enters."""

_UNREAD = ("copy", "recalled")


@dataclass(frozen=True)
class Model:
    """A released model.

    Attributes:
        model, year, org, method: in words.
        methods: the names of `pe_course.nn.build` that come nearest, the most particular first.
        places: out of `PLACES`; ``place_note`` says more.
        values: base, table size, slopes and so on, as published.
        trained, extended: context in the words of the source; ``trained_tokens``, ``extended_tokens`` as numbers where
            there is a ``config``, the rotary part of a ``config.json`` for `pe_course.nn.rope_from_config`.
        layout: which channels form a pair.
        source: where it was read; ``known``: out of `KNOWN`, ``known_detail`` which part.
        unread: single values that are less sure than their record: name → "copy" or "recalled".
    """

    model: str
    year: int
    org: str
    method: str
    methods: tuple[str, ...]
    places: tuple[str, ...]
    source: str
    known: str
    values: Mapping[str, Any] = field(default_factory=dict)
    place_note: str = ""
    trained: str = ""
    extended: str = ""
    layout: str = ""
    known_detail: str = ""
    unread: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    config: Mapping[str, Any] | None = None
    trained_tokens: int | None = None
    extended_tokens: int | None = None

    @property
    def from_maker(self) -> bool:
        return self.known == "maker"

    def doubt(self, name: str) -> str:
        """Why the value called ``name`` is less sure than its record: "", "copy" or "recalled"."""
        return self.unread.get(name, "")

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Model:
        """Raises: ValueError that names what is unknown or out of place."""
        unknown = sorted(set(record) - {each.name for each in fields(cls)})
        if unknown:
            raise ValueError(f"a model has no field {unknown[0]!r}")
        name = record["model"]
        _one_of(f"known of {name}", record["known"], KNOWN)
        for place in record["places"]:
            _one_of(f"places of {name}", place, PLACES)
        for value, doubt in record.get("unread", {}).items():
            _one_of(f"unread[{value!r}] of {name}", doubt, _UNREAD)
            if value not in record.get("values", {}) and not record.get(value):
                raise ValueError(f"unread of {name} names {value!r}, which the record lacks")
        frozen = {key: MappingProxyType(dict(value)) for key, value in record.items() if isinstance(value, Mapping)}
        listed = {key: tuple(value) for key, value in record.items() if isinstance(value, list)}
        return cls(**{**record, **frozen, **listed})


@dataclass(frozen=True)
class Step:
    """A method's first publication: ``month`` ("2021-04", or a year) by its paper's number, ``work`` for a citation."""

    month: str
    what: str
    place: str
    work: str


def models(*, method: str | None = None, place: str | None = None, known: str | None = None) -> list[Model]:
    """The records by year, those alone that use a method (a name of `pe_course.nn.build`), a place, a way to know.

    Raises: ValueError for an unknown place or way.
    """
    if place is not None:
        _one_of("place", place, PLACES)
    if known is not None:
        _one_of("known", known, KNOWN)
    return [
        each
        for each in _data()[0]
        if (method is None or method in each.methods)
        and (place is None or place in each.places)
        and (known is None or each.known == known)
    ]


def model(name: str) -> Model:
    """The record of one model. Raises: TypeError if ``name`` is no text; ValueError with the names that contain it."""
    if not isinstance(name, str):
        raise TypeError(f"name must be the name of a model, got {name!r}")
    for each in _data()[0]:
        if each.model == name:
            return each
    near = [each.model for each in _data()[0] if name.lower() in each.model.lower()]
    raise ValueError(f"there is no model {name!r}" + (f"; there is {', '.join(near)}" if near else ""))


def timeline() -> list[Step]:
    """When each idea was first published, in order."""
    return list(_data()[1])


@cache
def _data() -> tuple[tuple[Model, ...], tuple[Step, ...]]:
    file = resources.files("pe_course") / "models.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    found = sorted((Model.from_record(record) for record in content["models"]), key=lambda each: each.year)
    return tuple(found), tuple(Step(**step) for step in content["timeline"])


def _one_of(name: str, value: str, options: Collection[str]) -> None:
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}")
