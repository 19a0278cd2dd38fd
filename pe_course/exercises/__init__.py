"""Self-tests that know the mistake: one definition for the page, the notebook and the tests.

``check(id, answer)`` grades, ``hint(id)`` gives the next hint, ``solution(id)`` the model answer, and
``exercises()`` lists them all. Pure Python: neither NumPy nor torch is needed.
"""

from importlib import import_module

_NAMES = {
    "check": "notebook",
    "hint": "notebook",
    "solution": "notebook",
    "exercises": "notebook",
    "Result": "result",
    "UnknownExercise": "registry",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str):
    if name in _NAMES:
        return getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
