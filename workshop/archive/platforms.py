"""The kinds of laptops that torch has wheels for, and what each must be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms

OLDEST = (3, 11)  # what pyproject.toml asks for


class WrongChoiceError(ValueError):
    """PYTHONS or PLATFORMS names something that cannot be."""


@dataclass(frozen=True)
class Platform:
    """A kind of laptop: under whose name uv resolves for it, and what its archive is."""

    name: str  # in the archive's name
    words: str
    uv: str  # uv's --python-platform
    system: str  # platform.system()
    machine: str  # x86_64 or arm64
    needs: str = ""  # what else it must have, in words
    glibc: tuple[int, int] = (0, 0)
    macos: tuple[int, int] = (0, 0)

    @property
    def suffix(self) -> str:
        """Return the kind of file that its people can unpack with nothing installed."""
        return ".tar" if self.system == "Linux" else ".zip"

    def tags(self, python: str) -> list[str]:
        """Return the tags of the wheels that a Python takes here, the best first."""
        version = read_version(python)
        own = f"cp{version[0]}{version[1]}"
        platforms = list(self._wheel_platforms())
        found: list[Tag] = [*cpython_tags(version, [own], platforms)]
        found += compatible_tags(version, own, platforms)
        return [str(tag) for tag in found]

    def _wheel_platforms(self) -> Iterator[str]:
        if self.system == "Windows":
            yield "win_amd64"
        elif self.system == "Darwin":
            yield from mac_platforms(self.macos, self.machine)
        else:
            machine = {"arm64": "aarch64"}.get(self.machine, self.machine)
            legacy = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
            for minor in range(self.glibc[1], 4, -1):
                yield f"manylinux_2_{minor}_{machine}"
                if minor in legacy:
                    yield f"{legacy[minor]}_{machine}"
            yield f"linux_{machine}"


PLATFORMS = (
    Platform(
        name="linux-x86_64",
        words="Linux with an Intel or AMD processor",
        uv="x86_64-manylinux_2_28",
        system="Linux",
        machine="x86_64",
        needs="glibc 2.28 or later",
        glibc=(2, 28),
    ),
    Platform(
        name="linux-arm64",
        words="Linux with an ARM processor",
        uv="aarch64-manylinux_2_28",
        system="Linux",
        machine="arm64",
        needs="glibc 2.28 or later",
        glibc=(2, 28),
    ),
    Platform(
        name="macos-arm64",
        words="a Mac with an Apple processor",
        uv="aarch64-apple-darwin",
        system="Darwin",
        machine="arm64",
        needs="macOS 14 or later",
        macos=(14, 0),
    ),
    Platform(
        name="windows-x86_64",
        words="Windows with an Intel or AMD processor",
        uv="x86_64-pc-windows-msvc",
        system="Windows",
        machine="x86_64",
    ),
)


def choose_platforms(names: str) -> list[Platform]:
    """Return the platforms of these names, parted by blanks; all of them if none is named.

    Raises:
        WrongChoiceError: there is no platform of a name.
    """
    known = {platform.name: platform for platform in PLATFORMS}
    wanted = names.split() or list(known)
    for name in wanted:
        if name not in known:
            raise WrongChoiceError(f"PLATFORMS={name}: there are {', '.join(known)}.")
    return [known[name] for name in dict.fromkeys(wanted)]


def choose_pythons(names: str) -> list[str]:
    """Return the versions of Python, parted by blanks.

    Raises:
        WrongChoiceError: one is none, or too old for the course.
    """
    wanted = list(dict.fromkeys(names.split()))
    for name in wanted or [""]:
        if read_version(name) < OLDEST:
            raise WrongChoiceError(
                f"PYTHONS={name}: give versions from 3.11 on, like PYTHONS='3.12 3.13'."
            )
    return wanted


def read_version(python: str) -> tuple[int, ...]:
    """Return the numbers of a version of Python; (0, 0) for anything else.

    >>> read_version("3.12"), read_version("3"), read_version("3.12.1")
    ((3, 12), (0, 0), (0, 0))
    """
    parts = python.split(".")
    good = len(parts) == 2 and all(part.isascii() and part.isdigit() for part in parts)
    return tuple(map(int, parts)) if good else (0, 0)
