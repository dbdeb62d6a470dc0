"""Lists that keep results per item. After an edit, only changed items are asked again.

A query for each item of a list of thousands would be asked thousands of times at every edit. Here the results of all items
are checked at once, by the few inputs that they have in common, and a new list takes those of the items it shares with the
list before.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from operator import is_, itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

from waza_engine.lib.queries.tracking import Dependency, Result, clock, is_needless, note_all, track_reads

_Item = TypeVar("_Item")
_Value = TypeVar("_Value")
_Results = list[Result | None]


class Items(list[_Item]):
    """An immutable list with the results of its items."""

    __slots__ = ("_made", "_rows", "_rows_before", "memory")

    def __init__(self, items: Iterable[_Item] = ()) -> None:
        super().__init__(items)
        self._made: dict[Hashable, _Results] = {}
        """By name: the result of each item, None if it is not computed yet."""
        self._rows: dict[Hashable, Result] = {}
        """By name: the non-empty results with their indices, and what any of the items depends on."""
        self._rows_before: dict[Hashable, _Before] = {}
        """By name: the rows of the list before an edit. While they are fresh, so are the results taken from it."""
        self.memory: dict[Any, Any] = {}
        """Results about the list as a whole, for `kept` and `made_of`."""

    def results(self, name: Hashable, make: Callable[[_Item], Any]) -> list[tuple[int, Any]]:
        """Return the non-empty results of `make` with the indices of their items.

        `make` runs for an item only if it is new, or something that it read has changed. `name` identifies it across
        versions of the list: the same name must mean the same results.
        """
        rows = self._rows.get(name)
        if rows is None or not rows.is_fresh():
            rows = self._rows[name] = self._computed(name, make)
        if rows.dependencies:
            note_all(rows.dependencies)
        found: list[tuple[int, Any]] = rows.value
        return found

    def placed(
        self,
        name: Hashable,
        make: Callable[[_Item], _Value | None],
        place: Callable[[_Value, int], _Value],
    ) -> dict[int, _Value]:
        """Return the results of `make` by the indices of their items, each moved there by `place`. None is no result.

        `make` does not know the index of its item. A result is moved again only if its item has another index than before.
        """
        rows = self.results(name, lambda item: _Placed(made) if (made := make(item)) is not None else None)
        return {index: it.at(index, place) for index, it in rows}

    def _computed(self, name: Hashable, make: Callable[[_Item], Any]) -> Result:
        began = clock.now
        made: list[Any] = self._made.setdefault(name, [None] * len(self))
        before = self._rows_before.pop(name, None)
        is_fresh = before is not None and before.rows.is_fresh()
        if before is not None and is_fresh and before.changed is not None:
            return self._computed_after(before.rows, before.changed, made, make)
        # An item that is in the list several times is asked once.
        new: dict[int, Result] = {}
        for index, known in enumerate(made):
            if known is None or not (is_fresh or known.is_fresh()):
                item = self[index]
                made[index] = new.get(id(item)) or new.setdefault(id(item), _run(make, item))
        rows = [(index, it.value) for index, it in enumerate(made) if it.value]
        return Result(rows, _all_dependencies(made), began)

    def _computed_after(
        self,
        before: Result,
        changed: Mapping[int, tuple[Dependency, ...]],
        made: list[Any],
        make: Callable[[_Item], Any],
    ) -> Result:
        """Return the rows after edits that changed only some items, and no index of the others."""
        began, rows = clock.now, list(before.value)
        for index in changed:
            result = made[index] = _run(make, self[index])
            first = bisect_left(rows, index, key=itemgetter(0))
            last = bisect_right(rows, index, key=itemgetter(0))
            rows[first:last] = [(index, result.value)] if result.value else []
        is_same = all(made[index].dependencies == former for index, former in changed.items())
        return Result(rows, before.dependencies if is_same else _all_dependencies(made), began)

    def after_edit(self, items: Sequence[_Item]) -> "Items[_Item]":
        """Return a later version of the list, with the results of the items that are the same objects.

        The list itself is returned if all items are. Results under names that were not used with this list are dropped,
        unless no name was used at all.
        """
        changed, place = _mapping(items, self)
        if changed is not None and not changed:
            return self
        now = Items(items)
        for name in list(self._rows or self._made):
            now._made[name] = place(self._made[name])
            before = _Before(self._rows[name], {}) if name in self._rows else self._rows_before.get(name)
            if before is not None:
                now._rows_before[name] = before.after(changed, self._made[name])
        return now


class _Before(NamedTuple):
    """The rows of a list before edits, and the items that changed since: what each former one depended on, by index.

    None if the indices of other items changed, too.
    """

    rows: Result
    changed: Mapping[int, tuple[Dependency, ...]] | None

    def after(self, changed: Sequence[int] | None, made: _Results) -> "_Before":
        """Return the rows before one more edit of a list with these results."""
        if changed is None or self.changed is None:
            return _Before(self.rows, None)
        former = {index: it.dependencies for index in changed if (it := made[index]) is not None}
        return _Before(self.rows, {**former, **self.changed})


def _all_dependencies(made: Iterable[Result]) -> dict[Dependency, None]:
    """Return what any of some results depends on."""
    shared = {it.dependencies for it in made if it.dependencies}
    return dict.fromkeys(it for its in shared for it in its)


class _Placed(Generic[_Value]):
    """The result of an item, and the same result at the index that was asked for last."""

    __slots__ = ("_index", "_made", "_moved")

    def __init__(self, made: _Value) -> None:
        self._made = made
        self._moved = made
        self._index = -1

    def at(self, index: int, place: Callable[[_Value, int], _Value]) -> _Value:
        """Return the result at an index."""
        if index != self._index:
            self._moved, self._index = place(self._made, index), index
        return self._moved


def items_after(items: Sequence[_Item], before: Any) -> Items[_Item]:
    """Return the list after an edit; `before` is the list before it, if there was one."""
    return before.after_edit(items) if isinstance(before, Items) else Items(items)


def _mapping(
    now: Sequence[Any], before: Sequence[Any]
) -> tuple[Sequence[int] | None, Callable[[_Results], _Results]]:
    """Return the indices of the items that changed, and a function that maps results from the old items to the new ones.

    The indices are None if the lists are not equally long.
    """
    is_same = [*map(is_, now, before)]
    if len(now) == len(before):
        others = [index for index, same in enumerate(is_same) if not same]
        return others, partial(_without, others)
    first = is_same.index(False) if False in is_same else len(is_same)
    behind = [*map(is_, reversed(now), reversed(before))][: min(len(now), len(before)) - first]
    last = behind.index(False) if False in behind else len(behind)
    gap = [None] * (len(now) - first - last)
    return None, lambda made: [*made[:first], *gap, *made[len(made) - last :]]


def _without(others: list[int], made: _Results) -> _Results:
    made = made.copy()
    for index in others:
        made[index] = None
    return made


def _run(make: Callable[[Any], Any], item: Any) -> Result:
    began = clock.now
    if is_needless():
        return Result(make(item), (), began)
    with track_reads() as reads:
        value = make(item)
    dependencies = _shared(tuple(reads.dependencies))
    return Result(value, dependencies, began) if value else _empty_result(dependencies, began)


@lru_cache(maxsize=256)
def _shared(dependencies: tuple[Dependency, ...]) -> tuple[Dependency, ...]:
    """Return one shared object for equal dependencies, which most items have."""
    return dependencies


@lru_cache(maxsize=64)
def _empty_result(dependencies: tuple[Dependency, ...], began: int) -> Result:
    """Return one shared empty result; nearly all items of a list have it."""
    return Result(None, dependencies, began)
