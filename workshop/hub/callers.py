"""From which address a request came: what the proxy saw counts, not what the caller says.

The proxy adds the address to `X-Forwarded-For`, at the end, where the hub reads it. But it passes
on an `X-Real-Ip` as it came, and tornado believes that one first, so everybody could write another
address into the log. Two things stay. A cell that asks the hub's own port, past the proxy, writes
what it likes. And behind a server with TLS of your own, all come from that server's address.
"""

from __future__ import annotations

from typing import Any

from tornado import httpserver
from tornado.httputil import HTTPHeaders

CONTEXT: Any = httpserver._HTTPRequestContext
READ_HEADERS = CONTEXT._apply_xheaders


def read_headers(context: Any, headers: HTTPHeaders) -> None:
    """Read the caller's address from what the proxy adds alone."""
    headers.pop("X-Real-Ip", None)
    READ_HEADERS(context, headers)


def believe_the_proxy_alone() -> None:
    """Let each server of this process read addresses so."""
    CONTEXT._apply_xheaders = read_headers
