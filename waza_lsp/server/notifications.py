"""What happens on notifications: documents, settings, files. The table is at the end; requests are in `requests.py`."""

import asyncio
from collections.abc import Callable
from typing import Any

from lsprotocol import types

from waza_engine.scope import Scope
from waza_lsp.features.diagnostics import diagnostics
from waza_lsp.server.app import WazaServer


def on_initialize(server: WazaServer, params: types.InitializeParams) -> None:
    options = params.initialization_options
    option = (
        options.get if isinstance(options, dict) else lambda name, default: getattr(options, name, default)
    )
    server.trusted = option("trusted", True) is not False
    server.run_events = option("runEvents", False) is True


async def on_initialized(server: WazaServer, _params: types.InitializedParams) -> None:
    workspace = server.client_capabilities.workspace
    if workspace is not None and workspace.configuration:
        item = types.ConfigurationItem(section="waza")
        values = await server.workspace_configuration_async(types.ConfigurationParams([item]))
        server.configure(values[0] if values else None)
    await asyncio.to_thread(_import_grader_types)
    server.warm = True
    publish_soon(server, everything=True)


def _import_grader_types() -> None:
    """Bring in what the last stage of checking needs: too slow for the start, and nobody waits for it here."""
    from waza_engine.checking.registry import checks
    from waza_engine.formats import dialects
    from waza_engine.graders.checking import check_entry

    for dialect in dialects():
        check_entry(dialect.name, {}, Scope())
        checks(dialect.name, "")


def on_configuration(server: WazaServer, params: types.DidChangeConfigurationParams) -> None:
    settings = params.settings
    section = settings.get("waza") if isinstance(settings, dict) else getattr(settings, "waza", None)
    if section is not None:
        server.configure(section)
        publish_soon(server, everything=True)


def on_open(server: WazaServer, params: types.DidOpenTextDocumentParams) -> None:
    server.documents.open(
        params.text_document, types.PositionEncodingKind(server.workspace.position_encoding or "utf-16")
    )
    publish_soon(server)


def on_change(server: WazaServer, params: types.DidChangeTextDocumentParams) -> None:
    server.documents.change(params)
    publish_soon(server)


def on_close(server: WazaServer, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    server.documents.close(uri)
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def on_watched_files(server: WazaServer, _params: types.DidChangeWatchedFilesParams) -> None:
    publish_soon(server, everything=True)


def publish_soon(server: WazaServer, *, everything: bool = False) -> None:
    """Publish after the messages that are already waiting, so that a burst of edits is published once."""
    if everything:
        server.documents.touch()
    asyncio.get_running_loop().call_soon(_publish, server)


def _publish(server: WazaServer) -> None:
    for snapshot in server.documents.take_stale():
        items = diagnostics(snapshot, server.world(snapshot) if server.warm else None)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(snapshot.uri, items, snapshot.version)
        )


NOTIFICATIONS: list[tuple[str, Callable[..., Any], Any]] = [
    (types.INITIALIZE, on_initialize, None),
    (types.INITIALIZED, on_initialized, None),
    (types.WORKSPACE_DID_CHANGE_CONFIGURATION, on_configuration, None),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, on_watched_files, None),
    (types.TEXT_DOCUMENT_DID_OPEN, on_open, None),
    (types.TEXT_DOCUMENT_DID_CHANGE, on_change, None),
    (types.TEXT_DOCUMENT_DID_CLOSE, on_close, None),
]
