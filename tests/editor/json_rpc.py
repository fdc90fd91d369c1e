"""A client of language servers that speak over pipes: enough to drive one in a test."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


class Client:
    """Requests, notifications, and what comes back."""

    def __init__(self, to: IO[bytes], back: IO[bytes]) -> None:
        self._to, self._back, self._last = to, back, 0

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        """The result of a request; what else comes meanwhile is passed over."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self._last and "method" not in message:
                assert "error" not in message, message
                return message.get("result")

    def until(self, method: str) -> Any:
        """The params of the next notification of this name."""
        while True:
            message = self.read()
            if message.get("method") == method:
                return message["params"]

    def read(self) -> Any:
        """The next message; requests of the server are answered with null, as by a client without settings."""
        length = 0
        while line := self._back.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the server ended"
        message = json.loads(self._back.read(length))
        if "id" in message and "method" in message:
            items = len(message["params"]["items"]) if message["method"] == "workspace/configuration" else 0
            self._send({"id": message["id"], "result": [None] * items if items else None})
        return message

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._to.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._to.flush()


@contextmanager
def started(command: Sequence[str], folder: Path) -> Iterator[Client]:
    """A server that was told where it is; ended at the end."""
    server = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        client = Client(server.stdin, server.stdout)
        uri = folder.as_uri()
        client.request("initialize", {"processId": None, "rootUri": uri, "capabilities": {}})
        client.notify("initialized", {})
        yield client
    finally:
        server.kill()
        server.wait()
        server.stdin.close()
        server.stdout.close()


def opened(path: Path, text: str | None = None) -> dict[str, Any]:
    """The params of `textDocument/didOpen`."""
    said = path.read_text() if text is None else text
    return {"textDocument": {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": said}}
