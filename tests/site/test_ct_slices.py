"""The figure "ct-slices": hands, parts and scores are the reference's; moved together, only the wrong way moves."""

from __future__ import annotations

import numpy as np
import pytest
from figures_on_pages import assert_fit_for_readers, numbers, open_figure
from visitor import Visitor

from pe_course.reference import rotary
from tools.site.figures import ct_slices

pytestmark = pytest.mark.browser

LABELS = {"m": "query slice", "n": "key slice", "shift": "move both by"}
PARTS = ct_slices.head()
ROTATION = {"inv_freq": rotary.rope_frequencies(8), "layout": "interleaved"}


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "ct-slices")


def set_sliders(figure, **values: int) -> None:
    for name, value in values.items():
        figure.get_by_role("slider", name=LABELS[name]).fill(str(value))


def by_matrices(m: int, n: int, *, embeddings: bool) -> np.ndarray:
    """The parts of the score, by rotation matrices."""
    r_m, r_n = (rotary.rotation_matrix(position, **ROTATION) for position in (m, n))
    to_query, to_key = PARTS["to_query"], PARTS["to_key"]
    left, right = (to_query @ r_m, to_key @ r_n) if embeddings else (r_m @ to_query, r_n @ to_key)
    return ((left @ PARTS["embeddings"][0]) * (right @ PARTS["embeddings"][1])).reshape(4, 2).sum(axis=1)


def assert_shows(figure, m: int, n: int, shift: int) -> None:
    there = (m + shift, n + shift)
    for row, slices in (("right", (m, n)), ("right_there", there), ("wrong", (m, n)), ("wrong_there", there)):
        parts = by_matrices(*slices, embeddings=row.startswith("wrong"))
        np.testing.assert_allclose(numbers(figure, row), [*parts, parts.sum()], atol=0.0005 + 1e-9)
        assert figure.locator(f"[data-row={row}] th").inner_text().split() == [f"{slices[0]},", f"{slices[1]}"]
    for name, matrix, embedding, slice_ in (("query", "to_query", 0, there[0]), ("key", "to_key", 1, there[1])):
        vector = rotary.rotation_matrix(slice_, **ROTATION) @ PARTS[matrix] @ PARTS["embeddings"][embedding]
        turns = figure.locator(f".hand.{name}").evaluate_all(
            "nodes => nodes.map((node) => parseFloat(node.getAttribute('transform').slice(7)))"
        )
        pairs = vector[0::2] + 1j * vector[1::2]
        np.testing.assert_allclose(np.exp(-1j * np.radians(turns)), pairs / np.abs(pairs), atol=1e-5)
        place = figure.locator(f"[data-slice={name}]").get_attribute("transform")
        along = float(place.removeprefix("translate(").split()[0])
        assert along == pytest.approx(ct_slices.LEFT + ct_slices.WIDTH * slice_ / 300, abs=0.01)


def test_figure_opens_as_python_drew_it(figure):
    assert_shows(figure, 52, 50, 100)
    for name, value in (("m", 52), ("n", 50), ("shift", 100)):
        assert figure.get_by_role("slider", name=LABELS[name]).input_value() == str(value)


@pytest.mark.parametrize(("m", "n", "shift"), [(0, 199, 0), (199, 0, 100), (120, 120, 37), (7, 90, 3)])
def test_sliders_show_what_the_reference_says(figure, m: int, n: int, shift: int):
    set_sliders(figure, m=m, n=n, shift=shift)
    assert_shows(figure, m, n, shift)


def test_moving_both_keeps_the_score_and_only_the_right_one(figure):
    right, wrong = set(), set()
    for shift in range(0, 101, 5):
        set_sliders(figure, shift=shift)
        right.add(tuple(numbers(figure, "right_there")))
        wrong.add(numbers(figure, "wrong_there")[-1])
    assert right == {tuple(numbers(figure, "right"))}
    assert len(wrong) > 15


def test_keyboard_moves_and_the_status_speaks(figure, visitor: Visitor):
    slider = figure.get_by_role("slider", name=LABELS["m"])
    slider.focus()
    slider.press("ArrowRight")
    assert_shows(figure, 53, 50, 100)
    assert slider.get_attribute("aria-valuetext") == "query slice 53"
    assert "the query at slice 153 and the key at 150" in figure.locator("svg").get_attribute("aria-label")
    status = figure.get_by_role("status").element_handle()
    visitor.page.wait_for_function("node => node.textContent.startsWith('Slices 53, 50:')", arg=status)


def test_it_is_fit_for_readers(figure, visitor: Visitor):
    set_sliders(figure, shift=3)
    assert_fit_for_readers(figure, visitor)
