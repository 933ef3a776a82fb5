"""Try this machine's archive with the network off: ``make workshop-trial RECORD=1``.

With ``EMULATED=1`` it is the one for Linux on ARM, on the emulated computer of ``make arm``.
"""

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

from machines.arm.computer import build, of_checkout
from site_checks.site import NoSiteError, built_site
from workshop.archive.make import graphics_weight, resolve_all, weight
from workshop.archive.measured import RECORD, emulated, record, tables
from workshop.archive.platforms import PLATFORMS, WrongChoiceError, choose_pythons
from workshop.archive.recipe import Recipe, of_the_course
from workshop.archive.resolve import UnresolvedError
from workshop.archive.trial.laptop import TrialError, try_archive, try_emulated
from workshop.archive.trial.no_network import command_without_network, is_off, raise_loopback

ROOT = Path(__file__).resolve().parents[3]
ARM = of_checkout(ROOT)


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m workshop.archive.trial")
    parser.add_argument("--pythons", default="3.12 3.13", help="for the table of sizes")
    parser.add_argument("--record", action="store_true", help="keep it for the page")
    parser.add_argument("--emulated", action="store_true", help="the archive for Linux on ARM")
    parser.add_argument("--inside", nargs=2, type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def archive_for(recipe: Recipe, machine: str) -> Path:
    """Return the archive for a machine with this system and such a processor.

    Raises:
        TrialError: there is none yet.
    """
    machine = {"aarch64": "arm64"}.get(machine, machine)
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


def inside(archive: Path, scratch: Path, on_arm: bool) -> int | str:
    """Try the archive where there is no network, and print what was measured as JSON."""
    raise_loopback()
    if not is_off():
        return "There is still a network."
    try:
        if on_arm:
            found = try_emulated(archive, scratch, f"{ARM.bare}:{os.environ['PATH']}")
        else:
            found = try_archive(archive, scratch)
        print(json.dumps(found))
    except TrialError as error:
        return str(error)
    finally:  # here, since what root has made only root can remove
        for path in scratch.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return 0


def tried(archive: Path, scratch_beside: Path, *options: str) -> dict:
    """Return what was measured of an archive without a network.

    Raises:
        TrialError: the archive does not do what it should.
    """
    with tempfile.TemporaryDirectory(prefix="trial-", dir=scratch_beside) as scratch:
        words = ["-m", "workshop.archive.trial", *options, "--inside", str(archive), scratch]
        command = command_without_network([sys.executable, *words])
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise TrialError("The archive did not pass: see above.")
    return dict(json.loads(done.stdout))


def measure(recipe: Recipe, pythons: list[str]) -> dict:
    """Return everything measured.

    Raises:
        TrialError: the archive does not do what it should.
    """
    archive = archive_for(recipe, platform.machine())
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.system()} on {platform.machine()}, {os.cpu_count()} processors",
        "load": round(os.getloadavg()[0], 1),
        "tried": tried(archive, recipe.target.parent),
        "sizes": sizes(recipe, pythons),
    }


def measure_emulated(recipe: Recipe) -> dict:
    """Return what was measured of the archive for ARM.

    Raises:
        TrialError: the archive does not do what it should.
        RuntimeError: the emulated computer cannot be built here.
    """
    archive = archive_for(recipe, "arm64")
    build(ARM, ROOT / "constraints.txt")
    return {
        "date": datetime.date.today().isoformat(),
        "emulator": ARM.emulator(),
        **tried(archive, recipe.target.parent, "--emulated"),
    }


def main(arguments: list[str]) -> int | str:
    """Measure, print the tables, and keep them if that is asked for."""
    chosen = options(arguments)
    if chosen.inside:
        archive, scratch = chosen.inside
        return inside(archive, scratch, chosen.emulated)
    try:
        recipe = of_the_course(built_site(), ())
        if chosen.emulated:
            anew = {"emulated": measure_emulated(recipe)}
        else:
            anew = measure(recipe, choose_pythons(chosen.pythons))
        found = record() | anew
    except (RuntimeError, WrongChoiceError, UnresolvedError, NoSiteError) as error:
        return str(error)
    print("\n\n".join([tables(found), *emulated(found)]))
    if chosen.record:
        RECORD.write_text(json.dumps(found, indent=1) + "\n")
        print(f"Kept in {RECORD}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
