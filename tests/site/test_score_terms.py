"""The figure "score-terms": each term is the reference's, and has the pattern that the text promises."""

from __future__ import annotations

import numpy as np
import pytest
from figures_on_pages import assert_fit_for_readers, open_figure
from visitor import Visitor

from tools.site.figures import score_terms

pytestmark = pytest.mark.browser

WORDS = len(score_terms.WORDS)


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "score-terms")


def shown(figure, kind: str, method: str) -> np.ndarray:
    """The values of a map, read from sign and opacity, as shares of the largest."""
    cells = figure.locator(f'[data-map={kind}][data-method="{method}"] rect').evaluate_all(
        "nodes => nodes.map((node) => (node.matches('.negative') ? -1 : 1) * node.getAttribute('fill-opacity'))"
    )
    return np.array(cells, dtype=float).reshape(WORDS, WORDS)


def test_every_term_and_every_sum_is_that_of_the_reference(figure):
    slider = figure.get_by_role("slider", name="term")
    terms = score_terms.score_terms()
    limits = score_terms.draw().data["limits"]
    for number in range(1, 5):
        slider.fill(str(number))
        for method, values in terms.items():
            np.testing.assert_allclose(limits["term"] * shown(figure, "term", method), values[number - 1], atol=1e-3)
            np.testing.assert_allclose(
                limits["sum"] * shown(figure, "sum", method), values[:number].sum(axis=0), atol=4e-3
            )


def test_patterns_show_what_a_term_sees():
    """The word of rows 0 and 3 is the same, so what sees no distance cannot tell these rows apart."""
    xl, deberta = score_terms.score_terms().values()
    for content in (xl[0], deberta[0]):
        np.testing.assert_allclose(content[0], content[3])
    np.testing.assert_allclose(xl[2], np.broadcast_to(xl[2][0], (WORDS, WORDS)), err_msg="u·k knows no query")
    np.testing.assert_allclose(xl[3][1:, 1:], xl[3][:-1, :-1], err_msg="v·R knows the distance alone")
    assert np.abs(np.diff(deberta[2], axis=0)).max() > 0.1, "DeBERTa's third term knows the distance"
    assert not deberta[3].any()


def test_keyboard_moves_and_the_status_speaks(figure, visitor: Visitor):
    slider = figure.get_by_role("slider")
    slider.focus()
    slider.press("End")
    assert slider.get_attribute("aria-valuetext") == "term 4: position, position"
    assert figure.locator("[data-row=term] td").all_inner_texts() == ["v·W R", "none"]
    assert figure.locator("[data-row=d] td").all_inner_texts() == ["yes", "no"]
    assert "term 4 of the score" in figure.locator("svg").get_attribute("aria-label")
    status = figure.get_by_role("status").element_handle()
    visitor.page.wait_for_function("node => node.textContent.startsWith('Term 4 (position, position)')", arg=status)


def test_it_is_fit_for_readers(figure, visitor: Visitor):
    figure.get_by_role("slider").press("ArrowRight")
    assert_fit_for_readers(figure, visitor)
