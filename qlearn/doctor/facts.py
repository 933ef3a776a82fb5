"""What the doctor found on this machine, before anybody judges it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Package:
    """A package, the version that the course asks for, and the one that is installed."""

    name: str
    wanted: str  # "==2.13.0" where the course pins it, ">=2.6" where it gives a minimum
    found: str | None

    @property
    def asked(self) -> str:
        """Return the wanted version in words."""
        return self.wanted[2:] + " or later" * self.wanted.startswith(">=")


@dataclass(frozen=True)
class Torch:
    """What torch says of itself and of this processor; None where it did not come so far."""

    version: str | None = None
    file: str | None = None
    capability: str | None = None  # the instructions that ATen uses
    vnni: bool | None = None
    threads: int | None = None
    listed: list[str] | None = None  # the engines that torch lists
    engines: list[str] | None = None  # the engines that run a layer
    saturates: bool | None = None  # the first of them, in a sum of int8 products
    slow_when_compiled: bool | None = None  # torchao's dynamic int8
    error: str | None = None  # why it went no further


@dataclass(frozen=True)
class Folder:
    """A folder that must be written to, and why it cannot be (None if it can)."""

    purpose: str
    path: str
    error: str | None = None


@dataclass(frozen=True)
class Facts:
    """All of it; what could not be found out is None, with a reason in ``unknown``."""

    python: tuple[int, int, int] = (0, 0, 0)
    python_wanted: tuple[int, int] = (3, 11)
    python_newest: tuple[int, int] = (3, 14)
    executable: str = ""
    checkout: str | None = None  # the course's folder; None where qlearn alone is installed
    venv: str | None = None  # "ready", "missing", "broken", "unfinished" or "moved"
    in_venv: bool = False  # the Python that runs is that of .venv
    packages: list[Package] = field(default_factory=list)
    torch: Torch = field(default_factory=Torch)
    system: str = ""
    processor: str = ""
    limits: dict[str, str] = field(default_factory=dict)  # variables that limit the instructions
    cores: int | None = None
    threads_variable: str | None = None  # OMP_NUM_THREADS
    memory: int | None = None  # bytes
    disk: int | None = None  # free bytes
    disk_at: str = ""  # the folder where they are
    folders: list[Folder] = field(default_factory=list)
    kernel: str | None = None  # why no Jupyter kernel starts; None if one does
    browser: str | None = None  # the path of one that starts
    browser_error: str | None = None
    unknown: dict[str, str] = field(default_factory=dict)
