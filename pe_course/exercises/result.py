"""What a check says: a verdict, one message, and the input that decided it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

RIGHT = "right"
OTHER_CONVENTION = "other convention"
WRONG = "wrong"
NOT_ATTEMPTED = "not attempted"
ERROR = "error"
VERDICTS = (RIGHT, OTHER_CONVENTION, WRONG, NOT_ATTEMPTED, ERROR)

_SIGNS = {RIGHT: "✓", OTHER_CONVENTION: "≈", WRONG: "✗", NOT_ATTEMPTED: "…", ERROR: "!"}


@dataclass(frozen=True)
class Failed:
    """The input that failed, what was expected there and what came, each as short text."""

    inputs: str
    expected: str
    got: str


@dataclass(frozen=True)
class Result:
    """The outcome of one check. Prints as text, and shows itself in a notebook."""

    verdict: str
    message: str
    mistake: str | None = None
    failed: Failed | None = None
    output: str = ""  # what the learner's code printed
    id: str = ""
    accepted: bool = False  # counts as solved: right, or a convention that the exercise accepts
    heading: str = ""  # shown in place of the verdict

    @property
    def right(self) -> bool:
        return self.verdict == RIGHT

    def __repr__(self) -> str:
        text = f"{_SIGNS[self.verdict]} {self.heading or self.verdict.capitalize()}: {self.message}"
        return f"{text}\n\nYour code printed:\n{self.output}" if self.output else text

    def _repr_html_(self) -> str:
        paragraphs = "".join(f"<p>{with_code(part)}</p>" for part in self.message.split("\n") if part.strip())
        heading = escape(self.heading or self.verdict.capitalize())
        printed = f"<details><summary>Your code printed</summary><pre>{escape(self.output)}</pre></details>"
        return (
            '<div class="pe-result" role="status" style="border-left:.3em solid currentColor;padding-left:.8em">'
            f'<p><strong><span aria-hidden="true">{_SIGNS[self.verdict]} </span>{heading}</strong></p>'
            f"{paragraphs}{printed if self.output else ''}</div>"
        )


def with_code(text: str) -> str:
    """HTML of a message: what stands in backticks is code."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text, quote=False))
