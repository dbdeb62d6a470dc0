"""A server process and raw LSP messages, for tests that stop reading or writing."""

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from tests.faults.leftovers import PATIENCE_SECONDS, until, wait_for_nothing
from tests.faults.suites import environment, performed


class Wire:
    """A server process, and the bare messages that are exchanged with it."""

    def __init__(
        self, folder: Path, *, reads: bool = True, variables: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self.temporary = folder / "tmp"
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "waza_lsp", "serve"],
            cwd=folder,
            # What it keeps for its next start is written beside all that is done here.
            env=environment(self.temporary, os.environ)
            | {"XDG_CACHE_HOME": str(folder / "cache"), **(variables or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.got: queue.Queue[dict[str, Any]] = queue.Queue()
        self._is_deaf = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        if reads:
            self._reader.start()

    @property
    def input(self) -> IO[bytes]:
        assert self.process.stdin
        return self.process.stdin

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout
        return self.process.stdout

    def begin(self, editor: int | None = None) -> None:
        """Go through the greetings; `editor` is the process that the server is told of."""
        capabilities = {"window": {"workDoneProgress": False}}
        folders = [{"uri": self.folder.as_uri(), "name": "here"}]
        params = {"processId": editor, "capabilities": capabilities, "workspaceFolders": folders}
        self.send(
            "initialize", {**params, "initializationOptions": {"runEvents": True, "trusted": True}}, number=1
        )
        self.answer(1)
        self.send("initialized", {})

    def run(self) -> None:
        """Have the suite run until its agents are at work."""
        text = (self.folder / "eval.yaml").read_text()
        item = {"uri": (self.folder / "eval.yaml").as_uri(), "languageId": "yaml", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})
        variables = {"uri": item["uri"]}
        self.send("workspace/executeCommand", {"command": "waza.runEval", "arguments": [variables]}, number=2)
        until(lambda: performed(self.folder) == 2)

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.write(message if number is None else {**message, "id": number})

    def write(self, message: dict[str, Any], part: float = 1.0) -> None:
        """Write a message, or only so much of it."""
        body = json.dumps(message).encode()
        data = f"Content-Length: {len(body)}\r\n\r\n".encode() + body
        self.input.write(data[: round(len(data) * part)])
        self.input.flush()

    def answer(self, number: int) -> dict[str, Any]:
        while True:
            message = self.got.get(timeout=PATIENCE_SECONDS)
            if message.get("id") == number and "method" not in message:
                return message

    def _read(self) -> None:
        rest, descriptor = b"", self.output.fileno()
        while not self._is_deaf.is_set():
            if select.select([descriptor], [], [], 0.02)[0]:
                chunk = os.read(descriptor, 65_536)
                if not chunk:
                    return
                rest = self._take(rest + chunk)

    def _take(self, data: bytes) -> bytes:
        """Put whole messages where they are waited for; what is left."""
        while True:
            head, end, body = data.partition(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split(b"\r")[0]) if end else 0
            if not end or len(body) < length:
                return data
            self.got.put(json.loads(body[:length]))
            data = body[length:]

    def hear_no_more(self) -> None:
        """Close the server's output."""
        self._is_deaf.set()
        if self._reader.is_alive():
            # It holds the pipe open as long as it reads.
            self._reader.join()
        self.output.close()

    def wait(self) -> None:
        """See that the server has ended, with everything that it had started, and has nothing to complain about."""
        self.process.wait(PATIENCE_SECONDS)
        assert self.process.stderr
        assert self.process.stderr.read() == b""
        wait_for_nothing(self.temporary)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._is_deaf.set()
        if self._reader.is_alive():
            self._reader.join()
        for it in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert it
            try:
                it.close()
            except OSError:
                continue
