"""With what a row was made: versions, and the commit of the code."""

from __future__ import annotations

import platform
import subprocess
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import torch

import pe_course

_CODE = Path(pe_course.__file__).parent


def versions(device: torch.device) -> dict[str, str]:
    found = {name: metadata.version(name) for name in ("numpy", "torch")}
    hardware = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    return {"pe_course": pe_course.__version__, "python": platform.python_version(), **found, "device": hardware}


@lru_cache(maxsize=1)
def commit() -> str | None:
    """The commit of the code that runs, "+changes" added if the package differs from it; None outside a repository."""
    found = _git("rev-parse", "HEAD")
    if found is None:
        return None
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", *(str(p) for p in _CODE.rglob("*.py")))
    return f"{found}+changes" if changed else found


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(_CODE), *arguments], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
