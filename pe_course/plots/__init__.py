"""Every figure of the book: one module per family, each function returns what it drew and the pictures of it.

``theme`` defines colours once, ``figure`` draws a picture for the light and the dark page. Matplotlib is
loaded when the first figure is drawn, and never through pyplot: no figure changes a reader's own settings.
"""

from importlib import import_module

_MODULES = (
    "absolute",
    "alibi",
    "attention",
    "cells",
    "comparison",
    "continuous",
    "corrections",
    "extrapolation",
    "figure",
    "models",
    "notation",
    "pitfalls",
    "prerequisites",
    "relative",
    "rotary",
    "theme",
    "worked_example",
)

__all__ = [*_MODULES]


def __getattr__(name: str):
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
