"""Try this machine's archive with the network off: ``make workshop-trial RECORD=1``."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from site_checks.site import NoSiteError, built_site
from workshop.archive.make import graphics_weight, resolve_all, weight
from workshop.archive.measured import RECORD, table
from workshop.archive.platforms import PLATFORMS, WrongChoiceError, choose_pythons
from workshop.archive.recipe import Recipe, of_the_course
from workshop.archive.resolve import UnresolvedError
from workshop.archive.trial.laptop import TrialError, try_archive
from workshop.archive.trial.no_network import (
    NetworkStaysError,
    command_without_network,
    is_off,
    raise_loopback,
)


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m workshop.archive.trial")
    parser.add_argument("--pythons", default="3.12 3.13", help="for the table of sizes")
    parser.add_argument("--record", action="store_true", help="keep it for the page")
    parser.add_argument("--inside", nargs=2, type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def own_archive(recipe: Recipe) -> Path:
    """Return the archive for this machine.

    Raises:
        TrialError: there is none yet.
    """
    machine = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
    name = recipe.names().get(f"{platform.system()} {machine}", "nothing")
    if not (recipe.target / name).is_file():
        raise TrialError(f"There is no {recipe.target / name}: run `make workshop` first.")
    return recipe.target / name


def sizes(recipe: Recipe, pythons: list[str]) -> list[dict]:
    """Return what each archive weighs, without fetching it."""
    resolved = resolve_all(recipe, list(PLATFORMS), pythons)
    return [
        {
            "for": platform.words,
            "needs": platform.needs,
            "pythons": pythons,
            "wheels": len({w.file for wheels in resolved[platform.name].values() for w in wheels}),
            "bytes": weight(resolved[platform.name]),
            "graphics": graphics_weight(resolved[platform.name]),
        }
        for platform in PLATFORMS
    ]


def inside(archive: Path, scratch: Path) -> int | str:
    """Try the archive where there is no network, and print what was measured as JSON."""
    raise_loopback()
    if not is_off():
        return "There is still a network."
    try:
        print(json.dumps(try_archive(archive, scratch)))
    except TrialError as error:
        return str(error)
    finally:  # here, since what root has made only root can remove
        for path in scratch.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return 0


def measure(recipe: Recipe, pythons: list[str]) -> dict:
    """Return everything measured.

    Raises:
        TrialError: the archive does not do what it should.
    """
    archive = own_archive(recipe)
    with tempfile.TemporaryDirectory(prefix="trial-", dir=recipe.target.parent) as scratch:
        words = ["-m", "workshop.archive.trial", "--inside", str(archive), scratch]
        command = command_without_network([sys.executable, *words])
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise TrialError("The archive did not pass: see above.")
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.system()} on {platform.machine()}, {os.cpu_count()} processors",
        "load": round(os.getloadavg()[0], 1),
        "tried": json.loads(done.stdout),
        "sizes": sizes(recipe, pythons),
    }


def main(arguments: list[str]) -> int | str:
    """Measure, print the tables, and keep them if that is asked for."""
    chosen = options(arguments)
    if chosen.inside:
        return inside(*chosen.inside)
    try:
        pythons = choose_pythons(chosen.pythons)
        found = measure(of_the_course(built_site(), ()), pythons)
    except (TrialError, NetworkStaysError, WrongChoiceError, UnresolvedError, NoSiteError) as error:
        return str(error)
    print(table(found))
    if chosen.record:
        RECORD.write_text(json.dumps(found, indent=1) + "\n")
        print(f"Kept in {RECORD}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
