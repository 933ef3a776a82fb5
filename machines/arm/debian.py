"""Debian's packages, for any processor, unpacked into a folder: nothing is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def check_debian(release: Path = Path("/etc/os-release")) -> None:
    """Raise RuntimeError where there is no Debian to fetch packages from."""
    text = release.read_text("utf-8") if release.exists() else ""
    tools = all(shutil.which(tool) for tool in ("apt-get", "dpkg"))
    if "ID=debian" not in text.splitlines() or not tools:
        raise RuntimeError(
            "make arm builds its machine from Debian's packages, and this is no Debian: run it in "
            "a container or a virtual machine with Debian 12 or later"
        )


def processor_name() -> str:
    """Return what Debian calls this computer's processor, as in amd64."""
    return _said(["dpkg", "--print-architecture"])


def unpack(packages: list[str], processor: str, folder: Path, apt: Path) -> None:
    """Unpack the packages, and all that they depend on, into ``folder``.

    apt keeps its lists and files below ``apt``, and knows nothing of what is installed here; the
    sources are this system's own.
    """
    options = private(apt / processor, processor)
    _run(["apt-get", *options, "update"])
    wanted = ["install", "--download-only", "--yes", "--no-install-recommends", *packages]
    _run(["apt-get", *options, *wanted])
    folder.mkdir(parents=True, exist_ok=True)
    for package in sorted((apt / processor / "cache" / "archives").glob("*.deb")):
        _run(["dpkg", "-x", str(package), str(folder)])


def private(apt: Path, processor: str) -> list[str]:
    """Return the options by which apt works in a folder of its own, for one processor."""
    for part in ("lists/partial", "cache/archives/partial"):
        (apt / part).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    settings = {
        "APT::Architecture": processor,
        "APT::Architectures": processor,
        "APT::Sandbox::User": "root",
        "Dir::State": apt,
        "Dir::State::lists": apt / "lists",
        "Dir::State::status": apt / "status",
        "Dir::Cache": apt / "cache",
    }
    return [part for key, value in settings.items() for part in ("-o", f"{key}={value}")]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:1] + command[-2:])} failed:\n{done.stderr.strip()}")


def _said(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
