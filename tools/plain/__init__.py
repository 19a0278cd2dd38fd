"""MyST to the plain Markdown that Colab, Kaggle and Jupyter all show.

The work is done on the token stream of the parser that MyST itself uses: ``source`` reads a chapter into tokens,
``labels`` finds what can be linked to, ``render`` writes tokens back as plain Markdown with the help
of ``roles`` and ``directives``. What none of them knows is an error that names file and line.
"""

from tools.plain.errors import PlainError
from tools.plain.labels import Labels
from tools.plain.render import PageWriter

__all__ = ["Labels", "PageWriter", "PlainError"]
