"""The pictures of vectors, products, shares and waves show what the formulas say (claims L-072, L-074)."""

import numpy as np
import pytest

from pe_course.plots import notation, prerequisites, theme


def test_word_arrows_compare_directions():
    figure = prerequisites.word_arrows({"a": (1, 0), "b": (2, 0), "c": (0, 3)})
    np.testing.assert_allclose(figure.data["cosine"], [[1, 1, 0], [1, 1, 0], [0, 0, 1]], atol=1e-12)
    assert "b 1.00, c 0.00" in figure.alt


def test_shadow_depends_on_the_direction_and_the_product_on_the_length_too():
    data = prerequisites.projection((3, 0), [(2, 2), (1, 1)]).data
    np.testing.assert_allclose(data["product"], [6, 3])
    np.testing.assert_allclose(data["shadow"], 3 / np.sqrt(2))


def test_shares_are_the_weights():
    figure = prerequisites.shares(["a", "b"], [0.25, 0.75], asking="b")
    np.testing.assert_array_equal(figure.data["weights"], [0.25, 0.75])
    assert figure.alt == "Attention weights of “b”: a 0.25, b 0.75."


def test_sine_starts_at_zero_and_cosine_at_one():
    data = prerequisites.circle_and_waves([0, 90, 180]).data
    np.testing.assert_allclose(data["sine"], [0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(data["cosine"], [1, 0, -1], atol=1e-12)


def test_palette_names_every_method():
    figure = notation.palette()
    assert figure.data["row"].size == len(theme.METHOD_COLOURS)
    for name in ("no position", "sinusoidal", "T5", "ALiBi"):
        assert name in figure.alt


@pytest.mark.parametrize("angle", [30, 150, 240])
def test_points_lie_on_the_circle(angle):
    data = prerequisites.circle_and_waves([angle]).data
    assert data["sine"][0] ** 2 + data["cosine"][0] ** 2 == pytest.approx(1)
