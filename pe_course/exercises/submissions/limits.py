"""What a submission may not do: take all memory, fill the disk, reach the network, start programs, write elsewhere.

This stops accidents and simple tricks. It is no sandbox: code that calls C functions gets around all but the limits of
the operating system.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

LARGEST_WRITE = 64_000_000
_NETWORK = ("__new__", "connect", "bind", "sendto", "sendmsg", "getaddrinfo", "gethostbyname", "gethostbyaddr")
_PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn")
_KILLING = ("os.kill", "os.killpg")
_CHANGING = {
    # act: how many paths come first, and where the open folders stand that they are relative to
    "os.remove": (1, 1),
    "os.rmdir": (1, 1),
    "os.mkdir": (1, 2),
    "os.rename": (2, 2),
    "os.link": (2, 2),
    "os.symlink": (2, 2),
    "os.truncate": (1, 2),
    "os.chmod": (1, 2),
    "os.chown": (1, 3),
    "shutil.rmtree": (1, 1),
}


def apply(folder: str, memory_mb: int, processor_seconds: int) -> None:
    """Limits this process, for good."""
    _limit_resources(memory_mb, processor_seconds)
    sys.addaudithook(_watch(os.path.realpath(folder), os.getpid()))


def _limit_resources(memory_mb: int, processor_seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {
        "RLIMIT_AS": memory_mb * 1_000_000,
        "RLIMIT_CPU": processor_seconds,
        "RLIMIT_FSIZE": LARGEST_WRITE,
        "RLIMIT_CORE": 0,
    }
    for name, most in limits.items():
        with contextlib.suppress(AttributeError, ValueError, OSError):  # macOS refuses RLIMIT_AS
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (least, least))


def _watch(folder: str, own: int) -> Any:
    """An audit hook. Python calls it before the act, and it cannot be taken off again."""
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    network = frozenset(f"socket.{name}" for name in _NETWORK)
    changing = dict(_CHANGING)
    programs, killing = frozenset(_PROGRAMS), frozenset(_KILLING)
    null = os.path.realpath(os.devnull)

    def inside(path: Any, folder_number: Any = None) -> bool:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return True
        path = os.fsdecode(path)
        if isinstance(folder_number, int) and folder_number >= 0:
            path = os.path.join(_folder_of(folder_number), path)
        found = os.path.realpath(path)
        return found in (folder, null) or found.startswith(folder + os.sep)

    def all_inside(args: tuple, paths: int, folders: int) -> bool:
        open_folders = (*args[folders:], *[None] * paths)
        return all(inside(path, number) for path, number in zip(args[:paths], open_folders, strict=False))

    def refuse(event: str, args: tuple) -> None:
        if event in network:
            raise PermissionError("no network while a submission is graded")
        if event in programs:
            raise PermissionError("no other programs while a submission is graded")
        if event in killing and args[0] != own:
            raise PermissionError("no signals to other processes while a submission is graded")
        if event == "open" and isinstance(args[2], int) and args[2] & writing and not inside(args[0]):
            raise PermissionError("a submission may write in its own folder only")
        if event in changing and not all_inside(args, *changing[event]):
            raise PermissionError("a submission may write in its own folder only")

    return refuse


def _folder_of(number: int) -> str:
    """The path of an open folder; where the system does not tell, the root, which is nobody's own."""
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return os.sep
