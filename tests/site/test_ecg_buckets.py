"""The figure "ecg-buckets": each beat of the slider is in the reference's bucket, with the beats that share it."""

from __future__ import annotations

import numpy as np
import pytest
from figures_on_pages import assert_fit_for_readers, open_figure
from visitor import Visitor

from pe_course.reference import bias
from tools.site.figures import ecg_buckets

pytestmark = pytest.mark.browser

DAY = np.arange(-50400, 50400)
BUCKET_OF = bias.t5_relative_position_bucket(DAY)

STATE = """(figure, index) => {
  const slider = figure.querySelector("input");
  if (index !== null) { slider.value = index; slider.dispatchEvent(new Event("input")); }
  const cell = (name) => figure.querySelector(`[data-cell=${name}]`).textContent;
  const mark = (name) => figure.querySelector(`[data-mark=${name}]`);
  return {
    time: cell("time"), bucket: Number(cell("bucket")), beats: Number(cell("beats")), shared: cell("shared"),
    beat: mark("beat").getAttribute("visibility") === "visible" ? Number(mark("beat").getAttribute("x")) : null,
    column: Number(mark("bucket").getAttribute("x")),
  };
}"""


@pytest.fixture
def figure(visitor: Visitor, site):
    return open_figure(visitor, site, "ecg-buckets")


def assert_is(state: dict, offset: int) -> None:
    bucket = int(bias.t5_relative_position_bucket(offset))
    sharing = DAY[bucket == BUCKET_OF]
    assert (state["bucket"], state["beats"]) == (bucket, sharing.size)
    if sharing.size > 1:
        least, most = np.abs(sharing).min(), np.abs(sharing).max()
        assert state["shared"] == f"{least} to {most} {'back' if offset < 0 else 'ahead'}"
    else:
        assert state["shared"] == "its own"
    place = round(state["column"] / ecg_buckets.COLUMN)
    assert ecg_buckets.ORDER[place] == bucket
    if abs(offset) <= 8:
        assert state["beat"] / ecg_buckets.BEAT - 8 == pytest.approx(offset, abs=0.01)
    else:
        assert state["beat"] is None


def test_figure_opens_ten_minutes_back(figure):
    state = figure.evaluate(STATE, None)
    assert_is(state, -700)
    assert state["time"] == "10 min back"


def test_every_beat_is_in_the_bucket_of_the_reference(figure):
    for index, offset in enumerate(ecg_buckets.OFFSETS):
        assert_is(figure.evaluate(STATE, index), offset)


def test_bars_are_as_high_as_the_buckets_have_beats(figure):
    bars = figure.locator("[data-bucket]").evaluate_all(
        "nodes => nodes.map((node) => [Number(node.dataset.bucket), Number(node.getAttribute('height'))])"
    )
    assert [bucket for bucket, _ in bars] == list(ecg_buckets.ORDER)
    for bucket, height in bars:
        beats = 10 ** ((height - ecg_buckets.LEAST) / ecg_buckets.DECADE)
        assert beats == pytest.approx((bucket == BUCKET_OF).sum(), rel=0.01)


def test_keyboard_moves_and_the_status_speaks(figure, visitor: Visitor):
    slider = figure.get_by_role("slider")
    slider.focus()
    slider.press("End")
    assert slider.get_attribute("aria-valuetext") == "+42000 beats"
    assert "42000 beats ahead, 10 h: bucket 31" in figure.locator("svg").get_attribute("aria-label")
    status = figure.get_by_role("status").element_handle()
    visitor.page.wait_for_function("node => node.textContent.startsWith('42000 beats ahead')", arg=status)


def test_it_is_fit_for_readers(figure, visitor: Visitor):
    figure.get_by_role("slider").press("ArrowRight")
    assert_fit_for_readers(figure, visitor)
