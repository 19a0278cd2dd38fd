"""The icons that the book shows, as a font of a few kilobytes.

The theme brings about 1400 icons (156 kB) and shows some twenty. web/src/site/icons.css names the small
font before the theme's own, which a browser then loads only for an icon that the small one lacks.
"""

from __future__ import annotations

import re
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FULL_FONT = "vendor/fontawesome/webfonts/fa-solid-900.ttf"
SMALL_FONT = "site/icons.woff"
STYLES = ("styles/pydata-sphinx-theme.css", "styles/sphinx-book-theme.css")

ICON_NAME = re.compile(r"\bfa-([a-z0-9-]+)")
ICON_RULE = re.compile(r'((?:\.fa-[a-z0-9-]+:before,?)+)\{content:"\\([0-9a-f]+)"\}')
PRIVATE_USE = re.compile("[\ue000-\uf8ff]")  # where a style sheet writes the icon itself
ESCAPED = re.compile(r'content:"\\(f[0-9a-f]{3})"')


def write_icon_font(site: Path) -> None:
    static = site / "_static"
    font = TTFont(static / FULL_FONT, recalcTimestamp=False)
    subsetter = Subsetter(Options(layout_features=[], notdef_outline=True))
    subsetter.populate(unicodes=code_points(site))
    subsetter.subset(font)
    font.flavor = "woff"
    font.save(static / SMALL_FONT)


def code_points(site: Path) -> set[int]:
    """Icons that a page or a script names, and those that the theme's style sheets draw."""
    theme, book_theme = ((site / "_static" / name).read_text(encoding="utf-8") for name in STYLES)
    texts = [file for file in site.rglob("*.html") if "_static" not in file.relative_to(site).parts]
    scripts = (site / "_static" / "scripts").glob("*.js")
    named = {name for file in [*texts, *scripts] for name in ICON_NAME.findall(file.read_text(encoding="utf-8"))}
    drawn = {ord(icon) for icon in PRIVATE_USE.findall(theme + book_theme)}
    drawn |= {int(code, 16) for code in ESCAPED.findall(book_theme)}
    return drawn | {int(code, 16) for rule, code in ICON_RULE.findall(theme) if named & set(ICON_NAME.findall(rule))}
