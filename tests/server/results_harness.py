"""An editor for tests about runs and results. It edits one document and records all messages of the server."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities

from tests.forked import SERVER, keep_warm, process_of
from tests.server.conftest import make_client

CANCEL_SECONDS = 3.0
"""Seconds. A cancelled run ends within one second, but a busy machine needs longer."""


async def until(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait until a condition holds, or fail after a timeout."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  # the client offers no event for a later state
            await asyncio.sleep(0.01)


class Editor:
    """A client of a running server that edits one document."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.published: list[tuple[float, types.PublishDiagnosticsParams]] = []
        self.events: list[dict[str, Any]] = []
        self.trees_changed: list[dict[str, Any]] = []
        self.refreshes = 0
        self.uri = ""
        self.text = ""
        self._version = 0
        features = client.protocol.fm.features
        features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = self._published
        features[types.WORKSPACE_CODE_LENS_REFRESH] = self._refreshed
        features["waza/runEvent"] = lambda it: self.events.append(plain(it))
        features["waza/testsChanged"] = lambda it: self.trees_changed.append(plain(it))

    def _published(self, params: types.PublishDiagnosticsParams) -> None:
        self.published.append((time.perf_counter(), params))

    def _refreshed(self, _params: None) -> None:
        self.refreshes += 1

    @property
    def pid(self) -> int:
        server = self.client._server
        assert server is not None
        return process_of(server.pid)

    def open(self, path: Path, text: str | None = None) -> None:
        self.uri = path.as_uri()
        self.text = path.read_text(encoding="utf-8") if text is None else text
        self._version += 1
        item = types.TextDocumentItem(self.uri, "yaml", self._version, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def close(self) -> None:
        document = types.TextDocumentIdentifier(self.uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    def replace(self, old: str, new: str) -> float:
        """Edit the first occurrence of a single-line text and return the time of sending."""
        before, found, _ = self.text.partition(old)
        assert found, old
        line, column = before.count("\n"), len(before.rpartition("\n")[2])
        last = old.count("\n")
        end = len(old.rpartition("\n")[2]) + (column if not last else 0)
        return self.change(types.Range(types.Position(line, column), types.Position(line + last, end)), new)

    def change(self, span: types.Range, new: str) -> float:
        """Edit a part of the text and return the time of sending."""
        lines = self.text.split("\n")
        above = "\n".join([*lines[: span.start.line], lines[span.start.line][: span.start.character]])
        below = "\n".join([lines[span.end.line][span.end.character :], *lines[span.end.line + 1 :]])
        self.text = above + new + below
        self._version += 1
        document = types.VersionedTextDocumentIdentifier(self._version, self.uri)
        sent = time.perf_counter()
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(document, [types.TextDocumentContentChangePartial(span, new)])
        )
        return sent

    def save(self, path: Path) -> None:
        path.write_text(self.text, encoding="utf-8")
        document = types.TextDocumentIdentifier(self.uri)
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))

    async def execute(self, command: str, **argument: Any) -> Any:
        return await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command, [argument])
        )

    async def lenses(self) -> list[str]:
        return [it.title for it in await self.lens_commands()]

    async def lens_commands(self) -> list[types.Command]:
        document = types.TextDocumentIdentifier(self.uri)
        found = await self.client.text_document_code_lens_async(types.CodeLensParams(document))
        return [it.command for it in found or () if it.command is not None]

    async def hover(self, line: int, character: int) -> str:
        """Return the text of the hover at a position, "" if there is none."""
        found = await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(self.uri), types.Position(line, character))
        )
        return (
            found.contents.value
            if found is not None and isinstance(found.contents, types.MarkupContent)
            else ""
        )

    async def first_lens_line(self) -> int:
        document = types.TextDocumentIdentifier(self.uri)
        found = await self.client.text_document_code_lens_async(types.CodeLensParams(document))
        return min(it.range.start.line for it in found or ())

    async def lenses_with(self, part: str, seconds: float = 30) -> list[str]:
        """Wait for a lens that contains this text, and return all lenses."""
        async with asyncio.timeout(seconds):
            while True:
                found = await self.lenses()
                if any(part in it for it in found):
                    return found
                await asyncio.sleep(0.02)

    def marked(self, place: dict[str, Any]) -> str:
        """Return the text of a range, up to the end of its first line."""
        first, last = place["start"], place["end"]
        end = last["character"] if last["line"] == first["line"] else None
        line: str = self.text.split("\n")[first["line"]]
        return line[first["character"] : end]

    def said(self) -> list[tuple[str, str, str]]:
        """Return the annotations of runs: code, marked text, message."""
        mine = [it for _, it in self.published if it.uri == self.uri]
        lines = self.text.split("\n")
        return [
            (
                str(it.code),
                lines[it.range.start.line][it.range.start.character : it.range.end.character],
                it.message,
            )
            for it in (mine[-1].diagnostics if mine else ())
            if it.code in {"failed-check", "live-verdict", "recorded-runs", "flaky-grader"}
        ]

    async def says(self, code: str, marked: str = "", seconds: float = 30) -> tuple[str, str, str]:
        """Wait for the annotation with a code on a text, and return its message."""
        await until(lambda: self._one(code, marked), seconds)
        found = self._one(code, marked)
        assert found is not None
        return found

    def _one(self, code: str, marked: str) -> tuple[str, str, str] | None:
        return next((it for it in self.said() if it[0] == code and marked in it[1]), None)

    def finished(self, task: str) -> bool:
        """Whether the run has reported that a task is done."""
        return any((event["event"], event.get("task")) == ("task_finished", task) for event in self.events)

    def ended_progress(self) -> list[Any]:
        """Return the tokens of finished progress, in order of their start."""
        reports: dict[Any, list[Any]] = self.client.progress_reports
        return [
            token
            for token, told in reports.items()
            if told and isinstance(told[-1], types.WorkDoneProgressEnd)
        ]

    @property
    def messages(self) -> list[str]:
        return [it.message for it in self.client.messages]


@asynccontextmanager
async def editor(
    root: Path, *, profile: str = "neovim", settings: dict[str, Any] | None = None, **options: Any
) -> AsyncIterator[Editor]:
    """Start an editor whose workspace is `root`. An option that is `...` is not sent."""
    client = make_client()
    found = Editor(client)
    keep_warm()
    await client.start_io(*SERVER, env=dict(os.environ))
    await client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(profile),
            root_uri=root.as_uri(),
            workspace_folders=[types.WorkspaceFolder(root.as_uri(), "workspace")],
            initialization_options={
                key: it
                for key, it in {"runEvents": True, "trusted": True, **options}.items()
                if it is not ...
            },
        )
    )
    # The audit shows a lens and findings of its own, which only its tests ask for.
    quiet = {"audit": {"enable": False}, "lens": {"audit": False}} if "audit" not in (settings or {}) else {}
    configured = {"run": {"executor": "replay"}, **quiet, **(settings or {})}
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"waza": configured}))
    try:
        yield found
    finally:
        with suppress(Exception):
            await asyncio.wait_for(client.shutdown_session(), 5)


def plain(value: Any) -> Any:
    """Convert an object of pygls back to dictionaries and lists."""
    if isinstance(value, dict):
        return {key: plain(it) for key, it in value.items()}
    if hasattr(value, "_asdict"):
        return {key: plain(it) for key, it in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(it) for it in value]
    return {key: plain(it) for key, it in vars(value).items()} if hasattr(value, "__dict__") else value
