"""The editor at the other end of the connection: what it can do, and the messages that it gets."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from waza_engine.version import __version__
from waza_lsp.features.completion import CompletionClient
from waza_lsp.server.transport.protocol import OwnDocumentsProtocol, message_converter
from waza_lsp.snapshot import path_of
from waza_lsp.workspace.client import Client as EditClient

_QUESTION_SECONDS = 600.0
"""How long a question may stay open. Some editors never answer."""


_LINE = 55
"""The characters of a message that editors show without a button."""
_LOGS = "Show Logs"


class CannotAskError(Exception):
    """The editor shows no questions with buttons."""


class _LanguageServer(LanguageServer):
    protocol: OwnDocumentsProtocol


class Client:
    """The editor. `lsp` is the pygls server, whose methods send the messages of the protocol."""

    def __init__(self) -> None:
        self.lsp = _LanguageServer(
            "waza-lsp",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=OwnDocumentsProtocol,
            converter_factory=message_converter,
        )
        self.name = ""
        """The name that the editor gives itself."""
        self.follows_runs = False
        """Whether the editor has a test view and wants the events of runs."""
        self.watches_files = False
        """Whether the editor reports changed files."""
        self.formats = False
        """Whether formatting is registered with an editor that allows that later."""
        self.does_editor_actions = False
        """Whether the editor handles `waza/editorAction`: what LSP has no request for."""
        self.is_started = asyncio.Event()
        """Set in the first pause after the start. Work that nobody waits for begins then."""
        self._asking: set[asyncio.Task[None]] = set()
        self.leave: Callable[[], None] = lambda: None
        """Ends the server, if it serves only this editor."""

    @property
    def protocol(self) -> OwnDocumentsProtocol:
        """The protocol handler of the connection."""
        return self.lsp.protocol

    @property
    def capabilities(self) -> types.ClientCapabilities:
        """What the editor can do, as it said in `initialize`."""
        return self.lsp.client_capabilities

    @property
    def folders(self) -> list[Path]:
        """The workspace folders on disk."""
        workspace = self.lsp.workspace
        found = [path_of(it) for it in workspace.folders] or [path_of(workspace.root_uri or "")]
        return [it for it in found if it is not None]

    @property
    def folder_uris(self) -> tuple[str, ...]:
        """The addresses of the workspace folders."""
        return tuple(self.lsp.workspace.folders)

    @property
    def encoding(self) -> types.PositionEncodingKind:
        """How the editor counts columns."""
        return types.PositionEncodingKind(self.lsp.workspace.position_encoding or "utf-16")

    @cached_property
    def completion(self) -> CompletionClient:
        """What the editor supports in completion items. Read it only after `initialize`."""
        return CompletionClient.of(self.capabilities, self.name)

    @cached_property
    def edits(self) -> EditClient:
        """What the editor supports in workspace edits. Read it only after `initialize`."""
        return EditClient.of(self.capabilities)

    @cached_property
    def shows_markdown(self) -> bool:
        """Whether the editor renders Markdown in hovers. One that does not say is assumed to."""
        document = self.capabilities.text_document
        hover = document.hover if document is not None else None
        formats = hover.content_format if hover is not None else None
        return not formats or types.MarkupKind.Markdown in formats

    @cached_property
    def nests_symbols(self) -> bool:
        """Whether the editor supports nested document symbols."""
        document = self.capabilities.text_document
        able = document.document_symbol if document is not None else None
        return able is not None and bool(able.hierarchical_document_symbol_support)

    @property
    def pulls_findings(self) -> bool:
        """Whether the editor requests the findings of documents itself."""
        document = self.capabilities.text_document
        return document is not None and document.diagnostic is not None

    @property
    def has_configuration(self) -> bool:
        """Whether the server can request settings."""
        workspace = self.capabilities.workspace
        return workspace is not None and bool(workspace.configuration)

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.protocol.notify(method, params)

    def notify_json(self, method: str, params: str) -> None:
        """Send a notification whose parameters are already JSON."""
        self.protocol.notify_json(method, params)

    def log(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Write a line to the editor's log of this server."""
        self.lsp.window_log_message(types.LogMessageParams(kind, message))

    async def choose(
        self, message: str, titles: Iterable[str], kind: types.MessageType = types.MessageType.Info
    ) -> str | None:
        """Ask the user with one button per title. Return the title; None without an answer.

        Raises:
            CannotAskError: the editor shows no questions.

        """
        actions = [types.MessageActionItem(it) for it in titles]
        request = types.ShowMessageRequestParams(kind, message, actions)
        try:
            async with asyncio.timeout(_QUESTION_SECONDS):
                answer: Any = await self.lsp.window_show_message_request_async(request)
        except TimeoutError:
            return None
        except Exception as error:  # an editor that cannot ask answers with any error
            raise CannotAskError(str(error)) from error
        title = getattr(answer, "title", None)
        return title if isinstance(title, str) else None

    def offer(
        self,
        message: str,
        actions: Mapping[str, Callable[[], object]],
        kind: types.MessageType = types.MessageType.Warning,
    ) -> None:
        """Show a message with buttons, and call the action of the one that the user chooses."""

        async def ask() -> None:
            with suppress(CannotAskError):
                title = await self.choose(message, actions, kind)
                actions.get(title or "", lambda: None)()

        task = asyncio.get_running_loop().create_task(ask())
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    def act(self, action: str, **members: Any) -> bool:
        """Let the editor do something that LSP has no request for. Returns whether it can."""
        if self.does_editor_actions:
            self.notify("waza/editorAction", {"action": action, **members})
        return self.does_editor_actions

    def warn(self, message: str) -> None:
        """Show a warning to the user."""
        self.show(message, types.MessageType.Warning)

    def show(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Show a message to the user, usually why a command was refused.

        An editor cuts a long one off. If it can show the log, the message gets a button, with which editors show two
        lines. A message that is longer has only its first sentence.
        """
        is_long = len(message) > _LINE and kind in {types.MessageType.Error, types.MessageType.Warning}
        if not (is_long and self.does_editor_actions):
            self.lsp.window_show_message(types.ShowMessageParams(kind, message))
            return
        self.log(message, kind)
        shown = message if len(message) <= 2 * _LINE else first_sentence(message)
        self.offer(shown, {_LOGS: lambda: self.act("showLogs")}, kind)


def first_sentence(message: str) -> str:
    """Return what a message says first, with a full stop."""
    return f"{message.partition('. ')[0].removesuffix('.')}."
