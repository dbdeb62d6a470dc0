"""Runs the rules on a document and reruns only those whose inputs have changed since its last version.

Rules need not know about this. The top-level keys of an open document are inputs of queries, like the files that rules
read through `Files`. A value that is the same object as before has not changed.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import partial
from operator import is_
from pathlib import Path
from typing import Any, TypeVar

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.disk import disk
from waza_engine.lib.queries.items import items_after
from waza_engine.lib.queries.store import query
from waza_engine.lib.queries.tracking import (
    Dependency,
    Result,
    clock,
    compute,
    note,
    note_all,
    track_reads,
)
from waza_engine.lib.yaml.scalars import source_text
from waza_engine.model.findings import Finding
from waza_engine.project.document import Document

Check = Callable[[Document], Iterator[Finding]]
_T = TypeVar("_T")

_MAX_FILES = 64
_ALL = "*"
"""Stands for all keys and their order. If a file has a key of this name, rules only run more often than needed."""


@dataclass(eq=False)
class _OpenFile:
    """A file that is open in an editor: its top-level keys as inputs, and the results of the rules."""

    data: dict[str, Any] | None = None
    keys: dict[str, Dependency] = field(default_factory=dict)
    results: dict[Check, Result] = field(default_factory=dict)
    made: dict[Hashable, Any] = field(default_factory=dict)
    """What rules have made, with what it was made of."""

    def key(self, name: str) -> Dependency:
        """Return the input for a top-level key."""
        found = self.keys.get(name)
        if found is None:
            found = self.keys[name] = Dependency()
        return found

    def take(self, data: dict[str, Any]) -> "_TrackedMapping":
        """Take over a version of the file, and return its data with tracked reads."""
        before = self.data
        tracked = _TrackedMapping(
            (
                key,
                items_after(value, dict.get(before, key) if before is not None else None)
                if isinstance(value, list)
                else value,
            )
            for key, value in data.items()
        )
        tracked.file = self
        self.data = tracked
        changed = _changed_keys(before, tracked) if before is not None else set()
        if changed:
            now = clock.tick()
            for name in changed & self.keys.keys():
                self.keys[name].changed_at = now
        return tracked


@dataclass(frozen=True, eq=False)
class _TrackedDocument(Document):
    """A version of a file that is open in an editor."""

    file: _OpenFile = field(default_factory=_OpenFile)

    def as_before(self, place: Hashable, source: Any, make: Callable[[], _T]) -> _T:
        known: tuple[Any, _T] | None = self.file.made.get(place)
        if known is None or known[0] != source:
            known = self.file.made[place] = source, make()
        return known[1]


@query(keep=_MAX_FILES)
def _open_file(
    _files: Files, _dialect: str, _kind: str, _path: Path | None, _process_dir: Path | None
) -> _OpenFile:
    return _OpenFile()


def tracked_document(document: Document) -> Document:
    """Return a document that is open in an editor with tracked reads, and with the results of its last version.

    Any other document is checked once, so nothing is tracked.
    """
    is_open = document.path is not None and document.files.is_open(document.path)
    if not is_open or not isinstance(document.data, dict):
        return document
    dialect, kind, path, process_dir, files = (
        document.dialect,
        document.kind,
        document.path,
        document.process_dir,
        document.files,
    )
    with track_reads():  # Nobody depends on which version is open.
        file = _open_file(files, dialect, kind, path, process_dir)
        return _TrackedDocument(dialect, kind, file.take(document.data), path, process_dir, files, file)


def findings(document: Document, checks: tuple[Check, ...]) -> Iterator[tuple[Finding, ...]]:
    """Yield the findings of each rule; for a file that is open in an editor they are kept."""
    document = document if isinstance(document, _TrackedDocument) else tracked_document(document)
    if not isinstance(document, _TrackedDocument):
        yield from (tuple(check(document)) for check in checks)
        return
    current, file = document, document.file
    if file.data is not current.data:
        # Another version was checked in between.
        file.take(dict(current.data))
    disk.look_if_due()
    # Many rules share their dependencies, so each set is checked once. The keys are these and the time of the last check;
    # a value is the time of this check, or None if something has changed.
    checked: dict[tuple[tuple[Dependency, ...], int], int | None] = {}
    for check in checks:
        known = file.results.get(check)
        if known is not None:
            state = known.dependencies, known.verified_at
            if state not in checked:
                checked[state] = known.verified_at if known.is_fresh() else None
                note_all(known.dependencies)
            verified_at = checked[state]
            if verified_at is not None:
                known.verified_at = verified_at
                yield known.value
                continue
        known = file.results[check] = compute(partial(_run_rule, check, current))
        note_all(known.dependencies)
        yield known.value


def _run_rule(check: Check, document: Document) -> tuple[Finding, ...]:
    return tuple(check(document))


def _changed_keys(before: dict[str, Any], now: dict[str, Any]) -> set[str]:
    """Return the keys whose values have changed."""
    keys = {it for it in dict.keys(before) | dict.keys(now) if not _is_same(before, now, it)}
    return keys | {_ALL} if keys or [*dict.keys(before)] != [*dict.keys(now)] else keys


def _is_same(before: dict[str, Any], now: dict[str, Any], key: str) -> bool:
    if not dict.__contains__(before, key) or not dict.__contains__(now, key):
        return False
    one, other = dict.__getitem__(before, key), dict.__getitem__(now, key)
    if isinstance(one, list) and isinstance(other, list):
        # A list whose items are parsed one by one is a new object in each version.
        return len(one) == len(other) and all(map(is_, one, other))
    if one is other or isinstance(one, (dict, list)):
        return one is other
    is_equal = one == other and type(one) is type(other)
    return is_equal and (not isinstance(one, (int, float)) or source_text(one) == source_text(other))


class _TrackedMapping(dict[str, Any]):
    """The top level of a document. It notes which keys are read."""

    __slots__ = ("file",)

    file: _OpenFile

    def __getitem__(self, key: str) -> Any:
        note(self.file.key(key))
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        note(self.file.key(key))
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        note(self.file.key(str(key)))
        return super().__contains__(key)


def _tracking_all_keys(name: str) -> Any:
    method = getattr(dict, name)

    def tracked(self: _TrackedMapping, *arguments: Any) -> Any:
        note(self.file.key(_ALL))
        return method(self, *arguments)

    return tracked


for _name in (
    "__iter__",
    "__reversed__",
    "__len__",
    "__eq__",
    "__ne__",
    "__or__",
    "__ror__",
    "copy",
    "items",
    "keys",
    "values",
):
    setattr(_TrackedMapping, _name, _tracking_all_keys(_name))
