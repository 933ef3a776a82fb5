"""Start a student's server as that student, inside the student's limits."""

from __future__ import annotations

import asyncio
import pwd
from collections.abc import Callable
from typing import Any

from jupyterhub.spawner import LocalProcessSpawner
from jupyterhub.utils import random_port

from workshop.hub import confinement, disks, listeners, server_forks, turns
from workshop.hub.cgroups import Groups
from workshop.hub.limits import for_student, of_this_machine
from workshop.hub.provisioner import SOCKET
from workshop.hub.settings import read


class RoomSpawner(LocalProcessSpawner):
    """The hub's own spawner for the system's users, with limits that the kernel holds."""

    in_turn = asyncio.Semaphore(turns.at_once())

    def __init__(self, *arguments: Any, **kwargs: Any):
        super().__init__(*arguments, **kwargs)
        self.settings = read()
        self.groups = Groups(self.settings.room)
        memory, cores = of_this_machine()
        self.limits = for_student(
            memory, cores, self.settings.students, self.settings.memory_mb, self.settings.cores
        )
        # JupyterLab shows these; what holds them are the control groups.
        self.mem_limit, self.cpu_limit = self.limits.memory, self.limits.cores

    async def start(self) -> tuple[str, int]:
        """Make ready what root makes for the student, wait for a turn, and start.

        Others are answered meanwhile.
        """
        await asyncio.to_thread(self.make_ready, self.user.name)
        address, port = await turns.started(
            self.in_turn,
            self.begin,
            lambda found: listeners.first(found[1], self.ended),
        )
        if self.strangers(port):
            raise RuntimeError(f"another user took port {port}, which was to be {self.user.name}'s")
        return address, port

    async def begin(self) -> tuple[str, int]:
        """Fork the server from the process that has imported JupyterLab, or start it anew."""
        self.proc = None
        if not self.settings.forked_servers:
            return await super().start()
        self.port: int = self.port or random_port()
        asked = (self.settings, self.user.name, self.get_args(), self.get_env())
        try:
            self.pid = await asyncio.to_thread(server_forks.ask, *asked)
        except server_forks.NoServerParentError as error:
            self.log.warning("%s starts the slow way, because %s", self.user.name, error)
            await asyncio.to_thread(self.make_ready, self.user.name)  # it ends what came too late
            return await super().start()
        self.log.info("forked %s on port %s: %s", self.user.name, self.port, self.pid)
        return self.ip or "127.0.0.1", self.port

    def ended(self) -> bool:
        """Return whether the server that was begun has ended."""
        if self.proc is not None:
            return self.proc.poll() is not None
        return self.pid not in self.groups.processes(self.user.name)

    def strangers(self, port: int) -> set[int]:
        """Return other users who answer at the server's port: who goes there would meet a thief."""
        return listeners.owners(port) - {pwd.getpwnam(self.user.name).pw_uid}

    async def poll(self) -> int | None:
        """Return nothing while the server runs, and is the one that answers at its port."""
        status = await super().poll()
        if status is None and self.server and self.strangers(self.server.port):
            self.log.error("another user took port %s of %s", self.server.port, self.user.name)
            return 1
        return status

    def make_ready(self, login: str) -> None:
        """End what an old server left, and make the student's disk, limits and sockets' folder.

        Raises:
            RuntimeError: a process could not be ended.
        """
        if left := self.groups.kill(login):
            raise RuntimeError(f"what ran before as {login} could not be ended: {sorted(left)}")
        disks.prepare(login, self.settings)
        self.groups.make(login, self.limits)
        disks.prepare_run_folder(login, self.settings)

    def make_preexec_fn(self, name: str) -> Callable[[], None]:
        """Return what a new process does before it becomes the student's server."""
        who = confinement.identity(name, self.groups.doors(name))
        return confinement.becoming(who, self.settings.run / name / "server.log")

    def user_env(self, env: dict[str, str]) -> dict[str, str]:
        """Return the student's environment: nothing of the hub's but what the server needs."""
        env = super().user_env(env)
        run = self.settings.run / self.user.name
        env["PATH"] = f"{self.settings.venv / 'bin'}:/usr/bin:/bin"
        env["JUPYTER_RUNTIME_DIR"] = str(run)
        env["IPYTHONDIR"] = str(run / "ipython")
        env["OMP_NUM_THREADS"] = "1"
        env["SHELL"] = "/bin/sh"
        if self.settings.forked_kernels:
            env["JUPYTER_DEFAULT_PROVISIONER_NAME"] = "quantization-fork"
            env[SOCKET] = str(self.settings.fork_socket)
        return env

    def get_args(self) -> list[str]:
        """Return the server's options, with the one that names the student's folder."""
        signatures = self.settings.run / self.user.name / "signatures.db"
        return [*super().get_args(), f"--NotebookNotary.db_file={signatures}"]

    async def _signal(self, sig: int) -> bool:
        """Send a signal, if the number is still the student's: a restart gives numbers anew."""
        if self.pid not in self.groups.processes(self.user.name):
            return False
        return await super()._signal(sig)

    async def stop(self, now: bool = False) -> None:
        """Stop the server, and then whatever the student's cells left behind."""
        await super().stop(now)
        await asyncio.to_thread(self.groups.kill, self.user.name)
