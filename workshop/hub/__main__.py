"""The hub's commands, which the Makefile calls. All need root.

python -m workshop.hub up                       # install what is missing, and run until Ctrl-C
python -m workshop.hub people students.csv      # make their accounts, and print the sheet
python -m workshop.hub instructor ana           # make the instructor's account
python -m workshop.hub collect                  # a copy of everybody's files, in _build/collected
python -m workshop.hub stop                     # end the services and all servers; files stay
python -m workshop.hub remove --with-their-files  # take the accounts and all files away
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from workshop.hub import accounts, cgroups, collected, disks, install, services
from workshop.hub.alone import alone
from workshop.hub.people import Person, parse, strip
from workshop.hub.settings import Settings, read


def up(settings: Settings) -> None:
    """Install what is missing, then run the services with the hub's own Python."""
    services.refuse_ports_of_all(settings)
    with alone(settings):  # nothing is installed under a hub that runs
        install.install(settings)
    print(
        f"The hub will be at {settings.url}. Settings: {settings.folder / 'hub.toml'}. "
        "Ctrl-C ends the hub; the students' servers go on until `make hub-stop`.",
        flush=True,
    )
    env = services.PLAIN | {"HUB_FOLDER": str(settings.folder)}
    command = [str(settings.python), "-P", "-m", "workshop.hub", "run"]
    os.execve(settings.python, command, env)


def people(settings: Settings, file: Path, anew: bool) -> None:
    """Make an account for each name of the list that has none, and print the sheet, once.

    Whoever has one keeps the password, unless all of the list are to get new ones.
    """
    if not file.is_file():
        raise ValueError("name the list, a file: make hub-students LIST=students.csv")
    try:
        found = parse(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ValueError(f"{file} is not UTF-8: save it as CSV UTF-8") from None
    if len(found) > settings.students:
        raise ValueError(
            f"{file} names {len(found)} people, and {settings.folder / 'hub.toml'} divides the "
            f"machine for {settings.students}: set students there, and start the hub again"
        )
    logins = [accounts.login_of(each, settings) for each in found]
    accounts.refuse_two_kinds(logins, settings, instructor=False)
    there = [each for each in found if accounts.exists(accounts.login_of(each, settings))]
    if there and not anew:
        print(f"They keep their accounts and passwords: {', '.join(each.name for each in there)}.")
        print("ANEW=yes behind the command gives each name of the list a new password.\n")
        found = [each for each in found if each not in there]
    if found:
        hand_out(accounts.add(found, settings), settings)


def instructor(settings: Settings, name: str) -> None:
    """Make the instructor's account, and print its password, once."""
    found = parse(name)
    logins = [accounts.login_of(each, settings) for each in found]
    accounts.refuse_two_kinds(logins, settings, instructor=True)
    hand_out(accounts.add(found, settings, instructor=True), settings)
    print("Start the hub again (Ctrl-C, make hub) for the instructor's page, /hub/admin.")


def hand_out(rows: Iterable[tuple[Person, str, str]], settings: Settings) -> None:
    """Print each strip as soon as there is its account: what fails later takes no password away."""
    for person, login, password in rows:
        print(strip(person, login, password, settings.url), end="\n\n", flush=True)


def collect(settings: Settings, target: Path) -> None:
    """Copy everybody's files, each read by a process with that student's rights."""
    services.prepare(settings)
    for folder in (target.parent, target):
        if not folder.exists():
            folder.mkdir(mode=0o700 if folder == target else 0o755)
            hand_over(folder)
    for login in accounts.members(settings):
        if all(name.startswith(".") for name in os.listdir(settings.homes / login)):
            services.say(f"{login} has no files: nobody logged in with this name", settings)
            continue
        archive = target / f"{login}.tar"
        begun = archive.with_suffix(".unfinished")  # an older archive stays until this one is whole
        wrong = collected.collect(login, settings, begun)
        copied = begun if wrong else begun.replace(archive)
        hand_over(copied)
        services.say(f"{copied}{wrong and f'  not whole: {wrong}'}", settings)


def hand_over(path: Path) -> None:
    """Give what root made to the person who called root by sudo, or only root could open it."""
    if "SUDO_UID" in os.environ:
        who = int(os.environ["SUDO_UID"]), int(os.environ["SUDO_GID"])
        os.chown(path, *who, follow_symlinks=False)


def stop(settings: Settings) -> None:
    """End the services, and every student's server and kernel."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError):
        pid = int((settings.state / "services.pid").read_text())
        if "workshop.hub" in Path(f"/proc/{pid}/cmdline").read_text():
            os.kill(pid, signal.SIGTERM)
            while Path(f"/proc/{pid}").exists():
                time.sleep(0.1)
    services.groups_of_services(settings).remove(services.NAMES)  # of a watcher that was killed
    cgroups.Groups(settings.room).remove(accounts.members(settings))


def remove(settings: Settings) -> None:
    """Take away accounts, files, groups and folders; the environment and hub.toml stay."""
    stop(settings)
    for login in accounts.members(settings):
        accounts.remove(login, settings)
    accounts.remove_groups(settings)
    subprocess.run(["userdel", f"{settings.room}-proxy"], capture_output=True, check=False)
    disks.remove_run_folders(settings)
    for folder in (settings.state, settings.homes, settings.disks):
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Do what the command line says, or say in a sentence why not."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that cannot write a name shows a code
        sys.stdout.reconfigure(errors="backslashreplace")
    parser = argparse.ArgumentParser(
        prog="python -m workshop.hub", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("up", "run", "stop"):
        commands.add_parser(name)
    listed = commands.add_parser("people")
    listed.add_argument("file", type=Path)
    listed.add_argument("--anew", action="store_true", help="new passwords for those with accounts")
    commands.add_parser("instructor").add_argument("name")
    commands.add_parser("collect").add_argument("--to", type=Path, default=Path("_build/collected"))
    commands.add_parser("remove").add_argument("--with-their-files", action="store_true")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("The hub starts servers as other users, so this needs root: sudo make ...")
    try:
        obey(arguments, read())
    except (ValueError, RuntimeError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))


def obey(arguments: argparse.Namespace, settings: Settings) -> None:
    """Call what was asked for."""
    install.folders(settings)
    match arguments.command:
        case "people":
            people(settings, arguments.file, arguments.anew)
        case "instructor":
            instructor(settings, arguments.name)
        case "collect":
            collect(settings, arguments.to)
        case "remove":
            if not arguments.with_their_files:
                raise ValueError(
                    "this deletes the room's accounts and all their files: run make hub-collect, "
                    "then make hub-remove SURE=yes"
                )
            remove(settings)
            print(f"The accounts and their files are gone. What is left is in {settings.folder}.")
        case "run":
            services.watch(settings)
        case other:
            {"up": up, "stop": stop}[other](settings)


if __name__ == "__main__":
    main()
