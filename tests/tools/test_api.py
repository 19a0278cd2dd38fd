"""The API reference leaves nothing out: its pages against what the package offers when it is imported."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from types import ModuleType

import pytest

from pe_course import nn, reference
from tools import api
from tools.settings import Settings

API_BLOCK = re.compile(r"^```\{api\} (\S+)\n```$", re.MULTILINE)


def documented() -> list[str]:
    """The paths of all names that the pages of the reference describe, summaries left out."""
    text = "".join(page.read_text() for page in sorted(Settings().book.glob("api-*.md")))
    modules = [each for each in API_BLOCK.findall(text) if not api.is_package(each)]
    return [entry.path for module in modules for entry in api.entries(module)]


def offered(module: ModuleType) -> list[str]:
    """What ``from module import *`` brings, or the functions and classes that the module defines."""
    names = getattr(module, "__all__", None) or [
        name
        for name, thing in vars(module).items()
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and thing.__module__ == module.__name__
    ]
    return [f"{module.__name__}.{name}" for name in names if not name.startswith("_")]


def public_names() -> set[str]:
    """Of every family of the reference, of ``nn`` with its subpackages, and of the fast paths."""
    families = [importlib.import_module(f"pe_course.reference.{family}") for family in reference.__all__]
    found = {path for family in families for path in offered(family)} | set(offered(nn))
    for info in pkgutil.iter_modules(nn.__path__, f"{nn.__name__}."):
        if info.ispkg:
            package = importlib.import_module(info.name)
            found |= {path for path in offered(package) if path.rpartition(".")[2] not in nn.__all__}
    return found | {entry.path for entry in api.entries("pe_course.kernels")}


def test_every_public_name_is_described_once():
    paths = documented()
    assert set(paths) == public_names(), "give the module an {api} block in book/api-….md"
    assert len(paths) == len(set(paths))


def test_the_summary_lists_every_public_name():
    text = (Settings().book / "api.md").read_text()
    modules = re.findall(r"^```\{api\} (\S+)\n:summary:\n```$", text, re.MULTILINE)
    assert {entry.path for module in modules for entry in api.entries(module)} == public_names()


@pytest.mark.parametrize("path", sorted(public_names()))
def test_every_public_name_has_a_docstring(path: str):
    module, _, name = path.rpartition(".")
    found = {entry.name: entry for entry in api.entries(module)}
    assert found[name].summary, f"{path} has no docstring"
    if found[name].kind != "data":
        assert found[name].doc == inspect.getdoc(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize("path", sorted(public_names()))
def test_no_docstring_has_a_section_that_is_not_laid_out(path: str):
    """One form for all: a heading underlined with dashes, which napoleon reads and ``help()`` shows well."""
    module, _, name = path.rpartition(".")
    doc = next(entry.doc for entry in api.entries(module) if entry.name == name)
    assert re.findall(r"(?m)^\s*(?:Parameters|Args|Returns|Raises|Notes):.*$|\$[^$\n]+\$", doc) == []


def test_names_can_be_read_without_importing(tmp_path):
    package = tmp_path / "pe_course"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("import nowhere\n")
    (package / "inner" / "__init__.py").write_text('__all__ = ["LIMIT", "Pair", "shown"]\n')
    (package / "inner" / "code.py").write_text(
        'class Pair(NamedTuple):\n    """Two."""\n\n\ndef shown():\n    """Shown."""\n\n\n'
        'def hidden():\n    """Not listed."""\n\n\nLIMIT = 3\n"""How many."""\n'
    )
    (package / "alone.py").write_text('def free():\n    """Free.\n\n    More."""\n\n\ndef _private():\n    pass\n')
    inner, alone = (api.entries(f"pe_course.{name}", tmp_path) for name in ("inner", "alone"))
    assert [(each.path, each.kind, each.summary) for each in [*inner, *alone]] == [
        ("pe_course.inner.Pair", "tuple", "Two."),
        ("pe_course.inner.shown", "func", "Shown."),
        ("pe_course.inner.LIMIT", "data", "How many."),
        ("pe_course.alone.free", "func", "Free."),
    ]


def test_an_unknown_module_is_named():
    with pytest.raises(LookupError, match=r"there is no module 'pe_course\.refrence'"):
        api.entries("pe_course.refrence")


def test_names_for_types_are_found_where_they_are_imported_from():
    assert api.type_aliases("pe_course.reference.scaling.base")["FloatArray"] == "NDArray[np.float64]"
