"""What every moving figure consists of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MovingFigure:
    view_box: str  # of the SVG
    picture: str  # SVG inside it; colours come from the style sheet, per theme
    alt: str  # what the picture says, for those who do not see it
    numbers: str  # HTML: the same as text
    sentence: str  # the status line, which the script keeps up to date
    data: dict[str, Any]  # for the script: what the package computed


def offered(name: str, value: Any, choices: Sequence[Any]) -> Any:
    """``value`` if a slider offers it. Raises: ValueError that lists the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(str, choices))}, got {value!r}")
    return value
