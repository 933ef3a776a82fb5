"""Where the built site is, which pages it has, and a server for it."""

import gzip
import mimetypes
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parent.parent
mimetypes.add_type("font/woff2", ".woff2")
OTHER_SITES = (
    "`make students` makes the students' site in _build/students/site, and `make book` the other "
    "one in _build/html, which is shown where no SITE is named."
)
ASKED = re.compile(r'<(?:script|link)\b[^>]* (?:src|href)="([^"]+\.(?:js|css)[^"]*)"')


class NoSiteError(RuntimeError):
    """There is no built site to check."""


def built_site() -> Path:
    """Return the folder of the built site, `$QB_SITE` or `_build/html`.

    Raises:
        NoSiteError: if it has not been built.
    """
    named = os.environ.get("QB_SITE")
    site = Path(ROOT / "_build" / "html" if named is None else named).resolve()
    if not (site / "index.html").is_file():
        way = "run `make book` first." if named is None else OTHER_SITES
        raise NoSiteError(f"There is no site in {site}: {way}")
    return site


def chapters(site: Path) -> list[str]:
    """Return the pages of the book, relative to the site."""
    return sorted(str(page.relative_to(site)) for page in (site / "book").rglob("*.html"))


def pages(site: Path) -> list[str]:
    """Return the pages of the book, the search page and the index."""
    return [*chapters(site), "search.html", "genindex.html"]


def unlike(site: Path) -> list[str]:
    """Return a page for each set of scripts and style sheets that pages of the site ask for.

    A widget brings a script, so each widget is on one of them.
    """
    first: dict[frozenset[str], str] = {}
    for page in pages(site):
        asked = ASKED.findall((site / page).read_text(encoding="utf-8"))
        first.setdefault(frozenset(Path(urlsplit(url).path).name for url in asked), page)
    return list(first.values())


def file_of(site: Path, url: str) -> Path:
    """Return the file of the site that a URL of its server stands for."""
    path = site / unquote(urlsplit(url).path).lstrip("/")
    return path / "index.html" if path.is_dir() else path


@cache
def compressed(path: Path) -> bytes:
    """Return the file as it goes over the wire: gzipped at level 6, unless that makes it longer."""
    data = path.read_bytes()
    return min(gzip.compress(data, 6), data, key=len)


@contextmanager
def served(site: Path, *, compress: bool = False) -> Iterator[str]:
    """Serve the site on a free port of this machine, and yield the URL of its top."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = file_of(site, self.path)
            if not path.is_file():
                self.send_error(404)
                return
            body = compressed(path) if compress else path.read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", mimetypes.guess_type(path)[0] or "text/plain")
            self.send_header("Content-Length", str(len(body)))
            if body.startswith(b"\x1f\x8b"):
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
