"""Findings for clients that ask for them: `textDocument/diagnostic` and `workspace/diagnostic`."""

import asyncio
import functools
import threading
from collections.abc import Callable
from typing import Any

from lsprotocol import types

from waza_lsp.features.pull_diagnostics import document_report, workspace_report
from waza_lsp.server.session import WazaServer
from waza_lsp.server.transport.protocol import Json, Later

_BATCH = 50


def on_diagnostic(server: WazaServer, params: types.DocumentDiagnosticParams) -> Later:
    # An editor asks for findings first, and then for what its user is waiting for.
    return Later(functools.partial(_report, server, params))


async def on_diagnostic_asked_once(server: WazaServer, params: types.DocumentDiagnosticParams) -> Later:
    """The same for a client that could not be told later that the checks were not complete yet."""
    await server.warm.wait()
    return on_diagnostic(server, params)


def _report(server: WazaServer, params: types.DocumentDiagnosticParams) -> Json:
    snapshot = server.documents.get(params.text_document.uri)
    items = server.delivery.check(server, snapshot) if snapshot is not None else []
    return Json(document_report(items, params.previous_result_id))


async def on_workspace_diagnostic(
    server: WazaServer, params: types.WorkspaceDiagnosticParams
) -> types.WorkspaceDiagnosticReport:
    """Reports on all eval files; with a token for partial results they are sent as they are found."""
    await server.warm.wait()
    loop, stop = asyncio.get_running_loop(), threading.Event()
    send = None if params.partial_result_token is None else _sender(server, params.partial_result_token)
    previous = {it.uri: it.value for it in params.previous_result_ids}

    def collect() -> list[types.WorkspaceDocumentDiagnosticReport]:
        batch: list[types.WorkspaceDocumentDiagnosticReport] = []
        for report in _reports(server, previous, stop):
            batch.append(report)
            if send is not None and len(batch) == _BATCH:
                loop.call_soon_threadsafe(send, batch)
                batch = []
        return batch

    try:
        rest = await asyncio.to_thread(collect)
    finally:
        stop.set()  # The thread of a cancelled request ends at its next file.
    if send is None:
        return types.WorkspaceDiagnosticReport(rest)
    send(rest)
    return types.WorkspaceDiagnosticReport([])


def _sender(
    server: WazaServer, token: types.ProgressToken
) -> Callable[[list[types.WorkspaceDocumentDiagnosticReport]], None]:
    def send(batch: list[types.WorkspaceDocumentDiagnosticReport]) -> None:
        if batch:
            part = types.WorkspaceDiagnosticReportPartialResult(batch)
            server.progress(types.ProgressParams(token, part))

    return send


def _reports(server: WazaServer, previous: dict[str, str], stop: threading.Event) -> Any:
    seen: set[str] = set()
    if server.settings.diagnostics_workspace:
        for uri, version, items in server.survey.documents(server, stop):
            seen.add(uri)
            yield workspace_report(uri, version, items, previous.get(uri))
    if not stop.is_set():
        for uri in previous.keys() - seen:
            # Deleted, excluded, or no eval any more.
            yield types.WorkspaceFullDocumentDiagnosticReport(uri, [], None)


_OPTIONS = types.DiagnosticOptions(
    inter_file_dependencies=True, workspace_diagnostics=True, identifier="waza-lsp"
)

PULLED: list[tuple[str, Callable[..., Any], Any]] = [
    (types.TEXT_DOCUMENT_DIAGNOSTIC, on_diagnostic, _OPTIONS),
    (types.WORKSPACE_DIAGNOSTIC, on_workspace_diagnostic, None),
]
ASKED_ONCE = {types.TEXT_DOCUMENT_DIAGNOSTIC: on_diagnostic_asked_once}
"""What instead of these handles clients that cannot be told to ask again."""
