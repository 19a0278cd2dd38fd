"""The oracle: one NumPy function per formula, in float64, without state or cache.

One module per family: ``positions``, ``absolute``, ``relative``, ``bias``, ``rotary``, ``scaling``,
``attention``.
"""

from importlib import import_module

_FAMILIES = ("absolute", "attention", "bias", "positions", "relative", "rotary", "scaling")

__all__ = [*_FAMILIES]


def __getattr__(name: str):
    if name in _FAMILIES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
