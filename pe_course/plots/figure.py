"""One picture, drawn twice: for the light page and for the dark page, with one text that says what it shows.

A plotting function writes ``paint(figure, theme)`` and calls `themed`. The result carries ``alt`` and
``data``, so that a cell can print or assert the numbers that the picture shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from io import StringIO
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

from pe_course._extras import needs
from pe_course.plots.theme import DARK, LIGHT, Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# 4.8 inches keep a 10 pt letter above 10 px on a screen of 390 px.
WIDTH = 4.8
_STYLE = "width:100%;max-width:640px;height:auto"


@dataclass(frozen=True)
class ThemedFigure:
    """A drawn picture. A notebook shows one of the two themes; as text it is its ``alt``.

    Attributes: alt: the message in words; data: read-only arrays, what was drawn; light, dark: SVG documents.
    """

    alt: str
    data: Mapping[str, np.ndarray]
    light: str
    dark: str

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        light = _image(self.light, self.alt, css_class="only-light", style=_STYLE)
        dark = _image(self.dark, self.alt, css_class="only-dark", style=f"display:none;{_STYLE}")
        return {"text/html": light + dark, "text/plain": self.alt}


def themed(
    paint: Callable[[Figure, Theme], None], *, alt: str, data: Mapping[str, np.ndarray], height: float = 3.0
) -> ThemedFigure:
    """Draw a picture for both pages.

    Parameters: paint: draws on an empty figure with the colours of a theme; alt: what a reader who cannot
    see the picture must know; data: what is drawn; height: in inches, the width is always `WIDTH`.

    Raises: ValueError if ``alt`` is empty.
    """
    if not alt.strip():
        raise ValueError("alt must say what the figure shows, got an empty text")
    return ThemedFigure(
        alt=" ".join(alt.split()),
        data=MappingProxyType({name: _read_only(values) for name, values in data.items()}),
        light=_svg(paint, LIGHT, height),
        dark=_svg(paint, DARK, height),
    )


def _svg(paint: Callable[[Figure, Theme], None], theme: Theme, height: float) -> str:
    """The picture as an SVG document that has the same bytes every time."""
    matplotlib = needs("matplotlib", "plots")
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_settings(theme))
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        canvas = FigureCanvasSVG(figure)
        paint(figure, theme)
        out = StringIO()
        canvas.print_svg(out, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _compact(out.getvalue())


def _compact(document: str) -> str:
    """The same picture in fewer bytes: no prologue, comments, names of groups or indentation, short numbers.

    A small light picture also makes its dark twin nearly free: a compressing server finds it in its window.
    """
    document = document[document.index("<svg") :]
    document = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", document, flags=re.DOTALL)
    document = re.sub(r'<g id="[^"]*"', "<g", document)
    document = re.sub(r'(?<= [dxy]=")[^"]*|translate\([^)]*', lambda found: _rounded(found[0]), document)
    document = re.sub(r"\s*\n\s*", " ", document).replace("> <", "><")
    return re.sub(r" +", " ", document).replace("<g></g>", "").strip()


def _rounded(numbers: str) -> str:
    """Tenths of a point, a fifth of a pixel at the largest width a page gives a figure; glyphs are whole numbers."""
    return re.sub(r"-?\d+\.\d{2,}", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), numbers)


def _settings(theme: Theme) -> dict:
    return {
        "svg.hashsalt": "pe-course",
        "svg.fonttype": "path",
        "font.family": ["DejaVu Sans"],
        "font.size": 10,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "figure.facecolor": theme.background,
        "savefig.facecolor": theme.background,
        "axes.facecolor": theme.background,
        "text.color": theme.text,
        "axes.labelcolor": theme.text,
        "axes.edgecolor": theme.text,
        "xtick.color": theme.text,
        "ytick.color": theme.text,
        "grid.color": theme.grid,
        "lines.linewidth": 1.8,
    }


def _image(svg: str, alt: str, *, css_class: str, style: str) -> str:
    """An ``<img>`` that carries its SVG. Single quotes need no encoding."""
    source = "data:image/svg+xml," + quote(svg.replace('"', "'"), safe=" =:/,;()!*'@+-._~|[]{}$?")
    return f'<img class="{css_class}" alt="{escape(alt)}" style="{style}" src="{source}">'


def _read_only(values) -> np.ndarray:
    array = np.array(values)
    array.flags.writeable = False
    return array
