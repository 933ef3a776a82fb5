"""What the server shows: the files of the site, and the archives under /workshop/; nothing else."""

from __future__ import annotations

import gzip
import html
import mimetypes
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

ARCHIVES = "/workshop/"
SUMS = "SHA256SUMS"
HEAVY = 2**22  # bytes; what is longer is sent as it is
WORTH_IT = 2**10

mimetypes.add_type("font/woff2", ".woff2")
mimetypes.add_type("text/javascript", ".mjs")

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The course for your laptop</title>
<h1>The course for your laptop</h1>
<p>Take the file whose name has your system, unpack it, and read README.txt in it.
<a href="/">To the course itself</a></p>
<ul>
{rows}
</ul>
</html>
"""


@dataclass(frozen=True)
class Shared:
    """The folder of the site, and that of the archives, if there is one."""

    site: Path
    archives: Path

    def file(self, address: str) -> Path | None:
        """Return the file that the path of a URL stands for; None if it stands for none.

        A path that leads upwards stands for none, nor does a link that leads out of the folder.
        """
        try:
            return self._file(unquote(urlsplit(address).path))
        except (OSError, ValueError):  # no URL, or a name too long or too strange for any file
            return None

    def _file(self, path: str) -> Path | None:
        if not path.startswith("/") or "\\" in path or "\0" in path or ".." in path.split("/"):
            return None
        if path.startswith(ARCHIVES):
            name = path.removeprefix(ARCHIVES)
            return next((file for file in self.offered() if file.name == name), None)
        top = self.site.resolve()
        file = (top / path.lstrip("/")).resolve()
        file = file / "index.html" if file.is_dir() else file
        return file if file.is_relative_to(top) and file.is_file() else None

    def offered(self) -> list[Path]:
        """Return the archives, and what lies beside them; none while they are being made."""
        if not self.archives.is_dir():
            return []
        files = (path for path in self.archives.iterdir() if not path.name.startswith("."))
        return sorted(path for path in files if path.is_file() and not path.is_symlink())

    def beginnings(self) -> dict[str, str]:
        """Return the first digits of each archive's SHA-256, which its maker wrote beside it."""
        file = self.archives / SUMS
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        named = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
        return {
            file.name: " ".join(named[file.name][at : at + 4] for at in range(0, 16, 4))
            for file in self.offered()
            if file.name in named
        }

    def listing(self) -> bytes | None:
        """Return the page that lists the archives; None where there is none."""
        rows = [
            f'<li><a href="{quote(file.name)}">{html.escape(file.name)}</a>, '
            f"{in_words(file.stat().st_size)}</li>"
            for file in self.offered()
        ]
        return PAGE.format(rows="\n".join(rows)).encode() if rows else None


def archives_beside(site: Path) -> Path:
    """Return the folder of the archives that hold a site."""
    return site.parent / ARCHIVES.strip("/")


def in_words(size: int) -> str:
    """Return a number of bytes as people say it.

    >>> in_words(317_000_000), in_words(2_840_000_000), in_words(960)
    ('317 MB', '2.8 GB', '1 kB')
    """
    if size >= 10**9:
        return f"{size / 10**9:.1f} GB"
    return f"{size / 10**6:.0f} MB" if size >= 10**6 else f"{max(size / 1000, 1):.0f} kB"


def type_of(file: Path) -> str:
    """Return a file's media type, as HTTP names it.

    >>> type_of(Path("intro.html")), type_of(Path("course.tar"))
    ('text/html; charset=utf-8', 'application/x-tar')
    """
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def is_text(file: Path) -> bool:
    """Tell whether a file shrinks when it is compressed.

    >>> is_text(Path("intro.html")), is_text(Path("icons.woff2")), is_text(Path("a.svg"))
    (True, False, True)
    """
    return type_of(file).startswith(("text/", "application/j", "image/svg"))


def compressed(file: Path) -> bytes | None:
    """Return the gzipped bytes of a text; None if it had better be sent as it is."""
    state = file.stat()
    if not is_text(file) or not WORTH_IT <= state.st_size <= HEAVY:
        return None
    return _gzip(file, state.st_mtime_ns)


@lru_cache(maxsize=1024)
def _gzip(file: Path, changed: int) -> bytes:
    """Compress a file; a changed file has another time, and is compressed again."""
    return gzip.compress(file.read_bytes(), 6, mtime=0)
