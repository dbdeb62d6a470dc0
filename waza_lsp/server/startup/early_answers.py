"""The first answers of the server, given before the library that speaks the protocol is there.

Importing that library takes longer than all else at the start. So `initialize` is answered from a file, and the first
document is checked, with our own code and the standard library alone. Then everything is handed over: all messages
are gone through again, and of what they bring about only the answers given here are left out. What is not plain at
once is left to the library as well: it only takes longer.
"""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_lsp.lazy_import import put_off
from waza_lsp.server.startup.capabilities import answer, encoding
from waza_lsp.server.transport.framing import Frames

if TYPE_CHECKING:
    from waza_lsp.schema.world import World
    from waza_lsp.snapshot import Snapshot

_PATIENCE_SECONDS = 0.05
"""How long an editor may take for its next message before the library gets its turn."""
_UNEVENTFUL = frozenset(["initialized", "workspace/didChangeConfiguration", "$/setTrace"])


class Early:
    """What was read, and what of it is answered already."""

    def __init__(self, frames: Frames) -> None:
        self.frames = frames
        self.waiting: list[bytes] = []
        """The messages that the library has to go through."""
        self.answered: Any = None
        """The id of the `initialize` that it must not answer again."""
        self.published: dict[str, str] = {}
        """What it need not publish again: parameters as JSON, by address."""
        self.failure: Exception | None = None
        """What went wrong, for the log."""
        self._unread: list[bytes] = []
        self._given: dict[str, Any] = {}
        self._snapshots: dict[str, Snapshot] = {}

    def run(self) -> None:
        """Answer what can be answered early. Whatever goes wrong, the library has its turn."""
        try:
            self._start()
        except Exception as error:  # noqa: BLE001  # the one place per start
            self.failure = error
        self.waiting += self._unread

    def _start(self) -> None:
        body = self._next(None)
        if body is None:
            return
        self.waiting.append(body)
        message = _read(body)
        given = message.get("params") if message.get("method") == "initialize" else None
        if not isinstance(given, dict) or "id" not in message or _is_beside_another(given):
            return
        self._given = given
        put_off("lsprotocol.types")
        # A part of what the first document needs: as much as nobody notices.
        import waza_engine.validation.checker  # noqa: F401
        import waza_lsp.schema.form

        _send({"id": message["id"], "result": answer(self._client)})
        self.answered = message["id"]
        # The rest, while the editor thinks.
        import waza_lsp.features.diagnostics  # noqa: F401

        while (body := self._next(_PATIENCE_SECONDS)) is not None and self._goes_on(body):
            pass

    def _next(self, seconds: float | None) -> bytes | None:
        while not self._unread:
            if seconds is not None and not self.frames.is_waiting(seconds):
                return None
            if not self.frames.read():
                return None
            self._unread = self.frames.take()
        return self._unread.pop(0)

    def _goes_on(self, body: bytes) -> bool:
        """Deal with a message; False once the library should have its turn."""
        self.waiting.append(body)
        message = _read(body)
        method, params = message.get("method"), _mapping(message.get("params"))
        document = _mapping(params.get("textDocument"))
        if method == "textDocument/didOpen" and _is_whole(document):
            self._open(document)
            return self._pulls_again
        if method == "textDocument/diagnostic" and "id" in message and self._pulls_again:
            snapshot = self._snapshots.get(str(document.get("uri")))
            if snapshot is not None:
                self._report(message["id"], snapshot, params.get("previousResultId"))
                self.waiting.pop()
            return False
        return method in _UNEVENTFUL

    @property
    def _client(self) -> dict[str, Any]:
        return _mapping(self._given.get("capabilities"))

    @property
    def _pulls_again(self) -> bool:
        """Whether the editor asks for findings itself, and can be told to ask again when all checks are there."""
        findings = _mapping(_mapping(self._client.get("workspace")).get("diagnostics"))
        return self._pulls and bool(findings.get("refreshSupport"))

    @property
    def _pulls(self) -> bool:
        return _mapping(self._client.get("textDocument")).get("diagnostic") is not None

    def _open(self, item: dict[str, Any]) -> None:
        from waza_lsp.features.diagnostics import written_diagnostics
        from waza_lsp.schema.written_diagnostic import published
        from waza_lsp.snapshot import Snapshot

        snapshot = Snapshot.of(item["uri"], item["text"], item["version"], encoding(self._client))
        self._snapshots[snapshot.uri] = snapshot
        if not self._pulls:
            params = published(
                snapshot.uri, written_diagnostics(snapshot, self._world(snapshot)), item["version"]
            )
            self.published[snapshot.uri] = params
            _write(f'{{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{params}}}')

    def _report(self, request: Any, snapshot: "Snapshot", previous: str | None) -> None:
        from waza_lsp.features.diagnostics import written_diagnostics
        from waza_lsp.features.pull_diagnostics import document_report

        report = document_report(written_diagnostics(snapshot, self._world(snapshot)), previous)
        _write(f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{report}}}')

    def _world(self, snapshot: "Snapshot") -> "World":
        """What the server knows before it has asked for settings."""
        from waza_engine.checking.project import Projects
        from waza_engine.scope import Scope
        from waza_lsp.schema.world import World

        path = snapshot.path
        if path is None:
            return World(complete=False)
        project = Projects().of(path.parent)
        folder = next((it for it in self._folders() if path.is_relative_to(it)), path.parent)
        return World(
            path,
            Scope(path.parent, folder),
            levels=dict(project.rules),
            excluded=project.excludes(path),
            complete=False,
            target=project.target,
            extra_types=frozenset(project.extra_grader_types),
        )

    def _folders(self) -> list[Path]:
        from waza_lsp.snapshot import path_of

        listed = [it["uri"] for it in self._given.get("workspaceFolders") or ()]
        found = [path_of(it) for it in listed or [self._given.get("rootUri") or ""]]
        return [it for it in found if it is not None]


def _read(body: bytes) -> dict[str, Any]:
    """The message; nothing of one that is none, which the library answers."""
    try:
        return _mapping(json.loads(body))
    except (ValueError, RecursionError):
        return {}


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_whole(document: dict[str, Any]) -> bool:
    """Whether a document that is opened says all that is asked of it here."""
    kinds = (("uri", str), ("text", str), ("version", int))
    return all(isinstance(document.get(name), kind) for name, kind in kinds)


def _is_beside_another(given: dict[str, Any]) -> bool:
    """Whether an other server gives some of what we have: then less is offered, which the library works out."""
    options = given.get("initializationOptions")
    return isinstance(options, dict) and bool(options.get("beside"))


def _send(message: dict[str, Any]) -> None:
    _write(json.dumps({"jsonrpc": "2.0", **message}))


def _write(body: str) -> None:
    """Send a message of ASCII characters."""
    rest = f"Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii")
    while rest:
        rest = rest[os.write(sys.stdout.fileno(), rest) :]
