"""The open documents: one snapshot each, and which of them have findings to publish."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lsprotocol import types

from waza_engine.lib.queries.tracking import clock
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Text

_MOST_RECENT = 32
"""How many edits a late one can precede. Helix 25.01 sends the edits of one key or macro in any order."""
_MOST_CLOSED = 8
_MOST_CLOSED_LINES = 25_000


class Documents:
    """Snapshots by URI. Edits are applied at once; publishing their findings is the publisher's work.

    The last closed documents are cached too, so that a document that is opened again need not be parsed again.
    """

    def __init__(self) -> None:
        self._open: dict[str, Snapshot] = {}
        self._recent: dict[str, _RecentEdits] = {}
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

    def texts(self) -> dict[Path, str]:
        """The texts of all open files."""
        return {it.path: str(it.text) for it in self if it.path is not None}

    def current(self, snapshot: Snapshot) -> Snapshot:
        """The newest snapshot of a document; the given one if it is no longer open."""
        return self._open.get(snapshot.uri) or snapshot

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Snapshot]:
        return iter(list(self._open.values()))

    def open(self, item: types.TextDocumentItem, encoding: types.PositionEncodingKind) -> None:
        """Add a document that the client has opened."""
        closed = self._closed.pop(item.uri, None)
        if closed is not None and closed.text == Text.of(item.text, encoding):
            # With the same tree, so that what is known of its pieces counts.
            snapshot = replace(closed, version=item.version).recognised_again()
        else:
            snapshot = Snapshot.of(item.uri, item.text, item.version, encoding)
        clock.tick()
        self._open[item.uri] = snapshot
        self._recent[item.uri] = _RecentEdits(snapshot.text, item.version)
        self._stale.add(item.uri)
        if snapshot.path is not None:
            self._uris[snapshot.path] = item.uri

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply an edit. An edit of a document that is not open is dropped."""
        uri, version = params.text_document.uri, params.text_document.version
        before = self._open.get(uri)
        if before is None:
            return
        clock.tick()
        recent, changes = self._recent[uri], list(params.content_changes)
        if recent.add(version, changes):
            self._open[uri] = before.with_changes(changes, version)
        else:
            whole = types.TextDocumentContentChangeWholeDocument(str(recent.replayed()))
            self._open[uri] = before.with_changes([whole], recent.version)
        self._stale.add(uri)

    def close(self, uri: str) -> None:
        """Remove a document, but cache its snapshot for a while."""
        closed = self._open.pop(uri, None)
        clock.tick()
        self._recent.pop(uri, None)
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

    def recognise_again(self) -> list[tuple[Snapshot, Snapshot]]:
        """Recognise all documents by the files that are around them now. Return those of another kind, before and after."""
        pairs = [(it, it.recognised_again()) for it in self]
        changed = [(before, after) for before, after in pairs if after is not before]
        if changed:
            clock.tick()
            self._open.update({after.uri: after for _, after in changed})
            self._stale.update(after.uri for _, after in changed)
        return changed

    def is_stale(self, uri: str) -> bool:
        """Whether a document has findings that are not published yet."""
        return uri in self._stale

    def take_stale(self) -> list[Snapshot]:
        """Return the stale documents and mark them as published."""
        stale = [self._open[it] for it in self._stale]
        self._stale.clear()
        return stale


class _RecentEdits:
    """The last edits of a document and the text before them, for edits that arrive after later ones."""

    def __init__(self, text: Text, version: int) -> None:
        self._before = text
        self._before_version = version
        self._edits: list[tuple[int, _Changes]] = []

    @property
    def version(self) -> int:
        """The version of the document after all edits."""
        return self._edits[-1][0] if self._edits else self._before_version

    def add(self, version: int, changes: "_Changes") -> bool:
        """Add an edit; return False if it is older than another one, so that the text must be replayed."""
        if version <= self.version:
            versions = [it for it, _ in self._edits]
            place = bisect_left(versions, version)
            if self._before_version < version != versions[place]:
                self._edits.insert(place, (version, changes))
                return False
            # A client that counts anew, or not at all: the order of its messages holds.
            self._before, self._before_version, self._edits = self.replayed(), version - 1, []
        self._edits.append((version, changes))
        if len(self._edits) > _MOST_RECENT:
            self._before_version, oldest = self._edits.pop(0)
            self._before = _changed(self._before, oldest)
        return True

    def replayed(self) -> Text:
        """Return the text after all edits in the order of their versions."""
        text = self._before
        for _, changes in self._edits:
            text = _changed(text, changes)
        return text


_Changes = list[types.TextDocumentContentChangeEvent]


def _changed(text: Text, changes: _Changes) -> Text:
    for it in changes:
        if isinstance(it, types.TextDocumentContentChangePartial):
            text = text.replace_range(it.range, it.text)
        else:
            text = text.replace(None, it.text)
    return text


def _line_count(snapshots: dict[str, Snapshot]) -> int:
    return sum(len(it.text.lines) for it in snapshots.values())
