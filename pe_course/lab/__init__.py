"""Train short, test long: the experiments of the field in miniature, on one CPU thread.

`run` is the unit: a configuration in, its results out. ``sweep`` runs many and keeps each as a row; `stored` reads the
rows that come with the package and needs neither torch nor the extra ``lab``.
"""

from importlib import import_module

from pe_course._extras import needs

_HOMES = {
    "Config": "config",
    "ResultsError": "results",
    "ResultsFile": "results",
    "run": "experiment",
    "select": "results",
    "stored": "results",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str):
    if name == "run":
        needs("torch", "lab")
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
