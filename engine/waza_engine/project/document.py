"""A file as rules see it: its data, which may be incomplete, and its location."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.items import Items
from waza_engine.lib.queries.store import derived_property, kept
from waza_engine.model.findings import Finding
from waza_engine.project.suite_files import SuiteFiles, suite_of
from waza_engine.recognition.recognise import dialect, kind_of, load_object
from waza_engine.recognition.sample import Sample

_T = TypeVar("_T")
_ON_DISK = Files()
"""Shared by all documents without files of their own: each grader entry is checked as one."""


@dataclass(frozen=True, eq=False)
class Document:
    """One file. `path` is None for an unsaved text; `process_dir` is the directory that runs start in, if known."""

    dialect: str
    kind: str
    data: Any
    path: Path | None = None
    process_dir: Path | None = None
    files: Files = _ON_DISK
    memory: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    """Results about this version of the file."""

    @derived_property
    def suite(self) -> SuiteFiles | None:
        """The suite of the file; None if it has none or no other files are known."""
        return suite_of(self.kind, self.path, self.data, self.files, self.dialect)

    @derived_property
    def executor(self) -> str:
        """The executor that the suite names; empty if it names none."""
        named = self.suite.executor if self.suite is not None else self.value("config", "executor")
        return named if isinstance(named, str) else ""

    @derived_property
    def sample(self) -> Sample | None:
        """The tasks and trials that the file chooses; None if it chooses none, or their number is not known."""
        read = dialect(self.dialect).sample
        found: Sample | None = load_object(read)(self) if read else None
        return found

    @property
    def folder(self) -> Path | None:
        """The folder of the file; None if it does not exist (for a text that was never saved)."""
        folder = self.path.parent if self.path is not None else None
        return folder if folder is not None and self.files.is_directory(folder) else None

    def once(self, place: Hashable, make: Callable[[], _T]) -> _T:
        """Return the result of `make`, computed once per version of the file."""
        return kept(self.memory, place, make)

    def entry(self, entry: Mapping[str, Any]) -> "Document":
        """Return an entry of this file as a document of its own."""
        return Document(self.dialect, self.kind, entry)

    def as_before(self, place: Hashable, source: Any, make: Callable[[], _T]) -> _T:
        """Return the result of `make`; for a file that is open in an editor, the result of an earlier version.

        That is taken if `source`, all that goes into it, is equal.
        """
        del place, source
        return make()

    def value(self, *pointer: str | int) -> Any:
        """Return the value at a pointer; None if there is none."""
        value = self.data
        for part in pointer:
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and isinstance(part, int) and -1 < part < len(value):
                value = value[part]
            else:
                return None
        return value

    def has(self, *pointer: str | int) -> bool:
        """Whether the value at a pointer is not empty: no null, empty string, list or mapping."""
        return self.value(*pointer) not in (None, "", [], {})

    def mapping(self, *pointer: str | int) -> Mapping[str, Any]:
        """Return the mapping at a pointer; empty if the value is not a mapping."""
        value = self.value(*pointer)
        return value if isinstance(value, dict) else {}

    def text(self, *pointer: str | int) -> str:
        """Return the string at a pointer; empty if the value is not a string."""
        value = self.value(*pointer)
        return value if isinstance(value, str) else ""

    def items(self, *pointer: str | int) -> Iterator[tuple[Pointer, Any]]:
        """Yield the items of the list at a pointer, each with its own pointer."""
        value = self.value(*pointer)
        return iter(
            [((*pointer, index), it) for index, it in enumerate(value)] if isinstance(value, list) else ()
        )

    def mappings(self, *pointer: str | int) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
        """Yield the items of the list at a pointer that are mappings."""
        value = self.value(*pointer)
        if isinstance(value, list):
            yield from [((*pointer, index), it) for index, it in enumerate(value) if isinstance(it, dict)]

    def texts(self, *pointer: str | int) -> Iterator[tuple[Pointer, str]]:
        """Yield the items of the list at a pointer that are strings."""
        yield from ((place, it) for place, it in self.items(*pointer) if isinstance(it, str))

    def tasks(self) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
        """Yield the tasks in this file: the file itself if it is a task, or the inline tasks of an eval."""
        yield from self._tasks

    @derived_property
    def _tasks(self) -> list[tuple[Pointer, Mapping[str, Any]]]:
        kind = kind_of(self.dialect, self.kind)
        if kind is None or not kind.runnable:
            return []
        if kind.runnable == "task":
            return [((), self.mapping())]
        found = (it for key in kind.tasks for it in self.mappings(key))
        return [(place, it) for place, it in found if not kind.task_keys or kind.task_keys & it.keys()]

    def tasks_with(self, *places: str) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
        """Yield the tasks in this file that have a key, also one without a value, at one of some places: `inputs/files`."""
        yield from ((place, it) for place, it, _ in self.task_results(_having(places)))

    def task_results(self, make: "Make[_T | None]") -> Iterator[tuple[Pointer, Mapping[str, Any], _T]]:
        """Yield the tasks in this file for which `make` returns a non-empty result, with that result.

        `make` is as in `grader_results`.
        """
        kind = kind_of(self.dialect, self.kind)
        if kind is None or kind.runnable == "task":
            for place, it in self._tasks:
                if found := make(self, it):
                    yield place, it, found
            return
        for key in kind.tasks if kind.runnable else ():
            for index, it, found in self.entry_results(key, make):
                if not kind.task_keys or kind.task_keys & it.keys():
                    yield (key, index), it, found

    def task_values(self, make: "Make[_T | None]") -> list[_T]:
        """Return the non-empty results of `make` for the tasks in this file. `make` is as in `grader_results`."""
        kind = kind_of(self.dialect, self.kind)
        if kind is None or kind.runnable in {"", "task"}:
            return [found for *_, found in self.task_results(make)]
        of_tasks, found = _of_tasks(make, kind.task_keys), list[_T]()
        for key in kind.tasks:
            entries = self.value(key)
            if isinstance(entries, Items):
                found += [it for _, it in self._item_rows(entries, of_tasks)]
            else:
                found += [it for *_, it in self.entry_results(key, of_tasks)]
        return found

    def item_findings(self, key: str, make: Callable[[Any], Sequence[Finding]]) -> Iterator[Finding]:
        """Yield the findings of `make` about the items of a top-level list, which it knows without their place.

        The findings of an item that neither changed nor moved are the same objects. `make` must be the same function
        each time.
        """
        entries = self.value(key)
        if isinstance(entries, Items):
            place = partial(_findings_at, key)
            for found in entries.placed(("findings", make), lambda it: make(it) or None, place).values():
                yield from found
        elif isinstance(entries, list):
            for index, it in enumerate(entries):
                yield from _findings_at(key, make(it), index)

    def graders(self) -> list[tuple[Pointer, Mapping[str, Any]]]:
        """Return all grader entries of the file, including those of checkpoints and inline tasks."""
        return self._graders

    @derived_property
    def _graders(self) -> list[tuple[Pointer, Mapping[str, Any]]]:
        return [(pointer, grader) for pointer, grader, _ in self.grader_results(_always)]

    def grader_results(self, make: "Make[_T | None]") -> list[tuple[Pointer, Mapping[str, Any], _T]]:
        """Return the grader entries for which `make` returns a non-empty result, with that result.

        `make` may read the entry, top-level keys and files; it runs again when one of these changes. The results are
        cached per function, so it must be the same function each time.
        """
        return self.once(("grader results", make), lambda: [*self._grader_rows(make)])

    def _grader_rows(self, make: "Make[_T | None]") -> Iterator[tuple[Pointer, Mapping[str, Any], _T]]:
        for key, inside in _grader_lists(self.dialect, self.kind):
            if inside is None:
                yield from (((key, index), it, found) for index, it, found in self.entry_results(key, make))
                continue
            for index, _, rows in self.entry_results(key, inside(make)):
                for rest, grader, found in rows:
                    yield (key, index, *rest), grader, found

    def entry_results(self, key: str, make: "Make[_T | None]") -> list[tuple[int, Mapping[str, Any], _T]]:
        """Return the mappings in the list of a top-level key with non-empty results of `make`, and their indices.

        `make` is as in `grader_results`.
        """
        entries = self.value(key)
        if isinstance(entries, Items):
            return [(index, entries[index], found) for index, found in self._item_rows(entries, make)]
        listed = enumerate(entries) if isinstance(entries, list) else ()
        return [(at, it, found) for at, it in listed if _is_mapping(it) and (found := make(self, it))]

    def _item_rows(self, entries: Items[Any], make: "Make[_T | None]") -> list[tuple[int, _T]]:
        return entries.results(make, lambda it: make(self, it) if _is_mapping(it) else None)


def _is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    # The check for `dict` is fast, and this runs for each task of each rule.
    return isinstance(value, dict | Mapping)


Make = Callable[[Document, Mapping[str, Any]], _T]
"""Computes a result for an entry of a document."""
_Rows = list[tuple[Pointer, Mapping[str, Any], Any]]


def _findings_at(key: str, found: Sequence[Finding], index: int) -> Sequence[Finding]:
    """Return findings about an item at its place."""
    return [it.below((key, index)) for it in found]


@cache
def _having(places: tuple[str, ...]) -> "Make[bool]":
    """Return a function that says whether a mapping has a key at one of some places."""
    ways = [it.split("/") for it in places]

    def has(_: Document, entry: Mapping[str, Any]) -> bool:
        for way in ways:  # noqa: SIM110  # a generator takes longer, and this runs for each rule and task
            if way[0] in entry and _has(entry, way):
                return True
        return False

    return has


@cache
def _of_tasks(make: "Make[_T | None]", keys: frozenset[str]) -> "Make[_T | None]":
    """Wrap `make` to run only on mappings that are tasks, because they have one of the keys."""
    return (lambda document, entry: make(document, entry) if keys & entry.keys() else None) if keys else make


def _has(entry: Mapping[str, Any], way: list[str]) -> bool:
    value: Any = entry
    for key in way:
        if not _is_mapping(value) or key not in value:
            return False
        value = value[key]
    return True


def _always(_document: Document, _grader: Mapping[str, Any]) -> bool:
    return True


@cache
def _grader_lists(
    dialect: str, kind_name: str
) -> list[tuple[str, Callable[[Make[Any]], Make[_Rows]] | None]]:
    """Return the top-level lists that hold grader entries, or items with grader entries.

    For a list of such items, the second element wraps `make` so that it runs on the graders of one item.
    """
    kind = kind_of(dialect, kind_name)
    below: dict[str, list[tuple[str, ...]]] = {}
    for key, *rest in kind.graders if kind is not None else ():
        below.setdefault(key, []).append(tuple(rest))
    found: list[tuple[str, Callable[[Make[Any]], Make[_Rows]] | None]] = []
    for key, ways in below.items():
        if () in ways:
            found.append((key, None))
        if inner := tuple(it for it in ways if it):
            needed = kind.task_keys if kind is not None and key in kind.tasks else frozenset[str]()
            found.append((key, partial(_item_rows, ways=inner, needed=needed)))
    return found


@cache
def _item_rows(make: Make[Any], ways: tuple[tuple[str, ...], ...], needed: frozenset[str]) -> Make[_Rows]:
    """Wrap `make` to run on all graders of an item; items without any of the `needed` keys are skipped."""

    def rows(document: Document, item: Mapping[str, Any]) -> _Rows:
        if needed and needed.isdisjoint(item):
            return []
        return [
            (place, grader, found)
            for way in ways
            for place, grader in _entries(item, way)
            if (found := make(document, grader))
        ]

    return rows


def _entries(item: Mapping[str, Any], way: tuple[str, ...]) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    """Yield the mappings at the end of a path of lists."""
    key, *rest = way
    for index, it in _mappings(item.get(key)):
        if rest:
            yield from (((key, index, *place), grader) for place, grader in _entries(it, tuple(rest)))
        else:
            yield (key, index), it


def _mappings(entries: Any) -> list[tuple[int, Mapping[str, Any]]]:
    return (
        [(index, it) for index, it in enumerate(entries) if _is_mapping(it)]
        if isinstance(entries, list)
        else []
    )
