"""What the rules said of a file's last version: a rule is asked again only when something that it looked at is another.

A rule notices nothing of this: the document's data tells which top-level keys are looked at, `Files` which files and
folders. Values that are the same objects as before have not changed.
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
"""Stands for all keys and their order. No key can be mistaken for it: this would only mean more work."""


class _RuleResult(NamedTuple):
    findings: tuple[Finding, ...]
    keys: frozenset[str]
    paths: frozenset[Path]


@dataclass(slots=True)
class _CheckedVersion:
    """The version of a file that was checked last: its data, what each rule said, and the files as they were."""

    data: Any = None
    said: dict[Check, _RuleResult] = field(default_factory=dict)
    stamps: Stamps | None = None


@dataclass(frozen=True, eq=False)
class _TrackedDocument(Document):
    """A document that knows what is another in it than in the version `before`: these top-level keys, and these files."""

    before: _CheckedVersion = field(default_factory=_CheckedVersion)
    is_open: bool = False
    other_keys: Set[str] = frozenset()
    other_paths: Set[Path] = frozenset()


def tracked_document(document: Document) -> Document:
    """The document as the next version of the one that was checked last: its lists know what was made of their items.

    What rules look at is noted from now on.
    """
    if not isinstance(document.data, dict):
        return document
    is_open = document.path is not None and document.files.open_text(document.path) is not None
    before = (document.files.memo.get(_place(document)) if is_open else None) or _CheckedVersion()
    paths = before.stamps.changed_files() if before.stamps is not None else set[Path]()
    keys = _changed_keys(before.data, document.data)
    known = before.data or {}
    data = _TrackedMapping(
        (key, memo_list(it, known.get(key), paths, keys) if isinstance(it, list) else it)
        for key, it in document.data.items()
    )
    dialect, kind, path, process_dir = _place(document)
    return _TrackedDocument(
        dialect, kind, data, path, process_dir, document.files, before, is_open, keys, paths
    )


def findings(document: Document, checks: tuple[Check, ...]) -> Iterator[tuple[Finding, ...]]:
    """What each of the rules says about a file; of one that is open in an editor it is remembered."""
    document = document if isinstance(document, _TrackedDocument) else tracked_document(document)
    if not isinstance(document, _TrackedDocument) or not document.is_open:
        yield from (tuple(check(document)) for check in checks)
        return
    before, other_keys, other_paths = document.before, document.other_keys, document.other_paths
    memory, place, now = document.files.memo, _place(document), _CheckedVersion(document.data)
    memory.pop(place, None)
    has_other_paths = bool(other_paths) or before.stamps is None
    for check in checks:
        said = before.said.get(check)
        if said is None or not (
            other_keys.isdisjoint(said.keys) and (not other_paths or other_paths.isdisjoint(said.paths))
        ):
            paths = said.paths if said is not None else None
            said = _run_rule(check, document)
            has_other_paths = has_other_paths or said.paths != paths
        now.said[check] = said
        if said.paths:
            note_reads(said.paths)
        yield said.findings
    now.stamps = _stamps(document, now, before, other_paths) if has_other_paths else before.stamps
    memory[place] = now
    while len(memory) > _MAX_FILES:
        del memory[next(iter(memory))]


def _place(document: Document) -> tuple[str, str, Path | None, Path | None]:
    return document.dialect, document.kind, document.path, document.process_dir


def _run_rule(check: Check, document: Document) -> _RuleResult:
    with track_reads() as seen:
        found = tuple(check(document))
    return _RuleResult(found, frozenset(seen.keys), frozenset(seen.paths))


def _stamps(document: Document, now: _CheckedVersion, before: _CheckedVersion, changed: Set[Path]) -> Stamps:
    """The state of all files that were looked at, as it was before somebody did."""
    paths = {path for said in now.said.values() for path in said.paths}
    known = before.stamps.states if before.stamps is not None else {}
    kept = known.keys() & paths - changed
    return Stamps(document.files, {it: known[it] if it in kept else document.files.state(it) for it in paths})


def _changed_keys(before: Any, now: dict[str, Any]) -> set[str]:
    """The keys whose values are others."""
    if before is None:
        return set()
    keys = {it for it in before.keys() | now.keys() if not _is_same(before, now, it)}
    return keys | _ALL if keys or list(before) != list(now) else keys


def _is_same(before: dict[str, Any], now: dict[str, Any], key: str) -> bool:
    if key not in before or key not in now:
        return False
    one, other = before[key], now[key]
    if isinstance(one, list) and isinstance(other, list):
        # A list of items that are read one by one is made anew each time.
        return len(one) == len(other) and all(map(is_, one, other))
    if one is other or isinstance(one, (dict, list)):
        return one is other
    is_equal = one == other and type(one) is type(other)
    return is_equal and (not isinstance(one, (int, float)) or source_text(one) == source_text(other))


class _TrackedMapping(dict[str, Any]):
    """The top level of a document, which notes the keys that are looked at."""

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

    def noted(self: _TrackedMapping, *arguments: Any) -> Any:
        note_keys(_ALL)
        return method(self, *arguments)

    return noted


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
