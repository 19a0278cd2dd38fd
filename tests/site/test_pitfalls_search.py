"""Who types the words of an error report into the site's search finds the pitfalls."""

from __future__ import annotations

import pytest
from visitor import Visitor

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    "words",
    [
        "rope_theta ignored",
        "left padding position_ids",
        "is_causal cache",
        "mscale attention_factor",
        "batch_first",
        "repeat_interleave",
        "RoPE bfloat16",
        "gibberish",
    ],
)
def test_search_leads_to_the_pitfalls(visitor: Visitor, words: str):
    visitor.page.goto(f"{visitor.address}search.html?q={words.replace(' ', '+')}")
    found = visitor.page.locator("ul.search li a", has_text="Pitfalls")
    found.first.wait_for(timeout=10_000)
    assert "pitfalls.html" in found.first.get_attribute("href")
