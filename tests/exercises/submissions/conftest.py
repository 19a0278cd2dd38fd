from __future__ import annotations

import json
from pathlib import Path

import pytest

RIGHT_PAIR = """\
import math

def rotate_pair(a, b, angle):
    cosine, sine = math.cos(angle), math.sin(angle)
    return [a * cosine - b * sine, a * sine + b * cosine]
"""


def notebook(*cells: str) -> str:
    """A notebook of these code cells."""
    parts = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []} for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": parts})


@pytest.fixture
def folder(tmp_path: Path):
    """Writes submissions by name; returns their folder."""

    def write(**files: str) -> Path:
        place = tmp_path / "submitted"
        for name, text in files.items():
            stem, _, suffix = name.rpartition("_")
            path = place / f"{stem}.{suffix}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return place

    return write
