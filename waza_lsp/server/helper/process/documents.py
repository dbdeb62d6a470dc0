"""The open documents as the helper knows them. The server sends each text once, and then its edits."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.disk import disk
from waza_lsp.server.helper.process.data import loader_data
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span


class _Open:
    """An open document: its snapshot, its text, and its data once somebody asks for them."""

    def __init__(self, snapshot: Snapshot, before: "_Open | None" = None) -> None:
        self.snapshot = snapshot
        self.text = str(snapshot.text)
        self._before = before.data_so_far if before is not None else None
        self._data: dict[str, Any] | None = None
        self._is_read = False

    @property
    def data_so_far(self) -> dict[str, Any] | None:
        """The data of this version, or of the last one that somebody asked about."""
        return self._data if self._data is not None else self._before

    @property
    def data(self) -> dict[str, Any] | None:
        """The data of the text; None if it takes a whole reading."""
        if not self._is_read:
            self._is_read = True
            self._data = loader_data(self.snapshot, self._before)
        return self._data


_OPEN: dict[Path, _Open] = {}


def _open_text(path: Path) -> str | None:
    known = _OPEN.get(path)
    return known.text if known is not None else None


def _open_data(path: Path) -> dict[str, Any] | None:
    known = _OPEN.get(path)
    return known.data if known is not None else None


FILES = Files(_open_text)
FILES.open_data = _open_data
"""The files as the editor has them, and all that the helper has made of them."""


class _Looked:
    """How often the server had looked at the disk when it asked last."""

    count = 0


def state() -> object:
    """Return a value that is equal until a text changes or the server looks at the disk again."""
    return _Looked.count, tuple(_OPEN.items())


def take_changes(changes: Iterable[Mapping[str, Any]], looked: int) -> None:
    """Bring the documents up to date, and look at the disk again. The server has looked at it `looked` times."""
    _Looked.count = looked
    for it in changes:
        path = Path(it["path"])
        before = _OPEN.get(path)
        if "text" in it:
            snapshot = Snapshot.of(path.as_uri(), it["text"], it["version"])
        elif "edit" in it and before is not None:
            (start, end), new = it["edit"]["span"], it["edit"]["text"]
            snapshot = before.snapshot.with_edit(Span(Place(*start), Place(*end)), new, it["version"])
        else:
            _OPEN.pop(path, None)
            continue
        _OPEN[path] = _Open(snapshot, before)
    disk.look()
