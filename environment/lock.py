"""Write constraints.txt: every version that a fresh install of the requirements brings.

pip resolves requirements-prove.txt (which includes the others) in an empty environment,
without the present constraints and without installing anything; what it would install is
written down. It resolves for the oldest Python that pyproject.toml allows, 3.11.0, because the
newest release of a package may need a later 3.11 than Debian 12 has. Run it as `make lock`, then
run `make test`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (
    "requirements.txt",
    "requirements-test.txt",
    "requirements-prove.txt",
    "workshop/archive/requirements.txt",
)

# A package that asks for more only under an old Python is seen by a Python of that age alone.
OLDEST = (3, 11, 0)

# pip's own tools come with each Python; the rest torch asks for on some platforms only.
LEFT_OUT = re.compile(r"pip|setuptools|wheel|qlearn|triton|nvidia-.*|cuda-.*")

HEADER = """\
# Made by `make lock`; change the requirements files instead, then run it.
# The version of every package that they bring along, so that each fresh machine gets
# the same ones. Packages of one platform only (CUDA, triton) are left to torch's own pins.
"""


def open_requirements(text: str) -> list[str]:
    """Return the `name==version` lines: no constraints, includes, comments or `-e .`."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("-")]


def pinned(report: dict) -> list[str]:
    """Return sorted `name==version` lines from pip's installation report."""
    found = (item["metadata"] for item in report["install"])
    # A local suffix such as +cpu names a build, not a version: leave the choice to the machine.
    versions = {
        re.sub(r"[-_.]+", "-", item["name"]).lower(): item["version"].partition("+")[0]
        for item in found
    }
    return [f"{n}=={v}" for n, v in sorted(versions.items()) if not LEFT_OUT.fullmatch(n)]


def resolve(requirements: list[str]) -> dict:
    """Return pip's report on installing `requirements` in an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / ("Scripts" if os.name == "nt" else "bin") / "python"
        report = Path(folder) / "report.json"
        command = [str(python), "-m", "pip", "install", *options(folder), "--report", str(report)]
        subprocess.run([*command, *requirements], check=True)
        return json.loads(report.read_text())


def options(folder: str) -> list[str]:
    """Return pip's options: install nothing, and choose what the oldest Python can install.

    pip asks for wheels alone and for a folder where it resolves for another Python.
    """
    oldest = ".".join(map(str, OLDEST))
    return ["--dry-run", "--ignore-installed", "--quiet", "--python-version", oldest,
            "--only-binary=:all:", "--target", folder]  # fmt: skip


def check_python(version: tuple[int, int]) -> None:
    """Raise unless this is the oldest Python's minor version, whose markers pip takes.

    Raises:
        RuntimeError: it is another one.
    """
    if version != OLDEST[:2]:
        wanted, found = (".".join(map(str, v)) for v in (OLDEST[:2], version))
        raise RuntimeError(
            f"this is Python {found}, but the pins must serve {wanted} too, and some packages "
            f"ask for more there: run make lock PYTHON=python{wanted}"
        )


def main() -> None:
    """Resolve, and write constraints.txt."""
    try:
        check_python(sys.version_info[:2])
    except RuntimeError as error:
        sys.exit(str(error))
    texts = [(ROOT / name).read_text() for name in SOURCES]
    requirements = [line for text in texts for line in open_requirements(text)]
    lines = pinned(resolve(requirements))
    (ROOT / "constraints.txt").write_text(HEADER + "\n".join(lines) + "\n")
    print(f"constraints.txt: {len(lines)} versions", file=sys.stderr)


if __name__ == "__main__":
    main()
