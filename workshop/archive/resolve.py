"""Which wheels a laptop needs: uv resolves for it, whatever machine this is."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import Request, url2pathname, urlopen

from packaging.utils import parse_wheel_filename
from uv import find_uv_bin

from workshop.archive.platforms import Platform

UV = find_uv_bin()  # once: two threads that ask at the same time confuse it

# What torch brings for graphics cards, which the course does not use
GRAPHICS = re.compile(r"nvidia-.*|cuda-.*|triton")


class UnresolvedError(RuntimeError):
    """Some package has no wheel for a platform, or no index answers."""


@dataclass(frozen=True)
class Wheel:
    """A wheel: where it is, and what it must be."""

    name: str
    version: str
    url: str
    size: int
    sha256: str

    @property
    def file(self) -> str:
        """Return its file's name."""
        return unquote(urlsplit(self.url).path).rpartition("/")[2]

    @property
    def for_graphics(self) -> bool:
        """Tell whether only a graphics card needs it."""
        return GRAPHICS.fullmatch(self.name) is not None


@dataclass(frozen=True)
class Sources:
    """Where packages come from."""

    index: str = ""
    extra: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    no_index: bool = False

    def options(self) -> list[str]:
        """Return them as options of uv; it then looks everywhere, as pip does."""
        options = ["--index-strategy", "unsafe-best-match"]
        options += ["--no-index"] * self.no_index
        options += ["--index-url", self.index] if self.index else []
        for extra in self.extra:
            options += ["--extra-index-url", extra]
        for link in self.links:
            options += ["--find-links", link]
        return options


def sources_of_pip() -> Sources:
    """Return where pip looks, from its configuration and environment, which uv does not read."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    )
    return read_sources(done.stdout)


def read_sources(listing: str) -> Sources:
    """Return the sources from what ``pip config list`` prints; the environment stands first in it.

    >>> read_sources(":env:.find-links='/b /c'" + chr(10) + "global.find-links='/a'").links
    ('/b', '/c')
    """
    found: dict[str, tuple[str, ...]] = {}
    for line in listing.splitlines():
        key, _, value = line.partition("=")
        section, _, option = key.rpartition(".")
        if section in (":env:", "global", "install", "download") and value.startswith(("'", '"')):
            words = tuple(str(ast.literal_eval(value)).split())
            if section == ":env:" or option not in found:
                found[option] = words
    return Sources(
        index=" ".join(found.get("index-url", ())),
        extra=found.get("extra-index-url", ()),
        links=found.get("find-links", ()),
        no_index=found.get("no-index", ()) in (("true",), ("1",), ("yes",)),
    )


def run_uv(words: list[str], platform: Platform, python: str) -> None:
    """Let uv resolve for a platform and a Python.

    Raises:
        UnresolvedError: with uv's words.
    """
    # It needs some Python, and would try all of this machine's before it takes one.
    command = [UV, "pip", "compile", "--python", sys.executable, "--quiet", "--no-config",
               "--no-header", "--no-annotate", "--only-binary", ":all:",
               "--python-platform", platform.uv, "--python-version", python, *words]  # fmt: skip
    oldest_mac = {"MACOSX_DEPLOYMENT_TARGET": ".".join(map(str, platform.macos))}
    kept = {name: value for name, value in os.environ.items() if name != "UV_OFFLINE"}
    variables = kept | (oldest_mac if platform.system == "Darwin" else {})
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    if done.returncode:
        raise UnresolvedError(
            f"For {platform.name} with Python {python} not all wheels can be had; uv says:\n"
            + done.stderr.strip()
        )


def resolve(
    requirements: list[str],
    constraints: list[str],
    platform: Platform,
    python: str,
    sources: Sources,
) -> list[Wheel]:
    """Return the wheels that the requirements need on a platform, for one Python.

    Where torch's wheel brings packages for graphics cards, PyTorch's own index is asked for the one
    that brings none; if that index cannot be reached, they stay.
    """
    wheels = _resolve(requirements, constraints, platform, python, sources.options())
    if any(wheel.for_graphics for wheel in wheels):
        options = [*sources.options(), "--torch-backend", "cpu"]
        try:
            return _resolve(requirements, constraints, platform, python, options)
        except UnresolvedError:
            pass
    return wheels


def _resolve(
    requirements: list[str],
    constraints: list[str],
    platform: Platform,
    python: str,
    options: list[str],
) -> list[Wheel]:
    with tempfile.TemporaryDirectory() as folder:
        wanted, limits = Path(folder, "requirements.in"), Path(folder, "constraints.txt")
        lock = Path(folder, "pylock.toml")
        wanted.write_text("\n".join(requirements))
        limits.write_text("\n".join(constraints))
        words = ["--constraint", str(limits), "--format", "pylock.toml", "--output-file", str(lock)]
        run_uv([*words, *options, str(wanted)], platform, python)
        packages = tomllib.loads(lock.read_text())["packages"]
        tags = platform.tags(python)
        return [best_wheel(package, tags, Path(folder)) for package in packages]


def best_wheel(package: dict, tags: list[str], folder: Path) -> Wheel:
    """Return the wheel of a package that fits best; a lock lists those of other Pythons too."""
    rank = {tag: place for place, tag in enumerate(tags)}
    found = [_wheel(package, entry, folder) for entry in package["wheels"]]

    def place(wheel: Wheel) -> int:
        fitting = parse_wheel_filename(wheel.file)[3]
        return min(rank.get(str(tag), len(tags)) for tag in fitting)

    best = min(found, key=place)
    if place(best) == len(tags):
        raise UnresolvedError(f"No wheel of {best.name} {best.version} fits: {best.file}.")
    return best


def _wheel(package: dict, entry: dict, folder: Path) -> Wheel:
    url = entry.get("url") or (folder / entry["path"]).resolve().as_uri()
    parts = urlsplit(url)
    local = Path(url2pathname(parts.path)) if parts.scheme == "file" else None
    size = local.stat().st_size if local else entry.get("size") or _length(url)
    return Wheel(package["name"], package["version"], url, size, entry["hashes"]["sha256"])


def _length(url: str) -> int:
    """Return the bytes of a file on a server, whose index, as PyTorch's, does not say them."""
    with urlopen(Request(url, method="HEAD"), timeout=60) as answer:
        return int(answer.headers["Content-Length"])
