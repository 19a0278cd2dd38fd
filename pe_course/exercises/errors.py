"""What the exceptions that beginners meet have to tell."""

from __future__ import annotations

_ERRORS = (
    ("can't multiply sequence", "A list is no array: multiply its numbers one by one."),
    ("unsupported operand type(s)", "A list is no array: calculate with its numbers one by one."),
    ("must be real number, not list", "The functions of `math` take one number at a time: use a loop."),
    ("only length-1 arrays", "The functions of `math` take one number at a time; for arrays there is `np.sin`."),
    ("only 0-dimensional arrays", "The functions of `math` take one number at a time; for arrays there is `np.sin`."),
    ("math domain error", "That is the logarithm of 0 or of a negative number, or the root of a negative one."),
    ("expected a positive input", "The logarithm needs a number above 0."),
    ("list index out of range", "An index runs past the end: check where the `range` ends."),
    ("is out of bounds", "An index runs past the end: check where the range ends."),
    ("list indices must be integers", "An index is no whole number: `/` gives 2.0 where `//` gives 2."),
    ("cannot be interpreted as an integer", "A whole number is needed: `/` gives 2.0 where `//` gives 2."),
    ("only integers, slices", "An index is no whole number: `/` gives 2.0 where `//` gives 2."),
    ("could not be broadcast", "Two arrays do not fit together: compare their shapes; `[:, None]` adds an axis."),
    ("ZeroDivisionError", "A divisor is 0 for this input."),
    ("UnboundLocalError", "The name gets its value later, or in a branch that was not taken."),
    ("name 'np' is not defined", "Without `import numpy as np`, there is no `np`; `math` and lists are enough here."),
    ("name 'math' is not defined", "Put `import math` at the top."),
    ("name 'torch' is not defined", "Without `import torch`, there is no `torch`."),
    ("truth value of an array", "An array in an `if` has many truth values: loop over it, or use `np.where`."),
    ("OverflowError", "A number grew too large: is there a minus missing in the exponent?"),
    ("no attribute 'shape'", "A list has no `.shape`: use `len(x)` and `len(x[0])`."),
    ("has no attribute", "Is that a list where you expect an array, or the other way round?"),
)


def error_sentence(said: str) -> str | None:
    """A hint for the exceptions that beginners meet."""
    return next((sentence for part, sentence in _ERRORS if part in said), None)
