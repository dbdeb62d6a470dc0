"""Runs the rules on a document and reruns only those whose inputs have changed since its last version.

Rules need not know about this. The document's data records which top-level keys a rule reads, `Files` which files and
folders. A value that is the same object as before has not changed.
"""

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from operator import is_
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.files.read_tracking import note_keys, note_reads, track_reads
from waza_engine.lib.files.stamps import Stamps
from waza_engine.lib.yaml.scalars import source_text
from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.project.memo_list import memo_list

Check = Callable[[Document], Iterator[Finding]]

_MAX_FILES = 64
_ALL = frozenset(["*"])
"""Stands for all keys and their order. If a file has a key of this name, rules only run more often than needed."""


class _RuleResult(NamedTuple):
    """The findings of one rule, and what it read."""

    findings: tuple[Finding, ...]
    keys: frozenset[str]
    paths: frozenset[Path]


@dataclass(slots=True)
class _CheckedVersion:
    """The last checked version of a file: its data, the results of the rules, and the states of the files they read."""

    data: Any = None
    results: dict[Check, _RuleResult] = field(default_factory=dict)
    stamps: Stamps | None = None


@dataclass(frozen=True, eq=False)
class _TrackedDocument(Document):
    """A document with the keys and files that have changed since the version `before`."""

    before: _CheckedVersion = field(default_factory=_CheckedVersion)
    changed_keys: Set[str] = frozenset()
    changed_paths: Set[Path] = frozenset()


def tracked_document(document: Document) -> Document:
    """Return a document that is open in an editor with tracked reads, and with the cached results of its list items.

    Reads are tracked from now on. The results come from the version that was checked last. Any other document is
    checked once, so nothing is tracked.
    """
    is_open = document.path is not None and document.files.open_text(document.path) is not None
    if not is_open or not isinstance(document.data, dict):
        return document
    before = document.files.memo.get(_memo_key(document)) or _CheckedVersion()
    paths = before.stamps.changed_files() if before.stamps is not None else set[Path]()
    keys = _changed_keys(before.data, document.data)
    known = before.data or {}
    data = _TrackedMapping(
        (key, memo_list(value, known.get(key), paths, keys) if isinstance(value, list) else value)
        for key, value in document.data.items()
    )
    dialect, kind, path, process_dir = _memo_key(document)
    return _TrackedDocument(dialect, kind, data, path, process_dir, document.files, before, keys, paths)


def findings(document: Document, checks: tuple[Check, ...]) -> Iterator[tuple[Finding, ...]]:
    """Yield the findings of each rule; for a file that is open in an editor they are cached."""
    document = document if isinstance(document, _TrackedDocument) else tracked_document(document)
    if not isinstance(document, _TrackedDocument):
        yield from (tuple(check(document)) for check in checks)
        return
    before, changed_keys, changed_paths = document.before, document.changed_keys, document.changed_paths
    memo, key, now = document.files.memo, _memo_key(document), _CheckedVersion(document.data)
    memo.pop(key, None)
    needs_stamps = bool(changed_paths) or before.stamps is None
    for check in checks:
        result = before.results.get(check)
        if result is None or not (
            changed_keys.isdisjoint(result.keys)
            and (not changed_paths or changed_paths.isdisjoint(result.paths))
        ):
            paths = result.paths if result is not None else None
            result = _run_rule(check, document)
            needs_stamps = needs_stamps or result.paths != paths
        now.results[check] = result
        if result.paths:
            note_reads(result.paths)
        yield result.findings
    now.stamps = _stamps(document, now, before, changed_paths) if needs_stamps else before.stamps
    memo[key] = now
    while len(memo) > _MAX_FILES:
        del memo[next(iter(memo))]


def _memo_key(document: Document) -> tuple[str, str, Path | None, Path | None]:
    return document.dialect, document.kind, document.path, document.process_dir


def _run_rule(check: Check, document: Document) -> _RuleResult:
    with track_reads() as seen:
        result = tuple(check(document))
    return _RuleResult(result, frozenset(seen.keys), frozenset(seen.paths))


def _stamps(document: Document, now: _CheckedVersion, before: _CheckedVersion, changed: Set[Path]) -> Stamps:
    """Return the states of all files that rules read, as they were before the rules ran."""
    paths = {path for result in now.results.values() for path in result.paths}
    known = before.stamps.states if before.stamps is not None else {}
    unchanged = known.keys() & paths - changed
    states = {it: known[it] if it in unchanged else document.files.state(it) for it in paths}
    return Stamps(document.files, states)


def _changed_keys(before: Any, now: dict[str, Any]) -> set[str]:
    """Return the keys whose values have changed."""
    if before is None:
        return set()
    keys = {it for it in before.keys() | now.keys() if not _is_same(before, now, it)}
    return keys | _ALL if keys or list(before) != list(now) else keys


def _is_same(before: dict[str, Any], now: dict[str, Any], key: str) -> bool:
    if key not in before or key not in now:
        return False
    one, other = before[key], now[key]
    if isinstance(one, list) and isinstance(other, list):
        # A list whose items are parsed one by one is a new object in each version.
        return len(one) == len(other) and all(map(is_, one, other))
    if one is other or isinstance(one, (dict, list)):
        return one is other
    is_equal = one == other and type(one) is type(other)
    return is_equal and (not isinstance(one, (int, float)) or source_text(one) == source_text(other))


class _TrackedMapping(dict[str, Any]):
    """The top level of a document. It records which keys are read."""

    __slots__ = ()

    def __getitem__(self, key: str) -> Any:
        note_keys({key})
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        note_keys({key})
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        note_keys({str(key)})
        return super().__contains__(key)


def _tracking_all_keys(name: str) -> Any:
    method = getattr(dict, name)

    def tracked(self: _TrackedMapping, *arguments: Any) -> Any:
        note_keys(_ALL)
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
