"""A function to write on the page: every verdict, by mouse and by keyboard, for every reader."""

from __future__ import annotations

import pytest
from self_tests_on_pages import Reader
from visitor import PHONE, THEMES, Visitor

from pe_course.exercises.matrix import PAGE, grade_on

pytestmark = pytest.mark.browser

ID = "rope-apply"
HEAD = "def rope_apply(x, positions, base=10000.0):\n"


@pytest.fixture
def reader(visitor: Visitor, site) -> Reader:
    return Reader(visitor, site, ID).open()


def test_right_answer_is_solved_and_counted(reader: Reader):
    assert reader.state == ""
    count = reader.page.locator(".self-test-count a")
    before = count.inner_text()
    assert before.startswith("0 of ")
    status = reader.check(reader.exercise.solution)
    assert status.startswith("✓ Right: ")
    assert reader.state == "✓ solved"
    assert count.inner_text() == before.replace("0", "1", 1)
    assert reader.visitor.foreign == []
    assert reader.visitor.problems == []


def test_known_mistakes_get_their_sentence(reader: Reader):
    for mistake in [one for one in reader.exercise.mistakes if not one.arrays]:
        status = reader.check(mistake.source)
        assert mistake.message.replace("`", "") in status, mistake.id
        assert status.startswith("≈ Other convention: " if mistake.convention else "✗ Wrong: ")
    assert reader.state == "tried"


def test_the_page_says_what_the_grader_says(reader: Reader):
    for body in ("    return x", "    return 1", "    return x + 1", "    return [[0.5] * 6] * 3"):
        said = grade_on(PAGE, reader.exercise, HEAD + body)
        assert said.message.replace("`", "") in reader.check(HEAD + body)


def test_the_input_that_failed_is_shown(reader: Reader):
    reader.check(HEAD + "    return [list(row) for row in x]")
    failed = reader.box.locator(".self-test-failed")
    assert failed.locator("dt").all_inner_texts() == ["Input", "Expected", "Your result"]
    assert "rope_apply(" in failed.locator("dd").first.inner_text()


def test_starter_code_is_not_yet_an_attempt(reader: Reader):
    assert reader.press("Check").startswith("… Not attempted: ")
    assert reader.state == ""


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (HEAD + "    return x[", "! Error: Python cannot read your code in line 2"),
        (HEAD + "    return y", "NameError"),
        ("x = 1", "! Error: your code defines no function rope_apply"),
        ("", "… Not attempted: nothing to check yet."),
    ],
)
def test_code_that_cannot_be_graded(reader: Reader, code: str, says: str):
    assert says in reader.check(code)


def test_run_shows_what_was_printed(reader: Reader):
    reader.run('print("hello <b>you</b>")')
    assert reader.output.inner_text().strip() == "hello <b>you</b>"
    assert "printed nothing" in reader.run("x = 1")
    assert reader.output.count() == 0
    assert "line 3" in reader.run("print(1)\n\n1 / 0")
    assert reader.output.inner_text().strip() == "1"
    assert reader.state == ""


def test_hints_come_one_at_a_time_and_leave_the_verdict(reader: Reader):
    verdict = reader.check(HEAD + "    return x")
    hints = reader.box.locator(".self-test-hint")
    assert hints.count() == len(reader.exercise.hints)
    for shown, hint in enumerate(hints.all(), 1):
        assert not hint.is_visible()
        reader.button("Hint").click()
        assert hint.is_visible()
        spoken = reader.box.locator(".visually-hidden[role=status]")
        assert spoken.inner_text().startswith(f"Hint {shown}")
    assert reader.button("Hint").get_attribute("aria-disabled") == "true"
    assert reader.status.inner_text() == verdict


def test_the_solution_is_a_click_away(reader: Reader):
    solution = reader.box.locator(".self-test-solution")
    assert solution.get_attribute("open") is None
    solution.locator("summary").click()
    assert "def rope_apply" in solution.locator("pre").inner_text()
    reader.page.wait_for_function("node => node.textContent === 'solution seen'", arg=_state(reader))


def test_whoever_looked_and_then_solved_it_has_solved_it(reader: Reader):
    reader.box.locator(".self-test-solution summary").click()
    reader.page.wait_for_function("node => node.textContent === 'solution seen'", arg=_state(reader))
    reader.check(reader.exercise.solution)
    assert reader.state == "✓ solved"
    reader.check(HEAD + "    return x")
    assert reader.state == "✓ solved"


def test_reset_brings_the_starter_code_back(reader: Reader):
    starter = reader.code
    reader.check(reader.exercise.solution)
    reader.button("Reset").click()
    assert reader.code == starter
    assert reader.state == ""
    reader.page.reload()
    reader.editor.wait_for()
    assert reader.code == starter
    assert reader.state == ""


def test_what_reset_took_can_be_brought_back(reader: Reader):
    mine = HEAD + "    return x"
    reader.type(mine)
    reader.button("Reset").click()
    assert "Ctrl-Z" in reader.status.inner_text()
    reader.editor.focus()
    reader.page.keyboard.press("Control+z")
    assert reader.code == mine


def test_keyboard_alone(reader: Reader):
    """Into the editor, an answer, out with Esc and Tab, on to Check; then Ctrl-Enter from inside."""
    page, press = reader.page, reader.page.keyboard.press
    reader.editor.focus()
    press("Control+a")
    page.keyboard.insert_text("def rope_apply(x, positions, base=10000.0):")
    press("Enter")
    press("Tab")
    assert _focus(page, "node.classList.contains('cm-content')"), "Tab indents"
    page.keyboard.type("return x")
    press("Escape")
    page.wait_for_timeout(2500)  # no hurry
    press("Tab")
    assert _focus(page, "node.textContent === 'Run'")
    press("Tab")
    assert _focus(page, "node.textContent === 'Check'")
    press("Enter")
    assert reader.answer().startswith("✗ Wrong")
    press("Tab")
    assert _focus(page, "node.textContent.startsWith('Hint')")
    press("Space")
    assert reader.box.locator(".self-test-hint:visible").count() == 1
    reader.editor.focus()
    press("Control+a")
    page.keyboard.insert_text(reader.exercise.solution)
    press("Control+Enter")
    page.wait_for_function("node => /Right/.test(node.textContent)", arg=reader.status.element_handle())


def test_shift_tab_leaves_the_editor_backwards(reader: Reader):
    reader.editor.focus()
    reader.page.keyboard.press("Escape")
    reader.page.keyboard.press("Shift+Tab")
    assert not _focus(reader.page, "node.classList.contains('cm-content')")


def test_status_is_announced(reader: Reader):
    """The live region is there before its first words, and is the same one after."""
    assert reader.status.get_attribute("role") == "status"
    before = reader.status.element_handle()
    reader.check(HEAD + "    return x")
    assert before.evaluate("node => node.isConnected && node.textContent.length > 0")
    assert reader.editor.get_attribute("aria-label") == f"Your code: {reader.exercise.title}"


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_before_and_after(visitor: Visitor, site, theme: str):
    reader = Reader(visitor, site, ID).open(theme=theme)
    assert visitor.axe() == []
    codes = [HEAD + "    return x", HEAD + "    return [", reader.exercise.solution]
    for code in codes:
        reader.check(code)
        assert visitor.axe() == []
    reader.run("for i in range(200): print(i, 'x' * 200)")
    reader.button("Hint").click()
    reader.box.locator(".self-test-solution summary").click()
    assert visitor.axe() == []
    assert visitor.page.evaluate("document.documentElement.scrollWidth") == PHONE


def test_fingers_can_hold_every_button(reader: Reader):
    for button in reader.box.locator(".self-test-buttons button:visible").all():
        box = button.bounding_box()
        assert box["height"] >= 44
        assert box["width"] >= 44


def _state(reader: Reader):
    return reader.box.locator(".self-test-state").element_handle()


def _focus(page, condition: str) -> bool:
    return page.evaluate(f"(() => {{ const node = document.activeElement; return {condition}; }})()")
