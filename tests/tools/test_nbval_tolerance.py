"""What the comparison of notebook outputs lets pass, and what it does not."""

import pytest

from tools.nbval_tolerance import same_but_for_last_digits, without_pictures


@pytest.mark.parametrize(
    ("stored", "fresh", "same"),
    [
        pytest.param("0.5000", "0.5001", True, id="one-unit"),
        pytest.param("0.5000", "0.5002", False, id="two-units"),
        pytest.param("-0.123", "-0.124", True, id="negative"),
        pytest.param("1.234e-05", "1.235e-05", True, id="exponent"),
        pytest.param("0.50", "0.51", False, id="two-places-are-exact"),
        pytest.param("10", "11", False, id="integers-are-exact"),
        pytest.param("loss 0.123 of 7", "loss 0.124 of 8", False, id="mixed"),
        pytest.param("loss 0.123", "gain 0.123", False, id="words-are-exact"),
        pytest.param("[0.123 0.456]", "[0.123  0.457]", True, id="spacing-of-arrays"),
        pytest.param("0.123", "-0.123", False, id="sign"),
    ],
)
def test_tolerance(stored: str, fresh: str, same: bool) -> None:
    assert same_but_for_last_digits(stored, fresh) is same
    assert same_but_for_last_digits(fresh, stored) is same


@pytest.mark.parametrize(
    ("html", "masked"),
    [
        ("""<img alt="it's 0.12" src="data:image/svg+xml,%3Csvg d='M 1 2 (3)'/%3E" width="5">""",
         """<img alt="it's 0.12" src="data:…" width="5">"""),
        ("<img src='data:image/png;base64,AA==' alt='a'>", "<img src='data:…' alt='a'>"),
        ("url(data:font/woff2;base64,AA) b", "url(data:…) b"),
    ],
)  # fmt: skip
def test_a_picture_is_masked_to_its_end_and_nothing_else(html: str, masked: str) -> None:
    assert without_pictures(html) == masked
