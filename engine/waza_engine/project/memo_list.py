"""Lists that cache results per item. After an edit, only changed items are checked again."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from functools import lru_cache, partial
from operator import is_, itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from waza_engine.lib.files.read_tracking import note_keys, note_reads, track_reads


class _Result(NamedTuple):
    """The result for one item, and the files and top-level keys that it depends on."""

    value: Any
    paths: frozenset[Path]
    keys: frozenset[str]


class _Rows(NamedTuple):
    """The non-empty results with their item indices, and the dependencies of all items."""

    rows: list[tuple[int, Any]]
    paths: frozenset[Path]
    keys: frozenset[str]


_Item = TypeVar("_Item")
_PATHS, _KEYS = itemgetter(1), itemgetter(2)


class MemoList(list[_Item]):
    """An immutable list with cached results for its items."""

    __slots__ = ("_found", "_made", "memory")

    def __init__(self, items: Iterable[_Item] = ()) -> None:
        super().__init__(items)
        self._made: dict[Hashable, list[_Result | None]] = {}
        """By name: the result of each item, None if it is not computed yet."""
        self._found: dict[Hashable, _Rows] = {}
        self.memory: dict[Any, Any] = {}
        """A cache for callers that lives as long as this list."""

    def results(self, name: Hashable, make: Callable[[_Item], Any]) -> list[tuple[int, Any]]:
        """Return the non-empty results of `make` with the indices of their items.

        `make` runs once per item. `name` identifies it across versions: the same name must mean the same results.
        """
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._all_found(name, make)
        if found.paths:
            note_reads(found.paths)
        if found.keys:
            note_keys(found.keys)
        return found.rows

    def _all_found(self, name: Hashable, make: Callable[[_Item], Any]) -> _Rows:
        made: list[Any] = self._made.setdefault(name, [None] * len(self))
        for index in [index for index, it in enumerate(made) if it is None]:
            made[index] = _run(make, self[index])
        rows = [(index, it[0]) for index, it in enumerate(made) if it[0]]
        return _Rows(rows, frozenset().union(*map(_PATHS, made)), frozenset().union(*map(_KEYS, made)))

    def known_results(self) -> Iterator[tuple[Hashable, list[_Result | None], _Rows | None]]:
        """Yield the results so far by name; the last element is set if all items have a result."""
        # Names that were not used with the last version are dropped, unless no name was used at all.
        for name in list(self._found or self._made):
            yield name, self._made[name], self._found.get(name)

    def adopt(self, name: Hashable, made: list[_Result | None]) -> None:
        """Take over the results of an earlier list; None for items without one."""
        self._made[name] = made


def memo_list(
    items: Sequence[_Item], before: Any, paths: Set[Path] = frozenset(), keys: Set[str] = frozenset()
) -> MemoList[_Item]:
    """Return the list after an edit, with the cached results of items that are the same objects as before.

    `before` is the list before the edit, if there was one; `paths` and `keys` have changed since then.
    """
    now = MemoList(items)
    if not isinstance(before, MemoList):
        return now
    place = _mapping(now, before)
    is_all = place is None
    for name, known, found in before.known_results():
        made = known
        if found is None or not (found.paths.isdisjoint(paths) and found.keys.isdisjoint(keys)):
            made = [it if it is not None and _is_current(it, paths, keys) else None for it in known]
            is_all = False
        now.adopt(name, place(made) if place is not None else made)
    return before if is_all else now


_Places = Callable[[list[_Result | None]], list[_Result | None]]


def _mapping(now: Sequence[Any], before: Sequence[Any]) -> _Places | None:
    """Return a function that maps results from the old items to the new ones; None if the items are the same."""
    is_same = [*map(is_, now, before)]
    if len(now) == len(before):
        others = [index for index, same in enumerate(is_same) if not same]
        return partial(_without, others) if others else None
    first = is_same.index(False) if False in is_same else len(is_same)
    behind = [*map(is_, reversed(now), reversed(before))][: min(len(now), len(before)) - first]
    last = behind.index(False) if False in behind else len(behind)
    gap = [None] * (len(now) - first - last)
    return lambda made: [*made[:first], *gap, *made[len(made) - last :]]


def _without(others: list[int], made: list[_Result | None]) -> list[_Result | None]:
    made = made.copy()
    for index in others:
        made[index] = None
    return made


def _is_current(made: _Result, paths: Set[Path], keys: Set[str]) -> bool:
    return made.paths.isdisjoint(paths) and made.keys.isdisjoint(keys)


def _run(make: Callable[[Any], Any], item: Any) -> _Result:
    with track_reads() as seen:
        value = make(item)
    keys = frozenset(seen.keys)
    return (
        _Result(value, frozenset(seen.paths), _shared(keys)) if value or seen.paths else _empty_result(keys)
    )


@lru_cache(maxsize=64)
def _shared(keys: frozenset[str]) -> frozenset[str]:
    """Return one shared object for equal keys, which most items have."""
    return keys


@lru_cache(maxsize=64)
def _empty_result(keys: frozenset[str]) -> _Result:
    """Return one shared empty result; nearly all items have it."""
    return _Result(None, frozenset(), keys)
