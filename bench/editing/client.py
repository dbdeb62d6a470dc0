"""A minimal editor: it starts a server, talks JSON to it, and records the time of each message."""

import itertools
import json
import os
import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from bench.editing.processes import ProcessTree

_CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "diagnostics": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "textDocument": {
        "publishDiagnostics": {
            "versionSupport": True,
            "codeDescriptionSupport": True,
            "relatedInformation": True,
        },
        "diagnostic": {},
        "completion": {"completionItem": {"snippetSupport": True, "documentationFormat": ["markdown"]}},
        "hover": {"contentFormat": ["markdown"]},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "rename": {"prepareSupport": True},
        "codeLens": {"dynamicRegistration": False},
        "inlayHint": {"dynamicRegistration": False},
    },
}
_LONGEST_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Server:
    """The start command of a server and the settings that it can request."""

    name: str
    command: list[str]
    settings: dict[str, Any] = field(default_factory=dict)
    has_rules: bool = False
    """Whether it finds more than a schema describes."""


@dataclass(frozen=True, slots=True)
class Told:
    """Diagnostics, their arrival time, the server's processor seconds then, and the number of edits sent before."""

    at: float
    cpu: float
    version: int
    items: list[dict[str, Any]]

    def has(self, line: int) -> bool:
        return any(it["range"]["start"]["line"] == line for it in self.items)

    def codes(self) -> set[tuple[int, str]]:
        """Return the lines of the findings with their codes."""
        return {(it["range"]["start"]["line"], str(it.get("code"))) for it in self.items}


class Editor:
    """One server with one document, as a context manager."""

    def __init__(
        self, server: Server, root: Path, name: str = "eval.yaml", *, shows_lenses: bool = False
    ) -> None:
        self.server, self.root, self.name = server, root, name
        self._shows_lenses = shows_lenses
        self._lens_request = 0
        self._lenses_again = False
        self._lenses_of = self._lensed = 0
        """The versions whose lenses were requested last, and answered last."""
        self._lensed_at = 0.0
        self.lines: list[str] = []
        self.told: list[Told] = []
        self.logged: deque[str] = deque(maxlen=5)
        """Return the end of the server's log."""
        self._version = 0
        self._ids = itertools.count(1)
        self._answers: dict[int, tuple[float, Any]] = {}
        self._pulls: dict[int, int] = {}
        self._pull_again = False
        self._news = threading.Condition()
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            server.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
            # Some machines that build software compile all modules anew at every start: no editor does.
            env={key: it for key, it in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"},
        )
        self.tree = ProcessTree(self.process.pid)
        for work, stream in ((self._read, self.process.stdout), (self._write, self.process.stdin)):
            threading.Thread(target=work, args=(stream,), daemon=True).start()
        given = {"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": _CAPABILITIES}
        folders = [{"uri": root.as_uri(), "name": "bench"}]
        answer = self.answer("initialize", given | {"workspaceFolders": folders})
        self.initialized = time.perf_counter() - self.started
        self._can_pull = bool(answer["capabilities"].get("diagnosticProvider"))
        self._shows_lenses = self._shows_lenses and bool(answer["capabilities"].get("codeLensProvider"))
        self.notify("initialized", {})
        self.notify("workspace/didChangeConfiguration", {"settings": server.settings})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._out.put(None)
        self.tree.stop()
        self.tree.kill()
        self.process.wait()

    @property
    def uri(self) -> str:
        return (self.root / self.name).as_uri()

    def open(self, lines: list[str]) -> None:
        self.lines, self._version = list(lines), self._version + 1
        item = {
            "uri": self.uri,
            "languageId": "yaml",
            "version": self._version,
            "text": "\n".join(lines) + "\n",
        }
        self.notify("textDocument/didOpen", {"textDocument": item})
        self._pull()
        self._ask_lenses()

    def close(self) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})

    def edit(self, line: int, start: int, end: int, new: str, last: int | None = None) -> int:
        """Replace a range (up to column `end` of line `last`, if it spans lines) and return the version."""
        last = line if last is None else last
        text = self.lines[line][:start] + new + self.lines[last][end:]
        self.lines[line : last + 1] = text.split("\n")
        self._version += 1
        span = {"start": {"line": line, "character": start}, "end": {"line": last, "character": end}}
        document = {"uri": self.uri, "version": self._version}
        self.notify(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": [{"range": span, "text": new}]},
        )
        self._pull()
        self._ask_lenses()
        return self._version

    def at(self, line: int, character: int) -> dict[str, Any]:
        """Return the parameters of a request about a position."""
        return {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": character}}

    def ask(self, method: str, params: Any) -> tuple[int, float]:
        request, now = next(self._ids), time.perf_counter()
        self._send({"id": request, "method": method, "params": params})
        return request, now

    def has_answer(self, request: int) -> bool:
        """Whether a response has come."""
        return request in self._answers

    def result(self, request: int) -> tuple[float, Any]:
        """Wait for a response and return its time and content."""
        with self._news:
            if not self._news.wait_for(lambda: request in self._answers, _LONGEST_SECONDS):
                raise TimeoutError(f"{self.server.name}: no answer")
            return self._answers.pop(request)

    def answer(self, method: str, params: Any) -> Any:
        return self.result(self.ask(method, params)[0])[1]

    def seconds(self, method: str, params: Any) -> float:
        """Send a request and return the time until its response."""
        request, sent = self.ask(method, params)
        return self.result(request)[0] - sent

    def until(self, good: Callable[[Told], bool], since: int) -> Told:
        """Wait for the first matching diagnostics from number `since` on."""
        with self._news:
            if not self._news.wait_for(lambda: any(map(good, self.told[since:])), _LONGEST_SECONDS):
                raise TimeoutError(f"{self.server.name}: no such diagnostics; its log: {[*self.logged]}")
            return next(filter(good, self.told[since:]))

    def until_lenses(self, version: int) -> float:
        """Wait for the lenses of a version, and return when they came."""
        with self._news:
            if not self._news.wait_for(lambda: self._lensed >= version, _LONGEST_SECONDS):
                raise TimeoutError(f"{self.server.name}: no lenses; its log: {[*self.logged]}")
            return self._lensed_at

    def quiet(self, seconds: float) -> None:
        """Wait until the server is silent and idle."""
        until = time.perf_counter() + _LONGEST_SECONDS
        seen, since = (len(self.told), self.cpu()), time.perf_counter()
        while time.perf_counter() < min(until, since + seconds):
            time.sleep(min(0.02, seconds / 4))
            now = (len(self.told), self.cpu())
            if now[0] != seen[0] or now[1] - seen[1] > 0.002:
                seen, since = now, time.perf_counter()

    def cpu(self) -> float:
        """Return the processor seconds of the server and all its child processes."""
        return self.tree.cpu()

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._out.put(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def _write(self, stream: IO[bytes]) -> None:
        while (data := self._out.get()) is not None:
            stream.write(data)
            stream.flush()

    def _read(self, stream: IO[bytes]) -> None:
        while head := stream.readline():
            size = int(head.split(b":")[1]) if head.lower().startswith(b"content-length") else 0
            while stream.readline().strip():
                pass
            body = stream.read(size)
            self._take(json.loads(body), time.perf_counter())

    def _take(self, message: dict[str, Any], now: float) -> None:
        method, request = message.get("method"), message.get("id")
        if method is not None and request is not None:
            self._send({"id": request, "result": self._asked(method, message.get("params"))})
            {"workspace/diagnostic/refresh": self._pull, "workspace/codeLens/refresh": self._ask_lenses}.get(
                method, lambda: None
            )()
        elif method == "textDocument/publishDiagnostics" and message["params"]["uri"] == self.uri:
            params = message["params"]
            self._tell(now, params.get("version") or self._version, params["diagnostics"])
        elif method == "window/logMessage":
            self.logged.append(message["params"]["message"])
        elif request in self._pulls:
            found = message.get("result") or {}
            known = self.told[-1].items if self.told else []
            self._tell(now, self._pulls.pop(request), found.get("items", known))
            if self._pull_again:
                self._pull()
        elif request is not None and request == self._lens_request:
            with self._news:
                self._lensed, self._lensed_at, self._lens_request = self._lenses_of, now, 0
                self._news.notify_all()
            if self._lenses_again:
                self._ask_lenses()
        elif request is not None:
            with self._news:
                self._answers[request] = now, message.get("result")
                self._news.notify_all()

    def _tell(self, now: float, version: int, items: list[dict[str, Any]]) -> None:
        with self._news:
            self.told.append(Told(now, self.cpu(), version, items))
            self._news.notify_all()

    def _asked(self, method: str, params: Any) -> Any:
        if method != "workspace/configuration":
            return None
        return [self.server.settings.get(it.get("section")) for it in params["items"]]

    def _pull(self) -> None:
        """Pull diagnostics, one request at a time, as editors do."""
        self._pull_again = bool(self._pulls)
        if self._can_pull and not self._pulls and self.lines:
            request = next(self._ids)
            self._pulls[request] = self._version
            self._send(
                {
                    "id": request,
                    "method": "textDocument/diagnostic",
                    "params": {"textDocument": {"uri": self.uri}},
                }
            )

    def _ask_lenses(self) -> None:
        """Ask for the lenses, one request at a time, as editors do that show them."""
        self._lenses_again = bool(self._lens_request)
        if self._shows_lenses and not self._lens_request and self.lines:
            self._lens_request, self._lenses_of = next(self._ids), self._version
            params = {"textDocument": {"uri": self.uri}}
            self._send({"id": self._lens_request, "method": "textDocument/codeLens", "params": params})
