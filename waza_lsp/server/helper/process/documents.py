"""The open documents as the helper knows them. The server sends each text once, and then its edits."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.disk import disk
from waza_lsp.snapshot import Snapshot

CODE_POINTS = "utf-32"
"""The edits count characters, not bytes or UTF-16 units."""
_OPEN: dict[Path, tuple[Snapshot, str]] = {}
"""The snapshots, with their texts."""


def _open_text(path: Path) -> str | None:
    known = _OPEN.get(path)
    return known[1] if known is not None else None


FILES = Files(_open_text)
"""The files as the editor has them, and all that the helper has made of them."""


def snapshot_of(path: Path) -> Snapshot | None:
    """Return an open document; None if the file is not open."""
    known = _OPEN.get(path)
    return known[0] if known is not None else None


def take_changes(changes: Iterable[Mapping[str, Any]]) -> None:
    """Bring the documents up to date, and look at the disk again."""
    for it in changes:
        path = Path(it["path"])
        if "text" in it:
            snapshot = Snapshot.of(path.as_uri(), it["text"], it["version"], CODE_POINTS)
        elif "edit" in it:
            (start, end), new = it["edit"]["span"], it["edit"]["text"]
            span = types.Range(types.Position(*start), types.Position(*end))
            change = types.TextDocumentContentChangePartial(span, new)
            snapshot = _OPEN[path][0].with_changes([change], it["version"])
        else:
            del _OPEN[path]
            continue
        _OPEN[path] = snapshot, str(snapshot.text)
    disk.look()
