"""The store of results: `@query` for functions of a database and a key, `@derived` for functions of one immutable object.

A change marks nothing. When a query is called, its result is checked: it is taken again if none of its dependencies has
changed since the last check, which asks each of them the same question first. A query that was computed again with an
equal value has not changed for those that depend on it, so the effect of an edit ends there.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload
from weakref import ref

from waza_engine.lib.queries.disk import disk
from waza_engine.lib.queries.tracking import Result, clock, compute, is_needless, note, note_all

_Key = ParamSpec("_Key")
_Value = TypeVar("_Value")


class _HasMemory(Protocol):
    @property
    def memory(self) -> dict[Any, Any]: ...


_Owner = TypeVar("_Owner", bound=_HasMemory)
_Db = TypeVar("_Db", bound="Database")
_UNKNOWN: Any = object()
_UNTIL_WEIGHED = 100
"""After so many new results, all of them are weighed again."""


@dataclass(slots=True)
class Statistics:
    """How often a query was called and computed, and how many results are kept."""

    calls: int = 0
    computed: int = 0
    entries: int = 0


class _Entry(Result):
    """The result of a query for one key. It can compute itself again."""

    __slots__ = ("_database", "_key", "_query")

    def __init__(
        self, database: "ref[Database]", asked: "Query[Any, ..., Any]", key: tuple[Any, ...]
    ) -> None:
        super().__init__(_UNKNOWN, (), 0)
        # Otherwise a database that nobody needs any more would wait for the garbage collector.
        self._database = database
        self._query = asked
        self._key = key

    def refresh(self) -> int:
        """Compute the value again if a dependency has changed, and return the revision of its last change."""
        if self.value is not _UNKNOWN and self.is_fresh():
            return self.changed_at
        database = self._database()
        if database is None:
            return clock.now
        database.statistics_of(self._query).computed += 1
        before, found = self.value, compute(lambda: self._query.function(database, *self._key))
        self.dependencies = found.dependencies
        self.is_durable = found.is_durable
        if before is _UNKNOWN or not _is_equal(before, found.value):
            self.value = found.value
            self.changed_at = clock.now
        self.verified_at = found.verified_at
        return self.changed_at


def _is_equal(before: Any, now: Any) -> bool:
    return before is now or (type(before) is type(now) and bool(before == now))


class _Table(OrderedDict[Hashable, _Entry]):
    """The results of one query by their keys, those used least recently first."""

    __slots__ = ("_added", "_weight")

    def __init__(self) -> None:
        super().__init__()
        self._weight = 0
        self._added = 0

    def limit(self, keep: int, weigh: Callable[[Any], int], new: Any) -> None:
        """Drop the oldest results, one by one, until all of them weigh at most `keep`."""
        self._weight += weigh(new)
        self._added += 1
        if self._added >= _UNTIL_WEIGHED:
            # The sum does not know which results were replaced, and several threads change it.
            self._added, self._weight = 0, sum(weigh(it.value) for it in list(self.values()))
        while self._weight > keep and len(self) > 1:
            self._weight -= weigh(self.popitem(last=False)[1].value)


class Database:
    """The results of queries.

    A snapshot is for work that must see one state: each file is read once, and results are never checked. A final one is
    for a command that ends soon: nobody asks what its results depend on.
    """

    __slots__ = ("__weakref__", "_kept", "_statistics", "_tables", "is_final", "is_snapshot")

    def __init__(self, *, is_snapshot: bool = False, is_final: bool = False) -> None:
        self.is_snapshot = is_snapshot or is_final
        self.is_final = is_final
        self._tables: dict[Query[Any, ..., Any], _Table] = {}
        self._kept: dict[Hashable, Any] = {}
        """All results of a snapshot."""
        self._statistics: dict[Query[Any, ..., Any], Statistics] = {}

    def ask(self, asked: "Query[Any, ..., Any]", key: tuple[Any, ...]) -> Any:
        """Return the result of a query for a key."""
        if self.is_snapshot:
            return self._ask_once(asked, key)
        disk.look_if_due()
        self.statistics_of(asked).calls += 1
        table = self._tables.get(asked)
        if table is None:
            table = self._tables[asked] = _Table()
        entry = table.get(key)
        if entry is None:
            entry = _Entry(ref(self), asked, key)
        before = entry.value
        # An error is no result: the entry stays as it was.
        entry.refresh()
        table[key] = entry
        table.move_to_end(key)
        if asked.weigh is None:
            while len(table) > asked.keep:
                table.popitem(last=False)
        elif entry.value is not before:
            table.limit(asked.keep, asked.weigh, entry.value)
        note(entry)
        return entry.value

    def _ask_once(self, asked: "Query[Any, ..., Any]", key: tuple[Any, ...]) -> Any:
        place = (asked, *key)
        if not self.is_final:
            return kept(self._kept, place, lambda: asked.function(self, *key))
        value = self._kept.get(place, _UNKNOWN)
        if value is _UNKNOWN:
            value = self._kept[place] = asked.function(self, *key)
        return value

    def forget(self, asked: "Query[Any, ..., Any]", *key: Any) -> None:
        """Drop the result for a key, because nobody will ask again."""
        self._tables.get(asked, _Table()).pop(key, None)

    def values_of(self, asked: "Query[Any, ..., Any]") -> Iterator[Any]:
        """Yield the results of a query that are kept now."""
        if self.is_snapshot:
            found = [it for key, it in self._kept.items() if isinstance(key, tuple) and key[0] is asked]
            yield from (it if self.is_final else it.value for it in found)
        else:
            yield from [it.value for it in self._tables.get(asked, _Table()).values()]

    def statistics_of(self, asked: "Query[Any, ..., Any]") -> Statistics:
        """Return the statistics of one query."""
        known = self._statistics.get(asked)
        if known is None:
            known = self._statistics[asked] = Statistics()
        return known

    def statistics(self) -> dict[str, Statistics]:
        """Return the statistics of each query that was asked, by its name."""
        return {
            it.name: replace(found, entries=len(self._tables.get(it, ())))
            for it, found in self._statistics.items()
        }


class Query(Generic[_Db, _Key, _Value]):
    """A function of a database and a key whose last used results are kept: `keep` of them, or of this weight."""

    def __init__(
        self,
        function: Callable[Concatenate[_Db, _Key], _Value],
        keep: int,
        weigh: Callable[[Any], int] | None = None,
    ) -> None:
        self.function = function
        self.keep = keep
        self.weigh = weigh
        self.name = f"{function.__module__}.{function.__qualname__}"
        update_wrapper(self, function)

    def __call__(self, db: _Db, *key: _Key.args, **named: _Key.kwargs) -> _Value:
        """Return the result for a key. Arguments are given by position: they are the key."""
        if named:
            raise TypeError(f"{self.name} takes its key by position")
        value: _Value = db.ask(self, key)
        return value


def query(
    *, keep: int, weigh: Callable[[Any], int] | None = None
) -> Callable[[Callable[Concatenate[_Db, _Key], _Value]], Query[_Db, _Key, _Value]]:
    """Make a function `f(db, *key)` a query that keeps so many results. Those used least recently go first.

    With `weigh`, the size of a result, `keep` is the size of all results together.
    """
    return lambda function: Query(function, keep, weigh)


def derived(function: Callable[[_Owner], _Value]) -> Callable[[_Owner], _Value]:
    """Make a function of one immutable object compute once. The result lives in the object, in its `memory`.

    Readers inherit the dependencies of the computation: the object may have read files.
    """

    def once(owner: _Owner) -> _Value:
        return kept(owner.memory, function, lambda: function(owner))

    return update_wrapper(once, function)


class derived_property(Generic[_Value]):  # noqa: N801  # used like `cached_property`
    """A `derived` function as a property."""

    def __init__(self, function: Callable[[Any], _Value]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "derived_property[_Value]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> _Value: ...
    def __get__(self, instance: Any, owner: type) -> "_Value | derived_property[_Value]":
        if instance is None:
            return self
        return kept(instance.memory, self._function, lambda: self._function(instance))


def kept(memory: dict[Any, Any], key: Hashable, make: Callable[[], _Value]) -> _Value:
    """Return the result of `make` that `memory` has under `key`, computed at first use.

    For results that live as long as the immutable object that has the memory. Each reader inherits what `make` read.
    """
    found: Result | None = memory.get(key)
    if found is None:
        found = memory[key] = Result(make(), (), clock.now) if is_needless() else compute(make)
    if found.dependencies:
        note_all(found.dependencies)
    value: _Value = found.value
    return value


def kept_fresh(memory: dict[Any, Any], key: Hashable, make: Callable[[], Any]) -> Result:
    """Return the result under `key`, like `kept`, but computed again when something that `make` read has changed."""
    found: Result | None = memory.get(key)
    if found is None or not found.is_fresh():
        found = memory[key] = compute(make)
    if found.dependencies:
        note_all(found.dependencies)
    return found


def made_of(memory: dict[Any, Any], key: Hashable, source: object, make: Callable[[], _Value]) -> _Value:
    """Return the result of `make` under `key`, computed again when `source`, all that goes into it, is another object."""
    known: tuple[object, _Value] | None = memory.get(key)
    if known is None or known[0] is not source:
        known = memory[key] = source, make()
    return known[1]
