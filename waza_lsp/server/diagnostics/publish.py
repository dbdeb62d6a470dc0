"""How findings get to the client: pushed, or pulled by clients that can; never both."""

import asyncio
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from waza_lsp.features.diagnostics import Writings, written_diagnostics
from waza_lsp.schema.written_diagnostic import published, written
from waza_lsp.snapshot import Snapshot

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer

_PAUSE_SECONDS = 0.3


class Delivery:
    """What the client has been told, and what it still has to be."""

    def __init__(self) -> None:
        self.pulls = False
        """Whether the client asks for findings itself."""
        self._sent: dict[str, str] = {}
        self._told: set[str] = set()
        self._written: dict[str, Writings] = {}
        self._others: asyncio.TimerHandle | None = None

    def published(self, sent: Mapping[str, str]) -> None:
        """The client has got this already: parameters by address."""
        self._sent.update(sent)

    def everything_changed(self, server: "WazaServer", pause: float | None = None) -> None:
        """A setting or the like has changed: any document may have other findings now.

        `pause` is how many seconds there are for more changes, before the client is told.
        """
        server.survey.forget()
        self._anew(server, pause)

    def files_changed(self, server: "WazaServer", changes: Iterable[types.FileEvent]) -> None:
        """Files on disk have changed: any open document may have other findings now."""
        server.survey.files_changed(changes, server.folders)
        self._anew(server)

    def shown_or_hidden(self, server: "WazaServer", snapshot: Snapshot) -> None:
        """A document was opened or closed: where it is not what is on disk, the others see another text from now on."""
        if _is_unsaved(snapshot):
            server.survey.text_replaced(snapshot.uri)
            if len(server.documents) > 0:
                self._anew(server)

    def _anew(self, server: "WazaServer", pause: float | None = None) -> None:
        server.hint_refresh.soon(server)
        if self.pulls:
            server.finding_refresh.soon(server, pause)
            self._results_again(server)
        else:
            server.documents.touch()
            self.soon(server)

    def soon(self, server: "WazaServer") -> None:
        """Publish after the messages that are already waiting, so that a burst of edits is published once."""
        if not self.pulls:
            server.protocol.later(partial(self._publish, server))

    def text_changed(self, server: "WazaServer", uri: str) -> None:
        """Publish the document at once, and the others, whose findings may depend on it, when typing pauses."""
        server.survey.text_changed(uri)
        self.soon(server)
        self._results_again(server)
        if self._others is not None:
            self._others.cancel()
        if not self.pulls and len(server.documents) > 1:
            loop = asyncio.get_running_loop()
            self._others = loop.call_later(_PAUSE_SECONDS, self._publish_all, server)

    def results_changed(self, server: "WazaServer", snapshot: Snapshot) -> None:
        """What runs or live grading say about the document is another; clients that pull get just this pushed."""
        if self.pulls:
            asyncio.get_running_loop().call_soon(self._publish_results, server, snapshot.uri)
        else:
            server.documents.touch(snapshot.uri)
            self.soon(server)

    def _results_again(self, server: "WazaServer") -> None:
        """Push what runs say to a client that pulls findings: it may stand elsewhere now, or not be wanted."""
        for it in server.documents if self.pulls else ():
            if it.uri in self._sent:
                self.results_changed(server, it)

    def closed(self, server: "WazaServer", uri: str) -> None:
        """The findings of a document that is no longer open are taken back."""
        self._written.pop(uri, None)
        if self._sent.pop(uri, None) is not None:
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def check(self, server: "WazaServer", snapshot: Snapshot) -> list[str]:
        """The findings of an open document, each as JSON; settings that cannot be used are told to the user, once each."""
        project = server.project(snapshot.path)
        for problem in project.problems:
            if problem not in self._told:
                self._told.add(problem)
                server.warn(problem)
        last = self._written.setdefault(snapshot.uri, {})
        return written_diagnostics(snapshot, server.world(snapshot, project), last)

    def _publish_all(self, server: "WazaServer") -> None:
        server.documents.touch()
        self._publish(server)

    def _publish(self, server: "WazaServer") -> None:
        for snapshot in server.documents.take_stale():
            self._send(server, snapshot, [*self.check(server, snapshot), *_results(server, snapshot)])

    def _publish_results(self, server: "WazaServer", uri: str) -> None:
        snapshot = server.documents.get(uri)
        items = _results(server, snapshot) if snapshot is not None else []
        if snapshot is not None and (items or uri in self._sent):
            self._send(server, snapshot, items)

    def _send(self, server: "WazaServer", snapshot: Snapshot, items: list[str]) -> None:
        params = published(snapshot.uri, items, snapshot.version)
        if self._sent.get(snapshot.uri) != params:
            self._sent[snapshot.uri] = params
            server.protocol.notify_json(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)


def _results(server: "WazaServer", snapshot: Snapshot) -> list[str]:
    if not server.settings.results_inline:
        return []
    return [written(it) for it in server.results.inline.diagnostics(snapshot)]


def _is_unsaved(snapshot: Snapshot) -> bool:
    try:
        saved = snapshot.path.read_bytes() if snapshot.path is not None else None
    except (OSError, ValueError):
        saved = None
    # Most editors send the text without its byte-order mark.
    text = str(snapshot.text).encode("utf-8", "surrogatepass")
    return saved is None or saved.removeprefix(BOM_UTF8) != text.removeprefix(BOM_UTF8)
