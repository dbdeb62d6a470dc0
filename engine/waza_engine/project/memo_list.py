"""Lists of a file that know what was made of their items: after an edit only what is another item is asked about again."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from functools import lru_cache, partial
from operator import is_, itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from waza_engine.lib.files.read_tracking import note_keys, note_reads, track_reads


class _Result(NamedTuple):
    """What was made of an item, and the files and top-level keys that had a say."""

    value: Any
    paths: frozenset[Path]
    keys: frozenset[str]


class _Rows(NamedTuple):
    """The items that something was made of, by index, and what was looked at for all of them."""

    rows: list[tuple[int, Any]]
    paths: frozenset[Path]
    keys: frozenset[str]


_Item = TypeVar("_Item")
_PATHS, _KEYS = itemgetter(1), itemgetter(2)


class MemoList(list[_Item]):
    """A list that nobody changes, with what was made of its items."""

    __slots__ = ("_found", "_made", "memory")

    def __init__(self, items: Iterable[_Item] = ()) -> None:
        super().__init__(items)
        self._made: dict[Hashable, list[_Result | None]] = {}
        """None: nobody has asked about the item yet."""
        self._found: dict[Hashable, _Rows] = {}
        self.memory: dict[Any, Any] = {}
        """What others remember of this very list, as long as it lives."""

    def results(self, name: Hashable, make: Callable[[_Item], Any]) -> list[tuple[int, Any]]:
        """The items of which `make` makes something (that is not empty): their indices, with that.

        It is asked once for each item. `name` is the same as long as it would answer the same, from version to version.
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
        """What was made of the items so far, by name; with what has been found where all items were asked about."""
        # What nobody has asked of the last version is not needed any more, unless nobody has asked for anything.
        for name in list(self._found or self._made):
            yield name, self._made[name], self._found.get(name)

    def adopt(self, name: Hashable, made: list[_Result | None]) -> None:
        """Take over what was made of items of an earlier list; None where that is not known."""
        self._made[name] = made


def memo_list(
    items: Sequence[_Item], before: Any, paths: Set[Path] = frozenset(), keys: Set[str] = frozenset()
) -> MemoList[_Item]:
    """A list after an edit: of items that are the same objects as before, what was made of them is taken over.

    `before` is the list before the edit, if there was one; these files and keys are others than they were then.
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
    """What puts what is known of the items before to those of now; None when they are the same."""
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
    """One object for equal keys: those of most items are."""
    return keys


@lru_cache(maxsize=64)
def _empty_result(keys: frozenset[str]) -> _Result:
    """Stands for nearly all items: most have nothing to say."""
    return _Result(None, frozenset(), keys)
