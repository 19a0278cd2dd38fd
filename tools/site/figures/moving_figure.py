"""What every moving figure consists of."""

from __future__ import annotations

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
