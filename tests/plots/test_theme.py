"""The palette: readable on both pages, and for readers who do not tell all colours apart."""

from itertools import combinations

import numpy as np
import pytest

from pe_course.plots import theme

# Machado, Oliveira, Fernandes 2009 (doi:10.1109/TVCG.2009.113), severity 1, on linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
LEAST_DISTANCE = 20  # CIE 1976 colour difference; about 2 is the smallest that can be seen side by side


def lab(colour: str, sight: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(SIGHT[sight]) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    x, y, z = (np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz / [0.95047, 1, 1.08883])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("page", theme.THEMES, ids=lambda page: page.name)
@pytest.mark.parametrize("method", theme.METHOD_COLOURS)
def test_every_colour_stands_out_from_both_pages(method, page):
    assert theme.contrast(theme.METHOD_COLOURS[method], page.background) >= 3


@pytest.mark.parametrize("page", theme.THEMES, ids=lambda page: page.name)
def test_letters_are_readable_on_both_pages(page):
    assert theme.contrast(page.text, page.background) >= 7


@pytest.mark.parametrize("sight", SIGHT)
def test_no_two_methods_look_alike(sight):
    colours = {name: lab(colour, sight) for name, colour in theme.METHOD_COLOURS.items()}
    close = {
        pair: round(float(np.linalg.norm(colours[pair[0]] - colours[pair[1]])), 1) for pair in combinations(colours, 2)
    }
    assert min(close.values()) >= LEAST_DISTANCE, sorted(close.items(), key=lambda item: item[1])[:3]


def test_each_method_has_a_dash_pattern_of_its_own():
    assert theme.METHOD_DASHES.keys() == theme.METHOD_COLOURS.keys()
    assert len(set(theme.METHOD_DASHES.values())) == len(theme.METHOD_DASHES)


def test_contrast_is_that_of_wcag():
    assert theme.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert theme.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
