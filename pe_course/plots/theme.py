"""Colours, defined once: the same method has the same colour in every figure, on light and dark pages.

Each colour has a contrast of at least 3:1 to both backgrounds (WCAG 2.2, 1.4.11), and any two of them stay
apart for readers who confuse red and green or blue and yellow. A dash pattern per method repeats the message.
"""

from __future__ import annotations

from dataclasses import dataclass

METHOD_COLOURS = {
    "none": "#666666",
    "integer": "#c08305",
    "learned": "#a53bb2",
    "sinusoidal": "#1174fb",
    "rotary": "#b23c2c",
    "t5": "#06a869",
    "alibi": "#fe4eb1",
}

METHOD_DASHES = {
    "none": (0, (1, 1.5)),
    "integer": (0, (6, 2)),
    "learned": (0, (3, 1.5)),
    "sinusoidal": "solid",
    "rotary": (0, (8, 2, 1, 2)),
    "t5": (0, (5, 1)),
    "alibi": (0, (3, 1, 1, 1)),
}

# The two ends of a scale from −1 to 1, and of a scale from 0 up. Zero is the page itself.
NEGATIVE, POSITIVE = METHOD_COLOURS["rotary"], METHOD_COLOURS["sinusoidal"]


@dataclass(frozen=True)
class Theme:
    """What differs between the light and the dark page."""

    name: str
    background: str
    text: str
    grid: str
    strong: str

    def sequential(self):
        """Colour map from nothing (the page) to everything."""
        return _colour_map("share", [self.background, POSITIVE, self.strong])

    def diverging(self):
        """Colour map from −1 through 0 (the page) to 1."""
        return _colour_map("signed", [NEGATIVE, self.background, POSITIVE])


LIGHT = Theme("light", background="#ffffff", text="#1b1f24", grid="#c9ced6", strong="#06306e")
DARK = Theme("dark", background="#121212", text="#e6e9ee", grid="#4a525e", strong="#d6e7ff")
THEMES = (LIGHT, DARK)


def line_style(method: str) -> dict:
    """Colour and dash pattern of a method's line. Raises: KeyError if the palette does not hold it."""
    return {"color": METHOD_COLOURS[method], "linestyle": METHOD_DASHES[method]}


def relative_luminance(colour: str) -> float:
    """Relative luminance of a ``#rrggbb`` colour (WCAG 2.2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, from 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((relative_luminance(first), relative_luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _colour_map(name: str, colours: list[str]):
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(name, colours)
