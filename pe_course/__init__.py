"""How Transformers know the order of their tokens: every positional method, as reference and as torch modules.

``import pe_course`` is cheap: rooms and names are loaded when they are first used, so that the
package can be imported where NumPy, torch or matplotlib are missing.
"""

from importlib import import_module

__version__ = "0.1.0"

_ROOMS = ("claims", "comparison", "kernels", "lab", "models", "nn", "plots", "reference")

_FROM_EXERCISES = ("check", "hint", "solution")

__all__ = ["__version__", *_FROM_EXERCISES, *_ROOMS]


def __getattr__(name: str):
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name in _FROM_EXERCISES:
        return getattr(import_module(f"{__name__}.exercises"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
