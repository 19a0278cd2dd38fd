"""``check``, ``hint`` and ``solution`` as a notebook uses them, and answers that are no code."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest
import torch

from pe_course import check, hint, solution
from pe_course.exercises import notebook
from pe_course.exercises.answers import numbers_from
from pe_course.exercises.exercise import ChoiceExercise, NumberExercise, OpenExercise
from pe_course.exercises.registry import UnknownExercise, all_exercises, find
from pe_course.exercises.result import Failed, Result, with_code

CHOICES = [one for one in all_exercises() if isinstance(one, ChoiceExercise)]
NUMBERS = [one for one in all_exercises() if isinstance(one, NumberExercise)]
OPEN = [one for one in all_exercises() if isinstance(one, OpenExercise)]


@pytest.mark.parametrize(("exercise", "option"), [(one, option) for one in CHOICES for option in one.options])
def test_every_option_gets_its_feedback(exercise, option):
    result = check(exercise.id, option.key)
    assert result.verdict == ("right" if option.right else "wrong")
    assert result.message == option.feedback
    assert result.mistake == (None if option.right else option.key)
    assert check(exercise.id, f" ({option.key.upper()}) ").verdict == result.verdict
    assert check(exercise.id, f"Option {option.key}.").verdict == result.verdict


@pytest.mark.parametrize("exercise", NUMBERS, ids=lambda one: one.id)
def test_numbers_are_right_within_their_tolerance(exercise):
    assert check(exercise.id, exercise.answer).right
    assert check(exercise.id, str(exercise.answer)).right
    assert check(exercise.id, exercise.answer + 0.99 * exercise.tolerance).right
    assert check(exercise.id, np.float64(exercise.answer)).right
    assert not check(exercise.id, exercise.answer + 1000 * exercise.tolerance + 1000).right


@pytest.mark.parametrize(("exercise", "wrong"), [(one, wrong) for one in NUMBERS for wrong in one.wrong_numbers])
def test_every_wrong_number_gets_its_sentence(exercise, wrong):
    result = check(exercise.id, wrong.value)
    assert (result.verdict, result.mistake, result.message) == ("wrong", wrong.id, wrong.message)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        *[("1/2", [0.5]), ("0,5", [0.5]), ("50%", [0.5]), (" 0.50 ", [0.5]), ("5e-1", [0.5]), ("−2", [-2.0])],
        *[(".5", [0.5]), ("-1/4", [-0.25]), ("1 000", [1000.0]), ("+3", [3.0]), (3, [3.0]), (True, [1.0])],
        *[(torch.tensor(2.0), [2.0]), ([4], [4.0]), (np.array([[7]]), [7.0]), (np.float32(0.5), [0.5])],
        *[("", []), ("abc", []), ("1/0", []), ("nan", []), ("1e999", []), (float("inf"), []), ("1 1/9", [])],
        *[(None, []), ([1, 2], []), (10**400, []), ("1_000", []), ("__import__('os')", []), (1j, [])],
        *[("1e3/8000", [0.125]), ("1/2.5", [0.4]), ("-π/2", [-np.pi / 2]), ("2*pi", [2 * np.pi]), ("≈ 6.28 m", [6.28])],
        *[("54,410", [54410.0, 54.41]), ("1.500", [1.5, 1500.0]), ("805,306,368", [805306368.0]), ("5 m²", [])],
    ],
)
def test_numbers_are_read_from_what_people_write(text, values):
    assert numbers_from(text, unit="m") == values


@pytest.mark.parametrize(
    ("id", "text", "said"),
    [
        ("longest-wave", "54,410", "54410 positions"),
        ("longest-wave", "62,832", "exponent 1"),
        ("longest-wave", "50", "50 is not the answer"),
        ("interpolated-position", "1,500", "1500."),
        ("shortest-wave", "2π", "6.2832 positions"),
        ("shortest-wave", "6.28 positions", "6.2832 positions"),
        ("shortest-wave", "6.3", "6.3 is close. Give a digit more."),
        ("twice-as-many-keys", "1.11", "1.1111"),
        ("softmax-of-two", "73 %", "0.73106"),
        ("the-middle-word", "0,45", "0.45186"),
        ("bucket-ahead", "19.2", "19.2 is not the answer"),
    ],
)
def test_a_number_is_judged_by_what_it_means(id, text, said):
    assert said in check(id, text).message


@pytest.mark.parametrize("exercise", OPEN, ids=lambda one: one.id)
def test_an_open_answer_gets_no_tick_but_points_to_compare(exercise):
    result = check(exercise.id, "Positions enter the score, and so on and so forth.")
    assert result.verdict == "other convention"
    assert not result.accepted
    assert repr(result).startswith("≈ In your own words")
    assert all(point in result.message for point in exercise.points)
    assert check(exercise.id, "no idea").verdict == "not attempted"
    assert check(exercise.id, 5).verdict == "error"


class HostileText(str):
    def strip(self, *args):
        raise RuntimeError("no stripping")

    def split(self, *args):
        raise RuntimeError("no splitting")


class HostileNumber(float):
    def __float__(self):
        raise RuntimeError("no float")

    def __eq__(self, other):
        raise RuntimeError("no comparing")

    __hash__ = None


ODD = [
    5,
    2.5,
    "",
    "z",
    [],
    {},
    object(),
    b"a",
    HostileText("a"),
    HostileNumber(1.0),
    lambda: 1,
    float("nan"),
    "x" * 10**6,
]


@pytest.mark.parametrize("exercise", [CHOICES[0], NUMBERS[0], OPEN[0], find("rotate-pair")], ids=lambda one: one.kind)
def test_odd_answers_never_raise(exercise):
    for answer in [*ODD, HostileNumber(exercise.answer) if exercise.kind == "number" else None]:
        result = check(exercise.id, answer)
        assert result.verdict in ("right", "wrong", "error", "not attempted", "other convention")
        assert len(result.message) < 3000
        assert repr(result) and result._repr_html_()


def test_hints_come_one_at_a_time_and_then_end():
    notebook._hints_given.clear()
    hints = find("rope-apply").hints
    given = [str(hint("rope-apply")) for _ in range(len(hints) + 2)]
    assert given[: len(hints)] == [f"Hint {n} of {len(hints)}: {text}" for n, text in enumerate(hints, 1)]
    assert given[-1] == given[-2] == "No more hints; solution('rope-apply') shows the model answer."
    assert hint("sinusoidal-pe").startswith("Hint 1 of")
    assert hint("sinusoidal-pe")._repr_html_().startswith("<div")


def test_the_solution_is_text_that_runs():
    shown = solution("rotate-pair")
    assert check("rotate-pair", str(shown)).right
    assert repr(shown) == str(shown)
    assert "<pre>" in shown._repr_html_()
    assert str(solution(OPEN[0].id)).startswith(OPEN[0].solution.strip()[:20])


@pytest.mark.parametrize("ask", [check, hint, solution])
def test_an_unknown_id_is_an_error_with_the_nearest_ids(ask):
    with pytest.raises(UnknownExercise, match="'rope-apply'"):
        ask("rope-aply")


def test_a_result_is_accessible_html_and_escapes_what_came():
    result = Result("wrong", "`f(<b>)` gives <i> & 1\nsecond line", failed=Failed("f", "1", "2"), output="<script>")
    html = result._repr_html_()
    assert 'role="status"' in html
    assert "<code>f(&lt;b&gt;)</code> gives &lt;i&gt; &amp; 1" in html
    assert "<script>" not in html
    assert html.count("<p>") == html.count("</p>") == 3
    assert re.search(r'aria-hidden="true">✗ </span>Wrong</strong>', html)
    assert "color:#" not in html
    assert with_code("no code") == "no code"


def test_a_check_that_cannot_stop_a_loop_says_so_once(capsys):
    notebook._said.clear()
    for _ in range(2):
        thread = threading.Thread(target=check, args=("rotate-pair", lambda a, b, angle: [a, b]))
        thread.start()
        thread.join()
    assert capsys.readouterr().out.count("cannot stop an endless loop") == 1
    check("rotate-pair", lambda a, b, angle: [a, b])
    assert capsys.readouterr().out == ""
