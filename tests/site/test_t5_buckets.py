"""The figure "t5-buckets": its strips are cut where the reference starts a bucket, at every setting."""

from __future__ import annotations

import numpy as np
import pytest
from figures_on_pages import assert_fit_for_readers, numbers, open_figure
from visitor import Visitor

from pe_course.reference import bias
from tools.site.figures import t5_buckets

pytestmark = pytest.mark.browser


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "t5-buckets")


def drawn_starts(figure, stack: str) -> np.ndarray:
    pieces = figure.locator(f"[data-strip={stack}] rect").all()
    return np.array([float(piece.get_attribute("x")) for piece in pieces]) / t5_buckets.UNIT


def assert_shows(figure, num_buckets: int, max_distance: int) -> None:
    options = {"num_buckets": num_buckets, "max_distance": max_distance}
    reach = np.arange(-600, 601)
    for column, (stack, bidirectional) in enumerate((("encoder", True), ("decoder", False))):
        bucket = bias.t5_relative_position_bucket(-np.arange(600), bidirectional=bidirectional, **options)
        starts = np.flatnonzero(np.diff(bucket, prepend=-1))
        np.testing.assert_allclose(drawn_starts(figure, stack), starts, atol=1e-6)
        assert numbers(figure, "last")[column] == starts[-1]
        alone = [d for d in range(599) if np.sum(bucket == bucket[d]) == 1]
        assert numbers(figure, "own")[column] == next(d for d in range(599) if d + 1 not in alone)
        used = bias.t5_relative_position_bucket(reach, bidirectional=bidirectional, **options)
        assert numbers(figure, "used")[column] == np.unique(used).size


def test_figure_opens_as_python_drew_it(figure):
    assert_shows(figure, 32, 128)
    assert figure.get_by_role("slider", name="num_buckets").get_attribute("aria-valuetext") == "num_buckets 32"


def test_every_setting_shows_the_buckets_of_the_reference(figure):
    buckets, far = figure.get_by_role("slider").all()
    for i, num_buckets in enumerate(t5_buckets.NUM_BUCKETS):
        for j, max_distance in enumerate(t5_buckets.MAX_DISTANCES):
            buckets.fill(str(i))
            far.fill(str(j))
            assert_shows(figure, num_buckets, max_distance)


def test_keyboard_moves_and_the_status_speaks(figure, visitor: Visitor):
    slider = figure.get_by_role("slider", name="max_distance")
    slider.focus()
    slider.press("End")
    assert_shows(figure, 32, 256)
    assert "max_distance 256" in figure.locator("svg").get_attribute("aria-label")
    status = figure.get_by_role("status").element_handle()
    visitor.page.wait_for_function("node => node.textContent.startsWith('32 buckets, max_distance 256.')", arg=status)


def test_it_is_fit_for_readers(figure, visitor: Visitor):
    figure.get_by_role("slider").first.press("ArrowLeft")
    assert_fit_for_readers(figure, visitor)
