"""The open documents: one snapshot each, and which of them have findings to publish."""

from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from waza_lsp.snapshot import Snapshot

_MOST_CLOSED = 8
_MOST_CLOSED_LINES = 25_000


class Documents:
    """Snapshots by URI. Edits are applied at once; publishing their findings is the publisher's work.

    The last closed documents are cached too, so that a document that is opened again need not be parsed again.
    """

    def __init__(self) -> None:
        self._open: dict[str, Snapshot] = {}
        self._uris: dict[Path, str] = {}
        self._stale: set[str] = set()
        self._closed: dict[str, Snapshot] = {}

    def get(self, uri: str) -> Snapshot | None:
        """The snapshot of an open document."""
        return self._open.get(uri)

    def of_path(self, path: Path) -> Snapshot | None:
        """The snapshot of an open file; None if it is not open."""
        # By path: clients escape characters of a URI in different ways.
        return self._open.get(self._uris.get(path, ""))

    def text_of(self, path: Path) -> str | None:
        """The text of an open file; None if it is not open."""
        snapshot = self.of_path(path)
        return str(snapshot.text) if snapshot is not None else None

    def current(self, snapshot: Snapshot) -> Snapshot:
        """The newest snapshot of a document; the given one if it is no longer open."""
        return self._open.get(snapshot.uri) or snapshot

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Snapshot]:
        return iter(list(self._open.values()))

    def open(self, item: types.TextDocumentItem, encoding: types.PositionEncodingKind) -> None:
        """Add a document that the client has opened."""
        snapshot = Snapshot.of(item.uri, item.text, item.version, encoding)
        self._open[item.uri] = snapshot
        self._closed.pop(item.uri, None)
        self._stale.add(item.uri)
        if snapshot.path is not None:
            self._uris[snapshot.path] = item.uri

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply an edit. An edit of a document that is not open is dropped."""
        uri = params.text_document.uri
        before = self._open.get(uri)
        if before is not None:
            self._open[uri] = before.with_changes(list(params.content_changes), params.text_document.version)
            self._stale.add(uri)

    def close(self, uri: str) -> None:
        """Remove a document, but cache its snapshot for a while."""
        closed = self._open.pop(uri, None)
        self._stale.discard(uri)
        if closed is None:
            return
        if closed.path is not None:
            self._uris.pop(closed.path, None)
        self._closed[uri] = closed
        while len(self._closed) > _MOST_CLOSED or _line_count(self._closed) > _MOST_CLOSED_LINES:
            del self._closed[next(iter(self._closed))]

    def invalidate(self) -> None:
        """Mark all documents as stale, because a file or a setting has changed."""
        self._stale.update(self._open)

    def is_stale(self, uri: str) -> bool:
        """Whether a document has findings that are not published yet."""
        return uri in self._stale

    def take_stale(self) -> list[Snapshot]:
        """Return the stale documents and mark them as published."""
        stale = [self._open[it] for it in self._stale]
        self._stale.clear()
        return stale


def _line_count(snapshots: dict[str, Snapshot]) -> int:
    return sum(len(it.text.lines) for it in snapshots.values())
