"""MyST to plain Markdown: each construct, and an error with file and line for what is unknown."""

from __future__ import annotations

import pytest

from tools.plain import Labels, PageWriter, PlainError

SITE = "https://someone.github.io/some-book/book"
FRONT_LINES = 10


def plain(chapter, text: str) -> str:
    path = chapter(text)
    labels = Labels.of_book(_settings(path))
    return PageWriter(labels, path).write(text, FRONT_LINES)


def _settings(path):
    from tools.settings import Settings

    return Settings(path.parents[1])


@pytest.mark.parametrize(
    ("myst", "expected"),
    [
        pytest.param("Plain *text* with `code` and $x_1 * y$.", "Plain *text* with `code` and $x_1 * y$.", id="text"),
        pytest.param("`{ref}` is code, `{term}` too.", "`{ref}` is code, `{term}` too.", id="role-name-in-code"),
        pytest.param("a {term}`token` b", f"a [token]({SITE}/glossary.html#term-Token) b", id="term"),
        pytest.param(
            "{term}`looks <Self-attention>`", f"[looks]({SITE}/glossary.html#term-Self-attention)", id="term-with-words"
        ),
        pytest.param("{doc}`glossary`", f"[Words]({SITE}/glossary.html)", id="doc"),
        pytest.param("{doc}`the words <glossary>`", f"[the words]({SITE}/glossary.html)", id="doc-with-words"),
        pytest.param("{ref}`terms`", f"[Words]({SITE}/glossary.html#terms)", id="ref-to-other-page"),
        pytest.param("[see](glossary.md)", f"[see]({SITE}/glossary.html)", id="link-to-page"),
        pytest.param("[see](https://example.org/a_b)", "[see](https://example.org/a_b)", id="link-outside"),
        pytest.param("{cite:p}`one2017`", "([Vaswani, 2017](https://arxiv.org/abs/1706.03762))", id="cite-one-author"),
        pytest.param(
            "{cite:p}`two2020,many2021`",
            "([Huang and Liang, 2020](https://doi.org/10.1/x); [Su et al., 2021](https://example.org/x))",
            id="cite-several",
        ),
        pytest.param(
            "{cite:t}`one2017` say", "[Vaswani (2017)](https://arxiv.org/abs/1706.03762) say", id="cite-in-text"
        ),
        pytest.param("{claim}`L-094`", f"[L-094]({SITE}/ledger.html#L-094)", id="claim"),
        pytest.param("{claim}`fast <L-094>`", f"[fast]({SITE}/ledger.html#L-094)", id="claim-with-words"),
        pytest.param(
            ":::{admonition} Correction ({claim}`L-003`, {claim}`L-094`)\nNot so.\n:::",
            f"> **Correction ([L-003]({SITE}/ledger.html#L-003), [L-094]({SITE}/ledger.html#L-094))**\n>\n> Not so.",
            id="claims-in-a-title",
        ),
        pytest.param(
            "```{ledger}\n```",
            f"The ledger, with the code and the measured values of every claim: [on the page]({SITE}/chapter.html).",
            id="ledger-is-a-link",
        ),
        pytest.param("H{sub}`2`O, press {kbd}`Esc`", "H<sub>2</sub>O, press <kbd>Esc</kbd>", id="html-roles"),
        pytest.param("```python\n{x}\n```", "```python\n{x}\n```", id="ordinary-fence"),
        pytest.param("before\n\n% a remark\n\nafter", "before\n\nafter", id="comment-dropped"),
        pytest.param(":::{note}\nBody *here*.\n:::", "> **Note**\n>\n> Body *here*.", id="note"),
        pytest.param(":::{seealso}\nX.\n:::", "> **See also**\n>\n> X.", id="seealso"),
        pytest.param(
            ":::{admonition} Correction\n:class: correction\nNot {term}`token`.\n:::",
            f"> **Correction**\n>\n> Not [token]({SITE}/glossary.html#term-Token).",
            id="admonition-with-nested-role",
        ),
        pytest.param(
            ":::{note}\n:class: dropdown\nBody.\n:::",
            "<details>\n<summary>Note</summary>\n\nBody.\n\n</details>",
            id="folded-note",
        ),
        pytest.param(
            "````{note}\n```{tip}\ninner\n```\n````",
            "> **Note**\n>\n> > **Tip**\n> >\n> > inner",
            id="nested-directives",
        ),
        pytest.param(
            "```{list-table} Caption\n* - A\n  - B\n* - {term}`token`\n  - $x$\n```",
            f"*Caption*\n\n| A | B |\n| --- | --- |\n| [token]({SITE}/glossary.html#term-Token) | $x$ |",
            id="list-table",
        ),
        pytest.param(
            "```{mermaid}\ngraph LR\naccTitle: Flow\naccDescr: A leads to B.\nA --> B\n```",
            f"> **Flow.** A leads to B. [See it drawn]({SITE}/chapter.html).",
            id="mermaid-says-its-description",
        ),
        pytest.param(
            "```{moving-figure} hands\n:name: fig-hands\n:position: 7\n\nHands {term}`token`.\n\nLook.\n```",
            '<a id="fig-hands"></a>\n\n'
            f"> **A figure to move.** Hands [token]({SITE}/glossary.html#term-Token).\n>\n> Look.\n>\n"
            f"> [Move it on the page]({SITE}/chapter.html#fig-hands).",
            id="moving-figure",
        ),
        pytest.param(
            ":::{glossary}\nOne thing\n  What *it* is.\n\n  More.\n\nOther\n  Text.\n:::",
            "**One thing**\n\nWhat *it* is.\n\nMore.\n\n**Other**\n\nText.",
            id="glossary",
        ),
        pytest.param("```{bibliography}\n```", "", id="bibliography-dropped"),
        pytest.param("$$\na=b\n$$", "$$\na=b\n$$", id="equation"),
        pytest.param(
            "$$\na=b\n$$ (sum)\n\nsee {eq}`sum`",
            '<a id="equation-sum"></a>\n\n$$\na=b\n\\tag{1}\n$$\n\nsee [(1)](#equation-sum)',
            id="numbered-equation",
        ),
        pytest.param("\\begin{align}\nx\n\\end{align}", "\\begin{align}\nx\n\\end{align}", id="amsmath"),
        pytest.param("Term\n: What it is.", "**Term**\n\nWhat it is.", id="definition-list"),
        pytest.param(
            "(here)=\n## A head\n\n{ref}`here`", '<a id="here"></a>\n\n## A head\n\n[A head](#here)', id="own-label"
        ),
        pytest.param(
            "See[^n].\n\n[^n]: A note.",
            'See<sup><a href="#footnote-n">n</a></sup>.\n\n<a id="footnote-n"></a><sup>n</sup> A note.',
            id="footnote",
        ),
    ],
)
def test_construct(chapter, myst: str, expected: str) -> None:
    chapter("# The ledger", "ledger")
    assert plain(chapter, myst) == expected


@pytest.mark.parametrize(
    ("myst", "line", "message"),
    [
        pytest.param("ok\n\n{nonsense}`x`", 3, "unknown role {nonsense}", id="role"),
        pytest.param("ok\n\n```{nonsense}\n```", 3, "unknown directive {nonsense}", id="directive"),
        pytest.param("ok\n\n{ref}`nowhere`", 3, "unknown label 'nowhere'", id="label"),
        pytest.param("{eq}`nowhere`", 1, "unknown equation label 'nowhere'", id="equation"),
        pytest.param("{term}`nothing`", 1, "unknown glossary term 'nothing'", id="term"),
        pytest.param("{doc}`nowhere`", 1, "unknown page 'nowhere'", id="page"),
        pytest.param("{cite:p}`nobody1999`", 1, "unknown bibliography key 'nobody1999'", id="citation"),
        pytest.param("{claim}`L-999`", 1, "unknown claim 'L-999'", id="claim"),
        pytest.param("{claim}`L-094`", 1, "there is no page book/ledger.md", id="claim-without-a-ledger"),
        pytest.param("[a](nowhere.md)", 1, "there is no page book/nowhere.md", id="link"),
        pytest.param("![alt](missing.png)", 1, "there is no file 'missing.png'", id="picture-missing"),
        pytest.param("```{figure} missing.png\n```", 1, "has no :alt: text", id="figure-without-alt"),
        pytest.param("a\n\n<div>x</div>", 3, "unknown construct 'html_block'", id="html"),
        pytest.param("see [^nothing]", 1, "this is shown as it stands", id="footnote-without-note"),
        pytest.param("```{mermaid}\ngraph LR\nA --> B\n```", 1, "no accDescr: line", id="diagram-without-words"),
        pytest.param("(a)=\n\ntext\n\n{ref}`a`", 5, "needs words of its own", id="label-without-title"),
        pytest.param("````{note}\n\n```{tip}\n{term}`no`\n```\n````", 4, "unknown glossary term 'no'", id="nested"),
        pytest.param("```{list-table}\n* - A\n  - B\n* - C\n```", 1, "differ in length", id="ragged-table"),
        pytest.param("- a\n- {ref}`no`", 2, "unknown label 'no'", id="in-a-list"),
    ],
)
def test_error_names_file_and_line(chapter, myst: str, line: int, message: str) -> None:
    with pytest.raises(PlainError) as caught:
        plain(chapter, myst)
    assert str(caught.value).startswith(f"book/chapter.md:{FRONT_LINES + line}: ")
    assert message in str(caught.value)


@pytest.fixture
def described(book, chapter):
    """A book that describes a function and a class of a small package."""
    package = book.root / "pe_course"
    (package / "__init__.py").write_text("")
    (package / "waves.py").write_text(
        'def wave(x):\n    """A wave."""\n\n\nclass Sea:\n    """Waves."""\n\n    def rise(self):\n        """Up."""\n'
        '\n\nCOLOURS = ("blue",)\n"""Of the sea."""\n'
    )
    chapter("# API\n\n```{api} pe_course.waves\n```", "api")
    return chapter


@pytest.mark.parametrize(
    ("myst", "expected"),
    [
        ("{func}`pe_course.waves.wave`", f"[`pe_course.waves.wave()`]({SITE}/api.html#pe_course.waves.wave)"),
        ("{func}`~pe_course.waves.wave`", f"[`wave()`]({SITE}/api.html#pe_course.waves.wave)"),
        ("{func}`words <pe_course.waves.wave>`", f"[`words`]({SITE}/api.html#pe_course.waves.wave)"),
        ("{func}`~pe_course.waves.Sea.rise`", f"[`rise()`]({SITE}/api.html#pe_course.waves.Sea.rise)"),
        ("{class}`~pe_course.waves.Sea`", f"[`Sea`]({SITE}/api.html#pe_course.waves.Sea)"),
        ("{data}`~pe_course.waves.COLOURS`", f"[`COLOURS`]({SITE}/api.html#pe_course.waves.COLOURS)"),
        (
            "```{api} pe_course.waves\n:summary:\n```",
            f"The entries of `pe_course.waves` are on [the page]({SITE}/chapter.html).",
        ),
    ],
)
def test_a_function_is_linked_to_its_api_entry(described, myst: str, expected: str) -> None:
    assert plain(described, myst) == expected


def test_a_file_is_linked_to_the_repository(described) -> None:
    blob = "https://github.com/someone/some-book"
    assert (
        plain(described, "{source}`pe_course/waves.py`")
        == f"[`pe_course/waves.py`]({blob}/blob/main/pe_course/waves.py)"
    )
    assert plain(described, "{source}`the room <pe_course>`") == f"[the room]({blob}/tree/main/pe_course)"


@pytest.mark.parametrize(
    ("myst", "message"),
    [
        ("{func}`pe_course.waves.wawe`", "unknown function in the API reference 'pe_course.waves.wawe'"),
        ("{func}`pe_course.waves.Sea`", "unknown function in the API reference 'pe_course.waves.Sea'"),
        ("{data}`pe_course.waves.wave`", "unknown value in the API reference 'pe_course.waves.wave'"),
        ("{source}`pe_course/wave.py`", "there is no file or folder 'pe_course/wave.py'"),
        ("{class}`pe_course.waves.wave`", "unknown class in the API reference 'pe_course.waves.wave'"),
    ],
)
def test_an_unknown_function_is_an_error(described, myst: str, message: str) -> None:
    with pytest.raises(PlainError, match=message):
        plain(described, myst)


def test_a_label_must_be_unique(chapter) -> None:
    chapter("(twice)=\n# One", "one")
    with pytest.raises(PlainError, match="label 'twice' is defined twice"):
        plain(chapter, "(twice)=\n# Two")


def test_equations_are_numbered_per_page(chapter) -> None:
    chapter("$$\nx\n$$ (first)\n\n$$\nx\n$$ (second)", "one")
    text = plain(chapter, "$$\ny\n$$ (own)\n\n{eq}`own` {eq}`second`")
    assert f"[(1)](#equation-own) [(2)]({SITE}/one.html#equation-second)" in text


def test_a_picture_beside_the_page_is_fetched_from_the_repository(chapter, book) -> None:
    (book.book / "p.png").write_bytes(b"")
    text = plain(chapter, "```{figure} p.png\n:alt: What it shows\nThe caption.\n```")
    raw = "https://raw.githubusercontent.com/someone/some-book/main/book/p.png"
    assert text == f"![What it shows]({raw})\n\n*The caption.*"
