"""Snapshot files: comparing with them, and writing them when asked to.

See docs/reference/waza-graders.md, section 5.4.
"""

import os
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from waza_engine.paths import cleaned, content, is_missing
from waza_engine.text import decode


@dataclass(frozen=True, slots=True)
class SnapshotUpdate:
    """What happened to one snapshot in update mode: `created`, `updated` or `unchanged`."""

    path: str
    snapshot: str
    status: str
    lines_changed: int

    def as_details(self) -> dict[str, Any]:
        """The form it has in a result's details."""
        return {
            "path": self.path,
            "snapshot": self.snapshot,
            "status": self.status,
            "lines_changed": self.lines_changed,
        }


class Snapshots:
    """The snapshots of one grading: `difference` compares, `updates` collects what update mode did.

    `context_dir` (may be empty) is relative to `process_dir`; when it is given, no snapshot may lie outside of it.
    """

    def __init__(self, process_dir: Path, context_dir: str, *, update: bool) -> None:
        self._process_dir = process_dir
        self._context_dir = context_dir
        self._update = update
        self.updates: list[SnapshotUpdate] = []

    def difference(self, path: str, snapshot: str, data: bytes) -> str | None:
        """Why `data` is not what the snapshot holds; None when it is, or when the snapshot was written."""
        place = self._place(snapshot)
        if place is None:
            return f"the snapshot {snapshot} is not inside {self._context_dir}"
        expected = content(place)
        if not self._update:
            if expected is None:
                return f"cannot read the snapshot {snapshot}"
            return None if data == expected else f"differs from the snapshot {snapshot}"
        return self._updated(path, snapshot, place, data, expected)

    def _place(self, snapshot: str) -> str | None:
        """The file of a snapshot; None when it lies outside of the context directory or its folder is not there."""
        if not self._context_dir:
            return os.path.join(self._process_dir, snapshot)  # noqa: PTH118  # the text may hold a NUL
        base = os.path.join(self._process_dir.absolute(), self._context_dir)  # noqa: PTH118
        try:
            root = os.path.realpath(base, strict=True)
            name = cleaned(os.path.join(base, snapshot))  # noqa: PTH118
            folder = os.path.realpath(os.path.dirname(name), strict=True)  # noqa: PTH120
            place = os.path.realpath(os.path.join(folder, os.path.basename(name)))  # noqa: PTH118, PTH119
        except (OSError, ValueError):
            return None
        return place if place.startswith(root.rstrip("/") + "/") else None

    def _updated(
        self, path: str, snapshot: str, place: str, data: bytes, expected: bytes | None
    ) -> str | None:
        if expected is None and not is_missing(place):
            return f"cannot read the snapshot {snapshot}"
        status = "created" if expected is None else "unchanged" if data == expected else "updated"
        if status != "unchanged" and not self._written(place, data):
            return f"cannot write the snapshot {snapshot}"
        self.updates.append(SnapshotUpdate(path, snapshot, status, _lines_changed(expected or b"", data)))
        return None

    def _written(self, place: str, data: bytes) -> bool:
        try:
            if not self._context_dir:
                Path(place).parent.mkdir(parents=True, exist_ok=True)
            Path(place).write_bytes(data)
        except (OSError, ValueError):
            return False
        return True


def _lines_changed(before: bytes, after: bytes) -> int:
    """Lines that differ at equal positions; CRLF counts as LF."""
    old, new = (decode(it).replace("\r\n", "\n").split("\n") for it in (before, after))
    return sum(a != b for a, b in zip_longest(old, new, fillvalue=""))
