"""The open documents: one snapshot each, and whose findings have yet to be published."""

from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from waza_lsp.snapshot import Snapshot

_MOST_CLOSED = 8
_MOST_LINES = 25_000
"""Of the closed documents together."""


class Documents:
    """Snapshots by URI. Edits are applied at once; publishing what they change is somebody else's turn.

    Those that were closed last are held as well: with their trees lives what is known of them when they are opened again.
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
        """The snapshot of a file that is open, None when it is not."""
        # By path: clients escape characters of a URI in different ways.
        return self._open.get(self._uris.get(path, ""))

    def text_of(self, path: Path) -> str | None:
        """The text of a file that is open, None when it is not."""
        snapshot = self.of_path(path)
        return str(snapshot.text) if snapshot is not None else None

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Snapshot]:
        return iter(list(self._open.values()))

    def open(self, item: types.TextDocumentItem, encoding: types.PositionEncodingKind) -> None:
        """Take a document that the client has opened."""
        snapshot = Snapshot.of(item.uri, item.text, item.version, encoding)
        self._open[item.uri] = snapshot
        self._closed.pop(item.uri, None)
        self._stale.add(item.uri)
        if snapshot.path is not None:
            self._uris[snapshot.path] = item.uri

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply an edit; one for a document that is not open is dropped."""
        uri = params.text_document.uri
        before = self._open.get(uri)
        if before is not None:
            self._open[uri] = before.changed(list(params.content_changes), params.text_document.version)
            self._stale.add(uri)

    def close(self, uri: str) -> None:
        """Let go of a document, but for what it would cost to read it again soon."""
        closed = self._open.pop(uri, None)
        self._stale.discard(uri)
        if closed is None:
            return
        if closed.path is not None:
            self._uris.pop(closed.path, None)
        self._closed[uri] = closed
        while len(self._closed) > _MOST_CLOSED or _line_count(self._closed) > _MOST_LINES:
            del self._closed[next(iter(self._closed))]

    def touch(self, uri: str | None = None) -> None:
        """A document, or everything (a file or a setting changed), may have new findings."""
        self._stale.update(self._open if uri is None else self._open.keys() & {uri})

    def take_stale(self) -> list[Snapshot]:
        """The documents with unpublished changes; asking marks them as published."""
        stale = [self._open[it] for it in self._stale]
        self._stale.clear()
        return stale


def _line_count(snapshots: dict[str, Snapshot]) -> int:
    return sum(len(it.text.lines) for it in snapshots.values())
