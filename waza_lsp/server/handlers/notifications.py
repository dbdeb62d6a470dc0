"""What happens on notifications: documents, settings, files. The table is at the end; requests are in `requests.py`."""

import asyncio
import functools
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from waza_engine.scope import Scope
from waza_lsp.server.coexistence import read_beside, whole_requests
from waza_lsp.server.diagnostics.pull import ASKED_ONCE, PULLED
from waza_lsp.server.handlers.formatting import answer_formatting, offer_formatting, update_formatting
from waza_lsp.server.memory import forget_start, keep_all, until_idle
from waza_lsp.server.params import members_of
from waza_lsp.server.session import WazaServer
from waza_lsp.server.settings import Settings
from waza_lsp.server.transport.connection import when_gone

_PATTERNS = ("**/*.{yaml,yml,md,csv,json,jsonl,toml}", "**/.gitignore", "**/fixtures/**")
_NOT_OURS = ("/.waza-lsp/", "/.git/", "/node_modules/")
"""Runs write into the first one all the time; nothing that is checked stands in any of them."""


def registrations(capabilities: types.ClientCapabilities) -> list[types.Registration]:
    """What to register: only what the client lets servers register while it runs."""
    workspace = capabilities.workspace
    if workspace is None:
        return []
    wanted: list[types.Registration] = []
    files, settings = workspace.did_change_watched_files, workspace.did_change_configuration
    if files is not None and files.dynamic_registration:
        watchers = [types.FileSystemWatcher(it) for it in _PATTERNS]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(types.Registration("waza-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if settings is not None and settings.dynamic_registration:
        section = types.DidChangeConfigurationRegistrationOptions("waza")
        wanted.append(types.Registration("waza-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    return wanted


def concerns_findings(uri: str) -> bool:
    """Whether a change of this file may change what is found anywhere."""
    path = unquote(uri)
    return not any(it in path for it in _NOT_OURS)


def on_initialize(server: WazaServer, params: types.InitializeParams) -> None:
    when_gone(params.process_id, server.leave)
    options = params.initialization_options
    server.client_name = params.client_info.name if params.client_info is not None else ""
    server.trusted = _option(options, "trusted", default=True) is not False
    server.run_events = _option(options, "runEvents", default=False) is True
    server.beside_at_start = read_beside(_option(options, "beside", default=False))
    for method in whole_requests(server.beside_at_start):
        server.protocol.fm.features.pop(method, None)
    offer_formatting(server)
    document = params.capabilities.text_document
    if document is not None and document.diagnostic is not None:
        server.delivery.pulls = True
        others = {} if server.finding_refresh.is_known_to(server) else ASKED_ONCE
        for method, handler, provided in PULLED:
            server.feature(method, provided)(functools.partial(others.get(method, handler), server))


def _option(options: Any, name: str, *, default: bool) -> Any:
    return members_of(options).get(name, default)


async def on_initialized(server: WazaServer, _params: types.InitializedParams) -> None:
    """Everything that may take a moment; no request waits for it, what it changes is delivered afterwards."""
    answer_formatting(server)
    if _can_be_asked(server):
        # Now: what is asked next may start before the tasks below do.
        server.settings_known.clear()
    try:
        await asyncio.gather(_ask_for_settings(server), _register(server), _prepare(server), _warm_up(server))
    finally:
        # Also when one of them fails: what is compiled later is not to be remembered all day.
        await asyncio.to_thread(server.compiled.keep)


async def _warm_up(server: WazaServer) -> None:
    await until_idle(server)
    forget_start()
    await asyncio.to_thread(_import_grader_types)
    server.warm.set()
    server.delivery.everything_changed(server, pause=0)
    keep_all()


async def _prepare(server: WazaServer) -> None:
    await until_idle(server)
    for method in sorted(server.protocol.fm.features.keys() - {types.INITIALIZE}):
        server.protocol.prepare(method)
        await asyncio.sleep(0)


def _import_grader_types() -> None:
    """Bring in what the last stage of checking needs: too slow for the start, and nobody waits for it here."""
    from waza_engine.checking.registry import checks
    from waza_engine.formats import dialects
    from waza_engine.graders.checking import check_entry

    for dialect in dialects():
        check_entry(dialect.name, {}, Scope())
        checks(dialect.name, "")


async def _ask_for_settings(server: WazaServer) -> None:
    if not _can_be_asked(server):
        return
    item = types.ConfigurationItem(section="waza")
    told = server.told_settings
    server.settings_known.clear()
    try:
        values = await server.workspace_configuration_async(types.ConfigurationParams([item]))
    except JsonRpcException:
        return  # The defaults are good.
    finally:
        server.settings_known.set()
    section = values[0] if values else None
    # What the client has told in the meantime is newer than its answer.
    if told == server.told_settings and (section is not None or server.settings != Settings()):
        await _configure(server, section)


def _can_be_asked(server: WazaServer) -> bool:
    workspace = server.client_capabilities.workspace
    return workspace is not None and bool(workspace.configuration)


async def _configure(server: WazaServer, values: Any) -> None:
    server.configure(values)
    server.delivery.everything_changed(server)
    await update_formatting(server)


async def _register(server: WazaServer) -> None:
    """Ask the client to tell about changed files and settings, as far as it can."""
    wanted = registrations(server.client_capabilities)
    if wanted:
        try:
            await server.client_register_capability_async(types.RegistrationParams(wanted))
        except JsonRpcException:
            return
        server.watches = any(it.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES for it in wanted)


async def on_configuration(server: WazaServer, params: types.DidChangeConfigurationParams) -> None:
    settings = params.settings
    section = members_of(settings).get("waza")
    if section is None and (settings is None or _can_be_asked(server)):
        await _ask_for_settings(server)
    else:
        # One without the section says that nothing is set any more.
        server.told_settings += 1
        await _configure(server, section)


def on_open(server: WazaServer, params: types.DidOpenTextDocumentParams) -> None:
    server.documents.open(params.text_document, server.encoding)
    server.delivery.soon(server)
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is not None:
        if len(server.documents) > 1:
            server.delivery.shown_or_hidden(server, snapshot)
        else:
            # Without a look at the disk: nobody is to wait for the first document.
            server.survey.text_replaced(snapshot.uri)
        server.results.opened(server, snapshot)
        server.tests.text_changed(server, snapshot.uri)
        server.store_watch.begin(server)


def on_change(server: WazaServer, params: types.DidChangeTextDocumentParams) -> None:
    before = server.documents.get(params.text_document.uri)
    server.documents.change(params)
    server.delivery.text_changed(server, params.text_document.uri)
    after = server.documents.get(params.text_document.uri)
    if before is not None and after is not None:
        server.live.changed(server, before, after)
        server.tests.text_changed(server, after.uri)


def on_save(server: WazaServer, _params: types.DidSaveTextDocumentParams) -> None:
    # Clients that watch files tell the same in another way.
    if not server.watches:
        server.delivery.everything_changed(server)
        server.tests.everything_changed(server)


def on_close(server: WazaServer, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    closed = server.documents.get(uri)
    server.documents.close(uri)
    server.delivery.closed(server, uri)
    if closed is not None:
        server.delivery.shown_or_hidden(server, closed)
    server.lenses.forget(uri)
    server.tests.text_changed(server, uri)


def on_watched_files(server: WazaServer, params: types.DidChangeWatchedFilesParams) -> None:
    changes = [it for it in params.changes if concerns_findings(it.uri)]
    if changes:
        server.delivery.files_changed(server, changes)
        server.tests.everything_changed(server)


NOTIFICATIONS: list[tuple[str, Callable[..., Any], Any]] = [
    (types.INITIALIZE, on_initialize, None),
    (types.INITIALIZED, on_initialized, None),
    (types.WORKSPACE_DID_CHANGE_CONFIGURATION, on_configuration, None),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, on_watched_files, None),
    (types.TEXT_DOCUMENT_DID_OPEN, on_open, None),
    (types.TEXT_DOCUMENT_DID_CHANGE, on_change, None),
    (types.TEXT_DOCUMENT_DID_SAVE, on_save, None),
    (types.TEXT_DOCUMENT_DID_CLOSE, on_close, None),
]
