"""A server that twenty-five browsers may ask at once: Python's own, with a few lines changed.

Python's own keeps five callers waiting and turns the others away, it closes each connection after
one answer, and it has a thread for every caller without end.
"""

from __future__ import annotations

import re
import socket
import sys
from collections import Counter
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any

from workshop.lan.shared import ARCHIVES, Shared, compressed, type_of

HTML = "text/html; charset=utf-8"
MOST = 480  # callers at once, each with a thread and two files; a system often allows 1,024 files
EACH = 240  # of them from one address
LOST = b"<!doctype html><title>No such page</title><p>There is no such page here."


class Server(ThreadingHTTPServer):
    """The server of a room, at an address of IPv4, or of IPv6, which has a colon.

    One address has EACH places at most, half of them all, so that a single laptop shuts nobody out.
    It is no fewer because a router or a proxy may give a whole room one address: forty browsers
    with six connections each. Further callers from there are sent away at once. Whoever has a
    second address can still take all places.
    """

    request_queue_size = 256
    daemon_threads = True

    def __init__(self, address: tuple[str, int], shared: Shared) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.shared = shared
        self.places = BoundedSemaphore(MOST)
        self.taken: Counter[str] = Counter()  # places, by the address that has them
        self.counting = Lock()
        super().__init__(address, Handler)

    def server_bind(self) -> None:
        """Bind without asking the network for this machine's name, which may take long."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread; with MOST of them, the next caller waits until one has ended.

        Thousands of callers who send nothing would else take every thread and file there is.
        """
        self.places.acquire()
        self._count(client_address, 1)
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._give_back(client_address)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Give the place back at the end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._give_back(client_address)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Send a caller away whose address has all the places that it may have."""
        return self.taken[client_address[0]] < EACH

    def _give_back(self, client_address: Any) -> None:
        self._count(client_address, -1)
        self.places.release()

    def _count(self, client_address: Any, change: int) -> None:
        with self.counting:
            self.taken[client_address[0]] += change
            self.taken += Counter()  # forgets who has none

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Show an error, unless it is a browser that went away in the middle."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection, and the requests that come over it."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "course"
    sys_version = ""
    disable_nagle_algorithm = True  # else a body waits 40 ms for the answer to its head
    timeout = 60

    def do_GET(self) -> None:
        """Answer with a file, with the list of archives, or with the page for a wrong address."""
        shared = self.server.shared
        if self.path == ARCHIVES.rstrip("/"):
            self._send(HTTPStatus.MOVED_PERMANENTLY, b"", Location=ARCHIVES)
        elif self.path == ARCHIVES and (listing := shared.listing()):
            self._send(HTTPStatus.OK, listing, Content_Type=HTML)
        elif file := shared.file(self.path):
            self._send_file(file)
        else:
            page = shared.file("/404.html")
            body = page.read_bytes() if page else LOST
            self._send(HTTPStatus.NOT_FOUND, body, Content_Type=HTML)

    do_HEAD = do_GET  # noqa: N815  as http.server calls it

    def _send_file(self, file: Path) -> None:
        """Send a file compressed, whole, in part, or not at all where the browser has it."""
        changed = int(file.stat().st_mtime)
        about = {"Last_Modified": formatdate(changed, usegmt=True), "Vary": "Accept-Encoding"}
        if self._has_it(changed):
            self._send(HTTPStatus.NOT_MODIFIED, b"", **about)
            return
        about["Content_Type"] = type_of(file)
        if "gzip" in self.headers.get("Accept-Encoding", "") and (body := compressed(file)):
            self._send(HTTPStatus.OK, body, Content_Encoding="gzip", **about)
        else:
            self._stream(file, about)

    def _stream(self, file: Path, about: dict[str, str]) -> None:
        """Send a file from the disk, from where a broken download stopped."""
        size = file.stat().st_size
        start, end = part(self._range(about["Last_Modified"]), size)
        whole = end - start == size
        if not whole:
            about["Content_Range"] = f"bytes {start}-{end - 1}/{size}"
        status = HTTPStatus.OK if whole else HTTPStatus.PARTIAL_CONTENT
        self._head(status, end - start, Accept_Ranges="bytes", **about)
        if self.command == "GET" and end > start:
            with file.open("rb") as source:
                self.connection.sendfile(source, start, end - start)

    def _range(self, changed: str) -> str | None:
        """Return the part that the browser wants, unless it has the other part of another file."""
        same = self.headers.get("If-Range") in (None, changed)
        return self.headers.get("Range") if same else None

    def _send(self, status: HTTPStatus, body: bytes, **headers: str) -> None:
        self._head(status, len(body), **headers)
        if self.command == "GET":
            self.wfile.write(body)

    def _head(self, status: HTTPStatus, length: int, **headers: str) -> None:
        self.send_response(status)
        # At this address another site may be served next: the whole one after the students'.
        self.send_header("Cache-Control", "no-cache")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def _has_it(self, changed: int) -> bool:
        """Tell whether the browser has this file; an older one may be of another site."""
        try:
            since = parsedate_to_datetime(self.headers.get("If-Modified-Since", "")).timestamp()
        except (ValueError, OverflowError):
            return False
        return changed == since

    def log_message(self, *words: object) -> None:
        """Say nothing of each request: a room of browsers makes thousands."""


def part(wanted: str | None, size: int) -> tuple[int, int]:
    """Return the first byte to send and the one after the last, from the header Range.

    A header that asks for several parts, or for none that there is, gets the whole.

    >>> part("bytes=600-", 1000), part("bytes=0-99", 1000), part("bytes=-10", 1000)
    ((600, 1000), (0, 100), (990, 1000))
    >>> part(None, 1000), part("bytes=0-4,8-9", 1000), part("bytes=2000-", 1000)
    ((0, 1000), (0, 1000), (0, 1000))
    """
    found = re.fullmatch(r"bytes=(\d{0,18})-(\d{0,18})", wanted or "")
    if not found or not any(found.groups()):
        return 0, size
    first, last = found.groups()
    start = int(first) if first else max(size - int(last), 0)
    end = min(int(last) + 1, size) if first and last else size
    return (start, end) if start < end else (0, size)
