"""A place like Colab: its versions of NumPy and matplotlib, torch, a kernel, git, and no pe_course.

The packages are installed once into a base environment, kept in ``_build`` and made anew when the list
changes. Each notebook gets an empty environment of its own on top of it, so that whatever a set-up
cell installs is gone afterwards.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.settings import ROOT, Settings

# What Colab carried in August 2026, but for torch: there 2.11.0, here the version that requirements.txt pins.
COLAB = ("numpy==2.1.3", "matplotlib==3.10.0", "ipykernel==6.17.1", "ipython==7.34.0")
_PINNED = dict(line.split("==") for line in (ROOT / "requirements.txt").read_text().split() if "==" in line)
PACKAGES = (*COLAB, f"torch=={_PINNED['torch']}", f"setuptools=={_PINNED['setuptools']}", "pip")


@dataclass(frozen=True)
class Colab:
    """A kernel named ``name`` that Jupyter finds below ``jupyter_path``, and its Python."""

    name: str
    python: Path
    jupyter_path: Path

    def version(self, package: str) -> str:
        code = f"from importlib.metadata import version; print(version({package!r}))"
        return subprocess.run([self.python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="session")
def base_environment() -> Path:
    """The site-packages folder that holds Colab's packages."""
    digest = hashlib.sha256(" ".join((*PACKAGES, sys.version)).encode()).hexdigest()[:12]
    folder = ROOT / "_build" / f"colab-{digest}"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *_torch_source(), *PACKAGES], check=True)
        (folder / "complete").touch()
    return next((folder / "lib").glob("python*/site-packages"))


def _torch_source() -> list[str]:
    index = os.environ.get("TORCH_INDEX")
    return ["--extra-index-url", index] if index else []


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare repository of the working tree, tracked and new files, with the branch that the set-up cell names."""
    folder = tmp_path_factory.mktemp("repository")
    bare, index = folder / "bare.git", folder / "index"
    environment = os.environ | {
        "GIT_INDEX_FILE": str(index),
        "GIT_DIR": str(bare),
        "GIT_WORK_TREE": str(ROOT),
        "GIT_AUTHOR_NAME": "test",
        "GIT_AUTHOR_EMAIL": "test@example.org",
        "GIT_COMMITTER_NAME": "test",
        "GIT_COMMITTER_EMAIL": "test@example.org",
    }

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    git("add", "--all", ".")
    commit = git("commit-tree", git("write-tree"), "-m", "the working tree")
    git("update-ref", f"refs/heads/{Settings().branch}", commit)
    return bare


@pytest.fixture
def colab(base_environment: Path, repository: Path, tmp_path: Path) -> Colab:
    """An empty environment on top of the base one, as a Jupyter kernel that finds the repository under its address."""
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    own = next((folder / "lib").glob("python*/site-packages"))
    (own / "base.pth").write_text(f"{base_environment}\n")
    kernel = tmp_path / "jupyter" / "kernels" / "colab"
    kernel.mkdir(parents=True)
    specification = {
        "argv": [str(folder / "bin" / "python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Colab",
        "language": "python",
        "env": {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf",
            "GIT_CONFIG_VALUE_0": Settings().repository_url,
            "PYTHONPATH": "",
        },
    }
    (kernel / "kernel.json").write_text(json.dumps(specification))
    return Colab("colab", folder / "bin" / "python", tmp_path / "jupyter")
