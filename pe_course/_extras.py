"""Packages that only some rooms need, and what to install where one is missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def needs(module: str, extra: str) -> ModuleType:
    """The module. Raises: ModuleNotFoundError that says what to install."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise ModuleNotFoundError(
            f"this part of pe_course needs {module}: pip install 'pe-course[{extra}]'", name=module
        ) from None
