"""A student as the hub sees one: a browser's requests and WebSocket, without the browser."""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from types import TracebackType
from typing import Any

import aiohttp
from yarl import URL

SCRIPT = re.compile(r'<script[^>]*\bsrc="([^"]+)"')
PATIENCE = aiohttp.ClientTimeout(total=900)  # longer than the hub waits for a server


class RefusedError(RuntimeError):
    """The hub or a server answered with something else than what was asked for."""


class Student:
    """Logs in, opens a chapter, runs cells, saves."""

    def __init__(self, hub: str, login: str, password: str):
        self.hub, self.login, self.password = URL(hub), login, password
        self.session = aiohttp.ClientSession(
            cookie_jar=aiohttp.CookieJar(unsafe=True), timeout=PATIENCE
        )
        self.base = self.hub / "user" / login
        self.kernel = ""
        self.socket: aiohttp.ClientWebSocketResponse | None = None
        self.patience = 120.0  # seconds for the next message of a kernel

    async def __aenter__(self) -> Student:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the browser; the server goes on."""
        if self.socket is not None:
            await self.socket.close()
        await self.session.close()

    def token(self, url: URL) -> dict[str, str]:
        """Return the header that proves a request comes from the page and not from elsewhere."""
        cookie = self.session.cookie_jar.filter_cookies(url).get("_xsrf")
        return {"X-XSRFToken": cookie.value} if cookie else {}

    async def ask(self, method: str, url: URL, **more: Any) -> tuple[int, str]:
        """Send a request, and return the status and the text of the answer."""
        headers = self.token(url) | more.pop("headers", {})
        async with self.session.request(method, url, headers=headers, **more) as answer:
            return answer.status, await answer.text()

    async def want(self, method: str, url: URL, **more: Any) -> Any:
        """Send a request whose answer is JSON.

        Raises:
            RefusedError: the status was not one of success.
        """
        status, text = await self.ask(method, url, **more)
        if status >= 400:
            raise RefusedError(f"{method} {url.path}: {status} {text[:200]}")
        return json.loads(text) if text else None

    async def log_in(self) -> None:
        """Type name and password.

        Raises:
            RefusedError: the hub did not let this student in.
        """
        page = self.hub / "hub" / "login"
        await self.ask("GET", page)
        cookie = self.session.cookie_jar.filter_cookies(page)["_xsrf"].value
        form = {"username": self.login, "password": self.password, "_xsrf": cookie}
        status, text = await self.ask("POST", page, data=form, allow_redirects=False)
        if status != 302:
            raise RefusedError(f"{self.login} is not let in: {status} {sentence(text)}")

    async def start_server(self) -> None:
        """Wait for one's server as the page does, listening to the hub's progress."""
        await self.ask("GET", self.hub / "hub" / "spawn" / self.login)
        url = self.hub / "hub/api/users" / self.login / "server/progress"
        async with self.session.get(url, headers=self.token(self.hub / "hub/")) as answer:
            async for line in answer.content:
                if not line.startswith(b"data:"):
                    continue
                event = json.loads(line[5:])
                if event.get("failed"):
                    raise RefusedError(f"the server of {self.login} failed: {event}")
                if event.get("ready"):
                    return
        raise RefusedError(f"{self.login} was told nothing of the server: {answer.status}")

    async def come_in(self) -> None:
        """Have a server, and be known to it, as a page in a browser is."""
        await self.start_server()
        await self.ask("GET", self.base / "lab")

    async def open_page(self, path: str) -> str:
        """Open a chapter in JupyterLab, with the scripts of the page; return the page."""
        url = self.base / "lab" / "tree" / path
        status, page = await self.ask("GET", url)
        if status != 200:
            raise RefusedError(f"GET {url.path}: {status} {sentence(page)}")
        for script in SCRIPT.findall(page):
            async with self.session.get(self.hub.join(URL(script))) as answer:
                await answer.read()
        return page

    async def read(self, path: str) -> dict[str, Any]:
        """Fetch a notebook."""
        return await self.want("GET", self.base / "api/contents" / path, params={"content": "1"})

    async def save(self, path: str, notebook: dict[str, Any]) -> None:
        """Save a notebook."""
        body = {"type": "notebook", "format": "json", "content": notebook}
        await self.want("PUT", self.base / "api/contents" / path, json=body)

    async def start_kernel(self, path: str) -> None:
        """Start a kernel for a notebook, and connect to it."""
        body = {"path": path, "name": path, "type": "notebook", "kernel": {"name": "python3"}}
        found = await self.want("POST", self.base / "api/sessions", json=body)
        self.kernel = found["kernel"]["id"]
        await self.connect()

    async def connect(self) -> None:
        """Open the WebSocket to the kernel, and wait until the kernel answers."""
        if self.socket is not None:
            await self.socket.close()
        url = self.base / "api/kernels" / self.kernel / "channels"
        self.id = uuid.uuid4().hex
        self.socket = await self.session.ws_connect(
            url.with_query(session_id=self.id), max_msg_size=0
        )
        await self.request("kernel_info_request", {})

    async def run(self, code: str) -> str:
        """Run a cell; return what it printed, or the name and text of its error."""
        content = {"code": code, "silent": False, "store_history": True,
                   "user_expressions": {}, "allow_stdin": False, "stop_on_error": True}  # fmt: skip
        return await self.request("execute_request", content)

    async def request(self, kind: str, content: dict[str, Any]) -> str:
        """Send a message to the kernel, and wait for its answer and its rest."""
        number = await self._send(kind, content)
        said, answered, idle = "", False, False
        while not (answered and idle):
            found = await self._receive()
            if found["parent_header"].get("msg_id") != number:
                continue
            body = found["content"]
            match found["header"]["msg_type"]:
                case "stream":
                    said += body["text"]
                case "error":
                    said += f"{body['ename']}: {body['evalue']}"
                case "status":
                    idle = body["execution_state"] == "idle"
                case other:
                    answered = answered or other == kind.replace("request", "reply")
        return said

    async def _send(self, kind: str, content: dict[str, Any]) -> str:
        """Send a message to the kernel, and return its number."""
        assert self.socket is not None
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": kind, "session": self.id, "username": self.login,
                  "version": "5.3", "date": ""}  # fmt: skip
        await self.socket.send_json({
            "header": header, "parent_header": {}, "metadata": {}, "content": content,
            "channel": "shell", "buffers": [],
        })  # fmt: skip
        return number

    async def _receive(self) -> dict[str, Any]:
        """Return the next message of the kernel that is no widget's data."""
        assert self.socket is not None
        message = await self.socket.receive(timeout=self.patience)
        while message.type is aiohttp.WSMsgType.BINARY:
            message = await self.socket.receive(timeout=self.patience)
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise RefusedError(f"{self.login}: the kernel's connection closed")
        found: dict[str, Any] = json.loads(message.data)
        if found["content"].get("execution_state") in ("restarting", "autorestarting", "dead"):
            raise RefusedError(f"{self.login}: the kernel died")
        return found

    async def timed(self, code: str) -> tuple[float, str]:
        """Run a cell; return its seconds and what it said."""
        start = time.perf_counter()
        said = await self.run(code)
        return time.perf_counter() - start, said

    async def arrive(self, chapter: str) -> dict[str, Any]:
        """Do all that comes before the first cell: log in, server, page, chapter, kernel."""
        await self.log_in()
        await self.start_server()
        await self.open_page(chapter)
        found = await self.read(chapter)
        await self.start_kernel(chapter)
        return found["content"]


def sentence(page: str) -> str:
    """Return what a page of the hub says, without its tags."""
    text = re.sub(r"<(script|style|head|nav)\b.*?</\1>", " ", page, flags=re.S)
    words = re.sub(r"<[^>]+>", " ", text).split()
    return " ".join(words)[:300]


async def wait_for(seconds: float, what: Any) -> bool:
    """Ask until it is so, and return whether it came in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if await what():
                return True
        except (TimeoutError, aiohttp.ClientError, RefusedError, OSError):
            pass
        await asyncio.sleep(0.2)
    return False
