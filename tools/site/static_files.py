"""Where the site's own files come from: web/dist, built by tools/assets.py."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

DIST = Path(__file__).resolve().parents[2] / "web" / "dist"
# Jupyter Book turns every script it finds in a static folder into a <script> on every page.
AFTER_JUPYTER_BOOK = 900


def setup(app: Sphinx) -> None:
    app.connect("config-inited", serve_dist, priority=AFTER_JUPYTER_BOOK)
    app.connect("config-inited", drop_thebe, priority=AFTER_JUPYTER_BOOK)
    # A change here or in web/ concerns every page: Sphinx then reads and writes them all anew.
    app.add_config_value("site_fingerprint", fingerprint(), rebuild="env", types=[str])
    app.add_css_file("site/site.css")
    app.add_js_file("site/site.js", loading_method="defer")


def serve_dist(_app: Sphinx, config: Config) -> None:
    """Add web/dist to the static files, or say how to get it."""
    if not (DIST / ".built").is_file():
        raise ExtensionError(f"the site's JavaScript is not built ({DIST}): run `make assets`")
    config.html_static_path.append(str(DIST))


def fingerprint() -> str:
    """One hash of this extension's code and of what web/dist was built from."""
    files = [*sorted(Path(__file__).parent.rglob("*.py")), DIST / ".built"]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes() if file.is_file() else b"missing")
    return digest.hexdigest()


def drop_thebe(app: Sphinx, _config: Config) -> None:
    """Unhook sphinx_thebe, which Jupyter Book always loads: it declares its script twice and names a foreign host."""
    for listeners in app.events.listeners.values():
        listeners[:] = [each for each in listeners if not _comes_from_thebe(each.handler)]
    for files in (app.registry.css_files, app.registry.js_files):
        files[:] = [each for each in files if "thebe" not in str(each[0])]


def _comes_from_thebe(handler: object) -> bool:
    return getattr(handler, "__module__", "").startswith("sphinx_thebe")
