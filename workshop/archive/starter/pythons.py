"""The Pythons of this laptop, and which of them the archive's wheels fit."""

from __future__ import annotations

import glob
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workshop.archive.starter.contents import Contents
from workshop.archive.starter.problem import Problem

# What a Python says of itself
PROBE = """
import json, platform, struct, sys, sysconfig
print(json.dumps({
    "path": sys.executable,
    "version": list(sys.version_info[:3]),
    "kind": platform.python_implementation(),
    "bits": 8 * struct.calcsize("P"),
    "built_for": sysconfig.get_platform(),
    "processor": platform.machine(),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "libc": list(platform.libc_ver()),
    "macos": platform.mac_ver()[0],
}))
"""
# Where installers put Python without a word on PATH; {0} is 3.12, {1} is 312.
ELSEWHERE = {
    "Darwin": [
        "/Library/Frameworks/Python.framework/Versions/{0}/bin/python{0}",
        "/opt/homebrew/bin/python{0}",
        "/usr/local/bin/python{0}",
    ],
    "Linux": ["/usr/bin/python{0}", "/usr/local/bin/python{0}"],
    "Windows": [
        "{local}/Programs/Python/Python{1}/python.exe",
        "{programs}/Python{1}/python.exe",
        "C:/Python{1}/python.exe",
    ],
}
OF_PYENV = "~/.pyenv/versions/{0}.*/bin/python"

# torch/_dynamo/guards.py of torch 2.13 warns of this one release.
SLOWER = [3, 13, 0]


@dataclass(frozen=True)
class Python:
    """A Python, as it describes itself."""

    path: str
    version: list[int]
    kind: str
    bits: int
    built_for: str
    processor: str
    free_threaded: bool
    libc: list[str]
    macos: str

    @property
    def minor(self) -> str:
        """Return its version as archives name it."""
        return f"{self.version[0]}.{self.version[1]}"

    @property
    def machine(self) -> str:
        """Return the processor that it was built for; a Mac's Python may be built for both."""
        of_mac = self.built_for.startswith("macosx")
        name = self.processor if of_mac else self.built_for.rpartition("-")[2]
        return {"amd64": "x86_64", "aarch64": "arm64"}.get(name.lower(), name.lower())

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.version))} ({self.path})"


def find_python(contents: Contents) -> Python:
    """Return the Python to use: of the archive's first version that is here.

    Raises:
        Problem: the archive fits none of this laptop's.
    """
    found = list(pythons(contents))
    fitting = [python for python in found if why_not(python, contents) is None]
    order = {version: place for place, version in enumerate(contents.pythons)}
    fitting.sort(key=lambda python: (python.version == SLOWER, order[python.minor]))
    if fitting:
        return fitting[0]
    raise Problem(none_fits(found, contents))


def why_not(python: Python, contents: Contents) -> str | None:
    """Say why the archive's wheels do not fit a Python; None if they do."""
    if python.kind != "CPython":
        return f"it is {python.kind}"
    if python.machine != contents.machine or python.bits != 64:
        return f"it is built for {python.bits} bits of {python.machine}"
    if python.minor not in contents.pythons:
        return "another version"
    if python.free_threaded:
        return "it is the build without a global lock, which has other wheels"
    if contents.system == "Linux" and numbers(python.libc[1]) < contents.glibc:
        return f"its C library is {' '.join(python.libc).strip() or 'another than glibc'}"
    if contents.system == "Darwin" and [10, 16] < numbers(python.macos) < contents.macos:
        return f"this is macOS {python.macos}"
    return None


def none_fits(found: list[Python], contents: Contents) -> str:
    """Say what the archive needs, and what this laptop has."""
    versions = " or ".join(contents.pythons)
    first = f"This archive needs Python {versions}, for {contents.words}"
    lines = [first + (f" ({contents.needs})." if contents.needs else ".")]
    if found:
        lines += ["This laptop has:"]
        lines += [f"  Python {python}: {why_not(python, contents)}" for python in found]
    lines += [
        f"Install Python {contents.pythons[0]} (python.org has it; your instructor may, too), and "
        "start again.",
    ]
    return "\n".join(lines)


def pythons(contents: Contents) -> Iterator[Python]:
    """Yield the Pythons of this laptop, each once."""
    seen = set()
    for command in [[sys.executable], *candidates(contents)]:
        python = ask(command)
        if python is not None and os.path.realpath(python.path) not in seen:
            seen.add(os.path.realpath(python.path))
            yield python


def candidates(contents: Contents) -> Iterator[list[str]]:
    """Yield commands that may start a Python."""
    system = platform.system()
    places = {
        "local": os.environ.get("LOCALAPPDATA", "C:"),
        "programs": os.environ.get("PROGRAMFILES", "C:"),
    }
    for version in contents.pythons:
        if system == "Windows" and shutil.which("py"):
            yield ["py", f"-{version}"]
        for pattern in ELSEWHERE.get(system, []):
            yield [pattern.format(version, version.replace(".", ""), **places)]
        for path in sorted(glob.glob(os.path.expanduser(OF_PYENV.format(version)))):
            yield [path]
    for name in [f"python{version}" for version in contents.pythons] + ["python3", "python"]:
        program = shutil.which(name)
        if program is not None and not is_stand_in(program, system):
            yield [program]


def is_stand_in(path: str, system: str) -> bool:
    """Tell whether a program is no Python, but opens a shop or an installer of one."""
    if system == "Darwin":
        return path == "/usr/bin/python3"
    return system == "Windows" and "WindowsApps" in path and Path(path).stat().st_size == 0


def ask(command: list[str]) -> Python | None:
    """Return what a Python says of itself; None if there is none."""
    if not shutil.which(command[0]):
        return None
    try:
        done = subprocess.run(
            [*command, "-I", "-c", PROBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Python(**json.loads(done.stdout.decode("utf-8"))) if not done.returncode else None
    except (OSError, ValueError, TypeError, subprocess.SubprocessError):
        return None


def numbers(version: str) -> list[int]:
    """Return the first two numbers of a version.

    >>> numbers("2.36"), numbers("14.5.1"), numbers("")
    ([2, 36], [14, 5], [])
    """
    parts = version.split(".")[:2]
    return [int(part) for part in parts] if all(part.isdigit() for part in parts) else []
