"""The self-tests, one module per subject: a new module is named here, and its exercises are in the course."""

from importlib import import_module
from importlib.util import find_spec

MODULES = (
    "absolute",
    "rotary",
    "bias",
    "relative",
    "scaling",
    "positions",
    "attention",
    "debugging",
    "lecture",
    "interview",
    "misconceptions",
    "by_hand",
)

for _name in MODULES:
    if find_spec(f"{__name__}.{_name}") is not None:
        import_module(f"{__name__}.{_name}")
