"""Students' servers forked from a process that has imported what they need."""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workshop.hub import forks, turns
from workshop.hub.server_forks import MODULES, NoServerParentError, ask
from workshop.hub.settings import Settings

if sys.platform != "linux":
    pytest.skip("the hub runs on Linux alone", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[3]
# What needs root is replaced: to become the student. What a server would do is written down.
PARENT = """
import json, os, pathlib, sys, time, types
from workshop.hub import confinement, forks, server_forks, start

hub, socket = int(sys.argv[1]), pathlib.Path(sys.argv[2])

def shared_folders():
    when = "while it listens" if socket.exists() else "before it listens"
    print("looks for folders", when, flush=True)

def become(login, settings, groups):
    if login == "nobody":
        raise KeyError(f"no user {login}")
    os.chdir(socket.parent / login)
    if login == "slow":
        time.sleep(2)

def serve():
    name = "SECRET_OF_THE_PARENT"
    found = {"argv": sys.argv, "env": dict(os.environ), "cwd": os.getcwd(),
             "parent": os.getppid(), "leader": os.getsid(0) == os.getpid()}
    open("told.part", "w").write(json.dumps(found))
    os.rename("told.part", "told")

server_forks.become, start.main, server_forks.HUB = become, serve, hub
start.import_lab = forks.preload = server_forks.Groups = lambda *_: None
confinement.shared_folders = shared_folders
server_forks.read = lambda: types.SimpleNamespace(servers_socket=socket, room=None)
server_forks.main()
"""


@dataclasses.dataclass
class Parent:
    """A process that forks servers."""

    settings: Any
    folder: Path
    pid: int

    def log(self) -> str:
        return (self.folder / "log").read_text()


@dataclasses.dataclass(frozen=True)
class Elsewhere(Settings):
    """Settings of a room whose sockets lie in a test's folder."""

    sockets: Path = Path()

    @property
    def servers_socket(self) -> Path:
        return self.sockets / "s"


def start_parent(folder: Path, hub: int) -> Iterator[Parent]:
    settings = Elsewhere(folder=folder, sockets=folder)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "SECRET_OF_THE_PARENT": "1"}
    command = [sys.executable, "-P", "-c", PARENT, str(hub), str(settings.servers_socket)]
    with open(folder / "log", "ab") as log:
        process = subprocess.Popen(command, env=env, stdout=log, stderr=log)
    try:
        while not settings.servers_socket.exists():
            assert process.poll() is None, (folder / "log").read_text()
            time.sleep(0.02)
        yield Parent(settings, folder, process.pid)
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[Parent]:
    yield from start_parent(tmp_path, os.getuid())


def told(folder: Path) -> dict[str, Any]:
    """Wait for what a server wrote down."""
    wait_until((folder / "told").exists)
    return json.loads((folder / "told").read_text())


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_server_has_its_own_environment_and_arguments_and_nothing_else(parent: Parent) -> None:
    for name in ("ana", "ben"):
        (parent.folder / name).mkdir()
        env = {"PATH": "/bin", "JUPYTERHUB_API_TOKEN": f"of {name}"}
        assert ask(parent.settings, name, [f"--user={name}"], env) != parent.pid
    for name in ("ana", "ben"):
        found = told(parent.folder / name)
        assert found["argv"] == ["jupyterhub-singleuser", f"--user={name}"]
        assert found["env"] == {"PATH": "/bin", "JUPYTERHUB_API_TOKEN": f"of {name}"}
        assert found["cwd"] == str(parent.folder / name)
        assert (found["parent"], found["leader"]) == (parent.pid, True)


def test_nobody_waits_until_the_parent_knows_the_folders_of_all(parent: Parent) -> None:
    assert "looks for folders before it listens" in parent.log()


def test_who_cannot_become_the_student_serves_nobody(parent: Parent) -> None:
    with pytest.raises(NoServerParentError, match=r"it refused: .*servers\.log says why"):
        ask(parent.settings, "nobody", [], {})
    wait_until(lambda: "Traceback" in parent.log() and "'no user nobody'" in parent.log())
    (parent.folder / "ana").mkdir()
    ask(parent.settings, "ana", [], {"PATH": "/bin"})
    assert told(parent.folder / "ana")["parent"] == parent.pid


@pytest.fixture
def parent_of_another(tmp_path: Path) -> Iterator[Parent]:
    """Yield one whose hub is another user than this."""
    yield from start_parent(tmp_path, os.getuid() + 1)


def test_nobody_but_the_hub_is_answered(parent_of_another: Parent) -> None:
    parent, mine = parent_of_another, parent_of_another.folder / "ana"
    mine.mkdir()
    assert parent.settings.servers_socket.stat().st_mode & 0o077 == 0
    with pytest.raises(NoServerParentError, match="it refused"):
        ask(parent.settings, "ana", [], {})
    wait_until(lambda: f"user {os.getuid()} asks for a server" in parent.log())
    assert list(mine.iterdir()) == []


def test_a_server_that_the_hub_waits_for_no_longer_does_not_serve(
    parent: Parent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "ASK", 0.5)
    (parent.folder / "slow").mkdir()
    start = time.monotonic()
    with pytest.raises(NoServerParentError, match="timed out"):
        ask(parent.settings, "slow", [], {})
    assert time.monotonic() - start < 1.5
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    wait_until(lambda: children.read_text() == "")
    assert list((parent.folder / "slow").iterdir()) == []


# What JupyterLab and what puts files into the trash have read of an environment.
READ = """
import inspect, os, sys, traitlets
from workshop.hub import forked_kernel, forks, server_forks, start
start.import_lab()
forks.preload([name for name in server_forks.MODULES if not name.startswith("jupyterhub")])
parent = os.environ["HOME"]
forked_kernel.take_environment({"HOME": sys.argv[1], "PATH": "/bin"}, "/")
if len(sys.argv) == 2:
    server_forks.forget_environment()
start.import_lab()
found = set()
def look(where, value):
    value = os.fsdecode(value) if isinstance(value, bytes) else value
    if isinstance(value, str) and value.startswith(parent):
        found.add(where)
del sys.modules["__main__"], sys.modules["__mp_main__"]  # the parent's home stands in this text
for name, module in list(sys.modules.items()):
    for key, value in list(vars(module).items()):
        look(f"{name}.{key}", value)
        if inspect.isclass(value) and issubclass(value, traitlets.HasTraits):
            for trait, kind in value.class_traits().items():
                look(f"{name}.{key}.{trait}", kind.default_value)
print(*sorted(name for name in found if not name.startswith("site.")))
"""


@pytest.mark.parametrize("forget", [True, False])
def test_a_child_has_nothing_that_was_read_from_the_parents_environment(
    forget: bool, tmp_path: Path
) -> None:
    command = [sys.executable, "-W", "ignore", "-c", READ, str(tmp_path)]
    command += [] if forget else ["keep"]
    env = {"HOME": "/home-of-the-parent", "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    said = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    found = said.split()
    if forget:
        assert found == []
    else:
        assert "send2trash.plat_other.HOMETRASH" in found
        assert "jupyterlab.labapp.LabApp.workspaces_dir" in found


def test_the_path_is_there_when_somebody_listens_and_not_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, early = tmp_path / "s", []

    class Watched(socket.socket):
        def listen(self, backlog: int = 0) -> None:  # type: ignore[override]
            early.append(path.exists())
            super().listen(backlog)

    monkeypatch.setattr(forks.socket, "socket", Watched)
    with forks.listen(path):
        assert early == [False] and path.is_socket()


def test_a_parent_that_cannot_listen_fails_and_says_why(tmp_path: Path) -> None:
    program = "import pathlib, sys\nfrom workshop.hub import forks\n"
    program += "forks.serve(pathlib.Path(sys.argv[1]), lambda _: True, lambda *_: None)"
    command = [sys.executable, "-c", program, str(tmp_path / "no folder" / "s")]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 1
    assert "FileNotFoundError" in said.stderr


def test_without_a_parent_the_hub_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoServerParentError, match="no process to fork from"):
        ask(Elsewhere(folder=tmp_path, sockets=tmp_path), "ana", [], {})


def test_what_is_imported_for_all_starts_no_thread() -> None:
    """JupyterHub is in the hub's environment alone, where the parent itself looks each time."""
    modules = [name for name in MODULES if not name.startswith("jupyterhub")]
    program = (
        "import sys\nfrom workshop.hub import forks, start\nstart.import_lab()\n"
        f"forks.preload({modules!r})\nprint('jupyterlab.labapp' in sys.modules)"
    )
    command = [sys.executable, "-W", "ignore", "-c", program]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout == "True\n"


def test_a_parent_with_threads_refuses_and_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "threads.py").write_text(
        "from threading import Event, Thread\nThread(target=Event().wait, daemon=True).start()"
    )
    program = "from workshop.hub import forks; forks.preload(['threads'])"
    env = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    said = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)
    assert said.returncode == 1
    assert "2 threads" in said.stderr and "forked_servers = false" in said.stderr
