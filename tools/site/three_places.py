"""The directive ``{three-places}``: the path from tokens to output, and the three places where order enters, as links.

An SVG in the page itself: it needs no script, takes its colours from the page, and its links are links. With
``:to: hooks`` they lead to the sections of the same page that say which code implements each place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from pe_course.plots.theme import METHOD_COLOURS

WIDTH, ROW, BOX = 360, 74, 46  # of the picture, in units that are pixels on a phone
LEFT, RIGHT = 132, 188  # widths of the boxes of the path and of the links
STEPS = ("tokens", "a vector each", "queries and keys", "scores", "weights", "output")
ALT = (
    "The path of attention: tokens become vectors, vectors become queries and keys, these become scores, scores become "
    "weights, and the weights average the values into the output. Order can enter at the vectors, at queries and keys, "
    "or at the scores. A causal mask hides scores before they become weights."
)


@dataclass(frozen=True)
class Entrance:
    """One place: beside which step it stands, the colour of its best-known method, what its link says and where to."""

    step: int
    colour: str
    title: str
    chapter: tuple[str, str]
    hook: tuple[str, str]

    @property
    def is_mask(self) -> bool:
        return self.colour == "none"


ENTRANCES = (
    Entrance(1, "sinusoidal", "1. The input", ("sinusoids, tables", "absolute#absolute"), ("embed", "#place-input")),
    Entrance(
        2, "rotary", "2. Query and key", ("rotation: RoPE", "rotary#rotary"), ("rotate, scale_q", "#place-query-key")
    ),
    Entrance(3, "t5", "3. The score", ("T5, ALiBi, DeBERTa", "relative#relative"), ("score_bias", "#place-score")),
    Entrance(
        4, "none", "A causal mask", ("no encoding: NoPE", "alibi#nope"), ("mask, an argument", "#one-call-followed")
    ),
)


class ThreePlacesDirective(SphinxDirective):
    option_spec: ClassVar = {"to": lambda choice: directives.choice(choice, ("chapters", "hooks"))}

    def run(self) -> list[nodes.Node]:
        to_hooks = self.options.get("to") == "hooks"
        return [nodes.raw("", as_html(to_hooks=to_hooks, address=self._address), format="html")]

    def _address(self, place: str) -> str:
        page, _, anchor = place.partition("#")
        if not page:
            return place
        return f"{self.env.app.builder.get_relative_uri(self.env.docname, f'book/{page}')}#{anchor}"


def as_html(*, to_hooks: bool, address: Callable[[str], str]) -> str:
    """The picture. ``address``: the link to ``PAGE#ANCHOR`` or, within the page, ``#ANCHOR``."""
    height = ROW * (len(STEPS) - 1) + BOX + 4
    path = "".join(_step(number, name) for number, name in enumerate(STEPS))
    links = "".join(_entrance(each, each.hook if to_hooks else each.chapter, address) for each in ENTRANCES)
    return (
        f'<svg class="three-places" role="group" aria-label="{escape(ALT)}" viewBox="0 0 {WIDTH} {height}">\n'
        f"{path}{links}</svg>\n"
    )


def _step(number: int, name: str) -> str:
    y = 2 + ROW * number
    text = f'<text x="{2 + LEFT / 2:g}" y="{y + BOX / 2 + 5:g}">{name}</text>'
    arrow = _arrow_down(2 + LEFT / 2, y + BOX, y + ROW) if number < len(STEPS) - 1 else ""
    return f'<rect class="step" x="2" y="{y}" width="{LEFT}" height="{BOX}" rx="4"/>{text}{arrow}\n'


def _entrance(entrance: Entrance, link: tuple[str, str], address: Callable[[str], str]) -> str:
    says, place = link
    x, y = WIDTH - RIGHT - 2, 2 + ROW * entrance.step
    middle = y + BOX / 2
    centre = x + RIGHT / 2
    # A method acts on a step, the mask on the way from one step to the next.
    on_the_way = y - (ROW - BOX) / 2
    arrow = _arrow_around(x, middle, 6 + LEFT / 2, on_the_way) if entrance.is_mask else _arrow_left(x, middle, 4 + LEFT)
    return (
        f'<a href="{escape(address(place))}" style="--place: {METHOD_COLOURS[entrance.colour]}">'
        f'<rect x="{x}" y="{y}" width="{RIGHT}" height="{BOX}" rx="{BOX // 2}"/>'
        f'<text class="title" x="{centre:g}" y="{middle - 3:g}">{entrance.title}</text>'
        f'<text x="{centre:g}" y="{middle + 14:g}">{says}</text></a>{arrow}\n'
    )


def _arrow_down(x: float, y: float, to_y: float) -> str:
    return (
        f'<path class="arrow" d="M{x:g} {y:g}V{to_y:g}M{x - 4:g} {to_y - 6:g}L{x:g} {to_y:g}L{x + 4:g} {to_y - 6:g}"/>'
    )


def _arrow_left(x: float, y: float, to_x: float) -> str:
    return f'<path class="arrow" d="M{x:g} {y:g}H{to_x:g}{_head_left(to_x, y)}"/>'


def _arrow_around(x: float, y: float, to_x: float, to_y: float) -> str:
    """Out to the left, up, and to the left."""
    return f'<path class="arrow" d="M{x:g} {y:g}H{x - 16:g}V{to_y:g}H{to_x:g}{_head_left(to_x, to_y)}"/>'


def _head_left(x: float, y: float) -> str:
    return f"M{x + 6:g} {y - 4:g}L{x:g} {y:g}L{x + 6:g} {y + 4:g}"


def setup(app: Sphinx) -> None:
    app.add_directive("three-places", ThreePlacesDirective)
