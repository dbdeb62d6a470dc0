"""Publish findings and annotations to the client. Clients that pull findings get only annotations this way."""

import asyncio
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from lsprotocol import types

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.model.findings import Severity
from waza_engine.project.settings import ProjectSettings
from waza_lsp.diagnostics.json_writer import publish_json
from waza_lsp.features.diagnostics import DiagnosticJsonCache, diagnostics_json, findings, written
from waza_lsp.server.diagnostics.workspace import WorkspaceDiagnostics
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import (
    AnnotationsChanged,
    Bus,
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    FilesChanged,
    FindingsChanged,
    HintsChanged,
    SettingsChanged,
)
from waza_lsp.server.settings import Configuration
from waza_lsp.server.transport.client import Client
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span

_PAUSE_SECONDS = 0.3


class Checker:
    """Checks open documents, and publishes what is wrong in the settings files of their projects."""

    def __init__(self, client: Client, workspace: Workspace, bus: Bus) -> None:
        self._client = client
        self._workspace = workspace
        self._settings: dict[Path, ProjectSettings] = {}
        """The settings files whose problems the client has."""
        self._written: dict[str, DiagnosticJsonCache] = {}
        """The JSON of the findings of open documents."""
        bus.listen(DocumentClosed, lambda event: self._written.pop(event.document.uri, None))

    def check(self, snapshot: Snapshot) -> list[str]:
        """Return the findings of an open document, each as JSON."""
        project = self._workspace.project(snapshot.path)
        self._publish_settings(project)
        last = self._written.setdefault(snapshot.uri, {})
        return diagnostics_json(snapshot, self._workspace.context(snapshot, project), last)

    def _publish_settings(self, project: ProjectSettings) -> None:
        """Publish the problems of the project's settings file, and clear those of files that have none any more."""
        for path in [it for it in self._settings if it != project.path and not it.exists()]:
            del self._settings[path]
            self._client.lsp.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(path.as_uri(), [])
            )
        own = project.path
        before = self._settings.get(own) if own is not None else None
        if own is None or before is project or not (project.problems or before):
            return
        # Imported late: few settings files have problems.
        from waza_lsp.diagnostics.settings_file import settings_findings

        snapshot, marks = settings_findings(own, project, self._client.encoding)
        params = publish_json(snapshot.uri, written(snapshot, marks), None)
        self._client.notify_json(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)
        if project.problems:
            self._settings[own] = project
        else:
            del self._settings[own]

    def has_errors(self, snapshot: Snapshot, span: Span) -> bool:
        """Whether a range of a document has findings that are errors."""
        return any(
            mark.finding.severity is Severity.ERROR and span.contains(mark.span.start)
            for mark in findings(snapshot, self._workspace.context(snapshot))
        )


class _Source(Protocol):
    def diagnostics_json(self, snapshot: Snapshot) -> list[str]: ...


class ShownAnnotations:
    """What runs, audits and other parts say about documents, unless the settings hide that."""

    def __init__(self, configuration: Configuration, sources: Iterable[_Source]) -> None:
        self._configuration = configuration
        self._sources = tuple(sources)

    def of(self, snapshot: Snapshot) -> list[str]:
        """Return the annotations of a document, each as JSON."""
        if not self._configuration.settings.results_inline:
            return []
        return [it for source in self._sources for it in source.diagnostics_json(snapshot)]


class _Checked(NamedTuple):
    """The findings of one version of a document."""

    snapshot: Snapshot
    items: list[str]


class Publisher:
    """Knows what the client was sent, and sends what has changed.

    `check` gives the findings of a document, `annotations_of` what runs say about it, both as JSON.
    """

    def __init__(
        self,
        documents: Documents,
        check: Callable[[Snapshot], list[str]],
        client: Client,
        annotations_of: Callable[[Snapshot], list[str]],
        workspace_diagnostics: WorkspaceDiagnostics,
        bus: Bus,
    ) -> None:
        self._documents = documents
        self._check = check
        self._client = client
        self._annotations_of = annotations_of
        self._workspace_diagnostics = workspace_diagnostics
        self._bus = bus
        self._sent: dict[str, str] = {}
        self._checked: dict[str, _Checked] = {}
        self._others: asyncio.TimerHandle | None = None
        bus.listen(DocumentOpened, self._document_opened)
        bus.listen(DocumentChanged, self._document_changed)
        bus.listen(DocumentClosed, self._document_closed)
        bus.listen(FilesChanged, self._files_changed)
        bus.listen(SettingsChanged, self._settings_changed)
        bus.listen(AnnotationsChanged, lambda event: self._annotations_changed(event.document))

    def mark_sent(self, sent: Mapping[str, str]) -> None:
        """Note what the client has already: parameters as JSON, by URI."""
        self._sent.update(sent)

    def _settings_changed(self, _: SettingsChanged) -> None:
        self._workspace_diagnostics.invalidate()
        self._publish_again()

    def _files_changed(self, event: FilesChanged) -> None:
        if event.is_complete:
            self._workspace_diagnostics.files_changed(event.changes)
        else:
            self._workspace_diagnostics.invalidate()
        self._publish_again()

    def _document_opened(self, event: DocumentOpened) -> None:
        self._publish_soon()
        if len(self._documents) > 1:
            self._shown_or_hidden(event.document)
        else:
            # The first file is not read for this, so that its findings come sooner.
            self._workspace_diagnostics.text_replaced(event.document.uri)
            if self._client.pulls_findings:
                # It was answered before these parts existed (`startup/early_answers.py`): what rules keep for it is
                # missing still, and the first edit of a long file would wait for it.
                self._client.protocol.later(partial(self._check_opened, event.document.uri))
        self._annotations_changed(event.document)

    def _check_opened(self, uri: str) -> None:
        snapshot = self._documents.get(uri)
        if snapshot is not None:
            self._check(snapshot)

    def _shown_or_hidden(self, snapshot: Snapshot) -> None:
        """React to a document that was opened or closed: if it is unsaved, other documents now read another text."""
        if _is_unsaved(snapshot):
            self._workspace_diagnostics.text_replaced(snapshot.uri)
            if len(self._documents) > 0:
                self._publish_again()

    def _publish_again(self) -> None:
        self._bus.publish(HintsChanged())
        if self._client.pulls_findings:
            self._bus.publish(FindingsChanged())
            self._publish_sent_annotations()
        else:
            self._documents.invalidate()
            self._publish_soon()

    def _publish_soon(self) -> None:
        """Publish stale documents after the messages that already wait, so that a burst of edits is published once."""
        if not self._client.pulls_findings:
            self._client.protocol.later(self._publish_stale)

    def _document_changed(self, event: DocumentChanged) -> None:
        """Publish an edited document at once, and the others, which may depend on it, when typing pauses."""
        self._workspace_diagnostics.text_changed(event.after.uri)
        self._publish_soon()
        self._publish_sent_annotations()
        if self._others is not None:
            self._others.cancel()
        if not self._client.pulls_findings and len(self._documents) > 1:
            self._others = asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._publish_all)

    def _annotations_changed(self, snapshot: Snapshot) -> None:
        """Publish new annotations of a document, beside the findings of its last check."""
        later = partial(self._publish_annotations, snapshot.uri)
        if self._client.pulls_findings:
            asyncio.get_running_loop().call_soon(later)
        elif not self._documents.is_stale(snapshot.uri):
            # Stale documents are published anyway, with their annotations.
            self._client.protocol.later(later)

    def _publish_sent_annotations(self) -> None:
        """Push annotations again to a client that pulls findings: an edit may have moved or removed them."""
        for snapshot in self._documents if self._client.pulls_findings else ():
            if snapshot.uri in self._sent:
                self._annotations_changed(snapshot)

    def _document_closed(self, event: DocumentClosed) -> None:
        """Clear the findings of a closed document."""
        uri = event.document.uri
        self._checked.pop(uri, None)
        if self._sent.pop(uri, None) is not None:
            self._client.lsp.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        self._shown_or_hidden(event.document)

    def _publish_all(self) -> None:
        self._documents.invalidate()
        self._publish_stale()

    def _publish_stale(self) -> None:
        for snapshot in self._documents.take_stale():
            items = self._check(snapshot)
            self._checked[snapshot.uri] = _Checked(snapshot, items)
            self._send(snapshot, [*items, *self._annotations_of(snapshot)])

    def _publish_annotations(self, uri: str) -> None:
        snapshot = self._documents.get(uri)
        if snapshot is None:
            return
        annotations = self._annotations_of(snapshot)
        if self._client.pulls_findings:
            if annotations or uri in self._sent:
                self._send(snapshot, annotations)
            return
        checked = self._checked.get(uri)
        if checked is not None and checked.snapshot is snapshot:
            self._send(snapshot, [*checked.items, *annotations])

    def _send(self, snapshot: Snapshot, items: list[str]) -> None:
        params = publish_json(snapshot.uri, items, snapshot.version)
        if self._sent.get(snapshot.uri) != params:
            self._sent[snapshot.uri] = params
            self._client.notify_json(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)


def _is_unsaved(snapshot: Snapshot) -> bool:
    try:
        saved = regular_bytes(snapshot.path) if snapshot.path is not None else None
    except (OSError, ValueError):
        saved = None
    # Most editors send the text without its byte-order mark.
    text = str(snapshot.text).encode("utf-8", "surrogatepass")
    return saved is None or saved.removeprefix(BOM_UTF8) != text.removeprefix(BOM_UTF8)
