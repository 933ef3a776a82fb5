"""The emulated computer as a whole: a folder, and in it a command that is its Python."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from machines.arm import debian, processor, wheels

PACKAGES = ["python3", "python3-venv", "libstdc++6", "libgomp1"]  # of Debian
LAUNCHER = """\
#!/bin/sh
# The Python of the emulated computer. It takes this file for itself, so that the processes which
# it starts are emulated too.
{variables}exec "{qemu}" -cpu {cpu} -0 "$0" -L "{root}" "{python}" "$@"
"""


@dataclass(frozen=True)
class Computer:
    """Where its parts lie."""

    folder: Path

    @property
    def root(self) -> Path:
        """Return what the emulated programs see as their root."""
        return self.folder / "root"

    @property
    def site(self) -> Path:
        """Return the folder of its Python packages."""
        return self.folder / "site"

    @property
    def python(self) -> Path:
        """Return the command that is its Python."""
        return self.folder / "python"

    @property
    def bare(self) -> Path:
        """Return the folder, for PATH, with the same Python as it comes, without packages."""
        return self.folder / "bare"

    @property
    def qemu(self) -> Path:
        """Return the emulator, under whichever of its names Debian's package has it."""
        programs = self.folder / "emulator" / "usr" / "bin"
        for name in ("qemu-aarch64-static", "qemu-aarch64"):
            if (programs / name).exists():
                return programs / name
        raise RuntimeError("Debian's package qemu-user-static brought no qemu-aarch64")

    def emulator(self) -> str:
        """Return the emulator's name and version, as it says them."""
        said = subprocess.run([self.qemu, "--version"], capture_output=True, text=True, check=True)
        return said.stdout.splitlines()[0]


def of_checkout(checkout: Path) -> Computer:
    """Return the computer of a checkout, built or not."""
    return Computer(checkout / "_build" / "arm")


def build(computer: Computer, constraints: Path) -> None:
    """Build it, unless it stands already, made from the same versions."""
    debian.check_debian()
    if debian.processor_name() == "arm64":
        raise RuntimeError("this computer is an ARM already: run make unit and make notebooks")
    parts = repr([wheels.WANTED, PACKAGES]).encode()
    made_of = hashlib.sha256(constraints.read_bytes() + parts).hexdigest()
    stamp = computer.folder / "ready"
    if stamp.exists() and stamp.read_text("utf-8") == made_of:
        return
    for part in (computer.root, computer.site, computer.folder / "emulator"):
        shutil.rmtree(part, ignore_errors=True)
    stamp.unlink(missing_ok=True)
    apt = computer.folder / "apt"
    print("Debian's packages ...", flush=True)
    debian.unpack(["qemu-user-static"], debian.processor_name(), computer.folder / "emulator", apt)
    debian.unpack(PACKAGES, "arm64", computer.root, apt)
    processor.describe(computer.root)
    interpreter = write_launchers(computer)
    print("torch and other wheels, about 3 GB ...", flush=True)
    wheels.fetch(computer.site, interpreter.name.removeprefix("python"), constraints)
    stamp.write_text(made_of, "utf-8")


def write_launchers(computer: Computer) -> Path:
    """Write the commands that are its Python, with packages and without; return what they start."""
    programs = (computer.root / "usr" / "bin").glob("python3.*")
    interpreter = next(p for p in programs if p.name.removeprefix("python3.").isdecimal())
    computer.bare.mkdir(parents=True, exist_ok=True)
    with_packages = f'PYTHONPATH="{computer.site}:$PYTHONPATH" '
    for command, variables in (
        (computer.python, with_packages),
        (computer.bare / interpreter.name, ""),
    ):
        text = LAUNCHER.format(
            variables=variables,
            qemu=computer.qemu,
            cpu=processor.NAME,
            root=computer.root,
            python=interpreter,
        )
        command.write_text(text, "utf-8")
        command.chmod(0o755)
    return interpreter


def environment(computer: Computer, checkout: Path) -> dict[str, str]:
    """Return the variables for its Python: nothing of this computer's but paths and language."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "TMPDIR")}
    ours = {
        "PYTHONPATH": str(checkout),
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "IPYTHONDIR": str(computer.folder / "ipython"),
        "MPLCONFIGDIR": str(computer.folder / "matplotlib"),
    }
    return kept | ours
