"""Methods by name, so that chapters and experiments can loop over them."""

from __future__ import annotations

from collections.abc import Callable

from pe_course.nn.base import PositionMethod
from pe_course.reference.validation import one_of

_METHODS: dict[str, Callable[..., PositionMethod]] = {}


def register(name: str) -> Callable[[Callable[..., PositionMethod]], Callable[..., PositionMethod]]:
    """A decorator that enters a class or a builder under ``name``."""

    def enter(builder: Callable[..., PositionMethod]) -> Callable[..., PositionMethod]:
        if name in _METHODS:
            raise ValueError(f"method {name!r} is registered already")
        _METHODS[name] = builder
        return builder

    return enter


def methods() -> list[str]:
    """The names that `build` knows, in alphabetical order."""
    return sorted(_METHODS)


def build(name: str, **options) -> PositionMethod:
    """The method ``name`` with ``options`` as its class takes them.

    Raises
    ------
    ValueError
        That lists the names if ``name`` is unknown.
    TypeError
        If the method does not take an option.
    """
    return _METHODS[one_of("method", name, methods())](**options)


register("nope")(PositionMethod)
