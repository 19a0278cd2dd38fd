"""The one error of the conversion."""

from __future__ import annotations


class PlainError(ValueError):
    """Something in a chapter that cannot be shown as plain Markdown, with its file and line."""

    def __init__(self, message: str, *, file: str = "", line: int = 0):
        super().__init__(f"{file}:{line}: {message}" if file else message)
        self.message, self.file, self.line = message, file, line
