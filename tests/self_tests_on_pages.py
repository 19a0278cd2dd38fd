"""How a test finds a self-test in the built site, and what a reader does with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from visitor import PHONE, Visitor, pages_of

from pe_course.exercises.exercise import Exercise
from pe_course.exercises.registry import all_exercises, find

SLOW_START = 60_000  # ms: Python's first start on a machine that does much else
BUSY = r"/^(Running|Fetching)/"


def page_with(site: Path, exercise_id: str) -> str | None:
    """The page that holds a self-test."""
    mark = f'data-self-test="{exercise_id}" data-kind'
    return next((page for page in pages_of(site) if mark in (site / page).read_text(encoding="utf-8")), None)


def placed(site: Path, kind: str) -> Exercise:
    """The first exercise of a kind that a page holds. Fails if no page does."""
    for exercise in all_exercises():
        if exercise.kind == kind and page_with(site, exercise.id):
            return exercise
    pytest.fail(f"no page holds a self-test of kind {kind}", pytrace=False)


class Reader:
    """A reader on a phone in front of one self-test."""

    def __init__(self, visitor: Visitor, site: Path, exercise_id: str):
        self.visitor, self.page, self.exercise = visitor, visitor.page, find(exercise_id)
        self.path = page_with(site, exercise_id)
        if self.path is None:
            pytest.fail(f"no page holds the self-test {exercise_id}", pytrace=False)
        self.box = self.page.locator(f"#self-test-{exercise_id}")
        self.status = self.box.locator(".self-test-status")
        self.output = self.box.locator(".self-test-output")

    def open(self, theme: str = "light", width: int = PHONE) -> Reader:
        self.visitor.go(self.path, theme=theme, width=width)
        self.box.scroll_into_view_if_needed()
        if self.exercise.kind == "code":
            self.editor.wait_for()
        return self

    @property
    def editor(self):
        return self.box.locator(".cm-content")

    @property
    def code(self) -> str:
        """The text in the editor, scrolled or not."""
        return "\n".join(self.editor.locator(".cm-line").all_inner_texts()).replace("\n\n", "\n").strip()

    def type(self, code: str) -> None:
        """Replace what stands in the editor."""
        self.editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(code)

    def button(self, name: str):
        return self.box.get_by_role("button", name=name)

    def press(self, name: str) -> str:
        """Press a button, wait for what comes of it, and return what the status line says then."""
        self.button(name).click()
        return self.answer()

    def answer(self) -> str:
        self.page.wait_for_function(
            f"node => node.textContent && !{BUSY}.test(node.textContent)",
            arg=self.status.element_handle(),
            timeout=SLOW_START,
        )
        return self.status.inner_text()

    def check(self, code: str) -> str:
        self.type(code)
        return self.press("Check")

    def run(self, code: str) -> str:
        self.type(code)
        return self.press("Run")

    @property
    def state(self) -> str:
        return self.box.locator(".self-test-state").inner_text()
