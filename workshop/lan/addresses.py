"""Under which addresses others find this machine, and who those others are."""

from __future__ import annotations

import errno
import ipaddress
import socket

import psutil

# Networks that reach no laptop: of containers and of virtual machines
INNER = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "podman", "cni")


class NoAddressError(ValueError):
    """HOST or PORT is none on which this machine can serve."""


def own_addresses() -> list[str]:
    """Return this machine's addresses of IPv4 in its networks, the likeliest first."""
    states = psutil.net_if_stats()
    found = [
        address.address
        for name, addresses in psutil.net_if_addrs().items()
        for address in addresses
        if address.family == socket.AF_INET and states[name].isup and not name.startswith(INNER)
    ]
    outer = [address for address in found if not ipaddress.ip_address(address).is_loopback]
    return sorted(outer, key=lambda address: address != _towards_others())


def _towards_others() -> str:
    """Return the address from which this machine would write to others; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # an address of nobody, for documentation
        except OSError:
            return ""
        return str(asking.getsockname()[0])


def find_host(host: str) -> str:
    """Return the numbers of a host's address.

    Raises:
        NoAddressError: there is no such host.
    """
    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except (OSError, UnicodeError):
        raise NoAddressError(
            f"HOST={host} is no address: {_choices()}, for instance: make serve HOST=0.0.0.0"
        ) from None


def read_port(port: str) -> int:
    """Return a port as a number.

    Raises:
        NoAddressError: it is none.
    """
    if port.isascii() and port.isdigit() and 1 <= int(port) <= 65535:
        return int(port)
    raise NoAddressError(f"PORT={port} is no port: give a number from 1024 to 65535, like 8000.")


def why_not(error: OSError, host: str, port: int) -> str:
    """Say in a sentence why nothing can be served at an address."""
    if isinstance(error, PermissionError):
        return f"PORT={port} needs the rights of root: give one from 1024, like PORT=8000."
    if error.errno == errno.EADDRINUSE:
        return (
            f"Another program has port {port}, perhaps another make serve: end it, or give "
            f"another port, like PORT={port % 65535 + 1}."
        )
    return f"HOST={host} is no address of this machine ({error.strerror}): {_choices()}."


def free_port() -> int:
    """Return a port of this machine that nobody has."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def is_inner(host: str) -> bool:
    """Tell whether an address can be reached from this machine alone.

    >>> is_inner("127.0.0.1"), is_inner("::1"), is_inner("0.0.0.0")
    (True, True, False)
    """
    return ipaddress.ip_address(host.partition("%")[0]).is_loopback


def urls(host: str, port: int) -> list[str]:
    """Return under which URLs browsers find the server."""
    ways = own_addresses() if host in ("0.0.0.0", "::") else [host]
    return [f"http://{f'[{way}]' if ':' in way else way}:{port}/" for way in ways]


def _choices() -> str:
    own = own_addresses()
    also = f"; those of this machine are {', '.join(own)}" if own else ""
    return f"127.0.0.1 serves this machine alone, 0.0.0.0 all its networks{also}"
