"""Each student's files on a file system of fixed size, so that who fills it fills no one else's.

Quotas would need a kernel and a mount that have them, which a machine at hand often lacks. A file
that holds a file system works on every Linux: it is as large as what was ever written to it, and
the mount lets nobody bring a program that runs as root, or a device.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from workshop.hub.limits import MB
from workshop.hub.settings import Settings

OPTIONS = "loop,nodev,nosuid,noatime"
LEAST = 32  # MB: below it the journal of a file system and a chapter's pictures have no room
RUN_SIZE = "size=16m,nr_inodes=2000"


def image(login: str, settings: Settings) -> Path:
    """Return the file that holds the student's file system."""
    return settings.disks / f"{login}.ext4"


def refuse_more_than_there_is(logins: Iterable[str], settings: Settings) -> None:
    """Refuse new disks that would not fit on the machine's, once all of the room are full.

    Else who fills one takes what others were promised, and their saves fail.

    Raises:
        ValueError: with the size that fits.
    """
    settings.disks.mkdir(mode=0o700, exist_ok=True)
    images = [image(login, settings) for login in set(logins)]
    there = [file.stat() for file in images if file.exists()]
    new = len(images) - len(there)
    owed = sum(max(0, one.st_size - one.st_blocks * 512) for one in there)
    free = max(0, shutil.disk_usage(settings.disks).free - owed) // MB
    if new * settings.disk_mb > free:
        fits = free // new
        way = f"Set disk_mb = {fits} in hub.toml, or make room" if fits >= LEAST else "Make room"
        raise ValueError(
            f"{new} new disks of {settings.disk_mb} MB do not fit: where {settings.disks} lies, "
            f"{free} MB are free and promised to nobody. {way}"
        )


def prepare(login: str, settings: Settings) -> Path:
    """Make the student's home if there is none, mount it if it is not, and return it.

    Raises:
        RuntimeError: the file system could not be made or mounted.
    """
    home = settings.homes / login
    settings.homes.mkdir(mode=0o711, exist_ok=True)
    os.chmod(settings.homes, 0o711)  # the way to one's own home, and no list of the others'
    home.mkdir(mode=0o700, exist_ok=True)
    # A disk of before stays one, whatever disk_mb says now.
    file = image(login, settings)
    if (settings.disk_mb or file.exists()) and not home.is_mount():
        if not file.exists():
            make_image(login, settings)
        mount(login, settings, home)
    user = pwd.getpwnam(login)
    os.chown(home, user.pw_uid, user.pw_gid, follow_symlinks=False)
    os.chmod(home, 0o700)
    return home


def make_image(login: str, settings: Settings) -> None:
    """Make an empty file system in a file. A half-made one is not left under its name."""
    settings.disks.mkdir(mode=0o700, exist_ok=True)
    file = image(login, settings)
    unfinished = file.with_suffix(".unfinished")
    with open(unfinished, "wb") as out:
        out.truncate(settings.disk_mb * MB)
    done = subprocess.run(
        ["mkfs.ext4", "-q", "-m", "0", "-J", "size=8", "-E", "root_owner=0:0", str(unfinished)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        unfinished.unlink()
        raise RuntimeError(
            f"mkfs.ext4 made no file system of {settings.disk_mb} MB for {login}: "
            f"{done.stderr.strip()}. disk_mb = 0 in hub.toml does without, and then one student "
            "can fill the disk of all."
        )
    unfinished.rename(file)


def mount(login: str, settings: Settings, home: Path) -> None:
    """Mount the student's file system on the home."""
    command = ["mount", "-o", OPTIONS, str(image(login, settings)), str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the files of {login} could not be mounted: {done.stderr.strip()}")
    found = home / "lost+found"
    if found.is_dir() and not found.is_symlink():
        shutil.rmtree(found, ignore_errors=True)


def prepare_run_folder(login: str, settings: Settings) -> None:
    """Mount a small folder in memory for the student's sockets, which nobody else may look into.

    What must be written while a notebook is opened lies here too, so that a student with a full
    disk can still open notebooks, and delete something.
    """
    folder = settings.run / login
    folder.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_mount():
        user = pwd.getpwnam(login)
        options = f"nodev,nosuid,noexec,{RUN_SIZE},mode=700,uid={user.pw_uid},gid={user.pw_gid}"
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        subprocess.run(command, check=True, capture_output=True)


def remove_run_folders(settings: Settings) -> None:
    """Unmount and remove the folder of sockets."""
    for folder in settings.run.glob(f"{settings.prefix}*"):
        if folder.is_mount():
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
    shutil.rmtree(settings.run, ignore_errors=True)


def remove(login: str, settings: Settings) -> None:
    """Unmount the student's files and delete them."""
    home = settings.homes / login
    if home.is_mount():
        subprocess.run(["umount", "--lazy", str(home)], check=True)
    image(login, settings).unlink(missing_ok=True)
    # rmtree does not follow links, so what a student linked to stays.
    shutil.rmtree(home, ignore_errors=True)
