"""One test per recorded case: ours against the published library that it was recorded from.

``PE_GOLDENS`` names another folder with a ``manifest.json``; the default is the project's own copy.
"""

import os
from pathlib import Path

import pytest
from goldens.forms import Case, all_forms, load_cases

FOLDER = Path(os.environ.get("PE_GOLDENS", Path(__file__).parent / "data"))
FORMS = all_forms()


def _parameters() -> list:
    parameters = []
    for case in load_cases(FOLDER):
        form = next((form for form in FORMS if form.recognises(case)), None)
        parameters.append(pytest.param(case, form, id=f"{case.id}-{form.name if form else 'unknown_form'}"))
    return parameters


@pytest.mark.parametrize(("case", "form"), _parameters())
def test_case(case: Case, form) -> None:
    assert form is not None, (
        f"{case.file} / {case.name}: no form knows a case of {case.function!r} with the fields "
        f"{sorted(case.field_names)}; teach one in tests/goldens/forms_<family>.py"
    )
    form.check(case)
