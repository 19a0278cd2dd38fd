"""The figure "frequency-map": rule and factor move the dots, and all of them stand where the reference says."""

from __future__ import annotations

import numpy as np
import pytest
from visitor import PHONE, THEMES, Visitor, pages_of

from pe_course.reference import rotary, scaling
from tools.site.figures import frequency_map

pytestmark = pytest.mark.browser

FACTORS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
SLOW = 2 * np.pi / rotary.rope_frequencies(128) > 2048


@pytest.fixture
def figure(visitor: Visitor, site):
    for page in pages_of(site):
        if 'data-figure="frequency-map"' in (site / page).read_text(encoding="utf-8"):
            visitor.go(page, width=PHONE)
            return visitor.page.locator("[data-figure=frequency-map]").first
    pytest.fail("no page holds the figure frequency-map", pytrace=False)


def expected_shares(rule: str, factor: int) -> np.ndarray:
    trained = {"original_max_position_embeddings": 2048}
    inv_freq, _ = {
        "linear": lambda: scaling.rope_scaling_linear(128, factor=factor),
        "ntk": lambda: scaling.rope_scaling_ntk(128, factor=factor),
        "yarn": lambda: scaling.rope_scaling_yarn(128, factor=factor, **trained),
        "llama3": lambda: scaling.rope_scaling_llama3(
            128, factor=factor, low_freq_factor=1, high_freq_factor=4, **trained
        ),
    }[rule]()
    return inv_freq / rotary.rope_frequencies(128)


# Every state in one visit: a round trip for each dot would take minutes.
STATES = """(figure, states) => states.map(([rule, index]) => {
  const select = figure.querySelector("select"), slider = figure.querySelector("input");
  if (rule !== null) {
    select.value = rule; select.dispatchEvent(new Event("change"));
    slider.value = index; slider.dispatchEvent(new Event("input"));
  }
  const dots = [...figure.querySelectorAll(".pair")];
  return {
    heights: dots.map((dot) => Number(dot.getAttribute("cy"))),
    hollow: dots.map((dot) => dot.classList.contains("new")),
    counts: [...figure.querySelectorAll("td[data-count]")].map((cell) => Number(cell.textContent)),
  };
})"""


def states(figure, *wanted: tuple[str, int]) -> list[dict]:
    """What the figure shows for each rule and factor; for none, as it stands."""
    return figure.evaluate(STATES, [[rule, FACTORS.index(factor)] for rule, factor in wanted] or [[None, 0]])


def assert_is(state: dict, rule: str, factor: int) -> None:
    shares = expected_shares(rule, factor)
    shown = 2 ** ((frequency_map.TOP - np.array(state["heights"])) / frequency_map.DOUBLING)
    np.testing.assert_allclose(shown, shares, rtol=1e-3)
    new = SLOW & (shares * factor > 1.01)
    np.testing.assert_array_equal(state["hollow"], new)
    kept = int((shares * 1.01 > 1).sum())
    slowed = int(((shares * factor < 1.01) & (shares * 1.01 <= 1)).sum())
    assert state["counts"] == [kept, 64 - kept - slowed, slowed, int(new.sum())]


def test_figure_opens_as_python_drew_it(figure):
    assert_is(*states(figure), "linear", 4)
    assert figure.get_by_role("combobox", name="method").input_value() == "linear"
    assert figure.get_by_role("slider", name="factor").get_attribute("aria-valuetext") == "factor 4"


@pytest.mark.parametrize("rule", ["linear", "ntk", "yarn", "llama3"])
def test_every_factor_shows_what_the_reference_says(figure, rule: str):
    for factor, state in zip(FACTORS, states(figure, *((rule, factor) for factor in FACTORS)), strict=True):
        assert_is(state, rule, factor)


def test_the_new_base_leaves_slow_pairs_outside_and_the_others_do_not(figure):
    rules = ("linear", "ntk", "yarn", "llama3")
    outside = [state["counts"][-1] for state in states(figure, *((rule, 8) for rule in rules))]
    assert dict(zip(rules, outside, strict=True)) == {"linear": 0, "ntk": 22, "yarn": 0, "llama3": 0}


def test_keyboard_and_voice(figure, visitor: Visitor):
    figure.get_by_role("combobox").focus()
    visitor.page.keyboard.press("ArrowDown")
    figure.get_by_role("slider").focus()
    visitor.page.keyboard.press("ArrowRight")
    assert_is(*states(figure), "ntk", 6)
    assert "under NTK-aware at factor 6" in figure.locator("svg").get_attribute("aria-label")
    status = figure.get_by_role("status")
    visitor.page.wait_for_function(
        "node => node.textContent.startsWith('Rule: NTK-aware, factor 6.')", arg=status.element_handle()
    )


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_after_use(figure, visitor: Visitor, theme: str):
    visitor.page.emulate_media(color_scheme=theme)
    states(figure, ("yarn", 16))
    figure.get_by_role("combobox").focus()
    assert visitor.axe() == []
    assert visitor.problems == []


def test_fingers_can_hold_the_controls(figure):
    for role in ("slider", "combobox"):
        assert figure.get_by_role(role).bounding_box()["height"] >= 44


def test_text_can_be_read_on_a_phone(figure):
    sizes = figure.locator("th, td, label, p, select").evaluate_all(
        "nodes => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert min(sizes) >= 13
    heights = figure.locator("svg text").evaluate_all(
        "nodes => nodes.map((node) => node.getBoundingClientRect().height)"
    )
    assert min(heights) >= 9


def test_settings_that_are_not_offered_are_refused():
    with pytest.raises(ValueError, match="method must be one of linear, ntk, yarn, llama3, got 'base'"):
        frequency_map.draw("base")
    with pytest.raises(ValueError, match=r"factor must be one of 1, 2, 3, .*, got 5"):
        frequency_map.draw("ntk", 5)
