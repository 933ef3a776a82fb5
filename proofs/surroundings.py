"""When a proof was run in full, on which code, with which versions, on which processor."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

from proofs.proof import Proof
from qlearn.doctor.gather import LIMITS

# What the kernels choose by, as torch names it: on x86-64, then on ARM.
INSTRUCTIONS = "avx2 fma3 avx512_f avx_vnni avx512_vnni amx_int8 neon dot i8mm sve sve2"


@dataclass(frozen=True)
class Surroundings:
    """What a reader needs to know of a run.

    Attributes:
        date: the day, as in 2026-11-22.
        commit: the commit whose code was run, with a plus sign if files had been changed since;
            empty where git does not say.
        versions: by package; qlearn's and torch's, and that of the oracle's package.
        processor: its name and the instructions that the kernels choose by.
        system: the operating system and the version of Python.
    """

    date: str
    commit: str
    versions: dict[str, str]
    processor: str
    system: str

    def __str__(self) -> str:
        """Return them as one line of the page."""
        versions = [f"{package} {number}" for package, number in self.versions.items()]
        code = [f"commit {self.commit}"] if self.commit else []
        return f"{self.date}: {', '.join([*code, *versions, self.processor, self.system])}"


def surroundings(proof: Proof) -> Surroundings:
    """Return what a run of the proof here and now depends on."""
    packages = ["qlearn", "torch"] + ([proof.package] if proof.package else [])
    return Surroundings(
        datetime.date.today().isoformat(),
        commit(),
        {package: package_version(package) for package in packages},
        processor(),
        f"{platform.system()}, Python {platform.python_version()}",
    )


def package_version(package: str) -> str:
    """Return a version without the local suffix, which names a build."""
    name = {"tensorflow": "tensorflow-cpu"}.get(package, package)
    return version(name).partition("+")[0]


def installed_version(package: str) -> str | None:
    """Return the version, or None where it is not installed: `make prove` alone installs some."""
    try:
        return package_version(package)
    except PackageNotFoundError:
        return None


def commit(folder: Path = Path(__file__).parents[1]) -> str:
    """Return the commit that is checked out there, as :class:`Surroundings` has it."""
    try:
        head = _git(folder, "rev-parse", "--short=10", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--", "qlearn", "proofs/*.py")
    except (OSError, subprocess.CalledProcessError):  # no git, or no repository
        return ""
    return head + ("+" if changed else "")


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def processor() -> str:
    """Return the processor's name, its instructions, and what torch's libraries may use of them.

    oneDNN and FBGEMM do not say what they chose; they choose by these instructions, within the
    limits of the environment.
    """
    able = torch.cpu.get_capabilities()
    name = able.get("cpu_name") or platform.processor() or "unnamed"
    has = (
        ", ".join(one for one in INSTRUCTIONS.split() if able.get(one))
        or "none that the kernels ask for"
    )
    limits = "".join(f", {name}={os.environ[name]}" for name in LIMITS if name in os.environ)
    chosen = torch.backends.cpu.get_cpu_capability()
    return f"{name} ({platform.machine()}: {has}; ATen takes {chosen}{limits})"
