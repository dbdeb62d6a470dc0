"""A minimal editor that talks JSON to a real server process, without importing the server.

Answers are plain dictionaries, as they came over the wire. Requests of the server are answered with nothing.
"""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

COMMAND = [sys.executable, "-P", "-m", "waza_lsp", "serve"]
FULL: dict[str, Any] = {
    "textDocument": {
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "documentationFormat": ["markdown", "plaintext"],
                "labelDetailsSupport": True,
                "insertTextModeSupport": {"valueSet": [1, 2]},
                "resolveSupport": {"properties": ["documentation", "detail"]},
            }
        },
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
    }
}
"""The capabilities of a modern editor."""
LEAST: dict[str, Any] = {}
"""An editor without any capabilities."""


class WireError(Exception):
    """The server responded with an error."""


class Editor:
    """An editor with one server, as a context manager."""

    def __init__(
        self, root: Path, capabilities: dict[str, Any], options: dict[str, Any] | None = None
    ) -> None:
        self.root = root
        self._ids = itertools.count(1)
        self._versions = itertools.count(1)
        self.notes: list[dict[str, Any]] = []
        self._process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
            env={**os.environ},
        )
        start = {
            "processId": None,
            "rootUri": root.as_uri(),
            "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
            "capabilities": capabilities,
            "initializationOptions": {"trusted": True, **(options or {})},
        }
        self.abilities: dict[str, Any] = self.ask("initialize", start)["capabilities"]
        self.tell("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._process.wait(10)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    @property
    def process_id(self) -> int:
        return self._process.pid

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its response."""
        number = next(self._ids)
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._read()
            if "method" in message and "id" in message:
                answer = [None] if message["method"] == "workspace/configuration" else None
                self._send({"id": message["id"], "result": answer})
            elif "method" in message:
                self.notes.append(message)
            elif message.get("id") == number:
                if "error" in message:
                    raise WireError(f"{method}: {message['error']}")
                return message["result"]

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def open(self, name: str, text: str) -> str:
        """Open a document below the root and return its URI."""
        uri = (self.root / name).as_uri()
        item = {"uri": uri, "languageId": "yaml", "version": next(self._versions), "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return uri

    def close(self, uri: str) -> None:
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def type(self, uri: str, line: int, character: int, text: str) -> None:
        """Insert a text at a position."""
        place = {"line": line, "character": character}
        change = {"range": {"start": place, "end": place}, "text": text}
        document = {"uri": uri, "version": next(self._versions)}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def at(self, request: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """Send a `textDocument/` request about a position."""
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        return self.ask(f"textDocument/{request}", {**place, **more})

    def of(self, request: str, uri: str, **more: Any) -> Any:
        """Send a `textDocument/` request about a whole document."""
        return self.ask(f"textDocument/{request}", {"textDocument": {"uri": uri}, **more})

    def _send(self, message: dict[str, Any]) -> None:
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        pipe = self._process.stdin
        assert pipe is not None
        pipe.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        pipe.flush()

    def _read(self) -> dict[str, Any]:
        pipe = self._process.stdout
        assert pipe is not None
        length = 0
        while line := pipe.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the server has ended"
        message: dict[str, Any] = json.loads(pipe.read(length))
        return message
