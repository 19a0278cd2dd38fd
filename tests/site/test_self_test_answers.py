"""Choices, numbers and open questions, which need no Python; and all kinds without JavaScript."""

from __future__ import annotations

import pytest
from self_tests_on_pages import Reader, placed
from visitor import PHONE, THEMES, Visitor, pages_of

from pe_course.exercises.registry import find

pytestmark = pytest.mark.browser


@pytest.fixture
def of_kind(visitor: Visitor, site):
    return lambda kind, theme="light": Reader(visitor, site, placed(site, kind).id).open(theme=theme)


def assert_no_python(visitor: Visitor) -> None:
    assert not [path for path in visitor.loaded if "worker" in path or "pyodide" in path]


def test_choice_answers_each_option_with_its_sentence(of_kind, visitor: Visitor):
    reader = of_kind("choice")
    assert reader.press("Check").startswith("… Not attempted")
    for option in reader.exercise.options:
        reader.box.get_by_role("radio", name=_plain(option.text)).check()
        status = reader.press("Check")
        assert status.startswith("✓ Right: " if option.right else "✗ Wrong: ")
        assert _plain(option.feedback) in status
    assert_no_python(visitor)
    assert visitor.problems == []


def test_choice_by_keyboard_and_after_a_reload(of_kind):
    reader = of_kind("choice")
    radios = reader.box.get_by_role("radio")
    radios.first.focus()
    reader.page.keyboard.press("Space")
    reader.page.keyboard.press("ArrowDown")
    assert radios.nth(1).is_checked()
    reader.page.keyboard.press("Tab")
    reader.page.keyboard.press("Enter")
    second = reader.exercise.options[1]
    assert _plain(second.feedback) in reader.answer()
    reader.page.reload()
    assert radios.nth(1).is_checked()
    reader.button("Reset").click()
    assert not radios.nth(1).is_checked()
    assert reader.state == ""


def test_a_wrong_choice_does_not_give_the_answer_away(of_kind):
    reader = of_kind("choice")
    right = next(option for option in reader.exercise.options if option.right)
    wrong = next(option for option in reader.exercise.options if not option.right)
    reader.box.get_by_role("radio", name=_plain(wrong.text)).check()
    reader.press("Check")
    assert _plain(right.text) not in reader.box.locator(".self-test-work").inner_text()


def test_number(of_kind, visitor: Visitor):
    reader = of_kind("number")
    field = reader.box.get_by_label("Your number")
    exact = f"{reader.exercise.answer:.12g}"
    for text, says in [
        ("", "… Not attempted"),
        ("many", "! Error"),
        (exact, "✓ Right"),
        (exact.replace(".", ","), "✓ Right"),
        (f" {exact} ", "✓ Right"),
        ("123456.5", "✗ Wrong: 1.2346e+05 is not the answer."),
    ]:
        field.fill(text)
        field.press("Enter")
        assert reader.answer().startswith(says), text
    for wrong in reader.exercise.wrong_numbers:
        field.fill(repr(wrong.value))
        assert _plain(wrong.message) in reader.press("Check")
    assert reader.state == "✓ solved"
    assert_no_python(visitor)
    reader.page.reload()
    assert field.input_value() == repr(reader.exercise.wrong_numbers[-1].value)


def test_open_question_is_kept_compared_and_ticked(of_kind, visitor: Visitor):
    reader = of_kind("open")
    field = reader.box.get_by_label("Your answer")
    field.fill("Because <b>I</b> say so.")
    assert reader.state == "tried"
    solution = reader.box.locator(".self-test-solution")
    assert solution.get_attribute("open") is None
    reader.button("Compare").click()
    assert solution.get_attribute("open") is not None
    boxes = reader.box.get_by_role("checkbox")
    assert boxes.count() == len(reader.exercise.points)
    boxes.first.check()
    assert reader.state == "solution seen"
    reader.page.reload()
    assert field.input_value() == "Because <b>I</b> say so."
    reader.box.locator("summary", has_text="Solution").click()
    assert boxes.first.is_checked()
    for box in boxes.all():
        box.check()
    assert reader.state == "✓ solved"
    assert_no_python(visitor)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("kind", ["choice", "number", "open"])
def test_axe_finds_nothing_before_and_after(of_kind, visitor: Visitor, kind: str, theme: str):
    reader = of_kind(kind, theme)
    assert visitor.axe() == []
    if kind == "open":
        reader.button("Compare").click()
        reader.box.get_by_role("checkbox").first.check()
    elif kind == "choice":
        reader.box.get_by_role("radio").first.check()
        reader.press("Check")
    else:
        reader.box.get_by_label("Your number").fill("0.123")
        reader.press("Check")
    assert visitor.axe() == []
    assert visitor.page.evaluate("document.documentElement.scrollWidth") == PHONE


def test_without_javascript_everything_can_be_read(browser, site, address):
    visitor = Visitor(browser, site, address, javascript=False)
    visitor.resize(PHONE)
    seen = set()
    for path in pages_of(site):
        if 'class="self-test"' not in (site / path).read_text(encoding="utf-8"):
            continue
        visitor.page.goto(address + path)
        for box in visitor.page.locator("section.self-test").all():
            exercise = find(box.get_attribute("data-self-test"))
            seen.add(exercise.kind)
            _assert_readable(box, exercise)
    visitor.close()
    assert "code" in seen


def _assert_readable(box, exercise) -> None:
    assert box.locator("input, textarea, button").count() == 0, "nothing would listen to it"
    assert box.locator(".self-test-prompt").is_visible()
    if exercise.kind == "code":
        starter = box.locator(".self-test-starter pre")
        assert starter.is_visible()
        assert starter.inner_text().strip() == exercise.starter.strip()
    if exercise.kind == "choice":
        assert box.locator("li[data-key]:visible").count() == len(exercise.options)
    for folded in box.locator("details").all():
        assert folded.get_attribute("open") is None, "never shown unasked"
        folded.locator("summary").click()
        assert len(folded.inner_text()) > 15
    assert box.locator("details.self-test-solution").count() == 1
    if exercise.kind == "open":
        assert box.locator(".self-test-points li:visible").count() == len(exercise.points)


def _plain(text: str) -> str:
    """As it is read: without the marks of code and emphasis."""
    return text.replace("`", "").replace("*", "")
