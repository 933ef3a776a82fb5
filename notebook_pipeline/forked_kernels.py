"""Kernels that are forks of a process that has imported the libraries of notebooks already.

Such a kernel is ipykernel's own, and answers as one does that was started. What it saves is the
start.
"""

from __future__ import annotations

import asyncio
import os
from multiprocessing import context, set_forkserver_preload
from multiprocessing.process import BaseProcess
from typing import Any, ClassVar

from ipykernel.kernelapp import IPKernelApp
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from notebook_pipeline.own_sockets import OwnSockets


class ForkedKernels(OwnSockets, AsyncKernelManager):
    """Starts its kernel as a fork of this process, which has the libraries and no threads."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.provisioner = Fork(kernel_spec=self.kernel_spec, parent=self)


class ServedKernel(OwnSockets):
    """Starts its kernel as a fork of multiprocessing's server, for a process that has threads.

    The server has none, so that no fork can inherit a lock that somebody holds. It imports the
    libraries when the first kernel is asked for.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        set_forkserver_preload(["notebook_pipeline.imported_libraries"])
        self.provisioner = ServedFork(kernel_spec=self.kernel_spec, parent=self)


class Waited(BaseProcess):
    """A process with those parts of ``subprocess.Popen`` that jupyter_client asks for."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        """Return its exit status, or None while it runs."""
        return self.exitcode

    def wait(self) -> int | None:
        """Return its exit status when it has ended."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.pid is not None and self.is_alive():
            os.kill(self.pid, number)


class ForkOfThis(Waited, context.ForkProcess):
    """A fork of this process."""


class ForkOfServer(Waited, context.ForkServerProcess):
    """A fork of the server."""


class Fork(LocalProvisioner):
    """Forks where its like run a command."""

    forked: ClassVar[type[Waited]] = ForkOfThis

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        """Do in a fork what ``python -m ipykernel_launcher`` would."""
        arguments = cmd[cmd.index("ipykernel_launcher") + 1 :]
        kernel = self.forked(
            target=run, args=(arguments, options.get("cwd") or os.curdir, options["env"])
        )
        kernel.start()
        self.process, self.pid = kernel, kernel.pid  # type: ignore[assignment]
        return self.connection_info


class ServedFork(Fork):
    """Lets the server fork."""

    forked = ForkOfServer


def run(arguments: list[str], folder: str, variables: dict[str, str]) -> None:
    """Be a kernel, until asked to end."""
    os.chdir(folder)
    os.environ.update(variables)
    asyncio.set_event_loop(asyncio.new_event_loop())  # the other one runs, in the parent
    parent = f"--IPKernelApp.parent_handle={os.getppid()}"  # the kernel ends when that does
    IPKernelApp.launch_instance(argv=[*arguments, parent])
