"""The code that decides a claim, as it stands in the file: what measures, the functions it calls, the condition."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType

from pe_course.claims.claim import Claim

_OURS = "pe_course.claims."
# Named for what they do, and the same for many claims: their code would only stand in the way.
_LEFT_OUT = {"pe_course.claims.judge", "pe_course.claims.lab_rows"}


def check_code(entry: Claim) -> str:
    """Python source of the check: helpers, ``measure``, and the condition as ``decides = …``.

    Raises: ValueError for a claim without a check.
    """
    if entry.measure is None or entry.decides is None:
        raise ValueError(f"{entry.id} has no check: its sources decide it")
    shown: dict[Callable, str] = {}
    for function in (entry.measure, entry.decides):
        _collect(function, shown)
    named = {entry.measure: "measure", entry.decides: "decides"}
    parts = [f"{named[f]} = {text}" if _is_lambda(f) else text for f, text in shown.items()]
    parts += [f"{name} = {f.__name__}" for f, name in named.items() if not _is_lambda(f)]
    return "\n\n".join(parts)


def _collect(function: Callable, shown: dict[Callable, str]) -> None:
    """Helpers before their users, each once."""
    if function in shown:
        return
    for helper in _called(function):
        if helper is not function:
            _collect(helper, shown)
    shown[function] = _lambda_source(function) if _is_lambda(function) else _source(function)


def _called(function: Callable) -> Iterator[Callable]:
    """The functions of the ledger that the code names."""
    for name in _names(function.__code__):
        helper = function.__globals__.get(name)
        if inspect.isfunction(helper) and helper.__module__.startswith(_OURS) and helper.__module__ not in _LEFT_OUT:
            yield inspect.unwrap(helper)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_lambda(function: Callable) -> bool:
    return function.__name__ == "<lambda>"


def _source(function: Callable) -> str:
    return textwrap.dedent(inspect.getsource(function)).rstrip()


def _lambda_source(function: Callable) -> str:
    """The lambda alone; ``inspect`` knows only the lines that it stands on."""
    code = function.__code__
    text, lambdas = _lambdas(code.co_filename)
    arguments = list(code.co_varnames[: code.co_argcount])
    for node in lambdas:
        if node.lineno == code.co_firstlineno and [each.arg for each in node.args.args] == arguments:
            return _laid_out(text, node)
    raise ValueError(f"{code.co_filename}:{code.co_firstlineno}: there is no such lambda")


def _laid_out(text: str, node: ast.Lambda) -> str:
    """Its text, with brackets around a body of several lines, indented from the margin."""
    head = ast.get_source_segment(text, node)[: node.body.col_offset - node.col_offset]
    body = ast.get_source_segment(text, node.body)
    if node.body.lineno == node.lineno == node.body.end_lineno:
        return head + body
    lines = textwrap.dedent(" " * node.body.col_offset + body)
    return "lambda " + ", ".join(each.arg for each in node.args.args) + ": (\n" + textwrap.indent(lines, "    ") + "\n)"


@cache
def _lambdas(file: str) -> tuple[str, list[ast.Lambda]]:
    text = Path(file).read_text(encoding="utf-8")
    return text, [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Lambda)]
