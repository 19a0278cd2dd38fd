"""Where a page speaks of a claim: by the role ``{claim}``, or by an id in brackets such as (L-094)."""

from __future__ import annotations

import re
from typing import NamedTuple

ROLE = re.compile(r"\{claim\}`(?:[^`<]*<)?(L-\d{3})>?`")
_CODE = re.compile(r"^(`{3,}|:{3,})\{code-cell\}.*?^\1", re.MULTILINE | re.DOTALL)
_BRACKETS = re.compile(r"\(((?:L-\d{3})(?:[,; ]+(?:and )?L-\d{3})*)\)")
_CORRECTION = re.compile(r"\{admonition\}\s*Correction\s*\(([^)]*)\)")
_ID = re.compile(r"L-\d{3}")


class Mention(NamedTuple):
    """One page and one claim. ``anchor`` is the place of the first role, empty where there is none."""

    claim_id: str
    corrected: bool
    anchor: str


def mentions_in(text: str) -> list[Mention]:
    """The claims that a page (MyST) speaks of, in the order of their ids."""
    text = _CODE.sub("", text)
    linked = set(ROLE.findall(text))
    plain = as_plain_ids(text)
    corrected = {each for title in _CORRECTION.findall(plain) for each in _ID.findall(title)}
    named = linked | {each for ids in _BRACKETS.findall(plain) for each in _ID.findall(ids)}
    ids = sorted(named | corrected)
    return [Mention(each, each in corrected, f"claim-{each}" if each in linked else "") for each in ids]


def as_plain_ids(text: str) -> str:
    """The text with each role of a claim replaced by the claim's id."""
    return ROLE.sub(r"\1", text)
