"""Fork kernels from a process that has imported torch: see `forks` for how and why.

The child, still root, becomes the student who called, and only then reads what to run. So no kernel
ever is the parent of another, and a student's worst request harms a process that has the student's
rights.
"""

from __future__ import annotations

import argparse
import grp
import os
import pwd
import resource
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from workshop.hub import confinement
from workshop.hub.cgroups import Groups
from workshop.hub.forks import Lets, Run, own_proc, preload, serve
from workshop.hub.settings import Settings, read

# Imported before the first fork. pyplot is not: it asks for the kernel while it is imported.
MODULES = (
    "ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "numpy", "torch",
    "matplotlib.figure", "matplotlib.image", "matplotlib.backends.backend_agg", "ipywidgets",
    "anywidget", "torchao.quantization", "qlearn", "qlearn.course", "qlearn.course.question",
    "qlearn.course.widgets",
)  # fmt: skip
MOST, SECONDS = 12, 10.0  # kernels for one student in so many seconds
MINUTE = 60.0  # between two lines about the same student: a cell that asks on fills no log

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


def lets() -> Lets:
    """Return what says whether a student may have another kernel now, and logs each refusal."""
    turnstile = Turnstile()

    def answer(uid: int) -> bool:
        now = time.monotonic()
        if turnstile.lets(uid, now):
            return True
        if turnstile.tells(uid, now):
            print(f"user {uid} asks for too many kernels", flush=True)
        return False

    return answer


def kernel_of(become: Becoming) -> Run:
    """Return what a child does: become the caller, be silent, and then be a kernel."""

    def run(connection: socket.socket, uid: int) -> None:
        from workshop.hub.forked_kernel import run as be_kernel

        become(uid)
        confinement.be_silent()
        own_proc()
        be_kernel(connection)

    return run


def main() -> None:
    """Import, then serve the room's students, or with --socket oneself alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket", type=Path, help="serve oneself alone, here")
    parser.add_argument("--modules", nargs="*", default=list(MODULES))
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    preload(arguments.modules)
    if figures := sys.modules.get("qlearn.course.widgets.shared.figure"):
        figures.bundle_all()
    if arguments.socket:
        serve(arguments.socket, lets(), kernel_of(as_oneself))
        return
    settings = read()
    group = grp.getgrnam(settings.student_group).gr_gid
    print(f"kernels are forked at {settings.fork_socket}", flush=True)
    become = as_student(settings, Groups(settings.room))
    serve(settings.fork_socket, lets(), kernel_of(become), group)


if __name__ == "__main__":
    main()
