"""Twenty-five browsers at once, as when a room opens the course: is any request refused?

``python -m workshop.lan.load`` asks the built site, over this machine's own network alone. Each
browser opens a page over six connections, as browsers do, with its styles, scripts and pictures,
then the next page. Every answer is compared with the file.
"""

from __future__ import annotations

import gzip
import http.client
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from posixpath import join, normpath
from socket import socket
from threading import Barrier
from typing import NamedTuple
from urllib.parse import urldefrag, urlsplit

from site_checks.links import internal, page_of
from site_checks.site import built_site, chapters, file_of
from workshop.lan.addresses import free_port

BROWSERS, CONNECTIONS, REQUESTS = 25, 6, 1500
PATIENCE = 30.0  # seconds

OURS = [sys.executable, "-m", "workshop.lan", "--port", "{port}"]
PLAIN = [sys.executable, "-m", "http.server", "{port}", "--bind", "127.0.0.1", "-d", "{site}"]


class Answer(NamedTuple):
    """What came of one request: what was wrong, if anything, after how many seconds."""

    fault: str
    seconds: float
    size: int = 0  # bytes on the wire


def visit(site: Path) -> Iterator[str]:
    """Yield the addresses that a browser asks for, page after page of the site, without end."""
    for page in cycle(chapters(site)):
        yield "/" + page
        for reference in page_of((site / page).read_text()).references:
            path = urldefrag(urlsplit(reference).path).url
            if internal(reference) and not path.endswith((".html", "/", ".ipynb")) and path:
                yield "/" + normpath(join(str(Path(page).parent), path)).lstrip("/")


def ask(connection: http.client.HTTPConnection, address: str, site: Path) -> Answer:
    """Ask for one address, and compare what comes with the file."""
    start = time.monotonic()
    try:
        connection.request("GET", address, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return Answer(type(error).__name__, time.monotonic() - start)
    seconds = time.monotonic() - start
    if answer.status != 200:
        return Answer(f"status {answer.status}", seconds, len(body))
    plain = gzip.decompress(body) if answer.headers["Content-Encoding"] == "gzip" else body
    fault = "" if plain == file_of(site, address).read_bytes() else "not the file"
    return Answer(fault, seconds, len(body))


def load(port: int, site: Path, browsers: int, connections: int, requests: int) -> list[Answer]:
    """Let browsers ask at once, each over its connections; return an answer for each request."""
    count = browsers * connections
    each = requests // count
    addresses = list(islice(visit(site), each * count))
    together = Barrier(count)

    def one(number: int) -> list[Answer]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        together.wait()
        # A browser's six connections share the files of its pages.
        begin = number // connections * connections * each + number % connections
        mine = islice(addresses, begin, begin + connections * each, connections)
        answers = [ask(connection, address, site) for address in mine]
        connection.close()
        return answers

    with ThreadPoolExecutor(count) as pool:
        return [answer for answers in pool.map(one, range(count)) for answer in answers]


@contextmanager
def running(command: list[str], site: Path) -> Iterator[int]:
    """Run a server in a process of its own, and yield its port when it answers."""
    port = free_port()
    filled = [word.format(port=port, site=site) for word in command]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(filled, stdout=nothing, stderr=nothing)
    try:
        for _ in range(300):
            with socket() as asking:
                if asking.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()


def row(name: str, answers: list[Answer], seconds: float) -> str:
    """Return a row of the table."""
    times = sorted(answer.seconds for answer in answers)
    failed = sum(bool(answer.fault) for answer in answers)
    size = sum(answer.size for answer in answers) / 1e6
    return (
        f"{name:<24}{len(answers):>9,}{failed:>8}{len(answers) / seconds:>11,.0f}"
        f"{statistics.median(times):>10.3f} s{times[-1]:>9.2f} s{size:>9.1f} MB"
    )


def main() -> int:
    """Print a table; return 1 where a request to our server failed."""
    site = built_site()
    print(f"{BROWSERS} browsers at once, {CONNECTIONS} connections each, on this machine\n")
    print(f"{'server':<24}{'requests':>9}{'failed':>8}{'a second':>11}"
          f"{'median':>12}{'slowest':>11}{'sent':>12}")  # fmt: skip
    failed = 0
    for name, command in (("make serve", OURS), ("python -m http.server", PLAIN)):
        with running(command, site) as port:
            start = time.monotonic()
            answers = load(port, site, BROWSERS, CONNECTIONS, REQUESTS)
            print(row(name, answers, time.monotonic() - start), flush=True)
        if command is OURS:
            failed = sum(bool(answer.fault) for answer in answers)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
