"""A small book in a folder of its own, for the tools to work on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tools.settings import Settings

_CONFIG = """\
repository:
  url: https://github.com/someone/some-book
  branch: main
bibtex_bibfiles: [book/references.bib]
parse:
  myst_enable_extensions: [amsmath, colon_fence, deflist, dollarmath]
"""

_BIBLIOGRAPHY = """\
@article{one2017, author={Ashish Vaswani}, title={T}, year={2017}, eprint={1706.03762}}
@article{two2020, author={Anna Huang and Ben Liang}, title={T}, year={2020}, doi={10.1/x}}
@article{many2021, author={Jianlin Su and Yu Lu and Shengfeng Pan}, title={T}, year={2021}, url={https://example.org/x}}
"""

_GLOSSARY = """\
(terms)=
# Words

:::{glossary}
Token
  A piece of text.

Self-attention
  Every token looks at every token.
:::
"""

_FRONT = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""


@pytest.fixture
def book(tmp_path: Path) -> Settings:
    (tmp_path / "book").mkdir()
    (tmp_path / "pe_course").mkdir()
    (tmp_path / "_config.yml").write_text(_CONFIG)
    (tmp_path / "requirements.txt").write_text("numpy==2.4.6\n")
    (tmp_path / "book" / "references.bib").write_text(_BIBLIOGRAPHY)
    (tmp_path / "book" / "glossary.md").write_text(_GLOSSARY)
    return Settings(tmp_path)


@pytest.fixture
def chapter(book: Settings) -> Callable[..., Path]:
    """Writes a chapter with the usual front matter and returns its path."""

    def write(text: str, name: str = "chapter") -> Path:
        path = book.book / f"{name}.md"
        path.write_text(_FRONT + text)
        return path

    return write
