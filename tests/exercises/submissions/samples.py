"""Submissions that several tests use."""

from __future__ import annotations

import json

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
