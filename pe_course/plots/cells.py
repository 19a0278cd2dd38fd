"""Numbers in the cells of a heat map, in ink that can be read on every colour."""

from __future__ import annotations

import numpy as np

from pe_course.plots.theme import Theme, contrast


def write_cells(ax, image, values: np.ndarray, theme: Theme, form: str = "{:.2f}", *, size: float = 9) -> None:
    """Each value in its cell, with a true minus sign, in whichever ink reads better there; NaN stays empty."""
    from matplotlib.colors import to_hex

    for (i, j), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        cell = to_hex(image.to_rgba(value))
        ink = max((theme.text, theme.background), key=lambda colour, cell=cell: contrast(colour, cell))
        text = form.format(value + 0).replace("-", "−")  # + 0 turns a negative zero into zero
        ax.text(j, i, text, ha="center", va="center", fontsize=size, color=ink)
