"""Move the project to another public address. It stands in ``_config.yml``; all else derives from it.

python -m tools.set_repository https://github.com/OWNER/NAME
"""

from __future__ import annotations

import re
import sys

from tools.settings import Settings

_ADDRESS = re.compile(r"https://[\w.-]+/[\w.-]+/[\w.-]+")


def set_repository(settings: Settings, url: str) -> None:
    """Rewrites ``repository.url`` in ``_config.yml``, leaving all else in the file as it is. Raises: ValueError."""
    if not _ADDRESS.fullmatch(url):
        raise ValueError(f"URL must look like https://github.com/OWNER/NAME, got {url!r}")
    text = settings.config_file.read_text(encoding="utf-8")
    changed, number = re.subn(rf"(?m)^(\s+url: ){re.escape(settings.repository_url)}/?$", rf"\g<1>{url}", text)
    if number != 1:
        raise ValueError(f"repository.url was found {number} times in {settings.config_file.name}, expected once")
    settings.config_file.write_text(changed, encoding="utf-8")


def main() -> int:
    try:
        set_repository(Settings(), sys.argv[1] if len(sys.argv) > 1 else "")
    except ValueError as error:
        print(error)
        return 1
    print(f"repository.url is now {Settings().repository_url}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
