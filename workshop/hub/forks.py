"""A process that has imported much and has one thread, and forks for whoever calls.

Thirty processes that each import the same at once keep two cores busy for half a minute. One
imports it, and each of the thirty is a fork, which shares that memory until it writes to it.

What keeps it safe: the parent reads not one byte of what a caller sent. It asks the system who
called, and forks; the child reads. So the parent holds nothing of anybody, and what one child is
told, no other learns. It has computed nothing on more than one thread, because a fork of a process
that has several may hang (every child did, in a trial).

A module that reads the environment when it is imported has read the parent's: see what
`server_forks` imports anew.

What all children share is where things lie in memory, the seed of hashes and the stack's guard
word. Who learns them in one knows them in all, so a hole in a library is easier to use there.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from workshop.hub import confinement

WAITING = 1024  # callers, so that one who asks without end does not take every place in the queue

Run = Callable[[socket.socket, int], None]
Lets = Callable[[int], bool]


def preload(modules: Sequence[str]) -> None:
    """Import, and make sure that nothing was computed on more than one thread."""
    for name in modules:
        importlib.import_module(name)
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        sys.exit(
            f"After its imports this process has {threads} threads, and forks of it may hang. Set "
            "forked_kernels = false and forked_servers = false in hub.toml."
        )


def listen(path: Path, group: int | None = None) -> socket.socket:
    """Return a socket at ``path`` that its user, and the group if there is one, may connect to."""
    early = path.with_name(f"{path.name}~")  # until it listens: who finds the path is never refused
    early.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o077)  # or whoever is quick connects before the mode is changed
    try:
        listener.bind(str(early))
    finally:
        os.umask(before)
    if group is not None:
        os.chown(early, -1, group)
        os.chmod(early, 0o660)
    listener.listen(WAITING)
    early.rename(path)
    return listener


def caller(connection: socket.socket) -> int:
    """Return the uid of the process at the other end, which the kernel vouches for."""
    size = struct.calcsize("3i")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    return struct.unpack("3i", credentials)[1]


def serve(path: Path, lets: Lets, run: Run, group: int | None = None) -> None:
    """Listen, and answer calls for ever; in a child, run, and end.

    It listens once all is made that calls need, so that no caller waits for that.

    Args:
        path: where callers connect.
        lets: whether the user of this number may have a child now.
        run: what a child does, with the caller's connection and number.
        group: the group that may connect, beside this process's user.
    """
    status = 1
    me = os.getpid()
    try:
        for connection, uid in children(path, lets, group):
            run(connection, uid)
            status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except Exception as error:
        if os.getpid() == me:  # it cannot listen: whoever started it reads that, and its status
            raise
        traceback.print_exception(error)
    finally:
        # A child never goes back to where its parent waits for calls.
        if os.getpid() != me:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)


def children(path: Path, lets: Lets, group: int | None) -> Iterator[tuple[socket.socket, int]]:
    """Fork for each call. The parent never comes out of here; a child comes out once."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system then buries the dead
    gc.collect()
    gc.freeze()  # or the first search for garbage copies 45 MiB into each child
    listener = listen(path, group)
    while True:
        connection, _ = listener.accept()
        with connection:
            uid = caller(connection)
            if not lets(uid) or fork():
                continue
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            os.setsid()
            yield connection, uid
            return


def fork() -> int:
    """Fork; where the system has no room for a child, go on without one."""
    try:
        return os.fork()
    except OSError as error:
        print(f"no fork: {error}", flush=True)
        return -1


def own_proc() -> None:
    """Let a child have its own /proc/self, which the system keeps from it after a change of user.

    Not as long as anything of root's is open: another process of the student's could take it.
    """
    confinement.call("prctl", confinement.PR_SET_DUMPABLE, 1, 0, 0, 0)
