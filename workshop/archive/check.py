"""Whether an archive's own wheels are enough: uv resolves from them alone, for its platform."""

from __future__ import annotations

import tempfile
from pathlib import Path

from packaging.utils import canonicalize_name

from workshop.archive.platforms import Platform
from workshop.archive.recipe import Recipe
from workshop.archive.resolve import Sources, UnresolvedError, Wheel, run_uv


def check(recipe: Recipe, platform: Platform, python: str, wheels: list[Wheel], at: Path) -> None:
    """Resolve with no network from the wheels in a folder; all and only those must come out.

    Raises:
        UnresolvedError: a wheel is missing, fits another platform, or nobody needs it.
    """
    own = {canonicalize_name(name): version for name, version in map(_named, recipe.own)}
    wanted = {wheel.name: wheel.version for wheel in wheels} | own
    lines = [*recipe.requirements, *(f"{name}=={version}" for name, version in own.items())]
    with tempfile.TemporaryDirectory() as scratch:
        asked, found = Path(scratch, "requirements.in"), Path(scratch, "found.txt")
        asked.write_text("\n".join(lines))
        sources = Sources(links=(str(at),), no_index=True)
        words = ["--offline", *sources.options(), "--output-file", str(found), str(asked)]
        run_uv(words, platform, python)
        lines = found.read_text().splitlines()
        got = dict(line.partition(";")[0].strip().split("==") for line in lines)
    if got != wanted:
        differing = sorted(set(got.items()) ^ set(wanted.items()))
        raise UnresolvedError(
            f"The wheels for {platform.name} with Python {python} are not those that were "
            f"resolved: {differing}."
        )


def _named(wheel: Path) -> list[str]:
    return wheel.name.split("-")[:2]
