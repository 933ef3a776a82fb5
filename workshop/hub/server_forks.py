"""Fork students' servers from a process that has imported JupyterLab: see `forks`.

Only the hub calls here, which is root as this process is: nobody else may open the socket. The
child, still root, reads whose server it is to be and becomes that student. When the hub has heard
its number and says so, it takes the environment, with the tokens that it holds, and serves.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import socket
import sys
import time
from typing import Any

from workshop.hub import confinement, forks, start, turns
from workshop.hub.cgroups import Groups
from workshop.hub.forked_kernel import PATIENCE, receive, take_environment
from workshop.hub.settings import Settings, read

# Imported before the first fork, after JupyterLab: what a server asks for when it starts.
MODULES = (
    "jupyterhub.singleuser", "jupyter_server_terminals", "notebook_shim.nbserver", "IPython",
    "jupyter_server.nbconvert.handlers", "jupyter_server.services.contents.handlers", "httpcore",
    "tornado.platform.asyncio",
)  # fmt: skip
# They keep what the environment says when they are imported, such as the path of a student's
# cookies and the folder of the settings. Each child imports them anew, which takes 25 ms.
ANEW = ("jupyterhub.services", "jupyterhub.singleuser", "jupyterlab.labapp")
TRASH = "send2trash.plat_"  # too, but others have its function already: it is loaded into itself
HUB = 0  # the hub's uid
HEARD = b"+"  # the hub has the number


class NoServerParentError(RuntimeError):
    """No server was forked."""


def ask(settings: Settings, login: str, arguments: list[str], env: dict[str, str]) -> int:
    """Ask for a server, as the hub does, and return its process.

    Raises:
        NoServerParentError: nobody listens, or the child could not become the student.
    """
    request = json.dumps({"login": login, "argv": arguments, "env": env}) + "\n"
    end = time.monotonic() + turns.ASK
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(turns.ASK)
            connection.connect(str(settings.servers_socket))
            connection.sendall(request.encode())
            connection.settimeout(max(end - time.monotonic(), 0.01))
            said = connection.makefile("rb", buffering=0).readline(32)
            if not said.endswith(b"\n"):
                raise ConnectionResetError
            connection.sendall(HEARD)
    except (BrokenPipeError, ConnectionResetError):  # by how early the other side has closed
        log = settings.state / "servers.log"
        raise NoServerParentError(f"it refused: {log} says why") from None
    except OSError as error:
        raise NoServerParentError(f"no process to fork from: {error}") from None
    return int(said)


def from_hub(uid: int) -> bool:
    """Return whether this user may have a server: the hub, and nobody else."""
    if uid != HUB:
        print(f"user {uid} asks for a server", flush=True)
    return uid == HUB


def server_of(settings: Settings, groups: Groups) -> forks.Run:
    """Return what a child does: become the student whom the hub names, and serve."""
    confinement.shared_folders()  # once for all children

    def run(connection: socket.socket, _: int) -> None:
        with connection:
            connection.settimeout(PATIENCE)
            request = receive(connection)
            become(request["login"], settings, groups)
            connection.sendall(f"{os.getpid()}\n".encode())
            if connection.recv(len(HEARD)) != HEARD:
                return  # the hub has given up, and starts another one
        os.closerange(3, confinement.FILES)  # as a new program has it
        forks.own_proc()
        be_server(request)

    return run


def become(login: str, settings: Settings, groups: Groups) -> None:
    """Become the student, as the spawner does between its fork and the new program."""
    who = confinement.identity(login, groups.doors(login))
    confinement.becoming(who, settings.run / login / "server.log")()


def be_server(request: dict[str, Any]) -> None:
    """Take environment and arguments as a new program would, and serve until the end."""
    take_environment(request["env"], os.getcwd())
    forget_environment()
    sys.argv = ["jupyterhub-singleuser", *request["argv"]]
    start.main()


def forget_environment() -> None:
    """Let modules that have read the parent's environment read this one."""
    for name in list(sys.modules):
        if name in ANEW or name.startswith(tuple(f"{package}." for package in ANEW)):
            del sys.modules[name]
        elif name.startswith(TRASH):
            importlib.reload(sys.modules[name])


def main() -> None:
    """Import, then serve the hub."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    start.import_lab()
    forks.preload(MODULES)
    settings = read()
    print(f"servers are forked at {settings.servers_socket}", flush=True)
    run = server_of(settings, Groups(settings.room))
    forks.serve(settings.servers_socket, from_hub, run)


if __name__ == "__main__":
    main()
