"""Serves the built site on this machine: `python tools/serve.py`, with `PORT=8001` for another port."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).resolve().parents[1] / "_build" / "html"
DEFAULT_PORT = 8000
PORTS_TO_TRY = 10


class ServeError(Exception):
    """Why the site cannot be served, and what to do."""


class SiteHandler(SimpleHTTPRequestHandler):
    """Files of one folder below one path, such as /repo/, as GitHub Pages serves them."""

    extensions_map = {  # noqa: RUF012  (the base class has it as a plain dict)
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".woff2": "font/woff2",
    }

    def __init__(self, *args, prefix: str = "/", **kwargs):
        self.prefix = prefix
        super().__init__(*args, **kwargs)

    def translate_path(self, path: str) -> str:
        wanted = unquote(urlsplit(path).path)
        if not wanted.startswith(self.prefix):
            return os.path.join(self.directory, "outside-the-site")
        return super().translate_path("/" + path.removeprefix(self.prefix))

    def log_message(self, *_args) -> None:
        """Silence: the reader of the terminal wants the address, not each file."""


def site_server(site: Path, port: int, prefix: str = "/") -> ThreadingHTTPServer:
    """A server for ``site`` below ``prefix``, listening on this machine alone. Port 0: any free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(SiteHandler, directory=str(site), prefix=prefix))


@contextmanager
def served(site: Path, prefix: str = "/") -> Iterator[str]:
    """The address of ``site`` while the block runs."""
    server = site_server(site, 0, prefix)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def open_server(site: Path, wanted: str | None) -> ThreadingHTTPServer:
    """A server at the port that was asked for, or at the first free one from 8000 on. Raises: ServeError."""
    if not (site / "index.html").is_file():
        raise ServeError(f"there is no site in {site}: run `make build`")
    if wanted:
        return _at_port(site, _port_number(wanted))
    for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TO_TRY):
        try:
            return site_server(site, port)
        except OSError:
            print(f"serve: port {port} is taken, trying the next", flush=True)
    raise ServeError(f"ports {DEFAULT_PORT} to {DEFAULT_PORT + PORTS_TO_TRY - 1} are taken: choose one with PORT=")


def _at_port(site: Path, port: int) -> ThreadingHTTPServer:
    try:
        return site_server(site, port)
    except OSError as problem:
        raise ServeError(f"port {port} cannot be used ({problem.strerror}): choose another with PORT=") from problem


def _port_number(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text) <= 65535:
        return int(text)
    raise ServeError(f"PORT must be a number from 1 to 65535, got {text!r}")


def main() -> int:
    try:
        server = open_server(SITE, os.environ.get("PORT"))
    except ServeError as problem:
        print(f"serve: {problem}", file=sys.stderr)
        return 1
    print(f"serve: the book is at http://localhost:{server.server_port}/ (Ctrl-C stops it)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print("\nserve: stopped")
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
