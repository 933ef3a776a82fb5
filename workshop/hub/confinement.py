"""Turn a process of root into one of a student, inside the student's limits, with no way back.

The spawner does this between fork and exec, the fork server after its fork. What needs to be
looked up is looked up before, by root, from the system's own files.
"""

from __future__ import annotations

import ctypes
import os
import pwd
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

CLONE_NEWNS = 0x00020000
MS_REC, MS_SLAVE, MS_NOSUID, MS_NODEV = 0x4000, 0x80000, 0x2, 0x4
SHARED_FOLDERS = (b"/tmp", b"/var/tmp", b"/dev/shm", b"/run/lock", b"/dev/mqueue")
SIZE = b"size=256m,mode=1777"
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
    leave_shared_folders()
    os.setpriority(os.PRIO_PROCESS, 0, 0)  # the hub's is higher
    os.setgroups(who.groups)
    os.setresgid(who.gid, who.gid, who.gid)
    os.setresuid(who.uid, who.uid, who.uid)
    os.umask(0o077)
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getresuid() != (who.uid,) * 3 or os.getresgid() != (who.gid,) * 3:
        raise PermissionError(f"this process did not become {who.login}")


def becoming(who: Identity, log: Path) -> Callable[[], None]:
    """Return what a new process does between fork and exec, before it is the student's server."""

    def do() -> None:
        become(who)
        speak_into(log)
        os.chdir(who.home)

    return do


def speak_into(log: Path) -> None:
    """Write into a file of the student's from now on; without one that can be made, nowhere.

    Who has the hub's log open for writing can empty it, forge it, and fill the disk of all by it.
    The file is a new one, because a pipe laid in its place would keep the hub waiting.
    """
    try:
        log.unlink(missing_ok=True)
        own = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    except OSError:
        own = os.open(os.devnull, os.O_WRONLY)
    take_output(own)


def be_silent() -> None:
    """Write nowhere from now on: root's log is closed before anything of the student's is read."""
    take_output(os.open(os.devnull, os.O_WRONLY))


def take_output(descriptor: int) -> None:
    """Put a file in the place of what this process writes to."""
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)


def leave_shared_folders() -> None:
    """Put empty folders in memory where all may write: /tmp and the like.

    Without this, one student fills the disk of all there, and the others read what is left in it.
    What is written there counts as the student's memory, and goes with the process.
    """
    call("unshare", CLONE_NEWNS)
    call("mount", b"none", b"/", None, MS_REC | MS_SLAVE, None)
    for target in SHARED_FOLDERS:
        if os.path.isdir(target) and not os.path.islink(target):
            call("mount", b"tmpfs", target, b"tmpfs", MS_NOSUID | MS_NODEV, SIZE)


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
