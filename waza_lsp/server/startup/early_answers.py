"""Answer `initialize` and check the first document before the protocol library is imported.

Importing that library takes longer than anything else at the start. So `initialize` is answered from a file, and the
first document is checked completely, with the rules and grader types that it uses. Then all messages are handled again with the
library, except that the answers from here are not repeated. Messages that are not simple are left to the library, which
only takes longer.
"""

import json
import os
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from waza_lsp.lazy_import import import_lazily
from waza_lsp.server.startup.capabilities import answer, encoding
from waza_lsp.server.startup.early_progress import REQUEST, EarlyProgress
from waza_lsp.server.transport.framing import Frames, frame

if TYPE_CHECKING:
    from waza_engine.analysis.pipeline import CheckContext
    from waza_lsp.snapshot import Snapshot

_PATIENCE_SECONDS = 0.05
"""How long to wait for the next message before the library is imported."""
_IGNORED = frozenset(["initialized", "workspace/didChangeConfiguration", "$/setTrace"])


class EarlyAnswers:
    """The messages that were read, and which of them are answered."""

    def __init__(self, frames: Frames) -> None:
        self.frames = frames
        self.waiting: list[bytes] = []
        """The messages that the library must handle."""
        self.answered: Any = None
        """The id of the `initialize` that the library must not answer again."""
        self.published: dict[str, str] = {}
        """What the library must not publish again: parameters as JSON, by URI."""
        self.unanswered: list[str] = []
        """The ids of our requests whose responses the library must ignore."""
        self.failure: Exception | None = None
        """The error of a failed early answer, for the log."""
        self._unread: list[bytes] = []
        self._params: dict[str, Any] = {}
        self._snapshots: dict[str, Snapshot] = {}

    def run(self) -> None:
        """Answer what can be answered early. After an error, the library handles everything."""
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
        params = message.get("params") if message.get("method") == "initialize" else None
        if not isinstance(params, dict) or "id" not in message or _has_other_server(params):
            return
        self._params = params
        import_lazily("lsprotocol.types")
        # A part of what the first document needs, short enough not to delay the answer.
        import waza_engine.analysis.schema.checker
        import waza_lsp.schema.document_kind

        _send({"id": message["id"], "result": answer(self._client)})
        self.answered = message["id"]
        # The rest, while the editor handles the answer.
        import waza_lsp.features.diagnostics  # noqa: F401

        if not self._unread and not self.frames.is_waiting(0):
            # Nearly every document needs these. They bring pydantic, which is a quarter of the way to its findings.
            import waza_engine.analysis.rules  # noqa: F401

        while (body := self._next(_PATIENCE_SECONDS)) is not None and self._handle(body):
            pass

    def _next(self, seconds: float | None) -> bytes | None:
        while not self._unread:
            if seconds is not None and not self.frames.is_waiting(seconds):
                return None
            if not self.frames.read():
                return None
            self._unread = self.frames.take()
        return self._unread.pop(0)

    def _handle(self, body: bytes) -> bool:
        """Handle a message. Returns False once the library should take over."""
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
                self._report(message["id"], snapshot, params)
                self.waiting.pop()
            return False
        return method in _IGNORED

    @property
    def _client(self) -> dict[str, Any]:
        return _mapping(self._params.get("capabilities"))

    @property
    def _pulls_again(self) -> bool:
        """Whether the editor pulls findings, and can be asked to pull again when its settings are known."""
        findings = _mapping(_mapping(self._client.get("workspace")).get("diagnostics"))
        return self._pulls and bool(findings.get("refreshSupport"))

    @property
    def _pulls(self) -> bool:
        return _mapping(self._client.get("textDocument")).get("diagnostic") is not None

    def _open(self, item: dict[str, Any]) -> None:
        from waza_lsp.diagnostics.json_writer import publish_json
        from waza_lsp.snapshot import Snapshot

        snapshot = Snapshot.of(item["uri"], item["text"], item["version"], encoding(self._client))
        self._snapshots[snapshot.uri] = snapshot
        if not self._pulls:
            params = publish_json(snapshot.uri, self._check(snapshot), item["version"])
            self.published[snapshot.uri] = params
            _write(f'{{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{params}}}')

    def _report(self, request: Any, snapshot: "Snapshot", params: dict[str, Any]) -> None:
        from waza_lsp.features.pull_diagnostics import document_report

        items = self._check(snapshot, params.get("workDoneToken"))
        report = document_report(items, params.get("previousResultId"))
        _write(f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{report}}}')

    def _check(self, snapshot: "Snapshot", token: Any = None) -> list[str]:
        """Return all findings, each as JSON. `token` is that of a progress that the client has given."""
        if token is None and not _mapping(self._client.get("window")).get("workDoneProgress"):
            return self._findings(snapshot)
        title = f"Checking {PurePosixPath(unquote(snapshot.uri)).name}"
        with EarlyProgress(self.frames, _send, title, token) as progress:
            found = self._findings(snapshot)
        self._unread += progress.unread
        self.unanswered += [REQUEST] * progress.is_unanswered
        return found

    def _findings(self, snapshot: "Snapshot") -> list[str]:
        from waza_lsp.features.diagnostics import diagnostics_json

        return diagnostics_json(snapshot, self._context(snapshot))

    def _context(self, snapshot: "Snapshot") -> "CheckContext":
        """Return the context of a document before the settings are known."""
        from waza_engine.analysis.pipeline import CheckContext, check_context
        from waza_engine.project.settings import Projects

        path = snapshot.path
        if path is None:
            return CheckContext()
        project = Projects().of(path.parent)
        folder = next((it for it in self._folders() if path.is_relative_to(it)), path.parent)
        return check_context(path, project, folder)

    def _folders(self) -> list[Path]:
        from waza_lsp.snapshot import path_of

        listed = [it["uri"] for it in self._params.get("workspaceFolders") or ()]
        found = [path_of(it) for it in listed or [self._params.get("rootUri") or ""]]
        return [it for it in found if it is not None]


def _read(body: bytes) -> dict[str, Any]:
    """Parse a message; {} if it is not valid, which the library will report."""
    try:
        return _mapping(json.loads(body))
    except (ValueError, RecursionError):
        return {}


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_whole(document: dict[str, Any]) -> bool:
    """Whether an opened document has all members that are used here."""
    kinds = (("uri", str), ("text", str), ("version", int))
    return all(isinstance(document.get(name), kind) for name, kind in kinds)


def _has_other_server(params: dict[str, Any]) -> bool:
    """Whether another server provides some features. Then the library computes what is offered."""
    options = params.get("initializationOptions")
    return isinstance(options, dict) and bool(options.get("beside"))


def _send(message: dict[str, Any]) -> None:
    _write(json.dumps({"jsonrpc": "2.0", **message}))


def _write(body: str) -> None:
    """Send a message that consists of ASCII characters."""
    rest = frame(body.encode("ascii"))
    while rest:
        rest = rest[os.write(sys.stdout.fileno(), rest) :]
