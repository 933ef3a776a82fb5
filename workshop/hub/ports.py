"""Nobody takes all ports. No limit of the system's counts them, so the room is looked at.

One cell can bind every port that the system gives to who asks for any, in half a second. Then the
proxy reaches neither hub nor servers, and no server starts, until the cell's processes are ended.
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
from collections.abc import Iterable
from pathlib import Path

from workshop.hub.cgroups import Groups

PROC = Path("/proc")
RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
TRIES, FEW = 24, 5  # so many ports are tried, and so few may be taken before anybody is looked for
MOST = 1000  # sockets of one student


def guard(groups: Groups, logins: Iterable[str], most: int = MOST) -> list[str]:
    """End all processes of whoever holds too many sockets, if ports are short; return the words."""
    if taken(*numbers()) <= FEW:
        return []
    said = []
    for login in logins:
        held = len(sockets(groups.processes(login)))
        if held > most:
            left = sorted(groups.kill(login))
            said.append(f"{login} took the ports of all: {held} sockets, ended but for {left}")
    nobody = (
        "ports are short, and nobody of the room is seen to hold many: ss -tanp, as root, shows "
        "who does, and make hub-stop ends all servers"
    )
    return said or [nobody]


def numbers(file: Path = RANGE) -> tuple[int, int]:
    """Return the first and the last port that the system gives to who asks for any."""
    first, last = map(int, file.read_text().split())
    return first, last


def taken(first: int, last: int, tries: int = TRIES) -> int:
    """Return how many of some ports nobody else could have now.

    What is bound and does not listen stands in no list of the system's, so it is tried.
    """
    return sum(not free(port) for port in random.sample(range(first, last + 1), tries))


def free(port: int) -> bool:
    """Return whether nobody has a port, at whatever address: one is enough to keep others out."""
    both = socket.has_dualstack_ipv6()
    with socket.socket(socket.AF_INET6 if both else socket.AF_INET) as one:
        if both:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        try:
            one.bind(("", port))
        except OSError:
            return False
    return True


def sockets(processes: Iterable[int]) -> set[str]:
    """Return the sockets of some processes, each once.

    Each thread is looked at, because one may hold what the others of its process do not see.
    """
    found = set()
    for process in processes:
        for folder in (PROC / str(process) / "task").glob("*/fd"):
            with contextlib.suppress(OSError):
                found |= {what for link in os.scandir(folder) if (what := target(link)) != ""}
    return found


def target(link: os.DirEntry[str]) -> str:
    """Return the name of an open socket, and nothing of another thing or one that was closed."""
    with contextlib.suppress(OSError):
        what = os.readlink(link)
        return what if what.startswith("socket:") else ""
    return ""


class Rounds:
    """Lets something happen every few seconds, in a loop that turns more often."""

    def __init__(self, seconds: float = 5.0):
        self.seconds, self.last = seconds, float("-inf")

    def due(self, now: float) -> bool:
        """Return whether it is time again, and remember it."""
        if now - self.last < self.seconds:
            return False
        self.last = now
        return True
