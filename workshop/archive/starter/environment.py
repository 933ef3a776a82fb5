"""The virtual environment beside the archive, made from the archive's own wheels."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

from workshop.archive.starter.contents import Contents
from workshop.archive.starter.problem import Problem
from workshop.archive.starter.pythons import Python

STAMP = "course-is-ready"
# Settings of this laptop's own that would lead an installer, or Python, elsewhere
FOREIGN = ("PIP_", "UV_", "PYTHON", "VIRTUAL_ENV", "CONDA_", "__PYVENV_LAUNCHER__")


def own_python(folder: Path) -> Path:
    """Return where the environment has its Python."""
    return folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def clean_variables() -> dict[str, str]:
    """Return this process's variables without those that lead an installer elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return dict(kept, PIP_CONFIG_FILE=os.devnull, PIP_DISABLE_PIP_VERSION_CHECK="1")


def is_ready(folder: Path, contents: Contents) -> bool:
    """Tell whether the environment is whole, of this archive, made here, and starts."""
    try:
        stamp = (folder / "venv" / STAMP).read_text(encoding="utf-8")
        if stamp != stamp_of(folder, contents):
            return False
        command = [str(own_python(folder)), "-I", "-c", ""]
        return subprocess.call(command, stdin=subprocess.DEVNULL) == 0
    except (OSError, ValueError):
        return False


def stamp_of(folder: Path, contents: Contents) -> str:
    """Return what the stamp says: the archive, and the folder, which an environment knows."""
    return f"{contents.digest}\n{folder}\n"


def make(folder: Path, python: Python, contents: Contents) -> str:
    """Make the environment from nothing, write its stamp, and return which installer did it.

    Raises:
        Problem: neither uv nor pip could.
    """
    with (folder / "start.log").open("ab") as log:
        for name, way in (("uv", _with_uv), ("pip", _with_pip)):
            _remove(folder / "venv")
            steps = way(folder, python, contents)
            if steps and all(_runs(step, folder, log.fileno()) for step in steps):
                stamp = folder / "venv" / STAMP
                stamp.write_text(stamp_of(folder, contents), encoding="utf-8")
                return name
    _remove(folder / "venv")
    raise Problem(
        f"The course could not be installed. What went wrong stands at the end of "
        f"{folder / 'start.log'}: show it to your instructor."
    )


def _with_uv(folder: Path, python: Python, contents: Contents) -> list[list[str]]:
    uv = _unpack_uv(folder)
    if uv is None:
        return []
    own = [str(uv), "--offline", "--no-config", "--cache-dir", str(folder / ".uv" / "cache")]
    install = ["pip", "install", "--python", str(own_python(folder)), "--no-index", "--no-deps"]
    make_it = ["venv", "--no-project", "--python", python.path, str(folder / "venv")]
    return [[*own, *make_it], [*own, *install, *_from_here(folder, python, contents)]]


def _with_pip(folder: Path, python: Python, contents: Contents) -> list[list[str]]:
    install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    return [
        [python.path, "-m", "venv", str(folder / "venv")],
        [str(own_python(folder)), *install, *_from_here(folder, python, contents)],
    ]


def _from_here(folder: Path, python: Python, contents: Contents) -> list[str]:
    return ["--find-links", str(folder / "wheels"), *contents.install[python.minor]]


def _unpack_uv(folder: Path) -> Path | None:
    """Return uv's program, taken out of its wheel; None if the archive has none."""
    name = "uv.exe" if os.name == "nt" else "uv"
    for wheel in (folder / "wheels").glob("uv-*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            for entry in packed.namelist():
                if entry.endswith(f".data/scripts/{name}"):
                    target = folder / ".uv" / name
                    target.parent.mkdir(exist_ok=True)
                    target.write_bytes(packed.read(entry))
                    target.chmod(0o755)
                    return target
    return None


def tidy(folder: Path) -> None:
    """Remove what only the installation needed."""
    shutil.rmtree(str(folder / ".uv"), ignore_errors=True)


def _runs(command: list[str], folder: Path, log: int) -> bool:
    """Run a step with its words in the log; tell whether it worked."""
    os.write(log, (" ".join(command) + "\n").encode("utf-8", "backslashreplace"))
    try:
        return not subprocess.call(
            command,
            cwd=str(folder),
            env=clean_variables(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    except OSError as error:
        os.write(log, f"{error}\n".encode("utf-8", "backslashreplace"))
        return False


def _remove(environment: Path) -> None:
    """Remove an environment that is half made, or of another place.

    Raises:
        Problem: something in it is in use, or of somebody else.
    """
    try:
        if environment.exists():
            shutil.rmtree(str(environment))
    except OSError as error:
        raise Problem(
            f"{environment} is not whole, and cannot be removed ({error.strerror}). Close what "
            "still uses it (JupyterLab, a terminal, an editor), and start again."
        ) from None


def in_words(python: Python, contents: Contents) -> str:
    """Say what is about to be installed."""
    count = len(contents.install[python.minor])
    return f"Installing {count} packages for Python {python} ..."
