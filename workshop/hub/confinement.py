"""Turn a process of root into one of a student, inside the student's limits, with no way back.

The spawner does this between fork and exec, the fork server after its fork. What needs to be
looked up is looked up before, by root, from the system's own files.
"""

from __future__ import annotations

import ctypes
import os
import pwd
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_SLAVE, MS_NOSUID, MS_NODEV = 0x1000, 0x4000, 0x80000, 0x2, 0x4
MS_REMOUNT = 0x20
PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 4, 38

LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Identity:
    """Whom a process becomes: what root knows of a student before it lets go."""

    login: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: Path
    doors: tuple[Path, ...]  # of the control groups


def identity(login: str, doors: Sequence[Path]) -> Identity:
    """Return the student's identity.

    Raises:
        ValueError: it would be root's.
    """
    user = pwd.getpwnam(login)
    if user.pw_uid == 0 or user.pw_gid == 0:
        raise ValueError(f"{login} is root, and no server or kernel runs as root")
    groups = tuple(os.getgrouplist(login, user.pw_gid))
    return Identity(login, user.pw_uid, user.pw_gid, groups, Path(user.pw_dir), tuple(doors))


def become(who: Identity) -> None:
    """Become the student: groups of control first, then own temporary files, then no rights."""
    for door in who.doors:
        door.write_text("0")
    leave_shared_folders(who)
    os.setgroups(who.groups)
    os.setresgid(who.gid, who.gid, who.gid)
    os.setresuid(who.uid, who.uid, who.uid)
    os.umask(0o077)
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getresuid() != (who.uid,) * 3 or os.getresgid() != (who.gid,) * 3:
        raise PermissionError(f"this process did not become {who.login}")


def leave_shared_folders(who: Identity) -> None:
    """Put folders of the student's own where all may write: /tmp and /var/tmp.

    Without this, one student fills the disk of all there, and the others read what is left in it.
    The names lead to the student's own disk through a descriptor, so that a link set in the home
    cannot lead anywhere else.
    """
    call("unshare", CLONE_NEWNS)
    call("mount", b"none", b"/", None, MS_REC | MS_SLAVE, None)
    own = own_temporary_folder(who.home, who.uid, who.gid)
    try:
        source = f"/proc/self/fd/{own}".encode()
        for target in (b"/tmp", b"/var/tmp"):
            call("mount", source, target, None, MS_BIND, None)
            call("mount", None, target, None, MS_BIND | MS_REMOUNT | MS_NOSUID | MS_NODEV, None)
    finally:
        os.close(own)


def own_temporary_folder(place: Path, uid: int, gid: int) -> int:
    """Return a descriptor of the folder ``.tmp`` in the home, made if it is missing.

    Raises:
        PermissionError: it is a link, or belongs to somebody else.
    """
    home = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        try:
            os.mkdir(".tmp", 0o700, dir_fd=home)
            made = True
        except FileExistsError:
            made = False
        own = os.open(".tmp", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=home)
        if made:
            os.fchown(own, uid, gid)
        if os.fstat(own).st_uid != uid:
            os.close(own)
            raise PermissionError(f"{place}/.tmp belongs to somebody else")
        return own
    finally:
        os.close(home)


def call(name: str, *arguments: int | bytes | None) -> None:
    """Call a function of the C library that returns 0 when it worked.

    Raises:
        OSError: with what the kernel said.
    """
    if getattr(LIBC, name)(*(as_c(argument) for argument in arguments)):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def as_c(argument: int | bytes | None) -> object:
    """Return the argument as C takes it; flags are unsigned long."""
    if isinstance(argument, int):
        return ctypes.c_ulong(argument)
    return argument
