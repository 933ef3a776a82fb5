"""Ask pip whether every pin has a wheel for each Python and platform that the course names.

python -m machines.pins     # needs the network and some ten minutes; it installs nothing

Other Pythons need not be here: pip looks for the wheels of any. What it reads is what makes a
package fail at ``make book`` there: no wheel of that version, or one closed to that Python.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11.0", "3.12", "3.13", "3.14")
NEWEST_GLIBC = 36  # Debian 12's; a wheel for an older one runs there too
PLATFORMS = {
    "Linux x86-64": [f"manylinux_2_{minor}_x86_64" for minor in range(NEWEST_GLIBC, 4, -1)],
    "Linux ARM": [f"manylinux_2_{minor}_aarch64" for minor in range(NEWEST_GLIBC, 16, -1)],
    "Mac ARM": ["macosx_14_0_arm64"],
}
# requirements-prove.txt asks for this build on x86-64, and for the other elsewhere.
X86_ONLY, ELSEWHERE = "tensorflow-cpu==", "tensorflow=="
# Missing and not red: TensorFlow 2.21 has no wheel for Python 3.14, and wants an older h5py. Only
# `make prove` needs them.
EXPLAINED = {("3.14", name) for name in ("h5py", "tensorflow", "tensorflow-cpu")}
REFUSED = "No matching distribution found for "

Ask = Callable[[str, list[str], list[str]], str | None]


def read_pins(text: str, platform: str) -> list[str]:
    """Return the pins of constraints.txt, as a platform has them.

    >>> read_pins("# why" + chr(10) + "numpy==2.4.6" + chr(10) + "tensorflow-cpu==2", "Mac ARM")
    ['numpy==2.4.6', 'tensorflow==2']
    """
    pins = [line for line in text.splitlines() if line and not line.startswith("#")]
    if platform == "Linux x86-64":
        return pins
    return [pin.replace(X86_ONLY, ELSEWHERE) for pin in pins]


def ask_pip(python: str, tags: list[str], pins: list[str]) -> str | None:
    """Return what pip says against the pins, or None if it could install them all."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--dry-run", "--ignore-installed", "--no-deps", "--quiet", "--target", folder,
                   "--only-binary=:all:", "--python-version", python,
                   "--use-feature=fast-deps",  # metadata alone, and no gigabytes of wheels
                   *(f"--platform={tag}" for tag in tags)]  # fmt: skip
        command = [sys.executable, "-m", "pip", "install", *options, *pins]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else None


def without_wheel(python: str, tags: list[str], pins: list[str], ask: Ask = ask_pip) -> list[str]:
    """Return the pins that cannot be installed; pip names one at a time.

    Raises:
        RuntimeError: pip stopped for another reason, such as the network.
    """
    left, missing = list(pins), []
    while (said := ask(python, tags, left)) is not None:
        ends = [line.partition(REFUSED)[2] for line in said.splitlines()]
        refused = [pin for pin in left if pin in ends]
        if not refused:
            raise RuntimeError(f"pip stopped for another reason than a pin: {said.strip()[-400:]}")
        missing += refused
        left = [pin for pin in left if pin not in refused]
    return missing


def table(pythons: Iterable[str] = PYTHONS, ask: Ask = ask_pip) -> dict[tuple[str, str], list[str]]:
    """Return the pins without a wheel, for each Python and platform, and print them."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    found = {}
    for python in pythons:
        for platform, tags in PLATFORMS.items():
            missing = without_wheel(python, tags, read_pins(text, platform), ask)
            found[python, platform] = missing
            print(f"Python {python:7} {platform:13} {', '.join(missing) or 'all'}", flush=True)
    return found


def unexplained(found: dict[tuple[str, str], list[str]]) -> list[str]:
    """Return the missing pins that no reason is known for.

    >>> unexplained({("3.14", "Mac ARM"): ["h5py==3.14.0", "numpy==2.4.6"]})
    ['numpy==2.4.6']
    """
    missing = [(python, pin) for (python, _), pins in found.items() for pin in pins]
    return [pin for python, pin in missing if (python, pin.partition("==")[0]) not in EXPLAINED]


if __name__ == "__main__":
    sys.exit(bool(unexplained(table())))
