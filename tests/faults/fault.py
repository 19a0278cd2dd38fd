"""A deliberate fault, and the test that must notice it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

FAMILIES = (
    "absolute",
    "attention",
    "bias",
    "positions",
    "relative",
    "rotary",
    "scaling",
    "nn",
    "nn_absolute",
    "nn_attention",
    "nn_bias",
    "nn_relative",
    "nn_rotary",
    "nn_scaling",
)


@dataclass(frozen=True)
class Fault:
    """Replaces ``target`` ("package.module:attribute" or "package.module:Class.method") for one test.

    ``broken`` receives the right function and returns the wrong one. ``caught_by`` is a test
    function, called with ``arguments``; it must raise. Tests therefore reach the function through its
    module (``bias.alibi_slopes``), so that they see the replacement.
    """

    method: str
    what: str
    target: str
    broken: Callable[[Callable[..., Any]], Callable[..., Any]]
    caught_by: Callable[..., None]
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.method}: {self.what} -> {self.caught_by.__name__}".replace(" ", "_")

    def owner_and_attribute(self) -> tuple[Any, str]:
        module_name, _, path = self.target.partition(":")
        *parents, attribute = path.split(".")
        owner = import_module(module_name)
        for parent in parents:
            owner = getattr(owner, parent)
        return owner, attribute


def all_faults() -> list[Fault]:
    """The faults of every family, from the modules ``faults_<family>.py``."""
    found = []
    for family in FAMILIES:
        found += import_module(f"faults.faults_{family}").FAULTS
    return found
