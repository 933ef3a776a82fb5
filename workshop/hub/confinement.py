"""Turn a process of root into one of a student, inside the student's limits, with no way back.

The spawner does this between fork and exec, the fork server after its fork. What needs to be
looked up is looked up before, by root, from the system's own files.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import glob
import os
import pwd
import resource
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

CLONE_NEWNS = 0x00020000
MS_REC, MS_SLAVE, MS_BIND, MS_NOSUID, MS_NODEV = 0x4000, 0x80000, 0x1000, 0x2, 0x4
SHARED_FOLDERS = (b"/tmp", b"/var/tmp", b"/dev/shm", b"/run/lock", b"/dev/mqueue")
# Others are looked for here, so deep: programs bring their own, like /var/crash and /run/screen.
TOPS = (b"/dev", b"/home", b"/media", b"/mnt", b"/opt", b"/run", b"/srv", b"/usr/local", b"/var")
DEPTH = 4
# Through these, systemd and snapd start programs outside of the room's limits for whoever asks.
DOORS = (b"/run/dbus", b"/run/user", b"/run/systemd", b"/run/snapd*")
RESOLVER = b"/run/systemd/resolve"  # /etc/resolv.conf may lead there, to the names of the network
SIZE, EMPTY = b"size=256m,mode=1777", b"size=4k,mode=755"
FILES = 4096  # what Jupyter asks for
PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 4, 38
KEYCTL = {"x86_64": 250, "aarch64": 219}  # the C library has no function of this name
JOIN_SESSION_KEYRING = 1

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
    shared: tuple[bytes, ...] = SHARED_FOLDERS


def identity(login: str, doors: Sequence[Path]) -> Identity:
    """Return the student's identity.

    Raises:
        ValueError: it would be root's.
    """
    user = pwd.getpwnam(login)
    if user.pw_uid == 0 or user.pw_gid == 0:
        raise ValueError(f"{login} is root, and no server or kernel runs as root")
    groups = tuple(os.getgrouplist(login, user.pw_gid))
    shared = tuple(folder for folder in shared_folders() if folder != os.fsencode(user.pw_dir))
    return Identity(
        login, user.pw_uid, user.pw_gid, groups, Path(user.pw_dir), tuple(doors), shared
    )


@functools.cache
def shared_folders(tops: tuple[bytes, ...] = TOPS) -> tuple[bytes, ...]:
    """Return the folders in which all may write. A process looks for them once."""
    found = (folder for top in tops for folder in open_to_all(top, DEPTH))
    return tuple(dict.fromkeys([*SHARED_FOLDERS, *found]))


def open_to_all(folder: bytes, depth: int) -> Iterator[bytes]:
    """Yield the folders in which all may write, and which a stranger can reach.

    Only root's folders are looked into: in another one, its owner could by now have put a link to
    /etc in the place of what was found.
    """
    try:
        about = os.lstat(folder)
        if not stat.S_ISDIR(about.st_mode) or not about.st_mode & stat.S_IXOTH:
            return
        if about.st_mode & stat.S_IWOTH:
            yield folder
        elif depth and about.st_uid == 0:
            for name in os.listdir(folder):
                yield from open_to_all(os.path.join(folder, name), depth - 1)
    except OSError:  # it went away meanwhile, or is another machine's
        return


def become(who: Identity) -> None:
    """Become the student: groups of control first, then own temporary files, then no rights."""
    for door in who.doors:
        door.write_text("0")
    leave_keyring()
    leave_shared_folders(who.shared)
    os.setpriority(os.PRIO_PROCESS, 0, 0)  # the hub's is higher
    # As many sockets can be hidden, on their way between two processes, from who counts them.
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    os.setgroups(who.groups)
    os.setresgid(who.gid, who.gid, who.gid)
    os.setresuid(who.uid, who.uid, who.uid)
    os.umask(0o077)
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getresuid() != (who.uid,) * 3 or os.getresgid() != (who.gid,) * 3:
        raise PermissionError(f"this process did not become {who.login}")


def leave_keyring() -> None:
    """Have an empty keyring: that of root's session may hold root's tickets, and all could read it.

    Raises:
        OSError: the kernel keeps the old one.
    """
    numbers = (KEYCTL[os.uname().machine], JOIN_SESSION_KEYRING, 0)
    if LIBC.syscall(*map(ctypes.c_long, numbers)) < 0:
        error = failed("keyctl")
        if error.errno != errno.ENOSYS:  # a kernel without keys has none to read
            raise error


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


def leave_shared_folders(folders: Sequence[bytes] = SHARED_FOLDERS) -> None:
    """Put empty folders in memory where all may write: /tmp and the like.

    Without this, one student fills the disk of all there, and the others read what is left in it.
    What is written there counts as the student's memory, and goes with the process.
    """
    call("unshare", CLONE_NEWNS)
    call("mount", b"none", b"/", None, MS_REC | MS_SLAVE, None)
    for target in folders:
        if os.path.isdir(target) and not os.path.islink(target):
            call("mount", b"tmpfs", target, b"tmpfs", MS_NOSUID | MS_NODEV, SIZE)
    close_doors()


def close_doors() -> None:
    """Put an empty folder, or nothing at all, where the system's services listen."""
    resolver = os.open(RESOLVER, os.O_PATH) if os.path.isdir(RESOLVER) else None
    for door in (path for pattern in DOORS for path in glob.glob(pattern)):
        if os.path.isdir(door):
            call("mount", b"tmpfs", door, b"tmpfs", MS_NOSUID | MS_NODEV, EMPTY)
        else:
            call("mount", b"/dev/null", door, None, MS_BIND, None)
    if resolver is not None:
        os.mkdir(RESOLVER)
        call("mount", b"/proc/self/fd/%d" % resolver, RESOLVER, None, MS_BIND, None)
        os.close(resolver)


def call(name: str, *arguments: int | bytes | None) -> None:
    """Call a function of the C library that returns 0 when it worked.

    Raises:
        OSError: with what the kernel said.
    """
    if getattr(LIBC, name)(*(as_c(argument) for argument in arguments)):
        raise failed(name)


def failed(name: str) -> OSError:
    """Return what the kernel said of the last call."""
    number = ctypes.get_errno()
    return OSError(number, f"{name}: {os.strerror(number)}")


def as_c(argument: int | bytes | None) -> object:
    """Return the argument as C takes it; flags are unsigned long."""
    if isinstance(argument, int):
        return ctypes.c_ulong(argument)
    return argument
