"""No loose numbers: whatever a chapter states was printed, is a literal of its code, or is cited."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.prose_numbers import Chapter
from tools.settings import Settings

SETTINGS = Settings()

# Page, number, reason. At most 20 in the whole book.
EXCEPTIONS: list[tuple[str, str, str]] = []


@pytest.mark.parametrize("path", SETTINGS.chapters(), ids=lambda path: path.stem)
def test_every_number_is_vouched_for(path: Path) -> None:
    excused = {number for page, number, _reason in EXCEPTIONS if page == path.stem}
    loose = [number for number in Chapter(path, SETTINGS).loose_numbers() if number.text not in excused]
    assert not loose, "\n" + "\n".join(
        f"{SETTINGS.relative(path)}:{number.line}: {number.text} is neither printed, nor in the code, nor cited: "
        f"{' '.join(number.sentence.split())}"
        for number in loose
    )


def test_exceptions_are_few_and_have_reasons() -> None:
    assert len(EXCEPTIONS) <= 20
    assert all(reason for _page, _number, reason in EXCEPTIONS)


@pytest.fixture
def chapter(tmp_path: Path):
    (tmp_path / "book").mkdir()
    (tmp_path / "_config.yml").write_text("parse: {myst_enable_extensions: [colon_fence, dollarmath]}\n")

    def make(prose: str, code: str = "", printed: str = "") -> list[str]:
        import nbformat

        path = tmp_path / "book" / "one.md"
        path.write_text(f"---\na: b\n---\n{prose}\n\n```{{code-cell}} ipython3\n{code}\n```\n")
        output = nbformat.v4.new_output("stream", name="stdout", text=printed)
        cell = nbformat.v4.new_code_cell(code, outputs=[output])
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path.with_suffix(".ipynb"))
        return [number.text for number in Chapter(path, Settings(tmp_path)).loose_numbers()]

    return make


@pytest.mark.parametrize(
    ("prose", "code", "printed", "loose"),
    [
        pytest.param("It is 0.35 here.", "", "", ["0.35"], id="nothing-vouches"),
        pytest.param("It is 0.35 here.", "", "0.3512", [], id="printed-and-rounded"),
        pytest.param("It is 0.36 here.", "", "0.3512", ["0.36"], id="rounded-wrongly"),
        pytest.param("It is 0.3512 here.", "", "0.35", ["0.3512"], id="more-places-than-printed"),
        pytest.param("Of 512 rows, 99 remain.", "", "", ["512"], id="small-whole-numbers-are-free"),
        pytest.param("Of 6,283 rows.", "", "6283", [], id="thousands"),
        pytest.param("Base 10000 here.", "base = 10_000", "", [], id="literal"),
        pytest.param("It is 512 here.", "# 512\ntext = '512'", "", ["512"], id="comment-and-string-do-not-count"),
        pytest.param("It is 0.35 {cite:p}`one`.", "", "", [], id="cited"),
        pytest.param("It is 0.35. Others agree {cite:p}`one`.", "", "", ["0.35"], id="cited-in-the-next-sentence"),
        pytest.param("It is 0.35 (L-094).", "", "", [], id="claim"),
        pytest.param("See $x = 0.35$ and `0.35`.", "", "", [], id="formula-and-code-are-no-prose"),
        pytest.param(":::{note}\nIt is 0.35.\n:::", "", "", ["0.35"], id="inside-a-note"),
        pytest.param(":::{admonition} Correction (L-094)\nSaid to be 0.35.\n:::", "", "", [], id="the-claim-itself"),
        pytest.param("| a |\n|---|\n| 0.35 |", "", "", ["0.35"], id="inside-a-table"),
        pytest.param("In section 3.5 of arXiv:1706.03762 (2017).", "", "", [], id="references"),
        pytest.param("It falls by −0.5 per step.", "", "-0.5", [], id="sign"),
    ],
)
def test_what_vouches(chapter, prose: str, code: str, printed: str, loose: list[str]) -> None:
    assert chapter(prose, code, printed) == loose
