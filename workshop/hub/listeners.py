"""Who listens on a port of this machine: a server itself, or a thief in its place.

A student can take the port of another one's server in the seconds before that server has it. The
hub would send everybody there who wants to go to the server. So it asks the system who listens.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from pathlib import Path

PROC = Path("/proc/net")
LISTENING = "0A"


def written(address: str) -> str:
    """Return an address as /proc/net/tcp writes it: in words of the processor."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    raw = socket.inet_pton(family, address)
    return "".join(f"{word:08X}" for word in struct.unpack(f"={len(raw) // 4}I", raw))


OWN = {written(address) for address in ("127.0.0.1", "::ffff:127.0.0.1")}
EVERY = {written(address) for address in ("0.0.0.0", "::", "::ffff:0.0.0.0")}


def owners(port: int, folder: Path = PROC) -> set[int]:
    """Return the users whose processes answer at 127.0.0.1, at a port; nobody: an empty set.

    Who listens at another address of the machine is left out, and at every address, too, where
    somebody listens at this one: the system prefers that one.
    """
    files = [file for name in ("tcp", "tcp6") if (file := folder / name).exists()]
    rows = [line.split() for file in files for line in file.read_text().splitlines()[1:]]
    end = f":{port:04X}"
    found = [(row[1][: -len(end)], int(row[7])) for row in rows
             if row[3] == LISTENING and row[1].endswith(end)]  # fmt: skip
    here = {uid for address, uid in found if address in OWN}
    return here or {uid for address, uid in found if address in EVERY}


async def first(port: int, ended: Callable[[], bool], pause: float = 0.2) -> set[int]:
    """Wait until somebody listens, or until the server has ended; return whose it is."""
    while not (found := owners(port)) and not ended():
        await asyncio.sleep(pause)
    return found
