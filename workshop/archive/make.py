"""Make the archives: resolve, fetch, lay out, check, pack."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workshop.archive.assemble import Resolved, assemble, write_sums
from workshop.archive.check import check
from workshop.archive.fetch import fetch, lacking
from workshop.archive.pack import pack
from workshop.archive.platforms import Platform
from workshop.archive.recipe import Recipe
from workshop.archive.resolve import Wheel, resolve
from workshop.lan.shared import SUMS, in_words

AT_ONCE = 4


class NoRoomError(RuntimeError):
    """The disk is too full for the archives."""


def resolve_all(
    recipe: Recipe, platforms: list[Platform], pythons: list[str]
) -> dict[str, Resolved]:
    """Return the wheels of each platform, by its name, for each Python."""
    pairs = [(platform, python) for platform in platforms for python in pythons]

    def one(pair: tuple[Platform, str]) -> list[Wheel]:
        return resolve(recipe.requirements, recipe.constraints, *pair, recipe.sources)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(pairs, pool.map(one, pairs), strict=True))
    return {p.name: {python: found[p, python] for python in pythons} for p in platforms}


def weight(resolved: Resolved) -> int:
    """Return the bytes of a platform's wheels; one that fits several Pythons counts once."""
    return sum({w.file: w.size for wheels in resolved.values() for w in wheels}.values())


def graphics_weight(resolved: Resolved) -> int:
    """Return the bytes among them that only graphics cards need."""
    return weight({p: [w for w in ws if w.for_graphics] for p, ws in resolved.items()})


def check_room(recipe: Recipe, chosen: dict[str, Resolved]) -> None:
    """Refuse to begin what the disk cannot hold.

    Raises:
        NoRoomError: it has too little room.
    """
    every = {w.file: w for found in chosen.values() for wheels in found.values() for w in wheels}
    to_fetch = sum(wheel.size for wheel in lacking(list(every.values()), recipe.cache))
    needed = to_fetch + sum(map(weight, chosen.values())) + 10**8
    existing = next(folder for folder in recipe.target.parents if folder.exists())
    free = shutil.disk_usage(existing).free
    if free < needed:
        raise NoRoomError(
            f"The archives need {in_words(needed)} here, and {in_words(free)} are free: make room, "
            "or name fewer: make workshop PLATFORMS=windows-x86_64 PYTHONS=3.12"
        )


def make(recipe: Recipe, platform: Platform, resolved: Resolved) -> Path:
    """Make one platform's archive, and return it."""
    for python, wheels in resolved.items():
        fetch(wheels, recipe.cache, platform.tags(python))
    recipe.target.mkdir(parents=True, exist_ok=True)
    folder = recipe.target / f".{platform.name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        assemble(recipe, platform, resolved, folder)
        for python, wheels in resolved.items():
            check(recipe, platform, python, wheels, folder / "wheels")
        archive = recipe.target / recipe.name(platform)
        # Those of another archive would be worse than none, if this run is killed.
        (recipe.target / SUMS).unlink(missing_ok=True)
        pack(folder, archive)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return archive


def finish(recipe: Recipe) -> None:
    """Write the checksums of all archives that lie there, if any, for who fetches them."""
    files = [path for path in recipe.target.glob("*") if path.suffix in (".tar", ".zip")]
    if files:
        write_sums(recipe.target, files)
