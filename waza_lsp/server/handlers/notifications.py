"""Notifications about documents, settings and files. The table is at the end; requests are in `requests.py`."""

import asyncio
import functools
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from waza_engine.lib.queries.disk import disk
from waza_lsp.server.coexistence import read_beside, whole_requests
from waza_lsp.server.diagnostics.pull import PULLED, PULLED_WITHOUT_REFRESH
from waza_lsp.server.events import (
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    FilesChanged,
    LensesChanged,
    SettingsChanged,
)
from waza_lsp.server.handlers.formatting import handle_formatting, offer_formatting, update_formatting
from waza_lsp.server.memory import collect_start, until_idle
from waza_lsp.server.params import members_of
from waza_lsp.server.session import Session
from waza_lsp.server.settings import Settings
from waza_lsp.server.transport.connection import when_gone

_WATCHED = ("**/*.{yaml,yml,md,csv,json,jsonl,toml}", "**/.gitignore", "**/{yarn,bun}.lock", "**/fixtures/**")
_IGNORED = ("/.waza-lsp/", "/.git/", "/node_modules/")
"""Runs write into the first folder all the time. No checked file is in any of them."""


def on_initialize(session: Session, params: types.InitializeParams) -> None:
    client, features = session.client, session.client.protocol.fm.features
    when_gone(params.process_id, client.leave)
    options = params.initialization_options
    client.name = params.client_info.name if params.client_info is not None else ""
    session.trust.take_option(trusted_option(options))
    client.follows_runs = _option(options, "runEvents", default=False) is True
    client.does_editor_actions = _option(options, "editorActions", default=False) is True
    session.configuration.beside_at_start = read_beside(_option(options, "beside", default=False))
    for method in whole_requests(session.configuration.beside_at_start):
        features.pop(method, None)
    offer_formatting(session)
    if client.pulls_findings:
        instead = {} if session.refreshes.findings.is_supported else PULLED_WITHOUT_REFRESH
        for method, handler, provided in PULLED:
            bound = functools.partial(instead.get(method, handler), session.pull)
            client.lsp.feature(method, provided)(bound)


def trusted_option(options: Any) -> bool | None:
    """Return what the editor says about trust: only exactly `true` is trust; None if it says nothing."""
    members = members_of(options)
    return members["trusted"] is True if "trusted" in members else None


def _option(options: Any, name: str, *, default: bool | None) -> Any:
    return members_of(options).get(name, default)


async def on_initialized(session: Session, _params: types.InitializedParams) -> None:
    """Do what takes a moment. No request waits for it; findings are published again afterwards."""
    handle_formatting(session)
    if session.client.has_configuration:
        # Cleared now, because the next request may start before the tasks below do.
        session.configuration.is_known.clear()
    try:
        await asyncio.gather(
            _request_settings(session),
            _register_watchers(session),
            _prepare_messages(session),
            _finish_start(session),
        )
    finally:
        # Also after a failure, because code that is compiled later should not be cached all day.
        await asyncio.to_thread(session.code_cache.save)


async def _finish_start(session: Session) -> None:
    await until_idle(session.client)
    collect_start()
    session.client.is_started.set()


async def _prepare_messages(session: Session) -> None:
    await until_idle(session.client)
    protocol = session.client.protocol
    for method in sorted(protocol.fm.features.keys() - {types.INITIALIZE}):
        protocol.prepare(method)
        await asyncio.sleep(0)


async def _request_settings(session: Session) -> None:
    if not session.client.has_configuration:
        return
    configuration = session.configuration
    item = types.ConfigurationItem(section="waza")
    updates = configuration.updates
    configuration.is_known.clear()
    try:
        values = await session.client.lsp.workspace_configuration_async(types.ConfigurationParams([item]))
    except JsonRpcException:
        return  # The defaults apply.
    finally:
        configuration.is_known.set()
    section = values[0] if values else None
    # Settings that the client has sent in the meantime are newer than its answer.
    if updates == configuration.updates and (section is not None or configuration.settings != Settings()):
        await _configure(session, section)


async def _configure(session: Session, values: Any) -> None:
    for problem in session.configuration.update(values):
        session.client.warn(problem)
    session.bus.publish(SettingsChanged())
    await update_formatting(session)


async def _register_watchers(session: Session) -> None:
    """Ask the client to report changed files and settings, if it supports that."""
    registrations = _registrations(session.client.capabilities)
    if registrations:
        params = types.RegistrationParams(registrations)
        try:
            await session.client.lsp.client_register_capability_async(params)
        except JsonRpcException:
            return
        methods = {it.method for it in registrations}
        session.client.watches_files = types.WORKSPACE_DID_CHANGE_WATCHED_FILES in methods


def _registrations(capabilities: types.ClientCapabilities) -> list[types.Registration]:
    workspace = capabilities.workspace
    if workspace is None:
        return []
    found: list[types.Registration] = []
    files, settings = workspace.did_change_watched_files, workspace.did_change_configuration
    if files is not None and files.dynamic_registration:
        watchers = [types.FileSystemWatcher(it) for it in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        found.append(types.Registration("waza-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if settings is not None and settings.dynamic_registration:
        section = types.DidChangeConfigurationRegistrationOptions("waza")
        found.append(types.Registration("waza-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    return found


async def on_configuration(session: Session, params: types.DidChangeConfigurationParams) -> None:
    settings = params.settings
    section = members_of(settings).get("waza")
    if section is None and (settings is None or session.client.has_configuration):
        await _request_settings(session)
    else:
        # Settings without the section mean that nothing is set any more.
        session.configuration.updates += 1
        await _configure(session, section)


def on_open(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    session.documents.open(params.text_document, session.client.encoding)
    snapshot = session.documents.get(params.text_document.uri)
    if snapshot is not None:
        session.bus.publish(DocumentOpened(snapshot))
    _look_around(session)


def on_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    before = session.documents.get(uri)
    session.documents.change(params)
    after = session.documents.get(uri)
    if before is not None and after is not None:
        session.bus.publish(DocumentChanged(before, after))
    _look_around(session)


def on_save(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    # Clients that watch files report the change anyway.
    disk.look()
    if not session.client.watches_files:
        saved = types.FileEvent(params.text_document.uri, types.FileChangeType.Changed)
        _recognise_again(session)
        session.bus.publish(FilesChanged((saved,), is_complete=False))


def on_close(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    closed = session.documents.get(uri)
    session.documents.close(uri)
    if closed is not None:
        session.bus.publish(DocumentClosed(closed))


def on_watched_files(session: Session, params: types.DidChangeWatchedFilesParams) -> None:
    changes = tuple(it for it in params.changes if not any(one in unquote(it.uri) for one in _IGNORED))
    if changes:
        disk.look()
        _recognise_again(session)
        session.bus.publish(FilesChanged(changes))


def _look_around(session: Session) -> None:
    """For clients that do not report changed files: what else is open may be of another kind by now."""
    if not session.client.watches_files and len(session.documents) > 1:
        disk.look_if_due()
        _recognise_again(session)


def _recognise_again(session: Session) -> None:
    """Let open documents follow the project files and evals above them, which decide what some of them are."""
    changed = session.documents.recognise_again()
    for before, after in changed:
        session.bus.publish(DocumentChanged(before, after))
    if changed:
        session.bus.publish(LensesChanged())


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
