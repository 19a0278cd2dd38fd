"""tools/serve.py: the built site at an address, or a sentence that says what to do."""

from __future__ import annotations

import socket
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tools import serve


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "html"
    folder.mkdir()
    (folder / "index.html").write_text("the book")
    (folder / "chunk.js").write_text("export {};")
    return folder


@pytest.fixture
def taken_port():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_site_is_served_below_a_path(site: Path):
    with serve.served(site, "/repo/") as address:
        assert address.endswith("/repo/")
        with urlopen(address) as answer:
            assert answer.read() == b"the book"
        with urlopen(address + "chunk.js") as answer:
            assert answer.headers.get_content_type() == "text/javascript"


@pytest.mark.parametrize("path", ["", "index.html", "other/index.html"])
def test_nothing_is_served_beside_that_path(site: Path, path: str):
    with serve.served(site, "/repo/") as address:
        with pytest.raises(HTTPError, match="404") as refused:
            urlopen(address.removesuffix("repo/") + path)
        refused.value.close()


def test_missing_site_says_how_to_build_it(tmp_path: Path):
    with pytest.raises(serve.ServeError, match="run `make build`"):
        serve.open_server(tmp_path, None)


def test_taken_port_asks_for_another(site: Path, taken_port: int):
    with pytest.raises(serve.ServeError, match=f"port {taken_port} cannot be used .*choose another with PORT="):
        serve.open_server(site, str(taken_port))


def test_taken_default_port_tries_the_next(site: Path, taken_port: int, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(serve, "DEFAULT_PORT", taken_port)
    server = serve.open_server(site, None)
    server.server_close()
    assert server.server_port > taken_port
    assert f"port {taken_port} is taken" in capsys.readouterr().out


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "80.5", "²"])
def test_port_that_is_none_is_named(site: Path, port: str):
    with pytest.raises(serve.ServeError, match="PORT must be a number from 1 to 65535"):
        serve.open_server(site, port)
