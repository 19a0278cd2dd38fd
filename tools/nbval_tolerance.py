"""A pytest plugin for nbval: a printed decimal may differ by one unit in its last digit, all else must match.

Decimals of three or more places count; integers, words and shorter decimals are exact. Another
processor may round the last printed digit the other way, and that is no mistake. Pictures inside
HTML (``data:`` addresses) are masked: they are verified by the numbers that a cell prints about them.

    pytest -p tools.nbval_tolerance --nbval book
"""

from __future__ import annotations

import re
from decimal import Decimal

from nbval import plugin

_DECIMAL = re.compile(r"(?<![\w.])[-+−]?\d+\.\d{3,}(?:[eE][-+]?\d+)?")
# An attribute's address ends with its quotation mark: that of a picture holds spaces, brackets and apostrophes.
_DATA_ADDRESS = re.compile(r"""(?<==")data:[^"]+|(?<==')data:[^']+|data:[^"'\s)]+""")


def without_pictures(html: str) -> str:
    """The output with every ``data:`` address masked."""
    return _DATA_ADDRESS.sub("data:…", html)


def same_but_for_last_digits(stored: str, fresh: str) -> bool:
    """Whether two outputs agree but for one unit in the last digit of their decimals."""
    if _DECIMAL.sub("#", stored).split() != _DECIMAL.sub("#", fresh).split():
        return False
    return all(map(_close, _DECIMAL.findall(stored), _DECIMAL.findall(fresh)))


def _close(first: str, second: str) -> bool:
    a, b = (Decimal(text.replace("−", "-")) for text in (first, second))
    unit = max(Decimal(1).scaleb(number.as_tuple().exponent) for number in (a, b))
    return abs(a - b) <= unit


class TolerantText(str):
    """A text that equals another one if they are the same but for last digits."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and (str.__eq__(self, other) or same_but_for_last_digits(str(self), str(other)))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


_sanitize = plugin.IPyNbCell.sanitize


def _tolerant(cell: plugin.IPyNbCell, text):
    text = _sanitize(cell, text)
    return TolerantText(without_pictures(text)) if isinstance(text, str) else text


plugin.IPyNbCell.sanitize = _tolerant


def pytest_terminal_summary(terminalreporter) -> None:
    """Says what to do where a notebook failed; nbval shows how the outputs differ."""
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.write_line(
            "A cell does not print what its notebook stores. If the stored output is out of date or was edited, "
            "run `make notebooks ALL=1` and look at `git diff book`; else mend the chapter or the package."
        )
