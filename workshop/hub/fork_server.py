"""Fork kernels from a process that has imported torch and computed nothing.

Thirty kernels that each import torch at once keep two cores busy for half a minute. This process
imports it once; a kernel is then a fork, which shares that memory until it writes to it.

What keeps it safe: the parent reads not one byte that a student sent. It asks the system who
called, and forks. The child, still root, becomes that student, and only then reads what to run. So
the parent holds nothing of anybody, no kernel ever is the parent of another, and a student's worst
request harms a process that has the student's rights. It has one thread and has computed nothing,
because a fork of a process with more than one thread may hang (every child did, in a trial).

What all kernels share is where things lie in memory, the seed of hashes and the stack's guard word.
Who learns them in one kernel knows them in all, so a hole in a library is easier to use there.
"""

from __future__ import annotations

import argparse
import grp
import importlib
import os
import pwd
import resource
import signal
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from workshop.hub import confinement
from workshop.hub.cgroups import Groups
from workshop.hub.settings import Settings, read

# Imported before the first fork. pyplot is not: it asks for the kernel while it is imported.
MODULES = (
    "ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "numpy", "torch",
    "matplotlib.figure", "matplotlib.image", "matplotlib.backends.backend_agg", "ipywidgets",
    "anywidget", "torchao.quantization", "qlearn", "qlearn.course",
)  # fmt: skip
MOST, SECONDS = 12, 10.0  # kernels for one student in so many seconds
MINUTE = 60.0  # between two lines about the same student: a cell that asks on fills no log
WAITING = 1024  # callers, so that one who asks without end does not take every place in the queue

Becoming = Callable[[int], None]


class Turnstile:
    """Lets each student start a few kernels in some seconds, and no more."""

    def __init__(self, most: int = MOST, seconds: float = SECONDS):
        self.most, self.seconds = most, seconds
        self.times: dict[int, deque[float]] = {}
        self.told: dict[int, float] = {}

    def lets(self, uid: int, now: float) -> bool:
        """Return whether this student may start another kernel now, and remember it."""
        times = self.times.setdefault(uid, deque())
        while times and now - times[0] > self.seconds:
            times.popleft()
        if len(times) >= self.most:
            return False
        times.append(now)
        return True

    def tells(self, uid: int, now: float) -> bool:
        """Return whether the log has had no line about this student for a minute."""
        silent = now - self.told.get(uid, -MINUTE) >= MINUTE
        if silent:
            self.told[uid] = now
        return silent


def preload(modules: Sequence[str] = MODULES) -> None:
    """Import, and make sure that nothing was computed on more than one thread."""
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    for name in modules:
        importlib.import_module(name)
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        sys.exit(
            f"After its imports this process has {threads} threads, and forks of it may hang. Set "
            "forked_kernels = false in hub.toml."
        )


def listen(path: Path, group: int | None = None) -> socket.socket:
    """Return a socket at ``path`` that the group may connect to."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    os.chmod(path, 0o600 if group is None else 0o660)
    if group is not None:
        os.chown(path, -1, group)
    listener.listen(WAITING)
    return listener


def caller(connection: socket.socket) -> int:
    """Return the uid of the process at the other end, which the kernel vouches for."""
    size = struct.calcsize("3i")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    return struct.unpack("3i", credentials)[1]


def children(listener: socket.socket, become: Becoming) -> Iterator[socket.socket]:
    """Fork for each call. The parent never comes out of here; a child comes out once, changed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system then buries the dead
    turnstile = Turnstile()
    while True:
        connection, _ = listener.accept()
        with connection:
            uid = caller(connection)
            now = time.monotonic()
            if not turnstile.lets(uid, now):
                if turnstile.tells(uid, now):
                    print(f"user {uid} asks for too many kernels", flush=True)
                continue
            if fork():
                continue
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            os.setsid()
            become(uid)
            confinement.be_silent()
            # The system keeps /proc/self from its owner after a change of user. Not before here:
            # as long as the log was open, another process of the student's could have taken it.
            confinement.call("prctl", confinement.PR_SET_DUMPABLE, 1, 0, 0, 0)
            yield connection
            return


def fork() -> int:
    """Fork; where the system has no room for a child, go on without one."""
    try:
        return os.fork()
    except OSError as error:
        print(f"no fork: {error}", flush=True)
        return -1


def as_student(settings: Settings, groups: Groups) -> Becoming:
    """Return what turns a child into the student who called."""
    confinement.shared_folders()  # once for all children

    def become(uid: int) -> None:
        login = pwd.getpwuid(uid).pw_name
        if login not in grp.getgrnam(settings.student_group).gr_mem:
            raise PermissionError(f"user {uid} is not of this room")
        # A group takes whom root puts in, beyond its limit too; so root looks first.
        if groups.full(login):
            raise PermissionError(f"{login} has as many processes as one may have")
        confinement.become(confinement.identity(login, groups.doors(login)))

    return become


def as_oneself(uid: int) -> None:
    """Refuse everybody but the user who runs this: for tests, and for one person alone.

    Raises:
        PermissionError: it is somebody else.
    """
    if uid != os.getuid():
        raise PermissionError(f"user {uid} is not user {os.getuid()}")


def serve(listener: socket.socket, become: Becoming) -> None:
    """Answer calls for ever; in a child, be a kernel, and end."""
    from workshop.hub.forked_kernel import run

    status = 1
    me = os.getpid()
    try:
        for connection in children(listener, become):
            run(connection)
            status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
    finally:
        # A child never goes back to where its parent waits for calls.
        if os.getpid() != me:
            os._exit(status)


def main() -> None:
    """Import, then serve the room's students, or with --socket oneself alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket", type=Path, help="serve oneself alone, here")
    parser.add_argument("--modules", nargs="*", default=list(MODULES))
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    preload(arguments.modules)
    if arguments.socket:
        serve(listen(arguments.socket), as_oneself)
        return
    settings = read()
    group = grp.getgrnam(settings.student_group).gr_gid
    print(f"kernels are forked at {settings.fork_socket}", flush=True)
    listener = listen(settings.fork_socket, group)
    serve(listener, as_student(settings, Groups(settings.room)))


if __name__ == "__main__":
    main()
