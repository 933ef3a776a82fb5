"""What breaks in the middle of an hour, one thing after the other, at a hub that is in use.

Student 0 is struck. Student 1 is a neighbour who works on all the while. Each function breaks one
thing, waits until it works again, and returns what the student saw: the
sentence of the hub or the server where their answer holds one, else that of JupyterLab, which is
looked for in its code.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workshop.hub import disks, limits
from workshop.hub.explained import CROWDED
from workshop.hub.trial.neighbour import NOTEBOOK, notebook
from workshop.hub.trial.room import Room
from workshop.hub.trial.student import RefusedError, Student, sentence, wait_for

if TYPE_CHECKING:
    from yarl import URL

EDIT = "print('this edit was saved')"
DIED = "The kernel for %1 appears to have died. It will restart automatically."
CUT_OFF = "A connection to the Jupyter server could not be established."


def in_jupyterlab(room: Room, text: str) -> str:
    """Return a sentence of JupyterLab's.

    Raises:
        AssertionError: it says something else by now.
    """
    scripts = (room.settings.venv / "share/jupyter/lab/static").glob("*.js")
    assert any(text in script.read_text("utf-8") for script in scripts), f"gone: {text}"
    return text.replace("%1", "work.ipynb")


async def settle(student: Student) -> None:
    """Save an edit, and have a kernel that answers."""
    await student.save(NOTEBOOK, notebook(EDIT))
    await student.start_kernel(NOTEBOOK)
    student.patience = 10.0


async def answers(student: Student) -> bool:
    """Return whether a cell runs, after connecting again."""
    await student.connect()
    return await student.run("print(6 * 7)") == "42\n"


async def edit_kept(student: Student) -> bool:
    """Return whether the saved edit is there."""
    return (await student.read(NOTEBOOK))["content"]["cells"][0]["source"] == EDIT


async def again(student: Student, seconds: float = 60.0) -> None:
    """Wait until a cell of the student runs again.

    Raises:
        RefusedError: it never did.
    """
    if not await wait_for(seconds, lambda: answers(student)):
        raise RefusedError(f"no cell ran in {seconds} s")


async def told(student: Student, address: URL, so: Callable[[int, str], bool]) -> str:
    """Return the sentence on a page, once its status and this sentence are so.

    Raises:
        RefusedError: they never were.
    """
    status, seen = 0, ""

    async def is_so() -> bool:
        nonlocal status, seen
        status, page = await student.ask("GET", address)
        seen = sentence(page)
        return so(status, seen)

    if not await wait_for(60, is_so):
        raise RefusedError(f"the student saw {status}: {seen}")
    return seen


async def a_kernel_is_killed(room: Room, student: Student) -> str:
    """Kill the kernel; the server starts another, and the notebook is untouched."""
    pid = int(await student.run("import os; print(os.getpid())"))
    os.kill(pid, signal.SIGKILL)
    await asyncio.sleep(1)
    await again(student)
    return in_jupyterlab(room, DIED)


async def a_server_is_killed(room: Room, student: Student) -> str:
    """Kill the student's server; its kernel ends with it, and the hub offers another one."""
    kernel = int(await student.run("import os; print(os.getpid())"))
    os.kill(room.server(student.login), signal.SIGKILL)
    seen = await told(student, student.base / "lab", lambda _, seen: "is not running" in seen)
    if os.path.exists(f"/proc/{kernel}"):
        raise RefusedError("the kernel outlived its server")
    await student.come_in()
    await student.start_kernel(NOTEBOOK)
    return picked(seen, r"Your server.*?start it\?")


async def the_proxy_is_killed(room: Room, student: Student) -> str:
    """Kill the proxy: nobody reaches anything, until it is started and told its routes."""
    await student.run("kept = 'in memory'")
    os.kill(room.service("http-proxy"), signal.SIGKILL)
    await asyncio.sleep(0.5)
    await again(student)
    await kept_in_memory(student)
    return in_jupyterlab(room, CUT_OFF)


async def kept_in_memory(student: Student) -> None:
    """Look whether the kernel is the one from before.

    Raises:
        RefusedError: it is not.
    """
    if await student.run("print(kept)") != "in memory\n":
        raise RefusedError("the kernel lost what was in memory")


async def the_hub_is_killed(room: Room, student: Student) -> str:
    """Kill the hub: who has a server works on, and who logs in now reads a page."""
    await student.run("kept = 'in memory'")
    os.kill(room.service("jupyterhub -f"), signal.SIGKILL)
    # Asked at once: a quick machine has another hub within a second.
    seen = await told(student, student.hub / "hub" / "login", lambda status, _: status == 503)
    await kept_in_memory(student)
    await asyncio.to_thread(room.wait_up)
    return seen


async def the_fork_server_is_killed(room: Room, student: Student) -> str:
    """Kill the parent of the kernels: they go on, and a new one starts the slow way meanwhile."""
    await student.run("kept = 'in memory'")
    os.kill(room.service("fork_server"), signal.SIGKILL)
    await asyncio.sleep(0.5)
    await kept_in_memory(student)
    await student.want("POST", student.base / "api/kernels" / student.kernel / "restart")
    await again(student)
    return "nothing"


async def the_parent_of_servers_is_killed(room: Room, student: Student) -> str:
    """Kill the parent of the servers: they go on, and who comes back meanwhile has one as well."""
    await student.run("kept = 'in memory'")
    os.kill(room.service("server_forks"), signal.SIGKILL)
    await asyncio.sleep(0.5)
    await kept_in_memory(student)
    return await a_server_is_killed(room, student)


async def the_disk_is_filled(room: Room, student: Student) -> str:
    """Fill the student's disk to the last byte, by the way of /tmp too.

    A save is refused, the old one stays, and notebooks open and kernels start as before.
    """
    await student.run(
        "import os\n"
        "with open('big', 'wb', 0) as one, open('/tmp/big', 'wb', 0) as two:\n"
        "    for file in (one, two):\n"
        "        for size in (1 << 20, 1 << 12, 1):\n"
        "            try:\n"
        "                while True: file.write(bytes(size))\n"
        "            except OSError as error: print(error)"
    )
    status, text = await student.ask(
        "PUT", student.base / "api/contents" / NOTEBOOK,
        json={"type": "notebook", "format": "json", "content": notebook("x = 1" * 10_000)},
    )  # fmt: skip
    kept = await edit_kept(student)
    await student.want("POST", student.base / "api/kernels" / student.kernel / "restart")
    await again(student)
    await student.run("import os; os.remove('big'); os.remove('/tmp/big')")
    free = os.statvfs("/tmp").f_bavail
    if status < 500 or not kept or not free:
        raise RefusedError(f"status {status}, edit kept {kept}, free blocks in /tmp {free}")
    await student.save(NOTEBOOK, notebook(EDIT))
    return picked(text, r"Unexpected error[^\"]*No space left on device")


async def the_memory_is_filled(room: Room, student: Student) -> str:
    """Ask for more memory than the limit: the kernel goes, the server stays."""
    limit = room.groups.folders(student.login)[0]
    name = "memory.max" if room.groups.version == 2 else "memory.limit_in_bytes"
    most = int((limit / name).read_text())
    student.patience = 30.0
    try:
        said = await student.run(f"x = bytearray({most}); x[::4096] = b'1' * len(x[::4096])")
    except (RefusedError, TimeoutError):
        said = ""
    await again(student)
    if said:
        raise RefusedError(f"the cell ended with {said[:100]!r}")
    return in_jupyterlab(room, DIED)


async def processes_without_end(room: Room, student: Student) -> str:
    """Start processes until the system says no."""
    said = await student.run(
        "import subprocess\nstarted = []\n"
        "for _ in range(3000): started.append(subprocess.Popen(['sleep', '99']))"
    )
    ended = await student.run(
        "for one in started: one.kill(); one.wait()\nprint(len(started) < 1000)"
    )
    if ended != "True\n" or CROWDED not in said:
        raise RefusedError(f"nothing stopped it, or no sentence said so: {said[:100]}")
    return CROWDED


async def all_processors_are_wanted(room: Room, student: Student) -> str:
    """Compute in as many processes as there are processors, and three more."""
    most = limits.for_student(*limits.of_this_machine(), room.settings.students).cores
    await student.run(
        "import os, subprocess, sys\n"
        "busy = [sys.executable, '-c', 'while True: pass']\n"
        "started = [subprocess.Popen(busy) for _ in range(os.cpu_count() + 3)]"
    )
    await asyncio.sleep(1)
    before, start = room.work(0), time.monotonic()
    await asyncio.sleep(5)
    cores = (room.work(0) - before) / (time.monotonic() - start)
    await student.run("for one in started: one.kill(); one.wait()")
    if most is None or not 0.2 * most < cores <= 1.1 * most:
        raise RefusedError(f"they got {cores:.2f} processors, and may have {most}")
    return "nothing: the processes share what one student may have"


async def the_services_are_restarted(room: Room, student: Student) -> str:
    """Stop hub, proxy and fork server, and start them: servers and kernels go on."""
    await student.run("kept = 'in memory'")
    await asyncio.to_thread(room.stop)
    await asyncio.to_thread(room.start)
    await again(student)
    await kept_in_memory(student)
    return in_jupyterlab(room, CUT_OFF)


async def the_machine_is_restarted(room: Room, student: Student) -> str:
    """Take away all that a restart takes: processes, groups, sockets and mounts."""
    await asyncio.to_thread(room.stop)
    logins = [room.login(number) for number in range(room.students)]
    room.groups.remove(logins)
    for login in logins:
        subprocess.run(["umount", "--lazy", str(room.settings.homes / login)], check=True)
    disks.remove_run_folders(room.settings)
    await asyncio.to_thread(room.start)
    await student.come_in()
    await settle_again(student)
    return in_jupyterlab(room, CUT_OFF)


async def nobody_works_for_an_hour(room: Room, student: Student) -> str:
    """Run the culler with five seconds in the place of an hour: it ends each server.

    The student comes back later, and finds the edit.
    """
    logins = [room.login(number) for number in range(room.students)]
    theirs = Path(f"/proc/{room.service('jupyterhub_idle_culler')}/environ").read_text()
    env = dict(entry.split("=", 1) for entry in theirs.split("\0") if entry)
    command = [str(room.settings.python), "-P", "-m", "jupyterhub_idle_culler", "--timeout=5"]
    await asyncio.sleep(6)

    async def all_ended() -> bool:
        return not any(room.groups.processes(login) for login in logins)

    with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL) as culler:
        ended = await wait_for(60, all_ended)
        culler.terminate()
    if not ended:
        raise RefusedError("a server runs on")
    _, page = await student.ask("GET", student.base / "lab")
    await student.come_in()
    await settle_again(student)
    return picked(sentence(page), r"Your server.*?start it\?")


async def settle_again(student: Student) -> None:
    """Look at the edit before anything is saved, then have a kernel.

    Raises:
        RefusedError: the edit is not there.
    """
    if not await edit_kept(student):
        raise RefusedError("the saved edit is gone")
    await student.start_kernel(NOTEBOOK)


def picked(text: str, pattern: str) -> str:
    """Return the part of a page that says what happened, or the page."""
    found = re.search(pattern, text)
    return found[0] if found else text[:120]


Breakage = Callable[[Room, Student], Awaitable[str]]
BREAKAGES: tuple[Breakage, ...] = (
    a_kernel_is_killed,
    a_server_is_killed,
    the_proxy_is_killed,
    the_hub_is_killed,
    the_fork_server_is_killed,
    the_parent_of_servers_is_killed,
    the_disk_is_filled,
    the_memory_is_filled,
    processes_without_end,
    all_processors_are_wanted,
    the_services_are_restarted,
    the_machine_is_restarted,
)
WHEN_ALL_HAVE_GONE: tuple[Breakage, ...] = (nobody_works_for_an_hour,)


async def timed(breakage: Breakage, room: Room, student: Student) -> tuple[str, float, str]:
    """Return what was seen, the seconds until it worked again, and what went wrong."""
    start = time.monotonic()
    try:
        seen = await breakage(room, student)
        lost = "" if await edit_kept(student) else "the saved edit is gone"
    except Exception as error:
        seen, lost = "", f"{type(error).__name__}: {error}"[:200]
    return seen, time.monotonic() - start, lost
