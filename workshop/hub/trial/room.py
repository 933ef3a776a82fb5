"""A room for a trial: a real hub with users of its own, taken away at the end.

It uses the environment that `make hub` made, ports that a real hub does not, and a prefix that no
person's name has, so it can be tried on a machine whose hub is running.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

from measure.machine import processor
from measure.record import as_text
from workshop.hub import __main__ as commands
from workshop.hub import accounts, install
from workshop.hub.cgroups import Groups
from workshop.hub.people import Person
from workshop.hub.services import PLAIN
from workshop.hub.settings import read
from workshop.hub.trial.student import Student

FOLDER = Path("/opt/quantization-hub-trial")
RECORD = Path(__file__).resolve().parent / "record.json"
HUB_TOML = """\
prefix = "qbbtrial-"
environment = "{venv}"
port = 820
hub_port = 821
proxy_port = 802
students = {students}
disk_mb = 96
forked_kernels = {forked}
forked_servers = {forked}
"""


class Room:
    """A hub that runs while a block does, and its students' passwords."""

    def __init__(self, students: int, forked: bool = True):
        self.students, self.forked = students, forked
        self.passwords: dict[str, str] = {}
        self.process: subprocess.Popen | None = None

    def __enter__(self) -> Room:
        real = read()
        self.clear()
        FOLDER.mkdir(exist_ok=True)
        words = {"venv": real.venv, "students": self.students, "forked": str(self.forked).lower()}
        (FOLDER / "hub.toml").write_text(HUB_TOML.format(**words))
        self.settings = read(FOLDER)
        self.groups = Groups(self.settings.room)
        install.folders(self.settings)
        install.chapters(self.settings)
        people = [Person(f"s{number:02d}", f"s{number:02d}") for number in range(self.students)]
        rows = accounts.add(people, self.settings)
        self.passwords = {login: password for _, login, password in rows}
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            for log in self.settings.state.glob("*.log"):
                print(f"--- {log.name}\n{log.read_text()[-3000:]}", file=sys.stderr)
        self.stop()
        self.clear()

    def clear(self) -> None:
        """Take away what a trial left, an interrupted one too."""
        if FOLDER.exists():
            commands.remove(read(FOLDER))
            shutil.rmtree(FOLDER)

    def start(self) -> None:
        """Start the services, and wait until the hub answers through the proxy."""
        env = PLAIN | {"HUB_FOLDER": str(FOLDER)}
        command = [str(self.settings.python), "-P", "-m", "workshop.hub", "run"]
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
        self.wait_up()

    def stop(self) -> None:
        """Stop the services; the students' servers go on."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)

    def wait_up(self, seconds: float = 120.0) -> float:
        """Wait until hub, proxy and fork server answer; return how long that took."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            try:
                with urllib.request.urlopen(f"{self.settings.url}/hub/health", timeout=5):
                    parents = (self.settings.fork_socket, self.settings.servers_socket)
                    if not self.forked or all(socket.exists() for socket in parents):
                        return time.monotonic() - start
            except OSError:
                pass
            time.sleep(0.2)
        raise TimeoutError(f"the hub did not answer in {seconds} s")

    def student(self, number: int) -> Student:
        """Return a student of the room, who has not logged in yet."""
        login = self.login(number)
        return Student(self.settings.url, login, self.passwords[login])

    def login(self, number: int) -> str:
        """Return a student's login."""
        return f"{self.settings.prefix}s{number:02d}"

    def home(self, number: int) -> Path:
        """Return a student's home."""
        return self.settings.homes / self.login(number)

    def memory(self, number: int) -> float:
        """Return MiB of a student's processes: what is shared counts by its share."""
        return sum(proportional(pid) for pid in self.groups.processes(self.login(number)))

    def work(self, number: int) -> float:
        """Return the seconds of a processor that a student's processes used."""
        return sum(used(pid) for pid in self.groups.processes(self.login(number)))

    def server(self, login: str) -> int:
        """Return the process of a student's server, forked or started anew."""
        mine = self.groups.processes(login)
        names = ("workshop.hub.server_forks", "workshop.hub.start")
        return next(pid for pid in mine if any(name in command_line(pid) for name in names))

    def ports(self, number: int) -> set[int]:
        """Return the ports on which a student's server listens; a kernel has one of its own."""
        sockets = {os.readlink(link) for link in descriptors(self.server(self.login(number)))}
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        listening = [row for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]
        return {int(row[1].split(":")[1], 16) for row in listening}

    def service(self, word: str) -> int:
        """Return the process of a service, or of one of its own, whose command line has the word.

        It is 0 if there is none.
        """
        assert self.process is not None
        services = children(self.process.pid)
        for child in [*services, *(below for one in services for below in children(one))]:
            if word in command_line(child):
                return child
        return 0

    def log(self) -> str:
        """Return what the services and the students' servers said."""
        logs = [*self.settings.state.glob("*.log"), *self.settings.run.glob("*/server.log")]
        return "".join(file.read_text() for file in sorted(logs))


def proportional(pid: int) -> float:
    """Return a process's proportional set size in MiB, 0 for one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def used(pid: int) -> float:
    """Return the seconds of a processor that a process used, 0 for one that has ended."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def descriptors(pid: int) -> list[Path]:
    """Return the links to what a process has open."""
    try:
        return [link for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def command_line(pid: int) -> str:
    """Return how a process was started."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def machine() -> dict[str, Any]:
    """Return what one must know of the machine to read a table: what else ran on it, too."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "machine": processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "load_before": [round(number, 1) for number in os.getloadavg()],
        "date": time.strftime("%Y-%m-%d"),
    }


def remember(part: str, found: dict[str, Any], path: Path = RECORD) -> None:
    """Write a part of the record; the others stay."""
    record = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(as_text(dict(sorted((record | {part: found}).items()))) + "\n")
