"""Faults of the family."""

from faults.fault import Fault

FAULTS: list[Fault] = []
