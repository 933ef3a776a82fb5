"""The hub does not keep in memory whatever a stranger sends."""

from __future__ import annotations

import asyncio

import pytest
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application, RequestHandler

from workshop.hub import bodies


class Login(RequestHandler):
    def post(self) -> None:
        self.write(str(len(self.request.body)))


async def answer(length: int, body: bytes = b"", seconds: float = 20.0) -> str:
    """Return how a server answers a request of which so much is said to come."""
    listener, port = bind_unused_port()
    server = HTTPServer(Application([("/hub/login", Login)]), xheaders=True)
    server.add_socket(listener)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        b"POST /hub/login HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n"
        b"Content-Length: %d\r\n\r\n" % length + body
    )
    try:
        return (await asyncio.wait_for(reader.read(), seconds)).decode()
    finally:
        writer.close()
        server.stop()


def test_a_long_request_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HTTPServer, "initialize", bodies.INITIALIZE)
    with pytest.raises(TimeoutError):
        asyncio.run(answer(2**20 + 1, seconds=0.3))  # tornado waits for the rest
    bodies.take_short_ones()
    assert asyncio.run(answer(2**20 + 1)).startswith("HTTP/1.1 400")
    assert asyncio.run(answer(2**19, bytes(2**19))).endswith(str(2**19))
