"""Which version of each package the course asks for, and which one is installed."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from qlearn.doctor.facts import Package

PIN = re.compile(r"([A-Za-z0-9_.-]+)\s*(==|>=)\s*([0-9][^\s;#,]*)")


def read_pins(text: str) -> list[tuple[str, str]]:
    """Return the names with what is asked of their versions, from requirements.

    >>> read_pins("torch==2.13.0  # the kernels" + chr(10) + "-e .")
    [('torch', '==2.13.0')]
    """
    found = (PIN.match(line.strip()) for line in text.splitlines())
    return [(match[1], match[2] + match[3]) for match in found if match]


def fits(found: str, wanted: str) -> bool:
    """Tell whether a version is the one that is wanted, or at least that.

    A local suffix such as +cpu names a build of the same version.

    >>> fits("2.13.0+cpu", "==2.13.0"), fits("2.5.1", ">=2.6")
    (True, False)
    """
    relation, version = wanted[:2], wanted[2:]
    found = found.partition("+")[0]
    return found == version if relation == "==" else _numbers(found) >= _numbers(version)


def find_packages(checkout: Path | None) -> list[Package]:
    """Return what requirements.txt pins, or, where qlearn alone is installed, what it needs."""
    if checkout is not None:
        text = (checkout / "requirements.txt").read_text(encoding="utf-8")
    else:
        text = "\n".join(requires("qlearn") or [])
    return [Package(name, wanted, _installed(name)) for name, wanted in read_pins(text)]


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _numbers(text: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", text.partition("+")[0])[:3]]
