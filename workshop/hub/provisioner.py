"""Let Jupyter ask the fork server for a kernel, and start a process of its own where there is none.

jupyter_client calls what starts a kernel its provisioner. The environment variable
`JUPYTER_DEFAULT_PROVISIONER_NAME` names this one, and `QUANTIZATION_FORK_SERVER` the socket.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import sys
import time
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

SOCKET = "QUANTIZATION_FORK_SERVER"
LAUNCHER = "ipykernel_launcher"
PATIENCE = 20.0  # seconds for the fork server to answer while thirty call at once


class ForkedProcess:
    """What a provisioner wants of a process, for one that is not its child.

    A descriptor of the process, which its number alone would not be, because a number is given
    again: a signal never meets a stranger. The connection stays open for as long as both live.
    """

    stdin = stdout = stderr = None

    def __init__(self, pid: int, descriptor: int, connection: socket.socket):
        self.pid, self.descriptor, self.connection = pid, descriptor, connection
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return nothing while the kernel runs, and then 0: only its parent learns more."""
        if self.returncode is None and select.select([self.descriptor], [], [], 0)[0]:
            self.returncode = 0
            self.connection.close()
            os.close(self.descriptor)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait until the kernel has ended."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None and (end is None or time.monotonic() < end):
            time.sleep(0.02)
        return self.returncode

    def send_signal(self, signum: int) -> None:
        """Send a signal to the kernel and to what it started, its process group."""
        if self.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signum)
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.descriptor, signum)

    def terminate(self) -> None:
        """Ask the kernel to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the kernel."""
        self.send_signal(signal.SIGKILL)


def fork(path: str, argv: list[str], env: dict[str, str], cwd: str) -> ForkedProcess:
    """Ask the fork server for a kernel.

    Raises:
        OSError: there is no fork server, or it refused.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(PATIENCE)
        connect(connection, path)
        said = connection.makefile("rb", buffering=0).readline(32)
        if not said.endswith(b"\n"):
            raise ConnectionError("the fork server refused; its log says why")
        pid = int(said)
        # The child waits for the request, so its number is still its own.
        descriptor = os.pidfd_open(pid)
        request = json.dumps({"argv": argv, "env": env, "cwd": cwd}) + "\n"
        send(connection, request.encode())
    except BaseException:
        connection.close()
        raise
    connection.settimeout(None)
    return ForkedProcess(pid, descriptor, connection)


def connect(connection: socket.socket, path: str, patience: float = PATIENCE) -> None:
    """Connect, and wait for a place where others, or one who asks without end, fill the queue."""
    end = time.monotonic() + patience
    while True:
        try:
            connection.connect(path)
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def send(connection: socket.socket, request: bytes) -> None:
    """Send the request, with this process's output for the kernel's."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        sent = socket.send_fds(connection, [request], [nothing, 1, 2])
    finally:
        os.close(nothing)
    connection.sendall(request[sent:])


class ForkProvisioner(LocalProvisioner):
    """Forks Python kernels, and starts others as the provisioner that it extends does."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Fork the kernel; without a fork server, start a process and say so in the log."""
        path = os.environ.get(SOCKET, "")
        if not path or LAUNCHER not in cmd or not own_python(cmd[0]):
            return await super().launch_kernel(cmd, **kwargs)
        cwd = str(kwargs.get("cwd") or pathlib.Path.cwd())
        argv = cmd[cmd.index(LAUNCHER) + 1 :]
        try:
            process = fork(path, argv, dict(kwargs["env"]), cwd)
        except (OSError, ValueError) as error:
            self.log.warning("No fork server (%s); the kernel starts the slow way.", error)
            return await super().launch_kernel(cmd, **kwargs)
        self.process = process  # type: ignore[assignment]  # it has what is used of a Popen
        self.pid = self.pgid = process.pid
        self.cwd = cwd
        return self.connection_info


def own_python(program: str) -> bool:
    """Return whether the kernel is of the Python that runs here, whose modules are forked."""
    return pathlib.Path(program).absolute() == pathlib.Path(sys.executable).absolute()
