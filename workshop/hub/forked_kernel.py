"""What a fork becomes: a kernel with its own random numbers, environment and output.

By now the process has the student's rights, so what it reads can harm no one else.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sys
import threading
from typing import Any

LONGEST = 1 << 20  # bytes of a request
PATIENCE = 10.0  # seconds for a request to come


def run(connection: socket.socket) -> None:
    """Say the process's number, take the request, and be the kernel until it ends."""
    connection.settimeout(PATIENCE)
    connection.sendall(f"{os.getpid()}\n".encode())
    request = receive(connection)
    connection.settimeout(None)
    take_environment(request["env"], request["cwd"])
    # ipykernel ends when the process of that number is not its parent; end_with() watches instead.
    os.environ.pop("JPY_PARENT_PID", None)
    go_first()
    end_with(connection)
    reseed()
    start_kernel(request["argv"])


def receive(connection: socket.socket) -> dict[str, Any]:
    """Return the request, a line of JSON, and take over the output that came with it.

    Raises:
        ValueError: it is too long, or ends too early.
    """
    data, descriptors, _, _ = socket.recv_fds(connection, 65536, 3)
    while not data.endswith(b"\n"):
        more = connection.recv(65536)
        data += more
        if not more or len(data) > LONGEST:
            raise ValueError("the request is no line of JSON")
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    return json.loads(data)


def take_environment(env: dict[str, str], cwd: str) -> None:
    """Take the environment and the folder of whoever asked, and signals as at a fresh start."""
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def go_first() -> None:
    """Where memory runs out, the kernel goes, and the student's server stays to say so."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("500")
    except OSError:
        pass


def end_with(connection: socket.socket) -> None:
    """End when the server that asked ends: nobody could reach this kernel any more."""

    def watch() -> None:
        while connection.recv(1024):
            pass
        os._exit(1)

    threading.Thread(target=watch, name="watch-server", daemon=True).start()


def reseed() -> None:
    """Draw new seeds. Without this, every student would draw the same random numbers."""
    random.seed()
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()
    if torch := sys.modules.get("torch"):
        torch.seed()


def start_kernel(argv: list[str]) -> None:
    """Start ipykernel, as `python -m ipykernel_launcher` does."""
    from ipykernel.kernelapp import IPKernelApp

    sys.argv = ["ipykernel_launcher", *argv]
    app = IPKernelApp.instance()
    app.initialize(argv)
    # These were imported while there was no kernel to tell.
    if widgets := sys.modules.get("ipywidgets"):
        widgets.register_comm_target()
    app.start()
    sys.exit(0)
