"""A laptop that gets the archive: unpack, start, run cells, end, start again; with a clock."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

from workshop.lan.addresses import free_port

TOKEN = "trial"
PATIENCE = 3600.0  # seconds for a start; an emulated processor takes a quarter of that
STEPS = {  # what a start prints when a step has ended
    "check": "Installing",
    "install": "Installed by",
    "doctor": "Your notebooks are in",
}
EDIT = "# What a student wrote"


class TrialError(RuntimeError):
    """The archive does not do what it should; with the words of the start."""


def unpack(archive: Path, scratch: Path) -> tuple[Path, float]:
    """Unpack an archive; return its folder, and the seconds."""
    start = time.monotonic()
    shutil.unpack_archive(archive, scratch)
    seconds = time.monotonic() - start
    (folder,) = scratch.iterdir()
    return folder, seconds


class Start:
    """One start of the course, until JupyterLab answers, by the Pythons on a path."""

    def __init__(self, folder: Path, path: str | None = None) -> None:
        self.folder, self.port = folder, free_port()
        self.log = folder.parent / f"said-{self.port}.txt"
        self.begun = time.monotonic()
        words = ["--no-browser", f"--port={self.port}", f"--IdentityProvider.token={TOKEN}"]
        with self.log.open("wb") as said:
            self.process = subprocess.Popen(
                ["sh", str(folder / "start.sh"), *words],
                stdout=said,
                stderr=said,
                env=os.environ | ({"PATH": path} if path else {}),
            )
        self.seconds = self._wait()

    @property
    def url(self) -> str:
        """Return where JupyterLab answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def said(self) -> str:
        """Return all that was printed."""
        return self.log.read_text(errors="replace")

    def _wait(self) -> dict[str, float]:
        """Return the seconds after which each step had ended, ``lab`` last.

        Raises:
            TrialError: it ended, or never answered.
        """
        seconds: dict[str, float] = {}
        while (now := time.monotonic() - self.begun) < PATIENCE:
            said = self.said
            for step, sign in STEPS.items():
                if sign in said:
                    seconds.setdefault(step, round(now, 1))
            if self._answers():
                return seconds | {"lab": round(time.monotonic() - self.begun, 1)}
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.end()
        raise TrialError(self.said)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/api", timeout=5):
                return True
        except OSError:
            return False

    def run_cells(self, notebook: str) -> dict:
        """Run a notebook's cells on the archive's own Python; return how long they took.

        Raises:
            TrialError: a cell failed.
        """
        script = Path(__file__).with_name("run_cells.py")
        python = self.folder / "venv" / "bin" / "python"
        command = [str(python), str(script), self.url, TOKEN, notebook]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise TrialError(done.stderr)
        found = json.loads(done.stdout)
        if found["errors"]:
            raise TrialError(f"cells of {notebook} failed: {found['errors']}")
        return dict(found)

    def end(self) -> None:
        """End JupyterLab, whose process is the one that was started."""
        self.process.terminate()
        self.process.wait(60)


def try_archive(archive: Path, scratch: Path) -> dict:
    """Start an archive as a student would, twice with uv and once with pip; return the seconds.

    Raises:
        TrialError: something went wrong, or a student's edit was lost.
    """
    folder, unpacking = unpack(archive, scratch)
    contents = json.loads((folder / "contents.json").read_text())
    unpacked = size_of(folder)
    first = Start(folder)
    cells = first.run_cells(contents["first"])
    first.end()
    notebook = folder / "my-notebooks" / contents["first"]
    edited = notebook.read_text().replace('"cells": [', f'"cells": [{markdown_cell()},', 1)
    notebook.write_text(edited)
    second = Start(folder)
    second.end()
    if notebook.read_text() != edited or "Installing" in second.said:
        raise TrialError("the second start installed again, or lost an edit:\n" + second.said)
    installed = size_of(folder / "venv")
    without_uv(folder)
    by_pip = Start(folder)
    by_pip.end()
    return {
        "python": _python(first.said),
        "torch": _torch(contents),
        "archive": archive.stat().st_size,
        "unpacked": unpacked,
        "installed": installed,
        "unpacking": round(unpacking, 1),
        "first_start": first.seconds,
        "cells": cells,
        "second_start": second.seconds["lab"],
        "with_pip": by_pip.seconds,
    }  # fmt: skip


def try_emulated(archive: Path, scratch: Path, path: str) -> dict:
    """Start an archive once, with the Python of an emulated computer; return the seconds.

    uv is a program for that computer's processor, which this one cannot start: pip installs.

    Raises:
        TrialError: something went wrong.
    """
    folder, _ = unpack(archive, scratch)
    contents = json.loads((folder / "contents.json").read_text())
    first = Start(folder, path)
    cells = first.run_cells(contents["first"])
    first.end()
    return {
        "python": _python(first.said),
        "torch": _torch(contents),
        "doctor": "The doctor has said no" not in first.said,
        "first_start": first.seconds,
        "cells": cells,
    }


def markdown_cell() -> str:
    """Return a cell of a student's, as JSON."""
    return json.dumps({"cell_type": "markdown", "id": "edit", "metadata": {}, "source": [EDIT]})


def without_uv(folder: Path) -> None:
    """Take uv out of an unpacked archive, and the environment away."""
    for wheel in (folder / "wheels").glob("uv-*.whl"):
        wheel.unlink()
    lines = (folder / "SHA256SUMS").read_text().splitlines(keepends=True)
    (folder / "SHA256SUMS").write_text("".join(x for x in lines if "  wheels/uv-" not in x))
    shutil.rmtree(folder / "venv")


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder; one with two names counts once."""
    states = (path.lstat() for path in folder.rglob("*") if not path.is_dir())
    return sum({state.st_ino: state.st_size for state in states}.values())


def _torch(contents: dict) -> str:
    pins = contents["install"][contents["pythons"][0]]
    return next(pin for pin in pins if pin.startswith("torch==")).partition("==")[2]


def _python(said: str) -> str:
    found = re.search(r"packages for Python (\S+)", said)
    return found[1] if found else ""
