"""Kernels forked from a process that imported torch, through jupyter_client as a server does it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import KernelProvisionerFactory

from workshop.hub import provisioner
from workshop.hub.fork_server import Turnstile

if sys.platform != "linux":
    pytest.skip("the hub runs on Linux alone", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[3]
MODULES = ["ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "torch"]
ENTRY = EntryPoint(
    "quantization-fork",
    "workshop.hub.provisioner:ForkProvisioner",
    KernelProvisionerFactory.GROUP_NAME,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    folder = tmp_path_factory.mktemp("fork")
    path = folder / "kernels.sock"
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "SECRET_OF_THE_PARENT": "1"}
    command = [sys.executable, "-P", "-m", "workshop.hub.fork_server", "--socket", str(path),
               "--modules", *MODULES]  # fmt: skip
    with open(folder / "kernels.log", "ab") as log:
        process = subprocess.Popen(command, env=env, stdout=log, stderr=log)
    while not path.exists():
        assert process.poll() is None
        time.sleep(0.05)
    yield path, process.pid
    process.terminate()
    process.wait()


@pytest.fixture
def asked(
    server: tuple[Path, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> tuple[Path, int]:
    monkeypatch.setenv(provisioner.SOCKET, str(server[0]))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    factory = KernelProvisionerFactory.instance()
    monkeypatch.setitem(factory.provisioners, ENTRY.name, ENTRY)
    monkeypatch.setattr(factory, "default_provisioner_name", ENTRY.name)
    return server


async def told(client: Any, code: str) -> str:
    """Run code, and return what it printed or the name of its error."""
    said: list[str] = []

    def hear(message: dict[str, Any]) -> None:
        content = message["content"]
        if message["header"]["msg_type"] == "stream":
            said.append(content["text"])
        elif message["header"]["msg_type"] == "error":
            said.append(content["ename"])

    await client.execute_interactive(code, output_hook=hear, timeout=30)
    return "".join(said).strip()


def with_kernels(count: int, what: Callable[..., Awaitable[None]]) -> None:
    """Start kernels, run ``what`` with a manager and a client of each, and end them."""

    async def do() -> None:
        managers = [AsyncKernelManager(kernel_name="python3") for _ in range(count)]
        clients = []
        try:
            for manager in managers:
                await manager.start_kernel()
                client = manager.client()
                client.start_channels()
                await client.wait_for_ready(timeout=30)
                clients.append(client)
            await what(*managers, *clients)
        finally:
            for client in clients:
                client.stop_channels()
            for manager in managers:
                await manager.shutdown_kernel(now=True)

    asyncio.run(do())


WHO = "import os, sys, torch; print(os.getppid(), 'torch' in sys.modules, torch.rand(3).tolist())"


def test_two_kernels_are_children_of_the_server_and_draw_other_numbers(
    asked: tuple[Path, int],
) -> None:
    async def what(_one: Any, _two: Any, first: Any, second: Any) -> None:
        said = [await told(client, WHO) for client in (first, second)]
        assert all(words.startswith(f"{asked[1]} True") for words in said)
        assert said[0] != said[1]
        names = await told(first, "print('SECRET_OF_THE_PARENT' in os.environ, os.environ['PATH'])")
        assert names == f"False {os.environ['PATH']}"
        # Two threads, in a child of a parent that has one: a fork after computing would hang here.
        code = "torch.set_num_threads(2); a = torch.rand(600, 600); print((a @ a).shape)"
        assert await told(second, code) == "torch.Size([600, 600])"

    with_kernels(2, what)


def test_a_forked_kernel_is_interrupted_restarted_and_ended(asked: tuple[Path, int]) -> None:
    async def what(manager: AsyncKernelManager, client: Any) -> None:
        first = int(await told(client, "import os; print(os.getpid()); mine = 1"))
        running = asyncio.ensure_future(told(client, "import time; time.sleep(60)"))
        await asyncio.sleep(0.5)
        await manager.interrupt_kernel()
        assert await asyncio.wait_for(running, 10) == "KeyboardInterrupt"
        await manager.restart_kernel(now=True)
        await client.wait_for_ready(timeout=30)
        second = int(await told(client, "import os; print(os.getpid())"))
        assert await told(client, "print(mine)") == "NameError"
        assert first != second and not Path(f"/proc/{first}").exists()
        assert await manager.is_alive()
        os.kill(second, signal.SIGKILL)
        end = time.monotonic() + 10
        while await manager.is_alive() and time.monotonic() < end:
            await asyncio.sleep(0.05)
        assert not await manager.is_alive()

    with_kernels(1, what)


def test_a_kernel_ends_with_the_server_that_asked_for_it(
    asked: tuple[Path, int], tmp_path: Path
) -> None:
    argv = ["-f", str(tmp_path / "k.json")]
    process = provisioner.fork(str(asked[0]), argv, dict(os.environ), str(tmp_path))
    assert process.poll() is None
    process.connection.shutdown(socket.SHUT_RDWR)  # as the system does when the server is killed
    assert process.wait(20) == 0


def test_without_a_fork_server_the_kernel_starts_the_slow_way(
    asked: tuple[Path, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(provisioner.SOCKET, str(tmp_path / "nothing.sock"))

    async def what(manager: AsyncKernelManager, client: Any) -> None:
        said = await told(client, "import os; print(os.getppid())")
        assert int(said) == os.getpid()
        assert isinstance(manager.provisioner.process, subprocess.Popen)  # type: ignore[union-attr]

    with_kernels(1, what)


def test_a_call_that_asks_for_nothing_harms_nobody(asked: tuple[Path, int], tmp_path: Path) -> None:
    for words in (b"", b"no json\n", b"[1]\n"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(asked[0]))
            assert int(connection.makefile("rb").readline())
            connection.sendall(words)
    test_a_kernel_ends_with_the_server_that_asked_for_it(asked, tmp_path)


def test_a_kernel_has_nothing_of_its_parents_open(asked: tuple[Path, int]) -> None:
    log = str(asked[0].parent / "kernels.log")
    assert os.readlink(f"/proc/{asked[1]}/fd/1") == log
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(asked[0]))
        pid = int(connection.makefile("rb").readline())
        found = {link.name: os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()}
    assert found["1"] == found["2"] == os.devnull
    assert log not in found.values()


def test_one_student_starts_a_few_kernels_in_some_seconds() -> None:
    turnstile = Turnstile(most=3, seconds=10)
    assert [turnstile.lets(1, now) for now in (0, 1, 2, 3)] == [True, True, True, False]
    assert turnstile.lets(2, 3)
    assert turnstile.lets(1, 10.5)


def test_who_asks_on_fills_no_log(asked: tuple[Path, int]) -> None:
    # The last one that asks this server, which then refuses for ten seconds.
    log = asked[0].parent / "kernels.log"
    for _ in range(30):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(asked[0]))
            connection.settimeout(20)
            connection.recv(32)
    assert log.read_text().count("asks for too many kernels") == 1
    turnstile = Turnstile()
    assert [turnstile.tells(1, now) for now in (0, 59, 60, 61)] == [True, False, True, False]
    assert turnstile.tells(2, 61)


def test_a_full_queue_is_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "full.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for connection in waiting:
            connection.settimeout(5)
        waiting[0].connect(path)
        with pytest.raises(BlockingIOError):
            provisioner.connect(waiting[1], path, patience=0.1)
        answering = Timer(0.1, lambda: listener.accept()[0].close())
        answering.start()
        provisioner.connect(waiting[1], path, patience=5)
        answering.join()
        for connection in waiting:
            connection.close()
