"""Firefox's own process, reached through the socket that its developer tools listen to."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from types import TracebackType
from typing import Any

PREFERENCES = {
    "devtools.debugger.remote-enabled": True,
    "devtools.debugger.prompt-connection": False,
    "devtools.chrome.enabled": True,
}
SECONDS = 30
Packet = dict[str, Any]


class DevTools:
    """A line to the browser's own process, in which JavaScript is evaluated.

    A packet is its length, a colon, and JSON: firefox-source-docs.mozilla.org/devtools/backend/.
    """

    def __init__(self, path: Path) -> None:
        """Connect with the Firefox that was started with `--start-debugger-server=path`."""
        self.line = socket.socket(socket.AF_UNIX)
        self.line.settimeout(SECONDS)
        self.line.connect(str(path))
        self.answers = self.line.makefile("rb")
        process = self.ask("root", "getProcess", "processDescriptor", id=0)
        target = self.ask(process["processDescriptor"]["actor"], "getTarget", "process")
        self.console = target["process"]["consoleActor"]

    def __enter__(self) -> DevTools:
        """Return the line."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Hang up."""
        self.answers.close()
        self.line.close()

    def read(self) -> Packet:
        """Return the next packet."""
        digits = b""
        while (byte := self.answers.read(1)) != b":":
            if not byte:
                raise ConnectionError("Firefox has closed the line to its developer tools.")
            digits += byte
        return json.loads(self.answers.read(int(digits)))

    def ask(self, actor: str, kind: str, key: str, **options: object) -> Packet:
        """Send a request, and return the answer that holds `key`; other packets are news."""
        packet = json.dumps({"to": actor, "type": kind, **options}).encode()
        self.line.sendall(b"%d:%s" % (len(packet), packet))
        while True:
            answer = self.read()
            if answer.get("from") == actor and "error" in answer:
                raise RuntimeError(f"Firefox refused {kind}: {answer['error']}")
            if answer.get("from") == actor and key in answer:
                return answer

    def evaluate(self, script: str) -> Any:
        """Return what the script's value is, as JSON; a promise is waited for."""
        text = f"(async () => JSON.stringify((await ({script})) ?? null))()"
        answer = self.ask(
            self.console, "evaluateJSAsync", "hasException", text=text, mapped={"await": True}
        )
        if answer["hasException"]:
            raise RuntimeError(f"In Firefox: {answer.get('exceptionMessage')}\n{script}")
        result = answer["result"]
        if isinstance(result, dict):  # a long text, which is asked for by its name
            whole = {"start": 0, "end": result["length"]}
            result = self.ask(result["actor"], "substring", "substring", **whole)["substring"]
        return json.loads(result)
