"""From source text to the function that is graded: for solutions, mistakes, and what learners type."""

from __future__ import annotations

import ast
import dis
import inspect
import types
import warnings
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

FILENAME = "<your code>"


class NoFunction(Exception):
    """The source defines nothing that could be graded; the message says so."""


def load(source: str, function: str, filename: str = FILENAME) -> Callable[..., Any]:
    """Run ``source`` and return its function. Raises: whatever the source raises; NoFunction."""
    namespace: dict[str, Any] = {"__name__": "__exercise__"}
    exec(compile(source, filename, "exec", dont_inherit=True), namespace)
    return pick(namespace, source, function)


def pick(namespace: dict[str, Any], source: str, function: str) -> Callable[..., Any]:
    """The function of that name; if there is none, the only one that no other function of the source uses."""
    found = namespace.get(function)
    if callable(found):
        return found
    own = [name for name in _defined(source) if callable(namespace.get(name))]
    helpers = {name for other in own for name in names_in(namespace[other]) if name != other}
    main = [name for name in own if name not in helpers]
    if len(main) == 1:
        return namespace[main[0]]
    named = f"; it defines {', '.join(f'`{name}`' for name in own)}" if own else ""
    raise NoFunction(f"your code defines no function `{function}`{named}")


def tidy(source: str) -> str:
    """Without what comes along when code is copied from a web page: a byte order mark, hard spaces."""
    return source.removeprefix("\ufeff").replace("\u00a0", " ")


def syntax_problem(source: str) -> str | None:
    """Why Python cannot read the source, in one line with the line number; None if it can."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, FILENAME, "exec", dont_inherit=True)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        return f"Python cannot read your code{where}: {error.msg}."
    except (ValueError, RecursionError, MemoryError) as error:
        return f"Python cannot read your code: {type(error).__name__}."
    return None


def _defined(source: str) -> list[str]:
    """Names of functions at the top level, by `def` or `name = lambda`."""
    names = []
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            names.extend(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


def names_in(function: Any) -> list[str]:
    """Globals and attributes that a function's code mentions, those of inner functions too."""
    return _names_in_code(getattr(function, "__code__", None))


def _names_in_code(code: Any) -> list[str]:
    if not isinstance(code, types.CodeType):
        return []
    return [*code.co_names, *(name for const in code.co_consts for name in _names_in_code(const))]


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Empty if the function hides its signature."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def is_empty(function: Callable[..., Any]) -> bool:
    """True for a body without work: a docstring, `pass`, `...`, `return None`, `raise NotImplementedError`."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType) or set(code.co_names) - {"NotImplementedError"}:
        return False
    if any(const is not None and const is not Ellipsis and const != function.__doc__ for const in code.co_consts):
        return False
    return all(step.opname in _EMPTY_STEPS for step in dis.get_instructions(code))


_EMPTY_STEPS = {
    *("RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "POP_TOP", "CACHE"),
    *("LOAD_GLOBAL", "RAISE_VARARGS", "PUSH_NULL", "PRECALL", "CALL", "CALL_FUNCTION"),
}


def same_code(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """True if two functions are the same but for comments, blank lines and the docstring."""
    first, second = getattr(one, "__code__", None), getattr(other, "__code__", None)
    if not isinstance(first, types.CodeType) or not isinstance(second, types.CodeType):
        return False
    return _steps(first) == _steps(second)


def _steps(code: types.CodeType) -> list[tuple[str, Any]]:
    """What the code does, whatever stands around it.

    Python calls `math.cos` in another way where `import math` stands in the same cell; that also moves jump targets.
    """
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("PUSH_NULL", "CACHE")]
    offsets = [step.offset for step in steps]

    def means(step: dis.Instruction) -> Any:
        if isinstance(step.argval, types.CodeType):
            return _steps(step.argval)
        jumps = step.opcode in dis.hasjrel or step.opcode in dis.hasjabs
        return bisect_left(offsets, step.argval) if jumps else repr(step.argval)

    return [("LOAD_ATTR" if step.opname == "LOAD_METHOD" else step.opname, means(step)) for step in steps]
