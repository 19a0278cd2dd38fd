"""Arguments and values as JSON, between the grader and the runner. Decoding builds numbers and lists, nothing else."""

from __future__ import annotations

from typing import Any


def encode(value: Any) -> Any:
    """A number, text, list, tuple, array or tensor, ready for ``json.dumps``. Raises: TypeError for anything else."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [encode(item) for item in value]}
    for kind, module in (("array", "numpy"), ("tensor", "torch")):
        if type(value).__module__.partition(".")[0] == module and hasattr(value, "tolist"):
            return {kind: encode(value.tolist()), "dtype": str(value.dtype).removeprefix("torch.")}
    raise TypeError(f"no way to send a {type(value).__name__}")


def decode(sent: Any) -> Any:
    """What was encoded; arrays and tensors only where their package is imported or can be."""
    if isinstance(sent, list):
        return [decode(item) for item in sent]
    if not isinstance(sent, dict):
        return sent
    if "complex" in sent:
        return complex(*sent["complex"])
    if "tuple" in sent:
        return tuple(decode(item) for item in sent["tuple"])
    if "array" in sent:
        import numpy

        return numpy.array(decode(sent["array"]), dtype=sent["dtype"])
    import torch

    return torch.tensor(decode(sent["tensor"]), dtype=getattr(torch, sent["dtype"]))


def decode_numbers(sent: Any) -> Any:
    """As `decode`, for what comes from a runner: refuses all but numbers, texts and lists. Raises: ValueError."""
    if isinstance(sent, list):
        return [decode_numbers(item) for item in sent]
    if isinstance(sent, dict):
        parts = sent.get("complex")
        if set(sent) != {"complex"} or not isinstance(parts, list) or [type(p) for p in parts] != [float, float]:
            raise ValueError("neither a number nor a list")
        return complex(*parts)
    return sent
