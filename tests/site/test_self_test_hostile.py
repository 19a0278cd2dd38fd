"""Code that does not end, does not fit or does not belong here: one clear line, and the text stays."""

from __future__ import annotations

import re
from time import monotonic

import pytest
from self_tests_on_pages import Reader
from visitor import Visitor

pytestmark = pytest.mark.browser

ID = "rope-apply"
HEAD = "def rope_apply(x, positions, base=10000.0):\n"

STOPPED = "Stopped after "  # 5 seconds; more on a machine that is slow or busy

HOSTILE = {
    "endless loop": (HEAD + "    while True: pass", STOPPED),
    "endless loop when it is defined": ("while True: pass", STOPPED),
    "endless printing": (HEAD + "    while True: print(1)", STOPPED),
    "huge integer": (HEAD + "    return 10 ** (10 ** 9)", STOPPED),
    "a loop that swallows all errors": (
        HEAD + "    while True:\n        try: 1 / 0\n        except: pass",
        STOPPED,
    ),
    "recursion": (HEAD + "    return rope_apply(x, positions, base)", "RecursionError"),
    "recursion within Python's own code": ("def f(x): return str([f(x)])\nf(1)", "RecursionError"),
    "lists nested too deep to print": ("x = []\nfor i in range(10 ** 6): x = [x]\nprint(x)", "Python ran out of room"),
    "input": (HEAD + "    return input()", "input()"),
    "NumPy": ("import numpy as np\n" + HEAD + "    return np.array(x)", "notebook"),
    "exit": (HEAD + "    exit()", "exit()"),
    "more memory than there is": (HEAD + "    return [0] * 10 ** 12", "Error"),
    "a text": (HEAD + "    return 'x'", "a text"),
}


@pytest.fixture(scope="module")
def reader(browser, site, address):
    """One reader for all of it: what comes next must work after whatever came before."""
    visitor = Visitor(browser, site, address)
    yield Reader(visitor, site, ID).open()
    visitor.close()


@pytest.mark.parametrize("what", HOSTILE)
def test_one_line_and_the_text_stays(reader: Reader, what: str):
    code, says = HOSTILE[what]
    status = reader.check(code)
    assert says in status
    assert len(status) < 400
    assert reader.code == code.strip()
    assert reader.check(reader.exercise.solution).startswith("✓ Right"), "the next check must work"


@pytest.mark.parametrize("what", ["NumPy", "input", "recursion within Python's own code"])
def test_run_says_it_too(reader: Reader, what: str):
    code = {"NumPy": "import numpy", "input": "input()"}.get(what, HOSTILE[what][0])
    assert HOSTILE[what][1] in reader.run(code)


def test_a_loop_is_stopped_in_time_and_the_time_is_told(reader: Reader):
    """A computer gives it 5 seconds, a machine that is many times slower at most 20."""
    begun = monotonic()
    told = re.search(r"Stopped after (\d+) seconds", reader.run("while True: pass"))
    assert 5 <= int(told[1]) <= 20
    assert int(told[1]) - 1 <= monotonic() - begun <= int(told[1]) + 5


# A worker that says that this machine needs three times as long as a usual computer.
SLOW_MACHINE = """
  const OnThis = Worker;
  window.Worker = class extends OnThis {
    set onmessage(hear) { super.onmessage = ({ data }) => hear({ data: { ...data, pace: 30 } }); }
  };
"""


def test_a_slow_machine_gets_more_time(browser, site, address):
    visitor = Visitor(browser, site, address)
    visitor.page.add_init_script(SLOW_MACHINE)
    told = Reader(visitor, site, ID).open().run("while True: pass")
    visitor.close()
    assert "Stopped after 8 seconds" in told


def test_stop(reader: Reader):
    reader.type("while True: pass")
    stop = reader.button("Stop")
    assert not stop.is_visible()
    reader.button("Run").click()
    stop.wait_for()
    stop.click()
    assert reader.answer() == "Stopped."
    assert not stop.is_visible()
    assert reader.page.evaluate("document.activeElement.textContent") == "Check", "focus is not lost with the button"


def test_a_second_press_while_it_runs_changes_nothing(reader: Reader):
    reader.type("while True: pass")
    reader.button("Run").click()
    assert reader.button("Check").get_attribute("aria-disabled") == "true"
    reader.button("Check").click()
    assert STOPPED in reader.answer()


def test_another_self_test_waits_for_its_turn(reader: Reader):
    others = reader.page.locator(f"section[data-kind=code]:not([data-self-test={ID}])")
    other = others.first
    reader.type("while True: pass")
    reader.button("Run").click()
    other.get_by_role("button", name="Check").click()
    assert "Another self-test" in other.locator(".self-test-status").inner_text()
    assert STOPPED in reader.answer()


def test_long_output_is_cut(reader: Reader):
    reader.run("print('x' * 10 ** 6)")
    assert len(reader.output.inner_text()) < 30_000


def test_nothing_of_one_check_is_left_for_the_next(reader: Reader):
    reader.run("secret = 42\nimport math\nmath.cos = None")
    assert "NameError" in reader.run("print(secret)")
