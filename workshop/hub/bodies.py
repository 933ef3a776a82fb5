"""How much somebody may send to the hub in a request: a form, and not 100 MB.

The hub reads a whole request into memory before it knows who sends it. With what tornado takes
unless it is told, two hundred strangers' open requests to log in are 20 GB.
"""

from __future__ import annotations

from typing import Any

from tornado.httpserver import HTTPServer

MOST = 2**20
INITIALIZE = HTTPServer.initialize


def initialize(server: HTTPServer, *arguments: Any, **options: Any) -> None:
    """Make a server ready that refuses a longer request when it reads how long it is."""
    INITIALIZE(server, *arguments, **{"max_body_size": MOST} | options)


def take_short_ones() -> None:
    """Let each server of this process refuse longer ones."""
    HTTPServer.initialize = initialize  # type: ignore[assignment,method-assign]
