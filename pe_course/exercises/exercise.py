"""What a self-test is: one class, which the page, the notebook and the tests all read.

Pure Python without NumPy or torch, so that the same class grades in the browser. The text fields are
short Markdown: paragraphs, `code`, $formulas$, lists; roles and directives are for the chapters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True)
class Variant:
    """An unusual right answer: it must pass."""

    idea: str
    source: str
    arrays: bool = False  # needs NumPy: graded only where that is installed


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer and the sentence that helps whoever gave it.

    Its source doubles as its detector: an answer that returns what this source returns, on every
    input where the two could differ from the solution, made the same mistake.
    """

    id: str
    message: str
    source: str
    convention: bool = False  # right in another convention, which the message names
    accepted: bool = False  # a convention that this exercise counts as right
    arrays: bool = False
    report: str = ""  # where people made it: an address, or empty


@dataclass(frozen=True)
class Case:
    """One input of a code exercise: what the function is called with."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    tolerance: float = 2e-4
    arrays: bool = False  # needs axes, dtypes or in-place writes that lists lack
    leading: int = 0  # axes before those that the sources handle: a source is applied along each of them


@dataclass(frozen=True)
class Option:
    """One answer of a choice question, and what to tell the reader who picks it."""

    key: str  # "a", "b", …
    text: str
    feedback: str
    right: bool = False


@dataclass(frozen=True)
class WrongNumber:
    """A common wrong value, and how one arrives at it."""

    id: str
    value: float
    message: str
    tolerance: float | None = None  # the question's own, unless given


def edited(source: str, *changes: tuple[str, str]) -> str:
    """``source`` with pieces replaced: a mistake is often the solution with one line changed."""
    for old, new in changes:
        if old not in source:
            raise ValueError(f"the source to edit has no {old!r}")
        source = source.replace(old, new)
    return source


REGISTRY: dict[str, Exercise] = {}
"""Every exercise by its id, in the order in which the catalogue defines them."""


class Exercise:
    """What all kinds share. A subclass in ``catalogue/`` registers itself under its id."""

    kind: ClassVar[str] = ""
    id: ClassVar[str]
    title: ClassVar[str]
    prompt: ClassVar[str]
    chapter: ClassVar[str]  # stem of the page that holds it
    lecture: ClassVar[tuple[str, ...]] = ()  # items of the lecture map, "S3-62"
    claims: ClassVar[tuple[str, ...]] = ()  # claims of the ledger that it rests on, "L-094"
    hints: ClassVar[tuple[str, ...]] = ()  # one at a time, in this order
    solution: ClassVar[str]  # code, or the model answer with its reason

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "id" not in cls.__dict__:
            return
        known = REGISTRY.get(cls.id)
        if known is not None and type(known).__module__ != cls.__module__:
            raise ValueError(f"two exercises have the id {cls.id!r}: {type(known).__qualname__}, {cls.__qualname__}")
        REGISTRY[cls.id] = cls()


class CodeExercise(Exercise):
    """The reader writes one function; its results on `cases()` decide."""

    kind = "code"
    function: ClassVar[str]
    starter: ClassVar[str]
    variants: ClassVar[tuple[Variant, ...]] = ()
    mistakes: ClassVar[tuple[Mistake, ...]] = ()
    truth: ClassVar[bool] = False  # the answer is True or False, and is shown so
    compared_as: ClassVar[str] = ""  # if `comparable` gives other numbers than were returned: "after softmax"

    def cases(self) -> list[Case]:
        """The inputs that separate right answers from wrong ones."""
        raise NotImplementedError

    def random_case(self, rng: Any) -> Case:
        """A legal input drawn wider than `cases()` by a `random.Random`: decides which mutants count."""
        raise NotImplementedError

    def comparable(self, value: Any, case: Case) -> Any:
        """What of a returned value is compared; leaves out what the contract leaves free."""
        return value

    def remark(self, value: Any, case: Case) -> str:
        """What to say of a right value that comes in another form than the solution's; empty if nothing."""
        return ""


class ChoiceExercise(Exercise):
    """One right option among several, each with its feedback."""

    kind = "choice"
    options: ClassVar[tuple[Option, ...]]


class NumberExercise(Exercise):
    """A number that one can work out by hand."""

    kind = "number"
    answer: ClassVar[float]
    tolerance: ClassVar[float]
    unit: ClassVar[str] = ""
    wrong_numbers: ClassVar[tuple[WrongNumber, ...]] = ()


class OpenExercise(Exercise):
    """A question to answer in one's own words: a model answer, and points to tick oneself."""

    kind = "open"
    points: ClassVar[tuple[str, ...]]
