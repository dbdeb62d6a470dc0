"""Answer clients that pull findings: `textDocument/diagnostic` and `workspace/diagnostic`."""

import asyncio
import functools
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

from lsprotocol import types

from waza_lsp.features.pull_diagnostics import document_report, report_on_gone, workspace_report
from waza_lsp.server.diagnostics.workspace import WorkspaceDiagnostics
from waza_lsp.server.documents import Documents
from waza_lsp.server.settings import Configuration
from waza_lsp.server.transport.client import Client
from waza_lsp.server.transport.protocol import Json, Later
from waza_lsp.snapshot import Snapshot

_BATCH = 50


class PullDiagnostics:
    """Reports on one document or on the whole workspace."""

    def __init__(
        self,
        documents: Documents,
        check: Callable[[Snapshot], list[str]],
        client: Client,
        workspace_diagnostics: WorkspaceDiagnostics,
        configuration: Configuration,
    ) -> None:
        self._documents = documents
        self._check = check
        self._client = client
        self._workspace_diagnostics = workspace_diagnostics
        self._configuration = configuration

    def document(self, params: types.DocumentDiagnosticParams) -> Later:
        """Report on a document, after the requests that the user is waiting for."""
        return Later(functools.partial(self._document_report, params))

    async def document_when_configured(self, params: types.DocumentDiagnosticParams) -> Later:
        """Report once the settings are known, for a client that cannot be asked to pull again."""
        await self._configuration.is_known.wait()
        return self.document(params)

    def _document_report(self, params: types.DocumentDiagnosticParams) -> Json:
        snapshot = self._documents.get(params.text_document.uri)
        items = self._check(snapshot) if snapshot is not None else []
        return Json(document_report(items, params.previous_result_id))

    async def workspace(self, params: types.WorkspaceDiagnosticParams) -> Json:
        """Report on all eval files. With a token for partial results, send the reports in batches."""
        token = params.work_done_token
        if token is None:
            return await self._workspace(params)
        progress = self._client.lsp.work_done_progress
        progress.begin(token, types.WorkDoneProgressBegin("Checking the workspace"))
        try:
            return await self._workspace(params)
        finally:
            progress.end(token, types.WorkDoneProgressEnd())
            progress.tokens.pop(token, None)

    async def _workspace(self, params: types.WorkspaceDiagnosticParams) -> Json:
        await self._client.is_started.wait()
        loop, stop = asyncio.get_running_loop(), threading.Event()
        token = params.partial_result_token
        send = functools.partial(self._send, token) if token is not None else None
        previous = {it.uri: it.value for it in params.previous_result_ids}

        def collect() -> list[str]:
            batch: list[str] = []
            for report in self._workspace_reports(previous, stop):
                batch.append(report)
                if send is not None and len(batch) == _BATCH:
                    loop.call_soon_threadsafe(send, batch)
                    batch = []
            return batch

        try:
            rest = await asyncio.to_thread(collect)
        finally:
            stop.set()  # Ends the thread of a cancelled request at its next file.
        if send is None:
            return Json(_items(rest))
        send(rest)
        return Json(_items([]))

    def _send(self, token: types.ProgressToken, batch: list[str]) -> None:
        if batch:
            part = f'{{"token":{json.dumps(token)},"value":{_items(batch)}}}'
            self._client.notify_json(types.PROGRESS, part)

    def _workspace_reports(self, previous: dict[str, str], stop: threading.Event) -> Iterator[str]:
        reported: set[str] = set()
        if self._configuration.settings.diagnostics_workspace:
            for uri, version, items in self._workspace_diagnostics.collect(stop):
                reported.add(uri)
                yield workspace_report(uri, version, items, previous.get(uri))
        if not stop.is_set():
            yield from map(report_on_gone, previous.keys() - reported)


def _items(reports: list[str]) -> str:
    return f'{{"items":[{",".join(reports)}]}}'


_OPTIONS = types.DiagnosticOptions(
    inter_file_dependencies=True,
    workspace_diagnostics=True,
    identifier="waza-lsp",
    work_done_progress=True,
)

PULLED: list[tuple[str, Callable[..., Any], Any]] = [
    (types.TEXT_DOCUMENT_DIAGNOSTIC, PullDiagnostics.document, _OPTIONS),
    (types.WORKSPACE_DIAGNOSTIC, PullDiagnostics.workspace, None),
]
PULLED_WITHOUT_REFRESH = {types.TEXT_DOCUMENT_DIAGNOSTIC: PullDiagnostics.document_when_configured}
"""The handlers that replace those above for clients that cannot be asked to pull again."""
