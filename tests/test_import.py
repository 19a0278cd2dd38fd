"""``import pe_course`` is cheap, and works where NumPy, torch and matplotlib are missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import pe_course
from pe_course import reference

ROOT = Path(pe_course.__file__).parents[1]
HEAVY = ("numpy", "torch", "matplotlib")


def _in_a_fresh_interpreter(code: str):
    """What ``code`` prints as JSON, run by a Python that has imported nothing yet."""
    command = [sys.executable, "-c", f"import json, sys\n{code}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_import_loads_nothing_heavy():
    code = f"import pe_course\nprint(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    assert _in_a_fresh_interpreter(code) == []


def test_a_room_is_loaded_at_its_first_use():
    code = "import pe_course\nbefore = 'pe_course.reference' in sys.modules\npe_course.reference\n"
    code += "after = 'pe_course.reference' in sys.modules\nprint(json.dumps([before, after, 'numpy' in sys.modules]))"
    assert _in_a_fresh_interpreter(code) == [False, True, False]


def test_import_and_listing_work_without_the_heavy_packages():
    code = f"sys.modules.update(dict.fromkeys({HEAVY}))\n"  # None makes an import raise ImportError
    code += "import pe_course\nprint(json.dumps([pe_course.__version__, dir(pe_course), dir(pe_course.reference)]))"
    assert _in_a_fresh_interpreter(code) == [pe_course.__version__, dir(pe_course), dir(reference)]


@pytest.mark.parametrize(
    ("statement", "module", "extra"),
    [
        ("from pe_course.nn import RotaryEmbedding", "torch", "torch"),
        ("pe_course.nn.attention", "torch", "torch"),
        ("import pe_course.kernels.flex", "torch", "torch"),
        ("import pe_course.comparison", "torch", "torch"),
        ("from pe_course.lab import run", "torch", "lab"),
        ("pe_course.plots.figure.themed(None, alt='a figure', data={})", "matplotlib", "plots"),
    ],
)
def test_a_room_whose_package_is_missing_says_what_to_install(statement, module, extra):
    code = f"sys.modules[{module!r}] = None\nimport pe_course\ntry:\n    {statement}\n"
    code += "except ModuleNotFoundError as error:\n    print(json.dumps([error.name, str(error)]))"
    message = f"this part of pe_course needs {module}: pip install 'pe-course[{extra}]'"
    assert _in_a_fresh_interpreter(code) == [module, message]


def test_rooms_are_listed_and_can_be_reached():
    rooms = [name for name in dir(pe_course) if not name.startswith("_")]
    assert "reference" in rooms
    assert pe_course.reference is reference
    assert set(pe_course.__all__) == set(dir(pe_course))


@pytest.mark.parametrize("family", dir(reference))
def test_every_family_of_the_reference_can_be_reached(family):
    assert getattr(reference, family).__name__ == f"pe_course.reference.{family}"


@pytest.mark.parametrize("module", [pe_course, reference], ids=lambda module: module.__name__)
def test_an_unknown_name_is_an_attribute_error(module):
    with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'rotery'"):
        module.rotery  # noqa: B018  (asking is the test)
