"""Make an archive for each kind of laptop: ``make workshop PYTHONS='3.12 3.13'``.

With ``SITE=_build/students/site`` they hold no solutions.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from site_checks.site import NoSiteError, built_site
from workshop.archive.assemble import Resolved
from workshop.archive.make import (
    NoRoomError,
    check_room,
    finish,
    graphics_weight,
    make,
    resolve_all,
    weight,
)
from workshop.archive.own_wheel import build_wheel
from workshop.archive.platforms import (
    Platform,
    WrongChoiceError,
    choose_platforms,
    choose_pythons,
)
from workshop.archive.recipe import of_the_course
from workshop.archive.resolve import UnresolvedError
from workshop.lan.shared import in_words


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m workshop.archive")
    parser.add_argument("--pythons", default="3.12 3.13")
    parser.add_argument("--platforms", default="")
    parser.add_argument("--sizes", action="store_true", help="say what they weigh, make none")
    return parser.parse_args(arguments)


def table(platforms: list[Platform], chosen: dict[str, Resolved]) -> str:
    """Return what each archive will weigh, and which torch is in it."""
    lines = [f"{'for':<42}{'wheels':>7}{'weight':>9}  torch"]
    for platform in platforms:
        resolved = chosen[platform.name]
        wheels = {wheel.file: wheel for found in resolved.values() for wheel in found}
        versions = {w.version for w in wheels.values() if w.name == "torch"}
        lines.append(
            f"{platform.words:<42}{len(wheels):>7}{in_words(weight(resolved)):>9}"
            f"  {', '.join(sorted(versions))}"
        )
        if heavy := graphics_weight(resolved):
            lines.append(
                f"    {in_words(heavy)} of it are for graphics cards, and nobody will use them. But"
                " this torch does not\n    start without them, and PyTorch's own index, which has"
                " one that does, cannot be reached."
            )
    return "\n".join(lines)


def main(arguments: list[str]) -> int | str:
    """Make the archives; return a sentence where that cannot be."""
    chosen = options(arguments)
    try:
        platforms, pythons = choose_platforms(chosen.platforms), choose_pythons(chosen.pythons)
        with tempfile.TemporaryDirectory() as scratch:
            own = () if chosen.sizes else (build_wheel(Path(scratch)),)
            site = Path() if chosen.sizes else built_site()  # which weighs little
            recipe = of_the_course(site, own)
            print(f"Looking up the wheels for Python {' and '.join(pythons)} ...", flush=True)
            resolved = resolve_all(recipe, platforms, pythons)
            print(table(platforms, resolved), flush=True)
            if chosen.sizes:
                return 0
            check_room(recipe, resolved)
            try:
                for platform in platforms:
                    archive = make(recipe, platform, resolved[platform.name])
                    print(f"{archive}: {in_words(archive.stat().st_size)}", flush=True)
            finally:  # those that were made before it failed are given away, too
                finish(recipe)
    except (WrongChoiceError, UnresolvedError, NoRoomError, NoSiteError) as error:
        return str(error)
    others = f" SITE={os.path.relpath(recipe.site)}" if recipe.edition else ""
    print(f"Copy them to a stick, or give them to the room: make serve HOST=0.0.0.0{others}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
