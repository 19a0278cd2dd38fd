"""Pictures that a reader moves: one module each, drawn once with the package's own functions.

To add one: a module here with a function ``draw(**options) -> MovingFigure``, its line in
`FIGURES`, and a script of the same name in web/src/figures that moves what is drawn here.
"""

from __future__ import annotations

from collections.abc import Callable

from tools.site.figures import clock_hands
from tools.site.figures.moving_figure import MovingFigure

FIGURES: dict[str, Callable[..., MovingFigure]] = {
    "clock-hands": clock_hands.draw,
}

__all__ = ["FIGURES", "MovingFigure"]
