"""Break it: each deliberate fault must make the test fail that is named beside it."""

from collections import Counter

import pytest
from faults.fault import Fault, all_faults

FAULTS = all_faults()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_named_test_notices_the_fault(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fault.caught_by.__name__.startswith("test_")
    fault.caught_by(**fault.arguments)
    owner, attribute = fault.owner_and_attribute()
    monkeypatch.setattr(owner, attribute, fault.broken(getattr(owner, attribute)))
    with pytest.raises((AssertionError, ValueError, IndexError, TypeError, pytest.fail.Exception)):
        fault.caught_by(**fault.arguments)


def test_every_method_has_three_faults() -> None:
    counts = Counter(fault.method for fault in FAULTS)
    assert counts, "no faults were collected"
    few = {method: number for method, number in counts.items() if number < 3}
    assert not few, f"methods with fewer than three faults: {few}"
