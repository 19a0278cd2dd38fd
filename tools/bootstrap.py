"""Create ``.venv`` with what ``requirements.txt`` pins. Needs nothing but Python, and runs on any version to say so.

python3 tools/bootstrap.py            # TORCH_INDEX=URL takes torch from that index
"""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
REQUIREMENTS = os.path.join(ROOT, "requirements.txt")
MINIMUM = (3, 11)


def check_system():
    """Stops with the name of the package to install where the system lacks something."""
    if sys.version_info < MINIMUM:
        sys.exit(
            "Python %d.%d or newer is needed, this is %d.%d. Install it (Debian, Ubuntu: apt-get install python3) "
            "or name another: make PYTHON=python3.12 ..." % (MINIMUM + tuple(sys.version_info[:2]))
        )
    try:
        import ensurepip  # noqa: F401  (imported to see whether it is there)
        import venv  # noqa: F401  (likewise)
    except ImportError:
        sys.exit("Python's venv module is missing. Install it (Debian, Ubuntu: apt-get install python3-venv).")
    if shutil.which("git") is None:
        sys.exit("git is missing. Install it (Debian, Ubuntu: apt-get install git).")


def pinned():
    """The requirement lines of requirements.txt."""
    with open(REQUIREMENTS, encoding="utf-8") as file:
        lines = [line.split("#")[0].strip() for line in file]
    return [line for line in lines if line]


def create_venv():
    if not os.path.exists(PYTHON):
        print("creating .venv with Python %d.%d" % sys.version_info[:2], flush=True)
        import venv

        venv.create(VENV, with_pip=True, symlinks=True)


def run_pip(arguments, total, what):
    """Runs pip, shows how far it is, and prints all it said where it fails."""
    command = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off", *arguments]
    said, seen = [], 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout:
            said.append(line)
            match = re.match(r"\s*(?:Collecting|Requirement already satisfied:) ([\w.-]+)", line)
            if match:
                seen = min(seen + 1, total)
                show("%s: %d of %d, %s" % (what, seen, total, match[1]), last=seen == total, step=seen % 25 == 0)
            elif line.startswith("Installing collected packages"):
                show("%s: unpacking" % what, last=True)
    if process.returncode:
        sys.exit("".join(said) + "\npip failed; what it said stands above. Is the package index reachable?")


def show(text, last=False, step=False):
    """A line that overwrites itself in a terminal; elsewhere a line now and then."""
    if sys.stdout.isatty():
        print("\r%-78s" % text[:78], end="\n" if last else "", flush=True)
    elif last or step:
        print(text, flush=True)


def main():
    check_system()
    create_venv()
    lines = pinned()
    index = os.environ.get("TORCH_INDEX")
    if index:
        torch = [line for line in lines if line.startswith("torch==")]
        run_pip(["--index-url", index, *torch], len(torch), "installing torch from TORCH_INDEX")
    run_pip(["-r", REQUIREMENTS], len(lines), "installing what requirements.txt pins")
    run_pip(["--no-deps", "--no-build-isolation", "-e", ROOT], 1, "installing pe_course from this folder")


if __name__ == "__main__":
    main()
