"""A place without a network: a namespace of Linux that has the loopback and nothing else."""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import sys

UP = 0x1
WAYS = (
    ["unshare", "--net"],  # root
    ["unshare", "--net", "--map-root-user"],
    [
        "sudo",
        "--non-interactive",
        "--preserve-env",
        "unshare",
        "--net",
    ],  # where that is forbidden
)
GET_FLAGS, SET_FLAGS = 0x8913, 0x8914  # SIOCGIFFLAGS, SIOCSIFFLAGS of linux/sockios.h


class NetworkStaysError(RuntimeError):
    """The network cannot be taken away here."""


def command_without_network(command: list[str]) -> list[str]:
    """Return a command that runs another one without a network.

    Raises:
        NetworkStaysError: this machine cannot do that.
    """
    if not sys.platform.startswith("linux") or not shutil.which("unshare"):
        raise NetworkStaysError("Only Linux can take the network away from a program (unshare).")
    ways = WAYS[:1] if os.geteuid() == 0 else WAYS[1:]
    said = ""
    for way in (way for way in ways if shutil.which(way[0])):
        done = subprocess.run([*way, "true"], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return [*way, *command]
        said = done.stderr.strip()
    raise NetworkStaysError(f"The network cannot be taken away: {said}")


def raise_loopback() -> None:
    """Switch on the loopback, which a new namespace has switched off."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        asked = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(control, GET_FLAGS, asked))[1]
        fcntl.ioctl(control, SET_FLAGS, struct.pack("16sh", b"lo", flags | UP))


def is_off() -> bool:
    """Tell whether no address beyond this machine can be reached; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # an address of nobody, for documentation
        except OSError:
            return True
    return False
