"""Lists of a file that know what was made of their items: after an edit only what is another item is asked about again."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from functools import lru_cache, partial
from operator import is_, itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from waza_engine.lib.files.read_tracking import note_keys, note_reads, track_reads


class _Made(NamedTuple):
    """What was made of an item, and the files and top-level keys that had a say."""

    value: Any
    paths: frozenset[Path]
    keys: frozenset[str]


class _Found(NamedTuple):
    """The items that something was made of, by index, and what was looked at for all of them."""

    rows: list[tuple[int, Any]]
    paths: frozenset[Path]
    keys: frozenset[str]


_Item = TypeVar("_Item")
_PATHS, _KEYS = itemgetter(1), itemgetter(2)


class Carried(list[_Item]):
    """A list that nobody changes, with what was made of its items."""

    __slots__ = ("_found", "_made", "memory")

    def __init__(self, items: Iterable[_Item] = ()) -> None:
        super().__init__(items)
        self._made: dict[Hashable, list[_Made | None]] = {}
        """None: nobody has asked about the item yet."""
        self._found: dict[Hashable, _Found] = {}
        self.memory: dict[Any, Any] = {}
        """What others remember of this very list, as long as it lives."""

    def found(self, name: Hashable, make: Callable[[_Item], Any]) -> list[tuple[int, Any]]:
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

    def _all_found(self, name: Hashable, make: Callable[[_Item], Any]) -> _Found:
        made: list[Any] = self._made.setdefault(name, [None] * len(self))
        for index in [index for index, it in enumerate(made) if it is None]:
            made[index] = _asked(make, self[index])
        rows = [(index, it[0]) for index, it in enumerate(made) if it[0]]
        return _Found(rows, frozenset().union(*map(_PATHS, made)), frozenset().union(*map(_KEYS, made)))

    def asked(self) -> Iterator[tuple[Hashable, list[_Made | None], _Found | None]]:
        """What was made of the items so far, by name; with what has been found where all items were asked about."""
        # What nobody has asked of the last version is not needed any more, unless nobody has asked for anything.
        for name in list(self._found or self._made):
            yield name, self._made[name], self._found.get(name)

    def with_made(self, name: Hashable, made: list[_Made | None]) -> None:
        """Take over what was made of items of an earlier list; None where that is not known."""
        self._made[name] = made


def carried(
    items: Sequence[_Item], before: Any, paths: Set[Path] = frozenset(), keys: Set[str] = frozenset()
) -> Carried[_Item]:
    """A list after an edit: of items that are the same objects as before, what was made of them is taken over.

    `before` is the list before the edit, if there was one; these files and keys are others than they were then.
    """
    now = Carried(items)
    if not isinstance(before, Carried):
        return now
    place = _placing(now, before)
    is_all = place is None
    for name, known, found in before.asked():
        made = known
        if found is None or not (found.paths.isdisjoint(paths) and found.keys.isdisjoint(keys)):
            made = [it if it is not None and _holds(it, paths, keys) else None for it in known]
            is_all = False
        now.with_made(name, place(made) if place is not None else made)
    return before if is_all else now


_Places = Callable[[list[_Made | None]], list[_Made | None]]


def _placing(now: Sequence[Any], before: Sequence[Any]) -> _Places | None:
    """What puts what is known of the items before to those of now; None when they are the same."""
    is_same = [*map(is_, now, before)]
    if len(now) == len(before):
        others = [index for index, same in enumerate(is_same) if not same]
        return partial(_opened, others) if others else None
    first = is_same.index(False) if False in is_same else len(is_same)
    behind = [*map(is_, reversed(now), reversed(before))][: min(len(now), len(before)) - first]
    last = behind.index(False) if False in behind else len(behind)
    gap = [None] * (len(now) - first - last)
    return lambda made: [*made[:first], *gap, *made[len(made) - last :]]


def _opened(others: list[int], made: list[_Made | None]) -> list[_Made | None]:
    made = made.copy()
    for index in others:
        made[index] = None
    return made


def _holds(made: _Made, paths: Set[Path], keys: Set[str]) -> bool:
    return made.paths.isdisjoint(paths) and made.keys.isdisjoint(keys)


def _asked(make: Callable[[Any], Any], item: Any) -> _Made:
    with track_reads() as seen:
        value = make(item)
    keys = frozenset(seen.keys)
    return _Made(value, frozenset(seen.paths), _shared(keys)) if value or seen.paths else _silent(keys)


@lru_cache(maxsize=64)
def _shared(keys: frozenset[str]) -> frozenset[str]:
    """One object for equal keys: those of most items are."""
    return keys


@lru_cache(maxsize=64)
def _silent(keys: frozenset[str]) -> _Made:
    """Stands for nearly all items: most have nothing to say."""
    return _Made(None, frozenset(), keys)
