"""Comparisons of the family."""

from goldens.forms import Form

FORMS: list[Form] = []
