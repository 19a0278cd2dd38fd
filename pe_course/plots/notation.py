"""The legend of the book: which colour and dash pattern stands for which method."""

from __future__ import annotations

import numpy as np

from pe_course.plots.figure import ThemedFigure, themed
from pe_course.plots.theme import METHOD_COLOURS, line_style


def palette() -> ThemedFigure:
    """One line per method, in its colour and dash pattern.

    Data: row, the number of each method's line, from the top.
    """
    row = np.arange(len(METHOD_COLOURS))

    def paint(figure, theme):
        ax = figure.subplots()
        for y, method in zip(row, METHOD_COLOURS, strict=True):
            ax.plot([0, 1], [y, y], **line_style(method), linewidth=3)
            ax.text(1.05, y, _name(method), va="center")
        ax.set(xlim=(0, 2), ylim=(len(row) - 0.5, -0.5))
        ax.axis("off")

    alt = f"The colour and dash pattern of each method: {', '.join(_name(method) for method in METHOD_COLOURS)}."
    return themed(paint, alt=alt, data={"row": row}, height=0.28 * len(row) + 0.2)


def _name(method: str) -> str:
    spelled = {
        "none": "no position",
        "t5": "T5",
        "alibi": "ALiBi",
        "kerple": "KERPLE",
        "fire": "FIRE",
        "deberta": "DeBERTa",
    }
    return spelled.get(method, method.replace("_", " "))
