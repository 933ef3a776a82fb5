"""Serve the site, and the archives if there are any: ``make serve HOST=0.0.0.0 PORT=8000``."""

from __future__ import annotations

import argparse
import sys

from site_checks.site import NoSiteError, built_site
from workshop.lan.addresses import NoAddressError, find_host, is_inner, read_port, urls, why_not
from workshop.lan.server import Server
from workshop.lan.shared import ARCHIVES, SUMS, Shared, archives_beside


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m workshop.lan")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", default="8000")
    return parser.parse_args(arguments)


def announcement(host: str, port: int, shared: Shared) -> str:
    """Say where the course is, and who can read it."""
    if is_inner(host):
        here = f"http://localhost:{port}/"
        return (
            f"Open {here} in a browser; Ctrl-C ends it. Nobody but this machine can read it;\n"
            "a whole room can with: make serve HOST=0.0.0.0"
        )
    found = urls(host, port)
    if not found:
        return (
            "This machine is in no network, so nobody can come: join the room's Wi-Fi, or open\n"
            "one of your own, and run this again. Ctrl-C ends it."
        )
    lines = ["Write on the board:", *(f"  {url}" for url in found)]
    count = sum(file.name != SUMS for file in shared.offered())
    if count:
        lines += [f"and for the archives ({count} file{'s' * (count > 1)}):"]
        lines += [f"  {url}{ARCHIVES.strip('/')}/" for url in found]
    sums = [f"  {digits}  {name}" for name, digits in shared.beginnings().items()]
    if sums:
        lines += ["How the SHA-256 of each archive begins:", *sums]
    return "\n".join([*lines, "", whom(bool(count))])


def whom(archives: bool) -> str:
    """Say with plain words who can read what."""
    also = " and copy the archives" if archives else ""
    compare = (
        "Somebody in this network could give another laptop a changed archive instead of yours.\n"
        "Sticks are safer. Or all compare the digits, before they start anything.\n"
    )
    return (
        f"Everybody in this network can read the site{also}: no password, no encryption. They\n"
        "can read nothing else of this machine, and change nothing on it. Ctrl-C ends it.\n"
        f"{compare if archives else ''}"
        "Nobody can come? The Wi-Fi may keep its laptops apart (client isolation), or this\n"
        "machine's firewall may keep the port shut."
    )


def main(arguments: list[str]) -> int | str:
    """Serve until Ctrl-C; return a sentence where that cannot be."""
    chosen = options(arguments)
    try:
        host, port = find_host(chosen.host), read_port(chosen.port)
        site = built_site()
        shared = Shared(site, archives_beside(site))
    except (NoAddressError, NoSiteError) as error:
        return str(error)
    try:
        server = Server((host, port), shared)
    except OSError as error:
        return why_not(error, chosen.host, port)
    with server:
        print(announcement(host, port, shared), flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
